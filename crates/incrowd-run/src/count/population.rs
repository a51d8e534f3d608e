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
/// The weights of rows with the same values are added up and rounded so that nobody is lost: see [`whole_people`].
fn count_people(
    source: &Source,
    places: &[usize],
    weight: Option<usize>,
    control: &Control,
) -> Result<FrequencyCounts> {
    let Some(weight) = weight else { return count_cells(source, places, control) };
    let counts = count_cells(source, &[places, &[weight]].concat(), control)?;
    weighted(counts, &source.name())
}

/// How many people a row with each text of the last counted column stands for.
pub(crate) fn weights(counts: &FrequencyCounts, source: &str) -> Result<Vec<f64>> {
    let Some((name, texts)) = counts.columns.last() else { return Ok(Vec::new()) };
    let weight = |text: &str| {
        let number = incrowd_engine::value::parse_number(text.trim());
        number.filter(|number| number.is_finite() && *number >= 0.0).ok_or_else(|| {
            Error::new(format!(
                "the column `{name}` of {source} holds {}, which is not a number of people",
                incrowd_engine::words::value(text)
            ))
            .help("each row needs a number of at least 0: how many people it stands for")
        })
    };
    texts.iter().map(weight).collect()
}

/// The people behind counted rows whose last column tells how many people each row stands for.
fn weighted(counts: FrequencyCounts, source: &str) -> Result<FrequencyCounts> {
    let weights = weights(&counts, source)?;
    let Some((_, columns)) = counts.columns.split_last() else { return Ok(counts) };
    // Whole millionths, so that sums do not depend on the order of rows.
    let weights: Vec<u128> = weights.iter().map(|weight| (weight * 1e6).round() as u128).collect();
    // Values in the order of the columns' names: who gets what is left over must not depend on the order of columns.
    let mut by_name: Vec<usize> = (0..columns.len()).collect();
    by_name.sort_by_key(|&at| &columns[at].0);
    let mut place_of = vec![0; columns.len()];
    by_name.iter().enumerate().for_each(|(place, &at)| place_of[at] = place);
    let mut people: BTreeMap<Vec<&str>, u128> = BTreeMap::new();
    counts.cells.for_each(|codes, rows| {
        if let Some((&code, key)) = codes.split_last() {
            let values = by_name.iter().map(|&at| columns[at].1.value(key[at]));
            let sum = people.entry(values.collect()).or_default();
            *sum = sum.saturating_add(weights[code as usize].saturating_mul(u128::from(rows)));
        }
    });
    let whole = whole_people(&people.values().copied().collect::<Vec<u128>>());
    let names = columns.iter().map(|(name, _)| name.as_str());
    let groups = people.keys().map(|key| place_of.iter().map(|&at| key[at])).zip(whole);
    Ok(FrequencyCounts::from_groups(names, groups.filter(|(_, people)| *people > 0))?)
}

/// Whole people in place of millionths, as many in all as there are whole people in the sum: those with the largest remainders
/// get one more, the first ones of equals.
fn whole_people(millionths: &[u128]) -> Vec<u64> {
    const ONE: u128 = 1_000_000;
    let mut whole: Vec<u128> = millionths.iter().map(|it| it / ONE).collect();
    let remainders: u128 = millionths.iter().map(|it| it % ONE).sum();
    let mut order: Vec<usize> = (0..millionths.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(millionths[at] % ONE));
    let more = usize::try_from(remainders / ONE).unwrap_or(usize::MAX);
    order.iter().take(more).for_each(|&at| whole[at] += 1);
    whole.into_iter().map(|people| u64::try_from(people).unwrap_or(u64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::whole_people;
    use incrowd_testing::{LinearRng, cases};

    #[test]
    fn nobody_is_lost_and_nobody_is_made_up() {
        assert_eq!(whole_people(&[2_500_000, 1_500_000, 312_500]), [3, 1, 0]);
        for seed in 0..cases(400) {
            let mut dice = LinearRng::new(u64::from(seed));
            let weights: Vec<u128> =
                (0..dice.below(9)).map(|_| u128::from(dice.below(5_000_000))).collect();
            let whole = whole_people(&weights);
            let all: u128 = whole.iter().map(|&it| u128::from(it)).sum();
            assert_eq!(all, weights.iter().sum::<u128>() / 1_000_000);
            for (&whole, &exact) in whole.iter().zip(&weights) {
                let gap = (u128::from(whole) * 1_000_000).abs_diff(exact);
                assert!(gap < 1_000_000, "{whole} of {exact}");
            }
            // The verifier, which rounds by code of its own, finds the same people.
            let rows = weights
                .iter()
                .enumerate()
                .map(|(at, &weight)| (vec![format!("{at:03}")], weight as f64 / 1e6, 1));
            let verified = incrowd_verify::Population::of_weights(rows);
            let expected: Vec<(Vec<String>, u64)> = whole
                .iter()
                .enumerate()
                .map(|(at, &people)| (vec![format!("{at:03}")], people))
                .filter(|(_, people)| *people > 0)
                .collect();
            assert_eq!(verified, expected, "seed {seed}");
        }
    }
}
