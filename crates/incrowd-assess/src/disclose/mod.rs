//! What some columns of a table tell of others, found from its rows alone.
//!
//! **What it does.** Looks for rules by which whoever knows some columns of a person knows another: an age band from the
//! age, a neighbourhood from coordinates, a year from a date, a duration from its start and end. A rule is learned from the
//! other records, is compared with the best guess without it, and counts only if it is right far more often.
//!
//! **Guarantee.** A column that is a function of one or two of the others in at least 99 % of the records is found if
//! enough records repeat what it is a function of, whatever the function is; arithmetic of two numbers or dates, parts of dates,
//! beginnings of codes and step functions of numbers also where nothing repeats. Nothing depends on the order of the rows.
//!
//! **Cost.** Linear in the columns looked at; of large tables a share of the rows is looked at.

mod arithmetic;
mod column;
mod record_owners;
mod rule;
#[cfg(test)]
mod tests;

use incrowd_engine::{Control, Table};
use rayon::prelude::*;
use serde::Serialize;

use crate::thresholds::rules::LEAST_ROWS;
use column::{Predictor, SampledColumn};
use record_owners::RecordOwners;
use rule::{
    RuleStrength, arithmetic_tells, beginning_tells, both_missing, grid_tells, neighbours_tell,
    records_tell,
};

/// At most so many rows are looked at, ...
const ROWS: usize = 20_000;
/// ... fewer where many columns are looked at: rows times rules are about these, ...
const BUDGET: usize = 300_000_000;
/// ... and at least these.
const FEWEST_ROWS: usize = 2_000;

/// A column that follows from others.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImpliedColumn {
    /// The column.
    pub column: String,
    /// What it follows from.
    pub from: Vec<String>,
    /// The share of the covered records for which the rule is right.
    pub precision: f64,
    /// The share of the records with a value that the rule covers.
    pub coverage: f64,
}

/// A column that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct DisclosureTarget {
    /// Its place in the table.
    pub at: usize,
    /// Whether only (nearly) exact functions count: models protect the column from weaker guesses.
    pub exact: bool,
}

/// Which of the `asked` columns follow from `known` ones, each with the strongest rule. Texts in `missing` are no values. Where
/// people have several records, the column `unit` tells them apart.
pub fn implied(
    table: &Table,
    known: &[usize],
    asked: &[DisclosureTarget],
    unit: Option<usize>,
    missing: &[String],
    control: &Control,
) -> Vec<ImpliedColumn> {
    if known.is_empty() || asked.is_empty() || table.rows() < LEAST_ROWS {
        return Vec::new();
    }
    let pairs = known.len() * (known.len() - 1) / 2;
    let rules = (8 * known.len() + 4 * pairs) * asked.len();
    let rows = sample(table.rows(), (BUDGET / rules.max(1)).clamp(FEWEST_ROWS, ROWS));
    let sampled = |at: usize| SampledColumn::new(&table.columns()[at], &rows, missing);
    let sources: Vec<SampledColumn> = known.par_iter().map(|&at| sampled(at)).collect();
    let people = RecordOwners::new(unit.map(|at| &table.columns()[at]), &rows);
    let readings: Vec<Vec<Predictor>> = sources.par_iter().map(SampledColumn::readings).collect();
    let name = |at: usize| table.columns()[at].name.clone();
    let found = asked.par_iter().filter(|asked| !known.contains(&asked.at)).filter_map(|asked| {
        if control.is_cancelled() {
            return None;
        }
        let target = sampled(asked.at);
        let (from, strength) = strongest(&sources, &readings, &target, &people, asked.exact)?;
        Some(ImpliedColumn {
            column: name(asked.at),
            from: from.into_iter().map(|at| name(known[at])).collect(),
            precision: strength.precision(),
            coverage: strength.coverage(),
        })
    });
    found.collect()
}

/// Two columns that tell a third one together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointDisclosure {
    /// The columns.
    pub columns: [String; 2],
    /// What they tell.
    pub target: String,
    /// The share of the covered records for which the rule is right.
    pub precision: f64,
}

/// Where more columns are looked at, only what can be computed from two of them is.
const JOINED: usize = 30;

