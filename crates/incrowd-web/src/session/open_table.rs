//! The table that is open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use incrowd_assess::inspect::{InspectOptions, Inspection, inspect};
use incrowd_demo::Census;
use incrowd_engine::{Control, Table};
use incrowd_run::spec::{SpecFile, first_spec::Draft, hierarchies::Hierarchy};
use incrowd_run::{
    Error, Result, Spec,
    data::{Input, ReadOptions, Source, read_table},
    demo::SyntheticCensus,
    reading_of,
};

use super::{FoundRelease, SearchSpec, Session, SpecHistory, TaskProgress, without_lines};
use crate::project::{Project, ProjectFile};

/// A table in memory, as codes, and what was found in it.
#[derive(Debug)]
pub(crate) struct OpenTable {
    pub(crate) source: Source,
    pub(crate) table: Table,
    pub(crate) found: Inspection,
    /// How the file is called from the root.
    pub(crate) shown: String,
    /// The folder that relative paths of the spec start from.
    pub(crate) folder: PathBuf,
    /// The spec that was opened, if one was.
    pub(crate) spec_file: Option<PathBuf>,
    /// What keeps made-up people on disk, if they are.
    pub(crate) made_up: Option<SyntheticCensus>,
}

/// What is to be opened.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub(crate) struct OpenRequest {
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) reading: ReadSettings,
    /// Whether a new project is begun even where the table has one.
    #[serde(default)]
    pub(crate) anew: bool,
    /// Whether work that cannot be saved may be lost.
    #[serde(default)]
    pub(crate) discard: bool,
}

/// How a table is to be read where somebody says so.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct ReadSettings {
    pub(crate) delimiter: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) sheet: Option<String>,
}

/// A search ends after so long unless somebody says otherwise: some go on for hours.
const USUAL_TIME: Duration = Duration::from_secs(60);

/// How many people are made up for a demonstration.
const DEMO_ROWS: u64 = 30_000;

impl OpenTable {
    /// The names of the columns as the file has them.
    pub(crate) fn names(&self) -> &[String] {
        self.source.columns()
    }

    /// Where the spec would lie.
    pub(crate) fn spec_path(&self) -> PathBuf {
        self.spec_file.clone().unwrap_or_else(|| self.folder.join("spec.toml"))
    }

    fn read(
        source: Source,
        options: &InspectOptions,
        control: &Control,
        progress: &TaskProgress,
    ) -> Result<(Source, Table, Inspection)> {
        let table = read_table(&source, None, control)?;
        if table.rows() == 0 {
            return Err(Error::new(format!("{} has no rows", source.file_name()))
                .help("there must be rows below the header"));
        }
        if control.is_cancelled() {
            return Err(Error::interrupted());
        }
        progress.phase("inspect");
        let found = inspect(&table, options);
        Ok((source, table, found))
    }
}

/// A table with its question and its project.
struct OpenedProject {
    opened: OpenTable,
    history: SpecHistory,
    project: Project,
}

impl Session {
    /// Begins to read a table, the table of a spec, or that of a project.
    pub(crate) fn begin_open(self: &Arc<Self>, asked: OpenRequest) -> Result<()> {
        let OpenRequest { path, reading, anew, discard } = asked;
        if path.trim().is_empty() {
            return Err(Error::new("no file is named").help("type its name, or choose one below"));
        }
        let path = self.root.existing(&path)?;
        if path.is_dir() {
            return Err(Error::new(format!("{} is a folder", self.root.shown(&path)))
                .help("choose a file in it"));
        }
        self.leave(discard)?;
        self.begin(
            "open",
            move |session, control, progress| {
                let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
                let opened = match end.as_str() {
                    "toml" => open_spec(session, &path, anew, control, progress)?,
                    "incrowd" => open_project(session, &path, control, progress)?,
                    _ => open_table(session, &path, &reading, anew, control, progress)?,
                };
                session.take_up(opened, control, progress)
            },
            |state, restored| {
                if let Some((id, found)) = restored {
                    state.restore(id, found);
                }
            },
        )
    }

