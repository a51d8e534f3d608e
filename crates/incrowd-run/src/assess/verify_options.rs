//! What is asked of a release that is shown to the verifier.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_engine::Model;
use incrowd_engine::value::MISSING_TOKENS;
use incrowd_verify::{ReferenceDistribution, RiskBounds};

use crate::plan::opening::treatments;
use crate::spec::{DateFormats, PrivacySection, ROW, Role, SpecFile, hierarchies::Hierarchy};
use crate::{ColumnDetail, FinishingPlan, Job, Result, TransformRequest};

/// What a release must keep, and how it is to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// The least rows that look alike.
    pub k: u64,
    /// The quasi-identifiers, by their names in the original.
    pub quasi: Vec<String>,
    /// Columns that must not be released.
    pub identifying: Vec<String>,
    /// Sensitive columns that must be there.
    pub sensitive: Vec<String>,
    /// Models beyond k, each with its sensitive column.
    pub models: Vec<(String, Model)>,
    /// The released column that tells apart who is protected, where that is not the rows.
    pub unit: Option<String>,
    /// Whether a missing sensitive value counts towards l.
    pub count_missing: bool,
    /// Which shares models compare classes with.
    pub reference: ReferenceDistribution,
    /// Whether a blank is taken to match anything, the weaker reading.
    pub wildcards: bool,
    /// The texts that mean "missing".
    pub missing: Vec<String>,
    /// How the dates of the original are written.
    pub dates: DateFormats,
    /// Released columns that are not compared with the original.
    pub unchecked: Vec<String>,
    /// The order of the values of sensitive columns and quasi-identifiers, where it is not that of a run.
    pub orders: BTreeMap<String, Vec<String>>,
    /// Hierarchies; those built by rule need the original.
    pub hierarchies: Vec<(String, Hierarchy)>,
    /// What was done to columns of the original before they were released, and what they were renamed to.
    pub treatments: Vec<TransformRequest>,
    /// The decimal sign of numbers, where it is not to be found from the values.
    pub decimal: Option<char>,
    /// What is asked for beyond classes: linked rows, columns that narrow or follow, values that were replaced.
    pub finishing: FinishingPlan,
    /// What is asked of the risks of the release as a whole, of few known columns and in a population.
    pub risks: RiskBounds,
    /// How many people outside were asked to fit every box; that cannot be judged from a release.
    pub outside: Option<u32>,
    /// The population, a table with the same quasi-identifiers.
    pub population: Option<PathBuf>,
    /// Its column that tells how many people a row stands for.
    pub population_weight: Option<String>,
}

impl VerifyOptions {
    /// k-anonymity by these quasi-identifiers.
    pub fn new(k: u64, quasi: impl IntoIterator<Item = impl Into<String>>) -> Self {
        VerifyOptions {
            k,
            quasi: quasi.into_iter().map(Into::into).collect(),
            identifying: Vec::new(),
            sensitive: Vec::new(),
            models: Vec::new(),
            unit: None,
            count_missing: false,
            reference: ReferenceDistribution::default(),
            wildcards: false,
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            dates: DateFormats::default(),
            unchecked: Vec::new(),
            orders: BTreeMap::new(),
            hierarchies: Vec::new(),
            treatments: Vec::new(),
            decimal: None,
            finishing: FinishingPlan::default(),
            risks: RiskBounds::default(),
            outside: None,
            population: None,
            population_weight: None,
        }
    }

