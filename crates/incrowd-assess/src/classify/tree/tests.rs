//! Trees against splits and prunings tried one by one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use incrowd_engine::Table;

/// A random table: a column of ranges with blanks, one of categories, one of numbers, and a class.
fn random(seed: u64, classes: u32) -> TrainingExamples {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let rows: Vec<[String; 4]> = (0..random.random_range(2..40))
        .map(|_| {
            let low = random.random_range(0..5);
            let range = match random.random_range(0..6) {
                0 => "*".to_owned(),
                1 => low.to_string(),
                _ => format!("[{low}-{}]", low + random.random_range(1..3)),
            };
            let category = ["a", "b", "{c, d}", "e", "*"][random.random_range(0..5)];
            let number = random.random_range(-2..3);
            let class = random.random_range(0..classes) * u32::from(random.random_range(0..3) > 0);
            [range, category.to_owned(), number.to_string(), class.to_string()]
        })
        .collect();
    let table = Table::from_rows(&["range", "category", "number", "class"], &rows).unwrap();
    TrainingExamples::new(&table, &["range", "category", "number"], "class").unwrap()
}

/// The highest merit of any split of these examples by one feature, tried one by one: thresholds with the value
/// apart on either side, and all sets of categories.
fn best_merit(examples: &TrainingExamples, members: &[u32], least: u64) -> Option<f64> {
    let classes = examples.classes.len();
    let mut best: Option<f64> = None;
    for (at, feature) in examples.features.iter().enumerate() {
        for set in 1..(1u32 << feature.values) - 1 {
            let within = |code: u32| set >> code & 1 == 1;
            if feature.ordered {
                let inner: Vec<bool> = (0..feature.values as u32)
                    .filter(|&code| Some(code) != feature.apart)
                    .map(within)
                    .collect();
                if inner.windows(2).filter(|pair| pair[0] != pair[1]).count() > 1 {
                    continue;
                }
            }
            let mut sides = [vec![0u64; classes], vec![0u64; classes]];
            for &member in members {
                let side = usize::from(within(examples.code(member as usize, at)));
                for (class, sum) in sides[side].iter_mut().enumerate() {
                    *sum += u64::from(examples.counts[member as usize * classes + class]);
                }
            }
            if sides.iter().all(|side| side.iter().sum::<u64>() >= least) {
                let merit = purity(&sides[0]) + purity(&sides[1]);
                best = Some(best.map_or(merit, |best| best.max(merit)));
            }
        }
    }
    best
}

/// Checks every node of a tree: a leaf that could not be split with gain, or the best split there is.
fn check(tree: &DecisionTree, examples: &TrainingExamples, rules: StoppingRules, exact: bool) {
    let classes = examples.classes.len();
    let sum = |members: &[u32]| -> Vec<u64> {
        let of = |class: usize| {
            members.iter().map(|&m| u64::from(examples.counts[m as usize * classes + class])).sum()
        };
        (0..classes).map(of).collect()
    };
    let mut open = vec![(0, (0..examples.len() as u32).collect::<Vec<u32>>(), 0)];
    while let Some((at, members, depth)) = open.pop() {
        let total = sum(&members);
        let node = &tree.nodes[at];
        assert_eq!(node.wrong, total.iter().sum::<u64>() - total.iter().max().unwrap());
        let best = best_merit(examples, &members, rules.least_leaf);
        let Some(split) = &node.split else {
            let gains = best.is_some_and(|best| best > purity(&total) + 1e-6);
            assert!(!gains || node.wrong == 0 || depth == rules.depth || !exact);
            continue;
        };
        let (one, other): (Vec<u32>, Vec<u32>) = members
            .iter()
            .partition(|&&m| split.first[examples.code(m as usize, split.feature) as usize]);
        let merit = purity(&sum(&one)) + purity(&sum(&other));
        let best = best.unwrap();
        assert!(merit <= best + 1e-9, "{merit} is more than {best}");
        assert!(!exact || merit >= best - 1e-6, "{merit} instead of {best}");
        for side in [&one, &other] {
            assert!(sum(side).iter().sum::<u64>() >= rules.least_leaf);
        }
        open.push((split.branches[0], one, depth + 1));
        open.push((split.branches[1], other, depth + 1));
    }
}

#[test]
fn every_split_is_the_best_of_all() {
    for seed in 0..150 {
        let rules = StoppingRules { least_leaf: 1 + seed % 3, depth: 1 + (seed % 5) as u32 };
        let two = random(seed, 2);
        // A set that is on no order by shares can be the best of those that leave enough rows on both sides.
        let exact = rules.least_leaf == 1;
        check(&DecisionTree::grow(&two, &two.counts, rules), &two, rules, exact);
        // With three classes sets of categories are tried along orders only.
        let three = random(seed, 3);
        check(&DecisionTree::grow(&three, &three.counts, rules), &three, rules, false);
    }
}

/// The least cost of any pruning, tried one by one.
fn least_cost(tree: &DecisionTree, at: usize, price: f64) -> f64 {
    let node = &tree.nodes[at];
    let leaf = node.wrong as f64 + price;
    node.split.as_ref().map_or(leaf, |split| {
        let [one, other] = split.branches.map(|branch| least_cost(tree, branch, price));
        leaf.min(one + other)
    })
}

#[test]
fn pruning_finds_the_cheapest_subtree() {
    for seed in 0..60 {
        let examples = random(seed, 2);
        let tree = DecisionTree::grow(
            &examples,
            &examples.counts,
            StoppingRules { least_leaf: 1, depth: 9 },
        );
        let mut fewer = usize::MAX;
        for price in [0.0, 0.3, 1.0, 2.5, 100.0] {
            let pruned = tree.pruned(price);
            let leaves = tree.leaves(&pruned);
            let cost =
                tree.wrong(&pruned, &examples, &examples.counts) as f64 + price * leaves as f64;
            assert!((cost - least_cost(&tree, 0, price)).abs() < 1e-9, "{cost}");
            assert!(leaves <= fewer, "a dearer leaf makes no larger tree");
            fewer = leaves;
        }
        assert_eq!(fewer, 1);
    }
}
