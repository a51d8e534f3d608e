//! The search as a whole: a start, then rounds of annealing in blocks.
//!
//! Blocks are independent, hence parallel. Each round puts the groups into blocks anew, by splits that
//! weigh the attributes otherwise, so that rows which one round kept apart meet in another; the
//! temperature falls over all rounds.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::BestLocal;
use super::anneal::{Annealer, Cooling, Task};
use super::block::Block;
use super::chance::Chance;
use super::cluster::cluster;
use super::packed::bits_needed;
use super::rows::Rows;
use super::split::{Rule, Unit, split};
use crate::watch::{News, Watch};

fn tune(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Groups of rows, the rows suppressed, and what it all costs.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) out: Vec<u32>,
    pub(super) cost: f64,
}

/// A block before a round: its groups, its suppressed rows, and how many may be suppressed.
struct Plot {
    groups: Vec<Vec<u32>>,
    out: Vec<u32>,
    quota: usize,
}

/// How many rounds there are, a power of two.
const ROUNDS: u64 = 8;

pub(super) struct Search<'a> {
    pub(super) options: &'a BestLocal,
    pub(super) rows: &'a Rows<'a>,
    pub(super) limit: u64,
    pub(super) watch: &'a Watch<'a>,
    pub(super) moves: u64,
}

