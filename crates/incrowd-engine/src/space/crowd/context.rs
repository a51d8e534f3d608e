//! The combinations of a table, sorted so that those near to one are found fast.

use super::attribute_prices::{AttributePrices, BoxPrice, ONE, prices};
use crate::kit::SearchRng;
use crate::problem::Problem;

/// How many pairs of rows tell how much an attribute matters.
const PAIRS: usize = 512;

/// No dual price is higher than so many suppressed rows pay, so that sums stay small.
const MOST_WORTH: i64 = 64;

/// The combinations that stand in crowds, in an order of their own.
pub(crate) struct CrowdContext {
    pub(super) prices: Vec<AttributePrices>,
    /// What a suppressed row costs in the metric's measure: our [`ONE`].
    pub(crate) unit: f64,
    pub(crate) k: i64,
    /// The highest dual price of a row: what it pays if it is suppressed, where it may be.
    pub(super) most: i64,
    /// The words of a box.
    pub(super) stride: usize,
    /// The codes of each combination, attribute by attribute.
    codes: Vec<u32>,
    /// How many rows each has.
    pub(crate) counts: Vec<i64>,
    /// The place of each cell of the problem here.
    places: Vec<u32>,
    /// The attributes, those first in which rows that differ cost most.
    order: Vec<usize>,
    /// For each combination the first place in that order in which it differs from the one before.
    differs: Vec<u8>,
    /// For each place in that order and each combination, the first combination behind it that differs up to there.
    ends: Vec<u32>,
}

/// A combination that could join a crowd.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrowdCandidate {
    pub(super) id: u32,
    /// What the crowd would then cost each of its rows, by the box that it fills...
    pub(super) cost: i64,
    /// ... and in any case.
    pub(super) least: i64,
    /// The dual price of each of its rows: here, since it is looked at again and again.
    pub(super) worth: i64,
}

impl CrowdContext {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (prices, unit) = prices(problem);
        let width = prices.len();
        let stride = prices.last().map_or(0, |price| price.word + price.words);
        let cells = &problem.cells;
        let order = order(problem, &prices, stride);
        let mut ids: Vec<u32> = (0..cells.len() as u32).collect();
        ids.sort_by(|&a, &b| {
            let key = |cell: u32| order.iter().map(move |&at| cells.code(at, cell as usize));
            key(a).cmp(key(b))
        });
        let codes: Vec<u32> = ids
            .iter()
            .flat_map(|&cell| (0..width).map(move |at| cells.code(at, cell as usize)))
            .collect();
        let count = |&cell: &u32| i64::try_from(cells.counts()[cell as usize]).unwrap_or(i64::MAX);
        let counts: Vec<i64> = ids.iter().map(count).collect();
        let number = ids.len();
        let mut places = vec![0; number];
        (0..).zip(&ids).for_each(|(place, &cell)| places[cell as usize] = place);
        let mut differs = vec![0u8; number + 1];
        for id in 1..number {
            let same = |&&at: &&usize| codes[id * width + at] == codes[(id - 1) * width + at];
            differs[id] = order.iter().take_while(same).count().min(254) as u8;
        }
        let mut ends = vec![number as u32; number * width];
        for id in (0..number.saturating_sub(1)).rev() {
            for place in 0..width {
                ends[id * width + place] = match usize::from(differs[id + 1]) <= place {
                    true => id as u32 + 1,
                    false => ends[(id + 1) * width + place],
                };
            }
        }
        let k = i64::try_from(problem.privacy.k).unwrap_or(i64::MAX);
        let may_suppress = problem.limit.rows(problem.rows, 0) > 0;
        let most = if may_suppress { ONE } else { ONE * k.min(MOST_WORTH) };
        CrowdContext { prices, unit, k, most, stride, codes, counts, places, order, differs, ends }
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The cell of each combination.
    pub(super) fn cells(&self) -> Vec<u32> {
        let mut cells = vec![0; self.places.len()];
        (0..).zip(&self.places).for_each(|(cell, &place)| cells[place as usize] = cell);
        cells
    }

    /// The combination of a cell.
    pub(super) fn of_cell(&self, cell: u32) -> u32 {
        self.places[cell as usize]
    }

    #[inline]
    pub(super) fn code(&self, id: u32, at: usize) -> u32 {
        self.codes[id as usize * self.prices.len() + at]
    }

    /// The box of a combination alone.
    pub(super) fn start(&self, id: u32) -> Vec<u64> {
        let mut words = vec![0; self.stride];
        for (at, price) in self.prices.iter().enumerate() {
            price.start(&mut words, self.code(id, at));
        }
        words
    }

    /// Adds a combination to a box.
    pub(super) fn add(&self, words: &mut [u64], id: u32) {
        for (at, price) in self.prices.iter().enumerate() {
            price.add(words, self.code(id, at));
        }
    }

    /// What a row pays in a box.
    pub(super) fn cost(&self, words: &[u64]) -> i64 {
        self.prices.iter().map(|price| price.now(words).now).sum()
    }

    /// What a row pays in the box of some combinations.
    pub(super) fn cost_of(&self, ids: impl IntoIterator<Item = u32>) -> i64 {
        let mut ids = ids.into_iter();
        let Some(first) = ids.next() else { return 0 };
        let mut words = self.start(first);
        ids.for_each(|id| self.add(&mut words, id));
        self.cost(&words)
    }

    /// What two combinations pay together.
    pub(super) fn pair(&self, a: u32, b: u32) -> i64 {
        self.cost_of([a, b])
    }

    /// Calls for every combination that costs less than `below` together with a box, in a fixed order, itself
    /// included, with that cost; returns how many steps that took.
    pub(super) fn near(&self, words: &[u64], below: i64, mut found: impl FnMut(u32, i64)) -> u64 {
        let width = self.prices.len();
        let now: Vec<BoxPrice<'_>> =
            self.order.iter().map(|&at| self.prices[at].now(words)).collect();
        let mut sums = vec![0i64; width + 1];
        let (mut id, mut from, mut steps) = (0, 0, 0);
        while id < self.len() {
            let mut next = id + 1;
            let mut fits = true;
            for place in from..width {
                steps += 1;
                let code = self.code(id as u32, self.order[place]);
                sums[place + 1] = sums[place] + now[place].with(words, code);
                if sums[place + 1] >= below {
                    next = self.ends[id * width + place] as usize;
                    fits = false;
                    break;
                }
            }
            if fits {
                found(id as u32, sums[width]);
            }
            id = next;
            from = usize::from(self.differs[id.min(self.len())]);
        }
        steps
    }
}

/// The attributes by what two rows of the table pay for them together, most first.
fn order(problem: &Problem, prices: &[AttributePrices], stride: usize) -> Vec<usize> {
    let mut chance = SearchRng::of_seed(1);
    let cells = problem.cells.len().max(1);
    let mut sums = vec![0i64; prices.len()];
    let mut words = vec![0; stride];
    for _ in 0..PAIRS {
        let (a, b) = (chance.below(cells), chance.below(cells));
        for (at, price) in prices.iter().enumerate().filter(|_| !problem.cells.is_empty()) {
            price.start(&mut words, problem.cells.code(at, a));
            sums[at] += price.now(&words).with(&words, problem.cells.code(at, b)).min(ONE);
        }
    }
    let mut order: Vec<usize> = (0..prices.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(sums[at]), at));
    order
}
