//! How a column becomes an attribute or a target.

use crate::kit::{Error, ErrorKind, Result};
use crate::privacy::{GroundDistance, Model};
use crate::table::Dictionary;
use crate::value::{
    ArgusSet, ClassSummary, Domain, DomainCoding, DomainKind, DomainRule, Hierarchy, HierarchyRule,
    LevelLimits, Scale, dates_among,
};

/// Where a hierarchy comes from.
#[derive(Debug, Clone)]
pub enum HierarchySource {
    /// It is given.
    Given(Hierarchy),
    /// It is built from the values that occur.
    Rule(HierarchyRule),
}

impl From<Hierarchy> for HierarchySource {
    fn from(hierarchy: Hierarchy) -> Self {
        HierarchySource::Given(hierarchy)
    }
}

/// How a column becomes an attribute or a label.
#[derive(Debug, Clone)]
pub struct AttributeSpec {
    /// The column's name.
    pub name: String,
    /// How its values are read and ordered.
    pub rule: DomainRule,
    /// A tree over its values.
    pub hierarchy: Option<HierarchySource>,
    /// How much information lost here counts.
    pub weight: f64,
    /// How a group of values is released. By default as the node above it where there is a hierarchy, else as a
    /// range or set.
    pub summary: Option<ClassSummary>,
    /// Values at which a recoding by intervals must make a cut (`true`) or must not: the value is the
    /// first beyond the cut. Numbers need not occur.
    pub cuts: Vec<(String, bool)>,
    /// The lowest full-domain level at which values may be released.
    pub least_level: u32,
    /// The highest one; the top if none is given.
    pub most_level: Option<u32>,
    /// How well the column identifies people, for the method mu-argus.
    pub argus: Option<ArgusSet>,
}

impl AttributeSpec {
    /// A column read as its values suggest.
    pub fn new(name: impl Into<String>) -> Self {
        AttributeSpec {
            name: name.into(),
            rule: DomainRule::automatic(),
            hierarchy: None,
            weight: 1.0,
            summary: None,
            cuts: Vec::new(),
            least_level: 0,
            most_level: None,
            argus: None,
        }
    }

    /// The levels allowed, checked against the levels there are.
    pub(super) fn level_limits(&self, levels: u32) -> Result<Option<LevelLimits>> {
        let (least, most) = (self.least_level, self.most_level.unwrap_or(levels));
        let wrong = |what: String| {
            Err(Error::new(format!("column {:?} {what}", self.name))
                .help(format!("its levels go from 0 (the values) to {levels}")))
        };
        if least > levels || most > levels {
            return wrong(format!("has no level {}", least.max(most)));
        }
        if least > most {
            return wrong(format!("cannot be at level {least} or above and {most} or below"));
        }
        let limited = least > 0 || most < levels;
        Ok(limited.then_some(LevelLimits { least, most }))
    }

    /// The cuts demanded and refused, as codes.
    pub(super) fn cuts(&self, domain: &Domain) -> Result<Vec<(u32, bool)>> {
        let mut cuts: Vec<(u32, bool)> = Vec::new();
        let first = u32::from(domain.missing_code() == Some(0));
        let end = domain.len() as u32;
        for (value, made) in &self.cuts {
            let wrong = |what: &str| {
                Error::new(format!("column {:?} cannot be cut at {value:?}: {what}", self.name))
            };
            let code = if let Some(scale) = domain.scale().filter(|_| domain.is_numeric()) {
                // A person may write plain numbers whatever the column's format.
                let read = scale.read(value).or_else(|| Scale::default().read(value));
                let place = read.and_then(|bounds| bounds.low);
                let place = place.ok_or_else(|| wrong("it is not a number"))?;
                let low = |code: u32| domain.bounds(code).and_then(|bounds| bounds.low);
                let code = (0..end).find(|&code| low(code) >= Some(place)).unwrap_or(end);
                let before = code.checked_sub(1).and_then(|code| domain.bounds(code));
                if before.is_some_and(|bounds| bounds.high.is_none_or(|high| high > place)) {
                    return Err(wrong("it lies inside a bin").help("choose a bin's start"));
                }
                code
            } else {
                let code = (0..end).find(|&code| domain.label(code) == value);
                code.ok_or_else(|| wrong("there is no such value"))?
            };
            // Beyond the ends there is nothing to cut; missing values come first but are no end.
            if code <= first || code >= end {
                continue;
            }
            match cuts.iter().find(|cut| cut.0 == code) {
                Some(cut) if cut.1 != *made => {
                    return Err(wrong("the same cut is both required and forbidden"));
                }
                Some(_) => {}
                None => cuts.push((code, *made)),
            }
        }
        cuts.sort_unstable();
        Ok(cuts)
    }

