//! Which original values a label contains that is spelled as another tool does.

use super::domain::{Cover, Domain, NumericExtent, interval_of, place};
use crate::date::{CalendarInstant, DAY};
use crate::label::Label;
use crate::number::{Number, NumberStyle};
use crate::spelling::{LabelSpelling, MaskPiece, RangeEnd, unquoted};

/// Pieces of which one element of a set may consist, if it holds the separator itself.
const PIECES: usize = 5;
/// No element of a set is longer that is a range itself.
const LONGEST: usize = 64;

impl Domain<'_> {
    /// Whether `20,30` is a range among these labels. It is a set where any label that looks so has more than two
    /// elements: whoever writes sets would seldom have nothing but pairs.
    pub(super) fn pairs_are_ranges<'l>(&self, labels: impl Iterator<Item = &'l str>) -> bool {
        if self.numbers.is_empty() || self.dates.is_some() {
            return false;
        }
        let mut found = false;
        for label in labels.filter(|label| label.contains(',')) {
            if self.find(label).is_some() || label.starts_with(['{', '[', '(', ']']) {
                continue;
            }
            let pair = label.split_once(',').and_then(|(low, high)| self.ordered(low, high));
            match pair {
                Some(_) => found = true,
                None => return false,
            }
        }
        found
    }

    /// What a label contains if it can be read as another tool's; the first reading that makes sense among the values of
    /// this column is taken.
    pub(super) fn spelled(&self, text: &str, pairs: bool) -> Option<Cover> {
        LabelSpelling::of(text).iter().find_map(|spelling| self.of_spelling(spelling, pairs))
    }

    fn of_spelling(&self, spelling: &LabelSpelling, pairs: bool) -> Option<Cover> {
        let (ranks, taken_for) = match spelling {
            LabelSpelling::Everything => {
                return Some(Cover { taken_for: Some("any value"), ..self.everything() });
            }
            LabelSpelling::Range(low, high) => (self.of_range(low, high)?, named_range(low, high)),
            LabelSpelling::Pair(low, high) => {
                let end = |text: &String| RangeEnd { at: Some(text.clone()), included: true };
                self.ordered(low, high).filter(|_| pairs)?;
                (self.of_range(&end(low), &end(high))?, "a range with both ends")
            }
            LabelSpelling::Set { elements, separator } => {
                (self.of_elements(elements, separator)?, "a set of values")
            }
            LabelSpelling::Mask(pieces) => {
                (self.masked(pieces)?, "a value of which some is hidden")
            }
        };
        Some(Cover { taken_for: Some(taken_for), ..Cover::new(ranks, true) })
    }

    /// The ranks that an element of a set stands for, and whether it could be read.
    pub(super) fn element(&self, text: &str) -> (Vec<u32>, bool) {
        let bare = unquoted(text);
        // An element of a set of bins is an interval itself.
        let label = self.read(text);
        let between = self.numbers_of(&label);
        let is_range = match label {
            Label::Interval(..) | Label::AtLeast(_) | Label::AtMost(_) | Label::Below(_) => {
                !self.numbers.is_empty()
            }
            _ => false,
        };
        let mut ranks: Vec<u32> = self.under(text).chain(self.find(text)).chain(between).collect();
        let is_number = || !self.numbers.is_empty() && self.number(text).is_some();
        if !ranks.is_empty() || is_range || self.is_leaf(text) || is_number() {
            return (ranks, true);
        }
        // A value of which all rows are suppressed is a value all the same.
        if self.order.is_some_and(|order| place(order, text).is_some()) {
            return (ranks, true);
        }
        ranks.extend(self.under(bare).chain(self.find(bare)));
        if !ranks.is_empty() || self.is_leaf(bare) {
            return (ranks, true);
        }
        let inner = if text.len() <= LONGEST { LabelSpelling::of(text) } else { Vec::new() };
        let range = inner.iter().find_map(|spelling| match spelling {
            LabelSpelling::Range(low, high) => self.of_range(low, high),
            LabelSpelling::Mask(pieces) => self.masked(pieces),
            _ => None,
        });
        let known = range.is_some();
        (range.unwrap_or_default(), known)
    }

    /// The ranks of a set, if every element can be read. An element that holds the separator itself is put together
    /// again.
    fn of_elements(&self, elements: &[String], separator: &str) -> Option<Vec<u32>> {
        // Between numbers these mean something else, such as a range whose ends are the wrong way round.
        let weak = ["-", "_", "~", "/", "+", "&", " and "].contains(&separator);
        if weak && elements.iter().any(|element| self.number(element).is_some()) {
            return None;
        }
        // Where the elements from each place on can be read: the ranks of the first, and where the next begins.
        let mut from: Vec<Option<(Vec<u32>, usize)>> = vec![None; elements.len() + 1];
        from[elements.len()] = Some((Vec::new(), elements.len()));
        for at in (0..elements.len()).rev() {
            let last = elements.len().min(at + PIECES);
            let mut ends = (at + 1..=last).filter(|&end| from[end].is_some()).peekable();
            // Nothing before can be read either.
            ends.peek()?;
            let found = ends.find_map(|end| {
                let joints: &[String] = &[separator.to_owned(), format!("{separator} ")];
                let joints = if end == at + 1 { &joints[..1] } else { joints };
                joints.iter().find_map(|joint| {
                    let (ranks, known) = self.element(&elements[at..end].join(joint));
                    // What was torn apart is a value: many texts of several pieces could be read as something.
                    (known && (end == at + 1 || !ranks.is_empty())).then_some((ranks, end))
                })
            });
            from[at] = found;
        }
        let mut ranks = Vec::new();
        let mut at = 0;
        while at < elements.len() {
            let (here, next) = from[at].as_ref()?;
            ranks.extend(here);
            at = *next;
        }
        Some(ranks)
    }

    fn of_range(&self, low: &RangeEnd, high: &RangeEnd) -> Option<Vec<u32>> {
        if self.dates.is_some() {
            return self.of_dates(low, high);
        }
        self.of_numbers(low, high).or_else(|| self.of_texts(low, high))
    }

    fn of_numbers(&self, low: &RangeEnd, high: &RangeEnd) -> Option<Vec<u32>> {
        if self.numbers.is_empty() {
            return None;
        }
        let style = self.values.style();
        // All of a label is in one style: that of the column, or that of machines.
        let read = |style: &NumberStyle| {
            let end = |end: &RangeEnd| match &end.at {
                None => Some(None),
                Some(text) => measured(text, style).map(Some),
            };
            let (from, to) = (end(low)?, end(high)?);
            let both = low.included && high.included;
            let ordered = match (&from, &to) {
                (Some(from), Some(to)) => from < to || (both && from == to),
                _ => true,
            };
            ordered.then_some((from, to))
        };
        let (from, to) = read(style).or_else(|| read(&NumberStyle::default()))?;
        let from = from.map_or(0, |from| match low.included {
            true => self.before(|extent| extent.starts_before(&from)),
            false => self.before(|extent| starts_by(extent, &from)),
        });
        let to = to.map_or(self.numbers.len() as u32, |to| match high.included {
            true => self.before(|extent| extent.ends_by(&to)),
            false => self.before(|extent| extent.ends_before(&to)),
        });
        Some(self.ranks(from, to).collect())
    }

    /// Moments from one to another; an end is a unit of time, which belongs to the range or does not.
    fn of_dates(&self, low: &RangeEnd, high: &RangeEnd) -> Option<Vec<u32>> {
        let dates = self.dates.as_ref()?;
        let unit = |text: &str| -> Option<(CalendarInstant, CalendarInstant)> {
            if let Some(span) = dates.span(text) {
                return Some(span);
            }
            let at = dates.instant(text)?;
            let whole = at.rem_euclid(DAY) == 0 && !text.contains(':');
            Some((at, at + if whole { DAY } else { 1 }))
        };
        let from = match &low.at {
            None => None,
            Some(text) => {
                unit(text).map(|(from, to)| Some(if low.included { from } else { to }))?
            }
        };
        let to = match &high.at {
            None => None,
            Some(text) => {
                unit(text).map(|(from, to)| Some(if high.included { to } else { from }))?
            }
        };
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(10_001 * 366 * DAY));
        let label = (from < to).then(|| interval_of((from, to)))??;
        Some(self.numbers_of(&label).collect())
    }

    /// Texts from one to another: in the order that is given, or codes such as `A00-B99` in that of the alphabet.
    fn of_texts(&self, low: &RangeEnd, high: &RangeEnd) -> Option<Vec<u32>> {
        let (first, last) = low.at.as_ref().zip(high.at.as_ref())?;
        if let Some(order) = self.order {
            let (from, to) = (place(order, first)?, place(order, last)?);
            let from = if low.included { from } else { from + 1 };
            let to = if high.included { to + 1 } else { to };
            let inside = order.get(from..to)?;
            return Some(inside.iter().filter_map(|value| self.find(value)).collect());
        }
        if !(is_code(first) && is_code(last) && first.len() == last.len() && first < last) {
            return None;
        }
        let inside = (0..self.values.len() as u32).filter(|&value| {
            let text = self.values.get(value).trim();
            let after =
                text >= first.as_str() && (low.included || !text.starts_with(first.as_str()));
            let within = text < last.as_str() || (high.included && text.starts_with(last.as_str()));
            !self.missing.contains(text) && after && within
        });
        Some(inside.map(|value| self.rank[value as usize]).collect())
    }

    /// The values that a mask leaves open. It is one only if there is any value so long, whatever its letters.
    fn masked(&self, pieces: &[MaskPiece]) -> Option<Vec<u32>> {
        let shape: Vec<MaskPiece> = pieces
            .iter()
            .map(|piece| match piece {
                MaskPiece::Known(known) => MaskPiece::Hidden(known.chars().count()),
                other => other.clone(),
            })
            .collect();
        let texts = || {
            let values =
                (0..self.values.len() as u32).map(|value| (value, self.values.get(value).trim()));
            values.filter(|(_, text)| !self.missing.contains(text))
        };
        texts().any(|(_, text)| MaskPiece::fit(&shape, text)).then(|| {
            let fitting = texts().filter(|(_, text)| MaskPiece::fit(pieces, text));
            fitting.map(|(value, _)| self.rank[value as usize]).collect()
        })
    }

    fn number(&self, text: &str) -> Option<Number> {
        self.values.style().read(text).or_else(|| Number::parse(text))
    }

    /// Two numbers, the first of which is the lower.
    fn ordered(&self, low: &str, high: &str) -> Option<(Number, Number)> {
        let (low, high) = (self.number(low)?, self.number(high)?);
        (low < high).then_some((low, high))
    }
}

