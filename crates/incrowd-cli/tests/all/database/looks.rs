//! Tables that are looked at where they lie: what is counted in the database is what the rows say.

use incrowd_testing::postgres::server;

use super::{run, with_people};

/// Everything that a command says, but for examples: rows have no numbers where they were counted.
fn said(folder: &crate::common::Folder, words: &[&str]) -> (Option<i32>, serde_json::Value) {
    let ended = run(folder, words);
    let mut value: serde_json::Value = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|e| panic!("{words:?}: {e}\n{}\n{}", ended.stdout, ended.stderr));
    for violation in value["violations"].as_array_mut().into_iter().flatten() {
        violation["examples"] = serde_json::Value::Null;
    }
    (ended.code, value)
}

#[test]
fn what_is_counted_in_the_database_is_what_the_rows_say() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "counted", 900);
    // Values that a database takes for equal and that people see as different, quotes, line breaks, gaps.
    database.sql(
        "CREATE TABLE odd (age numeric, \"zip code\" text, flag boolean, note text, who int, secret text);
         INSERT INTO odd SELECT CASE i % 3 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 ELSE NULL END,
           CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN E'a\"b\\nc' WHEN 2 THEN NULL ELSE 'x, y' END,
           i % 2 = 0, 'n' || i, i / 3, CASE i % 5 WHEN 0 THEN 'rare' ELSE 'usual' END
         FROM generate_series(1, 480) AS i;
         CREATE TABLE nobody (age int, sex text);",
    );
    let address = database.address();
    let asked: &[&[&str]] = &[
        &["risk", "--table", "people", "--quasi", "age,sex,zip"],
        &["risk", "--table", "people", "--quasi", "age,sex", "--where", "age > 40"],
        &["risk", "--table", "people", "--quasi", "age,zip", "--weight-column", "income"],
        &["risk", "--table", "odd", "--quasi", "age,zip code,flag", "--unit", "who"],
        &["risk", "--table", "odd", "--quasi", "age", "--round", "age=5"],
        &[
            "verify",
            "--table",
            "people",
            "--quasi",
            "age,sex,zip",
            "-k",
            "4",
            "--unchecked",
            "id,born,income,ill",
        ],
        &[
            "verify",
            "--table",
            "odd",
            "--quasi",
            "flag",
            "-k",
            "100",
            "--sensitive",
            "secret",
            "--l-diversity",
            "secret=2",
            "--unchecked",
            "note",
        ],
        &[
            "verify",
            "--table",
            "odd",
            "--quasi",
            "zip code,flag",
            "-k",
            "3",
            "--unit",
            "who",
            "--unchecked",
            "note",
        ],
        &[
            "verify",
            "--table",
            "odd",
            "--quasi",
            "flag",
            "-k",
            "4",
            "--identifying",
            "who",
            "--unchecked",
            "note",
        ],
        &[
            "verify",
            "--table",
            "odd",
            "--quasi",
            "flag",
            "-k",
            "4",
            "--narrowing",
            "secret",
            "--unchecked",
            "note",
        ],
        &[
            "verify",
            "--table",
            "odd",
            "--quasi",
            "flag",
            "-k",
            "4",
            "--unit",
            "who",
            "--t-closeness",
            "secret=0.2",
        ],
        &["inspect", "--table", "people", "--where", "id < 60"],
    ];
    for words in asked {
        let mut words: Vec<&str> = words.to_vec();
        words.insert(1, &address);
        words.push("--json");
        let rows = said(&folder, &words);
        words.push("--in-database");
        assert_eq!(said(&folder, &words), rows, "{words:?}");
    }
}

#[test]
fn columns_that_tell_rows_apart_stay_in_the_database() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "stay", 900);
    let address = database.address();
    let ended = run(&folder, &["inspect", &address, "--table", "people", "--in-database"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("column `id` has 900 different values in 900 rows"),
        "{}",
        ended.stderr
    );
    assert!(ended.stdout.contains("zip") && !ended.stdout.contains("id "), "{}", ended.stdout);
    let verify =
        ["verify", &address, "--table", "people", "--quasi", "sex", "-k", "2", "--in-database"];
    let ended = run(&folder, &verify);
    assert!(
        ended.stdout.contains("column `id` has another value in every row"),
        "{}",
        ended.stdout
    );
    // In a table of few rows, too.
    let ended = run(&folder, &[&verify[..], &["--where", "id < 20"]].concat());
    assert!(
        ended.stdout.contains("column `id` has another value in every row"),
        "{}",
        ended.stdout
    );
    // What needs the rows says so, and a wrong name gets its suggestion.
    for more in [["--original", "people.csv"], ["--record", "people.csv"]] {
        let mut words = verify.to_vec();
        words.extend(more);
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("leave out --in-database"), "{}", refused.stderr);
    }
    let refused =
        run(&folder, &["risk", &address, "--table", "people", "--quasi", "agee", "--in-database"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("age"), "{}", refused.stderr);
    let refused = run(&folder, &["risk", "people.csv", "--quasi", "age", "--in-database"]);
    assert_eq!(refused.code, Some(2));
    database.sql("CREATE TABLE nobody (age int, sex text)");
    let refused =
        run(&folder, &["risk", &address, "--table", "nobody", "--quasi", "age", "--in-database"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no rows"), "{}", refused.stderr);
}
