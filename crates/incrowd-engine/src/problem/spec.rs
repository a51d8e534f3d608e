//! The question before the data is seen.

use super::column::AttributeSpec;
use super::limit::Limit;
use crate::cost::Metric;
use crate::kit::{Error, Result, words};
use crate::privacy::{KnownColumns, Model, ReleaseRiskLimits};
use crate::table::{Dictionary, FrequencyCounts};
use crate::value::{DomainKind, decimal_sign, is_missing};

/// A question as the user puts it, before the data is seen.
///
/// ```
/// use incrowd_engine::{Problem, ProblemSpec, Table};
/// let table = Table::from_rows(&["age", "sex"], &[["34", "F"], ["35", "M"], ["34", "M"]])?;
/// let spec = ProblemSpec::new(2).quasi("age").quasi("sex");
/// let problem = Problem::of_table(&spec, &table)?;
/// assert_eq!((problem.rows, problem.cells.len()), (3, 3));
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProblemSpec {
    /// The quasi-identifiers.
    pub quasi: Vec<AttributeSpec>,
    /// The sensitive and class columns.
    pub targets: Vec<AttributeSpec>,
    /// Which of the targets is the class column.
    pub class: Option<String>,
    /// The column that tells apart who is protected, people or households, where they may have several rows. Every class
    /// then holds k of them, and the models count them. It is not released.
    pub unit: Option<AttributeSpec>,
    /// The least size of a class.
    pub k: u64,
    /// Columns that are released as they are and that others may know, or can tell from the quasi-identifiers: k and the
    /// models hold for those of a class who share their values.
    pub narrowing: Vec<String>,
    /// The models beyond k, each on one of the targets.
    pub models: Vec<(String, Model)>,
    /// Whether a missing sensitive value counts towards l as a value of its own.
    pub count_missing: bool,
    /// What is minimized.
    pub metric: Metric,
    /// Most rows that may be suppressed.
    pub limit: Limit,
    /// How far suppression may move the share of any category of the released rows, from 0 to 1.
    pub max_bias: Option<f64>,
    /// Whether a blank is taken to match anything: the weaker reading of k.
    pub wildcards: bool,
    /// What the release as a whole must satisfy.
    pub overall: ReleaseRiskLimits,
    /// How many rows must look alike to whoever knows a few columns.
    pub known: Option<KnownColumns>,
    /// The quasi-identifier that holds survey weights: where means of it are released, they add up to the table's total.
    pub survey_weight: Option<String>,
    /// The quasi-identifiers whose categories keep their weighted totals.
    pub calibrated: Vec<String>,
    /// The decimal sign of columns that can be read in two ways and that no other column decides: a table with `;`
    /// between its fields has decimal commas.
    pub decimal: Option<char>,
    /// Whether labels come from lists that are there before the data are seen: hierarchies, round bins, units of the
    /// calendar. Nothing is fitted to the values of a class then.
    pub fixed_labels: bool,
}

impl ProblemSpec {
    /// k-anonymity with the default metric, no quasi-identifiers yet.
    pub fn new(k: u64) -> Self {
        ProblemSpec {
            quasi: Vec::new(),
            targets: Vec::new(),
            class: None,
            unit: None,
            k,
            narrowing: Vec::new(),
            models: Vec::new(),
            count_missing: false,
            metric: Metric::default(),
            limit: Limit::default(),
            max_bias: None,
            wildcards: false,
            overall: ReleaseRiskLimits::default(),
            known: None,
            survey_weight: None,
            calibrated: Vec::new(),
            decimal: None,
            fixed_labels: false,
        }
    }

    /// The decimal sign that the counted columns leave no doubt about.
    pub(super) fn decimal_sign(&self, counts: &FrequencyCounts) -> Option<char> {
        // Without a comma anywhere nothing is in doubt.
        let comma = |(_, values): &(String, Dictionary)| values.iter().any(|v| v.contains(','));
        if !counts.columns.iter().any(comma) {
            return None;
        }
        let columns = self.quasi.iter().chain(&self.targets).zip(&counts.columns);
        decimal_sign(columns.filter(|(column, _)| column.rule.kind != Some(DomainKind::Text)).map(
            |(column, (_, values))| {
                let missing = &column.rule.missing;
                let values: Vec<&str> =
                    values.iter().filter(|value| !is_missing(value, missing)).collect();
                values.into_iter()
            },
        ))
    }

    /// Adds a quasi-identifier, read as its values suggest.
    #[must_use]
    pub fn quasi(mut self, name: &str) -> Self {
        self.quasi.push(AttributeSpec::new(name));
        self
    }

    /// Demands a model of a sensitive column.
    #[must_use]
    pub fn sensitive(mut self, name: &str, model: Model) -> Self {
        if self.targets.iter().all(|target| target.name != name) {
            self.targets.push(AttributeSpec::new(name));
        }
        self.models.push((name.to_owned(), model));
        self
    }

    /// Names the class column, for the classification metric.
    #[must_use]
    pub fn class(mut self, name: &str) -> Self {
        if self.targets.iter().all(|target| target.name != name) {
            self.targets.push(AttributeSpec::new(name));
        }
        self.class = Some(name.to_owned());
        self
    }

    /// Names the column that tells apart who is protected.
    #[must_use]
    pub fn unit(mut self, name: &str) -> Self {
        let mut column = AttributeSpec::new(name);
        column.rule.kind = Some(DomainKind::Text);
        self.unit = Some(column);
        self
    }

    /// Demands k for whoever knows a column that is released as it is.
    #[must_use]
    pub fn narrowing(mut self, name: &str) -> Self {
        self.narrowing.push(name.to_owned());
        self
    }

