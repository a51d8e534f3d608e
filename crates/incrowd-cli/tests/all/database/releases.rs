//! Releases of tables: streamed, and in the database.

use incrowd_testing::postgres::server;

use super::{done, run, sorted, with_people};

const ASKED: [&str; 8] =
    ["-k", "4", "--quasi", "age,sex,zip", "--identifying", "id,born", "--plain", "income,ill"];

/// What every run is asked: streamed, and in the database.
fn asked<'a>(address: &'a str, into: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["anonymize", address, "--table", "people", "--into", into];
    words.extend(ASKED);
    words.extend(["--unit", "row", "--quiet"]);
    words.extend(more);
    words
}

#[test]
fn a_released_table_is_the_release_of_the_same_rows_in_a_file() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "same", 1500);
    let address = database.address();
    for (number, more) in [
        &["-m", "mondrian"][..],
        &["-m", "datafly", "--hierarchy", "zip=prefix:4,3"],
        &["-m", "mondrian", "--sensitive", "ill", "--l-diversity", "ill=2"],
        &["--kind", "local", "--effort", "quick"],
        &["--kind", "cells", "--effort", "quick"],
        &["--kind", "mixed", "--effort", "quick"],
        &["-m", "mondrian", "--summary", "age=columns"],
    ]
    .into_iter()
    .enumerate()
    {
        let sensitive = more.contains(&"--sensitive");
        let mut file = vec!["anonymize", "people.csv", "-o", "out.csv", "--unit", "row", "--quiet"];
        file.extend(["-k", "4", "--quasi", "age,sex,zip", "--identifying", "id,born"]);
        file.extend(["--plain", if sensitive { "income" } else { "income,ill" }]);
        file.extend(more);
        done(&folder, &file);
        let expected = folder.read("out.csv");
        let header = expected.lines().next().unwrap().to_owned();
        for way in [&[][..], &["--in-database"]] {
            let into = format!("release_{number}_{}", way.len());
            let mut words = asked(&address, &into, more);
            if sensitive {
                let at = words.iter().position(|word| *word == "income,ill").unwrap();
                words[at] = "income";
            }
            words.extend(way);
            let ended = done(&folder, &words);
            assert!(ended.stdout.contains("verified"), "{}", ended.stdout);
            // Labels are the same, and whole rows where no combination is split.
            let columns: Vec<&str> = header.split(',').collect();
            let quasi = columns.iter().filter(|name| !["income", "ill"].contains(*name));
            let quasi: Vec<&str> = quasi.copied().chain(sensitive.then_some("ill")).collect();
            let rows = database.rows(&format!("SELECT {} FROM {into}", quasi.join(", ")));
            let places: Vec<usize> = quasi
                .iter()
                .map(|name| columns.iter().position(|column| column == name).unwrap())
                .collect();
            let mut wanted: Vec<String> = csv_rows(&expected)
                .iter()
                .map(|row| places.iter().map(|&at| row[at].clone()).collect::<Vec<_>>().join(","))
                .collect();
            wanted.sort();
            let mut found: Vec<String> =
                rows.iter().map(|line| csv_rows(&format!("h\n{line}"))[0].join(",")).collect();
            found.sort();
            assert_eq!(found, wanted, "{more:?} {way:?}");
            if ["mondrian", "datafly"].contains(more.get(1).unwrap_or(&"")) {
                let all = database.rows(&format!("SELECT {header} FROM {into}"));
                assert_eq!(all, sorted(&expected), "{more:?} {way:?}");
            }
        }
    }
    // Nothing but the tables that were asked for.
    assert!(
        database
            .tables()
            .iter()
            .all(|name| name == "public.people" || name.starts_with("public.release_"))
    );
}

/// The fields of the rows of a CSV text.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                other => fields.last_mut().unwrap().push(other),
            }
        }
        rows.push(fields);
    }
    rows
}

