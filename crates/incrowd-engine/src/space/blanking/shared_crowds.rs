//! Few blanks where other rows' blanks count: annealing over the blanks of all rows that need some.
//!
//! A blank helps two ways: its row may be the same as more rows, and stands in the crowds of more rows. No row gets dearer
//! blanks than it needs by itself, so no row is blanked for the others' sake alone. A move gives a row other blanks. What
//! the crowds then lack costs a penalty; the rows that lack something at the end get the blanks that they need by
//! themselves, with which a row has its crowd whatever the others do.

use super::BlankingContext;
use super::crowd_rule::CrowdRule;
use super::marginal_drift::MarginalDrift;
use super::own_blanks::OwnBlanks;
use super::patterns::weight;
use super::search::counted;
use super::settled_crowds::{SettledCrowds, sum_within};
use crate::kit::{GeometricCooling, SearchRng};
use crate::search::{Control, Event, StopReason};

/// Blanks of all rows that give every row its crowd, together.
pub(super) struct SharedCrowds<'a> {
    ground: &'a BlankingContext<'a>,
    rule: &'a CrowdRule,
    own: &'a OwnBlanks,
    control: &'a Control,
    drift: MarginalDrift<'a>,
    chance: SearchRng,
    k: i32,
    /// The rows that need blanks.
    rows: Vec<u32>,
    /// Their codes, by column.
    codes: Vec<Vec<u32>>,
    settled: SettledCrowds,
    /// All masks by cost, in tables that are not too wide.
    ladder: Vec<(f64, u32)>,
    /// The columns of each set, and their complements.
    sets: Vec<u32>,
    all: u32,
    masks: Vec<u32>,
    /// By row and set how many rows are the same.
    crowds: Vec<i32>,
    /// By row what the set lacks that lacks most.
    short: Vec<i32>,
    lack: i64,
    cost: f64,
    /// Scratch: the columns in which the rows differ from one; the crowds of that one; rows by where they differ.
    differ: Vec<u32>,
    mine: Vec<i32>,
    tally: Vec<i32>,
    pub(super) moves: u64,
    pub(super) stopped: Option<StopReason>,
}

/// Up to so many columns any mask may be chosen, and crowds in sets of columns are counted.
const COLUMNS: usize = 12;

/// Tables up to this width are searched at all.
const WIDEST: usize = 32;

/// The temperature at the beginning and at the end, in blanks of average weight.
const COOLING: (f64, f64) = (0.5, 0.05);

/// The temperature falls in so many stages, a power of two.
const STAGES: u64 = 64;

/// What a row costs for everybody that its crowd lacks, in blanks of average weight.
const LACKING: f64 = 2.0;

/// So many looks at a row and a set are taken at most: in a large table there are fewer moves for each row.
const LOOKS: u64 = 5_000_000_000;

/// How often any mask is tried, rather than a change by a column or two.
const ANY: f64 = 0.3;

impl<'a> SharedCrowds<'a> {
    /// The rows with the blanks that they need by themselves. None where there is nothing to search, or too much.
    pub(super) fn new(
        ground: &'a BlankingContext<'a>,
        rule: &'a CrowdRule,
        own: &'a OwnBlanks,
        drift: MarginalDrift<'a>,
        masks: &[u64],
        control: &'a Control,
    ) -> Option<Self> {
        let width = ground.columns();
        let needs = |row: &u32| own.least[ground.cell(*row) as usize] > 0.0;
        let rows: Vec<u32> = (0..ground.len() as u32).filter(needs).collect();
        let counts = width <= COLUMNS || rule.is_whole();
        let k = i32::try_from(rule.k).ok().filter(|&k| k < 1 << 29)?;
        if rows.is_empty() || width > WIDEST || !counts {
            return None;
        }
        let all = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
        let needy = |cell: usize| own.least[cell] > 0.0;
        let settled = SettledCrowds::new(&ground.problem.cells, width, needy, rule.is_whole())?;
        let mut ladder: Vec<(f64, u32)> = match width <= COLUMNS {
            true => (0..=all).map(|mask| (weight(&ground.weights, mask.into()), mask)).collect(),
            false => Vec::new(),
        };
        ladder.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let code = |at: usize| rows.iter().map(move |&row| ground.code(at, row));
        let codes = (0..width).map(|at| code(at).collect()).collect();
        let sets: Vec<u32> = rule.sets.iter().map(|&set| set as u32).collect();
        let tally = if rule.is_whole() { 0 } else { 1 << width };
        let mut search = SharedCrowds {
            masks: rows.iter().map(|&row| masks[row as usize] as u32).collect(),
            crowds: vec![0; rows.len() * sets.len()],
            short: vec![0; rows.len()],
            differ: vec![0; rows.len()],
            mine: vec![0; sets.len()],
            tally: vec![0; tally],
            chance: SearchRng::new(1, 0, 0),
            cost: 0.0,
            lack: 0,
            moves: 0,
            stopped: None,
            ground,
            rule,
            own,
            control,
            drift,
            k,
            rows,
            codes,
            settled,
            ladder,
            sets,
            all,
        };
        search.count();
        Some(search)
    }

