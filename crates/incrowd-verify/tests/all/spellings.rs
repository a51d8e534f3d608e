//! Labels as other tools write them: what each of them contains, and what is said where one cannot be read.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::common;

use common::{against, only};
use incrowd_verify::verify_csv_against;
use incrowd_verify::{
    ColumnFormat, CsvOptions, DateForm, NumberStyle, Requirements, Verdict, ViolationKind,
};

const AGES: &[&str] = &["18", "19", "20", "21", "25", "29", "30", "31", "90", "97"];
const CITIES: &[&str] = &["Oslo", "Rome", "Berlin", "New York", "St. John's"];
const CODES: &[&str] = &["53711", "53712", "53799", "54711", "63711"];

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// A row with this label that stands for the person who has that value.
fn judged(values: &[&str], label: &str, of: &str, requirements: &Requirements) -> Verdict {
    let rows: String = values.iter().map(|v| format!("{0},{0}\n", quoted(v))).collect();
    let original = format!("q,who\n{rows}");
    let release = format!("q,who\n{},{}\n", quoted(label), quoted(of));
    let options = CsvOptions::default();
    verify_csv_against(release.as_bytes(), &options, original.as_bytes(), &options, requirements)
        .unwrap()
}

/// The values that a label contains, each asked by itself.
fn contained<'a>(values: &[&'a str], label: &str, requirements: &Requirements) -> Vec<&'a str> {
    let mut found = Vec::new();
    for of in values {
        let verdict = judged(values, label, of, requirements);
        if verdict.holds {
            found.push(*of);
        } else {
            let kind = only(&verdict, ViolationKind::UntruthfulValue).kind;
            assert_eq!(kind, ViolationKind::UntruthfulValue, "{label} of {of}: {verdict}");
        }
    }
    found
}

fn plain() -> Requirements {
    Requirements::new(1, ["q"])
}

