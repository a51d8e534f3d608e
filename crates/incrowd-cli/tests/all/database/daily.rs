//! PostgreSQL as a daily job: queries in the place of tables, releases in the place of earlier ones.

use incrowd_testing::postgres::server;

use super::{done, run, with_people};

const ASKED: [&str; 10] =
    ["-k", "4", "--quasi", "age,sex,zip", "--plain", "ill", "--unit", "row", "-m", "mondrian"];

fn words<'a>(address: &'a str, from: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["anonymize", address];
    words.extend(from);
    words.extend(ASKED);
    words.extend(more);
    words.push("--quiet");
    words
}

#[test]
fn a_query_is_a_table() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "queries", 800);
    database.sql(
        "CREATE TABLE towns AS SELECT DISTINCT zip, 'town ' || right(zip, 1) AS town FROM people",
    );
    let address = database.address();
    let query =
        "SELECT age, sex, zip, ill FROM people JOIN towns USING (zip) -- all\n WHERE age > 30;";
    for (into, way) in [("a", None), ("b", Some("--in-database"))] {
        let more: Vec<&str> = ["--into", into].into_iter().chain(way).collect();
        done(&folder, &words(&address, &["--query", query], &more));
        let wanted = database.sql("SELECT count(*) FROM people WHERE age > 30");
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into}")), wanted);
    }
    assert_eq!(database.rows("SELECT * FROM a"), database.rows("SELECT * FROM b"));
    done(&folder, &words(&address, &["--query", query, "--where", "sex = 'f'"], &["-o", "f.csv"]));
    assert!(folder.read("f.csv").lines().skip(1).all(|row| row.contains(",f,")));
    let looked = ["risk", &*address, "--query", query, "--quasi", "age,sex", "--quiet"];
    done(&folder, &looked);
    done(&folder, &["inspect", &address, "--query", query, "--in-database", "--quiet"]);
    // Nothing of it stays, and nothing but one SELECT runs.
    assert_eq!(database.sql("SELECT count(*) FROM pg_class WHERE relname = 'incrowd_query'"), "0");
    for (query, words_of_error) in [
        ("SELECT 1 AS age; DROP TABLE towns", "read the query"),
        ("DELETE FROM towns RETURNING *", "read the query"),
        ("SELECT nothing FROM people", "nothing"),
    ] {
        let ended = run(&folder, &words(&address, &["--query", query], &["-o", "x.csv"]));
        assert_eq!(ended.code, Some(2), "{query}");
        assert!(ended.stderr.contains(words_of_error), "{}", ended.stderr);
    }
    assert_eq!(database.sql("SELECT count(*) > 0 FROM towns"), "t");
    let both = run(&folder, &words(&address, &["--table", "people", "--query", query], &[]));
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

#[test]
fn a_release_takes_the_place_of_an_earlier_one() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "replacing", 800);
    database.sql("CREATE ROLE daily_reader; CREATE ROLE daily_clerk;");
    let address = database.address();
    for (into, way) in [("a", None), ("\"B b\"", Some("--in-database"))] {
        let more: Vec<&str> = ["--into", into, "--replace"].into_iter().chain(way).collect();
        let make = words(&address, &["--table", "people"], &more);
        // Where nothing is to be replaced the table is made.
        done(&folder, &make);
        database.sql(&format!(
            "GRANT SELECT ON {into} TO daily_reader WITH GRANT OPTION; GRANT SELECT, DELETE ON {into} TO daily_clerk;
             COMMENT ON TABLE {into} IS 'it''s ours'; COMMENT ON COLUMN {into}.ill IS 'the illness';
             CREATE INDEX ON {into} (ill); CREATE INDEX \"odd {}\" ON {into} USING hash (zip);",
            more.len()
        ));
        let facts = format!(
            "SELECT (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(relacl) a)::text || \
               obj_description(oid, 'pg_class') || \
               (SELECT string_agg(description, '|') FROM pg_description WHERE objoid = c.oid AND objsubid > 0) || \
               (SELECT string_agg(pg_get_indexdef(indexrelid), '|' ORDER BY indexrelid::regclass::text) \
                FROM pg_index WHERE indrelid = c.oid) \
             FROM pg_class c WHERE oid = '{into}'::regclass"
        );
        let before =
            (database.sql(&facts), database.sql(&format!("SELECT '{into}'::regclass::oid")));
        database.sql("INSERT INTO people SELECT * FROM people LIMIT 50");
        done(&folder, &make);
        let rows = database.sql("SELECT count(*) FROM people");
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into}")), rows);
        assert_eq!(database.sql(&facts), before.0, "{into}");
        assert_ne!(database.sql(&format!("SELECT '{into}'::regclass::oid")), before.1);
        // What fails leaves the earlier one as it is.
        let strict: Vec<&str> = more.iter().copied().chain(["--max-suppressed", "0"]).collect();
        let mut impossible = words(&address, &["--table", "people"], &strict);
        let at = impossible.iter().position(|word| *word == "4").unwrap();
        impossible[at] = "5000";
        assert_ne!(run(&folder, &impossible).code, Some(0));
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into}")), rows);
        assert_eq!(database.sql(&facts), before.0);
    }
    let left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'incrowd\\_%'";
    assert_eq!(database.sql(left), "0");
}

