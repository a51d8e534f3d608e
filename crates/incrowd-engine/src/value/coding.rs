//! How a domain is made out of the values that occur.

use serde::{Deserialize, Serialize};

use super::date::{DateFormat, DateScale, DateUnit, DetectedDates, detect_dates, read_dates};
use super::decimal::Decimal;
use super::detect::{DetectedNumbers, detect};
use super::domain::{Domain, DomainParts};
use super::missing::{MISSING_TOKENS, is_missing};
use super::number::NumberFormat;
use super::scale::{Scale, ValueBounds};
use super::spelling::united;
use crate::kit::{Error, Result};
use crate::table::Dictionary;

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainKind {
    /// Numbers, which order themselves.
    Number,
    /// Dates and times, which order themselves.
    Date,
    /// Anything else.
    Text,
}

/// Bins of equal width for a column of numbers: one of them starts at `start`.
///
/// Both are taken for the decimals they are written as: a width of 0.3 is three tenths.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// How wide a bin is.
    pub width: f64,
    /// Where one of the bins starts.
    pub start: f64,
}

impl Bins {
    /// The bins as exact steps.
    fn steps(&self) -> Option<EqualIntervals> {
        let (width, start) = (Decimal::of_f64(self.width)?, Decimal::of_f64(self.start)?);
        (width > Decimal::ZERO).then_some(EqualIntervals { width, start })
    }
}

/// Intervals of one width, one of which begins at `start`.
#[derive(Debug, Clone, Copy)]
pub(super) struct EqualIntervals {
    pub(super) width: Decimal,
    pub(super) start: Decimal,
}

impl EqualIntervals {
    /// The closed bounds of the interval that a number falls into. Among whole numbers the one from 16
    /// of width 5 is 16 to 20; among others it is 16 to 21, the upper end belonging to the next. None where 38 digits
    /// do not suffice.
    pub(super) fn bounds(&self, number: Decimal, whole: bool) -> Option<ValueBounds> {
        let low = number.floor_to(self.width, self.start)?;
        let high = low.checked_add(self.width)?;
        let whole = whole && self.width.is_whole() && self.start.is_whole();
        let high = if whole { high.checked_sub(Decimal::ONE)? } else { high };
        Some(ValueBounds::between(low, high))
    }
}

/// How a domain is made out of the values that occur.
#[derive(Debug, Clone, Default)]
pub struct DomainRule {
    /// Numbers, dates or text; decided by the values if not given.
    pub kind: Option<DomainKind>,
    /// The form in which this column writes dates; found out if not given.
    pub date_format: Option<DateFormat>,
    /// The form that dates of any column have where they can be read in several.
    pub usual_dates: Option<DateFormat>,
    /// The unit of time that dates were cut to before, so that all values are labels of such units.
    pub date_unit: Option<DateUnit>,
    /// Leave dates as they are written, in the order of time: for a column that is released so. Dates that can be
    /// read in two ways are text then.
    pub as_written: bool,
    /// Whether values that differ in any byte are different.
    pub by_bytes: bool,
    /// Bins for numbers.
    pub bins: Option<Bins>,
    /// The order of text values.
    pub order: Option<Vec<String>>,
    /// The fields that mean "no value".
    pub missing: Vec<String>,
    /// Read missing values as this value instead of as a value of their own.
    pub missing_as: Option<String>,
    /// The decimal sign of numbers, a point or a comma; decided by the values if not given.
    pub decimal: Option<char>,
}

impl DomainRule {
    /// The rule that suits most columns: decide by the values, the usual tokens mean missing.
    pub fn automatic() -> Self {
        DomainRule { missing: MISSING_TOKENS.map(str::to_owned).to_vec(), ..DomainRule::default() }
    }
}

/// A domain together with the code of each dictionary entry it was made from.
#[derive(Debug, Clone)]
pub struct DomainCoding {
    /// The domain.
    pub domain: Domain,
    /// For each dictionary code the domain code.
    pub codes: Vec<u32>,
}

