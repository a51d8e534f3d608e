//! An attribute's ordered values.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::date::Moment;
use super::decimal::Decimal;
use super::hierarchy::Hierarchy;
use super::missing::is_missing;
use super::scale::{Scale, ValueBounds};
use super::spelling::spelling;
use crate::table::{Dictionary, UNSEEN};

/// An attribute's ordered values. A value's place in the order is its code.
///
/// Missing, where it occurs, is a value of its own and has code 0. Values on a scale, numbers for one, keep
/// their exact place there; a value may also be a bin, hence a pair of bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "SavedDomain", into = "SavedDomain")]
pub struct Domain {
    labels: Vec<String>,
    /// How values are read, where they lie on a scale.
    scale: Option<Scale>,
    /// Where each of them lies, if their order is that of the scale. For missing this is never asked for.
    bounds: Option<Vec<ValueBounds>>,
    /// The same as doubles, above the lowest value: numbers beyond 2^53 that differ by little still do.
    places: Vec<(f64, f64)>,
    /// The same of dates as moments, from the first to before the second.
    moments: Vec<(Moment, Moment)>,
    missing: bool,
    /// The value that missing ones were read as, where the user mapped them.
    missing_as: Option<String>,
    alphabet: AlphabeticalOrder,
}

/// Whether values lie in the order of the alphabet, once somebody has asked. It says nothing that the values do not.
#[derive(Debug, Clone, Default)]
struct AlphabeticalOrder(std::sync::OnceLock<bool>);

impl PartialEq for AlphabeticalOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What a domain is made of.
pub(super) struct DomainParts {
    pub(super) labels: Vec<String>,
    pub(super) scale: Option<Scale>,
    /// As many as labels, in ascending order; that of missing does not matter.
    pub(super) bounds: Option<Vec<ValueBounds>>,
    pub(super) missing: bool,
    pub(super) missing_as: Option<String>,
}

impl Domain {
    pub(super) fn of(parts: DomainParts) -> Self {
        let DomainParts { labels, scale, mut bounds, missing, missing_as } = parts;
        // Nobody asks where missing lies, but equal domains must look alike.
        if let Some(first) =
            bounds.as_mut().and_then(|bounds| bounds.first_mut()).filter(|_| missing)
        {
            *first = ValueBounds::point(Decimal::ZERO);
        }
        let known = bounds.as_deref().unwrap_or_default();
        let places = places(known, missing);
        let moments = match &scale {
            Some(Scale::Dates(_)) => moments(known, missing),
            _ => Vec::new(),
        };
        let alphabet = AlphabeticalOrder::default();
        Domain { labels, scale, bounds, places, moments, missing, missing_as, alphabet }
    }

    /// The same values, read on a scale.
    pub(super) fn with_scale(self, scale: Scale) -> Self {
        Domain { scale: Some(scale), ..self }
    }

    /// The same values in another order, which need not be that of their scale.
    pub(super) fn reordered(&self, order: &[u32], missing: bool, ascending: bool) -> Self {
        let labels = order.iter().map(|&code| self.label(code).to_owned()).collect();
        let bounds = self.bounds.as_ref().filter(|_| ascending);
        let bounds = bounds.map(|bounds| order.iter().map(|&code| bounds[code as usize]).collect());
        let (scale, missing_as) = (self.scale.clone(), self.missing_as.clone());
        Self::of(DomainParts { labels, scale, bounds, missing, missing_as })
    }

    /// Whether codes, labels and bounds fit together, as they must in a domain read from a file.
    pub(crate) fn is_sound(&self) -> bool {
        let first = usize::from(self.missing);
        let ordered = |bounds: &Vec<ValueBounds>| {
            bounds.len() == self.labels.len()
                && self.scale.is_some()
                && bounds.get(first..).is_some_and(|bounds| {
                    bounds.iter().all(ValueBounds::is_sound)
                        && bounds.windows(2).all(|pair| pair[0].is_below(&pair[1]))
                })
        };
        self.labels.len() >= first.max(1)
            && self.scale.as_ref().is_none_or(Scale::is_sound)
            && self.bounds.as_ref().is_none_or(ordered)
    }

    /// How many values there are, missing included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Whether the values lie on a scale, as numbers do, in ascending order.
    pub fn is_numeric(&self) -> bool {
        self.bounds.is_some()
    }

