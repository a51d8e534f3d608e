//! The values of an original column in an order, and which of them a released label contains.

use crate::intern::Values;
use crate::label::Label;
use crate::ladder::Ladder;
use crate::value::{Missing, number};

/// Domains up to this size are also kept as bits, one per value.
pub(super) const SMALL: usize = 64;

/// The values of an original column. Their ranks follow an order in which labels tend to be
/// ranges: missing first, then numbers by size, then other values in the order of the hierarchy.
pub(super) struct Domain<'a> {
    values: &'a Values,
    missing: &'a Missing,
    ladder: Option<&'a Ladder>,
    /// The rank of each value.
    pub(super) rank: Vec<u32>,
    /// The numbers in order, the first of which has rank `first_number`.
    numbers: Vec<f64>,
    first_number: u32,
}

/// The original values that a label contains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cover {
    /// Ranks as closed ranges, in order and apart from each other.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The least and the greatest rank; an impossible pair if nothing is contained.
    pub(super) low: u32,
    pub(super) high: u32,
    /// The same as bits where the domain is small.
    pub(super) bits: u64,
    /// How many values are contained.
    pub(super) size: u32,
    /// Whether the label could be read, be it as an original value.
    pub(super) known: bool,
}

impl Cover {
    fn new(mut ranks: Vec<u32>, known: bool) -> Self {
        ranks.sort_unstable();
        ranks.dedup();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for &rank in &ranks {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == rank => *last = rank,
                _ => ranges.push((rank, rank)),
            }
        }
        Self::of_ranges(ranges, known)
    }

    fn of_ranges(ranges: Vec<(u32, u32)>, known: bool) -> Self {
        let size = ranges.iter().map(|&(low, high)| high - low + 1).sum();
        let small = ranges.iter().flat_map(|&(low, high)| low..=high.min(SMALL as u32 - 1));
        let bits = small.fold(0, |bits, rank| bits | 1 << rank);
        let low = ranges.first().map_or(u32::MAX, |&(low, _)| low);
        let high = ranges.last().map_or(0, |&(_, high)| high);
        Cover { ranges, low, high, bits, size, known }
    }

    #[inline]
    pub(super) fn contains(&self, rank: u32) -> bool {
        match self.ranges[..] {
            [(low, high)] => low <= rank && rank <= high,
            _ => {
                let after = self.ranges.partition_point(|&(low, _)| low <= rank);
                after > 0 && rank <= self.ranges[after - 1].1
            }
        }
    }
}

