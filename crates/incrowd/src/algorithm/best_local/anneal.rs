//! Annealing inside a block.
//!
//! The main move is a *purge*: one value of a group, mostly its rarest, or one end of an interval is
//! taken out. Its rows go where they cost least; what the group then lacks comes from groups that can
//! spare rows. A purge that makes things worse by more than the temperature allows is taken back.

use super::block::{Block, OUT};
use super::chance::Chance;
use super::near::Near;
use crate::watch::Watch;

/// How the temperature falls, in the unit of costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cooling {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// What one run of the annealing may do.
pub(super) struct Task {
    pub(super) cooling: Cooling,
    /// How often a row may be looked at in a group.
    pub(super) looks: u64,
    /// How many rows may be suppressed.
    pub(super) quota: usize,
}

/// With at most so many groups, rows look at all of them.
const FEW_GROUPS: usize = 48;

/// So many members of a group tell which rows are near it.
const ASKED: usize = 12;

/// The temperature falls in so many steps, a power of two.
const STAIRS: u32 = 64;

/// The search asks the watch every so many moves.
const PATIENCE: u64 = 128;

/// Shares of the moves: a row by chance is purged, a group is dissolved, a group is founded.
const LONE: f64 = 0.10;
const DISSOLVE: f64 = 0.02;
const FOUND: f64 = 0.02;

/// Of the purges of text, so many take the rarest value; the others that of any row.
const RAREST: f64 = 0.8;

pub(super) struct Annealer<'b, 'a, const W: usize> {
    block: &'b mut Block<'a, W>,
    near: Near,
    chance: &'b mut Chance,
    k: u32,
    quota: usize,
    looks: u64,
    leavers: Vec<u32>,
    /// The groups that have got rows in this move.
    hosts: Vec<u32>,
    /// The move in which a row or a group was last seen to.
    row_seen: Vec<u64>,
    group_seen: Vec<u64>,
    time: u64,
    counts: Vec<u32>,
    by_code: Vec<(u32, u32)>,
    moves: u64,
}

impl<'b, 'a, const W: usize> Annealer<'b, 'a, W> {
    pub(super) fn new(block: &'b mut Block<'a, W>, chance: &'b mut Chance) -> Self {
        let near = Near::new(&block.packed, &block.rows.prices, chance);
        Annealer {
            k: block.rows.problem.privacy.k.min(u64::from(u32::MAX)) as u32,
            quota: 0,
            looks: 0,
            leavers: Vec::new(),
            hosts: Vec::new(),
            row_seen: vec![0; block.ids.len()],
            group_seen: vec![0; block.crowds.len()],
            time: 0,
            counts: vec![0; 64 * W],
            by_code: Vec::new(),
            moves: 0,
            block,
            near,
            chance,
        }
    }

    /// Moves rows about until the task is done or the watch says stop; returns the number of moves.
    pub(super) fn run(&mut self, task: &Task, watch: &Watch<'_>) -> u64 {
        self.quota = task.quota;
        if self.block.crowds.is_empty() {
            return 0;
        }
        // The ratio of two stairs: square roots are the same on every machine, powers are not.
        let mut ratio = task.cooling.to / task.cooling.from;
        for _ in 0..STAIRS.trailing_zeros() {
            ratio = ratio.sqrt();
        }
        let mut temperature = task.cooling.from;
        for stair in 1..=u64::from(STAIRS) {
            while self.looks < task.looks * stair / u64::from(STAIRS) {
                if self.moves % PATIENCE == 0 && watch.stop().is_some() {
                    return self.moves;
                }
                self.moves += 1;
                // A move that finds nothing to do counts as a look, too.
                self.looks += 1;
                self.attempt(temperature);
            }
            temperature *= ratio;
        }
        self.moves
    }

    fn attempt(&mut self, temperature: f64) {
        let done = self.propose();
        let bound = temperature * self.chance.exponential();
        if done && self.block.change() <= bound && self.block.all_pass() {
            self.block.keep();
        } else {
            self.block.undo();
        }
    }

