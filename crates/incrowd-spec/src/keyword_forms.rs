//! Short forms of values that keywords take: `5@16` for bins, a dictionary for a hierarchy, `3` for l-diversity.

use std::path::Path;
use std::str::FromStr;

use super::hierarchy_toml::RULE_KEYS;
use super::keyword_value::{KeywordValue, set};
use super::option_table::SpecSection;
use super::options::options;
use super::privacy::{AlphaAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, TCloseness};
use super::toml_source::TomlSource;
use crate::{Error, Result};

/// A value of a column's key, short forms written out.
pub(super) fn of_column(key: &str, column: &str, value: KeywordValue) -> Result<KeywordValue> {
    Ok(match (key, value) {
        ("bins", KeywordValue::Text(text)) => {
            let (_, bins) = super::parse_bins(&format!("{column}={text}"))?;
            bins_of(KeywordValue::Number(bins.width), KeywordValue::Number(bins.start))
        }
        ("bins", width @ (KeywordValue::Whole(_) | KeywordValue::Number(_))) => {
            bins_of(width, KeywordValue::Whole(0))
        }
        ("bins", KeywordValue::List(values)) if values.len() == 2 => {
            let mut values = values.into_iter();
            match (values.next(), values.next()) {
                (Some(width), Some(start)) => bins_of(width, start),
                _ => KeywordValue::List(Vec::new()),
            }
        }
        ("order", value) => value.texts(),
        ("cut-at" | "never-cut-at" | "breaks", value) => KeywordValue::List(value.list()),
        ("missing", value) => value.texts(),
        ("hierarchy", value) => hierarchy(value),
        (_, value) => value,
    })
}

fn bins_of(width: KeywordValue, start: KeywordValue) -> KeywordValue {
    KeywordValue::Table(vec![("width".to_owned(), width), ("start".to_owned(), start)])
}

/// A hierarchy: a word, a rule, rows, groups of values, or the group of each value.
fn hierarchy(value: KeywordValue) -> KeywordValue {
    let rule =
        |name: &str, value: KeywordValue| KeywordValue::Table(vec![(name.to_owned(), value)]);
    let entries = match value {
        KeywordValue::List(rows) => return rule("rows", KeywordValue::List(rows).texts()),
        KeywordValue::Table(entries) => entries,
        word => return word,
    };
    if entries.iter().all(|(key, _)| RULE_KEYS.contains(&&key[..])) {
        let texts = |(key, value): (String, KeywordValue)| match &key[..] {
            "groups" | "tree" | "rows" => (key, value.texts()),
            _ => (key, value),
        };
        return KeywordValue::Table(entries.into_iter().map(texts).collect());
    }
    if entries
        .iter()
        .all(|(_, value)| !matches!(value, KeywordValue::List(_) | KeywordValue::Table(_)))
    {
        let row = |(value, group): (String, KeywordValue)| {
            KeywordValue::List(vec![
                KeywordValue::Text(value),
                group.texts(),
                incrowd_engine::value::BLANK.into(),
            ])
        };
        return rule("rows", KeywordValue::List(entries.into_iter().map(row).collect()));
    }
    rule("tree", KeywordValue::Table(entries).texts())
}

/// The models of a keyword: a number, the short notation, a table of the model's keys, a table from columns to any of
/// these, or several.
pub(super) fn models(key: &str, value: KeywordValue) -> Result<Vec<KeywordValue>> {
    let keys = match key {
        "l-diversity" => LDiversity::keys(),
        "t-closeness" => TCloseness::keys(),
        "alpha" => AlphaAnonymity::keys(),
        "beta-likeness" => BetaLikeness::keys(),
        _ => DeltaDisclosure::keys(),
    };
    match value {
        KeywordValue::List(values) => {
            let models: Vec<Vec<KeywordValue>> =
                values.into_iter().map(|value| models(key, value)).collect::<Result<_>>()?;
            Ok(models.concat())
        }
        KeywordValue::Table(entries) => {
            let of_model = |name: &str| keys.contains(&name);
            if entries.iter().all(|(name, _)| of_model(name)) {
                return Ok(vec![KeywordValue::Table(entries)]);
            }
            let mut found = Vec::new();
            for (column, value) in entries {
                for model in models(key, value)? {
                    let KeywordValue::Table(mut entries) = model else { continue };
                    set(&mut entries, "column", KeywordValue::Text(column.clone()));
                    found.push(KeywordValue::Table(entries));
                }
            }
            Ok(found)
        }
        other => match other.texts() {
            KeywordValue::Text(text) => Ok(vec![short(key, &text)?]),
            other => Ok(vec![other]),
        },
    }
}

/// A model in the short notation as a table.
fn short(model: &str, text: &str) -> Result<KeywordValue> {
    fn table<M: FromStr<Err = Error> + SpecSection>(text: &str) -> Result<KeywordValue> {
        let lines = text.parse::<M>()?.lines();
        let lines: String = lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let table = TomlSource { path: Path::new("options"), text: &lines }.toml()?;
        Ok(KeywordValue::of_table(&lines, table.get_ref()))
    }
    let read = match model {
        "l-diversity" => table::<LDiversity>(text),
        "t-closeness" => table::<TCloseness>(text),
        "alpha" => table::<AlphaAnonymity>(text),
        "beta-likeness" => table::<BetaLikeness>(text),
        _ => table::<DeltaDisclosure>(text),
    };
    read.map_err(|error| {
        let about = options().into_iter().find(|entry| entry.key == model);
        let help = error.help.clone().or_else(|| about.map(|entry| entry.summary()));
        Error { help, ..error }
    })
}
