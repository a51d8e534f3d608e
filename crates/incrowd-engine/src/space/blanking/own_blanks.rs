//! The blanks that each row needs by itself, whatever other rows have.
//!
//! Where all columns are looked at together, these are its cheapest patterns. Where somebody knows a few columns, a row
//! needs a blank in every combination of values that fewer than k rows of the table have: the cheapest columns that hit
//! all of these combinations.

use super::marginal_drift::MarginalDrift;
use super::patterns::weight;
use super::{BlankingContext, SuppressionPatterns};
use crate::privacy::{KnownColumns, LabelTable, sets};
use crate::search::Control;

/// What the cells need by themselves.
pub(super) struct OwnBlanks {
    /// By cell what its blanks cost.
    pub(super) least: Vec<f64>,
    /// By cell the columns to blank, equally cheap ones side by side.
    choices: Vec<Vec<u64>>,
}

/// So many equally cheap choices are kept of each cell.
const CHOICES: usize = 64;

/// Up to so many columns all masks are looked at for those that hit all rare combinations.
const COLUMNS: usize = 12;

/// So many branches are gone into for the cheapest columns of a cell of a wider table.
const BRANCHES: u32 = 20_000;

/// So many rounds are made over the rows to choose among equally cheap blanks.
const ROUNDS: usize = 3;

impl OwnBlanks {
    /// With crowds in all columns together: those of the cheapest patterns.
    pub(super) fn of_patterns(patterns: &SuppressionPatterns, cells: usize) -> Self {
        let cost = |pattern: u32| patterns.costs[pattern as usize];
        let of = |cell: u32| {
            let all = patterns.of(cell);
            let least = all.first().map_or(0.0, |&pattern| cost(pattern));
            let cheap = all.iter().take_while(|&&it| cost(it) <= least + slack(least));
            (least, cheap.take(CHOICES).map(|&it| patterns.masks[it as usize]).collect())
        };
        let (least, choices) = (0..cells as u32).map(of).unzip();
        OwnBlanks { least, choices }
    }

    /// With crowds in every set of a few columns.
    pub(super) fn of_known(
        ground: &BlankingContext<'_>,
        known: KnownColumns,
        control: &Control,
    ) -> Self {
        let rare = rare_combinations(ground, known);
        let (width, weights) = (ground.columns(), &ground.weights);
        let mut ladder: Vec<(f64, u64)> = match width <= COLUMNS {
            true => (0..1u64 << width).map(|mask| (weight(weights, mask), mask)).collect(),
            false => Vec::new(),
        };
        ladder.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let of = |rare: &Vec<u64>| -> (f64, Vec<u64>) {
            if rare.is_empty() {
                return (0.0, vec![0]);
            }
            let hits = |mask: u64| rare.iter().all(|set| set & mask != 0);
            if let Some(at) = ladder.iter().position(|&(_, mask)| hits(mask)) {
                let least = ladder[at].0;
                let equal = ladder[at..].iter().take_while(|it| it.0 <= least + slack(least));
                let choices = equal.map(|it| it.1).filter(|&mask| hits(mask)).take(CHOICES);
                return (least, choices.collect());
            }
            let mut search = HittingSearch { rare, weights, best: None, left: BRANCHES };
            if control.stop().is_some() {
                search.left = width as u32;
            }
            search.descend(0, 0.0);
            let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
            let (least, mask) = search.best.unwrap_or((ground.whole(), all));
            (least, vec![mask])
        };
        let (least, choices) = rare.iter().map(of).unzip();
        OwnBlanks { least, choices }
    }

    /// The columns to blank for a cell, one choice among equals.
    pub(super) fn first(&self, cell: u32) -> u64 {
        self.choices[cell as usize].first().copied().unwrap_or(0)
    }

    /// The equally cheap choices of a cell.
    pub(super) fn of(&self, cell: u32) -> &[u64] {
        &self.choices[cell as usize]
    }

    /// A mask for every row. Among equally cheap ones those are chosen that keep the distribution of each column's values.
    pub(super) fn masks(
        &self,
        ground: &BlankingContext<'_>,
        drift: &mut MarginalDrift<'_>,
        control: &Control,
    ) -> Vec<u64> {
        let mut masks: Vec<u64> =
            (0..ground.len() as u32).map(|row| self.first(ground.cell(row))).collect();
        for (row, &mask) in masks.iter().enumerate() {
            drift.shift(ground.cell(row as u32), 0, mask);
        }
        for _ in 0..ROUNDS {
            if control.stop().is_some() {
                break;
            }
            let mut moved = false;
            for (row, mask) in masks.iter_mut().enumerate() {
                let cell = ground.cell(row as u32);
                let evener = |&other: &u64| (drift.change(cell, *mask, other), other);
                let best = self.of(cell).iter().map(evener).min_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((change, better)) = best
                    && change < -1e-12
                {
                    drift.shift(cell, *mask, better);
                    *mask = better;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        masks
    }
}

/// What rounding may do to a cost.
fn slack(cost: f64) -> f64 {
    1e-9 * (1.0 + cost)
}

/// By cell the sets of columns in which too few rows have its values, without those that hold another.
fn rare_combinations(ground: &BlankingContext<'_>, known: KnownColumns) -> Vec<Vec<u64>> {
    let (cells, width) = (&ground.problem.cells, ground.columns());
    let labels = |at: usize| (0..cells.len()).map(|cell| cells.code(at, cell)).collect();
    let table = LabelTable {
        labels: (0..width).map(labels).collect(),
        sizes: ground.problem.domains(),
        counts: cells.counts().to_vec(),
    };
    let mut rare: Vec<Vec<u64>> = vec![Vec::new(); cells.len()];
    // Small sets first: what holds a rare one is hit with it.
    for size in 1..=known.columns.min(width) {
        let sets = sets(width, size);
        for (set, items) in sets.iter().zip(table.all_small(&sets, known.k)) {
            let mask: u64 = set.iter().map(|&at| 1u64 << at).sum();
            for item in items {
                let found = &mut rare[item as usize];
                if found.iter().all(|&part| part & !mask != 0) {
                    found.push(mask);
                }
            }
        }
    }
    rare
}

/// The cheapest columns that hit all of some sets: the first set that is not hit yet is branched on.
struct HittingSearch<'a> {
    rare: &'a [u64],
    weights: &'a [f64],
    best: Option<(f64, u64)>,
    left: u32,
}

impl HittingSearch<'_> {
    fn descend(&mut self, mask: u64, cost: f64) {
        if self.best.is_some_and(|(best, _)| cost >= best - slack(best)) {
            return;
        }
        let Some(&open) = self.rare.iter().find(|&&set| set & mask == 0) else {
            self.best = Some((cost, mask));
            return;
        };
        // Without branches left the first way down is taken to its end.
        if self.left == 0 && self.best.is_some() {
            return;
        }
        self.left = self.left.saturating_sub(1);
        let hit = |at: usize| {
            self.rare.iter().filter(|&&set| set & mask == 0 && set >> at & 1 == 1).count()
        };
        let worth = |at: usize| hit(at) as f64 / self.weights[at];
        let columns = (0..self.weights.len()).filter(|at| open >> at & 1 == 1);
        let mut columns: Vec<(f64, usize)> = columns.map(|at| (worth(at), at)).collect();
        columns.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, at) in columns {
            self.descend(mask | 1 << at, cost + self.weights[at]);
        }
    }
}
