//! Hierarchies in a word: those that are ready to use, and rules in their short form.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use super::builtin_hierarchy::BuiltinHierarchy;
use super::hierarchy::{DatePeriod, Hierarchy, HierarchyRule, PrefixLengths};
use crate::{Error, Result};

impl Hierarchy {
    /// A hierarchy in a word, as options give it: a short form, or else the name of a file.
    ///
    /// `prefix` masks one more character per level, `prefix:3,1` keeps three and then one; `intervals:5,10,20`, with
    /// `@16` behind it for where they start; `date:month,year`; and the ready ones, `countries`, `icd10`, `ip` and
    /// `email`, each with the name of a group for values that it does not cover behind a colon: `countries:other`.
    /// A file of such a name is written `./countries`.
    pub fn from_word(text: &str) -> Result<Self> {
        let (name, rest) = match text.split_once(':') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest)),
        };
        let rule = match (name, rest) {
            ("prefix", None) => HierarchyRule::Prefix { prefix: PrefixLengths::Every },
            ("prefix", Some(lengths)) => HierarchyRule::Prefix { prefix: kept(lengths)? },
            ("intervals", Some(rest)) => {
                let (widths, start) = rest.split_once('@').unwrap_or((rest, "0"));
                let intervals: Vec<f64> = numbers(widths, "prefix:3,1 or intervals:5,10,20")?;
                let start =
                    numbers(start, "intervals:5,10,20@16")?.into_iter().next().unwrap_or(0.0);
                HierarchyRule::Intervals { intervals, start }
            }
            ("date", Some(periods)) => HierarchyRule::Date {
                date: periods
                    .split(',')
                    .map(|it| it.trim().parse::<DatePeriod>())
                    .collect::<Result<_>>()?,
            },
            (name, other) => match name.parse::<BuiltinHierarchy>() {
                Ok(ready) => {
                    let other = other.filter(|other| !other.is_empty()).map(str::to_owned);
                    HierarchyRule::Ready { ready, other }
                }
                Err(_) => return Ok(Hierarchy::File(PathBuf::from(text))),
            },
        };
        Ok(Hierarchy::Rule(rule))
    }
}

/// How many characters levels keep, falling.
fn kept(text: &str) -> Result<PrefixLengths> {
    let mut lengths: Vec<u32> = numbers(text, "prefix:3,1")?;
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.dedup();
    if lengths.contains(&0) {
        return Err(
            Error::new("a prefix must keep at least 1 character").help("for example prefix:3,1")
        );
    }
    Ok(PrefixLengths::Kept(lengths))
}

fn numbers<T: FromStr>(text: &str, example: impl Display) -> Result<Vec<T>> {
    let wrong = |part: &str| {
        Error::new(format!("`{part}` is not a whole number above 0"))
            .help(format!("for example {example}"))
    };
    text.split(',').map(|part| part.trim().parse().map_err(|_| wrong(part))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn words_are_rules_or_files() {
        let rule = |text: &str| match Hierarchy::from_word(text).unwrap() {
            Hierarchy::Rule(rule) => rule,
            Hierarchy::File(path) => panic!("{text} is the file {}", path.display()),
        };
        assert_eq!(rule("prefix"), HierarchyRule::Prefix { prefix: PrefixLengths::Every });
        assert_eq!(
            rule("prefix:1,3"),
            HierarchyRule::Prefix { prefix: PrefixLengths::Kept(vec![3, 1]) }
        );
        assert_eq!(
            rule("icd10"),
            HierarchyRule::Ready { ready: BuiltinHierarchy::Icd10, other: None }
        );
        let other = Some("elsewhere".to_owned());
        assert_eq!(
            rule("countries:elsewhere"),
            HierarchyRule::Ready { ready: BuiltinHierarchy::Countries, other }
        );
        let intervals = HierarchyRule::Intervals { intervals: vec![5.0, 10.0], start: 16.0 };
        assert_eq!(rule("intervals:5,10@16"), intervals);
        assert_eq!(
            rule("date:month,year"),
            HierarchyRule::Date { date: vec![DatePeriod::Month, DatePeriod::Year] }
        );
        for file in ["zip.csv", "./countries", "C:\\zip.csv", "countries.csv", "date"] {
            assert_eq!(Hierarchy::from_word(file).unwrap(), Hierarchy::File(file.into()));
        }
        for bad in ["prefix:a", "prefix:0", "intervals:x", "date:aeon"] {
            assert!(Hierarchy::from_word(bad).unwrap_err().help.is_some(), "{bad}");
        }
    }
}