    /// Searches, and returns a mask for every row with what the blanks cost.
    pub(super) fn run(mut self, steps: u64, seed: u64) -> (Vec<u64>, f64, Self) {
        self.chance = SearchRng::new(seed, 0, 0);
        let mut best = (self.masks.clone(), self.cost);
        let blank = self.ground.whole() / self.ground.columns() as f64;
        let number = self.rows.len() as u64;
        let looks = (number * self.sets.len() as u64).max(1);
        let moves = (steps * counted(number)).min(LOOKS / looks);
        // With few moves for each row there is no time to lose blanks first and win them back.
        let hot = if moves < 8 * number { COOLING.1 } else { COOLING.0 };
        let mut cooling = GeometricCooling::new(hot * blank, COOLING.1 / hot, STAGES);
        for stage in 0..STAGES {
            for _ in 0..(moves / STAGES).max(u64::from(moves > 0)) {
                self.moves += 1;
                if self.moves & 0xFF == 0 {
                    self.stopped = self.stopped.or_else(|| self.control.stop());
                    if self.stopped.is_some() {
                        break;
                    }
                }
                self.step(&cooling, LACKING * blank);
            }
            cooling.fall();
            self.note(&mut best);
            if self.stopped.is_some() {
                break;
            }
            self.control.tell(Event::Progress((stage + 1) as f64 / STAGES as f64));
        }
        self.mend();
        self.spare();
        self.note(&mut best);
        let mut masks = vec![0; self.ground.len()];
        for (&row, &mask) in self.rows.iter().zip(&best.0) {
            masks[row as usize] = mask.into();
        }
        let cost = best.0.iter().map(|&mask| weight(&self.ground.weights, mask.into())).sum();
        (masks, cost, self)
    }

    /// Remembers the masks if they are the cheapest so far with which no crowd lacks anybody.
    fn note(&mut self, best: &mut (Vec<u32>, f64)) {
        if self.lack > 0 || self.cost >= best.1 - 1e-9 * (1.0 + best.1) {
            return;
        }
        *best = (self.masks.clone(), self.cost);
        if let Some(unit) = self.ground.unit {
            self.control.improved(self.cost * unit, || {
                let mut masks = vec![0; self.ground.len()];
                for (&row, &mask) in self.rows.iter().zip(&self.masks) {
                    masks[row as usize] = mask.into();
                }
                self.ground.masked(&masks)
            });
        }
    }

    /// Counts all crowds.
    fn count(&mut self) {
        let sets = self.sets.len();
        for row in 0..self.rows.len() {
            self.compare(row);
            self.count_of(row, self.masks[row]);
            self.crowds[row * sets..(row + 1) * sets].copy_from_slice(&self.mine);
            self.short[row] = short(&self.mine, self.k);
        }
        self.lack = self.short.iter().map(|&short| i64::from(short)).sum();
        self.cost = self.masks.iter().map(|&mask| weight(&self.ground.weights, mask.into())).sum();
    }

    /// Finds the columns in which each row differs from one.
    fn compare(&mut self, row: usize) {
        self.differ.fill(0);
        for (at, codes) in self.codes.iter().enumerate() {
            let code = codes[row];
            for (differ, &other) in self.differ.iter_mut().zip(codes) {
                *differ |= u32::from(other != code) << at;
            }
        }
    }

    /// Counts the crowds of a row with a mask, after [`compare`](Self::compare).
    fn count_of(&mut self, row: usize, mask: u32) {
        let cell = self.ground.cell(self.rows[row]);
        let apart =
            self.differ.iter().zip(&self.masks).map(|(&differ, &theirs)| differ & !theirs & !mask);
        if self.rule.is_whole() {
            let same: i32 = apart.map(|apart| i32::from(apart == 0)).sum();
            self.mine[0] = same + self.settled.same(cell, mask, self.all);
            return;
        }
        self.tally.fill(0);
        apart.for_each(|apart| self.tally[apart as usize] += 1);
        sum_within(&mut self.tally, self.codes.len());
        for (mine, &set) in self.mine.iter_mut().zip(&self.sets) {
            let other = self.all & !set;
            *mine = self.tally[other as usize] + self.settled.same(cell, mask, set);
        }
    }

    /// By how much more the crowds of others lack if a row gets another mask.
    fn lack_of_others(&mut self, row: usize, new: u32) -> i64 {
        let old = self.masks[row];
        let rows = self.differ.iter().zip(&self.masks).enumerate();
        let mut more = 0i64;
        if self.rule.is_whole() {
            for (other, (&differ, &theirs)) in rows {
                let apart = differ & !theirs;
                let change = i32::from(apart & !new == 0) - i32::from(apart & !old == 0);
                let crowd = self.crowds[other];
                let lack = (self.k - crowd - change).max(0) - (self.k - crowd).max(0);
                more += i64::from(if other == row { 0 } else { lack });
            }
            return more;
        }
        let sets = self.sets.len();
        for (other, (&differ, &theirs)) in rows {
            let (before, after) = (differ & !theirs & !old, differ & !theirs & !new);
            if before == after || other == row {
                continue;
            }
            let crowds = &self.crowds[other * sets..(other + 1) * sets];
            let mut worst = 0;
            for (&crowd, &set) in crowds.iter().zip(&self.sets) {
                let change = i32::from(after & set == 0) - i32::from(before & set == 0);
                worst = worst.max(self.k - crowd - change);
            }
            more += i64::from(worst - self.short[other]);
        }
        more
    }

