//! A release beside its table: what a report draws.
//!
//! A preview can be shown wherever the release can. It names no value that the release does not name, and
//! every count of original rows is of at least k of them, or of none: rarer values are drawn together. Rows that are
//! suppressed are in none of the counts: otherwise what is drawn less what is released would tell of them. Their values are
//! not among [those that count](KnownValues) for widths and sizes either: the preview stays the same whatever they are. And what is
//! counted in the table is rounded to multiples of 2k: otherwise a bar of the table less what the release says of the same
//! values would count the few whose values the release keeps back. Rounding alone would not do where a number lies at the very
//! end of what is rounded to the same multiple: such bars are joined with others. Then of every label that reaches into two
//! bars one row more or less may lie in either, whatever is known of the totals, so no such number can be told.

use std::ops::Range;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::Release;
use super::classes::EquivalenceClasses;
use super::group_spread::{GroupSpread, NamingUnit};
use super::reidentification_risk::{ReidentificationRisk, SizeBar, size_bars};
use super::safe_bars::weakest;
use crate::kit::KeyedHashState;
use crate::problem::Problem;
use crate::recoding::{GroupWording, Recoding};
use crate::value::{
    Attribute, BLANK, DateScale, Group, KnownValues, Moment, Scale, show_number, shown_value,
};

/// A release beside its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasePreview {
    /// Rows by the size of the class that they stand in, before and after.
    pub sizes: Vec<SizeBar>,
    /// How well people hide in the table.
    pub before: ReidentificationRisk,
    /// How well they hide in the release.
    pub after: ReidentificationRisk,
    /// The quasi-identifiers.
    pub attributes: Vec<AttributePreview>,
    /// Counts of the table are rounded to multiples of this; 1 where they are exact, and the preview confidential.
    #[serde(default = "one")]
    pub rounded_to: u64,
}

fn one() -> u64 {
    1
}

/// What became of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributePreview {
    /// The column.
    pub name: String,
    /// How much of its information is kept, from 0 to 1: 1 less the mean certainty penalty. A preview to be shared
    /// tells that of the released rows, relative to the values that they have.
    pub kept: f64,
    /// The recoding in words.
    pub words: String,
    /// Rows by value or by range of values.
    pub bars: Vec<ValueBar>,
}

/// Rows that have such values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueBar {
    /// The values.
    pub label: String,
    /// Rows of the table.
    pub before: u64,
    /// Rows of the release. What a row's label leaves open is divided evenly among the values that it
    /// can stand for.
    pub after: f64,
}

/// What counts are rounded to where they are for the owner of the table: not at all.
const EXACT: u64 = 1;
/// What a row is shown as that stays and is suppressed.
static BLANK_GROUP: Group = Group::Blank;
/// Bars of a numeric attribute, about.
const BINS: f64 = 14.0;
/// Bars of dates, about.
const PERIODS: i128 = 16;
/// Bars of any other attribute, at most; the rest is drawn as one.
const VALUES: usize = 14;

impl ReleasePreview {
    /// The preview of a release.
    pub fn new(problem: &Problem, recoding: &Recoding, release: &Release) -> Self {
        let drawn = release.classes.told_cells(&problem.cells);
        let rounded_to = problem.privacy.asked().saturating_mul(2);
        let seen = VisibleClasses { sizes: release.shown_sizes(), rows: release.rows() };
        let classes = &release.classes;
        Self::of_classes(problem, classes, &drawn, seen, rounded_to, |_, _| recoding.wording())
    }

    /// The preview of a release for the owner of its table: every row is counted, suppressed ones too, and exactly. It tells
    /// of people whom the release does not show and is as confidential as the table.
    pub fn confidential(problem: &Problem, recoding: &Recoding, release: &Release) -> Self {
        let all = problem.cells.counts();
        let seen = VisibleClasses::of(&release.classes);
        Self::of_classes(problem, &release.classes, all, seen, EXACT, |_, _| recoding.wording())
    }

    /// The preview of a release of which only the classes are known, such as one that was read.
    pub fn seen(problem: &Problem, classes: &EquivalenceClasses) -> Self {
        let all = problem.cells.counts();
        Self::of_classes(
            problem,
            classes,
            all,
            VisibleClasses::of(classes),
            EXACT,
            GroupWording::of,
        )
    }

