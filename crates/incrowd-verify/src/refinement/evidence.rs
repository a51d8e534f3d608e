//! Whether the labels of a column look fitted to the classes that they stand for, or taken from a list.
//!
//! A range that was fitted ends at values of its class. One of a list (bins, rounded ends, groups that hold everywhere) ends
//! where the list says, and tells nobody's value. The labels of a whole column show which it is:
//!
//! - ends that are all multiples of a step by no chance worth mentioning are rounded;
//! - labels of which none crosses another, each shared by several classes, are those of a list or of a global recoding.

use std::collections::{BTreeMap, BTreeSet};

use super::label_shape::LabelShape;

/// Ends are rounded by a coincidence of one in 2 to the power of this.
const COINCIDENCE: f64 = 20.0;
/// Each label of a list stands in so many classes at least, on average.
const SHARED: f64 = 2.0;
/// Sets of more different kinds are not compared with each other.
const MOST_SETS: usize = 1_000;

/// Whether the labels of a column may be fitted to their classes: pairs of a shape and how many classes have it.
pub(super) fn may_be_fitted(shapes: &[(&LabelShape, u64)]) -> bool {
    let generalized = || shapes.iter().filter(|(shape, _)| shape.is_generalized());
    let spans: Vec<(f64, f64)> = generalized().filter_map(|(shape, _)| shape.span).collect();
    let sets: Vec<BTreeSet<&str>> = generalized()
        .filter(|(shape, _)| !shape.elements.is_empty())
        .map(|(shape, _)| shape.elements.iter().map(String::as_str).collect())
        .collect();
    if sets.is_empty() && are_rounded(&spans) {
        return false;
    }
    let (labels, classes) =
        generalized().fold((0.0, 0.0), |sum, (_, classes)| (sum.0 + 1.0, sum.1 + *classes as f64));
    classes < SHARED * labels || crosses(spans) || sets_cross(&sets)
}

/// Whether all ranges begin at a multiple of a step and end at one, or right before it, more often than chance allows.
fn are_rounded(spans: &[(f64, f64)]) -> bool {
    let distinct = |end: fn(&(f64, f64)) -> f64| {
        let mut ends: Vec<f64> = spans.iter().map(end).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        ends
    };
    let (lows, highs) = (distinct(|span| span.0), distinct(|span| span.1));
    let steps = (0..15).flat_map(|power| [2.0, 5.0, 10.0].map(|digit| digit * 10f64.powi(power)));
    steps.into_iter().any(|step: f64| {
        let at = |end: &f64| end.rem_euclid(step) == 0.0;
        let near = |end: &f64| at(end) || at(&(end + 1.0));
        let odds = lows.len() as f64 * step.log2() + highs.len() as f64 * (step / 2.0).log2();
        odds >= COINCIDENCE && lows.iter().all(at) && highs.iter().all(near)
    })
}

/// Whether two ranges have values in common, and neither holds the other.
fn crosses(mut spans: Vec<(f64, f64)>) -> bool {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
    let mut open: Vec<(f64, f64)> = Vec::new();
    for span in spans {
        while open.last().is_some_and(|last| last.1 < span.0) {
            open.pop();
        }
        if open.last().is_some_and(|last| last.1 < span.1) {
            return true;
        }
        open.push(span);
    }
    false
}

/// The same of sets. So many that they are not compared are no list that anybody made.
fn sets_cross(sets: &[BTreeSet<&str>]) -> bool {
    if sets.len() > MOST_SETS {
        return true;
    }
    let mut holding: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, set) in sets.iter().enumerate() {
        set.iter().for_each(|element| holding.entry(element).or_default().push(at));
    }
    sets.iter().enumerate().any(|(at, set)| {
        let others: BTreeSet<usize> = set
            .iter()
            .flat_map(|element| &holding[element])
            .copied()
            .filter(|it| *it > at)
            .collect();
        others.into_iter().any(|other| !set.is_subset(&sets[other]) && !sets[other].is_subset(set))
    })
}

#[cfg(test)]
mod tests {
    use super::super::multisets::SureValues;
    use super::*;

    fn ranges(spans: &[(f64, f64)], classes: u64) -> bool {
        let shapes: Vec<LabelShape> = spans
            .iter()
            .map(|&(low, high)| LabelShape {
                values: high - low + 1.0,
                sure: SureValues::Ends,
                span: Some((low, high)),
                elements: Vec::new(),
            })
            .collect();
        may_be_fitted(&shapes.iter().map(|shape| (shape, classes)).collect::<Vec<_>>())
    }

    #[test]
    fn ranges_that_cross_were_fitted() {
        assert!(ranges(&[(20.0, 25.0), (23.0, 29.0)], 5));
        assert!(!ranges(&[(20.0, 25.0), (26.0, 29.0), (20.0, 29.0)], 5));
        assert!(ranges(&[(20.0, 25.0), (26.0, 29.0), (20.0, 29.0)], 1), "each has its own class");
    }

    #[test]
    fn rounded_ends_are_known_by_their_number() {
        let round: Vec<(f64, f64)> =
            (1..8).map(|at| (5.0 * at as f64, 5.0 * at as f64 + 10.0)).collect();
        assert!(!ranges(&round, 1));
        assert!(ranges(&round[..2], 1), "two could be chance");
        let whole: Vec<(f64, f64)> =
            (1..9).map(|at| (10.0 * at as f64, 10.0 * at as f64 + 19.0)).collect();
        assert!(!ranges(&whole, 1), "[20-39] ends right before a multiple");
    }

    #[test]
    fn sets_that_cross_were_fitted() {
        let set = |elements: &[&str]| LabelShape {
            values: elements.len() as f64,
            sure: SureValues::All,
            span: None,
            elements: elements.iter().map(|it| (*it).to_owned()).collect(),
        };
        let (ab, bc, cd) = (set(&["a", "b"]), set(&["b", "c"]), set(&["c", "d"]));
        assert!(may_be_fitted(&[(&ab, 9), (&bc, 9)]));
        assert!(!may_be_fitted(&[(&ab, 9), (&cd, 9)]));
    }
}
