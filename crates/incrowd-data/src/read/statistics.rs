//! Data sets of Stata (.dta) and transport files of SAS (.xpt) as CSV text.
//!
//! Both hold numbers with formats: what is shown as a date is written as a date. Where every code that occurs in a
//! column of Stata has a label of its own, the label is the value, as people see it there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Cursor;

use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string_table::LongStringTable;
use dta::stata::dta::record_reader::RecordReader;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::stata_byte::StataByte;
use dta::stata::stata_double::StataDouble;
use dta::stata::stata_float::StataFloat;
use dta::stata::stata_int::StataInt;
use dta::stata::stata_long::StataLong;
use dta::stata::temporal::kind::TemporalKind;
use sas_xport::sas::xport::{XportReader, XportValue};

use super::converted_file::{ConvertedFile, CsvText, careful, damaged, iso_day, shown};
use super::encoding::parse_encoding;
use super::file::FileHandle;
use crate::{Error, Result};

type SliceCursor<'a> = Cursor<&'a [u8]>;

const STATA: &str = "a data set of Stata";

/// A data set of Stata as text.
pub(super) fn stata(handle: &FileHandle, encoding: Option<&str>) -> Result<ConvertedFile> {
    let (path, bytes) = (handle.path(), handle.all()?);
    let encoding = encoding.map(parse_encoding).transpose()?;
    careful(path, STATA, || {
        let failed = |cause: &dyn Display| damaged(path, STATA, cause);
        let open = || -> Result<RecordReader<SliceCursor<'_>>> {
            let mut reader = DtaReader::new();
            if let Some(encoding) = encoding {
                reader = reader.encoding(encoding);
            }
            let header = reader.from_reader(Cursor::new(bytes.as_slice()));
            let schema = header.read_header().map_err(|e| failed(&e))?;
            let mut rest = schema.read_schema().map_err(|e| failed(&e))?;
            rest.skip_to_end().map_err(|e| failed(&e))?;
            rest.into_record_reader().map_err(|e| failed(&e))
        };
        // Labels and long texts stand behind the rows that they belong to.
        let mut rows = open()?;
        let variables = rows.schema().variables().to_vec();
        let mut codes: BTreeMap<usize, BTreeSet<i32>> = BTreeMap::new();
        for (at, variable) in variables.iter().enumerate() {
            if !variable.value_label_name().is_empty() {
                codes.insert(at, BTreeSet::new());
            }
        }
        let mut broken = BTreeSet::new();
        while let Some(row) = rows.read_record().map_err(|e| failed(&e))? {
            for (&at, seen) in &mut codes {
                match row.values().get(at).map(number) {
                    Some(Some(value)) if value.fract() == 0.0 && value.abs() < 2e9 => {
                        seen.insert(value as i32);
                    }
                    Some(Some(_)) => _ = broken.insert(at),
                    _ => {}
                }
            }
        }
        let mut long = LongStringTable::for_reading();
        let mut texts = rows.into_long_string_reader().map_err(|e| failed(&e))?;
        texts.read_remaining_into(&mut long).map_err(|e| failed(&e))?;
        let encoding = texts.encoding();
        let mut labels = ValueLabelTable::new();
        let mut sets = texts.into_value_label_reader().map_err(|e| failed(&e))?;
        sets.read_remaining_into(&mut labels).map_err(|e| failed(&e))?;
        codes.retain(|at, seen| {
            let named: BTreeSet<&str> =
                seen.iter().filter_map(|&code| labels.label_for(&variables[*at], code)).collect();
            !seen.is_empty() && named.len() == seen.len() && !broken.contains(at)
        });
        let names: Vec<String> = variables.iter().map(|it| it.name().to_owned()).collect();
        let times: Vec<Option<TemporalKind>> =
            variables.iter().map(|it| TemporalKind::from_format(it.format())).collect();
        let mut text = CsvText::new(path, &names)?;
        let mut rows = open()?;
        while let Some(row) = rows.read_record().map_err(|e| failed(&e))? {
            for (at, value) in row.values().iter().enumerate() {
                let label = || labels.label_for(&variables[at], number(value)? as i32);
                match value {
                    Value::String(value) => text.field(value),
                    Value::LongStringRef(reference) => {
                        let long = long.get(reference);
                        let value = long.as_ref().and_then(|long| long.data_str(encoding));
                        text.field(value.as_deref().unwrap_or_default());
                    }
                    _ => match (number(value), codes.contains_key(&at), times[at]) {
                        (None, ..) => text.field(""),
                        (_, true, _) => text.field(label().unwrap_or_default()),
                        (Some(number), _, Some(kind)) => text.field(&stata_time(number, kind)),
                        (Some(number), _, None) => match value {
                            // A number of 4 bytes has few digits, and the others are noise.
                            Value::Float(StataFloat::Present(short)) => {
                                text.field(&shown_short(*short))
                            }
                            _ => text.field(&shown(number)),
                        },
                    },
                }
            }
            text.end()?;
        }
        let mut notes = Vec::new();
        if !codes.is_empty() {
            let labelled: Vec<&str> = codes.keys().map(|&at| names[at].as_str()).collect();
            notes.push(format!(
                "{} has labels for the codes in {}: the labels are taken as values",
                path.display(),
                labelled.join(", ")
            ));
        }
        Ok(ConvertedFile { text: text.finish()?, notes })
    })
}

