#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::problem::{AttributeSpec, HierarchySource, Limit, Problem, ProblemSpec};
use crate::release::{Release, SuppressionMode};
use crate::space::cuts::{CutRules, NearestDivision, ProfileGrid};
use crate::{Hierarchy, Metric, Model, Table};

/// A small problem from bytes: a column of numbers, one of numbers some of which are missing, one of words
/// with a hierarchy.
fn problem(rows: &[[u8; 5]], k: u64, metric: Metric, model: Option<Model>) -> Problem {
    let fields: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let second = if row[1] % 5 == 0 { "?".into() } else { (row[1] % 4).to_string() };
            let third = format!("v{}", row[2] % 6);
            vec![
                (row[0] % 5).to_string(),
                second,
                third,
                (row[3] % 3).to_string(),
                (row[4] % 3).to_string(),
            ]
        })
        .collect();
    let table = Table::from_rows(&["a", "b", "c", "class", "sensitive"], &fields).unwrap();
    let mut spec = ProblemSpec::new(k.min(rows.len() as u64)).quasi("a").quasi("b");
    let mut third = AttributeSpec::new("c");
    let ladder: Vec<Vec<String>> = (0..6)
        .map(|leaf| {
            let group = ["x", "y", "x", "y", "y", "z"][leaf];
            [format!("v{leaf}"), group.into(), "*".into()].to_vec()
        })
        .collect();
    third.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
    third.summary = Some(crate::value::ClassSummary::Range);
    third.weight = 2.0;
    spec.quasi.push(third);
    if let Some(model) = model {
        spec = spec.sensitive("sensitive", model);
    }
    spec = spec.class("class");
    spec.metric = metric;
    spec.limit = Limit::All;
    Problem::of_table(&spec, &table).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(300)))]

    /// After any moves the sums are those of a board made anew, and the cost is that of the release.
    #[test]
    fn moves_leave_the_sums_as_they_would_be_from_nothing(
        rows in prop::collection::vec(any::<[u8; 5]>(), 1..40),
        k in 1..5u64,
        metric in select(Metric::ALL.to_vec()),
        model in prop::option::of(select(vec![Model::DistinctL { l: 2 }, Model::Alpha { alpha: 0.6 }])),
        steps in prop::collection::vec((0..3usize, prop::collection::vec(any::<[u8; 2]>(), 1..4), any::<bool>()), 1..20),
    ) {
        let problem = problem(&rows, k, metric, model);
        let grid = ProfileGrid::new(&problem, CutRules::default()).unwrap();
        let frame = GroupingContext::new(&grid).unwrap();
        let mut board = GroupingState::new(&frame, frame.collapsed());
        for (axis, moves, accepted) in steps {
            let values = grid.axes[axis].values();
            let mut moved: Vec<ValueMove> = moves
                .iter()
                .map(|&[value, slot]| ((usize::from(value) % values) as u16, (usize::from(slot) % values) as u16))
                .collect();
            moved.sort_unstable();
            moved.dedup_by_key(|(value, _)| *value);
            let before = board.sums.clone();
            board.propose(axis, &moved);
            let proposed = board.change.sums.clone();
            let mut groups = board.groups().clone();
            for &(value, slot) in &moved {
                groups[axis][usize::from(value)] = slot;
            }
            let anew = GroupingState::new(&frame, groups);
            prop_assert_eq!(&proposed, &anew.sums);
            if accepted {
                board.accept();
                prop_assert_eq!(&board.sums, &proposed);
            } else {
                prop_assert_eq!(&board.sums, &before);
            }
        }
        // Missing values stand alone or with all others in whatever a search proposes, not here.
        let groups = board.groups();
        let missing = grid.axes[1].begins_with_missing();
        if missing && groups[1].iter().skip(1).any(|slot| *slot == groups[1][0])
            && groups[1].iter().any(|slot| *slot != groups[1][0]) {
            return Ok(());
        }
        let release = Release::new(&problem, &frame.recoding(groups), SuppressionMode::Drop);
        prop_assert_eq!(release.classes.suppressed_rows(), board.sums.suppressed);
        if let Some(cost) = release.measures.cost(metric) {
            let found = board.standing().cost;
            prop_assert!((cost - found).abs() <= 1e-9 * cost.abs().max(1.0), "{} {}", cost, found);
        }
    }

    /// Any division becomes an allowed one with what was to be kept, and an allowed one stays.
    #[test]
    fn divisions_are_mended_with_few_changes(
        bits in any::<u32>(),
        kept in prop::option::of(any::<prop::sample::Index>()),
        along_tree in any::<bool>(),
        rows in prop::collection::vec(any::<[u8; 5]>(), 10..40),
    ) {
        let problem = problem(&rows, 1, Metric::Dm, None);
        let grid = ProfileGrid::new(&problem, CutRules { along_tree, ..CutRules::default() }).unwrap();
        let frame = GroupingContext::new(&grid).unwrap();
        let mut board = GroupingState::new(&frame, frame.collapsed());
        for (at, axis) in grid.axes.iter().enumerate() {
            let nearest = NearestDivision::new(axis);
            let values = axis.values();
            let made = |bits: u32| -> Vec<bool> {
                (0..=values).map(|at| at == 0 || at == values || bits >> at & 1 == 1).collect()
            };
            let allowed = |made: &[bool]| {
                let edges: Vec<usize> = (0..=values).filter(|&at| made[at]).collect();
                edges.windows(2).all(|pair| axis.allows(pair[0], pair[1]))
            };
            let wanted = made(bits);
            let kept = kept.filter(|_| values > 1).map(|kept| 1 + kept.index(values - 1));
            let mut mended = wanted.clone();
            let changes = |one: &[bool]| one.iter().zip(&wanted).filter(|(a, b)| a != b).count();
            let least = (0..1u32 << values)
                .map(made)
                .filter(|one| allowed(one) && kept.is_none_or(|kept| one[kept] == wanted[kept]))
                .map(|one| changes(&one))
                .min();
            prop_assert_eq!(nearest.mend(&mut mended, kept), least.is_some());
            if let Some(least) = least {
                prop_assert!(allowed(&mended));
                prop_assert_eq!(changes(&mended), least);
                let moves = board.moves_to_intervals(at, &mended);
                board.propose(at, &moves);
                board.accept();
                let slots = &board.groups()[at];
                for value in 1..values {
                    prop_assert_eq!(slots[value] != slots[value - 1], mended[value]);
                }
            }
        }
    }
}
