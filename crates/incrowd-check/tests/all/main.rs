//! Steps without a search: whatever they say, nothing above the least cost is confirmed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod brute_force;
mod table;

use incrowd_check::check_steps;
use incrowd_testing::{LinearRng, cases};
use table::{RandomTable, number};

const OUT: u8 = 1;
const IN: u8 = 2;
const BRANCH: u8 = 3;
const CLOSE: u8 = 4;
const DEFER: u8 = 5;
const PATH: u8 = 6;
const KEEP: u8 = 7;

/// Divides the case by all these cuts.
fn divide(cuts: &[u64], steps: &mut Vec<u8>) {
    match cuts.split_first() {
        None => steps.push(CLOSE),
        Some((&cut, rest)) => {
            steps.push(BRANCH);
            number(steps, cut);
            divide(rest, steps);
            divide(rest, steps);
        }
    }
}

/// A walk by chance, which puts off some cases; tells how many.
fn wander(random: &mut LinearRng, mut open: Vec<u64>, steps: &mut Vec<u8>) -> Vec<Vec<u64>> {
    let mut put_off = Vec::new();
    loop {
        let place = if open.is_empty() { 0 } else { random.below(open.len() as u64) as usize };
        match random.below(8) {
            0 | 1 if !open.is_empty() => {
                steps.push(if random.chance(2) { OUT } else { IN });
                let some: Vec<u64> = open.iter().copied().filter(|_| random.chance(3)).collect();
                number(steps, some.len() as u64);
                some.iter().for_each(|&cut| number(steps, cut));
                open.retain(|cut| !some.contains(cut));
            }
            2..=5 if !open.is_empty() => {
                let cut = open.remove(place);
                steps.push(BRANCH);
                number(steps, cut);
                put_off.extend(wander(random, open.clone(), steps));
            }
            6 if random.chance(2) => {
                steps.push(DEFER);
                put_off.push(open);
                return put_off;
            }
            _ => {
                steps.push(CLOSE);
                return put_off;
            }
        }
    }
}

#[test]
fn a_whole_tree_confirms_the_least_cost() {
    for seed in 0..u64::from(cases(5_000)) {
        let mut random = LinearRng::new(seed);
        let table = RandomTable::new(&mut random, true);
        let question = table.question("intervals");
        let least = brute_force::least(&question, &table.rows);
        let cuts = table.cuts();
        let mut steps = vec![1];
        divide(&cuts, &mut steps);
        let confirmed = check_steps(table.text().as_bytes(), question.clone(), &steps[..]).unwrap();
        assert_eq!(confirmed.bound, least, "seed {seed}: {confirmed}");
        // With the cuts of the last column left to a shortest path.
        let last = table.last_cuts();
        let others: Vec<u64> = cuts.iter().copied().filter(|cut| !last.contains(cut)).collect();
        let mut steps = vec![1];
        divide(&others, &mut steps);
        let mut with_paths = Vec::new();
        paths(&others, &mut with_paths);
        assert_eq!(steps.len(), with_paths.len() + 1);
        let steps = [&[1], &with_paths[..]].concat();
        let mut question = question;
        question.claim = u64::MAX / 2;
        if !last.is_empty() {
            let confirmed = check_steps(table.text().as_bytes(), question, &steps[..]).unwrap();
            let bound = confirmed.bound.filter(|&bound| bound < u64::MAX / 2);
            assert_eq!(bound, least, "seed {seed}, by paths: {confirmed}");
        }
    }
}

/// The same as `divide`, closed by shortest paths.
fn paths(cuts: &[u64], steps: &mut Vec<u8>) {
    match cuts.split_first() {
        None => steps.push(PATH),
        Some((&cut, rest)) => {
            steps.push(BRANCH);
            number(steps, cut);
            paths(rest, steps);
            paths(rest, steps);
        }
    }
}

