//! A picture of a release says no more than the release.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::case::case;
use common::solve;
use incrowd::release::Picture;
use incrowd::value::BLANK;
use incrowd::{Problem, Release, Suppressed, Table};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_picture_names_what_the_release_names_and_counts_at_least_k(case in case()) {
        let problem = Problem::of_table(&case.spec, &case.table).unwrap();
        let solution = solve(case.method, &case.options, &problem);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let release = Release::new(&problem, recoding, Suppressed::Drop);
        let picture = Picture::new(&problem, recoding, &release);
        let released = release.rows();

        prop_assert_eq!((picture.before.rows, picture.after.rows), (released, released));
        prop_assert_eq!(picture.sizes.iter().map(|bar| bar.before).sum::<u64>(), released);
        prop_assert_eq!(picture.sizes.iter().map(|bar| bar.after).sum::<u64>(), released);
        for bar in &picture.sizes {
            prop_assert!(bar.from <= bar.to);
            prop_assert!(bar.after == 0 || bar.to >= problem.privacy.k, "{:?}", bar);
        }
        for (at, attribute) in picture.attributes.iter().enumerate() {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&attribute.kept), "{:?}", attribute);
            let numeric = problem.attributes[at].domain.is_numeric();
            // Every released label, by itself and by what stands in it.
            let labels: Vec<&String> = (0..release.classes.len() as u32)
                .filter(|&class| release.classes.released[class as usize])
                .flat_map(|class| &release.labels(at)[release.label_of(at, class) as usize])
                .collect();
            for bar in &attribute.bars {
                prop_assert!(
                    bar.before == 0 || bar.before >= problem.privacy.k,
                    "{:?} of {:?}", bar, attribute
                );
                let named = numeric
                    || ["other values", BLANK].contains(&bar.label.as_str())
                    || labels.iter().any(|label| label.contains(&bar.label));
                prop_assert!(named || case.spec.quasi[at].summary != Default::default(),
                    "{:?} of {:?}, labels {:?}", bar, attribute, labels);
            }
            let after: f64 = attribute.bars.iter().map(|bar| bar.after).sum();
            prop_assert!(after <= released as f64 + 1e-6);
        }
    }
}

#[test]
fn numbers_fall_into_round_bins_and_rare_values_together() {
    let rows: Vec<[String; 2]> = (0..100)
        .map(|row| {
            let town = if row < 3 { format!("hamlet{row}") } else { "city".to_owned() };
            [(20 + row % 50).to_string(), town]
        })
        .collect();
    let table = Table::from_rows(&["age", "town"], &rows).unwrap();
    let spec = incrowd::ProblemSpec::new(5).quasi("age").quasi("town");
    let problem = Problem::of_table(&spec, &table).unwrap();
    let solution = solve("mondrian", &[], &problem);
    let recoding = solution.into_recoding().unwrap();
    let release = Release::new(&problem, &recoding, Suppressed::Drop);
    let picture = Picture::new(&problem, &recoding, &release);
    assert_eq!(picture.before.unique, 0.06);
    assert!(picture.after.highest <= 0.2 && picture.after.unique == 0.0);
    let labels = |at: usize| -> Vec<(&str, u64)> {
        let bars = picture.attributes[at].bars.iter();
        bars.map(|bar| (bar.label.as_str(), bar.before)).collect()
    };
    assert_eq!(labels(0)[..2], [("20 to 25", 10), ("25 to 30", 10)]);
    assert_eq!(labels(1), [("other values", 100)]);
}
