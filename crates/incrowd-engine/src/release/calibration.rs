//! How survey weights grow where rows are suppressed, so that weighted totals stay.
//!
//! The weights of a class grow by one factor, so they tell no two of its rows apart. Without columns to keep, all factors are
//! the same, and the weights add up to the whole table's. With such columns they are raked: the weights of each released
//! category of a column are scaled to that category's total in the table, column after column, until nothing changes.
//!
//! **What a factor tells.** The total of a category less that of its released rows is the weight of the rows that are
//! suppressed. So a category of which fewer than k rows are suppressed, but some, is scaled together with others: each
//! margin is of no suppressed row, or of at least k.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::EquivalenceClasses;
use crate::problem::Problem;
use crate::value::ValueBounds;

/// Passes over all margins, at most.
const PASSES: usize = 200;
/// A pass that changes no factor by more is the last.
const STEADY: f64 = 1e-12;

/// Classes whose weights must add up to a total.
struct CalibrationMargin {
    total: f64,
    classes: Vec<usize>,
}

/// A category of a column, or several that are scaled together.
#[derive(Default)]
struct MarginCategory {
    total: f64,
    suppressed: u64,
    groups: BTreeSet<u32>,
}

/// For each class the factor by which its weights grow; none if nothing is suppressed. `at` is the attribute of the weights.
pub(super) fn factors(
    problem: &Problem,
    classes: &EquivalenceClasses,
    at: usize,
) -> Option<Vec<f64>> {
    let table = WeightedRows::new(problem, classes, at);
    let mut weights = vec![0.0; classes.len()];
    table.rows.iter().for_each(|row| weights[row.class] += row.weight);
    let all: f64 = weights.iter().sum();
    let released: Vec<usize> = classes.released().collect();
    let left: f64 = released.iter().map(|&class| weights[class]).sum();
    let factor = all / left;
    if !(factor.is_finite() && factor > 0.0) || factor == 1.0 {
        return None;
    }
    let mut factors = vec![factor; classes.len()];
    // Of units who have several rows a number of rows tells nothing.
    let columns = problem.calibrated.iter().filter(|_| problem.privacy.unit().is_none());
    let margins: Vec<CalibrationMargin> =
        columns.flat_map(|&column| table.margins(column)).collect();
    for _ in 0..PASSES {
        let mut change = 0f64;
        for CalibrationMargin { total, classes } in &margins {
            let now: f64 = classes.iter().map(|&class| weights[class] * factors[class]).sum();
            let scale = total / now;
            if scale.is_finite() && scale > 0.0 {
                classes.iter().for_each(|&class| factors[class] *= scale);
                change = change.max((scale - 1.0).abs());
            }
        }
        if change <= STEADY {
            break;
        }
    }
    Some(factors)
}

/// Rows of one combination in a class.
struct WeightedRow {
    class: usize,
    cell: usize,
    count: u64,
    weight: f64,
}

/// All rows with their weights.
struct WeightedRows<'a> {
    problem: &'a Problem,
    classes: &'a EquivalenceClasses,
    rows: Vec<WeightedRow>,
}

impl<'a> WeightedRows<'a> {
    fn new(problem: &'a Problem, classes: &'a EquivalenceClasses, at: usize) -> Self {
        let domain = &problem.attributes[at].domain;
        let mut rows = Vec::new();
        let add = |class: u32, cell: usize, count: u64| {
            let number = domain.bounds(problem.cells.code(at, cell)).and_then(ValueBounds::middle);
            if let (Some(number), true) = (number, (class as usize) < classes.len()) {
                let weight = number.to_f64() * count as f64;
                rows.push(WeightedRow { class: class as usize, cell, count, weight });
            }
        };
        classes.for_each_share(&problem.cells, add);
        WeightedRows { problem, classes, rows }
    }

