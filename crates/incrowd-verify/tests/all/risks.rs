//! Risks of whole releases, few known columns and populations: broken releases are refused, and what is reached is what
//! brute force counts.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use incrowd_verify::{
    CsvOptions, Population, Requirements, RiskBounds, RiskRequirement, Verdict, ViolationKind,
    verify_csv,
};

fn judged(csv: &str, risks: RiskBounds) -> Verdict {
    let mut requirements = Requirements::new(1, ["age", "sex"]);
    requirements.risks = risks;
    verify_csv(csv.as_bytes(), &CsvOptions::default(), &requirements).unwrap()
}

fn people(rows: &[(&str, &str, u64)]) -> Arc<Vec<(Vec<String>, u64)>> {
    let person =
        |&(age, sex, count): &(&str, &str, u64)| (vec![age.to_owned(), sex.to_owned()], count);
    Arc::new(rows.iter().map(person).collect())
}

const RELEASE: &str = "age,sex\n[20-29],F\n[20-29],F\n[20-29],F\n[30-39],F\n[30-39],F\n35,M\n";

#[test]
fn average_risks_are_counted() {
    // Three classes, six rows.
    for (most, holds) in [(0.5, true), (0.49, false)] {
        let verdict = judged(RELEASE, RiskBounds { average: Some(most), ..RiskBounds::default() });
        assert_eq!(verdict.holds, holds, "{verdict}");
        assert_eq!(verdict.risks[0].requirement, RiskRequirement::AverageRisk);
        assert_eq!(verdict.risks[0].achieved, Some(0.5));
        assert!(verdict.to_string().contains("average risk: 0.5, required at most"), "{verdict}");
        assert!(holds || verdict.violations[0].kind == ViolationKind::Risk);
    }
}

#[test]
fn shares_at_risk_are_counted() {
    // Above 0.4 are the classes of one and of two: three of six rows.
    for (share, threshold, holds) in [
        (0.5, 0.4, true),
        (0.49, 0.4, false),
        (0.2, 0.5, true),
        (0.1, 0.5, false),
        (0.0, 1.0, true),
    ] {
        let verdict = judged(
            RELEASE,
            RiskBounds { at_risk: Some((share, threshold)), ..RiskBounds::default() },
        );
        assert_eq!(verdict.holds, holds, "{share}@{threshold}: {verdict}");
    }
}

#[test]
fn people_who_fit_are_counted() {
    let population = |least| Population {
        // 25 is no released value, but lies in one; 45 lies in none.
        people: people(&[
            ("20", "F", 1),
            ("25", "F", 3),
            ("33", "F", 2),
            ("35", "M", 1),
            ("45", "M", 9),
        ]),
        least,
        ..Population::default()
    };
    for (least, holds) in [(1, true), (2, false)] {
        let risks = RiskBounds { population: Some(population(least)), ..RiskBounds::default() };
        let verdict = judged(RELEASE, risks);
        assert_eq!(verdict.holds, holds, "{verdict}");
        assert_eq!(verdict.risks[0].achieved, Some(1.0));
    }
    // The class of one is gone.
    let release = RELEASE.replace("35,M\n", "");
    let verdict =
        judged(&release, RiskBounds { population: Some(population(2)), ..RiskBounds::default() });
    assert!(verdict.holds, "{verdict}");
    // A blank is fitted by everybody of that sex; a value that nobody has by nobody.
    let release = "age,sex\n*,M\n";
    let verdict =
        judged(release, RiskBounds { population: Some(population(10)), ..RiskBounds::default() });
    assert!(verdict.holds, "{verdict}");
    let release = "age,sex\n60,M\n";
    let verdict =
        judged(release, RiskBounds { population: Some(population(1)), ..RiskBounds::default() });
    assert!(!verdict.holds, "{verdict}");
}

#[test]
fn presence_and_uniqueness_are_counted() {
    let population = |presence, unique| Population {
        people: people(&[("20", "F", 6), ("33", "F", 4), ("35", "M", 1)]),
        least: 0,
        presence,
        unique,
    };
    // Shares of a half, a half and all.
    for (range, holds) in [((0.5, 1.0), true), ((0.0, 0.9), false), ((0.6, 1.0), false)] {
        let risks =
            RiskBounds { population: Some(population(Some(range), None)), ..RiskBounds::default() };
        let verdict = judged(RELEASE, risks);
        assert_eq!(verdict.holds, holds, "{range:?} {verdict}");
    }
    // Whoever fits no class is surely not in the release.
    let release = RELEASE.replace("35,M\n", "");
    let risks = RiskBounds {
        population: Some(population(Some((0.1, 1.0)), None)),
        ..RiskBounds::default()
    };
    assert!(!judged(&release, risks).holds);
    for (share, holds) in [(0.2, true), (0.1, false)] {
        let risks =
            RiskBounds { population: Some(population(None, Some(share))), ..RiskBounds::default() };
        assert_eq!(judged(RELEASE, risks).holds, holds);
    }
}

#[test]
fn few_known_columns_are_counted() {
    // Two rows of each value, but one of each pair.
    let release = "age,sex\n1,F\n1,M\n2,F\n2,M\n";
    let known = |k, columns| RiskBounds { known: Some((k, columns)), ..RiskBounds::default() };
    assert!(judged(release, known(2, 1)).holds);
    let verdict = judged(release, known(2, 2));
    assert!(!verdict.holds);
    assert_eq!(verdict.violations[0].kind, ViolationKind::KnownColumns);
    assert!(verdict.to_string().contains("2 rows for every 2 known columns"), "{verdict}");
    // More columns than there are is all of them.
    assert!(!judged(release, known(2, 9)).holds);
    assert!(!judged(release, known(3, 1)).holds);
}

