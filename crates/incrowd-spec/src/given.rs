//! Values of options as programs give them, and as TOML writes them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::toml_text::{key, text};

/// A value as a program gives it. Tables keep the order of their keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// Several values.
    List(Vec<Given>),
    /// Values by name.
    Table(Vec<(String, Given)>),
}

impl Given {
    /// The value in one line of TOML.
    pub(super) fn toml(&self) -> String {
        match self {
            Given::Bool(value) => value.to_string(),
            Given::Whole(value) => value.to_string(),
            Given::Number(value) if value.is_nan() => "nan".to_owned(),
            Given::Number(value) => format!("{value:?}"),
            Given::Text(value) => text(value),
            Given::List(values) => {
                let values: Vec<String> = values.iter().map(Given::toml).collect();
                format!("[{}]", values.join(", "))
            }
            Given::Table(entries) => {
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
            Given::Whole(value) => Given::Text(value.to_string()),
            Given::Number(value) => Given::Text(super::toml_text::number(value)),
            Given::Bool(value) => Given::Text(value.to_string()),
            Given::List(values) => Given::List(values.into_iter().map(Given::texts).collect()),
            Given::Table(entries) => Given::Table(
                entries.into_iter().map(|(name, value)| (name, value.texts())).collect(),
            ),
            text => text,
        }
    }

    /// The value in a list of its own, unless it is one.
    pub(super) fn list(self) -> Vec<Given> {
        match self {
            Given::List(values) => values,
            one => vec![one],
        }
    }

    /// The entries of a table.
    pub(super) fn entries(&self) -> Option<&[(String, Given)]> {
        match self {
            Given::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// A TOML value; what TOML has and programs do not give stays as it is written.
    fn of_toml(source: &str, value: &Spanned<DeValue<'_>>) -> Self {
        let written = || source.get(value.span()).unwrap_or_default().to_owned();
        match value.get_ref() {
            DeValue::String(text) => Given::Text(text.clone().into_owned()),
            DeValue::Boolean(value) => Given::Bool(*value),
            DeValue::Integer(value) => i128::from_str_radix(value.as_str(), value.radix())
                .map_or_else(|_| Given::Text(written()), Given::Whole),
            DeValue::Float(value) => {
                value.as_str().parse().map_or_else(|_| Given::Text(written()), Given::Number)
            }
            DeValue::Datetime(_) => Given::Text(written()),
            DeValue::Array(values) => {
                Given::List(values.iter().map(|value| Given::of_toml(source, value)).collect())
            }
            DeValue::Table(table) => Given::of_table(source, table),
        }
    }

    /// A TOML table, its keys in the order in which they are written.
    pub(super) fn of_table(source: &str, table: &DeTable<'_>) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            (name.clone().into_owned(), Given::of_toml(source, value))
        };
        Given::Table(entries.into_iter().map(entry).collect())
    }
}

impl From<&str> for Given {
    fn from(text: &str) -> Self {
        Given::Text(text.to_owned())
    }
}
