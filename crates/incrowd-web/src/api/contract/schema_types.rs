//! Types of TypeScript from the JSON schema of specs.

use std::collections::BTreeMap;

use serde_json::Value;

/// The definitions of a schema by their names.
pub(super) fn declarations(schema: &Value) -> BTreeMap<String, String> {
    let all = schema["$defs"].as_object().unwrap().iter();
    all.map(|(name, of)| (name.clone(), type_of_schema(of))).collect()
}

/// The type of what a schema describes.
pub(super) fn type_of_schema(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string));
    }
    if let Some(any) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return union(any.iter().map(type_of_schema));
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            union(kinds.iter().map(|kind| plain(kind.as_str().unwrap(), schema)))
        }
        Value::String(kind) => plain(kind, schema),
        other => panic!("a schema of no type: {other} in {schema}"),
    }
}

fn plain(kind: &str, schema: &Value) -> String {
    match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => list_of(&type_of_schema(&schema["items"])),
        "object" => object(schema),
        other => panic!("a schema of the type {other}"),
    }
}

fn object(schema: &Value) -> String {
    let needed = schema["required"].as_array();
    let is_needed = |name: &str| needed.is_some_and(|all| all.iter().any(|it| it == name));
    let listed = schema["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<String> = listed
        .map(|(name, of)| {
            let mark = if is_needed(name) { "" } else { "?" };
            format!("{}{mark}: {}", key(name), type_of_schema(of))
        })
        .collect();
    if schema["additionalProperties"].is_object() {
        let of = type_of_schema(&schema["additionalProperties"]);
        // Others may be there or not, as those that are listed.
        let none = if fields.is_empty() { "" } else { " | undefined" };
        fields.push(format!("[key: string]: {of}{none}"));
    }
    format!("{{ {} }}", fields.join("; "))
}

/// One of several types.
pub(super) fn union(types: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    types.for_each(|it| {
        if !all.contains(&it) {
            all.push(it)
        }
    });
    all.join(" | ")
}

/// Any number of a type.
pub(super) fn list_of(of: &str) -> String {
    if of.contains(" | ") { format!("({of})[]") } else { format!("{of}[]") }
}

/// A name as a key of an object.
pub(super) fn key(name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}
