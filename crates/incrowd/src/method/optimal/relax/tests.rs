//! The relaxation against every cut set of small tables.

use super::field::{Field, Ground};
use super::tree::Tree;
use crate::kit::Chance;
use crate::search::Control;

/// A random table: up to five attributes, some intervals not allowed.
fn random(chance: &mut Chance) -> Option<Ground> {
    let axes = 1 + chance.below(5);
    let sizes: Vec<usize> =
        (0..axes).map(|_| 1 + chance.below(if axes > 3 { 3 } else { 5 })).collect();
    let k = 1 + chance.below(5) as u64;
    let mut cells = std::collections::BTreeMap::new();
    for _ in 0..1 + chance.below(14) {
        let key: Vec<u16> = sizes.iter().map(|&size| chance.below(size) as u16).collect();
        *cells.entry(key).or_insert(0u32) += 1 + chance.below(3) as u32;
    }
    let values: Vec<Vec<u16>> =
        (0..axes).map(|axis| cells.keys().map(|key| key[axis]).collect()).collect();
    let counts: Vec<u32> = cells.values().copied().collect();
    let field = |(axis, &size): (usize, &usize)| {
        let weight = 1 + chance.below(3) as i64;
        let odd = chance.below(4) == 0;
        let mut field = Field {
            values: size,
            costs: vec![0; size * (size + 1)],
            allowed: vec![false; size * (size + 1)],
        };
        for first in 0..size {
            for end in first + 1..=size {
                let held = |&cell: &usize| (first..end).contains(&usize::from(values[axis][cell]));
                let rows: i64 =
                    (0..counts.len()).filter(held).map(|cell| i64::from(counts[cell])).sum();
                let place = field.at(first, end);
                // Prices need not grow with the interval.
                let width = if odd { chance.below(size) } else { end - first };
                let price = if end - first > 1 { weight * 1_000 * width as i64 } else { 0 };
                field.costs[place] = rows * price / size as i64;
                // One value, all values and most others.
                field.allowed[place] =
                    end - first == 1 || end - first == size || chance.below(5) > 0;
            }
        }
        field
    };
    let fields: Vec<Field> = sizes.iter().enumerate().map(field).collect();
    let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    (rows >= k).then(|| Ground::new(fields, values, counts, k))
}

/// What a cut set costs, if it may be made and every class has k rows.
fn price(ground: &Ground, cuts: &[Vec<bool>]) -> Option<i64> {
    let mut cost = 0;
    let mut starts: Vec<Vec<u16>> = Vec::new();
    for (field, cuts) in ground.fields.iter().zip(cuts) {
        let mut of = vec![0u16; field.values];
        let mut first = 0;
        for end in 1..=field.values {
            if end == field.values || cuts[end] {
                if !field.allowed[field.at(first, end)] {
                    return None;
                }
                cost += field.costs[field.at(first, end)];
                of[first..end].fill(first as u16);
                first = end;
            }
        }
        starts.push(of);
    }
    let mut classes = std::collections::BTreeMap::new();
    for cell in 0..ground.counts.len() {
        let key: Vec<u16> = starts
            .iter()
            .zip(&ground.values)
            .map(|(starts, values)| starts[usize::from(values[cell])])
            .collect();
        *classes.entry(key).or_insert(0u64) += u64::from(ground.counts[cell]);
    }
    classes.values().all(|&rows| rows >= ground.k).then_some(cost)
}

#[test]
fn every_optimum_is_found_and_no_bound_is_above_it() {
    let tables = if incrowd_testing::thorough() { 20_000 } else { 400 };
    let mut solved = 0;
    for seed in 0.. {
        if solved == tables {
            break;
        }
        let mut chance = Chance::of_seed(seed);
        let Some(ground) = random(&mut chance) else { continue };
        solved += 1;
        let places: Vec<(usize, usize)> = ground
            .fields
            .iter()
            .enumerate()
            .flat_map(|(axis, field)| (1..field.values).map(move |position| (axis, position)))
            .collect();
        let none: Vec<Vec<bool>> =
            ground.fields.iter().map(|field| vec![false; field.values + 1]).collect();
        let cut = |set: u64| {
            let mut cuts = none.clone();
            for (at, &(axis, position)) in places.iter().enumerate() {
                cuts[axis][position] = set >> at & 1 == 1;
            }
            cuts
        };
        let least = (0u64..1 << places.len()).filter_map(|set| price(&ground, &cut(set))).min();
        let whole = price(&ground, &none).unwrap_or(i64::MAX / 4);
        let best = least.unwrap_or(whole);
        let given = [whole.saturating_add(1), whole, best, best + 1][chance.below(4)];
        let mut below = given;
        let copy = Ground::new(
            ground.fields.clone(),
            ground.values.clone(),
            ground.counts.clone(),
            ground.k,
        );
        let mut tree = Tree::new(ground);
        for step in 0.. {
            assert!(step < 3_000, "seed {seed} does not end");
            let progress = tree.step(below, &Control::new());
            for (likely, _) in &progress.proposals {
                let cuts: Vec<Vec<bool>> =
                    likely.iter().map(|of| of.iter().map(|&it| it >= 0.5).collect()).collect();
                below = price(&copy, &cuts).map_or(below, |cost| cost.min(below));
            }
            let Some(bound) = progress.bound else { break };
            assert!(bound.min(below) <= best, "seed {seed}: bound {bound} above {best}");
            if bound >= below {
                break;
            }
        }
        assert_eq!(below.min(given), best.min(given), "seed {seed}");
    }
}
