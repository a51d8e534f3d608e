//! Runs whose rows lie elsewhere: counted, recoded and checked there.
//!
//! What has to be known of the rows is asked for in counts; the release is handed over as a map from combinations to
//! classes. All checks that a run on a file makes are made here, too, from what can be counted.

use incrowd::search::Phase;
use incrowd::{Control, Counts, Event, Problem, Release};
use incrowd_assess::expose::{Exposure, Gathering, Unchanged, value_hash};
use incrowd_verify::{Requirements, Verdict};

use super::planned::Planned;
use super::population::Population;
use super::recode::Met;
use super::report::{Made, Ran, Started};
use super::subjects::{ColumnEvidence, Comparison};
use super::voice::Refused;
use super::{
    Job, RunReport, Status, build_problem, check, exposure, losses, places, roles, saved, search,
    some_rows, spellings,
};
use crate::spec::Role;
use crate::{Error, OutputFile, Result, Source};

/// A table that is counted, recoded and checked where it lies. Columns are places in the source that has its header.
pub trait Elsewhere: Send {
    /// Counts the combinations of values in some columns. Values of the unit may be stood for by hashes.
    fn count(&mut self, columns: &[usize]) -> Result<Counts>;

    /// The values of a column with how often each occurs; of very many values a share, one of so many.
    fn values(&mut self, column: usize) -> Result<(Vec<(String, u64)>, u64)>;

    /// Rows that share values of a column, all rows of a share of its values: by hashes. None where no value occurs
    /// twice.
    fn alike(&mut self, column: usize, quasi: &[usize]) -> Result<Option<Vec<Alike>>>;

    /// Makes the release and has it checked. Others see it only when the run is over.
    fn release(&mut self, plan: &Plan<'_>) -> Result<Placed>;
}

/// A row among those that share a value of a column.
#[derive(Debug, Clone)]
pub struct Alike {
    /// Whether the value may be a code: it has a digit and is no decimal fraction.
    pub coded: bool,
    /// Its hash.
    pub hash: u64,
    /// The hashes of the columns that rows are compared by.
    pub quasi: Vec<u32>,
}

/// All that is needed to make a release elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The job.
    pub job: &'a Job,
    /// The header.
    pub source: &'a Source,
    /// What was counted.
    pub counts: &'a Counts,
    /// The problem.
    pub problem: &'a Problem,
    /// Its solution, applied.
    pub release: &'a Release,
    /// What the release must hold.
    pub requirements: &'a Requirements,
}

/// A release that was made and checked.
#[derive(Debug, Clone)]
pub struct Placed {
    /// What the independent verifier found.
    pub verdict: Verdict,
    /// How many rows each unchanged column singles out.
    pub unchanged: Vec<Unchanged>,
    /// All of them together, if there are several.
    pub together: Option<Unchanged>,
    /// Rows by chance: the class, the combination and what the unchanged columns hold, or hashes of that.
    pub sample: Vec<(Option<u32>, u32, Vec<String>)>,
}