    fn of_classes(
        problem: &Problem,
        classes: &EquivalenceClasses,
        cells: &[u64],
        seen: VisibleClasses,
        rounded_to: u64,
        wording: impl Fn(&Attribute, &[&Group]) -> GroupWording,
    ) -> Self {
        let about = |rows: u64| (rows + rounded_to / 2) / rounded_to * rounded_to;
        let before: Vec<u64> = cells.iter().copied().filter(|&rows| rows > 0).collect();
        let drawn = |at: usize| {
            AttributeChart::new(problem, classes, cells, at, rounded_to, seen.rows)
                .picture(&wording)
        };
        let mut picture = ReleasePreview {
            sizes: size_bars(&before, &seen.sizes),
            before: ReidentificationRisk::of(&before),
            after: ReidentificationRisk::of(&seen.sizes),
            attributes: (0..problem.attributes.len()).map(drawn).collect(),
            rounded_to,
        };
        picture.sizes.iter_mut().for_each(|bar| bar.before = about(bar.before));
        let bars = picture.attributes.iter_mut().flat_map(|attribute| &mut attribute.bars);
        bars.for_each(|bar| bar.before = about(bar.before));
        let hiding = &mut picture.before;
        let alone = before.iter().filter(|&&rows| rows == 1).count() as u64;
        hiding.unique = (about(alone) as f64 / hiding.rows.max(1) as f64).min(1.0);
        picture
    }
}

/// The classes of a release as they are seen.
struct VisibleClasses {
    sizes: Vec<u64>,
    /// Rows in all: those that no group holds are blank.
    rows: u64,
}

impl VisibleClasses {
    /// Classes that are released; nothing else is there.
    fn of(classes: &EquivalenceClasses) -> Self {
        let sizes = classes.released().map(|class| classes.sizes[class]).collect();
        VisibleClasses { sizes, rows: classes.released_rows() }
    }
}

/// What became of a quasi-identifier, without its chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecodedAttribute {
    /// The column.
    pub name: String,
    /// The released groups in words.
    pub words: String,
    /// How much of its information is kept, from 0 to 1: 1 less the mean certainty penalty over all rows.
    pub kept: f64,
}

impl Release {
    /// What became of each attribute: the groups that are released, and no others.
    pub fn recoded_attributes(
        &self,
        problem: &Problem,
        recoding: &Recoding,
    ) -> Vec<RecodedAttribute> {
        let attribute = |at: usize| {
            let (all, rows) = (problem.cells.counts(), self.classes.released_rows());
            let drawn = AttributeChart::new(problem, &self.classes, all, at, EXACT, rows);
            RecodedAttribute {
                name: drawn.attribute.name.clone(),
                words: drawn.words(|_, _| recoding.wording()),
                kept: drawn.kept(),
            }
        };
        (0..problem.attributes.len()).map(attribute).collect()
    }
}

/// An attribute to be drawn.
struct AttributeChart<'a> {
    attribute: &'a Attribute,
    k: u64,
    /// Counts of the table are rounded to multiples of this.
    rounded_to: u64,
    /// Rows by which what is kept is divided.
    rows: u64,
    /// Rows of the table by code.
    before: Vec<u64>,
    /// Released groups with the rows that they hold.
    groups: Vec<(&'a Group, u64)>,
    /// The values that count.
    known: KnownValues,
}

impl<'a> AttributeChart<'a> {
    fn new(
        problem: &'a Problem,
        classes: &'a EquivalenceClasses,
        cells: &[u64],
        at: usize,
        rounded_to: u64,
        rows: u64,
    ) -> Self {
        // Who is blank in a column could have any value of it.
        let before = match rounded_to {
            EXACT => problem.rows_by_code(at, cells),
            _ => problem.rows_by_code(at, &classes.told_cells_in(&problem.cells, at)),
        };
        let attribute = &problem.attributes[at];
        let mut groups = classes.released_groups(at);
        // Rows that no group holds are suppressed, and stay blank.
        let blank = rows.saturating_sub(classes.released_rows());
        match groups.iter_mut().find(|(group, _)| **group == Group::Blank) {
            Some((_, held)) => *held += blank,
            None if blank > 0 => groups.push((&BLANK_GROUP, blank)),
            None => {}
        }
        let known = match rounded_to {
            EXACT => KnownValues::all(attribute),
            _ => KnownValues::released(&before, &groups),
        };
        // In an order that depends on nothing but what is known: so do sums of doubles then.
        groups.sort_by_cached_key(|(group, _)| {
            (known.span(attribute, group), attribute.label(group))
        });
        AttributeChart {
            attribute,
            k: problem.privacy.asked(),
            rounded_to,
            rows: match rounded_to {
                EXACT => before.iter().sum(),
                _ => groups.iter().map(|(_, held)| held).sum(),
            },
            before,
            groups,
            known,
        }
    }