#[test]
fn ranges_of_numbers() {
    let closed: &[&str] = &["20", "21", "25", "29", "30"];
    let right_open: &[&str] = &["20", "21", "25", "29"];
    let left_open: &[&str] = &["21", "25", "29", "30"];
    let inner: &[&str] = &["21", "25", "29"];
    let table: &[(&[&str], &[&str])] = &[
        (
            closed,
            &[
                "20-30",
                "20 - 30",
                "20–30",
                "20—30",
                "20 – 30",
                "20−30",
                "20~30",
                "20 ~ 30",
                "20～30",
                "20..30",
                "20...30",
                "20…30",
                "20 to 30",
                "20 TO 30",
                "from 20 to 30",
                "between 20 and 30",
                "20:30",
                "20_30",
                "20/30",
                "20->30",
                "20 → 30",
                "20 through 30",
                "20 bis 30",
                "[20-30]",
                "[20 - 30]",
                "[20,30]",
                "[20, 30]",
                "[20;30]",
                "[20; 30]",
                "[20:30]",
                "[20..30]",
                "[20 to 30]",
                "[20–30]",
                "[20|30]",
                "[20.0, 30.0]",
                "20.0-30.0",
                "20 <= x <= 30",
                "20<=age<=30",
                "20 ≤ x ≤ 30",
                "20-30 years",
                "20 years - 30 years",
                "$20-$30",
                "20%-30%",
                "Interval(20, 30, closed='both')",
                " 20-30 ",
                "20,30",
                "{20-30}",
                "{[20-30]}",
                "['20-30']",
                "2e1-3e1",
                "+20-+30",
                "020-030",
            ],
        ),
        (
            right_open,
            &[
                "[20, 30)",
                "[20,30)",
                "[20, 30[",
                "[20;30[",
                "[20-30)",
                "[20.0, 30.0)",
                "20 <= x < 30",
                "20<=age<30",
                "20 ≤ x < 30",
                "Interval(20, 30, closed='left')",
                "20s",
                "[20, 30.0)",
                "[20:30)",
                "[2e1,3e1)",
            ],
        ),
        (
            left_open,
            &[
                "(20, 30]",
                "(20,30]",
                "]20, 30]",
                "]20;30]",
                "(20.0, 30.0]",
                "(20-30]",
                "20 < x <= 30",
                "20<x≤30",
                "Interval(20, 30, closed='right')",
                "Interval(20.0, 30.0)",
                "(20;30]",
                "(2e+01,3e+01]",
            ],
        ),
        (
            inner,
            &[
                "(20, 30)",
                "(20,30)",
                "]20, 30[",
                "(20;30)",
                "20 < x < 30",
                "Interval(20, 30, closed='neither')",
            ],
        ),
        (
            &["18", "19", "20", "21", "25", "29", "30"],
            &[
                "<=30",
                "<= 30",
                "=<30",
                "≤30",
                "≤ 30",
                "⩽30",
                "up to 30",
                "at most 30",
                "30 or less",
                "30 and under",
                "30 and younger",
                "(-inf, 30]",
                "(-inf, 30.0]",
                "(-Inf,30]",
                "(-∞, 30]",
                "[-inf, 30]",
                "age <= 30",
                "x<=30",
                "Up to 30",
            ],
        ),
        (
            &["18", "19", "20", "21", "25", "29"],
            &[
                "<30",
                "< 30",
                "under 30",
                "below 30",
                "less than 30",
                "(-inf, 30)",
                "[-inf, 30)",
                "younger than 30",
            ],
        ),
        (
            &["90", "97"],
            &[
                ">=90",
                ">= 90",
                "=>90",
                "≥90",
                "≥ 90",
                "90+",
                "90 +",
                "90 and over",
                "90 and above",
                "90 or more",
                "90 or older",
                "at least 90",
                "[90, inf)",
                "[90, inf]",
                "[90,Inf)",
                "[90, ∞)",
                "[90, +inf)",
                "90 plus",
                "90+ years",
                "from 90",
                "x >= 90",
                "age>=90",
                "[90, infinity)",
                "[90, *)",
            ],
        ),
        (
            &["97"],
            &[
                ">90",
                "> 90",
                "over 90",
                "above 90",
                "more than 90",
                "(90, inf)",
                "(90,Inf]",
                "older than 90",
            ],
        ),
        (AGES, &["*", "**", "*****", "", "NA", "(-inf, inf)", "-inf-97"]),
        (&["20"], &["20", "20.0", "{20}", "[20]", "20-20", "[20, 20]", "{'20'}", "20 "]),
        (
            &["20", "30"],
            &[
                "{20, 30}",
                "20|30",
                "20;30",
                "{20;30}",
                "20 or 30",
                "{'20', '30'}",
                "20,30,77",
                "frozenset({20, 30})",
            ],
        ),
    ];
    let mut spellings = 0;
    for (expected, labels) in table {
        for label in *labels {
            if *label == "(-inf, inf)" {
                continue;
            }
            assert_eq!(contained(AGES, label, &plain()), *expected, "{label}");
            spellings += 1;
        }
    }
    assert!(spellings >= 120, "{spellings}");
}

#[test]
fn sets_of_words() {
    let both = ["Oslo", "Rome"];
    for label in [
        "{Oslo, Rome}",
        "{'Oslo', 'Rome'}",
        "{\"Oslo\", \"Rome\"}",
        "{Oslo,Rome}",
        "{Oslo;Rome}",
        "{Oslo|Rome}",
        "[Oslo, Rome]",
        "['Oslo', 'Rome']",
        "[\"Oslo\",\"Rome\"]",
        "(Oslo, Rome)",
        "('Oslo', 'Rome')",
        "Oslo,Rome",
        "Oslo, Rome",
        "Oslo|Rome",
        "Oslo | Rome",
        "Oslo;Rome",
        "Oslo; Rome",
        "Oslo/Rome",
        "Oslo / Rome",
        "Oslo~Rome",
        "Oslo or Rome",
        "Oslo and Rome",
        "Oslo+Rome",
        "Oslo & Rome",
        "Oslo_Rome",
        "Oslo-Rome",
        "Oslo ∪ Rome",
        "frozenset({'Oslo', 'Rome'})",
        "c(\"Oslo\", \"Rome\")",
        "set(['Oslo', 'Rome'])",
        " Oslo,Rome ",
    ] {
        assert_eq!(contained(CITIES, label, &plain()), both, "{label}");
    }
    for label in [
        "{'Oslo', \"St. John's\", 'New York'}",
        "Oslo,New York,St. John's",
        "Oslo~New York~St. John's",
    ] {
        assert_eq!(
            contained(CITIES, label, &plain()),
            ["Oslo", "New York", "St. John's"],
            "{label}"
        );
    }
    for label in ["{'Oslo'}", "['Oslo']", "('Oslo',)", "{Oslo}"] {
        assert_eq!(contained(CITIES, label, &plain()), ["Oslo"], "{label}");
    }
    // An element may hold the separator.
    let people = ["Doe, Jo", "Roe, Al", "Poe"];
    for label in
        ["Doe, Jo,Roe, Al", "{'Doe, Jo', 'Roe, Al'}", "Doe, Jo|Roe, Al", "Doe, Jo, Roe, Al"]
    {
        assert_eq!(contained(&people, label, &plain()), people[..2], "{label}");
    }
    // What is written like a value is that value.
    let marital = ["Never-married", "Never", "married", "Civ-spouse", "a|b", "a", "b"];
    assert_eq!(contained(&marital, "Never-married", &plain()), ["Never-married"]);
    assert_eq!(contained(&marital, "a|b", &plain()), ["a|b"]);
}