/// Runs a job on a table that lies elsewhere; `source` has its header and no rows. What was made is complete and verified
/// and waits to be committed, as do the files that are handed back.
pub fn run_elsewhere(
    job: &Job,
    source: &Source,
    place: &mut dyn Elsewhere,
    control: &Control,
) -> Result<(RunReport, Vec<OutputFile>)> {
    let started = Started::now();
    job.refuse_finishing("where rows stay in the database")?;
    if job.write_failing {
        return Err(Error::new("rows that fail cannot be written into a database"));
    }
    let recoding_file = job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
    control.tell(Event::Phase(Phase::Read));
    let counts = place.count(&places(source, &job.problem.columns())?)?;
    some_rows(source, &counts)?;
    let problem = build_problem(&job.problem, &counts, source, &job.missing, control)?;
    let problem = job.method.ready(problem);
    refuse_exposed(job, source, place, counts.rows())?;
    roles::refuse_identifiers(job, &counts)?;
    let repeated = refuse_repeated_subjects(job, source, place, &counts)?;
    let population = Population::read(job, None, control)?;
    let problem = Population::pose(population.as_ref(), job, problem)?;

    let (problem, solution, release) = search(job, problem, control)?;
    let ran = Ran { job, problem: &problem, solution: &solution, started };
    let (Some(recoding), Some(release)) = (solution.recoding(), release) else {
        return Ok((ran.unsolved(), Vec::new()));
    };
    let interrupted = Status::from(&solution.outcome).is_interrupted();
    let control = if interrupted { &control.to_the_end() } else { control };

    let mut requirements = check::requirements(&problem, &job.identifying, &job.missing)?;
    requirements.reference = job.reference;
    let planned = Planned { job, source, counts: &counts, problem: &problem, release: &release };
    planned.check_truth(&met(&planned)?, &requirements, control)?;
    control.tell(Event::Phase(Phase::Write));
    let plan = Plan {
        job,
        source,
        counts: &counts,
        problem: &problem,
        release: &release,
        requirements: &requirements,
    };
    let placed = place.release(&plan)?;
    let exposure = exposed(&plan, &placed);
    let mut warnings = roles::identifiers_as_quasi(job, &counts);
    warnings.extend(repeated);
    warnings.extend(spellings::case_variants(&problem));
    warnings.extend(exposure::judge(&exposure, release.rows(), job.sayings(source), job.voice)?);
    let losses = losses::counted(&planned);
    let mut outputs = Vec::new();
    if let Some(file) = recoding_file {
        outputs.push(file.filled(saved(job, source, &problem, recoding).to_json())?);
    }
    let journalist = population.map(|population| population.meet(job, &problem, &release));
    let verdict = Some(placed.verdict);
    let mut report = ran.made(Made { source, recoding, release: &release, verdict, exposure });
    report.warnings.extend(warnings);
    Ok((RunReport { journalist, ..report }.with_losses(losses), outputs))
}

/// Refuses columns that nobody has named and that would single people out.
fn refuse_exposed(job: &Job, source: &Source, place: &mut dyn Elsewhere, rows: u64) -> Result<()> {
    let mut refused: Vec<Refused> = Vec::new();
    for &at in &job.unnamed {
        let (values, scale) = place.values(at)?;
        let values: Vec<(&str, u64)> =
            values.iter().map(|(value, count)| (value.as_str(), *count)).collect();
        let name = &source.columns()[at];
        refused.extend(roles::refused(name, &values, scale, &job.missing, rows, job.voice));
    }
    if refused.is_empty() { Ok(()) } else { Err(roles::exposed_error(&refused)) }
}

/// Refuses a run that would count rows where people have several, or whose released columns link them.
fn refuse_repeated_subjects(
    job: &Job,
    source: &Source,
    place: &mut dyn Elsewhere,
    counts: &Counts,
) -> Result<Vec<super::Warning>> {
    let distinct = |at: usize| {
        let mut counted = counts.columns.iter();
        let column = counted.find(|(name, _)| *name == source.columns()[at]);
        column.map(|(_, values)| values.len() as u64)
    };
    let comparison = Comparison::new(job, source, counts.rows(), distinct)?;
    let mut evidence: Vec<(usize, ColumnEvidence)> = Vec::new();
    for &at in &comparison.columns {
        let Some(rows) = place.alike(at, &comparison.compared)? else { continue };
        let mut column = ColumnEvidence::default();
        rows.iter().for_each(|row| column.add(row.coded, row.hash, &row.quasi));
        evidence.push((at, column));
    }
    Ok(comparison.judge(job, source, &evidence)?.warnings)
}

/// Which cell becomes which class.
fn met(planned: &Planned<'_>) -> Result<Met> {
    let mut met = Met::new();
    each_combination(planned.counts, planned.problem, planned.release, |combination| {
        for &(class, _) in combination.classes {
            if let (Some(cell), Some(class)) =
                (combination.cell, class.filter(|&it| it != BLANK_CLASS))
            {
                met.push((cell, class));
            }
        }
        Ok(())
    })?;
    Ok(met)
}

