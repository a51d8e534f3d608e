//! The release is written, verified and handed over.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_report::{RunPage, run_page};
use incrowd_run::spec::{MaskMethod, hierarchies::Hierarchy, write_spec};
use incrowd_run::{
    Error, Job, LocalTable, Result, RunPlan, Spec, SpecFile,
    data::{Order, OutputFile, SecretKey},
};
use serde::{Deserialize, Serialize};

use super::approval::standing;
use super::release::kept;
use super::{NoFields, done};
use crate::secret::secret;
use crate::session::{
    OpenTable, SearchSpec, Session, TicketContent, WrittenFile, WrittenRelease, WrittenSummary,
    without_lines,
};

#[derive(Deserialize)]
pub(super) struct FinishRequest {
    /// The release, from the root.
    output: String,
    /// Whether the recoding is saved, too, for new rows.
    #[serde(default)]
    recoding: bool,
    /// Whether files that are there may be replaced.
    #[serde(default)]
    replace: bool,
    /// What somebody has confirmed, a sentence each.
    #[serde(default)]
    confirmed: Vec<String>,
}

/// Where everything goes: the release, and beside it what belongs to it.
struct OutputPaths {
    release: PathBuf,
    spec: PathBuf,
    seed: PathBuf,
    report: PathBuf,
    recoding: Option<PathBuf>,
}

impl OutputPaths {
    fn new(release: PathBuf, recoding: bool) -> Self {
        let name = release.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ends = [".csv", ".csv.gz", ".csv.zst", ".parquet", ".xlsx"];
        let end = ends
            .iter()
            .filter(|end| name.to_lowercase().ends_with(**end))
            .max_by_key(|end| end.len());
        let stem = end.map_or(name.as_str(), |end| &name[..name.len() - end.len()]);
        let beside = |end: &str| release.with_file_name(format!("{stem}.{end}"));
        OutputPaths {
            spec: beside("spec.toml"),
            seed: beside("seed"),
            report: beside("report.html"),
            recoding: recoding.then(|| beside("recoding.json")),
            release: release.clone(),
        }
    }

    fn all(&self) -> Vec<(&'static str, PathBuf)> {
        let mut all = vec![
            ("release", self.release.clone()),
            ("spec", self.spec.clone()),
            ("seed", self.seed.clone()),
            ("report", self.report.clone()),
        ];
        all.extend(self.recoding.clone().map(|path| ("recoding", path)));
        all
    }
}

/// Writes the release that was found, verified, with its report, its spec and its seed: all of them or none.
pub(super) fn finish(session: &Arc<Session>, asked: FinishRequest) -> Result<NoFields> {
    let kept = kept(session)?;
    if kept.so_far.is_some() {
        return Err(Error::new("this is the best release so far, and the search goes on")
            .help("stop the search to keep it, or wait for its end"));
    }
    let question = session.state().question();
    if question.as_ref() != Some(&kept.question) {
        return Err(Error::new("the settings have changed since the search")
            .help("search again, or undo the changes"));
    }
    let (waits_for, mut confirmed) = standing(session);
    if !waits_for.is_empty() {
        return Err(Error::new(format!("the release still waits for: {}", waits_for.join("; ")))
            .help("see to that first, or change what must be done before a release is written"));
    }
    let output = asked.output.trim();
    if output.is_empty() {
        return Err(Error::new("the release has no name").help("name a file, such as release.csv"));
    }
    let release = session.root.target(Path::new(output))?;
    // What cannot be found again must be kept.
    let recoding = asked.recoding || !kept.found.is_repeatable();
    let targets = OutputPaths::new(release, recoding);
    for (_, path) in targets.all() {
        session.root.own(&path)?;
    }
    if let Some((_, there)) =
        targets.all().into_iter().find(|(_, path)| path.exists() && !asked.replace)
    {
        return Err(Error::new(format!("{} already exists", session.root.shown(&there)))
            .help("choose another name, or allow it to be replaced"));
    }
    confirmed.extend(asked.confirmed);
    session.begin(
        "finish",
        move |session, control, _| {
            let (file, opened) = session.file()?;
            let key = SecretKey::fresh()?;
            let spec = handed_over(&file, &opened, &targets)?;
            let written =
                SpecFile::from_spec(spec.clone(), &targets.spec).map_err(without_lines)?;
            let mut job = Job::new(&written, &kept.source).map_err(without_lines)?;
            if let Order::Shuffled { seed } = &mut job.order {
                *seed = key.of_order();
            }
            let page = OutputFile::create(&targets.report)?.in_place()?;
            let spec_file = OutputFile::create(&targets.spec)?.in_place()?;
            let seed_file = OutputFile::create_private(&targets.seed)?.in_place()?;
            let mut backend = LocalTable::to_plain_file(&kept.source, &targets.release)?;
            let plan = RunPlan::new(&job, &kept.source);
            let staged = kept.found.stage(plan, &mut backend, control)?;
            let command = command(session, &targets, &opened, kept.found.is_repeatable());
            let told = RunPage::new(&written, &job, kept.source.file_name(), &staged.report)
                .with_trace(&kept.trace)
                .with_confirmed(confirmed.clone())
                .with_command(command.clone());
            let files = [
                page.filled(run_page(&told))?,
                spec_file.filled(write_spec(&for_readers(spec, &opened)))?,
                seed_file.filled(key.to_text())?,
            ];
            let report = staged.commit(&mut backend, files)?;
            let files = targets.all();
            let of = |(what, path): &(&'static str, PathBuf)| WrittenFile {
                what,
                name: session.root.shown(path),
                size: std::fs::metadata(path).map_or(0, |about| about.len()),
            };
            let told = WrittenSummary {
                files: files.iter().map(of).collect(),
                folder: targets.release.parent().map(|folder| folder.display().to_string()),
                summary: report.verdict.as_ref().map(ToString::to_string),
                verdict: report.verdict,
                checks: report.checks,
                warnings: report.warnings,
                command,
                repeatable: kept.found.is_repeatable(),
                lost_key: loses_its_key(&file.spec),
                released: report.released,
                suppressed: report.suppressed,
                achieved_k: report.achieved_k,
                confirmed,
            };
            Ok(WrittenRelease { question: SearchSpec::of(&file.spec), told, files })
        },
        |state, written| {
            let names = written.told.files.iter().map(|file| file.name.clone());
            let releases = state.project.iter_mut().flat_map(|project| &mut project.releases);
            for release in releases.filter(|release| release.question == written.question) {
                release.written = names.clone().collect();
            }
            state.written = Some(written);
            (state.formed, state.recorded) = (None, None);
        },
    )?;
    done()
}

