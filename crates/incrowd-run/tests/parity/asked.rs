//! The questions of the parity test for programs in Rust: as options of the command line, as spec files, and how their
//! answers are compared. `expect.py` does the same in Python.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "every front end uses its part")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use incrowd_run::forms::FileDigest;
use serde_json::{Map, Value, json};

/// Where the questions, their tables and the expected answers lie.
const PARITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../incrowd-run/tests/parity");

/// The key of pseudonyms and shifted dates. Keys that others may read are refused, so it is no file of the repository.
const KEY_FILE: &str = "parity.key";

const ROLES: [&str; 5] = ["quasi", "identifying", "sensitive", "plain", "class_"];
const OF_COLUMNS: [&str; 23] = [
    "hierarchy",
    "bins",
    "order",
    "weight",
    "type",
    "summary",
    "cut_at",
    "never_cut_at",
    "min_level",
    "max_level",
    "argus",
    "breaks",
    "top",
    "bottom",
    "round",
    "keep_prefix",
    "age_at",
    "date_unit",
    "rename",
    "treat",
    "follows",
    "narrowing",
    "accept",
];
/// What a spec says below which header, beside columns and models.
const SECTIONS: [(&str, &[&str]); 5] = [
    (
        "data",
        &[
            "delimiter",
            "missing",
            "missing_only",
            "date_format",
            "earlier",
            "population",
            "survey_weight",
            "other",
            "decimal",
        ],
    ),
    ("goal", &["metric", "max_suppressed"]),
    ("algorithm", &["method", "kind", "effort", "gap", "time_limit", "seed", "threads", "prove"]),
    (
        "release",
        &[
            "suppressed",
            "failing",
            "ranges",
            "csv_safe",
            "keep_order",
            "sort",
            "key_file",
            "output_delimiter",
        ],
    ),
    // All others, unknown ones among them, so that somebody refuses these.
    ("privacy", &[]),
];
const MODELS: [(&str, &str, &str); 5] = [
    ("l_diversity", "l", "kind"),
    ("t_closeness", "t", "distance"),
    ("alpha", "alpha", ""),
    ("beta_likeness", "beta", "kind"),
    ("delta_disclosure", "delta", ""),
];
const RULES: [&str; 9] =
    ["intervals", "start", "prefix", "date", "groups", "tree", "rows", "ready", "other"];

/// A question: a table, and what is asked of it as keyword arguments of Python.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) table: String,
    pub(crate) options: Map<String, Value>,
    pub(crate) features: Vec<String>,
    /// Released columns that are different in every run.
    fresh: Vec<String>,
}