impl Search<'_> {
    pub(super) fn run(&mut self) -> State {
        let mut state = self.start();
        let mut best = state.clone();
        let rounds = tune("ROUNDS", ROUNDS as f64) as u64;
        let each = state.cost / self.rows.len().max(1) as f64;
        let (hot, cold) = (tune("HOT", 0.5) * each, tune("COLD", 0.01) * each);
        let ratio = (cold / hot).powf(1.0 / rounds as f64);
        let mut from = hot;
        for round in 0..rounds {
            if self.watch.stop().is_some() {
                break;
            }
            let cooling = Cooling { from, to: from * ratio };
            from = cooling.to;
            state = self.round(state, round, rounds, cooling);
            if std::env::var("VERBOSE").is_ok() {
                eprintln!("round {round}: T {from:.5} cost {:.5} groups {}", state.cost / self.rows.problem.rows as f64, state.groups.len());
            }
            if state.cost < best.cost {
                best.clone_from(&state);
                self.tell(&best);
            }
        }
        best
    }

    fn tell(&self, state: &State) {
        let prices = &self.rows.prices;
        let cost = state.cost * prices.unit - prices.offset;
        self.watch.tell(News::Improved { cost });
    }

    /// Top-down splits as far as they go.
    fn start(&self) -> State {
        let rows = self.rows;
        let privacy = &rows.problem.privacy;
        let by_label = !privacy.requirements.is_empty();
        let mut units: Vec<Unit> = Vec::new();
        for row in 0..rows.len() as u32 {
            let same = |unit: &Unit| {
                rows.cell(unit.row) == rows.cell(row)
                    && (!by_label || rows.label(unit.row) == rows.label(row))
            };
            match units.last_mut() {
                Some(unit) if same(unit) => unit.rows += 1,
                _ => units.push(Unit { row, rows: 1, id: 0 }),
            }
        }
        let weights = vec![1.0; rows.problem.attributes.len()];
        let rule = Rule { small: 0, least: privacy.k, must_pass: by_label, weights: &weights };
        let ends = split(rows, &mut units, &rule, self.watch);
        let mut groups = Vec::with_capacity(ends.len());
        let mut from = 0;
        for end in ends {
            let units = &units[from as usize..end as usize];
            groups.push(units.iter().flat_map(|unit| unit.row..unit.row + unit.rows).collect());
            from = end;
        }
        let cost = groups
            .par_chunks(256)
            .map(|groups| Block::<32>::new(rows, groups, &[]).cost())
            .collect::<Vec<_>>()
            .iter()
            .sum();
        State { groups, out: Vec::new(), cost }
    }

    /// One round of annealing over all blocks.
    fn round(&mut self, state: State, round: u64, rounds: u64, cooling: Cooling) -> State {
        let plots = self.plots(state, round);
        let done = AtomicU64::new(0);
        let parts: Vec<(State, u64)> = plots
            .into_par_iter()
            .enumerate()
            .map(|(at, plot)| {
                let rows = plot.groups.iter().map(Vec::len).sum::<usize>() as u64;
                let mut chance = Chance::new(self.options.seed, round + 1, at as u64);
                let looks = self.options.steps * rows / rounds;
                let task = Task { cooling, looks, quota: plot.quota };
                let part = self.anneal(plot, round == 0, &task, &mut chance);
                let done = done.fetch_add(rows, Ordering::Relaxed) + rows;
                let share = done as f64 / self.rows.len().max(1) as f64;
                self.watch.tell(News::Progress((round as f64 + share) / rounds as f64));
                part
            })
            .collect();
        let mut state = State::default();
        for (part, moves) in parts {
            state.groups.extend(part.groups);
            state.out.extend(part.out);
            state.cost += part.cost;
            self.moves += moves;
        }
        state
    }

    fn anneal(&self, plot: Plot, first: bool, task: &Task, chance: &mut Chance) -> (State, u64) {
        let mut ids: Vec<u32> = plot.groups.iter().flatten().copied().collect();
        ids.extend(&plot.out);
        match bits_needed(self.rows, &ids) {
            0..=64 => self.anneal_in::<1>(plot, first, task, chance),
            65..=128 => self.anneal_in::<2>(plot, first, task, chance),
            129..=256 => self.anneal_in::<4>(plot, first, task, chance),
            257..=512 => self.anneal_in::<8>(plot, first, task, chance),
            _ => self.anneal_in::<32>(plot, first, task, chance),
        }
    }

    fn anneal_in<const W: usize>(
        &self,
        plot: Plot,
        first: bool,
        task: &Task,
        chance: &mut Chance,
    ) -> (State, u64) {
        let mut block = Block::<W>::new(self.rows, &plot.groups, &plot.out);
        let start = block.cost();
        let k = self.rows.problem.privacy.k;
        if first && self.rows.problem.privacy.requirements.is_empty() && k <= tune("KM", 24.0) as u64 {
            let clustered = cluster(self.rows, &block.ids, chance);
            if clustered.cost() < start {
                block = clustered;
            }
        }
        let moves = Annealer::new(&mut block, chance).run(task, self.watch);
        let cost = block.cost();
        if cost > start && self.watch.stop().is_some() {
            return (State { groups: plot.groups, out: plot.out, cost: start }, moves);
        }
        (State { groups: block.groups(), out: block.suppressed(), cost }, moves)
    }

    /// Puts the groups into blocks.
    fn plots(&self, state: State, round: u64) -> Vec<Plot> {
        let k = self.rows.problem.privacy.k;
        let size = (tune("BLOCK", 1500.0) as u64).max(k * tune("BLOCKK", 60.0) as u64);
        let mut chance = Chance::new(self.options.seed, round + 1, u64::MAX);
        let groups = state.groups.len() as u32;
        let out = state.out.iter().enumerate();
        let mut units: Vec<Unit> = state
            .groups
            .iter()
            .enumerate()
            .map(|(at, group)| {
                Unit { row: chance.of(group), rows: group.len() as u32, id: at as u32 }
            })
            .chain(out.map(|(at, &row)| Unit { row, rows: 1, id: groups + at as u32 }))
            .collect();
        if round > 0 {
            let weights: Vec<f32> = (0..self.rows.problem.attributes.len())
                .map(|_| (0.2 + chance.exponential()) as f32)
                .collect();
            let rule = Rule { small: size / 4, least: 1, must_pass: false, weights: &weights };
            split(self.rows, &mut units, &rule, self.watch);
        }
        let total: u64 = units.iter().map(|unit| u64::from(unit.rows)).sum();
        let blocks = (total / size).max(1);
        let spare = self.limit - state.out.len() as u64;
        let mut groups = state.groups.into_iter().map(Some).collect::<Vec<_>>();
        let mut plots: Vec<Plot> = Vec::new();
        let mut seen = 0u64;
        let mut granted = 0;
        for unit in units {
            if plots.is_empty() || seen * blocks / total > (plots.len() - 1) as u64 {
                plots.push(Plot { groups: Vec::new(), out: Vec::new(), quota: 0 });
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
