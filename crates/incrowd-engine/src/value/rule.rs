//! Hierarchies built by rule from the values that occur.

use serde::{Deserialize, Serialize};

use super::builtin::BuiltinHierarchy;
use super::coding::EqualIntervals;
use super::date::{DateUnit, Moment, text_rows};
use super::decimal::Decimal;
use super::domain::Domain;
use super::scale::{Scale, ValueBounds};
use crate::kit::{Error, Result, words};
use crate::table::Dictionary;

/// A rule that makes a hierarchy out of the values that occur.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HierarchyRule {
    /// Numbers to intervals, one width per level, each a multiple of the one before.
    Intervals {
        /// The widths, level by level.
        widths: Vec<f64>,
        /// Where an interval of every level starts.
        start: f64,
    },
    /// Codes such as ZIP to prefixes: how many characters each level keeps, falling.
    Prefix(
        /// The lengths kept; empty means every length from the longest code's less one down to 1.
        Vec<usize>,
    ),
    /// Dates to coarser units.
    Date(Vec<DateUnit>),
    /// Values to named groups, in the order given.
    Groups(Vec<(String, Vec<String>)>),
    /// A hierarchy that is ready to use.
    Ready {
        /// Which one.
        ready: BuiltinHierarchy,
        /// The group of values that it does not cover; without a name they are an error.
        other: Option<String>,
    },
}

impl HierarchyRule {
    /// The hierarchy's rows in ARX's form (value, level 1, ..., `*`), for the values of a domain, missing aside.
    pub fn rows(&self, column: &str, domain: &Domain) -> Result<Vec<Vec<String>>> {
        let codes: Vec<u32> =
            (0..domain.len() as u32).filter(|&code| domain.missing_code() != Some(code)).collect();
        let values: Vec<&str> = codes.iter().map(|&code| domain.label(code)).collect();
        let values = values.as_slice();
        let mut rows = match self {
            HierarchyRule::Intervals { widths, start } => {
                let bounds: Vec<Option<ValueBounds>> =
                    codes.iter().map(|&code| domain.bounds(code).copied()).collect();
                let plain = Scale::default();
                let scale = domain.scale().unwrap_or(&plain);
                interval_rows(column, values, &bounds, scale, (widths, *start))?
            }
            HierarchyRule::Prefix(kept) => prefix_rows(column, values, kept)?,
            HierarchyRule::Date(units) => date_rows(column, domain, values, units)?,
            HierarchyRule::Groups(groups) => group_rows(column, values, groups)?,
            HierarchyRule::Ready { ready, other } => {
                ready.rows(column, values, other.as_deref())?
            }
        };
        for row in &mut rows {
            row.push("*".to_owned());
        }
        Ok(rows)
    }
}

/// Each value at each width: the label of the interval around it. A value as wide as several, such as one with an
/// open end, stays itself.
fn interval_rows(
    column: &str,
    values: &[&str],
    bounds: &[Option<ValueBounds>],
    scale: &Scale,
    (widths, start): (&[f64], f64),
) -> Result<Vec<Vec<String>>> {
    let exact = || -> Option<Vec<EqualIntervals>> {
        let start = Decimal::of_f64(start)?;
        let widths = widths.iter().map(|&width| Decimal::of_f64(width));
        widths
            .map(|width| {
                Some(EqualIntervals { width: width.filter(|w| *w > Decimal::ZERO)?, start })
            })
            .collect()
    };
    let Some(levels) = exact().filter(|levels| !levels.is_empty()) else {
        return Err(Error::new(format!(
            "the intervals of column {column:?} need widths above 0 and a finite start"
        ))
        .help("for example intervals = [5, 10, 20]"));
    };
    for pair in levels.windows(2) {
        let (width, below) = (pair[1].width, pair[0].width);
        if width <= below || !width.is_multiple_of(below) {
            return Err(Error::new(format!(
                "the interval width {width} of column {column:?} is not a multiple of the width {below} below it",
            ))
            .help("each level must join whole intervals of the level before, as 5, 10, 20 do"));
        }
    }
    let unread: Vec<&str> = values
        .iter()
        .zip(bounds)
        .filter(|(_, bounds)| bounds.is_none())
        .map(|(value, _)| *value)
        .collect();
    if !unread.is_empty() {
        return Err(not_parsed(column, "a number", &unread));
    }
    let steps = levels.iter().flat_map(|level| [level.width, level.start]);
    let whole = bounds
        .iter()
        .flatten()
        .flat_map(|bounds| [bounds.least(), bounds.most()])
        .chain(steps)
        .all(Decimal::is_whole);
    values
        .iter()
        .zip(bounds.iter().flatten())
        .map(|(value, bounds)| {
            let mut row = vec![(*value).to_owned()];
            for level in &levels {
                let around = level.bounds(bounds.least(), whole).ok_or_else(|| {
                    let width = level.width;
                    Error::new(format!(
                        "intervals of width {width} need more than 38 digits for {value:?} \
                         in column {column:?}"
                    ))
                    .help("choose wider intervals")
                })?;
                let holds =
                    bounds.low.zip(bounds.high).is_some_and(|(_, high)| around.contains(high));
                row.push(if holds { scale.label(&around) } else { (*value).to_owned() });
            }
            Ok(row)
        })
        .collect()
}