    /// The scale on which the values lie, if they lie on one. A hierarchy may have put them into another order.
    pub fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// Whether the values other than missing are text in the order of the alphabet.
    pub(crate) fn is_alphabetical(&self) -> bool {
        let values = &self.labels[usize::from(self.missing)..];
        self.bounds.is_none() && *self.alphabet.0.get_or_init(|| values.is_sorted())
    }

    /// Where a text lies among values in the order of the alphabet, or would lie.
    pub(super) fn find_text(&self, label: &str) -> std::result::Result<usize, usize> {
        let values = &self.labels[usize::from(self.missing)..];
        values.binary_search_by(|value| value.as_str().cmp(label))
    }

    /// A value as text.
    pub fn label(&self, code: u32) -> &str {
        &self.labels[code as usize]
    }

    /// The code of missing, if missing occurs.
    pub fn missing_code(&self) -> Option<u32> {
        self.missing.then_some(0)
    }

    /// Where a value lies on the scale, exactly; none for text and for missing.
    pub fn bounds(&self, code: u32) -> Option<&ValueBounds> {
        self.bounds
            .as_ref()
            .map(|bounds| &bounds[code as usize])
            .filter(|_| self.missing_code() != Some(code))
    }

    /// Where a value lies above the lowest one, for widths and prices; none for text and for missing.
    pub fn place(&self, code: u32) -> Option<(f64, f64)> {
        self.places
            .get(code as usize)
            .copied()
            .filter(|_| self.is_numeric() && self.missing_code() != Some(code))
    }

    /// Highest minus lowest place; 0 for text.
    pub fn range(&self) -> f64 {
        let first = u32::from(self.missing);
        if self.len() as u32 <= first {
            return 0.0;
        }
        let low = self.place(first);
        let high = self.place(self.len() as u32 - 1);
        low.zip(high).map_or(0.0, |(low, high)| high.1 - low.0)
    }

    /// The label of the values from one code to another; none where they do not lie on a scale.
    pub(crate) fn range_label(&self, first: u32, last: u32) -> Option<String> {
        let (low, high) = (self.bounds(first)?, self.bounds(last)?);
        let scale = self.scale.as_ref()?;
        if let Scale::Dates(dates) = scale {
            return self.hull(first, last).map(|hull| dates.label(hull));
        }
        // A single value keeps its spelling; a bin shows its end.
        let end = |code: u32, bounds: &ValueBounds, end: Option<Decimal>| {
            end.map(|end| match bounds.is_point() {
                true => self.label(code).to_owned(),
                false => scale.show(end),
            })
        };
        let low = end(first, low, low.low);
        let high = end(last, high, high.high);
        Some(scale.range_label(low.as_deref(), high.as_deref()))
    }

    /// The whole units of time around the dates from one code to another, from the first moment inside to the
    /// first behind; none where they are no dates.
    fn hull(&self, first: u32, last: u32) -> Option<(Moment, Moment)> {
        let Some(Scale::Dates(dates)) = &self.scale else { return None };
        let (low, high) = (self.moments.get(first as usize)?.0, self.moments.get(last as usize)?.1);
        Some(dates.hull(low, high.before()))
    }

    /// The dates from one code to another and all others in the [whole units](Self::hull) that tell them, until
    /// nothing is added: the label of these is the label of no other dates. None where they are no dates.
    pub(super) fn in_whole_units(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let (mut first, mut last) = (first, last);
        let least = u32::from(self.missing);
        if first < least {
            return None;
        }
        loop {
            let (start, end) = self.hull(first, last)?;
            let known = &self.moments[least as usize..];
            let from = known.partition_point(|date| date.0 < start) as u32 + least;
            let to = known.partition_point(|date| date.1 <= end) as u32 + least;
            let wider = (from.min(first), to.saturating_sub(1).max(last));
            if wider == (first, last) {
                return Some(wider);
            }
            (first, last) = wider;
        }
    }

    /// The moment at which a date begins; none of anything else.
    pub(crate) fn moment(&self, code: u32) -> Option<Moment> {
        let date = self.moments.get(code as usize).filter(|_| self.missing_code() != Some(code));
        date.map(|date| date.0)
    }

    /// The units of time over dates, as a tree; none where they are no dates.
    pub(crate) fn unit_tree(&self) -> Option<Hierarchy> {
        let Some(Scale::Dates(dates)) = &self.scale else { return None };
        let first = u32::from(self.missing);
        let codes = first..self.len() as u32;
        let moments: Option<Vec<Moment>> = codes.map(|code| self.moment(code)).collect();
        let moments = moments.filter(|moments| !moments.is_empty())?;
        let tree = Hierarchy::from_nested(&dates.unit_tree(&moments));
        Some(if self.missing { tree.with_missing(self.label(0)) } else { tree })
    }