/// One dictionary entry on its way into a domain.
enum DomainEntry<'a> {
    Missing(&'a str),
    Value(&'a str),
}

impl<'a> DomainEntry<'a> {
    fn text(&self) -> &'a str {
        match self {
            DomainEntry::Missing(text) | DomainEntry::Value(text) => text,
        }
    }

    fn value(&self) -> Option<&'a str> {
        match self {
            DomainEntry::Missing(_) => None,
            DomainEntry::Value(text) => Some(text),
        }
    }
}

impl Domain {
    /// The domain of the values in a dictionary.
    ///
    /// Numbers and dates are ordered by value, text by the rule's order, else alphabetically. The entries of
    /// the given order that do not occur are left out; a value that the order lacks is an error.
    ///
    /// Numbers may be written with a decimal comma and with something between thousands, and some may be ranges, such as
    /// `[16-20]`, or have an open end, such as `90+`, as long as no two of them overlap.
    pub fn build(column: &str, dictionary: &Dictionary, rule: &DomainRule) -> Result<DomainCoding> {
        let entries = entries(dictionary, rule);
        if let Some((scale, bounds)) = dates(column, &entries, rule)? {
            return match rule.as_written {
                true => as_written(column, &entries, &bounds, scale, rule),
                false => of_scale(column, &entries, &bounds, scale, rule),
            };
        }
        match on_a_scale(column, &entries, rule)? {
            Some((scale, bounds)) => of_scale(column, &entries, &bounds, scale, rule),
            None => of_text(column, &entries, rule, rule.kind != Some(DomainKind::Text)),
        }
    }
}

