//! Improvement of a whole table: annealing over patterns.
//!
//! A move opens a pattern for a row that pays more elsewhere, fills it with the rows that gain most (or
//! lose least), and then sees to the patterns that gave rows away: each is filled up again or given up, its
//! rows joining the cheapest patterns that are open. What makes things worse by more than the falling
//! temperature allows is taken back.

use super::balance::BlankBalance;
use super::state::BlankingState;
use super::{BlankingContext, RowGrouping, SuppressionPatterns};
use crate::kit::{GeometricCooling, SearchRng};
use crate::search::{Control, Event, StopReason};

/// How long a search may go on, and what it starts from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlankingBudget {
    /// Moves for each row that has blanks.
    pub(crate) steps: u64,
    /// What the random choices come from.
    pub(crate) seed: u64,
    /// Whether blanks are balanced where that costs nothing.
    pub(crate) balance: bool,
}

/// A search and what it has found.
pub(super) struct BlankingSearch<'a> {
    state: BlankingState<'a>,
    budget: BlankingBudget,
    control: &'a Control,
    chance: SearchRng,
    best: BestGrouping,
    /// The rows that no pattern is free for. Others pay only where they help out.
    needy: Vec<u32>,
    /// How many moves were tried.
    pub(crate) moves: u64,
    /// Why the search was stopped, if it was.
    pub(crate) stopped: Option<StopReason>,
    /// Scratch: rows that might join a pattern, and what that gains.
    keen: Vec<(f64, u32)>,
}

/// The best grouping so far.
struct BestGrouping {
    grouping: RowGrouping,
    cost: f64,
    spread: BlankBalance,
}

/// As how many rows those count that need blanks, where steps are for each.
pub(super) fn counted(paying: u64) -> u64 {
    paying.max((FEW_ROWS.0 * paying).min(FEW_ROWS.1))
}

/// The temperature at the beginning and at the end, in blanks of average weight.
const COOLING: (f64, f64) = (0.3, 0.05);

/// The temperature falls in so many stages, a power of two.
const STAGES: u64 = 64;

/// A table with fewer rows to pay is searched as if it had up to so many times as many, but no more than
/// the second.
const FEW_ROWS: (u64, u64) = (32, 4096);

/// What it is reckoned to cost, in blanks, to take a row from a pattern that cannot spare it.
const TIGHT: f64 = 0.7;

impl<'a> BlankingSearch<'a> {
    /// A search from a start of its own, or from groups.
    pub(crate) fn new(
        ground: &'a BlankingContext<'a>,
        patterns: &'a SuppressionPatterns,
        budget: BlankingBudget,
        control: &'a Control,
        start: Option<&RowGrouping>,
    ) -> Self {
        let mut chance = SearchRng::new(budget.seed, 0, 0);
        let mut state = BlankingState::new(ground, patterns);
        let adopted = start.is_some_and(|start| state.adopt(start));
        if !adopted {
            state = BlankingState::new(ground, patterns);
            state.fill(&mut chance);
        }
        let grouping = start.filter(|_| !adopted).cloned().unwrap_or_else(|| state.grouping());
        let best = BestGrouping {
            cost: ground.cost(&grouping),
            spread: BlankBalance::of(ground, &grouping),
            grouping,
        };
        let keen = Vec::new();
        let blanks = |row: &u32| {
            let cheapest = patterns.of(ground.cell(*row)).first();
            cheapest.is_some_and(|&pattern| patterns.masks[pattern as usize] != 0)
        };
        let needy = (0..ground.len() as u32).filter(blanks).collect();
        let mut search = BlankingSearch {
            state,
            budget,
            control,
            chance,
            best,
            needy,
            moves: 0,
            stopped: None,
            keen,
        };
        search.note();
        search
    }

    /// Searches, and returns the best grouping with what its blanks cost.
    pub(crate) fn run(mut self) -> (RowGrouping, f64, Self) {
        self.tell();
        if self.budget.steps > 0 {
            self.anneal();
            if self.budget.balance {
                self.even_out();
            }
        }
        let grouping = std::mem::take(&mut self.best.grouping);
        (grouping, self.best.cost, self)
    }

    fn tell(&self) {
        let ground = self.state.ground;
        if let Some(unit) = ground.unit {
            let incumbent = || ground.recoding(&self.best.grouping);
            self.control.improved(self.best.cost * unit, incumbent);
        }
    }

    /// Remembers the state if it is the best so far.
    fn note(&mut self) {
        let slack = 1e-9 * (1.0 + self.best.cost);
        let cost = self.state.cost;
        let spread = self.state.spread();
        let cheaper = cost < self.best.cost - slack;
        let evener =
            self.budget.balance && cost <= self.best.cost + slack && spread < self.best.spread;
        if cheaper || evener {
            // Summed up anew, so that rounding does not add up.
            let grouping = self.state.grouping();
            let cost = self.state.ground.cost(&grouping);
            self.best = BestGrouping { cost, spread, grouping };
            if cheaper {
                self.tell();
            }
        }
    }

