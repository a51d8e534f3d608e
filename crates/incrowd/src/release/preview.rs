//! A release beside its table: what a report draws.
//!
//! A picture can be shown wherever the release can. It names no value that the release does not name, and
//! every count of original rows is of at least k of them, or of none: rarer values are drawn together.

use serde::{Deserialize, Serialize};

use super::Release;
use super::classes::Classes;
use crate::cost::certainty_penalty;
use crate::problem::Problem;
use crate::recoding::{Recoding, Wording};
use crate::value::{Attribute, BLANK, DateScale, Group, Moment, Scale, show_number, shown_value};

/// A release beside its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Rows by the size of the class that they stand in, before and after.
    pub sizes: Vec<SizeBar>,
    /// How well people hide in the table.
    pub before: Hiding,
    /// How well they hide in the release.
    pub after: Hiding,
    /// The quasi-identifiers.
    pub attributes: Vec<AttributePicture>,
}

/// Rows that stand in classes of such a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeBar {
    /// The smallest size.
    pub from: u64,
    /// The largest size.
    pub to: u64,
    /// Rows of the table.
    pub before: u64,
    /// Rows of the release.
    pub after: u64,
}

/// How well people hide in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hiding {
    /// Rows, suppressed ones left out.
    pub rows: u64,
    /// Classes of rows that look alike.
    pub classes: u64,
    /// The chance to find a person who is known to be there and stands in the smallest class (the
    /// *prosecutor's* highest risk).
    pub highest: f64,
    /// The share of all people that would be found if somebody tried all of them (the *marketer's* risk).
    pub average: f64,
    /// The share of rows that stand alone.
    pub unique: f64,
}

/// What became of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributePicture {
    /// The column.
    pub name: String,
    /// How much of its information is kept, from 0 to 1: 1 less the mean certainty penalty.
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

/// Bars of a numeric attribute, about.
const BINS: f64 = 14.0;
/// Bars of dates, about.
const PERIODS: i128 = 16;
/// Bars of any other attribute, at most; the rest is drawn as one.
const VALUES: usize = 14;

impl Picture {
    /// The picture of a release.
    pub fn new(problem: &Problem, recoding: &Recoding, release: &Release) -> Self {
        Self::of_classes(problem, &release.classes, |_, _| recoding.wording())
    }

    /// The picture of a release of which only the classes are known, such as one that was read.
    pub fn seen(problem: &Problem, classes: &Classes) -> Self {
        Self::of_classes(problem, classes, Wording::of)
    }

    fn of_classes(
        problem: &Problem,
        classes: &Classes,
        wording: impl Fn(&Attribute, &[&Group]) -> Wording,
    ) -> Self {
        let before: Vec<u64> = problem.cells.counts().to_vec();
        let after: Vec<u64> = classes.released().map(|class| classes.sizes[class]).collect();
        Picture {
            sizes: size_bars(&before, &after),
            before: Hiding::of(&before),
            after: Hiding::of(&after),
            attributes: (0..problem.attributes.len())
                .map(|at| Drawn::new(problem, classes, at).picture(&wording))
                .collect(),
        }
    }
}

impl Hiding {
    fn of(sizes: &[u64]) -> Self {
        let rows: u64 = sizes.iter().sum();
        let share = |part: u64| if rows == 0 { 0.0 } else { part as f64 / rows as f64 };
        Hiding {
            rows,
            classes: sizes.len() as u64,
            highest: sizes.iter().min().map_or(0.0, |&least| 1.0 / least as f64),
            average: share(sizes.len() as u64),
            unique: share(sizes.iter().filter(|&&size| size == 1).count() as u64),
        }
    }
}