#[test]
fn no_walk_confirms_more_than_the_least_cost() {
    let mut tight = 0;
    for seed in 0..u64::from(cases(20_000)) {
        let mut random = LinearRng::new(seed);
        let free = random.chance(2);
        let table = RandomTable::new(&mut random, free);
        let question = table.question("intervals");
        let least = brute_force::least(&question, &table.rows);
        let mut steps = Vec::new();
        let mut known = Vec::new();
        if random.chance(3) {
            steps.extend([0, OUT]);
            known = table.cuts();
            known.retain(|_| random.chance(4));
            number(&mut steps, known.len() as u64);
            known.iter().for_each(|&cut| number(&mut steps, cut));
            steps.push(KEEP);
        }
        let mut waiting = vec![(1, table.cuts())];
        let mut next = 2;
        while let Some((case, mut open)) = waiting.pop() {
            if random.chance(6) {
                continue;
            }
            open.retain(|cut| !known.contains(cut));
            number(&mut steps, case);
            for put_off in wander(&mut random, open, &mut steps) {
                waiting.push((next, put_off));
                next += 1;
            }
            // What is waiting is continued in any order.
            if waiting.len() > 1 && random.chance(2) {
                waiting.swap(0, 1);
            }
        }
        let Ok(confirmed) = check_steps(table.text().as_bytes(), question, &steps[..]) else {
            continue;
        };
        match (confirmed.bound, least) {
            (_, None) => {}
            (None, Some(least)) => panic!("seed {seed}: no release, but {least}"),
            (Some(bound), Some(least)) => {
                assert!(bound <= least, "seed {seed}: {bound} above {least}");
                tight += usize::from(bound == least);
            }
        }
    }
    assert!(tight > 100, "{tight}");
}

#[test]
fn no_division_of_boxes_confirms_more_than_the_least_cost() {
    for seed in 0..u64::from(cases(5_000)) {
        let mut random = LinearRng::new(seed);
        let table = RandomTable::new(&mut random, true);
        let question = table.question("levels");
        let least = brute_force::least(&question, &table.rows);
        let tops: Vec<u64> = question.columns.iter().map(|it| it.levels.len() as u64 - 1).collect();
        // Boxes are divided until each is a node, or until chance says that it is enough.
        let all = random.chance(2);
        let mut open = vec![(vec![0; tops.len()], tops.clone())];
        let mut steps = Vec::new();
        while let Some((low, high)) = open.pop() {
            let long: Vec<usize> = (0..low.len()).filter(|&at| low[at] < high[at]).collect();
            if long.is_empty() || (!all && random.chance(4)) {
                continue;
            }
            let at = long[random.below(long.len() as u64) as usize];
            let level = low[at] + random.below(high[at] - low[at]);
            number(&mut steps, at as u64);
            number(&mut steps, level);
            low.iter().chain(&high).for_each(|&level| number(&mut steps, level));
            let (mut raised, mut lowered) = (low.clone(), high.clone());
            raised[at] = level + 1;
            lowered[at] = level;
            open.extend([(raised, high), (low, lowered)]);
        }
        let confirmed = check_steps(table.text().as_bytes(), question, &steps[..]).unwrap();
        if all {
            assert_eq!(confirmed.bound, least, "seed {seed}");
        } else if let Some(least) = least {
            assert!(confirmed.bound.is_some_and(|bound| bound <= least), "seed {seed}");
        }
    }
}

#[test]
fn no_prices_confirm_more_than_the_least_cost() {
    let (mut sum, mut of) = (0.0, 0.0);
    for seed in 0..u64::from(cases(3_000)) {
        let mut random = LinearRng::new(seed);
        let table = RandomTable::of_groups(&mut random);
        let question = table.question("groups");
        let least =
            brute_force::least_grouping(&table.rows, question.k as usize, question.limit as usize);
        if !least.is_finite() {
            continue;
        }
        let profiles = table.profiles();
        let mut steps = Vec::new();
        let share = if random.chance(2) { 1 << 40 } else { 1 << (20 + random.below(21)) };
        (0..profiles).for_each(|_| number(&mut steps, random.below(share)));
        for _ in 0..profiles {
            number(&mut steps, 2 * random.below(share) + u64::from(random.chance(9)));
        }
        let confirmed = check_steps(table.text().as_bytes(), question, &steps[..]).unwrap();
        let bound = confirmed.bound.unwrap() as f64 / (1u64 << 40) as f64;
        assert!(bound <= least + 1e-9, "seed {seed}: {bound} above {least}");
        (sum, of) = (sum + bound, of + least);
    }
    // Random prices say little; those of a search are checked with the engine.
    assert!(sum > 0.0, "{sum} of {of}");
}
