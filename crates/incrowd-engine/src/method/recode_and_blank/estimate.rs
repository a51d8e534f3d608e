//! What a recoding costs with the blanks that it still needs, by a greedy assignment.
//!
//! Rows whose class is large enough keep all their groups. The others go through the masks of blank columns,
//! cheapest first: wherever enough of them agree on the other columns, they stay. That is a release, so
//! no estimate is below what blanks of a recoding can cost, and a full search for blanks only improves it.
//! Under the weaker reading, where a row needs k rows that fit it and not k rows like it, all rows are counted.

use super::shapes::ValueShapes;
use crate::cost::{GroupPrice, Metric, released};
use crate::kit::{KeyNumbering, SearchRng};
use crate::problem::{Limit, Problem};
use crate::recoding::GlobalRecoding;
use crate::space::cuts::ProfileGrid;
use crate::value::{Attribute, Group};

/// What groups and blanks cost in each column, in blanks of average weight.
pub(super) struct ColumnPrices<'a> {
    attributes: &'a [Attribute],
    prices: GroupPrice<'a>,
    /// Whether labels are priced as they are printed.
    printed: bool,
    scale: f64,
    /// What a blank costs.
    pub(super) blank: Vec<f64>,
}

impl<'a> ColumnPrices<'a> {
    /// Whether what is minimized is the metric, up to what long labels leave open.
    pub(super) fn are_of(metric: Metric) -> bool {
        matches!(
            metric,
            Metric::Ncp | Metric::Loss | Metric::Precision | Metric::Entropy | Metric::Blanks
        )
    }

    pub(super) fn new(problem: &'a Problem) -> Self {
        let metric = if Self::are_of(problem.metric) { problem.metric } else { Metric::Ncp };
        let mut prices = ColumnPrices {
            attributes: &problem.attributes,
            prices: problem.group_prices(metric),
            printed: metric == Metric::Ncp,
            scale: 1.0,
            blank: Vec::new(),
        };
        let blank = |prices: &Self| -> Vec<f64> {
            (0..prices.attributes.len()).map(|at| prices.of(at, &Group::Blank)).collect()
        };
        let whole: f64 = blank(&prices).iter().sum();
        if whole > 0.0 {
            prices.scale = prices.attributes.len() as f64 / whole;
        }
        prices.blank = blank(&prices);
        prices
    }

    /// What a row pays for a released group of a column.
    pub(super) fn of(&self, at: usize, group: &Group) -> f64 {
        let attribute = &self.attributes[at];
        let price = match self.printed {
            true => attribute.weight * released::price(attribute, &attribute.shown(group)),
            false => self.prices.of(at, &attribute.meant(group)),
        };
        price * self.scale
    }

    /// A cost in the units of the metric.
    pub(super) fn told(&self, cost: f64) -> f64 {
        cost / self.scale - self.prices.offset()
    }
}

/// What does not change while recodings are estimated.
pub(super) struct BlankingEstimate<'a> {
    pub(super) grid: &'a ProfileGrid<'a>,
    pub(super) prices: &'a ColumnPrices<'a>,
    /// By axis, a random number for each slot; a class is named by the sum of those of its slots.
    marks: Vec<Vec<u64>>,
    /// The masks of blank columns; the last blanks all.
    masks: Vec<u64>,
    whole: f64,
}

/// A recoding: by axis the slot of each value, what each slot costs, and the name of each cell's class.
#[derive(Clone)]
pub(super) struct RecodingState {
    pub(super) slots: Vec<Vec<u16>>,
    prices: Vec<Vec<f64>>,
    names: Vec<u64>,
}

/// What an estimate needs again and again.
#[derive(Default)]
pub(super) struct EstimateScratch {
    classes: KeyNumbering,
    numbers: KeyNumbering,
    of_class: Vec<(u64, u32)>,
    small: Vec<SmallClass>,
    marks: Vec<u64>,
    kept: Vec<f64>,
    ids: Vec<u32>,
    rows: Vec<u64>,
}

/// A class that is too small.
#[derive(Clone, Copy)]
struct SmallClass {
    name: u64,
    rows: u64,
    /// Where its marks and prices begin.
    at: u32,
    /// What its groups cost.
    price: f64,
}

/// Up to so many columns all masks are looked at, beyond only those of few blanks, and so many of them.
const COLUMNS: usize = 10;
const MASKS: usize = 1_024;

impl<'a> BlankingEstimate<'a> {
    pub(super) fn new(grid: &'a ProfileGrid<'a>, prices: &'a ColumnPrices<'a>) -> Self {
        let mut chance = SearchRng::of_seed(0);
        let mut marks = |values: usize| (0..values).map(|_| chance.word()).collect();
        let columns = grid.axes.len();
        BlankingEstimate {
            grid,
            prices,
            marks: grid.axes.iter().map(|axis| marks(axis.values())).collect(),
            masks: masks(columns),
            whole: prices.blank.iter().sum(),
        }
    }

