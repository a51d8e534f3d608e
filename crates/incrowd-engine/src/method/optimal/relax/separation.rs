//! Looking for conflicts that an average of divisions does not meet.

use super::conflict::{BoxConflict, ConflictSide};
use super::context::{RelaxationContext, ValueBox};

/// By attribute, how much of each interval the average holds, at `first * (values + 1) + end`.
pub(super) type PrimalAverage = Vec<Vec<f64>>;

/// A way to make a box narrower.
#[derive(Debug, Clone, Copy)]
struct NarrowedAxis {
    /// The rows that it takes away for its share.
    gain: f64,
    axis: usize,
    range: (u16, u16),
    /// How much more of the average reaches out of it.
    more: f64,
    /// The rows left in the box.
    left: u64,
}

/// An interval of the average: its ends and its share.
type IntervalShare = (u16, u16, f64);

/// A conflict counts if at least so much of it is not met.
const LEAST: f64 = 0.1;

/// Shares below this are passed over.
const TINY: f64 = 1e-3;

/// By attribute and value, the intervals of an average that hold the value.
pub(super) struct AverageSupport {
    parts: Vec<Vec<Vec<IntervalShare>>>,
}

impl AverageSupport {
    pub(super) fn new(ground: &RelaxationContext, mean: &PrimalAverage) -> Self {
        let parts = ground
            .fields
            .iter()
            .zip(mean)
            .map(|(field, mean)| {
                let mut parts = vec![Vec::new(); field.values];
                for first in 0..field.values {
                    for end in first + 1..=field.values {
                        let share = mean[field.at(first, end)];
                        if share > TINY {
                            let part = (first as u16, end as u16, share);
                            parts[first..end].iter_mut().for_each(|of| of.push(part));
                        }
                    }
                }
                parts
            })
            .collect();
        AverageSupport { parts }
    }

    fn of(&self, ground: &RelaxationContext, axis: usize, cell: u32) -> &[IntervalShare] {
        &self.parts[axis][usize::from(ground.values[axis][cell as usize])]
    }

    /// How much of a conflict the average does not meet.
    pub(super) fn unmet(&self, ground: &RelaxationContext, conflict: &BoxConflict) -> f64 {
        let of_axes = conflict.sides.iter().zip(&ground.fields).zip(&self.parts);
        let met = of_axes.map(|((side, field), parts)| {
            let parts = parts[usize::from(side.value)].iter();
            parts.map(|it| it.2 * side.met(field, conflict.stake, (it.0, it.1))).sum::<f64>()
        });
        1.0 - met.sum::<f64>()
    }