    /// Shows what was opened, and looks for the release of its question.
    fn take_up(
        &self,
        opened: OpenedProject,
        control: &Control,
        progress: &TaskProgress,
    ) -> Result<Option<(u64, Arc<FoundRelease>)>> {
        let OpenedProject { opened, history, project } = opened;
        let release = project.release_of(&SearchSpec::of(history.spec())).cloned();
        let found = release.as_ref().and_then(|release| release.found.clone());
        self.change(|state| {
            // What was kept meanwhile stands, too.
            let here =
                state.project.take().filter(|it| it.path.is_some() && it.path == project.path);
            state.take(opened, history, here.unwrap_or(project));
            state.found = found;
        });
        let Some(release) = release.filter(|it| it.found.is_none() && it.search.is_some()) else {
            return Ok(None);
        };
        progress.phase("look");
        Ok(Some((release.id, Arc::new(self.restored(&release, control)?))))
    }

    /// Begins to make people up.
    pub(crate) fn begin_demo(self: &Arc<Self>, discard: bool) -> Result<()> {
        self.leave(discard)?;
        self.begin(
            "open",
            |_, control, progress| {
                let people = SyntheticCensus::new(Census::new(DEMO_ROWS, 1))?;
                let source = Source::open(&Input::from(people.input()), &ReadOptions::default())?;
                let options = InspectOptions::new();
                let (source, table, found) = OpenTable::read(source, &options, control, progress)?;
                let mut spec = Draft::of(found.clone(), &source, "people.csv", &options)?.spec;
                people.give_hierarchies(&mut spec)?;
                let folder = people.folder().to_owned();
                for column in &mut spec.columns {
                    // Called from where the spec would lie, beside the table.
                    if let Some(Hierarchy::File(path)) = &mut column.hierarchy
                        && let Ok(inside) = path.strip_prefix(&folder)
                    {
                        *path = inside.to_owned();
                    }
                }
                spec.algorithm.time_limit = Some(USUAL_TIME);
                let shown = "made-up people".to_owned();
                let project = Project { name: shown.clone(), ..Project::default() };
                let (spec_file, made_up) = (None, Some(people));
                let opened = OpenTable { source, table, found, shown, folder, spec_file, made_up };
                Ok((opened, SpecHistory::new(spec), project))
            },
            |state, (opened, history, project)| state.take(opened, history, project),
        )
    }
}

fn open_table(
    session: &Session,
    path: &Path,
    reading: &ReadSettings,
    anew: bool,
    control: &Control,
    progress: &TaskProgress,
) -> Result<OpenedProject> {
    let shown = session.root.shown(path);
    let folder = path.parent().unwrap_or(session.root.folder()).to_owned();
    let present = session.present(&shown).filter(|_| !anew && *reading != ReadSettings::default());
    if present.is_none()
        && !anew
        && let Some(project) = ProjectFile::find(&folder, path, None)?
    {
        return open_project(session, &project, control, progress);
    }
    let delimiter = reading.delimiter.as_deref().filter(|text| !text.is_empty());
    let delimiter = delimiter.map(incrowd_run::spec::parsing::parse_delimiter).transpose()?;
    let said = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let options = ReadOptions {
        delimiter: delimiter.map(|sign| sign as u8),
        encoding: said(&reading.encoding),
        sheet: said(&reading.sheet),
        ..ReadOptions::default()
    };
    let source = Source::open(&Input::from(path), &options)?;
    let options = InspectOptions::new();
    let (source, table, found) = OpenTable::read(source, &options, control, progress)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut spec = Draft::of(found.clone(), &source, &name, &options)?.spec;
    spec.algorithm.time_limit = Some(USUAL_TIME);
    if let Some(PresentProject { folder, spec_file, history, project }) = present {
        let history = match project.is_touched(&history) {
            true => read_otherwise(&history, &spec, source.columns())?,
            false => SpecHistory::new(spec),
        };
        let opened = OpenTable { source, table, found, shown, folder, spec_file, made_up: None };
        return Ok(OpenedProject { opened, history, project });
    }
    let project = Project::new(&folder, &name, None);
    let opened = OpenTable { source, table, found, shown, folder, spec_file: None, made_up: None };
    Ok(OpenedProject { opened, history: SpecHistory::new(spec), project })
}

/// What is open just now.
struct PresentProject {
    folder: PathBuf,
    spec_file: Option<PathBuf>,
    history: SpecHistory,
    project: Project,
}