    fn picture(&self, wording: impl Fn(&Attribute, &[&Group]) -> GroupWording) -> AttributePreview {
        AttributePreview {
            name: self.attribute.name.clone(),
            kept: self.kept(),
            words: self.words(wording),
            bars: self.bars(),
        }
    }

    fn words(&self, wording: impl Fn(&Attribute, &[&Group]) -> GroupWording) -> String {
        // Groups of suppressed rows are not the reader's business.
        let groups: Vec<&Group> = self.groups.iter().map(|(group, _)| *group).collect();
        if groups.is_empty() {
            return "nothing is released".to_owned();
        }
        wording(self.attribute, &groups).describe(self.attribute, &groups, &self.known)
    }

    fn kept(&self) -> f64 {
        let kept = self
            .groups
            .iter()
            .map(|(group, held)| *held as f64 * (1.0 - self.known.penalty(self.attribute, group)));
        let kept = kept.sum::<f64>() / self.rows.max(1) as f64;
        // How a sum was rounded must not be seen.
        (kept * 1e9).round() / 1e9
    }

    fn bars(&self) -> Vec<ValueBar> {
        let spread = GroupSpread::new(self.attribute, &self.groups, &self.known);
        let blank: u64 = self.blank().sum();
        // Where the release tells nothing of a column, its preview tells nothing either.
        if self.groups.iter().all(|(group, _)| **group == Group::Blank) {
            let bar = ValueBar { label: BLANK.to_owned(), before: 0, after: blank as f64 };
            return if blank > 0 { vec![bar] } else { Vec::new() };
        }
        let domain = &self.attribute.domain;
        let mut bars = match domain.scale() {
            Some(Scale::Dates(dates)) if domain.is_numeric() => self.periods(dates, &spread.after),
            _ if domain.is_numeric() => self.ranges(&spread.after),
            _ => self.values(&spread),
        };
        if blank > 0 {
            bars.push(ValueBar { label: BLANK.to_owned(), before: 0, after: blank as f64 });
        }
        bars
    }

    fn blank(&self) -> impl Iterator<Item = u64> {
        let blank = self.groups.iter().filter(|(group, _)| **group == Group::Blank);
        blank.map(|(_, held)| *held)
    }

