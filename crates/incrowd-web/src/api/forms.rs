//! What approvers file about a release that was written: checklists, report sections, descriptions, a record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_engine::Control;
use incrowd_report::form_page;
use incrowd_run::forms::{
    Approval, Attestation, ReleaseFacts, append_record, clinical_report, croissant,
    expert_determination, iso_27559, motivated_intruder, safe_harbor,
};
use incrowd_run::spec::{Role, Spec};
use incrowd_run::{
    Error, Result, SpecFile,
    data::{Input, OutputFile, ReadOptions, Source},
    input_of, reading_of,
};
use serde::{Deserialize, Serialize};

use super::finish::{TicketAnswer, commit, quoted};
use super::{NoFields, done};
use crate::secret::secret;
use crate::session::{
    FormFile, FormsSummary, RecordSummary, ReleaseForms, Session, TicketContent, WrittenRelease,
};

/// The forms: what each is called in calls, and how its file ends.
const FORMS: [(&str, &str); 6] = [
    ("safe-harbor", "safe-harbor.md"),
    ("expert-determination", "expert-determination.md"),
    ("motivated-intruder", "motivated-intruder.md"),
    ("clinical", "clinical.md"),
    ("iso27559", "iso27559.md"),
    ("croissant", "croissant.json"),
];

/// The files of a release that was written.
#[derive(Clone)]
struct ReleaseFiles {
    release: PathBuf,
    spec: PathBuf,
}

impl ReleaseFiles {
    fn of(session: &Session) -> Result<Self> {
        let state = session.state();
        let nothing = || Error::new("nothing was written yet").help("write the release first");
        let WrittenRelease { files, .. } = state.written.as_ref().ok_or_else(nothing)?;
        let file = |what: &str| {
            let found = files.iter().find(|(kind, _)| *kind == what);
            found.map(|(_, path)| path.clone()).ok_or_else(nothing)
        };
        Ok(ReleaseFiles { release: file("release")?, spec: file("spec")? })
    }

    /// A file beside the spec, which has the name of the release and its own ending.
    fn beside(&self, end: &str) -> PathBuf {
        let name = self.spec.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix("spec.toml").unwrap_or(&name);
        self.spec.with_file_name(format!("{stem}{end}"))
    }

