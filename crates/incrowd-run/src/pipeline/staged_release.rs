//! A release that is complete and seen by nobody yet.

use incrowd_engine::{Release, SavedRecoding};
use incrowd_verify::Requirements;

use crate::backend::table_backend::TableBackend;
use crate::checks::judgement::Judgement;
use crate::report::run_report::RunReport;
use crate::{OutputFile, Result};

/// A release that is complete, was read back, has passed every check, and is seen by nobody yet.
#[derive(Debug)]
pub struct StagedRelease {
    /// What there is to tell of the run.
    pub report: RunReport,
    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub recoding: Option<SavedRecoding>,
    /// What the release was found to hold, for whoever checks it again where it goes.
    pub requirements: Option<Requirements>,
    pub(crate) files: Vec<OutputFile>,
    pub(crate) release: Option<Release>,
    pub(crate) judgement: Judgement,
    /// Whether there is a release to be shown.
    pub(crate) staged: bool,
}

impl StagedRelease {
    /// Shows the release to others, if there is one and all checks permit it; files that belong to it get their names with
    /// it. Together or not at all: a release without its recoding, or with the report of another run, helps nobody.
    pub fn commit(
        mut self,
        backend: &mut dyn TableBackend,
        files: impl IntoIterator<Item = OutputFile>,
    ) -> Result<RunReport> {
        self.commit_files(backend, files)?;
        Ok(self.report)
    }

    /// The same for whoever needs more than the report.
    pub(crate) fn commit_files(
        &mut self,
        backend: &mut dyn TableBackend,
        files: impl IntoIterator<Item = OutputFile>,
    ) -> Result<()> {
        let files: Vec<OutputFile> = self.files.drain(..).chain(files).collect();
        match self.staged {
            true => backend.commit(self.judgement.permit()?, files),
            // Files about a run that released nothing.
            false => OutputFile::commit_all(files),
        }
    }

    /// The classes, measures and labels of the release.
    pub(crate) fn take_release(&mut self) -> Option<Release> {
        self.release.take()
    }

    /// What the checks found.
    pub(crate) fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// A copy of a release that was judged before, complete and read back.
    pub(crate) fn of_copy(report: RunReport, judgement: Judgement) -> Self {
        StagedRelease {
            report,
            recoding: None,
            requirements: None,
            files: Vec::new(),
            release: None,
            judgement,
            staged: true,
        }
    }
}
