//! Releases that must be refused, and what is said about them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::common;

use common::{PATIENTS, PATIENTS_RELEASED, against, only, patients, says, verify};
use incrowd_verify::{
    Distance, LabelHierarchy, Model, Requirements, SensitiveModel, Verdict, ViolationKind,
};

/// The patients' release with one piece replaced.
fn broken(from: &str, to: &str) -> Verdict {
    let release = PATIENTS_RELEASED.replacen(from, to, 1);
    assert_ne!(release, PATIENTS_RELEASED);
    against(&release, PATIENTS, &patients())
}

#[test]
fn a_class_of_k_minus_1() {
    let verdict = broken("[25-27],Female,53712,AIDS\n", "");
    let violation = only(&verdict, ViolationKind::SmallClass);
    assert_eq!((violation.classes, violation.rows), (1, 1));
    assert_eq!(violation.examples[0].rows, [5]);
    assert_eq!(violation.examples[0].measured, Some(1.0));
    says(
        violation,
        &["age = `[25-27]`", "sex = `Female`", "(row 5)", "a class of 1 where 2 are required"],
    );
    assert!(violation.message.contains("2-anonymity: not met by 1 class (1 row)"));
    assert_eq!(verdict.k, Some(1));
    assert!(verdict.to_string().contains("FAILS"));
}

#[test]
fn a_class_of_k_minus_1_with_many_rows() {
    let release: String = std::iter::once("q\n".to_owned())
        .chain((0..12).map(|_| "a\n".to_owned()))
        .chain((0..14).map(|row| format!("{row}\n")))
        .collect();
    let verdict = verify(&release, &Requirements::new(13, ["q"]));
    let violation = only(&verdict, ViolationKind::SmallClass);
    assert_eq!((violation.classes, violation.rows), (15, 26));
    assert_eq!(violation.examples.len(), 10);
    assert_eq!(violation.examples[0].rows, [13]);
    let one = verify(&release, &Requirements::new(2, ["q"]));
    assert_eq!(one.violations[0].classes, 14);
    let large = "q\n".to_owned() + &"a\n".repeat(12);
    let verdict = verify(&large, &Requirements::new(13, ["q"]));
    assert_eq!(verdict.violations[0].examples[0].rows, (1..=10).collect::<Vec<u64>>());
    says(&verdict.violations[0], &["and 2 more"]);
}

#[test]
fn a_crowd_too_small_even_with_wildcards() {
    let mut requirements = Requirements::new(3, ["a", "b"]);
    requirements.wildcards = true;
    let verdict = verify("a,b\n1,*\n1,2\n*,2\n3,3\n", &requirements);
    let violation = only(&verdict, ViolationKind::SmallClass);
    assert_eq!(verdict.k, Some(1));
    assert_eq!(violation.classes, 1);
    says(violation, &["a = `3`", "a crowd of 1 where 3 are required"]);
}

#[test]
fn an_untruthful_interval() {
    let verdict = broken("[25-26],Male,53711,Flu", "[26-27],Male,53711,Flu");
    assert_eq!(verdict.violations.len(), 2, "its class is now too small as well");
    let violation = &verdict.violations[1];
    assert_eq!(violation.kind, ViolationKind::UntruthfulValue);
    says(
        violation,
        &["age = `[26-27]`", "(row 3)", "untruthful", "the nearest original row 1 has age = `25`"],
    );
    assert_eq!(verdict.original.unwrap().unmatched, 1);
}

#[test]
fn an_invented_row() {
    let verdict = broken("disease\n", "disease\n[25-26],Male,53711,Cold\n");
    let violation = only(&verdict, ViolationKind::InventedRow);
    assert_eq!(violation.rows, 1);
    says(
        violation,
        &[
            "a changed value or an invented row",
            "rows with disease = `Cold` released: 1, in the original: 0",
            "(row 1)",
        ],
    );
}

#[test]
fn a_duplicated_row() {
    let row = "[25-26],Male,53711,Flu\n";
    let verdict = broken(row, &row.repeat(2));
    let violation = only(&verdict, ViolationKind::InventedRow);
    says(
        violation,
        &[
            "1 of rows 3, 4",
            "rows with disease = `Flu` released: 2, in the original: 1",
            "already taken",
        ],
    );
    let numbers = against("q\n1\n1\n2\n", "q\n1\n2\n3\n", &Requirements::new(1, ["q"]));
    says(only(&numbers, ViolationKind::InventedRow), &["needed for another released row"]);
    let more = against("q\n1\n1\n2\n", "q\n1\n2\n", &Requirements::new(1, ["q"]));
    says(only(&more, ViolationKind::InventedRow), &["rows released: 3, in the original: 2"]);
}

