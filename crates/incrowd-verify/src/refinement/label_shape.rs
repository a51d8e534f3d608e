//! How many values a label stands for, and which of them surely occur in a class that it was made for.
//!
//! Only the release is at hand, so the values of a column are those that it shows: single ones, elements of sets, ends of
//! ranges, the values of a hierarchy that is given. Numbers lie one unit of their last decimal apart, dates one of the
//! finest units that the column shows.

use std::collections::BTreeSet;

use super::multisets::SureValues;
use crate::date::{CalendarInstant, DAY, DateColumn, DateForm};
use crate::hierarchy::LabelHierarchy;
use crate::label::Label;
use crate::number::{Number, NumberStyle};
use crate::spelling::LabelSpelling;
use crate::value::MissingTokens;

/// What a label stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelShape {
    /// How many values; 1 for a label that is a value.
    pub(super) values: f64,
    /// Which of them surely occur if the label was fitted to its class.
    pub(super) sure: SureValues,
    /// From where to where, if it is a range of numbers, in units of the column; of dates in units of time.
    pub(super) span: Option<(f64, f64)>,
    /// Its elements, if it is a set.
    pub(super) elements: Vec<String>,
}

impl LabelShape {
    pub(super) fn is_generalized(&self) -> bool {
        self.values > 1.0
    }

    fn value() -> Self {
        LabelShape { values: 1.0, sure: SureValues::All, span: None, elements: Vec::new() }
    }

    fn open(values: f64) -> Self {
        LabelShape { values: values.max(2.0), sure: SureValues::None, ..Self::value() }
    }
}

/// The shapes of the labels of a column, in their order. `order` is that of its text values, where it is not the alphabet's.
pub(super) fn shapes(
    labels: &[&str],
    style: &NumberStyle,
    ladder: Option<&LabelHierarchy>,
    order: Option<&[String]>,
    missing: &MissingTokens,
) -> Vec<LabelShape> {
    let readings: Vec<LabelReading<'_>> =
        labels.iter().map(|text| LabelReading::of(text, style, ladder, missing)).collect();
    let column = ColumnValues::of(&readings, ladder, order, missing);
    readings.iter().map(|reading| column.shape(reading)).collect()
}

/// A label as far as it can be read by itself.
#[derive(Debug)]
enum LabelReading<'a> {
    Everything,
    Value(&'a str),
    Number(Number),
    Missing,
    Range(Number, Number),
    /// A range that ends at no value, or at one end only.
    OpenRange(Option<Number>, Option<Number>),
    /// From the begin of one unit to the end of another, with the lengths of both.
    Dates {
        from: CalendarInstant,
        to: CalendarInstant,
        finest: CalendarInstant,
        at_ends: bool,
    },
    Set(Vec<String>),
    Texts(Vec<(String, String)>),
    Prefix(&'a str),
    Node(usize),
    Mask,
}

impl<'a> LabelReading<'a> {
    fn of(
        text: &'a str,
        style: &NumberStyle,
        ladder: Option<&LabelHierarchy>,
        missing: &MissingTokens,
    ) -> Self {
        if missing.contains(text) {
            return LabelReading::Missing;
        }
        if let Some(ladder) = ladder.filter(|ladder| ladder.has_label(text)) {
            return LabelReading::Node(ladder.values_under(text).count());
        }
        match Label::read(text, style) {
            Label::Everything => LabelReading::Everything,
            Label::Interval(low, high) if low == high => LabelReading::Number(low),
            Label::Interval(low, high) => LabelReading::Range(low, high),
            Label::AtLeast(low) => LabelReading::OpenRange(Some(low), None),
            Label::AtMost(high) | Label::Below(high) => LabelReading::OpenRange(None, Some(high)),
            Label::Set(elements) if elements.len() == 1 => LabelReading::Value(text),
            Label::Set(elements) => LabelReading::Set(elements),
            Label::Between(low, high) => LabelReading::Texts(vec![(low, high)]),
            Label::Ranges(ranges) => LabelReading::Texts(ranges),
            Label::Prefix(beginning) => LabelReading::Prefix(beginning),
            Label::Literal(_) => match style.read(text) {
                Some(number) => LabelReading::Number(number),
                None => Self::dates(text)
                    .or_else(|| Self::of_other_tools(text, style))
                    .unwrap_or(LabelReading::Value(text)),
            },
        }
    }

    /// A unit of time, or from one to another.
    fn dates(text: &str) -> Option<Self> {
        let form = DateForm::new("y-m-d")?;
        let column = DateColumn { form: &form, zone: None };
        let (from, to) = column.span(text)?;
        let Some(inner) = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        else {
            return Some(LabelReading::Dates { from, to, finest: to - from, at_ends: false });
        };
        let (low, high) = inner.split_once(" to ")?;
        let length = |unit: &str| column.span(unit).map(|(from, to)| to - from);
        let (low, high) = (length(low)?, length(high)?);
        let at_ends = low == high && low <= DAY;
        Some(LabelReading::Dates { from, to, finest: low.min(high), at_ends })
    }

    /// Ranges of numbers and sets in brackets or with bars. Words with a hyphen are values: nothing here says otherwise.
    fn of_other_tools(text: &str, style: &NumberStyle) -> Option<Self> {
        let bracketed = text.trim().starts_with(['[', '(', ']', '{', '<']);
        LabelSpelling::of(text).into_iter().find_map(|spelling| match spelling {
            LabelSpelling::Range(low, high) => {
                let read = |end: &Option<String>| match end {
                    None => Some(None),
                    Some(text) => style.read(text).map(Some),
                };
                match (read(&low.at)?, read(&high.at)?) {
                    (Some(from), Some(to)) if from >= to => None,
                    (Some(from), Some(to)) if low.included && high.included => {
                        Some(LabelReading::Range(from, to))
                    }
                    (from, to) => Some(LabelReading::OpenRange(from, to)),
                }
            }
            LabelSpelling::Set { elements, separator }
                if elements.len() > 1 && (bracketed || separator == "|") =>
            {
                Some(LabelReading::Set(elements))
            }
            LabelSpelling::Everything => Some(LabelReading::Everything),
            LabelSpelling::Mask(_) if text.contains('*') => Some(LabelReading::Mask),
            _ => None,
        })
    }
}

/// The values that the labels of a column show.
struct ColumnValues<'a> {
    texts: BTreeSet<&'a str>,
    order: Option<&'a [String]>,
    /// The unit of the numbers, the least and the greatest of them.
    unit: f64,
    numbers: Option<(f64, f64)>,
    /// The finest unit of time, the first and the last moment.
    finest: CalendarInstant,
    moments: Option<(CalendarInstant, CalendarInstant)>,
    has_missing: bool,
}

