//! Top-down splits: the start of the search, and what puts like next to like.
//!
//! A part of the table is split in two where |L| c(L) + |R| c(R) is least, c being what a row of a group
//! costs: numbers and hierarchies between two neighbours in their order, text without a hierarchy into
//! its most frequent values and the others, or into one value and the others. Costs are estimated where
//! an attribute has very many values: these stand in bins.

use super::prices::LocalPrices;
use super::rows::LocalRows;
use crate::search::Control;

/// Rows that stay together, seen as the first of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitUnit {
    /// The row that is looked at.
    pub(super) row: u32,
    /// How many rows there are.
    pub(super) rows: u32,
    /// Which of the caller's things it is.
    pub(super) id: u32,
}

/// When to split and when not.
pub(super) struct TopDownRule<'a> {
    /// Parts of at most so many rows are left as they are.
    pub(super) small: u64,
    /// Each side must hold so many rows.
    pub(super) least: u64,
    /// Whether each side must pass all that is asked of a class.
    pub(super) must_pass: bool,
    /// What each attribute's price counts: the sets', then the spans'.
    pub(super) weights: &'a [f32],
}

/// Puts the units into an order in which like stand together, and calls parts that are not split further
/// by their ends in that order.
pub(super) fn split(
    rows: &LocalRows<'_>,
    units: &mut [SplitUnit],
    rule: &TopDownRule<'_>,
    control: &Control,
) -> Vec<u32> {
    let sizes = units.iter().map(|unit| u64::from(unit.rows)).sum();
    let mut ends = Vec::new();
    TopDownSplitter::new(rows, rule, control).descend(units, sizes, 0, &mut ends);
    ends
}

/// Parts of at least so many units are split in parallel.
const PARALLEL: usize = 1 << 13;

/// Values of one attribute beyond so many are cut between bins of neighbours.
const CUTS: usize = 128;

/// With models beyond k, so many of the best cuts are tried.
const TRIED: usize = 48;

struct TopDownSplitter<'a> {
    rows: &'a LocalRows<'a>,
    rule: &'a TopDownRule<'a>,
    control: &'a Control,
    /// Per attribute and code, the place of a value among those that occur; [`NONE`] between uses.
    place: Vec<Vec<u32>>,
    found: Vec<u32>,
    parts: Vec<PartSummary>,
    behind: Vec<PartSummary>,
    best: Vec<ValueSplit>,
}

const NONE: u32 = u32::MAX;

/// The rows that lie on one side: some values of an attribute.
#[derive(Clone, Debug)]
struct ValueSplit {
    cost: f64,
    attribute: usize,
    /// The codes on the first side.
    left: Vec<u32>,
    left_rows: u64,
}

/// What a part of the table costs, ready to be put together with others.
#[derive(Clone, Debug, Default)]
struct PartSummary {
    rows: u64,
    /// Per set attribute the values that occur, in up to 64 bins.
    values: Vec<u64>,
    /// Per span attribute the ends.
    ends: Vec<(u32, u32)>,
}

impl PartSummary {
    fn empty(prices: &LocalPrices<'_>) -> Self {
        let mut summary = PartSummary {
            rows: 0,
            values: vec![0; prices.sets.len()],
            ends: vec![(NONE, 0); prices.spans.len()],
        };
        summary.clear();
        summary
    }

    fn clear(&mut self) {
        self.rows = 0;
        self.values.fill(0);
        self.ends.fill((NONE, 0));
    }

    fn absorb(&mut self, other: &PartSummary) {
        self.rows += other.rows;
        for (mine, &others) in self.values.iter_mut().zip(&other.values) {
            *mine |= others;
        }
        for (mine, &others) in self.ends.iter_mut().zip(&other.ends) {
            *mine = (mine.0.min(others.0), mine.1.max(others.1));
        }
    }