#[test]
fn what_hangs_on_a_table_keeps_it_from_being_replaced() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "kept_from", 300);
    database.sql(
        "CREATE TABLE seen AS SELECT 1 AS x; CREATE VIEW on_seen AS SELECT * FROM seen;
         CREATE TABLE keyed (x int PRIMARY KEY); CREATE VIEW plain_view AS SELECT 1 AS x;
         CREATE TABLE parted (x int) PARTITION BY RANGE (x);
         CREATE TABLE granted (x int, y int); CREATE ROLE kept_reader; GRANT SELECT (x) ON granted TO kept_reader;
         CREATE TABLE guarded (x int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;",
    );
    let address = database.address();
    for (into, words_of_error) in [
        ("seen", "views read it"),
        ("keyed", "constraints"),
        ("plain_view", "no ordinary table"),
        ("parted", "no ordinary table"),
        ("granted", "single columns"),
        ("guarded", "policies"),
        ("people", "the table that is read"),
    ] {
        for way in [None, Some("--in-database")] {
            let more: Vec<&str> = ["--into", into, "--replace"].into_iter().chain(way).collect();
            let ended = run(&folder, &words(&address, &["--table", "people"], &more));
            assert_eq!(ended.code, Some(2), "{into}");
            assert!(ended.stderr.contains(words_of_error), "{into}: {}", ended.stderr);
        }
    }
    // A query that reads the earlier release keeps it, too.
    done(&folder, &words(&address, &["--table", "people"], &["--into", "first"]));
    let more = ["--into", "first", "--replace"];
    let query =
        "SELECT age, sex, zip, ill FROM people UNION ALL SELECT NULL, sex, zip, ill FROM first";
    let ended = run(&folder, &words(&address, &["--query", query], &more));
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    assert_eq!(database.sql("SELECT count(*) FROM first"), "300");
    let without = run(&folder, &words(&address, &["--table", "people"], &["--into", "first"]));
    assert!(without.stderr.contains("--replace"), "{}", without.stderr);
    let file = run(&folder, &["anonymize", "people.csv", "-k", "4", "--quasi", "age", "--replace"]);
    assert_eq!(file.code, Some(2), "{}", file.stderr);
}

#[test]
fn addresses_that_nothing_reads_are_named() {
    let folder = crate::common::Folder::new();
    for (address, words) in [
        ("mysql://ann:s3cret@h/db", "mysql: addresses cannot be read"),
        ("sqlite:///x.db", "sqlite: addresses cannot be read"),
        ("jdbc:postgresql://h/db", "write postgres://user@host/database"),
        ("https://example.org/people.csv", "download the file first"),
        ("s3://bucket/people.parquet", "download the file first"),
        ("file:///people.csv", "without file://"),
    ] {
        let quasi = ["--quasi", "age", "-k", "2"];
        for more in [&["--table", "people"][..], &[]] {
            let words_of = [&["anonymize", address][..], &quasi, more].concat();
            let ended = run(&folder, &words_of);
            assert_eq!(ended.code, Some(2), "{address}");
            assert!(
                ended.stderr.contains(words) && !ended.stderr.contains("s3cret"),
                "{}",
                ended.stderr
            );
        }
        let ended = run(&folder, &["inspect", address]);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}