/// The number of a value; none if it is missing, or text.
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Byte(StataByte::Present(number)) => Some(f64::from(*number)),
        Value::Int(StataInt::Present(number)) => Some(f64::from(*number)),
        Value::Long(StataLong::Present(number)) => Some(f64::from(*number)),
        Value::Float(StataFloat::Present(number)) => Some(f64::from(*number)),
        Value::Double(StataDouble::Present(number)) => Some(*number),
        _ => None,
    }
}

fn shown_short(number: f32) -> String {
    if number.fract() == 0.0 { shown(f64::from(number)) } else { format!("{number}") }
}

/// What a number means as a time: days, months and so on since 1960.
fn stata_time(number: f64, kind: TemporalKind) -> String {
    let whole = number.floor();
    let parts = |of: f64| (1960.0 + (whole / of).floor(), whole.rem_euclid(of) + 1.0);
    match kind {
        TemporalKind::Date => iso_day(whole as i64),
        TemporalKind::DateTime | TemporalKind::DateTimeLeap => iso_time(number / 1000.0),
        TemporalKind::Month => {
            let (year, month) = parts(12.0);
            format!("{year:04}-{month:02}")
        }
        TemporalKind::Quarter => {
            let (year, quarter) = parts(4.0);
            format!("{year:04}-Q{quarter}")
        }
        _ => shown(number),
    }
}

/// Seconds since 1960 as day and time.
fn iso_time(seconds: f64) -> String {
    let seconds = seconds.floor() as i64;
    let (day, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{}T{:02}:{:02}:{:02}", iso_day(day), rest / 3600, rest / 60 % 60, rest % 60)
}

const SAS: &str = "a transport file of SAS";

/// Formats of SAS that show a day, whatever their width.
const DAYS: [&str; 12] = [
    "DATE", "DAY", "DDMMYY", "MMDDYY", "YYMMDD", "WEEKDATE", "WORDDATE", "JULIAN", "E8601DA",
    "B8601DA", "IS8601DA", "NLDATE",
];
const TIMES: [&str; 5] = ["DATETIME", "E8601DT", "B8601DT", "IS8601DT", "NLDATM"];

/// The first data set of a transport file of SAS as text.
pub(super) fn sas_transport(handle: &FileHandle) -> Result<ConvertedFile> {
    let (path, bytes) = (handle.path(), handle.all()?);
    careful(path, SAS, || {
        let failed = |cause: &dyn Display| damaged(path, SAS, cause);
        let reader =
            XportReader::from_reader(Cursor::new(bytes.as_slice())).map_err(|e| failed(&e))?;
        let Some(mut set) = reader.next_dataset().map_err(|e| failed(&e))? else {
            return Err(Error::new(format!("{} holds no data set", path.display())));
        };
        let variables = set.schema().variables().to_vec();
        let names: Vec<String> =
            variables.iter().map(|it| it.full_name().trim().to_owned()).collect();
        let formats: Vec<String> =
            variables.iter().map(|it| it.full_format().trim().to_ascii_uppercase()).collect();
        let mut text = CsvText::new(path, &names)?;
        while let Some(row) = set.next_record().map_err(|e| failed(&e))? {
            for (value, format) in row.iter().zip(&formats) {
                match value {
                    XportValue::Character(value) => text.field(value.trim_end()),
                    XportValue::Number(number) if !number.is_finite() => text.field(""),
                    XportValue::Number(number) => text.field(&sas_number(*number, format)),
                }
            }
            text.end()?;
        }
        let name = set.schema().dataset_name().trim().to_owned();
        let mut notes = Vec::new();
        if set.next_dataset().map_err(|e| failed(&e))?.is_some() {
            let file = path.display();
            notes.push(format!("{file} holds several data sets; the first one, {name}, is read"));
        }
        Ok(ConvertedFile { text: text.finish()?, notes })
    })
}

fn sas_number(number: f64, format: &str) -> String {
    let is = |names: &[&str]| names.iter().any(|name| format.starts_with(name));
    match () {
        _ if is(&TIMES) => iso_time(number),
        _ if is(&DAYS) => iso_day(number.floor() as i64),
        _ => shown(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_days_and_times_by_their_format() {
        assert_eq!(stata_time(0.0, TemporalKind::Date), "1960-01-01");
        assert_eq!(stata_time(21_275.0, TemporalKind::Date), "2018-04-01");
        assert_eq!(stata_time(-1.0, TemporalKind::Date), "1959-12-31");
        assert_eq!(stata_time(699.0, TemporalKind::Month), "2018-04");
        assert_eq!(stata_time(-1.0, TemporalKind::Month), "1959-12");
        assert_eq!(stata_time(233.0, TemporalKind::Quarter), "2018-Q2");
        assert_eq!(stata_time(1_838_205_000_000.0, TemporalKind::DateTime), "2018-04-01T12:30:00");
        assert_eq!(sas_number(21_275.0, "MMDDYY"), "2018-04-01");
        assert_eq!(sas_number(1_838_205_000.0, "DATETIME"), "2018-04-01T12:30:00");
        assert_eq!(sas_number(3.5, "BEST"), "3.5");
    }
}
