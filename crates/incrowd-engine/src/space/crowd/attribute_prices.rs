//! What a row pays at least for what its crowd holds, in whole numbers.
//!
//! A bound must stay one whatever is rounded. So prices are shares of what a suppressed row costs, in units of
//! 2^-40, rounded down, and never more than the price of any larger set: from here on everything is added and
//! compared exactly.

use crate::cost::{GroupPrice, Metric};
use crate::problem::Problem;
use crate::value::{Attribute, Group, Hierarchy};

/// What a suppressed row costs.
pub(crate) const ONE: i64 = 1 << 40;

/// Spans of up to so many values have a price for every pair of ends.
const TABLE: usize = 256;

/// Sets of text with more values are kept by their remainders: those that share one count as one, which is less.
const MOST_BITS: usize = 4_096;

/// The prices of one attribute.
pub(super) struct AttributePrices {
    /// Where its part of a box begins, and how many words it has.
    pub(super) word: usize,
    pub(super) words: usize,
    sort: PriceRule,
}

enum PriceRule {
    /// By how many values there are; a bit for each in the box.
    Set { counts: Vec<i64>, bits: u32, missing: bool, blank: i64 },
    /// By the ends, looked up.
    Table { values: usize, prices: Vec<i64> },
    /// By the width between the ends.
    Width { ends: Vec<(f64, f64)>, scale: f64, missing: bool, blank: i64 },
    /// By the node above both ends.
    Tree { tree: Box<Hierarchy>, nodes: Vec<i64>, missing: bool, blank: i64 },
    /// By whether there are several.
    Flat { several: i64, missing: bool, blank: i64 },
}

/// Whether the metric charges a row for its values one by one, so that crowds can be priced.
pub(crate) fn is_priced(metric: Metric) -> bool {
    matches!(metric, Metric::Ncp | Metric::Loss | Metric::Precision)
}

/// The prices of all attributes, and what a suppressed row costs in the metric's own measure.
pub(super) fn prices(problem: &Problem) -> (Vec<AttributePrices>, f64) {
    let metric = problem.group_prices(problem.metric);
    let unit = metric.suppressed();
    let mut word = 0;
    let prices = problem.attributes.iter().enumerate().map(|(at, attribute)| {
        let maker =
            PriceBuilder { metric: &metric, flat: problem.metric == Metric::Precision, at, unit };
        let sort = maker.sort(attribute);
        let words = match &sort {
            PriceRule::Set { bits, .. } => (*bits as usize).div_ceil(64).max(1),
            _ => 1,
        };
        let price = AttributePrices { word, words, sort };
        word += words;
        price
    });
    (prices.collect(), unit)
}

struct PriceBuilder<'a> {
    metric: &'a GroupPrice<'a>,
    /// Whether numbers are one value or several, however far apart.
    flat: bool,
    at: usize,
    unit: f64,
}

impl PriceBuilder<'_> {
    fn of(&self, group: &Group) -> i64 {
        self.rounded_down(self.metric.of(self.at, group))
    }

    fn rounded_down(&self, price: f64) -> i64 {
        let share = if self.unit > 0.0 { price / self.unit } else { 0.0 };
        // A little less, for what the division itself has rounded.
        ((share * (1.0 - 1e-14) * ONE as f64) as i64).clamp(0, ONE)
    }

    fn sort(&self, attribute: &Attribute) -> PriceRule {
        let values = attribute.domain.len();
        let missing = attribute.domain.missing_code().is_some();
        let blank = self.of(&Group::Blank);
        if self.metric.counts_values(self.at) {
            return self.set(values, missing, blank);
        }
        if values <= TABLE {
            return self.table(attribute, values);
        }
        let last = values as u32 - 1;
        match &attribute.hierarchy {
            Some(tree) => {
                let mut nodes: Vec<i64> =
                    (0..tree.nodes()).map(|node| self.of(&Group::Node(node))).collect();
                for code in 0..values as u32 {
                    let own = self.of(&Group::Range { first: code, last: code });
                    let leaf = &mut nodes[tree.leaf(code) as usize];
                    *leaf = own.min(*leaf);
                }
                PriceRule::Tree { tree: Box::new(tree.clone()), nodes, missing, blank }
            }
            None if self.flat => {
                let first = u32::from(missing).min(last);
                PriceRule::Flat { several: self.of(&Group::Range { first, last }), missing, blank }
            }
            None => {
                let domain = &attribute.domain;
                let first = u32::from(missing).min(last);
                let whole = self.of(&Group::Range { first, last });
                let ends = (0..values as u32).map(|code| domain.place(code).unwrap_or((0.0, 0.0)));
                let range = domain.range();
                let scale = if range > 0.0 { whole as f64 / range * (1.0 - 1e-14) } else { 0.0 };
                PriceRule::Width { ends: ends.collect(), scale, missing, blank }
            }
        }
    }

    fn set(&self, values: usize, missing: bool, blank: i64) -> PriceRule {
        let first = u32::from(missing);
        let most = values - first as usize;
        // Every metric's price grows evenly with each value after the second.
        let price = |count: usize| self.rounded_down(self.metric.of_listed(self.at, count));
        let (two, three) =
            (if most < 2 { 0 } else { price(2) }, if most < 3 { 0 } else { price(3) });
        let counts = (0..=values + 1).map(|count| match count {
            0 | 1 => 0,
            2 => two,
            // The step is a difference of two rounded numbers: what it may be too large is taken off.
            _ => (two + (three - two - 2).max(0) * (count as i64 - 2)).min(blank),
        });
        PriceRule::Set {
            counts: counts.collect(),
            bits: values.min(MOST_BITS) as u32,
            missing,
            blank,
        }
    }

    /// The price of every pair of ends, at most that of any wider pair.
    fn table(&self, attribute: &Attribute, values: usize) -> PriceRule {
        let mut prices = vec![0; values * values];
        for first in 0..values {
            for last in (first..values).rev() {
                let group = Group::Range { first: first as u32, last: last as u32 };
                let mut price = self.of(&attribute.meant(&group));
                if first > 0 {
                    price = price.min(prices[(first - 1) * values + last]);
                }
                if last + 1 < values {
                    price = price.min(prices[first * values + last + 1]);
                }
                prices[first * values + last] = price;
            }
        }
        PriceRule::Table { values, prices }
    }
}

