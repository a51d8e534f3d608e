//! Writing a release, and having it judged before it gets its name.

use incrowd::search::Phase;
use incrowd::value::shown_value;
use incrowd::{Control, Event, Release};
use incrowd_assess::expose::{Exposure, Gathering};
use incrowd_data::truth;

use super::planned::Planned;
use super::recode::{HiddenFields, Pass, ROW_NUMBER, Recoder, Released};
use super::watch::Watch;
use super::{Warning, among, check, earlier, finish, finishing, places, verify_source};
use crate::spec::Role;
use crate::{
    Arranger, ColumnType, CsvEncoder, Error, Layout, NULL, OutputFile, OutputFormat, ReadOptions,
    Result, Source, TableWriter,
};

/// Rows up to this much memory are arranged in memory, more of them through temporary files.
const ARRANGE_MEMORY: usize = 160 << 20;

/// Where a release goes, before anything is written to it.
pub(super) enum Destination {
    File {
        file: OutputFile,
        format: OutputFormat,
        /// How NULL is spelled on the way there.
        null: &'static str,
    },
    #[cfg(feature = "parquet")]
    Memory,
}

impl Destination {
    /// Whether it is a text file, which spreadsheets open.
    fn is_text(&self) -> bool {
        matches!(self, Destination::File { format: OutputFormat::Csv(_), .. })
    }

    pub(super) fn create(target: &std::path::Path) -> Result<Self> {
        let format = OutputFormat::from_path(target)?;
        Ok(Destination::File { file: OutputFile::create(target)?, format, null: format.null() })
    }

    /// The same for a text file that a database reads.
    pub(super) fn create_for_database(target: &std::path::Path) -> Result<Self> {
        let format = OutputFormat::from_path(target)?;
        Ok(Destination::File { file: OutputFile::create(target)?, format, null: NULL })
    }

    /// How NULL is spelled in encoded rows on the way there.
    fn null(&self) -> &'static str {
        match self {
            Destination::File { null, .. } => null,
            #[cfg(feature = "parquet")]
            Destination::Memory => NULL,
        }
    }

    /// How a value of a column of some type reads where it was written there.
    fn read_back(&self, kind: &ColumnType, text: &str) -> Option<String> {
        match self {
            #[cfg(feature = "parquet")]
            Destination::Memory | Destination::File { format: OutputFormat::Parquet, .. } => {
                kind.read_back(text)
            }
            Destination::File { format: OutputFormat::Xlsx, .. } => {
                let truth = (*kind == ColumnType::Boolean).then(|| truth(text));
                truth.flatten().map(|truth| truth.to_string())
            }
            _ => None,
        }
    }

    pub(super) fn is_memory(&self) -> bool {
        !matches!(self, Destination::File { .. })
    }

    /// A folder for rows that memory cannot hold.
    fn folder(&self) -> std::path::PathBuf {
        match self {
            Destination::File { file, .. } => file.folder().to_owned(),
            #[cfg(feature = "parquet")]
            Destination::Memory => std::env::temp_dir(),
        }
    }
}

/// The columns of a release.
pub(super) struct ReleasedColumns {
    /// The columns to read: the problem's (quasi-identifiers, then targets), then the others that are released.
    pub(super) read: Vec<usize>,
    pub(super) columns: Vec<Released>,
    pub(super) layout: Layout,
    /// Among the columns read, what tells people apart and is not released.
    pub(super) unit: Option<usize>,
}

/// A release that is written but not yet verified.
struct Written {
    body: Body,
    /// How NULL is spelled in it, where it is told apart from the empty text.
    null: Option<&'static str>,
    /// Where people are protected and what tells them apart is not released: who each released row is of.
    units: Option<Vec<u64>>,
    /// Whether it is a text file with texts that a spreadsheet would take for formulas.
    formulas: bool,
    /// What was left out when all rows were there, and what remains.
    finished: finishing::Finished,
    remaining: Option<Remaining>,
    exposure: Exposure,
    warnings: Vec<Warning>,
}

/// A release of which rows were left out when all were there.
pub(super) struct Remaining {
    pub(super) release: Release,
    /// For each row of the input, whether it is released.
    pub(super) kept: Vec<bool>,
}

enum Body {
    /// Nothing is to be written.
    None,
    File {
        file: OutputFile,
        format: OutputFormat,
        delimiter: u8,
    },
    #[cfg(feature = "parquet")]
    Memory(crate::MemoryTable),
}

