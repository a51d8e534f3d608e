//! A first spec for a table, with comments, for a person to edit.

use std::collections::BTreeSet;
use std::path::Path;

use super::choices::KeywordChoice;
use super::codecs::{AnyText, DateForm, Delimiter, List};
use super::column::{ColumnSection, Role};
use super::data::DataSection;
use super::hierarchy::{Hierarchy, HierarchyRule};
use super::option_table::{OptionEntry, OptionGroup, SpecSection, ValueCodec, ValueScope};
use super::privacy::PrivacySection;
use super::sections::{AlgorithmSection, DEFAULT_METHOD, GoalSection, ReleaseSection};
use super::toml_text::{key, text};
use incrowd_data::DateFormats;
use incrowd_data::acts;

/// What is known about a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFacts {
    /// The file, as the spec should name it.
    pub input: String,
    /// How many rows it has.
    pub rows: u64,
    /// Its columns in order.
    pub columns: Vec<ColumnFacts>,
    /// How it was read where somebody said so; the spec must say it, too.
    pub reading: GivenReading,
}

/// How somebody said that a table is to be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenReading {
    /// The character between fields.
    pub delimiter: Option<char>,
    /// The encoding.
    pub encoding: Option<String>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// The texts that mean "missing".
    pub missing: Option<Vec<String>>,
    /// How dates are written.
    pub dates: DateFormats,
}

/// What is known about a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFacts {
    /// The name in the header.
    pub name: String,
    /// Whether every value is a number.
    pub numeric: bool,
    /// How many different values there are.
    pub distinct: u64,
    /// How many values are missing.
    pub missing: u64,
    /// A few values.
    pub examples: Vec<String>,
    /// The role it probably has.
    pub role: Role,
    /// Why.
    pub reason: String,
    /// How dates are written, if it holds dates.
    pub date_format: Option<String>,
    /// What should be known of its values.
    pub note: Option<String>,
    /// The share of rows that it singles out.
    pub singled_out: f64,
    /// How its values could be generalized, if they tell.
    pub hierarchy: Option<HierarchyProposal>,
}

/// A hierarchy that suits the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyProposal {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// What the values are.
    pub what: String,
    /// Whether there is hardly a doubt: then it is used, otherwise it waits for its `#` to be removed.
    pub certain: bool,
}

