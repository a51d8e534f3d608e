//! All that an algorithm may know.

mod column;
mod limit;
mod narrowed_part;
mod population;
mod requirements;
mod spec;
mod targets;

pub use column::{AttributeSpec, HierarchySource};
pub use limit::Limit;
pub(crate) use narrowed_part::{NarrowedPart, NarrowedParts};
pub use population::Population;
pub use spec::ProblemSpec;
pub use targets::{JointTargets, TargetColumn};

use std::borrow::Cow;

use crate::cost::{GroupPrice, Metric};
use crate::kit::{Error, ErrorKind, Result, words};
use crate::privacy::{ClassTally, CountingBasis, Model, PrivacyRequirements};
use crate::table::{Codebook, FrequencyCounts, GatheredProfiles, ProfileCounter, Profiles, Table};
use crate::value::{Attribute, ClassSummary, DomainCoding, DomainKind};
use requirements::requirements;
use spec::{check_k, check_limit, check_metric, check_spec, check_units};

/// All that an algorithm may know: attributes, profiles, privacy, cost and suppression limit.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The quasi-identifiers.
    pub attributes: Vec<Attribute>,
    /// The class and sensitive columns.
    pub targets: JointTargets,
    /// Which target column is the class column.
    pub class: Option<usize>,
    /// The distinct combinations with their counts.
    pub cells: Profiles,
    /// How many rows there are.
    pub rows: u64,
    /// What a class must satisfy.
    pub privacy: PrivacyRequirements,
    /// What is minimized.
    pub metric: Metric,
    /// Most rows that may be suppressed.
    pub limit: Limit,
    /// How far suppression may move the share of any category.
    pub max_bias: Option<f64>,
    /// The population that the table is a part of, where classes must satisfy something in it.
    pub population: Option<Population>,
    /// The attribute that holds survey weights, if one does.
    pub survey_weight: Option<usize>,
    /// The attributes whose weighted totals by category stay.
    pub calibrated: Vec<usize>,
    /// For each counted column, its values with their codes: what a second pass over the rows needs.
    pub codebooks: Vec<Codebook>,
}

impl Problem {
    /// The problem that a spec poses for a table in memory.
    pub fn of_table(spec: &ProblemSpec, table: &Table) -> Result<Self> {
        let counts = FrequencyCounts::of_table(table, &spec.columns()).map_err(|name| {
            let names: Vec<&str> =
                table.columns().iter().map(|column| column.name.as_str()).collect();
            Error::new(format!("there is no column {name:?}"))
                .help(format!("the columns are {}", words::list(&names)))
        })?;
        Self::build(spec, &counts)
    }

    /// The problem that a spec poses for counted rows; the counts hold the columns of
    /// [`ProblemSpec::columns`].
    pub fn build(spec: &ProblemSpec, counts: &FrequencyCounts) -> Result<Self> {
        check_k(spec.k, counts.rows())?;
        let problem = Self::build_for_any_k(spec, counts)?;
        problem.check_units(spec.k)?;
        Ok(problem)
    }

    /// Refuses a k of more units than there are.
    fn check_units(&self, k: u64) -> Result<()> {
        let Some(unit) = self.privacy.unit() else { return Ok(()) };
        let column = &self.targets.columns[unit];
        check_units(k, column.domain.len() as u64, &column.name)
    }