    /// Has the release verified anew, and tells what is known of it.
    fn facts<T>(
        &self,
        session: &Session,
        control: &Control,
        with: impl FnOnce(ReleaseFacts<'_>) -> Result<T>,
    ) -> Result<T> {
        session.root.own(&self.release)?;
        let file = SpecFile::read(&session.root.own(&self.spec)?)?;
        // It lies on disk, where anybody can have changed it.
        let (_, opened) = session.file()?;
        session.check_paths(&file, &opened)?;
        let release = Source::open(&Input::from(&self.release), &ReadOptions::default())?;
        let original = Source::open(&input_of(&file), &reading_of(&file.spec))?;
        with(ReleaseFacts::gather(&file, &release, Some(&original), control)?)
    }
}

#[derive(Deserialize)]
pub(super) struct BeginFormsRequest {
    /// What somebody attests, by the items of the checklist.
    #[serde(default)]
    attested: BTreeMap<String, String>,
}

fn attested(by_item: BTreeMap<String, String>) -> Vec<Attestation> {
    by_item.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// Begins to fill in the forms.
pub(super) fn begin(session: &Arc<Session>, asked: BeginFormsRequest) -> Result<NoFields> {
    let BeginFormsRequest { attested: by_item } = asked;
    let files = ReleaseFiles::of(session)?;
    session.begin_aside(
        "forms",
        move |session, control| {
            files.facts(session, control, |facts| {
                let facts = facts.measured(control)?;
                let list = safe_harbor(&facts, &attested(by_item), control)?;
                let description = serde_json::to_string_pretty(&croissant(&facts, None, None)?)
                    .map_err(|e| Error::new(format!("it cannot be shown: {e}")))?;
                let texts = vec![
                    ("safe-harbor", list.to_string()),
                    ("expert-determination", expert_determination(&facts)),
                    ("motivated-intruder", motivated_intruder(&facts)),
                    ("clinical", clinical_report(&facts)),
                    ("iso27559", iso_27559(&facts)),
                    ("croissant", description + "\n"),
                ];
                let of = |(what, end): (&'static str, &str)| FormFile {
                    what,
                    name: session.root.shown(&files.beside(end)),
                };
                let told = FormsSummary {
                    checklist: list,
                    holds: facts.holds(),
                    verdict_hash: facts.verdict_hash()?,
                    forms: FORMS.map(of).to_vec(),
                    record: session.root.shown(&files.release.with_file_name("record.jsonl")),
                };
                Ok(ReleaseForms { told, texts })
            })
        },
        |state, formed| state.formed = Some(formed),
    )?;
    done()
}

#[derive(Deserialize)]
pub(super) struct FormRequest {
    what: String,
}

/// A form, to be saved wherever somebody likes.
#[derive(Serialize)]
pub(super) struct FormAnswer {
    name: String,
    text: String,
}

pub(super) fn show(session: &Arc<Session>, asked: FormRequest) -> Result<FormAnswer> {
    let FormRequest { what } = asked;
    let (name, text) = filled(session, &what)?;
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(FormAnswer { name, text })
}

/// A ticket for a form as a page, which a browser prints or saves as PDF.
pub(super) fn ticket(session: &Arc<Session>, asked: FormRequest) -> Result<TicketAnswer> {
    let FormRequest { what } = asked;
    let (_, text) = filled(session, &what)?;
    let code = secret()?;
    session.ticket(&code, TicketContent::Page(form_page(&text)));
    Ok(TicketAnswer { path: format!("/ticket/{code}") })
}

/// A form that was filled in, and where it would lie.
fn filled(session: &Session, what: &str) -> Result<(PathBuf, String)> {
    let files = ReleaseFiles::of(session)?;
    let state = session.state();
    let nothing = || Error::new("the forms are not filled in yet");
    let formed = state.formed.as_ref().ok_or_else(nothing)?;
    let (_, text) = formed.texts.iter().find(|(known, _)| *known == what).ok_or_else(nothing)?;
    let (_, end) = FORMS.iter().find(|(known, _)| *known == what).ok_or_else(nothing)?;
    Ok((files.beside(end), text.clone()))
}

#[derive(Deserialize)]
pub(super) struct WriteFormsRequest {
    /// Whether files that are there may be replaced.
    #[serde(default)]
    replace: bool,
}

/// The forms that were written.
#[derive(Serialize)]
pub(super) struct WriteFormsAnswer {
    files: Vec<String>,
}

/// Writes all forms beside the release: all of them or none.
pub(super) fn write(session: &Arc<Session>, asked: WriteFormsRequest) -> Result<WriteFormsAnswer> {
    let WriteFormsRequest { replace } = asked;
    let all: Vec<(PathBuf, String)> =
        FORMS.iter().map(|(what, _)| filled(session, what)).collect::<Result<_>>()?;
    if let Some((there, _)) = all.iter().find(|(path, _)| path.exists() && !replace) {
        return Err(Error::new(format!("{} already exists", session.root.shown(there)))
            .help("allow it to be replaced, or move it away"));
    }
    let mut outputs = Vec::new();
    let mut names = Vec::new();
    for (path, text) in all {
        session.root.own(&path)?;
        names.push(session.root.shown(&path));
        outputs.push(OutputFile::create(&path)?.filled(text)?);
    }
    commit(outputs)?;
    Ok(WriteFormsAnswer { files: names })
}

#[derive(Deserialize)]
pub(super) struct RecordRequest {
    /// The record, from the root.
    into: String,
    #[serde(default)]
    approved_by: String,
    #[serde(default)]
    remark: String,
    /// Whether the Safe Harbor list is gone through, and must be done.
    #[serde(default)]
    safe_harbor: bool,
    #[serde(default)]
    attested: BTreeMap<String, String>,
}

/// Begins to put the release on record.
pub(super) fn record(session: &Arc<Session>, asked: RecordRequest) -> Result<NoFields> {
    let files = ReleaseFiles::of(session)?;
    let into = asked.into.trim();
    if into.is_empty() {
        return Err(Error::new("the record has no name").help("name a file, such as record.jsonl"));
    }
    let into = session.root.target(Path::new(into))?;
    session.begin(
        "record",
        move |session, control, _| {
            let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            let approval = Approval { by: said(&asked.approved_by), remark: said(&asked.remark) };
            let entry = files.facts(session, control, |facts| {
                let list = match asked.safe_harbor {
                    true => Some(safe_harbor(&facts, &attested(asked.attested), control)?),
                    false => None,
                };
                let entry = append_record(&into, &facts, &approval, list.as_ref())?;
                let command = command(session, &files, &into, facts.file);
                Ok(RecordSummary { entry, into: session.root.shown(&into), command })
            })?;
            Ok(entry)
        },
        |state, recorded| state.recorded = Some(recorded),
    )?;
    done()
}

/// The command line that looks the release up in the record, in the folder named at launch.
fn command(session: &Session, files: &ReleaseFiles, record: &Path, file: &SpecFile) -> String {
    let path = |path: &Path| quoted(&session.root.shown(path));
    let Spec { privacy, data, .. } = &file.spec;
    let names: Vec<&str> =
        file.spec.columns_with(Role::Quasi).map(|column| column.name.as_str()).collect();
    let mut words = vec![
        format!("incrowd verify {}", path(&files.release)),
        format!("-k {} --quasi {}", privacy.k, quoted(&names.join(","))),
    ];
    let risks = &privacy.risks;
    let mut ask = |option: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("{option} {}", quoted(&value))));
    };
    ask("--max-risk", risks.max_risk.map(|it| it.to_string()));
    ask("--max-average-risk", risks.max_average_risk.map(|it| it.to_string()));
    ask("--max-at-risk", risks.max_at_risk.map(|it| it.to_string()));
    ask("--sampling-fraction", risks.sampling_fraction.map(|it| it.to_string()));
    ask("--delta-presence", risks.delta_presence.map(|it| it.to_string()));
    ask("--max-population-unique", risks.max_population_unique.map(|it| it.to_string()));
    ask("--known-columns", risks.known_columns.map(|it| it.to_string()));
    if let Some(population) = data.population.as_ref().filter(|_| risks.needs_population()) {
        let counted = risks.k_map && risks.sampling_fraction.is_none();
        let option = if counted { "--k-map" } else { "--population" };
        ask(option, Some(session.root.shown(&file.resolve(population))));
    }
    words.push(format!("--record {}", path(record)));
    words.join(" ")
}