/// Groups of sizes 1, 2, 3-4, 5-9, 10-19, 20-49 and so on, the last of which ends with `most`.
pub fn size_buckets(most: u64) -> Vec<(u64, u64)> {
    let starts: Vec<u64> = [1, 2, 3]
        .into_iter()
        .chain((0..18).flat_map(|ten| [5, 10, 20].map(|start: u64| start * 10u64.pow(ten))))
        .take_while(|&from| from <= most)
        .collect();
    let ends = starts.iter().skip(1).map(|&next| next - 1).chain([most]);
    starts.iter().copied().zip(ends).collect()
}

/// Rows by class size.
fn size_bars(before: &[u64], after: &[u64]) -> Vec<SizeBar> {
    let most = before.iter().chain(after).copied().max().unwrap_or(0);
    let bars = size_buckets(most).into_iter();
    let mut bars: Vec<SizeBar> =
        bars.map(|(from, to)| SizeBar { from, to, before: 0, after: 0 }).collect();
    let place = |size: u64, bars: &[SizeBar]| bars.partition_point(|bar| bar.to < size);
    for &size in before {
        let at = place(size, &bars);
        bars[at].before += size;
    }
    for &size in after {
        let at = place(size, &bars);
        bars[at].after += size;
    }
    bars
}

/// An attribute to be drawn.
struct Drawn<'a> {
    attribute: &'a Attribute,
    k: u64,
    rows: u64,
    /// Rows of the table by code.
    before: Vec<u64>,
    /// Released groups with the rows that they hold.
    groups: Vec<(&'a Group, u64)>,
}

impl<'a> Drawn<'a> {
    fn new(problem: &'a Problem, classes: &'a Classes, at: usize) -> Self {
        let groups = classes.groups[at].as_slice();
        let mut held = vec![0; groups.len()];
        for class in classes.released() {
            held[classes.ids_of(class)[at] as usize] += classes.sizes[class];
        }
        Drawn {
            attribute: &problem.attributes[at],
            k: problem.privacy.k,
            rows: problem.rows,
            before: problem.marginal(at),
            groups: groups.iter().zip(held).filter(|(_, held)| *held > 0).collect(),
        }
    }

    fn picture(&self, wording: impl Fn(&Attribute, &[&Group]) -> Wording) -> AttributePicture {
        // Groups of suppressed rows are not the reader's business.
        let groups: Vec<&Group> = self.groups.iter().map(|(group, _)| *group).collect();
        AttributePicture {
            name: self.attribute.name.clone(),
            kept: self.kept(),
            words: wording(self.attribute, &groups).describe(self.attribute, groups),
            bars: self.bars(),
        }
    }

    fn kept(&self) -> f64 {
        let kept = self
            .groups
            .iter()
            .map(|(group, held)| *held as f64 * (1.0 - certainty_penalty(self.attribute, group)));
        kept.sum::<f64>() / self.rows as f64
    }

    fn bars(&self) -> Vec<ValueBar> {
        let after = self.after();
        let blank: u64 = self.blank().sum();
        let domain = &self.attribute.domain;
        let mut bars = match domain.scale() {
            Some(Scale::Dates(dates)) if domain.is_numeric() => self.periods(dates, &after),
            _ if domain.is_numeric() => self.ranges(&after),
            _ => self.values(&after),
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

    /// Rows of the release by code, each group's divided evenly among its values.
    fn after(&self) -> Vec<f64> {
        let mut after = vec![0.0; self.before.len()];
        for (group, held) in self.groups.iter().filter(|(group, _)| **group != Group::Blank) {
            let share = *held as f64 / self.attribute.size(group) as f64;
            let (first, last) = self.attribute.span(group);
            for code in (first..=last).filter(|&code| self.attribute.contains(group, code)) {
                after[code as usize] += share;
            }
        }
        after
    }

    /// Numbers in bins of a round width; bins of fewer than k rows are joined with the next.
    fn ranges(&self, after: &[f64]) -> Vec<ValueBar> {
        let domain = &self.attribute.domain;
        let middle = |code: usize| {
            let (low, high) = domain.bounds(code as u32)?.to_f64();
            Some(low + (high - low) / 2.0)
        };
        let middles: Vec<Option<f64>> = (0..self.before.len()).map(middle).collect();
        let known = || middles.iter().flatten().copied();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::MIN, f64::max));
        let step = round_step((high - low) / BINS);
        let bin = |value: f64| (value / step).floor() as i64;
        let bins: Vec<Option<i64>> = middles.iter().map(|middle| middle.map(bin)).collect();
        let edge = |at: i64| show_number(at as f64 * step);
        let label = |first: i64, last: i64| format!("{} to {}", edge(first), edge(last + 1));
        self.joined(&bins, after, label)
    }