impl<'a> Domain<'a> {
    pub(super) fn new(
        values: &'a Values,
        missing: &'a Missing,
        ladder: Option<&'a Ladder>,
    ) -> Self {
        let mut leaf = vec![u32::MAX; values.len()];
        for (row, place) in ladder.iter().flat_map(|ladder| ladder.rows()).zip(0..) {
            if let Some(value) = values.find(&row[0], missing) {
                leaf[value as usize] = place;
            }
        }
        // Kind 0 is missing, 1 a number, 2 any other value.
        let key = |value: u32| {
            let text = values.get(value);
            match number(text) {
                _ if missing.contains(text) => (0, 0.0),
                Some(number) => (1, number),
                None => (2, 0.0),
            }
        };
        let mut order: Vec<(u8, f64, u32, u32)> = (0..values.len() as u32)
            .map(|value| {
                let (kind, number) = key(value);
                (kind, number, leaf[value as usize], value)
            })
            .collect();
        order.sort_by(|a, b| {
            (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3)))
        });
        let mut rank = vec![0; values.len()];
        for (&(.., value), at) in order.iter().zip(0..) {
            rank[value as usize] = at;
        }
        let first_number = order.partition_point(|&(kind, ..)| kind < 1) as u32;
        let numbers = order.iter().filter(|&&(kind, ..)| kind == 1).map(|&(_, n, ..)| n).collect();
        Domain { values, missing, ladder, rank, numbers, first_number }
    }

    pub(super) fn len(&self) -> usize {
        self.rank.len()
    }

    /// What a label contains. It always contains the value it is written like.
    pub(super) fn cover(&self, text: &str) -> Cover {
        let literal = self.find(text);
        match Label::parse(text) {
            Label::Everything => self.everything(),
            _ if self.ladder.is_some_and(|ladder| ladder.has_label(text)) => {
                Cover::new(self.under(text).chain(literal).collect(), true)
            }
            Label::Interval(low, high) => self.interval(low, high, literal),
            Label::Set(elements) => {
                let inside = elements.iter().flat_map(|e| {
                    // An element of a set of bins is an interval itself.
                    let between = match Label::parse(e) {
                        Label::Interval(low, high) => self.numbers_within(low, high),
                        _ => 0..0,
                    };
                    self.under(e).chain(self.find(e)).chain(between)
                });
                Cover::new(inside.chain(literal).collect(), true)
            }
            // In order, the values of a range of text or of a beginning; one that is written like it is itself.
            Label::Between(low, high) if literal.is_none() => {
                self.those(|value| low.as_str() <= value && value <= high.as_str())
            }
            Label::Prefix(beginning) if literal.is_none() && !self.is_leaf(text) => {
                self.those(|value| value.starts_with(beginning))
            }
            Label::Between(..) | Label::Prefix(_) | Label::Literal(_) => {
                let known = literal.is_some() || self.is_leaf(text);
                Cover::new(literal.into_iter().collect(), known)
            }
        }
    }

    /// What a pair of bounds contains: an interval, or a value if both bounds are the same.
    pub(super) fn cover_of_bounds(&self, least: &str, most: &str) -> Cover {
        if crate::value::canonical(least, self.missing)
            == crate::value::canonical(most, self.missing)
        {
            return self.cover(least);
        }
        match (number(least), number(most)) {
            (Some(low), Some(high)) => self.interval(low, high, None),
            _ => Cover::of_ranges(Vec::new(), false),
        }
    }

    fn everything(&self) -> Cover {
        match self.len() as u32 {
            0 => Cover::of_ranges(Vec::new(), true),
            len => Cover::of_ranges(vec![(0, len - 1)], true),
        }
    }

    /// The ranks of the numbers between two bounds.
    fn numbers_within(&self, low: f64, high: f64) -> std::ops::Range<u32> {
        let from = self.numbers.partition_point(|&number| number < low) as u32;
        let to = self.numbers.partition_point(|&number| number <= high) as u32;
        self.first_number + from..self.first_number + to.max(from)
    }

    fn interval(&self, low: f64, high: f64, literal: Option<u32>) -> Cover {
        let inside = self.numbers_within(low, high);
        match literal {
            None if !inside.is_empty() => {
                Cover::of_ranges(vec![(inside.start, inside.end - 1)], true)
            }
            _ => Cover::new(inside.chain(literal).collect(), true),
        }
    }

    /// The values other than missing of which this is true.
    fn those(&self, is_so: impl Fn(&str) -> bool) -> Cover {
        let values = (0..self.values.len() as u32).filter(|&value| {
            let text = self.values.get(value);
            !self.missing.contains(text) && is_so(text)
        });
        Cover::new(values.map(|value| self.rank[value as usize]).collect(), true)
    }

    fn find(&self, text: &str) -> Option<u32> {
        self.values.find(text, self.missing).map(|value| self.rank[value as usize])
    }

    /// The ranks of the values under a label of the hierarchy.
    fn under(&self, label: &str) -> impl Iterator<Item = u32> {
        let leaves = self.ladder.into_iter().flat_map(move |l| l.values_under(label));
        leaves.filter_map(|leaf| self.find(leaf))
    }

    /// Whether the hierarchy knows this value, though the original does not have it.
    fn is_leaf(&self, text: &str) -> bool {
        self.ladder.is_some_and(|ladder| ladder.rows().iter().any(|row| row[0] == text))
    }
}
