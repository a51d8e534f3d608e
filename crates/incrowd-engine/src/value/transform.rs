//! What is done to a column's values as they are read, whatever the column's role.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::date::{
    DateFormat, DateScale, DateUnit, DetectedDates, Moment, age_at, detect_dates, no_age,
    read_dates,
};
use super::decimal::Decimal;
use super::detect::{DetectedNumbers, detect};
use super::missing::is_missing;
use super::number::NumberFormat;
use super::scale::range_label;
use crate::kit::{Error, Result};
use crate::table::{Column, Dictionary};

/// What is done to each value of a column before anything else sees it: a release then holds nothing finer, be the
/// column a quasi-identifier, sensitive, or released as it is.
///
/// Numbers are rounded first, then cut off at the top and the bottom or put between breaks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnTransform {
    /// Numbers become the nearest multiple of this, halves away from zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Decimal>,
    /// Numbers become the ranges between these: `<0`, `[0-17]`, `[18-64]`, `65+` for 0, 18, 65. A break belongs to the
    /// range above it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<Decimal>,
    /// Numbers from this one on become `90+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Decimal>,
    /// Numbers up to this one become `<=18`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<Decimal>,
    /// Codes keep this many characters: 3 makes `981` of the ZIP code 98115.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_prefix: Option<u32>,
    /// Birth dates become ages in completed years on this day, to which the above may be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_at: Option<Moment>,
    /// Dates become the unit of time that they lie in: `2018-04`, `2018-Q2`, `2018`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_unit: Option<DateUnit>,
    /// How dates are written in this column, where ages or units are made of them; found out if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_format: Option<DateFormat>,
    /// How dates are written that can be read in several ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_dates: Option<DateFormat>,
}

impl ColumnTransform {
    /// Whether nothing is done.
    pub fn is_none(&self) -> bool {
        *self == ColumnTransform::default()
    }

    /// Whether values must be dates.
    pub fn needs_dates(&self) -> bool {
        self.age_at.is_some() || self.date_unit.is_some()
    }

    /// Whether values must be numbers.
    fn needs_numbers(&self) -> bool {
        self.round.is_some()
            || !self.breaks.is_empty()
            || self.top.is_some()
            || self.bottom.is_some()
    }

    /// Refuses what makes no sense whatever the values.
    pub fn check(&self, column: &str) -> Result<()> {
        let wrong = |what: String, help: &str| {
            Err(Error::new(format!("column {column:?} {what}")).help(help))
        };
        if let Some(step) = self.round.filter(|step| *step <= Decimal::ZERO) {
            return wrong(
                format!("cannot be rounded to {step}"),
                "name a step above 0, such as 100",
            );
        }
        if let Some(pair) = self.breaks.windows(2).find(|pair| pair[0] >= pair[1]) {
            return wrong(
                format!("has the break {} before {}", pair[0], pair[1]),
                "breaks must rise, as 0, 18, 65, 90 do",
            );
        }
        if let (Some(bottom), Some(top)) = (self.bottom, self.top)
            && bottom >= top
        {
            return wrong(
                format!("has its bottom {bottom} at or above its top {top}"),
                "values up to the bottom and values from the top on must differ",
            );
        }
        if !self.breaks.is_empty() && (self.top.is_some() || self.bottom.is_some()) {
            return wrong(
                "has breaks and a top or bottom".to_owned(),
                "breaks are open at both ends already: make the top and the bottom breaks",
            );
        }
        if self.age_at.is_some() && self.date_unit.is_some() {
            return wrong(
                "is to become an age and a date at once".to_owned(),
                "leave out age-at or date-unit",
            );
        }
        let coded = self.keep_prefix.is_some();
        if self.needs_dates() && coded || self.date_unit.is_some() && self.needs_numbers() {
            return wrong(
                "is transformed as dates and in another way".to_owned(),
                "leave out age-at and date-unit, or keep-prefix, round, breaks, top and bottom",
            );
        }
        if self.keep_prefix == Some(0) {
            return wrong("would keep none of its characters".to_owned(), "keep at least 1");
        }
        if self.keep_prefix.is_some() && self.needs_numbers() {
            return wrong(
                "is transformed both as a code and as a number".to_owned(),
                "leave out keep-prefix, or round, breaks, top and bottom",
            );
        }
        Ok(())
    }
}

/// A treatment that knows its column: how its numbers are written and whether all are whole. It treats new rows as it
/// treated those it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedTransform {
    treatment: ColumnTransform,
    /// The column's name, for messages.
    column: String,
    format: NumberFormat,
    /// How dates are written, where they are treated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dates: Option<DateScale>,
    whole: bool,
    /// The fields that mean "no value", which stay as they are.
    missing: Vec<String>,
}

