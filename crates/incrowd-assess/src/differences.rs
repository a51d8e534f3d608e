//! What two releases of a growing table tell together.
//!
//! Whoever has last year's release and this year's can subtract them. Counts of classes alone give away how many people
//! came or went in three ways, and none of these numbers may lie between 0 and k:
//!
//! 1. **Classes that read the same** in both: one row more is one new person's row.
//! 2. **A class in which others lie**: where all that an earlier class may hold lies in one class of today, its rows are in
//!    there, and what that class holds beyond such rows is a group of its own; and the other way round.
//! 3. **Classes that hang together**: of classes that meet no others, the rows then and the rows now differ by the new ones.
//!
//! What can be derived from values of sensitive columns that repeat, from several earlier releases at once, or by somebody who
//! knows every person's quasi-identifiers and links both releases person by person, is not looked at.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_engine::value::{Attribute, Group};

use crate::queries::{ReleaseView, ReleasedCell};

/// A group of fewer people than may be told apart, found by subtracting two releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsolatedGroup {
    /// How many rows are told apart.
    pub rows: u64,
    /// What is subtracted.
    pub how: SubtractionKind,
    /// What the class shows around which they lie, a label per attribute.
    pub labels: Vec<String>,
}

/// Which numbers of two releases are subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubtractionKind {
    /// A class reads the same then and now.
    Same,
    /// Earlier classes lie in one of today.
    Grown,
    /// Classes of today lie in an earlier one.
    Split,
    /// Classes hang together and meet no others.
    Together,
}

/// Groups of at least one and fewer than `least` rows that an earlier release and one of today tell apart.
pub fn isolated(
    attributes: &[Attribute],
    earlier: &ReleaseView,
    today: &ReleaseView,
    least: u64,
) -> Vec<IsolatedGroup> {
    let (then, now) =
        (ReleaseClasses::new(attributes, earlier), ReleaseClasses::new(attributes, today));
    let meets = now.met_by(attributes, &then);
    let mut met: Vec<Vec<u32>> = vec![Vec::new(); then.sizes.len()];
    for (class, others) in meets.iter().enumerate() {
        others.iter().for_each(|&other| met[other as usize].push(class as u32));
    }
    let mut found = Vec::new();
    let mut tell = |then_rows: u64, now_rows: u64, how: SubtractionKind, of: &[ValueSet]| {
        let rows = then_rows.abs_diff(now_rows);
        if rows > 0 && rows < least {
            let labels =
                attributes.iter().zip(of).map(|(attribute, side)| side.label(attribute)).collect();
            found.push(IsolatedGroup { rows, how, labels });
        }
    };
    for (class, sides) in now.sides.iter().enumerate() {
        if let Some(&same) = then.place.get(sides) {
            tell(then.sizes[same as usize], now.sizes[class], SubtractionKind::Same, sides);
        }
    }
    for (class, sides) in now.sides.iter().enumerate() {
        // A class that was there as it is has been told of.
        let inside = meets[class].iter().filter(|&&other| met[other as usize].len() == 1);
        let inside: Vec<u64> = inside.map(|&other| then.sizes[other as usize]).collect();
        if !inside.is_empty() && !then.place.contains_key(sides) {
            tell(inside.iter().sum(), now.sizes[class], SubtractionKind::Grown, sides);
        }
    }
    for (class, sides) in then.sides.iter().enumerate() {
        let inside = met[class].iter().filter(|&&other| meets[other as usize].len() == 1);
        let inside: Vec<u64> = inside.map(|&other| now.sizes[other as usize]).collect();
        if !inside.is_empty() && !now.place.contains_key(sides) {
            tell(then.sizes[class], inside.iter().sum(), SubtractionKind::Split, sides);
        }
    }
    let mut seen = vec![false; now.sizes.len()];
    for start in 0..now.sizes.len() {
        if seen[start] || meets[start].is_empty() {
            continue;
        }
        let (mut open, mut earlier_ones) = (vec![start], BTreeSet::new());
        let mut rows = 0;
        seen[start] = true;
        while let Some(class) = open.pop() {
            rows += now.sizes[class];
            for &other in &meets[class] {
                if earlier_ones.insert(other) {
                    for &next in &met[other as usize] {
                        if !std::mem::replace(&mut seen[next as usize], true) {
                            open.push(next as usize);
                        }
                    }
                }
            }
        }
        let before = earlier_ones.iter().map(|&class| then.sizes[class as usize]).sum();
        tell(before, rows, SubtractionKind::Together, &now.sides[start]);
    }
    found.sort_by(|a, b| (a.how, a.rows, &a.labels).cmp(&(b.how, b.rows, &b.labels)));
    found
}

/// What a class shows of one attribute: which values it may hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ValueSet {
    Span(u32, u32),
    Set(Box<[u32]>),
}