/// A release that was verified, or none.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) verdict: Option<incrowd_verify::Verdict>,
    /// What was checked.
    pub(super) requirements: Option<incrowd_verify::Requirements>,
    /// Its file, which has no name yet.
    pub(super) file: Option<OutputFile>,
    #[cfg(feature = "parquet")]
    pub(super) table: Option<crate::MemoryTable>,
    /// Whether the file holds texts that a spreadsheet would take for formulas.
    pub(super) formulas: bool,
    /// What was left out when all rows were there, and what remains.
    pub(super) finished: finishing::Finished,
    pub(super) remaining: Option<Remaining>,
    /// What the columns give away that are released as they are.
    pub(super) exposure: Exposure,
    /// What was said of that.
    warnings: Vec<Warning>,
}

impl Judged {
    /// What there is to say of the release, and what the reader of a text file should know that looks harmless.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let formulas = self.formulas.then(|| {
            Warning::new(
                "formulas",
                "some released texts begin with =, +, - or @: a spreadsheet that opens the file would compute them; \
                 --csv-safe puts an apostrophe before them",
            )
        });
        self.warnings.iter().cloned().chain(formulas).collect()
    }
}

impl Planned<'_> {
    /// Writes the release and has it judged; nothing is written in a dry run. What columns give away that stay as they
    /// are is known when all rows are recoded; `allow` may refuse it then, before anything is written.
    pub(super) fn release(
        &self,
        output: Option<Destination>,
        even_failing: bool,
        allow: impl FnOnce(&Exposure) -> Result<Vec<Warning>>,
        control: &Control,
    ) -> Result<Judged> {
        let Planned { job, problem, .. } = *self;
        // A dry run makes the rows only where they depend on each other.
        if output.is_none() && !job.finishing.is_needed() {
            let exposure = self.exposure(control)?;
            return Ok(Judged { warnings: allow(&exposure)?, exposure, ..Judged::default() });
        }
        let read_back = |column: &str, value: &str| {
            let at = self.source.place_of(column).ok()?;
            output.as_ref()?.read_back(&self.source.released_type(at), value)
        };
        let mut requirements =
            check::requirements_of(problem, &job.identifying, &job.missing, &read_back)?;
        requirements.reference = job.reference;
        let written = self.write(output, &requirements, allow, control)?;
        if let Body::None = written.body {
            let Written { finished, remaining, exposure, warnings, .. } = written;
            return Ok(Judged { finished, remaining, exposure, warnings, ..Judged::default() });
        }
        let judged = written.judge(self, &requirements, even_failing, control)?;
        Ok(Judged { requirements: Some(requirements), ..judged })
    }

    /// What the columns would give away that stay as they are.
    fn exposure(&self, control: &Control) -> Result<Exposure> {
        let ReleasedColumns { read, columns, layout, .. } = self.columns()?;
        let (watch, mut gathering) = self.watch(&read);
        if watch.is_needed() {
            let encoder = layout.encoder()?;
            let recoder = self.recoder(&columns, &encoder, None);
            let watched = (&watch, &mut gathering);
            let pass = Pass::new(&recoder, self.job.order);
            pass.run(self.source, &read, None, watched, None, control)?;
        }
        Ok(gathering.finish(self.problem, self.release))
    }

    fn watch(&self, read: &[usize]) -> (Watch, Gathering) {
        Watch::new(self.job, self.source, self.problem.rows, read)
    }

    fn recoder<'a>(
        &'a self,
        columns: &'a [Released],
        encoder: &'a CsvEncoder,
        hidden: Option<usize>,
    ) -> Recoder<'a> {
        let Planned { job, problem, release, .. } = *self;
        Recoder { problem, release, columns, encoder, hidden, missing: &job.missing }
    }

    /// The columns of the release, and which of the table's it takes to make them.
    pub(super) fn columns(&self) -> Result<ReleasedColumns> {
        let Planned { job, source, problem, release, .. } = *self;
        let mut read = places(source, &job.problem.columns())?;
        let mut place_of = among(&read, source);
        let mut columns = Vec::new();
        let mut layout = Layout::text(Vec::<String>::new());
        layout.delimiter = job.delimiter.unwrap_or(b',');
        let types = source.types();
        for &(at, role) in &job.columns {
            let name = &source.columns()[at];
            if role == Role::Quasi
                && let Some(attribute) = problem.attributes.iter().position(|a| a.name == *name)
            {
                columns.push(Released::Quasi(attribute));
                layout.names.extend_from_slice(release.names(attribute));
                // Labels of categories are categories.
                let category = types.get(at) == Some(&ColumnType::Category);
                let r#type = if category { ColumnType::Category } else { ColumnType::Text };
                layout.types.resize(layout.names.len(), r#type);
                continue;
            }
            let place = *place_of[at].get_or_insert_with(|| {
                read.push(at);
                read.len() - 1
            });
            columns.push(Released::Plain(place));
            layout.names.push(name.clone());
            layout.types.push(source.released_type(at));
        }
        check_names(&layout.names)?;
        // What tells people apart goes with each row to its place in the release, for the verifier's eyes only.
        let unit = problem.privacy.unit().map(|at| problem.attributes.len() + at);
        let unit = unit.filter(|&place| !columns.contains(&Released::Plain(place)));
        Ok(ReleasedColumns { read, columns, layout, unit })
    }

    fn write(
        &self,
        destination: Option<Destination>,
        requirements: &incrowd_verify::Requirements,
        allow: impl FnOnce(&Exposure) -> Result<Vec<Warning>>,
        control: &Control,
    ) -> Result<Written> {
        control.tell(Event::Phase(Phase::Write));
        let Planned { job, source, problem, release, .. } = *self;
        let ReleasedColumns { read, mut columns, mut layout, unit } = self.columns()?;
        let is_text = destination.as_ref().is_some_and(Destination::is_text);
        layout.csv_safe = job.csv_safe && is_text;
        let null = destination.as_ref().map_or(NULL, Destination::null);
        layout.null = source.tells_null().then_some(null);
        let encoder = layout.encoder()?;
        let folder = destination.as_ref().map_or_else(std::env::temp_dir, Destination::folder);
        let mut arranger = Arranger::new(job.order, ARRANGE_MEMORY, &folder);
        let is_finished = job.finishing.is_needed();
        columns.extend(unit.map(Released::Plain));
        columns.extend(is_finished.then_some(Released::Plain(ROW_NUMBER)));
        let recoder = self.recoder(&columns, &encoder, unit);
        let pass = Pass::new(&recoder, job.order);
        let (watch, mut gathering) = self.watch(&read);
        let watched = (&watch, &mut gathering);
        let mut fates = is_finished.then(Vec::new);
        let met = pass.run(source, &read, Some(&mut arranger), watched, fates.as_mut(), control)?;
        let mut exposure = gathering.finish(problem, release);
        self.check_truth(&met, requirements, control)?;
        let mut hidden =
            HiddenFields { units: unit.map(|_| Vec::new()), numbers: is_finished.then(Vec::new) };
        let mut arranger = Some(arranger);
        let mut finished = finishing::Finished::default();
        let mut remaining = None;
        // Where rows depend on each other, all must be there before one is written.
        let held = match (fates, arranger.take_if(|_| is_finished)) {
            (Some(fates), Some(arranger)) => {
                let mut rows = Vec::new();
                pass.finish(arranger, |row| {
                    rows.push(hidden.strip(row).to_vec());
                    Ok(())
                })?;
                let HiddenFields { units, numbers } = std::mem::take(&mut hidden);
                let rows = finish::Rows { rows, units, numbers: numbers.unwrap_or_default() };
                let done = finish::finish(self, &mut layout, rows, &fates, requirements, control)?;
                earlier::refuse_differences(&job.earlier, problem, &done.release, control)?;
                let mut kept = vec![false; fates.len()];
                done.rows.numbers.iter().for_each(|&number| kept[number as usize] = true);
                (finished, exposure, hidden.units) =
                    (done.finished, done.exposure, done.rows.units);
                remaining = Some(Remaining { release: done.release, kept });
                Some(done.rows.rows)
            }
            _ => None,
        };
        let warnings = allow(&exposure)?;
        let mut emit = |write: &mut dyn FnMut(&[u8]) -> Result<()>| match &held {
            Some(rows) => rows.iter().try_for_each(|row| write(row)),
            None => match arranger.take() {
                Some(arranger) => pass.finish(arranger, |row| write(hidden.strip(row))),
                None => Ok(()),
            },
        };
        let body = match destination {
            None => Body::None,
            Some(Destination::File { file, format, .. }) => {
                let mut writer = TableWriter::new(file, format, &layout)?;
                emit(&mut |row| writer.row(row))?;
                Body::File { file: writer.finish()?, format, delimiter: layout.delimiter }
            }
            #[cfg(feature = "parquet")]
            Some(Destination::Memory) => {
                let mut writer = incrowd_data::MemoryWriter::new(&layout)?;
                emit(&mut |row| writer.row(row))?;
                Body::Memory(writer.finish()?)
            }
        };
        layout.names.iter().for_each(|name| drop(encoder.label(name)));
        let formulas = is_text && !layout.csv_safe && encoder.met_formulas();
        let (units, null) = (hidden.units, layout.null);
        Ok(Written { body, null, units, formulas, finished, remaining, exposure, warnings })
    }
}

