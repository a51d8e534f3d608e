//! What each interval of an axis would cost, while the other axes stay divided as they are.

use std::ops::Range;

use hashbrown::HashTable;

use super::board::{Board, Frame, Piece, marks, numbered};
use super::path::Costs;
use crate::cuts::{Price, sum_up};
use crate::privacy::{Privacy, Tally};

/// The cells of a line, put together by value.
#[derive(Debug, Default)]
struct Strip {
    /// The values that occur.
    values: Vec<u16>,
    /// How many rows come before each of them, and at last all.
    rows: Vec<u64>,
    /// The same for the rows of each class value, where the metric asks for them.
    labels: Vec<u64>,
    /// Each value's rows, where there are models beyond k.
    tallies: Vec<Tally>,
    /// Whether the class from one value to another passes, where there are models beyond k.
    passes: Vec<bool>,
}

/// Memory that [`Costs`] are worked out in, used again and again.
#[derive(Default)]
pub(super) struct Scratch {
    lines: HashTable<(u64, u32)>,
    /// Which line each class lies in.
    line_of: Vec<u32>,
    /// Where each line's cells end.
    ends: Vec<u32>,
    /// The cells, line by line, sorted by value.
    pieces: Vec<Piece>,
    strip: Strip,
    before: Vec<u64>,
}

impl Scratch {
    /// What each interval of an axis costs while the others stay divided as they are.
    ///
    /// Cells that the other axes do not separate form a *line*. A line's class for the values from i to
    /// j costs c(i, j), and an interval of the axis the sum of that over lines. Each line has its own
    /// values, so instead of filling all intervals for each, the mixed second difference of c is added
    /// where i and j are values of the line, and one summation at the end makes costs of all of it.
    pub(super) fn costs(
        &mut self,
        frame: &Frame<'_, '_>,
        board: &Board,
        axis: usize,
        costs: &mut Costs,
    ) {
        let space = frame.space;
        let values = space.axes[axis].values();
        let size = values * (values + 1);
        costs.values = values;
        costs.cost.clear();
        costs.cost.resize(size, 0);
        costs.lost.clear();
        let widths = match &space.price {
            Price::Widths(widths) => Some(widths),
            _ => None,
        };
        if space.limit < space.problem.rows || widths.is_some() {
            costs.lost.resize(size, 0);
        }
        self.gather(frame, board, axis);
        let mut begin = 0;
        for line in 0..self.ends.len() {
            let end = self.ends[line] as usize;
            self.strip(frame, begin..end);
            let other = widths.map_or(0, |widths| {
                let cell = self.pieces[begin].cell as usize;
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
            begin = end;
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

    /// Sorts the cells into lines.
    fn gather(&mut self, frame: &Frame<'_, '_>, board: &Board, axis: usize) {
        let values = &frame.space.values[axis];
        let marks = marks(frame, &board.cuts, axis);
        self.lines.clear();
        self.line_of.clear();
        self.ends.clear();
        for class in &board.classes {
            let mark = marks[usize::from(values[class.cell as usize])];
            let line = numbered(&mut self.lines, class.name.wrapping_sub(mark));
            self.line_of.push(line);
            if line as usize == self.ends.len() {
                self.ends.push(0);
            }
            self.ends[line as usize] += class.cells;
        }
        let mut begin = 0;
        for end in &mut self.ends {
            begin += *end;
            *end = begin - *end;
        }
        let order = &frame.axes[axis].order;
        self.pieces.resize(order.len(), Piece::default());
        for &piece in order {
            let class = board.class_of[piece.cell as usize];
            let slot = &mut self.ends[self.line_of[class as usize] as usize];
            self.pieces[*slot as usize] = piece;
            *slot += 1;
        }
    }

    /// Puts together the cells of a line that share a value.
    fn strip(&mut self, frame: &Frame<'_, '_>, pieces: Range<usize>) {
        let space = frame.space;
        let width = space.class_values;
        let models = !space.problem.privacy.requirements.is_empty();
        let strip = &mut self.strip;
        strip.values.clear();
        strip.rows.clear();
        strip.rows.push(0);
        strip.labels.clear();
        strip.labels.resize(width, 0);
        let mut last = None;
        for &Piece { cell, rows, value } in &self.pieces[pieces] {
            if last != Some(value) {
                last = Some(value);
                let at = strip.values.len();
                strip.values.push(value);
                strip.rows.push(strip.rows[at]);
                strip.labels.extend_from_within(at * width..);
                if models {
                    if strip.tallies.len() == at {
                        strip.tallies.push(space.problem.labels.tally());
                    }
                    strip.tallies[at].clear();
                }
            }
            let (at, cell) = (strip.values.len(), cell as usize);
            strip.rows[at] += u64::from(rows);
            for label in 0..width {
                strip.labels[at * width + label] +=
                    u64::from(space.class_counts[cell * width + label]);
            }
            if models {
                space.tally(cell, &mut strip.tallies[at - 1]);
            }
        }
        if models {
            strip.judge(frame);
        }
    }

    /// Adds the second differences of a line's costs; what the other axes charge each row is given.
    fn add(&mut self, frame: &Frame<'_, '_>, other: u64, costs: &mut Costs) {
        let space = frame.space;
        let Privacy { k, requirements, .. } = &space.problem.privacy;
        let strip = &self.strip;
        let models = !requirements.is_empty();
        let width = space.class_values;
        let rows = |from: usize, to: usize| strip.rows[to] - strip.rows[from];
        let passes = |from: usize, to: usize| {
            if models {
                strip.passes[from * strip.values.len() + to - 1]
            } else {
                rows(from, to) >= *k
            }
        };
        let mut spread = Spread { strip, stride: costs.values + 1, before: &mut self.before };
        match &space.price {
            Price::Dm => {
                let all = space.problem.rows;
                spread.add(&mut costs.cost, |from, to| {
                    let rows = rows(from, to);
                    if passes(from, to) { rows * rows } else { rows * all }
                });
            }
            Price::Cm => spread.add(&mut costs.cost, |from, to| {
                let majority = if passes(from, to) {
                    let (from, to) = (&strip.labels[from * width..], &strip.labels[to * width..]);
                    from[..width].iter().zip(&to[..width]).map(|(from, to)| to - from).max()
                } else {
                    None
                };
                rows(from, to) - majority.unwrap_or(0)
            }),
            Price::Widths(widths) => spread.add(&mut costs.cost, |from, to| {
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

impl Strip {
    /// Finds out which classes pass, where that takes more than counting rows.
    fn judge(&mut self, frame: &Frame<'_, '_>) {
        let problem = frame.space.problem;
        let many = self.values.len();
        self.passes.clear();
        self.passes.resize(many * many, false);
        let mut tally = problem.labels.tally();
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
struct Spread<'a> {
    strip: &'a Strip,
    stride: usize,
    before: &'a mut Vec<u64>,
}

impl Spread<'_> {
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
