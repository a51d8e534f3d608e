//! The one way from a question to a release, for every back end and every front end.
//!
//! ```text
//! RunPlan ▶ CountedRun ▶ SearchedRun ▶ RecodedRelease ▶ FinishedRelease ▶ JudgedRelease ▶ StagedRelease ▶ committed
//! ```
//!
//! Each state is what the step before it made; a [back end](TableBackend) does what depends on where rows lie. The
//! [checks](super::checks) look at the evidence as it comes. A release is shown to others in one place,
//! [`StagedRelease::commit`], and only with the permit of all checks. A saved recoding [enters](super::apply) after
//! the search.

use std::collections::BTreeMap;

use incrowd::auto::Kind;
use incrowd::privacy::OverallTally;
use incrowd::release::Picture;
use incrowd::search::Phase;
use incrowd::words::thousands;
use incrowd::{
    Algorithm as _, Control, Counts, Event, Problem, Recoding, Release, SavedRecoding, Solution,
};
use incrowd_verify::Requirements;

use super::backend::{Drawing, FinalRows, TableBackend};
use super::checks::{self, Evidence, Judgement, suppressed};
use super::local::LocalTable;
use super::planned::ReleasePlan;
use super::population::Population;
use super::recode::LabelPairs;
use super::report::{Made, Ran, Started};
use super::subjects::SubjectComparison;
use super::timed::Timed;
use super::{
    Job, RunReport, Status, Warning, build_problem, check, count_cells, places, roles, saved,
    some_rows, spellings,
};
use crate::{Error, OutputFile, Result, Source};

/// A question and the table that it is put to.
#[derive(Debug, Clone, Copy)]
pub struct RunPlan<'a> {
    /// The question, resolved against the columns of the table.
    pub job: &'a Job,
    /// The table: its columns at least.
    pub source: &'a Source,
    population: Option<&'a Source>,
}

/// A table that was counted, and the question posed for it.
#[derive(Debug)]
pub struct CountedRun {
    counts: Counts,
    problem: Problem,
    population: Option<Population>,
    judgement: Judgement,
    started: Started,
}

/// What a search found in a table, with all that is needed to look at the release and to write it.
#[derive(Debug)]
pub struct SearchedRun {
    counts: Counts,
    problem: Problem,
    solution: Solution,
    release: Option<Release>,
    population: Option<Population>,
    judgement: Judgement,
    started: Started,
    /// The kind of recoding, where it was saved and not searched for.
    saved: Option<Kind>,
}

/// Where a step of a run works.
pub struct Step<'a> {
    /// The question.
    pub plan: RunPlan<'a>,
    /// What was found.
    pub searched: &'a SearchedRun,
    /// Where the rows are.
    pub backend: &'a mut dyn TableBackend,
    /// Who hears of it and may end it.
    pub control: &'a Control,
}

/// A release whose rows are made.
#[derive(Debug, Clone)]
pub struct RecodedRelease {
    requirements: Requirements,
    pairs: LabelPairs,
    judgement: Judgement,
}

/// A release whose rows are what they will be.
#[derive(Debug, Clone)]
pub struct FinishedRelease {
    recoded: RecodedRelease,
    rows: FinalRows,
}

/// A release that has passed every check that can be made before it is written.
#[derive(Debug, Clone)]
pub struct JudgedRelease(FinishedRelease);

/// A release that is complete, was read back, has passed every check, and is seen by nobody yet.
#[derive(Debug)]
pub struct StagedRelease {
    /// What there is to tell of the run.
    pub report: RunReport,
    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub recoding: Option<SavedRecoding>,
    /// What the release was found to hold, for whoever checks it again where it goes.
    pub requirements: Option<Requirements>,
    files: Vec<OutputFile>,
    release: Option<Release>,
    judgement: Judgement,
    /// Whether there is a release to be shown.
    staged: bool,
}

/// Why a job cannot be met, or hardly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What all rows together fail.
    pub why: String,
    /// Whether there is no release for certain: otherwise one may be found that leaves rows out.
    pub is_certain: bool,
}