fn texts(value: &Value) -> Vec<String> {
    let values = value.as_array().into_iter().flatten();
    values.map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn file_of(name: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(PARITY).join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// All questions, in their order.
pub(crate) fn questions() -> Vec<Question> {
    let all = file_of("questions.json");
    let questions: Vec<Question> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|it| Question {
            name: it["name"].as_str().unwrap().to_owned(),
            table: it["table"].as_str().unwrap().to_owned(),
            options: it["options"].as_object().unwrap().clone(),
            features: texts(&it["features"]),
            fresh: texts(&it["fresh"]),
        })
        .collect();
    assert!(questions.len() >= 100);
    questions
}

/// The answers of the command line to all questions, by their names.
pub(crate) fn expected() -> Map<String, Value> {
    file_of("expected.json").as_object().unwrap().clone()
}

/// Puts all tables and the key into a folder.
pub(crate) fn put_tables(folder: &Path) {
    for entry in std::fs::read_dir(Path::new(PARITY).join("tables")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let key = folder.join(KEY_FILE);
    std::fs::write(&key, format!("{}\n", "5".repeat(64))).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// The names of all tables that questions are about.
pub(crate) fn tables(questions: &[Question]) -> BTreeSet<String> {
    questions.iter().map(|question| question.table.clone()).collect()
}

/// A table of the parity test: its columns and its rows.
pub(crate) fn table(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let path: PathBuf = Path::new(PARITY).join("tables").join(format!("{name}.csv"));
    csv_rows(&std::fs::read_to_string(path).unwrap())
}

/// The header and the rows of a CSV text, with commas or semicolons between the fields.
pub(crate) fn csv_rows(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = if first.contains(';') { ';' } else { ',' };
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
    (header, rows)
}

/// Rows as a CSV text with commas. All fields have quotes, so that empty ones are empty texts and not NULL.
pub(crate) fn csv_text(header: &[String], rows: &[Vec<String>]) -> String {
    let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
    let line = |row: &[String]| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(header).chain(rows.iter().map(Vec::as_slice)).map(line).collect()
}

/// A value of an option as text.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// A column's name in a list of names.
fn listed(name: &str) -> String {
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// A value in the notation of TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(entries) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{} = {}", json!(key), toml(value));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A hierarchy as a spec has it: a word, a rule, or the tree or the rows that groups of values stand for.
fn hierarchy(value: &Value) -> Value {
    let entries = match value {
        Value::Array(rows) => return json!({ "rows": rows }),
        Value::Object(entries) => entries,
        word => return word.clone(),
    };
    if entries.keys().all(|key| RULES.contains(&key.as_str())) {
        return value.clone();
    }
    if entries.values().any(|below| below.is_array() || below.is_object()) {
        return json!({ "tree": entries });
    }
    let rows: Vec<Value> =
        entries.iter().map(|(value, group)| json!([value, group, "*"])).collect();
    json!({ "rows": rows })
}

fn is_off(value: &Value) -> bool {
    value.is_null() || *value == json!(false)
}

/// The file with the population that k counts, where it does.
fn k_map(options: &Map<String, Value>) -> Option<&Value> {
    options.get("population").filter(|_| options.get("k_map") == Some(&json!(true)))
}

/// The options of the command line that a question stands for. Files that they need are put into the folder.
pub(crate) fn words(question: &Question, folder: &Path) -> Vec<String> {
    let options = &question.options;
    let population = k_map(options);
    let mut words: Vec<String> = Vec::new();
    for (keyword, value) in options.iter().filter(|(_, value)| !is_off(value)) {
        let option = format!("--{}", keyword.trim_end_matches('_').replace('_', "-"));
        let pairs = || value.as_object().into_iter().flatten();
        let is_model = MODELS.iter().any(|(model, ..)| model == keyword);
        match keyword.as_str() {
            role if ROLES.contains(&role) => {
                let names = match value {
                    Value::Array(names) => names.iter().map(text).collect(),
                    name => vec![text(name)],
                };
                let names: Vec<String> = names.iter().map(|name| listed(name)).collect();
                words.extend([option, names.join(",")]);
            }
            "k" => words.extend(["-k".to_owned(), text(value)]),
            "population" if population.is_some() => {}
            "k_map" => words.extend(population.map(|file| format!("{option}={}", text(file)))),
            _ if is_model => {
                let models = match value {
                    Value::Array(models) => models.clone(),
                    model => vec![model.clone()],
                };
                for model in models {
                    match model.as_object() {
                        None => words.push(format!("{option}={}", text(&model))),
                        Some(entries) => words.extend(entries.iter().map(|(column, number)| {
                            format!("{option}={}={}", listed(column), text(number))
                        })),
                    }
                }
            }
            "hierarchy" => {
                for (column, rule) in pairs() {
                    let named = match hierarchy(rule) {
                        Value::Object(rule) => {
                            let name = format!("hierarchy-{column}.toml");
                            let lines = rule
                                .iter()
                                .map(|(key, value)| format!("{} = {}\n", json!(key), toml(value)));
                            std::fs::write(folder.join(&name), lines.collect::<String>()).unwrap();
                            name
                        }
                        word => text(&word),
                    };
                    words.extend([option.clone(), format!("{column}={named}")]);
                }
            }
            "narrowing" | "accept" => {
                let narrowing = pairs().filter(|(_, narrows)| !is_off(narrows));
                let names: Vec<String> = narrowing.map(|(column, _)| listed(column)).collect();
                words.extend([option, names.join(",")]);
            }
            _ if value.is_object() => {
                for (column, value) in pairs() {
                    words.extend([option.clone(), format!("{column}={}", text(value))]);
                }
            }
            _ if *value == json!(true) => words.push(option),
            _ => words.push(format!("{option}={}", text(value))),
        }
    }
    words
}

/// Models as a spec has them.
fn models(number: &str, kind: &str, value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => {
            values.iter().flat_map(|value| models(number, kind, value)).collect()
        }
        Value::Object(entries) => {
            let of_column = |(column, value): (&String, &Value)| {
                let mut found = models(number, kind, value);
                found.iter_mut().for_each(|model| model["column"] = json!(column));
                found
            };
            entries.iter().flat_map(of_column).collect()
        }
        Value::String(short) => {
            let (word, numbers) = short.split_once(':').unwrap();
            let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            match numbers.split_once(',') {
                Some((c, l)) => vec![json!({ number: parsed(l), "c": parsed(c), kind: word })],
                None => vec![json!({ number: parsed(numbers), kind: word })],
            }
        }
        plain => vec![json!({ number: plain })],
    }
}

/// A value of a column as a spec has it.
fn of_column(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("hierarchy", value) => hierarchy(value),
        ("bins", Value::String(short)) => {
            let (width, start) = short.split_once('@').unwrap_or((short, "0"));
            let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            json!({ "width": number(width), "start": number(start) })
        }
        ("bins", width) => json!({ "width": width }),
        (_, value) => value.clone(),
    }
}

/// The spec that a question stands for. `places` are lines that say where the table is and where the release goes, each with
/// the section that it belongs to.
pub(crate) fn spec(question: &Question, places: &[(&str, String)]) -> String {
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |column: &str, line: String| {
        let known = columns.iter_mut().find(|(name, _)| name == column);
        match known {
            Some((_, lines)) => lines.push(line),
            None => columns.push((column.to_owned(), vec![line])),
        }
    };
    let mut sections: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (section, line) in places {
        sections.entry(*section).or_default().push(line.clone());
    }
    let options = || question.options.iter().filter(|(_, value)| !is_off(value));
    for role in ROLES {
        for (_, value) in options().filter(|(keyword, _)| *keyword == role) {
            let names = match value {
                Value::Array(names) => names.clone(),
                name => vec![name.clone()],
            };
            for name in names {
                add(&text(&name), format!("role = {}", json!(role.trim_end_matches('_'))));
            }
        }
    }
    for (keyword, value) in options().filter(|(keyword, _)| !ROLES.contains(&keyword.as_str())) {
        let key = keyword.replace('_', "-");
        if let Some((_, number, kind)) = MODELS.iter().find(|(model, ..)| model == keyword) {
            let found = Value::Array(models(number, kind, value));
            let lines = sections.entry("privacy").or_default();
            lines.push(format!("{key} = {}", toml(&found)));
            continue;
        }
        if OF_COLUMNS.contains(&keyword.as_str()) || keyword == "date_format" && value.is_object() {
            for (column, value) in value.as_object().unwrap() {
                let value = toml(&of_column(keyword, value));
                add(column, format!("{key} = {value}"));
            }
            continue;
        }
        if keyword == "option" {
            let lines = value.as_object().unwrap().iter();
            let lines = lines.map(|(name, value)| format!("{} = {}", json!(name), toml(value)));
            sections.entry("algorithm").or_default().extend(lines);
            continue;
        }
        let known = SECTIONS.iter().find(|(_, keys)| keys.contains(&keyword.as_str()));
        let section = known.map_or("privacy", |(section, _)| *section);
        let line = match keyword.as_str() {
            "missing" => format!("missing-add = {}", toml(value)),
            "missing_only" => format!("missing = {}", toml(value)),
            "keep_order" => "order = \"keep\"".to_owned(),
            "sort" => "order = \"sort\"".to_owned(),
            "output_delimiter" => format!("delimiter = {}", toml(value)),
            _ => format!("{key} = {}", toml(value)),
        };
        sections.entry(section).or_default().push(line);
    }
    // A column that something is done to is plain unless it has another role.
    for (_, lines) in &mut columns {
        if !lines.iter().any(|line| line.starts_with("role = ")) {
            lines.push("role = \"plain\"".to_owned());
        }
    }
    let mut out = String::new();
    for (section, _) in SECTIONS {
        let lines = sections.remove(section).unwrap_or_default();
        out.push_str(&format!("[{section}]\n{}\n\n", lines.join("\n")));
    }
    out.push_str("[columns]\n");
    for (name, lines) in columns {
        out.push_str(&format!("{} = {{ {} }}\n", json!(name), lines.join(", ")));
    }
    out
}

/// The hash of rows in any order, below their header.
fn digest(header: &[String], rows: &[Vec<String>], keep: &dyn Fn(&str) -> bool) -> String {
    let places: Vec<usize> = (0..header.len()).filter(|&at| keep(&header[at])).collect();
    let line = |row: &[String]| {
        places.iter().map(|&at| row[at].as_str()).collect::<Vec<_>>().join("\u{1f}")
    };
    let mut lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
    lines.sort_unstable();
    lines.insert(0, line(header));
    FileDigest::of("rows", lines.join("\n").as_bytes()).sha256
}

/// The answer to a question that was refused, or that makes no sense.
pub(crate) fn refusal(error: &Value) -> Value {
    match error["check"].as_str() {
        None => json!({ "outcome": "invalid", "check": null }),
        Some(check) => json!({ "outcome": "refused", "check": check }),
    }
}

/// The answer to a question, from the facts of its run and the released rows; none if there is no release.
pub(crate) fn answer(
    question: &Question,
    facts: &Value,
    released: Option<&(Vec<String>, Vec<Vec<String>>)>,
) -> Value {
    let warnings = facts["warnings"].as_array().into_iter().flatten();
    let mut codes: Vec<&str> = warnings.map(|it| it["code"].as_str().unwrap()).collect();
    codes.sort_unstable();
    let checks = facts["checks"].as_array().into_iter().flatten();
    let checks: Map<String, Value> =
        checks.map(|it| (it["id"].as_str().unwrap().to_owned(), it["status"].clone())).collect();
    let outcome = if released.is_some() { "released" } else { "infeasible" };
    let mut told =
        json!({ "outcome": outcome, "check": null, "warnings": codes, "checks": checks });
    if let Some((header, rows)) = released {
        let quasi = texts(&facts["quasi"]);
        let is_label = |name: &str| {
            quasi.iter().any(|quasi| {
                name.strip_prefix(quasi.as_str())
                    .is_some_and(|end| ["", "_min", "_max"].contains(&end))
            })
        };
        let is_repeated = |name: &str| !question.fresh.iter().any(|fresh| fresh == name);
        told["columns"] = json!(header);
        told["rows"] = json!(digest(header, rows, &is_repeated));
        told["labels"] = json!(digest(header, rows, &is_label));
        told["k"] = facts["verdict"]["k"].clone();
        told["holds"] = facts["verdict"]["holds"].clone();
    }
    told
}

/// How a back end differs from files by its nature.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Nature {
    /// Features that it lacks: it refuses questions that need one of them.
    pub(crate) lacks: &'static [&'static str],
    /// Whether it does not take rows in the order of the table: rows of one combination may then go into other classes.
    pub(crate) unordered: bool,
    /// Whether the release is no text file, which spreadsheets would compute.
    pub(crate) no_text: bool,
    /// Whether it does not tell the checks one by one.
    pub(crate) no_checks: bool,
}

