//! Hierarchies built by rule from the values that occur.

use serde::{Deserialize, Serialize};

use super::coding::Steps;
use super::decimal::Decimal;
use super::domain::Domain;
use super::ready::Ready;
use super::scale::{Bounds, Scale};
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
        ready: Ready,
        /// The group of values that it does not cover; without a name they are an error.
        other: Option<String>,
    },
}

/// What a date generalizes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateUnit {
    /// `1965-09`
    Month,
    /// `1965-Q3`
    Quarter,
    /// `1965`
    Year,
    /// `1960s`
    Decade,
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
                let bounds: Vec<Option<Bounds>> =
                    codes.iter().map(|&code| domain.bounds(code).copied()).collect();
                let plain = Scale::default();
                let scale = domain.scale().unwrap_or(&plain);
                interval_rows(column, values, &bounds, scale, (widths, *start))?
            }
            HierarchyRule::Prefix(kept) => prefix_rows(column, values, kept)?,
            HierarchyRule::Date(units) => date_rows(column, values, units)?,
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
    bounds: &[Option<Bounds>],
    scale: &Scale,
    (widths, start): (&[f64], f64),
) -> Result<Vec<Vec<String>>> {
    let exact = || -> Option<Vec<Steps>> {
        let start = Decimal::of_f64(start)?;
        let widths = widths.iter().map(|&width| Decimal::of_f64(width));
        widths
            .map(|width| Some(Steps { width: width.filter(|w| *w > Decimal::ZERO)?, start }))
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
                        "intervals of width {width} are too narrow for {value:?} in column {column:?}: 38 digits \
                         do not suffice"
                    ))
                    .help("choose wider intervals")
                })?;
                let holds = bounds.low.zip(bounds.high).is_some_and(|(_, high)| around.contains(high));
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
            "the prefix lengths of column {column:?} must fall from level to level and stay above 0"
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

fn date_rows(column: &str, values: &[&str], units: &[DateUnit]) -> Result<Vec<Vec<String>>> {
    if units.is_empty() || units.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::new(format!(
            "the date units of column {column:?} must go from fine to coarse"
        ))
        .help("use some of month, quarter, year, decade in this order"));
    }
    let dates =
        all_parsed(column, values, "a date (1965-09-20, 20.9.1965 or 9/20/1965)", parse_date)?;
    Ok(values
        .iter()
        .zip(dates)
        .map(|(value, (year, month))| {
            let mut row = vec![(*value).to_owned()];
            row.extend(units.iter().map(|unit| match unit {
                DateUnit::Month => format!("{year:04}-{month:02}"),
                DateUnit::Quarter => format!("{year:04}-Q{}", month.div_ceil(3)),
                DateUnit::Year => format!("{year:04}"),
                DateUnit::Decade => format!("{}s", year / 10 * 10),
            }));
            row
        })
        .collect())
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

/// Every value parsed, or an error that lists the ones that cannot be.
fn all_parsed<T>(
    column: &str,
    values: &[&str],
    what: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>> {
    let parsed: Vec<Option<T>> = values.iter().map(|value| parse(value)).collect();
    let bad: Vec<&str> = values
        .iter()
        .zip(&parsed)
        .filter(|(_, parsed)| parsed.is_none())
        .map(|(value, _)| *value)
        .collect();
    if bad.is_empty() {
        return Ok(parsed.into_iter().flatten().collect());
    }
    Err(not_parsed(column, what, &bad))
}

fn not_parsed(column: &str, what: &str, bad: &[&str]) -> Error {
    Error::new(format!("in column {column:?} these values are not {what}: {}", words::list(bad)))
        .help("add them to the missing tokens, or use another hierarchy")
}

/// Year and month of a date: `1965-09-20` (also with a time behind it), `1965-09`, `1965`, `20.9.1965`,
/// `9/20/1965` or `9/20/65`. Two digits of a year below 30 mean this century.
fn parse_date(text: &str) -> Option<(u32, u32)> {
    let date = text.trim().split(['T', ' ']).next()?;
    let number = |part: &str| -> Option<u32> {
        (!part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse().ok())?
    };
    let century = |part: &str| -> Option<u32> {
        let year = number(part)?;
        match part.len() {
            4 => Some(year),
            2 if year < 30 => Some(2000 + year),
            2 => Some(1900 + year),
            _ => None,
        }
    };
    let parts: Vec<&str> = date.split(['-', '.', '/']).collect();
    let (year, month, day) =
        match (date.find(['-', '.', '/']).map(|at| date.as_bytes()[at]), &parts[..]) {
            (None, [year]) if year.len() == 4 => (number(year)?, 1, 1),
            (Some(b'-'), [year, month]) if year.len() == 4 => (number(year)?, number(month)?, 1),
            (Some(b'-' | b'/'), [year, month, day]) if year.len() == 4 => {
                (number(year)?, number(month)?, number(day)?)
            }
            (Some(b'.'), [day, month, year]) => (century(year)?, number(month)?, number(day)?),
            (Some(b'/'), [month, day, year]) => (century(year)?, number(month)?, number(day)?),
            _ => return None,
        };
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month))
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
                row(rule.clone(), &[text])[1..],
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
