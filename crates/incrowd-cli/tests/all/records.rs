//! People with several records, and attackers who know few columns: what random runs have found, each as a small table.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write as _;

use incrowd_testing::SeededRng;

use crate::common::{Ended, Folder};

fn table(header: &str, rows: impl Iterator<Item = String>) -> Folder {
    let folder = Folder::new();
    let mut text = format!("{header}\n");
    rows.for_each(|row| writeln!(text, "{row}").unwrap());
    folder.write("t.csv", text.as_bytes());
    folder
}

fn asked(folder: &Folder, options: &str) -> Ended {
    folder.run(&format!("anonymize t.csv {options} -m mondrian --seed 1 --json -o out.csv"))
}

/// The check that refuses a run, which writes nothing.
#[track_caller]
fn refused_by(folder: &Folder, options: &str) -> String {
    let ended = asked(folder, options);
    assert_eq!(ended.code, Some(2), "{options}: {ended:?}");
    assert!(!folder.path("out.csv").exists(), "{options}");
    let error = &ended.json()["error"];
    error["check"].as_str().unwrap_or_default().to_owned()
}

/// What follows from what shows in all records of a person, not in their first alone.
#[test]
fn columns_follow_in_all_records() {
    let visits = (0..600).map(|at| {
        let (person, visit) = (at / 10, at % 10);
        // Few come back in the next year, and nobody comes then for the first time.
        let year = if person % 8 == 0 && visit > 6 { 2021 } else { 2020 };
        let month = 1 + (person * 7 + visit * 5) % 12;
        format!("p{person},{year}-{month:02}-{:02},{year}", 1 + person % 28)
    });
    let folder = table("person,visit,visit_year", visits);
    let done = asked(&folder, "-k 5 --quasi visit --plain visit_year --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(["visit_year"]));
    // Few people with many records each.
    let groups = (0..270).map(|at| {
        let (person, age) = (at / 30, 30 + at % 7);
        format!("p{person},{age},{}", ["a", "b", "c"][(age - 30) / 3])
    });
    let folder = table("person,age,group", groups);
    let done = asked(&folder, "-k 4 --quasi age --plain group --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(["group"]));
    // What is somebody's own, and the same in all of their records, does not follow from where they live.
    let own = (0..600).map(|at| {
        let (person, visit) = (at / 5, at % 5);
        let ill = ["flu", "cold", "gout"][(person * person / 7) % 3];
        format!("p{person},{},{},{ill}", 20 + person / 2 + visit, 100 + person / 3)
    });
    let folder = table("person,age,zip,kind", own);
    let done = asked(&folder, "-k 3 --quasi age,zip --plain kind --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(null), "{done:#}");
}

/// A pseudonym links the rows of somebody as the number behind it does.
#[test]
fn replaced_numbers_link_rows() {
    let rows = |at: usize| {
        let (patient, ill) = (at / 3, ["flu", "cold", "gout"][at * 7 / 5 % 3]);
        format!("{patient:04},{},{},{ill}", at * 13 % 40, at * 11 % 17 % 2)
    };
    let folder = table("patient,days,sex,ill", (0..300).map(rows));
    let ask = "-k 5 --quasi days,sex --sensitive ill --identifying patient";
    for treated in ["pseudonym", "random", "last:4"] {
        for unit in ["", " --unit row"] {
            let options = format!("{ask} --treat patient={treated}{unit}");
            let check = refused_by(&folder, &options);
            assert!(["repeated-subjects", "subject-links"].contains(&check.as_str()), "{check}");
        }
    }
    asked(&folder, &format!("{ask} --treat patient=pseudonym --accept patient")).done();
    asked(&folder, ask).done();
}

/// Shares are those of people, each once, whatever narrows classes.
#[test]
fn models_count_people_once_beside_known_columns() {
    let houses = (0..20).flat_map(|house| {
        let age = 30 + house / 2 % 2;
        match house % 2 {
            0 => vec![format!("h{house},{age},cook,cold")],
            _ => vec![format!("h{house},{age},cook,flu"), format!("h{house},{age},nurse,flu")],
        }
    });
    let folder = table("house,age,job,ill", houses);
    let ask = "-k 2 --quasi age --plain job --narrowing job --sensitive ill --unit house";
    // All nurses have the flu, as half of all houses have.
    assert_ne!(asked(&folder, &format!("{ask} --t-closeness 0.4")).code, Some(0));
    asked(&folder, &format!("{ask} --t-closeness 0.6")).done();
    let people = (0..16).flat_map(|person| {
        let (age, job) = (30 + person % 2 * 10, ["cook", "nurse"][person / 8]);
        let other = ["cold", "gout", "cough", "angina"][person / 2 % 4];
        ["flu", other].map(|ill| format!("p{person},{age},{job},{ill}"))
    });
    let folder = table("person,age,job,ill", people);
    let ask = "-k 2 --quasi age --plain job --narrowing job --sensitive ill --unit person";
    // Everybody has the flu: no class is without it, and nobody is at fault.
    let ended = asked(&folder, &format!("{ask} --alpha 0.5"));
    assert!(ended.code == Some(1) && !ended.stdout.contains("fault of incrowd"), "{ended:?}");
    asked(&folder, &format!("{ask} --alpha 1")).done();
}

/// Whoever knows several rows of somebody meets several classes; in one box there is nothing to meet.
#[test]
fn rows_of_a_person_share_a_box() {
    let mut dice = SeededRng::new(7);
    let people: Vec<(usize, &str, &str)> = (0..150)
        .map(|_| {
            let ill = ["flu", "cold", "gout"][dice.below(3)];
            (20 + dice.below(60), ["f", "m"][dice.below(2)], ill)
        })
        .collect();
    let visits = (0..600).map(|at| {
        let (age, sex, ill) = people[at / 4];
        format!("P{},{age},{sex},{},{ill}", at / 4, 1 + dice.below(12))
    });
    let folder = table("patient,age,sex,month,ill", visits);
    let ask = "-k 4 --quasi age,sex,month --sensitive ill --l-diversity 2 --unit patient";
    let ended = asked(&folder, ask);
    assert_eq!(ended.json()["error"]["check"], "several-rows", "{ended:?}");
    let help = ended.json()["error"]["help"].as_str().unwrap().to_owned();
    let line = help.lines().last().unwrap().strip_prefix("incrowd ").unwrap().to_owned();
    assert!(line.ends_with(" --same-box"), "{line}");
    let done = folder.run(&line).done().json();
    assert_eq!((&done["method"], &done["verdict"]["holds"]), (&"same-box".into(), &true.into()));
    let checks = done["checks"].as_array().unwrap();
    let several = checks.iter().find(|check| check["id"] == "several-rows").unwrap();
    assert_eq!(several["status"], "passed");
    // All four rows of a patient carry the same labels.
    folder.run(&line.replace("--json", "--json --keep-order")).done();
    let released = folder.read("out.csv");
    let labels: Vec<&str> =
        released.lines().skip(1).map(|row| row.rsplit_once(',').unwrap().0).collect();
    assert_eq!(labels.len(), 600);
    assert!(labels.chunks(4).all(|rows| rows.iter().all(|label| *label == rows[0])));
    for wrong in ["--kind global", "-m datafly", "-m cells"] {
        let line = format!("anonymize t.csv {ask} --same-box {wrong} -o other.csv");
        let ended = folder.run(&line);
        assert_eq!(ended.code, Some(2), "{wrong}: {ended:?}");
        assert!(ended.stderr.contains("share a box"), "{}", ended.stderr);
    }
    let ended = folder.run("anonymize t.csv -k 4 --quasi age --same-box -o other.csv");
    assert!(ended.code == Some(2) && ended.stderr.contains("same-box needs a unit"), "{ended:?}");
}

/// What several checks refuse is reported at once, and one line fixes it.
#[test]
fn one_line_mends_what_several_checks_refuse() {
    let mut dice = SeededRng::new(11);
    let people: Vec<(usize, &str)> =
        (0..120).map(|_| (20 + dice.below(60), ["f", "m"][dice.below(2)])).collect();
    let visits = (0..480).map(|at| {
        let (age, sex) = people[at / 4];
        let year = 2010 + dice.below(10);
        format!(
            "{at},{},{age},{sex},{year},{},{:.3}",
            at / 4,
            year - age,
            0.001 * dice.below(99_999) as f64
        )
    });
    let folder = table("caseno,patient,age,sex,year,born,dose", visits);
    let ended = asked(&folder, "-k 4 --quasi age,sex --other plain");
    let error = ended.json()["error"].clone();
    assert_eq!(error["check"], "unnamed-columns", "{ended:?}");
    let message = error["message"].as_str().unwrap();
    for word in
        ["caseno: ", "besides, ", "together with `year` it reveals `age`", "rows are not people"]
    {
        assert!(message.contains(word), "{word}: {message}");
    }
    let line = error["help"].as_str().unwrap().lines().last().unwrap().to_owned();
    let done = folder.run(line.strip_prefix("incrowd ").unwrap()).done().json();
    assert_eq!(done["verdict"]["unit"], "patient", "{done:#}");
    let codes = done["warnings"].as_array().unwrap().iter();
    assert!(codes.clone().any(|it| it["code"] == "measured"), "{:?}", done["warnings"]);
}

/// A short seed steers the search, and the order of the rows is drawn from a key that nobody keeps.
#[test]
fn seeds_do_not_tell_the_order() {
    let rows = (0..200).map(|at| format!("{},{},{at}", at % 40, ["f", "m"][at / 3 % 2]));
    let folder = table("age,sex,score", rows);
    let ask = "anonymize t.csv -k 5 --quasi age,sex --plain score --accept score --seed 7 -o";
    let released = |more: &str, name: &str| {
        folder.run(&format!("{ask} {name} {more}")).done();
        let text = folder.read(name);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        (text, lines)
    };
    let (one, other) = (released("", "a.csv"), released("", "b.csv"));
    assert!(one.0 != other.0 && one.1 == other.1);
    let kept = [released("--seed-file key", "c.csv"), released("--seed-file key", "d.csv")];
    assert!(kept[0].0 == kept[1].0 && kept[0].1 == one.1);
}

/// Whoever knows few columns is counted with k, not with classes of one.
#[test]
fn few_known_columns_ask_for_k_everywhere() {
    let bands = (0..60).map(|at| {
        let age = 20 + at % 30;
        format!("{age},{},{},{}", ["f", "m"][at / 3 % 2], ["a", "b", "c"][at / 7 % 3], age / 10)
    });
    let folder = table("age,sex,ward,band", bands);
    let ask = "-k 5 --quasi age,sex,ward --known-columns 1 --max-suppressed all --other drop";
    assert_eq!(refused_by(&folder, &format!("{ask} --plain band")), "implied-columns");
    asked(&folder, ask).done();
    let ended = asked(&folder, &format!("{ask} --suppressed blank"));
    assert!(ended.code == Some(2) && !ended.stdout.contains("fault of incrowd"), "{ended:?}");
    // One row more than in the release before.
    let rows = |more: usize| {
        let all = (0..24).map(|at| (20 + at / 8 * 10, ["f", "m"][at % 2]));
        all.chain((0..more).map(|_| (30, "f"))).map(|(age, sex)| format!("{age},{sex}"))
    };
    let folder = table("age,sex", rows(0));
    asked(&folder, "-k 3 --quasi age,sex --known-columns 1").done();
    std::fs::rename(folder.path("out.csv"), folder.path("earlier.csv")).unwrap();
    let text: Vec<String> = ["age,sex".to_owned()].into_iter().chain(rows(1)).collect();
    folder.write("t.csv", text.join("\n").as_bytes());
    let ask = "-k 3 --quasi age,sex --known-columns 1 --earlier earlier.csv";
    assert_eq!(refused_by(&folder, ask), "earlier-releases");
}

/// One person is not several because a program has written a number with a fraction.
#[test]
fn units_are_written_in_one_way() {
    let row =
        |at: usize, number: String| format!("{number},{},{}", 30 + at % 3, ["f", "m"][at % 2]);
    let twice = (0..24).flat_map(|at| [row(at, at.to_string()), row(at, format!("{at}.0"))]);
    let folder = table("person,age,sex", twice);
    let ask = "-k 3 --quasi age,sex --unit person";
    assert_eq!(refused_by(&folder, ask), "subject-links");
    let once = (0..24).flat_map(|at| [row(at, at.to_string()), row(at, at.to_string())]);
    asked(&table("person,age,sex", once), ask).done();
}

/// Whoever knows all rows of somebody sees which values their classes have in common.
#[test]
fn classes_of_a_person_are_intersected() {
    let visits = |constant: bool| {
        let mut dice = SeededRng::new(3);
        let people = (0..300).flat_map(|person| {
            let (age, ill) = (20 + dice.below(50), dice.below(5));
            let visit = |_| {
                let ill = if constant { ill } else { dice.below(5) };
                let ill = ["flu", "cold", "gout", "cough", "angina"][ill];
                format!("p{person},{age},z{},{ill}", dice.below(12))
            };
            (0..3).map(visit).collect::<Vec<_>>()
        });
        people.collect::<Vec<_>>().into_iter()
    };
    let ask = "-k 3 --quasi age,place --sensitive ill --l-diversity 2 --unit person";
    let folder = table("person,age,place,ill", visits(true));
    assert_eq!(refused_by(&folder, ask), "several-rows");
    // What changes from visit to visit is not intersected.
    asked(&table("person,age,place,ill", visits(false)), ask).done();
}
