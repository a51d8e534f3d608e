//! What classes are called in a release.

use std::collections::BTreeMap;

use super::calibration::factors;
use super::classes::EquivalenceClasses;
use crate::problem::Problem;
use crate::table::Dictionary;
use crate::value::{Attribute, BLANK, ClassSummary, Decimal, Group, ValueBounds};

/// How an attribute appears in a release.
#[derive(Debug, Clone)]
pub(super) struct ReleasedColumn {
    pub(super) names: Vec<String>,
    /// Distinct labels, `names.len()` fields each.
    pub(super) labels: Vec<Vec<String>>,
    /// For each class the label.
    pub(super) of_class: Vec<u32>,
}

/// How an attribute of these classes appears.
pub(super) fn released_column(
    problem: &Problem,
    classes: &EquivalenceClasses,
    at: usize,
) -> ReleasedColumn {
    let attribute = &problem.attributes[at];
    let name = &attribute.name;
    let groups = classes.groups[at].as_slice();
    let ids = || (0..classes.len()).map(|class| classes.ids_of(class)[at]);
    match attribute.summary {
        ClassSummary::Range | ClassSummary::Node | ClassSummary::Nodes => ReleasedColumn {
            names: vec![name.clone()],
            labels: groups.iter().map(|group| vec![attribute.label(group)]).collect(),
            of_class: ids().collect(),
        },
        ClassSummary::Columns => ReleasedColumn {
            names: vec![format!("{name}_min"), format!("{name}_max")],
            labels: groups.iter().map(|group| ends(attribute, group)).collect(),
            of_class: ids().collect(),
        },
        ClassSummary::Mean | ClassSummary::Median => {
            let mut dictionary = Dictionary::new();
            let values = class_values(problem, classes, at);
            let is_weight = problem.survey_weight == Some(at);
            // Without a weight a row stands for nobody. Where a blank matches anything, a class may hold fewer than k rows,
            // and its mean would tell who they are.
            let keeps_blank = !is_weight || problem.privacy.wildcards;
            let factors = match is_weight {
                true => factors(problem, classes, at),
                false => None,
            };
            let of_class = values
                .iter()
                .zip(ids())
                .enumerate()
                .map(|(class, (values, id))| {
                    let group = &groups[id as usize];
                    let label = match matches!(group, Group::Blank) && keeps_blank {
                        true => attribute.label(group),
                        false => middle(attribute, group, values),
                    };
                    let factor = factors.as_ref().map(|factors| factors[class]);
                    let scaled = factor.and_then(|factor| scaled(attribute, &label, factor));
                    dictionary.intern(&scaled.unwrap_or(label))
                })
                .collect();
            let labels = dictionary.iter().map(|label| vec![label.to_owned()]).collect();
            ReleasedColumn { names: vec![name.clone()], labels, of_class }
        }
    }
}

/// A mean that was written down, grown by a factor.
fn scaled(attribute: &Attribute, label: &str, factor: f64) -> Option<String> {
    let scale = attribute.domain.scale()?;
    let mean = scale.read_label(label)?.middle()?.to_f64() * factor;
    let places = 10f64.powi(MEAN_PLACES as i32);
    Some(scale.show(Decimal::of_f64((mean * places).round() / places)?))
}

/// The lowest and the highest value of a group, each as a field.
fn ends(attribute: &Attribute, group: &Group) -> Vec<String> {
    match group {
        Group::Blank => vec![BLANK.to_owned(); 2],
        _ => match attribute.ends(group) {
            Some([low, high]) => vec![low, high],
            None => vec![attribute.label(group); 2],
        },
    }
}

/// For each class, how many rows carry each value of an attribute.
pub(super) fn class_values(
    problem: &Problem,
    classes: &EquivalenceClasses,
    at: usize,
) -> Vec<BTreeMap<u32, u64>> {
    let mut values = vec![BTreeMap::new(); classes.len()];
    let add = |class: u32, cell: usize, count: u64| {
        if let Some(values) = values.get_mut(class as usize) {
            *values.entry(problem.cells.code(at, cell)).or_insert(0) += count;
        }
    };
    classes.for_each_share(&problem.cells, add);
    values
}

/// Four decimals of a mean tell enough and read well.
const MEAN_PLACES: u32 = 4;

/// The mean or median of a class's values; a bin counts as its middle, a value with an open end as its other one.
fn middle(attribute: &Attribute, group: &Group, values: &BTreeMap<u32, u64>) -> String {
    let domain = &attribute.domain;
    let number = |code: u32| domain.bounds(code).and_then(ValueBounds::middle);
    let rows: u64 = values.values().sum();
    if rows == 0 || values.keys().any(|&code| number(code).is_none()) {
        return attribute.label(group);
    }
    let shown = |middle: Option<Decimal>| {
        middle.zip(domain.scale()).map_or_else(String::new, |(middle, scale)| scale.show(middle))
    };
    if attribute.summary == ClassSummary::Median {
        let mut before = 0;
        for (&code, &count) in values {
            before += count;
            if 2 * before >= rows {
                return shown(number(code));
            }
        }
    }
    let times =
        |(&code, &count): (&u32, &u64)| number(code)?.checked_mul(Decimal::new(count.into(), 0)?);
    let sum = values.iter().try_fold(Decimal::ZERO, |sum, value| sum.checked_add(times(value)?));
    shown(sum.and_then(|sum| sum.divided(rows, MEAN_PLACES)).or_else(|| {
        // Numbers too far apart for 38 digits: their mean is theirs to a double's digits.
        let each = values.iter().filter_map(|(&code, &count)| Some((number(code)?, count)));
        let mean: f64 =
            each.map(|(number, count)| number.to_f64() * (count as f64 / rows as f64)).sum();
        Decimal::of_f64(mean)
    }))
}