    /// The lowest and the highest end of the values from one code to another, as the column would write them; an
    /// open end is a value of its own, such as `90+`. None where they do not lie on a scale.
    pub(crate) fn ends(&self, (first, last): (u32, u32)) -> Option<[String; 2]> {
        let (low, high) = (self.bounds(first)?, self.bounds(last)?);
        let scale = self.scale.as_ref()?;
        if let Scale::Dates(dates) = scale
            && first != last
        {
            let (start, end) = self.hull(first, last)?;
            return Some([dates.show(start), dates.show(end.before())]);
        }
        let end = |end: Option<Decimal>, code: u32| {
            end.map_or_else(|| self.label(code).to_owned(), |end| scale.show(end))
        };
        Some([end(low.low, first), end(high.high, last)])
    }

    /// Whether the values from one code to another have neither a lowest nor a highest end, so that all that can
    /// be said of them is nothing.
    pub(super) fn is_open(&self, first: u32, last: u32) -> bool {
        let ends = self.bounds(first).zip(self.bounds(last));
        ends.is_some_and(|(first, last)| first.low.is_none() && last.high.is_none())
    }

    /// The codes of the fields of new data: the same text, or the same place on the scale, or a place in the
    /// same bin; [`UNSEEN`] for the others. Any of the missing tokens is missing where that occurs,
    /// be it as a value that a hierarchy names.
    pub fn codes_of(&self, fields: &Dictionary, missing: &[String]) -> Vec<u32> {
        let known: Dictionary = self.labels.iter().map(String::as_str).collect();
        let is_missing = |field: &str| is_missing(field, missing);
        let named_missing = known.iter().position(is_missing).map(|code| code as u32);
        let spelled = match self.bounds {
            Some(_) => Vec::new(),
            None => self.spelled(&known, is_missing),
        };
        // Another spelling of a value is that value.
        let spellings: HashMap<Cow<'_, str>, u32> =
            self.labels.iter().zip(0..).map(|(label, code)| (spelling(label), code)).collect();
        let plain = Scale::default();
        let scale = self.scale.as_ref().unwrap_or(&plain);
        let code_of = |field: &str| {
            let field = self.missing_as.as_deref().filter(|_| is_missing(field)).unwrap_or(field);
            if let Some(code) = self.missing_code().or(named_missing)
                && is_missing(field)
            {
                return Some(code);
            }
            match &self.bounds {
                None => known
                    .get(field)
                    .or_else(|| spellings.get(&spelling(field)).copied())
                    .or_else(|| {
                        let read = scale.read_label(field)?;
                        let at = spelled.partition_point(|known| known.0.cmp_low(&read).is_lt());
                        spelled.get(at).filter(|known| known.0 == read).map(|known| known.1)
                    }),
                // A bin may be labelled like a number of another one, where its end is its own.
                Some(bounds) => {
                    let read = scale.read_label(field);
                    match read.or_else(|| scale.read_label(&spelling(field))) {
                        // Where a number stands beside a range that begins with it, it is itself.
                        Some(read) if read.is_point() => {
                            self.equal(bounds, &read).or_else(|| self.holding(bounds, &read))
                        }
                        Some(read) => known.get(field).or_else(|| self.equal(bounds, &read)),
                        None => {
                            known.get(field).or_else(|| spellings.get(&spelling(field)).copied())
                        }
                    }
                }
            }
        };
        fields.iter().map(|field| code_of(field).unwrap_or(UNSEEN)).collect()
    }

    /// The code whose bounds hold those of a field.
    fn holding(&self, bounds: &[ValueBounds], read: &ValueBounds) -> Option<u32> {
        let low = read.low?;
        let first = usize::from(self.missing);
        let bounds = bounds.get(first..)?;
        // From the right: where two bins touch, the number is the upper one's.
        let at = bounds.partition_point(|known| known.low.is_none_or(|known| known <= low));
        let at = at.checked_sub(1)?;
        let held =
            bounds[at].contains(low) && read.high.is_some_and(|high| bounds[at].contains(high));
        held.then_some((first + at) as u32)
    }

    /// The code whose bounds are these.
    fn equal(&self, bounds: &[ValueBounds], read: &ValueBounds) -> Option<u32> {
        let first = usize::from(self.missing);
        let bounds = bounds.get(first..)?;
        let at = bounds.partition_point(|known| known.cmp_low(read).is_lt());
        (bounds.get(at) == Some(read)).then_some((first + at) as u32)
    }

