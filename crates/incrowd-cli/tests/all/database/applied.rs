//! Saved recodings on rows of a database: what comes out is what a file makes of them, and rows are added only where the whole
//! table holds.

use incrowd_testing::postgres::server;

use super::{COLUMNS, done, run, sorted, with_people};

const ASKED: [&str; 12] = [
    "-k",
    "4",
    "--quasi",
    "age,sex,zip",
    "--plain",
    "ill",
    "--unit",
    "row",
    "-m",
    "datafly",
    "--quiet",
    "--recoding",
];

/// Makes a release of people, and later rows that it has seen the values of.
fn with_release<'a>(
    server: &'a incrowd_testing::postgres::PostgresServer,
    name: &str,
) -> (incrowd_testing::postgres::TestDatabase<'a>, crate::common::Folder) {
    let (database, folder) = with_people(server, name, 1200);
    let address = database.address();
    let mut words = vec!["anonymize", &*address, "--table", "people", "--into", "release"];
    words.extend(ASKED);
    words.push("r.json");
    done(&folder, &words);
    database.sql(&format!(
        "CREATE TABLE later ({COLUMNS}); INSERT INTO later SELECT * FROM people WHERE id % 2 = 0"
    ));
    (database, folder)
}

fn words<'a>(address: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["apply", "r.json", address, "--table", "later", "--quiet"];
    words.extend(more);
    words
}

#[test]
fn rows_of_a_database_are_recoded_as_those_of_a_file() {
    let Some(server) = server() else { return };
    let (database, folder) = with_release(server, "applied");
    let address = database.address();
    let csv = database.sql("COPY (SELECT * FROM later) TO STDOUT (FORMAT csv, HEADER true)");
    folder.write("later.csv", csv.as_bytes());
    done(&folder, &["apply", "r.json", "later.csv", "-o", "file.csv", "--quiet"]);
    let expected = sorted(&folder.read("file.csv"));
    done(&folder, &words(&address, &["-o", "streamed.csv"]));
    assert_eq!(sorted(&folder.read("streamed.csv")), expected);
    for (into, way) in [("a", None), ("b", Some("--in-database"))] {
        let more: Vec<&str> =
            ["--into", into, "--grant", "PUBLIC"].into_iter().chain(way).collect();
        done(&folder, &words(&address, &more));
        let header = "age, sex, zip, ill";
        assert_eq!(database.rows(&format!("SELECT {header} FROM {into}")), expected);
        // A second time it is there, and can be replaced.
        assert_eq!(run(&folder, &words(&address, &more)).code, Some(2));
        let again: Vec<&str> = more.iter().copied().chain(["--replace"]).collect();
        done(&folder, &words(&address, &again));
    }
    let query = "SELECT * FROM later WHERE sex = 'f'";
    let asked = ["apply", "r.json", &*address, "--query", query, "-o", "f.csv", "--quiet"];
    done(&folder, &asked);
    assert!(folder.read("f.csv").lines().count() > 1);
    // A dry run writes nothing.
    let before = database.tables();
    done(&folder, &words(&address, &[]));
    assert_eq!(database.tables(), before);
    for (wrong, said) in [
        (&["apply", "r.json", "later.csv", "--into", "x"][..], "is for databases"),
        (&["apply", "r.json", &*address, "--into", "x"], "no table is named"),
        (&["apply", "r.json", &*address, "--table", "later", "--append"], "--into"),
        (
            &["apply", "r.json", &*address, "--table", "later", "--into", "later", "--append"],
            "is read",
        ),
        (
            &["apply", "r.json", &*address, "--table", "later", "--into", "x", "--append"],
            "no table `x`",
        ),
    ] {
        let ended = run(&folder, wrong);
        assert_eq!(ended.code, Some(2), "{wrong:?}");
        assert!(ended.stderr.contains(said), "{wrong:?}: {}", ended.stderr);
    }
}