    /// The same, whether or not there are k rows: new rows for a recoding that was made from others may be few.
    fn build_for_any_k(spec: &ProblemSpec, counts: &FrequencyCounts) -> Result<Self> {
        check_spec(spec, counts.rows())?;
        if spec.columns().len() != counts.columns.len()
            || spec.columns().iter().zip(&counts.columns).any(|(name, column)| *name != column.0)
        {
            let counted: Vec<&str> =
                counts.columns.iter().map(|column| column.0.as_str()).collect();
            return Err(Error::new(format!(
                "the counts are of columns {}, but the question is about {}",
                words::list(&counted),
                words::list(&spec.columns())
            )));
        }
        let (mut attributes, mut columns, mut codebooks) = (Vec::new(), Vec::new(), Vec::new());
        let mut target_hierarchies = Vec::new();
        let sign = spec.decimal_sign(counts);
        let narrowing: Vec<AttributeSpec> = spec.narrowing_columns().collect();
        let asked = spec.quasi.iter().chain(&spec.targets).chain(&spec.unit).chain(&narrowing);
        for (at, column) in asked.enumerate() {
            let dictionary = &counts.columns[at].1;
            let fixed = match spec.fixed_labels && at < spec.quasi.len() {
                true => Some(column.on_fixed_list(dictionary, sign, spec.decimal)?),
                false => None,
            };
            let column = fixed.as_ref().unwrap_or(column);
            let (DomainCoding { domain, codes }, hierarchy) = match at < spec.quasi.len() {
                true => column.build(dictionary, sign, spec.decimal)?,
                false => column.build_target(dictionary, &spec.models, sign, spec.decimal)?,
            };
            codebooks.push(Codebook::new(dictionary, codes));
            let name = column.name.clone();
            if at < spec.quasi.len() {
                let by_default =
                    if hierarchy.is_some() { ClassSummary::Node } else { ClassSummary::Range };
                let summary = column.summary.unwrap_or(by_default);
                let asks_for_nodes = matches!(summary, ClassSummary::Node | ClassSummary::Nodes);
                if asks_for_nodes && hierarchy.is_none() {
                    return Err(Error::new(format!(
                        "column {name:?} is to be released as hierarchy nodes, but has no hierarchy"
                    ))
                    .help("give it one, or use summary = \"range\""));
                }
                if !asks_for_nodes && summary != ClassSummary::Range && !domain.is_numeric() {
                    return Err(Error::new(format!(
                        "column {name:?} holds text: it has no mean, median, minimum or maximum"
                    ))
                    .help("use summary = \"range\""));
                }
                // The union of neighbouring nodes of numbers is a range, and the range of the values says more.
                let summary = match summary {
                    ClassSummary::Nodes if domain.is_numeric() => ClassSummary::Range,
                    other => other,
                };
                let weight = column.weight;
                let cuts = column.cuts(&domain)?;
                let (argus, limits) = (column.argus, None);
                // Dates need no hierarchy for levels: they have their units of time.
                let units = if hierarchy.is_none() { domain.unit_tree() } else { None };
                let mut attribute = Attribute {
                    name,
                    domain,
                    hierarchy,
                    units,
                    weight,
                    summary,
                    cuts,
                    limits,
                    argus,
                    step: None,
                };
                if spec.fixed_labels && attribute.hierarchy.is_none() {
                    attribute.step = attribute.readable_steps().first().copied();
                    let bins = attribute.domain.fixed_tree(&attribute.name);
                    // Without a step that hides anything, bins are all there is.
                    if attribute.step.is_none() && attribute.tells_ends() && bins.is_some() {
                        (attribute.hierarchy, attribute.summary) = (bins, ClassSummary::Node);
                    } else {
                        attribute.units = attribute.units.take().or(bins);
                    }
                }
                attribute.limits = column.level_limits(attribute.levels())?;
                attributes.push(attribute);
            } else {
                columns.push(TargetColumn { name, domain });
                target_hierarchies.push(hierarchy);
            }
        }
        let mut problem = Problem {
            targets: JointTargets::new(columns, spec),
            class: spec
                .class
                .as_ref()
                .and_then(|class| spec.targets.iter().position(|l| l.name == *class)),
            cells: Profiles::gather(&ProfileCounter::new(0), &[], &[], 0).cells,
            rows: counts.cells.rows(),
            privacy: PrivacyRequirements {
                k: spec.k,
                requirements: Vec::new(),
                wildcards: spec.wildcards,
                scattered: false,
                shared_units: false,
                overall: spec.overall,
                population: None,
                known: spec.known,
            },
            population: None,
            survey_weight: spec
                .survey_weight
                .as_ref()
                .and_then(|name| spec.quasi.iter().position(|column| column.name == *name)),
            calibrated: spec
                .calibrated
                .iter()
                .filter_map(|name| spec.quasi.iter().position(|column| column.name == *name))
                .collect(),
            metric: spec.metric,
            limit: spec.limit,
            max_bias: spec.max_bias,
            attributes,
            codebooks,
        };
        problem.gather(counts, spec)?;
        let whole = problem.whole();
        problem.privacy.requirements =
            requirements(spec, &whole, &problem.targets, &target_hierarchies)?;
        Ok(problem)
    }

    /// The same question for another k.
    pub fn with_k(mut self, k: u64) -> Result<Self> {
        check_k(k, self.rows)?;
        self.check_units(k)?;
        self.privacy.set_k(k);
        Ok(self)
    }

    /// The same question with another limit on suppressed rows.
    pub fn with_limit(mut self, limit: Limit) -> Result<Self> {
        check_limit(limit)?;
        self.limit = limit;
        Ok(self)
    }

    /// The same question whatever suppression does to the shares of categories.
    pub(crate) fn without_bias_limit(mut self) -> Self {
        self.max_bias = None;
        self
    }

    /// The same question under another metric.
    pub fn with_metric(mut self, metric: Metric) -> Result<Self> {
        let has_hierarchy = self.attributes.iter().any(|attribute| attribute.hierarchy.is_some());
        check_metric(metric, self.class.is_some(), has_hierarchy)?;
        self.metric = metric;
        Ok(self)
    }

