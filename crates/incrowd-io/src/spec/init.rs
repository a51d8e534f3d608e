//! A first spec for a table, with comments, for a person to edit.

use std::collections::BTreeSet;
use std::path::Path;

use incrowd::value::DateFormat;

use super::dates::DateFormats;
use super::hierarchy::{Hierarchy, HierarchyRule};
use super::model::{DEFAULT_METHOD, DEFAULT_MISSING, Role};
use super::names::Named;
use super::toml_text::{key, text};
use super::write::hierarchy as hierarchy_text;

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
    /// How its values could be generalized, if they tell.
    pub hierarchy: Option<Proposal>,
}

/// A hierarchy that suits the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// What the values are.
    pub what: String,
    /// Whether there is hardly a doubt: then it is used, otherwise it waits for its `#` to be removed.
    pub certain: bool,
}

/// The text of a spec for a table: it can be run as it is, every column has its table with the
/// suggested role and the reason, and every option is there as a comment.
///
/// Prose starts with `# `, an option that only waits for its `#` to be removed with `#`.
pub fn init_spec(facts: &TableFacts) -> String {
    let columns = released_once(&facts.columns);
    let mut page = Page::default();
    page.line(&format!(
        "# How to anonymize {}: {} rows, {} columns.",
        comment(&facts.input),
        facts.rows,
        facts.columns.len()
    ));
    page.line("#");
    page.line("# Look at the roles first: they were guessed. Then:  incrowd run THIS_FILE");
    page.line("# To use an option below, remove the `#` in front of it.");

    page.table("data");
    page.line(&format!("input = {}", text(&facts.input)));
    let GivenReading { delimiter, encoding, sheet, missing, dates } = &facts.reading;
    let mut data = |key: &str, given: Option<String>, example: String, note: &str| match given {
        Some(value) => page.line(&format!("{key} = {value}")),
        None => page.noted(&format!("#{key} = {example}"), note),
    };
    let shown = |delimiter: char| {
        if delimiter == '\t' { text("tab") } else { text(&delimiter.to_string()) }
    };
    let list = |tokens: &[String]| {
        let tokens: Vec<String> = tokens.iter().map(|token| text(token)).collect();
        format!("[{}]", tokens.join(", "))
    };
    let usual = DEFAULT_MISSING.map(str::to_owned);
    data(
        "delimiter",
        delimiter.map(shown),
        text(";"),
        "the character between fields, or \"tab\"; default: detected",
    );
    let found = "of a text file; default: UTF-8, or what is found";
    data("encoding", encoding.as_deref().map(text), text("windows-1252"), found);
    let first = "of a workbook; default: the first that is not empty";
    data("sheet", sheet.as_deref().map(text), text("Sheet1"), first);
    data("missing", missing.as_deref().map(list), list(&usual), "what means missing");
    data(
        "date-format",
        dates.general.as_ref().map(|form| text(&form.to_string())),
        text("d/m/y"),
        "how dates are written, where days and months could be mixed up",
    );
    page.noted("#missing-add = [\"-9\", \"unknown\"]", "means missing, too");
    page.noted(
        "#population = \"all.csv\"",
        "everybody who could be in it: the report tells the journalist's risk",
    );
    page.noted("#other = \"error\"", "columns without a table: plain (default), drop or error");
    page.noted("#decimal = \",\"", "the decimal sign of numbers; default: found from the values");
    page.line("");
    for line in ROLES {
        page.line(line);
    }
    for column in &columns {
        add_column(&mut page, column, facts.rows, dates.columns.get(&column.name));
    }
    let sensitive = columns.iter().find(|column| column.role == Role::Sensitive);
    add_privacy(&mut page, sensitive.map(|column| column.name.as_str()));

    page.table("goal");
    page.noted(
        "metric = \"ncp\"",
        "ncp, dm, cm (needs a class column), loss, precision, entropy, blanks",
    );
    page.noted("#max-suppressed = \"2%\"", "rows that may be left out: 100, \"2%\", \"all\"");
    page.table("algorithm");
    page.noted(
        &format!("method = {}", text(DEFAULT_METHOD)),
        "or one that `incrowd methods` lists, with its options here, too",
    );
    page.noted("#kind = \"global\"", "of auto: local (default), global, levels or cells");
    page.noted("#effort = \"thorough\"", "of auto: quick, normal (default) or thorough");
    page.noted("#time-limit = \"60s\"", "stop then with the best release found: ms, s, m, h");
    page.noted("#seed = 7", "same seed, same release");
    page.noted("#threads = 2", "default: one per core");
    page.table("release");
    page.line(&format!("output = {}", text(&release_name(&facts.input))));
    page.noted("#delimiter = \",\"", "default: the input's");
    page.noted("#order = \"sort\"", "shuffle (default), sort, or keep (not recommended)");
    page.noted("#suppressed = \"blank\"", "drop (default), or blank: keep those rows with only *");
    page.noted(
        "#failing = \"write\"",
        "keep rows that mu-argus without repair leaves failing, to compare",
    );
    page.noted("#recoding = \"recoding.json\"", "to release further rows in the same way later");
    page.line("#report = \"report.html\"");
    page.text
}