    /// Numbers in bins of a round width; bins of fewer than k rows are joined with the next.
    fn ranges(&self, after: &[f64]) -> Vec<ValueBar> {
        let domain = &self.attribute.domain;
        let middle = |code: usize| {
            let bounds = domain.bounds(code as u32).filter(|_| self.known.has(code));
            let (low, high) = bounds?.to_f64();
            Some(low + (high - low) / 2.0)
        };
        let middles: Vec<Option<f64>> = (0..self.before.len()).map(middle).collect();
        let known = || middles.iter().flatten().copied();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::MIN, f64::max));
        // Whole numbers stand in ranges of as many each: otherwise some would hold one more, and stand out for nothing.
        let whole = known().all(|value| value.fract() == 0.0);
        let step = match whole {
            true => round_step((high - low + 1.0) / BINS).max(1.0),
            false => round_step((high - low) / BINS),
        };
        let bin = |value: f64| (value / step).floor() as i64;
        let bins: Vec<Option<i64>> = middles.iter().map(|middle| middle.map(bin)).collect();
        let edge = |at: i64| show_number(rounded(at as f64 * step, step));
        let label = |first: i64, last: i64| match whole {
            true if step == 1.0 && first == last => edge(first),
            true => format!("{} to {}", edge(first), show_number((last + 1) as f64 * step - 1.0)),
            false => format!("{} to {}", edge(first), edge(last + 1)),
        };
        self.joined(&bins, after, label)
    }

    /// Dates by units of time, in their order; units of fewer than k rows are joined with the next.
    fn periods(&self, dates: &DateScale, after: &[f64]) -> Vec<ValueBar> {
        let domain = &self.attribute.domain;
        let moment = |code: usize| domain.moment(code as u32).filter(|_| self.known.has(code));
        let moments: Vec<Option<Moment>> = (0..self.before.len()).map(moment).collect();
        let known = || moments.iter().flatten().copied();
        let Some((low, high)) = known().min().zip(known().max()) else { return Vec::new() };
        let unit = dates.unit_for(low, high, PERIODS);
        let bins: Vec<Option<Moment>> =
            moments.iter().map(|moment| moment.map(|moment| unit.start(moment))).collect();
        let label = |first: Moment, last: Moment| dates.label((first, unit.end(last)));
        self.joined(&bins, after, label)
    }

    /// Bars over the bins of all codes, whose codes are in the order of the bins; bins of fewer than k rows are
    /// joined with the next. Missing values have a bar of their own.
    fn joined<B: Copy + PartialEq>(
        &self,
        bins: &[Option<B>],
        after: &[f64],
        label: impl Fn(B, B) -> String,
    ) -> Vec<ValueBar> {
        let domain = &self.attribute.domain;
        // The first and the last bin, the codes from here to there, and their rows before and after.
        let mut bars: Vec<(B, B, Range<usize>, u64, f64)> = Vec::new();
        for (code, &bin) in bins.iter().enumerate() {
            let Some(at) = bin else { continue };
            let (before, after) = (self.before[code], after[code]);
            match bars.last_mut() {
                Some(last) if last.1 == at || last.3 < self.k => {
                    (last.1, last.2.end) = (at, code + 1);
                    last.3 += before;
                    last.4 += after;
                }
                _ => bars.push((at, at, code..code + 1, before, after)),
            }
        }
        let join = |bars: &mut Vec<(B, B, Range<usize>, u64, f64)>, at: usize| {
            let next = bars.remove(at + 1);
            let bar = &mut bars[at];
            (bar.1, bar.2.end) = (next.1, next.2.end);
            bar.3 += next.3;
            bar.4 += next.4;
        };
        // The last bin has no next one.
        if bars.len() > 1 && bars.last().is_some_and(|last| last.3 < self.k) {
            let before = bars.len() - 2;
            join(&mut bars, before);
        }
        bars.retain(|bar| bar.3 >= self.k);
        while bars.len() > 1 {
            let mut bar_of = vec![None; bins.len()];
            for (at, bar) in bars.iter().enumerate() {
                bar_of[bar.2.clone()].fill(Some(at));
            }
            let rows: Vec<u64> = bars.iter().map(|bar| bar.3).collect();
            let Some(weak) = self.weakest(&bar_of, &rows) else { break };
            let at = weak.min(bars.len() - 2);
            join(&mut bars, at);
        }
        let mut shown: Vec<ValueBar> = bars
            .into_iter()
            .map(|(first, last, _, before, after)| ValueBar {
                label: label(first, last),
                before,
                after,
            })
            .collect();
        let missing = domain.missing_code().map(|code| code as usize);
        if let Some(code) = missing.filter(|&code| self.before[code] >= self.k) {
            let (before, after) = (self.before[code], after[code]);
            let label = shown_value(domain.label(code as u32)).to_owned();
            shown.push(ValueBar { label, before, after });
        }
        shown
    }

    /// What the release names a value by, if it does.
    fn named<'s>(&'s self, spread: &'s GroupSpread, code: usize) -> Option<&'s str> {
        match spread.units[code] {
            NamingUnit::Unnamed => None,
            NamingUnit::Value => Some(shown_value(self.attribute.domain.label(code as u32))),
            NamingUnit::Node(at) => Some(spread.labels[at as usize].as_str()),
        }
    }

    fn weakest(&self, bar_of: &[Option<usize>], rows: &[u64]) -> Option<usize> {
        weakest(self.attribute, &self.groups, &self.known, bar_of, rows, self.rounded_to)
    }

    /// Values and nodes that the release names; values that it does not name, and rare ones, together.
    fn values(&self, spread: &GroupSpread) -> Vec<ValueBar> {
        let mut bars: Vec<NamedBar<'_>> = Vec::new();
        let mut known: HashMap<&str, usize, KeyedHashState> = HashMap::default();
        let mut rest = ValueBar { label: "other values".to_owned(), before: 0, after: 0.0 };
        for code in (0..spread.units.len()).filter(|&code| self.known.has(code)) {
            let (before, after) = (self.before[code], spread.after[code]);
            let Some(label) = self.named(spread, code) else {
                rest.before += before;
                rest.after += after;
                continue;
            };
            let at = *known.entry(label).or_insert_with(|| {
                bars.push(NamedBar { label, first: code, before: 0, after: 0.0 });
                bars.len() - 1
            });
            bars[at].before += before;
            bars[at].after += after;
        }
        bars.sort_by(|one, other| other.before.cmp(&one.before).then(one.label.cmp(other.label)));
        let give_up = |bars: &mut Vec<NamedBar<'_>>, rest: &mut ValueBar, at: usize| {
            let bar = bars.remove(at);
            rest.before += bar.before;
            rest.after += bar.after;
        };
        while let Some(last) = bars.last() {
            let rare = last.before < self.k || (rest.before > 0 && rest.before < self.k);
            if !rare && bars.len() <= VALUES {
                break;
            }
            let last = bars.len() - 1;
            give_up(&mut bars, &mut rest, last);
        }
        while !bars.is_empty() {
            let place: HashMap<&str, usize, KeyedHashState> =
                bars.iter().enumerate().map(|(at, bar)| (bar.label, at)).collect();
            let bar_of: Vec<Option<usize>> = (0..self.before.len())
                .map(|code| {
                    let known =
                        self.named(spread, code).and_then(|label| place.get(label).copied());
                    Some(known.unwrap_or(bars.len()))
                })
                .collect();
            let rows: Vec<u64> = bars.iter().map(|bar| bar.before).chain([rest.before]).collect();
            let Some(weak) = self.weakest(&bar_of, &rows) else { break };
            let at = weak.min(bars.len() - 1);
            give_up(&mut bars, &mut rest, at);
        }
        // Dates, codes and grades are looked for in their order, names by how many have them.
        if bars
            .iter()
            .all(|bar| bar.label.starts_with(|first: char| first.is_ascii_digit() || first == '['))
        {
            bars.sort_by_key(|bar| bar.first);
        }
        let shown = bars.into_iter().map(|bar| ValueBar {
            label: bar.label.to_owned(),
            before: bar.before,
            after: bar.after,
        });
        shown.chain((rest.before > 0).then_some(rest)).collect()
    }
}

