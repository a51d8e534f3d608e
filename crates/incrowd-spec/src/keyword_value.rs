//! Values of options as programs give them, and as TOML writes them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::toml_text::{key, text};

/// A value as a program gives it. Tables keep the order of their keys.
#[derive(Debug, Clone, PartialEq)]
pub enum KeywordValue {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// Several values.
    List(Vec<KeywordValue>),
    /// Values by name.
    Table(Vec<(String, KeywordValue)>),
}

impl KeywordValue {
    /// The value in one line of TOML.
    pub(super) fn toml(&self) -> String {
        match self {
            KeywordValue::Bool(value) => value.to_string(),
            KeywordValue::Whole(value) => value.to_string(),
            KeywordValue::Number(value) if value.is_nan() => "nan".to_owned(),
            KeywordValue::Number(value) => format!("{value:?}"),
            KeywordValue::Text(value) => text(value),
            KeywordValue::List(values) => {
                let values: Vec<String> = values.iter().map(KeywordValue::toml).collect();
                format!("[{}]", values.join(", "))
            }
            KeywordValue::Table(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(name, value)| format!("{} = {}", key(name), value.toml()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }

    /// The same with numbers as text, in lists and tables, too: values of columns are text.
    pub(super) fn texts(self) -> Self {
        match self {
            KeywordValue::Whole(value) => KeywordValue::Text(value.to_string()),
            KeywordValue::Number(value) => KeywordValue::Text(super::toml_text::number(value)),
            KeywordValue::Bool(value) => KeywordValue::Text(value.to_string()),
            KeywordValue::List(values) => {
                KeywordValue::List(values.into_iter().map(KeywordValue::texts).collect())
            }
            KeywordValue::Table(entries) => KeywordValue::Table(
                entries.into_iter().map(|(name, value)| (name, value.texts())).collect(),
            ),
            text => text,
        }
    }

    /// The value in a list of its own, unless it is one.
    pub(super) fn list(self) -> Vec<KeywordValue> {
        match self {
            KeywordValue::List(values) => values,
            one => vec![one],
        }
    }

    /// The entries of a table.
    pub(super) fn entries(&self) -> Option<&[(String, KeywordValue)]> {
        match self {
            KeywordValue::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// A TOML value; what TOML has and programs do not give stays as it is written.
    fn of_toml(source: &str, value: &Spanned<DeValue<'_>>) -> Self {
        let written = || source.get(value.span()).unwrap_or_default().to_owned();
        match value.get_ref() {
            DeValue::String(text) => KeywordValue::Text(text.clone().into_owned()),
            DeValue::Boolean(value) => KeywordValue::Bool(*value),
            DeValue::Integer(value) => i128::from_str_radix(value.as_str(), value.radix())
                .map_or_else(|_| KeywordValue::Text(written()), KeywordValue::Whole),
            DeValue::Float(value) => value
                .as_str()
                .parse()
                .map_or_else(|_| KeywordValue::Text(written()), KeywordValue::Number),
            DeValue::Datetime(_) => KeywordValue::Text(written()),
            DeValue::Array(values) => KeywordValue::List(
                values.iter().map(|value| KeywordValue::of_toml(source, value)).collect(),
            ),
            DeValue::Table(table) => KeywordValue::of_table(source, table),
        }
    }

    /// A TOML table, its keys in the order in which they are written.
    pub(super) fn of_table(source: &str, table: &DeTable<'_>) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            (name.clone().into_owned(), KeywordValue::of_toml(source, value))
        };
        KeywordValue::Table(entries.into_iter().map(entry).collect())
    }
}

impl From<&str> for KeywordValue {
    fn from(text: &str) -> Self {
        KeywordValue::Text(text.to_owned())
    }
}

/// Sets a key of a table.
pub(super) fn set(table: &mut Vec<(String, KeywordValue)>, key: &str, value: KeywordValue) {
    match table.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => table.push((key.to_owned(), value)),
    }
}
