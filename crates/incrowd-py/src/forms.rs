//! What approvers ask and file: `goal`, `forms`, `record`.

use std::path::PathBuf;

use incrowd_assess::goals::GUIDANCE;
use incrowd_engine::Control;
use incrowd_run::forms::{
    Approval, Attestation, ReleaseFacts, append_record, clinical_report, croissant,
    expert_determination, iso_27559, motivated_intruder, safe_harbor,
};
use incrowd_run::spec::{ContextSection, SpecFile};
use incrowd_run::{
    Error, Result,
    data::{Input, ReadOptions, Source},
};
use pyo3::prelude::*;

use crate::work::{WatchOptions, work};

fn text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::new(e.to_string()))
}

/// What suits a purpose; JSON.
#[pyfunction]
pub(crate) fn goal(
    py: Python<'_>,
    audience: &str,
    knowledge: &str,
    harm: &str,
) -> PyResult<String> {
    let (audience, knowledge, harm) = (audience.to_owned(), knowledge.to_owned(), harm.to_owned());
    work(py, &WatchOptions::NONE, move |_| {
        let context = ContextSection {
            audience: audience.parse()?,
            knowledge: knowledge.parse()?,
            harm: harm.parse()?,
        };
        let proposal = context.proposal();
        text(
            &serde_json::json!({ "context": context.purpose(), "proposal": proposal, "guidance": GUIDANCE }),
        )
    })
}

struct FormSources {
    file: SpecFile,
    release: Source,
    original: Option<Source>,
}

impl FormSources {
    fn new(release: PathBuf, spec: PathBuf, original: Option<PathBuf>) -> Result<Self> {
        let open = |path: PathBuf| Source::open(&Input::from(path), &ReadOptions::default());
        Ok(FormSources {
            file: SpecFile::read(&spec)?,
            release: open(release)?,
            original: original.map(open).transpose()?,
        })
    }

    fn facts(&self, control: &Control) -> Result<ReleaseFacts<'_>> {
        ReleaseFacts::gather(&self.file, &self.release, self.original.as_ref(), control)
    }
}

/// A form about a release in files: Markdown, or JSON.
#[pyfunction]
#[pyo3(signature = (kind, release, spec, original=None, attest=Vec::new()))]
pub(crate) fn form(
    py: Python<'_>,
    kind: String,
    release: PathBuf,
    spec: PathBuf,
    original: Option<PathBuf>,
    attest: Vec<Attestation>,
) -> PyResult<String> {
    work(py, &WatchOptions::NONE, move |control| {
        let opened = FormSources::new(release, spec, original)?;
        let facts = opened.facts(control)?;
        match kind.as_str() {
            "safe-harbor" => text(&safe_harbor(&facts, &attest, control)?),
            "clinical" => Ok(clinical_report(&facts.measured(control)?)),
            "expert-determination" => Ok(expert_determination(&facts.measured(control)?)),
            "motivated-intruder" => Ok(motivated_intruder(&facts.measured(control)?)),
            "iso27559" => Ok(iso_27559(&facts)),
            "croissant" => text(&croissant(&facts, None, None)?),
            other => Err(Error::new(format!("there is no form `{other}`"))
                .help(
                    "safe-harbor, clinical, iso27559, expert-determination, motivated-intruder or croissant",
                )),
        }
    })
}

/// Puts a release on record; JSON of the line.
#[pyfunction]
#[pyo3(signature = (release, spec, into, original=None, approved_by=None, remark=None))]
pub(crate) fn record(
    py: Python<'_>,
    release: PathBuf,
    spec: PathBuf,
    into: PathBuf,
    original: Option<PathBuf>,
    approved_by: Option<String>,
    remark: Option<String>,
) -> PyResult<String> {
    work(py, &WatchOptions::NONE, move |control| {
        let opened = FormSources::new(release, spec, original)?;
        let facts = opened.facts(control)?;
        text(&append_record(&into, &facts, &Approval { by: approved_by, remark }, None)?)
    })
}
