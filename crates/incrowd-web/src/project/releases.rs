//! The releases of a project, with their figures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_run::spec::SpecFile;
use incrowd_run::{Result, RunPlan, SavedSearch, Spec};
use serde::{Deserialize, Serialize};

use super::approval::ReleaseApproval;
use super::spec_text;
use crate::paths::ENDING;
use crate::results::{FoundRelease, SearchSpec, without_lines};

/// What is needed to have a release again is kept up to so many bytes; above, it is searched for again.
const LARGEST_SEARCH: usize = 32 << 20;

/// A release that was found.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRelease {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) question: SearchSpec,
    pub(crate) spec: Spec,
    /// The spec as a text: it is kept with every change of the project.
    text: Arc<str>,
    pub(crate) figures: ReleaseFigures,
    /// The release itself, while the program has it.
    pub(crate) found: Option<Arc<FoundRelease>>,
    /// What it can be restored from.
    pub(crate) search: Option<Arc<str>>,
    /// Where it was written to, from the root.
    pub(crate) written: Vec<String>,
    /// What was ticked, remarked and decided.
    pub(crate) approval: ReleaseApproval,
}

/// The figures of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleaseFigures {
    /// When it was found: seconds since 1970.
    pub(crate) at: u64,
    pub(crate) method: String,
    pub(crate) kind: String,
    pub(crate) metric: String,
    pub(crate) k: u64,
    pub(crate) achieved_k: Option<u64>,
    pub(crate) cost: Option<f64>,
    pub(crate) gap: Option<f64>,
    pub(crate) rows: u64,
    pub(crate) released: u64,
    pub(crate) suppressed: u64,
    pub(crate) classes: usize,
    /// The share of the detail that is lost.
    pub(crate) loss: Option<f64>,
    pub(crate) highest: Option<f64>,
    pub(crate) average: Option<f64>,
    pub(crate) seconds: Option<f64>,
    pub(crate) repeatable: bool,
    /// What was asked for beyond k, in words.
    pub(crate) requirements: Vec<String>,
    pub(crate) columns: Vec<ColumnFigures>,
}

/// What became of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnFigures {
    pub(crate) column: String,
    pub(crate) what: String,
    pub(crate) kept: Option<f64>,
}

/// A release in the file of a project.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleaseRecord {
    id: u64,
    name: String,
    spec: String,
    figures: ReleaseFigures,
    search: Option<String>,
    #[serde(default)]
    written: Vec<String>,
    #[serde(default)]
    approval: ReleaseApproval,
}

impl ReleaseFigures {
    pub(crate) fn of(found: &FoundRelease) -> Self {
        let report = &found.report;
        let after = report.picture().map(|preview| &preview.after);
        let column = |it: &incrowd_run::report::ColumnResult| ColumnFigures {
            column: it.column.clone(),
            what: it.what.clone(),
            kept: it.kept,
        };
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        ReleaseFigures {
            at: now.map_or(0, |since| since.as_secs()),
            method: report.method.clone(),
            kind: report.kind.to_string(),
            metric: report.metric.to_owned(),
            k: report.k,
            achieved_k: report.achieved_k,
            cost: report.cost,
            gap: report.gap,
            rows: report.rows,
            released: report.released,
            suppressed: report.suppressed,
            classes: report.classes,
            loss: report.released_gcp,
            highest: after.map(|after| after.highest),
            average: after.map(|after| after.average),
            seconds: found.trace.last().map(|point| point.seconds),
            repeatable: found.found.is_repeatable(),
            requirements: report.requirements.iter().map(|it| it.text.clone()).collect(),
            columns: report.columns.iter().map(column).collect(),
        }
    }
}

impl ProjectRelease {
    /// A release that was just found.
    pub(crate) fn new(id: u64, found: Arc<FoundRelease>) -> Self {
        let figures = ReleaseFigures::of(&found);
        let spec = found.file.spec.clone();
        let plan = RunPlan::new(&found.job, &found.source);
        // Without it the release is searched for again.
        let search = SavedSearch::new(&found.file, plan, &found.found).ok().flatten();
        let search = search.and_then(|search| search.to_json().ok());
        ProjectRelease {
            id,
            name: format!("Release {id}"),
            question: found.question.clone(),
            text: spec_text(&spec).into(),
            spec,
            figures,
            found: Some(found),
            search: search.filter(|text| text.len() <= LARGEST_SEARCH).map(Arc::from),
            written: Vec::new(),
            approval: ReleaseApproval::default(),
        }
    }

    /// Whether it is this one.
    pub(crate) fn is(&self, found: &Arc<FoundRelease>) -> bool {
        self.found.as_ref().is_some_and(|own| Arc::ptr_eq(own, found))
    }

    pub(super) fn to_record(&self) -> ReleaseRecord {
        ReleaseRecord {
            id: self.id,
            name: self.name.clone(),
            spec: self.text.to_string(),
            figures: self.figures.clone(),
            search: self.search.as_deref().map(str::to_owned),
            written: self.written.clone(),
            approval: self.approval.clone(),
        }
    }

    pub(super) fn of_record(record: ReleaseRecord, spec_path: &Path) -> Result<Self> {
        let ReleaseRecord { id, name, spec: text, figures, search, written, approval } = record;
        let spec = SpecFile::parse(&text, spec_path).map_err(without_lines)?.spec;
        Ok(ProjectRelease {
            id,
            name,
            question: SearchSpec::of(&spec),
            spec,
            text: text.into(),
            figures,
            found: None,
            search: search.map(Arc::from),
            written,
            approval,
        })
    }
}

/// The file name of a project that somebody names.
pub(crate) fn file_name(name: &str) -> Option<PathBuf> {
    let plain = !name.is_empty()
        && name.len() <= 100
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || " -_.()+,".contains(c));
    plain.then(|| PathBuf::from(format!("{name}{}", ENDING)))
}