/// The fewest rows for any known columns, against counting row by row.
#[test]
fn known_columns_are_what_brute_force_counts() {
    let mut state = 7u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % end
    };
    for _ in 0..60 {
        let rows: Vec<Vec<u64>> =
            (0..4 + below(20)).map(|_| (0..4).map(|_| below(3)).collect()).collect();
        let columns = 1 + below(4) as usize;
        let names = ["a", "b", "c", "d"];
        let mut csv = names.join(",") + "\n";
        for row in &rows {
            let texts: Vec<String> = row.iter().map(u64::to_string).collect();
            csv.push_str(&(texts.join(",") + "\n"));
        }
        let mut fewest = u64::MAX;
        for set in (1u32..16).filter(|set| set.count_ones() as usize <= columns) {
            for row in &rows {
                let like =
                    |other: &&Vec<u64>| (0..4).all(|at| set >> at & 1 == 0 || other[at] == row[at]);
                fewest = fewest.min(rows.iter().filter(like).count() as u64);
            }
        }
        let mut requirements = Requirements::new(1, names);
        requirements.risks.known = Some((2, columns));
        let verdict = verify_csv(csv.as_bytes(), &CsvOptions::default(), &requirements).unwrap();
        assert_eq!(verdict.risks[0].achieved, Some(fewest as f64), "{columns}: {csv}");
        assert_eq!(verdict.holds, fewest >= 2);
    }
}

/// The same where `*` matches anything: rows count that might agree, whichever of the two is blank.
#[test]
fn known_columns_under_wildcards_are_what_brute_force_counts() {
    let mut state = 11u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % end
    };
    for _ in 0..60 {
        let rows: Vec<Vec<Option<u64>>> = (0..3 + below(16))
            .map(|_| (0..4).map(|_| Some(below(4)).filter(|&value| value < 3)).collect())
            .collect();
        let columns = 1 + below(4) as usize;
        let names = ["a", "b", "c", "d"];
        let mut csv = names.join(",") + "\n";
        for row in &rows {
            let text = |value: &Option<u64>| value.map_or("*".to_owned(), |it| it.to_string());
            let texts: Vec<String> = row.iter().map(text).collect();
            csv.push_str(&(texts.join(",") + "\n"));
        }
        let mut fewest = u64::MAX;
        for set in (1u32..16).filter(|set| set.count_ones() as usize <= columns) {
            for row in &rows {
                let agrees = |at: usize, other: &[Option<u64>]| match (row[at], other[at]) {
                    (Some(one), Some(other)) => one == other,
                    _ => true,
                };
                let like = |other: &&Vec<Option<u64>>| {
                    (0..4).all(|at| set >> at & 1 == 0 || agrees(at, other))
                };
                fewest = fewest.min(rows.iter().filter(like).count() as u64);
            }
        }
        let mut requirements = Requirements::new(1, names);
        requirements.risks.known = Some((2, columns));
        requirements.wildcards = true;
        let verdict = verify_csv(csv.as_bytes(), &CsvOptions::default(), &requirements).unwrap();
        assert_eq!(verdict.risks[0].achieved, Some(fewest as f64), "{columns}: {csv}");
        assert_eq!(verdict.holds, fewest >= 2);
        // Other risks need classes.
        requirements.risks.average = Some(0.5);
        assert!(verify_csv(csv.as_bytes(), &CsvOptions::default(), &requirements).is_err());
    }
}

/// Two people alone, a pair, and four: of 0.2 right and 1.8 wrong matches one in ten is right.
#[test]
fn uniques_of_the_population_are_estimated() {
    let release = "age,sex\n1,f\n2,f\n3,f\n3,f\n4,m\n4,m\n4,m\n4,m\n";
    for (share, holds) in [(0.025, true), (0.0249, false)] {
        let mut requirements = Requirements::new(1, ["age", "sex"]);
        requirements.risks.unique = Some((share, 0.1));
        let verdict =
            verify_csv(release.as_bytes(), &CsvOptions::default(), &requirements).unwrap();
        assert_eq!(verdict.holds, holds, "{share}");
        let reached = verdict.risks[0].achieved.unwrap();
        assert!((reached - 0.2 / 8.0).abs() < 1e-9, "{reached}");
    }
}

#[test]
fn senseless_requirements_are_refused() {
    let bad = [
        RiskBounds { average: Some(0.0), ..RiskBounds::default() },
        RiskBounds { at_risk: Some((2.0, 0.1)), ..RiskBounds::default() },
        RiskBounds { unique: Some((0.1, 0.0)), ..RiskBounds::default() },
        RiskBounds { known: Some((2, 0)), ..RiskBounds::default() },
        RiskBounds { population: Some(Population::default()), ..RiskBounds::default() },
    ];
    for risks in bad {
        let mut requirements = Requirements::new(1, ["age", "sex"]);
        requirements.risks = risks;
        assert!(verify_csv(RELEASE.as_bytes(), &CsvOptions::default(), &requirements).is_err());
    }
}