    /// The coding of a column that is released as it is, and its hierarchy. Dates stay as they are written; which
    /// is the day and which the month must be known only where a model asks for the order.
    pub(super) fn build_target(
        &self,
        dictionary: &Dictionary,
        models: &[(String, Model)],
        sign: Option<char>,
        doubtful: Option<char>,
    ) -> Result<(DomainCoding, Option<Hierarchy>)> {
        let ordered = models.iter().any(|(column, model)| {
            let by_order =
                matches!(model, Model::TCloseness { distance: GroundDistance::Ordered, .. });
            *column == self.name && by_order
        });
        let mut column = self.clone();
        column.rule.as_written = true;
        if ordered && self.rule.kind.is_none() && self.rule.order.is_none() {
            // Where both readings remain, the error says which they are.
            column.rule.kind =
                dates_among(&self.name, dictionary, &self.rule)?.then_some(DomainKind::Date);
        }
        column.build(dictionary, sign, doubtful)
    }

    /// The column's coding, and its hierarchy over the values that occur. `sign` is the decimal sign that other columns
    /// leave no doubt about, `doubtful` what decides where they do not.
    pub(super) fn build(
        &self,
        dictionary: &Dictionary,
        sign: Option<char>,
        doubtful: Option<char>,
    ) -> Result<(DomainCoding, Option<Hierarchy>)> {
        let rule = |decimal| DomainRule { decimal, ..self.rule.clone() };
        let decimal = self.rule.decimal.or(sign);
        let coding = match Domain::build(&self.name, dictionary, &rule(decimal)) {
            Err(error) if error.kind == ErrorKind::Ambiguous && doubtful.is_some() => {
                Domain::build(&self.name, dictionary, &rule(doubtful)).map_err(|_| error)?
            }
            coding => coding?,
        };
        let hierarchy = match &self.hierarchy {
            None => return Ok((coding, None)),
            Some(HierarchySource::Given(hierarchy)) => hierarchy.clone(),
            Some(HierarchySource::Rule(rule)) => {
                let domain = &coding.domain;
                if domain.len() == usize::from(domain.missing_code().is_some()) {
                    return Ok((coding, None));
                }
                let rows = rule.rows(&self.name, domain)?;
                Hierarchy::from_rows(&rows).map_err(|faults| {
                    let first = faults.first().map_or(String::new(), |fault| fault.what.clone());
                    Error::new(format!(
                        "the hierarchy of column {:?} does not fit: {first}",
                        self.name
                    ))
                })?
            }
        };
        let (coding, hierarchy) = Domain::arrange(coding, &self.name, &hierarchy)?;
        Ok((coding, Some(hierarchy)))
    }

    /// The same column with its labels from a list that was there before the data: its hierarchy, or one of round bins,
    /// of units of the calendar, of single values and the blank.
    pub(super) fn on_fixed_list(
        &self,
        dictionary: &Dictionary,
        sign: Option<char>,
        doubtful: Option<char>,
    ) -> Result<Self> {
        if self.summary.is_some_and(|summary| summary != ClassSummary::Node) {
            return Err(Error::new(format!(
                "column {:?} has a summary of its own, but labels are to come from fixed lists",
                self.name
            ))
            .help("leave out the summary, or the demand for safe labels"));
        }
        let mut column = self.clone();
        if column.hierarchy.is_none() {
            let (DomainCoding { domain, .. }, _) = self.build(dictionary, sign, doubtful)?;
            // Numbers have ranges with rounded ends; their round bins are for full-domain levels.
            if !matches!(domain.scale(), Some(Scale::Numbers(_))) || !domain.is_numeric() {
                column.hierarchy = domain.fixed_list(&self.name).map(HierarchySource::Given);
            }
        }
        column.summary = column.hierarchy.as_ref().map(|_| ClassSummary::Node);
        Ok(column)
    }

    pub(super) fn check(&self) -> Result<()> {
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return Err(Error::new(format!(
                "the weight of column {:?} is {}, but must be above 0",
                self.name, self.weight
            )));
        }
        Ok(())
    }
}