    /// What a spec asks of its release.
    pub fn of_spec(file: &SpecFile) -> Result<Self> {
        let spec = &file.spec;
        let names = |role| -> Vec<String> {
            spec.columns_with(role).map(|column| column.name.clone()).collect()
        };
        let population = spec.data.population.as_ref().map(|path| file.resolve(path));
        let mut options = VerifyOptions::new(spec.privacy.k, names(Role::Quasi))
            .with_risks(&spec.privacy, population)
            .with_identifying(
                spec.columns_with(Role::Identifying)
                    .filter(|column| column.follows.is_none())
                    .map(|column| column.name.clone())
                    .collect(),
            )
            .with_sensitive(names(Role::Sensitive))
            .with_unit(spec.privacy.unit.clone())
            .with_count_missing(spec.privacy.count_missing)
            .with_reference(
                spec.privacy.reference.map_or_else(ReferenceDistribution::default, Into::into),
            )
            .with_wildcards(spec.privacy.wildcards)
            .with_missing(spec.data.missing_tokens())
            .with_dates(spec.date_formats())
            .with_decimal(spec.data.decimal)
            .with_treatments(treatments(spec));
        options.finishing = FinishingPlan::of_spec(file);
        options.models = Job::models(file)?;
        for column in &spec.columns {
            if let Some(order) = &column.order {
                options = options.with_order(&column.name, order.clone());
            }
            if let Some(hierarchy) = &column.hierarchy {
                let hierarchy = match hierarchy {
                    Hierarchy::File(path) => Hierarchy::File(file.resolve(path)),
                    rule => rule.clone(),
                };
                options = options.with_hierarchy(&column.name, hierarchy);
            }
        }
        Ok(options)
    }

    /// Sets the columns that must not be released.
    #[must_use]
    pub fn with_identifying(self, identifying: Vec<String>) -> Self {
        VerifyOptions { identifying, ..self }
    }

    /// Sets the sensitive columns that must be there.
    #[must_use]
    pub fn with_sensitive(self, sensitive: Vec<String>) -> Self {
        VerifyOptions { sensitive, ..self }
    }

    /// Sets k and what is asked of risks as a spec says it, and the population where that is needed.
    #[must_use]
    pub fn with_risks(mut self, privacy: &PrivacySection, population: Option<PathBuf>) -> Self {
        let asked = &privacy.risks;
        let overall = asked.overall();
        self.k = privacy.least_rows();
        self.risks = RiskBounds {
            average: overall.average,
            at_risk: overall.at_risk.map(|it| (it.share, it.threshold)),
            unique: overall.unique.map(|it| (it.share, it.fraction)),
            known: asked.known_columns.map(|columns| (privacy.k, columns as usize)),
            population: privacy.matching().map(|rule| incrowd_verify::Population {
                least: rule.least,
                presence: rule.presence,
                unique: asked.counted_unique(),
                ..Default::default()
            }),
            max_bias: asked.max_bias,
        };
        self.outside = asked.min_outside;
        self.population = population.filter(|_| asked.needs_population());
        self.population_weight.clone_from(&asked.population_weight);
        self
    }

    /// Adds a model beyond k for a sensitive column.
    #[must_use]
    pub fn with_model(mut self, column: impl Into<String>, model: Model) -> Self {
        self.models.push((column.into(), model));
        self
    }

    /// Sets which shares models compare classes with.
    #[must_use]
    pub fn with_reference(self, reference: ReferenceDistribution) -> Self {
        VerifyOptions { reference, ..self }
    }

    /// Sets whether a missing sensitive value counts towards l.
    #[must_use]
    pub fn with_count_missing(self, count_missing: bool) -> Self {
        VerifyOptions { count_missing, ..self }
    }

    /// Sets the column that tells apart who is protected; `row` is the same as none.
    #[must_use]
    pub fn with_unit(self, unit: Option<String>) -> Self {
        VerifyOptions { unit: unit.filter(|unit| unit != ROW), ..self }
    }

    /// Sets whether a blank is taken to match anything, the weaker reading.
    #[must_use]
    pub fn with_wildcards(self, wildcards: bool) -> Self {
        VerifyOptions { wildcards, ..self }
    }

    /// Sets the texts that mean "missing".
    #[must_use]
    pub fn with_missing(self, missing: Vec<String>) -> Self {
        VerifyOptions { missing, ..self }
    }

    /// Sets how the dates of the original are written.
    #[must_use]
    pub fn with_dates(self, dates: DateFormats) -> Self {
        VerifyOptions { dates, ..self }
    }

