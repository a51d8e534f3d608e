//! A whole run: read, count, solve, recode, arrange, verify, write.
//!
//! Nothing appears under the output's name before the independent verifier has read the written
//! rows back and found every requirement met.

mod anonymize;
#[cfg(feature = "parquet")]
mod apart;
mod apply;
mod check;
mod compare;
mod count;
mod counted;
mod earlier;
mod exposure;
mod finish;
mod finishing;
mod found;
mod frontier;
mod hierarchies;
mod hierarchy_tools;
mod job;
mod losses;
mod many_values;
mod memory;
mod people;
mod planned;
mod population;
mod ranges;
mod reached;
mod recode;
mod report;
mod results;
mod roles;
mod said;
mod seen;
mod series;
mod spellings;
mod status;
mod structure;
mod threads;
mod trace;
mod truth;
mod voice;
mod warning;

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use incrowd::recoding::SavedTarget;
use incrowd::search::Phase;
use incrowd::value::{Scale, shown_value};
use incrowd::{Control, Counts, Event, Problem, ProblemSpec, Recoding, SavedRecoding, Solution};

use incrowd_assess::expose::ValueTally;

pub use anonymize::{Anonymize, Anonymized, table_from};
#[cfg(feature = "parquet")]
pub use apart::{
    Apart, BlockCounts, BlockFacts, Checked, Checking, Combinations, Counted, Cuts, Margins,
    ORDER_COLUMN, PartRows, ROWS_COLUMN, Reading, RowRecoder, Solved, Sum, Treating, UNIT_COLUMN,
    value_column,
};
pub use apply::{Apply, Unseen, apply};
pub(crate) use check::{counted, style_of};
pub use check::{date_forms, translated, verify_source, verify_sources};
pub use compare::{ComparedTable, Trial};
pub use count::count_cells;
pub use counted::{
    Alike, BLANK_CLASS, Combination, Elsewhere, Placed, Plan, each_combination, run_elsewhere,
};
pub(crate) use finish::{judge_beyond, judge_replaced};
pub use finishing::Finishing;
pub use found::{Found, Obstacle};
pub use frontier::{Frontier, FrontierAnswers};
pub use hierarchies::{HierarchyRow, load_hierarchy, parse_hierarchy_rows, read_hierarchy_rows};
pub use hierarchy_tools::{
    BuiltHierarchy, ColumnOf, HierarchyCheck, build_hierarchy, check_hierarchy,
};
pub(crate) use job::treatments;
pub use job::{Job, hierarchy_files, input_of, open_input, treated};
pub use losses::SUPPRESSION_CODES;
#[cfg(feature = "parquet")]
pub use memory::{InMemory, apply_in_memory, run_in_memory};
pub use ranges::{RangeEnds, ends_text};
pub use reached::Reached;
pub use report::{
    RunReport, TreatedColumn, Unlinked, cost_text, finished_text, gap, gap_text, names_text,
    seconds_text, sets_text, unchanged_text,
};
pub use results::Results;
pub use seen::{SeenClasses, read_classes, read_release};
pub use series::{Answer, Series};
pub use status::Status;
pub use structure::{NearestOfTable, limit_in_words, nearest_of_table, structure_facts};
pub use threads::on_threads;
pub use trace::{TracePoint, Tracer};
pub use voice::Voice;
pub use warning::Warning;

use crate::spec::Role;
use crate::{
    Arranger, ColumnType, Error, Layout, OutputFile, OutputFormat, ReadOptions, Result, Source,
    TableWriter,
};
use count::count_watching;
use found::search;
use planned::Planned;
use recode::{Pass, Recoder, Released};

/// Rows up to this much memory are arranged in memory, more of them through temporary files.
const ARRANGE_MEMORY: usize = 160 << 20;

/// A search that has ended, and what it took.
struct Timed {
    solution: incrowd::Result<Solution>,
    wall_seconds: f64,
    cpu_seconds: f64,
}

