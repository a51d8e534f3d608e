//! What is written from the table of options: the reference page, and the keywords of the Python package with their types.
//!
//! `UPDATE=1 cargo test --workspace --lib reference` writes both anew; without it the tests hold the files to the table.

use incrowd_testing::hold_file;
use serde_json::Value;

use super::options::{COLUMNS_TABLE, options};
use super::{OptionEntry, OptionGroup};

/// The sections of a spec in the order of the page, with what stands above them.
const SECTIONS: [(&str, &str, &str); 8] = [
    ("data", "[data]", "The table to anonymize."),
    (
        COLUMNS_TABLE,
        "[columns.NAME]",
        "What is said of a column. On the command line an option names the column, `--weight age=2`;\n\
         in Python it takes a dictionary, `weight={\"age\": 2}`.",
    ),
    ("privacy", "[privacy]", "What every released row must be protected by."),
    ("goal", "[goal]", "What a good release is."),
    (
        "algorithm",
        "[algorithm]",
        "How to search. Options of the method stand here, too: `incrowd methods NAME` lists them.",
    ),
    ("release", "[release]", "What is written and where."),
    ("context", "[context]", "What the release is for."),
    (
        "",
        "Shortcuts",
        "What a spec says in another way: roles of columns, options of the method, and the like.",
    ),
];

/// The page of all options.
fn page() -> String {
    let mut page = String::from(
        "# Options\n\nThis page is made from the table of options, from which spec files, the command line and\n\
         the Python package follow.\n\nA key of a [spec file](spec-file.md) is an option of \
         `incrowd anonymize` under the same name,\nand a keyword of `incrowd.anonymize` in snake case. A dash \
         stands where there is none.\n",
    );
    for (section, title, about) in SECTIONS {
        page.push_str(&format!(
            "\n## {}\n\n{about}\n\n| key | command line | Python | value | what it is |\n| --- | --- | --- | --- | --- |\n",
            if section.is_empty() { title.to_owned() } else { format!("`{title}`") }
        ));
        for entry in options().iter().filter(|entry| entry.section == section) {
            page.push_str(&row(entry));
        }
    }
    page
}

fn row(entry: &OptionEntry) -> String {
    let usage = &entry.usage;
    let key = if entry.section.is_empty() { "-".to_owned() } else { format!("`{}`", entry.key) };
    let flag = match (usage.group, entry.key, usage.value) {
        (OptionGroup::None, ..) => "-".to_owned(),
        (_, "k", value) => format!("`-k {value}`"),
        (_, key, "") => format!("`--{key}`"),
        (_, key, value) => format!("`--{key} {}`", value.replace('|', "\\|")),
    };
    let keyword = match is_keyword_of_its_own(entry) {
        true => format!("`{}`", python_name(entry)),
        false => "-".to_owned(),
    };
    let required = if entry.required { " Required." } else { "" };
    let about = format!("{}{required}", entry.description()).replace('|', "\\|");
    format!("| {key} | {flag} | {keyword} | {} | {about} |\n", kind(&entry.schema()))
}

/// The kind of values, in words.
fn kind(schema: &Value) -> String {
    if let Some(choices) = choices(schema) {
        let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        return choices.join(", ");
    }
    match (&schema["type"], &schema["format"], schema["anyOf"].as_array()) {
        (Value::String(kind), format, _) => match (kind.as_str(), format.as_str()) {
            ("boolean", _) => "true or false".to_owned(),
            ("integer", _) => "whole number".to_owned(),
            ("array", _) => format!("list: {}", self::kind(&schema["items"])),
            ("object", _) => "table".to_owned(),
            ("string", Some("path")) => "file".to_owned(),
            ("string", Some("date")) => "day".to_owned(),
            ("string", _) => "text".to_owned(),
            (kind, _) => kind.to_owned(),
        },
        (Value::Array(kinds), ..) => kinds
            .iter()
            .filter_map(Value::as_str)
            .map(|kind| if kind == "string" { "text" } else { kind })
            .collect::<Vec<_>>()
            .join(" or "),
        (_, _, Some(kinds)) => {
            let mut kinds: Vec<String> = kinds.iter().map(self::kind).collect();
            kinds.dedup();
            kinds.join(" or ")
        }
        _ => "text or table".to_owned(),
    }
}

/// The names of a closed set.
fn choices(schema: &Value) -> Option<Vec<&str>> {
    if let Some(names) = schema["enum"].as_array() {
        return names.iter().map(Value::as_str).collect();
    }
    schema["oneOf"].as_array()?.iter().map(|choice| choice["const"].as_str()).collect()
}

/// Keys that Python takes by functions of its own, or not at all.
const OF_FUNCTIONS: [&str; 10] = [
    "input",
    "output",
    "into",
    "recoding",
    "report",
    "internal-report",
    "population",
    "k-map",
    "k",
    "quasi",
];

/// Whether a keyword means this entry: of several keys of one name the one with an option does.
fn is_keyword_of_its_own(entry: &OptionEntry) -> bool {
    let same: Vec<OptionEntry> =
        options().into_iter().filter(|other| other.keyword() == entry.keyword()).collect();
    let chosen = same.iter().find(|it| it.usage.group != OptionGroup::None).or(same.first());
    entry.is_keyword() && chosen.is_some_and(|it| it.section == entry.section)
}

fn python_name(entry: &OptionEntry) -> String {
    // A word of the language itself.
    if entry.key == "class" { "class_".to_owned() } else { entry.keyword() }
}