/// The text of a spec for a table: every column has a line with the suggested role and the reason, and every
/// option is there as a comment, those of columns once. It can be run as it is unless a column is undecided.
///
/// Prose starts with `# `, an option that only waits for its `#` to be removed with `#`.
pub fn init_spec(facts: &TableFacts) -> String {
    let columns = released_once(&facts.columns);
    let mut page = InitPage::default();
    page.line(&format!(
        "# How to anonymize {}: {} rows, {} columns.",
        comment(&facts.input),
        facts.rows,
        facts.columns.len()
    ));
    page.line("#");
    page.line("# Look at the roles first: they were guessed. Then:  incrowd run THIS_FILE");
    page.line("# To use an option below, remove the `#` in front of it.");
    let undecided = columns.iter().filter(|column| column.role == Role::Undecided).count();
    if undecided > 0 {
        let (what, are) = if undecided == 1 { ("column", "is") } else { ("columns", "are") };
        page.line(&format!(
            "# {undecided} {what} {are} undecided: nothing runs before you have decided what to do with them."
        ));
    }

    page.table("data");
    page.line("# A table of a database: data.input = \"postgres://host/name\", data.table = \"people\" (or");
    page.line("# data.query = \"SELECT ..\"), and if you like data.where = \"year > 2020\", data.in-database = true,");
    page.line("# release.into = \"people_release\", release.replace = true, release.grant = [\"analyst\"] instead of files.");
    let GivenReading { delimiter, encoding, sheet, missing, dates } = &facts.reading;
    let given = [
        ("input", Some(text(&facts.input))),
        ("delimiter", delimiter.as_ref().map(Delimiter::write)),
        ("encoding", encoding.as_deref().map(text)),
        ("sheet", sheet.as_deref().map(text)),
        ("missing", missing.as_ref().map(List::<AnyText>::write)),
        ("date-format", dates.general.as_ref().map(DateForm::write)),
        ("other", Some(text("drop"))),
    ];
    page.options(DataSection::entries(), &given);
    page.line("");
    for line in ROLES {
        page.line(line);
    }
    page.table("columns");
    let width = columns.iter().map(|column| role_line(column).chars().count()).max().unwrap_or(0);
    for column in &columns {
        let line = role_line(column);
        page.line(&format!("{line:<0$} # {1}", width.min(ROLE_WIDTH), about(column, facts.rows)));
        if let Some(form) = dates.columns.get(&column.name) {
            let form = text(&form.to_string());
            page.line(&format!("{}.date-format = {form}", key(&column.name)));
        }
        if let Some(note) = &column.note {
            // It says what to do: none of it may be cut off.
            let note: String = note.chars().map(clean).collect();
            page.line(&format!("# {note}"));
        }
        add_proposal(&mut page, column);
    }
    add_options(&mut page, &columns);
    let sensitive = columns.iter().find(|column| column.role == Role::Sensitive);
    add_privacy(&mut page, sensitive.map(|column| column.name.as_str()));

    page.table("goal");
    page.options(GoalSection::entries(), &[("metric", Some(text("ncp")))]);
    page.table("algorithm");
    page.options(AlgorithmSection::entries(), &[("method", Some(text(DEFAULT_METHOD)))]);
    page.noted("#kind = \"global\"", "Of auto: local (default), global, levels, cells or mixed.");
    page.noted("#effort = \"thorough\"", "Of auto: quick, normal (default) or thorough.");
    page.table("release");
    page.line("# With labels = \"safe\", a secret draw makes some of them coarser: release.label-chance = 0.5.");
    page.line(
        "# With a certificate, certified = true has it checked before the release is written.",
    );
    let output = text(&release_name(&facts.input));
    page.options(ReleaseSection::entries(), &[("output", Some(output))]);
    page.text
}

/// The lines of a spec.
#[derive(Default)]
struct InitPage {
    text: String,
}

impl InitPage {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn table(&mut self, name: &str) {
        self.line(&format!("\n[{name}]"));
    }

    /// The options of a table: with a value where one is given, else as comments with an example. Those of databases, of
    /// rows that belong together and those that go with another one are told of in prose.
    fn options(&mut self, entries: Vec<OptionEntry>, given: &[(&str, Option<String>)]) {
        for entry in &entries {
            let is_option = match entry.usage.group {
                OptionGroup::Database | OptionGroup::InDatabase | OptionGroup::Finishing => false,
                _ => {
                    !["into", "replace", "grant", "label-chance", "certified"].contains(&entry.key)
                }
            };
            if !is_option {
                continue;
            }
            let value = given.iter().find(|(key, _)| *key == entry.key);
            let line = match value.and_then(|(_, value)| value.as_ref()) {
                Some(value) => format!("{} = {value}", entry.key),
                None => format!("#{} = {}", entry.key, entry.usage.example),
            };
            self.noted(&line, &entry.summary());
        }
    }

    /// A line with a note behind it; the notes are below each other where lines are short.
    fn noted(&mut self, line: &str, note: &str) {
        self.line(&format!("{line:<25} # {note}"));
    }
}

const ROLES: [&str; 8] = [
    "# Roles of columns:",
    "#   identifying  names a person: never released",
    "#   quasi        known to others and, combined, able to single out a person: generalized",
    "#   sensitive    must not be learned about a person: released, protected by [privacy]",
    "#   class        what the release should predict well: released",
    "#   plain        released as it is, on purpose",
    "#   undecided    refused until you decide: released as it is it would single people out",
    "# A column may be generalized along a hierarchy: from a file, or built by a rule as below.",
];