impl<'a> RunPlan<'a> {
    /// A job and its table.
    pub fn new(job: &'a Job, source: &'a Source) -> Self {
        RunPlan { job, source, population: None }
    }

    /// The same with a population that lies in memory.
    #[must_use]
    pub fn with_population(self, population: Option<&'a Source>) -> Self {
        RunPlan { population, ..self }
    }

    /// Goes all the way: what is made is complete and has passed every check, and waits to be
    /// [committed](StagedRelease::commit). That there is no release is a result, not an error.
    pub fn stage(self, backend: &mut dyn TableBackend, control: &Control) -> Result<StagedRelease> {
        // It lists the original values. Where it goes is checked before hours are spent.
        let recoding = self.job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
        let searched = self.search(backend, control)?;
        searched.stage_with(recoding, self, backend, control)
    }

    /// Counts the rows and searches for a release.
    pub fn search(self, backend: &mut dyn TableBackend, control: &Control) -> Result<SearchedRun> {
        self.count(backend, control)?.search(self.job, control)
    }

    /// Counts the rows and poses the question for them.
    pub fn count(self, backend: &mut dyn TableBackend, control: &Control) -> Result<CountedRun> {
        let RunPlan { job, .. } = self;
        self.count_posing(backend, control, |counts, sample| {
            let problem = build_problem(&job.problem, counts, sample, &job.missing, control)?;
            Ok(job.method.ready(problem))
        })
    }

    /// The same with a problem that is posed otherwise, from what was counted and rows to look at.
    pub(super) fn count_posing(
        self,
        backend: &mut dyn TableBackend,
        control: &Control,
        pose: impl FnOnce(&Counts, &Source) -> Result<Problem>,
    ) -> Result<CountedRun> {
        let RunPlan { job, source, population } = self;
        let started = Started::now();
        let lacks = backend.lacks(job);
        let mut judgement = Judgement::default();
        let mut evidence = Evidence::of_back_end(job, source, lacks.as_ref());
        judgement.look(&evidence)?;
        control.tell(Event::Phase(Phase::Read));
        let table = backend.count(self, control)?;
        some_rows(source, &table.counts)?;
        let problem = pose(&table.counts, backend.sample().unwrap_or(source))?;
        let counted = table.counts.columns.iter();
        let mut distinct: BTreeMap<&str, u64> =
            counted.map(|(name, values)| (name.as_str(), values.len() as u64)).collect();
        let watched = job.unnamed.iter().zip(&table.watched);
        distinct.extend(watched.map(|(&at, it)| (source.columns()[at].as_str(), it.distinct())));
        let rows = table.rows;
        let known = |at: usize| distinct.get(source.columns()[at].as_str()).copied();
        let comparison = SubjectComparison::new(job, source, rows, known)?;
        let subjects = backend.subjects(self, &comparison, rows, control)?;
        evidence.control = control.clone();
        evidence.counted = Some(checks::Counted {
            table: &table,
            sample: backend.sample(),
            comparison: &comparison,
            subjects: &subjects,
        });
        judgement.look(&evidence)?;
        judgement.subjects = comparison.linking(job, source, &subjects);
        let population = Population::read(job, population, control)?;
        let problem = Population::pose(population.as_ref(), job, problem)?;
        Ok(CountedRun { counts: table.counts, problem, population, judgement, started })
    }
}

impl CountedRun {
    /// Searches for a release. That there is none is a result, not an error.
    pub fn search(self, job: &Job, control: &Control) -> Result<SearchedRun> {
        let CountedRun { counts, problem, population, judgement, started } = self;
        let (problem, solution, release) = search(job, problem, control)?;
        let saved = None;
        Ok(SearchedRun {
            counts,
            problem,
            solution,
            release,
            population,
            judgement,
            started,
            saved,
        })
    }

