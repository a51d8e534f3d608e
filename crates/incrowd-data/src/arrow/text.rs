//! Columns of Arrow values as text.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayAccessor};
use arrow_schema::{DataType, TimeUnit};
use incrowd_engine::value::civil_of;

/// Whether values of a type have a plain text.
pub fn readable(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        Null | Boolean | Date32 | Date64 | Timestamp(..) | Time32(_) | Time64(_) => true,
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => true,
        Dictionary(_, value) => readable(value),
        other => other.is_numeric(),
    }
}

/// Columns of text: the text of all, and a span per value.
///
/// A span is made of where a value begins and where it ends in the text.
#[derive(Debug, Default)]
pub struct TextBuffer<S> {
    /// The text of all values.
    pub text: String,
    /// Where each value lies in it.
    pub spans: Vec<S>,
}

/// A value that has no text.
#[derive(Debug, PartialEq, Eq)]
pub struct ValueFault {
    /// The row, from 0.
    pub row: usize,
    /// What is wrong, as the end of a sentence that begins with the column.
    pub what: &'static str,
}

const NOT_TEXT: &str = "holds bytes that are not UTF-8 text";
const NOT_PLAIN: &str = "holds a value of an unsupported type";
const TOO_MUCH: &str = "and its neighbours hold more than 4 GB of text";

impl<S: From<(usize, usize)> + Copy> TextBuffer<S> {
    /// Adds a column; missing values are empty.
    pub fn push_column(&mut self, column: &dyn Array) -> Result<(), ValueFault> {
        use DataType::*;
        match column.data_type() {
            Null => self.spans.extend(std::iter::repeat_n(S::from((0, 0)), column.len())),
            Boolean => self.push(column.as_boolean(), |text, value| {
                text.push_str(if value { "true" } else { "false" });
            }),
            Int8 => self.push_displayed::<Int8Type>(column),
            Int16 => self.push_displayed::<Int16Type>(column),
            Int32 => self.push_displayed::<Int32Type>(column),
            Int64 => self.push_displayed::<Int64Type>(column),
            UInt8 => self.push_displayed::<UInt8Type>(column),
            UInt16 => self.push_displayed::<UInt16Type>(column),
            UInt32 => self.push_displayed::<UInt32Type>(column),
            UInt64 => self.push_displayed::<UInt64Type>(column),
            Float16 => self.push(column.as_primitive::<Float16Type>(), |text, value| {
                push_float(text, format_args!("{:?}", value.to_f32()));
            }),
            Float32 => self.push(column.as_primitive::<Float32Type>(), |text, value| {
                push_float(text, format_args!("{value:?}"));
            }),
            Float64 => self.push(column.as_primitive::<Float64Type>(), |text, value| {
                push_float(text, format_args!("{value:?}"));
            }),
            Decimal32(..) => self.push_decimals::<Decimal32Type>(column),
            Decimal64(..) => self.push_decimals::<Decimal64Type>(column),
            Decimal128(..) => self.push_decimals::<Decimal128Type>(column),
            Decimal256(..) => self.push_decimals::<Decimal256Type>(column),
            Date32 => self.push(column.as_primitive::<Date32Type>(), |text, days| {
                push_date(text, days.into());
            }),
            Date64 => self.push(column.as_primitive::<Date64Type>(), |text, milliseconds| {
                push_date(text, milliseconds.div_euclid(86_400_000));
            }),
            Timestamp(unit, zone) => self.push_timestamps(column, *unit, zone.is_some()),
            Time32(TimeUnit::Second) => {
                self.push(column.as_primitive::<Time32SecondType>(), |text, time| {
                    push_time(text, time.into(), TimeUnit::Second);
                });
            }
            Time32(_) => {
                self.push(column.as_primitive::<Time32MillisecondType>(), |text, time| {
                    push_time(text, time.into(), TimeUnit::Millisecond);
                });
            }
            Time64(TimeUnit::Microsecond) => {
                self.push(column.as_primitive::<Time64MicrosecondType>(), |text, time| {
                    push_time(text, time, TimeUnit::Microsecond);
                });
            }
            Time64(_) => {
                self.push(column.as_primitive::<Time64NanosecondType>(), |text, time| {
                    push_time(text, time, TimeUnit::Nanosecond);
                });
            }
            Utf8 => self.push(column.as_string::<i32>(), String::push_str),
            LargeUtf8 => self.push(column.as_string::<i64>(), String::push_str),
            Utf8View => self.push(column.as_string_view(), String::push_str),
            Binary => self.push_bytes(column.as_binary::<i32>())?,
            LargeBinary => self.push_bytes(column.as_binary::<i64>())?,
            BinaryView => self.push_bytes(column.as_binary_view())?,
            Dictionary(..) => self.push_dictionary(column)?,
            _ => return Err(ValueFault { row: 0, what: NOT_PLAIN }),
        }
        if u32::try_from(self.text.len()).is_err() {
            return Err(ValueFault { row: 0, what: TOO_MUCH });
        }
        Ok(())
    }

