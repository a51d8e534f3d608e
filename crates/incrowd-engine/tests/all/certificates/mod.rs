//! Certificates of the engine's searches, checked; damaged ones, refused.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod adult;
#[path = "../../../../incrowd-check/tests/all/brute_force.rs"]
mod brute_force;
mod case;
mod groups;
mod mutations;

use case::{Case, Certificate, Search};
use incrowd_testing::{LinearRng, cases};

/// All that a search claims is confirmed, and is the least cost of all releases.
#[test]
fn certificates_of_random_tables_are_confirmed() {
    let mut checked = 0;
    for seed in 0..u64::from(cases(5_000)) {
        let mut random = LinearRng::new(seed);
        let case = Case::random(&mut random);
        for search in Search::ALL {
            let Some(certificate) = case.certificate(search) else { continue };
            let confirmed = incrowd_check::check(case.text().as_bytes(), &certificate.file()[..]);
            let confirmed =
                confirmed.unwrap_or_else(|error| panic!("seed {seed}, {search:?}: {error}"));
            let least = brute_force::least(&confirmed.question, &case.rows);
            let claim = confirmed.question.claim;
            assert!(
                confirmed.holds(),
                "seed {seed}, {search:?}: {confirmed}; the least is {least:?}"
            );
            assert_eq!(Some(claim), least, "seed {seed}, {search:?}");
            assert_eq!(confirmed.bound, least, "seed {seed}, {search:?}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} certificates");
}

/// The first random case that a search writes a certificate about.
fn some(search: Search) -> (Case, Certificate) {
    let mut cases = (0..).map(|seed| Case::random(&mut LinearRng::new(seed)));
    let found = cases.find_map(|case| case.certificate(search).map(|it| (case, it)));
    found.unwrap()
}

#[test]
fn another_table_is_refused() {
    let (case, certificate) = some(Search::Optimal);
    let text = case.text();
    let other = format!("{text}{}\n", text.lines().nth(1).unwrap());
    let refused = incrowd_check::check(other.as_bytes(), &certificate.file()[..]);
    assert!(matches!(refused, Err(incrowd_check::Error::OtherTable)));
}

#[test]
fn a_higher_claim_is_refused() {
    let (case, mut certificate) = some(Search::KOptimize);
    let claim = certificate.head["claim"].as_u64().unwrap();
    certificate.head["claim"] = (claim + 1).into();
    let confirmed = incrowd_check::check(case.text().as_bytes(), &certificate.file()[..]).unwrap();
    assert!(!confirmed.holds());
    assert_eq!(confirmed.bound, Some(claim));
}
