//! What a release loses by subgroup: for each value of a column the penalty, the suppressed share and the class size.
//!
//! **What it does**: a release that keeps much on the whole may keep little of a minority. Of the rows with a value it tells
//! the mean certainty penalty (a suppressed row pays 1), how many are suppressed, and the mean size of the class that the
//! others stand in. Values of fewer than k rows are left out, and numbers of suppressed rows from 1 to k - 1 are not told.

use incrowd_engine::cost::certainty_penalty;
use incrowd_engine::release::{ClassAssignment, EquivalenceClasses};
use incrowd_engine::value::Domain;
use incrowd_engine::{Problem, Release};
use serde::Serialize;

use super::column::AnalysisColumn;
use super::{AnalysisTable, finite};

/// A column whose values are looked at without being asked for has at most so many.
const VALUES: usize = 20;

/// The loss by value of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubgroupLoss {
    /// The column.
    pub column: String,
    /// Whether the value of every row is known. If not, a label stands for its values as frequent as these are in the original,
    /// and nothing is told of suppressed rows.
    pub exact: bool,
    /// Its values in their order.
    pub values: Vec<SubgroupValue>,
}

/// The loss of the rows with a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubgroupValue {
    /// The value; empty where there is none.
    pub value: String,
    /// How many rows have it.
    pub rows: u64,
    /// How many of them are suppressed; none where it is not told.
    pub suppressed: Option<u64>,
    /// The same as a share.
    pub suppressed_share: Option<f64>,
    /// The mean certainty penalty, from 0 to 1.
    pub gcp: Option<f64>,
    /// The mean size of the class of a released row.
    pub mean_class_size: Option<f64>,
}

/// Sums over the rows with each value of a column.
#[derive(Debug, Clone)]
struct SubgroupSums {
    rows: Vec<f64>,
    released: Vec<f64>,
    penalty: Vec<f64>,
    sizes: Vec<f64>,
}

impl SubgroupSums {
    fn of(values: usize) -> Self {
        let zero = vec![0.0; values];
        SubgroupSums {
            rows: zero.clone(),
            released: zero.clone(),
            penalty: zero.clone(),
            sizes: zero,
        }
    }

    /// Adds released rows with a value.
    fn release(&mut self, code: u32, rows: f64, penalty: f64, size: f64) {
        let code = code as usize;
        self.released[code] += rows;
        self.penalty[code] += rows * penalty;
        self.sizes[code] += rows * size;
    }

    /// What is told of the values that at least so many rows have.
    fn told(
        &self,
        column: &str,
        label: impl Fn(usize) -> String,
        exact: bool,
        least: u64,
    ) -> SubgroupLoss {
        let value = |code: usize| {
            let rows = self.rows[code].round() as u64;
            if rows < least.max(1) {
                return None;
            }
            let released = self.released[code];
            let suppressed = rows.saturating_sub(released.round() as u64);
            let told = Some(suppressed).filter(|&n| exact && (n == 0 || n >= least));
            let paid = if exact { (rows as f64 - released).max(0.0) } else { 0.0 };
            Some(SubgroupValue {
                value: label(code),
                rows,
                suppressed: told,
                suppressed_share: told.map(|number| number as f64 / rows as f64),
                gcp: finite((self.penalty[code] + paid) / (released + paid)),
                mean_class_size: finite(self.sizes[code] / released),
            })
        };
        let values = (0..self.rows.len()).filter_map(value).collect();
        SubgroupLoss { column: column.to_owned(), exact, values }
    }
}

/// The loss by value of the columns that are asked for, or of those with few values, from a table and its release.
pub(super) fn of_table(table: &AnalysisTable, asked: &[String], least: u64) -> Vec<SubgroupLoss> {
    let looks = &table.looks[1];
    let (penalties, sizes) = (penalties(table), class_sizes(table));
    let wanted = |(_, column): &(usize, &AnalysisColumn)| match asked {
        [] => has_few_values(&column.counts()),
        asked => asked.contains(&column.name),
    };
    let of = |(at, column): (usize, &AnalysisColumn)| {
        let counts = column.counts();
        let mut sums = SubgroupSums::of(counts.len());
        sums.rows = counts.iter().map(|&count| count as f64).collect();
        // The values of a label, as frequent as in the original; those of a blank are of the whole column.
        let held: Vec<Vec<(u32, f64)>> = column
            .shown
            .iter()
            .map(|label| {
                let mut codes: Vec<u32> = label.codes().collect();
                if codes.is_empty() {
                    codes = (0..counts.len() as u32).collect();
                }
                let all: u64 = codes.iter().map(|&code| counts[code as usize]).sum();
                let share = |code: u32| counts[code as usize] as f64 / all.max(1) as f64;
                let held = codes.into_iter().map(|code| (code, share(code)));
                held.filter(|(_, share)| *share > 0.0).collect()
            })
            .collect();
        let exact = column.shown.iter().all(|label| label.codes().count() == 1);
        for (look, label) in looks.column(at).enumerate() {
            for &(code, share) in &held[label as usize] {
                sums.release(code, share * looks.rows[look], penalties[look], sizes[look]);
            }
        }
        sums.told(&column.name, |code| column.labels[code].clone(), exact, least)
    };
    table.columns.iter().enumerate().filter(wanted).map(of).collect()
}