#[test]
fn rows_are_added_where_the_whole_table_holds() {
    let Some(server) = server() else { return };
    let (database, folder) = with_release(server, "added");
    let address = database.address();
    let count = |table: &str| database.sql(&format!("SELECT count(*) FROM {table}"));
    for way in [None, Some("--in-database")] {
        database.sql("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT * FROM release");
        let more: Vec<&str> = ["--into", "kept", "--append"].into_iter().chain(way).collect();
        done(&folder, &words(&address, &["--into", "new", "--replace"]));
        done(&folder, &words(&address, &more));
        let whole = database.rows("SELECT * FROM release UNION ALL SELECT * FROM new");
        assert_eq!(database.rows("SELECT * FROM kept"), whole);
        let verify = ["verify", &*address, "--table", "kept", "-k", "4", "--quasi", "age,sex,zip"];
        done(&folder, &verify);
        // A row that stands alone in the old table is not saved by the new ones: nothing is written.
        database.sql("INSERT INTO kept VALUES ('[17-17]', 'f', '53700', 'flu')");
        let (before, rows) = (count("kept"), database.rows("SELECT * FROM kept"));
        let ended = run(&folder, &words(&address, &more));
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains("together do not hold"), "{}", ended.stderr);
        assert!(ended.stderr.contains("nothing was written"), "{}", ended.stderr);
        assert_eq!(count("kept"), before);
        assert_eq!(database.rows("SELECT * FROM kept"), rows);
        database.sql("DELETE FROM kept WHERE age = '[17-17]'");
        for (change, said) in [
            ("ALTER TABLE kept ADD COLUMN seen date", "has a column `seen`"),
            ("ALTER TABLE kept DROP COLUMN ill", "have a column `ill`"),
            ("ALTER TABLE kept ALTER COLUMN ill TYPE varchar(20)", "not of the type text"),
            ("CREATE RULE r AS ON INSERT TO kept DO ALSO NOTHING", "triggers or rules"),
            ("ALTER TABLE kept ENABLE ROW LEVEL SECURITY", "policies"),
        ] {
            database.sql("CREATE TABLE saved AS SELECT * FROM kept");
            database.sql(change);
            let ended = run(&folder, &words(&address, &more));
            assert_eq!(ended.code, Some(2), "{change}: {}", ended.stderr);
            assert!(ended.stderr.contains(said), "{change}: {}", ended.stderr);
            database.sql("DROP TABLE kept; ALTER TABLE saved RENAME TO kept");
        }
        // Of two at once both are added, one after the other.
        let before: u64 = count("kept").parse().unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| done(&folder, &words(&address, &more)));
            done(&folder, &words(&address, &more));
            other.join().unwrap();
        });
        let new: u64 = count("new").parse().unwrap();
        assert_eq!(count("kept").parse::<u64>().unwrap(), before + 2 * new);
    }
    let left = database.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'incrowd%'");
    assert_eq!(left, "0");
}

#[test]
fn people_of_old_and_new_rows_are_counted_where_the_release_tells_them() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "peopled", 600);
    database.sql(
        "CREATE TABLE visits AS SELECT 'p' || id / 2 AS person, 20 + id / 2 % 5 AS age, ill FROM people",
    );
    let address = database.address();
    let asked = [
        "anonymize",
        &*address,
        "--table",
        "visits",
        "--into",
        "release",
        "-k",
        "4",
        "--quasi",
        "age",
        "--plain",
        "ill",
        "--unit",
        "person",
        "--identifying",
        "person",
        "--recoding",
        "r.json",
        "--kind",
        "global",
        "--quiet",
    ];
    done(&folder, &asked);
    let add = ["apply", "r.json", &*address, "--table", "visits", "--into", "release", "--append"];
    let ended = run(&folder, &add);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("`person`"), "{}", ended.stderr);
    assert_eq!(database.sql("SELECT count(*) FROM release"), "600");
}
