//! The JSON schema of specs, made from the same types that hold them.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::model::Spec;

/// The JSON schema of a spec, for editors that check and complete TOML.
pub fn spec_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Spec>().to_value();
    adapt(&mut schema);
    schema
}

/// What the types cannot know: TOML has no null, so an optional key is one that may be left out,
/// and descriptions are prose whose lines were broken for the source.
fn adapt(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(adapt),
        Value::Object(parts) => {
            if let Some(Value::String(description)) = parts.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if parts.get("default") == Some(&Value::Null) {
                parts.remove("default");
            }
            if let Some(Value::Array(types)) = parts.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    parts.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = parts.get_mut("anyOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [Value::Object(only)] = choices.as_mut_slice() {
                    let only = std::mem::take(only);
                    parts.remove("anyOf");
                    parts.extend(only);
                }
            }
            parts.values_mut().for_each(adapt);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::{hierarchy, toml_reader};

    /// The keys that reading knows, by the name of the table's type.
    fn known() -> BTreeMap<&'static str, &'static [&'static str]> {
        BTreeMap::from([
            ("DataSection", toml_reader::DATA_KEYS),
            ("ColumnSection", toml_reader::COLUMN_KEYS),
            ("Bins", toml_reader::BINS_KEYS),
            ("HierarchyRule", hierarchy::RULE_KEYS),
            ("ValueGroup", hierarchy::GROUP_KEYS),
            ("PrivacySection", toml_reader::PRIVACY_KEYS),
            ("LDiversity", toml_reader::L_DIVERSITY_KEYS),
            ("TCloseness", toml_reader::T_CLOSENESS_KEYS),
            ("AlphaAnonymity", toml_reader::ALPHA_KEYS),
            ("BetaLikeness", toml_reader::BETA_LIKENESS_KEYS),
            ("DeltaDisclosure", toml_reader::DELTA_DISCLOSURE_KEYS),
            ("GoalSection", toml_reader::GOAL_KEYS),
            ("AlgorithmSection", toml_reader::ALGORITHM_KEYS),
            ("ReleaseSection", toml_reader::RELEASE_KEYS),
            ("ContextSection", toml_reader::CONTEXT_KEYS),
        ])
    }

    /// The properties of a table, or of all its variants.
    fn properties(schema: &Value) -> BTreeSet<String> {
        let own = schema["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned());
        let variants = schema["anyOf"].as_array().into_iter().flatten();
        own.chain(variants.flat_map(properties)).collect()
    }

    fn set(keys: &[&str]) -> BTreeSet<String> {
        keys.iter().map(|&key| key.to_owned()).collect()
    }

    #[test]
    fn the_schema_and_the_reader_know_the_same_keys() {
        let schema = spec_schema();
        assert_eq!(properties(&schema), set(toml_reader::SPEC_KEYS));
        let mut tables: BTreeSet<&str> = BTreeSet::new();
        for (name, table) in schema["$defs"].as_object().unwrap() {
            let properties = properties(table);
            if properties.is_empty() {
                continue;
            }
            let keys =
                known().get(name.as_str()).copied().unwrap_or_else(|| panic!("who reads {name}?"));
            assert_eq!(properties, set(keys), "{name}");
            tables.insert(name);
        }
        assert_eq!(tables, known().into_keys().collect());
    }

    #[test]
    fn only_the_algorithm_takes_further_keys() {
        let schema = spec_schema();
        let closed = |table: &Value| table["additionalProperties"] == Value::Bool(false);
        assert!(closed(&schema));
        for name in known().into_keys() {
            let table = &schema["$defs"][name];
            let all_closed = match table["anyOf"].as_array() {
                Some(variants) => variants.iter().all(closed),
                None => closed(table),
            };
            assert_eq!(all_closed, name != "AlgorithmSection", "{name}");
        }
    }

    #[test]
    fn nothing_in_the_schema_is_null() {
        let text = spec_schema().to_string();
        assert!(!text.contains("\"null\""), "{text}");
        assert!(!text.contains("\\n"), "{text}");
    }

    /// `UPDATE=1 cargo test -p incrowd-io --lib schema` writes the file anew.
    #[test]
    fn the_schema_in_the_documentation_is_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec.schema.json");
        let schema = serde_json::to_string_pretty(&spec_schema()).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, &schema).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == schema,
            "docs/spec.schema.json is out of date: run this test with UPDATE=1"
        );
    }
}
