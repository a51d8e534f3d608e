//! Values on their way from a table to a file or another table: types, NULL and empty texts survive.

use std::collections::BTreeMap;

use incrowd_engine::Control;
use incrowd_run::data::{Input, NULL, ReadOptions, Source, read_table};
use incrowd_testing::postgres::{TestDatabase, server};

use super::done;
use crate::common::Folder;

/// The columns that stay as they are, in the order of the table.
const PLAIN: &str = "small,whole,big,ok,day,at,moment,price,exact,odd,share,id,note,mood,late";

fn with_values<'a>(database: &TestDatabase<'a>) {
    database.sql(
        r"CREATE TYPE mood AS ENUM ('sad', 'fine');
          CREATE TABLE t AS SELECT 20 + i % 3 AS age, CASE i % 3 WHEN 0 THEN NULL ELSE 'Ulm' END AS town,
            (i % 2)::smallint AS small, CASE WHEN i % 4 = 0 THEN NULL ELSE i % 5 END AS whole, 5000000000 + i % 2 AS big,
            CASE i % 3 WHEN 0 THEN NULL ELSE i % 3 = 1 END AS ok,
            CASE i % 4 WHEN 0 THEN NULL ELSE date '2020-02-01' + i % 2 END AS day,
            timestamp '2020-02-01 10:00:00.25' + i % 2 * interval '1 day' AS at,
            timestamptz '2020-02-01 10:00:00+02' + i % 2 * interval '1 day' AS moment,
            (1.5 + i % 2)::numeric(7,2) AS price, 1.125 + i % 2 AS exact,
            CASE i % 2 WHEN 0 THEN 'NaN'::numeric ELSE 2.5 END AS odd, (0.5 + i % 2)::double precision AS share,
            '00000000-0000-0000-0000-000000000000'::uuid AS id,
            CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN '\N' ELSE '\\N' END AS note,
            CASE WHEN i % 5 = 0 THEN NULL ELSE 'fine'::mood END AS mood,
            CASE i % 2 WHEN 0 THEN 'infinity'::date ELSE '2020-02-01' END AS late
          FROM generate_series(1, 120) AS i",
    );
}

fn words<'a>(address: &'a str, to: &'a [&'a str]) -> Vec<&'a str> {
    let mut words = vec!["anonymize", address, "--table", "t", "-k", "5", "--quasi", "age,town"];
    words.extend(["--plain", PLAIN, "--unit", "row", "-m", "mondrian", "--quiet"]);
    words.extend(to);
    words
}

/// What COPY writes of the same rows: nothing for NULL, quotes around nothing for the empty text.
fn expected(database: &TestDatabase<'_>, table: &str) -> Vec<String> {
    database.rows(&format!("SELECT {PLAIN} FROM {table}"))
}

#[test]
fn null_and_texts_survive_in_csv_and_in_tables() {
    let Some(server) = server() else { return };
    let database = server.database("nulls");
    let folder = Folder::new();
    with_values(&database);
    database.sql("SET timezone = 'UTC'; ALTER DATABASE nulls SET timezone = 'UTC'");
    let address = database.address();
    done(&folder, &words(&address, &["-o", "out.csv"]));
    let text = folder.read("out.csv");
    assert!(text.starts_with(&format!("age,town,{PLAIN}\n")), "{text}");
    let mut rows: Vec<&str> =
        text.lines().skip(1).map(|line| line.splitn(3, ',').nth(2).unwrap()).collect();
    rows.sort_unstable();
    assert_eq!(rows, expected(&database, "t"));
    assert!(text.lines().any(|line| line.starts_with("20,,") || line.contains(",,")), "{text}");
    for (into, way) in [("streamed", &[][..]), ("there", &["--in-database"])] {
        let to = [&["--into", into], way].concat();
        done(&folder, &words(&address, &to));
        assert_eq!(expected(&database, into), expected(&database, "t"), "{into}");
        let null = format!("SELECT count(*) FROM {into} WHERE note IS NULL OR town IS NULL");
        assert_eq!(database.sql(&null), "60", "{into}");
        let literal = format!(r"SELECT count(*) FROM {into} WHERE note = '\N'");
        assert_eq!(database.sql(&literal), "30", "{into}");
    }
}

/// The columns of a Parquet file: their types and values, NULL told apart.
fn read_parquet(folder: &Folder, name: &str) -> BTreeMap<String, (String, Vec<String>)> {
    let input = Input::from(folder.path(name));
    let source = Source::open(&input, &ReadOptions::default()).unwrap().with_null("");
    let types: Vec<String> =
        source.schema().unwrap().fields().iter().map(|it| it.data_type().to_string()).collect();
    let table = read_table(&source, None, &Control::new()).unwrap();
    let columns = table.columns().iter().zip(types).zip(source.columns());
    let values =
        |at: usize, rows| (0..rows).map(|row| table.columns()[at].value(row).to_owned()).collect();
    columns
        .enumerate()
        .map(|(at, ((_, kind), name))| (name.clone(), (kind, values(at, table.rows()))))
        .collect()
}

