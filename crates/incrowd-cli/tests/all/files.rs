//! Files as people have them: workbooks, encodings, formats of other programs, names with commas.

use crate::common::{Ended, Folder, SmallDisk};

const WORKBOOK: &[u8] = include_bytes!("../../../incrowd-data/tests/files/people.xlsx");

fn run(folder: &Folder, args: &[&str]) -> Ended {
    Ended::from(folder.command(args).output().unwrap())
}

/// Sixty people of a few towns.
fn people() -> String {
    let mut text = "name,age,town,\"income, net\",sex\n".to_owned();
    for at in 0..60 {
        let town = ["Köln", "Århus", "Bern"][at % 3];
        let sex = if at % 2 == 0 { "f" } else { "m" };
        text.push_str(&format!(
            "p{at},{},{town},{},{sex}\n",
            20 + at * 7 % 40,
            1000 + at * 13 % 700
        ));
    }
    text
}

#[test]
fn a_workbook_goes_in_and_comes_out() {
    let folder = Folder::new();
    folder.write("people2.csv", people().as_bytes());
    let line = "anonymize people2.csv -k 5 -m mondrian --quasi age,town --identifying name --other drop -o release.xlsx";
    folder.run(line).done();
    let bytes = std::fs::read(folder.path("release.xlsx")).unwrap();
    assert!(bytes.starts_with(b"PK"));
    // What was written is what the verifier reads.
    let verdict =
        folder.run("verify release.xlsx -k 5 --quasi age,town --original people2.csv").done();
    assert!(verdict.stdout.contains("The release holds."), "{}", verdict.stdout);
    let again = "anonymize release.xlsx -k 6 -m mondrian --quasi age,town -o again.csv";
    folder.run(again).done();
    assert!(folder.read("again.csv").starts_with("age,town\n"));
    // The same release has the same bytes.
    let seeded = |name: &str| {
        folder.run(&format!("{line}.{name}.xlsx --seed-file key")).done();
        std::fs::read(folder.path(&format!("release.xlsx.{name}.xlsx"))).unwrap()
    };
    assert!(seeded("a") == seeded("b"));
}

/// Whatever the format, a disk that is full is told, and nothing is left on it.
#[test]
fn a_full_disk_leaves_no_half_of_a_file() {
    let folder = Folder::new();
    folder.run("demo --write census.csv --rows 40000").done();
    let line = "anonymize census.csv -k 5 -m mondrian --quasi age,sex --other drop -o";
    let Some(_disk) = SmallDisk::mount(&folder.path("small"), "20k") else { return };
    for format in ["xlsx", "csv", "csv.gz", "parquet"] {
        let ended = folder.run(&format!("{line} small/out.{format}"));
        let left = std::fs::read_dir(folder.path("small")).unwrap().count();
        assert_eq!((ended.code, left), (Some(2), 0), "{format} {}", ended.stderr);
        assert!(ended.stderr.contains("No space left"), "{format} {}", ended.stderr);
        assert!(ended.stderr.contains("make room on that disk"), "{format} {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{format} {}", ended.stderr);
    }
    // Where there is room, there is a workbook.
    folder.run(&format!("{line} out.xlsx")).done();
    assert!(std::fs::read(folder.path("out.xlsx")).unwrap().starts_with(b"PK"));
}

