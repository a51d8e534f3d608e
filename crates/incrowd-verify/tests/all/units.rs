//! People rather than rows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_verify::{Model, Requirements, SensitiveModel, Verifier};

/// Three people with five visits each: every class is one person.
fn visits() -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    for person in 0..3 {
        for visit in 0..5 {
            let ill = ["flu", "cold", "gout"][(person + visit) % 3];
            rows.push([
                format!("p{person}"),
                format!("{}0-{}9", person, person),
                "f".into(),
                ill.into(),
            ]);
        }
    }
    rows
}

fn verdict(requirements: &Requirements, parts: usize) -> incrowd_verify::Verdict {
    let header = ["person", "age", "sex", "ill"];
    let mut all: Option<Verifier> = None;
    for part in 0..parts {
        let mut verifier = Verifier::new(&header, requirements).unwrap();
        verifier.set_part(part as u64).unwrap();
        for row in visits().iter().skip(part).step_by(parts) {
            verifier.push(row.iter().map(String::as_str)).unwrap();
        }
        let sent = verifier.to_collection();
        let verifier = Verifier::from_collection(&sent, requirements).unwrap();
        all = Some(match all {
            None => verifier,
            Some(all) => verifier.merge(all).unwrap(),
        });
    }
    all.unwrap().finish().unwrap()
}

#[test]
fn a_class_of_one_person_is_a_class_of_one() {
    let mut requirements = Requirements::new(5, ["age", "sex"]);
    requirements.models = vec![SensitiveModel::new("ill", Model::DistinctL(3))];
    assert!(verdict(&requirements, 1).holds, "by rows it looks fine");
    requirements.unit = Some("person".to_owned());
    for parts in [1, 2, 4] {
        let found = verdict(&requirements, parts);
        assert!(!found.holds && found.k == Some(1) && found.units == Some(3), "{found}");
        assert_eq!(found.risk.as_ref().unwrap().highest, 1.0);
        assert!(found.to_string().contains("a class of 1 different values of `person`"), "{found}");
    }
}

#[test]
fn models_count_people() {
    let header = ["person", "age", "ill"];
    // Four people; one has the flu in three rows, which makes no further people ill.
    let rows = [
        ["a", "*", "flu"],
        ["a", "*", "flu"],
        ["a", "*", "flu"],
        ["b", "*", "cold"],
        ["c", "*", "cold"],
        ["d", "*", "gout"],
        ["d", "*", "cold"],
    ];
    let measured = |model: Model| {
        let mut requirements = Requirements::new(4, ["age"]);
        requirements.unit = Some("person".to_owned());
        requirements.models = vec![SensitiveModel::new("ill", model)];
        let mut verifier = Verifier::new(&header, &requirements).unwrap();
        rows.iter().for_each(|row| verifier.push(row.iter().copied()).unwrap());
        let verdict = verifier.finish().unwrap();
        assert_eq!(verdict.k, Some(4));
        verdict.models[0].achieved.unwrap()
    };
    assert_eq!(measured(Model::AlphaK(0.5)), 0.75);
    assert_eq!(measured(Model::DistinctL(3)), 3.0);
    // By people 1 has the flu, 3 a cold, 1 gout.
    assert_eq!(measured(Model::RecursiveCL { c: 4.0, l: 2 }), 1.5);
}
