//! The search as a whole: a start, then rounds of annealing in blocks.
//!
//! Blocks are independent, hence parallel. Each round puts the groups into blocks anew, by splits that
//! weigh the attributes otherwise, so that rows which one round kept apart meet in another; the
//! temperature falls over all rounds.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::BestLocal;
use super::anneal::{AnnealingTask, BlockAnnealer};
use super::block::RowBlock;
use super::packed::bits_needed;
use super::rows::LocalRows;
use super::split::{SplitUnit, TopDownRule, split};
use crate::kit::{GeometricCooling, SearchRng};
use crate::recoding::{BoxAssignment, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::search::{Control, Event, StopReason};

/// How many rounds there are, a power of two.
const ROUNDS: u64 = 4;

/// The rounds from this one on are cool enough not to undo what was found.
const COOL: u64 = 2;

/// The temperature at the beginning and at the end, relative to what a row costs at the start.
const COOLING: (f64, f64) = (1.0, 0.05);

/// A block holds at least so many rows, and at least as many times k.
const BLOCK: (u64, u64) = (4_000, 60);

/// A table with fewer rows is searched as if it had so many.
const FEW_ROWS: u64 = 128;

/// Groups of rows, the rows suppressed, and what it all costs.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalGrouping {
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) out: Vec<u32>,
    pub(super) cost: f64,
}

impl LocalGrouping {
    fn new(rows: &LocalRows<'_>, groups: Vec<Vec<u32>>, out: Vec<u32>) -> Self {
        // Collected first: a parallel sum would depend on the number of threads.
        let costs: Vec<f64> =
            groups.par_iter().with_min_len(64).map(|group| rows.cost(group)).collect();
        LocalGrouping { cost: costs.iter().sum::<f64>() + out.len() as f64, groups, out }
    }
}

/// A block before or after a round: its groups, its suppressed rows, and how many may be suppressed.
#[derive(Debug, Default)]
struct BlockGroups {
    groups: Vec<Vec<u32>>,
    out: Vec<u32>,
    quota: usize,
}

/// One search.
pub(super) struct LocalSearch<'a> {
    pub(super) options: &'a BestLocal,
    pub(super) rows: &'a LocalRows<'a>,
    /// Most rows that may be suppressed.
    pub(super) limit: u64,
    pub(super) control: &'a Control,
    /// How many moves were tried.
    pub(super) moves: u64,
    /// Why the search was stopped, if it was.
    pub(super) stopped: Option<StopReason>,
}

impl LocalGrouping {
    /// The groups as boxes, and which rows go into each.
    pub(super) fn recoding(&self, rows: &LocalRows<'_>) -> Recoding {
        let attributes = &rows.problem.attributes;
        let mut boxes = BoxSet::new(attributes.len());
        let mut shares: Vec<ProfileShare> = Vec::new();
        let mut codes = Vec::new();
        for group in &self.groups {
            let class = boxes.len() as u32;
            boxes.push(attributes.iter().enumerate().map(|(at, attribute)| {
                codes.clear();
                codes.extend(group.iter().map(|&row| rows.code(at, row)));
                codes.sort_unstable();
                codes.dedup();
                attribute.group(&codes)
            }));
            shares.extend(group.iter().map(|&row| share(rows, row, class)));
        }
        for settled in rows.settled() {
            let code = |at| rows.problem.cells.code(at, settled.cell as usize);
            let class = boxes.len() as u32;
            boxes.push(attributes.iter().enumerate().map(|(at, a)| a.group(&[code(at)])));
            shares.push(ProfileShare { class, ..*settled });
        }
        shares.extend(self.out.iter().map(|&row| share(rows, row, OUTSIDE)));
        Recoding::Local(BoxAssignment::of_rows(boxes, shares))
    }
}

fn share(rows: &LocalRows<'_>, row: u32, class: u32) -> ProfileShare {
    ProfileShare { cell: rows.cell(row), target: rows.label(row), class, count: 1 }
}

