//! A release as its reader sees it.

use std::ops::Range;

use incrowd_engine::value::{Attribute, ClassSummary, Group, Scale};
use incrowd_engine::{Problem, Release, SuppressionMode};

use super::{AttributeRanges, RangeQuery, numbers};

/// What stands in a field of a release.
#[derive(Debug, Clone, PartialEq)]
pub enum ReleasedCell {
    /// Values.
    Group(Group),
    /// A number that stands for others, such as a mean.
    Number(f64),
}

impl ReleasedCell {
    /// The share of the values shown that lie among these codes.
    fn share(&self, attribute: &Attribute, asked: &Range<u32>) -> f64 {
        let both = |held: Range<u32>| {
            let common = held.end.min(asked.end).saturating_sub(held.start.max(asked.start));
            f64::from(common) / f64::from((held.end - held.start).max(1))
        };
        match self {
            ReleasedCell::Number(number) => {
                let inside = |(low, high): (f64, f64)| (low..=high).contains(number);
                f64::from(u8::from(numbers(attribute, asked).is_some_and(inside)))
            }
            ReleasedCell::Group(Group::Set(codes)) => {
                let common = codes.iter().filter(|code| asked.contains(code)).count();
                common as f64 / codes.len().max(1) as f64
            }
            ReleasedCell::Group(group) => {
                let (first, last) = attribute.span(group);
                both(first..last + 1)
            }
        }
    }
}

/// A release as its reader sees it: classes of rows that look the same.
#[derive(Debug, Clone, Default)]
pub struct ReleaseView {
    /// What is shown of each attribute, each once.
    shown: Vec<Vec<ReleasedCell>>,
    /// For each class and attribute, what is shown.
    ids: Vec<u32>,
    /// How many rows each class has.
    sizes: Vec<u64>,
}

impl ReleaseView {
    /// Classes, each given by what it shows of every attribute (places in `shown`) and its rows.
    ///
    /// # Panics
    ///
    /// If a class shows what is not there.
    pub fn new(shown: Vec<Vec<ReleasedCell>>, ids: Vec<u32>, sizes: Vec<u64>) -> Self {
        assert_eq!(ids.len(), sizes.len() * shown.len(), "one id per class and attribute");
        let exist = |class: &[u32]| {
            class.iter().zip(&shown).all(|(&id, shown)| (id as usize) < shown.len())
        };
        assert!(ids.chunks(shown.len().max(1)).all(exist), "every id is a place in its column");
        ReleaseView { shown, ids, sizes }
    }