impl Timed {
    /// Lets a search run until it ends, its time is up, or the control ends it.
    fn run(
        time_limit: Option<Duration>,
        control: &Control,
        search: impl FnOnce(&Control) -> incrowd::Result<Solution>,
    ) -> Self {
        control.tell(Event::Phase(Phase::Solve));
        let control = control.clone().with_time_limit(time_limit);
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let solution = search(&control);
        let (wall_seconds, cpu_seconds) =
            (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        Timed { solution, wall_seconds, cpu_seconds }
    }
}

/// Runs a job on its source. The release and the recoding appear together or not at all.
pub fn run(job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
    let (report, outputs) = run_held(job, source, control)?;
    OutputFile::commit_all(outputs)?;
    Ok(report)
}

/// The same, but what was written is complete and verified and still has no name: it is handed back to be
/// [committed](OutputFile::commit_all) together with what else belongs to it, such as a report.
pub fn run_held(
    job: &Job,
    source: &Source,
    control: &Control,
) -> Result<(RunReport, Vec<OutputFile>)> {
    // Where it goes is checked before hours are spent on it.
    let output = job.output.as_deref().map(Destination::create).transpose()?;
    let done = run_to(output, job, source, None, control)?;
    Ok((done.report, done.outputs))
}

/// A run whose release is complete and verified and goes somewhere else yet: into a database.
#[derive(Debug)]
pub struct Held {
    /// The facts of the run.
    pub report: RunReport,
    /// The release as text, one record a line, without a name; none if there is no solution.
    pub release: Option<OutputFile>,
    /// What else belongs to it, such as the recoding.
    pub outputs: Vec<OutputFile>,
    /// What the release was found to hold, for whoever checks it again where it goes.
    pub requirements: Option<incrowd_verify::Requirements>,
}

/// The same as [`run_held`] for a release that does not stay where the job's output says.
pub fn run_for_elsewhere(job: &Job, source: &Source, control: &Control) -> Result<Held> {
    let output = job.output.as_deref().map(Destination::create).transpose()?;
    let mut done = run_to(output, job, source, None, control)?;
    let is_release = |file: &OutputFile| job.output.as_deref() == Some(file.target());
    let release = done.outputs.iter().position(is_release).map(|at| done.outputs.remove(at));
    let Delivered { report, outputs, requirements, .. } = done;
    Ok(Held { report, release, outputs, requirements })
}

/// A run with what it made at hand.
struct Delivered {
    report: RunReport,
    /// Files that are complete and have no name yet.
    outputs: Vec<OutputFile>,
    recoding: Option<SavedRecoding>,
    /// What was checked.
    requirements: Option<incrowd_verify::Requirements>,
    #[cfg(feature = "parquet")]
    table: Option<crate::MemoryTable>,
}

impl Delivered {
    /// A run that made nothing.
    fn nothing(report: RunReport) -> Self {
        Delivered {
            report,
            outputs: Vec::new(),
            recoding: None,
            requirements: None,
            #[cfg(feature = "parquet")]
            table: None,
        }
    }
}

/// Runs a job; the release goes to `output`, and the population may lie in memory.
fn run_to(
    output: Option<Destination>,
    job: &Job,
    source: &Source,
    population: Option<&Source>,
    control: &Control,
) -> Result<Delivered> {
    // It lists the original values.
    let recoding_file = job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
    let found = Found::search_with(job, source, population, control)?;
    found.deliver(output, recoding_file, job, source, control)
}

/// Counts the rows of a source and poses the job's problem for them.
fn pose(job: &Job, source: &Source, control: &Control) -> Result<(Counts, Problem)> {
    pose_watching(job, source, &[], control).map(|(counts, _, problem)| (counts, problem))
}

/// The same for a run that releases something: columns that nobody has named are looked at, too.
fn pose_safely(job: &Job, source: &Source, control: &Control) -> Result<(Counts, Problem)> {
    let (counts, watched, problem) = pose_watching(job, source, &job.unnamed, control)?;
    // What is wrong with the question itself went first.
    roles::refuse_exposed(job, source, &watched, counts.rows(), control)?;
    Ok((counts, problem))
}

fn pose_watching(
    job: &Job,
    source: &Source,
    watched: &[usize],
    control: &Control,
) -> Result<(Counts, Vec<ValueTally>, Problem)> {
    control.tell(Event::Phase(Phase::Read));
    let columns = places(source, &job.problem.columns())?;
    let (counts, tallies) = count_watching(source, &columns, watched, control)?;
    some_rows(source, &counts)?;
    let problem = build_problem(&job.problem, &counts, source, &job.missing, control)?;
    let problem = job.method.ready(problem);
    Ok((counts, tallies, problem))
}

/// Poses a problem for counted rows of a source. Where the numbers of a column can be read in two ways, the source's other
/// columns and its delimiter decide, if they can.
pub(crate) fn build_problem(
    spec: &ProblemSpec,
    counts: &Counts,
    source: &Source,
    missing: &[String],
    control: &Control,
) -> Result<Problem> {
    match Problem::build(spec, counts) {
        Err(error) if error.kind == incrowd::ErrorKind::Ambiguous && spec.decimal.is_none() => {
            match source.likely_decimal(missing, control)? {
                None => Err(error.into()),
                decimal => Ok(Problem::build(&ProblemSpec { decimal, ..spec.clone() }, counts)?),
            }
        }
        problem => Ok(problem?),
    }
}

/// For each column of a source its place among some that are read, if it is one of them.
fn among(read: &[usize], source: &Source) -> Vec<Option<usize>> {
    let mut place_of = vec![None; source.columns().len()];
    for (place, &column) in read.iter().enumerate().rev() {
        place_of[column] = Some(place);
    }
    place_of
}

/// The places of columns in a source.
fn places(source: &Source, names: &[String]) -> Result<Vec<usize>> {
    names
        .iter()
        .map(|name| {
            source
                .columns()
                .iter()
                .position(|column| column == name)
                .ok_or_else(|| Error::new(format!("{} has no column `{name}`", source.name())))
        })
        .collect()
}

/// A table without rows is refused by its name.
pub(crate) fn some_rows(source: &Source, counts: &Counts) -> Result<()> {
    if !counts.cells.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!("{} has no rows", source.name()))
        .help("there must be rows below the header"))
}