impl LocalSearch<'_> {
    /// The best state found: the start, or what a round made of it.
    pub(super) fn run(&mut self) -> LocalGrouping {
        let mut state = self.start();
        let mut best = state.clone();
        self.tell(&best);
        let (hot, end) = COOLING;
        let per_row = state.cost / self.rows.len().max(1) as f64;
        let mut cooling = GeometricCooling::new(hot * per_row, end / hot, ROUNDS);
        for round in 0..ROUNDS {
            self.stopped = self.stopped.or_else(|| self.control.stop());
            if self.stopped.is_some() || state.cost <= 0.0 || self.options.steps == 0 {
                break;
            }
            state = self.round(state, round, &cooling);
            cooling.fall();
            if state.cost < best.cost {
                best.clone_from(&state);
                self.tell(&best);
            }
        }
        best
    }

    /// The best state that the last, cool rounds make of these groups; `cost` is what a state costs that was found before.
    pub(super) fn polish(&mut self, groups: Vec<Vec<u32>>, cost: f64) -> LocalGrouping {
        let (hot, end) = COOLING;
        let per_row = cost / self.rows.len().max(1) as f64;
        let mut cooling = GeometricCooling::new(hot * per_row, end / hot, ROUNDS);
        let mut state = LocalGrouping::new(self.rows, groups, Vec::new());
        for round in 0..ROUNDS {
            self.stopped = self.stopped.or_else(|| self.control.stop());
            if round >= COOL && self.stopped.is_none() {
                // Other blocks and chances than those of the search.
                state = self.round(state, ROUNDS + round, &cooling);
            }
            cooling.fall();
        }
        if state.cost < cost {
            self.tell(&state);
        }
        state
    }

    fn tell(&self, state: &LocalGrouping) {
        let prices = &self.rows.prices;
        self.control.improved(state.cost * prices.unit, || state.recoding(self.rows));
    }

    /// Top-down splits as far as they go.
    fn start(&self) -> LocalGrouping {
        let rows = self.rows;
        let privacy = &rows.problem.privacy;
        let by_label = !privacy.is_by_size();
        let mut units: Vec<SplitUnit> = Vec::new();
        for row in 0..rows.len() as u32 {
            let same = |unit: &SplitUnit| {
                rows.cell(unit.row) == rows.cell(row)
                    && (!by_label || rows.label(unit.row) == rows.label(row))
            };
            match units.last_mut() {
                Some(unit) if same(unit) => unit.rows += 1,
                _ => units.push(SplitUnit { row, rows: 1, id: 0 }),
            }
        }
        let weights = vec![1.0; rows.problem.attributes.len()];
        let rule =
            TopDownRule { small: 0, least: privacy.k, must_pass: by_label, weights: &weights };
        let ends = split(rows, &mut units, &rule, self.control);
        let mut groups = Vec::with_capacity(ends.len());
        let mut from = 0;
        for end in ends {
            let units = &units[from as usize..end as usize];
            groups.push(units.iter().flat_map(|unit| unit.row..unit.row + unit.rows).collect());
            from = end;
        }
        LocalGrouping::new(rows, groups, Vec::new())
    }

    /// One round of annealing over all blocks.
    fn round(
        &mut self,
        state: LocalGrouping,
        round: u64,
        cooling: &GeometricCooling,
    ) -> LocalGrouping {
        let plots = self.plots(state, round);
        let all = self.rows.len() as u64;
        let done = AtomicU64::new(0);
        let parts: Vec<(BlockGroups, u64, Option<StopReason>)> = plots
            .into_par_iter()
            .enumerate()
            .map(|(at, plot)| {
                let rows =
                    (plot.groups.iter().map(Vec::len).sum::<usize>() + plot.out.len()) as u64;
                let looks = self.looks(rows);
                let task = AnnealingTask {
                    hot: cooling.temperature(),
                    end: cooling.next(),
                    looks,
                    quota: plot.quota,
                };
                let mut chance = SearchRng::new(self.options.seed, round, at as u64);
                let part = self.anneal(plot, &task, &mut chance);
                let done = done.fetch_add(rows, Ordering::Relaxed) + rows;
                let share = (round as f64 + done as f64 / all as f64) / ROUNDS as f64;
                self.control.tell(Event::Progress(share));
                part
            })
            .collect();
        let (mut groups, mut out) = (Vec::new(), Vec::new());
        for (plot, moves, stopped) in parts {
            groups.extend(plot.groups);
            out.extend(plot.out);
            self.moves += moves;
            self.stopped = self.stopped.or(stopped);
        }
        LocalGrouping::new(self.rows, groups, out)
    }

    /// How often a block of so many rows may look at a row in a group in one round.
    fn looks(&self, rows: u64) -> u64 {
        let all = self.rows.len() as u128;
        let looks = u128::from(self.options.steps) * u128::from(rows);
        (looks * all.max(u128::from(FEW_ROWS)) / all.max(1) / u128::from(ROUNDS)) as u64
    }

    fn anneal(
        &self,
        plot: BlockGroups,
        task: &AnnealingTask,
        chance: &mut SearchRng,
    ) -> (BlockGroups, u64, Option<StopReason>) {
        if let Some(reason) = self.control.stop() {
            return (plot, 0, Some(reason));
        }
        if plot.groups.is_empty() {
            return (plot, 0, None);
        }
        // As few words as the block's values need: every look goes over all of them.
        match bits_needed(self.rows, plot.groups.iter().flatten().chain(&plot.out)) {
            0..=64 => self.anneal_in::<1>(plot, task, chance),
            65..=128 => self.anneal_in::<2>(plot, task, chance),
            129..=256 => self.anneal_in::<4>(plot, task, chance),
            257..=512 => self.anneal_in::<8>(plot, task, chance),
            _ => self.anneal_in::<64>(plot, task, chance),
        }
    }

    fn anneal_in<const W: usize>(
        &self,
        plot: BlockGroups,
        task: &AnnealingTask,
        chance: &mut SearchRng,
    ) -> (BlockGroups, u64, Option<StopReason>) {
        let mut block = RowBlock::<W>::new(self.rows, &plot.groups, &plot.out);
        let before = block.cost();
        let mut annealer = BlockAnnealer::new(&mut block, chance);
        let stopped = annealer.run(task, self.control);
        let moves = annealer.moves;
        // Stopped while it was hot, a block may be worse than it was.
        if stopped.is_some() && block.cost() > before {
            return (plot, moves, stopped);
        }
        (BlockGroups { groups: block.groups(), out: block.suppressed(), quota: 0 }, moves, stopped)
    }

    /// Puts the groups into blocks: in the first round as the start left them, later by other splits.
    fn plots(&self, state: LocalGrouping, round: u64) -> Vec<BlockGroups> {
        let LocalGrouping { groups, out, .. } = state;
        let size = BLOCK.0.max(BLOCK.1 * self.rows.problem.privacy.k);
        let mut chance = SearchRng::new(self.options.seed, round, u64::MAX);
        let mut units: Vec<SplitUnit> = Vec::with_capacity(groups.len() + out.len());
        for (id, group) in groups.iter().enumerate() {
            let (row, rows) = (chance.of(group), group.len() as u32);
            units.push(SplitUnit { row, rows, id: id as u32 });
        }
        for (at, &row) in out.iter().enumerate() {
            units.push(SplitUnit { row, rows: 1, id: (groups.len() + at) as u32 });
        }
        if round > 0 {
            let attributes = self.rows.problem.attributes.iter();
            let weights: Vec<f32> =
                attributes.map(|_| (0.2 + chance.exponential()) as f32).collect();
            let rule =
                TopDownRule { small: size / 4, least: 1, must_pass: false, weights: &weights };
            split(self.rows, &mut units, &rule, self.control);
        }
        let total: u64 = units.iter().map(|unit| u64::from(unit.rows)).sum();
        let blocks = (total / size).max(1);
        let spare = self.limit - out.len() as u64;
        let mut groups: Vec<Option<Vec<u32>>> = groups.into_iter().map(Some).collect();
        let mut plots: Vec<BlockGroups> = Vec::new();
        let (mut seen, mut granted) = (0u64, 0);
        for unit in units {
            if seen * blocks / total >= plots.len() as u64 {
                plots.push(BlockGroups::default());
            }
            let Some(plot) = plots.last_mut() else { continue };
            seen += u64::from(unit.rows);
            // As evenly as the rows, and no more in all than may be suppressed.
            let due = (u128::from(spare) * u128::from(seen) / u128::from(total)) as u64;
            plot.quota += (due - granted) as usize;
            granted = due;
            match groups.get_mut(unit.id as usize) {
                Some(group) => plot.groups.extend(group.take()),
                None => {
                    plot.out.push(unit.row);
                    plot.quota += 1;
                }
            }
        }
        plots
    }
}
