//! Annealing inside a block.
//!
//! The main move is a *purge*: one value of a group, mostly its rarest, or one end of an interval is
//! taken out. Its rows go where they cost least; what the group then lacks comes from groups that can
//! spare rows. A purge that makes things worse by more than the temperature allows is taken back.

use super::block::{OUT, RowBlock};
use super::nearest_rows::NearestRows;
use crate::kit::{GeometricCooling, SearchRng};
use crate::search::{Control, StopReason};

/// What one run of the annealing may do.
pub(super) struct AnnealingTask {
    /// The temperature at the beginning and at the end, in the unit of costs.
    pub(super) hot: f64,
    pub(super) end: f64,
    /// How often a row may be looked at in a group.
    pub(super) looks: u64,
    /// How many rows may be suppressed.
    pub(super) quota: usize,
}

/// With at most so many groups, rows look at all of them.
const FEW_GROUPS: usize = 48;

/// So many members of a group tell which rows are near it.
const ASKED: usize = 12;

/// So many rows of a group that has just got some may be asked to leave it instead.
const HOSTED: usize = 64;

/// After so many added records the members of a group are asked again: the new ones know others.
const FRESH: u32 = 6;

/// The temperature falls in so many steps, a power of two.
const STAIRS: u64 = 64;

/// The search asks the control every so many moves.
const PATIENCE: u64 = 64;

/// Of so many groups drawn the costliest is taken.
const DRAWN: usize = 3;

/// Shares of the moves: a group is founded, a group is dissolved, one row by chance is purged, a
/// suppressed row comes back.
const FOUND: f64 = 0.02;
const DISSOLVE: f64 = 0.02;
const LONE: f64 = 0.10;
const RECALL: f64 = 0.05;

/// Of the purges so many take the rarest value, or keep the largest branch of a hierarchy; the others that
/// of any row.
const RAREST: f64 = 0.8;

/// Anneals a block.
pub(super) struct BlockAnnealer<'b, 'a, const W: usize> {
    block: &'b mut RowBlock<'a, W>,
    near: NearestRows,
    chance: &'b mut SearchRng,
    k: u32,
    quota: usize,
    looks: u64,
    /// How many moves were tried.
    pub(super) moves: u64,
    /// The rows to be purged.
    leavers: Vec<u32>,
    /// The groups that have got some of them.
    hosts: Vec<u32>,
    /// The rows that could take their place, and what each would cost when last looked at.
    guests: Vec<(f32, u32)>,
    /// When a row or a group was last seen to, so as to see to it once.
    row_seen: Vec<u64>,
    group_seen: Vec<u64>,
    time: u64,
    /// Members by value; zeros between uses.
    counts: Vec<u32>,
    by_code: Vec<(u32, u32)>,
}

impl<'b, 'a, const W: usize> BlockAnnealer<'b, 'a, W> {
    pub(super) fn new(block: &'b mut RowBlock<'a, W>, chance: &'b mut SearchRng) -> Self {
        let near = NearestRows::new(&block.packed, &block.rows.prices, chance);
        BlockAnnealer {
            k: block.rows.problem.privacy.k.min(u64::from(u32::MAX)) as u32,
            quota: 0,
            looks: 0,
            moves: 0,
            leavers: Vec::new(),
            hosts: Vec::new(),
            guests: Vec::new(),
            row_seen: vec![0; block.ids.len()],
            group_seen: vec![0; block.crowds.len()],
            time: 0,
            counts: vec![0; 64 * W],
            by_code: Vec::new(),
            block,
            near,
            chance,
        }
    }