#[test]
fn masked_codes() {
    for (label, expected) in [
        ("537**", &CODES[..3]),
        ("537*", &CODES[..3]),
        ("537xx", &CODES[..3]),
        ("537XX", &CODES[..3]),
        ("537##", &CODES[..3]),
        ("537??", &CODES[..3]),
        ("537__", &CODES[..3]),
        ("537••", &CODES[..3]),
        ("537..", &CODES[..3]),
        ("537--", &CODES[..3]),
        ("**711", &["53711", "54711", "63711"]),
        ("*711", &["53711", "54711", "63711"]),
        ("5**11", &["53711", "54711"]),
        ("5*11", &["53711", "54711"]),
        ("xx711", &["53711", "54711", "63711"]),
        ("{537**, 547**}", &["53711", "53712", "53799", "54711"]),
        ("53711|547**", &["53711", "54711"]),
    ] {
        assert_eq!(contained(CODES, label, &plain()), expected, "{label}");
    }
    let icd = ["A01", "A15.1", "B20", "B99.9", "C34"];
    for label in ["A00-B99", "A00–B99", "[A00-B99]", "A00 to B99", "A00..B99"] {
        assert_eq!(contained(&icd, label, &plain()), icd[..4], "{label}");
    }
}

#[test]
fn decimal_commas_dates_and_orders() {
    let mut german = plain();
    let style = NumberStyle { point: ',', groups: Some('.') };
    german.told.insert("q".to_owned(), ColumnFormat { style, ..ColumnFormat::default() });
    let sums = ["1,5", "2,5", "19,9", "1.000,5"];
    for label in
        ["1,5-19,9", "[1,5; 19,9]", "1,5 bis 19,9", "(1.4, 20.0]", "1,5..19,9", "[1,5 - 19,9]"]
    {
        assert_eq!(contained(&sums, label, &german), sums[..3], "{label}");
    }

    let mut days = plain();
    days.dates.insert("q".to_owned(), DateForm::new("y-m-d").unwrap());
    let dates = ["2018-03-31", "2018-04-01", "2018-04-30", "2018-05-01"];
    for (label, expected) in [
        ("2018-04-01 - 2018-04-30", &dates[1..3]),
        ("2018-04-01/2018-04-30", &dates[1..3]),
        ("[2018-04-01, 2018-04-30]", &dates[1..3]),
        ("[2018-04-01, 2018-05-01)", &dates[1..3]),
        ("(2018-03-31, 2018-04-30]", &dates[1..3]),
        ("2018-04-01..2018-04-30", &dates[1..3]),
        ("2018-04-01 to 2018-04-30", &dates[1..3]),
        ("2018-04 to 2018-05", &dates[1..]),
        (">=2018-04-30", &dates[2..]),
        ("<2018-04-01", &dates[..1]),
        ("2018-04-01,2018-04-30", &[dates[1], dates[2]]),
        ("{2018-04-01, 2018-05-01}", &[dates[1], dates[3]]),
    ] {
        assert_eq!(contained(&dates, label, &days), expected, "{label}");
    }

    let mut school = plain();
    let degrees = ["School", "Bachelor", "Master", "Doctor"];
    school.orders.insert("q".to_owned(), degrees.map(str::to_owned).into());
    for label in
        ["Bachelor-Doctor", "[Bachelor, Doctor]", "Bachelor to Doctor", "{Bachelor, ..., Doctor}"]
    {
        assert_eq!(contained(&degrees, label, &school), degrees[1..], "{label}");
    }
    assert_eq!(contained(&degrees, "[Bachelor, Doctor)", &school), degrees[1..3]);
}

