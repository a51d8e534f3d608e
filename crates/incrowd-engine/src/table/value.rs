//! A value as it comes from elsewhere: a database, a data frame, a program.

use std::borrow::Cow;

/// A value of a column, typed as its source has it. The engine reads text; this says what a value's text is,
/// the same wherever it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// No value.
    Missing,
    /// Text as it is.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A number; whole ones are written without a point, others as briefly as they can be read back.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
}

impl<'a> Value<'a> {
    /// The value's text; no value and what is not a number are empty.
    pub fn text(&self) -> Cow<'a, str> {
        match *self {
            Value::Missing => Cow::Borrowed(""),
            Value::Text(text) => Cow::Borrowed(text),
            Value::Integer(number) => Cow::Owned(number.to_string()),
            Value::Number(number) if number.is_nan() => Cow::Borrowed(""),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Bool(true) => Cow::Borrowed("true"),
            Value::Bool(false) => Cow::Borrowed("false"),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Integer(number)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Missing, Into::into)
    }
}