#[test]
fn a_changed_sensitive_value() {
    let verdict = broken("53711,Flu", "53711,AIDS");
    let violation = only(&verdict, ViolationKind::InventedRow);
    says(
        violation,
        &[
            "a changed value or an invented row",
            "rows with disease = `AIDS` released: 2, in the original: 1",
        ],
    );
}

#[test]
fn two_swapped_sensitive_values() {
    let release = PATIENTS_RELEASED.replace("Flu", "X").replace("AIDS", "Flu").replace('X', "AIDS");
    let verdict = against(&release, PATIENTS, &patients());
    let violation = only(&verdict, ViolationKind::UntruthfulValue);
    assert_eq!(violation.rows, 2);
    says(
        violation,
        &[
            "no original row with disease = `Flu` lies inside",
            "or a changed value",
            "the nearest original row 2 has disease = `Hepatitis`",
        ],
    );
}

#[test]
fn a_leaked_identifying_column() {
    let release =
        "name,age,sex,zip,disease\nAnn,[25-26],Male,53711,Flu\nCid,[25-26],Male,53711,Brochitis\n";
    let verdict = against(release, PATIENTS, &patients());
    let violation = only(&verdict, ViolationKind::IdentifyingColumn);
    assert_eq!(violation.message, "the identifying column `name` is in the release");
    assert_eq!(violation.column.as_deref(), Some("name"));
    assert_eq!(verify(release, &patients()).violations.len(), 1);
}

#[test]
fn a_column_from_nowhere() {
    let verdict = against("q,x\n1,5\n", "q\n1\n", &Requirements::new(1, ["q"]));
    let violation = only(&verdict, ViolationKind::UnknownColumn);
    assert!(violation.message.contains("no column `x`") && violation.message.contains("unchecked"));
}

#[test]
fn a_set_without_the_original() {
    let verdict = broken("[25-27],Female,53712,AIDS", "[25-27],\"{Male, Male}\",53712,AIDS");
    let violation = verdict.violations.last().unwrap();
    assert_eq!(violation.kind, ViolationKind::UntruthfulValue);
    says(violation, &["sex = `{Male, Male}`", "the nearest original row 5 has sex = `Female`"]);
    // Nobody knows who is Other.
    let verdict = broken("[25-27],Female,53712,AIDS", "[25-27],\"{Male, Other}\",53712,AIDS");
    assert_eq!(verdict.violations.last().unwrap().kind, ViolationKind::UnknownLabel);
}

#[test]
fn a_wrong_hierarchy_node() {
    let mut requirements = Requirements::new(2, ["country"]);
    let ladder = [["Cuba", "America", "*"], ["India", "Asia", "*"], ["Peru", "America", "*"]];
    let original = "country\nCuba\nIndia\nIndia\n";
    let release = "country\nAmerica\nAmerica\nIndia\nIndia\n";
    let short = "country\nAmerica\nAmerica\n";
    let unread = against(short, original, &requirements);
    let violation = only(&unread, ViolationKind::UnknownLabel);
    says(violation, &["`America` in column `country`", "give that hierarchy"]);

    requirements.ladders.insert("country".to_owned(), LabelHierarchy::from_rows(ladder).unwrap());
    let verdict = against(release, original, &requirements);
    says(only(&verdict, ViolationKind::InventedRow), &["1 of rows 1, 2"]);
    requirements.k = 1;
    let verdict = against("country\nAmerica\nAsia\n", "country\nIndia\nIndia\n", &requirements);
    let violation = only(&verdict, ViolationKind::UntruthfulValue);
    says(violation, &["country = `America`", "(row 1)", "has country = `India`"]);
}

#[test]
fn a_missing_value_in_an_interval() {
    let requirements = Requirements::new(2, ["age"]);
    let verdict = against("age,s\n[1-9],x\n[1-9],y\n", "age,s\n5,x\nNA,y\n", &requirements);
    let violation = only(&verdict, ViolationKind::UntruthfulValue);
    says(violation, &["age = `[1-9]`", "(row 2)", "the nearest original row 2 has age = `NA`"]);
    let bounds = against("age_min,age_max,s\n1,9,x\n1,9,y\n", "age,s\n5,x\nNA,y\n", &requirements);
    says(only(&bounds, ViolationKind::UntruthfulValue), &["age_min = `1`", "age_max = `9`"]);
    let unread = against("age_min,age_max,s\n1,,x\n1,,x\n", "age,s\n5,x\n6,x\n", &requirements);
    says(only(&unread, ViolationKind::UnknownLabel), &["`1` to ``"]);
}