    /// Where the labels lie on the scale, in its order, with their codes: what a hierarchy puts into another order
    /// is found by it all the same. Nothing where a label lies nowhere.
    fn spelled(
        &self,
        known: &Dictionary,
        is_missing: impl Fn(&str) -> bool,
    ) -> Vec<(ValueBounds, u32)> {
        let plain = Scale::default();
        let scale = self.scale.as_ref().unwrap_or(&plain);
        let mut spelled = Vec::new();
        for (label, code) in known.iter().zip(0..) {
            match scale.read_label(label) {
                Some(bounds) => spelled.push((bounds, code)),
                None if is_missing(label) || self.missing_code() == Some(code) => {}
                None => return Vec::new(),
            }
        }
        spelled.sort_by(|one, two| one.0.cmp_low(&two.0).then(one.1.cmp(&two.1)));
        spelled
    }
}

/// Where values lie above the lowest of them.
fn places(bounds: &[ValueBounds], missing: bool) -> Vec<(f64, f64)> {
    let origin = bounds.get(usize::from(missing)).map_or(Decimal::ZERO, ValueBounds::least);
    let above = |end: Decimal| {
        let exact = end.checked_sub(origin).map(Decimal::to_f64);
        exact.unwrap_or_else(|| end.to_f64() - origin.to_f64())
    };
    bounds.iter().map(|bounds| (above(bounds.least()), above(bounds.most()))).collect()
}

/// When dates begin and end; nothing where some are none.
fn moments(bounds: &[ValueBounds], missing: bool) -> Vec<(Moment, Moment)> {
    let nothing = ValueBounds::point(Decimal::ZERO);
    let of = |(code, bounds): (usize, &ValueBounds)| match missing && code == 0 {
        true => nothing.moments(),
        false => bounds.moments(),
    };
    bounds.iter().enumerate().map(of).collect::<Option<_>>().unwrap_or_default()
}

/// A domain in a file.
#[derive(Serialize, Deserialize)]
struct SavedDomain {
    labels: Vec<String>,
    bounds: Option<Vec<(Option<SavedEnd>, Option<SavedEnd>)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<Scale>,
    missing: bool,
    missing_as: Option<String>,
}

/// An end in a file: exact, or a double as earlier versions wrote it.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(untagged)]
enum SavedEnd {
    Exact(Decimal),
    Double(f64),
}

impl SavedEnd {
    fn number(self) -> Option<Decimal> {
        match self {
            SavedEnd::Exact(number) => Some(number),
            SavedEnd::Double(number) => Decimal::of_f64(number),
        }
    }
}

impl From<Domain> for SavedDomain {
    fn from(domain: Domain) -> Self {
        let Domain { labels, scale, bounds, missing, missing_as, .. } = domain;
        let ends = |(code, bounds): (usize, ValueBounds)| {
            let end =
                |end: Option<Decimal>| end.filter(|_| !missing || code > 0).map(SavedEnd::Exact);
            (end(bounds.low), end(bounds.high))
        };
        let bounds = bounds.map(|bounds| bounds.into_iter().enumerate().map(ends).collect());
        SavedDomain { labels, bounds, scale, missing, missing_as }
    }
}

impl From<SavedDomain> for Domain {
    fn from(saved: SavedDomain) -> Self {
        let SavedDomain { labels, bounds, scale, missing, missing_as } = saved;
        let read = |(code, ends): (usize, (Option<SavedEnd>, Option<SavedEnd>))| {
            let number = |end: Option<SavedEnd>| end.and_then(SavedEnd::number);
            let bounds = ValueBounds { low: number(ends.0), high: number(ends.1) };
            // The label of a single number says more than a double.
            let exact = labels.get(code).and_then(|label| Decimal::parse(label));
            match (ends, exact) {
                ((Some(SavedEnd::Double(low)), Some(SavedEnd::Double(high))), Some(exact))
                    if low == high && exact.to_f64() == low =>
                {
                    ValueBounds::point(exact)
                }
                _ => bounds,
            }
        };
        let bounds = bounds.map(|ends| ends.into_iter().enumerate().map(read).collect::<Vec<_>>());
        // Earlier versions knew plain numbers only, and did not say so.
        let scale = scale.or_else(|| bounds.is_some().then(Scale::default));
        Domain::of(DomainParts { labels, scale, bounds, missing, missing_as })
    }
}