/// Whether an original begins at a number or below it.
fn starts_by(extent: &NumericExtent, number: &Number) -> bool {
    extent.low.as_ref().is_none_or(|start| start <= number)
}

/// A number, or one with a unit: `30 years`, `$1500`, `5 %`.
fn measured(text: &str, style: &NumberStyle) -> Option<Number> {
    let plain = text.trim().replace('−', "-");
    if let Some(number) = style.read(&plain) {
        return Some(number);
    }
    let bare = plain.trim_start_matches(['$', '€', '£', '¥']).trim_start();
    let bare = bare.trim_end_matches(['$', '€', '£', '¥', '%', '°']).trim_end();
    let letters = bare.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    let unit = bare.len() - letters.len();
    // An exponent without digits is no unit, and a word is no measure.
    let number = if unit <= 12 { letters.trim_end() } else { bare };
    (!number.is_empty()).then(|| style.read(number))?
}

/// A letter or a few, then digits.
fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = text.len() - digits.len();
    (1..=3).contains(&letters)
        && (1..=6).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn named_range(low: &RangeEnd, high: &RangeEnd) -> &'static str {
    match (&low.at, low.included, &high.at, high.included) {
        (None, _, _, true) => "up to that value, which belongs to it",
        (None, _, _, false) => "below that value",
        (_, true, None, _) => "from that value on, which belongs to it",
        (_, false, None, _) => "above that value",
        (_, true, _, true) => "a range with both ends",
        (_, true, _, false) => "a range without its upper end",
        (_, false, _, true) => "a range without its lower end",
        (_, false, _, false) => "a range without its ends",
    }
}
