//! The population that a table is a part of.

use std::sync::Arc;

use super::Problem;
use crate::kit::{Error, Result, words};
use crate::privacy::PopulationRequirement;
use crate::table::{FrequencyCounts, Profiles, UNSEEN};

/// The people of a population: their combinations of quasi-identifiers, in the codes of a problem.
///
/// People with a value that the table lacks are not among them: no release has a group that is sure to cover it. They are
/// counted as [`unknown`](Population::unknown); whoever judges a release by its labels may find that some of
/// them fit, so that a class never has fewer people than are counted here.
#[derive(Debug, Clone)]
pub struct Population {
    width: usize,
    codes: Vec<u32>,
    counts: Vec<u64>,
    /// How many people there are, unknown ones included.
    pub people: u64,
    /// How many have a value that the table lacks.
    pub unknown: u64,
    /// The most share of the released rows that may be in classes which only one person fits.
    pub max_unique: Option<f64>,
    /// Everybody as they were counted.
    raw: Arc<FrequencyCounts>,
}

impl Population {
    fn new(problem: &Problem, counts: &Arc<FrequencyCounts>, missing: &[String]) -> Self {
        let width = problem.attributes.len();
        let codings: Vec<Vec<u32>> = problem
            .attributes
            .iter()
            .zip(&counts.columns)
            .map(|(attribute, (_, theirs))| attribute.domain.codes_of(theirs, missing))
            .collect();
        let mut unknown = 0;
        let mut found: Vec<(Vec<u32>, u64)> = Vec::new();
        counts.cells.for_each(|theirs, people| {
            let codes = theirs.iter().zip(&codings).map(|(&code, coding)| coding[code as usize]);
            let codes: Vec<u32> = codes.collect();
            if codes.contains(&UNSEEN) {
                unknown += people;
            } else {
                found.push((codes, people));
            }
        });
        // In an order that does not depend on that of the rows.
        found.sort_unstable();
        let mut population = Population {
            width,
            codes: Vec::with_capacity(found.len() * width),
            counts: Vec::with_capacity(found.len()),
            people: counts.rows(),
            unknown,
            max_unique: None,
            raw: Arc::clone(counts),
        };
        for (codes, people) in found {
            let last = population.codes.len().saturating_sub(width);
            if !population.counts.is_empty() && population.codes[last..] == codes {
                if let Some(count) = population.counts.last_mut() {
                    *count += people;
                }
            } else {
                population.codes.extend(codes);
                population.counts.push(people);
            }
        }
        population
    }

    /// How many combinations there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The code of a combination in an attribute.
    #[inline]
    pub fn code(&self, attribute: usize, combination: usize) -> u32 {
        self.codes[combination * self.width + attribute]
    }

    /// Everybody as they were counted, also those with values that the table lacks.
    pub fn raw(&self) -> &FrequencyCounts {
        &self.raw
    }

    /// How many people have each combination.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Whether at least as many people have each combination as there are rows with it: then at least as many people fit
    /// any class as it has rows.
    fn holds(&self, cells: &Profiles) -> bool {
        (0..cells.len()).all(|cell| {
            let compare = |at: usize| {
                let theirs = (0..self.width).map(|attribute| self.code(attribute, at));
                theirs.cmp((0..self.width).map(|attribute| cells.code(attribute, cell)))
            };
            let (mut low, mut high) = (0, self.len());
            while low < high {
                let middle = low + (high - low) / 2;
                match compare(middle).is_lt() {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            low < self.len() && compare(low).is_eq() && self.counts[low] >= cells.counts()[cell]
        })
    }
}

impl Problem {
    /// The same question with a population, counted by the quasi-identifiers in their order, in which every class must
    /// satisfy a rule. `missing` are the texts that mean "missing".
    pub fn with_population(
        mut self,
        counts: &Arc<FrequencyCounts>,
        missing: &[String],
        rule: PopulationRequirement,
    ) -> Result<Self> {
        rule.validate()?;
        if self.privacy.wildcards {
            return Err(Error::new(
                "wildcards leave no classes in which people of the population could be counted",
            )
            .help("leave out wildcards, or the population"));
        }
        let names = self.attributes.iter().map(|attribute| &attribute.name);
        if !names.eq(counts.columns.iter().map(|(name, _)| name)) {
            return Err(Error::new(
                "the population was counted by other columns than the \
                                   quasi-identifiers",
            ));
        }
        let population = Population::new(&self, counts, missing);
        let known = population.people - population.unknown;
        if known < rule.least {
            return Err(Error::new(format!(
                "k is {}, but the population has only {} with values of the table",
                words::thousands(rule.least),
                words::count(known, "person", "people")
            ))
            .help("choose a smaller k, or a larger population"));
        }
        self.privacy.population = Some(rule);
        self.population = Some(population);
        Ok(self)
    }

    /// Whether something is asked of the release as a whole, beyond what each of its classes must satisfy.
    pub(crate) fn asks_of_whole(&self) -> bool {
        !self.privacy.overall.is_nothing()
            || self.privacy.known.is_some()
            || self.privacy.must_fit_all()
            || self.population.as_ref().is_some_and(|it| it.max_unique.is_some())
    }

    /// Whether classes that fail may be suppressed although parts of them might pass.
    pub(crate) fn suppresses_what_may_pass(&self) -> bool {
        self.privacy.failing_class_may_have_passing_parts()
            && self.limit.rows(self.rows, self.rows) > 0
    }

    /// How many rows in every class are enough so that nobody is alone in the population; all of them where that is
    /// not known.
    pub(crate) fn enough_for_company(&self) -> u64 {
        match &self.population {
            Some(people) if people.max_unique.is_some() => match people.holds(&self.cells) {
                true => 2,
                false => self.rows,
            },
            _ => 1,
        }
    }

    /// The same question about classes by themselves, with another k: nothing is asked of the release as a whole, nor of a
    /// population.
    pub(crate) fn about_classes(&self, k: u64) -> Result<Self> {
        let mut inner = self.clone();
        inner.privacy.overall = Default::default();
        inner.privacy.population = None;
        inner.privacy.known = None;
        inner.population = None;
        inner.with_k(k)
    }
}
