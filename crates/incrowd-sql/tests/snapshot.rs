//! A table that others write to while it is anonymized: what is released is what was counted and checked.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;
use std::time::Duration;

use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event};
use incrowd_run::spec::{KeywordValue, SpecFile};
use incrowd_run::{Error, ErrorKind, Job, RunPlan, RunReport};
use incrowd_sql::postgres::Database;
use incrowd_testing::postgres::{self, server};

const ROWS: u64 = 400;

/// A database with people; nobody is told by the ward.
fn with_people(name: &str) -> Option<Arc<postgres::TestDatabase<'static>>> {
    let database = server()?.database(name);
    database.sql(&format!(
        "CREATE TABLE people AS SELECT i AS id, 20 + i % 40 AS age, 'ward ' || i % 4 AS ward
         FROM generate_series(1, {ROWS}) AS i"
    ));
    Some(Arc::new(database))
}

fn spec(address: &str, in_database: bool) -> SpecFile {
    let list = |name: &str| KeywordValue::List(vec![name.into()]);
    let given = [
        ("table", "people".into()),
        ("into", "release".into()),
        ("in_database", KeywordValue::Bool(in_database)),
        ("k", KeywordValue::Whole(5)),
        ("quasi", list("age")),
        ("identifying", list("id")),
        ("other", "plain".into()),
        ("unit", "row".into()),
        ("method", "mondrian".into()),
    ];
    let given: Vec<_> = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    SpecFile::from_keywords(None, Some(address), &given).unwrap()
}

/// Anonymizes the table into another; `meanwhile` happens as soon as a phase begins.
fn run(
    address: &str,
    in_database: bool,
    phase: RunPhase,
    meanwhile: impl Fn() + Send + Sync + 'static,
) -> Result<RunReport, Error> {
    let control = Control::new().with_listener(move |event| {
        if matches!(event, Event::Phase(begun) if *begun == phase) {
            meanwhile();
        }
    });
    let file = spec(address, in_database);
    let mut database = Database::open(&file, &control)?;
    let file = database.understood(&file);
    let source = database.source(&file)?;
    let job = Job::new(&file, &source)?;
    let mut backend = database.backend(&job, &source, &control)?;
    let staged = RunPlan::new(&job, &source).stage(&mut *backend, &control)?;
    staged.commit(&mut *backend, [])
}

#[test]
fn what_others_write_during_the_run_is_not_released() {
    for (name, in_database) in [("written_there", true), ("written_streamed", false)] {
        for phase in [RunPhase::Solve, RunPhase::Write] {
            let Some(database) = with_people(name) else { return };
            let other = Arc::clone(&database);
            // As many rows as before, of the same ages: but now the ward is a name.
            let changes = "UPDATE people SET ward = 'Ann Miller ' || id;
                           DELETE FROM people WHERE id <= 10;
                           INSERT INTO people SELECT 1000 + i, 20 + i % 40, 'Bob Smith ' || i FROM generate_series(1, 10) AS i";
            let report =
                run(&database.address(), in_database, phase, move || drop(other.sql(changes)))
                    .unwrap();
            assert!(report.verdict.unwrap().holds);
            let names = "SELECT count(*) FROM release WHERE ward !~ '^ward [0-3]$'";
            assert_eq!(database.sql(names), "0", "{name} {phase:?}");
            assert_eq!(database.sql("SELECT count(*) FROM release"), ROWS.to_string());
            // Nobody had to wait for the run.
            let changed = database.sql("SELECT count(*) FROM people WHERE ward ~ 'Miller|Smith'");
            assert_eq!(changed, ROWS.to_string(), "{name} {phase:?}");
        }
    }
}

#[test]
fn a_table_with_names_is_refused_and_one_without_is_released() {
    let Some(database) = with_people("named") else { return };
    for in_database in [true, false] {
        run(&database.address(), in_database, RunPhase::Solve, || ()).unwrap();
        assert_eq!(database.sql("SELECT count(*) FROM release"), ROWS.to_string());
        database.sql("DROP TABLE release");
    }
    database.sql("UPDATE people SET ward = 'Ann Miller ' || id");
    for in_database in [true, false] {
        let refused = run(&database.address(), in_database, RunPhase::Solve, || ()).unwrap_err();
        assert!(refused.message.contains("ward"), "{refused}");
        assert_eq!(database.tables(), ["public.people"]);
    }
}

/// A server that ends sessions which sit idle in a transaction does not end a search.
#[test]
fn a_search_may_take_longer_than_a_transaction_may_sit_idle() {
    let Some(database) = with_people("idle") else { return };
    let address =
        format!("{}?options=-c%20idle_in_transaction_session_timeout%3D100", database.address());
    let wait = || std::thread::sleep(Duration::from_millis(600));
    run(&address, true, RunPhase::Solve, wait).unwrap();
    assert_eq!(database.sql("SELECT count(*) FROM release"), ROWS.to_string());
}

#[test]
fn a_lost_connection_is_an_error_and_makes_nothing() {
    let Some(database) = with_people("lost") else { return };
    for phase in [RunPhase::Solve, RunPhase::Write] {
        let other = Arc::clone(&database);
        let end = move || {
            other.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = 'lost' AND application_name = 'incrowd'",
            );
        };
        let lost = run(&database.address(), true, phase, end).unwrap_err();
        let help = lost.help.clone().unwrap_or_default();
        assert!(help.contains("nothing was made"), "{lost} {help}");
        assert_eq!(lost.kind, ErrorKind::TryAgain, "{lost}");
        assert_eq!(database.tables(), ["public.people"], "{phase:?}");
    }
}

/// Streamed rows are here when the search begins: what ends an idle session does not end the run.
#[test]
fn a_connection_that_is_lost_during_the_search_is_opened_again() {
    let Some(database) = with_people("reopened") else { return };
    for phase in [RunPhase::Solve, RunPhase::Write] {
        let other = Arc::clone(&database);
        let end = move || {
            let ended = other.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = 'reopened' AND application_name = 'incrowd'",
            );
            assert_eq!(ended, "1");
        };
        run(&database.address(), false, phase, end).unwrap();
        assert_eq!(database.sql("SELECT count(*) FROM release"), ROWS.to_string(), "{phase:?}");
        database.sql("DROP TABLE release");
    }
}