#[test]
fn a_label_that_cannot_be_read_is_never_called_untruthful() {
    for (values, labels) in [
        (
            AGES,
            &[
                "young",
                "30-20",
                "twenty",
                "20-30-40",
                "[20",
                "A..B",
                "20-",
                "{20, young}",
                "-",
                "<",
                "[,]",
            ][..],
        ),
        (
            CITIES,
            &[
                "Europe",
                "{Oslo, Europe}",
                "Oslo,Europe",
                "20-30",
                "[20-30]",
                "90+",
                "Os-Ro",
                "537xx",
                "<5",
            ],
        ),
    ] {
        for label in labels {
            let verdict = judged(values, label, values[1], &plain());
            let violation = only(&verdict, ViolationKind::UnknownLabel);
            let text = verdict.to_string();
            assert!(!text.contains("untruthful"), "{label}: {text}");
            for form in ["`[20, 30)`", "`537**`", "`a|b`", "cannot be read", "a given hierarchy"] {
                assert!(violation.message.contains(form), "{form}: {text}");
            }
            assert!(text.contains(label), "{text}");
        }
    }
}

#[test]
fn the_verdict_says_how_labels_were_read() {
    let original = "age,city\n20,Oslo\n25,Rome\n29,Oslo\n";
    let verdict = against(
        "age,city\n\"[20, 30)\",Oslo|Rome\n\"[20, 30)\",Oslo|Rome\n20-30,NA\n",
        original,
        &{ Requirements::new(1, ["age", "city"]) },
    );
    assert!(verdict.holds, "{verdict}");
    let notes = verdict.notes.join("\n");
    for part in [
        "column `age` was read as follows: `20-30` as a range with both ends; `[20, 30)` as a range without its upper end",
        "column `city` was read as follows: `Oslo|Rome` as a set of values; `NA` as a suppressed value",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
    // Our own labels need no explanation.
    let own = against(
        "age,city\n[20-29],\"{Oslo, Rome}\"\n",
        original,
        &Requirements::new(1, ["age", "city"]),
    );
    assert!(own.holds && own.notes.is_empty(), "{own}");
}

/// Of numbers with nothing but pairs behind a comma the pairs are ranges; with one longer label they are sets.
#[test]
fn pairs_are_ranges_unless_there_are_longer_sets() {
    let original = "q\n20\n25\n30\n";
    assert!(against("q\n\"20,30\"\n\"20,30\"\n\"20,30\"\n", original, &plain()).holds);
    let sets = against("q\n\"20,30\"\n\"20,30\"\n\"20,25,30\"\n\"20,30\"\n", original, &plain());
    assert!(!sets.holds, "{sets}");
    assert!(against("q\n\"20,30\"\n\"20,30\"\n\"20,25,30\"\n", original, &plain()).holds);
}

#[test]
fn the_ends_of_an_order_are_found_by_their_looks() {
    let values = ["$", "a\tb", "c", "d"];
    let mut asked = plain();
    asked.orders.insert("q".to_owned(), values.map(str::to_owned).into());
    assert_eq!(contained(&values, "{a b, ..., c}", &asked), ["a\tb", "c"]);
    assert_eq!(contained(&values, "{a\tb, ..., c}", &asked), ["a\tb", "c"]);
}

/// A value may be written like a set, and one that is told by the order may have no row left.
#[test]
fn odd_values_are_found_in_their_own_labels() {
    let values = ["{a, b}", "*", "01"];
    let mut asked = plain();
    assert_eq!(contained(&values, "{a, b}", &asked), ["{a, b}"]);
    asked.orders.insert("q".to_owned(), ["*", "-", "01", "{a, b}"].map(str::to_owned).into());
    assert_eq!(contained(&values, "{*, -, 01}", &asked), ["*", "01"]);
}
