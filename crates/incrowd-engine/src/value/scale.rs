//! The scales on which ordered values lie, and their places there.

use serde::{Deserialize, Serialize};

use super::date::{DateScale, Moment};
use super::decimal::Decimal;
use super::number::NumberFormat;

/// What the values of an ordered domain are, and how a column writes them.
///
/// Every scale measures in exact decimals: numbers are themselves, dates are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Numbers, written so.
    Numbers(NumberFormat),
    /// Dates and times, written and shown so.
    Dates(DateScale),
}

impl Default for Scale {
    fn default() -> Self {
        Scale::Numbers(NumberFormat::default())
    }
}

impl Scale {
    /// What a field of a column on this scale holds, if it holds a value of it.
    pub fn read(&self, field: &str) -> Option<ValueBounds> {
        match self {
            Scale::Numbers(format) => format.read(field).map(ValueBounds::point),
            Scale::Dates(dates) => {
                dates.read(field).and_then(Moment::decimal).map(ValueBounds::point)
            }
        }
    }

    /// What a label says that this engine gives to values of a column on this scale: besides what a field can
    /// hold `[16-20]`, `[-4 to 0]`, `90+`, `<=18` and `<0`, or `2018-04` and `[2018-04 to 2018-09]`.
    pub fn read_label(&self, label: &str) -> Option<ValueBounds> {
        let label = label.trim();
        if let Some(bounds) = self.read(label) {
            return Some(bounds);
        }
        if let Scale::Dates(dates) = self {
            let (start, end) = dates.read_label(label)?;
            return Some(ValueBounds::between(start.decimal()?, end.before().decimal()?));
        }
        let low = |text: &str| self.read(text).and_then(|bounds| bounds.low);
        let high = |text: &str| self.read(text).and_then(|bounds| bounds.high);
        if let Some(least) = label.strip_suffix('+') {
            return Some(ValueBounds { low: Some(low(least)?), high: None });
        }
        if let Some(most) = label.strip_prefix('<') {
            let most = high(most.strip_prefix('=').unwrap_or(most))?;
            return Some(ValueBounds { low: None, high: Some(most) });
        }
        let inner = label.strip_prefix('[')?.strip_suffix(']')?;
        let between = |least: &str, most: &str| {
            let bounds = ValueBounds::between(low(least)?, high(most)?);
            bounds.is_sound().then_some(bounds)
        };
        if let Some((least, most)) = inner.split_once(" to ") {
            return between(least, most);
        }
        // Ends can be negative: the dash between them is one with a value on either side.
        let mut dashes = inner.match_indices('-');
        dashes.find_map(|(at, _)| between(&inner[..at], &inner[at + 1..]))
    }

    /// What a label of a release says. Where a column has times, its fields may still name a day alone and mean its
    /// beginning; a label that names a day means all of it.
    pub fn read_released(&self, label: &str) -> Option<ValueBounds> {
        if let Scale::Dates(dates) = self
            && let Some((start, end)) = dates.read_label(label.trim())
        {
            return Some(ValueBounds::between(start.decimal()?, end.before().decimal()?));
        }
        self.read_label(label)
    }

    /// A place on the scale as the column would write it.
    pub fn show(&self, end: Decimal) -> String {
        match self {
            Scale::Numbers(format) => format.show(end),
            Scale::Dates(dates) => {
                Moment::of_decimal(end).map_or_else(String::new, |at| dates.show(at))
            }
        }
    }

    /// The label of values that reach from one end to another, both shown already; an end that is not there is
    /// open.
    pub(super) fn range_label(&self, low: Option<&str>, high: Option<&str>) -> String {
        match (low, high) {
            (Some(low), Some(high)) => match self {
                Scale::Numbers(_) => range_label(low, high),
                Scale::Dates(_) => format!("[{low} to {high}]"),
            },
            (Some(low), None) => format!("{low}+"),
            (None, Some(high)) => format!("<={high}"),
            (None, None) => super::group::BLANK.to_owned(),
        }
    }