/// Which pairs of the `released` columns tell one of the `targets` that neither tells alone, each target by the strongest pair.
pub fn told_together(
    table: &Table,
    released: &[usize],
    targets: &[usize],
    unit: Option<usize>,
    missing: &[String],
    control: &Control,
) -> Vec<JointDisclosure> {
    let pairs = released.len() * released.len().saturating_sub(1) / 2;
    if pairs == 0 || table.rows() < LEAST_ROWS {
        return Vec::new();
    }
    let rules = pairs.min(PAIRED * PAIRED / 2) * targets.len() * 8;
    let rows = sample(table.rows(), (BUDGET / rules.max(1)).clamp(FEWEST_ROWS / 4, ROWS));
    let sampled = |at: usize| SampledColumn::new(&table.columns()[at], &rows, missing);
    let sources: Vec<SampledColumn> = released.par_iter().map(|&at| sampled(at)).collect();
    let people = RecordOwners::new(unit.map(|at| &table.columns()[at]), &rows);
    let name = |at: usize| table.columns()[at].name.clone();
    let few: Vec<Option<SampledColumn>> = sources.iter().map(|source| source.few(FEW)).collect();
    let mut found = Vec::new();
    for &at in targets.iter().filter(|at| !released.contains(at)) {
        let target = sampled(at);
        if target.distinct < 2 {
            continue;
        }
        let few_of_target = target.few(FEW);
        let alone = |source: &SampledColumn| {
            if control.is_cancelled() {
                return true;
            }
            let mut readings = source.readings().into_iter();
            readings.any(|it| records_tell(&it, &target, &people, false).is_some())
                || neighbours_tell(source, &target, &people, false).is_some()
        };
        // What one tells by itself is told of it alone.
        let tells: Vec<bool> = sources.par_iter().map(alone).collect();
        let paired: Vec<usize> = paired(&sources, &target).filter(|&at| !tells[at]).collect();
        let pairs = (0..paired.len()).into_par_iter().flat_map_iter(|at| {
            let others = &paired[..at];
            others.iter().map(move |&other| [other, at])
        });
        let strongest = pairs.filter_map(|[one, at]| {
            let other = paired[at];
            if control.is_cancelled() {
                return None;
            }
            let (a, b) = (&sources[one], &sources[other]);
            let few = [few[one].as_ref(), few[other].as_ref(), few_of_target.as_ref()];
            let computed = may_be_computed(few).then(|| arithmetic_tells(a, b, &target));
            let strength = computed.flatten().or_else(|| {
                let joint =
                    (sources.len() <= JOINED).then(|| Predictor::joint(&[&a.codes, &b.codes]));
                records_tell(&joint?, &target, &people, false)
            })?;
            Some(([one, other], strength))
        });
        let Some(([one, other], strength)) =
            strongest.max_by(|one, other| one.1.compare(&other.1).then(other.0.cmp(&one.0)))
        else {
            continue;
        };
        found.push(JointDisclosure {
            columns: [name(released[one]), name(released[other])],
            target: name(at),
            precision: strength.precision(),
        });
    }
    found
}

/// Columns of which all pairs are looked at, at most.
const PAIRED: usize = 1_000;

/// The columns of which pairs are looked at: all, or of very many those numbers that go most with what they may tell.
fn paired(sources: &[SampledColumn], target: &SampledColumn) -> impl Iterator<Item = usize> {
    let mut chosen: Vec<usize> = (0..sources.len()).collect();
    if sources.len() > PAIRED {
        let strengths: Vec<f64> =
            sources.par_iter().map(|source| correlation(source, target)).collect();
        chosen.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
        chosen.truncate(PAIRED);
        chosen.sort_unstable();
    }
    chosen.into_iter()
}

/// How far two numbers go together, whatever the direction; 0 where one is no number.
fn correlation(one: &SampledColumn, other: &SampledColumn) -> f64 {
    let [Some(a), Some(b)] = [one, other].map(|it| it.numbers.as_deref()) else { return 0.0 };
    let both = || a.iter().zip(b).filter(|(a, b)| !a.is_nan() && !b.is_nan());
    let count = both().count() as f64;
    let mean = |of: fn(&(&f64, &f64)) -> f64| both().map(|pair| of(&pair)).sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(|pair| *pair.0), mean(|pair| *pair.1));
    let sums = both().fold([0.0; 3], |[aa, ab, bb], (a, b)| {
        let (a, b) = (a - mean_a, b - mean_b);
        [aa + a * a, ab + a * b, bb + b * b]
    });
    let [aa, ab, bb] = sums;
    let found = ab.abs() / (aa * bb).sqrt();
    if found.is_nan() { 0.0 } else { found }
}

