//! The questions of the parity test through the command line: by options and by spec files, from CSV, Parquet and Excel, and
//! from tables of PostgreSQL, streamed and in place. All answers must be equal.

#[path = "../../../incrowd-run/tests/parity/asked.rs"]
mod asked;

use std::path::Path;

use incrowd_run::data::{OutputFile, OutputFormat, TableLayout, TableWriter};
use serde_json::Value;

use crate::common::{Ended, Folder};
use asked::{Nature, Question};

type Rows = (Vec<String>, Vec<Vec<String>>);

/// Asks some questions in a folder with all tables; fails with all differences at once.
fn compare(
    nature: Nature,
    wanted: impl Fn(usize, &Question) -> bool,
    ask: impl Fn(&Folder, &Question) -> (Value, String),
) {
    let folder = Folder::new();
    asked::put_tables(&folder.path("."));
    let (questions, expected) = (asked::questions(), asked::expected());
    assert_eq!(questions.len(), expected.len(), "expect.py answers all questions");
    let mut differing: Vec<String> = Vec::new();
    for (_, question) in questions.iter().enumerate().filter(|(at, it)| wanted(*at, it)) {
        let (found, said) = ask(&folder, question);
        let expected = &expected[&question.name];
        differing.extend(asked::differences(question, expected, &found, &said, nature));
    }
    let count = differing.len();
    assert!(differing.is_empty(), "{count} answers differ:\n{}", differing.join("\n"));
}

/// The answer that a run gives: what it prints, and what `read` reads of its release.
fn told(
    question: &Question,
    ended: &Ended,
    read: impl FnOnce() -> Option<Rows>,
) -> (Value, String) {
    let nothing = Value::Null;
    if ended.stdout.trim().is_empty() {
        // A command line that cannot be understood has no answer in JSON.
        let is_error = ended.code == Some(2) && ended.stderr.contains("error:");
        assert!(is_error, "{}: {ended:?}", question.name);
        return (asked::refusal(&nothing), ended.stderr.clone());
    }
    let facts = ended.json();
    let released = read();
    if let Some(error) = facts.get("error") {
        assert!(released.is_none(), "{} is refused, and yet there is a release", question.name);
        return (asked::refusal(error), error["message"].to_string());
    }
    let said = facts["in_words"].to_string();
    let infeasible = facts["outcome"] == "infeasible";
    assert_eq!(released.is_none(), infeasible, "{}: {said}", question.name);
    (asked::answer(question, &facts, released.as_ref()), said)
}

/// The rows of a file, which is removed.
fn rows_of(path: &Path) -> Option<Rows> {
    let text = std::fs::read_to_string(path).ok()?;
    std::fs::remove_file(path).unwrap();
    Some(asked::csv_rows(&text))
}

/// Asks by options.
fn by_options(folder: &Folder, question: &Question, input: &str) -> (Value, String) {
    let mut words = vec!["anonymize".to_owned(), input.to_owned()];
    words.extend(asked::words(question, &folder.path(".")));
    words.extend(["-o", "release.csv", "--json", "--quiet"].map(str::to_owned));
    let ended = Ended::from(folder.command(&words).output().unwrap());
    told(question, &ended, || rows_of(&folder.path("release.csv")))
}

/// Asks by a spec file that says these lines about places.
fn by_spec(
    folder: &Folder,
    question: &Question,
    places: &[(&str, String)],
    read: impl FnOnce() -> Option<Rows>,
) -> (Value, String) {
    folder.write("question.toml", asked::spec(question, places).as_bytes());
    let ended = folder.run("run question.toml --no-report --json --quiet");
    told(question, &ended, read)
}

/// Writes a table anew in another format, every value as text.
fn convert(folder: &Folder, name: &str, end: &str) -> String {
    let converted = format!("{name}.{end}");
    let path = folder.path(&converted);
    if !path.exists() {
        let (header, rows) = asked::table(name);
        let layout = TableLayout::text(header);
        let encoder = layout.encoder().unwrap();
        let format = OutputFormat::from_path(&path).unwrap();
        let output = OutputFile::create(&path).unwrap();
        let mut writer = TableWriter::new(output, format, &layout).unwrap();
        for row in rows {
            let mut line = Vec::new();
            encoder.row(&row, &mut line);
            writer.row(&line).unwrap();
        }
        OutputFile::commit_all(vec![writer.finish().unwrap()]).unwrap();
    }
    converted
}

