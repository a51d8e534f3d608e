//! Releases that must be accepted.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::common;

use common::{PATIENTS, PATIENTS_RELEASED, against, patients, verify};
use incrowd_verify::{
    Distance, LabelHierarchy, Model, OverallSource, Requirements, SensitiveModel, SizeBucket,
    WildcardReading,
};

/// Figure 1 of paper 004.
const PEOPLE: &str = "age,zipcode\n24,53712\n25,53711\n30,53711\n30,53711\n32,53712\n32,53713\n";

#[test]
fn the_mondrian_example() {
    let verdict = against(PATIENTS_RELEASED, PATIENTS, &patients());
    assert!(verdict.holds, "{verdict}");
    assert_eq!((verdict.k, verdict.rows, verdict.classes), (Some(2), 6, 3));
    assert_eq!(verdict.reading, WildcardReading::Value);
    let original = verdict.original.unwrap();
    assert_eq!((original.matched, original.suppressed, original.unmatched), (6, 0, 0));
    assert_eq!(original.contained, ["age", "sex", "zip"]);
    assert_eq!(original.equal, ["disease"]);
    let sizes = verdict.sizes.unwrap();
    assert_eq!((sizes.min, sizes.median, sizes.mean, sizes.max), (2, 2.0, 2.0, 2));
    assert_eq!(sizes.histogram, [SizeBucket { from: 2, to: 3, classes: 3, rows: 6 }]);
    let risk = verdict.risk.unwrap();
    assert_eq!((risk.highest, risk.average, risk.unique), (0.5, 0.5, 0.0));
}

#[test]
fn a_regional_recoding() {
    let release = "age,zipcode\n[24-32],[53712-53713]\n[25-30],53711\n[25-30],53711\n\
                   [25-30],53711\n[24-32],[53712-53713]\n[24-32],[53712-53713]\n";
    let verdict = against(release, PEOPLE, &Requirements::new(3, ["age", "zipcode"]));
    assert!(verdict.holds, "{verdict}");
    assert_eq!((verdict.k, verdict.classes), (Some(3), 2));
}

#[test]
fn a_local_recoding_that_parts_equal_rows() {
    let release = "age,zipcode\n[24-30],[53711-53712]\n[24-30],[53711-53712]\n\
                   [24-30],[53711-53712]\n[30-32],[53711-53713]\n[30-32],[53711-53713]\n\
                   [30-32],[53711-53713]\n";
    let verdict = against(release, PEOPLE, &Requirements::new(3, ["age", "zipcode"]));
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.k, Some(3));
}

#[test]
fn suppressed_rows_are_counted() {
    let release = "age,sex,zip,disease\n[25-26],Male,53711,Flu\n[25-26],Male,53711,Brochitis\n";
    let original = against(release, PATIENTS, &patients()).original.unwrap();
    assert_eq!((original.rows, original.matched, original.suppressed), (6, 2, 4));

    let blank = "age,sex,zip,disease\n*,*,*,AIDS\n*,*,*,Flu\n";
    let verdict = against(blank, PATIENTS, &patients());
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.original.unwrap().blank, 2);
}

#[test]
fn every_kind_of_label() {
    let original = "job,country,weight,note\n\
                    \"cook, chief\",Cuba,1.50,a\nclerk,Peru,-3,b\nNA,India,2e2,c\n?,[1-2],,d\n";
    let release = "job,country,weight,note\n\
                   \"{\"\"cook, chief\"\", clerk}\",America,[-3-1.5],a\n\
                   \"{\"\"cook, chief\"\", clerk}\",America,[-3-1.5],b\n\
                   null,*,*,c\nN/A,[1-2],null,d\n";
    let mut requirements = Requirements::new(1, ["job", "country", "weight"]);
    let ladder = LabelHierarchy::from_rows([
        ["Cuba", "America", "*"],
        ["India", "Asia", "*"],
        ["Peru", "America", "*"],
    ]);
    requirements.ladders.insert("country".to_owned(), ladder.unwrap());
    let verdict = against(release, original, &requirements);
    assert!(verdict.holds, "{verdict}");
    let exact = "job,country,weight,note\nclerk,Peru,-3.0,b\nnull,{Asia},200,c\n";
    let verdict = against(exact, original, &requirements);
    assert!(verdict.holds, "{verdict}");
}

#[test]
fn sets_of_numbers_and_of_bins() {
    let original = "age,note\n16,a\n18,b\n25,c\n31.0,d\n";
    let release = "age,note\n\"{16, 31}\",a\n\"{[17-19], [24-26]}\",b\n\"{[17-19], [24-26]}\",c\n\"{16, 31}\",d\n";
    let requirements = Requirements::new(2, ["age"]);
    let verdict = against(release, original, &requirements);
    assert!(verdict.holds, "{verdict}");
    // What lies between the elements is not in the set.
    for wrong in [release.replace("31}", "30}"), release.replace("[17-19]", "[19-20]")] {
        assert!(!against(&wrong, original, &requirements).holds);
    }
}

#[test]
fn bounds_in_two_columns() {
    let original = "id,age,sex\n1,20,f\n2,25,f\n3,31,m\n4,,m\n";
    let mut requirements = Requirements::new(1, ["age", "sex"]);
    let release = "sex,age_min,age_max\nf,20,25\nf,20,25\nm,31,31\nm,,\n";
    let verdict = against(release, original, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.classes, 3);
    assert_eq!(verdict.original.unwrap().contained, ["age", "sex"]);
    requirements.k = 2;
    assert!(!against(release, original, &requirements).holds);
}