    fn push<A: ArrayAccessor>(&mut self, column: A, write: impl Fn(&mut String, A::Item)) {
        for row in 0..column.len() {
            let start = self.text.len();
            if column.is_valid(row) {
                write(&mut self.text, column.value(row));
            }
            self.spans.push(S::from((start, self.text.len())));
        }
    }

    fn push_displayed<T: ArrowPrimitiveType>(&mut self, column: &dyn Array)
    where
        T::Native: std::fmt::Display,
    {
        self.push(column.as_primitive::<T>(), |text, value| _ = write!(text, "{value}"));
    }

    fn push_decimals<T: DecimalType>(&mut self, column: &dyn Array) {
        let column = column.as_primitive::<T>();
        let (precision, scale) = (column.precision(), column.scale());
        self.push(column, |text, value| {
            text.push_str(&T::format_decimal(value, precision, scale));
        });
    }

    fn push_timestamps(&mut self, column: &dyn Array, unit: TimeUnit, zoned: bool) {
        let write = |text: &mut String, value: i64| {
            let day = 86_400 * per_second(unit);
            push_date(text, value.div_euclid(day));
            text.push('T');
            push_time(text, value.rem_euclid(day), unit);
            // With a time zone the value is an instant and is shown as such.
            if zoned {
                text.push('Z');
            }
        };
        match unit {
            TimeUnit::Second => self.push(column.as_primitive::<TimestampSecondType>(), write),
            TimeUnit::Millisecond => {
                self.push(column.as_primitive::<TimestampMillisecondType>(), write);
            }
            TimeUnit::Microsecond => {
                self.push(column.as_primitive::<TimestampMicrosecondType>(), write);
            }
            TimeUnit::Nanosecond => {
                self.push(column.as_primitive::<TimestampNanosecondType>(), write);
            }
        }
    }

    /// Text that was written without saying that it is text, as older writers do.
    fn push_bytes<'a, A: ArrayAccessor<Item = &'a [u8]>>(
        &mut self,
        column: A,
    ) -> Result<(), ValueFault> {
        for row in 0..column.len() {
            let start = self.text.len();
            if column.is_valid(row) {
                let value = std::str::from_utf8(column.value(row));
                self.text.push_str(value.map_err(|_| ValueFault { row, what: NOT_TEXT })?);
            }
            self.spans.push(S::from((start, self.text.len())));
        }
        Ok(())
    }

    /// Each entry becomes text once; the rows share it. Dictionaries differ from batch to batch, so
    /// their keys mean nothing outside.
    fn push_dictionary(&mut self, column: &dyn Array) -> Result<(), ValueFault> {
        let column = column.as_any_dictionary();
        let mut spans = std::mem::take(&mut self.spans);
        let pushed = self.push_column(column.values().as_ref());
        let entries = std::mem::take(&mut self.spans);
        // Keys of missing values point anywhere, and there may be no entry at all.
        let keys =
            if entries.is_empty() { vec![0; column.len()] } else { column.normalized_keys() };
        spans.extend(keys.iter().enumerate().map(|(row, &key)| match entries.get(key) {
            Some(&entry) if column.keys().is_valid(row) => entry,
            _ => S::from((0, 0)),
        }));
        self.spans = spans;
        pushed.map_err(|fault| ValueFault { row: 0, ..fault })
    }
}

/// A float's shortest text that reads back as the same float, whole numbers without a fraction.
fn push_float(text: &mut String, value: std::fmt::Arguments<'_>) {
    let start = text.len();
    let _ = text.write_fmt(value);
    if text[start..].ends_with(".0") {
        text.truncate(text.len() - 2);
    }
}

/// The date so many days after 1970-01-01, as `yyyy-mm-dd` in the Gregorian calendar.
fn push_date(text: &mut String, days: i64) {
    let (year, month, day) = civil_of(days);
    let sign = if year < 0 { "-" } else { "" };
    let _ = write!(text, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs());
}

/// A time of day as `hh:mm:ss`, with a fraction if it has one.
fn push_time(text: &mut String, time: i64, unit: TimeUnit) {
    let (seconds, fraction) =
        (time.div_euclid(per_second(unit)), time.rem_euclid(per_second(unit)));
    let (minutes, hours) = (seconds.div_euclid(60), seconds.div_euclid(3_600));
    let _ = write!(text, "{hours:02}:{:02}:{:02}", minutes.rem_euclid(60), seconds.rem_euclid(60));
    if fraction != 0 {
        let digits = match unit {
            TimeUnit::Second => 0,
            TimeUnit::Millisecond => 3,
            TimeUnit::Microsecond => 6,
            TimeUnit::Nanosecond => 9,
        };
        let _ = write!(text, ".{fraction:0digits$}");
        text.truncate(text.trim_end_matches('0').len());
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