#[test]
fn types_are_kept_and_odd_ones_refused() {
    let Some(server) = server() else { return };
    let database = server.database("types");
    let folder = crate::common::Folder::new();
    database.sql(
        "CREATE TYPE mood AS ENUM ('sad', 'fine');
         CREATE DOMAIN percent AS numeric(5,2) CHECK (VALUE >= 0);
         CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         CREATE TABLE t (key bigint GENERATED ALWAYS AS IDENTITY, age integer, town text COLLATE loose, ok boolean,
           m mood, d date, ts timestamptz, n numeric, p percent, note varchar(9), twice integer GENERATED ALWAYS AS
           (age * 2) STORED, tags integer[], u uuid);
         INSERT INTO t (age, town, ok, m, d, ts, n, p, note, tags, u)
         SELECT 20 + i % 3, CASE i % 3 WHEN 0 THEN 'Ulm' WHEN 1 THEN 'ULM' ELSE NULL END, i % 2 = 0,
           CASE WHEN i % 5 = 0 THEN NULL ELSE 'fine'::mood END, date '2020-02-01' + i % 2,
           timestamptz '2020-02-01 10:00:00+02' + i % 3 * interval '1 day', 1.234, 1.5,
           CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'NULL' END, ARRAY[1, 2],
           '00000000-0000-0000-0000-000000000000' FROM generate_series(1, 90) AS i;
         CREATE VIEW v AS SELECT * FROM t; CREATE MATERIALIZED VIEW mv AS SELECT * FROM t;",
    );
    let address = database.address();
    let words = |table: &'static str, into: &'static str, left: &'static str, way: &'static str| {
        let mut words = vec!["anonymize", &address, "--table", table, "--into", into, "-k", "5"];
        words.extend(["--quasi", "age,town,ok", "--identifying", left, "--unit", "row"]);
        words.extend(["--plain", "m,d,ts,n,p,note,twice,u", "-m", "mondrian", "--quiet"]);
        words.extend(["--other", "plain"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        words
    };
    for way in ["", "--in-database"] {
        let refused = run(&folder, &words("t", "r0", "key", way));
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("`tags` is of the type integer[]"), "{}", refused.stderr);
    }
    for (table, into, way) in [
        ("t", "r1", ""),
        ("t", "r2", "--in-database"),
        ("v", "r3", ""),
        ("v", "r4", "--in-database"),
        ("mv", "r5", ""),
        ("mv", "r6", "--in-database"),
    ] {
        done(&folder, &words(table, into, "key,tags", way));
        let types = database.sql(&format!(
            "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM \
             pg_attribute WHERE attrelid = '{into}'::regclass AND attnum > 0"
        ));
        for kept in [
            "age text",
            "town text",
            "ok text",
            "m mood",
            "d date",
            "ts timestamp with time zone",
            "n numeric",
            "p numeric(5,2)",
            "note character varying(9)",
            "twice integer",
            "u uuid",
        ] {
            assert!(types.contains(kept), "{kept}: {types}");
        }
        // NULL stays NULL, and an empty text an empty text.
        let plain = "m, d, ts, n, p, note, note IS NULL, twice, u";
        let here = database.rows(&format!("SELECT {plain} FROM {into}"));
        assert_eq!(here, database.rows(&format!("SELECT {plain} FROM t")), "{into}");
        // A collation that takes towns for the same does not make them so.
        let towns = database.sql(&format!("SELECT count(DISTINCT town COLLATE \"C\") FROM {into}"));
        assert_eq!(towns, "2", "{into}");
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into} WHERE town IS NULL")), "30");
    }
}

#[test]
fn names_are_names_whatever_is_in_them() {
    let Some(server) = server() else { return };
    let database = server.database("odd");
    let folder = crate::common::Folder::new();
    database.sql(
        "CREATE SCHEMA \"Odd; schema\";
         CREATE TABLE \"Odd; schema\".\"drop \"\"it\" (\"\"\"; drop table x; --\" integer, \"it's, so\" text, \"Ill\" text);
         INSERT INTO \"Odd; schema\".\"drop \"\"it\" SELECT i % 4, 'a''b' || i % 2, 'x' FROM generate_series(1, 40) AS i;",
    );
    let address = database.address();
    for (into, way) in [("\"Odd; schema\".\"o'ut\"\"\"", ""), ("public.\"$1\"", "--in-database")] {
        let mut words = vec![
            "anonymize",
            &address,
            "--table",
            "\"Odd; schema\".\"drop \"\"it\"",
            "--into",
            into,
        ];
        words.extend([
            "-k",
            "3",
            "--quasi",
            "\"\"\"; drop table x; --\"",
            "--quasi",
            "\"it's, so\"",
            "--plain",
            "Ill",
        ]);
        words.extend(["--unit", "row", "--quiet"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        done(&folder, &words);
        assert_eq!(
            database.sql(&format!("SELECT count(*), count(DISTINCT \"it's, so\") FROM {into}")),
            "40|2"
        );
    }
    // More than one statement in a condition is refused, and none of it runs.
    for filter in
        ["true); DROP TABLE \"Odd; schema\".\"o'ut\"\"\"; --", "1; SELECT 1", "nothing > 1"]
    {
        let mut words = vec![
            "anonymize",
            &address,
            "--table",
            "\"Odd; schema\".\"drop \"\"it\"",
            "--into",
            "x",
        ];
        words.extend([
            "-k",
            "3",
            "--quasi",
            "\"it's, so\"",
            "--other",
            "drop",
            "--where",
            filter,
            "--quiet",
        ]);
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2), "{filter}: {}", refused.stderr);
    }
    assert_eq!(database.tables().len(), 3);
    assert!(!folder.path("x").exists());
}

