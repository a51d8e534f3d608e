//! How the dates of a table are written, as options say it.

use std::collections::BTreeMap;

use incrowd_engine::value::{ColumnTransform, DateFormat, DomainRule, Moment};

use crate::{Error, Result};

/// How the dates of a table are written: in all columns, and in some by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DateFormats {
    /// The form of columns whose dates can be read in several ways.
    pub general: Option<DateFormat>,
    /// The forms of single columns, all of whose values must have it.
    pub columns: BTreeMap<String, DateFormat>,
}

impl DateFormats {
    /// Reads options: `d/m/y` for all columns, `birth=m/d/y` for one.
    pub fn parse<S: AsRef<str>>(options: &[S]) -> Result<Self> {
        let mut formats = DateFormats::default();
        for option in options {
            let option = option.as_ref();
            // Forms have no `=` in them, names may.
            let twice = match option.rsplit_once('=') {
                Some((column, form)) if !column.is_empty() => {
                    let before =
                        formats.columns.insert(column.to_owned(), parse_date_format(form)?);
                    before.map(|_| format!(" for `{column}`"))
                }
                _ => formats.general.replace(parse_date_format(option)?).map(|_| String::new()),
            };
            if let Some(what) = twice {
                return Err(Error::new(format!("--date-format is given twice{what}"))
                    .help("keep one of the two"));
            }
        }
        Ok(formats)
    }

    /// A treatment of a column that heeds the forms.
    #[must_use]
    pub fn treatment(&self, column: &str, treatment: ColumnTransform) -> ColumnTransform {
        if !treatment.needs_dates() {
            return treatment;
        }
        let date_format = self.columns.get(column).cloned();
        ColumnTransform { date_format, usual_dates: self.general.clone(), ..treatment }
    }

    /// A rule for a column that heeds the forms.
    #[must_use]
    pub fn rule(&self, column: &str, rule: DomainRule) -> DomainRule {
        let date_format = self.columns.get(column).cloned();
        DomainRule { date_format, usual_dates: self.general.clone(), ..rule }
    }
}

/// Reads the day of `age-at`: `2026-01-01`.
pub fn parse_age_day(text: &str) -> Result<Moment> {
    incrowd_engine::value::parse_day(text)
        .map_err(|error| Error { help: error.help, ..Error::new(error.message) })
}

/// Reads a form such as `d/m/y`.
pub fn parse_date_format(text: &str) -> Result<DateFormat> {
    text.parse().map_err(|error: incrowd_engine::Error| Error {
        help: error.help,
        ..Error::new(error.message)
    })
}
