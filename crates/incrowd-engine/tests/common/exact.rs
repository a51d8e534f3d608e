//! The least cost of a cut set, slowly and obviously right: from the rows, by the definitions, without
//! anything of the engine's own.

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::{Metric, Model};

use super::sample::{Axis, LABELS, Row, Sample};

/// A cut set: for each attribute a bit for each value (but the first) that begins an interval.
pub type Cuts = Vec<u32>;

/// A sample's cut sets and what they cost.
pub struct Exact<'a> {
    pub sample: &'a Sample,
    /// The ways to divide each attribute that are allowed.
    pub divisions: Vec<Vec<Division>>,
    /// For each attribute what a row pays for the interval from `first` to `end`, at
    /// `first * (values + 1) + end`; nothing for the metrics that look at classes.
    prices: Vec<Vec<f64>>,
    /// What a suppressed row pays, in those metrics.
    suppressed: f64,
    /// What every solution costs less than its rows pay.
    offset: f64,
    /// The share of each sensitive value.
    shares: Vec<f64>,
}

/// The rows of a class.
#[derive(Clone, Copy, Default)]
struct Tally {
    size: u32,
    class: [u32; LABELS],
    sensitive: [u32; LABELS],
    /// What a row pays for its intervals.
    price: f64,
    key: usize,
}

impl Tally {
    fn add(&mut self, row: &Row) {
        self.size += 1;
        self.class[usize::from(row.class)] += 1;
        self.sensitive[usize::from(row.sensitive)] += 1;
    }
}

/// Classes found by their keys.
struct Found {
    /// By key, the place of the class plus one.
    places: Vec<u32>,
    tallies: Vec<Tally>,
}

impl Found {
    fn of(&mut self, key: usize, price: impl FnOnce() -> f64) -> &mut Tally {
        if self.places[key] == 0 {
            self.tallies.push(Tally { key, price: price(), ..Tally::default() });
            self.places[key] = self.tallies.len() as u32;
        }
        &mut self.tallies[self.places[key] as usize - 1]
    }

    fn clear(&mut self) {
        for tally in self.tallies.drain(..) {
            self.places[tally.key] = 0;
        }
    }
}

/// What a solution costs and how many rows it suppresses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    pub cost: f64,
    pub suppressed: usize,
}

/// A way to divide an attribute.
pub struct Division {
    cuts: u32,
    /// The interval of each value: its first value and its end.
    intervals: Vec<(usize, usize)>,
}

impl Division {
    fn new(cuts: u32, values: usize) -> Self {
        let begins = |value: usize| value == 0 || (cuts >> value) & 1 == 1;
        let intervals = (0..values)
            .map(|value| {
                let first = (0..=value).rev().find(|&at| begins(at)).unwrap_or(0);
                (first, (value + 1..values).find(|&at| begins(at)).unwrap_or(values))
            })
            .collect();
        Division { cuts, intervals }
    }
}

/// Whether an interval may be one of an attribute's.
fn allows(axis: &Axis, along_tree: bool, first: usize, end: usize) -> bool {
    let values = axis.values.len();
    let kept = axis.settled.iter().all(|&(place, made)| {
        if made { !(first < place && place < end) } else { place != first && place != end }
    });
    if !kept || first + 1 == end || (first == 0 && end == values) {
        return kept;
    }
    let Some(ladder) = axis.ladder.as_ref().filter(|_| along_tree) else {
        return !(axis.missing && first == 0);
    };
    if axis.missing && first == 0 {
        return false;
    }
    // Some group holds just these values, of those that occur.
    let row = |at: usize| ladder.iter().find(|row| row[0] == axis.values[at]);
    (1..ladder[0].len() - 1).any(|level| {
        let group = |at: usize| row(at).map(|row| &row[level]);
        (0..values).all(|at| (group(at) == group(first)) == (first..end).contains(&at))
    })
}

