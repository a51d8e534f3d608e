//! What goes wrong: there is no released table then, or a whole one, and nothing is left behind.

use std::process::Stdio;
use std::time::Duration;

use incrowd_testing::postgres::server;

use super::{done, run, with_people};
use crate::common::{Ended, SmallDisk};

const ASKED: [&str; 11] = [
    "-k",
    "4",
    "--quasi",
    "age,sex,zip",
    "--other",
    "drop",
    "--unit",
    "row",
    "-m",
    "mondrian",
    "--quiet",
];

fn asked<'a>(address: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["anonymize", address, "--table", "people", "--into", "release"];
    words.extend(ASKED);
    words.extend(more);
    words
}

#[test]
fn a_role_needs_little_and_is_told_what_it_lacks() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "roles", 300);
    database.sql(
        "REVOKE ALL ON SCHEMA public FROM PUBLIC; CREATE SCHEMA out;
         CREATE ROLE least LOGIN; GRANT USAGE ON SCHEMA public, out TO least;",
    );
    let address = database.address_of("least");
    let mut words = asked(&address, &[]);
    words[5] = "out.release";
    let refused = run(&folder, &words);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("the role `least` may not read `people`"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("GRANT SELECT ON people TO"), "{}", refused.stderr);
    database.sql("GRANT SELECT ON people TO least");
    let refused = run(&folder, &words);
    assert!(
        refused.stderr.contains("may not create tables in the schema `out`"),
        "{}",
        refused.stderr
    );
    database.sql("GRANT CREATE ON SCHEMA out TO least");
    for (into, way) in [("out.one", ""), ("out.two", "--in-database")] {
        words[5] = into;
        let mut words = words.clone();
        words.extend(Some(way).filter(|way| !way.is_empty()));
        done(&folder, &words);
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into}")), "300");
        // A second time there is something in the way, and it stays.
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("already"), "{}", refused.stderr);
    }
    // Some columns are enough, where they are those that are asked for.
    database
        .sql("REVOKE SELECT ON people FROM least; GRANT SELECT (age, sex, zip) ON people TO least");
    words[5] = "out.three";
    done(&folder, &words);
    // Rows that a policy would hide are an error, not a smaller table.
    database.sql(
        "GRANT SELECT ON people TO least; ALTER TABLE people ENABLE ROW LEVEL SECURITY;
         CREATE POLICY elders ON people USING (age > 30);",
    );
    for way in ["", "--in-database"] {
        words[5] = "out.four";
        let mut words = words.clone();
        words.extend(Some(way).filter(|way| !way.is_empty()));
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("row-level security"), "{}", refused.stderr);
    }
    assert_eq!(database.tables(), ["out.one", "out.three", "out.two", "public.people"]);
}

#[test]
fn passwords_are_never_arguments() {
    let folder = crate::common::Folder::new();
    let words = ["inspect", "postgres://ann:s3cret@localhost/db", "--table", "people"];
    let refused = run(&folder, &words);
    assert_eq!(refused.code, Some(2));
    assert!(!format!("{refused:?}").contains("s3cret"));
    assert!(refused.stderr.contains("PGPASSFILE"), "{}", refused.stderr);
    // A server that is not there may be there later.
    let nobody =
        ["inspect", "postgres://somebody@127.0.0.1:1/nothing", "--table", "people", "--json"];
    let refused = run(&folder, &nobody);
    assert_eq!(refused.code, Some(75), "{refused:?}");
    assert!(refused.stdout.contains("\"try-again\""), "{refused:?}");
    let refused = run(&folder, &["inspect", "people.csv", "--table", "people"]);
    assert!(refused.stderr.contains("--table is for databases"), "{}", refused.stderr);
    let refused = run(&folder, &["inspect", "postgres://localhost/db"]);
    assert!(refused.stderr.contains("--table people"), "{}", refused.stderr);
    let refused =
        run(&folder, &["inspect", "postgres://localhost:1/db?connect_timeout=2", "--table", "x"]);
    assert!(refused.stderr.contains("cannot connect"), "{}", refused.stderr);
}

#[test]
fn faults_leave_no_table_behind() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "faults", 3000);
    let address = database.address();
    for way in [&[][..], &["--in-database"]] {
        // A statement takes too long.
        let slow = format!("{address}?options=-c%20statement_timeout%3D1");
        let ended = run(&folder, &asked(&slow, way));
        assert_eq!(ended.code, Some(2), "{}", ended.stdout);
        // Somebody makes the table first: one of the two waits and is told.
        database.sql("CREATE TABLE release ()");
        let ended = run(&folder, &asked(&address, way));
        assert_eq!(ended.code, Some(2));
        database.sql("DROP TABLE release");
        // No room: the table may not grow.
        let small = format!("{address}?options=-c%20temp_file_limit%3D1kB%20-c%20work_mem%3D64kB");
        let ended = run(&folder, &asked(&small, way));
        assert!([Some(0), Some(2)].contains(&ended.code), "{}", ended.stderr);
        database.sql("DROP TABLE IF EXISTS release");
        assert_eq!(database.tables(), ["public.people"]);
    }
}

