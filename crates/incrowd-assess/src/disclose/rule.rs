//! Rules, and how strong they are.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::arithmetic::combinations;
use super::column::{NONE, Predictor, SampledColumn};
use super::record_owners::RecordOwners;
use crate::thresholds::rules::{
    ALIKE, BETTER, CONTROL_ERRORS, COVERED, EXACT, FEW_RECORDS, LEAST_ROWS, NARROW, OTHERS,
    PRECISE, SCREENED, SMALL_TABLE,
};

/// So many neighbours must agree.
const NEAREST: usize = 3;
/// How finely distances are told.
const FINE: u32 = 1 << 20;

/// Whether a column holds the beginnings of another's values: that is no chance, however few records there are.
pub(super) fn beginning_tells(
    source: &SampledColumn,
    target: &SampledColumn,
) -> Option<RuleStrength> {
    let (covered, right) = source.beginnings(target);
    let control = target.most_frequent().min(covered);
    let found = RuleStrength { covered, right, control, records: target.present() };
    let told = covered >= LEAST_ROWS / 2
        && found.coverage() >= COVERED
        && found.precision() >= EXACT
        && covered - control >= 2;
    told.then_some(found)
}

/// Whether two columns lack a value in the same records.
pub(super) fn both_missing(source: &SampledColumn, target: &SampledColumn) -> Option<RuleStrength> {
    let lacking = source.codes.iter().zip(&target.codes);
    let lacking = lacking.map(|(&one, &other)| (one == NONE, other == NONE));
    let either: Vec<(bool, bool)> = lacking.filter(|&(one, other)| one || other).collect();
    let right = either.iter().filter(|&&(one, other)| one && other).count();
    let found = RuleStrength { covered: either.len(), right, control: 0, records: either.len() };
    (right > 0 && found.precision() >= EXACT).then_some(found)
}

/// How many of the records a rule covers, of how many it is right, and of how many the best guess without it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RuleStrength {
    covered: usize,
    right: usize,
    control: usize,
    records: usize,
}

impl RuleStrength {
    pub(super) fn precision(&self) -> f64 {
        self.right as f64 / self.covered.max(1) as f64
    }

    pub(super) fn coverage(&self) -> f64 {
        self.covered as f64 / self.records.max(1) as f64
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let key = |it: &Self| it.precision() * it.coverage();
        key(self).total_cmp(&key(other))
    }

    /// Whether the guess without the rule is wrong so much more often that the rule tells something.
    fn beats_control(&self) -> bool {
        let errors = (self.covered - self.right) as f64;
        let control = self.covered - self.control;
        control >= CONTROL_ERRORS && errors * BETTER <= control as f64
    }

    /// Whether a (nearly) exact function is behind it. In a small table fewer records must do.
    fn is_exact(&self) -> bool {
        let least = (self.records / 4).clamp(FEW_RECORDS / 5, FEW_RECORDS);
        self.covered >= least
            && self.coverage() >= COVERED
            && self.precision() >= EXACT
            && self.beats_control()
    }

    /// Whether it is right of most people.
    fn is_precise(&self) -> bool {
        self.records >= SMALL_TABLE
            && self.covered >= FEW_RECORDS
            && self.coverage() >= COVERED
            && self.precision() >= PRECISE
            && self.beats_control()
    }

    /// The same for records that are told by their neighbours: at the borders of regions neighbours disagree, however exact
    /// the regions are.
    fn region_counts(self, exact: bool) -> Option<Self> {
        let control = (self.covered - self.control) as f64;
        let sure = (self.covered - self.right) as f64 * BETTER * BETTER <= control;
        let counts = self.records >= SMALL_TABLE
            && self.covered >= FEW_RECORDS
            && self.coverage() >= COVERED / 2.0
            && self.precision() >= PRECISE
            && self.beats_control();
        (counts && (sure || !exact)).then_some(self)
    }

    fn counts(self, exact: bool) -> Option<Self> {
        (self.is_exact() || !exact && self.is_precise()).then_some(self)
    }
}

/// The value that most records have, and of how many records there are.
fn majority(target: &SampledColumn) -> (u32, usize) {
    let mut counts = vec![0_usize; target.distinct];
    for &code in target.codes.iter().filter(|&&code| code != NONE) {
        counts[code as usize] += 1;
    }
    let most = (0..).zip(&counts).max_by_key(|&(_, count)| count).map_or(0, |(code, _)| code);
    (most, counts.iter().sum())
}