    /// Takes a recoding that was saved in the place of one that is searched for.
    pub(super) fn apply(self, release: Release, recoding: &Recoding) -> SearchedRun {
        let release = Some(release);
        let CountedRun { counts, problem, population, judgement, started } = self;
        let kind = match recoding {
            Recoding::Global(_) => Kind::Global,
            Recoding::Cellwise(_) => Kind::Cells,
            _ => Kind::Local,
        };
        let solution = Solution::feasible(recoding.clone(), 0);
        let saved = Some(kind);
        SearchedRun { counts, problem, solution, release, population, judgement, started, saved }
    }

    /// The question as it was posed.
    pub(super) fn problem(&self) -> &Problem {
        &self.problem
    }
}

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
    let (suppressed, limit) = suppressed(&problem, &release);
    if suppressed > limit {
        let why =
            format!("{suppressed} rows would have to be suppressed, but at most {limit} may be");
        return Ok((problem, Solution::infeasible(why, solution.nodes), None));
    }
    Ok((problem, solution, Some(release)))
}

impl SearchedRun {
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

    /// The release as it is planned, if there is one.
    pub fn release(&self) -> Option<&Release> {
        self.release.as_ref()
    }

    /// Whether the same job searches its way to the same release again: not if a clock or a person ended the search.
    pub fn is_repeatable(&self) -> bool {
        self.solution.outcome.stop_reason().is_none()
    }

    /// What there is to tell of the release before anything is written, with its picture. What is refused when it is written is
    /// refused here.
    pub fn report(&self, job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
        let mut backend = LocalTable::dry(source);
        let plan = RunPlan::new(job, source);
        Ok(self.stage_with(None, plan, &mut backend, control)?.report)
    }

    /// Makes, judges and stages the release. The job must put the same question; where things go may differ.
    pub fn stage(
        &self,
        plan: RunPlan<'_>,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<StagedRelease> {
        let recoding = plan.job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
        self.stage_with(recoding, plan, backend, control)
    }

    fn stage_with(
        &self,
        recoding: Option<OutputFile>,
        plan: RunPlan<'_>,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<StagedRelease> {
        // The user has seen to the end of the search, not of the run: what it found is still written.
        let interrupted = Status::from(&self.solution.outcome).is_interrupted();
        let control = if interrupted { &control.to_the_end() } else { control };
        let mut step = Step { plan, searched: self, backend, control };
        match step.recode()? {
            None => Ok(step.nothing()),
            Some(recoded) => {
                let judged = recoded.finish(&mut step)?.judge(&mut step)?;
                judged.stage(recoding, &mut step)
            }
        }
    }

    /// The release about to be made.
    pub(super) fn planned<'a>(&'a self, plan: RunPlan<'a>) -> Option<ReleasePlan<'a>> {
        let release = self.release.as_ref().filter(|_| self.solution.recoding().is_some())?;
        let (job, source) = (plan.job, plan.source);
        Some(ReleasePlan { job, source, counts: &self.counts, problem: &self.problem, release })
    }

    /// The question of a job, posed for the rows of a source, before any search.
    pub fn posed(job: &Job, source: &Source, control: &Control) -> Result<Problem> {
        control.tell(Event::Phase(Phase::Read));
        let counts = count_cells(source, &places(source, &job.problem.columns())?, control)?;
        some_rows(source, &counts)?;
        let problem = build_problem(&job.problem, &counts, source, &job.missing, control)?;
        Ok(job.method.ready(problem))
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
}

impl Step<'_> {
    /// Makes the rows of the release; nothing if there is none.
    pub fn recode(&mut self) -> Result<Option<RecodedRelease>> {
        let RunPlan { job, .. } = self.plan;
        let Some(plan) = self.searched.planned(self.plan) else { return Ok(None) };
        let reads_back = |column: &str, value: &str| self.backend.reads_back(&plan, column, value);
        let mut requirements =
            check::requirements(plan.problem, &job.identifying, &job.missing, &reads_back)?;
        requirements.reference = job.reference;
        let pairs = self.backend.recode(&plan, &requirements, self.control)?;
        let judgement = self.searched.judgement.clone();
        Ok(Some(RecodedRelease { requirements, pairs, judgement }))
    }

