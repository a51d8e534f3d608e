//! Options as people type them: texts become values by the kinds that the table of options gives them.

use serde_json::Value;

use super::keyword_value::KeywordValue;
use super::notation::parse_assignment;
use super::option_table::OptionEntry;
use crate::{Error, Result};

/// What was typed for an option, as keywords. An option that takes values with and without a column, such as
/// `[COLUMN=]FORM`, may become two.
pub fn typed(entry: &OptionEntry, texts: &[String]) -> Result<Vec<(String, KeywordValue)>> {
    let keyword = |value| (entry.keyword(), value);
    if !entry.is_of_columns() && !entry.usage.has_column && entry.key != "option" {
        return Ok(vec![keyword(value(entry, texts)?)]);
    }
    if entry.is_list_of_columns() {
        return Ok(vec![keyword(list(texts))]);
    }
    let mut columns: Vec<(String, KeywordValue)> = Vec::new();
    let mut found = Vec::new();
    for text in texts {
        if entry.usage.has_column && !text.contains('=') {
            found.push(keyword(KeywordValue::Text(text.clone())));
            continue;
        }
        let (column, text) =
            parse_assignment(text).map_err(|error| match entry.is_of_columns() {
                true => Error::new(format!(
                    "`{text}` does not say which column has which {}",
                    entry.key
                ))
                .help(format!("write --{} {}", entry.key, entry.usage.value)),
                false => error,
            })?;
        if columns.iter().any(|(known, _)| *known == column) {
            return Err(Error::new(format!("--{} is given twice for `{column}`", entry.key))
                .help("keep one of the two"));
        }
        let value = of_column(entry, &column, text)?;
        columns.push((column, value));
    }
    if !columns.is_empty() {
        found.push(keyword(KeywordValue::Table(columns)));
    }
    Ok(found)
}

fn list(texts: &[String]) -> KeywordValue {
    KeywordValue::List(texts.iter().map(|text| KeywordValue::Text(text.clone())).collect())
}

/// A value that is not one of columns.
fn value(entry: &OptionEntry, texts: &[String]) -> Result<KeywordValue> {
    let schema = entry.schema();
    let last = texts.last().cloned().unwrap_or_default();
    match kind(&schema) {
        "boolean" if texts.is_empty() || entry.usage.value.is_empty() => {
            Ok(KeywordValue::Bool(true))
        }
        "array" => Ok(list(texts)),
        kind @ ("integer" | "number") => number(kind, &last)
            .ok_or_else(|| not_a_number(kind, format!("--{} {last}", entry.key), entry, None)),
        _ => Ok(KeywordValue::Text(last)),
    }
}

fn of_column(entry: &OptionEntry, column: &str, text: String) -> Result<KeywordValue> {
    Ok(match kind(&entry.schema()) {
        "array" => {
            let parts: Vec<String> = text.split(',').map(str::to_owned).collect();
            list(&parts)
        }
        kind @ ("integer" | "number") => number(kind, &text).ok_or_else(|| {
            let what = format!("the {} `{text}` of column `{column}`", entry.key);
            not_a_number(kind, what, entry, Some(column))
        })?,
        _ => KeywordValue::Text(text),
    })
}

fn not_a_number(kind: &str, what: String, entry: &OptionEntry, column: Option<&str>) -> Error {
    let kind = if kind == "integer" { "whole number" } else { "number" };
    let column = column.map(|column| format!("{column}=")).unwrap_or_default();
    Error::new(format!("{what} is not a {kind}"))
        .help(format!("for example --{} {column}{}", entry.key, entry.usage.example))
}

/// The kind of values that a schema allows; models may be given several times.
fn kind(schema: &Value) -> &str {
    match (&schema["type"], schema["anyOf"].as_array()) {
        (Value::String(kind), _) => kind,
        (_, Some(choices)) if choices.iter().any(|choice| choice["type"] == "array") => "array",
        _ => "",
    }
}

fn number(kind: &str, text: &str) -> Option<KeywordValue> {
    match kind {
        "integer" => text.trim().parse().ok().map(KeywordValue::Whole),
        _ => incrowd_engine::value::parse_number(text).map(KeywordValue::Number),
    }
}
