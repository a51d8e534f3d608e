//! The population that a table is a part of.

use incrowd::{Control, Counts, Event, Problem, Release};
use incrowd_assess::risk::JournalistRisk;

use super::{Job, Phase, count_cells, some_rows};
use crate::spec::suggest;
use crate::{Error, Input, ReadOptions, Result, Source};

/// The population's quasi-identifiers, counted.
#[derive(Debug)]
pub(super) struct Population(Counts);

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
        Ok(Some(Population(counts)))
    }

    /// What somebody who has it can hope for, from the table and from the release. Rows are at risk if they
    /// hide among fewer than k people.
    pub(super) fn meet(&self, job: &Job, problem: &Problem, release: &Release) -> JournalistRisk {
        let threshold = 1.0 / problem.privacy.k as f64;
        JournalistRisk::of_release(problem, release, &self.0, &job.missing, threshold)
    }
}
