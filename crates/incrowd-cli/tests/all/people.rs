//! Requirements that count people, through the real binary: weights and subjects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use incrowd_testing::LinearRng;

use crate::common::Folder;

/// The survey of the guide.
fn survey() -> Folder {
    let folder = Folder::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey.csv");
    folder.write("survey.csv", &std::fs::read(path).unwrap());
    folder
}

/// The rows of a table, by column.
fn records(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    lines.map(|line| names.iter().cloned().zip(fields(line)).collect()).collect()
}

const MAP: &str = "--k-map survey.csv --population-weight weight";

#[test]
fn weights_are_rounded_without_losing_people() {
    let folder = survey();
    let ask = format!(
        "anonymize survey.csv -k 500 {MAP} --survey-weight weight --quasi age,sex,region,work \
         --other drop --bins age=10@10 --effort quick -o public.csv"
    );
    let told = folder.typed(&ask).done();
    // The weights add up to 117,687.5.
    assert!(told.stdout.contains("117,687 people"), "{}", told.stdout);
    // Whoever checks it names the columns in another order, and finds the same people.
    let check = format!("verify public.csv -k 500 {MAP} --unchecked weight --quasi");
    for quasi in ["age,sex,region,work,weight", "work,weight,sex,age,region"] {
        folder.typed(&format!("{check} {quasi}")).done();
    }
    let failing =
        folder.typed(&format!("{check} age,sex,region,work,weight").replace("500", "90000"));
    assert_eq!(failing.code, Some(1), "{failing:?}");
}

#[test]
fn a_survey_weight_is_never_blank() {
    let folder = survey();
    let total: f64 = records(&folder.read("survey.csv"))
        .iter()
        .map(|row| row["weight"].parse::<f64>().unwrap())
        .sum();
    for how in ["--kind cells", "-m cover", "-m mu-argus"] {
        let ask = format!(
            "anonymize survey.csv -k 3 --survey-weight weight --quasi age,sex,region,work \
             --other drop {how} -o cells.csv"
        );
        folder.typed(&ask).done();
        let rows = records(&folder.read("cells.csv"));
        let sum: f64 = rows.iter().map(|row| row["weight"].parse::<f64>().unwrap()).sum();
        assert!((sum / total - 1.0).abs() < 1e-3, "{how}: {sum} of {total}");
        assert!(rows.iter().any(|row| row.values().any(|value| value == "*")), "{how}");
        let check = "verify cells.csv -k 3 --quasi age,sex,region,work,weight";
        folder.typed(check).done();
    }
}

/// Visits of patients, some of whom come often.
fn visits() -> String {
    let mut text = "patient,age,sex,ward\n".to_owned();
    let mut dice = LinearRng::new(4);
    for patient in 0..150 {
        let (age, sex) = (20 + dice.below(50), ["f", "m"][dice.below(2) as usize]);
        for visit in 0..1 + dice.below(5) {
            let ward = ["a", "b", "c", "d"][dice.below(4) as usize];
            writeln!(text, "P{patient:03},{},{sex},{ward}", age + visit).unwrap();
        }
    }
    text
}

/// The average risk of subjects, and the share of those above a risk: each at the smallest class of theirs.
fn subject_risks(rows: &[BTreeMap<String, String>], quasi: &[&str], tau: f64) -> (f64, f64) {
    let mut classes: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let key = quasi.iter().map(|name| row[*name].as_str()).collect();
        classes.entry(key).or_default().insert(&row["patient"]);
    }
    let mut risks: BTreeMap<&str, f64> = BTreeMap::new();
    for people in classes.values() {
        for who in people {
            let risk = risks.entry(who).or_default();
            *risk = risk.max(1.0 / people.len() as f64);
        }
    }
    let people = risks.len() as f64;
    let above = risks.values().filter(|&&risk| risk > tau + 1e-9).count() as f64;
    (risks.values().sum::<f64>() / people, above / people)
}

#[test]
fn risks_are_those_of_subjects_in_runs_verdicts_and_reports() {
    let folder = Folder::new();
    folder.write("visits.csv", visits().as_bytes());
    let quasi = ["age", "sex", "ward"];
    let rows = records(&folder.read("visits.csv"));
    let (average, above) = subject_risks(&rows, &quasi, 0.2);
    let risk = folder.typed("risk visits.csv --quasi age,sex,ward --unit patient --json");
    let told = risk.done().json();
    assert_eq!(told["rows"].as_u64().unwrap(), rows.len() as u64);
    assert_eq!(told["subjects"]["subjects"].as_u64().unwrap(), 150);
    let prosecutor = &told["prosecutor"];
    assert!((prosecutor["average"].as_f64().unwrap() - average).abs() < 1e-9, "{prosecutor}");
    assert!((prosecutor["share_at_risk"].as_f64().unwrap() - above).abs() < 1e-9);

    let check = "verify visits.csv -k 1 --unit patient --quasi age,sex,ward --max-average-risk 1 \
                 --max-at-risk 100%@0.2 --json";
    let verdict = folder.typed(check).done().json();
    let reached = |at: usize| verdict["risks"][at]["achieved"].as_f64().unwrap();
    assert!((reached(0) - average).abs() < 1e-9 && (reached(1) - above).abs() < 1e-9, "{verdict}");
    assert!((verdict["risk"]["average"].as_f64().unwrap() - average).abs() < 1e-9, "{verdict}");

    // The run checks its release by the verifier, which knows the units that it does not show.
    let ask = "anonymize visits.csv -k 2 --unit patient --quasi age,sex,ward --other drop --effort quick \
               --max-average-risk 0.15 --max-at-risk 20%@0.25 -o out.csv --json";
    for kind in ["local", "global", "levels"] {
        let told = folder.typed(&format!("{ask} --kind {kind}")).done().json();
        let requirements = told["requirements"].as_array().unwrap();
        assert_eq!(requirements.len(), 2, "{kind}: {requirements:?}");
        for it in requirements {
            let (reached, most) =
                (it["achieved"].as_f64().unwrap(), it["required"].as_f64().unwrap());
            assert!(reached <= most + 1e-9, "{kind}: {it}");
        }
    }
}

