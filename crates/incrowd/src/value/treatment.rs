//! What is done to a column's values as they are read, whatever the column's role.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::coding::is_missing;
use super::decimal::Decimal;
use super::detect::{Detected, detect};
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
pub struct Treatment {
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
}

impl Treatment {
    /// Whether nothing is done.
    pub fn is_none(&self) -> bool {
        *self == Treatment::default()
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
        if self.keep_prefix == Some(0) {
            return wrong("would keep none of its characters".to_owned(), "keep at least 1");
        }
        if self.keep_prefix.is_some() && self.needs_numbers() {
            return wrong(
                "is treated as a code and as a number".to_owned(),
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
pub struct Treater {
    treatment: Treatment,
    /// The column's name, for messages.
    column: String,
    format: NumberFormat,
    whole: bool,
    /// The fields that mean "no value", which stay as they are.
    missing: Vec<String>,
}

impl Treater {
    /// The treatment of a column with these distinct values. `decimal` is the decimal sign, where the user or other
    /// columns give it.
    pub fn new<'a>(
        column: &str,
        values: impl Iterator<Item = &'a str> + Clone,
        treatment: &Treatment,
        missing: &[String],
        decimal: Option<char>,
    ) -> Result<Self> {
        treatment.check(column)?;
        let mut treater = Treater {
            treatment: treatment.clone(),
            column: column.to_owned(),
            format: NumberFormat::default(),
            whole: true,
            missing: missing.to_vec(),
        };
        if !treatment.needs_numbers() {
            return Ok(treater);
        }
        let values = values.filter(|value| !is_missing(value, missing));
        match detect(values.clone(), decimal) {
            Detected::Numbers(format) => treater.format = format,
            Detected::Ambiguous(readings) => return Err(readings.error(column)),
            // Which value is no number is found below, where one is.
            Detected::Text => {}
        }
        for value in values {
            let number = treater.rounded(value)?;
            treater.whole &= number.is_whole();
        }
        treater.whole &= treatment.breaks.iter().all(|at| at.is_whole());
        Ok(treater)
    }

    /// The treatment.
    pub fn treatment(&self) -> &Treatment {
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
        if let Some(kept) = treatment.keep_prefix {
            let code = field.trim();
            let end = code.char_indices().nth(kept as usize).map_or(code.len(), |(at, _)| at);
            return Ok(Cow::Borrowed(&code[..end]));
        }
        if !treatment.needs_numbers() {
            return Ok(Cow::Borrowed(field));
        }
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
            Error::new(format!("column {column:?} is treated as numbers, but holds {field:?}"))
                .help("add the value to the missing tokens, or leave the treatment out")
        })?;
        match self.treatment.round {
            None => Ok(number),
            Some(step) => number.round_to(step).ok_or_else(|| {
                Error::new(format!(
                    "{field:?} of column {column:?} cannot be rounded to {step}: 38 digits do not suffice"
                ))
                .help("choose a larger step")
            }),
        }
    }

    /// Whether it is one that [`Treater::new`] could have made, as it must be when read from a file.
    pub(crate) fn is_sound(&self) -> bool {
        self.format.is_sound() && self.treatment.check(&self.column).is_ok()
    }
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

    fn treated(treatment: &Treatment, values: &[&str]) -> Vec<String> {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let treater = Treater::new("c", values.iter().copied(), treatment, &missing, None).unwrap();
        values.iter().map(|value| treater.treat(value).unwrap().into_owned()).collect()
    }

    fn breaks(at: &[&str]) -> Treatment {
        Treatment { breaks: at.iter().map(|at| n(at)).collect(), ..Treatment::default() }
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
        let ends = Treatment { top: Some(n("90")), bottom: Some(n("18")), ..Treatment::default() };
        assert_eq!(treated(&ends, &["18", "19", "89.5", "90"]), ["<=18", "19", "89.5", "90+"]);
        let round = Treatment { round: Some(n("100")), ..Treatment::default() };
        assert_eq!(treated(&round, &["1234", "1250", "-1250"]), ["1200", "1300", "-1300"]);
        assert_eq!(treated(&round, &["1.234,50", "7"]), ["1.200", "0"]);
        let tenth = Treatment { round: Some(n("0.1")), top: Some(n("1")), ..Treatment::default() };
        assert_eq!(treated(&tenth, &["0.25", "0.95", "0.94"]), ["0.3", "1+", "0.9"]);
        let zip = Treatment { keep_prefix: Some(3), ..Treatment::default() };
        assert_eq!(
            treated(&zip, &["98115", "02138-1234", "Äöüß", "9"]),
            ["981", "021", "Äöü", "9"]
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let message = |treatment: &Treatment, values: &[&str]| {
            let values = values.iter().copied();
            Treater::new("c", values, treatment, &[], None).unwrap_err().message
        };
        assert!(message(&breaks(&["5", "5"]), &[]).contains("break 5 before 5"));
        assert!(message(&breaks(&["5"]), &["x"]).contains("holds \"x\""));
        let mut both = breaks(&["5"]);
        both.top = Some(n("9"));
        assert!(message(&both, &[]).contains("breaks and a top"));
        let none = Treatment { round: Some(n("0")), ..Treatment::default() };
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
                Treatment { bottom: Some(cuts[0]), top: Some(cuts[1]), ..Treatment::default() }
            } else {
                Treatment { breaks: cuts, ..Treatment::default() }
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
