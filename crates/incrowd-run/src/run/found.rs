//! A run in two steps: what a search found is kept, to be looked at before anything is written.

use std::io::Write as _;

use incrowd::privacy::OverallTally;
use incrowd::release::Picture;
use incrowd::words::thousands;
use incrowd::{Algorithm as _, Control, Counts, Problem, Recoding, Release, Solution};

use super::population::Population;
use super::report::{Made, Ran, Started};
use super::said::Said;
use super::subjects::Subjects;
use super::{
    Delivered, Destination, Job, Planned, RunReport, Status, Timed, earlier, exposure, pose,
    pose_safely, roles, saved, spellings,
};
use crate::{Error, OutputFile, Result, Source};

/// Searches, and applies what was found: no release if there is none within the limits.
pub(super) fn search(
    job: &Job,
    problem: Problem,
    control: &Control,
) -> Result<(Problem, Solution, Option<Release>)> {
    job.check_fixed_ends(&problem)?;
    let solve = |control: &Control| job.method.solve(&problem, control);
    let solution = Timed::run(job.time_limit, control, solve).solution?;
    let solution = job.method.proven(&problem, solution, job.prove, control);
    let release_of = |problem: &Problem| match solution.recoding() {
        Some(recoding) if job.write_failing => Some(Release::with_failures(problem, recoding)),
        _ => Release::of_solution(problem, &solution, job.suppressed),
    };
    let Some(release) = release_of(&problem) else { return Ok((problem, solution, None)) };
    let (problem, release) = job.with_ends(problem, release, release_of);
    // Blank rows need company, so keeping them blank can suppress more than the search did.
    let limit = problem.limit.rows(problem.rows, problem.rows);
    let suppressed = problem.rows - release.classes.released_rows();
    if suppressed > limit {
        let why =
            format!("{suppressed} rows would have to be suppressed, but at most {limit} may be");
        return Ok((problem, Solution::infeasible(why, solution.nodes), None));
    }
    // Where rows are left out yet, what remains is compared.
    if !job.finishing.is_needed() {
        earlier::refuse_differences(&job.earlier, &problem, &release, control)?;
    }
    Ok((problem, solution, Some(release)))
}

/// What a search found in a table, with all that is needed to look at the release and to write it.
///
/// [`run`](super::run) is [`Found::search`] and [`Found::write_held`] in one go, so whatever is written later is what a
/// run would have written.
#[derive(Debug)]
pub struct Found {
    counts: Counts,
    problem: Problem,
    solution: Solution,
    release: Option<Release>,
    /// Whom rows are of.
    subjects: Subjects,
    population: Option<Population>,
    started: Started,
}

/// Why a job cannot be met, or hardly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What all rows together fail.
    pub why: String,
    /// Whether there is no release for certain: otherwise one may be found that leaves rows out.
    pub is_certain: bool,
}

impl Found {
    /// Counts the rows of a source, poses the job's question and searches for a release. That there is none is a
    /// result, not an error. Nothing is written.
    pub fn search(job: &Job, source: &Source, control: &Control) -> Result<Self> {
        Self::search_with(job, source, None, control)
    }

    /// The same with a population that may lie in memory.
    pub(super) fn search_with(
        job: &Job,
        source: &Source,
        population: Option<&Source>,
        control: &Control,
    ) -> Result<Self> {
        let started = Started::now();
        let (counts, problem, subjects) = pose_safely(job, source, control)?;
        let population = Population::read(job, population, control)?;
        let problem = Population::pose(population.as_ref(), job, problem)?;
        let (problem, solution, release) = search(job, problem, control)?;
        Ok(Found { counts, problem, solution, release, subjects, population, started })
    }

    /// The rows as they were counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The question as it was posed.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// How the search ended.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The recoding, if there is a release.
    pub fn recoding(&self) -> Option<&Recoding> {
        self.solution.recoding().filter(|_| self.release.is_some())
    }

    /// The release, if there is one.
    pub fn release(&self) -> Option<&Release> {
        self.release.as_ref()
    }

    /// Whether the same job searches its way to the same release again: not if a clock or a person ended the search.
    pub fn is_repeatable(&self) -> bool {
        self.solution.outcome.stop_reason().is_none()
    }

    /// What there is to tell of the release before anything is written, with its picture. Columns that would undo
    /// what the release does are refused here as they are when it is written.
    pub fn report(&self, job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
        Ok(self.deliver_with(None, None, true, job, source, control)?.report)
    }

    /// Writes the release and the recoding where the job says and has the release verified. The job must put the same
    /// question; where things go may differ. What was written is complete and has no name yet: it is handed back to
    /// be [committed](OutputFile::commit_all) together with what else belongs to it.
    pub fn write_held(
        &self,
        job: &Job,
        source: &Source,
        control: &Control,
    ) -> Result<(RunReport, Vec<OutputFile>)> {
        let output = job.output.as_deref().map(Destination::create).transpose()?;
        let recoding_file = job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
        let done = self.deliver(output, recoding_file, job, source, control)?;
        Ok((done.report, done.outputs))
    }

    /// The question of a job, posed for the rows of a source, before any search.
    pub fn posed(job: &Job, source: &Source, control: &Control) -> Result<Problem> {
        pose(job, source, control).map(|(_, problem)| problem)
    }

