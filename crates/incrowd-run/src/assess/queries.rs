//! Questions asked of a release in a file, and of its original.

use incrowd_assess::queries::{QueryErrors, Workload};
use incrowd_engine::value::MISSING_TOKENS;
use incrowd_engine::{Control, Problem, ProblemSpec};
use serde::Serialize;

use super::reading::{go_on, read_columns};
use crate::spec::{DateFormats, hierarchies::Hierarchy};
use crate::{Error, Result, Source, load_hierarchy, read_release, read_table};

/// What is asked, and how the release is to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct QueryOptions {
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// Hierarchies of some of them, to read their labels.
    pub hierarchies: Vec<(String, Hierarchy)>,
    /// The texts that mean "missing".
    pub missing: Vec<String>,
    /// How the dates of the original are written.
    pub dates: DateFormats,
    /// The questions.
    pub workload: Workload,
}

impl QueryOptions {
    /// The usual questions about these quasi-identifiers.
    pub fn new(quasi: impl IntoIterator<Item = impl Into<String>>) -> Self {
        QueryOptions {
            quasi: quasi.into_iter().map(Into::into).collect(),
            hierarchies: Vec::new(),
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            dates: DateFormats::default(),
            workload: Workload::default(),
        }
    }

    /// Adds a hierarchy of a quasi-identifier.
    #[must_use]
    pub fn with_hierarchy(mut self, column: impl Into<String>, hierarchy: Hierarchy) -> Self {
        self.hierarchies.push((column.into(), hierarchy));
        self
    }

    /// Sets the texts that mean "missing".
    #[must_use]
    pub fn with_missing(self, missing: Vec<String>) -> Self {
        QueryOptions { missing, ..self }
    }

    /// Sets how the dates of the original are written.
    #[must_use]
    pub fn with_dates(self, dates: DateFormats) -> Self {
        QueryOptions { dates, ..self }
    }

    /// Sets the questions.
    #[must_use]
    pub fn with_workload(self, workload: Workload) -> Self {
        QueryOptions { workload, ..self }
    }

    fn problem(&self) -> Result<ProblemSpec> {
        let mut spec = self.quasi.iter().fold(ProblemSpec::new(1), |spec, name| spec.quasi(name));
        for column in &mut spec.quasi {
            column.rule.missing.clone_from(&self.missing);
            column.rule = self.dates.rule(&column.name, column.rule.clone());
        }
        for (name, hierarchy) in &self.hierarchies {
            let Some(column) = spec.quasi.iter_mut().find(|column| column.name == *name) else {
                return Err(Error::new(format!(
                    "`{name}` has a hierarchy but is no quasi-identifier"
                ))
                .help("name it in --quasi, or leave out its hierarchy"));
            };
            column.hierarchy = Some(load_hierarchy(hierarchy)?);
        }
        Ok(spec)
    }
}

/// What was asked, and how far the answers were off.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueryEvaluation {
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release.
    pub released: u64,
    /// The questions.
    pub workload: Workload,
    /// How far the answers were off.
    pub errors: QueryErrors,
}

/// Asks random questions of a release and of its original.
pub fn queries_of(
    release: &Source,
    original: &Source,
    options: &QueryOptions,
    control: &Control,
) -> Result<QueryEvaluation> {
    let spec = options.problem()?;
    let problem = Problem::of_table(&spec, &read_columns(original, &options.quasi, control)?)?;
    let released = read_table(release, None, control)?;
    go_on(control)?;
    let errors = options.workload.errors(&problem, &read_release(&problem, &released)?)?;
    Ok(QueryEvaluation {
        rows: problem.rows,
        released: released.rows() as u64,
        workload: options.workload.clone(),
        errors,
    })
}