/// A recoding with all that is needed to apply it again.
fn saved(job: &Job, source: &Source, problem: &Problem, recoding: &Recoding) -> SavedRecoding {
    let sensitive = problem
        .targets
        .columns
        .iter()
        .enumerate()
        .filter(|(_, label)| job.problem.models.iter().any(|(name, _)| *name == label.name))
        .map(|(at, label)| SavedTarget {
            name: label.name.clone(),
            order: job.problem.targets[at].rule.order.clone(),
            hierarchy: problem
                .privacy
                .requirements
                .iter()
                .find(|requirement| requirement.column == at)
                .and_then(|requirement| requirement.background.hierarchy.as_ref())
                .map(incrowd::Hierarchy::to_rows),
            decimal: comma(label.domain.scale()),
        })
        .collect();
    SavedRecoding {
        version: SavedRecoding::VERSION,
        k: problem.privacy.enough(),
        unit: job.problem.unit.as_ref().map(|unit| unit.name.clone()),
        wildcards: problem.privacy.wildcards,
        models: job.problem.models.clone(),
        count_missing: job.problem.count_missing,
        sensitive,
        identifying: job.identifying.clone(),
        // Without its key, nobody could disguise a column of new rows: it is left out of them.
        plain: job
            .plain_columns(source)
            .into_iter()
            .filter(|name| !source.place_of(name).is_ok_and(|place| source.is_disguised(place)))
            .collect(),
        missing: job.missing.clone(),
        treatments: source.treatments().to_vec(),
        attributes: problem.attributes.clone(),
        recoding: recoding.clone(),
    }
}

/// The decimal sign of a column where it is a comma.
fn comma(scale: Option<&Scale>) -> Option<char> {
    match scale {
        Some(Scale::Numbers(format)) => Some(format.point()).filter(|point| *point == ','),
        _ => None,
    }
}

/// Where a release goes, before anything is written to it.
enum Destination {
    File {
        file: OutputFile,
        format: OutputFormat,
    },
    #[cfg(feature = "parquet")]
    Memory,
}

impl Destination {
    /// Whether it is a text file, which spreadsheets open.
    fn is_text(&self) -> bool {
        matches!(self, Destination::File { format: OutputFormat::Csv(_), .. })
    }

    fn create(target: &std::path::Path) -> Result<Self> {
        Ok(Destination::File {
            format: OutputFormat::from_path(target)?,
            file: OutputFile::create(target)?,
        })
    }

