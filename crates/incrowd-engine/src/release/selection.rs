//! Which classes a release keeps, where more is asked than what each class by itself must satisfy.
//!
//! Whoever prices a recoding must leave out what its release leaves out. So this is the one place that decides it, for
//! releases and for searches that price them.

use super::risk_parts::RiskParts;
use crate::privacy::{KnownColumns, LabelTable, sets};
use crate::problem::Problem;

/// Classes as they look to what is asked of the release as a whole.
pub(crate) struct ClassSelection<'a> {
    pub(crate) problem: &'a Problem,
    /// How many rows each class has.
    pub(crate) sizes: &'a [u64],
    /// How many people of the table each class holds; not looked at where no risk is limited.
    pub(crate) crowds: &'a [u64],
    /// How people are spread over classes, where they may be in several, or classes are narrowed.
    pub(crate) parts: Option<&'a RiskParts>,
    /// How many people of the population fit each class, where there is one.
    pub(crate) people: Option<&'a [u64]>,
    /// By attribute, what each class shows, as a number.
    pub(crate) shown: &'a dyn Fn(usize) -> Vec<u32>,
    /// By attribute, the least code that each class covers: it tells classes apart that are equal otherwise, whoever
    /// numbers them.
    pub(crate) first: &'a dyn Fn(usize) -> Vec<u32>,
}

impl ClassSelection<'_> {
    /// Suppresses further classes, smallest first, until the release as a whole satisfies what is asked of it.
    pub(crate) fn suppress(&self, released: &mut [bool]) {
        // Either can leave more of the other than there may be.
        while self.suppress_alone(released)
            | self.suppress_small(released)
            | self.suppress_rare(released)
        {}
    }

    /// Suppresses the smallest classes until risks are as they may be. Says whether it did.
    fn suppress_small(&self, released: &mut [bool]) -> bool {
        let overall = &self.problem.privacy.overall;
        if overall.is_nothing() {
            return false;
        }
        let kept = |released: &[bool]| -> Vec<u64> {
            let kept = self.crowds.iter().zip(released).filter(|(_, released)| **released);
            kept.map(|(&crowd, _)| crowd).collect()
        };
        let before = kept(released).len();
        let keep = |released: &mut [bool], least: u64| {
            released.iter_mut().zip(self.crowds).for_each(|(kept, &crowd)| *kept &= crowd >= least);
        };
        match self.parts {
            None => {
                let least = overall.least(&mut kept(released));
                keep(released, least);
            }
            // Who leaves a small class may have rows in a larger one: size by size.
            Some(parts) => {
                while !overall.holds(&parts.tally(self.problem, |class| released[class])) {
                    let Some(smallest) = kept(released).into_iter().min() else { break };
                    keep(released, smallest + 1);
                }
            }
        }
        kept(released).len() < before
    }

    /// Suppresses classes that too few rows look like in a few columns. Says whether it did.
    fn suppress_rare(&self, released: &mut [bool]) -> bool {
        // Where a blank matches anything, crowds are counted, not equal rows.
        let privacy = &self.problem.privacy;
        let known = privacy.known.filter(|_| !privacy.wildcards);
        let Some(KnownColumns { k, columns }) = known else { return false };
        let width = self.problem.attributes.len();
        let labels: Vec<Vec<u32>> = (0..width).map(self.shown).collect();
        let number = |labels: &Vec<u32>| labels.iter().max().map_or(0, |&last| last as usize + 1);
        let kept = released.iter().zip(self.sizes);
        let mut looks = LabelTable {
            sizes: labels.iter().map(number).collect(),
            labels,
            counts: kept.map(|(&is_so, &rows)| if is_so { rows } else { 0 }).collect(),
        };
        let sets = sets(width, columns);
        let mut any = false;
        loop {
            let rare = looks.all_small(&sets, k);
            if rare.iter().all(Vec::is_empty) {
                return any;
            }
            for class in rare.into_iter().flatten() {
                looks.counts[class as usize] = 0;
                released[class as usize] = false;
            }
            any = true;
        }
    }

    /// Suppresses classes that only one person of the population fits, smallest first, until at most that share of the
    /// rows is in such classes. Says whether it did.
    fn suppress_alone(&self, released: &mut [bool]) -> bool {
        let most = self.problem.population.as_ref().and_then(|population| population.max_unique);
        let (Some(most), Some(people)) = (most, self.people) else { return false };
        let kept = || (0..released.len()).filter(|&class| released[class]);
        let mut alone: Vec<usize> = kept().filter(|&class| people[class] <= 1).collect();
        if alone.is_empty() {
            return false;
        }
        let width = self.problem.attributes.len();
        let firsts: Vec<Vec<u32>> = (0..width).map(self.first).collect();
        let first = |class: usize| firsts.iter().map(move |of| of[class]);
        alone.sort_by(|&one, &other| {
            let by_size = self.sizes[one].cmp(&self.sizes[other]);
            by_size.then_with(|| first(one).cmp(first(other))).then(one.cmp(&other))
        });
        let mut rows: u64 = alone.iter().map(|&class| self.sizes[class]).sum();
        let mut all: u64 = kept().map(|class| self.sizes[class]).sum();
        let mut any = false;
        for class in alone {
            if rows as f64 <= most * all as f64 + 1e-9 {
                break;
            }
            released[class] = false;
            (rows, all) = (rows - self.sizes[class], all - self.sizes[class]);
            any = true;
        }
        any
    }
}