    /// A conflict around a cell that the average does not meet, if one is found.
    pub(super) fn conflict(&self, ground: &RelaxationContext, cell: u32) -> Option<BoxConflict> {
        let axes = ground.fields.len();
        let value = |axis: usize| ground.values[axis][cell as usize];
        let mut within: ValueBox = (0..axes)
            .map(|axis| hull(self.of(ground, axis, cell), value(axis), |_| true))
            .collect();
        let mut spent = 0.0;
        // The cells in the box, which only gets narrower.
        let mut inside = ground.cells(&within);
        let mut rows: u64 = inside.iter().map(|&cell| ground.rows_of(cell)).sum();
        // By attribute, how many of them have each value.
        let mut histogram = ValueHistogram::new(ground);
        if rows >= ground.k {
            inside.iter().for_each(|&cell| histogram.add(ground, cell));
        }
        while rows >= ground.k {
            // The narrower side that takes most rows away for its share.
            let mut best: Option<NarrowedAxis> = None;
            for (axis, &range) in within.iter().enumerate() {
                let parts = self.of(ground, axis, cell);
                if range.1 - range.0 == 1 {
                    continue;
                }
                let lies = |part: &IntervalShare| part.0 >= range.0 && part.1 <= range.1;
                let left = hull(parts, value(axis), |part| lies(part) && part.0 > range.0);
                let right = hull(parts, value(axis), |part| lies(part) && part.1 < range.1);
                for narrower in [left, right] {
                    let more = outside(parts, narrower) - outside(parts, range);
                    if narrower == range || spent + more > 1.0 - LEAST {
                        continue;
                    }
                    let left = histogram.rows(axis, narrower);
                    let gain = (rows as f64 / left.max(1) as f64 - 1.0 + 1e-3) / (more + 0.01);
                    if best.is_none_or(|best| gain > best.gain) {
                        best = Some(NarrowedAxis { gain, axis, range: narrower, more, left });
                    }
                }
            }
            let NarrowedAxis { axis, range, more, left, .. } = best?;
            within[axis] = range;
            let stays = |cell: u32| (range.0..range.1).contains(&ground.of_cell(cell)[axis]);
            // Whichever are fewer are looked at: those that stay, or those that go.
            if left * 2 < rows {
                inside.retain(|&cell| stays(cell));
                histogram.clear();
                inside.iter().for_each(|&cell| histogram.add(ground, cell));
            } else {
                inside.retain(|&cell| {
                    let stays = stays(cell);
                    if !stays {
                        histogram.remove(ground, cell);
                    }
                    stays
                });
            }
            spent += more;
            rows = left;
        }
        let (stake, free) = match ground.suppressed {
            None => {
                grow(ground, &mut within, cell);
                (i64::MAX, vec![i64::MAX; axes])
            }
            Some(price) => {
                self.grow_worth(ground, &mut within, cell, price);
                let (free, _) = self.free(ground, &within, cell, price)?;
                (price - free.iter().sum::<i64>(), free)
            }
        };
        let sides = ground.of_cell(cell).iter().zip(within).zip(free);
        let sides =
            sides.map(|((&value, within), free)| ConflictSide { value, within, free }).collect();
        let conflict = BoxConflict { cell, stake, sides };
        (self.unmet(ground, &conflict) > LEAST).then_some(conflict)
    }

    /// What of the price of a suppressed row is best set aside for each attribute, and what a conflict is then worth for each row:
    /// as much as leaves so much of the average inside the box above it as reaches out of the box in no attribute.
    fn free(
        &self,
        ground: &RelaxationContext,
        within: &ValueBox,
        cell: u32,
        price: i64,
    ) -> Option<(Vec<i64>, f64)> {
        let parts_of = |axis: usize| self.of(ground, axis, cell);
        let met: f64 =
            within.iter().enumerate().map(|(axis, &range)| outside(parts_of(axis), range)).sum();
        let unmet = 1.0 - met;
        if unmet <= 0.0 {
            return None;
        }
        let mut free = Vec::with_capacity(within.len());
        let mut worth = price as f64 * unmet;
        let mut inside: Vec<(i64, f64)> = Vec::new();
        for (axis, &range) in within.iter().enumerate() {
            let field = &ground.fields[axis];
            let lies = parts_of(axis).iter().filter(|it| it.0 >= range.0 && it.1 <= range.1);
            inside.clear();
            inside.extend(
                lies.map(|it| (field.prices[field.at(usize::from(it.0), usize::from(it.1))], it.2)),
            );
            inside.sort_unstable_by_key(|part| std::cmp::Reverse(part.0));
            let (mut held, mut here) = (0.0, inside.last().map_or(0, |it| it.0));
            for &(price, share) in &inside {
                held += share;
                if held >= unmet {
                    here = price;
                    break;
                }
            }
            let above: f64 =
                inside.iter().map(|&(price, share)| share * (price - here).max(0) as f64).sum();
            worth -= unmet * here as f64 + above;
            free.push(here);
        }
        (free.iter().sum::<i64>() < price).then_some((free, worth))
    }
}