#[test]
fn conditions_choose_rows_and_commands_look_at_tables() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "looks", 600);
    let address = database.address();
    for (into, way) in [("a", ""), ("b", "--in-database")] {
        let mut words = asked(&address, into, &["-m", "mondrian", "--where", "age > 40 -- old"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        done(&folder, &words);
    }
    let old = database.sql("SELECT count(*) FROM people WHERE age > 40");
    assert_eq!(database.sql("SELECT count(*) FROM a"), old);
    assert_eq!(
        database.rows("SELECT * FROM a"),
        database.rows("SELECT age, sex, zip, income, ill FROM b")
    );
    let table = |name: &'static str| vec![name, &*address, "--table"];
    let with = |name: &'static str, more: &[&'static str]| {
        let mut words = table(name);
        words.extend(more);
        words
    };
    let verdict = done(&folder, &with("verify", &["a", "-k", "4", "--quasi", "age,sex,zip"]));
    assert!(verdict.stdout.contains("The release holds"), "{}", verdict.stdout);
    let broken = run(&folder, &with("verify", &["people", "-k", "4", "--quasi", "age,sex,zip"]));
    assert_eq!(broken.code, Some(1), "{}", broken.stderr);
    let risk = done(&folder, &with("risk", &["people", "--quasi", "age,sex,zip", "--quiet"]));
    assert!(risk.stdout.contains("600"), "{}", risk.stdout);
    let found = done(&folder, &with("inspect", &["people", "--where", "age < 30", "--quiet"]));
    assert!(found.stdout.contains("income"), "{}", found.stdout);
    // A spec says the same.
    folder.write(
        "spec.toml",
        format!(
            "[data]\ninput = {address:?}\ntable = \"people\"\nother = \"drop\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             sex = {{ role = \"quasi\" }}\n[privacy]\nk = 4\nunit = \"row\"\n[algorithm]\nmethod = \"mondrian\"\n\
             [release]\ninto = \"c\"\n"
        )
        .as_bytes(),
    );
    done(&folder, &["run", "spec.toml", "--quiet", "--no-report"]);
    assert_eq!(database.sql("SELECT count(*) FROM c"), "600");
}