fn count(values: &[String], field: &str) -> usize {
    values.iter().filter(|it| *it == field).count()
}

#[test]
fn types_null_and_texts_survive_in_parquet() {
    let Some(server) = server() else { return };
    let database = server.database("typed");
    let folder = Folder::new();
    with_values(&database);
    let address = database.address();
    done(&folder, &words(&address, &["-o", "out.parquet"]));
    let columns = read_parquet(&folder, "out.parquet");
    for (name, kind, nulls) in [
        ("age", "Utf8", 0),
        ("town", "Utf8", 40),
        ("small", "Int16", 0),
        ("whole", "Int32", 30),
        ("big", "Int64", 0),
        ("ok", "Boolean", 40),
        ("day", "Date32", 30),
        ("at", "Timestamp(µs)", 0),
        ("moment", "Timestamp(µs, \"UTC\")", 0),
        ("price", "Decimal128(7, 2)", 0),
        ("exact", "Decimal128(38, 3)", 0),
        // No other type holds what is no number, or a day without end.
        ("odd", "Utf8", 0),
        ("late", "Utf8", 0),
        ("share", "Float64", 0),
        ("id", "Utf8", 0),
        ("note", "Utf8", 30),
        ("mood", "Utf8", 24),
    ] {
        let (found, values) = &columns[name];
        assert_eq!((found.as_str(), count(values, NULL)), (kind, nulls), "{name}");
    }
    let notes = &columns["note"].1;
    // A text that looks like NULL has one more backslash where it stands beside it.
    for field in ["", r"\\N", r"\\\N"] {
        assert_eq!(count(notes, field), 30, "{field:?}");
    }
    for (name, value) in [
        ("ok", "true"),
        ("at", "2020-02-01T10:00:00.25"),
        ("moment", "2020-02-01T08:00:00Z"),
        ("price", "1.50"),
        ("odd", "NaN"),
        ("late", "infinity"),
    ] {
        let values = &columns[name].1;
        assert!(count(values, value) > 0, "{name}: {:?}", values.first());
    }
}

/// A table of one column has no blank lines to lose.
#[test]
fn rows_of_one_column_are_all_there() {
    let Some(server) = server() else { return };
    let database = server.database("lone");
    let folder = Folder::new();
    with_values(&database);
    database.sql("CREATE TABLE one AS SELECT note FROM t");
    let address = database.address();
    let lone = |to: &[&str]| {
        let mut words = vec!["anonymize", &address, "--table", "one", "-k", "5", "--quasi", "note"];
        words.extend(["--unit", "row", "-m", "mondrian", "--quiet", "--missing-only", "none"]);
        words.extend(to);
        done(&folder, &words);
    };
    lone(&["-o", "one.parquet"]);
    let notes = &read_parquet(&folder, "one.parquet")["note"].1;
    assert_eq!((notes.len(), count(notes, NULL), count(notes, "")), (120, 30, 30));
    for (into, way) in [("streamed", &[][..]), ("there", &["--in-database"])] {
        lone(&[&["--into", into], way].concat());
        let query = |table: &str| format!("SELECT note, note IS NULL FROM {table}");
        assert_eq!(database.rows(&query(into)), database.rows(&query("one")), "{into}");
    }
}

/// What a class may hold is checked by values; a truth value is spelled in another way in Parquet.
#[test]
fn models_of_typed_columns_hold_in_every_format() {
    let Some(server) = server() else { return };
    let database = server.database("models");
    let folder = Folder::new();
    database.sql(
        "CREATE TABLE t AS SELECT 20 + i % 7 AS age, i % 3 = 0 AS ill, timestamp '2020-02-01' + i % 2 * interval '1 h' AS at
         FROM generate_series(1, 210) AS i",
    );
    let address = database.address();
    for output in ["out.csv", "out.parquet", "out.xlsx"] {
        for sensitive in ["ill", "at"] {
            let other = if sensitive == "ill" { "at" } else { "ill" };
            let close = format!("{sensitive}=0.2");
            let mut words =
                vec!["anonymize", &address, "--table", "t", "-k", "5", "--quasi", "age"];
            words.extend(["--sensitive", sensitive, "--t-closeness", &close, "--plain", other]);
            words.extend(["--unit", "row", "-m", "mondrian", "--quiet", "-o", output]);
            let _ = std::fs::remove_file(folder.path(output));
            let ended = done(&folder, &words);
            assert!(ended.stdout.contains("verified"), "{}", ended.stdout);
        }
    }
}