/// The lines of a spec.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn table(&mut self, name: &str) {
        self.line(&format!("\n[{name}]"));
    }

    /// A line with a note behind it; the notes are below each other where lines are short.
    fn noted(&mut self, line: &str, note: &str) {
        self.line(&format!("{line:<25} # {note}"));
    }
}

const ROLES: [&str; 7] = [
    "# Roles of columns:",
    "#   identifying  names a person: never released",
    "#   quasi        known to others and, combined, able to single out a person: generalized",
    "#   sensitive    must not be learned about a person: released, protected by [privacy]",
    "#   class        what the release should predict well: released",
    "#   plain        released as it is",
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

fn add_column(page: &mut Page, facts: &ColumnFacts, rows: u64, said: Option<&DateFormat>) {
    page.table(&format!("columns.{}", key(&facts.name)));
    let kind = match (facts.numeric, &facts.date_format) {
        (true, _) => "numbers".to_owned(),
        (_, Some(form)) => format!("dates ({form})"),
        _ => "text".to_owned(),
    };
    let mut about = format!("# {kind}, {} distinct", facts.distinct);
    if facts.missing > 0 {
        about.push_str(&format!(", {} of {rows} missing", facts.missing));
    }
    if !facts.examples.is_empty() {
        let examples: Vec<String> = facts.examples.iter().map(|value| comment(value)).collect();
        about.push_str(&format!(": {}", examples.join(", ")));
    }
    page.line(&about);
    if let Some(form) = said {
        page.line(&format!("date-format = {}", text(&form.to_string())));
    }
    if let Some(note) = &facts.note {
        // It says what to do: none of it may be cut off.
        let note: String = note.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        page.line(&format!("# {note}"));
    }
    page.noted(&format!("role = {}", text(facts.role.name())), &comment(&facts.reason));
    if facts.role != Role::Quasi {
        if let (Role::Sensitive, Some(Proposal { hierarchy, what, .. })) =
            (facts.role, &facts.hierarchy)
        {
            let note =
                format!("{}: for t-closeness by hierarchy, or if others know it", comment(what));
            page.noted(&format!("#hierarchy = {}", hierarchy_text(hierarchy)), &note);
        }
        return;
    }
    let has_hierarchy = facts.hierarchy.as_ref().is_some_and(|proposal| proposal.certain);
    if let Some(Proposal { hierarchy, what, certain }) = &facts.hierarchy {
        let sign = if *certain { "" } else { "#" };
        let prefix = matches!(hierarchy, Hierarchy::Rule(HierarchyRule::Prefix { .. }));
        if *certain && prefix {
            page.noted("type = \"text\"", "codes, not numbers");
        }
        page.noted(&format!("{sign}hierarchy = {}", hierarchy_text(hierarchy)), &comment(what));
    }
    page.noted("#weight = 2", "counts twice in the cost");
    page.noted("#min-level = 1", "the lowest hierarchy level that full-domain methods may release");
    page.noted("#max-level = 3", "and the highest");
    page.noted("#argus = \"most\"", "the method mu-argus blanks it first; most, more, identifying");
    page.noted(
        &format!("#rename = {}", text(&format!("{} (new)", facts.name))),
        "its name in the release",
    );
    if has_hierarchy {
        // There is one way already.
    } else if facts.numeric {
        page.noted("#type = \"text\"", "treat the numbers as codes");
        page.noted("#decimal = \",\"", "33,9 is a number; default: found from the values");
        page.noted(
            "#round = 10",
            "every value to the nearest multiple; columns of any role can be treated so",
        );
        page.noted("#top = 90", "90 and above become 90+");
        page.noted("#bottom = 18", "18 and below become <=18");
        page.noted("#breaks = [18, 65]", "<18, [18-64] and 65+");
        page.line("#bins = { width = 5, start = 0 }");
        page.line("#hierarchy = { intervals = [5, 10, 20], start = 0 }");
        page.noted("#summary = \"mean\"", "range, mean, median, columns (min and max), node");
        page.noted("#cut-at = [18, 65]", "the method optimal must keep these boundaries");
        page.noted("#never-cut-at = [30]", "and must not make these");
    } else {
        page.noted("#keep-prefix = 3", "only the first three characters of a code");
        page.noted("#order = [\"low\", \"medium\", \"high\"]", "if the values have an order");
        page.noted("#hierarchy = \"FILE.csv\"", "ARX's form (value;level1;...;*), or FILE.toml");
        page.noted("#hierarchy = { prefix = true }", "codes: mask one more character per level");
        page.noted(
            "#hierarchy = { ready = \"countries\", other = \"other\" }",
            "also icd10, ip, email; the group of values that are not known",
        );
        page.noted(
            "#hierarchy = { date = [\"month\", \"year\"] }",
            "also hour, day, week, quarter, decade",
        );
        page.noted(
            "#date-format = \"d/m/y\"",
            "how dates are written; default: found from the values",
        );
        page.noted("#age-at = \"2026-01-01\"", "the age on this day in place of a birth date");
        page.noted("#date-unit = \"month\"", "the month in place of a date");
        page.line(
            "#hierarchy = { groups = [{ name = \"north\", values = [\"Oslo\", \"Turku\"] }] }",
        );
        page.line("#hierarchy = { tree = { all = { north = [\"Oslo\"], south = [\"Rome\"] } } }");
    }
    if facts.missing > 0 {
        page.noted("#missing = \"0\"", "put this value in place of missing ones");
    }
}

fn add_privacy(page: &mut Page, sensitive: Option<&str>) {
    page.table("privacy");
    page.noted("k = 5", "every released row looks like at least k - 1 others");
    if sensitive.is_none() {
        page.line("# These need a column with the role sensitive:");
    }
    let column = sensitive.map(|name| format!("column = {}, ", text(name))).unwrap_or_default();
    let mut model = |name: &str, rest: &str, note: &str| {
        let line = format!("#{name} = {{ {column}{rest} }}");
        if note.is_empty() { page.line(&line) } else { page.noted(&line, note) }
    };
    model("l-diversity", "l = 3, kind = \"distinct\"", "or entropy");
    model("l-diversity", "l = 3, kind = \"recursive\", c = 4", "");
    model("t-closeness", "t = 0.2, distance = \"equal\"", "or ordered, hierarchical");
    model("alpha", "alpha = 0.5", "");
    model("beta-likeness", "beta = 2, kind = \"basic\"", "or enhanced");
    model("delta-disclosure", "delta = 1", "");
    page.noted("#wildcards = true", "weaker: a blank matches anything (method cells)");
}

/// Text that may stand in a comment: one line, no control characters, not endless.
fn comment(text: &str) -> String {
    const MOST: usize = 100;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(MOST).map(clean).collect();
    if text.chars().nth(MOST).is_some() {
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
    use crate::spec::SpecFile;

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
            let Some(option) =
                line.strip_prefix('#').filter(|rest| rest.starts_with(char::is_alphabetic))
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
        use crate::spec::walk;
        let text = init_spec(&facts());
        let keys = [
            walk::DATA_KEYS,
            walk::COLUMN_KEYS,
            walk::PRIVACY_KEYS,
            walk::GOAL_KEYS,
            walk::ALGORITHM_KEYS,
            walk::RELEASE_KEYS,
        ];
        for key in keys.concat() {
            let given = |line: &str| line.trim_start_matches('#').starts_with(&format!("{key} = "));
            assert!(text.lines().any(given), "{key} is not mentioned");
        }
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
