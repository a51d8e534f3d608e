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
    /// `zip3`, `zip3:2010`, `zip3:2000`: the first three digits of a ZIP code of the United States, and 000 where 20,000
    /// people or fewer live by a census, the newest unless another is named.
    Zip3(ZipCensus),
    /// `drop`: not released.
    Drop,
}

/// The census that says in which areas of three digits of ZIP codes 20,000 people or fewer live.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ZipCensus {
    /// That of 2000, as the guidance on the Safe Harbor method lists it.
    Of2000,
    /// That of 2010.
    Of2010,
    /// That of 2020.
    #[default]
    Of2020,
}

impl ZipCensus {
    /// All of them, the newest first.
    pub const ALL: [ZipCensus; 3] = [ZipCensus::Of2020, ZipCensus::Of2010, ZipCensus::Of2000];

    /// The year.
    pub fn year(self) -> u16 {
        match self {
            ZipCensus::Of2000 => 2000,
            ZipCensus::Of2010 => 2010,
            ZipCensus::Of2020 => 2020,
        }
    }

    /// Where the list comes from, for forms.
    pub fn source(self) -> &'static str {
        match self {
            ZipCensus::Of2000 => {
                "Census 2000, the 17 areas of the guidance of HHS on de-identification (2012)"
            }
            ZipCensus::Of2010 => "2010 Census, population of ZIP Code Tabulation Areas, 18 areas",
            ZipCensus::Of2020 => "2020 Census, DHC table P1 by ZIP Code Tabulation Area, 18 areas",
        }
    }

    /// The areas of three digits in which 20,000 people or fewer live; `benches/zip3_areas.py` computes those of 2010 and
    /// 2020 from the files of the Census Bureau. An area in which nobody lives is one of them.
    pub fn restricted_areas(self) -> &'static [&'static str] {
        match self {
            ZipCensus::Of2000 => &[
                "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831",
                "878", "879", "884", "890", "893",
            ],
            ZipCensus::Of2010 => &[
                "036", "059", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772",
                "821", "823", "878", "879", "884", "893",
            ],
            ZipCensus::Of2020 => &[
                "036", "059", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772",
                "821", "823", "878", "879", "884", "893",
            ],
        }
    }
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
            MaskMethod::Zip3(census) => format!(
                "the first three digits, 000 for areas of 20,000 people or fewer by the census of {}",
                census.year()
            ),
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
            MaskMethod::Zip3(ZipCensus::Of2020) => f.write_str("zip3"),
            MaskMethod::Zip3(census) => write!(f, "zip3:{}", census.year()),
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
            ("zip3", None) => Ok(MaskMethod::Zip3(ZipCensus::default())),
            ("zip3", Some(year)) => ZipCensus::ALL
                .into_iter()
                .find(|census| census.year().to_string() == year)
                .map(MaskMethod::Zip3)
                .ok_or_else(|| {
                    wrong(format!("zip3 has the census of 2020, 2010 or 2000, not `{year}`"))
                }),
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
            "zip3:2010",
            "zip3:2000",
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
            "zip3:1990",
            "drop:x",
        ] {
            let error = text.parse::<MaskMethod>().unwrap_err();
            assert!(error.help.unwrap().contains("pseudonym"), "{text}");
        }
        assert_eq!("zip3:2020".parse::<MaskMethod>().unwrap().to_string(), "zip3");
    }

    #[test]
    fn areas_are_sorted_and_their_number_is_told() {
        for census in ZipCensus::ALL {
            let areas = census.restricted_areas();
            assert!(areas.is_sorted() && areas.iter().all(|area| area.len() == 3));
            assert!(census.source().contains(&format!("{} areas", areas.len())), "{census:?}");
            assert!(census.source().contains(&census.year().to_string()), "{census:?}");
        }
    }
}