    /// The end of a run that made nothing.
    pub fn nothing(&self) -> StagedRelease {
        StagedRelease {
            report: self.ran(&self.searched.solution).unsolved(),
            recoding: None,
            requirements: None,
            files: Vec::new(),
            release: None,
            judgement: self.searched.judgement.clone(),
            staged: false,
        }
    }

    fn ran<'s>(&'s self, solution: &'s Solution) -> Ran<'s> {
        let SearchedRun { problem, started, .. } = self.searched;
        Ran { job: self.plan.job, problem, solution, started: *started }
    }
}

impl RecodedRelease {
    /// Does what needs all rows at once.
    pub fn finish(self, step: &mut Step<'_>) -> Result<FinishedRelease> {
        let plan = step.searched.planned(step.plan).ok_or_else(no_release)?;
        let rows = step.backend.finish(&plan, &self.requirements, step.control)?;
        Ok(FinishedRelease { recoded: self, rows })
    }
}

impl FinishedRelease {
    /// Runs every check that does not need what is written.
    pub fn judge(mut self, step: &mut Step<'_>) -> Result<JudgedRelease> {
        self.look(step, None, false)?;
        Ok(JudgedRelease(self))
    }

    fn look(
        &mut self,
        step: &Step<'_>,
        read_back: Option<&super::backend::ReadBack>,
        dry: bool,
    ) -> Result<()> {
        let plan = step.searched.planned(step.plan).ok_or_else(no_release)?;
        let RecodedRelease { requirements, pairs, judgement } = &mut self.recoded;
        let subjects = judgement.subjects.clone();
        let release = checks::Finished {
            plan: &plan,
            pairs,
            rows: &self.rows,
            requirements,
            subjects: &subjects,
        };
        judgement.look(&Evidence {
            release: Some(release),
            read_back,
            dry,
            control: step.control.clone(),
            ..Evidence::of_back_end(step.plan.job, step.plan.source, None)
        })
    }
}

impl JudgedRelease {
    /// What the release must hold.
    pub(super) fn requirements(&self) -> &Requirements {
        &self.0.recoded.requirements
    }

    /// The same, where more is known of the whole table than the run knows.
    pub(super) fn requirements_mut(&mut self) -> &mut Requirements {
        &mut self.0.recoded.requirements
    }

