//! The population that a table is a part of.

use std::sync::Arc;

use incrowd::{Control, Counts, Event, Problem, Release};
use incrowd_assess::risk::JournalistRisk;

use super::{Job, Phase, count_cells, some_rows};
use crate::spec::suggest;
use crate::{Error, Input, ReadOptions, Result, Source};

/// The population's quasi-identifiers, counted.
#[derive(Debug)]
pub(super) struct Population(Arc<Counts>);

impl Population {
    /// Reads the population that a job names, if it does. Before the search: what is wrong with it is said
    /// before hours are spent.
    pub(super) fn read(
        job: &Job,
        given: Option<&Source>,
        control: &Control,
    ) -> Result<Option<Self>> {
        let opened;
        let source = match (given, &job.population) {
            (Some(given), _) => given,
            (None, None) => return Ok(None),
            (None, Some(path)) => {
                opened = Source::open(&Input::from(path), &ReadOptions::default())?;
                &opened
            }
        };
        let names = source.columns();
        let place = |name: &String| {
            names.iter().position(|column| column == name).ok_or_else(|| {
                Error::new(format!("the population {} has no column `{name}`", source.name()))
                    .help(suggest(name, names.iter().map(String::as_str)))
            })
        };
        let places: Vec<usize> =
            job.problem.quasi.iter().map(|column| place(&column.name)).collect::<Result<_>>()?;
        control.tell(Event::Phase(Phase::Read));
        let counts = count_cells(source, &places, control)?;
        some_rows(source, &counts)?;
        Ok(Some(Population(Arc::new(counts))))
    }

    /// A problem that asks for something in the population, if the job does.
    pub(super) fn pose(it: Option<&Self>, job: &Job, problem: Problem) -> Result<Problem> {
        match (job.matching, it) {
            (Some(rule), Some(Population(counts))) => {
                let mut problem = problem.with_population(counts, &job.missing, rule)?;
                if let Some(population) = &mut problem.population {
                    population.max_unique = job.max_unique;
                }
                Ok(problem)
            }
            (Some(_), None) => Err(Error::new("there is no population to count people in")),
            (None, _) => Ok(problem),
        }
    }

    /// What somebody who has it can hope for, from the table and from the release. Rows are at risk if they
    /// hide among fewer than k people.
    pub(super) fn meet(&self, job: &Job, problem: &Problem, release: &Release) -> JournalistRisk {
        let least = problem.privacy.population.map_or(0, |rule| rule.least);
        let threshold = 1.0 / problem.privacy.k.max(least) as f64;
        JournalistRisk::of_release(problem, release, &self.0, &job.missing, threshold)
    }
}
