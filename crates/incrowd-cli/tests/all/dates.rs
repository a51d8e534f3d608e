//! Columns of dates, from the command line to the verified release.

use crate::common::Folder;

/// Forty visits in a form; the day and the month as the form wants them.
fn visits(write: impl Fn(u32, u32, u32) -> String) -> String {
    let mut text = "visit,sex,ward\n".to_owned();
    for row in 0..40u32 {
        let (year, month, day) = (2016 + row % 3, 1 + row * 7 % 12, 1 + row * 5 % 12);
        text +=
            &format!("{},{},{}\n", write(year, month, day), ["f", "m"][row as usize % 2], row % 4);
    }
    text
}

#[test]
fn ambiguous_dates_are_refused_and_the_option_mends_it() {
    let folder = Folder::new();
    folder.write("visits.csv", visits(|y, m, d| format!("{d:02}/{m:02}/{y}")).as_bytes());
    let base = "anonymize visits.csv -k 4 --quasi visit,sex --plain ward --method mondrian --seed 1 -o out.csv";
    let refused = folder.run(base);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in ["can be read in two ways", "as d/m/y and", "as m/d/y", "--date-format visit=d/m/y"]
    {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    for option in ["d/m/y", "visit=d/m/y"] {
        let done = folder.run(&format!("{base} --date-format {option}"));
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let release = folder.read("out.csv");
        assert!(!release.contains('{') && release.contains(" to "), "{release}");
        let checked = folder
            .run("verify out.csv --original visits.csv -k 4 --quasi visit,sex --date-format d/m/y");
        assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
        // Read the other way round the labels are untrue.
        let checked = folder
            .run("verify out.csv --original visits.csv -k 4 --quasi visit,sex --date-format m/d/y");
        assert_eq!(checked.code, Some(1), "{}", checked.stdout);
    }
}

#[test]
fn a_spec_says_how_dates_are_written() {
    let folder = Folder::new();
    folder.write("visits.csv", visits(|y, m, d| format!("{d:02}/{m:02}/{y}")).as_bytes());
    let spec = |data: &str, column: &str| {
        format!(
            "[data]\ninput = \"visits.csv\"\n{data}\n[columns.visit]\nrole = \"quasi\"\n{column}\n\
             [columns.sex]\nrole = \"quasi\"\n[columns.ward]\nrole = \"identifying\"\n[privacy]\nk = 4\n\
             [algorithm]\nmethod = \"lattice\"\n[release]\noutput = \"out.csv\"\n"
        )
    };
    for (data, column) in [("date-format = \"d/m/y\"", ""), ("", "date-format = \"d/m/y\"")] {
        folder.write("spec.toml", spec(data, column).as_bytes());
        let done = folder.run("run spec.toml --no-report");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        // Levels without a hierarchy: no column of blanks.
        let release = folder.read("out.csv");
        assert!(release.contains("2016"), "{release}");
    }
    folder.write("spec.toml", spec("", "date-format = \"d/m\"").as_bytes());
    let refused = folder.run("run spec.toml --no-report");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("the year, the month and the day once each"),
        "{}",
        refused.stderr
    );
}

#[test]
fn every_form_makes_a_release_that_verifies() {
    let folder = Folder::new();
    let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let name = |month: u32| months[month as usize - 1];
    for (form, table) in [
        ("iso", visits(|y, m, d| format!("{y}-{m:02}-{d:02}"))),
        ("dots", visits(|y, m, d| format!("{d}.{m}.{y}"))),
        ("evidence", visits(|y, m, d| format!("{m}/{}/{y}", d + 13))),
        ("names", visits(|y, m, d| format!("{d}-{}-{y}", name(m)))),
        ("times", visits(|y, m, d| format!("{y}-{m:02}-{d:02} {:02}:{:02}:00", m + 3, d + 20))),
        ("zones", visits(|y, m, d| format!("{y}-{m:02}-{d:02}T10:11:12+0{}:00", d % 3))),
        ("clock", visits(|_, m, d| format!("{:02}:{:02}", m + 3, d * 4))),
    ] {
        folder.write("visits.csv", table.as_bytes());
        for method in ["mondrian", "best-local", "lattice"] {
            let run = folder.run(&format!(
                "anonymize visits.csv -k 4 --quasi visit,sex --plain ward --method {method} --seed 1 -o out.csv"
            ));
            assert_eq!(run.code, Some(0), "{form} {method}: {}", run.stderr);
            let release = folder.read("out.csv");
            assert!(!release.contains('{'), "{form} {method}: {release}");
            let checked = folder.run("verify out.csv --original visits.csv -k 4 --quasi visit,sex");
            assert_eq!(checked.code, Some(0), "{form} {method}: {}\n{release}", checked.stdout);
        }
    }
}

#[test]
fn ages_and_units_in_place_of_dates() {
    let folder = Folder::new();
    let mut table = "born,visit,seen,ward\n".to_owned();
    for row in 0..48u32 {
        let (year, month, day) = (1940 + row * 7 % 60, 1 + row % 12, 1 + row * 5 % 28);
        let visit = format!("{}/{}/2018", 1 + row % 12, 1 + row * 3 % 28);
        table += &format!("{day}.{month}.{year},{visit},2018-{month:02}-{day:02},{}\n", row % 4);
    }
    folder.write("visits.csv", table.as_bytes());
    let treated =
        "--age-at born=2026-01-01 --top born=70 --date-unit visit=quarter --date-unit seen=month";
    folder
        .run(&format!(
            "anonymize visits.csv -k 4 --quasi born,visit --sensitive ward --method mondrian --seed 1 {treated} \
             -o out.csv"
        ))
        .done();
    let release = folder.read("out.csv");
    assert!(release.contains("70+") || release.contains("+,"), "{release}");
    assert!(release.contains("2018-Q") || release.contains(",2018,"), "{release}");
    for line in release.lines().skip(1) {
        assert!(line.contains(",2018-"), "a month is released: {line}");
        assert!(!line.contains("19"), "no year of birth: {line}");
    }
    let verify = "verify out.csv --original visits.csv -k 4 --quasi born,visit";
    let checked = folder.run(&format!("{verify} {treated}"));
    assert_eq!(checked.code, Some(0), "{}{}\n{release}", checked.stdout, checked.stderr);
    let wrong = folder.run(&format!(
        "{verify} --age-at born=2020-01-01 --top born=70 --date-unit visit=quarter --date-unit seen=month"
    ));
    assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
    let refused = folder.run(
        "anonymize visits.csv -k 4 --quasi born,visit --age-at born=1990-01-01 --method mondrian -o out2.csv",
    );
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("gives no age from 0"), "{}", refused.stderr);
}