#[test]
fn the_order_of_rows_and_who_may_read_them_say_nothing() {
    let Some(server) = server() else { return };
    let (database, folder) = with_people(server, "order_of", 4000);
    database.sql(
        "CREATE ROLE reader; CREATE ROLE other;
         ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO other;
         ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC;
         COMMENT ON COLUMN people.ill IS 'secret'; ALTER TABLE people ALTER ill SET DEFAULT 'rare';
         CREATE TABLE numbered AS SELECT row_number() OVER () AS n, * FROM people;",
    );
    let address = database.address();
    for (into, way) in [("a", ""), ("b", "--in-database")] {
        let mut words =
            vec!["anonymize", &address, "--table", "numbered", "--into", into, "-k", "4"];
        words.extend([
            "--quasi", "sex,zip", "--plain", "n", "--accept", "n", "--other", "drop", "--unit",
            "row", "--quiet",
        ]);
        words.extend(["-m", "mondrian", "--grant", "reader"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        done(&folder, &words);
        let place = "(split_part(trim('()' FROM ctid::text), ',', 1)::bigint * 1000 + \
                     split_part(trim('()' FROM ctid::text), ',', 2)::bigint)";
        let correlation = database.sql(&format!("SELECT abs(corr({place}, n)) < 0.08 FROM {into}"));
        assert_eq!(correlation, "t", "{into}");
        let granted = database.sql(&format!(
            "SELECT string_agg(a.grantee::regrole::text || ' ' || a.privilege_type, ',') FROM pg_class, \
             aclexplode(relacl) a WHERE oid = '{into}'::regclass AND a.grantee <> relowner"
        ));
        assert_eq!(granted, "reader SELECT");
        let depends = database.sql(&format!(
            "SELECT count(*) FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = '{into}'::regclass AND \
             refobjid IN ('numbered'::regclass, 'people'::regclass)"
        ));
        assert_eq!(depends, "0");
        assert_eq!(
            database.sql(&format!(
                "SELECT count(*) FROM pg_attrdef WHERE adrelid = '{into}'::regclass"
            )),
            "0"
        );
        assert_eq!(
            database.sql(&format!(
                "SELECT count(*) FROM pg_description WHERE objoid = '{into}'::regclass"
            )),
            "0"
        );
    }
}

#[test]
fn people_are_protected_in_the_database_too() {
    let Some(server) = server() else { return };
    let database = server.database("persons");
    let folder = crate::common::Folder::new();
    database.sql(
        "CREATE TABLE visits AS SELECT 'P' || p AS patient, 20 + p % 30 AS age, CASE WHEN p % 2 = 0 THEN 'f' ELSE 'm' END \
         AS sex, CASE (p * 7 + v) % 4 WHEN 0 THEN 'flu' WHEN 1 THEN 'cold' WHEN 2 THEN 'gout' ELSE 'none' END AS ill \
         FROM generate_series(1, 120) AS p, generate_series(1, 4) AS v;",
    );
    let address = database.address();
    for way in ["", "--in-database"] {
        // Nobody has said whom to protect: the rows of a patient are found alike.
        let mut words =
            vec!["anonymize", &address, "--table", "visits", "--into", "r", "-k", "4", "--quiet"];
        words.extend(["--quasi", "age,sex", "--identifying", "patient", "--plain", "ill"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2), "{way}: {}", refused.stdout);
        assert!(refused.stderr.contains("rows are not people"), "{way}: {}", refused.stderr);
        let into = if way.is_empty() { "one" } else { "two" };
        words[5] = into;
        words.extend(["--unit", "patient", "-m", "mondrian"]);
        done(&folder, &words);
        assert_eq!(database.sql(&format!("SELECT count(*) FROM {into}")), "480");
        assert_eq!(
            database.sql(&format!("SELECT count(*) FROM pg_attribute WHERE attrelid = '{into}'::regclass AND attnum > 0")),
            "3"
        );
        // Every class has rows of at least four patients, four of each.
        let least = database.sql(&format!(
            "SELECT min(n) FROM (SELECT count(*) AS n FROM {into} GROUP BY age, sex) AS s"
        ));
        assert!(least.parse::<u64>().unwrap() >= 16, "{least}");
    }
    assert_eq!(
        database.rows("SELECT age, sex FROM one"),
        database.rows("SELECT age, sex FROM two")
    );
}

#[test]
fn rows_that_fail_are_not_written_into_a_database() {
    let Some(server) = server() else { return };
    let database = server.database("failing");
    let folder = crate::common::Folder::new();
    database.sql("CREATE TABLE twelve (race text, birth text, gender text, zip text)");
    database.load("twelve", crate::mu_argus::PEOPLE);
    let address = database.address();
    for way in ["", "--in-database"] {
        let mut words =
            vec!["anonymize", &address, "--table", "twelve", "--into", "r", "-k", "2", "--quiet"];
        words.extend(["--quasi", "race,birth,gender,zip", "-m", "mu-argus"]);
        words.extend(["--argus", "birth=most,zip=more,gender=more", "--option", "repair=off"]);
        words.extend(["--failing", "write"]);
        words.extend(Some(way).filter(|way| !way.is_empty()));
        let refused = run(&folder, &words);
        assert_eq!(refused.code, Some(2), "{way}: {}", refused.stdout);
        assert!(refused.stderr.contains("cannot be written into a database"), "{}", refused.stderr);
        assert_eq!(database.sql("SELECT to_regclass('r') IS NULL"), "t", "{way}");
    }
}