    /// Gives a row another mask, after [`compare`](Self::compare) and [`count_of`](Self::count_of) for it.
    fn give(&mut self, row: usize, new: u32) {
        let (old, sets) = (self.masks[row], self.sets.len());
        for other in 0..self.rows.len() {
            let apart = self.differ[other] & !self.masks[other];
            let (before, after) = (apart & !old, apart & !new);
            if before == after || other == row {
                continue;
            }
            let crowds = &mut self.crowds[other * sets..(other + 1) * sets];
            for (crowd, &set) in crowds.iter_mut().zip(&self.sets) {
                *crowd += i32::from(after & set == 0) - i32::from(before & set == 0);
            }
            let now = short(crowds, self.k);
            self.lack += i64::from(now - self.short[other]);
            self.short[other] = now;
        }
        self.crowds[row * sets..(row + 1) * sets].copy_from_slice(&self.mine);
        let now = short(&self.mine, self.k);
        self.lack += i64::from(now - self.short[row]);
        self.short[row] = now;
        self.masks[row] = new;
        self.cost += self.dearer(old, new);
        self.drift.shift(self.ground.cell(self.rows[row]), old.into(), new.into());
    }

    fn dearer(&self, old: u32, new: u32) -> f64 {
        let weights = &self.ground.weights;
        weight(weights, new.into()) - weight(weights, old.into())
    }

    fn least(&self, row: usize) -> f64 {
        let least = self.own.least[self.ground.cell(self.rows[row]) as usize];
        least + 1e-9 * (1.0 + least)
    }

    /// Another mask for a row, no dearer than what it needs by itself.
    fn propose(&mut self, row: usize) -> u32 {
        let (old, least) = (self.masks[row], self.least(row));
        if self.chance.happens(ANY) {
            if self.ladder.is_empty() {
                return self.chance.of(self.own.of(self.ground.cell(self.rows[row]))) as u32;
            }
            let cheap = self.ladder.partition_point(|&(cost, _)| cost <= least);
            return self.ladder[self.chance.below(cheap)].1;
        }
        let width = self.codes.len();
        let mut new = old ^ 1 << self.chance.below(width);
        let dear = weight(&self.ground.weights, new.into()) > least;
        if dear || (new > old && self.chance.happens(0.5)) {
            let other = 1 << self.chance.below(width);
            if old & other != 0 {
                new &= !other;
            }
        }
        let dear = weight(&self.ground.weights, new.into()) > least;
        if dear { old } else { new }
    }

    fn step(&mut self, cooling: &GeometricCooling, lacking: f64) {
        let row = self.chance.below(self.rows.len());
        let (old, new) = (self.masks[row], self.propose(row));
        if new == old {
            return;
        }
        let allowed = cooling.worse_by(&mut self.chance);
        let cell = self.ground.cell(self.rows[row]);
        let dearer = self.dearer(old, new) + self.drift.change(cell, old.into(), new.into());
        self.compare(row);
        self.count_of(row, new);
        let lack = i64::from(short(&self.mine, self.k) - self.short[row]);
        if dearer + lacking * lack as f64 > allowed + lacking * self.lack as f64 {
            return;
        }
        let lack = lack + self.lack_of_others(row, new);
        if dearer + lacking * lack as f64 <= allowed {
            self.give(row, new);
        }
    }

    /// Gives every row whose crowd lacks somebody the blanks that it needs by itself. Others may lack somebody then, but
    /// each row gets them once at most.
    fn mend(&mut self) {
        while self.lack > 0 {
            for row in 0..self.rows.len() {
                if self.short[row] > 0 {
                    let own = self.own.first(self.ground.cell(self.rows[row])) as u32;
                    self.compare(row);
                    self.count_of(row, own);
                    self.give(row, own);
                }
            }
        }
    }

    /// Takes back blanks that nobody needs, dearest columns first.
    fn spare(&mut self) {
        let mut order: Vec<usize> = (0..self.codes.len()).collect();
        let weights = &self.ground.weights;
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        for row in 0..self.rows.len() {
            if row & 0xF == 0 {
                self.stopped = self.stopped.or_else(|| self.control.stop());
            }
            if self.stopped.is_some() {
                return;
            }
            if self.masks[row] == 0 {
                continue;
            }
            self.compare(row);
            for &at in &order {
                let new = self.masks[row] & !(1 << at);
                if new == self.masks[row] {
                    continue;
                }
                self.count_of(row, new);
                if short(&self.mine, self.k) == 0 && self.lack_of_others(row, new) == 0 {
                    self.give(row, new);
                }
            }
        }
    }
}

/// What the smallest crowd lacks.
fn short(crowds: &[i32], k: i32) -> i32 {
    crowds.iter().map(|&crowd| k - crowd).max().unwrap_or(0).max(0)
}
