//! Saved recodings as SQL: what PostgreSQL makes of them is what `apply` makes of the same rows.

use incrowd_testing::postgres::server;

use super::{done, run, sorted, with_people};

#[test]
fn a_recoding_as_sql_makes_the_rows_that_apply_makes() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "as_sql", 1200);
    // New rows: other people, values that were never seen, other spellings.
    database.sql(
        "CREATE TABLE later AS SELECT age::text AS age, sex, zip, income, ill, born FROM people WHERE id % 3 > 0;
         INSERT INTO later SELECT '99', 'f', '53701', 1, 'flu', '1970-01-01' FROM generate_series(1, 9);
         INSERT INTO later SELECT ' 30 ', ' f', '53701', 1, 'flu', '1970-01-01' FROM generate_series(1, 9);
         INSERT INTO later SELECT '30.0', 'f', '53701', 1, 'cold', '1970-01-01' FROM generate_series(1, 9);
         INSERT INTO later SELECT 'NA', 'm', '53702', 1, 'cold', '1970-01-01' FROM generate_series(1, 9);
         INSERT INTO later SELECT '30', 'it''s', '53702', 1, 'cold', '1970-01-01' FROM generate_series(1, 9);",
    );
    let csv = database.sql("COPY (SELECT * FROM later) TO STDOUT (FORMAT csv, HEADER true)");
    folder.write("later.csv", csv.as_bytes());
    for (number, more) in [
        &["-m", "optimal", "--time-limit", "2s", "--metric", "dm"][..],
        &["-m", "datafly", "--hierarchy", "zip=prefix:4,3", "--bins", "age=5@15"],
        &["-m", "mondrian"],
        &["--kind", "local", "--effort", "quick"],
        &["--kind", "cells", "--effort", "quick"],
        &["--kind", "mixed", "--effort", "quick"],
        &["-m", "anneal", "--effort", "quick", "--option", "steps=2000"],
        &["-m", "optimal", "--time-limit", "2s", "--summary", "age=columns"],
        &["-m", "mondrian", "--summary", "age=columns"],
        &["-m", "mondrian", "--sensitive", "ill", "--l-diversity", "ill=3"],
        &["-m", "mondrian", "--sensitive", "ill", "--alpha", "ill=0.5"],
        &["-m", "optimal", "--time-limit", "2s", "--quasi", "born", "--max-suppressed", "20%"],
    ]
    .into_iter()
    .enumerate()
    {
        let more: Vec<&str> = more
            .iter()
            .copied()
            .filter(|word| *word != "--effort" || !more.contains(&"anneal"))
            .collect();
        let more: Vec<&str> = match more.contains(&"anneal") {
            true => more.into_iter().filter(|word| *word != "quick").collect(),
            false => more,
        };
        let plain = if more.contains(&"--sensitive") { "income" } else { "income,ill" };
        let left = if more.contains(&"born") { "id" } else { "id,born" };
        let mut words = vec![
            "anonymize",
            "people.csv",
            "-k",
            "4",
            "--quasi",
            "age,sex,zip",
            "--recoding",
            "r.json",
        ];
        words.extend(["--identifying", left, "--plain", plain, "--unit", "row", "--quiet"]);
        words.extend(&more);
        done(&folder, &words);
        done(
            &folder,
            &[
                "apply",
                "r.json",
                "later.csv",
                "--unseen",
                "suppress",
                "-o",
                "applied.csv",
                "--quiet",
            ],
        );
        let into = format!("release_{number}");
        let script = done(
            &folder,
            &["sql", "r.json", "--dialect", "postgres", "--table", "public.later", "--into", &into],
        );
        // The check at its end returns nothing.
        assert_eq!(database.sql(&script.stdout), "", "{more:?}");
        let applied = folder.read("applied.csv");
        let header = applied.lines().next().unwrap();
        assert_eq!(
            database.rows(&format!("SELECT {header} FROM {into}")),
            sorted(&applied),
            "{more:?}"
        );
        for what in ["view", "select"] {
            let name = format!("{what}_{number}");
            let script = done(
                &folder,
                &[
                    "sql",
                    "r.json",
                    "--dialect",
                    "postgres",
                    "--table",
                    "later",
                    "--into",
                    &name,
                    "--as",
                    what,
                ],
            );
            database.sql(&script.stdout);
        }
        assert_eq!(
            database.rows(&format!("SELECT {header} FROM view_{number}")),
            sorted(&applied),
            "{more:?}"
        );
        database.sql(&format!("CREATE TABLE empty_{number} AS SELECT * FROM {into} WHERE false"));
        let insert = [
            "sql",
            "r.json",
            "--dialect",
            "postgres",
            "--table",
            "later",
            "--as",
            "insert",
            "--into",
        ];
        let name = format!("empty_{number}");
        let mut words = insert.to_vec();
        words.push(&name);
        database.sql(&done(&folder, &words).stdout);
        assert_eq!(
            database.rows(&format!("SELECT {header} FROM {name}")),
            sorted(&applied),
            "{more:?}"
        );
    }
}

#[test]
fn what_sql_cannot_say_is_refused() {
    let folder = crate::common::Folder::new();
    let ask = |more: &[&str]| {
        let mut words =
            vec!["anonymize", "people.csv", "-k", "2", "--quasi", "age,sex", "--other", "drop"];
        words.extend(["--recoding", "r.json", "--quiet", "-m", "mondrian", "--unit", "row"]);
        words.extend(more);
        done(&folder, &words);
        run(&folder, &["sql", "r.json", "--dialect", "duckdb"])
    };
    for more in [
        &["--summary", "age=mean"][..],
        &["--round", "age=10"],
        &["--sensitive", "disease", "--t-closeness", "disease=0.9"],
    ] {
        let refused = ask(more);
        assert_eq!(refused.code, Some(2), "{more:?}");
        assert!(refused.stderr.contains("help:"), "{}", refused.stderr);
    }
    let script = ask(&[]);
    assert!(script.stdout.contains("ORDER BY gen_random_uuid()"), "{}", script.stdout);
    let wrong = run(&folder, &["sql", "r.json", "--dialect", "oracle"]);
    assert_eq!(wrong.code, Some(2));
    let wrong = run(&folder, &["sql", "people.csv", "--dialect", "spark"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
}
