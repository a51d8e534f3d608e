//! Combinations of values that too few rows share.

use std::cmp::Reverse;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::{ArgusRows, BLANKED, StopResult};
use crate::kit::{KeyedHashState, words};
use crate::problem::Problem;
use crate::search::{Control, Event};
use crate::value::ArgusSet;

/// Combinations are tested in batches of as many as a word has bits.
const BATCH: usize = 64;

/// The outlying combinations of every distinct row.
pub(super) struct OutlyingCombinations {
    /// The tested combinations of columns, each ascending.
    combinations: Vec<Vec<usize>>,
    /// For each batch of combinations and each cell a bit for each combination in which it is outlying.
    words: Vec<Vec<u64>>,
    /// For each column, in how many outlying combinations its values are, over all rows.
    involved: Vec<u64>,
    /// How many outlying combinations there are over all rows.
    total: u64,
}

/// The pairs with a column in Most or More, then the triples with one in Most and a second in Most or More.
fn tested(sets: &[ArgusSet]) -> Vec<Vec<usize>> {
    let most = |at: usize| sets[at] == ArgusSet::Most;
    let marked = |at: usize| sets[at] != ArgusSet::Identifying;
    let width = sets.len();
    let pairs = (0..width).flat_map(|a| (a + 1..width).map(move |b| vec![a, b]));
    let triples = (0..width)
        .flat_map(|a| (a + 1..width).flat_map(move |b| (b + 1..width).map(move |c| vec![a, b, c])));
    pairs
        .filter(|pair| pair.iter().any(|&at| marked(at)))
        .chain(triples.filter(|triple| {
            triple.iter().any(|&at| most(at))
                && triple.iter().filter(|at| marked(**at)).count() >= 2
        }))
        .collect()
}

/// Tests all combinations of the rows.
pub(super) fn outliers(
    problem: &Problem,
    rows: &ArgusRows,
    sets: &[ArgusSet],
    control: &Control,
) -> StopResult<OutlyingCombinations> {
    let combinations = tested(sets);
    let mut found = OutlyingCombinations {
        words: Vec::new(),
        involved: vec![0; sets.len()],
        total: 0,
        combinations: Vec::new(),
    };
    let batches = combinations.len().div_ceil(BATCH);
    for (at, batch) in combinations.chunks(BATCH).enumerate() {
        if let Some(reason) = control.stop() {
            return Err(reason);
        }
        let outlying: Vec<Vec<u32>> =
            batch.par_iter().map(|columns| outlying_cells(problem, rows, columns)).collect();
        let mut words = vec![0u64; problem.cells.len()];
        for (bit, (cells, columns)) in outlying.iter().zip(batch).enumerate() {
            let mut times = 0;
            for &cell in cells {
                words[cell as usize] |= 1 << bit;
                times += problem.cells.counts()[cell as usize];
            }
            found.total += times;
            for &column in columns {
                found.involved[column] += times;
            }
        }
        found.words.push(words);
        control.tell(Event::Progress((at + 1) as f64 / batches as f64));
    }
    found.combinations = combinations;
    Ok(found)
}

/// The cells whose values of these columns fewer than k rows share. Blank values are in no combination.
fn outlying_cells(problem: &Problem, rows: &ArgusRows, columns: &[usize]) -> Vec<u32> {
    let mut times: HashMap<[u32; 3], u64, KeyedHashState> = HashMap::default();
    let key = |cell: usize| {
        let ids = rows.of(cell);
        let mut key = [BLANKED; 3];
        for (key, &column) in key.iter_mut().zip(columns) {
            *key = ids[column];
        }
        columns.iter().all(|&column| ids[column] != BLANKED).then_some(key)
    };
    for (cell, &count) in problem.cells.counts().iter().enumerate() {
        if let Some(key) = key(cell) {
            *times.entry(key).or_default() += count;
        }
    }
    let rare = |&cell: &usize| key(cell).is_some_and(|key| times[&key] < problem.privacy.k);
    (0..problem.cells.len()).filter(rare).map(|cell| cell as u32).collect()
}

impl OutlyingCombinations {
    /// How many combinations of columns were tested.
    pub(super) fn combinations(&self) -> usize {
        self.combinations.len()
    }

    /// The column in most outlying combinations among those that may be generalized, if it is in any.
    pub(super) fn most_involved(
        &self,
        sets: &[ArgusSet],
        may: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        (0..sets.len())
            .filter(|&at| may(at) && self.involved[at] > 0)
            .min_by_key(|&at| (Reverse(self.involved[at]), sets[at], at))
    }

    /// What was tested and found: what a user needs to decide on a column to generalize.
    pub(super) fn in_words(&self, problem: &Problem) -> String {
        let tested =
            words::count(self.combinations() as u64, "pair and triple", "pairs and triples");
        if self.total == 0 {
            return format!("{tested} of columns tested, no combination of values is outlying");
        }
        let mut order: Vec<usize> = (0..self.involved.len()).collect();
        order.sort_by_key(|&at| (Reverse(self.involved[at]), at));
        let columns: Vec<String> = order
            .iter()
            .filter(|&&at| self.involved[at] > 0)
            .map(|&at| {
                let name = &problem.attributes[at].name;
                format!("{name} in {}", words::thousands(self.involved[at]))
            })
            .collect();
        format!(
            "{tested} of columns tested, {} of values over all rows: {}",
            words::count(self.total, "outlying combination", "outlying combinations"),
            columns.join(", ")
        )
    }

    /// Blanks values of every row until none of its outlying combinations is whole.
    pub(super) fn suppress(&self, rows: &mut ArgusRows, sets: &[ArgusSet]) {
        let width = rows.width();
        rows.ids.par_chunks_mut(width).enumerate().for_each(|(cell, ids)| {
            let mut open: Vec<&[usize]> = self.of(cell).collect();
            while !open.is_empty() {
                let mut involved = vec![0u32; width];
                for &column in open.iter().copied().flatten() {
                    involved[column] += 1;
                }
                let worst = (0..width).min_by_key(|&at| (Reverse(involved[at]), sets[at], at));
                let Some(worst) = worst else { return };
                ids[worst] = BLANKED;
                open.retain(|columns| !columns.contains(&worst));
            }
        });
    }

    /// The outlying combinations of a cell.
    fn of(&self, cell: usize) -> impl Iterator<Item = &[usize]> {
        self.words.iter().enumerate().flat_map(move |(batch, words)| {
            let word = words[cell];
            (0..BATCH)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| self.combinations[batch * BATCH + bit].as_slice())
        })
    }
}