impl AverageSupport {
    /// Makes a box of fewer than k rows larger where that is worth it: more of the average lies in it, but less is at
    /// stake.
    fn grow_worth(&self, ground: &RelaxationContext, within: &mut ValueBox, cell: u32, price: i64) {
        let worth =
            |within: &ValueBox| self.free(ground, within, cell, price).map_or(0.0, |it| it.1);
        let mut now = worth(within);
        let axes = ground.fields.len();
        for at in 0..axes {
            let axis = (at + cell as usize) % axes;
            let values = ground.fields[axis].values as u16;
            let parts = self.of(ground, axis, cell);
            // Whole, or up to the ends of what the average holds.
            let mut wider = vec![(0, values)];
            wider.extend(
                parts.iter().map(|part| (part.0.min(within[axis].0), part.1.max(within[axis].1))),
            );
            for range in wider {
                let before = within[axis];
                if range == before || range.0 > before.0 || range.1 < before.1 {
                    continue;
                }
                within[axis] = range;
                let then = worth(within);
                if then > now && ground.rows(within, ground.k) < ground.k {
                    now = then;
                } else {
                    within[axis] = before;
                }
            }
        }
    }
}

/// How many rows of some cells have each value of each attribute.
struct ValueHistogram {
    /// Where the values of each attribute begin.
    starts: Vec<usize>,
    rows: Vec<u64>,
}

impl ValueHistogram {
    fn new(ground: &RelaxationContext) -> Self {
        let mut starts = vec![0];
        for field in &ground.fields {
            starts.push(starts[starts.len() - 1] + field.values);
        }
        let rows = vec![0; starts[starts.len() - 1]];
        ValueHistogram { starts, rows }
    }

    fn clear(&mut self) {
        self.rows.fill(0);
    }

    #[inline]
    fn add(&mut self, ground: &RelaxationContext, cell: u32) {
        let more = ground.rows_of(cell);
        for (start, &value) in self.starts.iter().zip(ground.of_cell(cell)) {
            self.rows[start + usize::from(value)] += more;
        }
    }

    #[inline]
    fn remove(&mut self, ground: &RelaxationContext, cell: u32) {
        let gone = ground.rows_of(cell);
        for (start, &value) in self.starts.iter().zip(ground.of_cell(cell)) {
            self.rows[start + usize::from(value)] -= gone;
        }
    }

    /// The rows with values in a range.
    fn rows(&self, axis: usize, (first, end): (u16, u16)) -> u64 {
        let start = self.starts[axis];
        self.rows[start + usize::from(first)..start + usize::from(end)].iter().sum()
    }
}

/// The values between the ends of some parts and a value.
fn hull(
    parts: &[IntervalShare],
    value: u16,
    chosen: impl Fn(&IntervalShare) -> bool,
) -> (u16, u16) {
    parts
        .iter()
        .filter(|part| chosen(part))
        .fold((value, value + 1), |hull, part| (hull.0.min(part.0), hull.1.max(part.1)))
}

/// How much of the parts reaches out of a range.
fn outside(parts: &[IntervalShare], (first, end): (u16, u16)) -> f64 {
    parts.iter().filter(|part| part.0 < first || part.1 > end).map(|part| part.2).sum()
}

/// Makes a box of fewer than k rows as large as it can be.
fn grow(ground: &RelaxationContext, within: &mut ValueBox, cell: u32) {
    let fits = |within: &ValueBox| ground.rows(within, ground.k) < ground.k;
    let axes = ground.fields.len();
    // Where to begin differs from cell to cell, so that boxes differ.
    let turn = |at: usize| (at + cell as usize) % axes;
    for at in 0..axes {
        let axis = turn(at);
        let range = within[axis];
        within[axis] = (0, ground.fields[axis].values as u16);
        if !fits(within) {
            within[axis] = range;
        }
    }
    for at in 0..axes {
        let axis = turn(at);
        let (mut low, mut high) = (0, within[axis].0);
        while low < high {
            let middle = (low + high) / 2;
            let range = within[axis];
            within[axis].0 = middle;
            if fits(within) {
                high = middle;
            } else {
                low = middle + 1;
            }
            within[axis] = range;
        }
        within[axis].0 = low;
        let (mut low, mut high) = (within[axis].1, ground.fields[axis].values as u16);
        while low < high {
            let middle = (low + high).div_ceil(2);
            let range = within[axis];
            within[axis].1 = middle;
            if fits(within) {
                low = middle;
            } else {
                high = middle - 1;
            }
            within[axis] = range;
        }
        within[axis].1 = low;
    }
}
