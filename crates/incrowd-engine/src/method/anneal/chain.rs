//! One chain: random moves at a temperature that falls.

use super::moves::GroupShapes;
use crate::kit::{GeometricCooling, SearchRng};
use crate::search::IncumbentReporter;
use crate::space::grouping::{
    GroupingContext, GroupingScore, GroupingState, ValueMove, ValueSlots,
};

/// The temperature falls so many times; a power of two.
const STAIRS: u64 = 256;
/// The control is asked once in so many moves.
const PATIENCE: u64 = 64;
/// Worse moves that are looked at to find out what is typical, and moves at most for that.
const SAMPLE: (usize, u64) = (100, 1_000);
/// The share of moves that come in pairs: values are taken apart on one axis and put together on another.
/// Each of them alone can be much worse.
const EXCHANGE: f64 = 0.3;
/// How likely values are taken apart rather than put together, at first and in the end.
const APART: (f64, f64) = (0.3, 0.6);
/// What a row too many costs, as a multiple of its share of the worst cost, at first and in the end.
const FINE: (f64, f64) = (2.0, 20.0);

/// How a chain cools down.
pub(super) struct ChainSchedule {
    pub(super) steps: u64,
    pub(super) hot: f64,
    pub(super) cold: f64,
}

/// The best that a chain has seen.
pub(super) struct ChainResult {
    pub(super) standing: GroupingScore,
    pub(super) groups: ValueSlots,
    pub(super) steps: u64,
}

impl ChainResult {
    /// Everything in one group, as far as that is allowed.
    pub(super) fn start(frame: &GroupingContext<'_>, shapes: &GroupShapes) -> Self {
        let board = GroupingState::new(frame, shapes.collapsed(frame));
        ChainResult { standing: board.standing(), groups: board.groups().clone(), steps: 0 }
    }
}

pub(super) struct AnnealingChain<'c, 'f, 'a> {
    board: GroupingState<'f, 'a>,
    shapes: &'c GroupShapes,
    chance: SearchRng,
    herald: &'c IncumbentReporter<'c>,
    here: GroupingScore,
    best: ChainResult,
    /// What a row too many costs.
    fine: f64,
    /// The axis whose turn it is, and how many moves it has left.
    turn: (usize, usize),
    /// How many steps have been told.
    told: u64,
    moves: Vec<ValueMove>,
}

impl<'c, 'f, 'a> AnnealingChain<'c, 'f, 'a> {
    pub(super) fn new(
        frame: &'f GroupingContext<'a>,
        shapes: &'c GroupShapes,
        known: &ChainResult,
        chance: SearchRng,
        herald: &'c IncumbentReporter<'c>,
    ) -> Self {
        let board = GroupingState::new(frame, shapes.collapsed(frame));
        let best = ChainResult { standing: known.standing, groups: known.groups.clone(), steps: 0 };
        let here = board.standing();
        AnnealingChain {
            told: 0,
            here,
            board,
            shapes,
            chance,
            herald,
            best,
            fine: 0.0,
            turn: (0, 0),
            moves: Vec::new(),
        }
    }

    pub(super) fn run(mut self, schedule: &ChainSchedule) -> ChainResult {
        let rows = self.board.rows() as f64;
        let worst = if self.here.cost.is_finite() { self.here.cost / rows } else { 1.0 };
        let mix = |(from, to): (f64, f64), share: f64| from + (to - from) * share;
        self.fine = worst * FINE.0;
        let hot = self.typical_rise(schedule.steps) * schedule.hot;
        let mut cooling = GeometricCooling::new(hot, schedule.cold, STAIRS);
        'stairs: for stair in 0..STAIRS {
            let share = stair as f64 / (STAIRS - 1) as f64;
            self.fine = worst * mix(FINE, share);
            let apart = mix(APART, share);
            let until = schedule.steps * (stair + 1) / STAIRS;
            while self.best.steps < until {
                if self.best.steps.is_multiple_of(PATIENCE) {
                    self.tell_steps();
                    if self.herald.stop().is_some() {
                        break 'stairs;
                    }
                }
                let worse_by = cooling.worse_by(&mut self.chance);
                self.step(apart, worse_by);
            }
            cooling.fall();
        }
        self.tell_steps();
        self.best
    }

    fn tell_steps(&mut self) {
        self.herald.worked(self.best.steps - self.told);
        self.told = self.best.steps;
    }

    /// Tries a move, or two at once; says by how much that made things worse, or would have.
    fn step(&mut self, apart: f64, worse_by: f64) -> f64 {
        self.best.steps += 1;
        let axis = self.next_axis();
        let both = self.chance.share() < EXCHANGE;
        let first = if both { f64::from(u8::from(self.chance.share() < 0.5)) } else { apart };
        if !self.draw(axis, first) {
            return 0.0;
        }
        let mut there = self.board.propose(axis, &self.moves);
        let slots = &self.board.groups()[axis];
        let back = self.moves.iter().map(|&(value, _)| (value, slots[usize::from(value)]));
        let back: Vec<ValueMove> = if both { back.collect() } else { Vec::new() };
        if both {
            self.board.accept();
            let other = self.chance.below(self.board.groups().len());
            if self.draw(other, 1.0 - first) {
                there = self.board.propose(other, &self.moves);
            } else {
                self.board.propose(other, &[]);
            }
        }
        let rise = self.rise(there);
        if rise <= worse_by {
            self.board.accept();
            self.here = there;
            if there < self.best.standing {
                self.best.standing = there;
                self.best.groups.clone_from(self.board.groups());
                if there.excess == 0 {
                    self.herald.improved(there.cost, || self.board.recoding());
                }
            }
        } else if both {
            self.board.propose(axis, &back);
            self.board.accept();
        }
        rise
    }

    /// Makes up moves of an axis; says whether there are any.
    fn draw(&mut self, axis: usize, apart: f64) -> bool {
        let AnnealingChain { board, shapes, chance, moves, .. } = self;
        shapes.draw(axis, board, apart, chance, moves);
        !moves.is_empty()
    }

    /// How much worse another place is than this.
    fn rise(&self, there: GroupingScore) -> f64 {
        let fined = |place: GroupingScore| place.cost + self.fine * place.excess as f64;
        let (there, here) = (fined(there), fined(self.here));
        // Both can be beyond all measure.
        if there == here { 0.0 } else { there - here }
    }

    /// Every axis has as many moves in turn as it has values.
    fn next_axis(&mut self) -> usize {
        let groups = self.board.groups();
        if self.turn.1 == 0 {
            self.turn.0 = (self.turn.0 + 1) % groups.len();
            self.turn.1 = groups[self.turn.0].len();
        }
        self.turn.1 -= 1;
        self.turn.0
    }

    /// Goes downhill for a while and finds out how much worse a move is there, typically.
    fn typical_rise(&mut self, steps: u64) -> f64 {
        let values: usize = self.board.groups().iter().map(Vec::len).sum();
        let most = steps / 4;
        for _ in 0..(4 * values as u64).min(most) {
            if self.herald.stop().is_some() {
                break;
            }
            self.step(APART.1, 0.0);
        }
        let mut rises = Vec::new();
        for _ in 0..SAMPLE.1.min(most) {
            if rises.len() == SAMPLE.0 || self.herald.stop().is_some() {
                break;
            }
            let rise = self.step(APART.0, 0.0);
            if rise > 0.0 && rise.is_finite() {
                rises.push(rise);
            }
        }
        rises.sort_unstable_by(f64::total_cmp);
        rises.get(rises.len() / 2).copied().unwrap_or(0.0)
    }
}