    /// What a release shows.
    pub fn of_release(problem: &Problem, release: &Release) -> Self {
        let classes = &release.classes;
        let plain = Scale::default();
        let mut seen = ReleaseView { shown: Vec::new(), ids: Vec::new(), sizes: Vec::new() };
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let mut shown: Vec<ReleasedCell> = match attribute.summary {
                ClassSummary::Range
                | ClassSummary::Columns
                | ClassSummary::Node
                | ClassSummary::Nodes => {
                    classes.groups[at].as_slice().iter().cloned().map(ReleasedCell::Group).collect()
                }
                ClassSummary::Mean | ClassSummary::Median => release
                    .labels(at)
                    .iter()
                    .map(|label| {
                        let scale = attribute.domain.scale().unwrap_or(&plain);
                        match scale.read_label(&label[0]) {
                            Some(number) => ReleasedCell::Number(number.least().to_f64()),
                            None => ReleasedCell::Group(Group::Blank),
                        }
                    })
                    .collect(),
            };
            shown.push(ReleasedCell::Group(Group::Blank));
            seen.shown.push(shown);
        }
        for class in classes.released() {
            let ids = (0..seen.shown.len()).map(|at| release.label_of(at, class as u32));
            seen.ids.extend(ids);
            seen.sizes.push(classes.sizes[class]);
        }
        let blank = classes.suppressed_rows() - classes.outside;
        if release.suppressed == SuppressionMode::Blank && blank > 0 {
            seen.ids.extend(seen.shown.iter().map(|shown| shown.len() as u32 - 1));
            seen.sizes.push(blank);
        }
        seen
    }

    /// What is shown of each attribute, each once.
    pub(crate) fn shown(&self) -> &[Vec<ReleasedCell>] {
        &self.shown
    }

    /// For each class what it shows of each attribute, as places in what is [shown](Self::shown), and its rows.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.ids.chunks_exact(self.shown.len().max(1)).zip(self.sizes.iter().copied())
    }

    /// How many rows there seem to be that a question asks for.
    pub(super) fn estimate(&self, attributes: &[Attribute], query: &RangeQuery) -> f64 {
        let shares = query.iter().map(|(at, asked)| {
            let shown = self.shown[*at].iter();
            (*at, shown.map(|shown| shown.share(&attributes[*at], asked)).collect())
        });
        self.counted(&shares.collect::<Vec<_>>())
    }

    /// The same where several stretches of the values of an attribute are asked for.
    pub(super) fn estimate_of(&self, attributes: &[Attribute], query: &[AttributeRanges]) -> f64 {
        let shares = query.iter().map(|(at, asked)| {
            let share = |shown: &ReleasedCell| {
                asked.iter().map(|codes| shown.share(&attributes[*at], codes)).sum::<f64>().min(1.0)
            };
            (*at, self.shown[*at].iter().map(share).collect())
        });
        self.counted(&shares.collect::<Vec<_>>())
    }

    /// Rows of which so large a share is taken, for some attributes and by what is shown of each.
    fn counted(&self, shares: &[(usize, Vec<f64>)]) -> f64 {
        let width = self.shown.len().max(1);
        let classes = self.ids.chunks_exact(width).zip(&self.sizes);
        classes
            .map(|(ids, &size)| {
                let share = shares.iter().map(|(at, shares)| shares[ids[*at] as usize]);
                size as f64 * share.product::<f64>()
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::{ProblemSpec, Table};

    use super::super::{Workload, truth};
    use super::*;

    fn problem() -> Problem {
        let rows: Vec<[String; 2]> = (0..20)
            .map(|at| [(30 + at).to_string(), ["a", "b", "c", "d"][at % 4].into()])
            .collect();
        let table = Table::from_rows(&["age", "job"], &rows).unwrap();
        Problem::of_table(&ProblemSpec::new(1).quasi("age").quasi("job"), &table).unwrap()
    }

    #[test]
    fn shares_are_those_of_the_values_shown() {
        let problem = problem();
        let (age, job) = (&problem.attributes[0], &problem.attributes[1]);
        let share =
            |shown: ReleasedCell, attribute: &Attribute, asked| shown.share(attribute, &asked);
        let range = |first, last| ReleasedCell::Group(Group::Range { first, last });
        assert_eq!(share(range(0, 3), age, 2..10), 0.5);
        assert_eq!(share(range(5, 5), age, 2..10), 1.0);
        assert_eq!(share(range(5, 5), age, 6..10), 0.0);
        assert_eq!(share(ReleasedCell::Group(Group::Blank), age, 0..5), 0.25);
        assert_eq!(
            share(ReleasedCell::Group(Group::Set(vec![0, 2, 3].into())), job, 1..3),
            1.0 / 3.0
        );
        assert_eq!(share(ReleasedCell::Number(34.5), age, 4..6), 1.0);
        assert_eq!(share(ReleasedCell::Number(36.0), age, 4..6), 0.0);
    }

    /// Two classes of ten rows and one question, reckoned by hand.
    #[test]
    fn estimates_multiply_shares_over_attributes() {
        let problem = problem();
        let group = |first, last| ReleasedCell::Group(Group::Range { first, last });
        let shown = vec![vec![group(0, 9), group(10, 19)], vec![group(0, 3)]];
        let seen = ReleaseView::new(shown, vec![0, 0, 1, 0], vec![10, 10]);
        let query = vec![(0, 5..12), (1, 0..1)];
        assert_eq!(truth(&problem, &query), 1);
        // 5 of 10 values and 2 of 10, each a quarter of the jobs.
        let estimate = seen.estimate(&problem.attributes, &query);
        assert!((estimate - (5.0 * 0.25 + 2.0 * 0.25)).abs() < 1e-12, "{estimate}");
    }

    #[test]
    fn the_original_itself_answers_without_error() {
        let problem = problem();
        let all = |at: usize| {
            let codes = 0..problem.attributes[at].domain.len() as u32;
            codes
                .map(|code| ReleasedCell::Group(Group::Range { first: code, last: code }))
                .collect()
        };
        let cells = 0..problem.cells.len();
        let ids = cells.flat_map(|cell| [0, 1].map(|at| problem.cells.code(at, cell))).collect();
        let sizes = problem.cells.counts().to_vec();
        let seen = ReleaseView::new(vec![all(0), all(1)], ids, sizes);
        let errors = Workload::default().errors(&problem, &seen).unwrap();
        assert_eq!((errors.queries, errors.mean, errors.median), (1_000, 0.0, 0.0));
        assert!(Workload { dimensions: 3, ..Workload::default() }.errors(&problem, &seen).is_err());
        let ages = Workload { dimensions: 1, columns: vec!["age".into()], ..Workload::default() };
        assert_eq!(ages.errors(&problem, &seen).unwrap().empty, 0);
    }
}