    fn cost(&self, prices: &LocalPrices<'_>, weights: &[f32]) -> f64 {
        let (for_sets, for_spans) = weights.split_at(prices.sets.len());
        let mut cost = 0.0;
        for ((set, &values), weight) in prices.sets.iter().zip(&self.values).zip(for_sets) {
            let held = values.count_ones();
            let held = if set.values > 64 { held * (set.values / 64) as u32 } else { held };
            let mixed = set.missing.is_some() && values & 1 == 1 && held > 1;
            cost += weight * set.of(held, mixed);
        }
        for ((span, ends), weight) in prices.spans.iter().zip(&self.ends).zip(for_spans) {
            if ends.0 <= ends.1 {
                cost += weight * span.of(ends.0, ends.1);
            }
        }
        f64::from(cost) * self.rows as f64
    }
}

impl<'a> TopDownSplitter<'a> {
    fn new(rows: &'a LocalRows<'a>, rule: &'a TopDownRule<'a>, control: &'a Control) -> Self {
        let domains = rows.problem.domains();
        TopDownSplitter {
            rows,
            rule,
            control,
            place: domains.into_iter().map(|size| vec![NONE; size]).collect(),
            found: Vec::new(),
            parts: Vec::new(),
            behind: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Splits the units that begin at `offset` of them all.
    fn descend(&mut self, units: &mut [SplitUnit], size: u64, offset: usize, ends: &mut Vec<u32>) {
        // A stack of its own: the depth is the data's to choose.
        let mut open = vec![(0, units.len(), size)];
        while let Some((from, to, size)) = open.pop() {
            let part = &mut units[from..to];
            let Some((middle, left)) = self.halve(part, size) else {
                ends.push((offset + to) as u32);
                continue;
            };
            if part.len() >= PARALLEL {
                let (first, second) = part.split_at_mut(middle);
                let (rows, rule, control) = (self.rows, self.rule, self.control);
                let go = |units: &mut [SplitUnit], size: u64, offset: usize| {
                    let mut ends = Vec::new();
                    TopDownSplitter::new(rows, rule, control)
                        .descend(units, size, offset, &mut ends);
                    ends
                };
                let (mut one, other) = rayon::join(
                    || go(first, left, offset + from),
                    || go(second, size - left, offset + from + middle),
                );
                ends.append(&mut one);
                ends.extend(other);
            } else {
                open.push((from + middle, to, size - left));
                open.push((from, from + middle, left));
            }
        }
    }

    /// Sorts the units into two sides: where the second begins, and the rows of the first.
    fn halve(&mut self, units: &mut [SplitUnit], size: u64) -> Option<(usize, u64)> {
        let least = self.rule.least.max(1);
        if size <= self.rule.small || size < 2 * least || self.control.stop().is_some() {
            return None;
        }
        self.best.clear();
        for at in 0..self.rows.problem.attributes.len() {
            self.look_along(units, at, least);
        }
        // Stable, so that of equal cuts the first stays first.
        self.best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let cuts = std::mem::take(&mut self.best);
        let chosen = cuts.iter().find(|cut| !self.rule.must_pass || self.both_pass(units, cut))?;
        let place = &mut self.place[chosen.attribute];
        for &code in &chosen.left {
            place[code as usize] = 0;
        }
        let side = |unit: &SplitUnit| place[self.rows.code(chosen.attribute, unit.row) as usize];
        units.sort_by_key(|unit| side(unit) != 0);
        let middle = units.partition_point(|unit| side(unit) == 0);
        for &code in &chosen.left {
            place[code as usize] = NONE;
        }
        Some((middle, chosen.left_rows))
    }

    /// The best cuts along an attribute.
    fn look_along(&mut self, units: &[SplitUnit], at: usize, least: u64) {
        let rows = self.rows;
        let prices = &rows.prices;
        let place = &mut self.place[at];
        self.found.clear();
        for unit in units {
            let code = rows.code(at, unit.row);
            if place[code as usize] == NONE {
                place[code as usize] = 0;
                self.found.push(code);
            }
        }
        if self.found.len() < 2 {
            place[self.found[0] as usize] = NONE;
            return;
        }
        let ordered = prices.spans.iter().any(|span| span.at == at);
        self.found.sort_unstable();
        if !ordered {
            // Most frequent first.
            let mut held = vec![0u64; self.found.len()];
            for (rank, &code) in self.found.iter().enumerate() {
                place[code as usize] = rank as u32;
            }
            for unit in units {
                held[place[rows.code(at, unit.row) as usize] as usize] += u64::from(unit.rows);
            }
            let held_by = |code: u32| held[place[code as usize] as usize];
            let mut by_count = self.found.clone();
            by_count.sort_by_key(|&code| (u64::MAX - held_by(code), code));
            self.found = by_count;
        }
        let distinct = self.found.len();
        let bins = distinct.min(CUTS);
        let bin_of = |rank: usize| rank * bins / distinct;
        for (rank, &code) in self.found.iter().enumerate() {
            place[code as usize] = bin_of(rank) as u32;
        }
        let empty = || PartSummary::empty(prices);
        self.parts.resize_with(bins.max(self.parts.len()), empty);
        self.parts[..bins].iter_mut().for_each(PartSummary::clear);
        for unit in units {
            let part = &mut self.parts[place[rows.code(at, unit.row) as usize] as usize];
            part.rows += u64::from(unit.rows);
            for (values, set) in part.values.iter_mut().zip(&prices.sets) {
                let code = rows.code(set.at, unit.row) as usize;
                *values |= 1 << if set.values > 64 { code * 64 / set.values } else { code };
            }
            for (ends, span) in part.ends.iter_mut().zip(&prices.spans) {
                let code = rows.code(span.at, unit.row);
                *ends = (ends.0.min(code), ends.1.max(code));
            }
        }
        for &code in &self.found {
            place[code as usize] = NONE;
        }
        self.weigh(at, bins, ordered, least, bin_of);
    }

    /// Prices the cuts between the parts just filled.
    fn weigh(
        &mut self,
        at: usize,
        bins: usize,
        ordered: bool,
        least: u64,
        bin_of: impl Fn(usize) -> usize,
    ) {
        let prices = &self.rows.prices;
        let weights = self.rule.weights;
        // All that lies in and behind each part.
        self.behind.resize_with((bins + 1).max(self.behind.len()), || PartSummary::empty(prices));
        self.behind[bins].clear();
        for bin in (0..bins).rev() {
            let (here, next) = self.behind.split_at_mut(bin + 1);
            here[bin].clone_from(&next[0]);
            here[bin].absorb(&self.parts[bin]);
        }
        let whole = self.behind[0].rows;
        let mut before = PartSummary::empty(prices);
        let mut rest = PartSummary::empty(prices);
        let mut candidates: Vec<(f64, usize, bool, u64)> = Vec::new();
        for bin in 0..bins {
            let alone = &self.parts[bin];
            if !ordered && bin > 0 && alone.rows >= least && whole - alone.rows >= least {
                rest.clone_from(&before);
                rest.absorb(&self.behind[bin + 1]);
                let cost = alone.cost(prices, weights) + rest.cost(prices, weights);
                candidates.push((cost, bin, true, alone.rows));
            }
            before.absorb(alone);
            let after = &self.behind[bin + 1];
            if before.rows >= least && after.rows >= least {
                let cost = before.cost(prices, weights) + after.cost(prices, weights);
                candidates.push((cost, bin, false, before.rows));
            }
        }
        let kept = if self.rule.must_pass { TRIED } else { 1 };
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(cost, bin, alone, left_rows) in candidates.iter().take(kept) {
            let is_left = |&rank: &usize| {
                if alone { bin_of(rank) == bin } else { bin_of(rank) <= bin }
            };
            let left = (0..self.found.len()).filter(is_left).map(|rank| self.found[rank]).collect();
            self.best.push(ValueSplit { cost, attribute: at, left, left_rows });
        }
    }

    fn both_pass(&self, units: &[SplitUnit], cut: &ValueSplit) -> bool {
        let LocalRows { problem, .. } = self.rows;
        let mut sides = [problem.targets.tally(), problem.targets.tally()];
        let mut left = cut.left.clone();
        left.sort_unstable();
        for unit in units {
            let code = self.rows.code(cut.attribute, unit.row);
            let side = usize::from(left.binary_search(&code).is_err());
            sides[side].add(self.rows.label_codes(unit.row), unit.rows.into());
        }
        sides.iter().all(|side| problem.privacy.passes(side))
    }
}
