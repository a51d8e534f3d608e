//! What becomes of a column that is no quasi-identifier: pseudonyms, masks, shifted dates, fixed text, nothing at all.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// What becomes of the values of a column, in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaskMethod {
    /// `pseudonym`, `pseudonym:DOMAIN`: keyed pseudonyms. Equal values have equal pseudonyms within a domain, which is the
    /// column's name unless it is given.
    Pseudonym(Option<String>),
    /// `random`: pseudonyms whose key nobody keeps: they cannot be made again.
    Random,
    /// `last:4`: the last characters, the others hidden.
    Last(u32),
    /// `initials`: the first letter of each word.
    Initials,
    /// `shift:DAYS`, `shift:DAYS:weekday`: dates moved by up to so many days, all of a unit by the same number; by whole
    /// weeks where weekdays are kept.
    Shift {
        /// The most days.
        days: u32,
        /// Whether days of the week stay.
        weekday: bool,
    },
    /// `fixed:TEXT`: the same text in every row.
    Fixed(String),
    /// `zip3`: the first three digits of a ZIP code of the United States, and 000 where fewer than 20,000 people live.
    Zip3,
    /// `drop`: not released.
    Drop,
}

/// What can be written.
const FORMS: &str = "write pseudonym, pseudonym:DOMAIN, random, last:4, initials, shift:365, \
                     shift:364:weekday,\nfixed:TEXT, zip3 or drop";
/// Dates are not moved farther: a century.
const FARTHEST: u32 = 36_525;

impl MaskMethod {
    /// What is done, in words.
    pub fn words(&self) -> String {
        match self {
            MaskMethod::Pseudonym(None) => "keyed pseudonyms".to_owned(),
            MaskMethod::Pseudonym(Some(domain)) => {
                format!("keyed pseudonyms of the domain {domain}")
            }
            MaskMethod::Random => "random pseudonyms, whose key is not kept".to_owned(),
            MaskMethod::Last(count) => format!("the last {count} characters, the others hidden"),
            MaskMethod::Initials => "the initials".to_owned(),
            MaskMethod::Shift { days, weekday } => format!(
                "dates moved by up to {days} days, all of a unit by the same{}",
                if *weekday { ", by whole weeks" } else { "" }
            ),
            MaskMethod::Fixed(_) => "one text for all".to_owned(),
            MaskMethod::Zip3 => {
                "the first three digits, 000 for areas of fewer than 20,000 people".to_owned()
            }
            MaskMethod::Drop => "left out".to_owned(),
        }
    }

    /// Whether a key is needed to do the same again.
    pub fn needs_key(&self) -> bool {
        matches!(self, MaskMethod::Pseudonym(_) | MaskMethod::Shift { .. })
    }

    /// Whether values become pseudonyms.
    pub fn is_pseudonym(&self) -> bool {
        matches!(self, MaskMethod::Pseudonym(_) | MaskMethod::Random)
    }
}

impl fmt::Display for MaskMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaskMethod::Pseudonym(None) => f.write_str("pseudonym"),
            MaskMethod::Pseudonym(Some(domain)) => write!(f, "pseudonym:{domain}"),
            MaskMethod::Random => f.write_str("random"),
            MaskMethod::Last(count) => write!(f, "last:{count}"),
            MaskMethod::Initials => f.write_str("initials"),
            MaskMethod::Shift { days, weekday: false } => write!(f, "shift:{days}"),
            MaskMethod::Shift { days, weekday: true } => write!(f, "shift:{days}:weekday"),
            MaskMethod::Fixed(text) => write!(f, "fixed:{text}"),
            MaskMethod::Zip3 => f.write_str("zip3"),
            MaskMethod::Drop => f.write_str("drop"),
        }
    }
}

impl FromStr for MaskMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |what: String| Error::new(what).help(FORMS);
        let (word, rest) = match text.split_once(':') {
            None => (text, None),
            Some((word, rest)) => (word, Some(rest)),
        };
        let number = |text: &str, least: u32, most: u32| {
            text.parse()
                .ok()
                .filter(|number| (least..=most).contains(number))
                .ok_or_else(|| wrong(format!("`{text}` is no whole number from {least} to {most}")))
        };
        match (word, rest) {
            ("pseudonym", None) => Ok(MaskMethod::Pseudonym(None)),
            ("pseudonym", Some(domain)) if !domain.is_empty() => {
                Ok(MaskMethod::Pseudonym(Some(domain.to_owned())))
            }
            ("random", None) => Ok(MaskMethod::Random),
            ("last", Some(count)) => Ok(MaskMethod::Last(number(count, 1, 64)?)),
            ("initials", None) => Ok(MaskMethod::Initials),
            ("shift", Some(rest)) => match rest.split_once(':') {
                None => Ok(MaskMethod::Shift { days: number(rest, 1, FARTHEST)?, weekday: false }),
                Some((days, "weekday")) => {
                    Ok(MaskMethod::Shift { days: number(days, 7, FARTHEST)?, weekday: true })
                }
                Some((_, other)) => Err(wrong(format!("a shift has no option `{other}`"))),
            },
            ("fixed", Some(text)) => Ok(MaskMethod::Fixed(text.to_owned())),
            ("zip3", None) => Ok(MaskMethod::Zip3),
            ("drop", None) => Ok(MaskMethod::Drop),
            _ => Err(wrong(format!("`{text}` is not a way to mask a column"))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        for text in [
            "pseudonym",
            "pseudonym:patients",
            "random",
            "last:4",
            "initials",
            "shift:30",
            "shift:364:weekday",
            "fixed:withheld",
            "fixed:",
            "zip3",
            "drop",
        ] {
            let treat: MaskMethod = text.parse().unwrap();
            assert_eq!(treat.to_string(), text);
            assert!(!treat.words().is_empty());
        }
        for text in [
            "",
            "pseudo",
            "last:0",
            "last:x",
            "shift:0",
            "shift:6:weekday",
            "shift:9:day",
            "drop:x",
        ] {
            let error = text.parse::<MaskMethod>().unwrap_err();
            assert!(error.help.unwrap().contains("pseudonym"), "{text}");
        }
    }
}