/// Nobody has named the report beside a release, or the spec beside a table: a link there is not followed.
#[cfg(unix)]
#[test]
fn files_that_nobody_has_named_follow_no_links() {
    let folder = Folder::new();
    let line = "anonymize people.csv -k 2 -m mondrian --quasi age,sex --other drop";
    folder.write("elsewhere", b"as it was");
    let link = |name: &str| {
        std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path(name)).unwrap();
    };
    link("out.report.html");
    folder.run("init people.csv -o spec.toml").done();
    let report = "run spec.toml -o out.csv --identifying name,born,zip --plain disease";
    let ended = folder.run(report);
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    assert!(ended.stderr.contains("is a link"), "{}", ended.stderr);
    assert!(!folder.path("out.csv").exists());
    link("people.toml");
    let ended = folder.run("init people.csv --force");
    assert!(ended.code == Some(2) && ended.stderr.contains("is a link"), "{}", ended.stderr);
    assert_eq!(folder.read("elsewhere"), "as it was");
    // Whoever names a link means what it leads to.
    folder.run(&format!("{line} -o named.csv --report out.report.html")).done();
    assert!(folder.read("elsewhere").contains("<html"));
    std::fs::remove_file(folder.path("out.report.html")).unwrap();
    folder.run(report).done();
    assert!(folder.read("out.report.html").contains("<html"));
}

#[test]
fn sheets_are_chosen_and_told() {
    let folder = Folder::new();
    folder.write("book.xlsx", WORKBOOK);
    let ended = folder.run("inspect book.xlsx").done();
    assert!(
        ended.stderr.contains("note: book.xlsx has 3 sheets: Cover, People, Codes"),
        "{}",
        ended.stderr
    );
    assert!(ended.stdout.contains("born"), "{}", ended.stdout);
    let ended = folder.run("inspect book.xlsx --sheet codes").done();
    assert!(ended.stderr.is_empty() && ended.stdout.contains("meaning"), "{ended:?}");
    let ended = folder.run("inspect book.xlsx --sheet Nothing");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("has no sheet \"Nothing\""), "{}", ended.stderr);
    folder.write("spec.toml", b"[data]\ninput = \"book.xlsx\"\nsheet = \"Codes\"\n[columns.code]\nrole = \"quasi\"\n[privacy]\nk = 1\nmax-average-risk = 1.0\n");
    folder.run("run spec.toml --no-report").done();
    // What was said to `init` is in its spec.
    folder.run("init book.xlsx --sheet Codes --missing -9 -o codes.toml").done();
    let spec = folder.read("codes.toml");
    assert!(spec.contains("\nsheet = \"Codes\" ") && spec.contains("\"-9\"] "), "{spec}");
    assert!(spec.contains("output = \"book.release.xlsx\""), "{spec}");
}

#[test]
fn encodings_are_found_or_named() {
    let folder = Folder::new();
    let latin: Vec<u8> = people().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    folder.write("latin.csv", &latin);
    let line = "anonymize latin.csv -k 5 -m mondrian --quasi town --identifying name --other drop -o out.csv";
    let ended = folder.run(line).done();
    assert!(ended.stderr.contains("read as Windows-1252"), "{}", ended.stderr);
    assert!(folder.read("out.csv").contains("Århus"));
    let ended = folder.run(&format!("{line} --encoding latin1")).done();
    assert!(!ended.stderr.contains("Windows-1252"), "{}", ended.stderr);
    let ended = folder.run(&format!("{line} --encoding utf-8"));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("line 2, column 3 (\"town\") is not valid UTF-8"),
        "{}",
        ended.stderr
    );
    let utf16: Vec<u8> = people().encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.csv", &utf16);
    folder.run("anonymize wide.csv -k 5 -m mondrian --quasi town --identifying name --other drop -o wide.out.csv").done();
    assert!(folder.read("wide.out.csv").contains("Köln"));
    let ended = folder.run("inspect wide.csv --encoding klingon");
    assert!(
        ended.code == Some(2) && ended.stderr.contains("unknown encoding `klingon`"),
        "{ended:?}"
    );
}

#[test]
fn formats_of_other_programs_come_with_a_way_out() {
    let folder = Folder::new();
    for (name, bytes, line) in [
        ("x.sav", &b"$FL2@(#) SPSS DATA FILE"[..], "as a data file of SPSS"),
        ("x.dta", b"<stata_dta><header>", "as a data set of Stata"),
        (
            "x.xpt",
            b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!",
            "as a transport file of SAS",
        ),
        ("x.json", b"[{\"age\": 3}]", "pandas.read_json(\"x.json\")"),
        ("x.zip", b"PK\x03\x04\x14\0\0\0\0\0", "unpack"),
        ("x.pdf", b"%PDF-1.4\n", "ask for the table"),
    ] {
        folder.write(name, bytes);
        let ended = folder.run(&format!("inspect {name}"));
        assert_eq!(ended.code, Some(2), "{name}");
        assert!(ended.stderr.contains(line), "{name}: {}", ended.stderr);
    }
}