fn ends(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

fn span(first: u32, last: u32) -> u64 {
    u64::from(first) << 32 | u64::from(last)
}

impl AttributePrices {
    /// Whether a box holds single values of it, not all between two ends.
    pub(super) fn is_set(&self) -> bool {
        matches!(self.sort, PriceRule::Set { .. })
    }

    /// The bit of a value of a set.
    pub(super) fn bit(&self, code: u32) -> u32 {
        match self.sort {
            PriceRule::Set { bits, .. } if code < bits => code,
            // Missing, the first, shares its bit with none.
            PriceRule::Set { bits, .. } => 1 + code % (bits - 1),
            _ => code,
        }
    }

    /// Makes its part of a box that of one value.
    pub(super) fn start(&self, words: &mut [u64], code: u32) {
        let own = &mut words[self.word..self.word + self.words];
        own.fill(0);
        if self.is_set() {
            let bit = self.bit(code) as usize;
            own[bit / 64] |= 1 << (bit % 64);
        } else {
            own[0] = span(code, code);
        }
    }

    /// Adds a value to its part of a box.
    pub(super) fn add(&self, words: &mut [u64], code: u32) {
        let own = &mut words[self.word..self.word + self.words];
        if self.is_set() {
            let bit = self.bit(code) as usize;
            own[bit / 64] |= 1 << (bit % 64);
        } else {
            let (first, last) = ends(own[0]);
            own[0] = span(first.min(code), last.max(code));
        }
    }

    /// Whether its part of a box holds a value.
    pub(super) fn holds(&self, words: &[u64], code: u32) -> bool {
        if self.is_set() {
            let bit = self.bit(code) as usize;
            words[self.word + bit / 64] >> (bit % 64) & 1 == 1
        } else {
            let (first, last) = ends(words[self.word]);
            (first..=last).contains(&code)
        }
    }

    /// The lowest and the highest value of a span in a box.
    pub(super) fn ends(&self, words: &[u64]) -> (u32, u32) {
        ends(words[self.word])
    }

    /// What a box costs in this attribute, ready to be asked what it costs with one more value.
    pub(super) fn now<'a>(&'a self, words: &[u64]) -> BoxPrice<'a> {
        match &self.sort {
            PriceRule::Set { counts, missing, blank, .. } => {
                let own = &words[self.word..self.word + self.words];
                let held: u32 = own.iter().map(|word| word.count_ones()).sum();
                let mixed = *missing && own[0] & 1 == 1;
                let price = |held: u32| match mixed && held > 1 {
                    true => *blank,
                    false => counts[held as usize],
                };
                BoxPrice { price: self, ends: (0, 0), now: price(held), next: price(held + 1) }
            }
            _ => {
                let (first, last) = self.ends(words);
                BoxPrice {
                    price: self,
                    ends: (first, last),
                    now: self.between(first, last),
                    next: 0,
                }
            }
        }
    }

    /// The price of a span.
    fn between(&self, first: u32, last: u32) -> i64 {
        match &self.sort {
            PriceRule::Table { values, prices } => prices[first as usize * values + last as usize],
            PriceRule::Width { missing: true, blank, .. }
            | PriceRule::Tree { missing: true, blank, .. }
            | PriceRule::Flat { missing: true, blank, .. }
                if first == 0 && last > 0 =>
            {
                *blank
            }
            PriceRule::Width { ends, scale, blank, .. } => {
                let width = ends[last as usize].1 - ends[first as usize].0;
                ((width * scale) as i64).clamp(0, *blank)
            }
            PriceRule::Tree { tree, nodes, .. } => nodes[tree.common(first, last) as usize],
            PriceRule::Flat { several, .. } if first != last => *several,
            PriceRule::Flat { .. } | PriceRule::Set { .. } => 0,
        }
    }
}

/// What a box costs in one attribute.
#[derive(Clone, Copy)]
pub(super) struct BoxPrice<'a> {
    price: &'a AttributePrices,
    ends: (u32, u32),
    pub(super) now: i64,
    /// The same for a set with one more value.
    next: i64,
}

impl BoxPrice<'_> {
    /// The same with one more value; `words` is the box.
    #[inline]
    pub(super) fn with(&self, words: &[u64], code: u32) -> i64 {
        match &self.price.sort {
            PriceRule::Set { missing, blank, .. } => {
                if self.price.holds(words, code) {
                    self.now
                } else if *missing && self.price.bit(code) == 0 {
                    *blank
                } else {
                    self.next
                }
            }
            PriceRule::Table { values, prices } => {
                let (first, last) = (self.ends.0.min(code), self.ends.1.max(code));
                prices[first as usize * values + last as usize]
            }
            _ => self.price.between(self.ends.0.min(code), self.ends.1.max(code)),
        }
    }
}