/// The mean penalty of the quasi-identifiers of every distinct row of a release.
fn penalties(table: &AnalysisTable) -> Vec<f64> {
    let looks = &table.looks[1];
    let priced = || {
        table.columns.iter().enumerate().filter_map(|(at, column)| {
            let (weight, prices) = column.penalties.as_ref()?;
            Some((at, *weight, prices))
        })
    };
    let total: f64 = priced().map(|(_, weight, _)| weight).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut sums = vec![0.0; looks.len()];
    for (at, weight, prices) in priced() {
        for (sum, label) in sums.iter_mut().zip(looks.column(at)) {
            *sum += weight * prices[label as usize] / total;
        }
    }
    sums
}

/// The size of the class of every distinct row of a release.
fn class_sizes(table: &AnalysisTable) -> Vec<f64> {
    let looks = &table.looks[1];
    let quasi: Vec<usize> =
        (0..table.columns.len()).filter(|&at| table.columns[at].penalties.is_some()).collect();
    let key = |look: usize| -> Vec<u32> { quasi.iter().map(|&at| looks.ids(look)[at]).collect() };
    let mut sizes = std::collections::BTreeMap::<Vec<u32>, f64>::new();
    for look in 0..looks.len() {
        *sizes.entry(key(look)).or_default() += looks.rows[look];
    }
    (0..looks.len()).map(|look| sizes[&key(look)]).collect()
}

fn has_few_values(counts: &[u64]) -> bool {
    (2..=VALUES).contains(&counts.iter().filter(|count| **count > 0).count())
}

/// The loss by value of the quasi-identifiers, and of these target columns, of a release that was just made.
pub fn subgroup_losses(
    problem: &Problem,
    release: &Release,
    targets: &[&str],
    least: u64,
) -> Vec<SubgroupLoss> {
    let sums = SumsByColumn::of_release(problem, release);
    let attributes = problem.attributes.iter().map(|it| (it.name.as_str(), &it.domain));
    let of_targets = problem.targets.columns.iter().map(|it| (it.name.as_str(), &it.domain));
    let few = |sums: &SubgroupSums| {
        has_few_values(&sums.rows.iter().map(|&rows| rows as u64).collect::<Vec<_>>())
    };
    let told = |((name, domain), sums): ((&str, &Domain), &SubgroupSums)| {
        sums.told(name, |code| domain.label(code as u32).to_owned(), true, least)
    };
    let quasi = attributes.zip(&sums.attributes);
    let others = of_targets.zip(&sums.targets).filter(|((name, _), _)| targets.contains(name));
    quasi.chain(others).filter(|(_, sums)| few(sums)).map(told).collect()
}

/// Sums over the rows of a problem, by value of every column.
struct SumsByColumn {
    attributes: Vec<SubgroupSums>,
    targets: Vec<SubgroupSums>,
}

impl SumsByColumn {
    fn of_release(problem: &Problem, release: &Release) -> Self {
        let classes = &release.classes;
        let penalties = class_penalties(problem, classes);
        let fate = |class: u32| {
            let class = class as usize;
            let kept = classes.released.get(class).is_some_and(|released| *released);
            kept.then(|| (penalties[class], classes.sizes[class] as f64))
        };
        let mut found = SumsByColumn {
            attributes: problem
                .attributes
                .iter()
                .map(|it| SubgroupSums::of(it.domain.len()))
                .collect(),
            targets: problem
                .targets
                .columns
                .iter()
                .map(|it| SubgroupSums::of(it.domain.len()))
                .collect(),
        };
        let cells = &problem.cells;
        let has_targets = !found.targets.is_empty();
        match &classes.assignment {
            ClassAssignment::Cells(class_of) => {
                for (cell, &class) in class_of.iter().enumerate() {
                    found.add_cell(problem, cell, cells.counts()[cell], fate(class));
                    if has_targets {
                        for &(target, rows) in cells.targets(cell) {
                            found.add_target(problem, target, rows, fate(class));
                        }
                    }
                }
            }
            ClassAssignment::Shares(shares) => {
                for share in shares {
                    found.add_cell(problem, share.cell as usize, share.count, fate(share.class));
                    if has_targets {
                        found.add_target(problem, share.target, share.count, fate(share.class));
                    }
                }
            }
        }
        found
    }

    fn add_cell(&mut self, problem: &Problem, cell: usize, rows: u64, fate: Option<(f64, f64)>) {
        for (at, sums) in self.attributes.iter_mut().enumerate() {
            sums.add(problem.cells.code(at, cell), rows, fate);
        }
    }

    fn add_target(&mut self, problem: &Problem, target: u32, rows: u64, fate: Option<(f64, f64)>) {
        for (sums, &code) in self.targets.iter_mut().zip(problem.targets.of(target)) {
            sums.add(code, rows, fate);
        }
    }
}

impl SubgroupSums {
    /// Adds rows with a value, and the penalty and size of their class, if it is released.
    fn add(&mut self, code: u32, rows: u64, fate: Option<(f64, f64)>) {
        self.rows[code as usize] += rows as f64;
        if let Some((penalty, size)) = fate {
            self.release(code, rows as f64, penalty, size);
        }
    }
}

/// The mean certainty penalty of the rows of every class.
fn class_penalties(problem: &Problem, classes: &EquivalenceClasses) -> Vec<f64> {
    let total: f64 = problem.attributes.iter().map(|attribute| attribute.weight).sum();
    let prices: Vec<Vec<f64>> = problem
        .attributes
        .iter()
        .zip(&classes.groups)
        .map(|(attribute, groups)| {
            let price = |group| attribute.weight * certainty_penalty(attribute, group) / total;
            groups.as_slice().iter().map(price).collect()
        })
        .collect();
    let of = |class: usize| {
        let ids = classes.ids_of(class).iter().zip(&prices);
        ids.map(|(&id, prices)| prices[id as usize]).sum()
    };
    (0..classes.len()).map(of).collect()
}
