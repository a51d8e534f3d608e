//! The relaxation against every cut set of small tables.

use super::context::{AttributeIntervals, RelaxationContext};
use super::sweep::LastAxisSweep;
use super::tree::{BatchProgress, RelaxationTree};
use crate::kit::SearchRng;
use crate::search::Control;

/// A random table: up to five attributes, some intervals not allowed.
fn random(chance: &mut SearchRng) -> Option<RelaxationContext> {
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
    let mut worst = 0;
    let mut fields = Vec::new();
    for (axis, &size) in sizes.iter().enumerate() {
        let weight = 1 + chance.below(3) as i64;
        worst += 1_000 * weight;
        let mut below = vec![0i64; size + 1];
        for (&value, &count) in values[axis].iter().zip(&counts) {
            below[usize::from(value) + 1] += i64::from(count);
        }
        for value in 0..size {
            below[value + 1] += below[value];
        }
        // Prices need not grow with the interval, and one value, all values and most others may be made.
        let odd = chance.below(4) == 0;
        let draws: Vec<usize> = (0..size * (size + 1)).map(|_| chance.below(5 * size)).collect();
        let price = |first: usize, end: usize| {
            let width = if odd { draws[first * (size + 1) + end] % size } else { end - first };
            if end - first > 1 { weight * 1_000 * width as i64 / size as i64 } else { 0 }
        };
        let allowed = |first: usize, end: usize| {
            end - first == 1 || end - first == size || draws[first * (size + 1) + end] >= size
        };
        fields.push(AttributeIntervals::new(size, &below, price, allowed));
    }
    let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let suppressed = (chance.below(2) == 0).then_some(worst);
    (rows >= k).then(|| RelaxationContext::new(fields, values, counts, k, suppressed))
}

/// What a cut set costs, if it may be made; without suppression every class has to have k rows.
fn price(ground: &RelaxationContext, cuts: &[Vec<bool>]) -> Option<i64> {
    let mut all = 0;
    let mut starts: Vec<Vec<u16>> = Vec::new();
    let mut prices: Vec<Vec<i64>> = Vec::new();
    for (axis, (field, cuts)) in ground.fields.iter().zip(cuts).enumerate() {
        let mut of = vec![0u16; field.values];
        let mut each = vec![0; field.values];
        let mut first = 0;
        for end in 1..=field.values {
            if end == field.values || cuts[end] {
                if !field.allowed[field.at(first, end)] {
                    return None;
                }
                let cost = field.costs[field.at(first, end)];
                let held =
                    |&cell: &usize| (first..end).contains(&usize::from(ground.values[axis][cell]));
                let rows: u64 =
                    (0..ground.counts.len()).filter(held).map(|it| ground.rows_of(it as u32)).sum();
                all += cost;
                each[first..end].fill(if rows > 0 { cost / rows as i64 } else { 0 });
                of[first..end].fill(first as u16);
                first = end;
            }
        }
        starts.push(of);
        prices.push(each);
    }
    let mut classes = std::collections::BTreeMap::new();
    for cell in 0..ground.counts.len() {
        let values = || ground.values.iter().map(|values| usize::from(values[cell]));
        let key: Vec<u16> = starts.iter().zip(values()).map(|(of, value)| of[value]).collect();
        let each: i64 = prices.iter().zip(values()).map(|(of, value)| of[value]).sum();
        classes.entry(key).or_insert((0u64, each)).0 += u64::from(ground.counts[cell]);
    }
    for &(rows, each) in classes.values().filter(|class| class.0 < ground.k) {
        all += rows as i64 * (ground.suppressed? - each);
    }
    Some(all)
}

#[test]
fn every_optimum_is_found_and_no_bound_is_above_it() {
    let tables = if incrowd_testing::thorough() { 20_000 } else { 100 };
    let mut solved = 0;
    for seed in 0.. {
        if solved == tables {
            break;
        }
        let mut chance = SearchRng::of_seed(seed);
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
        let copy = || {
            RelaxationContext::new(
                ground.fields.clone(),
                ground.values.clone(),
                ground.counts.clone(),
                ground.k,
                ground.suppressed,
            )
        };
        let ended = |step: &mut dyn FnMut(i64, &Control) -> BatchProgress| {
            let mut below = given;
            for round in 0.. {
                assert!(round < 3_000, "seed {seed} does not end");
                let progress = step(below, &Control::new());
                for (likely, _) in &progress.proposals {
                    let cuts: Vec<Vec<bool>> =
                        likely.iter().map(|of| of.iter().map(|&it| it >= 0.5).collect()).collect();
                    below = price(&ground, &cuts).map_or(below, |cost| cost.min(below));
                }
                let Some(bound) = progress.bound else { break };
                assert!(bound.min(below) <= best, "seed {seed}: bound {bound} above {best}");
                if bound >= below {
                    break;
                }
            }
            assert_eq!(below.min(given), best.min(given), "seed {seed}");
        };
        let mut tree = RelaxationTree::new(copy());
        ended(&mut |below, control| tree.step(below, control));
        let Ok(mut sweep) = LastAxisSweep::new(copy()) else {
            panic!("seed {seed}: few cuts are open")
        };
        ended(&mut |below, control| sweep.step(below, control));
    }
}