/// What differs between the answer of the command line and that of a back end, in words; nothing if they are equal.
pub(crate) fn differences(
    question: &Question,
    expected: &Value,
    found: &Value,
    said: &str,
    nature: Nature,
) -> Option<String> {
    let name = &question.name;
    if question.features.iter().any(|feature| nature.lacks.contains(&feature.as_str())) {
        let refused = found["outcome"] == "refused" && found["check"] == "back-end";
        // What is refused anyway may be refused for either reason.
        let either = !["released", "infeasible"].contains(&expected["outcome"].as_str().unwrap());
        let fine = refused || either && found["outcome"] == expected["outcome"];
        return (!fine).then(|| {
            format!(
                "{name}: a feature is lacking, but it is not refused by `back-end`: {found}: {said}"
            )
        });
    }
    let comparable = |told: &Value| {
        let mut told = told.as_object().unwrap().clone();
        let safe = nature.no_text && question.options.contains_key("csv_safe");
        // Chance decides which of its likes a row is, and so what stands beside a label.
        let dealt = nature.unordered && question.features.iter().any(|it| it == "deals");
        if safe || dealt {
            told.remove("rows");
        }
        if let Some(Value::Array(codes)) = told.get_mut("warnings") {
            codes.retain(|code| !nature.no_text || code != "formulas");
            codes.retain(|code| !dealt || code != "undoes");
        }
        if nature.no_checks {
            told.remove("checks");
        }
        told
    };
    let (expected, found) = (comparable(expected), comparable(found));
    let parts: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let nothing = Value::Null;
        let (one, other) =
            (expected.get(part).unwrap_or(&nothing), found.get(part).unwrap_or(&nothing));
        match (one, other) {
            _ if one == other => {}
            (Value::Object(ours), Value::Object(theirs)) => {
                let ids: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
                for id in ids.into_iter().filter(|id| ours.get(*id) != theirs.get(*id)) {
                    lines
                        .push(format!("    check {id}: expected {}, found {}", one[id], other[id]));
                }
            }
            _ => lines.push(format!("    {part}: expected {one}, found {other}")),
        }
    }
    let said = said.lines().next().unwrap_or_default();
    (!lines.is_empty()).then(|| format!("{name}: {said}\n{}", lines.join("\n")))
}
