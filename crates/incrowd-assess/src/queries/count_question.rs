//! A question that somebody asks in words of their own.

use std::ops::Range;
use std::str::FromStr;

use incrowd_engine::value::{Attribute, Decimal, ValueBounds};
use incrowd_engine::{Error, Problem, Result};
use serde::Serialize;

use super::{AttributeRanges, ReleaseView};

/// A question such as `age = 30..40 and job = clerk, cook`: how many rows are like that?
///
/// Conditions are joined by `and`. Each names a quasi-identifier and what is asked of it: a value, several between
/// commas, a range `30..40` with both ends, or what lies beyond an end (`>=`, `<=`, `>`, `<`). Names and values with
/// such signs in them stand in double quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountQuestion(Vec<QueryCondition>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct QueryCondition {
    column: String,
    asked: ConditionValues,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ConditionValues {
    OneOf(Vec<String>),
    /// Ends, and whether each belongs to what is asked for.
    Between(Option<(String, bool)>, Option<(String, bool)>),
}

/// What a reader of the release would answer, beside the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountAnswer {
    /// How many rows of the table are like that.
    pub truth: u64,
    /// How many there seem to be in the release.
    pub estimate: f64,
    /// |estimate - truth| / truth; none where no row is like that.
    pub error: Option<f64>,
    /// How many rows the table has.
    pub rows: u64,
}

/// What may be written, for whoever wrote something else.
const FORM: &str = "join conditions by `and`: age = 30..40 and job = clerk, cook and income \
                    >= 1000";

impl FromStr for CountQuestion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let conditions: Vec<QueryCondition> =
            split(text, " and ").iter().map(|part| condition(part)).collect::<Result<_>>()?;
        Ok(CountQuestion(conditions))
    }
}

impl CountQuestion {
    /// Asks it of a problem's rows and of a release of them.
    ///
    /// ```
    /// use incrowd_engine::{Algorithm, Control, Method, Problem, ProblemSpec, Release, SuppressionMode, Table};
    /// use incrowd_assess::queries::{CountQuestion, ReleaseView};
    ///
    /// let rows: Vec<[String; 2]> =
    ///     (0..200).map(|at| [(at % 50).to_string(), (at % 7).to_string()]).collect();
    /// let table = Table::from_rows(&["age", "job"], &rows)?;
    /// let problem = Problem::of_table(&ProblemSpec::new(5).quasi("age").quasi("job"), &table)?;
    /// let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::default())?;
    /// let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    /// let question: CountQuestion = "age = 10..19 and job >= 3".parse()?;
    /// let answer = question.ask(&problem, &ReleaseView::of_release(&problem, &release))?;
    /// assert_eq!(answer.truth, 25);
    /// assert!((answer.estimate - 25.0).abs() < 12.0);
    /// # Ok::<(), incrowd_engine::Error>(())
    /// ```
    pub fn ask(&self, problem: &Problem, seen: &ReleaseView) -> Result<CountAnswer> {
        let mut wanted: Vec<(usize, Vec<u32>)> = Vec::new();
        for QueryCondition { column, asked } in &self.0 {
            let at =
                problem.attributes.iter().position(|it| it.name == *column).ok_or_else(|| {
                    let names: Vec<&str> =
                        problem.attributes.iter().map(|it| it.name.as_str()).collect();
                    Error::new(format!("`{column}` is no quasi-identifier"))
                        .help(format!("ask about {}", names.join(", ")))
                })?;
            let codes = asked.codes(&problem.attributes[at])?;
            match wanted.iter_mut().find(|(known, _)| *known == at) {
                // What is asked twice of a column holds together.
                Some((_, known)) => known.retain(|code| codes.binary_search(code).is_ok()),
                None => wanted.push((at, codes)),
            }
        }
        let query: Vec<AttributeRanges> =
            wanted.iter().map(|(at, codes)| (*at, stretches(codes))).collect();
        let cells = &problem.cells;
        let asked = |cell: usize| {
            query.iter().all(|(at, codes)| {
                let code = cells.codes(*at).get(cell);
                codes.iter().any(|range| range.contains(&code))
            })
        };
        let counts = cells.counts().iter().enumerate().filter(|(cell, _)| asked(*cell));
        let truth: u64 = counts.map(|(_, &count)| count).sum();
        let estimate = seen.estimate_of(&problem.attributes, &query);
        let error = (truth > 0).then(|| (estimate - truth as f64).abs() / truth as f64);
        Ok(CountAnswer { truth, estimate, error, rows: problem.rows })
    }
}

impl ConditionValues {
    /// The codes of the values that are asked for, in their order.
    fn codes(&self, attribute: &Attribute) -> Result<Vec<u32>> {
        let domain = &attribute.domain;
        let name = &attribute.name;
        let read = |text: &str| domain.scale().and_then(|scale| scale.read(text));
        let all = (0..domain.len() as u32).filter(|&code| domain.missing_code() != Some(code));
        let mut codes: Vec<u32> = match self {
            ConditionValues::OneOf(values) => {
                let mut codes = Vec::new();
                for value in values {
                    let wanted = read(value);
                    let is = |code: u32| {
                        domain.label(code) == value
                            || wanted.is_some_and(|it| domain.bounds(code).copied() == Some(it))
                    };
                    let before = codes.len();
                    codes.extend(all.clone().filter(|&code| is(code)));
                    if codes.len() == before {
                        return Err(Error::new(format!("no row has {value:?} as its `{name}`"))
                            .help("name a value as the table has it, or a range such as 30..40"));
                    }
                }
                codes
            }
            ConditionValues::Between(low, high) => {
                let end = |end: &Option<(String, bool)>| -> Result<Option<(Decimal, bool)>> {
                    let Some((text, inside)) = end else { return Ok(None) };
                    let bounds = read(text).ok_or_else(|| {
                        Error::new(format!("`{name}` has no order, which the range {text:?} needs"))
                            .help("ranges are for numbers and dates; name values, between commas")
                    })?;
                    Ok(Some((bounds.least(), *inside)))
                };
                let (low, high) = (end(low)?, end(high)?);
                let fits = |bounds: &ValueBounds| {
                    let (least, most) = (bounds.least(), bounds.most());
                    low.is_none_or(|(end, inside)| least > end || inside && least == end)
                        && high.is_none_or(|(end, inside)| most < end || inside && most == end)
                };
                all.filter(|&code| domain.bounds(code).is_some_and(fits)).collect()
            }
        };
        codes.sort_unstable();
        codes.dedup();
        Ok(codes)
    }
}