/// The columns as a spec can hold them: a second one of the same name is left out (a table with
/// one is refused anyway), and of several class columns only the first keeps the role.
fn released_once(columns: &[ColumnFacts]) -> Vec<ColumnFacts> {
    let mut names = BTreeSet::new();
    let mut has_class = false;
    let mut kept: Vec<ColumnFacts> =
        columns.iter().filter(|column| names.insert(column.name.as_str())).cloned().collect();
    for column in &mut kept {
        if column.role == Role::Class && std::mem::replace(&mut has_class, true) {
            column.role = Role::Plain;
        }
    }
    kept
}

/// Lines of roles are filled up to this, so that the reasons are below each other.
const ROLE_WIDTH: usize = 40;

fn role_line(column: &ColumnFacts) -> String {
    format!("{}.role = {}", key(&column.name), text(column.role.name()))
}

/// What a column is like, and why it has its role, in a line.
fn about(column: &ColumnFacts, rows: u64) -> String {
    let kind = match (column.numeric, &column.date_format) {
        (true, _) => "numbers".to_owned(),
        (_, Some(form)) => format!("dates ({form})"),
        _ => "texts".to_owned(),
    };
    let mut about = format!(
        "{} {} different {kind}, singles out {} of the rows",
        comment(&column.reason),
        column.distinct,
        share_text(column.singled_out)
    );
    if column.missing > 0 {
        about.push_str(&format!(", {} of {rows} missing", column.missing));
    }
    if !column.examples.is_empty() {
        let examples: Vec<String> = column.examples.iter().map(|value| comment(value)).collect();
        about.push_str(&format!("; {}", examples.join(", ")));
    }
    shortened(&about, 180)
}

fn share_text(share: f64) -> String {
    match share {
        0.0 => "0%".to_owned(),
        share if share < 0.001 => "<0.1%".to_owned(),
        share => format!("{:.1}%", 100.0 * share),
    }
}

/// The hierarchy that suits the values of a quasi-identifier.
fn add_proposal(page: &mut InitPage, column: &ColumnFacts) {
    let Some(HierarchyProposal { hierarchy, what, certain }) = &column.hierarchy else { return };
    if column.role == Role::Sensitive {
        let note = format!("{}: for t-closeness by hierarchy, or if others know it", comment(what));
        let line = format!("#{}.hierarchy = {}", key(&column.name), Hierarchy::write(hierarchy));
        page.noted(&line, &note);
    }
    if column.role != Role::Quasi {
        return;
    }
    let (sign, name) = (if *certain { "" } else { "#" }, key(&column.name));
    let prefix = matches!(hierarchy, Hierarchy::Rule(HierarchyRule::Prefix { .. }));
    if *certain && prefix {
        page.noted(&format!("{name}.type = \"text\""), "codes, not numbers");
    }
    page.noted(
        &format!("{sign}{name}.hierarchy = {}", Hierarchy::write(hierarchy)),
        &comment(what),
    );
}

/// The options of columns, of the first quasi-identifier of numbers and the first of texts.
fn add_options(page: &mut InitPage, columns: &[ColumnFacts]) {
    let first = |numeric| {
        columns.iter().find(|column| {
            let certain = column.hierarchy.as_ref().is_some_and(|proposal| proposal.certain);
            // That has its way already, and one hierarchy only.
            column.role == Role::Quasi && column.numeric == numeric && !certain
        })
    };
    let (number, words) = (first(true), first(false));
    let Some(any) = number.or(words) else { return };
    page.line("");
    page.line("# Options of columns, by example: every column may have them (docs/reference/spec-file.md).");
    let is_of_release =
        |entry: &&OptionEntry| entry.usage.group == OptionGroup::Finishing || entry.key == "accept";
    let entries = ColumnSection::entries();
    let finishing: Vec<String> = entries
        .iter()
        .filter(is_of_release)
        .map(|entry| format!("{} = {}", entry.key, entry.usage.example))
        .collect();
    page.line(&format!(
        "# Of plain columns: {} (docs/reference/treatments.md).",
        finishing.join(", ")
    ));
    let gappy = |column: &&ColumnFacts| column.role == Role::Quasi && column.missing > 0;
    let gappy = columns.iter().find(gappy).unwrap_or(any);
    let mut option = |column: &ColumnFacts, line: &str, note: &str| {
        page.noted(&format!("#{}.{line}", key(&column.name)), note);
    };
    for entry in entries.iter().filter(|entry| !is_of_release(entry) && entry.key != "role") {
        let column = match (entry.key, entry.usage.values) {
            ("hierarchy", _) => continue,
            ("missing", _) => Some(gappy),
            (_, ValueScope::Any) => Some(any),
            (_, ValueScope::Numbers) => number,
            (_, ValueScope::Texts) => words,
        };
        let Some(column) = column else { continue };
        option(column, &format!("{} = {}", entry.key, entry.usage.example), &entry.summary());
    }
    for (values, rule, note) in HIERARCHIES {
        let column = if values == ValueScope::Numbers { number } else { words };
        let Some(column) = column else { continue };
        option(column, &format!("hierarchy = {rule}"), note);
    }
}