impl<'a> ColumnValues<'a> {
    fn of(
        readings: &'a [LabelReading<'a>],
        ladder: Option<&'a LabelHierarchy>,
        order: Option<&'a [String]>,
        _missing: &MissingTokens,
    ) -> Self {
        let mut values = ColumnValues {
            texts: ladder.iter().flat_map(|it| it.rows()).map(|row| row[0].as_str()).collect(),
            order,
            unit: 1.0,
            numbers: None,
            finest: CalendarInstant::MAX,
            moments: None,
            has_missing: false,
        };
        values.texts.extend(order.into_iter().flatten().map(String::as_str));
        let mut places = 0;
        for reading in readings {
            let mut take = |number: &Number| {
                places = places.max(number.places());
                let at = number.to_f64();
                let (least, most) = values.numbers.unwrap_or((at, at));
                values.numbers = Some((least.min(at), most.max(at)));
            };
            match reading {
                LabelReading::Number(number) => take(number),
                LabelReading::Range(low, high) => {
                    take(low);
                    take(high);
                }
                LabelReading::OpenRange(low, high) => low.iter().chain(high).for_each(take),
                LabelReading::Dates { from, to, finest, .. } => {
                    values.finest = values.finest.min(*finest);
                    let (first, last) = values.moments.unwrap_or((*from, *to));
                    values.moments = Some((first.min(*from), last.max(*to)));
                }
                LabelReading::Value(text) => {
                    values.texts.insert(text);
                }
                LabelReading::Set(elements) => {
                    values.texts.extend(elements.iter().map(String::as_str));
                }
                LabelReading::Texts(ranges) => {
                    let ends = ranges.iter().flat_map(|(low, high)| [low.as_str(), high.as_str()]);
                    values.texts.extend(ends);
                }
                LabelReading::Missing => values.has_missing = true,
                LabelReading::Everything
                | LabelReading::Prefix(_)
                | LabelReading::Node(_)
                | LabelReading::Mask => {}
            }
        }
        values.unit = 10f64.powi(-(places.min(300) as i32));
        values
    }

    fn shape(&self, reading: &LabelReading<'_>) -> LabelShape {
        match reading {
            LabelReading::Value(_) | LabelReading::Number(_) | LabelReading::Missing => {
                LabelShape::value()
            }
            LabelReading::Everything => LabelShape::open(self.all()),
            LabelReading::Node(values) if *values < 2 => LabelShape::value(),
            LabelReading::Node(values) => LabelShape::open(*values as f64),
            LabelReading::Mask => LabelShape::open(self.texts.len() as f64),
            LabelReading::Range(low, high) => {
                let span = (low.to_f64() / self.unit, high.to_f64() / self.unit);
                let span = (span.0.round(), span.1.round());
                LabelShape {
                    values: span.1 - span.0 + 1.0,
                    sure: SureValues::Ends,
                    span: Some(span),
                    elements: Vec::new(),
                }
            }
            LabelReading::OpenRange(low, high) => {
                let (least, most) = self.numbers.unwrap_or_default();
                let from = low.as_ref().map_or(least, Number::to_f64);
                let to = high.as_ref().map_or(most, Number::to_f64);
                LabelShape::open(((to - from) / self.unit).round() + 1.0)
            }
            LabelReading::Dates { from, to, at_ends, .. } => {
                let units = |moment: CalendarInstant| moment as f64 / self.finest as f64;
                let values = (units(to - from)).round().max(1.0);
                if values < 2.0 {
                    return LabelShape::value();
                }
                let sure = if *at_ends { SureValues::Ends } else { SureValues::None };
                LabelShape {
                    values,
                    sure,
                    span: at_ends.then(|| (units(*from), units(*to) - 1.0)),
                    elements: Vec::new(),
                }
            }
            LabelReading::Set(elements) => LabelShape {
                values: elements.len() as f64,
                sure: SureValues::All,
                span: None,
                elements: elements.clone(),
            },
            LabelReading::Texts(ranges) => {
                let single = ranges.iter().filter(|(low, high)| low == high).count();
                let named = 2 * ranges.len() - single;
                let inside: f64 = ranges.iter().map(|(low, high)| self.between(low, high)).sum();
                let elements =
                    ranges.iter().flat_map(|(low, high)| [low.clone(), high.clone()]).collect();
                LabelShape {
                    values: inside.max(named as f64),
                    sure: SureValues::Some(named as u64),
                    span: None,
                    elements,
                }
            }
            LabelReading::Prefix(beginning) => {
                let inside = self.texts.iter().filter(|text| text.starts_with(beginning)).count();
                LabelShape::open(inside as f64)
            }
        }
    }

    /// How many values a column has.
    fn all(&self) -> f64 {
        let numbers =
            self.numbers.map_or(0.0, |(low, high)| ((high - low) / self.unit).round() + 1.0);
        let dates = self
            .moments
            .map_or(0.0, |(from, to)| ((to - from) as f64 / self.finest as f64).round());
        numbers + dates + self.texts.len() as f64 + f64::from(u8::from(self.has_missing))
    }

    /// How many texts lie from one to another.
    fn between(&self, low: &str, high: &str) -> f64 {
        if low == high {
            return 1.0;
        }
        let found = match self.order {
            Some(order) => {
                let place = |text: &str| order.iter().position(|it| it == text);
                place(low).zip(place(high)).map_or(0, |(low, high)| (high + 1).saturating_sub(low))
            }
            None => self.texts.iter().filter(|text| low <= **text && **text <= high).count(),
        };
        found as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(labels: &[&str]) -> Vec<(f64, SureValues)> {
        let style = NumberStyle::default();
        let found = shapes(labels, &style, None, None, &MissingTokens::default());
        found.into_iter().map(|shape| (shape.values, shape.sure)).collect()
    }

    #[test]
    fn every_kind_of_label_has_a_shape() {
        use SureValues::{All, Ends, None, Some};
        let labels = ["25", "[25-28]", "*", "30", "27-28", "[20, 30)", "30+", "?"];
        let found = read(&labels);
        assert_eq!(found[..5], [(1.0, All), (4.0, Ends), (12.0, None), (1.0, All), (2.0, Ends)]);
        assert_eq!(found[5], (11.0, None));
        let found = read(&["[0.5-0.7]", "[1-2]"]);
        assert_eq!(found, [(3.0, Ends), (11.0, Ends)]);
        let labels = ["{a, b}", "c", "{a, ..., d}", "{a, ..., c, e}", "*", "Self-emp-inc", "a|c"];
        let found = read(&labels);
        assert_eq!(found[0], (2.0, All));
        assert_eq!(found[2], (4.0, Some(2)));
        assert_eq!(found[3], (4.0, Some(3)));
        assert_eq!(found[4], (6.0, None));
        assert_eq!(found[5..], [(1.0, All), (2.0, All)]);
        let labels =
            ["2018-04-03", "[2018-04-03 to 2018-04-07]", "2018-04", "[2018-04 to 2018-05]"];
        let found = read(&labels);
        assert_eq!(found, [(1.0, All), (5.0, Ends), (30.0, None), (61.0, None)]);
    }

    #[test]
    fn a_hierarchy_tells_what_its_labels_hold() {
        let ladder = LabelHierarchy::from_rows([
            ["20", "[20-21]", "*"],
            ["21", "[20-21]", "*"],
            ["22", "[22-23]", "*"],
        ])
        .unwrap_or_default();
        let labels = ["[20-21]", "20", "*"];
        let style = NumberStyle::default();
        let found = shapes(&labels, &style, Option::Some(&ladder), None, &MissingTokens::default());
        assert_eq!(found[0].sure, SureValues::None, "a node is no range that was fitted");
        assert_eq!([found[0].values, found[1].values, found[2].values], [2.0, 1.0, 3.0]);
    }
}