    fn group(&self, axis: usize, slots: &[u16], slot: u16) -> Group {
        let values = (0..slots.len()).filter(|&value| slots[value] == slot);
        let codes: Vec<u32> =
            values.flat_map(|value| self.grid.axes[axis].codes(value..value + 1)).collect();
        self.grid.problem.attributes[axis].exact_group(&codes)
    }

    fn prices_of(&self, axis: usize, slots: &[u16]) -> Vec<f64> {
        let mut prices = vec![0.0; slots.len()];
        let mut used = slots.to_vec();
        used.sort_unstable();
        used.dedup();
        for slot in used {
            prices[usize::from(slot)] = self.prices.of(axis, &self.group(axis, slots, slot));
        }
        prices
    }

    /// Gives an axis other groups; returns what it had before.
    pub(super) fn change(
        &self,
        state: &mut RecodingState,
        axis: usize,
        slots: Vec<u16>,
    ) -> AxisGroups {
        let prices = self.prices_of(axis, &slots);
        self.exchange(state, axis, AxisGroups { slots, prices })
    }

    /// The same with groups that an axis had before.
    pub(super) fn exchange(
        &self,
        state: &mut RecodingState,
        axis: usize,
        groups: AxisGroups,
    ) -> AxisGroups {
        let marks = &self.marks[axis];
        let moves: Vec<u64> = groups
            .slots
            .iter()
            .zip(&state.slots[axis])
            .map(|(&new, &old)| marks[usize::from(new)].wrapping_sub(marks[usize::from(old)]))
            .collect();
        for (name, &value) in state.names.iter_mut().zip(&self.grid.values[axis]) {
            *name = name.wrapping_add(moves[usize::from(value)]);
        }
        AxisGroups {
            slots: std::mem::replace(&mut state.slots[axis], groups.slots),
            prices: std::mem::replace(&mut state.prices[axis], groups.prices),
        }
    }

    /// What the recoding costs with the blanks that its small classes take.
    pub(super) fn cost(&self, state: &RecodingState, scratch: &mut EstimateScratch) -> f64 {
        let k = self.grid.problem.privacy.k;
        let width = self.grid.axes.len();
        let EstimateScratch { classes, numbers, of_class, small, marks, kept, ids, rows } = scratch;
        classes.clear();
        of_class.clear();
        for (cell, (&name, &count)) in state.names.iter().zip(&self.grid.counts).enumerate() {
            if count == 0 {
                continue;
            }
            let class = classes.number(name, |_| true) as usize;
            match of_class.get_mut(class) {
                Some((rows, _)) => *rows += u64::from(count),
                None => of_class.push((u64::from(count), cell as u32)),
            }
        }
        let mut cost = 0.0;
        let mut sums = vec![0.0; width];
        small.clear();
        marks.clear();
        kept.clear();
        for &(count, cell) in of_class.iter() {
            let slot = |axis: usize| {
                let value = self.grid.values[axis][cell as usize];
                usize::from(state.slots[axis][usize::from(value)])
            };
            let price: f64 = (0..width).map(|axis| state.prices[axis][slot(axis)]).sum();
            if count >= k {
                cost += count as f64 * price;
                continue;
            }
            let (name, at) = (state.names[cell as usize], marks.len() as u32);
            small.push(SmallClass { name, rows: count, at, price });
            for (axis, sum) in sums.iter_mut().enumerate() {
                marks.push(self.marks[axis][slot(axis)]);
                let price = state.prices[axis][slot(axis)];
                kept.push(price);
                *sum += count as f64 * price;
            }
        }
        let left: u64 = small.iter().map(|class| class.rows).sum();
        // What a mask costs more than the groups that it blanks, on average.
        let more = |mask: u64| -> f64 {
            columns_of(mask).map(|at| self.prices.blank[at] - sums[at] / left.max(1) as f64).sum()
        };
        let mut order: Vec<(f64, u64)> =
            self.masks.iter().map(|&mask| (more(mask), mask)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, mask) in order {
            if small.is_empty() {
                break;
            }
            numbers.clear();
            ids.clear();
            rows.clear();
            for class in small.iter() {
                let part = |at: usize| marks[class.at as usize + at];
                let name =
                    columns_of(mask).fold(class.name, |name, at| name.wrapping_sub(part(at)));
                let id = numbers.number(name, |_| true);
                ids.push(id);
                match rows.get_mut(id as usize) {
                    Some(rows) => *rows += class.rows,
                    None => rows.push(class.rows),
                }
            }
            if self.grid.problem.privacy.wildcards {
                self.count_large(state, of_class, numbers, mask, rows);
            }
            let mut at = 0;
            small.retain(|class| {
                let fits = rows[ids[at] as usize] >= k;
                at += 1;
                if fits {
                    let more = |at: usize| self.prices.blank[at] - kept[class.at as usize + at];
                    let price = class.price + columns_of(mask).map(more).sum::<f64>();
                    cost += class.rows as f64 * price;
                }
                !fits
            });
        }
        let left: u64 = small.iter().map(|class| class.rows).sum();
        let short =
            if self.grid.problem.limit == Limit::Rows(0) && left > 0 { k - left } else { 0 };
        cost + (left + short) as f64 * self.whole
    }