    /// The columns that must be counted: the quasi-identifiers, then the targets, then that of the units, then those that
    /// narrow classes.
    pub fn columns(&self) -> Vec<String> {
        let columns = self.quasi.iter().chain(&self.targets).chain(&self.unit);
        let narrowing = self.narrowing_columns().map(|column| column.name);
        columns.map(|column| column.name.clone()).chain(narrowing).collect()
    }

    /// The columns that narrow classes and are no targets. They are compared as they are written.
    pub(super) fn narrowing_columns(&self) -> impl Iterator<Item = AttributeSpec> {
        let is_target = |name: &String| self.targets.iter().any(|target| target.name == *name);
        self.narrowing.iter().filter(move |name| !is_target(name)).map(|name| {
            let mut column = AttributeSpec::new(name);
            column.rule.kind = Some(DomainKind::Text);
            column.rule.by_bytes = true;
            column.rule.missing = Vec::new();
            column
        })
    }
}

/// Refuses a question that makes no sense for a table of so many rows.
pub(super) fn check_spec(spec: &ProblemSpec, rows: u64) -> Result<()> {
    if spec.quasi.is_empty() {
        return Err(Error::new("no column is a quasi-identifier").help(
            "name the columns that could be matched with other data, such as age, sex and ZIP code",
        ));
    }
    let names = spec.columns();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        return Err(Error::new(format!("column {:?} is named twice, or has two roles", names[at])));
    }
    if rows == 0 {
        return Err(Error::new("the table has no rows"));
    }
    check_limit(spec.limit)?;
    if spec.max_bias.is_some_and(|most| !(0.0..=1.0).contains(&most)) {
        return Err(Error::new("the limit on bias must lie between 0% and 100%")
            .help("for example 2%: no share of a category moves by more than two points"));
    }
    spec.overall.validate()?;
    if let Some(known) = spec.known {
        check_k(known.k, rows)?;
        known.validate(spec.quasi.len(), rows)?;
        if spec.unit.is_some() {
            return Err(Error::new("known-columns counts rows: it cannot be combined with a unit")
                .help("leave out known-columns, or the unit"));
        }
        if !spec.narrowing.is_empty() {
            return Err(Error::new(
                "known-columns cannot be combined with columns that narrow classes",
            )
            .help("leave out known-columns, or make the other columns quasi-identifiers"));
        }
    }
    if spec.wildcards && !spec.overall.is_nothing() {
        return Err(Error::new(
            "average risk and share at risk need classes, and wildcards leave none",
        )
        .help("leave out wildcards, or the average risk and the share at risk"));
    }
    if spec.wildcards && !spec.models.is_empty() {
        return Err(Error::new("models beyond k need classes, and wildcards leave none")
            .help("leave out wildcards, or the models"));
    }
    if spec.wildcards && !spec.narrowing.is_empty() {
        return Err(Error::new("narrowing columns need classes, and wildcards leave none").help(
            "leave out wildcards, or the columns that narrow classes or follow from others",
        ));
    }
    if let Some(name) =
        spec.narrowing.iter().find(|name| spec.quasi.iter().any(|column| column.name == **name))
    {
        return Err(Error::new(format!(
            "{name:?} is both a quasi-identifier and a narrowing column"
        ))
        .help("name it once: quasi-identifiers narrow classes already"));
    }
    if spec.wildcards && spec.unit.is_some() {
        return Err(Error::new("a unit needs classes, and wildcards leave none")
            .help("leave out wildcards, or the unit"));
    }
    let has_hierarchy = spec.quasi.iter().any(|column| column.hierarchy.is_some());
    check_metric(spec.metric, spec.class.is_some(), has_hierarchy)?;
    spec.quasi.iter().chain(&spec.targets).try_for_each(AttributeSpec::check)?;
    spec.models.iter().try_for_each(|(_, model)| model.validate())
}

/// Refuses a k that no table of so many rows can give.
pub(super) fn check_k(k: u64, rows: u64) -> Result<()> {
    if k == 0 {
        return Err(Error::new("k must be at least 1").help("5 is a common choice"));
    }
    // That there are no rows is said elsewhere.
    if k > rows && rows > 0 {
        return Err(Error::new(format!(
            "k is {}, but the table has only {}",
            words::thousands(k),
            words::count(rows, "row", "rows")
        ))
        .help(format!("choose k of at most {rows}")));
    }
    Ok(())
}

/// Refuses a k that no table of so many units can give.
pub(super) fn check_units(k: u64, units: u64, column: &str) -> Result<()> {
    if k <= units {
        return Ok(());
    }
    Err(Error::new(format!(
        "k is {}, but column {column:?} has only {}",
        words::thousands(k),
        words::count(units, "unit", "units")
    ))
    .help(format!("choose k of at most {units}")))
}

/// Refuses a limit that is none.
pub(super) fn check_limit(limit: Limit) -> Result<()> {
    match limit {
        Limit::Share(share) if !(0.0..=1.0).contains(&share) => {
            Err(Error::new("the share of suppressed rows must lie between 0% and 100%"))
        }
        _ => Ok(()),
    }
}

/// Refuses a metric that has nothing to measure.
pub(super) fn check_metric(metric: Metric, has_class: bool, has_hierarchy: bool) -> Result<()> {
    match metric {
        Metric::Cm if !has_class => {
            Err(Error::new("the classification metric needs a class column")
                .help("give a column the role of the class, or choose another metric"))
        }
        Metric::Precision if !has_hierarchy => {
            Err(Error::new("precision is measured by hierarchies, but no quasi-identifier has one")
                .help("give a quasi-identifier a hierarchy, or choose another metric"))
        }
        _ => Ok(()),
    }
}