impl FittedTransform {
    /// The treatment of a column with these distinct values. `decimal` is the decimal sign, where the user or other
    /// columns give it.
    pub fn new<'a>(
        column: &str,
        values: impl Iterator<Item = &'a str> + Clone,
        treatment: &ColumnTransform,
        missing: &[String],
        decimal: Option<char>,
    ) -> Result<Self> {
        treatment.check(column)?;
        let mut treater = FittedTransform {
            treatment: treatment.clone(),
            column: column.to_owned(),
            format: NumberFormat::default(),
            dates: None,
            whole: true,
            missing: missing.to_vec(),
        };
        if treatment.needs_dates() {
            let values: Vec<&str> = values.filter(|value| !is_missing(value, missing)).collect();
            treater.see_dates(&values)?;
            return Ok(treater);
        }
        if !treatment.needs_numbers() {
            return Ok(treater);
        }
        let values = values.filter(|value| !is_missing(value, missing));
        match detect(values.clone(), decimal) {
            DetectedNumbers::Numbers(format) => treater.format = format,
            DetectedNumbers::Ambiguous(readings) => return Err(readings.error(column)),
            // Which value is no number is found below, where one is.
            DetectedNumbers::Text => {}
        }
        for value in values {
            let number = treater.rounded(value)?;
            treater.whole &= number.is_whole();
        }
        treater.whole &= treatment.breaks.iter().all(|at| at.is_whole());
        Ok(treater)
    }

    /// Finds out how dates are written, and whether they can be treated.
    fn see_dates(&mut self, values: &[&str]) -> Result<()> {
        let (column, treatment) = (&self.column, &self.treatment);
        let found = match &treatment.date_format {
            Some(form) => read_dates(column, values, form)?,
            None => match detect_dates(values, treatment.usual_dates.as_ref()) {
                DetectedDates::Dates(found) => found,
                DetectedDates::Ambiguous(readings) => return Err(readings.error(column)),
                // There is nothing but missing values.
                DetectedDates::Nothing if values.is_empty() => return Ok(()),
                DetectedDates::Nothing => {
                    let known = |value: &&str| DateFormat::iso().read(value).is_none();
                    let example = values.iter().copied().find(known).unwrap_or_default();
                    return Err(no_date(column, example));
                }
            },
        };
        if let Some(day) = treatment.age_at {
            found.ages_at(column, values, day)?;
        }
        if let Some(unit) = treatment.date_unit {
            found.check_unit(column, unit)?;
        }
        self.dates = Some(found.scale);
        Ok(())
    }

    /// How dates are written, where they are treated.
    pub fn dates(&self) -> Option<&DateScale> {
        self.dates.as_ref()
    }

    /// What a date becomes.
    fn treated_date(&self, field: &str) -> Result<String> {
        let column = &self.column;
        let scale = self.dates.as_ref().ok_or_else(|| no_date(column, field))?;
        let moment = scale.read(field).ok_or_else(|| no_date(column, field))?;
        match (self.treatment.age_at, self.treatment.date_unit) {
            (Some(day), _) => {
                let age = age_at(moment, day).ok_or_else(|| no_age(column, &[field], day))?;
                Ok(age.to_string())
            }
            (None, Some(unit)) => Ok(unit.label(moment, scale.format.is_clock())),
            (None, None) => Ok(field.to_owned()),
        }
    }

    /// The treatment.
    pub fn treatment(&self) -> &ColumnTransform {
        &self.treatment
    }

    /// How the column writes its numbers.
    pub fn format(&self) -> NumberFormat {
        self.format
    }

    /// Whether treated numbers and breaks are whole: then `[0-17]` and `[18-64]` share no number.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// A value as everything else sees it.
    pub fn treat<'a>(&self, field: &'a str) -> Result<Cow<'a, str>> {
        if is_missing(field, &self.missing) {
            return Ok(Cow::Borrowed(field));
        }
        let treatment = &self.treatment;
        if treatment.needs_dates() {
            let treated = self.treated_date(field)?;
            // An age may be cut off or put between breaks.
            return match treatment.needs_numbers() {
                true => Ok(Cow::Owned(self.treated_number(&treated)?.into_owned())),
                false => Ok(Cow::Owned(treated)),
            };
        }
        if let Some(kept) = treatment.keep_prefix {
            let code = field.trim();
            let end = code.char_indices().nth(kept as usize).map_or(code.len(), |(at, _)| at);
            return Ok(Cow::Borrowed(&code[..end]));
        }
        match treatment.needs_numbers() {
            true => self.treated_number(field),
            false => Ok(Cow::Borrowed(field)),
        }
    }

    /// What a number becomes.
    fn treated_number<'a>(&self, field: &'a str) -> Result<Cow<'a, str>> {
        let treatment = &self.treatment;
        let number = self.rounded(field)?;
        let show = |number: Decimal| self.format.show(number);
        if let Some(top) = treatment.top.filter(|top| number >= *top) {
            return Ok(Cow::Owned(format!("{}+", show(top))));
        }
        if let Some(bottom) = treatment.bottom.filter(|bottom| number <= *bottom) {
            return Ok(Cow::Owned(format!("<={}", show(bottom))));
        }
        let breaks = &treatment.breaks;
        if breaks.is_empty() {
            return Ok(match treatment.round {
                Some(_) => Cow::Owned(show(number)),
                None => Cow::Borrowed(field),
            });
        }
        let behind = breaks.partition_point(|at| *at <= number);
        let low = behind.checked_sub(1).map(|at| breaks[at]);
        Ok(Cow::Owned(match (low, breaks.get(behind)) {
            (Some(low), None) => format!("{}+", show(low)),
            (None, Some(high)) => format!("<{}", show(*high)),
            (Some(low), Some(high)) => {
                let last = high.checked_sub(Decimal::ONE).filter(|_| self.whole);
                match last.unwrap_or(*high) {
                    last if last == low => show(low),
                    last => range_label(&show(low), &show(last)),
                }
            }
            (None, None) => field.to_owned(),
        }))
    }

    /// A column of a table as everything else sees it: each distinct value is treated once.
    pub fn treat_column(&self, column: &Column) -> Result<Column> {
        let mut dictionary = Dictionary::new();
        let codes: Vec<u32> = column
            .dictionary
            .iter()
            .map(|value| Ok(dictionary.intern(&self.treat(value)?)))
            .collect::<Result<_>>()?;
        let codes = column.codes.iter().map(|&code| codes[code as usize]).collect();
        Ok(Column { name: column.name.clone(), dictionary, codes })
    }

    /// The number in a field, rounded.
    fn rounded(&self, field: &str) -> Result<Decimal> {
        let column = &self.column;
        let number = self.format.read(field).ok_or_else(|| {
            Error::new(format!("column {column:?} is transformed as numbers, but holds {field:?}"))
                .help("add the value to the missing tokens, or leave the transformation out")
        })?;
        match self.treatment.round {
            None => Ok(number),
            Some(step) => number.round_to(step).ok_or_else(|| {
                Error::new(format!(
                    "{field:?} of column {column:?} needs more than 38 digits when rounded \
                     to {step}"
                ))
                .help("choose a larger step")
            }),
        }
    }

    /// Whether it is one that [`FittedTransform::new`] could have made, as it must be when read from a file.
    pub(crate) fn is_sound(&self) -> bool {
        self.format.is_sound() && self.treatment.check(&self.column).is_ok()
    }
}