/// Hierarchies by example.
const HIERARCHIES: [(ValueScope, &str, &str); 7] = [
    (ValueScope::Numbers, "{ intervals = [5, 10, 20], start = 0 }", "Ranges of growing width."),
    (ValueScope::Texts, "\"FILE.csv\"", "ARX's form (value;level1;...;*), or FILE.toml."),
    (ValueScope::Texts, "{ prefix = true }", "Codes: mask one more character per level."),
    (
        ValueScope::Texts,
        "{ ready = \"countries\", other = \"other\" }",
        "Also icd10, ip, email; the group of values that are not known.",
    ),
    (
        ValueScope::Texts,
        "{ date = [\"month\", \"year\"] }",
        "Also hour, day, week, quarter, decade.",
    ),
    (
        ValueScope::Texts,
        "{ groups = [{ name = \"north\", values = [\"Oslo\", \"Turku\"] }] }",
        "Groups of values.",
    ),
    (
        ValueScope::Texts,
        "{ tree = { all = { north = [\"Oslo\"], south = [\"Rome\"] } } }",
        "Groups of groups.",
    ),
];

fn add_privacy(page: &mut InitPage, sensitive: Option<&str>) {
    page.table("privacy");
    let mut entries = PrivacySection::entries();
    let together: Vec<String> = entries
        .iter()
        .filter(|entry| entry.usage.group == OptionGroup::Finishing)
        .map(|entry| format!("{} = {}", entry.key, entry.usage.example))
        .collect();
    page.line(&format!("# With a unit: {} (docs/concepts/subjects.md).", together.join(", ")));
    let is_model = |entry: &OptionEntry| entry.usage.example.starts_with("{ ");
    let models: Vec<OptionEntry> = entries.iter().copied().filter(is_model).collect();
    entries.retain(|entry| !is_model(entry));
    page.options(entries, &[("k", Some("5".to_owned()))]);
    if sensitive.is_none() {
        page.line("# These need a column with the role sensitive:");
    }
    let column = sensitive.map(|name| format!("column = {}, ", text(name))).unwrap_or_default();
    for entry in models {
        let model = entry.usage.example.replacen("{ ", &format!("{{ {column}"), 1);
        page.noted(&format!("#{} = {model}", entry.key), &entry.summary());
    }
}

/// A blank in place of what may not stand in a comment.
fn clean(c: char) -> char {
    if c.is_control() || acts(c) { ' ' } else { c }
}

/// Text that may stand in a comment: one line, no control characters, not endless.
fn comment(text: &str) -> String {
    shortened(&text.chars().map(clean).collect::<String>(), 100)
}

fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