    /// Makes a random move; false if it cannot be finished.
    fn propose(&mut self) -> bool {
        self.leavers.clear();
        self.hosts.clear();
        let kind = self.chance.share();
        if !self.block.out.is_empty() && kind > 0.95 {
            let row = self.chance.of(&self.block.out);
            self.leavers.push(row);
            return self.place_leavers(OUT);
        }
        if kind < FOUND {
            return self.found();
        }
        let group = self.chance.below(self.block.crowds.len()) as u32;
        let members = &self.block.members[group as usize];
        if members.is_empty() {
            return false;
        }
        if kind < FOUND + DISSOLVE {
            self.leavers.extend_from_slice(members);
        } else if kind < FOUND + DISSOLVE + LONE {
            self.leavers.push(self.chance.of(members));
        } else {
            self.choose_leavers(group);
        }
        if self.leavers.is_empty() {
            return false;
        }
        let dissolved = self.leavers.len() == self.block.members[group as usize].len();
        self.place_leavers(group) && (dissolved || self.refill(group))
    }

    /// Chooses the rows to purge from a group.
    fn choose_leavers(&mut self, group: u32) {
        let total: f32 = self.block.crowds[group as usize].price;
        let mut left = self.chance.share() as f32 * total;
        let mut chosen = None;
        for (at, price) in self.block.prices_of(group).enumerate() {
            if price > 0.0 {
                chosen = Some(at);
                left -= price;
                if left < 0.0 {
                    break;
                }
            }
        }
        let Some(chosen) = chosen else { return };
        let sets = self.block.packed.sets;
        if chosen < sets {
            self.purge_value(group, chosen);
        } else {
            self.purge_end(group, chosen - sets);
        }
        let size = self.block.members[group as usize].len();
        self.looks += size as u64 / 4;
        if self.leavers.len() > 2.max(size / 2) {
            self.leavers.clear();
        }
    }

    fn purge_value(&mut self, group: u32, set: usize) {
        let members = &self.block.members[group as usize];
        let packed = &self.block.packed;
        let bit_of = |row: u32| packed.bit_of(row, set);
        let value = if self.chance.share() < RAREST {
            for &row in members {
                self.counts[usize::from(bit_of(row))] += 1;
            }
            // From a random member on, so that of equally rare values each has its chance.
            let (before, after) = members.split_at(self.chance.below(members.len()));
            let mut rarest = (u32::MAX, 0);
            for &row in after.iter().chain(before) {
                let count = self.counts[usize::from(bit_of(row))];
                if count < rarest.0 {
                    rarest = (count, bit_of(row));
                }
            }
            for &row in members {
                self.counts[usize::from(bit_of(row))] = 0;
            }
            rarest.1
        } else {
            bit_of(self.chance.of(members))
        };
        self.leavers.extend(members.iter().filter(|&&row| bit_of(row) == value));
    }

    /// One end of the numbers, or all that lies outside one child of the node above the values.
    fn purge_end(&mut self, group: u32, span: usize) {
        let members = &self.block.members[group as usize];
        let code_of = |row: u32| self.block.packed.code_of(row, span);
        let ends = self.block.ends_of(group, span);
        let Some(tree) = &self.block.rows.prices.spans[span].attribute.hierarchy else {
            let end = if self.chance.share() < 0.5 { ends.low } else { ends.high };
            self.leavers.extend(members.iter().filter(|&&row| code_of(row) == end));
            return;
        };
        self.by_code.clear();
        self.by_code.extend(members.iter().map(|&row| (code_of(row), row)));
        self.by_code.sort_unstable();
        let node = tree.common(ends.low, ends.high);
        let (mut best, mut at) = (0..0, 0);
        let random = self.by_code[self.chance.below(members.len())].0;
        let keep_any = self.chance.share() >= RAREST;
        for child in tree.children(node) {
            let codes = tree.codes(child);
            let from = at;
            while at < self.by_code.len() && codes.contains(&self.by_code[at].0) {
                at += 1;
            }
            let better = if keep_any { codes.contains(&random) } else { at - from > best.len() };
            if better {
                best = from..at;
            }
        }
        let gone = self.by_code[..best.start].iter().chain(&self.by_code[best.end..]);
        self.leavers.extend(gone.map(|&(_, row)| row));
    }