impl<'a> Exact<'a> {
    pub fn new(sample: &'a Sample) -> Self {
        let divisions = sample
            .axes
            .iter()
            .map(|axis| {
                let values = axis.values.len();
                let mut fits = vec![false; values * (values + 1)];
                for first in 0..values {
                    for end in first + 1..=values {
                        fits[first * (values + 1) + end] =
                            allows(axis, sample.along_tree, first, end);
                    }
                }
                let fits = |&(first, end): &(usize, usize)| fits[first * (values + 1) + end];
                (0..1u32 << (values - 1))
                    .map(|cuts| Division::new(cuts << 1, values))
                    .filter(|division| division.intervals.iter().all(fits))
                    .collect()
            })
            .collect();
        let rows = sample.rows.len() as f64;
        let weights: f64 = sample.axes.iter().map(|axis| axis.weight).sum();
        let attributes = sample.axes.len() as f64;
        let (suppressed, divisor) = match sample.metric {
            Metric::Dm | Metric::Cm => (0.0, 1.0),
            Metric::Ncp => (weights, 1.0),
            Metric::Loss => (1.0 / rows, rows * weights),
            Metric::Precision => (1.0 / rows, rows * attributes),
            Metric::Entropy => (attributes * rows.log2(), 1.0),
            other => panic!("no sample asks for {other:?}"),
        };
        let (mut prices, mut offset) = (Vec::new(), 0.0);
        for (at, axis) in sample.axes.iter().enumerate() {
            let values = axis.values.len();
            let mut held = vec![0.0; values];
            sample.rows.iter().for_each(|row| held[usize::from(row.values[at])] += 1.0);
            if sample.metric == Metric::Entropy {
                offset += held.iter().map(|rows: &f64| rows * rows.log2()).sum::<f64>();
            }
            let mut of_axis = vec![0.0; values * (values + 1)];
            for first in 0..values {
                for end in first + 1..=values {
                    of_axis[first * (values + 1) + end] =
                        price(sample.metric, axis, &held, first, end) / divisor;
                }
            }
            prices.push(of_axis);
        }
        let mut shares = vec![0.0; LABELS];
        sample.rows.iter().for_each(|row| shares[usize::from(row.sensitive)] += 1.0 / rows);
        shares.truncate(
            1 + sample.rows.iter().map(|row| usize::from(row.sensitive)).max().unwrap_or(0),
        );
        Exact { sample, divisions, prices, suppressed, offset, shares }
    }

    /// How many cut sets there are.
    pub fn cut_sets(&self) -> usize {
        self.divisions.iter().map(Vec::len).product()
    }

    fn found(&self) -> Found {
        let keys = self.sample.axes.iter().map(|axis| axis.values.len()).product();
        Found { places: vec![0; keys], tallies: Vec::new() }
    }

    fn passes(&self, tally: &Tally) -> bool {
        let size = f64::from(tally.size);
        let share = |value: usize| f64::from(tally.sensitive[value]) / size;
        let values = 0..self.shares.len();
        tally.size >= self.sample.k
            && match self.sample.model {
                None => true,
                Some(Model::DistinctL { l }) => {
                    tally.sensitive.iter().filter(|&&rows| rows > 0).count() >= l as usize
                }
                Some(Model::EachValue { k }) => {
                    tally.sensitive.iter().all(|&rows| rows == 0 || rows as u64 >= u64::from(k))
                }
                Some(Model::Alpha { alpha }) => {
                    values.into_iter().all(|value| share(value) <= alpha + 1e-9)
                }
                Some(Model::TCloseness { t, distance: GroundDistance::Equal }) => {
                    values.map(|at| (share(at) - self.shares[at]).abs()).sum::<f64>() / 2.0
                        <= t + 1e-9
                }
                Some(Model::TCloseness { t, distance: GroundDistance::Ordered }) => {
                    let steps = (self.shares.len() - 1).max(1) as f64;
                    let moved = |end: usize| {
                        (0..end).map(|at| share(at) - self.shares[at]).sum::<f64>().abs()
                    };
                    values.map(moved).sum::<f64>() / steps <= t + 1e-9
                }
                Some(other) => panic!("no sample asks for {other:?}"),
            }
    }

    /// What a class costs, if it pays `price` for each row that is released.
    fn class_cost(&self, tally: &Tally, price: f64) -> Cost {
        let (size, rows) = (f64::from(tally.size), self.sample.rows.len() as f64);
        let majority = f64::from(tally.class.iter().copied().max().unwrap_or(0));
        if self.passes(tally) {
            let cost = match self.sample.metric {
                Metric::Dm => size * size,
                Metric::Cm => size - majority,
                _ => size * price,
            };
            return Cost { cost, suppressed: 0 };
        }
        let cost = match self.sample.metric {
            Metric::Dm => size * rows,
            Metric::Cm => size,
            _ => size * self.suppressed,
        };
        Cost { cost, suppressed: tally.size as usize }
    }

