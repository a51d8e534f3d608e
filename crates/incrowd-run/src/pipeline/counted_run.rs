//! A table that was counted.

use std::collections::BTreeMap;
use std::convert::Infallible;

use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::search::{RunPhase, StopReason};
use incrowd_engine::{
    Control, Event, FrequencyCounts, Model, Problem, Recoding, Release, Solution,
};

use super::searched_run::{SearchedRun, applied, search};
use crate::backend::table_backend::TableBackend;
use crate::checks::evidence::{CountedEvidence, ImpliedEvidence, RunEvidence};
use crate::checks::implied::{ImpliedQuestion, no_release_with};
use crate::checks::judgement::Judgement;
use crate::checks::subjects::SubjectComparison;
use crate::count::build_problem::{build_problem, some_rows};
use crate::count::population::PopulationCounts;
use crate::plan::job::Job;
use crate::plan::run_plan::{ImpliedColumns, RunPlan};
use crate::report::run_report::RunClock;
use crate::{Error, ErrorKind, Result, Source};

/// What narrowed classes are asked for.
const EACH: Model = Model::EachValue { k: 1 };

/// A table that was counted, and the question posed for it.
#[derive(Debug)]
pub struct CountedRun {
    counts: FrequencyCounts,
    problem: Problem,
    population: Option<PopulationCounts>,
    judgement: Judgement,
    started: RunClock,
    /// Columns that follow from quasi-identifiers.
    implied: Vec<String>,
}