/// Codes in their order as stretches of neighbours.
fn stretches(codes: &[u32]) -> Vec<Range<u32>> {
    let neighbours = codes.chunk_by(|one, other| one + 1 == *other);
    neighbours.filter_map(|part| Some(*part.first()?..*part.last()? + 1)).collect()
}

/// Parts of a text between separators, which do not count within quotes.
fn split(text: &str, separator: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut rest) = (false, text);
    while let Some(c) = rest.chars().next() {
        let here = rest.get(..separator.len());
        if !quoted && here.is_some_and(|it| it.eq_ignore_ascii_case(separator)) {
            parts.push(String::new());
            rest = &rest[separator.len()..];
            continue;
        }
        quoted ^= c == '"';
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    parts
}

fn condition(text: &str) -> Result<QueryCondition> {
    let wrong = || Error::new(format!("`{}` is no condition", text.trim())).help(FORM);
    let signs = [">=", "<=", "=", ">", "<"];
    // The first sign that is in no quotes; of those that begin at one place the longest.
    let parts = signs.iter().filter_map(|sign| {
        let parts = split(text, sign);
        (parts.len() > 1).then(|| (parts[0].len(), std::cmp::Reverse(sign.len()), *sign))
    });
    let (at, _, sign) = parts.min().ok_or_else(wrong)?;
    let column = plain(&text[..at]);
    let wanted = text[at + sign.len()..].trim();
    if column.is_empty() || wanted.is_empty() {
        return Err(wrong());
    }
    let end = |inside: bool| Some((plain(wanted), inside));
    let asked = match sign {
        ">=" => ConditionValues::Between(end(true), None),
        ">" => ConditionValues::Between(end(false), None),
        "<=" => ConditionValues::Between(None, end(true)),
        "<" => ConditionValues::Between(None, end(false)),
        _ => {
            let ends = split(wanted, "..");
            match &ends[..] {
                [low, high] => {
                    let end = |text: &str| Some(plain(text)).filter(|it| !it.is_empty());
                    let (low, high) = (end(low), end(high));
                    if low.is_none() && high.is_none() {
                        return Err(wrong());
                    }
                    ConditionValues::Between(low.map(|it| (it, true)), high.map(|it| (it, true)))
                }
                _ => {
                    ConditionValues::OneOf(split(wanted, ",").iter().map(|it| plain(it)).collect())
                }
            }
        }
    };
    Ok(QueryCondition { column, asked })
}

/// A name or value without the quotes around it.
fn plain(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::{ProblemSpec, Table};

    use super::*;
    use crate::queries::ReleasedCell;
    use incrowd_engine::value::Group;

    fn problem() -> Problem {
        let rows: Vec<[String; 2]> = (0..40)
            .map(|at| [(30 + at % 20).to_string(), ["a", "b", "c and d", "e"][at % 4].into()])
            .collect();
        let table = Table::from_rows(&["age", "the job"], &rows).unwrap();
        Problem::of_table(&ProblemSpec::new(1).quasi("age").quasi("the job"), &table).unwrap()
    }

    /// One class of everybody, in which nothing is told.
    fn blank(problem: &Problem) -> ReleaseView {
        let shown = vec![vec![ReleasedCell::Group(Group::Blank)]; 2];
        ReleaseView::new(shown, vec![0, 0], vec![problem.rows])
    }

    #[test]
    fn truth_and_estimate_are_those_reckoned_by_hand() {
        let problem = problem();
        let seen = blank(&problem);
        let ask = |text: &str| text.parse::<CountQuestion>().unwrap().ask(&problem, &seen).unwrap();
        for (text, truth, estimate) in [
            ("age = 30..39", 20, 20.0),
            ("age >= 40 AND the job = a, b", 8, 10.0),
            ("age > 48", 2, 2.0),
            ("age=..31", 4, 4.0),
            ("\"the job\" = \"c and d\"", 10, 10.0),
            ("age = 30.0 and the job = a", 2, 0.5),
            ("age > 30 and age < 33", 4, 4.0),
            ("age > 100", 0, 0.0),
        ] {
            let answer = ask(text);
            assert_eq!(answer.truth, truth, "{text}");
            assert!((answer.estimate - estimate).abs() < 1e-9, "{text}: {answer:?}");
            assert_eq!(answer.error.is_none(), truth == 0, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_gets_a_sentence() {
        for text in ["", "age", "= 3", "age =", "age = .. ", "age = 3 and "] {
            let error = text.parse::<CountQuestion>().unwrap_err();
            assert!(error.to_string().contains("no condition"), "{text}: {error}");
        }
        let problem = problem();
        let seen = blank(&problem);
        for text in ["height = 3", "the job = z", "the job >= a", "age = x..y"] {
            let question: CountQuestion = text.parse().unwrap();
            assert!(question.ask(&problem, &seen).is_err(), "{text}");
        }
    }
}
