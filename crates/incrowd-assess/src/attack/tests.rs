#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;

/// People with an age, a zip, a sex and a disease that depends on the age.
fn people(count: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..count {
        let age = random.random_range(0..80u32);
        let disease =
            if random.random_range(0..3u32) > 0 { age / 20 } else { random.random_range(0..6u32) };
        let row = [age, random.random_range(0..40u32), random.random_range(0..2u32), disease];
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    columns
}

const VALUES: [u32; 4] = [80, 40, 2, 6];

/// A release that shows groups of so many neighbouring values.
fn grouped(original: &[Vec<u32>], release: &[Vec<u32>], widths: [u32; 4]) -> AttackTables {
    let columns = ["age", "zip", "sex", "disease"].iter().zip(VALUES).zip(widths);
    let columns = columns.map(|((name, values), width)| SharedColumn {
        name: (*name).to_owned(),
        numbers: (0..values).map(|value| (*name == "age").then_some(f64::from(value))).collect(),
        labels: (0..values)
            .step_by(width as usize)
            .map(|low| ReleasedLabel {
                ranges: vec![(low, (low + width - 1).min(values - 1))],
                number: None,
            })
            .collect(),
    });
    let release = release.iter().zip(widths);
    AttackTables {
        columns: columns.collect(),
        release: release.map(|(rows, width)| rows.iter().map(|it| it / width).collect()).collect(),
        original: original.to_vec(),
        control: None,
    }
}

fn options() -> AttackOptions {
    AttackOptions::new()
        .with_known(["age", "zip", "sex"].map(str::to_owned).into())
        .with_secret(vec!["disease".to_owned()])
        .with_attempts(400)
}

fn run(tables: &AttackTables, options: &AttackOptions) -> AttackReport {
    attack(tables, options, &Control::new()).unwrap()
}

fn both(tables: &AttackTables) -> [AttackReport; 2] {
    let with = AttackTables { control: Some(people(900, 77)), ..tables.clone() };
    [run(tables, &options()), run(&with, &options())]
}

#[test]
fn a_copy_gives_people_away() {
    let original = people(1_000, 1);
    for report in both(&grouped(&original, &original, [1; 4])) {
        assert!(report.found && report.singling_out.low > 0.3, "{report:?}");
        assert!(report.linkability.is_some());
        assert!(report.inference[0].outcome.low > 0.1, "{report:?}");
    }
}

#[test]
fn a_coarse_release_with_lonely_people_gives_them_away() {
    let original = people(1_000, 2);
    for report in both(&grouped(&original, &original, [4, 4, 1, 1])) {
        assert!(report.singling_out.is_found(), "{report:?}");
    }
}

#[test]
fn crowds_give_nobody_away() {
    let original = people(1_000, 3);
    // 4 * 2 * 2 groups of about 60 people each.
    for report in both(&grouped(&original, &original, [20, 20, 1, 1])) {
        assert!(!report.found, "{report:?}");
        assert_eq!(report.singling_out.attack.hits, 0);
    }
}

/// Rows that have nothing to do with the people of the original, but come from where they come from.
#[test]
fn other_people_give_nobody_away() {
    // Of a hundred reports at a confidence of 99 % chance alone finds something in about one, for each attack.
    let (mut all, mut found) = (0, Vec::new());
    for seed in 20..32 {
        let rows = [1_000, 300, 100, 2_000][seed as usize % 4];
        for widths in [[1; 4], [4, 4, 1, 1], [20, 20, 1, 1]] {
            let tables = grouped(&people(1_000, seed), &people(rows, seed + 100), widths);
            for report in both(&tables) {
                all += 1;
                if report.found {
                    found.push(format!("{seed} {widths:?} {report:?}"));
                }
            }
        }
    }
    assert!(20 * found.len() <= all, "{} of {all}: {found:#?}", found.len());
}

#[test]
fn numbers_that_were_shaken_are_still_near() {
    let original = people(1_000, 5);
    let mut tables = grouped(&original, &original, [1; 4]);
    // Every age a little off, so that no label contains it.
    for (at, label) in tables.columns[0].labels.iter_mut().enumerate() {
        *label = ReleasedLabel { ranges: Vec::new(), number: Some(at as f64 + 0.25) };
    }
    for report in both(&tables) {
        assert_eq!(report.singling_out.attack.hits, 0);
        assert!(report.inference[0].outcome.is_found(), "{report:?}");
    }
}

#[test]
fn the_same_seed_makes_the_same_guesses() {
    let original = people(300, 6);
    let tables = grouped(&original, &original, [8, 10, 1, 1]);
    assert_eq!(run(&tables, &options()), run(&tables, &options()));
    let more = options().with_attempts(u64::MAX);
    assert_eq!(run(&tables, &more).singling_out.attack.tries, 300);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let original = people(20, 7);
    let tables = grouped(&original, &original, [1; 4]);
    let refused = |tables: &AttackTables, options: &AttackOptions| {
        attack(tables, options, &Control::new()).unwrap_err()
    };
    let unknown = options().with_known(vec!["job".to_owned()]);
    assert!(refused(&tables, &unknown).to_string().contains("`job` is not in both"));
    assert!(refused(&tables, &options().with_attempts(0)).to_string().contains("no attempts"));
    assert!(refused(&tables, &options().with_confidence(1.0)).to_string().contains("confidence"));
    let none = AttackTables {
        columns: Vec::new(),
        release: Vec::new(),
        original: Vec::new(),
        control: None,
    };
    assert!(refused(&none, &options()).to_string().contains("no column"));
    let empty = AttackTables { control: Some(vec![Vec::new(); 4]), ..tables.clone() };
    assert!(refused(&empty, &options()).to_string().contains("control group has no rows"));
    let cancel = incrowd_engine::CancelToken::new();
    let stopped = Control::new().with_cancel(&cancel);
    cancel.cancel();
    assert!(attack(&tables, &options(), &stopped).is_err());
    // One known column leaves nothing to link.
    let one = options().with_known(vec!["age".to_owned()]);
    assert_eq!(run(&tables, &one).linkability, None);
}

#[test]
fn the_surest_guesses_are_right_more_often() {
    let original = people(1_000, 8);
    // Diseases of few are seen, but most people hide.
    let tables = grouped(&original, &original, [4, 4, 1, 1]);
    for report in both(&tables) {
        let names: Vec<String> = report.precision.iter().map(AttackPrecision::name).collect();
        assert_eq!(names, ["linkability", "inference of disease"]);
        for (precision, outcome) in report
            .precision
            .iter()
            .zip(report.linkability.iter().chain([&report.inference[0].outcome]))
        {
            let recalls: Vec<f64> = precision.best.iter().map(|best| best.recall).collect();
            assert_eq!(recalls, [0.01, 0.1, 1.0]);
            // About everybody it is the share that the attack has.
            let all = precision.best[2];
            assert_eq!((all.precision, all.control), (outcome.attack, outcome.control));
            for best in &precision.best {
                let expected = anonymity_loss(
                    (best.precision.share, best.recall),
                    (best.control.share, best.recall),
                );
                assert!((best.anonymity_loss - expected).abs() < 1e-12);
            }
        }
        let best = &report.precision[1].best;
        assert!(best[0].precision.share == 1.0, "{report:?}");
        assert!(best[1].precision.share > best[2].precision.share, "{report:?}");
    }
}

#[test]
fn a_crowd_leaves_no_sure_guess() {
    let original = people(2_000, 9);
    let tables = grouped(&original, &original, [80, 40, 1, 1]);
    for report in both(&tables) {
        let best = report.precision[1].best[2];
        assert!(best.anonymity_loss.abs() < 0.3, "{report:?}");
    }
}
