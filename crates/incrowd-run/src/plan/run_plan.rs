//! A run that can start.

use super::job::Job;
use incrowd_assess::disclose::{ImpliedColumn, JointDisclosure};

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
    pub(crate) implied: Option<(&'a [ImpliedColumn], &'a [JointDisclosure])>,
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

    /// The same where it is known which columns follow from quasi-identifiers.
    pub(crate) fn with_implied(
        self,
        implied: &'a [ImpliedColumn],
        together: &'a [JointDisclosure],
    ) -> Self {
        RunPlan { implied: Some((implied, together)), ..self }
    }
}
