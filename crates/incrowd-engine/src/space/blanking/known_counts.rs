//! Few blanks with which every combination of values in a few columns occurs k times, a blank being a value like any other.
//!
//! Rows move between masks under annealing. A combination that fewer than k rows have costs a penalty, whether it gets
//! rows or loses its last: so blanks come together. What is still rare at the end gets further blanks, up to rows that are
//! blank throughout, and blanks that nobody needs are taken back.

use hashbrown::HashMap;

use super::BlankingContext;
use super::own_blanks::OwnBlanks;
use super::patterns::weight;
use super::search::counted;
use crate::kit::{GeometricCooling, KeyedHashState, SearchRng};
use crate::privacy::{KnownColumns, sets};
use crate::search::{Control, Event, StopReason};

/// The blanks of all rows, and how often each combination of values and blanks occurs.
pub(super) struct KnownCounts<'a> {
    ground: &'a BlankingContext<'a>,
    control: &'a Control,
    k: u32,
    /// The sets of columns, and by column in which of them it is.
    sets: Vec<Vec<usize>>,
    of_column: Vec<Vec<usize>>,
    /// By set, the rows of each combination.
    tables: Vec<CombinationTable>,
    /// The number of labels of each column, blank among them.
    sizes: Vec<u128>,
    masks: Vec<u64>,
    /// The rows that have rare combinations in the table.
    needy: Vec<u32>,
    lack: i64,
    cost: f64,
    pub(super) moves: u64,
    pub(super) stopped: Option<StopReason>,
}

/// How many rows have each combination of labels.
enum CombinationTable {
    Dense(Vec<u32>),
    Sparse(HashMap<u128, u32, KeyedHashState>),
}

/// Up to so many combinations there is a number for each.
const DENSE: u128 = 1 << 16;

/// The temperature at the beginning and at the end, in blanks of average weight.
const COOLING: (f64, f64) = (0.5, 0.05);

/// The temperature falls in so many stages, a power of two.
const STAGES: u64 = 64;

/// What a row costs that a combination has too many or too few, in blanks of average weight.
const LACKING: f64 = 2.0;

/// So many looks at a row in a set of columns are taken at most.
const LOOKS: u64 = 1_000_000_000;

/// So many rounds of blanks are made before rows that are still rare are blanked throughout.
const ROUNDS: usize = 12;

/// How often a row is tried that has no rare combination, and how often one gets the mask of another.
const OTHERS: f64 = 0.5;
const LIKE: f64 = 0.4;

impl<'a> KnownCounts<'a> {
    /// The rows with the blanks that hit their rare combinations.
    pub(super) fn new(
        ground: &'a BlankingContext<'a>,
        known: KnownColumns,
        own: &OwnBlanks,
        control: &'a Control,
    ) -> Self {
        let width = ground.columns();
        let sets = sets(width, known.columns);
        let of_column =
            |at: usize| (0..sets.len()).filter(|&set| sets[set].contains(&at)).collect();
        let domains = ground.problem.domains();
        let sizes: Vec<u128> = domains.iter().map(|&size| size as u128 + 1).collect();
        let table = |set: &Vec<usize>| {
            let number = set.iter().fold(1u128, |all, &at| all.saturating_mul(sizes[at]));
            match number <= DENSE {
                true => CombinationTable::Dense(vec![0; number as usize]),
                false => CombinationTable::Sparse(HashMap::default()),
            }
        };
        let of = |row: u32| own.first(ground.cell(row));
        let mut search = KnownCounts {
            masks: (0..ground.len() as u32).map(of).collect(),
            needy: (0..ground.len() as u32).filter(|&row| of(row) != 0).collect(),
            of_column: (0..width).map(of_column).collect(),
            tables: sets.iter().map(table).collect(),
            k: u32::try_from(known.k).unwrap_or(u32::MAX),
            lack: 0,
            cost: 0.0,
            moves: 0,
            stopped: None,
            ground,
            control,
            sets,
            sizes,
        };
        search.count();
        search
    }

