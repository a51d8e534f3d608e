//! People looked for in the release, or in one of another tool.

use std::path::PathBuf;
use std::sync::Arc;

use incrowd_assess::attack::{AttackOutcome, AttackReport};
use incrowd_engine::Control;
use incrowd_report::{PageProvenance, attack_headline, attack_page, attacks_of, baseline_words};
use incrowd_run::assess::{AttackSettings, attack_release};
use incrowd_run::{
    Error, Job, LocalTable, Result, RunPlan, SpecFile,
    data::{Input, ReadOptions, Source},
};
use serde::{Deserialize, Serialize};

use super::release::kept;
use super::{NoFields, ResultAnswer, done};
use crate::paths::private_folder;
use crate::session::{AttackResult, AttackResultRow, AttackSummary, FoundRelease, Session};

#[derive(Deserialize)]
pub(super) struct AttackRequest {
    /// A release of another tool, from the root; the one that was found if there is none.
    #[serde(default)]
    release: Option<String>,
    /// People who did not go into the release.
    #[serde(default)]
    control: Option<String>,
    /// The columns that an attacker knows; the quasi-identifiers if none is named.
    #[serde(default)]
    known: Vec<String>,
    /// The columns that an attacker wants to know; the sensitive ones if none is named.
    #[serde(default)]
    secret: Vec<String>,
}

/// Begins to attack.
pub(super) fn begin(session: &Arc<Session>, asked: AttackRequest) -> Result<NoFields> {
    let named = |path: &Option<String>| -> Result<Option<PathBuf>> {
        let path = path.as_deref().map(str::trim).filter(|path| !path.is_empty());
        path.map(|path| session.root.existing(path)).transpose()
    };
    let (other, others) = (named(&asked.release)?, named(&asked.control)?);
    let own = match &other {
        Some(_) => None,
        None => Some(kept(session)?),
    };
    session.begin_aside(
        "attack",
        move |session, control| {
            let (file, opened) = session.file()?;
            let usual = ReadOptions::default();
            let open = |path: &PathBuf| Source::open(&Input::from(path), &usual);
            // A release that is not written yet is written aside, as it would be, and is gone afterwards.
            let aside;
            let path = match (&other, &own) {
                (Some(path), _) => path.clone(),
                (None, Some(own)) => match written(session, own)? {
                    Some(path) => path,
                    None => {
                        aside = TemporaryRelease::write(own, control)?;
                        aside.path.clone()
                    }
                },
                (None, None) => return Err(Error::new("there is no release")),
            };
            let release = open(&path)?;
            let renamed = own.as_ref().filter(|own| is_renamed(&own.file));
            let original = renamed.map_or(&opened.source, |own| &own.source);
            let others = others.as_ref().map(open).transpose()?;
            let file = own.as_ref().map_or(&file, |own| &own.file);
            let mut settings = AttackSettings::of_spec(file, &release);
            if !asked.known.is_empty() {
                settings.options = settings.options.with_known(asked.known);
            }
            if !asked.secret.is_empty() {
                settings.options = settings.options.with_secret(asked.secret);
            }
            let report = attack_release(&release, original, others.as_ref(), &settings, control)?;
            let name = other.as_ref().map(|path| session.root.shown(path));
            Ok(AttackResult {
                question: own.as_ref().map(|own| own.question.clone()),
                told: told(&report, name),
                page: attack_page(&report, &PageProvenance::new()),
            })
        },
        |state, attacked| state.attacked = Some(attacked),
    )?;
    done()
}

/// Whether columns have other names in the release than in the table.
fn is_renamed(file: &SpecFile) -> bool {
    file.spec.columns.iter().any(|column| column.source.is_some())
}

/// The file of a release that was written already.
fn written(session: &Session, kept: &FoundRelease) -> Result<Option<PathBuf>> {
    let state = session.state();
    let written = state.written.as_ref().filter(|written| written.question == kept.question);
    let release = written.and_then(|it| it.files.iter().find(|(what, _)| *what == "release"));
    let there = release.map(|(_, path)| path).filter(|path| path.exists());
    there.map(|path| session.root.own(path)).transpose()
}

/// A release in a folder of its own that nobody else can read.
struct TemporaryRelease {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl TemporaryRelease {
    fn write(kept: &FoundRelease, control: &Control) -> Result<Self> {
        let folder = private_folder(&tempfile::env::temp_dir(), "incrowd-")
            .map_err(|e| Error::new(format!("there is no place for the release: {e}")))?;
        let path = folder.path().join("release.csv");
        let mut file = kept.file.clone();
        let release = &mut file.spec.release;
        release.output = Some(path.clone());
        (release.report, release.recoding, release.internal_report) = (None, None, None);
        let job = Job::new(&file, &kept.source)?;
        let mut backend = LocalTable::to_file(&kept.source, Some(&path))?;
        let plan = RunPlan::new(&job, &kept.source);
        kept.found.stage(plan, &mut backend, control)?.commit(&mut backend, [])?;
        Ok(TemporaryRelease { path, _folder: folder })
    }
}

fn told(report: &AttackReport, name: Option<String>) -> AttackSummary {
    let attacks = attacks_of(report).into_iter().map(|attack| {
        let AttackOutcome { attack: hits, control, risk, low, high } = attack.outcome;
        AttackResultRow {
            name: attack.name,
            question: attack.question,
            hits: hits.hits,
            tries: hits.tries,
            right: hits.share,
            control: control.share,
            risk: *risk,
            low: *low,
            high: *high,
            found: attack.outcome.is_found(),
        }
    });
    AttackSummary {
        release: name,
        headline: attack_headline(report),
        compared: baseline_words(report),
        found: report.found,
        attacks: attacks.collect(),
        known: report.known.clone(),
        secret: report.secret.clone(),
        confidence: report.confidence,
        released: report.released,
        notes: report.notes.clone(),
    }
}

/// What came of it.
pub(super) fn show(session: &Arc<Session>, _: NoFields) -> Result<ResultAnswer<AttackSummary>> {
    let state = session.state();
    Ok(match &state.attacked {
        None => ResultAnswer { told: None, stale: false },
        Some(known) => {
            let present = state.shown().map(|kept| &kept.question);
            let stale = known.question.as_ref().is_some_and(|question| Some(question) != present);
            ResultAnswer { told: Some(known.told.clone()), stale }
        }
    })
}

/// The same as a page of its own.
#[derive(Serialize)]
pub(super) struct AttackPageAnswer {
    page: String,
}

pub(super) fn page(session: &Arc<Session>, _: NoFields) -> Result<AttackPageAnswer> {
    match &session.state().attacked {
        Some(known) => Ok(AttackPageAnswer { page: known.page.clone() }),
        None => Err(Error::new("nothing was attacked yet")),
    }
}
