//! Which form the dates of a column are written in, by the evidence of all its values.

use super::format::{DateFormat, ParsedDate};
use super::moment::Moment;
use super::scale::DateScale;
use crate::kit::{Error, Result, words};

/// The dates of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct DateColumn {
    /// How they are written and shown.
    pub scale: DateScale,
    /// The moments, in the order of the values asked about.
    pub moments: Vec<Moment>,
    /// A value whose year has two digits, if there is one.
    pub short_year: Option<String>,
}

/// What a column's values are, as far as dates go.
#[derive(Debug, Clone, PartialEq)]
pub enum DetectedDates {
    /// They are no dates, or not all in one form.
    Nothing,
    /// They are dates.
    Dates(DateColumn),
    /// They are dates, but it cannot be told which number is the day and which the month.
    Ambiguous(DateReadings),
}

/// Two readings of the same dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateReadings {
    /// A value that they read differently.
    pub example: String,
    /// The forms, and the day that the example is in each.
    pub readings: [(DateFormat, String); 2],
}

impl DateReadings {
    /// Both readings of the example in words.
    pub fn describe(&self) -> String {
        let [(one, day), (other, other_day)] = &self.readings;
        match words::values_are_hidden() {
            true => format!(
                "{} is one day as {one} and another as {other}",
                words::value(&self.example)
            ),
            false => format!("`{}` is {day} as {one} and {other_day} as {other}", self.example),
        }
    }

    /// The refusal of a column.
    pub fn error(&self, column: &str) -> Error {
        let [(one, _), (other, _)] = &self.readings;
        Error::new(format!(
            "column {column:?} holds dates that can be read in two ways: {}",
            self.describe()
        ))
        .help(format!(
            "name the form: --date-format {column}={one} or --date-format {column}={other}\n\
              (date-format = \"{one}\" in a spec), or read it as text with type = \"text\""
        ))
    }
}

/// Finds out whether values, missing ones left out, are dates. Where a general form is given and all values are
/// written in it, it decides. A day above 12 in any value tells days from months.
pub fn detect_dates(values: &[&str], general: Option<&DateFormat>) -> DetectedDates {
    let read = |form: &DateFormat| -> Option<Vec<ParsedDate>> {
        values.iter().map(|value| form.read(value)).collect()
    };
    if values.is_empty() {
        return DetectedDates::Nothing;
    }
    if let Some(found) = general.and_then(|form| dates(form, &read(form)?, values)) {
        return DetectedDates::Dates(found);
    }
    let mut found: Vec<(DateFormat, Vec<ParsedDate>)> = DateFormat::usual()
        .into_iter()
        .filter_map(|form| read(&form).map(|readings| (form, readings)))
        .collect();
    if found.len() > 1 {
        found.retain(|(form, _)| !form.is_unusual());
    }
    if let [(one, ones), (other, others), ..] = &found[..] {
        // Which example is told must not depend on the order of rows.
        let differing = (0..values.len()).filter(|&at| ones[at].local != others[at].local);
        if let Some(at) = differing.min_by_key(|&at| values[at]) {
            let day =
                |reading: &ParsedDate| super::moment::DateUnit::Day.label(reading.local, false);
            return DetectedDates::Ambiguous(DateReadings {
                example: values[at].to_owned(),
                readings: [(one.clone(), day(&ones[at])), (other.clone(), day(&others[at]))],
            });
        }
    }
    let first = found.first().and_then(|(form, readings)| dates(form, readings, values));
    first.map_or(DetectedDates::Nothing, DetectedDates::Dates)
}

/// The dates of values that are said to be written in a form; an error names those that are not.
pub fn read_dates(column: &str, values: &[&str], form: &DateFormat) -> Result<DateColumn> {
    let bad: Vec<&str> =
        values.iter().copied().filter(|value| form.read(value).is_none()).collect();
    if !bad.is_empty() {
        let what = if form.is_clock() { "times" } else { "dates" };
        return Err(Error::new(format!(
            "in column {column:?} these values are no {what} of the form {form}: {}",
            words::values(&bad)
        ))
        .help(
            "correct them, add them to the missing tokens, or name another form with --date-format",
        ));
    }
    let readings: Vec<ParsedDate> = values.iter().filter_map(|value| form.read(value)).collect();
    dates(form, &readings, values).ok_or_else(|| {
        Error::new(format!(
            "column {column:?} mixes times with and without a zone, which cannot be ordered"
        ))
        .help("give all of them a zone, or none, or read the column as text with type = \"text\"")
    })
}

fn dates(form: &DateFormat, readings: &[ParsedDate], values: &[&str]) -> Option<DateColumn> {
    let (scale, moments) = DateScale::of(form, readings)?;
    let short = readings.iter().zip(values).filter(|(reading, _)| reading.short_year);
    let short_year = short.map(|(_, value)| *value).min().map(str::to_owned);
    Some(DateColumn { scale, moments, short_year })
}