#[test]
fn a_column_that_is_only_changed_has_no_role() {
    let folder = survey();
    let ask = "anonymize survey.csv -k 3 --quasi age,sex --round income=500 -o out.csv";
    let refused = folder.typed(ask);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`income` is undecided"), "{}", refused.stderr);
    assert!(!folder.path("out.csv").exists());
    let released = folder.typed(&format!("{ask} --plain income --accept income")).done();
    assert!(released.stdout.contains("Written"), "{}", released.stdout);
    // Checking it, the rounding is repeated, and no role is needed.
    let check = "verify out.csv -k 3 --quasi age,sex --original survey.csv --round income=500";
    folder.typed(check).done();
}

#[test]
fn a_batch_of_which_nothing_can_be_released_is_refused() {
    let folder = survey();
    let ask = "anonymize survey.csv -k 5 --quasi age,sex --other drop --kind global -o first.csv --recoding saved.json";
    folder.typed(ask).done();
    let few: String =
        folder.read("survey.csv").lines().take(4).map(|line| format!("{line}\n")).collect();
    folder.write("few.csv", few.as_bytes());
    let refused = folder.typed("apply saved.json few.csv -o second.csv");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("none of the 3 rows can be released"), "{}", refused.stderr);
    assert!(!folder.path("second.csv").exists());
}

#[test]
fn a_recoding_that_leaves_most_new_rows_out_says_so_with_the_remedy() {
    let folder = Folder::new();
    let row = |age: usize| format!("{age},{}\n", ["a", "b"][age % 2]);
    let all: String = (0..240).map(|at| row(20 + at % 60)).collect();
    folder.write("people.csv", format!("age,town\n{all}").as_bytes());
    let ask = "anonymize people.csv -k 4 --quasi age,town -o first.csv --recoding saved.json";
    folder.run(ask).done();
    // A few people as often as before, the others once.
    let new: String =
        (0..120).map(|at| row(if at < 40 { 20 + at % 10 } else { at % 50 + 30 })).collect();
    folder.write("new.csv", format!("age,town\n{new}").as_bytes());
    let told = folder.run("apply saved.json new.csv -o second.csv --json").done().json();
    let (released, suppressed) = (&told["released"], told["suppressed"].as_u64().unwrap());
    assert!(released.as_u64().unwrap() > 0 && suppressed > 60, "{told}");
    let warnings = told["warnings"].as_array().unwrap();
    let said = warnings.iter().find(|it| it["code"] == "most-rows-left-out").unwrap();
    let message = said["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("{suppressed} of 120 rows are left out")), "{message}");
    assert!(message.contains("--kind global"), "{message}");
    // Where most are released nothing is said of it.
    let told = folder.run("apply saved.json people.csv -o third.csv --json").done().json();
    let warnings = told["warnings"].as_array().unwrap();
    assert!(warnings.iter().all(|it| it["code"] != "most-rows-left-out"), "{told}");
}

#[test]
fn attacks_do_not_depend_on_the_order_of_rows() {
    let folder = survey();
    let ask = "anonymize survey.csv -k 3 --quasi age,sex,region --sensitive income --other drop --accept income \
               --effort quick -o out.csv --seed 1";
    folder.typed(ask).done();
    let shuffled = |name: &str, to: &str, seed: u64| {
        let text = folder.read(name);
        let mut lines: Vec<&str> = text.lines().collect();
        let mut dice = LinearRng::new(seed);
        for at in (2..lines.len()).rev() {
            lines.swap(at, 1 + dice.below(at as u64) as usize);
        }
        folder.write(to, (lines.join("\n") + "\n").as_bytes());
    };
    let told = |release: &str, original: &str| {
        let line = format!(
            "attack {release} --original {original} --known age,sex,region --secret income --attempts 300 --json"
        );
        let mut told = folder.typed(&line).json();
        told.as_object_mut().unwrap().remove("seconds");
        told
    };
    let first = told("out.csv", "survey.csv");
    for seed in 1..4 {
        shuffled("out.csv", "other.csv", seed);
        shuffled("survey.csv", "others.csv", seed + 9);
        assert_eq!(told("other.csv", "others.csv"), first, "seed {seed}");
    }
}

#[test]
fn one_class_is_one_class() {
    let folder = Folder::new();
    folder.write("one.csv", b"age\n*\n*\n*\n");
    let verdict = folder.typed("verify one.csv -k 3 --quasi age").done().stdout;
    assert!(verdict.contains("3 rows in 1 class of"), "{verdict}");
    let risk = folder.typed("risk one.csv --quasi age").done().stdout;
    assert!(risk.contains("3 rows in 1 class, "), "{risk}");
}