/// Whether records that share what is read off the known column share the target: each is guessed from those of others.
pub(super) fn records_tell(
    reading: &Predictor,
    target: &SampledColumn,
    people: &RecordOwners,
    exact: bool,
) -> Option<RuleStrength> {
    let (most, records) = majority(target);
    let guessed = |rows: usize, others, agree| {
        guessed(&reading.codes[..rows], &target.codes[..rows], people, others, agree, most)
    };
    let rows = target.codes.len();
    if rows > 2 * SCREENED {
        let few = guessed(SCREENED, 1, 0.0);
        if few.covered >= FEW_RECORDS && few.precision() < PRECISE / 2.0 {
            return None;
        }
    }
    let all = RuleStrength { records, ..guessed(rows, 1, 0.0) };
    let many = || guessed(rows, OTHERS, PRECISE);
    all.counts(exact).or_else(|| RuleStrength { records, ..many() }.counts(exact))
}

/// Guesses each record by what most of the other people say who share what is known, where there are so many of them and so large
/// a share of them agrees.
fn guessed(
    known: &[u32],
    target: &[u32],
    people: &RecordOwners,
    others: usize,
    agree: f64,
    most: u32,
) -> RuleStrength {
    let rows = known.iter().zip(target).enumerate();
    let rows = rows.filter(|&(_, (&known, &value))| known != NONE && value != NONE);
    let mut rows: Vec<(u32, u32, u32)> =
        rows.map(|(row, (&known, &value))| (known, value, people.of(row))).collect();
    rows.sort_unstable();
    let mut found = RuleStrength::default();
    for alike in rows.chunk_by(|one, other| one.0 == other.0) {
        if alike.len() <= others {
            continue;
        }
        let several = people.with_several_values(alike);
        // Of each value: how many people have it, and how many records those have who have no other.
        let values: Vec<(u32, usize, usize)> = alike
            .chunk_by(|one, other| one.1 == other.1)
            .map(|it| {
                let heads = it.chunk_by(|one, other| one.2 == other.2).count();
                let sure = it.iter().filter(|row| several.binary_search(&row.2).is_err()).count();
                (it[0].1, heads, sure)
            })
            .collect();
        let heads: usize = values.iter().map(|it| it.1).sum();
        if heads <= others {
            continue;
        }
        let rest = (heads - 1) as f64;
        for &(value, _, count) in &values {
            // What the others say, without this person.
            let without =
                |&(other, n, _): &(u32, usize, usize)| if other == value { n - 1 } else { n };
            let Some(best) = values.iter().max_by_key(|it| without(it)) else { continue };
            if count == 0 || (without(best) as f64) < agree * rest {
                continue;
            }
            let tied = values.iter().filter(|it| without(it) == without(best)).count() > 1;
            found.covered += count;
            found.right += if best.0 == value && !tied { count } else { 0 };
            found.control += if value == most { count } else { 0 };
        }
        // Somebody has several values although what is known is the same: nothing follows.
        let unsure = alike.iter().filter(|row| several.binary_search(&row.2).is_ok());
        for row in unsure {
            found.covered += 1;
            found.control += usize::from(row.1 == most);
        }
    }
    found
}

/// Whether records next to each other on a scale share the target, or it lies between theirs.
pub(super) fn neighbours_tell(
    source: &SampledColumn,
    target: &SampledColumn,
    people: &RecordOwners,
    exact: bool,
) -> Option<RuleStrength> {
    let numbers = source.numbers.as_ref()?;
    // Where values repeat, those who share them tell as much.
    if 4 * source.distinct < source.present() {
        return None;
    }
    let mut order: Vec<usize> = (0..numbers.len())
        .filter(|&row| !numbers[row].is_nan() && target.codes[row] != NONE && people.is_first(row))
        .collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(a.cmp(&b)));
    steps(&order, target, exact).or_else(|| between(&order, numbers, target))
}

fn steps(order: &[usize], target: &SampledColumn, exact: bool) -> Option<RuleStrength> {
    let (most, _) = majority(target);
    let mut found = RuleStrength { records: order.len(), ..RuleStrength::default() };
    for at in 2..order.len().saturating_sub(2) {
        let value = |at: usize| target.codes[order[at]];
        let told = value(at - 1);
        if [at - 2, at + 1, at + 2].iter().all(|&other| value(other) == told) {
            found.covered += 1;
            found.right += usize::from(value(at) == told);
            found.control += usize::from(value(at) == most);
        }
    }
    found.counts(exact)
}

/// Whether a number lies where those of the neighbours say.
fn between(order: &[usize], known: &[f64], target: &SampledColumn) -> Option<RuleStrength> {
    let numbers = target.numbers.as_ref()?;
    if order.len() < FEW_RECORDS / 5 || target.distinct < ALIKE.min(order.len() / 2) {
        return None;
    }
    let residuals = order.windows(3).map(|rows| {
        let [x, y] = [known, numbers].map(|of| [of[rows[0]], of[rows[1]], of[rows[2]]]);
        let part = if x[2] > x[0] { (x[1] - x[0]) / (x[2] - x[0]) } else { 0.5 };
        y[0] + part * (y[2] - y[0]) - y[1]
    });
    within(residuals.collect(), spread(order, numbers), order.len())
}