impl ValueSet {
    fn new(attribute: &Attribute, shown: &ReleasedCell) -> Self {
        match shown {
            ReleasedCell::Group(Group::Set(codes)) => ValueSet::Set(codes.clone()),
            ReleasedCell::Group(group) => {
                let (first, last) = attribute.span(group);
                ValueSet::Span(first, last)
            }
            // A mean does not say what lies around it.
            ReleasedCell::Number(_) => {
                let (first, last) = attribute.span(&Group::Blank);
                ValueSet::Span(first, last)
            }
        }
    }

    fn span(&self) -> (u32, u32) {
        match self {
            ValueSet::Span(first, last) => (*first, *last),
            ValueSet::Set(codes) => {
                (codes.first().copied().unwrap_or(0), codes.last().copied().unwrap_or(0))
            }
        }
    }

    /// Whether nothing is shown: the values are all that there are. A set may lack some between its ends.
    fn is_all(&self, all: (u32, u32)) -> bool {
        match self {
            ValueSet::Span(first, last) => (*first, *last) == all,
            ValueSet::Set(codes) => codes.len() as u64 > u64::from(all.1 - all.0),
        }
    }

    fn holds(&self, code: u32) -> bool {
        match self {
            ValueSet::Span(first, last) => (*first..=*last).contains(&code),
            ValueSet::Set(codes) => codes.binary_search(&code).is_ok(),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let ((first, last), (from, to)) = (self.span(), other.span());
        if first > to || from > last {
            return false;
        }
        match (self, other) {
            (ValueSet::Span(..), ValueSet::Span(..)) => true,
            (ValueSet::Set(codes), side) | (side, ValueSet::Set(codes)) => {
                codes.iter().any(|&code| side.holds(code))
            }
        }
    }

    fn codes(&self) -> Vec<u32> {
        match self {
            ValueSet::Span(first, last) => (*first..=*last).collect(),
            ValueSet::Set(codes) => codes.to_vec(),
        }
    }

    fn label(&self, attribute: &Attribute) -> String {
        attribute.label(&match self {
            ValueSet::Span(first, last) if attribute.span(&Group::Blank) == (*first, *last) => {
                Group::Blank
            }
            ValueSet::Span(first, last) => attribute.group(&(*first..=*last).collect::<Vec<_>>()),
            ValueSet::Set(codes) => Group::Set(codes.clone()),
        })
    }
}

/// The classes of a release by the values that they may hold; those that read differently and hold the same are one.
struct ReleaseClasses {
    sides: Vec<Vec<ValueSet>>,
    sizes: Vec<u64>,
    place: BTreeMap<Vec<ValueSet>, u32>,
}

impl ReleaseClasses {
    fn new(attributes: &[Attribute], seen: &ReleaseView) -> Self {
        let mut classes =
            ReleaseClasses { sides: Vec::new(), sizes: Vec::new(), place: BTreeMap::new() };
        let known: Vec<Vec<ValueSet>> = attributes
            .iter()
            .zip(seen.shown())
            .map(|(attribute, shown)| shown.iter().map(|s| ValueSet::new(attribute, s)).collect())
            .collect();
        let all: Vec<(u32, u32)> =
            attributes.iter().map(|attribute| attribute.span(&Group::Blank)).collect();
        for (ids, size) in seen.classes() {
            let sides: Vec<ValueSet> =
                ids.iter().zip(&known).map(|(&id, known)| known[id as usize].clone()).collect();
            // Rows of which nothing is shown are suppressed ones: they may lie anywhere.
            if attributes.len() > 1 && sides.iter().zip(&all).all(|(side, all)| side.is_all(*all)) {
                continue;
            }
            let next = classes.sizes.len() as u32;
            let place = *classes.place.entry(sides.clone()).or_insert(next);
            if place == next {
                classes.sides.push(sides);
                classes.sizes.push(0);
            }
            classes.sizes[place as usize] += size;
        }
        classes
    }