#[test]
fn means_can_be_left_unchecked() {
    let original = "age,sex\n20,f\n25,f\n";
    let mut requirements = Requirements::new(2, ["age", "sex"]);
    let release = "age,sex,weight\n22.5,f,1\n22.5,f,1\n";
    assert!(!against(release, original, &requirements).holds);
    requirements.unchecked = vec!["age".to_owned(), "weight".to_owned()];
    let verdict = against(release, original, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.original.as_ref().unwrap().unchecked, ["weight", "age"]);
    assert_eq!(verdict.notes, ["not compared with the original: weight, age"]);
    assert!(!against("age,sex\n22.5,m\n22.5,m\n", original, &requirements).holds);
}

#[test]
fn wildcards_find_a_larger_crowd_and_say_so() {
    let release = "a,b,s\n1,*,x\n1,2,y\n*,2,z\n3,2,z\n";
    let mut requirements = Requirements::new(2, ["a", "b"]);
    requirements.models = vec![SensitiveModel::new("s", Model::DistinctL(1))];
    assert_eq!(verify(release, &requirements).k, Some(1));
    requirements.wildcards = true;
    let verdict = verify(release, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(
        (verdict.k, verdict.reading, verdict.classes),
        (Some(2), WildcardReading::Wildcard, 4)
    );
    assert!(verdict.to_string().contains("the weaker reading"));
    assert!(verdict.notes[0].contains("with `*` matching anything only k is measured"));
}

#[test]
fn models_at_their_very_bounds() {
    let release = "q,s\n1,a\n1,b\n1,c\n2,a\n2,b\n2,c\n";
    let mut requirements = Requirements::new(3, ["q"]);
    requirements.models = [
        Model::DistinctL(3),
        Model::EntropyL(3.0),
        Model::RecursiveCL { c: 1.01, l: 3 },
        Model::TCloseness { t: 0.0, distance: Distance::Equal },
        Model::TCloseness { t: 0.0, distance: Distance::Ordered },
        Model::AlphaK(1.0 / 3.0),
        Model::BasicBeta(0.001),
        Model::EnhancedBeta(0.001),
        Model::DeltaDisclosure(0.001),
    ]
    .map(|model| SensitiveModel::new("s", model))
    .to_vec();
    let verdict = verify(release, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.models.len(), 9);
    assert_eq!(verdict.models[2].achieved, Some(1.0));
    assert_eq!(verdict.models[3].overall, Some(OverallSource::Release));
    assert_eq!(verdict.models[0].overall, None);
}

/// The salary example of Li, Li and Venkatasubramanian (2007): the distance between {3k, 4k, 5k}
/// and {3k, ..., 11k} is 0.375, that of {6k, 8k, 11k} is 0.167.
#[test]
fn the_ordered_distance_of_the_paper() {
    let release = "q,s\n1,3\n1,4\n1,5\n2,6\n2,8\n2,11\n3,7\n3,9\n3,10\n";
    let mut requirements = Requirements::new(3, ["q"]);
    let model = Model::TCloseness { t: 0.375, distance: Distance::Ordered };
    requirements.models = vec![SensitiveModel::new("s", model)];
    let verdict = verify(release, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert!((verdict.models[0].achieved.unwrap() - 0.375).abs() < 1e-12);

    // The same as words, in rows whose first appearance is not their order.
    let word = |salary: &str| format!("salary {salary}");
    let mut lines: Vec<String> =
        release.lines().map(|line| line.replace(',', ",salary ")).collect();
    lines[0] = "q,s".to_owned();
    lines[1..].reverse();
    requirements.models[0].order =
        Some(["3", "4", "5", "6", "7", "8", "9", "10", "11"].map(word).to_vec());
    let verdict = verify(&lines.join("\n"), &requirements);
    assert!((verdict.models[0].achieved.unwrap() - 0.375).abs() < 1e-12, "{verdict}");
    requirements.models[0].order = None;

    let second = "q,s\n2,6\n2,8\n2,11\n";
    let overall = (3..=11).map(|salary| (salary.to_string(), 1)).collect();
    requirements.models[0].overall = Some(overall);
    let verdict = verify(second, &requirements);
    assert!((verdict.models[0].achieved.unwrap() - 1.0 / 6.0).abs() < 1e-12, "{verdict}");
    assert_eq!(verdict.models[0].overall, Some(OverallSource::Given));
}

#[test]
fn the_original_gives_the_overall_distribution() {
    let original = "q,s\n1,a\n2,a\n3,b\n4,b\n";
    let release = "q,s\n[1-2],a\n[1-2],a\n";
    let mut requirements = Requirements::new(2, ["q"]);
    let model = Model::TCloseness { t: 0.5, distance: Distance::Equal };
    requirements.models = vec![SensitiveModel::new("s", model)];
    assert_eq!(verify(release, &requirements).models[0].achieved, Some(0.0));
    let verdict = against(release, original, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.models[0].achieved, Some(0.5));
    assert_eq!(verdict.models[0].overall, Some(OverallSource::Original));
}

#[test]
fn an_empty_release_holds() {
    let verdict = against("age,sex,zip,disease\n", PATIENTS, &patients());
    assert!(verdict.holds);
    assert_eq!((verdict.k, verdict.rows), (None, 0));
    assert_eq!(verdict.original.as_ref().unwrap().suppressed, 6);
    assert!(verdict.to_string().contains("no rows"));
    let mut requirements = patients();
    requirements.wildcards = true;
    assert_eq!(verify("age,sex,zip,disease\n", &requirements).k, None);
}

#[test]
fn a_verdict_as_json() {
    let json = serde_json::to_value(against(PATIENTS_RELEASED, PATIENTS, &patients())).unwrap();
    assert_eq!(json["holds"], true);
    assert_eq!(json["k"], 2);
    assert_eq!(json["reading"], "value");
    assert_eq!(json["original"]["suppressed"], 0);
    assert_eq!(json["violations"].as_array().unwrap().len(), 0);
}
