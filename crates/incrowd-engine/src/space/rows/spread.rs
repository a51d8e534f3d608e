//! Which values a set of rows holds, in a few words, and what it costs to release them together.

use crate::problem::Problem;
use crate::value::Attribute;

/// Text without a hierarchy is charged for each of its values, so they are kept one by one up to this
/// many; beyond, for the stretch of the order that they span, which is at least as much.
const MOST_BITS: usize = 1 << 10;

/// Prices of hierarchy nodes are looked up for domains up to this size.
const MOST_PAIRS: usize = 128;

/// The *spread* of a set of rows is which values it holds: a bit per value of a text attribute, the
/// lowest and the highest code of every other one. A spread is [`SpreadTable::stride`] words long; that of
/// a union is a few operations away, and so is its penalty.
#[derive(Debug)]
pub(crate) struct SpreadTable {
    sets: Vec<ValueBits>,
    stretches: Vec<AttributeSpan>,
    /// Words of bits; the stretches follow.
    words: usize,
    /// The spread of every cell.
    cells: Vec<u64>,
    /// What a suppressed row costs.
    blank: f64,
}

/// A text attribute: its bits.
#[derive(Debug)]
struct ValueBits {
    attribute: usize,
    first_word: usize,
    last_word: usize,
    shift: u32,
    /// Its bits in the first word, which are all unless it has several words to itself.
    mask: u64,
    /// The price of so many values.
    prices: Vec<f64>,
    weight: f64,
    has_missing: bool,
}

/// An attribute of which the ends matter.
#[derive(Debug)]
struct AttributeSpan {
    attribute: usize,
    weight: f64,
    has_missing: bool,
    pricing: SpanPricing,
}

#[derive(Debug)]
enum SpanPricing {
    /// Lowest and highest number of each code, each as a share of the range and times the weight.
    Width(Vec<(f64, f64)>),
    /// The price of every pair of ends.
    Pairs(usize, Vec<f64>),
    /// The lowest node above both.
    Node(Box<crate::value::Hierarchy>, f64),
    /// The values between them.
    Order(f64),
}