    /// For each class, the classes of another release that may hold what it may hold.
    fn met_by(&self, attributes: &[Attribute], others: &ReleaseClasses) -> Vec<Vec<u32>> {
        // By attribute and value, the others that may hold it: few have to be looked at.
        let holders: Vec<Vec<Vec<u32>>> = attributes
            .iter()
            .enumerate()
            .map(|(at, attribute)| {
                let mut holders = vec![Vec::new(); attribute.domain.len()];
                for (class, sides) in others.sides.iter().enumerate() {
                    for code in sides[at].codes() {
                        holders[code as usize].push(class as u32);
                    }
                }
                holders
            })
            .collect();
        let mut marked = vec![u32::MAX; others.sides.len()];
        let sides = self.sides.iter().enumerate();
        sides
            .map(|(class, sides)| {
                let lists = |at: usize| -> Vec<&Vec<u32>> {
                    sides[at].codes().into_iter().map(|code| &holders[at][code as usize]).collect()
                };
                let length = |at: &usize| lists(*at).iter().map(|list| list.len()).sum::<usize>();
                let best = (0..attributes.len()).min_by_key(length);
                let candidates = best.map(lists).unwrap_or_default();
                let mut met: Vec<u32> = Vec::new();
                for &other in candidates.into_iter().flatten() {
                    if std::mem::replace(&mut marked[other as usize], class as u32) != class as u32
                        && sides.iter().zip(&others.sides[other as usize]).all(|(a, b)| a.meets(b))
                    {
                        met.push(other);
                    }
                }
                met.sort_unstable();
                met
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::{Problem, ProblemSpec, Table};

    use super::*;

    fn problem() -> Problem {
        let rows: Vec<[String; 2]> =
            (0..40).map(|at| [(20 + at % 20).to_string(), ["f", "m"][at % 2].to_owned()]).collect();
        let table = Table::from_rows(&["age", "sex"], &rows).unwrap();
        Problem::of_table(&ProblemSpec::new(2).quasi("age").quasi("sex"), &table).unwrap()
    }

    /// Classes by ages (from, to), the sex or any, and rows.
    fn seen(classes: &[(u32, u32, Option<u32>, u64)]) -> ReleaseView {
        let range = |first: u32, last: u32| ReleasedCell::Group(Group::Range { first, last });
        let mut shown = vec![Vec::new(), Vec::new()];
        let (mut ids, mut sizes) = (Vec::new(), Vec::new());
        for (at, &(from, to, sex, rows)) in classes.iter().enumerate() {
            shown[0].push(range(from - 20, to - 20));
            shown[1].push(sex.map_or(ReleasedCell::Group(Group::Blank), |sex| range(sex, sex)));
            ids.extend([at as u32; 2]);
            sizes.push(rows);
        }
        ReleaseView::new(shown, ids, sizes)
    }

    fn found(
        then: &[(u32, u32, Option<u32>, u64)],
        now: &[(u32, u32, Option<u32>, u64)],
    ) -> Vec<(SubtractionKind, u64)> {
        let problem = problem();
        let found = isolated(&problem.attributes, &seen(then), &seen(now), 5);
        found.into_iter().map(|isolated| (isolated.how, isolated.rows)).collect()
    }

    #[test]
    fn one_row_more_in_a_class_is_laid_bare() {
        let then = [(20, 29, None, 8), (30, 39, None, 6)];
        assert_eq!(found(&then, &then), []);
        let grown = [(20, 29, None, 9), (30, 39, None, 6)];
        assert_eq!(
            found(&then, &grown),
            [(SubtractionKind::Same, 1), (SubtractionKind::Together, 1)]
        );
        let enough = [(20, 29, None, 13), (30, 39, None, 6)];
        assert_eq!(found(&then, &enough), []);
    }

    /// A set that lacks a value between its ends is no suppressed row.
    #[test]
    fn a_set_with_a_gap_is_not_blank() {
        let problem = problem();
        let set = |codes: &[u32]| ReleasedCell::Group(Group::Set(codes.into()));
        let (ends, both) = ([0, 19], [0, 1]);
        let view = |rows| {
            ReleaseView::new(vec![vec![set(&ends)], vec![set(&both)]], vec![0, 0], vec![rows])
        };
        let found = isolated(&problem.attributes, &view(6), &view(8), 5);
        assert_eq!(found.first().map(|it| (it.how, it.rows)), Some((SubtractionKind::Same, 2)));
    }

    #[test]
    fn a_coarser_class_is_compared_with_those_inside_it() {
        let then = [(20, 24, Some(0), 5), (25, 29, Some(0), 6), (20, 29, Some(1), 7)];
        let joined = [(20, 29, Some(0), 13), (20, 29, Some(1), 7)];
        assert_eq!(
            found(&then, &joined),
            [(SubtractionKind::Grown, 2), (SubtractionKind::Together, 2)]
        );
        let split: Vec<_> =
            [(20, 24, Some(0), 5), (25, 29, Some(0), 6), (20, 29, Some(1), 7)].into();
        assert_eq!(
            found(&[(20, 29, Some(0), 14), (20, 29, Some(1), 7)], &split),
            [(SubtractionKind::Split, 3), (SubtractionKind::Together, 3)]
        );
    }

    #[test]
    fn who_lies_in_two_classes_is_found_where_a_class_lies_in_one() {
        // Of ten people in the twenties seven are 20 to 26 today; three are older than 26.
        let then = [(20, 29, None, 10), (30, 39, None, 10)];
        let now = [(20, 26, None, 7), (27, 39, None, 13)];
        assert_eq!(
            found(&then, &now),
            [(SubtractionKind::Grown, 3), (SubtractionKind::Split, 3)],
            "in both directions"
        );
    }

    #[test]
    fn suppressed_rows_may_lie_anywhere() {
        let then = [(20, 29, None, 8), (20, 39, None, 3)];
        let now = [(20, 29, None, 8), (20, 39, None, 7)];
        assert_eq!(found(&then, &now), []);
    }
}
