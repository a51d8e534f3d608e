//! Which classes are suppressed: those that fail by themselves, and those that a release as a whole can do without least.

use super::classes::EquivalenceClasses;
use super::risk_parts::RiskParts;
use super::selection::ClassSelection;
use crate::privacy::ClassTally;
use crate::problem::Problem;

impl EquivalenceClasses {
    /// Suppresses every class that fails a requirement, the one that is withheld, and then the smallest ones until the
    /// release as a whole satisfies what is asked of it. Where there is a population, `people` of it fit each class.
    pub(crate) fn suppress_failing(&mut self, problem: &Problem, people: Option<&[u64]>) {
        let Problem { privacy, targets, .. } = problem;
        let mut tally = targets.tally();
        for class in 0..self.len() {
            self.fill(class, targets, &mut tally);
            tally.people = people.map_or(0, |people| people[class]);
            self.released[class] = self.withheld != Some(class as u32) && privacy.passes(&tally);
        }
        let overall = &privacy.overall;
        let parts = (!overall.is_nothing()).then(|| RiskParts::new(self, problem));
        let crowds = parts.as_ref().map_or_else(Vec::new, |parts| parts.crowds(self.len()));
        let mut released = std::mem::take(&mut self.released);
        let shown = |at: usize| (0..self.len()).map(|class| self.ids_of(class)[at]).collect();
        let first = |at: usize| -> Vec<u32> {
            let span = |class: usize| problem.attributes[at].span(self.group_of(class, at));
            (0..self.len()).map(|class| span(class).0).collect()
        };
        let (sizes, crowds) = (&self.sizes[..], &crowds[..]);
        let parts = parts.as_ref().filter(|parts| !parts.are_classes());
        ClassSelection { problem, sizes, crowds, parts, people, shown: &shown, first: &first }
            .suppress(&mut released);
        self.released = released;
    }

    /// All that is suppressed, as one class.
    pub(super) fn blank(&self, problem: &Problem) -> ClassTally {
        let (mut blank, mut tally) = (problem.targets.tally(), problem.targets.tally());
        for class in (0..self.len()).filter(|&class| !self.released[class]) {
            self.fill(class, &problem.targets, &mut tally);
            blank.absorb(&tally);
        }
        // Everybody fits a class that tells nothing.
        blank.people = problem.population.as_ref().map_or(0, |it| it.counts().iter().sum());
        blank
    }

    /// Suppresses further classes, smallest first, until the suppressed rows are none or form a class
    /// that passes themselves, as they must when they are released as blank rows. Returns whether they
    /// do: not if even all rows together fail.
    pub(crate) fn suppress_until_blank_passes(&mut self, problem: &Problem) -> bool {
        let Problem { privacy, targets, .. } = problem;
        let mut blank = self.blank(problem);
        let mut tally = targets.tally();
        let parts = (!privacy.overall.is_nothing()).then(|| RiskParts::new(self, problem));
        let passes = |classes: &Self, blank: &ClassTally| {
            blank.size == 0
                || privacy.passes(blank)
                    && parts.as_ref().is_none_or(|parts| {
                        privacy.overall.holds(&parts.with_blank(classes, problem))
                    })
        };
        let mut by_size: Vec<usize> = self.released().collect();
        by_size.sort_by_key(|&class| (self.sizes[class], class));
        for class in by_size {
            if passes(self, &blank) {
                return true;
            }
            self.released[class] = false;
            self.fill(class, targets, &mut tally);
            blank.absorb(&tally);
        }
        passes(self, &blank)
    }
}