/// Two released columns can come to share a name: `age` in two columns beside an `age_min`.
fn check_names(names: &[String]) -> Result<()> {
    match incrowd_data::first_repeated(names) {
        None => Ok(()),
        Some((_, at)) => {
            Err(Error::new(format!("the release would have two columns named `{}`", names[at]))
                .help("rename the column, or use another summary than \"columns\""))
        }
    }
}

impl Written {
    /// The release, to be read back.
    fn open(&self) -> Result<Source> {
        let source = match &self.body {
            Body::File { file, delimiter, .. } => {
                let options = ReadOptions { delimiter: Some(*delimiter), ..ReadOptions::default() };
                Source::of_file(file.reopen()?, file.target(), &options)?
            }
            Body::None => return Err(Error::new("nothing was written")),
            #[cfg(feature = "parquet")]
            Body::Memory(table) => {
                let (schema, batches) = (table.schema.clone(), table.batches.clone());
                Source::from_batches("the release", schema, batches, None)?
            }
        };
        Ok(match (self.null, &self.body) {
            (None, _) => source,
            // An empty cell is NULL rather than the empty text.
            (_, Body::File { format: OutputFormat::Xlsx, .. }) => source.with_null(""),
            (Some(null), _) => source.with_null(null),
        })
    }

    /// Has the release verified and, only if it holds or a failing one is asked for, gives it back to be put in its
    /// place.
    fn judge(
        self,
        planned: &Planned<'_>,
        requirements: &incrowd_verify::Requirements,
        even_failing: bool,
        control: &Control,
    ) -> Result<Judged> {
        control.tell(Event::Phase(Phase::Verify));
        let judged = |released: &Source| match &self.units {
            None => verify_source(released, requirements, control),
            Some(units) => check::judge_units(released, units, requirements, control),
        };
        let mut verdict = match &self.body {
            Body::File { file, format, delimiter }
                if self.units.is_none() && self.null.is_none() =>
            {
                check::judge(file, *format, *delimiter, requirements, control)?
            }
            _ => judged(&self.open()?)?,
        };
        let finishing = &planned.job.finishing;
        if !finishing.is_none() {
            let released = self.open()?;
            let units = self.units.as_deref();
            finish::judge_beyond(&released, units, requirements, finishing, &mut verdict, control)?;
            let (original, missing) = (planned.source, &planned.job.missing);
            finish::judge_replaced(&released, original, finishing, missing, &mut verdict, control)?;
        }
        if !verdict.holds && !even_failing {
            let what: Vec<String> = verdict.violations.iter().map(told).collect();
            return Err(Error::new(format!(
                "the release failed verification: {}",
                what.join("; ")
            ))
            .help("nothing was written; please report this as a fault of incrowd"));
        }
        if control.is_cancelled() {
            return Err(Error::interrupted());
        }
        let verdict = Some(verdict);
        let Written { body, formulas, finished, remaining, exposure, warnings, .. } = self;
        let judged = Judged {
            verdict,
            formulas,
            finished,
            remaining,
            exposure,
            warnings,
            ..Judged::default()
        };
        Ok(match body {
            Body::None => judged,
            Body::File { file, .. } => Judged { file: Some(file), ..judged },
            #[cfg(feature = "parquet")]
            Body::Memory(table) => Judged { table: Some(table), ..judged },
        })
    }
}

/// A violation in words, with the worst class as an example.
pub(super) fn told(violation: &incrowd_verify::Violation) -> String {
    let hidden = incrowd::words::values_are_hidden();
    let Some(worst) = violation.examples.first().filter(|_| !hidden) else {
        return violation.message.clone();
    };
    let values: Vec<String> = worst
        .values
        .iter()
        .map(|field| format!("{} = `{}`", field.column, shown_value(&field.value)))
        .collect();
    format!("{}, such as {}", violation.message, values.join(", "))
}