/// Records that tell whether all need be looked at.
const FEW: usize = 40;

/// Whether some records leave it open that two columns make a third one.
fn may_be_computed(few: [Option<&SampledColumn>; 3]) -> bool {
    let [Some(a), Some(b), Some(target)] = few else { return false };
    let numbers = [a, b, target].map(|it| it.numbers.as_deref().unwrap_or_default());
    let there = |row: &usize| numbers.iter().all(|it| it.get(*row).is_some_and(|it| !it.is_nan()));
    // Where most records lack a value, some tell nothing.
    (0..FEW).filter(there).count() < LEAST_ROWS || arithmetic_tells(a, b, target).is_some()
}

/// The rows to look at: all, or a share of them by chance.
fn sample(rows: usize, most: usize) -> Vec<usize> {
    let below = (u64::MAX / rows.max(1) as u64).saturating_mul(most as u64);
    let chosen =
        |row: &usize| rows <= most || crate::expose::pair_hash(*row as u64, 0x5eed) < below;
    (0..rows).filter(chosen).collect()
}

/// The strongest rule for a column: what it is from, and how strong it is.
fn strongest(
    sources: &[SampledColumn],
    readings: &[Vec<Predictor>],
    target: &SampledColumn,
    people: &RecordOwners,
    exact: bool,
) -> Option<(Vec<usize>, RuleStrength)> {
    if target.distinct < 2 {
        return presence(sources, readings, target, people, exact);
    }
    // One column says more than two: whoever knows less is the stronger attacker.
    let alone = (0..sources.len()).filter_map(|at| {
        let by_reading =
            readings[at].iter().filter_map(|it| records_tell(it, target, people, exact));
        let by_order = neighbours_tell(&sources[at], target, people, exact);
        let by_beginning = beginning_tells(&sources[at], target);
        let best = by_reading.chain(by_order).chain(by_beginning).max_by(RuleStrength::compare)?;
        Some((vec![at], best))
    });
    if let Some(found) = alone.max_by(|one, other| one.1.compare(&other.1)) {
        return Some(found);
    }
    let pairs = (0..sources.len()).flat_map(|at| (0..at).map(move |other| [other, at]));
    let together = pairs.filter_map(|[one, other]| {
        let (a, b) = (&sources[one], &sources[other]);
        let joint = Predictor::joint(&[&a.codes, &b.codes]);
        let best = arithmetic_tells(a, b, target)
            .or_else(|| records_tell(&joint, target, people, exact))
            .or_else(|| grid_tells(a, b, target, people, exact))?;
        Some((vec![one, other], best))
    });
    if let Some(found) = together.max_by(|one, other| one.1.compare(&other.1)) {
        return Some(found);
    }
    if sources.len() < 3 {
        return None;
    }
    let codes: Vec<&Vec<u32>> = sources.iter().map(|source| &source.codes).collect();
    let all = records_tell(&Predictor::joint(&codes), target, people, exact)?;
    Some(((0..sources.len()).collect(), all))
}

/// The strongest rule for a column whose values are all alike: what tells who has none.
fn presence(
    sources: &[SampledColumn],
    readings: &[Vec<Predictor>],
    target: &SampledColumn,
    people: &RecordOwners,
    exact: bool,
) -> Option<(Vec<usize>, RuleStrength)> {
    if target.distinct == 0 || target.present() == target.codes.len() {
        return None;
    }
    let has_value = target.presence();
    let alone = (0..sources.len()).filter_map(|at| {
        let readings = readings[at].iter().map(Predictor::with_missing);
        let told = readings.filter_map(|it| records_tell(&it, &has_value, people, exact));
        let both = both_missing(&sources[at], target);
        Some((vec![at], told.chain(both).max_by(RuleStrength::compare)?))
    });
    alone.max_by(|one, other| one.1.compare(&other.1))
}