    /// Sets the released columns that are not compared with the original.
    #[must_use]
    pub fn with_unchecked(self, unchecked: Vec<String>) -> Self {
        VerifyOptions { unchecked, ..self }
    }

    /// Sets the order of the values of a sensitive column.
    #[must_use]
    pub fn with_order(mut self, column: impl Into<String>, values: Vec<String>) -> Self {
        self.orders.insert(column.into(), values);
        self
    }

    /// Adds the hierarchy of a column.
    #[must_use]
    pub fn with_hierarchy(mut self, column: impl Into<String>, hierarchy: Hierarchy) -> Self {
        self.hierarchies.push((column.into(), hierarchy));
        self
    }

    /// Tells what was done to columns of the original before they were released.
    #[must_use]
    pub fn with_treatments(self, treatments: Vec<TransformRequest>) -> Self {
        VerifyOptions { treatments, ..self }
    }

    /// Sets what is asked for beyond classes.
    #[must_use]
    pub fn with_finishing(self, finishing: FinishingPlan) -> Self {
        VerifyOptions { finishing, ..self }
    }

    /// Adds columns that others may know as they are.
    #[must_use]
    pub fn with_known(mut self, columns: Vec<String>) -> Self {
        self.finishing.narrowing.extend(columns);
        self
    }

    /// Sets the column by which others may link the rows of a unit, if there is one.
    #[must_use]
    pub fn with_links(mut self, column: Option<String>) -> Self {
        if column.is_some() {
            self.finishing.linked = column;
        }
        self
    }

    /// Sets the decimal sign of numbers.
    #[must_use]
    pub fn with_decimal(self, decimal: Option<char>) -> Self {
        VerifyOptions { decimal, ..self }
    }

    /// What a verdict on a table that is counted where it lies needs of its column: the values by which rows are alike and
    /// those that models look at, and whether a column that nobody has named tells everybody apart.
    pub fn wanted(&self, column: &str) -> ColumnDetail {
        let finishing = &self.finishing;
        let told = self.is_of_quasi(column)
            || self.models.iter().any(|(name, _)| name == column)
            || self.unit.as_deref() == Some(column)
            || finishing.narrowing().iter().any(|name| name == column)
            || finishing.linked.as_deref() == Some(column);
        match () {
            () if told => ColumnDetail::Values,
            () if self.is_named(column) => ColumnDetail::Name,
            () => ColumnDetail::Count,
        }
    }

    /// The k for which a column that shows which rows belong together is looked for among those that nobody has named; none
    /// where somebody has said it, or where it does not matter.
    pub fn looks_for_links(&self) -> Option<u64> {
        let is_said = self.finishing.linked.is_some() || self.unit.is_some() || self.wildcards;
        (!is_said).then_some(self.k)
    }

    /// Whether a column of the release is a quasi-identifier, or one of the two that a quasi-identifier has become.
    pub(super) fn is_of_quasi(&self, column: &str) -> bool {
        let has = |column: &str| self.quasi.iter().any(|name| name == column);
        has(column) || ["_min", "_max"].iter().any(|end| column.strip_suffix(end).is_some_and(has))
    }

    /// Whether somebody has said what a column of the release is.
    pub(super) fn is_named(&self, column: &str) -> bool {
        let lists = [&self.identifying, &self.sensitive, &self.unchecked];
        self.is_of_quasi(column)
            || lists.iter().any(|list| list.iter().any(|name| name == column))
            || self.models.iter().any(|(name, _)| name == column)
            || self.finishing.treated.iter().any(|(name, _)| name == column)
    }

    /// The name that the original has for a column of the release.
    pub(super) fn original_name<'a>(&'a self, column: &'a str) -> &'a str {
        let renamed = self.treatments.iter().find(|ask| ask.rename.as_deref() == Some(column));
        renamed.map_or(column, |ask| &ask.column)
    }
}