fn no_date(column: &str, field: &str) -> Error {
    Error::new(format!("column {column:?} is transformed as dates, but holds {field:?}")).help(
        "correct the value, name its form with --date-format, add it to the missing \
         tokens,\nor leave the transformation out",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::value::{MISSING_TOKENS, Scale};
    use proptest::prelude::*;

    fn n(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn treated(treatment: &ColumnTransform, values: &[&str]) -> Vec<String> {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let treater =
            FittedTransform::new("c", values.iter().copied(), treatment, &missing, None).unwrap();
        values.iter().map(|value| treater.treat(value).unwrap().into_owned()).collect()
    }

    fn breaks(at: &[&str]) -> ColumnTransform {
        ColumnTransform {
            breaks: at.iter().map(|at| n(at)).collect(),
            ..ColumnTransform::default()
        }
    }

    #[test]
    fn values_become_what_was_asked_for() {
        let ages = breaks(&["0", "18", "65", "90"]);
        assert_eq!(
            treated(&ages, &["-1", "0", "17", "18", "64", "89", "90", "104", "NA"]),
            ["<0", "[0-17]", "[0-17]", "[18-64]", "[18-64]", "[65-89]", "90+", "90+", "NA"]
        );
        assert_eq!(treated(&ages, &["17.5", "18"]), ["[0-18]", "[18-65]"]);
        assert_eq!(treated(&breaks(&["-5", "0", "1"]), &["-3", "0"]), ["[-5 to -1]", "0"]);
        let ends = ColumnTransform {
            top: Some(n("90")),
            bottom: Some(n("18")),
            ..ColumnTransform::default()
        };
        assert_eq!(treated(&ends, &["18", "19", "89.5", "90"]), ["<=18", "19", "89.5", "90+"]);
        let round = ColumnTransform { round: Some(n("100")), ..ColumnTransform::default() };
        assert_eq!(treated(&round, &["1234", "1250", "-1250"]), ["1200", "1300", "-1300"]);
        assert_eq!(treated(&round, &["1.234,50", "7"]), ["1.200", "0"]);
        let tenth = ColumnTransform {
            round: Some(n("0.1")),
            top: Some(n("1")),
            ..ColumnTransform::default()
        };
        assert_eq!(treated(&tenth, &["0.25", "0.95", "0.94"]), ["0.3", "1+", "0.9"]);
        let zip = ColumnTransform { keep_prefix: Some(3), ..ColumnTransform::default() };
        assert_eq!(
            treated(&zip, &["98115", "02138-1234", "Äöüß", "9"]),
            ["981", "021", "Äöü", "9"]
        );
    }

    #[test]
    fn dates_become_ages_and_units() {
        let day = crate::value::parse_day("2026-01-01").unwrap();
        let age = ColumnTransform { age_at: Some(day), ..ColumnTransform::default() };
        assert_eq!(treated(&age, &["31/12/1990", "1/1/2000", "NA"]), ["35", "26", "NA"]);
        let old = ColumnTransform { top: Some(n("30")), ..age.clone() };
        assert_eq!(treated(&old, &["31/12/1990", "1/1/2000"]), ["30+", "26"]);
        let month =
            ColumnTransform { date_unit: Some(DateUnit::Month), ..ColumnTransform::default() };
        assert_eq!(treated(&month, &["31/12/1990", "1/1/2000"]), ["1990-12", "2000-01"]);
        let hour =
            ColumnTransform { date_unit: Some(DateUnit::Hour), ..ColumnTransform::default() };
        assert_eq!(treated(&hour, &["10:11"]), ["10h"]);
        let message = |treatment: &ColumnTransform, values: &[&str]| {
            let values = values.iter().copied();
            FittedTransform::new("c", values, treatment, &[], None).unwrap_err().message
        };
        assert!(message(&age, &["2030-01-01"]).contains("2030-01-01"));
        assert!(message(&age, &["1/2/2000"]).contains("two ways"));
        assert!(message(&month, &["2000-01-01", "soon"]).contains("\"soon\""));
        let said = ColumnTransform { date_format: Some("m/d/y".parse().unwrap()), ..month };
        assert_eq!(treated(&said, &["1/2/2000"]), ["2000-01"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let message = |treatment: &ColumnTransform, values: &[&str]| {
            let values = values.iter().copied();
            FittedTransform::new("c", values, treatment, &[], None).unwrap_err().message
        };
        assert!(message(&breaks(&["5", "5"]), &[]).contains("break 5 before 5"));
        assert!(message(&breaks(&["5"]), &["x"]).contains("holds \"x\""));
        let mut both = breaks(&["5"]);
        both.top = Some(n("9"));
        assert!(message(&both, &[]).contains("breaks and a top"));
        let none = ColumnTransform { round: Some(n("0")), ..ColumnTransform::default() };
        assert!(message(&none, &[]).contains("rounded to 0"));
        assert!(message(&breaks(&["5"]), &["1,234"]).contains("two ways"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(2000)))]
        /// By exact comparison a treated number lies inside what it became.
        #[test]
        fn a_number_lies_inside_its_range(
            numbers in prop::collection::vec((-3000_i128..3000, -2..1_i32), 1..8),
            mut cuts in prop::collection::vec((-300_i128..300, -1..2_i32), 0..4),
            ends in any::<bool>(),
        ) {
            let decimal = |(mantissa, exponent)| Decimal::new(mantissa, exponent).unwrap();
            cuts.sort_by_key(|&cut| decimal(cut));
            cuts.dedup_by_key(|cut| decimal(*cut));
            let cuts: Vec<Decimal> = cuts.into_iter().map(decimal).collect();
            let treatment = if ends && cuts.len() > 1 {
                ColumnTransform { bottom: Some(cuts[0]), top: Some(cuts[1]), ..ColumnTransform::default() }
            } else {
                ColumnTransform { breaks: cuts, ..ColumnTransform::default() }
            };
            let numbers: Vec<Decimal> = numbers.into_iter().map(decimal).collect();
            let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for (number, label) in numbers.iter().zip(treated(&treatment, &texts)) {
                let bounds = Scale::default().read_label(&label).unwrap();
                prop_assert!(bounds.contains(*number), "{} in {}", number, label);
            }
        }
    }
}