/// Gives outputs their names, unless a link has been laid there meanwhile.
pub(super) fn commit(outputs: Vec<OutputFile>) -> Result<()> {
    let outputs: Vec<OutputFile> =
        outputs.into_iter().map(OutputFile::in_place).collect::<Result<_>>()?;
    OutputFile::commit_all(outputs)
}

/// The spec as it lies beside the release: it names its files from there, and holds no seed.
fn handed_over(file: &SpecFile, opened: &OpenTable, targets: &OutputPaths) -> Result<Spec> {
    let folder = targets.spec.parent().unwrap_or(Path::new(""));
    let stays = folder == opened.folder;
    let from_there = |path: &mut PathBuf| {
        if !stays {
            let whole = file.resolve(path);
            *path = whole.strip_prefix(folder).map(Path::to_owned).unwrap_or(whole);
        }
    };
    let mut spec = file.spec.clone();
    from_there(&mut spec.data.input);
    let others = spec.data.population.iter_mut().chain(&mut spec.data.earlier);
    others.chain(&mut spec.release.key_file).for_each(from_there);
    for column in &mut spec.columns {
        if let Some(Hierarchy::File(path)) = &mut column.hierarchy {
            from_there(path);
        }
    }
    let name = |path: &Path| path.file_name().map(PathBuf::from);
    spec.release.output = name(&targets.release);
    spec.release.report = name(&targets.report);
    spec.release.recoding = targets.recoding.as_deref().and_then(name);
    spec.release.seed_file = None;
    Ok(spec)
}

/// Where the people who were made up for a demonstration can be made up again, and their hierarchies.
const MADE_UP: (&str, &str) = ("made-up-people.csv", "made-up-hierarchies");

/// The spec as somebody else runs it: made-up people lie in a folder that is gone with the program, so they are made up again
/// beside it.
fn for_readers(mut spec: Spec, opened: &OpenTable) -> Spec {
    if opened.made_up.is_none() {
        return spec;
    }
    let (people, hierarchies) = MADE_UP;
    spec.data.input = people.into();
    for column in &mut spec.columns {
        if let Some(Hierarchy::File(path)) = &mut column.hierarchy
            && let Some(name) = path.file_name()
        {
            *path = Path::new(hierarchies).join(name);
        }
    }
    spec
}

/// Whether values were replaced in a way that cannot be repeated.
fn loses_its_key(spec: &Spec) -> bool {
    let kept = spec.release.key_file.is_some();
    let mut treats = spec.columns.iter().filter_map(|column| column.treat.as_ref());
    treats.any(|treat| *treat == MaskMethod::Random || treat.needs_key() && !kept)
}

/// The command line that makes the same release, in the folder named at launch.
fn command(
    session: &Session,
    targets: &OutputPaths,
    opened: &OpenTable,
    repeatable: bool,
) -> String {
    let shown = |path: &Path| quoted(&session.root.shown(path));
    let seed = shown(&targets.seed);
    let beside = |name: &str| targets.spec.with_file_name(name);
    let (first, table) = match &opened.made_up {
        None => (String::new(), quoted(&opened.shown)),
        Some(_) => {
            let (table, hierarchies) = (shown(&beside(MADE_UP.0)), shown(&beside(MADE_UP.1)));
            let rows = opened.found.rows;
            let make = format!("incrowd demo --write {table} --rows {rows}");
            (format!("{make} --hierarchies {hierarchies}\n"), table)
        }
    };
    match (&targets.recoding, repeatable) {
        (Some(recoding), false) => format!(
            "{first}incrowd apply {} {table} --seed-file {seed} -o {}",
            shown(recoding),
            shown(&targets.release)
        ),
        _ => format!("{first}incrowd run {} --seed-file {seed}", shown(&targets.spec)),
    }
}

/// A word as a shell takes it.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:@%+".contains(c);
    match text.chars().all(plain) && !text.is_empty() {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[derive(Deserialize)]
pub(super) struct TicketRequest {
    what: String,
}

/// A ticket for a file that was written, with which a browser can fetch it once.
#[derive(Serialize)]
pub(super) struct TicketAnswer {
    pub(super) path: String,
}

pub(super) fn ticket(session: &Arc<Session>, asked: TicketRequest) -> Result<TicketAnswer> {
    let TicketRequest { what } = asked;
    let written = session.state().written.clone();
    let nothing = || Error::new("nothing was written yet");
    let written = written.ok_or_else(nothing)?;
    let (_, path) = written.files.iter().find(|(kind, _)| *kind == what).ok_or_else(nothing)?;
    let code = secret()?;
    session.ticket(&code, TicketContent::File(path.clone()));
    Ok(TicketAnswer { path: format!("/ticket/{code}") })
}