/// The class of rows that are released blank, as [`each_combination`] tells it.
pub const BLANK_CLASS: u32 = u32::MAX;

/// A counted combination and where its rows go.
#[derive(Debug, Clone, Copy)]
pub struct Combination<'a> {
    /// Its values, column by column, as they were counted.
    pub values: &'a [&'a str],
    /// Its cell in the problem; none if it belongs to none.
    pub cell: Option<u32>,
    /// The classes of its rows and how many go there, one after the other; none for rows that are not released.
    pub classes: &'a [(Option<u32>, u64)],
}

/// Hands over every counted combination with where its rows go, in an order that is always the same.
pub fn each_combination(
    counts: &Counts,
    problem: &Problem,
    release: &Release,
    mut take: impl FnMut(Combination<'_>) -> Result<()>,
) -> Result<()> {
    use incrowd::release::Disposition;
    let width = problem.attributes.len();
    let index = incrowd::table::CellIndex::new(&problem.cells, &problem.domains());
    let mut assigner = release.assigner();
    let mut all: Vec<(Vec<u32>, u64)> = Vec::with_capacity(counts.combinations());
    counts.cells.for_each(|codes, count| all.push((codes.to_vec(), count)));
    all.sort_unstable();
    let coded = counts.columns.iter().zip(&problem.codebooks).map(|((_, values), codebook)| {
        codebook.codes_for(values).map_err(|_| super::recode::changed())
    });
    let coded = coded.collect::<Result<Vec<_>>>()?;
    let mut values: Vec<&str> = Vec::new();
    let mut classes: Vec<(Option<u32>, u64)> = Vec::new();
    for (known, count) in &all {
        values.clear();
        values.extend(known.iter().zip(&counts.columns).map(|(&code, (_, of))| of.value(code)));
        let codes: Vec<u32> =
            known.iter().zip(&coded).map(|(&at, coded)| coded[at as usize]).collect();
        let (quasi, target) = codes.split_at(width);
        let cell = index.find(quasi);
        classes.clear();
        let target = match target.is_empty() || !release.deals_rows() {
            true => 0,
            false => problem.targets.find(target).unwrap_or(u32::MAX),
        };
        let whole = if release.deals_rows() { 1 } else { *count };
        for _ in 0..count / whole.max(1) {
            let class = match cell.map(|cell| assigner.assign(cell, || target)) {
                Some(Disposition::Class(class)) => Some(class),
                Some(Disposition::Blank) => Some(BLANK_CLASS),
                Some(Disposition::Dropped) | None => None,
            };
            match classes.last_mut() {
                Some((last, rows)) if *last == class => *rows += whole,
                _ => classes.push((class, whole)),
            }
        }
        take(Combination { values: &values, cell, classes: &classes })?;
    }
    Ok(())
}

/// What the unchanged columns give away.
fn exposed(plan: &Plan<'_>, placed: &Placed) -> Exposure {
    let unchanged = plan.job.columns.iter().filter(|(_, role)| *role != Role::Quasi);
    let names: Vec<String> = unchanged.map(|&(at, _)| plan.source.columns()[at].clone()).collect();
    if names.is_empty() {
        return Exposure::default();
    }
    let mut gathering = Gathering::new(names, plan.problem.rows);
    for (class, cell, texts) in &placed.sample {
        let hashes: Vec<u64> = texts.iter().map(|text| value_hash(text)).collect();
        gathering.add(*class, &hashes);
        gathering.look(*class, *cell, texts.iter().map(String::as_str));
    }
    let looked_at = placed.sample.len() as u64;
    let found = gathering.finish(plan.problem, plan.release);
    Exposure {
        unchanged: placed.unchanged.clone(),
        together: placed.together.clone(),
        sampled: (looked_at < plan.release.rows()).then_some(looked_at),
        ..found
    }
}
