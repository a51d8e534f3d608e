//! Every way in which a spec can be wrong, with the message it gives.
//!
//! The messages are in one snapshot, so that they can be read through like a page.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write;
use std::path::Path;

use super::*;
use crate::Error;
use crate::hierarchies::*;

fn parse(text: &str) -> crate::Result<SpecFile> {
    SpecFile::parse(text, Path::new("spec.toml"))
}

/// A good spec with something in place of, or added to, one of its tables.
fn with(table: &str, lines: &str) -> String {
    let mut text = String::new();
    for (name, good) in [
        ("data", "input = \"t.csv\"\n"),
        ("columns.age", "role = \"quasi\"\n"),
        ("privacy", "k = 5\n"),
    ] {
        let lines = if name == table { lines } else { good };
        write!(text, "[{name}]\n{lines}").unwrap();
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if !text.contains(&format!("[{table}]\n")) {
        writeln!(text, "[{table}]\n{lines}").unwrap();
    }
    text
}

fn column(lines: &str) -> String {
    with("columns.age", &format!("role = \"quasi\"\n{lines}"))
}

/// A spec whose one sensitive column is `disease`, with a privacy model.
fn model(lines: &str) -> String {
    let text = with("privacy", &format!("k = 5\n{lines}"));
    format!("{text}[columns.disease]\nrole = \"sensitive\"\n")
}

fn bad_specs() -> Vec<(&'static str, String)> {
    vec![
        // The text.
        ("no equals sign", "[data]\ninput \"t.csv\"\n".into()),
        ("an open string", "[data]\ninput = \"t.csv\n".into()),
        ("a text without quotes", column("type = number")),
        ("another text without quotes", with("columns.age", "role = quasi")),
        ("a flag as Python writes it", with("algorithm", "strict = True")),
        ("an open list", with("data", "input = \"t.csv\"\nmissing = [\"\", \"NA\"")),
        ("a key given twice", with("privacy", "k = 5\nk = 6")),
        ("a table given twice", with("columns.age", "role = \"quasi\"\n[columns.age]")),
        ("an open header", "[data\ninput = \"t.csv\"".into()),
        // Keys.
        ("an unknown table", with("colums.age", "role = \"quasi\"")),
        ("a table far from any other", with("zebra", "a = 1")),
        ("an unknown key of data", with("data", "inptu = \"t.csv\"")),
        ("an unknown key of a column", column("wieght = 2")),
        (
            "an unknown key of a column with a nasty name",
            with("columns.\"a.b \\\" c\"", "rolle = 1"),
        ),
        ("an unknown key of privacy", with("privacy", "K = 5")),
        ("an unknown model", model("l_diversity = { l = 3 }")),
        ("an unknown key of a model", model("l-diversity = { l = 3, sort = \"entropy\" }")),
        ("an unknown key of the goal", with("goal", "max-supressed = 5")),
        ("an unknown key of the release", with("release", "out = \"r.csv\"")),
        ("an unknown key of bins", column("bins = { widht = 5 }")),
        ("nothing", String::new()),
        ("no input", with("data", "delimiter = \";\"")),
        ("no privacy", "[data]\ninput = \"t.csv\"\n".into()),
        ("no k", with("privacy", "alpha = { alpha = 0.5 }")),
        ("no role", with("columns.age", "type = \"number\"")),
        ("no width", column("bins = { start = 5 }")),
        // Types.
        ("a table that is a value", "data = \"t.csv\"\n[privacy]\nk = 5".into()),
        (
            "columns as a list",
            with("data", "input = \"t.csv\"").replace("[columns.age]", "[[columns]]"),
        ),
        (
            "a column that is a value",
            with("columns", "sex = \"quasi\"").replace("[columns.age]\nrole = \"quasi\"\n", ""),
        ),
        ("k in quotes", with("privacy", "k = \"5\"")),
        ("k with a fraction", with("privacy", "k = 5.5")),
        ("a weight in quotes", column("weight = \"2.5\"")),
        ("a weight as a list", column("weight = [2]")),
        ("missing as a text", with("data", "input = \"t.csv\"\nmissing = \"NA\"")),
        ("a number among texts", column("order = [\"low\", 5]")),
        ("a date for a text", column("missing = 1979-05-27")),
        ("a flag for a text", with("release", "output = true")),
        ("a text for a model", model("alpha = \"disease\"")),
        ("a list as an option", with("algorithm", "splits = [1, 2]")),
        // Names.
        ("an unknown role", with("columns.age", "role = \"quasy\"")),
        ("a role far from any other", with("columns.age", "role = \"zebra\"")),
        ("an unknown type", column("type = \"numeric\"")),
        ("an unknown summary", column("summary = \"average\"")),
        ("an unknown metric", with("goal", "metric = \"discernibility\"")),
        ("an unknown kind", model("l-diversity = { l = 3, kind = \"distnct\" }")),
        ("an unknown distance", model("t-closeness = { t = 0.3, distance = \"order\" }")),
        ("an unknown row order", with("release", "order = \"random\"")),
        ("an unknown choice for suppressed rows", with("release", "suppressed = \"blanks\"")),
        (
            "an unknown choice for other columns",
            with("data", "input = \"t.csv\"\nother = \"keep\""),
        ),
        ("an unknown period", column("hierarchy = { date = [\"fortnight\"] }")),
        // Numbers and notations.
        ("k of 0", with("privacy", "k = 0")),
        ("a negative k", with("privacy", "k = -3")),
        ("a huge k", with("privacy", "k = 99999999999999999999")),
        ("a weight of 0", column("weight = 0")),
        ("a weight that is not a number", column("weight = nan")),
        ("a negative width", column("bins = { width = -5 }")),
        ("an infinite start", column("bins = { width = 5, start = inf }")),
        ("l below 1", model("l-diversity = { l = 0.5 }")),
        ("l with a fraction", model("l-diversity = { l = 2.5 }")),
        ("recursive without c", model("l-diversity = { l = 2, kind = \"recursive\" }")),
        ("c without recursive", model("l-diversity = { l = 2, c = 3 }")),
        ("t above 1", model("t-closeness = { t = 1.5 }")),
        ("alpha of 0", model("alpha = { alpha = 0.0 }")),
        ("beta of 0", model("beta-likeness = { beta = 0 }")),
        ("a negative delta", model("[[privacy.delta-disclosure]]\ndelta = -1")),
        ("more than all rows", with("goal", "max-suppressed = \"120%\"")),
        ("a bad share", with("goal", "max-suppressed = \"x%\"")),
        ("a share as a fraction", with("goal", "max-suppressed = 0.02")),
        ("a negative number of rows", with("goal", "max-suppressed = -1")),
        ("a time without a unit", with("algorithm", "time-limit = 60")),
        ("a time with a bad unit", with("algorithm", "time-limit = \"3 days\"")),
        ("no time", with("algorithm", "time-limit = \"0s\"")),
        ("no threads", with("algorithm", "threads = 0")),
        ("a negative seed", with("algorithm", "seed = -1")),
        ("two delimiters", with("data", "input = \"t.csv\"\ndelimiter = \";;\"")),
        ("a letter as delimiter", with("release", "delimiter = \"a\"")),
        ("an empty path", with("data", "input = \"\"")),
        // Hierarchies.
        ("a hierarchy as a number", column("hierarchy = 5")),
        ("a hierarchy without a rule", column("hierarchy = { start = 5 }")),
        ("a hierarchy with two rules", column("hierarchy = { prefix = true, intervals = [5] }")),
        ("a start without intervals", column("hierarchy = { prefix = true, start = 5 }")),
        ("an unknown rule", column("hierarchy = { interval = [5] }")),
        ("no intervals", column("hierarchy = { intervals = [] }")),
        ("an interval of width 0", column("hierarchy = { intervals = [5, 0] }")),
        ("intervals that do not nest", column("hierarchy = { intervals = [5, 12] }")),
        ("a prefix that is false", column("hierarchy = { prefix = false }")),
        ("a prefix of no characters", column("hierarchy = { prefix = [2, 0] }")),
        ("a prefix given twice", column("hierarchy = { prefix = [2, 1, 2] }")),
        ("periods that do not grow", column("hierarchy = { date = [\"year\", \"month\"] }")),
        ("a group without values", column("hierarchy = { groups = [{ name = \"a\" }] }")),
        (
            "a value in two groups",
            column(
                "hierarchy = { groups = [{ name = \"a\", values = [\"x\"] }, { name = \"b\", values = [\"x\"] }] }",
            ),
        ),
        (
            "a value twice in a tree",
            column("[columns.age.hierarchy.tree]\na = [\"x\"]\nb = { c = [\"x\"] }"),
        ),
        ("a tree that ends in a text", column("hierarchy = { tree = { all = { a = \"x\" } } }")),
        ("an empty tree", column("hierarchy = { tree = { all = {} } }")),
        // Parts that do not go together.
        ("bins for text", column("type = \"text\"\nbins = { width = 5 }")),
        ("an order for numbers", column("type = \"number\"\norder = [\"1\", \"2\"]")),
        ("an order with bins", column("order = [\"1\", \"2\"]\nbins = { width = 5 }")),
        ("an order with a hierarchy", column("order = [\"a\"]\nhierarchy = \"a.csv\"")),
        ("a value twice in an order", column("order = [\"a\", \"b\", \"a\"]")),
        ("a mean of texts", column("type = \"text\"\nsummary = \"mean\"")),
        ("a cut that is no list", column("cut-at = 18")),
        ("no cuts", column("cut-at = []")),
        ("a date for a cut", column("never-cut-at = [1979-05-27]")),
        ("an empty cut", column("cut-at = [\"\"]")),
        ("cuts by another key", column("cut_at = [18]")),
        ("a cut demanded and refused", column("cut-at = [18, 65]\nnever-cut-at = [\"65\"]")),
        (
            "cuts of a column that is released as it is",
            with("columns.age", "role = \"plain\"\ncut-at = [18]"),
        ),
        (
            "two classes",
            format!("{}[columns.x]\nrole = \"class\"\n", with("columns.age", "role = \"class\"")),
        ),
        ("cm without a class", with("goal", "metric = \"cm\"")),
        ("a model without a sensitive column", with("privacy", "k = 5\nalpha = { alpha = 0.5 }")),
        (
            "a model that does not say which column",
            format!("{}[columns.x]\nrole = \"sensitive\"\n", model("t-closeness = { t = 0.5 }")),
        ),
        ("a model of an unknown column", model("alpha = { column = \"diseas\", alpha = 0.5 }")),
        (
            "the second model of a column that is not sensitive",
            model("alpha = [{ alpha = 0.5 }, { column = \"age\", alpha = 0.5 }]"),
        ),
        (
            "a distance without a hierarchy",
            model("t-closeness = { t = 0.1, distance = \"hierarchical\" }"),
        ),
        ("a release over the input", with("release", "output = \"t.csv\"")),
        ("a recoding over the release", with("release", "output = \"r\"\nrecoding = \"r\"")),
    ]
}

#[test]
fn every_bad_spec_has_its_message() {
    let mut page = String::new();
    let mut messages = std::collections::BTreeSet::new();
    for (name, text) in bad_specs() {
        let error = match parse(&text) {
            Err(error) => error,
            Ok(file) => panic!("{name} is accepted:\n{text}\n{:#?}", file.spec),
        };
        assert!(error.place.is_some(), "{name} does not say where");
        assert!(error.help.is_some(), "{name} does not say how to fix it");
        assert!(error.to_string().contains("spec.toml"), "{name} does not name the file");
        assert!(messages.insert(error.to_string()), "{name} has the message of another one");
        writeln!(page, "## {name}\n{error}\n").unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn later_errors_show_the_place_in_the_spec() {
    let text = "\
[data]
input = \"t.csv\"
[columns.\"zip code\"]
role = \"quasi\"
hierarchy = \"zip.csv\"
[privacy]
k = 5
alpha = [
    { column = \"disease\", alpha = 0.5 },
]
[columns.disease]
role = \"sensitive\"
[algorithm]
strict = true
";
    let file = parse(text).unwrap();
    let shown = |error: Error| {
        let text = error.to_string();
        text.lines()
            .skip(1)
            .filter(|line| line.trim() != "|")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shown(file.error_at(&["columns", "zip code", "hierarchy"], "no such file")),
        [" --> spec.toml:5:13", "5 | hierarchy = \"zip.csv\"", "  |             ^^^^^^^^^"]
    );
    assert_eq!(
        shown(file.error_at(&["columns", "zip code"], "no such column")),
        [" --> spec.toml:3:10", "3 | [columns.\"zip code\"]", "  |          ^^^^^^^^^^"]
    );
    assert_eq!(
        shown(file.error_at_key(&["algorithm", "strict"], "unknown option")),
        ["  --> spec.toml:14:1", "14 | strict = true", "   | ^^^^^^"]
    );
    // A key that is not there: the table that lacks it.
    assert_eq!(
        shown(file.error_at(&["columns", "disease", "order"], "needs an order")),
        ["  --> spec.toml:11:10", "11 | [columns.disease]", "   |          ^^^^^^^"]
    );
    assert_eq!(
        shown(file.error_at(&["privacy", "alpha", "0", "column"], "too many values")),
        [
            " --> spec.toml:9:16",
            "9 |     { column = \"disease\", alpha = 0.5 },",
            "  |                ^^^^^^^^^"
        ]
    );
    // Nothing of it is there: the file.
    assert_eq!(file.error_at(&["goal", "metric"], "no").to_string(), "no\n  --> spec.toml");
}

#[test]
fn relative_paths_start_at_the_spec() {
    let file = SpecFile::parse(&column(""), Path::new("folder/spec.toml")).unwrap();
    assert_eq!(file.resolve(Path::new("t.csv")), Path::new("folder/t.csv"));
    assert_eq!(file.resolve(Path::new("/t.csv")), Path::new("/t.csv"));
    assert_eq!(file.resolve(Path::new("-")), Path::new("-"));
    let here = SpecFile::parse(&column(""), Path::new("spec.toml")).unwrap();
    assert_eq!(here.resolve(Path::new("t.csv")), Path::new("t.csv"));
}

#[test]
fn files_may_have_a_byte_order_mark_and_windows_lines_but_must_be_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spec.toml");
    let windows = format!("\u{feff}{}", column("weight = 2").replace('\n', "\r\n"));
    std::fs::write(&path, &windows).unwrap();
    assert_eq!(SpecFile::read(&path).unwrap().spec.columns[0].weight, Some(2.0));

    std::fs::write(&path, windows.replace("weight", "waight")).unwrap();
    let error = SpecFile::read(&path).unwrap_err();
    assert!(!error.to_string().contains('\r'), "{error}");
    assert_eq!(error.place.and_then(|place| place.line), Some(5));

    std::fs::write(&path, b"[data]\ninput = \"\xff.csv\"\n").unwrap();
    let error = SpecFile::read(&path).unwrap_err();
    assert_eq!(error.message, "the file is not UTF-8 text");
    assert_eq!(error.place.map(|place| (place.line, place.column)), Some((Some(2), Some(10))));

    let error = SpecFile::read(&folder.path().join("none.toml")).unwrap_err();
    assert!(error.message.starts_with("cannot read "), "{error}");
}

#[test]
fn a_hierarchy_may_have_a_file_of_its_own() {
    let path = Path::new("h.toml");
    let tree = parse_hierarchy("[tree.Any]\nZ = [\"z\"]\nA = [\"a2\", \"a1\"]\n", path).unwrap();
    let values = |name: &str, values: &[&str]| TreeGroup {
        name: name.to_owned(),
        members: GroupMembers::Values(values.iter().map(|&value| value.to_owned()).collect()),
    };
    // In the order of the text, which gives the column its order.
    let groups = GroupMembers::Groups(vec![values("Z", &["z"]), values("A", &["a2", "a1"])]);
    let any = TreeGroup { name: "Any".to_owned(), members: groups };
    assert_eq!(tree, HierarchyRule::Tree { tree: vec![any] });
    let error = parse_hierarchy("intervals = [5]\nstrat = 0\n", path).unwrap_err();
    assert_eq!(error.message, "unknown key `strat` in a hierarchy");
    assert_eq!(error.help.as_deref(), Some("did you mean `start`?"));
}

#[test]
fn a_spec_made_in_memory_is_checked_like_one_that_was_read() {
    let mut spec = Spec::new("t.csv", vec![ColumnSection::new("age", Role::Quasi)], 0);
    let error = SpecFile::from_spec(spec.clone(), Path::new("<command line>")).unwrap_err();
    assert_eq!(error.message, "`k` must be at least 1, not 0");
    assert!(error.to_string().contains("<command line>:8:5"), "{error}");
    spec.privacy.k = 5;
    assert_eq!(SpecFile::from_spec(spec.clone(), Path::new("x")).unwrap().spec, spec);
    let file = SpecFile::from_options(spec.clone()).unwrap();
    assert!(file.is_of_options() && file.path().is_none());
    assert_eq!(file.resolve(Path::new("a/t.csv")), Path::new("a/t.csv"));
    let error = file.error_at(&["columns", "age"], "no such column");
    assert!(error.place.is_none() && error.snippet.is_none(), "{error}");
    spec.columns.push(ColumnSection::new("age", Role::Plain));
    let error = SpecFile::from_spec(spec, Path::new("x")).unwrap_err();
    assert_eq!(error.message, "`age` is given twice");
}