/// The strength of a rule for numbers that is wrong by so much, where a guess without it is wrong by `spread`.
fn within(residuals: Vec<f64>, spread: f64, records: usize) -> Option<RuleStrength> {
    let near = residuals.iter().filter(|it| it.abs() <= NARROW * spread).count();
    let found = RuleStrength { covered: residuals.len(), right: near, control: 0, records };
    (spread > 0.0 && found.precision() >= PRECISE && found.coverage() >= COVERED).then_some(found)
}

/// How far 95 % of the numbers lie from the middle.
fn spread(rows: &[usize], numbers: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = rows.iter().map(|&row| numbers[row]).collect();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 40;
    match (sorted.get(cut), sorted.get(sorted.len().saturating_sub(cut + 1))) {
        (Some(low), Some(high)) => (high - low) / 2.0,
        _ => 0.0,
    }
}

/// Whether a number is the difference, sum, product or quotient of two others, or of two dates.
pub(super) fn arithmetic_tells(
    a: &SampledColumn,
    b: &SampledColumn,
    target: &SampledColumn,
) -> Option<RuleStrength> {
    let numbers = target.numbers.as_ref()?;
    if target.distinct < ALIKE {
        return None;
    }
    let candidates = combinations(a, b)?;
    candidates.into_iter().find_map(|computed| {
        let is_there = |&row: &usize| !computed[row].is_nan() && !numbers[row].is_nan();
        let rows: Vec<usize> = (0..numbers.len()).filter(is_there).collect();
        if rows.len() < FEW_RECORDS / 5 {
            return None;
        }
        // Durations are told in other units, begin somewhere, and are cut off.
        let scale = spread(&rows, numbers) / spread(&rows, &computed);
        if !scale.is_finite() {
            return None;
        }
        let mut offsets: Vec<f64> =
            rows.iter().map(|&row| numbers[row] - scale * computed[row]).collect();
        offsets.sort_by(f64::total_cmp);
        let middle = offsets[offsets.len() / 2];
        let residuals = offsets.iter().map(|it| it - middle).collect();
        within(residuals, spread(&rows, numbers), target.present())
    })
}

/// Whether records that are close to each other on two scales share the target.
pub(super) fn grid_tells(
    a: &SampledColumn,
    b: &SampledColumn,
    target: &SampledColumn,
    people: &RecordOwners,
    exact: bool,
) -> Option<RuleStrength> {
    let (most, _) = majority(target);
    let is_there = |row: &usize| target.codes[*row] != NONE && people.is_first(*row);
    let records = (0..target.codes.len()).filter(is_there).count();
    if records < SMALL_TABLE || 4 * a.distinct < a.present() && 4 * b.distinct < b.present() {
        return None;
    }
    let [x, y] = [a.numbers.as_ref()?, b.numbers.as_ref()?];
    // About four records lie in a field of the grid, and about 36 in it and around it.
    let bins = ((records as f64 / 4.0).sqrt() as u32).max(2);
    let [columns, lines] = [ranks(x, bins), ranks(y, bins)];
    let [across, down] = [ranks(x, FINE), ranks(y, FINE)];
    let mut fields: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    let there = |row: usize| is_there(&row) && columns[row] != NONE && lines[row] != NONE;
    for row in (0..x.len()).filter(|&row| there(row)) {
        fields.entry((columns[row], lines[row])).or_default().push(row);
    }
    let mut found = RuleStrength { records, ..RuleStrength::default() };
    let mut near: Vec<(u64, usize)> = Vec::new();
    for row in (0..x.len()).filter(|&row| there(row)) {
        near.clear();
        for column in columns[row].saturating_sub(1)..=columns[row] + 1 {
            for line in lines[row].saturating_sub(1)..=lines[row] + 1 {
                let rows = fields.get(&(column, line)).into_iter().flatten();
                near.extend(rows.filter(|&&other| other != row).map(|&other| {
                    let apart = |of: &[u32]| u64::from(of[row].abs_diff(of[other]));
                    (apart(&across).pow(2) + apart(&down).pow(2), other)
                }));
            }
        }
        if near.len() < NEAREST {
            continue;
        }
        near.select_nth_unstable(NEAREST - 1);
        let told = target.codes[near[0].1];
        if near[..NEAREST].iter().all(|&(_, other)| target.codes[other] == told) {
            found.covered += 1;
            found.right += usize::from(target.codes[row] == told);
            found.control += usize::from(target.codes[row] == most);
        }
    }
    found.region_counts(exact)
}

/// The place of each number among all, in so many steps.
fn ranks(numbers: &[f64], steps: u32) -> Vec<u32> {
    let mut order: Vec<usize> = (0..numbers.len()).filter(|&row| !numbers[row].is_nan()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![NONE; numbers.len()];
    for (place, &row) in order.iter().enumerate() {
        ranks[row] = (place * steps as usize / order.len()) as u32;
    }
    ranks
}