/// A bar on its way.
struct NamedBar<'a> {
    label: &'a str,
    /// The first code that it stands for.
    first: usize,
    before: u64,
    after: f64,
}

/// A round number that is not less: 1, 2 or 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    if least.is_nan() || least <= 0.0 {
        return 1.0;
    }
    let ten = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * ten).find(|&step| step >= least);
    step.unwrap_or(10.0 * ten)
}

/// A multiple of a step as one writes it down: without the last digits that computing in halves leaves.
fn rounded(value: f64, step: f64) -> f64 {
    let digits = (-step.log10().floor()).clamp(0.0, 17.0) as usize;
    format!("{value:.digits$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{Problem, ProblemSpec, Table};
    use incrowd_testing::LinearRng;

    fn attribute(values: usize) -> Attribute {
        let rows: Vec<[String; 1]> = (0..values).map(|at| [format!("v{at:05}")]).collect();
        let table = Table::from_rows(&["a"], &rows).unwrap();
        let problem = Problem::of_table(&ProblemSpec::new(1).quasi("a"), &table).unwrap();
        problem.attributes.into_iter().next().unwrap()
    }

    #[test]
    fn edges_are_decimal() {
        let edges: Vec<String> =
            (0..8).map(|at| show_number(rounded(f64::from(at) * 0.1, 0.1))).collect();
        assert_eq!(edges, ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]);
        assert_eq!(show_number(rounded(3.0 * 20.0, 20.0)), "60");
        assert_eq!(show_number(rounded(7.0 * 5e-5, 5e-5)), "0.00035");
    }

    /// Rows per value as the definition says, and work that grows with groups and values, not with their product:
    /// the report of 52,000 rows took forty times as long as the run.
    #[test]
    fn what_is_drawn_costs_values_and_groups() {
        let (values, number) = (2_000, 3_000);
        let attribute = attribute(values);
        let mut random = LinearRng::new(7);
        let mut next = |below: usize| random.below(below as u64) as u32;
        let groups: Vec<(Group, u64)> = (0..number)
            .map(|at| {
                let (one, other) = (next(values), next(values));
                let group = match at % 3 {
                    0 => Group::Set([one.min(other), one.max(other) + 1].into()),
                    1 => Group::Range { first: one, last: one },
                    _ => Group::Range { first: one.min(other), last: one.max(other) },
                };
                (group, u64::from(next(9)) + 1)
            })
            .filter(|(group, _)| attribute.span(group).1 < values as u32)
            .collect();
        let held: Vec<(&Group, u64)> = groups.iter().map(|(group, held)| (group, *held)).collect();
        let spread = GroupSpread::new(&attribute, &held, &KnownValues::all(&attribute));
        for code in (0..values).step_by(37) {
            let inside = held.iter().filter(|(group, _)| attribute.contains(group, code as u32));
            let slow: f64 =
                inside.map(|(group, held)| *held as f64 / attribute.size(group) as f64).sum();
            assert!(
                (spread.after[code] - slow).abs() < 1e-6,
                "{code}: {} {slow}",
                spread.after[code]
            );
        }
        assert!(spread.work <= 3 * (values + number) as u64, "{}", spread.work);
    }
}
