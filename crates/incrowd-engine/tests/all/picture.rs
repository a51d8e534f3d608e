//! The preview of a release says no more than the release.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::case::case;
use common::solve;
use incrowd_engine::release::ReleasePreview;
use incrowd_engine::value::{BLANK, Group};
use incrowd_engine::{Problem, Release, SuppressionMode, Table};
use incrowd_testing::SeededRng;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_picture_names_what_the_release_names_and_counts_at_least_k(case in case()) {
        let problem = Problem::of_table(&case.spec, &case.table).unwrap();
        let solution = solve(case.method, &case.options, &problem);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let release = Release::new(&problem, recoding, SuppressionMode::Drop);
        let picture = ReleasePreview::new(&problem, recoding, &release);
        let released = release.rows();

        // Of rows that are blank throughout nobody may know what they were.
        prop_assert!(picture.before.rows <= released && picture.after.rows == released);
        prop_assert!(picture.sizes.iter().all(|bar| bar.before % (2 * problem.privacy.k) == 0));
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
    let spec = incrowd_engine::ProblemSpec::new(5).quasi("age").quasi("town");
    let problem = Problem::of_table(&spec, &table).unwrap();
    let solution = solve("mondrian", &[], &problem);
    let recoding = solution.into_recoding().unwrap();
    let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
    let picture = ReleasePreview::new(&problem, &recoding, &release);
    // Six rows stand alone: the nearest multiple of 2k is told.
    assert_eq!((picture.before.unique, picture.rounded_to), (0.1, 10));
    assert!(picture.after.highest <= 0.2 && picture.after.unique == 0.0);
    let labels = |at: usize| -> Vec<(&str, u64)> {
        let bars = picture.attributes[at].bars.iter();
        bars.map(|bar| (bar.label.as_str(), bar.before)).collect()
    };
    assert_eq!(labels(0)[..2], [("20 to 24", 10), ("25 to 29", 10)]);
    assert_eq!(labels(1), [("other values", 100)]);
}

/// Whether numbers of rows from groups to bars exist that are as many as each group holds and lie between each bar's least and
/// most; `may` says which group can have rows in which bar.
fn exists(held: &[i64], bars: &[(i64, i64)], may: &[Vec<bool>]) -> bool {
    if held.iter().any(|&rows| rows < 0) || bars.iter().any(|&(least, most)| most < least.max(0)) {
        return false;
    }
    // Least numbers are sent first: each bar is an inlet for what it must have, and one for the rest.
    let (groups, count) = (held.len(), bars.len());
    let (source, sink, extra) = (groups + count, groups + count + 1, groups + count + 2);
    let nodes = groups + count + 3;
    let mut open = vec![vec![0_i64; nodes]; nodes];
    for (group, &rows) in held.iter().enumerate() {
        open[source][group] = rows;
        for bar in 0..count {
            if may[group][bar] {
                open[group][groups + bar] = rows;
            }
        }
    }
    let mut must = 0;
    for (bar, &(least, most)) in bars.iter().enumerate() {
        let least = least.max(0);
        open[groups + bar][sink] = least;
        open[groups + bar][extra] = most - least;
        must += least;
    }
    let all: i64 = held.iter().sum();
    open[extra][sink] = all - must;
    if all < must {
        return false;
    }
    let mut sent = 0;
    loop {
        let mut from = vec![usize::MAX; nodes];
        let mut queue = std::collections::VecDeque::from([source]);
        from[source] = source;
        while let Some(node) = queue.pop_front() {
            for next in 0..nodes {
                if open[node][next] > 0 && from[next] == usize::MAX {
                    from[next] = node;
                    queue.push_back(next);
                }
            }
        }
        if from[sink] == usize::MAX {
            return sent == all;
        }
        let (mut at, mut room) = (sink, i64::MAX);
        while at != source {
            room = room.min(open[from[at]][at]);
            at = from[at];
        }
        at = sink;
        while at != source {
            open[from[at]][at] -= room;
            open[at][from[at]] += room;
            at = from[at];
        }
        sent += room;
    }
}