/// The classes of keywords, by groups of options.
const CLASSES: [(&str, &str, &[OptionGroup]); 7] = [
    (
        "ReadingOptions",
        "How a table is read.",
        &[OptionGroup::File, OptionGroup::Database, OptionGroup::Transforms],
    ),
    ("ColumnOptions", "What columns are.", &[OptionGroup::Columns]),
    (
        "FinishingOptions",
        "Columns that are no quasi-identifiers, and rows that belong together.",
        &[OptionGroup::Finishing],
    ),
    ("GoalOptions", "The cost, and the threads.", &[OptionGroup::Goal]),
    (
        "RequirementOptions",
        "Models and risks beyond k.",
        &[OptionGroup::Models, OptionGroup::Risks],
    ),
    ("SearchOptions", "How one release is searched for.", &[OptionGroup::Search]),
    (
        "WritingOptions",
        "How one release is written.",
        &[OptionGroup::Release, OptionGroup::Output, OptionGroup::InDatabase, OptionGroup::None],
    ),
];

/// The Python module of keywords.
fn python() -> String {
    let mut text = String::from(
        "\"\"\"The keywords of functions, with their types: made from the table of options by the tests of incrowd-spec.\"\"\"\n\n\
         from __future__ import annotations\n\nimport datetime\nimport os\nfrom collections.abc import Mapping, Sequence\n\
         from typing import Any, Literal, TypedDict\n\nfrom .models import Model\n\n\
         #: One column, or several.\nColumns = str | Sequence[str]\n\
         #: A file or a folder.\nFilePath = str | os.PathLike[str]\n\
         #: A value of a column, as text or as what it stands for.\nColumnValue = str | float | datetime.date\n\
         #: A model beyond k: a number, its short notation, its keys, or one for each of several columns.\n\
         ModelOption = float | str | Model | Mapping[str, Any] | Sequence[Any]\n",
    );
    for (name, about, groups) in CLASSES {
        text.push_str(&format!(
            "\n\nclass {name}(TypedDict, total=False):\n    \"\"\"{about}\"\"\"\n"
        ));
        let mut entries = options();
        entries.retain(|entry| {
            groups.contains(&entry.usage.group)
                && !OF_FUNCTIONS.contains(&entry.key)
                && is_keyword_of_its_own(entry)
        });
        for entry in entries {
            text.push_str(&format!("\n    {}: {}\n", python_name(&entry), python_type(&entry)));
            text.push_str(&format!("    \"\"\"{}\"\"\"\n", entry.summary().replace('\\', "\\\\")));
        }
    }
    text
}

/// The type of a keyword.
fn python_type(entry: &OptionEntry) -> String {
    let schema = entry.schema();
    if entry.is_list_of_columns() {
        return match entry.is_of_columns() {
            true => "Columns | Mapping[str, bool]".to_owned(),
            false => "Columns".to_owned(),
        };
    }
    let value = match entry.key {
        "hierarchy" => "Any".to_owned(),
        "bins" => "float | str | Sequence[float] | Mapping[str, float]".to_owned(),
        "option" => return "Mapping[str, str | float | bool]".to_owned(),
        "time-limit" => "float | str | datetime.timedelta".to_owned(),
        "age-at" | "breaks" | "cut-at" | "never-cut-at" => {
            let one = "ColumnValue";
            if entry.key == "age-at" { one.to_owned() } else { format!("{one} | Sequence[{one}]") }
        }
        // Texts, and numbers that are taken as texts.
        "missing" | "missing-only" => return "ColumnValue | Sequence[ColumnValue]".to_owned(),
        _ => of_schema(&schema),
    };
    match (entry.is_of_columns(), entry.usage.has_column) {
        (true, true) => format!("{value} | Mapping[str, {value}]"),
        (true, false) => format!("Mapping[str, {value}]"),
        (false, true) => format!("{value} | Mapping[str, {value}]"),
        (false, false) => value,
    }
}

fn of_schema(schema: &Value) -> String {
    if let Some(choices) = choices(schema) {
        let choices: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
        return format!("Literal[{}]", choices.join(", "));
    }
    let one = |kind: &str| match kind {
        "boolean" => "bool",
        "integer" => "int",
        "number" => "float",
        _ => "str",
    };
    match (&schema["type"], schema["anyOf"].is_array()) {
        (Value::String(kind), _) if kind == "array" => {
            let item = of_schema(&schema["items"]);
            format!("{item} | Sequence[{item}]")
        }
        (Value::String(kind), _) if schema["format"] == "path" && kind == "string" => {
            "FilePath".to_owned()
        }
        (Value::String(kind), _) => one(kind).to_owned(),
        (Value::Array(kinds), _) => {
            kinds.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" | ")
        }
        // A limit on rows, or a model.
        (_, true) if schema["anyOf"][0]["type"] == "integer" => "int | str".to_owned(),
        _ => "ModelOption".to_owned(),
    }
}

#[test]
fn the_reference_page_is_that_of_the_table() {
    hold_file("docs/reference/options.md", &page());
}

#[test]
fn the_keywords_of_python_are_those_of_the_table() {
    hold_file("python/incrowd/_options.py", &python());
}

#[test]
fn every_keyword_has_a_class() {
    let text = python();
    for entry in options().iter().filter(|entry| is_keyword_of_its_own(entry)) {
        let name = python_name(entry);
        let is_there = text.contains(&format!("\n    {name}: "));
        assert!(is_there != OF_FUNCTIONS.contains(&entry.key), "{name}");
    }
}
