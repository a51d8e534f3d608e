//! The JSON schema of specs, for editors that check and complete TOML.

use serde_json::{Map, Value, json};

use super::column::ColumnSection;
use super::context::ContextSection;
use super::data::DataSection;
use super::option_table::ValueCodec;
use super::privacy::PrivacySection;
use super::sections::{AlgorithmSection, GoalSection, ReleaseSection};

/// The JSON schema of a spec.
pub fn spec_schema() -> Value {
    let mut definitions = Map::new();
    let column = <ColumnSection as ValueCodec>::schema(&mut definitions);
    let properties = json!({
        "data": <DataSection as ValueCodec>::schema(&mut definitions),
        "columns": {
            "description": "The columns by name. The name of a column is the key of its table: `[columns.age]`.",
            "type": "object",
            "additionalProperties": column,
        },
        "privacy": <PrivacySection as ValueCodec>::schema(&mut definitions),
        "goal": <GoalSection as ValueCodec>::schema(&mut definitions),
        "algorithm": <AlgorithmSection as ValueCodec>::schema(&mut definitions),
        "release": <ReleaseSection as ValueCodec>::schema(&mut definitions),
        "context": <ContextSection as ValueCodec>::schema(&mut definitions),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "incrowd spec",
        "description": "A run of incrowd: which table, what its columns are, what the release must guarantee, what it should \
                        preserve, how to search for it and where to write it.",
        "type": "object",
        "properties": properties,
        "required": ["data", "privacy"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::toml_reader::SPEC_KEYS;

    #[test]
    fn the_schema_and_the_reader_know_the_same_tables() {
        let schema = spec_schema();
        let mut tables: Vec<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut known = SPEC_KEYS.to_vec();
        tables.sort_unstable();
        known.sort_unstable();
        assert_eq!(tables, known);
    }

    #[test]
    fn only_the_algorithm_takes_further_keys() {
        let schema = spec_schema();
        for (name, table) in schema["$defs"].as_object().unwrap() {
            if table["properties"].is_object() {
                let open = table["additionalProperties"] != Value::Bool(false);
                assert_eq!(open, name == "AlgorithmSection", "{name}");
            }
        }
    }

    /// `UPDATE=1 cargo test --workspace --lib schema` writes the file anew.
    #[test]
    fn the_schema_in_the_documentation_is_this_one() {
        let schema = serde_json::to_string_pretty(&spec_schema()).unwrap() + "\n";
        incrowd_testing::hold_file("docs/reference/spec.schema.json", &schema);
    }
}