    fn is_memory(&self) -> bool {
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
struct ReleasedColumns {
    /// The columns to read: the problem's (quasi-identifiers, then targets), then the others that are released.
    read: Vec<usize>,
    columns: Vec<Released>,
    layout: Layout,
    /// Among the columns read, what tells people apart and is not released.
    unit: Option<usize>,
}

/// A release that is written but not yet verified.
struct Written {
    body: Body,
    /// Where people are protected and what tells them apart is not released: who each released row is of.
    units: Option<Vec<u64>>,
    /// Whether it is a text file with texts that a spreadsheet would take for formulas.
    formulas: bool,
    /// What was left out when all rows were there.
    finished: finishing::Finished,
}

enum Body {
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
struct Judged {
    verdict: Option<incrowd_verify::Verdict>,
    /// What was checked.
    requirements: Option<incrowd_verify::Requirements>,
    /// Its file, which has no name yet.
    file: Option<OutputFile>,
    #[cfg(feature = "parquet")]
    table: Option<crate::MemoryTable>,
    /// Whether the file holds texts that a spreadsheet would take for formulas.
    formulas: bool,
    /// What was left out when all rows were there.
    finished: finishing::Finished,
}

impl Judged {
    /// What the reader of a text file should know that looks harmless.
    fn warning(&self) -> Option<Warning> {
        self.formulas.then(|| {
            Warning::new(
                "formulas",
                "some released texts begin with =, +, - or @: a spreadsheet that opens the file would compute them; \
                 --csv-safe puts an apostrophe before them",
            )
        })
    }
}

impl Planned<'_> {
    /// Writes the release and has it judged; nothing for a dry run.
    fn release(
        &self,
        output: Option<Destination>,
        even_failing: bool,
        control: &Control,
    ) -> Result<Judged> {
        let Some(destination) = output else { return Ok(Judged::default()) };
        let Planned { job, problem, .. } = *self;
        let mut requirements = check::requirements(problem, &job.identifying, &job.missing)?;
        requirements.reference = job.reference;
        let written = self.write(destination, &requirements, control)?;
        let judged = written.judge(self, &requirements, even_failing, control)?;
        Ok(Judged { requirements: Some(requirements), ..judged })
    }

    /// The columns of the release, and which of the table's it takes to make them.
    fn columns(&self) -> Result<ReleasedColumns> {
        let Planned { job, source, problem, release, .. } = *self;
        let mut read = places(source, &job.problem.columns())?;
        let mut place_of = among(&read, source);
        let mut columns = Vec::new();
        let mut layout = Layout::text(Vec::<String>::new());
        layout.delimiter = job.delimiter.unwrap_or(b',');
        let types = source_types(source);
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
            let r#type = types.get(at).cloned().filter(|_| !source.is_treated(at));
            layout.types.push(r#type.unwrap_or(ColumnType::Text));
        }
        check_names(&layout.names)?;
        // What tells people apart goes with each row to its place in the release, for the verifier's eyes only.
        let unit = problem.privacy.unit().map(|at| problem.attributes.len() + at);
        let unit = unit.filter(|&place| !columns.contains(&Released::Plain(place)));
        Ok(ReleasedColumns { read, columns, layout, unit })
    }

    fn write(
        &self,
        destination: Destination,
        requirements: &incrowd_verify::Requirements,
        control: &Control,
    ) -> Result<Written> {
        control.tell(Event::Phase(Phase::Write));
        let Planned { job, source, counts, problem, release } = *self;
        let ReleasedColumns { read, mut columns, mut layout, unit } = self.columns()?;
        let is_text = destination.is_text();
        layout.csv_safe = job.csv_safe && is_text;
        let encoder = layout.encoder()?;
        let mut arranger = Arranger::new(job.order, ARRANGE_MEMORY, &destination.folder());
        columns.extend(unit.map(Released::Plain));
        let recoder = Recoder {
            problem,
            counts,
            release,
            columns: &columns,
            encoder: &encoder,
            hidden: unit,
            missing: &job.missing,
        };
        let pass = Pass::new(&recoder, job.order);
        let met = pass.run(source, &read, &mut arranger, control)?;
        self.check_truth(&met, requirements, control)?;
        let mut arranger = Some(arranger);
        let mut units = unit.map(|_| Vec::new());
        let mut finished = finishing::Finished::default();
        // Where rows depend on each other, all must be there before one is written.
        let held = match job.finishing.is_needed() {
            false => None,
            true => {
                let mut rows = Vec::new();
                if let Some(arranger) = arranger.take() {
                    pass.finish(arranger, |row| {
                        rows.push(recode::without_unit(row, &mut units).to_vec());
                        Ok(())
                    })?;
                }
                let rows = finish::Rows { rows, units: units.take() };
                let (rows, what) = finish::finish(self, &mut layout, rows, requirements, control)?;
                (finished, units) = (what, rows.units);
                Some(rows.rows)
            }
        };
        let mut emit = |write: &mut dyn FnMut(&[u8]) -> Result<()>| match &held {
            Some(rows) => rows.iter().try_for_each(|row| write(row)),
            None => match arranger.take() {
                Some(arranger) => {
                    pass.finish(arranger, |row| write(recode::without_unit(row, &mut units)))
                }
                None => Ok(()),
            },
        };
        let body = match destination {
            Destination::File { file, format } => {
                let mut writer = TableWriter::new(file, format, &layout)?;
                emit(&mut |row| writer.row(row))?;
                Body::File { file: writer.finish()?, format, delimiter: layout.delimiter }
            }
            #[cfg(feature = "parquet")]
            Destination::Memory => {
                let mut writer = crate::write::MemoryWriter::new(&layout)?;
                emit(&mut |row| writer.row(row))?;
                Body::Memory(writer.finish()?)
            }
        };
        layout.names.iter().for_each(|name| drop(encoder.label(name)));
        let formulas = is_text && !layout.csv_safe && encoder.met_formulas();
        Ok(Written { body, units, formulas, finished })
    }
}

/// Two released columns can come to share a name: `age` in two columns beside an `age_min`.
fn check_names(names: &[String]) -> Result<()> {
    match crate::read::first_repeated(names) {
        None => Ok(()),
        Some((_, at)) => {
            Err(Error::new(format!("the release would have two columns named `{}`", names[at]))
                .help("rename the column, or use another summary than \"columns\""))
        }
    }
}

#[cfg(feature = "parquet")]
fn source_types(source: &Source) -> Vec<ColumnType> {
    let in_memory = source.format() == crate::Format::Memory;
    source.schema().map_or_else(Vec::new, |schema| {
        let types = schema.fields().iter().map(|field| {
            let dictionary = matches!(field.data_type(), arrow_schema::DataType::Dictionary(..));
            match ColumnType::from(field.data_type()) {
                ColumnType::Text if dictionary && in_memory => ColumnType::Category,
                other => other,
            }
        });
        types.collect()
    })
}

#[cfg(not(feature = "parquet"))]
fn source_types(_: &Source) -> Vec<ColumnType> {
    Vec::new()
}

impl Written {
    /// The release, to be read back.
    fn open(&self) -> Result<Source> {
        match &self.body {
            Body::File { file, delimiter, .. } => {
                let options = ReadOptions { delimiter: Some(*delimiter), ..ReadOptions::default() };
                Source::of_file(file.reopen()?, file.target(), &options)
            }
            #[cfg(feature = "parquet")]
            Body::Memory(table) => {
                let (schema, batches) = (table.schema.clone(), table.batches.clone());
                Source::from_batches("the release", schema, batches, None)
            }
        }
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
            Body::File { file, format, delimiter } if self.units.is_none() => {
                check::judge(file, *format, *delimiter, requirements, control)?
            }
            Body::File { file, delimiter, .. } => {
                let options = ReadOptions { delimiter: Some(*delimiter), ..ReadOptions::default() };
                judged(&Source::of_file(file.reopen()?, file.target(), &options)?)?
            }
            #[cfg(feature = "parquet")]
            Body::Memory(table) => {
                let (schema, batches) = (table.schema.clone(), table.batches.clone());
                judged(&Source::from_batches("the release", schema, batches, None)?)?
            }
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
        let (formulas, finished) = (self.formulas, self.finished);
        let judged = Judged { verdict, formulas, finished, ..Judged::default() };
        Ok(match self.body {
            Body::File { file, .. } => Judged { file: Some(file), ..judged },
            #[cfg(feature = "parquet")]
            Body::Memory(table) => Judged { table: Some(table), ..judged },
        })
    }
}

/// A violation in words, with the worst class as an example.
fn told(violation: &incrowd_verify::Violation) -> String {
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