/// What the server answers when it has no room, two transactions wait for each other, or one must be tried again.
#[test]
fn what_the_server_gives_up_leaves_no_table_behind() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "givesup", 3000);
    let address = database.address();
    for (code, help) in [
        ("53100", "no disk space left"),
        ("40001", "run the command again"),
        ("40P01", "run the command again"),
    ] {
        // Whichever statement it is that fails: making a table, filling it, or the last ones about who may read it.
        for tag in ["CREATE TABLE", "CREATE TABLE AS", "REVOKE", "GRANT"] {
            database.sql(&format!(
                "CREATE FUNCTION give_up() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
                 RAISE EXCEPTION 'given up' USING ERRCODE = '{code}'; END $$; \
                 CREATE EVENT TRIGGER gives_up ON ddl_command_end WHEN TAG IN ('{tag}') EXECUTE FUNCTION give_up()"
            ));
            for way in [&["--grant", "PUBLIC"][..], &["--in-database", "--grant", "PUBLIC"]] {
                let ended = run(&folder, &asked(&address, way));
                let expected = if code == "53100" { 2 } else { 75 };
                if ended.code == Some(expected) {
                    assert!(ended.stderr.contains("given up"), "{}", ended.stderr);
                    assert!(ended.stderr.contains(help), "{code}: {}", ended.stderr);
                } else {
                    // A statement of that kind was not needed.
                    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
                    assert!(["CREATE TABLE AS", "REVOKE"].contains(&tag), "{tag} {way:?}");
                    database.sql("DROP TABLE release");
                }
                assert_eq!(database.tables(), ["public.people"], "{code} {tag} {way:?}");
            }
            database.sql("DROP EVENT TRIGGER gives_up; DROP FUNCTION give_up()");
        }
    }
}

#[test]
fn a_deadlock_ends_one_of_the_two() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "deadlock", 20_000);
    let address = database.address();
    for way in [&[][..], &["--in-database"]] {
        // Makes a table of the same name, waits until the rows are being read, and then wants the source for itself.
        let other = "BEGIN; SET LOCAL deadlock_timeout = '60s'; CREATE TABLE release (); \
             DO $$ BEGIN FOR i IN 1..2000 LOOP \
             PERFORM pg_stat_clear_snapshot(); \
             PERFORM 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
             WHERE a.application_name = 'incrowd' AND l.relation = 'people'::regclass AND l.granted; \
             EXIT WHEN FOUND; PERFORM pg_sleep(0.01); END LOOP; END $$; \
             LOCK TABLE people IN ACCESS EXCLUSIVE MODE; ROLLBACK;";
        let ended = std::thread::scope(|scope| {
            let other = scope.spawn(|| database.sql(other));
            std::thread::sleep(Duration::from_millis(300));
            let ended = run(&folder, &asked(&address, way));
            other.join().unwrap();
            ended
        });
        match ended.code {
            // Whoever waited for the other found its table gone.
            Some(0) => {
                assert_eq!(database.sql("SELECT count(*) FROM release"), "20000");
                database.sql("DROP TABLE release");
            }
            _ => {
                assert_eq!(ended.code, Some(75), "{ended:?}");
                assert!(ended.stderr.contains("run the command again"), "{}", ended.stderr);
            }
        }
        assert_eq!(database.tables(), ["public.people"], "{way:?}");
    }
}

/// A tablespace of two megabytes, where whoever runs the tests may mount one.
#[test]
fn a_full_disk_leaves_no_table_behind() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "full_disk", 60_000);
    let place = server.folder().join("small");
    // Whoever runs the tests may not mount one; what a full disk says is tried above, too.
    let Some(small) = SmallDisk::mount(&place, "2m") else { return };
    small.call(&["chown", "postgres"]);
    database.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", place.display()));
    let address = format!("{}?options=-c%20default_tablespace%3Dsmall", database.address());
    for way in [&[][..], &["--in-database"]] {
        let ended = run(&folder, &asked(&address, way));
        let tables = database.tables();
        assert_eq!(ended.code, Some(2), "{way:?} {}", ended.stdout);
        assert!(ended.stderr.contains("No space left"), "{}", ended.stderr);
        assert!(ended.stderr.contains("no disk space left"), "{}", ended.stderr);
        assert_eq!(tables, ["public.people"], "{way:?}");
    }
    database.sql("DROP TABLESPACE small");
}

#[test]
fn whatever_is_cut_off_there_is_no_half_table() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "cuts", 20_000);
    let address = database.address();
    let whole = |ended: Option<&Ended>| {
        // What a server does with a lost session takes a moment.
        for _ in 0..100 {
            let busy = database.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = 'cuts' AND application_name = 'incrowd'",
            );
            if busy == "0" {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let there = database.tables();
        if there.iter().any(|name| name == "public.release") {
            assert_eq!(database.sql("SELECT count(*) FROM release"), "20000");
            assert!(ended.is_none_or(|it| it.code == Some(0)), "{ended:?}");
            database.sql("DROP TABLE release");
        } else {
            assert!(ended.is_none_or(|it| it.code != Some(0)), "{ended:?}");
        }
        assert_eq!(database.tables(), ["public.people"]);
    };
    for cut in 0..20_u64 {
        let way = if cut % 2 == 0 { &[][..] } else { &["--in-database"] };
        let mut command = folder.command(asked(&address, way));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30 + cut * 70));
        if cut % 4 < 2 {
            // The session is ended by the server.
            database.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'cuts' AND application_name = \
                 'incrowd'",
            );
            let ended = Ended::from(child.wait_with_output().unwrap());
            assert!([Some(0), Some(75)].contains(&ended.code), "{ended:?}");
            whole(Some(&ended));
        } else {
            // The command is ended without a word.
            let _ = child.kill();
            let _ = child.wait();
            whole(None);
        }
    }
    let left = database.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'incrowd%'");
    assert_eq!(left, "0");
}