fn prefix_rows(column: &str, values: &[&str], kept: &[usize]) -> Result<Vec<Vec<String>>> {
    let longest = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let lengths: Vec<usize> =
        if kept.is_empty() { (1..longest).rev().collect() } else { kept.to_vec() };
    if lengths.windows(2).any(|pair| pair[0] <= pair[1]) || lengths.contains(&0) {
        return Err(Error::new(format!(
            "the prefix lengths of column {column:?} must decrease from level to level and \
             stay above 0"
        ))
        .help("for example prefix = [4, 3, 2]"));
    }
    let shortest = values.iter().map(|value| value.chars().count()).min().unwrap_or(0);
    let label = |value: &str, length: usize| -> String {
        let code = value.chars().count();
        let kept = value.chars().take(length);
        match () {
            // Codes of one length show how much of them is masked.
            _ if shortest == longest => {
                kept.chain(std::iter::repeat_n('*', longest - length.min(longest))).collect()
            }
            // A code that is shorter than what is kept stays itself until its turn comes.
            _ if code < length => value.to_owned(),
            // Among codes of many lengths a mask says what is kept and nothing of the length.
            _ => kept.chain(['*']).collect(),
        }
    };
    Ok(values
        .iter()
        .map(|value| {
            let mut row = vec![(*value).to_owned()];
            row.extend(lengths.iter().map(|&length| label(value, length)));
            row
        })
        .collect())
}

/// Dates at ever longer units: those of a column of dates by their moments, others as their text says.
fn date_rows(
    column: &str,
    domain: &Domain,
    values: &[&str],
    units: &[DateUnit],
) -> Result<Vec<Vec<String>>> {
    let Some(Scale::Dates(scale)) = domain.scale() else {
        return text_rows(column, values, units);
    };
    let moments = values.iter().filter_map(|value| {
        let moment = domain.scale()?.read_label(value)?.low.and_then(Moment::of_decimal)?;
        Some(((*value).to_owned(), moment))
    });
    scale.unit_rows(column, moments, units)
}

fn group_rows(
    column: &str,
    values: &[&str],
    groups: &[(String, Vec<String>)],
) -> Result<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut grouped = Dictionary::new();
    for (name, members) in groups {
        for member in members {
            if grouped.get(member).is_some() {
                return Err(Error::new(format!(
                    "the groups of column {column:?} name {member:?} twice"
                )));
            }
            grouped.intern(member);
            rows.push(vec![member.clone(), name.clone()]);
        }
    }
    let absent: Vec<&&str> = values.iter().filter(|value| grouped.get(value).is_none()).collect();
    if absent.is_empty() {
        return Ok(rows);
    }
    Err(Error::new(format!("the groups of column {column:?} lack {}", words::list(&absent)))
        .help("put every value that occurs into a group"))
}