impl Session {
    /// The project that is open, if it is about that table.
    fn present(&self, shown: &str) -> Option<PresentProject> {
        let state = self.state();
        let opened = state.opened.as_deref().filter(|opened| opened.shown == shown)?;
        Some(PresentProject {
            folder: opened.folder.clone(),
            spec_file: opened.spec_file.clone(),
            history: state.history.clone()?,
            project: state.project.clone()?,
        })
    }
}

/// The same questions for a table that is read otherwise. Refused if it lacks columns that they speak of.
fn read_otherwise(history: &SpecHistory, read: &Spec, columns: &[String]) -> Result<SpecHistory> {
    let named = history.specs().flat_map(|spec| &spec.columns).map(|column| column.source_name());
    let mut lacking: Vec<&str> =
        named.filter(|name| !columns.iter().any(|column| column == name)).collect();
    lacking.sort_unstable();
    lacking.dedup();
    if !lacking.is_empty() {
        let names: Vec<&str> = lacking.iter().copied().take(5).collect();
        let more = if lacking.len() > names.len() { ", ..." } else { "" };
        return Err(Error::new(format!(
            "read like this, the table lacks {} of the columns that were decided on: {}{more}",
            lacking.len(),
            names.join(", ")
        ))
        .help("begin a new project to read it so; this one stays as it is"));
    }
    Ok(history.changed(|spec| {
        spec.data.delimiter = read.data.delimiter;
        spec.data.encoding.clone_from(&read.data.encoding);
        spec.data.sheet.clone_from(&read.data.sheet);
    }))
}

/// The table of a spec.
fn table_of(
    session: &Session,
    file: &SpecFile,
    folder: &Path,
    spec_file: Option<PathBuf>,
    control: &Control,
    progress: &TaskProgress,
) -> Result<OpenTable> {
    let input = file.resolve(&file.spec.data.input);
    let input = session.root.existing(&input.to_string_lossy())?;
    let source = Source::open(&Input::from(&input), &reading_of(&file.spec))?;
    let dates = file.spec.date_formats();
    let options = InspectOptions::new()
        .with_missing(file.spec.data.missing_tokens())
        .with_dates(dates.general, dates.columns);
    let (source, table, found) = OpenTable::read(source, &options, control, progress)?;
    let opened = OpenTable {
        shown: session.root.shown(&input),
        folder: folder.to_owned(),
        spec_file,
        made_up: None,
        source,
        table,
        found,
    };
    session.checked(file.spec.clone(), &opened).map_err(without_lines)?;
    Ok(opened)
}

/// Opens a spec. Where there is a project of it, the spec becomes a change in it, which can be undone.
fn open_spec(
    session: &Session,
    path: &Path,
    anew: bool,
    control: &Control,
    progress: &TaskProgress,
) -> Result<OpenedProject> {
    let file = SpecFile::read(path)?;
    let folder = path.parent().unwrap_or(session.root.folder()).to_owned();
    let opened = table_of(session, &file, &folder, Some(path.to_owned()), control, progress)?;
    // Columns that the spec does not name stay so: whoever gives one the role plain takes it on, and opening a spec does not.
    let spec = file.spec.clone();
    let known = if anew { None } else { ProjectFile::find(&folder, path, Some(path))? };
    let Some(known) = known else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let project = Project::new(&folder, &name, Some(path.to_owned()));
        return Ok(OpenedProject { opened, history: SpecHistory::new(spec), project });
    };
    let (read, text) = ProjectFile::read(&known)?;
    let (project, mut history) = Project::of_file(read, &known, text)?;
    if *history.spec() != spec {
        history.push(spec);
    }
    Ok(OpenedProject { opened, history, project })
}

/// Opens a project with its table.
fn open_project(
    session: &Session,
    path: &Path,
    control: &Control,
    progress: &TaskProgress,
) -> Result<OpenedProject> {
    session.root.own(path)?;
    let (read, text) = ProjectFile::read(path)?;
    let (project, history) = Project::of_file(read, path, text)?;
    let folder = path.parent().unwrap_or(session.root.folder()).to_owned();
    let spec_file = project.spec_file.clone().filter(|file| session.root.own(file).is_ok());
    let base = spec_file.clone().unwrap_or_else(|| folder.join("spec.toml"));
    let file = SpecFile::from_spec(history.spec().clone(), &base).map_err(without_lines)?;
    let opened = table_of(session, &file, &folder, spec_file, control, progress)?;
    Ok(OpenedProject { opened, history, project })
}