    /// Searches, and returns a mask for every row with what the blanks cost.
    pub(super) fn run(mut self, steps: u64, seed: u64) -> (Vec<u64>, f64, Self) {
        // Something that holds, before anything is searched for.
        self.mend();
        self.spare();
        let mut best = (self.masks.clone(), self.cost);
        self.tell();
        self.anneal(steps, seed);
        self.mend();
        self.spare();
        if self.lack == 0 && self.cost < best.1 {
            best = (self.masks.clone(), self.cost);
            self.tell();
        }
        let cost = best.0.iter().map(|&mask| weight(&self.ground.weights, mask)).sum();
        (best.0, cost, self)
    }

    fn tell(&self) {
        if let Some(unit) = self.ground.unit {
            self.control.improved(self.cost * unit, || self.ground.masked(&self.masks));
        }
    }

    fn anneal(&mut self, steps: u64, seed: u64) {
        let mut chance = SearchRng::new(seed, 0, 0);
        let blank = self.ground.whole() / self.ground.columns() as f64;
        let looks = (self.sets.len() as u64).max(1);
        let moves = (steps * counted(self.needy.len() as u64)).min(LOOKS / looks);
        let mut cooling = GeometricCooling::new(COOLING.0 * blank, COOLING.1 / COOLING.0, STAGES);
        if self.needy.is_empty() {
            return;
        }
        for stage in 0..STAGES {
            for _ in 0..(moves / STAGES).max(u64::from(moves > 0)) {
                self.moves += 1;
                if self.moves & 0x3FF == 0 {
                    self.stopped = self.stopped.or_else(|| self.control.stop());
                    if self.stopped.is_some() {
                        return;
                    }
                }
                let row = match chance.happens(OTHERS) {
                    true => chance.below(self.ground.len()) as u32,
                    false => chance.of(&self.needy),
                };
                let (old, new) = (self.masks[row as usize], self.propose(row, &mut chance));
                if new == old {
                    continue;
                }
                let dearer = self.dearer(old, new);
                let lack = self.lack_with(row, new);
                if dearer + LACKING * blank * lack as f64 <= cooling.worse_by(&mut chance) {
                    self.give(row, new);
                }
            }
            cooling.fall();
            self.control.tell(Event::Progress((stage + 1) as f64 / STAGES as f64));
        }
    }

    fn propose(&self, row: u32, chance: &mut SearchRng) -> u64 {
        let old = self.masks[row as usize];
        if chance.happens(LIKE) {
            return self.masks[chance.of(&self.needy) as usize];
        }
        let width = self.ground.columns();
        let new = old ^ 1 << chance.below(width);
        if new > old && chance.happens(0.5) { new & !(1 << chance.below(width)) } else { new }
    }

    fn dearer(&self, old: u64, new: u64) -> f64 {
        weight(&self.ground.weights, new) - weight(&self.ground.weights, old)
    }

    /// The place of what a cell shows in a set of columns.
    fn key(&self, set: usize, cell: u32, mask: u64) -> u128 {
        let cells = &self.ground.problem.cells;
        self.sets[set].iter().fold(0u128, |key, &at| {
            let label = match mask >> at & 1 {
                1 => self.sizes[at] - 1,
                _ => u128::from(cells.code(at, cell as usize)),
            };
            key.wrapping_mul(self.sizes[at]) + label
        })
    }

    fn rows_of(&self, set: usize, key: u128) -> u32 {
        match &self.tables[set] {
            CombinationTable::Dense(rows) => rows[key as usize],
            CombinationTable::Sparse(rows) => rows.get(&key).copied().unwrap_or(0),
        }
    }

    fn put(&mut self, set: usize, key: u128, rows: u32) {
        match &mut self.tables[set] {
            CombinationTable::Dense(all) => all[key as usize] = rows,
            CombinationTable::Sparse(all) => {
                all.insert(key, rows);
            }
        }
    }

    /// What a combination costs that so many rows have: they must go, or others must come.
    fn lack_of(&self, rows: u32) -> i64 {
        if rows < self.k { i64::from(rows.min(self.k - rows)) } else { 0 }
    }