/// Rows, k, and how often a number can be told that nobody should know: of rows of a released label, those whose value lies in
/// a bar. Everything that is used stands in the release or in the preview.
fn derived(
    problem: &Problem,
    release: &Release,
    picture: &ReleasePreview,
    at: usize,
) -> Option<u64> {
    let (k, unit) = (problem.privacy.k as i64, picture.rounded_to as i64);
    let attribute = &problem.attributes[at];
    let mut values = (0..attribute.domain.len() as u32)
        .filter_map(|code| attribute.domain.bounds(code).map(|it| it.to_f64()));
    let is_whole = values.all(|(low, high)| (low + (high - low) / 2.0).fract() == 0.0);
    let bars: Vec<((f64, f64), u64)> = picture.attributes[at]
        .bars
        .iter()
        .filter(|bar| bar.label != BLANK)
        .map(|bar| {
            // Ranges of whole numbers name their last one.
            let (low, high) = bar.label.split_once(" to ").unwrap_or((&bar.label, &bar.label));
            let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
            Some(((low, if is_whole { high + 1.0 } else { high }), bar.before))
        })
        .collect::<Option<_>>()?;
    let classes = &release.classes;
    let mut held = vec![0_i64; classes.groups[at].as_slice().len()];
    for class in classes.released() {
        held[classes.ids_of(class)[at] as usize] += classes.sizes[class] as i64;
    }
    let inside = |code: u32, (low, high): (f64, f64)| {
        attribute.domain.bounds(code).is_some_and(|it| (low..high).contains(&it.to_f64().0))
    };
    let mut may: Vec<Vec<bool>> = Vec::new();
    for group in classes.groups[at].as_slice() {
        // Of blank values no bar is drawn.
        if *group == Group::Blank {
            may.push(bars.iter().map(|_| false).chain([true]).collect());
            continue;
        }
        let codes: Vec<u32> = (0..attribute.domain.len() as u32)
            .filter(|&code| attribute.contains(group, code))
            .collect();
        let mut row: Vec<bool> =
            bars.iter().map(|(ends, _)| codes.iter().any(|&code| inside(code, *ends))).collect();
        // Values that no bar is drawn for.
        row.push(codes.iter().any(|&code| bars.iter().all(|(ends, _)| !inside(code, *ends))));
        may.push(row);
    }
    // What is shown stands for every number that is rounded to it.
    let mut ends: Vec<(i64, i64)> = bars
        .iter()
        .map(|&(_, shown)| (shown as i64 - unit / 2, shown as i64 + (unit - 1) / 2))
        .collect();
    ends.push((0, i64::MAX / 4));
    assert!(exists(&held, &ends, &may), "what happened is possible: {ends:?} {held:?}");
    let mut told = 0;
    for group in 0..held.len() {
        for bar in 0..bars.len() {
            let with = |rows: i64| {
                let (mut held, mut ends, mut may) = (held.clone(), ends.clone(), may.clone());
                held[group] -= rows;
                ends[bar] = (ends[bar].0 - rows, ends[bar].1 - rows);
                may[group][bar] = false;
                exists(&held, &ends, &may)
            };
            let only = |rows: i64| with(rows) && !with(rows - 1) && !with(rows + 1);
            told += u64::from(held[group] > 0 && may[group][bar] && (1..k).any(only));
        }
    }
    Some(told)
}

#[test]
fn nothing_that_is_drawn_can_be_subtracted_from_the_release() {
    let mut dice = SeededRng::new(11);
    let (mut looked, mut exact) = (0, 0);
    for _ in 0..incrowd_testing::cases(150) {
        let rows: Vec<[String; 2]> = (0..30 + dice.below(60))
            .map(|_| [dice.below(40).to_string(), dice.below(3).to_string()])
            .collect();
        let table = Table::from_rows(&["age", "town"], &rows).unwrap();
        let spec = incrowd_engine::ProblemSpec::new(2 + dice.below(4)).quasi("age").quasi("town");
        let problem = Problem::of_table(&spec, &table).unwrap();
        let method = ["mondrian", "best-local", "cluster-up", "optimal"][dice.below(4) as usize];
        let solution = solve(method, &[], &problem);
        let Some(recoding) = solution.recoding() else { continue };
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let picture = ReleasePreview::new(&problem, recoding, &release);
        if let Some(told) = derived(&problem, &release, &picture, 0) {
            assert_eq!(told, 0, "{method}: {picture:?}");
            looked += 1;
        }
        // The test can see what it looks for: exact numbers would tell.
        if release.classes.suppressed_rows() == 0 {
            let drawn = exactly(&problem, recoding, &release);
            exact += derived(&problem, &release, &drawn, 0).unwrap_or(0);
        }
    }
    assert!(looked > 10 && exact > 10, "{looked} {exact}");
}

/// The preview as it would be without rounding: of released rows, exactly.
fn exactly(
    problem: &Problem,
    recoding: &incrowd_engine::Recoding,
    release: &Release,
) -> ReleasePreview {
    let mut open = problem.clone();
    open.privacy.k = 1;
    ReleasePreview::confidential(&open, recoding, release)
}