    /// How many moves there are in a stage.
    fn stage(&self) -> u64 {
        (self.budget.steps * counted(self.needy.len() as u64) / STAGES).max(1)
    }

    fn anneal(&mut self) {
        let weights = &self.state.ground.weights;
        let blank = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let (hot, end) = (COOLING.0 * blank, COOLING.1 * blank);
        let mut cooling = GeometricCooling::new(hot, end / hot, STAGES);
        let moves = self.stage();
        for stage in 0..STAGES {
            self.stopped = self.stopped.or_else(|| self.control.stop());
            if self.stopped.is_some() || self.state.cost <= 0.0 {
                break;
            }
            for _ in 0..moves {
                self.step(&cooling);
                if self.moves & 0x3FF == 0 {
                    self.stopped = self.stopped.or_else(|| self.control.stop());
                    if self.stopped.is_some() {
                        break;
                    }
                }
            }
            cooling.fall();
            self.note();
            let phases = if self.budget.balance { 2.0 } else { 1.0 };
            self.control.tell(Event::Progress((stage + 1) as f64 / STAGES as f64 / phases));
        }
    }

    /// Makes a move of a kind; false if it cannot be finished.
    fn propose(&mut self) -> bool {
        if self.needy.is_empty() {
            return false;
        }
        let row = self.chance.of(&self.needy);
        let cell = self.state.ground.cell(row);
        let pays = self.state.pays(row);
        let patterns = self.state.patterns.of(cell);
        let cheaper = patterns.partition_point(|&pattern| self.state.price(pattern) <= pays);
        if cheaper == 0 {
            return false;
        }
        let pattern = patterns[self.chance.below(cheaper)];
        if pattern == self.state.home(row) {
            return false;
        }
        self.open(pattern, row);
        self.state.repair(&mut self.chance)
    }

    /// Opens a pattern for a row and those that gain most by it.
    fn open(&mut self, pattern: u32, row: u32) {
        let k = self.state.ground.k();
        let price = self.state.price(pattern);
        let mut keen = std::mem::take(&mut self.keen);
        keen.clear();
        let dear = TIGHT * self.state.ground.whole() / self.state.ground.columns() as f64;
        self.state.look(pattern, &mut self.chance, |state, other| {
            if other != row {
                let tight = if state.can_spare(other) { 0.0 } else { dear };
                keen.push((state.pays(other) - price - tight, other));
            }
        });
        keen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.state.shift(row, pattern);
        for &(gain, other) in &keen {
            if self.state.size(pattern) >= k && (gain <= 0.0 || !self.state.can_spare(other)) {
                break;
            }
            self.state.shift(other, pattern);
        }
        self.keen = keen;
        let size = self.state.size(pattern);
        if size < k {
            // Too few fit that were looked at: the repair gives it up or fills it.
            self.state.short_of(pattern);
        }
    }

    fn step(&mut self, cooling: &GeometricCooling) {
        self.moves += 1;
        let before = self.state.cost;
        let allowed = before + cooling.worse_by(&mut self.chance);
        if self.propose() && self.state.cost <= allowed {
            self.state.keep();
        } else {
            self.state.take_back(before);
        }
    }

    /// Moves that cost nothing and spread the blanks more evenly, from the best grouping on.
    fn even_out(&mut self) {
        let mut state = BlankingState::new(self.state.ground, self.state.patterns);
        if !state.adopt(&self.best.grouping) {
            return;
        }
        self.state = state;
        let moves = self.stage();
        let slack = 1e-9 * (1.0 + self.best.cost);
        for stage in 0..STAGES {
            for _ in 0..moves {
                self.moves += 1;
                let cost = self.state.cost;
                let before = (self.state.spread(), self.state.unevenness());
                if !self.propose() {
                    self.state.take_back(cost);
                    continue;
                }
                let after = (self.state.spread(), self.state.unevenness());
                let cheaper = self.state.cost < cost - slack;
                // Evenness may be lost at first, where it can still be won back.
                let lenient = stage < STAGES / 2 && after.0.columns <= before.0.columns + 2;
                if cheaper || (self.state.cost <= cost + slack && (after <= before || lenient)) {
                    self.state.keep();
                    if cheaper || after.0 < self.best.spread {
                        self.note();
                    }
                } else {
                    self.state.take_back(cost);
                }
                if self.moves & 0x3FF == 0 {
                    self.stopped = self.stopped.or_else(|| self.control.stop());
                    if self.stopped.is_some() {
                        return;
                    }
                }
            }
            let share = (STAGES + stage + 1) as f64 / (2 * STAGES) as f64;
            self.control.tell(Event::Progress(share));
        }
        self.note();
    }
}