    /// Moves rows about until the task is done, or the control says stop and why.
    pub(super) fn run(&mut self, task: &AnnealingTask, control: &Control) -> Option<StopReason> {
        self.quota = task.quota;
        let mut cooling = GeometricCooling::new(task.hot, task.end / task.hot, STAIRS);
        for stair in 1..=STAIRS {
            while self.looks < task.looks / STAIRS * stair {
                if self.moves.is_multiple_of(PATIENCE)
                    && let Some(reason) = control.stop()
                {
                    return Some(reason);
                }
                self.moves += 1;
                // A move that finds nothing to do counts as a look, too.
                self.looks += 1;
                let worse_by = cooling.worse_by(self.chance);
                if self.propose() && self.block.change() <= worse_by && self.block.all_pass() {
                    self.block.keep();
                } else {
                    self.block.undo();
                }
            }
            cooling.fall();
        }
        None
    }

    /// Makes a random move; false if it cannot be finished.
    fn propose(&mut self) -> bool {
        self.leavers.clear();
        self.hosts.clear();
        let kind = self.chance.share();
        if !self.block.out.is_empty() && kind >= 1.0 - RECALL {
            let row = self.chance.of(&self.block.out);
            self.leavers.push(row);
            return self.place_leavers(OUT);
        }
        if kind < FOUND {
            return self.found();
        }
        let group = self.costly_group();
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

    fn costly_group(&mut self) -> u32 {
        let crowds = &self.block.crowds;
        let drawn = (0..DRAWN).map(|_| self.chance.below(crowds.len()));
        let costlier = |one: usize, other: usize| {
            if crowds[other].cost() > crowds[one].cost() { other } else { one }
        };
        drawn.reduce(costlier).unwrap_or(0) as u32
    }

    /// Chooses the rows to purge from a group: by an attribute, the more it costs the likelier.
    fn choose_leavers(&mut self, group: u32) {
        let mut left = self.chance.share() as f32 * self.block.crowds[group as usize].price;
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
        let (low, high) = self.block.ends_of(group, span);
        let Some(tree) = self.block.rows.prices.spans[span].tree else {
            let end = if self.chance.share() < 0.5 { low } else { high };
            self.leavers.extend(members.iter().filter(|&&row| code_of(row) == end));
            return;
        };
        self.by_code.clear();
        self.by_code.extend(members.iter().map(|&row| (code_of(row), row)));
        self.by_code.sort_unstable();
        let random = self.chance.of(&self.by_code).0;
        let keep_any = self.chance.share() >= RAREST;
        let (mut kept, mut at) = (0..0, 0);
        for child in tree.children(tree.common(low, high)) {
            let codes = tree.codes(child);
            let from = at;
            while at < self.by_code.len() && codes.contains(&self.by_code[at].0) {
                at += 1;
            }
            if if keep_any { codes.contains(&random) } else { at - from > kept.len() } {
                kept = from..at;
            }
        }
        let gone = self.by_code[..kept.start].iter().chain(&self.by_code[kept.end..]);
        self.leavers.extend(gone.map(|&(_, row)| row));
    }

    /// Takes the removed records of a group (or of suppression) to where they cost least.
    fn place_leavers(&mut self, group: u32) -> bool {
        self.chance.shuffle(&mut self.leavers);
        for at in 0..self.leavers.len() {
            let row = self.leavers[at];
            let Some(home) = self.best_home(row, group) else { return false };
            self.block.shift(row, home);
            if home != OUT && !self.hosts.contains(&home) {
                self.hosts.push(home);
            }
        }
        if group != OUT {
            self.block.refresh(group);
        }
        true
    }

    /// The group, other than one, in which a row costs least; none if there is no other nearby.
    fn best_home(&mut self, row: u32, other_than: u32) -> Option<u32> {
        let may_suppress = other_than != OUT && self.block.out.len() < self.quota;
        let mut best = (if may_suppress { 1.0 } else { f32::INFINITY }, OUT);
        let block = &*self.block;
        let mut look = |group: u32| {
            if group != other_than && block.crowds[group as usize].size > 0 {
                self.looks += 1;
                let cost = block.joining(group, row);
                if cost < best.0 {
                    best = (cost, group);
                }
            }
        };
        if block.crowds.len() <= FEW_GROUPS {
            (0..block.crowds.len() as u32).for_each(look);
        } else {
            self.time += 1;
            for &neighbour in self.near.of(row) {
                let group = block.home[neighbour as usize];
                if group != OUT && self.group_seen[group as usize] != self.time {
                    self.group_seen[group as usize] = self.time;
                    look(group);
                }
            }
        }
        best.0.is_finite().then_some(best.1)
    }

    /// Fills a group up to k with the rows that cost least; false if there are not enough.
    fn refill(&mut self, group: u32) -> bool {
        let mut asked = FRESH;
        while self.block.crowds[group as usize].size < self.k {
            if asked == FRESH {
                self.gather_guests(group);
                asked = 0;
            }
            let Some(row) = self.best_guest(group) else {
                if asked == 0 {
                    return false;
                }
                asked = FRESH;
                continue;
            };
            asked += 1;
            let home = self.block.home[row as usize];
            self.block.shift(row, group);
            if home != OUT {
                self.block.refresh(home);
                self.looks += self.block.members[home as usize].len() as u64 / 8;
            }
        }
        true
    }

    /// Finds the rows that could fill a group up.
    fn gather_guests(&mut self, group: u32) {
        self.guests.clear();
        self.time += 1;
        // Rows that this move has thrown out do not come back.
        for &row in self.leavers.iter().chain(&self.block.members[group as usize]) {
            self.row_seen[row as usize] = self.time;
        }
        let members = self.block.members[group as usize].len();
        let start = self.chance.below(members.max(1));
        for step in 0..members.min(ASKED) {
            let member = self.block.members[group as usize][(start + step) % members];
            for at in 0..self.near.of(member).len() {
                self.invite(self.near.of(member)[at], group);
            }
        }
        for host in 0..self.hosts.len() {
            let host = self.hosts[host] as usize;
            let members = self.block.members[host].len();
            let start = self.chance.below(members.max(1));
            for step in 0..members.min(HOSTED) {
                self.invite(self.block.members[host][(start + step) % members], group);
            }
        }
    }

    #[inline]
    fn invite(&mut self, row: u32, group: u32) {
        let home = self.block.home[row as usize];
        let spared = home == OUT || self.block.crowds[home as usize].size > self.k;
        if spared && self.row_seen[row as usize] != self.time {
            self.row_seen[row as usize] = self.time;
            self.looks += 1;
            self.guests.push((self.block.leaving(row) + self.block.joining(group, row), row));
        }
    }

    /// The row that costs least to take into a group now. What a row costs changes with every other that
    /// has come, so the one that seemed cheapest is looked at again until it still is.
    fn best_guest(&mut self, group: u32) -> Option<u32> {
        loop {
            let (mut at, mut least, mut next) = (0, f32::INFINITY, f32::INFINITY);
            for (index, &(cost, _)) in self.guests.iter().enumerate() {
                if cost < least {
                    (at, next, least) = (index, least, cost);
                } else if cost < next {
                    next = cost;
                }
            }
            let &(_, row) = self.guests.get(at)?;
            if !self.block.can_spare(row) {
                self.guests.swap_remove(at);
                continue;
            }
            self.looks += 1;
            let cost = self.block.leaving(row) + self.block.joining(group, row);
            if cost <= next {
                self.guests.swap_remove(at);
                return Some(row);
            }
            self.guests[at].0 = cost;
        }
    }

    /// Founds a group of rows that their groups can spare.
    fn found(&mut self) -> bool {
        let row = self.chance.below(self.block.ids.len()) as u32;
        if !self.block.can_spare(row) {
            return false;
        }
        let empty = self.block.crowds.iter().position(|crowd| crowd.size == 0);
        let group = empty.map_or_else(|| self.block.open_group(), |group| group as u32);
        self.group_seen.resize(self.block.crowds.len(), 0);
        let home = self.block.home[row as usize];
        self.block.shift(row, group);
        if home != OUT {
            self.block.refresh(home);
            self.hosts.push(home);
        }
        self.refill(group)
    }
}