    /// Counts the rows of all classes that fit what small ones would show.
    fn count_large(
        &self,
        state: &RecodingState,
        of_class: &[(u64, u32)],
        numbers: &KeyNumbering,
        mask: u64,
        rows: &mut [u64],
    ) {
        rows.fill(0);
        for &(count, cell) in of_class {
            let part = |axis: usize| {
                let value = self.grid.values[axis][cell as usize];
                self.marks[axis][usize::from(state.slots[axis][usize::from(value)])]
            };
            let name = columns_of(mask)
                .fold(state.names[cell as usize], |name, at| name.wrapping_sub(part(at)));
            if let Some(rows) = numbers.find(name).and_then(|id| rows.get_mut(id as usize)) {
                *rows += count;
            }
        }
    }
}

/// The groups of an axis and what they cost.
pub(super) struct AxisGroups {
    slots: Vec<u16>,
    prices: Vec<f64>,
}

impl RecodingState {
    fn new(estimate: &BlankingEstimate<'_>, slots: Vec<Vec<u16>>) -> Self {
        let grid = estimate.grid;
        let mut names = vec![0u64; grid.cells()];
        for (axis, slots) in slots.iter().enumerate() {
            for (name, &value) in names.iter_mut().zip(&grid.values[axis]) {
                let slot = usize::from(slots[usize::from(value)]);
                *name = name.wrapping_add(estimate.marks[axis][slot]);
            }
        }
        let prices = slots.iter().enumerate().map(|(axis, slots)| estimate.prices_of(axis, slots));
        RecodingState { prices: prices.collect(), names, slots }
    }

    /// The groups of a recoding by one map per attribute whose bins are those of the grid.
    pub(super) fn of(estimate: &BlankingEstimate<'_>, recoding: &GlobalRecoding) -> Self {
        let slots = estimate.grid.axes.iter().zip(&recoding.maps).map(|(axis, map)| {
            let group = |value: usize| map[axis.codes(value..value + 1).start as usize];
            let groups: Vec<u32> = (0..axis.values()).map(group).collect();
            let first = |of: &u32| groups.iter().position(|group| group == of).unwrap_or(0) as u16;
            groups.iter().map(first).collect()
        });
        Self::new(estimate, slots.collect())
    }

    /// Every value, or bin, by itself, where that is allowed.
    pub(super) fn separate(estimate: &BlankingEstimate<'_>, shapes: &ValueShapes) -> Self {
        let axes = estimate.grid.axes.iter().enumerate();
        Self::new(estimate, axes.map(|(at, axis)| shapes.finest(at, axis.values())).collect())
    }

    /// The recoding that the groups are.
    pub(super) fn recoding(&self, estimate: &BlankingEstimate<'_>) -> GlobalRecoding {
        let groups: Vec<Vec<Group>> = self
            .slots
            .iter()
            .enumerate()
            .map(|(axis, slots)| {
                (0..slots.len() as u16).map(|slot| estimate.group(axis, slots, slot)).collect()
            })
            .collect();
        GlobalRecoding::new(&estimate.grid.problem.attributes, |at, code| {
            let value = estimate.grid.axes[at].value(code);
            groups[at][usize::from(self.slots[at][usize::from(value)])].clone()
        })
    }
}

/// The columns that a mask blanks.
fn columns_of(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            at
        })
    })
}

/// The masks that are looked at: all, or those of few blanks and the one of all columns.
fn masks(columns: usize) -> Vec<u64> {
    let full = if columns >= 64 { u64::MAX } else { (1 << columns) - 1 };
    if columns <= COLUMNS {
        return (1..=full).collect();
    }
    let one = |at: usize| 1u64 << at;
    let singles = (0..columns).map(one);
    let pairs = (0..columns).flat_map(|a| (0..a).map(move |b| one(a) | one(b)));
    let triples = (0..columns)
        .flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| one(a) | one(b) | one(c))));
    singles.chain(pairs).chain(triples).take(MASKS).chain([full]).collect()
}
