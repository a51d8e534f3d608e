//! A spec as JSON, for programs that edit it piece by piece: the same tables, keys and values as in its TOML form.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Spec, SpecFile, write_spec};
use crate::{Error, Result};

/// The spec as JSON: what [`write_spec`] writes, with the same keys.
pub fn spec_to_json(spec: &Spec) -> Value {
    // What is written can be read; an empty object would be refused wherever it came back.
    toml::from_str(&write_spec(spec)).unwrap_or_else(|_| Value::Object(Map::new()))
}

/// Reads a spec from its JSON form, checked like a file of the name `path`. Keys that are `null` are left out. The
/// columns come in the order of `names`, those of the table; others follow by name.
pub fn spec_from_json(json: &Value, names: &[String], path: &Path) -> Result<SpecFile> {
    let mut json = json.clone();
    without_nulls(&mut json);
    let text = toml::to_string(&json)
        .map_err(|e| Error::new(format!("the spec cannot be written down: {e}")))?;
    let mut spec = SpecFile::parse(&text, path)?.spec;
    let place = |name: &str| names.iter().position(|known| known == name).unwrap_or(names.len());
    spec.columns.sort_by(|a, b| {
        place(a.source_name()).cmp(&place(b.source_name())).then(a.name.cmp(&b.name))
    });
    // Told in its canonical form, whatever is found to be wrong with it later.
    SpecFile::from_spec(spec, path)
}

/// A spec with a change: a JSON merge patch (RFC 7396), in which `null` takes a key away.
pub fn spec_patched(spec: &Spec, patch: &Value, names: &[String], path: &Path) -> Result<SpecFile> {
    let mut json = spec_to_json(spec);
    merge(&mut json, patch);
    spec_from_json(&json, names, path)
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        match value {
            Value::Null => drop(target.remove(key)),
            value => merge(target.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Value::Array(list) => {
            list.retain(|value| !value.is_null());
            list.iter_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use serde_json::json;

    use super::*;
    use crate::{ColumnSection, Role};

    fn spec() -> Spec {
        let columns = vec![
            ColumnSection::new("zip code", Role::Quasi),
            ColumnSection::new("age", Role::Quasi),
            ColumnSection::new("ill", Role::Sensitive),
        ];
        Spec::new("t.csv", columns, 5)
    }

    fn names() -> Vec<String> {
        ["zip code", "age", "ill"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_spec_comes_back_from_json_as_it_was() {
        let spec = spec();
        let read = spec_from_json(&spec_to_json(&spec), &names(), Path::new("s.toml")).unwrap();
        assert_eq!(read.spec, spec);
    }

    #[test]
    fn a_patch_changes_adds_and_takes_away() {
        let path = Path::new("s.toml");
        let patch = json!({
            "columns": { "age": { "role": "plain" }, "zip code": { "hierarchy": { "prefix": true } } },
            "privacy": { "k": 11, "l-diversity": { "column": "ill", "l": 2 } },
        });
        let changed = spec_patched(&spec(), &patch, &names(), path).unwrap().spec;
        assert_eq!(changed.column("age").unwrap().role, Role::Plain);
        assert!(changed.column("zip code").unwrap().hierarchy.is_some());
        assert_eq!((changed.privacy.k, changed.privacy.l_diversity.len()), (11, 1));
        assert_eq!(changed.columns[0].name, "zip code");
        let back = json!({
            "columns": { "age": { "role": "quasi" }, "zip code": { "hierarchy": null } },
            "privacy": { "k": 5, "l-diversity": null },
        });
        assert_eq!(spec_patched(&changed, &back, &names(), path).unwrap().spec, spec());
    }

    #[test]
    fn what_is_wrong_is_told_as_in_a_file() {
        let path = Path::new("s.toml");
        let wrong = |patch: Value| spec_patched(&spec(), &patch, &names(), path).unwrap_err();
        let error = wrong(json!({ "privacy": { "k": 0 } }));
        assert!(error.message.contains('k'), "{error}");
        let error = wrong(json!({ "columns": { "age": { "rolle": "quasi" } } }));
        assert!(error.message.contains("rolle"), "{error}");
        assert!(spec_from_json(&json!([1]), &names(), path).is_err());
        assert!(spec_from_json(&json!("spec"), &names(), path).is_err());
    }
}
