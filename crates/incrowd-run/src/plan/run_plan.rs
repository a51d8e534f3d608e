//! A run that can start.

use incrowd_assess::disclose::{ImpliedColumn, JointDisclosure};

use super::job::Job;
use crate::Source;

/// A question and the table that it is put to.
#[derive(Debug, Clone, Copy)]
pub struct RunPlan<'a> {
    /// The question, resolved against the columns of the table.
    pub job: &'a Job,
    /// The table: its columns at least.
    pub source: &'a Source,
    pub(crate) population: Option<&'a Source>,
    /// The columns that follow from quasi-identifiers, where they are known already.
    pub(crate) implied: Option<&'a ImpliedColumns>,
}

/// The columns that a run found to follow from quasi-identifiers. Only a run finds them: whoever counts again keeps the
/// answer, and cannot write one.
#[derive(Debug, Clone)]
pub struct ImpliedColumns {
    pub(crate) columns: Vec<ImpliedColumn>,
    /// Those that tell something together.
    pub(crate) together: Vec<JointDisclosure>,
}

impl ImpliedColumns {
    /// The names of the columns that follow.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|it| it.column.clone()).collect()
    }
}

impl<'a> RunPlan<'a> {
    /// A job and its table.
    pub fn new(job: &'a Job, source: &'a Source) -> Self {
        RunPlan { job, source, population: None, implied: None }
    }

    /// The same with a population that lies in memory.
    #[must_use]
    pub fn with_population(self, population: Option<&'a Source>) -> Self {
        RunPlan { population, ..self }
    }

    /// The same where an earlier count has found which columns follow from quasi-identifiers.
    #[must_use]
    pub fn with_implied(self, implied: Option<&'a ImpliedColumns>) -> Self {
        RunPlan { implied, ..self }
    }
}
