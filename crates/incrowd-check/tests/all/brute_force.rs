//! The least cost of all releases, by trying them all.

use std::collections::BTreeMap;

use incrowd_check::{Kind, Metric, Question, Shape};

/// The least cost; none if there is no release within the limit.
pub(crate) fn least(question: &Question, rows: &[Vec<String>]) -> Option<u64> {
    let code = |values: &[Vec<Option<String>>], field: &str| {
        let is = |value: &Option<String>| value.as_deref().unwrap_or("?") == field;
        values.iter().position(|together| together.iter().any(is)).unwrap()
    };
    let width = question.columns.len();
    let codes: Vec<(Vec<usize>, usize)> = rows
        .iter()
        .map(|row| {
            let codes = question.columns.iter().zip(row);
            let codes = codes.map(|(column, field)| code(&column.values, field)).collect();
            let label = question.class.as_ref().map_or(0, |class| {
                class
                    .values
                    .iter()
                    .position(|value| value.as_deref() == Some(row[width].as_str()))
                    .unwrap()
            });
            (codes, label)
        })
        .collect();
    // By column: every way to group its values.
    let groupings: Vec<Vec<Vec<u32>>> = question
        .columns
        .iter()
        .map(|column| match question.kind {
            Kind::Levels => column.levels.clone(),
            _ => divisions(column),
        })
        .collect();
    let mut least = None;
    let mut chosen = vec![0; width];
    'all: loop {
        if groupings.iter().any(Vec::is_empty) {
            return None;
        }
        let mut classes: BTreeMap<Vec<u32>, [u64; 2]> = BTreeMap::new();
        for (codes, label) in &codes {
            let groups = (0..width).map(|at| groupings[at][chosen[at]][codes[at]]).collect();
            classes.entry(groups).or_default()[*label] += 1;
        }
        let (mut cost, mut lost) = (0, 0);
        for counts in classes.values() {
            let size = counts[0] + counts[1];
            let is_lost = size < question.k;
            lost += if is_lost { size } else { 0 };
            cost += match (question.metric, is_lost) {
                (Metric::Dm, true) => size * question.rows,
                (Metric::Dm, false) => size * size,
                (_, true) => size,
                (_, false) => counts[0].min(counts[1]),
            };
        }
        if lost <= question.limit {
            least = Some(least.map_or(cost, |least: u64| least.min(cost)));
        }
        for at in 0..width {
            chosen[at] += 1;
            if chosen[at] < groupings[at].len() {
                continue 'all;
            }
            chosen[at] = 0;
        }
        return least;
    }
}

/// All divisions of a column into intervals, as the interval of each value.
fn divisions(column: &incrowd_check::Column) -> Vec<Vec<u32>> {
    let values = column.values.len();
    let mut all = Vec::new();
    for cuts in 0..1u32 << (values - 1) {
        let is_made = |at: usize| at == 0 || at == values || cuts >> (at - 1) & 1 == 1;
        let ends: Vec<usize> = (0..=values).filter(|&at| is_made(at)).collect();
        let fits = |pair: &[usize]| match &column.shape {
            Shape::Free => true,
            Shape::FirstAloneOrAll => pair[0] > 0 || pair[1] == 1 || pair[1] == values,
            Shape::Nodes(nodes) => nodes.contains(&(pair[0] as u16, pair[1] as u16)),
        };
        if ends.windows(2).all(fits)
            && column.made.iter().all(|&at| is_made(at))
            && !column.refused.iter().any(|&at| is_made(at))
        {
            let interval = |value: usize| ends.partition_point(|&end| end <= value) as u32;
            all.push((0..values).map(interval).collect());
        }
    }
    all
}

/// The least cost of all groupings, in suppressed rows.
pub(crate) fn least_grouping(table: &[Vec<String>], k: usize, limit: usize) -> f64 {
    let (rows, width) = (table.len(), table[0].len());
    let columns: Vec<Vec<&str>> =
        (0..width).map(|at| table.iter().map(|row| row[at].as_str()).collect()).collect();
    let cost = |set: usize| -> f64 {
        let each = columns.iter().map(|column| {
            let held = || (0..rows).filter(|row| set >> row & 1 == 1).map(|row| column[row]);
            if column[0].starts_with('t') {
                let count = |values: &mut dyn Iterator<Item = &str>| {
                    values.collect::<std::collections::HashSet<_>>().len() as f64
                };
                let (own, all) = (count(&mut held()), count(&mut column.iter().copied()));
                return if own < 2.0 { 0.0 } else { own / all };
            }
            let width = |values: &mut dyn Iterator<Item = &str>| {
                let numbers: Vec<f64> = values.map(|it| it.parse().unwrap()).collect();
                let high = numbers.iter().copied().fold(f64::MIN, f64::max);
                high - numbers.iter().copied().fold(f64::MAX, f64::min)
            };
            let (own, all) = (width(&mut held()), width(&mut column.iter().copied()));
            if all > 0.0 { own / all } else { 0.0 }
        });
        each.sum::<f64>() / width as f64 * f64::from(set.count_ones())
    };
    let full = (1usize << rows) - 1;
    let mut best = vec![vec![f64::INFINITY; full + 1]; limit + 1];
    for left in 0..=limit {
        best[left][0] = 0.0;
        for set in 1..=full {
            let low = 1usize << set.trailing_zeros();
            let mut least = match left {
                0 => f64::INFINITY,
                _ => 1.0 + best[left - 1][set & !low],
            };
            let rest = set & !low;
            let mut part = rest;
            loop {
                let group = part | low;
                if group.count_ones() as usize >= k {
                    least = least.min(cost(group) + best[left][set & !group]);
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & rest;
            }
            best[left][set] = least;
        }
    }
    best[limit][full]
}