#[test]
fn rows_true_one_by_one_but_not_together() {
    let original = "q,s\n1,x\n5,x\n9,x\n";
    let release = "q,s\n[1-4],x\n[1-4],x\n[1-9],x\n";
    let verdict = against(release, original, &Requirements::new(1, ["q"]));
    let violation = only(&verdict, ViolationKind::InventedRow);
    says(violation, &["1 of rows 1, 2", "needed for another released row"]);
    assert_eq!(verdict.original.unwrap().matched, 2);
}

/// Each model on a release whose class 1 breaks it and whose class 2 does not.
#[test]
fn each_model_violated() {
    let release = "q,s\n1,1\n1,1\n1,1\n1,2\n2,1\n2,2\n2,3\n2,4\n";
    for (model, measured, words) in [
        (Model::DistinctL(3), 2.0, "distinct 3-diversity of `s`: not met by 1 class (4 rows)"),
        (Model::EntropyL(2.0), 1.754765, "entropy 2-diversity"),
        (Model::RecursiveCL { c: 3.0, l: 2 }, 3.0, "recursive (3, 2)-diversity"),
        (Model::TCloseness { t: 0.2, distance: Distance::Equal }, 0.25, "0.2-closeness (equal"),
        (Model::TCloseness { t: 0.2, distance: Distance::Ordered }, 0.208333, "(ordered"),
        (Model::TCloseness { t: 0.2, distance: Distance::Hierarchical }, 0.25, "(hierarchical"),
        (Model::AlphaK(0.5), 0.75, "(0.5, k)-anonymity"),
        (Model::DeltaDisclosure(3.0), f64::INFINITY, "3-disclosure privacy"),
    ] {
        let mut requirements = Requirements::new(4, ["q"]);
        let ladder = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]];
        requirements.ladders.insert("s".to_owned(), LabelHierarchy::from_rows(ladder).unwrap());
        requirements.models = vec![SensitiveModel::new("s", model)];
        let verdict = verify(release, &requirements);
        let violation = only(&verdict, ViolationKind::Model);
        assert!(violation.message.contains(words), "{}", violation.message);
        let example = &violation.examples[0];
        let found = example.measured.unwrap();
        assert!(found == measured || (found - measured).abs() < 1e-6, "{model}: {found}");
        assert_eq!(verdict.models[0].achieved, Some(found));
        assert!(!verdict.models[0].holds);
        assert_eq!(example.rows, [1, 2, 3, 4]);
        says(violation, &["q = `1`"]);
    }
}

#[test]
fn likeness_and_disclosure_violated() {
    let release = "q,s\n1,1\n1,1\n1,1\n1,2\n2,1\n2,2\n2,3\n2,4\n";
    for (model, measured) in [(Model::BasicBeta(0.6), 1.0), (Model::EnhancedBeta(2.0), 1.0)] {
        let mut requirements = Requirements::new(4, ["q"]);
        requirements.models = vec![SensitiveModel::new("s", model)];
        let verdict = verify(release, &requirements);
        // Class 2 has the values 3 and 4 with q = 1/4, p = 1/8: a gain of 1. In class 1 the value 1
        // has q = 3/4, p = 1/2: a gain of 1/2, within -ln p = 0.69.
        if let Model::BasicBeta(_) = model {
            let violation = only(&verdict, ViolationKind::Model);
            says(violation, &["q = `2`", "beta = 1"]);
        } else {
            assert!(verdict.holds, "{verdict}");
        }
        assert_eq!(verdict.models[0].achieved, Some(measured));
    }
    let mut requirements = Requirements::new(1, ["q"]);
    requirements.models = vec![SensitiveModel::new("s", Model::EnhancedBeta(2.0))];
    let verdict = verify("q,s\n1,a\n1,a\n2,a\n2,b\n", &requirements);
    assert!(verdict.models[0].achieved.unwrap().is_infinite(), "1/3 is above -ln 3/4");
    requirements.models = vec![SensitiveModel::new("s", Model::DeltaDisclosure(0.4))];
    let verdict = verify("q,s\n1,a\n1,a\n1,b\n2,a\n2,b\n2,b\n", &requirements);
    says(only(&verdict, ViolationKind::Model), &["delta = 0.4055"]);
}

#[test]
fn missing_tokens_do_not_make_diversity() {
    let mut requirements = Requirements::new(2, ["q"]);
    requirements.models = vec![SensitiveModel::new("s", Model::DistinctL(2))];
    assert!(!verify("q,s\n1,NA\n1,?\n1,\n", &requirements).holds);
    assert!(!verify("q,s\n1,1.5\n1,1.50\n", &requirements).holds);
}

#[test]
fn a_refusal_as_json() {
    let json = serde_json::to_value(broken("53711,Flu", "53711,AIDS")).unwrap();
    assert_eq!(json["holds"], false);
    assert_eq!(json["violations"][0]["kind"], "invented_row");
    assert_eq!(json["violations"][0]["examples"][0]["values"][3]["value"], "AIDS");
}
