//! What was asked, and what was found for it.

use std::path::PathBuf;
use std::sync::OnceLock;

use incrowd_engine::release::RowDisposition;
use incrowd_engine::{Recoder, Shuffler, Table};
use incrowd_run::spec::SpecFile;
use incrowd_run::{
    Job, Result, RunReport, SearchedRun, Spec,
    compare::Comparison,
    data::{Source, fresh_seed, read_table},
    report::TracePoint,
};

use super::progress::ProgressPoint;
use super::summaries::{AttackSummary, FormsSummary, UtilitySummary, WrittenSummary};

/// A spec without what does not matter to the search: where its release goes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchSpec(Spec);

impl SearchSpec {
    pub(crate) fn of(spec: &Spec) -> Self {
        let mut spec = spec.clone();
        // Whose pseudonyms they are matters, too.
        let incrowd_run::spec::ReleaseSection {
            suppressed, key_file, labels, label_chance, ..
        } = std::mem::take(&mut spec.release);
        spec.release = incrowd_run::spec::ReleaseSection {
            suppressed,
            key_file,
            labels,
            label_chance,
            ..Default::default()
        };
        SearchSpec(spec)
    }

    /// The same whatever k and method it asks for: what alternatives have in common.
    pub(crate) fn of_any(spec: &Spec) -> Self {
        let mut question = Self::of(spec);
        question.0.privacy.k = 1;
        question.0.algorithm = Default::default();
        question
    }
}

/// A release that was found, and all that it was found with.
#[derive(Debug)]
pub(crate) struct FoundRelease {
    pub(crate) question: SearchSpec,
    pub(crate) file: SpecFile,
    pub(crate) job: Job,
    pub(crate) source: Source,
    pub(crate) found: SearchedRun,
    pub(crate) report: RunReport,
    pub(crate) trace: Vec<TracePoint>,
    pub(crate) points: Vec<ProgressPoint>,
    /// Where the search that found it goes on: the seconds that it had taken by then.
    pub(crate) so_far: Option<f64>,
    rows: OnceLock<std::result::Result<ReleasedRows, incrowd_run::Error>>,
}

/// The rows of a release in an order of their own.
#[derive(Debug)]
pub(crate) struct ReleasedRows {
    /// The table of the rows, if it is not the one that is open.
    pub(crate) table: Option<Table>,
    /// The released rows, shuffled: each with its class, none if it is blank.
    pub(crate) released: Vec<(u32, Option<u32>)>,
}

impl FoundRelease {
    pub(crate) fn new(
        file: SpecFile,
        job: Job,
        source: Source,
        found: SearchedRun,
        report: RunReport,
        trace: Vec<TracePoint>,
        points: Vec<ProgressPoint>,
    ) -> Self {
        let question = SearchSpec::of(&file.spec);
        FoundRelease {
            question,
            file,
            job,
            source,
            found,
            report,
            trace,
            points,
            so_far: None,
            rows: OnceLock::new(),
        }
    }

    /// The same as the best after so many seconds of a search that goes on.
    pub(crate) fn found_after(self, seconds: f64) -> Self {
        FoundRelease { so_far: Some(seconds), ..self }
    }

    /// The rows of the release. They are shuffled by a seed that nobody knows, as those that are written are.
    pub(crate) fn rows(&self, opened: &Table) -> Result<&ReleasedRows> {
        let made = self.rows.get_or_init(|| self.make_rows(opened));
        made.as_ref().map_err(Clone::clone)
    }

    fn make_rows(&self, opened: &Table) -> Result<ReleasedRows> {
        let control = incrowd_engine::Control::new();
        let disguised = (0..self.source.columns().len()).any(|at| self.source.is_disguised(at));
        let treated = disguised || !self.source.treatments().is_empty();
        let table = treated.then(|| read_table(&self.source, None, &control)).transpose()?;
        let Some(release) = self.found.release() else {
            return Ok(ReleasedRows { table, released: Vec::new() });
        };
        let recoder = Recoder::new(self.found.problem(), release);
        let dispositions =
            recoder.dispositions(table.as_ref().unwrap_or(opened), &mut recoder.assigner())?;
        let mut released: Vec<(u32, Option<u32>)> = (0..)
            .zip(dispositions)
            .filter_map(|(row, disposition)| match disposition {
                RowDisposition::Class(class) => Some((row, Some(class))),
                RowDisposition::Blank => Some((row, None)),
                RowDisposition::Dropped => None,
            })
            .collect();
        Shuffler::new(fresh_seed()).shuffle(&mut released);
        Ok(ReleasedRows { table, released })
    }
}

/// Releases to choose from.
#[derive(Debug, Clone)]
pub(crate) struct ReleaseAlternatives {
    /// What they have in common.
    pub(crate) question: SearchSpec,
    /// Method by method, as they were found.
    pub(crate) comparisons: Vec<Comparison>,
}

/// What a release is still good for.
#[derive(Debug, Clone)]
pub(crate) struct UtilityResult {
    pub(crate) question: SearchSpec,
    pub(crate) told: UtilitySummary,
}

/// What attacks on a release came to.
#[derive(Debug, Clone)]
pub(crate) struct AttackResult {
    /// Whose release it was; none for a file of another tool.
    pub(crate) question: Option<SearchSpec>,
    pub(crate) told: AttackSummary,
    /// The same as a page of its own.
    pub(crate) page: String,
}

/// What approvers file about a release that was written.
#[derive(Debug, Clone)]
pub(crate) struct ReleaseForms {
    pub(crate) told: FormsSummary,
    /// The forms, each with its name and its text.
    pub(crate) texts: Vec<(&'static str, String)>,
}

/// What was written.
#[derive(Debug, Clone)]
pub(crate) struct WrittenRelease {
    pub(crate) question: SearchSpec,
    pub(crate) told: WrittenSummary,
    /// The files, by what they are.
    pub(crate) files: Vec<(&'static str, PathBuf)>,
}
