//! Query accuracy: how far counts taken from a release are from the true ones.
//!
//! **What it does**: asks random questions of the form "how many rows have an age from 30 to 40 and one of
//! these occupations?" of the original table and of the release. A reader of the release can only
//! estimate: of a row released as `[25-34]` he takes the share of the values in it that the question
//! asks for, as if all of them were equally likely, and multiplies over the attributes. The error of a
//! question is |estimate - truth| / truth, over questions whose true answer is not 0.
//! **Cost**: a look at every cell and every class for each question.
//! **Reference**: Xu et al., *Utility-Based Anonymization Using Local Recoding* (2006); LeFevre et al.
//! (2006) ask the same.

mod count_question;
mod release_view;

use std::ops::Range;

use incrowd_engine::value::Attribute;
use incrowd_engine::{Error, Problem, Result};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use count_question::{CountAnswer, CountQuestion};
pub use release_view::{ReleaseView, ReleasedCell};

/// The values of an attribute that are asked for, as stretches of codes.
type AttributeRanges = (usize, Vec<Range<u32>>);

/// Which questions are asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// How many, those whose true answer is 0 not counted.
    pub queries: u32,
    /// How many attributes each asks about.
    pub dimensions: u32,
    /// The share of all combinations of those attributes' values that a question asks for.
    pub selectivity: f64,
    /// The attributes that may be asked about; all of them if there are none here.
    pub columns: Vec<String>,
    /// What the random choices come from.
    pub seed: u64,
}

impl Default for Workload {
    fn default() -> Self {
        Workload { queries: 1_000, dimensions: 2, selectivity: 0.05, columns: Vec::new(), seed: 1 }
    }
}

/// How far the answers were off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryErrors {
    /// Questions whose true answer is not 0.
    pub queries: u32,
    /// Questions passed over because it is.
    pub empty: u32,
    /// The mean of the relative errors.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// The mean true answer, as a share of all rows.
    pub mean_selectivity: f64,
}

/// A question: values of some attributes, from the first code up to below the last.
type RangeQuery = Vec<(usize, Range<u32>)>;

/// So many questions are drawn at most for each that is wanted, lest nothing but empty ones come up.
const DRAWS: u32 = 50;

impl Workload {
    /// Asks the questions of a problem's rows and of a release of them.
    ///
    /// ```
    /// use incrowd_engine::{Algorithm, Control, Method, Problem, ProblemSpec, Release, SuppressionMode, Table};
    /// use incrowd_assess::queries::{ReleaseView, Workload};
    ///
    /// let rows: Vec<[String; 2]> =
    ///     (0..200).map(|at| [(at % 50).to_string(), (at % 7).to_string()]).collect();
    /// let table = Table::from_rows(&["age", "job"], &rows)?;
    /// let problem = Problem::of_table(&ProblemSpec::new(5).quasi("age").quasi("job"), &table)?;
    /// let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::default())?;
    /// let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    /// let errors = Workload::default().errors(&problem, &ReleaseView::of_release(&problem, &release))?;
    /// assert_eq!(errors.queries, 1_000);
    /// assert!(errors.median < 0.5);
    /// # Ok::<(), incrowd_engine::Error>(())
    /// ```
    pub fn errors(&self, problem: &Problem, seen: &ReleaseView) -> Result<QueryErrors> {
        let columns = self.check(problem)?;
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let mut errors: Vec<f64> = Vec::with_capacity(self.queries as usize);
        let (mut empty, mut answers) = (0, 0);
        for _ in 0..DRAWS {
            let wanted = self.queries - errors.len() as u32;
            if wanted == 0 {
                break;
            }
            let drawn: Vec<RangeQuery> =
                (0..wanted).map(|_| self.draw(problem, &columns, &mut random)).collect();
            let asked: Vec<Option<(u64, f64)>> = drawn
                .par_iter()
                .map(|query| {
                    let truth = truth(problem, query);
                    (truth > 0).then(|| (truth, seen.estimate(&problem.attributes, query)))
                })
                .collect();
            for answer in asked {
                match answer {
                    None => empty += 1,
                    Some((truth, estimate)) => {
                        answers += truth;
                        errors.push((estimate - truth as f64).abs() / truth as f64);
                    }
                }
            }
        }
        if errors.is_empty() {
            return Err(Error::new("no question could be answered: every one selected no rows")
                .help("ask for a larger selectivity or fewer dimensions"));
        }
        let number = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / number;
        Ok(QueryErrors {
            queries: errors.len() as u32,
            empty,
            mean,
            median: median(&mut errors),
            mean_selectivity: answers as f64 / number / problem.rows as f64,
        })
    }