    /// A value's bounds as a label of its own.
    pub(super) fn label(&self, bounds: &ValueBounds) -> String {
        if let (Scale::Dates(dates), Some((start, end))) = (self, bounds.moments())
            && !bounds.is_point()
        {
            return dates.label((start, end));
        }
        match (bounds.low, bounds.high) {
            (Some(low), Some(high)) if low == high => self.show(low),
            (low, high) => {
                let low = low.map(|end| self.show(end));
                let high = high.map(|end| self.show(end));
                self.range_label(low.as_deref(), high.as_deref())
            }
        }
    }

    /// Whether the scale is one, as it must be when read from a file.
    pub(super) fn is_sound(&self) -> bool {
        match self {
            Scale::Numbers(format) => format.is_sound(),
            Scale::Dates(dates) => dates.is_sound(),
        }
    }
}

/// The label of a closed range of numbers. Beside a minus sign a dash would be hard to read.
pub(super) fn range_label(low: &str, high: &str) -> String {
    if low.starts_with('-') || high.starts_with('-') {
        format!("[{low} to {high}]")
    } else {
        format!("[{low}-{high}]")
    }
}

/// Where a value lies on its scale: from `low` to `high`, both included. A number is a point; a bin is wider; a value
/// such as `90+` has one end only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ValueBounds {
    /// The lowest it can be, if there is a lowest.
    pub low: Option<Decimal>,
    /// The highest it can be, if there is a highest.
    pub high: Option<Decimal>,
}

impl ValueBounds {
    /// Just this.
    pub fn point(at: Decimal) -> Self {
        ValueBounds { low: Some(at), high: Some(at) }
    }

    /// From here to there.
    pub fn between(low: Decimal, high: Decimal) -> Self {
        ValueBounds { low: Some(low), high: Some(high) }
    }

    /// From which moment to before which one, where the scale is that of dates.
    pub(super) fn moments(&self) -> Option<(Moment, Moment)> {
        let (low, high) = (Moment::of_decimal(self.low?)?, Moment::of_decimal(self.high?)?);
        Some((low, high.after()))
    }

    /// Whether this is a single place.
    pub fn is_point(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    /// The lowest end that is known: an open end ends where the other does.
    pub fn least(&self) -> Decimal {
        self.low.or(self.high).unwrap_or(Decimal::ZERO)
    }

    /// The highest end that is known.
    pub fn most(&self) -> Decimal {
        self.high.or(self.low).unwrap_or(Decimal::ZERO)
    }

    /// Both known ends as doubles.
    pub fn to_f64(&self) -> (f64, f64) {
        (self.least().to_f64(), self.most().to_f64())
    }

    /// The middle between the known ends.
    pub fn middle(&self) -> Option<Decimal> {
        self.least().checked_add(self.most())?.half()
    }

    /// The order of low ends: open ones come first.
    pub(super) fn cmp_low(&self, other: &Self) -> std::cmp::Ordering {
        self.low.cmp(&other.low).then_with(|| self.cmp_high(other))
    }

    /// The order of high ends: open ones come last.
    fn cmp_high(&self, other: &Self) -> std::cmp::Ordering {
        match (self.high, other.high) {
            (Some(one), Some(two)) => one.cmp(&two),
            (one, two) => two.is_some().cmp(&one.is_some()),
        }
    }

    /// Whether a place lies inside.
    pub fn contains(&self, place: Decimal) -> bool {
        self.low.is_none_or(|low| low <= place) && self.high.is_none_or(|high| place <= high)
    }

    /// Whether all of this lies at or below all of another.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        self.high.zip(other.low).is_some_and(|(high, low)| high <= low)
    }

    /// Whether the ends are in order and one of them is there.
    pub(super) fn is_sound(&self) -> bool {
        match (self.low, self.high) {
            (Some(low), Some(high)) => low <= high,
            (low, high) => low.is_some() || high.is_some(),
        }
    }
}
