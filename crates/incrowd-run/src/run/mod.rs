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
mod fate;
mod finish;
mod finishing;
mod follower;
mod found;
mod from_spec;
mod frontier;
mod hierarchies;
mod hierarchy_tools;
mod job;
mod losses;
mod many_values;
mod memory;
mod opening;
mod planned;
mod population;
mod ranges;
mod reached;
mod recent;
mod recode;
mod report;
mod results;
mod roles;
mod said;
mod seen;
mod series;
mod shareable;
mod spellings;
mod status;
mod structure;
mod subject_refusals;
mod subjects;
mod text;
mod threads;
mod trace;
mod truth;
mod voice;
mod warning;
mod watch;
mod writing;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use incrowd::recoding::SavedTarget;
use incrowd::search::Phase;
use incrowd::value::Scale;
use incrowd::{Control, Counts, Event, Problem, ProblemSpec, Recoding, SavedRecoding, Solution};

use incrowd_assess::expose::ValueTally;

pub use anonymize::{Anonymize, Anonymized, table_from};
#[cfg(feature = "parquet")]
pub use apart::{
    Apart, BlockCounts, BlockFacts, Checked, Checking, Combinations, Counted, Cuts, Margins,
    ORDER_COLUMN, Parcel, Parcels, PartBatch, PartRows, ROWS_COLUMN, Reading, RowRecoder, Solved,
    Sum, Treating, UNIT_COLUMN, value_column,
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
pub use job::Job;
pub use losses::SUPPRESSION_CODES;
#[cfg(feature = "parquet")]
pub use memory::{InMemory, apply_in_memory, run_in_memory};
pub(crate) use opening::treatments;
pub use opening::{hierarchy_files, input_of, open_input, reading_of, treated};
pub(crate) use population::count_people;
pub use ranges::{RangeEnds, ends_text};
pub use reached::Reached;
pub use report::{RunReport, TreatedColumn, Unlinked, cost_text, gap, gap_text, seconds_text};
pub use results::Results;
pub use seen::{SeenClasses, read_classes, read_release};
pub use series::{Answer, Series};
pub use shareable::{Optimality, SafeCount, Shareable};
pub use status::Status;
pub use structure::{NearestOfTable, limit_in_words, nearest_of_table, structure_facts};
pub use text::{finished_text, finishing_text, names_text, sets_text, unchanged_text};
pub use threads::on_threads;
pub use trace::{TracePoint, Tracer};
pub use voice::Voice;
pub use warning::Warning;

use crate::{Error, OutputFile, Result, Source};
use count::count_watching;
use found::search;
use planned::Planned;
use subjects::{Comparison, Subjects};
use writing::{Destination, ReleasedColumns, told};

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

/// The same as [`run_held`] for a release that does not stay where the job's output says. It spells NULL as
/// [`NULL`](crate::NULL), without quotes.
pub fn run_for_elsewhere(job: &Job, source: &Source, control: &Control) -> Result<Held> {
    let output = job.output.as_deref().map(Destination::create_for_database).transpose()?;
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

/// The same for a run that releases something: columns that nobody has named are looked at, and whether rows are people.
/// What there is to say of that comes along.
fn pose_safely(
    job: &Job,
    source: &Source,
    control: &Control,
) -> Result<(Counts, Problem, Subjects)> {
    let (counts, watched, problem) = pose_watching(job, source, &job.unnamed, control)?;
    // What is wrong with the question itself went first.
    roles::refuse_exposed(job, source, &watched, counts.rows(), control)?;
    roles::refuse_identifiers(job, &counts)?;
    let counted = counts.columns.iter();
    let mut distinct: BTreeMap<&str, u64> =
        counted.map(|(name, values)| (name.as_str(), values.len() as u64)).collect();
    let watched = job.unnamed.iter().zip(&watched);
    distinct.extend(watched.map(|(&at, tally)| (source.columns()[at].as_str(), tally.distinct())));
    let distinct = |at: usize| distinct.get(source.columns()[at].as_str()).copied();
    let comparison = Comparison::new(job, source, counts.rows(), distinct)?;
    let evidence = comparison.look(source, counts.rows(), &job.missing, control)?;
    let subjects = comparison.judge(job, source, &evidence)?;
    Ok((counts, problem, subjects))
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