    fn price(&self, axis: usize, (first, end): (usize, usize)) -> f64 {
        self.prices[axis][first * (self.sample.axes[axis].values.len() + 1) + end]
    }

    /// Whether a cut set is allowed.
    pub fn allows(&self, cuts: &[u32]) -> bool {
        cuts.iter()
            .zip(&self.divisions)
            .all(|(&cuts, allowed)| allowed.iter().any(|division| division.cuts == cuts))
    }

    /// What a cut set costs, whether or not it is allowed and within the limit.
    pub fn cost(&self, cuts: &[u32]) -> Cost {
        let divisions: Vec<Division> = cuts
            .iter()
            .zip(&self.sample.axes)
            .map(|(&cuts, axis)| Division::new(cuts, axis.values.len()))
            .collect();
        self.cost_in(&divisions.iter().collect::<Vec<_>>(), &mut self.found())
    }

    fn cost_in(&self, divisions: &[&Division], found: &mut Found) -> Cost {
        let axes = &self.sample.axes;
        for row in &self.sample.rows {
            let of = |at: usize| divisions[at].intervals[usize::from(row.values[at])];
            let key = (0..axes.len()).fold(0, |key, at| key * axes[at].values.len() + of(at).0);
            found.of(key, || (0..axes.len()).map(|at| self.price(at, of(at))).sum()).add(row);
        }
        let mut sum = Cost { cost: -self.offset, suppressed: 0 };
        for tally in &found.tallies {
            let class = self.class_cost(tally, tally.price);
            sum.cost += class.cost;
            sum.suppressed += class.suppressed;
        }
        found.clear();
        sum
    }

    /// Calls with every combination of allowed divisions; of one attribute, if one is named, only the
    /// first.
    fn each(&self, but: Option<usize>, mut call: impl FnMut(&[&Division])) {
        if self.divisions.iter().any(Vec::is_empty) {
            return;
        }
        let number = |axis: usize| if but == Some(axis) { 1 } else { self.divisions[axis].len() };
        let mut at = vec![0; self.divisions.len()];
        let mut chosen: Vec<&Division> = self.divisions.iter().map(|all| &all[0]).collect();
        loop {
            call(&chosen);
            let Some(next) = (0..at.len()).find(|&axis| at[axis] + 1 < number(axis)) else {
                return;
            };
            at[next] += 1;
            at[..next].fill(0);
            for axis in 0..=next {
                chosen[axis] = &self.divisions[axis][at[axis]];
            }
        }
    }

    /// The best cut set, by looking at all of them.
    pub fn by_enumeration(&self) -> Option<(f64, Cuts)> {
        let (mut best, mut found) = (None::<(f64, Cuts)>, self.found());
        self.each(None, |divisions| {
            let priced = self.cost_in(divisions, &mut found);
            if priced.suppressed <= self.sample.limit
                && best.as_ref().is_none_or(|(least, _)| priced.cost < *least)
            {
                let cuts = divisions.iter().map(|division| division.cuts).collect();
                best = Some((priced.cost, cuts));
            }
        });
        best
    }

    /// The axis with the most divisions, and how many ways there are to divide all others.
    pub fn longest(&self) -> (usize, usize) {
        let axis = (0..self.divisions.len()).max_by_key(|&at| self.divisions[at].len());
        let axis = axis.unwrap_or(0);
        (axis, self.cut_sets() / self.divisions[axis].len().max(1))
    }

    /// The least cost, by looking at all ways to divide all attributes but the longest. With those
    /// fixed the cost is a sum over its intervals, and a shortest path finds the best of them.
    pub fn by_slices(&self) -> Option<f64> {
        let (axis, _) = self.longest();
        let values = self.sample.axes[axis].values.len();
        let mut rows: Vec<Vec<&Row>> = vec![Vec::new(); values];
        for row in &self.sample.rows {
            rows[usize::from(row.values[axis])].push(row);
        }
        let (mut best, mut found) = (None::<f64>, self.found());
        self.each(Some(axis), |divisions| {
            if let Some(cost) = self.shortest(axis, divisions, &rows, &mut found) {
                best = Some(best.map_or(cost, |least| least.min(cost)));
            }
        });
        best
    }

