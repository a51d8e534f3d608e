//! A table that was counted.

use std::collections::BTreeMap;

use incrowd::auto::Kind;
use incrowd::search::Phase;
use incrowd::{Control, Counts, Event, Problem, Recoding, Release, Solution};

use super::searched::{SearchedRun, search};
use crate::backend::table_backend::TableBackend;
use crate::checks::evidence::{CountedEvidence, Evidence};
use crate::checks::judgement::Judgement;
use crate::checks::subjects::SubjectComparison;
use crate::count::population::Population;
use crate::count::pose::{build_problem, some_rows};
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::report::run_report::Started;
use crate::{Result, Source};

/// A table that was counted, and the question posed for it.
#[derive(Debug)]
pub struct CountedRun {
    counts: Counts,
    problem: Problem,
    population: Option<Population>,
    judgement: Judgement,
    started: Started,
}

impl RunPlan<'_> {
    /// Counts the rows and poses the question for them.
    pub fn count(self, backend: &mut dyn TableBackend, control: &Control) -> Result<CountedRun> {
        let RunPlan { job, .. } = self;
        self.count_posing(backend, control, |counts, sample| {
            let problem = build_problem(&job.problem, counts, sample, &job.missing, control)?;
            Ok(job.method.ready(problem))
        })
    }

    /// The same with a problem that is posed otherwise, from what was counted and rows to look at.
    pub(crate) fn count_posing(
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
        evidence.counted = Some(CountedEvidence {
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
    pub(crate) fn apply(self, release: Release, recoding: &Recoding) -> SearchedRun {
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
    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }
}
