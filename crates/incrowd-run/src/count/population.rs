//! The population that a table is a part of.

use std::collections::BTreeMap;
use std::sync::Arc;

use incrowd_assess::risk::JournalistRisk;
use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event, FrequencyCounts, Problem, Release};

use crate::count::build_problem::some_rows;
use crate::count::cells::count_cells;
use crate::plan::job::Job;
use crate::spec::suggest;
use crate::{Error, Input, ReadOptions, Result, Source};

/// The population's quasi-identifiers, counted.
#[derive(Debug)]
pub(crate) struct PopulationCounts(Arc<FrequencyCounts>);

impl PopulationCounts {
    /// Reads the population that a job names, if it does. Before the search: what is wrong with it is said
    /// before hours are spent.
    pub(crate) fn read(
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
        let weight = job.population_weight.as_ref().map(place).transpose()?;
        control.tell(Event::Phase(RunPhase::Read));
        let counts = count_people(source, &places, weight, control)?;
        some_rows(source, &counts)?;
        Ok(Some(PopulationCounts(Arc::new(counts))))
    }

    /// A problem that asks for something in the population, if the job does.
    pub(crate) fn pose(it: Option<&Self>, job: &Job, problem: Problem) -> Result<Problem> {
        match (job.matching, it) {
            (Some(rule), Some(PopulationCounts(counts))) => {
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
    pub(crate) fn meet(&self, job: &Job, problem: &Problem, release: &Release) -> JournalistRisk {
        let least = problem.privacy.population.map_or(0, |rule| rule.least);
        let threshold = 1.0 / problem.privacy.k.max(least) as f64;
        JournalistRisk::of_release(problem, release, &self.0, &job.missing, threshold)
    }
}

/// Counts people by some columns: a row is one person, or as many as the column of weights says.
///
/// The weights of rows with the same values are added up, and what is left of a person is left out.
pub(crate) fn count_people(
    source: &Source,
    places: &[usize],
    weight: Option<usize>,
    control: &Control,
) -> Result<FrequencyCounts> {
    let Some(weight) = weight else { return count_cells(source, places, control) };
    let counts = count_cells(source, &[places, &[weight]].concat(), control)?;
    weighted(counts, &source.name())
}

/// The people behind counted rows whose last column tells how many people each row stands for.
fn weighted(counts: FrequencyCounts, source: &str) -> Result<FrequencyCounts> {
    let Some(((name, texts), columns)) = counts.columns.split_last() else { return Ok(counts) };
    let mut weights = Vec::with_capacity(texts.len());
    for text in texts.iter() {
        let number = incrowd_engine::value::parse_number(text.trim());
        weights.push(number.filter(|number| number.is_finite() && *number >= 0.0).ok_or_else(
            || {
                Error::new(format!(
                    "the column `{name}` of {source} holds {}, which is not a number of people",
                    incrowd_engine::words::value(text)
                ))
                .help("each row needs a number of at least 0: how many people it stands for")
            },
        )?);
    }
    let mut people: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    counts.cells.for_each(|codes, rows| {
        if let Some((&code, key)) = codes.split_last() {
            *people.entry(key.to_vec()).or_default() += weights[code as usize] * rows as f64;
        }
    });
    let names = columns.iter().map(|(name, _)| name.as_str());
    let groups = people.iter().map(|(key, &people)| {
        let values = key.iter().zip(columns).map(|(&code, (_, of))| of.value(code));
        // Sums of fractions may end just below a whole number.
        (values, (people + 1e-6) as u64)
    });
    Ok(FrequencyCounts::from_groups(names, groups.filter(|(_, people)| *people > 0))?)
}