    /// Takes the leavers out of a group (or back from suppression) to where they cost least.
    fn place_leavers(&mut self, group: u32) -> bool {
        self.time += 1;
        let mut leavers = std::mem::take(&mut self.leavers);
        if leavers.len() > 1 {
            self.chance.shuffle(&mut leavers);
        }
        for &row in &leavers {
            self.row_seen[row as usize] = self.time;
        }
        let mut placed = true;
        for &row in &leavers {
            match self.best_home(row, group) {
                Some(home) => {
                    self.block.shift(row, home);
                    if home != OUT && !self.hosts.contains(&home) {
                        self.hosts.push(home);
                    }
                }
                None => {
                    placed = false;
                    break;
                }
            }
        }
        self.leavers = leavers;
        if placed && group != OUT {
            self.block.refresh(group);
        }
        placed
    }

    /// The group, other than one, in which a row costs least; none if there is no other nearby.
    fn best_home(&mut self, row: u32, other_than: u32) -> Option<u32> {
        let may_suppress = other_than != OUT && self.block.out.len() < self.quota;
        let mut best = if may_suppress { (1.0, OUT) } else { (f32::INFINITY, OUT) };
        let block = &*self.block;
        let mut look = |group: u32| {
            if group != other_than && group != OUT && block.crowds[group as usize].size > 0 {
                self.looks += 1;
                let cost = block.joining(group, row);
                if cost < best.0 {
                    best = (cost, group);
                }
            }
        };
        if block.crowds.len() <= FEW_GROUPS {
            (0..block.crowds.len() as u32).for_each(&mut look);
        } else {
            self.time += 1;
            for &neighbour in self.near.of(row) {
                let group = block.home[neighbour as usize];
                if group == OUT || self.group_seen[group as usize] == self.time {
                    continue;
                }
                self.group_seen[group as usize] = self.time;
                look(group);
            }
        }
        (best.0.is_finite()).then_some(best.1)
    }

    /// Fills a group up to k with the rows that cost least; false if there are none.
    fn refill(&mut self, group: u32) -> bool {
        while self.block.crowds[group as usize].size < self.k {
            let Some(row) = self.best_guest(group) else { return false };
            let home = self.block.home[row as usize];
            self.block.shift(row, group);
            if home != OUT {
                self.block.refresh(home);
            }
        }
        true
    }

    /// The row that costs least to take into a group.
    fn best_guest(&mut self, group: u32) -> Option<u32> {
        let mut best = (f32::INFINITY, None);
        let members = self.block.members[group as usize].len();
        let start = self.chance.below(members.max(1));
        for step in 0..members.min(ASKED) {
            let member = self.block.members[group as usize][(start + step) % members];
            for at in 0..self.near.of(member).len() {
                let row = self.near.of(member)[at];
                self.consider(row, group, &mut best);
            }
        }
        for host in 0..self.hosts.len() {
            let host = self.hosts[host] as usize;
            if self.block.crowds[host].size > self.k {
                for at in 0..self.block.members[host].len() {
                    let row = self.block.members[host][at];
                    self.consider(row, group, &mut best);
                }
            }
        }
        best.1
    }

    fn consider(&mut self, row: u32, group: u32, best: &mut (f32, Option<u32>)) {
        let home = self.block.home[row as usize];
        let spared = home == OUT
            || home != group && self.block.crowds[home as usize].size > self.k;
        // Rows that this move has thrown out do not come back.
        if !spared || self.leavers.contains(&row) {
            return;
        }
        self.looks += 1;
        let gain = self.block.leaving(row);
        if gain >= best.0 {
            return;
        }
        let cost = gain + self.block.joining(group, row);
        if cost < best.0 && self.block.can_spare(row) {
            *best = (cost, Some(row));
        }
    }

    /// Founds a group of rows that their groups can spare.
    fn found(&mut self) -> bool {
        let row = self.chance.below(self.block.ids.len()) as u32;
        if !self.block.can_spare(row) {
            return false;
        }
        let empty = self.block.crowds.iter().position(|crowd| crowd.size == 0);
        let group = match empty {
            Some(group) => group as u32,
            None => {
                self.group_seen.push(0);
                self.block.open_group()
            }
        };
        let home = self.block.home[row as usize];
        self.block.shift(row, group);
        if home != OUT {
            self.block.refresh(home);
            self.hosts.push(home);
        }
        self.refill(group)
    }
}