    /// The least cost with all attributes but one divided like this.
    fn shortest(
        &self,
        axis: usize,
        divisions: &[&Division],
        rows: &[Vec<&Row>],
        found: &mut Found,
    ) -> Option<f64> {
        let (axes, limit) = (&self.sample.axes, self.sample.limit);
        let values = axes[axis].values.len();
        let priced_by_width = !matches!(self.sample.metric, Metric::Dm | Metric::Cm);
        // The limit needs counting only where it can bind and is not "none at all".
        let states = if limit == 0 || limit >= self.sample.rows.len() { 1 } else { limit + 1 };
        // By place and rows suppressed: the least cost of the values before.
        let mut least = vec![vec![f64::INFINITY; states]; values + 1];
        least[0][0] = -self.offset;
        for first in 0..values {
            let (mut sum, mut released) = (Cost::default(), 0.0);
            for end in first + 1..=values {
                for row in &rows[end - 1] {
                    let of = |at: usize| divisions[at].intervals[usize::from(row.values[at])];
                    let others = || (0..axes.len()).filter(|&at| at != axis);
                    let key = others().fold(0, |key, at| key * axes[at].values.len() + of(at).0);
                    let tally =
                        found.of(key, || others().map(|at| self.price(at, of(at))).sum::<f64>());
                    let before = self.class_cost(tally, tally.price);
                    let size = tally.size as usize;
                    tally.add(row);
                    let after = self.class_cost(tally, tally.price);
                    sum.cost += after.cost - before.cost;
                    sum.suppressed = sum.suppressed + after.suppressed - before.suppressed;
                    released +=
                        (size + 1 - after.suppressed) as f64 - (size - before.suppressed) as f64;
                }
                if !allows(&axes[axis], self.sample.along_tree, first, end)
                    || sum.suppressed > limit
                {
                    continue;
                }
                let own =
                    if priced_by_width { released * self.price(axis, (first, end)) } else { 0.0 };
                for state in 0..states {
                    let to = if states == 1 { 0 } else { state + sum.suppressed };
                    if to < states {
                        let cost = least[first][state] + sum.cost + own;
                        least[end][to] = least[end][to].min(cost);
                    }
                }
            }
            found.clear();
        }
        least[values].iter().copied().reduce(f64::min).filter(|cost| cost.is_finite())
    }
}

/// What a row pays for an interval of an attribute, before it is averaged; `held` rows have each value.
fn price(metric: Metric, axis: &Axis, held: &[f64], first: usize, end: usize) -> f64 {
    let values = axis.values.len();
    let single = first + 1 == end;
    let weight = axis.weight;
    if metric == Metric::Entropy {
        return held[first..end].iter().sum::<f64>().log2();
    }
    if single {
        return 0.0;
    }
    // Missing together with others is released as nothing at all.
    if axis.missing && first == 0 {
        return if metric == Metric::Precision { 1.0 } else { weight };
    }
    if let (Some(numbers), Metric::Ncp | Metric::Loss) = (&axis.numbers, metric) {
        let low = numbers[usize::from(axis.missing)];
        return weight * (numbers[end - 1] - numbers[first]) / (numbers[values - 1] - low);
    }
    let (size, all) = (end - first, values);
    let Some(ladder) = &axis.ladder else {
        return match metric {
            Metric::Ncp => weight * size as f64 / all as f64,
            Metric::Loss => weight * (size - 1) as f64 / (all - 1) as f64,
            _ => 1.0,
        };
    };
    // The lowest level at which one group holds all of them, and that group.
    let row = |at: usize| ladder.iter().find(|row| row[0] == axis.values[at]).unwrap();
    let top = ladder[0].len() - 1;
    let level = (1..=top)
        .find(|&level| (first..end).all(|at| row(at)[level] == row(first)[level]))
        .unwrap_or(top);
    let group = &row(first)[level];
    match metric {
        Metric::Ncp => {
            let shown = usize::from(axis.missing)..values;
            let below = shown.filter(|&at| row(at)[level] == *group).count();
            // Missing, which the hierarchy does not name, lies below the root.
            let below = below + usize::from(axis.missing && level == top);
            weight * below as f64 / all as f64
        }
        Metric::Loss => {
            let extra = usize::from(axis.missing);
            let below = ladder.iter().filter(|row| row[level] == *group).count();
            let below = below + if level == top { extra } else { 0 };
            weight * (below - 1) as f64 / (ladder.len() + extra - 1) as f64
        }
        _ => level as f64 / top as f64,
    }
}
