//! What each interval of an axis would cost, while the other axes stay divided as they are.

use std::ops::Range;

use super::shortest_path::IntervalCosts;
use super::state::{AxisProfile, ClimbContext, ClimbState, marks};
use crate::kit::KeyNumbering;
use crate::privacy::ClassTally;
use crate::space::cuts::{ClassPricing, sum_up};

/// The cells of a line that share a value.
#[derive(Debug, Clone, Copy, Default)]
struct LineBlock {
    value: u16,
    rows: u32,
    /// One of the cells.
    cell: u32,
}

/// The blocks of a line, added up.
#[derive(Debug, Default)]
struct LineSums {
    /// The values that occur.
    values: Vec<u16>,
    /// How many rows come before each of them, and at last all.
    rows: Vec<u64>,
    /// The same for the rows of each class value, where the metric asks for them.
    labels: Vec<u64>,
    /// Each value's rows, where there are models beyond k.
    tallies: Vec<ClassTally>,
    /// Whether the class from one value to another passes, where there are models beyond k.
    passes: Vec<bool>,
}

/// Memory that [`IntervalCosts`] are worked out in, used again and again.
#[derive(Default)]
pub(super) struct CostScratch {
    lines: KeyNumbering,
    /// Which line each class lies in.
    line_of: Vec<u32>,
    /// Where each line's blocks begin and end.
    bounds: Vec<(u32, u32)>,
    /// Line by line, sorted by value. There is room for a block of each cell.
    blocks: Vec<LineBlock>,
    /// How many rows of each block carry each class value, where the metric asks for them.
    labels: Vec<u32>,
    /// Where there are models beyond k: by cell the next one of its block, itself if it is the last.
    next: Vec<u32>,
    strip: LineSums,
    before: Vec<u64>,
}

impl CostScratch {
    /// What each interval of an axis costs while the others stay divided as they are.
    ///
    /// Cells that the other axes do not separate form a *line*. A line's class for the values from i to
    /// j costs c(i, j), and an interval of the axis the sum of that over lines. Each line has its own
    /// values, so instead of filling all intervals for each, the mixed second difference of c is added
    /// where i and j are values of the line, and one summation at the end makes costs of all of it.
    pub(super) fn costs(
        &mut self,
        frame: &ClimbContext<'_, '_>,
        board: &ClimbState,
        axis: usize,
        costs: &mut IntervalCosts,
    ) {
        let space = frame.space;
        let values = space.axes[axis].values();
        let size = values * (values + 1);
        costs.values = values;
        costs.cost.clear();
        costs.cost.resize(size, 0);
        costs.lost.clear();
        let widths = match &space.price {
            ClassPricing::Widths(widths) => Some(widths),
            _ => None,
        };
        if space.limit < space.problem.rows || widths.is_some() {
            costs.lost.resize(size, 0);
        }
        self.gather(frame, board, axis);
        for line in 0..self.bounds.len() {
            let (begin, end) = self.bounds[line];
            self.strip(frame, begin as usize..end as usize);
            let other = widths.map_or(0, |widths| {
                let cell = self.blocks[begin as usize].cell as usize;
                (0..space.axes.len())
                    .filter(|&other| other != axis)
                    .map(|other| {
                        let value = usize::from(space.values[other][cell]);
                        let (first, end) = board.cuts.interval_around(other, value);
                        widths.of(other, first, end)
                    })
                    .sum()
            });
            self.add(frame, other, costs);
        }
        sum_up(&mut costs.cost, values);
        if !costs.lost.is_empty() {
            sum_up(&mut costs.lost, values);
        }
        if let Some(widths) = widths {
            // What the axis itself charges depends on the interval, not on the rows inside.
            let mut rows = vec![0u64; values + 1];
            for (&value, &count) in space.values[axis].iter().zip(&space.counts) {
                rows[usize::from(value) + 1] += u64::from(count);
            }
            for at in 0..values {
                rows[at + 1] += rows[at];
            }
            for &(first, end) in &frame.axes[axis].steps {
                let (first, end) = (usize::from(first), usize::from(end));
                let at = first * (values + 1) + end;
                let released = rows[end] - rows[first] - costs.lost[at];
                costs.cost[at] += released * widths.of(axis, first, end);
            }
        }
    }

    /// Sorts the cells into lines and puts those of a line together that share a value.
    fn gather(&mut self, frame: &ClimbContext<'_, '_>, board: &ClimbState, axis: usize) {
        let space = frame.space;
        let values = &space.values[axis];
        let marks = marks(frame, &board.cuts, axis);
        self.lines.clear();
        self.line_of.clear();
        self.bounds.clear();
        for class in &board.classes {
            let mark = marks[usize::from(values[class.cell as usize])];
            let line = self.lines.number(class.name.wrapping_sub(mark), |_| true);
            self.line_of.push(line);
            if line as usize == self.bounds.len() {
                self.bounds.push((0, 0));
            }
            self.bounds[line as usize].1 += class.cells;
        }
        let mut begin = 0;
        for bounds in &mut self.bounds {
            let room = bounds.1;
            *bounds = (begin, begin);
            begin += room;
        }
        let order = &frame.axes[axis].order;
        let (width, counts) = (space.class_values, &space.class_counts);
        let models = !space.problem.privacy.is_by_size();
        self.blocks.resize(order.len(), LineBlock::default());
        self.labels.resize(order.len() * width, 0);
        if models {
            self.next.resize(order.len(), 0);
        }
        for &AxisProfile { cell, rows, value } in order {
            let class = board.class_of[cell as usize];
            let (begin, end) = &mut self.bounds[self.line_of[class as usize] as usize];
            // Cells come in the order of their values.
            let at = end.wrapping_sub(1) as usize;
            if *begin < *end && self.blocks[at].value == value {
                let block = &mut self.blocks[at];
                block.rows += rows;
                for label in 0..width {
                    self.labels[at * width + label] += counts[cell as usize * width + label];
                }
                if models {
                    self.next[cell as usize] = std::mem::replace(&mut block.cell, cell);
                }
                continue;
            }
            let at = *end as usize;
            *end += 1;
            self.blocks[at] = LineBlock { value, rows, cell };
            for label in 0..width {
                self.labels[at * width + label] = counts[cell as usize * width + label];
            }
            if models {
                self.next[cell as usize] = cell;
            }
        }
    }

