//! What stands against a question before any search.

use incrowd_engine::privacy::RiskTally;
use incrowd_engine::search::RunPhase;
use incrowd_engine::words::thousands;
use incrowd_engine::{Control, Event, Problem};

use super::searched_run::SearchedRun;
use crate::count::build_problem::{build_problem, places, some_rows};
use crate::count::cells::count_cells;
use crate::count::population::PopulationCounts;
use crate::plan::job::Job;
use crate::{Result, Source};

/// Why a job cannot be met, or hardly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What all rows together fail.
    pub why: String,
    /// Whether there is no release for certain: otherwise one may be found that leaves rows out.
    pub is_certain: bool,
}

impl SearchedRun {
    /// The question of a job, posed for the rows of a source, before any search.
    pub fn posed(job: &Job, source: &Source, control: &Control) -> Result<Problem> {
        control.tell(Event::Phase(RunPhase::Read));
        let counts = count_cells(source, &places(source, &job.problem.columns())?, control)?;
        some_rows(source, &counts)?;
        let problem = build_problem(&job.problem, &counts, source, &job.missing, control)?;
        Ok(job.method.ready(problem))
    }

    /// What stands against a job, told before any search: not even all rows together meet what it asks for.
    pub fn obstacle(job: &Job, source: &Source, control: &Control) -> Result<Option<Obstacle>> {
        let mut problem = Self::posed(job, source, control)?;
        if job.matching.is_some() {
            let population = PopulationCounts::read(job, None, control)?;
            problem = PopulationCounts::pose(population.as_ref(), job, problem)?;
        }
        let (rows, whole) = (problem.rows, problem.whole());
        let privacy = &problem.privacy;
        let crowd = format!("even one class of all {} rows", thousands(rows));
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
        let mut together = RiskTally::default();
        together.add(&privacy.overall, people);
        if privacy.overall.holds(&together) {
            return Ok(None);
        }
        let risk = format!("{:.2}%", 100.0 / people.max(1) as f64);
        let why = format!("{crowd} has a risk of {risk}, which is above the limit");
        Ok(Some(Obstacle { why, is_certain: true }))
    }
}
