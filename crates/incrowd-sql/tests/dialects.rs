//! Scripts of all dialects, read by a parser that knows them.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use incrowd_engine::recoding::SavedRecoding;
use incrowd_engine::{Algorithm, Control, Method, Model, Problem, ProblemSpec, Table};
use incrowd_sql::{Dialect, Script, StatementKind};
use sqlparser::dialect as parsers;
use sqlparser::parser::Parser;

/// A recoding by a method of a table with odd names and values, saved.
fn saved(method: &str, rows: usize) -> SavedRecoding {
    let rows: Vec<[String; 4]> = (0..rows)
        .map(|at| {
            let town = ["Ulm", "it's", "a \"b\"", "x\\y", ""][at * 7 % 5];
            [
                (20 + at * 13 % 50).to_string(),
                town.to_owned(),
                format!("{}.5", at * 3 % 400),
                ["flu", "cold"][at % 2].to_owned(),
            ]
        })
        .collect();
    let names = ["age", "to\"wn; drop table x", "wei`ght]", "ill"];
    let table = Table::from_rows(&names, &rows).unwrap();
    let spec = ProblemSpec::new(3).quasi(names[0]).quasi(names[1]).quasi(names[2]);
    let problem = Problem::of_table(&spec, &table).unwrap();
    let method = Method::new(method, &[]).unwrap();
    let solution = method.solve(&problem, &Control::new()).unwrap();
    SavedRecoding {
        version: SavedRecoding::VERSION,
        k: 3,
        unit: None,
        wildcards: false,
        models: vec![
            ("ill".to_owned(), Model::DistinctL { l: 2 }),
            ("ill".to_owned(), Model::Alpha { alpha: 0.8 }),
        ],
        count_missing: false,
        narrowing: Vec::new(),
        sensitive: vec![incrowd_engine::recoding::SavedTarget {
            name: "ill".to_owned(),
            order: None,
            hierarchy: None,
            decimal: None,
        }],
        identifying: Vec::new(),
        plain: vec!["ill".to_owned()],
        missing: vec![String::new(), "NA".to_owned()],
        treatments: Vec::new(),
        attributes: problem.attributes.clone(),
        recoding: solution.recoding().unwrap().clone(),
    }
}

#[test]
fn every_script_can_be_parsed() {
    for method in ["datafly", "mondrian", "best-local", "cells", "recode-and-blank"] {
        // Of few values a CASE is made, of many a table.
        for rows in [60, 400] {
            if rows > 100 && ["best-local", "cells", "recode-and-blank"].contains(&method) {
                continue;
            }
            let saved = saved(method, rows);
            for dialect in Dialect::ALL {
                for what in [
                    StatementKind::Table,
                    StatementKind::View,
                    StatementKind::Insert,
                    StatementKind::Select,
                ] {
                    let mut script = Script::new(dialect, "data.\"Peo\"\"ple\"", "out.release");
                    script.what = what;
                    let text = script.write(&saved).unwrap();
                    let parser: Box<dyn parsers::Dialect> = match dialect {
                        Dialect::DuckDb => Box::new(parsers::DuckDbDialect {}),
                        Dialect::Spark => Box::new(parsers::SparkSqlDialect {}),
                        Dialect::BigQuery => Box::new(parsers::BigQueryDialect {}),
                        Dialect::Snowflake => Box::new(parsers::SnowflakeDialect {}),
                        Dialect::SqlServer => Box::new(parsers::MsSqlDialect {}),
                        Dialect::MySql => Box::new(parsers::MySqlDialect {}),
                        Dialect::Sqlite => Box::new(parsers::SQLiteDialect {}),
                        _ => Box::new(parsers::PostgreSqlDialect {}),
                    };
                    // This parser does not know the backslashes in Spark's texts.
                    let readable = match dialect {
                        Dialect::Spark => text.replace("\\'", "''"),
                        // Nor those in BigQuery's names.
                        Dialect::BigQuery => text.replace("\\`", ""),
                        // Nor texts by their bytes, nor casts to a character set.
                        Dialect::MySql => {
                            text.replace("_utf8mb4 0x", "0x").replace(" CHARACTER SET utf8mb4", "")
                        }
                        _ => text.clone(),
                    };
                    let parsed = Parser::parse_sql(&*parser, &readable).unwrap_or_else(|error| {
                        panic!("{} {what:?} {method}: {error}\n{text}", dialect.name())
                    });
                    let statements = if what == StatementKind::Select { 1 } else { 2 };
                    assert_eq!(parsed.len(), statements, "{text}");
                    if what != StatementKind::View {
                        assert!(text.contains(dialect.random_key()), "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn models_that_cannot_be_counted_are_refused() {
    let mut saved = saved("mondrian", 60);
    saved.models = vec![("ill".to_owned(), Model::EntropyL { l: 2.0 })];
    let error = Script::new(Dialect::DuckDb, "a", "b").write(&saved).unwrap_err();
    assert!(error.message.contains("`ill`") && error.help.is_some());
    saved.models.clear();
    saved.unit = Some("person".to_owned());
    let text = Script::new(Dialect::DuckDb, "a", "b").write(&saved).unwrap();
    assert!(text.contains("incrowd_units >= 3"), "{text}");
    saved.wildcards = true;
    assert!(Script::new(Dialect::DuckDb, "a", "b").write(&saved).is_err());
}

/// Where a statement may hold little, values and boxes go into tables first; nothing else is changed by that.
#[test]
fn what_is_too_long_goes_into_tables() {
    for method in ["datafly", "mondrian"] {
        let saved = saved(method, 900);
        for dialect in Dialect::ALL {
            let mut script = Script::new(dialect, "people", "data.\"The release\"");
            let whole = script.write(&saved).unwrap();
            script.limits.bytes = 6_000;
            let split = script.write(&saved).unwrap();
            let statements = |text: &str| -> Vec<String> {
                text.split(";\n")
                    .map(|it| it.trim().to_owned())
                    .filter(|it| !it.is_empty())
                    .collect()
            };
            assert!(statements(&whole).iter().any(|it| it.len() > 6_000), "{}", dialect.name());
            let parts = statements(&split);
            assert!(parts.iter().all(|it| it.len() < 12_000), "{}", dialect.name());
            let kinds = ["_values_", "_points_", "_ranges_", "_times_"];
            let is_made = |line: &&str| {
                line.starts_with("CREATE") && kinds.iter().any(|kind| line.contains(kind))
            };
            let made = split.lines().filter(is_made).count();
            let dropped = parts.iter().filter(|it| it.starts_with("DROP TABLE")).count();
            assert!(made > 0 && dropped >= made, "{}: {made} {dropped}\n{split}", dialect.name());
            script.what = StatementKind::View;
            let view = script.write(&saved).unwrap();
            assert!(!view.contains("DROP TABLE") && !view.contains("TEMPORARY"), "{view}");
            assert!(view.contains("nobody else may read them"));
            // A single value that no statement can hold is an error, not a broken script.
            script.limits.bytes = 60;
            assert!(script.write(&saved).is_err());
        }
    }
}