    /// Dates by units of time, in their order; units of fewer than k rows are joined with the next.
    fn periods(&self, dates: &DateScale, after: &[f64]) -> Vec<ValueBar> {
        let domain = &self.attribute.domain;
        let moment = |code: usize| domain.moment(code as u32);
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
        let mut bars: Vec<(B, B, u64, f64)> = Vec::new();
        for (code, &bin) in bins.iter().enumerate() {
            let Some(at) = bin else { continue };
            match bars.last_mut() {
                Some(last) if last.1 == at || last.2 < self.k => {
                    *last = (last.0, at, last.2 + self.before[code], last.3 + after[code]);
                }
                _ => bars.push((at, at, self.before[code], after[code])),
            }
        }
        // The last bin has no next one.
        if bars.len() > 1 && bars.last().is_some_and(|last| last.2 < self.k) {
            let last = bars.remove(bars.len() - 1);
            let before = bars.len() - 1;
            let bar = &mut bars[before];
            *bar = (bar.0, last.1, bar.2 + last.2, bar.3 + last.3);
        }
        bars.retain(|bar| bar.2 >= self.k);
        let mut shown: Vec<ValueBar> = bars
            .into_iter()
            .map(|(first, last, before, after)| ValueBar {
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

    /// Values and nodes that the release names; values that it does not name, and rare ones, together.
    fn values(&self, after: &[f64]) -> Vec<ValueBar> {
        let codes = self.before.len();
        // A value is drawn as the narrowest thing that the release names.
        let mut unit: Vec<Option<(usize, String)>> = vec![None; codes];
        for (group, _) in &self.groups {
            let (first, last) = self.attribute.span(group);
            let size = self.attribute.size(group);
            for code in (first..=last).filter(|&code| self.attribute.contains(group, code)) {
                let (size, label) = match group {
                    Group::Blank => continue,
                    Group::Node(_) => (size, self.attribute.label(group)),
                    Group::Range { .. } | Group::Set(_) => {
                        (1, shown_value(self.attribute.domain.label(code)).to_owned())
                    }
                };
                let unit = &mut unit[code as usize];
                if unit.as_ref().is_none_or(|known| size < known.0) {
                    *unit = Some((size, label));
                }
            }
        }
        let mut bars: Vec<ValueBar> = Vec::new();
        let mut rest = ValueBar { label: "other values".to_owned(), before: 0, after: 0.0 };
        for (code, unit) in unit.into_iter().enumerate() {
            let bar = match unit {
                None => &mut rest,
                Some((_, label)) => match bars.iter().position(|bar| bar.label == label) {
                    Some(at) => &mut bars[at],
                    None => {
                        bars.push(ValueBar { label, before: 0, after: 0.0 });
                        bars.last_mut().expect("it has just been pushed")
                    }
                },
            };
            bar.before += self.before[code];
            bar.after += after[code];
        }
        bars.sort_by(|one, other| other.before.cmp(&one.before).then(one.label.cmp(&other.label)));
        while let Some(last) = bars.last() {
            let rare = last.before < self.k || (rest.before > 0 && rest.before < self.k);
            if !rare && bars.len() <= VALUES {
                break;
            }
            rest.before += last.before;
            rest.after += last.after;
            bars.pop();
        }
        if rest.before > 0 {
            bars.push(rest);
        }
        bars
    }
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
