//! A column as its analysts see it: exact values before, and what labels leave open after.

use std::ops::Range;

use incrowd_engine::cost::certainty_penalty;
use incrowd_engine::table::UNSEEN;
use incrowd_engine::value::{Attribute, Domain, Group};

use crate::queries::ReleasedCell;

/// What a released label may stand for. All values that it holds are equally likely.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LabelMembers {
    /// The values of these codes.
    Codes(Range<u32>),
    /// The values of these codes, which have gaps.
    Set(Box<[u32]>),
    /// A number that stands for others, such as a mean.
    Number(f64),
    /// Anything: it is read as the other labels of the column are distributed.
    Nothing,
}

impl LabelMembers {
    /// The codes that it holds.
    pub(super) fn codes(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            LabelMembers::Codes(codes) => Box::new(codes.clone()),
            LabelMembers::Set(codes) => Box::new(codes.iter().copied()),
            LabelMembers::Number(_) | LabelMembers::Nothing => Box::new(std::iter::empty()),
        }
    }
}

/// A column of a table and of its release.
#[derive(Debug, Clone)]
pub struct AnalysisColumn {
    /// Its name.
    pub name: String,
    /// Its values as text, by code.
    pub(super) labels: Vec<String>,
    /// Its values as numbers, by code, if it is one of numbers; none for missing.
    pub(super) numbers: Option<Vec<Option<f64>>>,
    /// The code of missing.
    pub(super) missing: Option<u32>,
    /// The code of every row before.
    pub(super) original: Vec<u32>,
    /// What each label may stand for.
    pub(super) shown: Vec<LabelMembers>,
    /// The label of every row after.
    pub(super) released: Vec<u32>,
    /// For a quasi-identifier its weight, and the certainty penalty of each label.
    pub(super) penalties: Option<(f64, Vec<f64>)>,
}

impl AnalysisColumn {
    /// A quasi-identifier: the code of every row before, each label once, and the label of every row after.
    pub fn of_attribute(
        attribute: &Attribute,
        original: Vec<u32>,
        cells: &[ReleasedCell],
        released: Vec<u32>,
    ) -> Self {
        let members = |cell: &ReleasedCell| match cell {
            ReleasedCell::Number(number) => LabelMembers::Number(*number),
            ReleasedCell::Group(Group::Blank) => LabelMembers::Nothing,
            ReleasedCell::Group(Group::Set(codes)) => LabelMembers::Set(codes.as_ref().into()),
            ReleasedCell::Group(group) => {
                let (first, last) = attribute.span(group);
                LabelMembers::Codes(first..last + 1)
            }
        };
        let penalty = |cell: &ReleasedCell| match cell {
            ReleasedCell::Number(_) => 0.0,
            ReleasedCell::Group(group) => certainty_penalty(attribute, group),
        };
        let shown = cells.iter().map(members).collect();
        let penalties = cells.iter().map(penalty).collect();
        let mut column =
            Self::new(&attribute.name, &attribute.domain, true, original, shown, released);
        column.penalties = Some((attribute.weight, penalties));
        column
    }

    /// A column that is released as it is: the code of every row, before and after. Numbers are categories unless
    /// `measured`.
    pub fn of_values(
        name: &str,
        domain: &Domain,
        measured: bool,
        original: Vec<u32>,
        released: Vec<u32>,
    ) -> Self {
        let shown = (0..domain.len() as u32).map(|code| LabelMembers::Codes(code..code + 1));
        Self::new(name, domain, measured, original, shown.collect(), released)
    }

    fn new(
        name: &str,
        domain: &Domain,
        measured: bool,
        original: Vec<u32>,
        shown: Vec<LabelMembers>,
        released: Vec<u32>,
    ) -> Self {
        let codes = 0..domain.len() as u32;
        let number = |code: u32| {
            let bounds = domain.bounds(code)?;
            match (bounds.low, bounds.high) {
                (Some(low), Some(high)) => Some((low.to_f64() + high.to_f64()) / 2.0),
                (Some(end), None) | (None, Some(end)) => Some(end.to_f64()),
                (None, None) => None,
            }
            .filter(|number| number.is_finite())
        };
        let numeric = measured && domain.is_numeric();
        let inside = |codes: &[u32], most: usize| codes.iter().all(|&code| (code as usize) < most);
        let mut column = AnalysisColumn {
            name: name.to_owned(),
            labels: codes.clone().map(|code| domain.label(code).to_owned()).collect(),
            numbers: numeric.then(|| codes.map(number).collect()),
            missing: domain.missing_code(),
            original,
            shown,
            released,
            penalties: None,
        };
        // A value that the domain lacks tells nothing.
        let nothing = column.shown.len() as u32;
        if !inside(&column.released, column.shown.len()) {
            column.shown.push(LabelMembers::Nothing);
            column.released.iter_mut().for_each(|label| *label = (*label).min(nothing));
        }
        if !inside(&column.original, column.labels.len()) {
            let unknown = column.labels.len() as u32;
            column.labels.push(String::new());
            if let Some(numbers) = &mut column.numbers {
                numbers.push(None);
            }
            column.original.iter_mut().filter(|code| **code == UNSEEN).for_each(|c| *c = unknown);
        }
        column
    }