    /// Adds up the blocks of a line.
    fn strip(&mut self, frame: &ClimbContext<'_, '_>, blocks: Range<usize>) {
        let space = frame.space;
        let width = space.class_values;
        let strip = &mut self.strip;
        strip.values.clear();
        strip.rows.clear();
        strip.rows.push(0);
        strip.labels.clear();
        strip.labels.resize(width, 0);
        let mut rows = 0;
        for at in blocks.clone() {
            let block = &self.blocks[at];
            rows += u64::from(block.rows);
            strip.values.push(block.value);
            strip.rows.push(rows);
            let before = strip.labels.len() - width;
            for label in 0..width {
                let count = u64::from(self.labels[at * width + label]);
                strip.labels.push(strip.labels[before + label] + count);
            }
        }
        if space.problem.privacy.is_by_size() {
            return;
        }
        for (at, block) in self.blocks[blocks].iter().enumerate() {
            if strip.tallies.len() == at {
                strip.tallies.push(space.problem.targets.tally());
            }
            let tally = &mut strip.tallies[at];
            tally.clear();
            let mut cell = block.cell;
            loop {
                space.tally(cell as usize, tally);
                let next = self.next[cell as usize];
                if next == cell {
                    break;
                }
                cell = next;
            }
        }
        strip.judge(frame);
    }

    /// Adds the second differences of a line's costs; what the other axes charge each row is given.
    fn add(&mut self, frame: &ClimbContext<'_, '_>, other: u64, costs: &mut IntervalCosts) {
        let space = frame.space;
        let privacy = &space.problem.privacy;
        let k = privacy.k;
        let strip = &self.strip;
        let models = !privacy.is_by_size();
        let width = space.class_values;
        let rows = |from: usize, to: usize| strip.rows[to] - strip.rows[from];
        let passes = |from: usize, to: usize| {
            if models {
                strip.passes[from * strip.values.len() + to - 1]
            } else {
                rows(from, to) >= k
            }
        };
        let mut spread =
            LineDifferences { strip, stride: costs.values + 1, before: &mut self.before };
        match &space.price {
            ClassPricing::Dm => {
                let all = space.problem.rows;
                spread.add(&mut costs.cost, |from, to| {
                    let rows = rows(from, to);
                    if passes(from, to) { rows * rows } else { rows * all }
                });
            }
            ClassPricing::Cm if width == 2 => spread.add(&mut costs.cost, |from, to| {
                let rows = rows(from, to);
                let ones = strip.labels[2 * to + 1] - strip.labels[2 * from + 1];
                if passes(from, to) { ones.min(rows - ones) } else { rows }
            }),
            ClassPricing::Cm => spread.add(&mut costs.cost, |from, to| {
                let majority = if passes(from, to) {
                    let (from, to) = (&strip.labels[from * width..], &strip.labels[to * width..]);
                    from[..width].iter().zip(&to[..width]).map(|(from, to)| to - from).max()
                } else {
                    None
                };
                rows(from, to) - majority.unwrap_or(0)
            }),
            ClassPricing::Widths(widths) => spread.add(&mut costs.cost, |from, to| {
                rows(from, to) * if passes(from, to) { other } else { widths.suppressed }
            }),
        }
        if !costs.lost.is_empty() {
            spread.add(
                &mut costs.lost,
                |from, to| {
                    if passes(from, to) { 0 } else { rows(from, to) }
                },
            );
        }
    }
}

impl LineSums {
    /// Finds out which classes pass, where that takes more than counting rows.
    fn judge(&mut self, frame: &ClimbContext<'_, '_>) {
        let problem = frame.space.problem;
        let many = self.values.len();
        self.passes.clear();
        self.passes.resize(many * many, false);
        let mut tally = problem.targets.tally();
        for from in 0..many {
            tally.clear();
            let mut passes = false;
            for to in from..many {
                if !(passes && frame.monotone) {
                    tally.absorb(&self.tallies[to]);
                    passes = problem.privacy.passes(&tally);
                }
                self.passes[from * many + to] = passes;
            }
        }
    }
}

/// Where a line's second differences go.
struct LineDifferences<'a> {
    strip: &'a LineSums,
    stride: usize,
    before: &'a mut Vec<u64>,
}

impl LineDifferences<'_> {
    /// Adds those of a cost that is known for each first value and end of the line.
    #[inline]
    fn add(&mut self, table: &mut [u64], cost: impl Fn(usize, usize) -> u64) {
        let values = &self.strip.values;
        self.before.clear();
        self.before.resize(values.len(), 0);
        for from in (0..values.len()).rev() {
            let row = &mut table[usize::from(values[from]) * self.stride..][..self.stride];
            let mut last = 0u64;
            let ends = from + 1..=values.len();
            for ((to, &value), before) in ends.zip(&values[from..]).zip(&mut self.before[from..]) {
                let cost = cost(from, to);
                // What one more value in front adds here, less what it adds one value earlier.
                let step = cost.wrapping_sub(*before);
                let slot = &mut row[usize::from(value)];
                *slot = slot.wrapping_add(step.wrapping_sub(last));
                last = step;
                *before = cost;
            }
        }
    }
}