/// The name of the release beside its input: `data/patients.csv.gz` becomes
/// `patients.release.csv.gz`, next to the spec.
fn release_name(input: &str) -> String {
    let name = Path::new(input).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match name.trim_start_matches('.').split_once('.') {
        Some((stem, extension)) if !stem.is_empty() => {
            // Some formats are read and not written.
            let extension = match extension.to_ascii_lowercase().as_str() {
                "xls" | "xlsb" | "xlsm" | "ods" => "xlsx",
                "sav" | "zsav" | "dta" | "xpt" => "csv",
                _ => extension,
            };
            format!("{stem}.release.{extension}")
        }
        _ => "release.csv".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::SpecFile;

    fn facts() -> TableFacts {
        let column = |name: &str, numeric, missing, role, reason: &str| ColumnFacts {
            name: name.to_owned(),
            numeric,
            distinct: 40,
            missing,
            examples: vec!["1".to_owned(), "a\nb".to_owned()],
            role,
            reason: reason.to_owned(),
            date_format: None,
            note: None,
            hierarchy: None,
            singled_out: 0.0125,
        };
        TableFacts {
            input: "data/patients.csv".to_owned(),
            rows: 1000,
            reading: GivenReading::default(),
            columns: vec![
                column("name", false, 0, Role::Identifying, "nearly every value is unique"),
                column("age", true, 12, Role::Quasi, "a demographic"),
                column("zip code", false, 0, Role::Quasi, "a place"),
                column("disease", false, 0, Role::Sensitive, "a diagnosis"),
                column("outcome", false, 0, Role::Class, "two values"),
            ],
        }
    }

    #[test]
    fn a_first_spec_reads_well() {
        insta::assert_snapshot!(init_spec(&facts()));
    }

    #[test]
    fn every_option_in_the_comments_works_when_its_hash_is_removed() {
        let text = init_spec(&facts());
        let parse = |text: &str| SpecFile::parse(text, Path::new("spec.toml"));
        let plain = parse(&text).unwrap().spec;
        let mut tried = 0;
        for (at, line) in text.lines().enumerate() {
            let Some(option) = line
                .strip_prefix('#')
                .filter(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '"'))
            else {
                continue;
            };
            let lines: Vec<&str> = text
                .lines()
                .enumerate()
                .map(|(i, line)| if i == at { option } else { line })
                .collect();
            let spec = parse(&lines.join("\n")).unwrap_or_else(|error| panic!("{error}")).spec;
            assert_ne!(spec, plain, "{option}");
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    }

    #[test]
    fn every_key_of_a_spec_is_mentioned() {
        let text = init_spec(&facts());
        let keys = [
            DataSection::keys(),
            ColumnSection::keys(),
            PrivacySection::keys(),
            GoalSection::keys(),
            AlgorithmSection::keys(),
            ReleaseSection::keys(),
        ];
        for key in keys.concat() {
            let given = |line: &str| {
                let line = line.trim_start_matches('#');
                line.starts_with(&format!("{key} = "))
                    || line.contains(&format!(".{key} = "))
                    || line.contains(&format!(" {key} = "))
            };
            assert!(text.lines().any(given), "{key} is not mentioned");
        }
    }

    #[test]
    fn a_wide_table_has_a_line_for_every_column() {
        let mut wide = facts();
        let column = wide.columns[1].clone();
        wide.columns
            .extend((0..167).map(|at| ColumnFacts { name: format!("q{at}"), ..column.clone() }));
        let text = init_spec(&wide);
        assert!(text.lines().count() < wide.columns.len() + 130, "{}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() < 240));
        let spec = SpecFile::parse(&text, Path::new("spec.toml")).unwrap().spec;
        assert_eq!(spec.columns.len(), 172);
    }

    #[test]
    fn the_release_gets_a_name_of_its_own() {
        for (input, release) in [
            ("patients.csv", "patients.release.csv"),
            ("a/b/patients.csv.gz", "patients.release.csv.gz"),
            ("t.parquet", "t.release.parquet"),
            ("t.xls", "t.release.xlsx"),
            ("t.SAV", "t.release.csv"),
            ("-", "release.csv"),
            ("patients", "release.csv"),
            (".hidden", "release.csv"),
        ] {
            assert_eq!(release_name(input), release);
        }
    }
}
