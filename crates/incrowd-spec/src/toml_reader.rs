//! From TOML tables to a [`Spec`].

use toml::de::DeTable;

use super::column::ColumnSection;
use super::model::Spec;
use super::option_table::ValueCodec;
use super::toml_fields::{TomlItem, TomlResult, TomlSection};

/// The tables of a spec.
pub(super) const SPEC_KEYS: [&str; 7] =
    ["data", "columns", "privacy", "goal", "algorithm", "release", "context"];

/// What a whole text says.
pub(super) fn spec(text: &str, table: &DeTable<'_>) -> TomlResult<Spec> {
    let fields = TomlSection::top(text, "the spec", table, SPEC_KEYS.to_vec())?;
    let lacks = |key, example: &str| fields.lacks(key).help(format!("add {example}"));
    let mut spec = Spec {
        data: section(&fields, "data")?
            .ok_or_else(|| lacks("data", "[data] with input = \"table.csv\""))?,
        columns: fields.get("columns").map(columns).transpose()?.unwrap_or_default(),
        privacy: section(&fields, "privacy")?
            .ok_or_else(|| lacks("privacy", "[privacy] with k = 5"))?,
        goal: section(&fields, "goal")?.unwrap_or_default(),
        algorithm: section(&fields, "algorithm")?.unwrap_or_default(),
        release: section(&fields, "release")?.unwrap_or_default(),
        context: section(&fields, "context")?,
    };
    spec.use_new_names();
    spec.weigh();
    Ok(spec)
}

/// A table that messages call by its header.
fn section<S: ValueCodec<Value = S>>(
    fields: &TomlSection<'_>,
    key: &'static str,
) -> TomlResult<Option<S>> {
    let read = |mut item: TomlItem<'_>| {
        item.what = format!("[{key}]");
        S::read(item)
    };
    fields.get(key).map(read).transpose()
}

fn columns(mut item: TomlItem<'_>) -> TomlResult<Vec<ColumnSection>> {
    item.what = "[columns]".to_owned();
    item.named_entries()?.into_iter().map(|(name, item)| column(name, item)).collect()
}

fn column(name: &str, mut item: TomlItem<'_>) -> TomlResult<ColumnSection> {
    item.what = format!("[columns.{}]", super::toml_text::key(name));
    let mut column = <ColumnSection as ValueCodec>::read(item)?;
    column.name = name.to_owned();
    // What is read is the new name, and what is kept is the one in the table.
    if let Some(new) = column.source.take() {
        column.source = Some(std::mem::replace(&mut column.name, new));
    }
    Ok(column)
}