    /// The attributes to ask about, if the workload makes sense.
    fn check(&self, problem: &Problem) -> Result<Vec<usize>> {
        let mut columns = Vec::new();
        for name in &self.columns {
            let at = problem.attributes.iter().position(|attribute| attribute.name == *name);
            let at = at.ok_or_else(|| Error::new(format!("{name:?} is not a quasi-identifier")))?;
            if !columns.contains(&at) {
                columns.push(at);
            }
        }
        if columns.is_empty() {
            columns = (0..problem.attributes.len()).collect();
        }
        let dimensions = self.dimensions as usize;
        if dimensions == 0 || dimensions > columns.len() {
            return Err(Error::new(format!(
                "questions are asked about {dimensions} columns, but there are only {}",
                columns.len()
            ))
            .help(format!("choose from 1 to {} dimensions", columns.len())));
        }
        if self.queries == 0 {
            return Err(Error::new("the number of questions is 0").help("1000 is a good number"));
        }
        if !(self.selectivity > 0.0 && self.selectivity <= 1.0) {
            return Err(Error::new("the selectivity must be above 0 and at most 1"));
        }
        Ok(columns)
    }

    /// A random question: as many of the columns as there are dimensions, of each a stretch of its values
    /// in their order, all stretches of one length equally likely. Missing is never asked for.
    fn draw(&self, problem: &Problem, columns: &[usize], random: &mut Pcg64Mcg) -> RangeQuery {
        let mut columns = columns.to_vec();
        let share = self.selectivity.powf(1.0 / f64::from(self.dimensions));
        let mut query: RangeQuery = (0..self.dimensions as usize)
            .map(|at| {
                let other = random.random_range(at as u64..columns.len() as u64) as usize;
                columns.swap(at, other);
                let domain = &problem.attributes[columns[at]].domain;
                let first = u64::from(domain.missing_code().is_some()).min(domain.len() as u64 - 1);
                let values = domain.len() as u64 - first;
                let length = ((values as f64 * share).round() as u64).clamp(1, values);
                let start = first + random.random_range(0..=values - length);
                (columns[at], start as u32..(start + length) as u32)
            })
            .collect();
        query.sort_by_key(|condition| condition.0);
        query
    }
}

/// How many rows a question is about.
fn truth(problem: &Problem, query: &RangeQuery) -> u64 {
    let cells = &problem.cells;
    let conditions: Vec<_> =
        query.iter().map(|(attribute, codes)| (cells.codes(*attribute), codes)).collect();
    let asked =
        |cell: usize| conditions.iter().all(|(column, codes)| codes.contains(&column.get(cell)));
    let counts = cells.counts().iter().enumerate().filter(|(cell, _)| asked(*cell));
    counts.map(|(_, &count)| count).sum()
}

/// The middle one, or the mean of the two in the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The numbers that a stretch of codes reaches from and to.
fn numbers(attribute: &Attribute, codes: &Range<u32>) -> Option<(f64, f64)> {
    let low = attribute.domain.bounds(codes.start)?;
    let high = attribute.domain.bounds(codes.end.checked_sub(1)?)?;
    Some((low.least().to_f64(), high.most().to_f64()))
}
