//! Balanced structures: the paper's examples, and the search against brute force.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_engine::structure::{
    BalancedStructure, StructureOutcome, StructureRow, StructureSpec, nearest_structure,
};
use incrowd_engine::{Control, StopReason};

const STATES: u64 = 1_000_000;

fn spec(k: u32, domains: &[u32], rows: u32) -> StructureSpec {
    StructureSpec { k, domains: domains.to_vec(), rows, repeats: 1, blanks: None }
}

/// The structure found, checked, or none if there is none.
fn found(spec: &StructureSpec) -> Option<BalancedStructure> {
    match spec.search(STATES, &Control::new()).unwrap().outcome {
        StructureOutcome::Found(structure) => {
            assert_eq!(structure.check(spec), Ok(()), "{spec:?}");
            Some(structure)
        }
        StructureOutcome::Absent { .. } => None,
        StructureOutcome::Undecided { .. } => panic!("{spec:?} is undecided"),
    }
}

#[test]
fn the_papers_examples() {
    // Example 2: eight rows if rows may repeat, four distinct ones never.
    let eight = StructureSpec { repeats: 2, ..spec(2, &[2, 2], 8) };
    assert_eq!(found(&eight).unwrap().column_blanks(), [4, 4]);
    assert_eq!(found(&spec(2, &[2, 2], 4)), None);
    // Example 3.
    assert_eq!(StructureSpec::largest(2, vec![2; 3]).rows, 6);
    assert_eq!(found(&spec(2, &[2; 3], 6)).unwrap().column_blanks(), [2; 3]);
    // Example 4: nine rows, eight combinations.
    let answer = spec(3, &[2; 3], 9).search(STATES, &Control::new()).unwrap();
    assert_eq!(answer.states, 0);
    let StructureOutcome::Absent { why: Some(why) } = answer.outcome else { panic!("no reason") };
    assert!(why.contains("9 rows do not fit: the columns have 8 combinations"), "{why}");
    // Example 5, with the two blanks a row needs for four distinct rows to read alike, and with one.
    let sixteen = StructureSpec::largest(4, vec![2; 4]);
    assert_eq!((sixteen.rows, sixteen.blanks()), (16, 2));
    assert_eq!(found(&sixteen), None);
    assert_eq!(found(&StructureSpec { blanks: Some(1), ..sixteen }), None);
    // Example 6.
    let ternary = StructureSpec::largest(2, vec![3; 3]);
    assert_eq!(ternary.rows, 24);
    assert_eq!(found(&ternary).unwrap().column_blanks(), [8; 3]);
}

#[test]
fn the_checker_refuses_what_is_no_structure() {
    let six = spec(2, &[2; 3], 6);
    let good = found(&six).unwrap();
    let changed = |change: &dyn Fn(&mut Vec<StructureRow>)| {
        let mut bad = good.clone();
        change(&mut bad.rows);
        bad.check(&six).unwrap_err()
    };
    let text = changed(&|rows| {
        rows.pop();
    });
    assert!(text.contains("5 rows instead of 6"), "{text}");
    let text = changed(&|rows| rows[0].released = vec![None; 3]);
    assert!(text.contains("has 3 blanks"), "{text}");
    let text = changed(&|rows| rows[0] = rows[1].clone());
    assert!(text.contains("occurs 2 times"), "{text}");
    let text = changed(&|rows| rows[0].values[0] = 2);
    assert!(text.contains("a value that its column has not"), "{text}");
    let text = changed(&|rows| {
        let shown = rows[0].released.iter_mut().flatten().next().unwrap();
        *shown = 1 - *shown;
    });
    assert!(text.contains("untruthfully"), "{text}");
    // Two rows of a class that blank different columns no longer read alike.
    let text = changed(&|rows| rows[0].released.rotate_left(1));
    assert!(text.contains("untruthfully") || text.contains("only 1 rows"), "{text}");
    // Blanks all in one column.
    let lines = spec(2, &[2; 2], 4);
    let row = |a: u32, b: u32| StructureRow { released: vec![None, Some(b)], values: vec![a, b] };
    let uneven = BalancedStructure { k: 2, rows: vec![row(0, 0), row(1, 0), row(0, 1), row(1, 1)] };
    assert_eq!(uneven.check(&lines), Err("the columns have [4, 0] blanks".to_owned()));
}

/// Whether there is a structure, by trying every way to leave a combination out or to blank columns of it.
fn exists(spec: &StructureSpec) -> bool {
    let width = spec.domains.len();
    let points: Vec<Vec<u32>> = spec.domains.iter().fold(vec![vec![]], |points, &size| {
        let longer = |point: &Vec<u32>| {
            (0..size).map(|value| [point.as_slice(), &[value]].concat()).collect::<Vec<_>>()
        };
        points.iter().flat_map(longer).collect()
    });
    let sets: Vec<u32> =
        (0..1u32 << width).filter(|set| set.count_ones() == spec.blanks()).collect();
    let mut choice = vec![0; points.len()];
    loop {
        let rows: Vec<StructureRow> = points
            .iter()
            .zip(&choice)
            .filter(|(_, choice)| **choice > 0)
            .map(|(values, &choice)| {
                let blank = |column: usize| sets[choice - 1] >> column & 1 == 1;
                let shown = |(column, value): (usize, &u32)| (!blank(column)).then_some(*value);
                let released = values.iter().enumerate().map(shown).collect();
                StructureRow { released, values: values.clone() }
            })
            .collect();
        if rows.len() == spec.rows as usize
            && (BalancedStructure { k: spec.k, rows }).check(spec).is_ok()
        {
            return true;
        }
        let Some(at) = choice.iter().position(|&choice| choice < sets.len()) else { return false };
        choice[at] += 1;
        choice[..at].fill(0);
    }
}