impl RunPlan<'_> {
    /// Counts the rows and poses the question for them.
    pub fn count(self, backend: &mut dyn TableBackend, control: &Control) -> Result<CountedRun> {
        self.count_posing(backend, control, |job, counts, sample| {
            let problem = build_problem(&job.problem, counts, sample, &job.missing, control)?;
            Ok(job.method.ready(problem))
        })
    }

    /// The same with a problem that is posed otherwise, from what was counted and rows to look at.
    pub(crate) fn count_posing(
        self,
        backend: &mut dyn TableBackend,
        control: &Control,
        pose: impl FnOnce(&Job, &FrequencyCounts, &Source) -> Result<Problem>,
    ) -> Result<CountedRun> {
        let RunPlan { job, source, population, .. } = self;
        let started = RunClock::now();
        let lacks = backend.lacks(job);
        let mut judgement = Judgement::default();
        judgement.look(&RunEvidence::of_back_end(job, source, lacks.as_ref()))?;
        control.tell(Event::Phase(RunPhase::Read));
        let found = self.implied_evidence(backend, control)?;
        // The columns that follow narrow classes from here on; where few columns are known there are none, and they are refused.
        let implied = if job.problem.known.is_some() { Vec::new() } else { found.columns() };
        let narrowed = job.narrowed_by(&implied);
        let (job, plan) = (&narrowed, RunPlan { job: &narrowed, ..self });
        let table = backend.count(plan, control)?;
        some_rows(source, &table.counts)?;
        let problem = pose(job, &table.counts, backend.sample().unwrap_or(source))?;
        let counted = table.counts.columns.iter();
        let mut distinct: BTreeMap<&str, u64> =
            counted.map(|(name, values)| (name.as_str(), values.len() as u64)).collect();
        let watched = job.watched(source).into_iter().zip(&table.watched);
        // Whose rows they are is seen from values before any treatment, of which these tell nothing.
        let is_treated = |name: &str| {
            let treatments = source.treatments().iter();
            let mut names = treatments.map(|it| it.name.as_deref().unwrap_or(&it.column));
            names.any(|treated| treated == name)
        };
        let watched = watched.map(|(at, it)| (source.columns()[at].as_str(), it.distinct()));
        distinct.extend(watched.filter(|(name, _)| !is_treated(name)));
        let rows = table.rows;
        let known = |at: usize| distinct.get(source.columns()[at].as_str()).copied();
        let comparison = SubjectComparison::new(job, source, rows, known)?;
        let subjects = backend.subjects(plan, &comparison, rows, control)?;
        let mut evidence =
            RunEvidence { control: control.clone(), ..RunEvidence::of_back_end(job, source, None) };
        evidence.counted = Some(CountedEvidence {
            table: &table,
            sample: backend.sample(),
            implied: &found,
            comparison: &comparison,
            subjects: &subjects,
        });
        judgement.look(&evidence)?;
        judgement.subjects = comparison.linking(job, source, &subjects);
        let population = PopulationCounts::read(job, population, control)?;
        let problem = PopulationCounts::pose(population.as_ref(), job, problem)?;
        let counts = table.counts;
        Ok(CountedRun { counts, problem, population, judgement, started, implied })
    }

    /// Counts a table and takes a recoding that a search for this very question has told on its way. The same checks
    /// follow as at the end of a search.
    pub fn with_recoding(
        self,
        backend: &mut dyn TableBackend,
        recoding: &Recoding,
        control: &Control,
    ) -> Result<SearchedRun> {
        let solution = Solution::feasible(recoding.clone(), 0);
        let stopped = solution.stopped_by(Some(StopReason::Cancelled));
        self.count(backend, control)?.solved(self.job, stopped)
    }

    /// Runs the checks that need no rows, for whoever counts on the way. The run itself runs them again.
    pub fn refuse_before_counting(self, lacks: Option<&Error>) -> Result<()> {
        Judgement::default().look(&RunEvidence::of_back_end(self.job, self.source, lacks))
    }

    /// Which released columns follow from quasi-identifiers; none if there is nothing to ask, or no rows to ask it of.
    pub fn implied(
        self,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<Option<ImpliedColumns>> {
        Ok(match self.implied_evidence(backend, control)? {
            ImpliedEvidence::Found(found) => Some(found),
            ImpliedEvidence::NotAsked | ImpliedEvidence::Unknown => None,
        })
    }

    fn implied_evidence(
        self,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<ImpliedEvidence> {
        if let Some(found) = self.implied {
            return Ok(ImpliedEvidence::Found(found.clone()));
        }
        let question = ImpliedQuestion::new(self)?;
        if !question.is_needed() {
            return Ok(ImpliedEvidence::NotAsked);
        }
        let ImpliedQuestion { known, released, .. } = &question;
        let Some(rows) = backend.rows_by_chance(self, known, released, control)? else {
            return Ok(ImpliedEvidence::Unknown);
        };
        let (found, together) = question.answer(&rows, &self.job.missing, control);
        match control.is_cancelled() {
            true => Err(Error::interrupted()),
            false => Ok(ImpliedEvidence::Found(ImpliedColumns { columns: found, together })),
        }
    }
}

impl CountedRun {
    /// Searches for a release. That there is none is a result, not an error.
    pub fn search(self, job: &Job, control: &Control) -> Result<SearchedRun> {
        self.ended(None, |problem, implied| {
            search(job, problem, control).map_err(|error| match error.kind {
                ErrorKind::Interrupted => error,
                // A method that cannot narrow classes says so.
                _ if implied.is_empty() || !error.message.contains(EACH.name()) => error,
                _ => no_release_with(job, implied, &error.message),
            })
        })
    }

    /// Takes a solution that was saved in the place of one that is searched for.
    pub(crate) fn solved(self, job: &Job, solution: Solution) -> Result<SearchedRun> {
        self.ended(None, |problem, _| applied(job, problem, solution))
    }

    /// Takes a recoding that was saved in the place of one that is searched for.
    pub(crate) fn apply(self, release: Release, recoding: &Recoding) -> SearchedRun {
        let kind = match recoding {
            Recoding::Global(_) => ReleaseKind::Global,
            Recoding::Cellwise(_) => ReleaseKind::Cells,
            Recoding::Mixed(_) => ReleaseKind::Mixed,
            _ => ReleaseKind::Local,
        };
        let solution = Solution::feasible(recoding.clone(), 0);
        let Ok(run) = self.ended(Some(kind), |problem, _| {
            Ok::<_, Infallible>((problem, solution, Some(release)))
        });
        run
    }

    /// The run with what became of its question.
    fn ended<E>(
        self,
        saved: Option<ReleaseKind>,
        end: impl FnOnce(Problem, &[String]) -> Result<(Problem, Solution, Option<Release>), E>,
    ) -> Result<SearchedRun, E> {
        let CountedRun { counts, problem, population, judgement, started, implied } = self;
        let (problem, solution, release) = end(problem, &implied)?;
        Ok(SearchedRun {
            counts,
            problem,
            solution,
            release,
            population,
            judgement,
            started,
            implied,
            saved,
        })
    }

    /// The question as it was posed.
    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }
}
