//! What a block reckons step by step is what a count of its groups gives.

use super::block::{OUT, RowBlock};
use super::rows::LocalRows;
use crate::kit::SearchRng;
use crate::problem::{AttributeSpec, HierarchySource, Problem, ProblemSpec};
use crate::table::Table;
use crate::value::{ClassSummary, Hierarchy};

/// Numbers, text and a hierarchy, each with and without missing values; text of which sets are too long to be printed,
/// and a hierarchy of which sets of nodes are.
fn problem(rows: usize) -> Problem {
    let mut chance = SearchRng::new(1, 0, 0);
    let mut value = |prefix: &str, values: usize, missing: bool| {
        if missing && chance.below(5) == 0 {
            String::new()
        } else {
            format!("{prefix}{}", chance.below(values))
        }
    };
    let rows: Vec<[String; 8]> = (0..rows)
        .map(|_| {
            [
                value("", 40, false),
                value("", 9, true),
                value("t", 5, false),
                value("t", 6, true),
                value("h", 8, false),
                value("h", 8, true),
                long(value("", 9, true)),
                long(value("", 8, false)),
            ]
        })
        .collect();
    let names = ["n", "n_", "t", "t_", "h", "h_", "l_", "s"];
    let table = Table::from_rows(&names, &rows).expect("the rows have six fields");
    let mut spec = ProblemSpec::new(2);
    for name in names {
        let mut column = AttributeSpec::new(name);
        column.rule.missing = vec![String::new()];
        if name.starts_with('h') {
            let ladder: Vec<[String; 3]> = (0..8)
                .map(|leaf| [format!("h{leaf}"), format!("g{}", leaf / 3), "*".to_owned()])
                .collect();
            let tree = Hierarchy::from_rows(&ladder).expect("the hierarchy is a tree");
            column.hierarchy = Some(HierarchySource::Given(tree));
        }
        if name == "s" {
            let ladder: Vec<[String; 3]> = (0..8)
                .map(|leaf| [long(leaf.to_string()), format!("g{}", leaf / 3), "*".to_owned()])
                .collect();
            let tree = Hierarchy::from_rows(&ladder).expect("the hierarchy is a tree");
            column.hierarchy = Some(HierarchySource::Given(tree));
            column.summary = Some(ClassSummary::Nodes);
        }
        spec.quasi.push(column);
    }
    Problem::of_table(&spec, &table).expect("the problem is sound")
}

/// A digit as a word that begins with a letter of its own; nothing stays nothing.
fn long(digit: String) -> String {
    let letter = digit.bytes().next().map(|digit| (digit - b'0' + b'a') as char);
    letter.map_or(digit, |letter| format!("{letter} word of many letters"))
}

fn counted<const W: usize>(rows: &LocalRows<'_>, block: &RowBlock<'_, W>) -> f64 {
    let groups: f64 = block.groups().iter().map(|group| rows.cost(group)).sum();
    groups + block.out.len() as f64
}

fn wander<const W: usize>() {
    let problem = problem(60);
    let rows = LocalRows::new(&problem, Default::default());
    let ids: Vec<u32> = (0..60).collect();
    let groups: Vec<Vec<u32>> = ids[..55].chunks(6).map(<[u32]>::to_vec).collect();
    let mut block = RowBlock::<W>::new(&rows, &groups, &ids[55..]);
    let mut chance = SearchRng::new(2, 0, 0);
    let near = |one: f64, other: f64| (one - other).abs() < 1e-4;
    for _ in 0..2_000 {
        let before = block.cost();
        assert!(near(before, counted(&rows, &block)));
        let mut foreseen = 0.0;
        for _ in 0..=chance.below(3) {
            let row = chance.below(60) as u32;
            let (from, to) = (block.home[row as usize], chance.below(11) as u32);
            let to = if to == 10 { OUT } else { to };
            if from == to {
                continue;
            }
            foreseen += f64::from(block.leaving(row));
            foreseen += if to == OUT { 1.0 } else { f64::from(block.joining(to, row)) };
            block.shift(row, to);
            if from != OUT {
                block.refresh(from);
            }
        }
        assert!(near(block.change(), foreseen), "{} {foreseen}", block.change());
        assert!(near(block.cost() - before, foreseen));
        assert!(near(block.cost(), counted(&rows, &block)));
        if chance.below(2) == 0 {
            let home = block.home.clone();
            block.keep();
            assert_eq!(block.home, home);
        } else {
            block.undo();
            assert!(near(block.cost(), before));
        }
    }
}

#[test]
fn steps_cost_what_a_count_gives() {
    wander::<1>();
    wander::<8>();
}

#[test]
fn exponential_numbers_have_the_mean_and_the_tail_they_should() {
    let mut chance = SearchRng::new(3, 0, 0);
    let drawn: Vec<f64> = (0..100_000).map(|_| chance.exponential()).collect();
    let mean = drawn.iter().sum::<f64>() / 1e5;
    let beyond = drawn.iter().filter(|&&number| number > 2.0).count() as f64 / 1e5;
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!((beyond - (-2.0f64).exp()).abs() < 0.005, "{beyond}");
    assert!(drawn.iter().all(|&number| number >= 0.0));
}