    /// The margins of a column's released categories; none where they overlap, and a row may be of several.
    fn margins(&self, column: usize) -> Vec<CalibrationMargin> {
        let attribute = &self.problem.attributes[column];
        let group_of = |class: usize| self.classes.ids_of(class)[column];
        let groups: BTreeSet<u32> = self.classes.released().map(group_of).collect();
        let mut category_of: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for code in 0..attribute.domain.len() as u32 {
            let holds =
                |&&group: &&u32| attribute.contains(self.classes.groups[column].get(group), code);
            let mut found = groups.iter().filter(holds);
            category_of.insert(code, found.next().copied());
            if found.next().is_some() {
                return Vec::new();
            }
        }
        let mut categories: BTreeMap<Option<u32>, MarginCategory> = BTreeMap::new();
        for row in &self.rows {
            let code = self.problem.cells.code(column, row.cell);
            let group = category_of.get(&code).copied().flatten();
            let category = categories.entry(group).or_default();
            category.total += row.weight;
            category.suppressed += if self.classes.released[row.class] { 0 } else { row.count };
            category.groups.extend(group);
        }
        let least = self.problem.privacy.asked();
        let margins =
            joined(categories.into_values().collect(), least).into_iter().map(|category| {
                let held = |&class: &usize| category.groups.contains(&group_of(class));
                CalibrationMargin {
                    total: category.total,
                    classes: self.classes.released().filter(held).collect(),
                }
            });
        margins.collect()
    }
}