    /// The same question for other rows: domains and hierarchies stay, so a value that the old rows
    /// did not have is [`UNSEEN`](crate::table::UNSEEN). Also returns how many rows have such a value; they are in no profile.
    pub fn for_new_rows(
        attributes: Vec<Attribute>,
        spec: &ProblemSpec,
        counts: &FrequencyCounts,
        missing: &[String],
    ) -> Result<(Self, u64)> {
        let mut bare = spec.clone();
        // How the quasi-identifiers are read is known: here they only have to be counted.
        bare.quasi = attributes
            .iter()
            .map(|attribute| {
                let mut column = AttributeSpec::new(&attribute.name);
                column.rule.kind = Some(DomainKind::Text);
                column
            })
            .collect();
        let mut problem = Self::build_for_any_k(&bare, counts)?;
        for (at, attribute) in attributes.iter().enumerate() {
            let values = &counts.columns[at].1;
            problem.codebooks[at] =
                Codebook::new(values, attribute.domain.codes_of(values, missing));
        }
        problem.attributes = attributes;
        let unseen = problem.gather(counts, spec)?;
        // Rows with unseen values are gone, so combinations are numbered anew.
        let Problem { targets, privacy, .. } = &mut problem;
        for requirement in &mut privacy.requirements {
            if let CountingBasis::Combined(combined) = &mut requirement.counted {
                *combined = targets.combined(combined.at);
            }
        }
        Ok((problem, unseen))
    }

    /// Makes the profiles; returns how many rows have an unseen value.
    fn gather(&mut self, counts: &FrequencyCounts, spec: &ProblemSpec) -> Result<u64> {
        let domains: Vec<usize> = self
            .attributes
            .iter()
            .map(|attribute| attribute.domain.len())
            .chain(self.targets.columns.iter().map(|column| column.domain.len()))
            .collect();
        let codes = self.codebooks.iter().zip(&counts.columns).map(|(codebook, (name, values))| {
            codebook.codes_for(values).map_err(|value| not_counted(name, value))
        });
        let codes: Vec<Cow<'_, [u32]>> = codes.collect::<Result<_>>()?;
        let codes: Vec<&[u32]> = codes.iter().map(AsRef::as_ref).collect();
        let GatheredProfiles { cells, joint, joint_index, unseen } =
            Profiles::gather(&counts.cells, &codes, &domains, self.attributes.len());
        self.cells = cells;
        (self.targets.joint, self.targets.index) = (joint, joint_index);
        self.targets.combine();
        let by_shares = |(_, model): &(String, Model)| model.failing_class_may_have_passing_parts();
        self.privacy.shared_units = self.targets.is_scattered(&self.cells);
        self.privacy.scattered = spec.models.iter().any(by_shares) && self.privacy.shared_units;
        Ok(unseen)
    }

    /// The names of the counted columns: the quasi-identifiers, then the targets.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let quasi = self.attributes.iter().map(|attribute| attribute.name.as_str());
        quasi.chain(self.targets.columns.iter().map(|column| column.name.as_str()))
    }

    /// The sizes of the attributes' domains.
    pub fn domains(&self) -> Vec<usize> {
        self.attributes.iter().map(|attribute| attribute.domain.len()).collect()
    }

    /// The tally of the whole table.
    pub fn whole(&self) -> ClassTally {
        let mut tally = self.targets.tally();
        for cell in 0..self.cells.len() {
            for &(target, count) in self.cells.targets(cell) {
                tally.add(self.targets.of(target), count);
            }
        }
        tally.size = self.cells.counts().iter().sum();
        tally.people = self.population.iter().flat_map(|it| it.counts()).sum();
        tally
    }

    /// How many rows carry each value of an attribute.
    pub fn marginal(&self, attribute: usize) -> Vec<u64> {
        self.rows_by_code(attribute, self.cells.counts())
    }

    /// How many of some rows, so many of each profile, carry each value of an attribute.
    pub(crate) fn rows_by_code(&self, attribute: usize, cells: &[u64]) -> Vec<u64> {
        let mut counts = vec![0; self.attributes[attribute].domain.len()];
        for (cell, &count) in cells.iter().enumerate() {
            counts[self.cells.code(attribute, cell) as usize] += count;
        }
        counts
    }

    /// What a metric charges rows for released groups.
    pub(crate) fn group_prices(&self, metric: Metric) -> GroupPrice<'_> {
        let marginals = (0..self.attributes.len()).map(|at| self.marginal(at));
        GroupPrice::new(&self.attributes, marginals, self.rows, metric)
    }
}

/// Rows have a value that the rows lacked which the problem was posed for.
pub(crate) fn not_counted(column: &str, value: &str) -> Error {
    Error::new(format!(
        "column {column:?} holds {}, which did not occur when rows were counted",
        words::value(value)
    ))
    .of_kind(ErrorKind::Changed)
    .help("count the rows again: the table has changed since")
}