#[test]
fn the_search_agrees_with_brute_force() {
    let mut present = 0;
    let mut absent = 0;
    for domains in [&[2, 2][..], &[3, 2], &[2, 4], &[3, 3], &[2, 2, 2], &[4], &[1, 3, 2], &[5, 1]] {
        let points: u32 = domains.iter().product();
        for k in 1..=4 {
            for blanks in 1..=domains.len() as u32 {
                for rows in 1..=points {
                    let spec = StructureSpec { blanks: Some(blanks), ..spec(k, domains, rows) };
                    let expected = exists(&spec);
                    assert_eq!(found(&spec).is_some(), expected, "{spec:?}");
                    if expected { present += 1 } else { absent += 1 }
                }
            }
        }
    }
    assert!(present > 50 && absent > 200, "{present} present, {absent} absent");
}

#[test]
fn limits_and_bad_questions_are_told() {
    let large = spec(2, &[3; 4], 80);
    let answer = large.search(20, &Control::new()).unwrap();
    assert_eq!(answer.outcome, StructureOutcome::Undecided { reason: None });
    assert_eq!(answer.states, 20);
    let over = Control::new().with_time_limit(std::time::Duration::ZERO);
    // It takes more states than pass between two looks at the clock.
    let answer = spec(3, &[3; 4], 72).search(u64::MAX, &over).unwrap();
    let reason = Some(StopReason::TimeLimit);
    assert_eq!(answer.outcome, StructureOutcome::Undecided { reason });
    let bad = [
        spec(0, &[2, 2], 4),
        spec(2, &[], 4),
        spec(2, &[2, 0], 4),
        spec(2, &[2, 2], 0),
        spec(2, &[40, 40], 4),
        spec(2, &[1; 13], 4),
        StructureSpec { repeats: 0, ..spec(2, &[2, 2], 4) },
        StructureSpec { blanks: Some(3), ..spec(2, &[2, 2], 4) },
    ];
    for spec in bad {
        assert!(spec.search(STATES, &Control::new()).is_err(), "{spec:?}");
    }
    // Rules that need no search.
    for spec in [spec(5, &[2, 2], 4), spec(2, &[2, 2, 2], 4), spec(3, &[2], 2)] {
        let answer = spec.search(STATES, &Control::new()).unwrap();
        assert!(matches!(answer.outcome, StructureOutcome::Absent { why: Some(_) }), "{spec:?}");
    }
    // As deep as a search goes.
    assert!(found(&spec(1, &[1024], 1024)).is_some());
    assert!(found(&spec(1, &[32, 32], 512)).is_some());
}

#[test]
fn a_table_is_mapped_to_its_closest_structure() {
    let nearest = |k: u32, table: &[&[u32]]| {
        let table: Vec<Vec<u32>> = table.iter().map(|row| row.to_vec()).collect();
        nearest_structure(k, &table, STATES, &Control::new()).unwrap()
    };
    // Table XIII.
    let ternary: Vec<Vec<u32>> = (0..9)
        .flat_map(|at| (0..3).map(move |last| vec![at / 3, at % 3, last]))
        .filter(|row| ![[2, 0, 0], [2, 2, 1], [2, 2, 2]].contains(&[row[0], row[1], row[2]]))
        .collect();
    assert_eq!(ternary.len(), 24);
    let rows: Vec<&[u32]> = ternary.iter().map(Vec::as_slice).collect();
    let found = nearest(2, &rows);
    assert_eq!((found.blanks(), found.least_blanks), (24, 24));
    assert_eq!(found.structure.unwrap().column_blanks(), [8; 3]);
    // Table IV: two blanks in each row.
    let four: [&[u32]; 4] = [&[0, 0, 0, 0], &[0, 0, 0, 1], &[1, 1, 0, 0], &[0, 0, 1, 0]];
    let found = nearest(2, &four);
    assert_eq!((found.blanks_per_row, found.blanks()), (2, 8));
    assert!(found.undecided.is_empty());
    // Table VIII holds every row twice: nothing need be blank.
    let eight: [&[u32]; 4] = [&[0, 0], &[0, 0], &[1, 1], &[1, 1]];
    assert_eq!(nearest(2, &eight).blanks(), 0);
    // Blanks spread evenly over two columns only if all is blank.
    let three: [&[u32]; 3] = [&[0, 0], &[0, 1], &[0, 2]];
    let found = nearest(3, &three);
    assert_eq!((found.blanks_per_row, found.least_blanks), (2, 3));
    assert!(nearest_structure(2, &[vec![1]], STATES, &Control::new()).is_err());
    assert!(nearest_structure(2, &[], STATES, &Control::new()).is_err());
}
