//! Hierarchies by rule for columns that have none, where releases are made of levels.
//!
//! Numbers get nested intervals whose widths read well, codes of one length their prefixes; dates have their units of
//! time already. Other text has two levels,
//! the value and nothing, and needs no hierarchy for that.

use crate::problem::Problem;
use crate::value::{
    Attribute, Decimal, Domain, Hierarchy, HierarchyRule, ValueBounds, show_number,
};

/// The finest intervals are at most so many.
const MOST_INTERVALS: f64 = 40.0;

/// Codes of more characters are hardly codes.
const LONGEST_CODE: usize = 16;

/// Gives every quasi-identifier that has no hierarchy one by rule, if there is a rule for it.
pub(super) fn give(problem: &mut Problem) {
    for attribute in &mut problem.attributes {
        // Dates have their units of time.
        let is_bare = attribute.tree().is_none();
        if is_bare && attribute.limits.is_none() {
            attribute.hierarchy = ladder(attribute);
        }
    }
}

fn ladder(attribute: &Attribute) -> Option<Hierarchy> {
    let domain = &attribute.domain;
    let missing = domain.missing_code();
    let codes: Vec<u32> = (0..domain.len() as u32).filter(|&code| Some(code) != missing).collect();
    let values: Vec<&str> = codes.iter().map(|&code| domain.label(code)).collect();
    let rows = if domain.is_numeric() {
        let widths = widths(domain, codes.len())?;
        let is_bins =
            codes.iter().any(|&code| domain.bounds(code).is_some_and(|bounds| !bounds.is_point()));
        match is_bins {
            true => rows_of_bins(domain, &codes, &widths),
            false => HierarchyRule::Intervals { widths, start: 0.0 }
                .rows(&attribute.name, domain)
                .ok()?,
        }
    } else if are_codes(&values) {
        HierarchyRule::Prefix(Vec::new()).rows(&attribute.name, domain).ok()?
    } else {
        return None;
    };
    let tree = Hierarchy::from_rows(&rows).ok()?;
    // Codes stay what they are only if the leaves lie in the order of the values.
    if !tree.leaves().eq(values.iter().copied()) {
        return None;
    }
    Some(missing.map_or_else(|| tree.clone(), |code| tree.with_missing(domain.label(code))))
}

/// Widths that read well, each twice the one before, from a few dozen intervals up to two or three.
fn widths(domain: &Domain, values: usize) -> Option<Vec<f64>> {
    let range = domain.range();
    if !range.is_finite() || range <= 0.0 || values < 3 {
        return None;
    }
    let least = range / MOST_INTERVALS;
    let ten = 10f64.powf(least.log10().floor());
    let mut width =
        [1.0, 2.0, 5.0, 10.0].map(|step| step * ten).into_iter().find(|w| *w >= least)?;
    let is_whole = (0..domain.len() as u32)
        .filter_map(|code| domain.bounds(code))
        .all(|bounds| bounds.least().is_whole());
    if is_whole {
        // An interval of a single whole number says nothing new.
        width = width.max(2.0).round();
    }
    // What is written must be what is reckoned with.
    width = show_number(width).parse().ok()?;
    let all: Vec<f64> = std::iter::successors(Some(width), |width| Some(width * 2.0))
        .take_while(|w| *w < range)
        .collect();
    (!all.is_empty()).then_some(all)
}

/// Bins joined by the interval that their low end lies in, called by the ends of all that are joined.
fn rows_of_bins(domain: &Domain, codes: &[u32], widths: &[f64]) -> Vec<Vec<String>> {
    let low = |code: u32| domain.bounds(code).map_or(Decimal::ZERO, ValueBounds::least);
    let mut rows: Vec<Vec<String>> =
        codes.iter().map(|&code| vec![domain.label(code).to_owned()]).collect();
    for width in widths {
        let step = Decimal::of_f64(*width).unwrap_or(Decimal::ONE);
        let place = |code: u32| low(code).floor_to(step, Decimal::ZERO);
        let mut from = 0;
        for run in codes.chunk_by(|&a, &b| place(a) == place(b)) {
            let label = match run {
                [only] => Some(domain.label(*only).to_owned()),
                _ => domain.range_label(run[0], run[run.len() - 1]),
            };
            let label = label.unwrap_or_else(|| "*".to_owned());
            rows[from..from + run.len()].iter_mut().for_each(|row| row.push(label.clone()));
            from += run.len();
        }
    }
    rows.iter_mut().for_each(|row| row.push("*".to_owned()));
    rows
}

/// Whether values are codes of one length, such as ZIP codes: nearly all of them with a digit.
fn are_codes(values: &[&str]) -> bool {
    let length = values.first().map_or(0, |value| value.chars().count());
    let with_digits =
        values.iter().filter(|value| value.bytes().any(|byte| byte.is_ascii_digit())).count();
    values.len() > 2
        && (2..=LONGEST_CODE).contains(&length)
        && values.iter().all(|value| value.chars().count() == length)
        && with_digits * 10 >= values.len() * 9
}