    /// Whether it is one of numbers.
    pub(super) fn is_numeric(&self) -> bool {
        self.numbers.is_some()
    }

    /// How many rows have each value before.
    pub(super) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.labels.len()];
        self.original.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    }

    /// The number that each value is, and the one that is expected of each label; none where nothing is known.
    pub(super) fn expected(&self) -> Option<[Vec<Option<f64>>; 2]> {
        let numbers = self.numbers.as_ref()?;
        let mean = |label: &LabelMembers| match label {
            LabelMembers::Number(number) => Some(*number),
            label => {
                let held: Vec<f64> =
                    label.codes().filter_map(|code| numbers[code as usize]).collect();
                (!held.is_empty()).then(|| held.iter().sum::<f64>() / held.len() as f64)
            }
        };
        Some([numbers.clone(), self.shown.iter().map(mean).collect()])
    }

    /// The shares of groups of values that each value, and each label, stands for; `group_of` tells the group of a
    /// value, `group_of_number` that of a number that stands for others. Empty where nothing is known.
    pub(super) fn shares(
        &self,
        group_of: &[u32],
        group_of_number: impl Fn(f64) -> Option<u32>,
    ) -> [Vec<GroupShares>; 2] {
        let of_label = |label: &LabelMembers| -> GroupShares {
            if let LabelMembers::Number(number) = label {
                return group_of_number(*number).map(|group| (group, 1.0)).into_iter().collect();
            }
            let mut groups: Vec<u32> = label.codes().map(|code| group_of[code as usize]).collect();
            groups.sort_unstable();
            let all = groups.len() as f64;
            let runs = groups.chunk_by(|a, b| a == b);
            runs.map(|run| (run[0], run.len() as f64 / all)).collect()
        };
        let exact = group_of.iter().map(|&group| vec![(group, 1.0)]);
        [exact.collect(), self.shown.iter().map(of_label).collect()]
    }

    /// The original's values in the groups that analysts would keep: the most frequent ones, as many as that and of
    /// at least so many rows each, and all others as one.
    pub(super) fn categories(&self, most: usize, least: u64) -> CategoryGroups {
        let counts = self.counts();
        let mut codes: Vec<usize> = (0..counts.len()).filter(|&code| counts[code] > 0).collect();
        codes.sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
        let mut kept: Vec<usize> =
            codes.iter().copied().filter(|&code| counts[code] >= least).collect();
        kept.truncate(if codes.len() > most.min(kept.len()) { most - 1 } else { most });
        let mut of_code = vec![kept.len() as u32; counts.len()];
        for (group, &code) in kept.iter().enumerate() {
            of_code[code] = group as u32;
        }
        let mut names: Vec<Option<String>> =
            kept.iter().map(|&code| Some(self.labels[code].clone())).collect();
        // Values that only a release has are others, too.
        if of_code.iter().any(|&group| group as usize == kept.len()) {
            names.push(None);
        }
        CategoryGroups { names, of_code }
    }
}

/// Groups of values with the share of each, ascending.
pub(super) type GroupShares = Vec<(u32, f64)>;

/// Values as analysts group them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CategoryGroups {
    /// What each group is called, the most frequent first; none for all other values.
    pub(super) names: Vec<Option<String>>,
    /// The group of each value.
    pub(super) of_code: Vec<u32>,
}

/// Fills in what nothing is known of by the mean of the others. None if nothing is known at all.
pub(super) fn filled(values: &[Option<f64>], ids: &[u32], weights: &[f64]) -> Option<Vec<f64>> {
    let (mut sum, mut total) = (0.0, 0.0);
    for (&id, &weight) in ids.iter().zip(weights) {
        if let Some(value) = values[id as usize] {
            sum += weight * value;
            total += weight;
        }
    }
    let mean = (total > 0.0).then(|| sum / total)?;
    Some(values.iter().map(|value| value.unwrap_or(mean)).collect())
}

/// The same for shares of groups.
pub(super) fn filled_shares(
    shares: &[GroupShares],
    ids: &[u32],
    weights: &[f64],
    groups: usize,
) -> Option<Vec<GroupShares>> {
    if shares.iter().all(|shares| !shares.is_empty()) {
        return Some(shares.to_vec());
    }
    let mut known = vec![0.0; groups];
    for (&id, &weight) in ids.iter().zip(weights) {
        for &(group, share) in &shares[id as usize] {
            known[group as usize] += weight * share;
        }
    }
    let total: f64 = known.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let others: GroupShares = (0..).zip(&known).map(|(group, of)| (group, of / total)).collect();
    let others: GroupShares = others.into_iter().filter(|(_, share)| *share > 0.0).collect();
    let fill = |shares: &GroupShares| {
        if shares.is_empty() { others.clone() } else { shares.clone() }
    };
    Some(shares.iter().map(fill).collect())
}
