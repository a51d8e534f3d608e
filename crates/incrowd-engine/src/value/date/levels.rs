//! Dates at the levels of a hierarchy: ever longer units of time.

use super::super::group::BLANK;
use super::super::hierarchy::NestedHierarchy;
use super::calendar::YEARS;
use super::detect::{DetectedDates, detect_dates};
use super::format::DateFormat;
use super::moment::{DateUnit, Moment};
use super::scale::DateScale;
use crate::kit::{Error, Result, words};

/// Whether units can be the levels of a hierarchy: from short to long, each inside one of the next.
pub fn check_units(column: &str, units: &[DateUnit]) -> Result<()> {
    let names = DateUnit::ALL.map(DateUnit::name).join(", ");
    if units.is_empty() || units.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::new(format!(
            "the date units of column {column:?} must go from short to long"
        ))
        .help(format!("use some of {names} in this order")));
    }
    if let Some(pair) = units.windows(2).find(|pair| !pair[0].nests_in(pair[1])) {
        let (short, long) = (pair[0].name(), pair[1].name());
        return Err(Error::new(format!(
            "in column {column:?} a {short} cannot be the level below a {long}: a {short} \
             can lie in two {long}s"
        ))
        .help("leave out one of them: week can only be the last unit"));
    }
    Ok(())
}

impl DateScale {
    /// The units that a hierarchy has unless somebody says otherwise: those longer than the values themselves.
    pub fn usual_units(&self) -> Vec<DateUnit> {
        use DateUnit::{Day, Decade, Hour, Minute, Month, Quarter, Year};
        let all: &[DateUnit] = match self.format.is_clock() {
            true => &[Minute, Hour],
            // Nobody wants a minute of some day as a level of its own.
            false => &[Hour, Day, Month, Quarter, Year, Decade],
        };
        let finest = self.resolution.unwrap_or(DateUnit::Second);
        all.iter().copied().filter(|unit| *unit > finest).collect()
    }

    /// The usual units as a tree over moments in order. Its leaves have no names: nothing shows them.
    pub(crate) fn unit_tree(&self, moments: &[Moment]) -> NestedHierarchy {
        let mut units = self.usual_units();
        units.reverse();
        NestedHierarchy::Group(BLANK.to_owned(), self.nested(moments, &units))
    }

    /// Moments in groups of the first unit, each in groups of the next.
    fn nested(&self, moments: &[Moment], units: &[DateUnit]) -> Vec<NestedHierarchy> {
        let Some((unit, finer)) = units.split_first() else {
            return moments.iter().map(|_| NestedHierarchy::Leaf(String::new())).collect();
        };
        moments
            .chunk_by(|one, next| unit.start(*one) == unit.start(*next))
            .map(|inside| {
                let label = unit.label(inside[0], self.format.is_clock());
                NestedHierarchy::Group(label, self.nested(inside, finer))
            })
            .collect()
    }

    /// A row for each value: itself, then its label at each unit.
    pub(crate) fn unit_rows(
        &self,
        column: &str,
        values: impl Iterator<Item = (String, Moment)>,
        units: &[DateUnit],
    ) -> Result<Vec<Vec<String>>> {
        check_units(column, units)?;
        let clock = self.format.is_clock();
        if let Some(unit) = units.iter().find(|unit| clock && !unit.is_of_clock()) {
            return Err(Error::new(format!(
                "column {column:?} holds times of day, which have no {}",
                unit.name()
            ))
            .help("the units of times of day are second, minute and hour"));
        }
        let row = |(value, moment): (String, Moment)| {
            let labels = units.iter().map(|unit| unit.label(moment, clock));
            std::iter::once(value).chain(labels).collect()
        };
        Ok(values.map(row).collect())
    }
}

/// The rows of values that are not read as dates otherwise: plain years and months too, at the units that
/// are not shorter.
pub(crate) fn text_rows(
    column: &str,
    values: &[&str],
    units: &[DateUnit],
) -> Result<Vec<Vec<String>>> {
    let with = |moments: Vec<Moment>| {
        values.iter().map(|v| (*v).to_owned()).zip(moments).collect::<Vec<_>>()
    };
    match detect_dates(values, None) {
        DetectedDates::Ambiguous(found) => return Err(found.error(column)),
        DetectedDates::Dates(found) => {
            return found.scale.unit_rows(column, with(found.moments).into_iter(), units);
        }
        DetectedDates::Nothing => {}
    }
    let parts: Vec<Option<(Moment, DateUnit)>> =
        values.iter().map(|value| partial(value)).collect();
    let bad: Vec<&str> =
        values.iter().zip(&parts).filter(|(_, part)| part.is_none()).map(|(v, _)| *v).collect();
    if !bad.is_empty() {
        return Err(Error::new(format!(
            "in column {column:?} these values are not a date (1965-09-20, 20.9.1965 or 9/20/1965): {}",
            words::values(&bad)
        ))
        .help("add them to the missing tokens, or use another hierarchy"));
    }
    let shortest = units.first().copied().unwrap_or(DateUnit::Day);
    let coarse =
        parts.iter().zip(values).find(|(part, _)| part.is_some_and(|(_, unit)| unit > shortest));
    if let Some((Some((_, unit)), value)) = coarse {
        return Err(Error::new(format!(
            "in column {column:?} the value {} is a {}, which has no single {}",
            words::value(value),
            unit.name(),
            shortest.name()
        ))
        .help(format!("begin the units with {}", unit.name())));
    }
    let moments = parts.into_iter().flatten().map(|(moment, _)| moment).collect();
    let scale =
        DateScale { format: DateFormat::iso(), zone: None, resolution: Some(DateUnit::Day) };
    scale.unit_rows(column, with(moments).into_iter(), units)
}

/// A day, a month (`1965-09`) or a year (`1965`).
fn partial(value: &str) -> Option<(Moment, DateUnit)> {
    if let Some(reading) = DateFormat::iso().read(value) {
        return Some((reading.local, DateUnit::Day));
    }
    let value = value.trim();
    let (year, month) = match value.split_once('-') {
        Some((year, month)) => (year, Some(month)),
        None => (value, None),
    };
    let number = |text: &str| -> Option<i64> {
        text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
    };
    let year = number(year).filter(|number| year.len() == 4 && YEARS.contains(number))?;
    match month {
        None => Some((Moment::of_day(year, 1, 1), DateUnit::Year)),
        Some(month) => {
            let month =
                number(month).filter(|number| month.len() <= 2 && (1..=12).contains(number))?;
            Some((Moment::of_day(year, month, 1), DateUnit::Month))
        }
    }
}