    /// Writes the release where nobody sees it, reads it back, runs the checks that look at what was written, and tells all of
    /// it. The recoding goes to a file, if there is one.
    pub fn stage(self, recoding: Option<OutputFile>, step: &mut Step<'_>) -> Result<StagedRelease> {
        let JudgedRelease(mut finished) = self;
        let Step { plan: RunPlan { job, source, .. }, searched, control, .. } = *step;
        let plan = searched.planned(step.plan).ok_or_else(no_release)?;
        let staged = step.backend.stage(&plan, control)?;
        let read_back = match staged {
            false => None,
            true => {
                let requirements = &finished.recoded.requirements;
                Some(step.backend.read_back(&plan, requirements, control)?)
            }
        };
        finished.look(step, read_back.as_ref(), !staged)?;
        if staged && control.is_cancelled() {
            return Err(Error::interrupted());
        }

        let FinishedRelease { recoded, rows } = finished;
        let RecodedRelease { requirements, judgement, .. } = recoded;
        let problem = plan.problem;
        // All that is told is told of the rows that are there at last.
        let release = rows.release(plan.release);
        let losses = step.backend.losses(&ReleasePlan { release, ..plan }, &rows, control)?;
        let mut warnings = roles::identifiers_as_quasi(job, plan.counts);
        warnings.extend(judgement.warnings(&["repeated-subjects"]));
        warnings.extend(spellings::case_variants(problem));
        warnings.extend(judgement.warnings(&["revealing-columns"]));
        warnings.extend(read_back.as_ref().filter(|it| it.formulas).map(|_| formulas()));
        warnings.extend(job.finishing.warnings());

        let mut exposure = rows.exposure.clone();
        let mut verdict = None;
        if let Some(found) = read_back {
            verdict = Some(found.verdict);
            if let Some((unchanged, together)) = found.singled_out {
                (exposure.unchanged, exposure.together) = (unchanged, together);
            }
        }
        let drawing = step.backend.draws();
        let cost = |release: &Release| release.measures.cost(problem.metric);
        let mut solution = searched.solution.clone();
        if cost(plan.release) < cost(release) {
            solution.outcome = solution.outcome.as_bound(cost(plan.release));
        }
        let recoded = searched.recoding().ok_or_else(no_release)?;
        let made = Made { source, recoding: recoded, release, verdict, exposure };
        let mut report = step.ran(&solution).made(made);
        report.warnings.extend(warnings);
        report.checks = judgement.findings();
        if drawing == Drawing::Both {
            report.internal = Some(Picture::confidential(problem, recoded, release));
        }
        if let Some(told) = &mut report.shareable
            && matches!(drawing, Drawing::Both | Drawing::Shared)
        {
            told.draw(problem, recoded, release);
        }
        report.finish(&job.finishing, &rows.finished);
        report.context = job.context.map(|context| context.told());
        if drawing != Drawing::None {
            let population = searched.population.as_ref();
            report.journalist = population.map(|it| it.meet(job, problem, release));
        }
        if let Some(kind) = searched.saved {
            (report.method, report.kind) = ("saved".to_owned(), kind);
        }
        let report = step.backend.tell(problem, report).with_losses(losses);

        let wanted = recoding.is_some() || drawing == Drawing::Both;
        let saved =
            (wanted && searched.saved.is_none()).then(|| saved(job, source, problem, recoded));
        let mut files = Vec::new();
        if let (Some(file), Some(saved)) = (recoding, &saved) {
            files.push(file.filled(saved.to_json())?);
        }
        let kept = rows.remaining.map(|remaining| remaining.release);
        let release = (drawing == Drawing::Both).then(|| kept.unwrap_or(plan.release.clone()));
        let requirements = Some(requirements);
        Ok(StagedRelease {
            report,
            recoding: saved,
            requirements,
            files,
            release,
            judgement,
            staged,
        })
    }
}

impl StagedRelease {
    /// Shows the release to others, if there is one and all checks permit it; files that belong to it get their names with
    /// it. Together or not at all: a release without its recoding, or with the report of another run, helps nobody.
    pub fn commit(
        mut self,
        backend: &mut dyn TableBackend,
        files: impl IntoIterator<Item = OutputFile>,
    ) -> Result<RunReport> {
        self.commit_files(backend, files)?;
        Ok(self.report)
    }

    /// The same for whoever needs more than the report.
    pub(super) fn commit_files(
        &mut self,
        backend: &mut dyn TableBackend,
        files: impl IntoIterator<Item = OutputFile>,
    ) -> Result<()> {
        let files: Vec<OutputFile> = self.files.drain(..).chain(files).collect();
        match self.staged {
            true => backend.commit(self.judgement.permit()?, files),
            // Files about a run that released nothing.
            false => OutputFile::commit_all(files),
        }
    }

    /// The classes, measures and labels of the release.
    pub(super) fn take_release(&mut self) -> Option<Release> {
        self.release.take()
    }

    /// What the checks found.
    pub(super) fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// A copy of a release that was judged before, complete and read back.
    pub(super) fn of_copy(report: RunReport, judgement: Judgement) -> Self {
        StagedRelease {
            report,
            recoding: None,
            requirements: None,
            files: Vec::new(),
            release: None,
            judgement,
            staged: true,
        }
    }
}

/// Runs a job on its source. The release and the recoding appear together or not at all.
pub fn run(job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
    let mut backend = LocalTable::to_file(source, job.output.as_deref())?;
    RunPlan::new(job, source).stage(&mut backend, control)?.commit(&mut backend, [])
}

fn formulas() -> Warning {
    Warning::new(
        "formulas",
        "some released texts begin with =, +, - or @: a spreadsheet that opens the file would compute them; \
         --csv-safe puts an apostrophe before them",
    )
}

fn no_release() -> Error {
    Error::new("there is no release").of_kind(crate::ErrorKind::Refused)
}
