//! The values of an original column in an order, and which of them a released label contains.

use crate::date::{CalendarInstant, DateColumn, DateForm};
use crate::hierarchy::LabelHierarchy;
use crate::intern::ValueDictionary;
use crate::label::Label;
use crate::number::{Number, NumberStyle};
use crate::value::{MissingTokens, canonical, looks};

/// Domains up to this size are also kept as bits, one per value.
pub(super) const SMALL: usize = 64;

/// The values of an original column. Their ranks follow an order in which labels tend to be
/// ranges: missing first, then numbers by size, then other values in the order of the hierarchy.
pub(super) struct Domain<'a> {
    pub(super) values: &'a ValueDictionary,
    pub(super) missing: &'a MissingTokens,
    pub(super) ladder: Option<&'a LabelHierarchy>,
    /// How dates are written, if these are dates: their moments are then what numbers are elsewhere.
    pub(super) dates: Option<DateColumn<'a>>,
    /// The order of text values, where it is not that of the alphabet.
    pub(super) order: Option<&'a [String]>,
    /// The rank of each value.
    pub(super) rank: Vec<u32>,
    /// The numbers in order, the first of which has rank `first_number`.
    pub(super) numbers: Vec<NumericExtent>,
    first_number: u32,
}

/// Where an original value lies among numbers: at one, or from one to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumericExtent {
    /// Nothing is below all numbers.
    pub(super) low: Option<Number>,
    /// Nothing is above all numbers.
    pub(super) high: Option<Number>,
}

impl NumericExtent {
    fn read(text: &str, style: &NumberStyle) -> Option<Self> {
        if let Some(number) = style.read(text) {
            return Some(NumericExtent { low: Some(number.clone()), high: Some(number) });
        }
        let (low, high) = match Label::read(text, style) {
            Label::Interval(low, high) => (Some(low), Some(high)),
            Label::AtLeast(low) => (Some(low), None),
            Label::AtMost(high) | Label::Below(high) => (None, Some(high)),
            _ => return None,
        };
        Some(NumericExtent { low, high })
    }

    /// A date is a moment, or the unit of time that it was cut to.
    fn of_date(text: &str, dates: &DateColumn<'_>) -> Option<Self> {
        let (from, to) = match dates.instant(text) {
            Some(at) => (at, at + 1),
            None => dates.span(text)?,
        };
        Some(NumericExtent { low: Some(as_number(from)?), high: Some(as_number(to - 1)?) })
    }

    fn is_number(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    fn is_before(&self, other: &Self) -> bool {
        self.high.as_ref().zip(other.low.as_ref()).is_some_and(|(high, low)| high <= low)
    }

    pub(super) fn starts_before(&self, low: &Number) -> bool {
        self.low.as_ref().is_none_or(|start| start < low)
    }

    pub(super) fn ends_by(&self, high: &Number) -> bool {
        self.high.as_ref().is_some_and(|end| end <= high)
    }

    /// Ends below a number, or is `<0` itself where that is asked.
    pub(super) fn ends_before(&self, high: &Number) -> bool {
        let is_open = self.low.is_none();
        self.high.as_ref().is_some_and(|end| end < high || (is_open && end == high))
    }
}

impl Ord for NumericExtent {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let open = |extent: &Self| extent.high.is_none();
        (self.low.cmp(&other.low))
            .then(open(self).cmp(&open(other)))
            .then_with(|| self.high.cmp(&other.high))
    }
}

impl PartialOrd for NumericExtent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
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
    /// What it was taken for, where it is spelled as other tools do.
    pub(super) taken_for: Option<&'static str>,
}