#[test]
fn options_are_answered_as_expected() {
    compare(
        Nature::default(),
        |_, _| true,
        |folder, question| by_options(folder, question, &format!("{}.csv", question.table)),
    );
}

#[test]
fn spec_files_are_answered_as_options_are() {
    compare(
        Nature::default(),
        |_, _| true,
        |folder, question| {
            let places = [
                ("data", format!("input = \"{}.csv\"", question.table)),
                ("release", "output = \"release.csv\"".to_owned()),
            ];
            by_spec(folder, question, &places, || rows_of(&folder.path("release.csv")))
        },
    );
}

#[test]
fn parquet_is_answered_as_text_is() {
    compare(
        Nature::default(),
        |at, _| at % 3 == 0,
        |folder, question| {
            by_options(folder, question, &convert(folder, &question.table, "parquet"))
        },
    );
}

/// Tables with fractions: a workbook stores numbers and not how they are written, so that 39.0 comes back as 39.
const WITH_FRACTIONS: [&str; 3] = ["survey", "stays", "accounts"];

#[test]
fn workbooks_are_answered_as_text_is() {
    compare(
        Nature::default(),
        |at, question| at % 3 == 1 && !WITH_FRACTIONS.contains(&question.table.as_str()),
        |folder, question| by_options(folder, question, &convert(folder, &question.table, "xlsx")),
    );
}

/// What a database lacks where rows do not leave it.
#[cfg(feature = "postgres")]
const LACKING: &[&str] =
    &["treat", "as-read", "rename", "linked", "follows", "write-failing", "keep-order"];

#[cfg(feature = "postgres")]
mod database {
    use incrowd_testing::postgres::{TestDatabase, server};

    use super::{LACKING, Nature, Rows, asked, by_spec, compare};

    /// A database with all tables, every column as text.
    fn with_tables<'a>(
        server: &'a incrowd_testing::postgres::PostgresServer,
        name: &str,
    ) -> (TestDatabase<'a>, String) {
        let database = server.database(name);
        for table in asked::tables(&asked::questions()) {
            let (header, rows) = asked::table(&table);
            let columns: Vec<String> = header.iter().map(|it| format!("\"{it}\" text")).collect();
            database.sql(&format!("CREATE TABLE {table} ({})", columns.join(", ")));
            database.load(&table, &asked::csv_text(&header, &rows));
        }
        let address = database.address();
        (database, address)
    }

    /// The rows of a table, which is dropped.
    fn rows_of(database: &TestDatabase<'_>, table: &str) -> Option<Rows> {
        let header = database.sql(&format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('{table}') AND attnum > 0 ORDER BY attnum"
        ));
        let header: Vec<String> = header.lines().map(str::to_owned).collect();
        if header.is_empty() {
            return None;
        }
        // Blanks at the end of the last row would be lost: a field of ours stands behind them.
        let lines = database.rows(&format!("SELECT *, 'end' FROM {table}"));
        database.sql(&format!("DROP TABLE {table}"));
        // A line that is no row of the table, so that no row is taken for the header.
        let text: String =
            std::iter::once(",".to_owned()).chain(lines).map(|line| line + "\n").collect();
        let mut rows = asked::csv_rows(&text).1;
        rows.iter_mut().for_each(|row| drop(row.pop()));
        Some((header, rows))
    }

    fn compare_tables(name: &str, in_database: bool) {
        let Some(server) = server() else { return };
        let (database, address) = with_tables(server, name);
        let nature = Nature {
            lacks: if in_database { LACKING } else { &[] },
            unordered: in_database,
            no_text: true,
            no_checks: false,
        };
        compare(
            nature,
            |_, _| true,
            |folder, question| {
                let places = [
                    ("data", format!("input = {address:?}")),
                    ("data", format!("table = \"{}\"", question.table)),
                    ("data", format!("in-database = {in_database}")),
                    ("release", "into = \"released\"".to_owned()),
                ];
                by_spec(folder, question, &places, || rows_of(&database, "released"))
            },
        );
    }

    #[test]
    fn streamed_tables_are_answered_as_files_are() {
        compare_tables("parity_streamed", false);
    }

    #[test]
    fn tables_in_place_are_answered_as_files_are() {
        compare_tables("parity_in_place", true);
    }
}
