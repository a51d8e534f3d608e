//! A run and what its page needs of it.

use incrowd_run::spec::SpecFile;
use incrowd_run::{Job, RunReport, report::TracePoint};

/// A run and all that its page tells.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunPage<'a> {
    /// The question as it was put.
    pub file: &'a SpecFile,
    /// The question as it was taken.
    pub job: &'a Job,
    /// What the table is called; without its folder, where the page is shared.
    pub table: String,
    /// What came of it. It is drawn if the job asks for a report.
    pub report: &'a RunReport,
    /// How the search went.
    pub trace: &'a [TracePoint],
    /// The command that ran it, if there was one. Whoever gives it sees to it that it names nothing confidential.
    pub command: Option<String>,
    /// What somebody has confirmed before the release was written, a sentence each.
    pub confirmed: Vec<String>,
    /// Whether it is for the owner of the table alone, and tells of suppressed rows.
    pub confidential: bool,
}

impl<'a> RunPage<'a> {
    /// The page about a run.
    pub fn new(
        file: &'a SpecFile,
        job: &'a Job,
        table: impl Into<String>,
        report: &'a RunReport,
    ) -> Self {
        let table = table.into();
        RunPage {
            file,
            job,
            table,
            report,
            trace: &[],
            command: None,
            confirmed: Vec::new(),
            confidential: false,
        }
    }

    /// With how the search went.
    #[must_use]
    pub fn with_trace(mut self, trace: &'a [TracePoint]) -> Self {
        self.trace = trace;
        self
    }

    /// For the owner of the table: with every row counted, suppressed ones too, and the spec as it is. It says of itself that
    /// it is confidential.
    #[must_use]
    pub fn confidential(mut self) -> Self {
        self.confidential = true;
        self
    }

    /// With what somebody has confirmed before the release was written.
    #[must_use]
    pub fn with_confirmed(mut self, confirmed: Vec<String>) -> Self {
        self.confirmed = confirmed;
        self
    }

    /// With the command that ran it.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// What somebody has confirmed, as notes.
    pub(crate) fn confirmed_notes(&self) -> impl Iterator<Item = String> {
        let confirmed = self.confirmed.iter();
        confirmed.map(|it| format!("Confirmed before the release was written: {it}"))
    }
}