/// The scale on which all numbers lie, and where each entry lies there, missing ones aside; none for text.
fn on_a_scale(
    column: &str,
    entries: &[DomainEntry<'_>],
    rule: &DomainRule,
) -> Result<Option<(Scale, Vec<Option<ValueBounds>>)>> {
    let declared = rule.kind == Some(DomainKind::Number);
    // Dates are done with, unless there is no value at all.
    let other = matches!(rule.kind, Some(DomainKind::Text | DomainKind::Date));
    if other || (!declared && rule.order.is_some()) {
        return Ok(None);
    }
    let values = entries.iter().filter_map(DomainEntry::value);
    let format = match detect(values.clone(), rule.decimal) {
        DetectedNumbers::Numbers(format) => format,
        DetectedNumbers::Ambiguous(readings) => return Err(readings.error(column)),
        DetectedNumbers::Text if !declared => return Ok(None),
        DetectedNumbers::Text => {
            let plain = Scale::default();
            let text = |value: &&str| plain.read_label(value).is_none();
            match values.clone().find(text).or_else(|| values.clone().next()) {
                None => NumberFormat::default(),
                Some(value) => {
                    return Err(Error::new(format!(
                        "column {column:?} is declared to hold numbers, but holds {}",
                        crate::kit::words::value(value)
                    ))
                    .help("declare it as text, or add the value to the missing tokens"));
                }
            }
        }
    };
    let scale = Scale::Numbers(format);
    let bounds: Vec<Option<ValueBounds>> =
        entries.iter().map(|entry| scale.read_label(entry.value()?)).collect();
    let mut sorted: Vec<&ValueBounds> = bounds.iter().flatten().collect();
    sorted.sort_by(|one, two| one.cmp_low(two));
    sorted.dedup();
    match sorted.windows(2).find(|pair| !pair[0].is_below(pair[1])) {
        None => Ok(Some((scale, bounds))),
        Some(_) if !declared => Ok(None),
        Some(pair) => Err(Error::new(format!(
            "column {column:?} holds {} and {}, which overlap and so cannot be ordered",
            scale.label(pair[0]),
            scale.label(pair[1])
        ))
        .help("declare it as text")),
    }
}

fn entries<'a>(dictionary: &'a Dictionary, rule: &'a DomainRule) -> Vec<DomainEntry<'a>> {
    let mut entries: Vec<DomainEntry<'a>> = dictionary
        .iter()
        .map(|value| {
            if !is_missing(value, &rule.missing) {
                DomainEntry::Value(value)
            } else if let Some(substitute) = &rule.missing_as {
                DomainEntry::Value(substitute)
            } else {
                DomainEntry::Missing(value)
            }
        })
        .collect();
    // Of what is released as it is nobody changes the spelling: `1.0` beside `1` is no further value there.
    let values: Vec<&str> = entries.iter().filter_map(DomainEntry::value).collect();
    if let Some(united) = united(&values, rule.as_written).filter(|_| !rule.by_bytes) {
        let values = entries.iter_mut().filter_map(|entry| match entry {
            DomainEntry::Value(value) => Some(value),
            DomainEntry::Missing(_) => None,
        });
        values.zip(united).for_each(|(value, spelling)| *value = spelling);
    }
    entries
}

/// The scale and the places of a column of dates; none if the column holds something else.
fn dates(
    column: &str,
    entries: &[DomainEntry<'_>],
    rule: &DomainRule,
) -> Result<Option<(Scale, Vec<Option<ValueBounds>>)>> {
    let undecided = rule.kind.is_none() && rule.order.is_none();
    let values: Vec<&str> = entries.iter().filter_map(DomainEntry::value).collect();
    if values.is_empty() || !(undecided || rule.kind == Some(DomainKind::Date)) {
        return Ok(None);
    }
    if let Some(unit) = rule.date_unit {
        let read = |clock: bool| -> Option<(Scale, Vec<Option<ValueBounds>>)> {
            let scale = Scale::Dates(DateScale::of_unit(unit, clock));
            let all = entries.iter().map(|entry| match entry.value() {
                Some(value) => scale.read_label(value).map(Some),
                None => Some(None),
            });
            let bounds = all.collect::<Option<_>>()?;
            Some((scale, bounds))
        };
        return read(false)
            .or_else(|| read(true))
            .map(Some)
            .ok_or_else(|| no_dates(column, &values));
    }
    let found = match &rule.date_format {
        Some(form) => read_dates(column, &values, form)?,
        None => match detect_dates(&values, rule.usual_dates.as_ref()) {
            DetectedDates::Dates(found) => found,
            DetectedDates::Ambiguous(_) if undecided && rule.as_written => return Ok(None),
            DetectedDates::Ambiguous(found) => return Err(found.error(column)),
            DetectedDates::Nothing if undecided => return Ok(None),
            DetectedDates::Nothing => return Err(no_dates(column, &values)),
        },
    };
    let mut places =
        found.moments.into_iter().map(|moment| moment.decimal().map(ValueBounds::point));
    let bounds = entries.iter().map(|entry| match entry {
        DomainEntry::Value(_) => places.next().flatten(),
        DomainEntry::Missing(_) => None,
    });
    Ok(Some((Scale::Dates(found.scale), bounds.collect())))
}

/// Whether a column that nobody says anything about holds dates; an error if they can be read in two ways.
pub(crate) fn dates_among(
    column: &str,
    dictionary: &Dictionary,
    rule: &DomainRule,
) -> Result<bool> {
    let strict = DomainRule { as_written: false, ..rule.clone() };
    Ok(dates(column, &entries(dictionary, rule), &strict)?.is_some())
}

/// Values on a scale as text in the order of the scale.
fn as_written(
    column: &str,
    entries: &[DomainEntry<'_>],
    bounds: &[Option<ValueBounds>],
    scale: Scale,
    rule: &DomainRule,
) -> Result<DomainCoding> {
    let mut order: Vec<(&ValueBounds, &str)> = entries
        .iter()
        .zip(bounds)
        .filter_map(|(entry, bounds)| Some((bounds.as_ref()?, entry.text())))
        .collect();
    order.sort_by(|one, two| one.0.cmp_low(two.0).then(one.1.cmp(two.1)));
    order.dedup();
    let order = order.into_iter().map(|(_, text)| text.to_owned()).collect();
    let rule = DomainRule { order: Some(order), ..rule.clone() };
    let DomainCoding { domain, codes } = of_text(column, entries, &rule, true)?;
    Ok(DomainCoding { domain: domain.with_scale(scale), codes })
}

/// What is wrong with values that are said to be dates: those that the form of the others does not fit.
fn no_dates(column: &str, values: &[&str]) -> Error {
    // The form that fits most of them is the one that is meant.
    let unread = |form: &DateFormat| -> Vec<&str> {
        values.iter().copied().filter(|value| form.read(value).is_none()).collect()
    };
    let least = DateFormat::usual().into_iter().map(|form| unread(&form)).min_by_key(Vec::len);
    let bad = least.unwrap_or_default();
    Error::new(format!(
        "column {column:?} is declared to hold dates, but holds {}",
        crate::kit::words::values(&bad)
    ))
    .help(
        "correct the values, name their form with --date-format (date-format = \"d/m/y\"),\n\
          add them to the missing tokens, or declare the column as text",
    )
}

/// The domain of values on a scale, those of missing entries aside.
fn of_scale(
    column: &str,
    entries: &[DomainEntry<'_>],
    bounds: &[Option<ValueBounds>],
    scale: Scale,
    rule: &DomainRule,
) -> Result<DomainCoding> {
    let are_dates = matches!(scale, Scale::Dates(_));
    let what = if are_dates { "dates" } else { "numbers" };
    if rule.order.is_some() {
        return Err(Error::new(format!(
            "column {column:?} holds {what}, which are ordered already"
        ))
        .help("leave the order out, or declare the column as text"));
    }
    let binned = match &rule.bins {
        Some(_) if are_dates => {
            return Err(Error::new(format!("column {column:?} holds dates: bins are for numbers"))
                .help("use date-unit = \"month\" or another unit instead"));
        }
        Some(bins) => in_bins(column, bounds, bins)?,
        None => bounds.to_vec(),
    };
    // (bounds, the entry whose text shows the value)
    let mut values: Vec<(ValueBounds, usize)> =
        binned.iter().enumerate().filter_map(|(at, bounds)| Some(((*bounds)?, at))).collect();
    // Of several spellings of a value the shortest shows it, whichever came first in the rows.
    let spelling = |at: usize| (entries[at].text().len(), entries[at].text());
    values.sort_by(|a, b| a.0.cmp_low(&b.0).then_with(|| spelling(a.1).cmp(&spelling(b.1))));
    values.dedup_by(|next, first| next.0 == first.0);

    let missing = missing_label(entries);
    let offset = u32::from(missing.is_some());
    let code_of = |bounds: &ValueBounds| {
        offset + values.partition_point(|value| value.0.cmp_low(bounds).is_lt()) as u32
    };
    let codes = binned.iter().map(|bounds| bounds.as_ref().map_or(0, code_of)).collect();
    let mut labels: Vec<String> = missing.iter().map(|label| (*label).to_owned()).collect();
    // Where missing lies is never asked for.
    let mut bounds = vec![ValueBounds::point(Decimal::ZERO); labels.len()];
    for (value, at) in &values {
        labels.push(match &rule.bins {
            None if !are_dates => entries[*at].text().trim().to_owned(),
            _ => scale.label(value),
        });
        bounds.push(*value);
    }
    let domain = Domain::of(DomainParts {
        labels,
        scale: Some(scale),
        bounds: Some(bounds),
        missing: missing.is_some(),
        missing_as: rule.missing_as.clone(),
    });
    Ok(DomainCoding { domain, codes })
}

/// The bins of numbers.
fn in_bins(
    column: &str,
    bounds: &[Option<ValueBounds>],
    bins: &Bins,
) -> Result<Vec<Option<ValueBounds>>> {
    let Bins { width, start } = bins;
    let steps = bins.steps().ok_or_else(|| {
        Error::new(format!(
            "the bins of column {column:?} need a width above 0 and a start, but have {width} and {start}"
        ))
        .help("for example bins = 5")
    })?;
    if let Some(wide) = bounds.iter().flatten().find(|bounds| !bounds.is_point()) {
        let label = Scale::default().label(wide);
        return Err(Error::new(format!(
            "column {column:?} holds ranges such as {label}, which cannot be put into bins"
        ))
        .help("leave the bins out"));
    }
    let numbers = || bounds.iter().flatten().map(ValueBounds::least);
    let whole = numbers().all(Decimal::is_whole);
    let binned: Option<Vec<Option<ValueBounds>>> = bounds
        .iter()
        .map(|bounds| match bounds {
            Some(bounds) => steps.bounds(bounds.least(), whole).map(Some),
            None => Some(None),
        })
        .collect();
    binned.ok_or_else(|| {
        Error::new(format!(
            "bins of width {width} need more than 38 digits for the numbers of column {column:?}"
        ))
        .help("choose wider bins")
    })
}

fn of_text(
    column: &str,
    entries: &[DomainEntry<'_>],
    rule: &DomainRule,
    is_text: bool,
) -> Result<DomainCoding> {
    if rule.bins.is_some() {
        let what = if is_text { "holds text" } else { "is declared as text" };
        return Err(Error::new(format!("column {column:?} {what}: it cannot be put into bins"))
            .help("bins are for numbers; give a text column a hierarchy instead"));
    }
    let mut values: Vec<&str> = Vec::new();
    if let Some(order) = &rule.order {
        let occurring: Dictionary = entries
            .iter()
            .filter_map(|entry| match entry {
                DomainEntry::Value(value) => Some(*value),
                DomainEntry::Missing(_) => None,
            })
            .collect();
        let mut seen = Dictionary::new();
        for value in order {
            if seen.get(value).is_some() {
                return Err(Error::new(format!(
                    "the order of column {column:?} names {value:?} twice"
                )));
            }
            seen.intern(value);
            if occurring.get(value).is_some() {
                values.push(value);
            }
        }
        let absent: Vec<&str> =
            occurring.iter().filter(|value| seen.get(value).is_none()).collect();
        if !absent.is_empty() {
            return Err(Error::new(format!(
                "the order of column {column:?} lacks {}",
                crate::kit::words::list(&absent)
            ))
            .help("add every value that occurs to the order"));
        }
    } else {
        values = entries
            .iter()
            .filter_map(|entry| match entry {
                DomainEntry::Value(value) => Some(*value),
                DomainEntry::Missing(_) => None,
            })
            .collect();
        values.sort_unstable();
        values.dedup();
    }
    let known: Dictionary = values.iter().copied().collect();
    let missing = missing_label(entries);
    let offset = u32::from(missing.is_some());
    let codes = entries
        .iter()
        .map(|entry| match entry {
            DomainEntry::Missing(_) => 0,
            DomainEntry::Value(value) => {
                offset + known.get(value).expect("the order holds every value")
            }
        })
        .collect();
    let labels = missing.into_iter().chain(values).map(str::to_owned).collect();
    let domain = Domain::of(DomainParts {
        labels,
        scale: None,
        bounds: None,
        missing: missing.is_some(),
        missing_as: rule.missing_as.clone(),
    });
    Ok(DomainCoding { domain, codes })
}

fn missing_label<'a>(entries: &[DomainEntry<'a>]) -> Option<&'a str> {
    entries
        .iter()
        .filter_map(|entry| match entry {
            DomainEntry::Missing(label) => Some(*label),
            DomainEntry::Value(_) => None,
        })
        // Which spelling stands for missing must not depend on the order of rows.
        .min()
}