impl SpreadTable {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (mut sets, mut stretches) = (Vec::new(), Vec::new());
        let (mut word, mut used) = (0, 0);
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let len = attribute.domain.len();
            let has_missing = attribute.domain.missing_code().is_some();
            let weight = attribute.weight;
            if attribute.hierarchy.is_some() || attribute.domain.is_numeric() || len > MOST_BITS {
                let pricing = SpanPricing::new(attribute);
                stretches.push(AttributeSpan { attribute: at, weight, has_missing, pricing });
                continue;
            }
            if used + len > 64 && used > 0 {
                (word, used) = (word + 1, 0);
            }
            let (first_word, shift) = (word, used);
            (word, used) = (word + (used + len) / 64, (used + len) % 64);
            let last_word = if used == 0 { word - 1 } else { word };
            let mask = if len >= 64 { u64::MAX } else { ((1 << len) - 1) << shift };
            let prices = (0..=len)
                .map(|held| if held <= 1 { 0.0 } else { weight * held as f64 / len as f64 })
                .collect();
            sets.push(ValueBits {
                attribute: at,
                first_word,
                last_word,
                shift: shift as u32,
                mask,
                prices,
                weight,
                has_missing,
            });
            if last_word > first_word && used > 0 {
                // Several words are nobody else's, so that their bits need no mask.
                (word, used) = (word + 1, 0);
            }
        }
        let words = if used == 0 { word } else { word + 1 };
        let blank = problem.attributes.iter().map(|attribute| attribute.weight).sum();
        let mut spreads = SpreadTable { sets, stretches, words, cells: Vec::new(), blank };
        spreads.cells = spreads.of_cells(problem);
        spreads
    }

    fn of_cells(&self, problem: &Problem) -> Vec<u64> {
        let stride = self.stride();
        let mut cells = vec![0; problem.cells.len() * stride];
        for set in &self.sets {
            let codes = problem.cells.codes(set.attribute);
            for (cell, spread) in cells.chunks_exact_mut(stride).enumerate() {
                let bit = set.shift + codes.get(cell);
                spread[set.first_word + bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        for (at, stretch) in self.stretches.iter().enumerate() {
            let codes = problem.cells.codes(stretch.attribute);
            for (cell, spread) in cells.chunks_exact_mut(stride).enumerate() {
                let code = codes.get(cell);
                spread[self.words + at] = ends(code, code);
            }
        }
        cells
    }

    /// How many words a spread has.
    #[inline]
    pub(crate) fn stride(&self) -> usize {
        self.words + self.stretches.len()
    }

    /// The spread of a cell's rows.
    #[inline]
    pub(crate) fn cell(&self, cell: u32) -> &[u64] {
        let stride = self.stride();
        &self.cells[cell as usize * stride..(cell as usize + 1) * stride]
    }

    /// What a suppressed row costs.
    pub(crate) fn blank(&self) -> f64 {
        self.blank
    }

    /// Adds rows to a spread. The spread of no rows is all zeros.
    #[inline]
    pub(crate) fn add(&self, spread: &mut [u64], other: &[u64]) {
        let (bits, stretches) = spread.split_at_mut(self.words);
        let (other_bits, other_stretches) = other.split_at(self.words);
        for (mine, others) in bits.iter_mut().zip(other_bits) {
            *mine |= others;
        }
        for (mine, others) in stretches.iter_mut().zip(other_stretches) {
            *mine = join(*mine, *others);
        }
    }

    /// The penalty of each row of a set with this spread.
    #[inline]
    pub(crate) fn penalty(&self, spread: &[u64]) -> f64 {
        self.joint_penalty(spread, spread)
    }

    /// The penalty of each row of the union of two sets.
    #[inline]
    pub(crate) fn joint_penalty(&self, one: &[u64], other: &[u64]) -> f64 {
        let mut sum = 0.0;
        for set in &self.sets {
            let word = (one[set.first_word] | other[set.first_word]) & set.mask;
            let mut held = word.count_ones() as usize;
            for at in set.first_word + 1..=set.last_word {
                held += (one[at] | other[at]).count_ones() as usize;
            }
            sum += if set.has_missing && held > 1 && word >> set.shift & 1 == 1 {
                set.weight
            } else {
                set.prices[held]
            };
        }
        for (at, stretch) in self.stretches.iter().enumerate() {
            let joint = join(one[self.words + at], other[self.words + at]);
            sum += stretch.price(!(joint >> 32) as u32, joint as u32);
        }
        sum
    }
}

/// The lowest code turned over, so that of both halves the larger one wins.
#[inline]
fn ends(first: u32, last: u32) -> u64 {
    u64::from(!first) << 32 | u64::from(last)
}

#[inline]
fn join(one: u64, other: u64) -> u64 {
    (one >> 32).max(other >> 32) << 32 | u64::from((one as u32).max(other as u32))
}

impl AttributeSpan {
    #[inline]
    fn price(&self, first: u32, last: u32) -> f64 {
        if self.has_missing && first == 0 && last > 0 {
            return self.weight;
        }
        match &self.pricing {
            SpanPricing::Width(ends) => ends[last as usize].1 - ends[first as usize].0,
            SpanPricing::Pairs(len, prices) => prices[first as usize * len + last as usize],
            _ if first == last => 0.0,
            SpanPricing::Node(tree, each) => {
                tree.codes(tree.common(first, last)).len() as f64 * each
            }
            SpanPricing::Order(each) => f64::from(last - first + 1) * each,
        }
    }
}

impl SpanPricing {
    fn new(attribute: &Attribute) -> Self {
        let len = attribute.domain.len();
        let each = attribute.weight / len as f64;
        let codes = 0..len as u32;
        match &attribute.hierarchy {
            Some(tree) if len <= MOST_PAIRS => {
                let price = |first: u32, last: u32| match first < last {
                    true => tree.codes(tree.common(first, last)).len() as f64 * each,
                    false => 0.0,
                };
                let pairs =
                    codes.clone().flat_map(|first| codes.clone().map(move |last| (first, last)));
                SpanPricing::Pairs(len, pairs.map(|(first, last)| price(first, last)).collect())
            }
            Some(tree) => SpanPricing::Node(Box::new(tree.clone()), each),
            None if attribute.is_measured_by_width() => {
                let range = attribute.domain.range();
                let scale = if range > 0.0 { attribute.weight / range } else { 0.0 };
                let ends = |code| attribute.domain.place(code).unwrap_or((0.0, 0.0));
                let scaled = codes.map(|code| (ends(code).0 * scale, ends(code).1 * scale));
                SpanPricing::Width(scaled.collect())
            }
            None => SpanPricing::Order(each),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::cost::Metric;
    use crate::problem::{HierarchySource, ProblemSpec};
    use crate::table::Table;
    use crate::value::Hierarchy;

    /// Whatever set of rows: the penalty is what the metric charges for its groups.
    #[test]
    fn penalties_are_those_of_the_metric() {
        let fields = |row: usize| {
            let tree = format!("v{}", row * 5 % 9);
            let age = if row % 17 == 3 { "?".to_owned() } else { (20 + row * 7 % 50).to_string() };
            let job = if row % 13 == 5 { "?".to_owned() } else { format!("job{}", row * 3 % 90) };
            [age, job, format!("s{}", row % 2), tree, format!("w{}", row % 70)]
        };
        let rows: Vec<[String; 5]> = (0..200).map(fields).collect();
        let table = Table::from_rows(&["age", "job", "sex", "tree", "word"], &rows).unwrap();
        let mut spec = ["age", "job", "sex", "tree", "word"]
            .into_iter()
            .fold(ProblemSpec::new(2), ProblemSpec::quasi);
        let ladder: Vec<[String; 3]> =
            (0..9).map(|at| [format!("v{at}"), format!("g{}", at / 3), "*".to_owned()]).collect();
        spec.quasi[3].hierarchy =
            Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
        spec.quasi[1].weight = 2.5;
        let problem = Problem::of_table(&spec, &table).unwrap();
        let (spreads, price) = (SpreadTable::new(&problem), problem.group_prices(Metric::Ncp));
        for (step, size) in [(1, 1), (1, 2), (3, 4), (7, 3), (11, 20), (1, 200)] {
            for start in 0..problem.cells.len() {
                let members: Vec<usize> =
                    (0..size).map(|at| (start + at * step) % problem.cells.len()).collect();
                let mut spread = vec![0; spreads.stride()];
                members
                    .iter()
                    .for_each(|&cell| spreads.add(&mut spread, spreads.cell(cell as u32)));
                let expected: f64 = (0..problem.attributes.len())
                    .map(|at| {
                        let mut codes: Vec<u32> =
                            members.iter().map(|&cell| problem.cells.code(at, cell)).collect();
                        codes.sort_unstable();
                        codes.dedup();
                        let attribute = &problem.attributes[at];
                        price.of(at, &attribute.meant(&attribute.group(&codes)))
                    })
                    .sum();
                let found = spreads.penalty(&spread);
                assert!((found - expected).abs() < 1e-9, "{members:?}: {found} {expected}");
            }
        }
    }
}