    /// Counts all combinations.
    fn count(&mut self) {
        let settled = self.ground.settled();
        for (cell, rows) in settled.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
            for set in 0..self.sets.len() {
                let key = self.key(set, cell as u32, 0);
                self.put(set, key, self.rows_of(set, key).saturating_add(rows));
            }
        }
        for row in 0..self.ground.len() as u32 {
            for set in 0..self.sets.len() {
                let key = self.key(set, self.ground.cell(row), self.masks[row as usize]);
                let rows = self.rows_of(set, key);
                self.lack += self.lack_of(rows + 1) - self.lack_of(rows);
                self.put(set, key, rows + 1);
            }
        }
        self.cost = self.masks.iter().map(|&mask| weight(&self.ground.weights, mask)).sum();
    }

    /// The sets in which a change of mask shows.
    fn shown(&self, old: u64, new: u64) -> Vec<usize> {
        let changed = (0..self.of_column.len()).filter(|at| (old ^ new) >> at & 1 == 1);
        let mut sets: Vec<usize> =
            changed.flat_map(|at| self.of_column[at].iter().copied()).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// By how much more combinations lack if a row gets another mask.
    fn lack_with(&self, row: u32, new: u64) -> i64 {
        let (old, cell) = (self.masks[row as usize], self.ground.cell(row));
        let of = |set: usize| {
            let here = self.rows_of(set, self.key(set, cell, old));
            let there = self.rows_of(set, self.key(set, cell, new));
            self.lack_of(here - 1) - self.lack_of(here) + self.lack_of(there + 1)
                - self.lack_of(there)
        };
        self.shown(old, new).into_iter().map(of).sum()
    }

    fn give(&mut self, row: u32, new: u64) {
        let (old, cell) = (self.masks[row as usize], self.ground.cell(row));
        for set in self.shown(old, new) {
            for (mask, more) in [(old, false), (new, true)] {
                let key = self.key(set, cell, mask);
                let rows = self.rows_of(set, key);
                let then = if more { rows + 1 } else { rows - 1 };
                self.lack += self.lack_of(then) - self.lack_of(rows);
                self.put(set, key, then);
            }
        }
        self.cost += self.dearer(old, new);
        self.masks[row as usize] = new;
    }

    /// The sets in which a row has a rare combination.
    fn rare(&self, row: u32) -> impl Iterator<Item = usize> + '_ {
        let (mask, cell) = (self.masks[row as usize], self.ground.cell(row));
        (0..self.sets.len())
            .filter(move |&set| self.rows_of(set, self.key(set, cell, mask)) < self.k)
    }

    /// Blanks what is in rare combinations until there are none.
    fn mend(&mut self) {
        let width = self.ground.columns();
        let whole = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let mut round = 0;
        while self.lack > 0 {
            let mut rare: Vec<(u32, u64)> = Vec::new();
            for row in 0..self.ground.len() as u32 {
                let mask = self.masks[row as usize];
                let mut times = vec![0u32; width];
                self.rare(row).for_each(|set| self.sets[set].iter().for_each(|&at| times[at] += 1));
                let open = (0..width).filter(|at| mask >> at & 1 == 0);
                // Of equals the first, so that blanks come together.
                let most = open.rev().max_by_key(|&at| times[at]).filter(|&at| times[at] > 0);
                let is_rare = times.iter().any(|&times| times > 0);
                match most.filter(|_| round < ROUNDS) {
                    Some(at) => rare.push((row, mask | 1 << at)),
                    None if is_rare && mask != whole => rare.push((row, whole)),
                    None => {}
                }
            }
            if rare.is_empty() {
                // Rows that are blank throughout are too few: the one with most blanks joins them.
                let open =
                    (0..self.ground.len() as u32).filter(|&row| self.masks[row as usize] != whole);
                let Some(next) =
                    open.max_by_key(|&row| (self.masks[row as usize].count_ones(), u32::MAX - row))
                else {
                    return;
                };
                rare.push((next, whole));
            }
            rare.into_iter().for_each(|(row, mask)| self.give(row, mask));
            round += 1;
        }
    }

    /// Takes back blanks that nobody needs, one or two of a row at a time.
    fn spare(&mut self) {
        let width = self.ground.columns();
        for row in 0..self.ground.len() as u32 {
            if self.masks[row as usize] == 0 {
                continue;
            }
            for one in 0..width {
                for two in one..width {
                    let mask = self.masks[row as usize];
                    let less = mask & !(1 << one) & !(1 << two);
                    let both = mask >> one & mask >> two & 1 == 1;
                    if both && self.lack_with(row, less) == 0 {
                        self.give(row, less);
                    }
                }
            }
        }
    }
}
