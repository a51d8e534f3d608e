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

use super::{Session, TaskProgress, without_lines};

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

/// How a table is to be read where somebody says so.
#[derive(Debug, Clone, Default, serde::Deserialize)]
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

impl Session {
    /// Begins to read a table, or the table of a spec.
    pub(crate) fn begin_open(self: &Arc<Self>, path: &str) -> Result<()> {
        self.begin_open_as(path, ReadSettings::default())
    }

    /// The same, read as somebody says.
    pub(crate) fn begin_open_as(self: &Arc<Self>, path: &str, reading: ReadSettings) -> Result<()> {
        if path.trim().is_empty() {
            return Err(Error::new("no file is named").help("type its name, or choose one below"));
        }
        let path = self.root.existing(path)?;
        if path.is_dir() {
            return Err(Error::new(format!("{} is a folder", self.root.shown(&path)))
                .help("choose a file in it"));
        }
        let is_spec = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
        self.begin(
            "open",
            move |session, control, progress| match is_spec {
                true => open_spec(session, &path, control, progress),
                false => open_table(session, &path, &reading, control, progress),
            },
            |state, (opened, spec)| state.take(opened, spec),
        )?;
        Ok(())
    }

    /// Begins to make people up.
    pub(crate) fn begin_demo(self: &Arc<Self>) -> Result<()> {
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
                let (spec_file, made_up) = (None, Some(people));
                Ok((OpenTable { source, table, found, shown, folder, spec_file, made_up }, spec))
            },
            |state, (opened, spec)| state.take(opened, spec),
        )
    }
}

fn open_table(
    session: &Session,
    path: &Path,
    reading: &ReadSettings,
    control: &Control,
    progress: &TaskProgress,
) -> Result<(OpenTable, Spec)> {
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
    let folder = path.parent().unwrap_or(session.root.folder()).to_owned();
    let shown = session.root.shown(path);
    Ok((OpenTable { source, table, found, shown, folder, spec_file: None, made_up: None }, spec))
}

fn open_spec(
    session: &Session,
    path: &Path,
    control: &Control,
    progress: &TaskProgress,
) -> Result<(OpenTable, Spec)> {
    let file = SpecFile::read(path)?;
    let input = file.resolve(&file.spec.data.input);
    let input = session.root.existing(&input.to_string_lossy())?;
    let source = Source::open(&Input::from(&input), &reading_of(&file.spec))?;
    let dates = file.spec.date_formats();
    let options = InspectOptions::new()
        .with_missing(file.spec.data.missing_tokens())
        .with_dates(dates.general, dates.columns);
    let (source, table, found) = OpenTable::read(source, &options, control, progress)?;
    // Columns that the spec does not name stay so: whoever gives one the role plain takes it on, and opening a spec does not.
    let spec = file.spec.clone();
    let opened = OpenTable {
        shown: session.root.shown(&input),
        folder: path.parent().unwrap_or(session.root.folder()).to_owned(),
        spec_file: Some(path.to_owned()),
        made_up: None,
        source,
        table,
        found,
    };
    session.checked(spec.clone(), &opened).map_err(without_lines)?;
    Ok((opened, spec))
}