#[test]
fn names_may_hold_commas() {
    let folder = Folder::new();
    folder.write("people2.csv", people().as_bytes());
    let base = [
        "anonymize",
        "people2.csv",
        "-k",
        "5",
        "-m",
        "mondrian",
        "--identifying",
        "name",
        "--other",
        "drop",
        "--sort",
    ];
    let mut releases = Vec::new();
    for lists in [
        &["--quasi", "age", "--quasi", "income, net"][..],
        &["--quasi", "age,\"income, net\""],
        &["--quasi", "age,income, net"],
        &["--quasi", "age , income, net"],
    ] {
        let args: Vec<&str> = base.iter().chain(lists).chain(&["-o", "out.csv"]).copied().collect();
        run(&folder, &args).done();
        releases.push(folder.read("out.csv"));
    }
    assert!(releases[0].starts_with("age,\"income, net\"\n"), "{}", releases[0]);
    assert!(releases.iter().all(|release| *release == releases[0]));
    let verdict =
        run(&folder, &["verify", "out.csv", "-k", "5", "--quasi", "age,income, net"]).done();
    assert!(verdict.stdout.contains("The release holds."));
    let ended = run(&folder, &["risk", "out.csv", "--quasi", "age,\"income"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("not closed"), "{ended:?}");
}

#[test]
fn missing_tokens_add_up_and_blanks_are_missing() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|at| format!("{},x\n", ["-9", " ", "NA", "7"][at % 4])).collect();
    folder.write("t.csv", format!("a,b\n{rows}").as_bytes());
    let missing = |args: &str| {
        let found = folder.run(&format!("inspect t.csv --json {args}")).done().json();
        found["columns"][0]["missing"].as_u64().unwrap()
    };
    assert_eq!(missing(""), 20);
    assert_eq!(missing("--missing -9"), 30);
    assert_eq!(missing("--missing-only -9"), 10);
    assert_eq!(missing("--missing-only -9 --missing 7"), 20);
    let released =
        folder.run("anonymize t.csv -k 5 -m mondrian --quasi a --missing -9 --sort -o -").done();
    let missing =
        released.stdout.lines().skip(1).filter(|line| line.starts_with(['-', ' ', ','])).count();
    assert_eq!(missing, 30, "{}", released.stdout);
}

#[test]
fn a_byte_order_mark_stands_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.write("people.csv", "Größe,ort\n170,Köln\n171,Bonn\n180,Köln\n181,Bonn\n".as_bytes());
    let ask = "anonymize people.csv -k 2 --quasi Größe --sensitive ort -m mondrian";
    folder.run(&format!("{ask} -o plain.csv --sort")).done();
    folder.run(&format!("{ask} -o marked.csv --sort --byte-order-mark")).done();
    let (plain, marked) = (folder.read("plain.csv"), folder.read("marked.csv"));
    assert!(!plain.starts_with('\u{feff}'));
    assert_eq!(marked.strip_prefix('\u{feff}'), Some(&plain[..]));
    // It is no part of the first name, and a workbook has none.
    folder.run("verify marked.csv -k 2 --quasi Größe --original people.csv").done();
    folder.run(&format!("{ask} -o marked.xlsx --byte-order-mark")).done();
    folder.run("verify marked.xlsx -k 2 --quasi Größe").done();
    // A spec says it, too.
    let spec = folder.run(&format!("{ask} --byte-order-mark --show-spec")).done().stdout;
    assert!(spec.contains("byte-order-mark = true"), "{spec}");
}