fn not_parsed(column: &str, what: &str, bad: &[&str]) -> Error {
    Error::new(format!("in column {column:?} these values are not {what}: {}", words::values(bad)))
        .help("add them to the missing tokens, or use another hierarchy")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::coding::DomainRule;
    use super::*;

    fn rows(rule: &HierarchyRule, values: &[&str]) -> Result<Vec<Vec<String>>> {
        let values: Dictionary = values.iter().copied().collect();
        let coding = Domain::build("c", &values, &DomainRule::default()).unwrap();
        rule.rows("c", &coding.domain)
    }

    fn row(rule: HierarchyRule, values: &[&str]) -> Vec<String> {
        let mut rows = rows(&rule, values).unwrap();
        let at = rows.iter().position(|row| row[0] == values[0]).unwrap();
        rows.swap_remove(at)
    }

    #[test]
    fn intervals_nest_and_keep_their_anchor() {
        let rule = HierarchyRule::Intervals { widths: vec![5.0, 10.0], start: 16.0 };
        assert_eq!(row(rule.clone(), &["17", "20"]), ["17", "[16-20]", "[16-25]", "*"]);
        assert_eq!(row(rule, &["-3", "20"]), ["-3", "[-4 to 0]", "[-4 to 5]", "*"]);
        let rule = HierarchyRule::Intervals { widths: vec![0.5], start: 0.0 };
        assert_eq!(row(rule, &["0.7"]), ["0.7", "[0.5-1]", "*"]);
        let rule = HierarchyRule::Intervals { widths: vec![0.3, 0.9], start: 0.0 };
        assert_eq!(row(rule.clone(), &["34"]), ["34", "[33.9-34.2]", "[33.3-34.2]", "*"]);
        assert_eq!(row(rule, &["14.1"]), ["14.1", "[14.1-14.4]", "[13.5-14.4]", "*"]);
        let rule = HierarchyRule::Intervals { widths: vec![5.0, 7.0], start: 0.0 };
        assert!(rows(&rule, &["1"]).unwrap_err().message.contains("not a multiple"));
    }

    #[test]
    fn prefixes_mask_to_one_length() {
        assert_eq!(
            row(HierarchyRule::Prefix(vec![]), &["02138"]),
            ["02138", "0213*", "021**", "02***", "0****", "*"]
        );
        // One longer code does not turn the masks of all others into the length of its own.
        let mixed = ["98112", "98113", "98112-1234", "98"];
        let rows = rows(&HierarchyRule::Prefix(vec![5, 3, 2]), &mixed).unwrap();
        assert_eq!(rows[1], ["98112", "98112*", "981*", "98*", "*"]);
        assert_eq!(rows[2], ["98112-1234", "98112*", "981*", "98*", "*"]);
        assert_eq!(rows[0], ["98", "98", "98", "98*", "*"]);
        let rows = self::rows(&HierarchyRule::Prefix(vec![]), &mixed).unwrap();
        assert_eq!(rows[1][..6], ["98112", "98112", "98112", "98112", "98112", "98112*"]);
        assert!(crate::Hierarchy::from_rows(&rows).is_ok());
        assert!(self::rows(&HierarchyRule::Prefix(vec![2, 3]), &["021"]).is_err());
    }

    #[test]
    fn dates_of_many_forms() {
        let rule = HierarchyRule::Date(vec![
            DateUnit::Month,
            DateUnit::Quarter,
            DateUnit::Year,
            DateUnit::Decade,
        ]);
        for text in ["1965-09-20", "20.9.1965", "9/20/65", "1965-09-20T10:00:00", "1965/09/20"] {
            assert_eq!(
                rows(&rule, &[text]).unwrap()[0][1..],
                ["1965-09", "1965-Q3", "1965", "1960s", "*"],
                "{text}"
            );
        }
        let error = rows(&rule, &["1965-13-01", "soon", "2001-01-01"]).unwrap_err();
        assert!(error.message.contains("\"1965-13-01\", \"soon\""), "{error}");
    }

    #[test]
    fn groups_must_cover_the_values() {
        let rule = HierarchyRule::Groups(vec![("low".into(), vec!["a".into(), "b".into()])]);
        assert_eq!(row(rule.clone(), &["a"]), ["a", "low", "*"]);
        assert!(rows(&rule, &["z"]).unwrap_err().message.contains("\"z\""));
    }
}