impl Cover {
    pub(super) fn new(mut ranks: Vec<u32>, known: bool) -> Self {
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

    pub(super) fn of_ranges(ranges: Vec<(u32, u32)>, known: bool) -> Self {
        let size = ranges.iter().map(|&(low, high)| high - low + 1).sum();
        let small = ranges.iter().flat_map(|&(low, high)| low..=high.min(SMALL as u32 - 1));
        let bits = small.fold(0, |bits, rank| bits | 1 << rank);
        let low = ranges.first().map_or(u32::MAX, |&(low, _)| low);
        let high = ranges.last().map_or(0, |&(_, high)| high);
        Cover { ranges, low, high, bits, size, known, taken_for: None }
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
        values: &'a ValueDictionary,
        missing: &'a MissingTokens,
        ladder: Option<&'a LabelHierarchy>,
        dates: Option<&'a DateForm>,
        order: Option<&'a [String]>,
    ) -> Self {
        let texts = (0..values.len() as u32).map(|value| values.get(value));
        let dates = dates.map(|form| DateColumn::new(form, texts));
        let mut leaf = vec![u32::MAX; values.len()];
        for (row, place) in ladder.iter().flat_map(|ladder| ladder.rows()).zip(0..) {
            if let Some(value) = values.find(&row[0], missing) {
                leaf[value as usize] = place;
            }
        }
        // Kind 0 is missing, 1 a number, 2 any other value.
        let mut extents: Vec<Option<NumericExtent>> = (0..values.len() as u32)
            .map(|value| {
                let text = values.get(value);
                match &dates {
                    _ if missing.contains(text) => None,
                    Some(dates) => NumericExtent::of_date(text, dates),
                    None => NumericExtent::read(text, values.style()),
                }
            })
            .collect();
        // Originals may be ranges themselves, such as `90+`. Where they overlap they have no order among numbers.
        let mut sorted: Vec<&NumericExtent> = extents.iter().flatten().collect();
        sorted.sort();
        sorted.dedup();
        if !sorted.windows(2).all(|pair| pair[0].is_before(pair[1])) {
            extents
                .iter_mut()
                .for_each(|extent| *extent = extent.take().filter(NumericExtent::is_number));
        }
        let mut ranked: Vec<(u8, Option<NumericExtent>, u32, u32)> = extents
            .into_iter()
            .zip(0..)
            .map(|(extent, value)| {
                let kind = match &extent {
                    Some(_) => 1,
                    None if missing.contains(values.get(value)) => 0,
                    None => 2,
                };
                (kind, extent, leaf[value as usize], value)
            })
            .collect();
        ranked.sort();
        let mut rank = vec![0; values.len()];
        for (&(.., value), at) in ranked.iter().zip(0..) {
            rank[value as usize] = at;
        }
        let first_number = ranked.partition_point(|&(kind, ..)| kind < 1) as u32;
        let numbers = ranked.into_iter().filter_map(|(_, extent, ..)| extent).collect();
        Domain { values, missing, ladder, dates, order, rank, numbers, first_number }
    }

    pub(super) fn len(&self) -> usize {
        self.rank.len()
    }

    /// What a label contains. It always contains the value it is written like. `pairs` tells that `20,30` is a range in
    /// this column.
    pub(super) fn cover(&self, text: &str, pairs: bool) -> Cover {
        let text = &*looks(text);
        let literal = self.find(text);
        // What is not told is not untrue: nothing is missing in the original, so it was suppressed.
        if literal.is_none() && self.missing.contains(text) {
            return Cover { taken_for: Some("a suppressed value"), ..self.everything() };
        }
        match self.read(text) {
            Label::Everything => self.everything(),
            // What reads as a date is one, whatever a hierarchy calls so.
            label @ Label::Interval(..) if self.dates.is_some() => {
                self.interval(self.numbers_of(&label), literal)
            }
            _ if self.ladder.is_some_and(|ladder| ladder.has_label(text)) => {
                Cover::new(self.under(text).chain(literal).collect(), true)
            }
            label @ (Label::Interval(..)
            | Label::AtLeast(_)
            | Label::AtMost(_)
            | Label::Below(_)) => self.interval(self.numbers_of(&label), literal),
            Label::Set(elements) => {
                let read: Vec<(Vec<u32>, bool)> =
                    elements.iter().map(|e| self.element(e)).collect();
                let known = read.iter().all(|(_, known)| *known);
                // A value may be written like a set.
                if !known
                    && literal.is_none()
                    && let Some(cover) = self.spelled(text, pairs)
                {
                    return cover;
                }
                let known = known || literal.is_some();
                let inside = read.into_iter().flat_map(|(ranks, _)| ranks);
                Cover::new(inside.chain(literal).collect(), known)
            }
            // In order, the values of a range of text or of a beginning; one that is written like it is itself.
            Label::Between(low, high) if literal.is_none() => self.between(&low, &high),
            Label::Ranges(ranges) if literal.is_none() => self.within(&ranges),
            Label::Prefix(beginning) if literal.is_none() && !self.is_leaf(text) => {
                let cover = self.those(|value| value.starts_with(beginning));
                // `53711|547**` begins like no value, but is a set.
                let other = if cover.size == 0 { self.spelled(text, pairs) } else { None };
                other.filter(|other| other.size > 0).unwrap_or(cover)
            }
            Label::Between(..) | Label::Ranges(_) | Label::Prefix(_) | Label::Literal(_) => {
                let known = literal.is_some() || self.is_leaf(text);
                match known {
                    false => self.spelled(text, pairs),
                    true => None,
                }
                .unwrap_or_else(|| Cover::new(literal.into_iter().collect(), known))
            }
        }
    }

    /// What a pair of bounds contains: an interval, or a value if both bounds are the same. One of them may be an
    /// open end, `90+` or `<=18`.
    pub(super) fn cover_of_bounds(&self, least: &str, most: &str) -> Cover {
        let (least, most) = (&*looks(least), &*looks(most));
        let form = |text| canonical(text, self.missing, self.values.style());
        if form(least) == form(most) {
            return self.cover(least, false);
        }
        if let Some(dates) = &self.dates {
            let ends = dates.span(least).zip(dates.span(most));
            return match ends.and_then(|((from, _), (_, to))| interval_of((from, to))) {
                Some(label) => self.interval(self.numbers_of(&label), None),
                None => Cover::of_ranges(Vec::new(), false),
            };
        }
        let number = |text| self.values.style().read(text);
        let from = number(least).map(|low| self.before(|extent| extent.starts_before(&low)));
        let to = number(most).map(|high| self.before(|extent| extent.ends_by(&high)));
        let from = from.or_else(|| match self.read(least) {
            Label::AtMost(_) | Label::Below(_) => Some(0),
            _ => None,
        });
        let to = to.or_else(|| match self.read(most) {
            Label::AtLeast(_) => Some(self.numbers.len() as u32),
            _ => None,
        });
        match (from, to) {
            (Some(from), Some(to)) => self.interval(self.ranks(from, to), None),
            _ => Cover::of_ranges(Vec::new(), false),
        }
    }

    pub(super) fn read<'t>(&self, text: &'t str) -> Label<'t> {
        let read = Label::read(text, self.values.style());
        match (&self.dates, read) {
            (None, read) | (Some(_), read @ (Label::Everything | Label::Set(_))) => read,
            (Some(dates), _) => {
                dates.span(text).and_then(interval_of).unwrap_or(Label::Literal(text))
            }
        }
    }

    pub(super) fn everything(&self) -> Cover {
        match self.len() as u32 {
            0 => Cover::of_ranges(Vec::new(), true),
            len => Cover::of_ranges(vec![(0, len - 1)], true),
        }
    }

    /// How many numbers come before the first one of which something is not true.
    pub(super) fn before(&self, holds: impl Fn(&NumericExtent) -> bool) -> u32 {
        self.numbers.partition_point(holds) as u32
    }

    /// The ranks of the numbers from one place among them to before another.
    pub(super) fn ranks(&self, from: u32, to: u32) -> std::ops::Range<u32> {
        self.first_number + from..self.first_number + to.max(from)
    }

    /// The ranks of the numbers that a label speaks of.
    pub(super) fn numbers_of(&self, label: &Label<'_>) -> std::ops::Range<u32> {
        let all = self.numbers.len() as u32;
        match label {
            Label::Interval(low, high) => {
                let from = self.before(|extent| extent.starts_before(low));
                self.ranks(from, self.before(|extent| extent.ends_by(high)))
            }
            Label::AtLeast(low) => self.ranks(self.before(|extent| extent.starts_before(low)), all),
            Label::AtMost(high) => self.ranks(0, self.before(|extent| extent.ends_by(high))),
            Label::Below(high) => self.ranks(0, self.before(|extent| extent.ends_before(high))),
            _ => 0..0,
        }
    }

    fn interval(&self, inside: std::ops::Range<u32>, literal: Option<u32>) -> Cover {
        match literal {
            None if !inside.is_empty() => {
                Cover::of_ranges(vec![(inside.start, inside.end - 1)], true)
            }
            // Among words a range of numbers says nothing that could be true or not.
            _ => Cover::new(inside.chain(literal).collect(), !self.numbers.is_empty()),
        }
    }

    /// The values from one to another, in the order that is given or in that of the alphabet.
    fn between(&self, low: &str, high: &str) -> Cover {
        let Some(order) = self.order else {
            return self.those(|value| low <= value && value <= high);
        };
        let Some((low, high)) = place(order, low).zip(place(order, high)) else {
            return Cover::of_ranges(Vec::new(), false);
        };
        let inside = order.get(low..=high).unwrap_or_default();
        Cover::new(inside.iter().filter_map(|value| self.find(value)).collect(), true)
    }

    /// The values of several ranges, of which some are single values.
    fn within(&self, ranges: &[(String, String)]) -> Cover {
        let (mut inside, mut known) = (Vec::new(), true);
        for (low, high) in ranges {
            if low == high {
                let (ranks, is_known) = self.element(low);
                inside.extend(ranks);
                known &= is_known;
            } else {
                let cover = self.between(low, high);
                inside.extend(cover.ranges.iter().flat_map(|&(low, high)| low..=high));
                known &= cover.known;
            }
        }
        Cover::new(inside, known)
    }

    /// The values other than missing of which this is true.
    pub(super) fn those(&self, is_so: impl Fn(&str) -> bool) -> Cover {
        let values = (0..self.values.len() as u32).filter(|&value| {
            let text = self.values.get(value);
            !self.missing.contains(text) && is_so(text)
        });
        Cover::new(values.map(|value| self.rank[value as usize]).collect(), true)
    }

    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.values.find(text, self.missing).map(|value| self.rank[value as usize])
    }

    /// The ranks of the values under a label of the hierarchy. A leaf may be a range that stands for original numbers.
    pub(super) fn under(&self, label: &str) -> impl Iterator<Item = u32> {
        let leaves = self.ladder.into_iter().flat_map(move |l| l.values_under(label));
        leaves.flat_map(|leaf| {
            // A date may be written otherwise in the hierarchy.
            let at = self.dates.as_ref().and_then(|dates| dates.instant(leaf));
            let label = at.and_then(|at| interval_of((at, at + 1)));
            let same = self.numbers_of(&label.unwrap_or_else(|| self.read(leaf)));
            self.find(leaf).into_iter().chain(same)
        })
    }

    /// Whether the hierarchy knows this value, though the original does not have it.
    pub(super) fn is_leaf(&self, text: &str) -> bool {
        self.ladder.is_some_and(|ladder| ladder.rows().iter().any(|row| row[0] == text))
    }
}

/// Where a value stands in an order: what looks the same is the same.
pub(super) fn place(order: &[String], value: &str) -> Option<usize> {
    let exact = order.iter().position(|known| known == value);
    exact.or_else(|| order.iter().position(|known| looks(known) == looks(value)))
}

fn as_number(at: CalendarInstant) -> Option<Number> {
    Number::parse(&at.to_string())
}

/// The moments from one to before another as an interval of numbers.
pub(super) fn interval_of(
    (from, to): (CalendarInstant, CalendarInstant),
) -> Option<Label<'static>> {
    Some(Label::Interval(as_number(from)?, as_number(to - 1)?))
}