    /// What stands against a job, told before any search: not even all rows together meet what it asks for.
    pub fn obstacle(job: &Job, source: &Source, control: &Control) -> Result<Option<Obstacle>> {
        let mut problem = Self::posed(job, source, control)?;
        if job.matching.is_some() {
            let population = Population::read(job, None, control)?;
            problem = Population::pose(population.as_ref(), job, problem)?;
        }
        let (rows, whole) = (problem.rows, problem.whole());
        let privacy = &problem.privacy;
        let crowd = format!("even one crowd of all {} rows", thousands(rows));
        if let Some(what) = privacy.complaint(&whole) {
            // A part of the rows may pass where all together do not, if the others may be suppressed.
            let parts = privacy.failing_class_may_have_passing_parts()
                && problem.limit.rows(rows, rows) > 0;
            let hope = if parts { ", unless rows are suppressed" } else { "" };
            return Ok(Some(Obstacle {
                why: format!("{crowd} fails {what}{hope}"),
                is_certain: !parts,
            }));
        }
        // Fewer people, or more crowds of them, are at no less risk.
        let people = privacy.crowd(&whole);
        let mut together = OverallTally::default();
        together.add(&privacy.overall, people);
        if privacy.overall.holds(&together) {
            return Ok(None);
        }
        let risk = format!("{:.2}%", 100.0 / people.max(1) as f64);
        let why = format!("{crowd} has a risk of {risk}, which is more than is asked for");
        Ok(Some(Obstacle { why, is_certain: true }))
    }

    fn made(&self) -> Option<(&Recoding, &Release)> {
        self.solution.recoding().zip(self.release.as_ref())
    }

    /// Makes the release: looks at what it gives away, writes it, has it judged, and tells all of it.
    pub(super) fn deliver(
        &self,
        output: Option<Destination>,
        recoding_file: Option<OutputFile>,
        job: &Job,
        source: &Source,
        control: &Control,
    ) -> Result<Delivered> {
        // Whoever asks for a table asks for its picture, too.
        let draw = output.as_ref().is_some_and(Destination::is_memory);
        self.deliver_with(output, recoding_file, draw, job, source, control)
    }

    /// The same; it says whether the release is drawn although nobody asks for a report.
    fn deliver_with(
        &self,
        output: Option<Destination>,
        recoding_file: Option<OutputFile>,
        draw: bool,
        job: &Job,
        source: &Source,
        control: &Control,
    ) -> Result<Delivered> {
        let Found { counts, problem, solution, started, .. } = self;
        let Some((recoding, release)) = self.made() else {
            let ran = Ran { job, problem, solution, started: *started };
            return Ok(Delivered::nothing(ran.unsolved()));
        };
        // The user has seen to the end of the search, not of the run: what it found is still written.
        let interrupted = Status::from(&solution.outcome).is_interrupted();
        let control = if interrupted { &control.to_the_end() } else { control };

        let planned = Planned { job, source, counts, problem, release };
        let mut warnings = roles::identifiers_as_quasi(job, counts);
        warnings.extend(self.subjects.warnings.iter().cloned());
        warnings.extend(spellings::case_variants(problem));
        let in_memory = output.as_ref().is_some_and(Destination::is_memory);
        let said = job.sayings(source);
        let said = |column: &str| match self.subjects.linking.iter().any(|name| name == column) {
            true => Said::Linking,
            false => said(column),
        };
        let allow = |exposure: &_| exposure::judge(exposure, release.rows(), said, job.voice);
        let judged = planned.release(output, job.write_failing, allow, control)?;
        // All that is told is told of the rows that are there at last.
        let remaining = judged.remaining.as_ref();
        let release = remaining.map_or(release, |remaining| &remaining.release);
        let kept = remaining.map(|remaining| &remaining.kept[..]);
        let losses = Planned { release, ..planned }.losses(kept, control)?;
        warnings.extend(judged.warnings());
        warnings.extend(job.finishing.warnings());
        let finished = judged.finished.clone();
        let mut outputs: Vec<OutputFile> = judged.file.into_iter().collect();
        let saved =
            (in_memory || recoding_file.is_some()).then(|| saved(job, source, problem, recoding));
        if let (Some(mut file), Some(saved)) = (recoding_file, &saved) {
            let target = file.target().to_owned();
            file.write_all(saved.to_json().as_bytes())
                .map_err(|e| Error::file("write", &target, &e))?;
            outputs.push(file);
        }
        let journalist =
            self.population.as_ref().map(|population| population.meet(job, problem, release));
        let (verdict, exposure) = (judged.verdict, judged.exposure);
        let cost = |release: &Release| release.measures.cost(problem.metric);
        let more_is_lost = cost(planned.release) < cost(release);
        let lessened = more_is_lost.then(|| {
            let mut lessened = solution.clone();
            lessened.outcome = solution.outcome.as_bound(cost(planned.release));
            lessened
        });
        let solution = lessened.as_ref().unwrap_or(solution);
        let ran = Ran { job, problem, solution, started: *started };
        let mut report = ran.made(Made { source, recoding, release, verdict, exposure });
        report.warnings.extend(warnings);
        if in_memory {
            report.internal = Some(Picture::confidential(problem, recoding, release));
        }
        if let Some(told) = report.shareable.as_mut().filter(|_| draw) {
            told.draw(problem, recoding, release);
        }
        report.finish(&job.finishing, &finished);
        report.context = job.context.map(|context| context.told());
        Ok(Delivered {
            report: RunReport { journalist, ..report }.with_losses(losses),
            outputs,
            recoding: saved,
            requirements: judged.requirements,
            #[cfg(feature = "parquet")]
            table: judged.table,
        })
    }
}