/// Joins categories of which some rows are suppressed, but too few to be told, and those that are not released, with the
/// smallest others.
fn joined(categories: Vec<MarginCategory>, least: u64) -> Vec<MarginCategory> {
    let is_open = |it: &MarginCategory| {
        (1..least).contains(&it.suppressed) || (it.groups.is_empty() && it.total > 0.0)
    };
    let (open, mut others): (Vec<_>, Vec<_>) = categories.into_iter().partition(is_open);
    if open.is_empty() {
        return others;
    }
    let mut pool = MarginCategory::default();
    let join = |pool: &mut MarginCategory, other: MarginCategory| {
        pool.total += other.total;
        pool.suppressed += other.suppressed;
        pool.groups.extend(other.groups);
    };
    open.into_iter().for_each(|it| join(&mut pool, it));
    others.sort_by(|one, other| other.total.total_cmp(&one.total));
    while is_open(&pool) {
        let Some(smallest) = others.pop() else { break };
        join(&mut pool, smallest);
    }
    others.push(pool);
    others
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use incrowd_testing::{LinearRng, cases};

    use super::*;
    use crate::problem::{Limit, ProblemSpec};
    use crate::release::{ClassAssignment, Release, SuppressionMode};
    use crate::value::ClassSummary;
    use crate::{Algorithm, Control, MethodChoice, Table};

    /// Totals of printed weights, by category, are those of the table wherever each category has no suppressed row or at least
    /// k; the total of all is the table's in any case.
    #[test]
    fn weighted_totals_of_categories_stay() {
        let (mut kept, mut raised) = (0, 0);
        for seed in 0..cases(250) {
            let mut dice = LinearRng::new(u64::from(seed) * 77 + 3);
            let rows: Vec<[String; 3]> = (0..40 + dice.below(60))
                .map(|_| {
                    let region = dice.below(4).min(dice.below(4));
                    let sex = dice.below(2 + region % 2);
                    let weight = [1.5, 10.0, 40.25][(dice.below(3).min(region)) as usize];
                    [sex.to_string(), region.to_string(), weight.to_string()]
                })
                .collect();
            let table = Table::from_rows(&["sex", "region", "weight"], &rows).unwrap();
            let k = 2 + dice.below(2);
            let mut spec = ProblemSpec::new(k).quasi("sex").quasi("region").quasi("weight");
            spec.quasi[2].summary = Some(ClassSummary::Mean);
            spec.survey_weight = Some("weight".to_owned());
            spec.calibrated = vec!["sex".to_owned(), "region".to_owned()];
            spec.limit = Limit::Share(0.4);
            let problem = Problem::of_table(&spec, &table).unwrap();
            let method = MethodChoice::new("climb", &[]).unwrap();
            let solution = method.solve(&problem, &Control::new()).unwrap();
            let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop)
            else {
                continue;
            };
            let classes = &release.classes;
            let ClassAssignment::Cells(class_of) = &classes.assignment else { continue };
            let column = &release.columns[2];
            let label = |class: usize| -> f64 {
                column.labels[column.of_class[class] as usize][0].parse().unwrap()
            };
            let weight_of = |cell: usize| -> f64 {
                let code = problem.cells.code(2, cell);
                problem.attributes[2].domain.label(code).parse().unwrap()
            };
            let count = |cell: usize| problem.cells.counts()[cell];
            let is_out = |cell: usize| !classes.released[class_of[cell] as usize];
            let whole: f64 = (0..class_of.len()).map(|at| weight_of(at) * count(at) as f64).sum();
            let printed: f64 =
                classes.released().map(|class| label(class) * classes.sizes[class] as f64).sum();
            let gone: u64 = (0..class_of.len()).filter(|&at| is_out(at)).map(count).sum();
            let close = |one: f64, other: f64| {
                (one - other).abs() <= 1e-4 * (rows.len() as f64) + 1e-6 * whole
            };
            assert!(close(printed, whole), "{seed}: {printed} {whole}");
            raised += u32::from(gone > 0);
            // By value: where every value is released, and no few rows of it are suppressed.
            let mut exact = true;
            let mut totals = Vec::new();
            for at in 0..2 {
                let groups: BTreeSet<u32> =
                    classes.released().map(|class| classes.ids_of(class)[at]).collect();
                for &group in &groups {
                    let inside = |cell: usize| {
                        let group = classes.groups[at].get(group);
                        problem.attributes[at].contains(group, problem.cells.code(at, cell))
                    };
                    let cells = || (0..class_of.len()).filter(|&cell| inside(cell));
                    let out: u64 = cells().filter(|&cell| is_out(cell)).map(count).sum();
                    exact &= out == 0 || out >= k;
                    let before: f64 =
                        cells().map(|cell| weight_of(cell) * count(cell) as f64).sum();
                    let held = classes.released().filter(|&it| classes.ids_of(it)[at] == group);
                    let after: f64 = held.map(|it| label(it) * classes.sizes[it] as f64).sum();
                    totals.push((before, after));
                }
                let all: f64 = totals.iter().rev().take(groups.len()).map(|it| it.0).sum();
                exact &= close(all, whole);
            }
            if exact && gone > 0 {
                let steady = totals.iter().all(|&(before, after)| close(before, after));
                kept += u32::from(steady);
                assert!(steady, "{seed}: {totals:?}");
            }
        }
        assert!(kept >= 2 && raised > 10, "{kept} {raised}");
    }

    #[test]
    fn no_margin_tells_of_few_suppressed_rows() {
        let mut dice = LinearRng::new(4);
        for _ in 0..cases(500) {
            let least = 2 + dice.below(9);
            let categories: Vec<MarginCategory> = (0..1 + dice.below(7) as u32)
                .map(|group| {
                    let is_released = dice.below(4) > 0;
                    MarginCategory {
                        total: 1.0 + dice.below(50) as f64,
                        suppressed: if is_released { dice.below(12) } else { 1 + dice.below(12) },
                        groups: if is_released { [group].into() } else { BTreeSet::new() },
                    }
                })
                .collect();
            let sums = |of: &[MarginCategory]| {
                let suppressed: u64 = of.iter().map(|it| it.suppressed).sum();
                let groups: usize = of.iter().map(|it| it.groups.len()).sum();
                (of.iter().map(|it| it.total).sum::<f64>(), suppressed, groups)
            };
            let before = sums(&categories);
            let found = joined(categories, least);
            assert_eq!(sums(&found), before);
            for category in &found {
                let told = category.suppressed == 0 || category.suppressed >= least;
                assert!(found.len() == 1 || told && !category.groups.is_empty());
            }
        }
    }
}
