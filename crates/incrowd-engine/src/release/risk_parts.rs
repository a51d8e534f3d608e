//! The risks of a release as a whole, person by person.
//!
//! A person's risk is 1 divided by how many people hide in the smallest narrowed class that holds a record of theirs. So where
//! units of protection have several records, each unit counts once, at its highest risk, in however many classes it is.

use std::collections::BTreeMap;

use super::classes::EquivalenceClasses;
use crate::privacy::RiskTally;
use crate::problem::Problem;

/// A narrowed class: the rows of a class that share what is known beside it.
struct RiskPart {
    class: u32,
    /// How many people it holds: units of protection, or rows where each is one.
    crowd: u64,
    /// Who they are, where units may be in several parts.
    units: Vec<u32>,
}

/// The narrowed classes of all classes, suppressed ones included.
pub(crate) struct RiskParts {
    parts: Vec<RiskPart>,
    /// What narrows classes, if anything does: the number of its combination of values, by joint target.
    known: Option<Vec<u32>>,
    /// Whether units have to be told apart.
    by_units: bool,
    /// Whether each class is one part, and everybody is in one of them.
    are_classes: bool,
}

impl RiskParts {
    pub(super) fn new(classes: &EquivalenceClasses, problem: &Problem) -> Self {
        let unit = problem.targets.unit();
        let known = problem.targets.narrowing_of_targets();
        // Known values may differ between a unit's records of one profile.
        let by_units = unit.is_some() && (problem.privacy.shared_units || known.is_some());
        let (are_classes, by_class) = (known.is_none() && !by_units, known.is_none());
        let mut parts =
            RiskParts { parts: Vec::with_capacity(classes.len()), known, by_units, are_classes };
        for class in 0..classes.len() {
            if unit.is_none() && by_class {
                let crowd = classes.sizes[class];
                parts.parts.push(RiskPart { class: class as u32, crowd, units: Vec::new() });
                continue;
            }
            parts.add(class, classes.targets(class), problem);
        }
        parts
    }

    /// Adds the parts of a class.
    fn add(&mut self, class: usize, targets: &[(u32, u64)], problem: &Problem) {
        let unit = problem.targets.unit();
        let known = &self.known;
        let mut rows: Vec<(u32, u32, u64)> = targets
            .iter()
            .map(|&(target, count)| {
                let part = known.as_ref().map_or(0, |known| known[target as usize]);
                (part, unit.map_or(0, |unit| problem.targets.of(target)[unit]), count)
            })
            .collect();
        rows.sort_unstable();
        for rows in rows.chunk_by(|one, other| one.0 == other.0) {
            let mut units: Vec<u32> = rows.iter().map(|row| row.1).collect();
            units.dedup();
            let crowd = match unit {
                Some(_) => units.len() as u64,
                None => rows.iter().map(|row| row.2).sum(),
            };
            let units = if self.by_units { units } else { Vec::new() };
            self.parts.push(RiskPart { class: class as u32, crowd, units });
        }
    }

    /// Whether each class is one part, and everybody is in one of them.
    pub(super) fn are_classes(&self) -> bool {
        self.are_classes
    }

    /// How many people the smallest part of each class holds.
    pub(super) fn crowds(&self, classes: usize) -> Vec<u64> {
        let mut crowds = vec![u64::MAX; classes];
        for part in &self.parts {
            let crowd = &mut crowds[part.class as usize];
            *crowd = part.crowd.min(*crowd);
        }
        crowds
    }

    /// The people of some classes, counted together.
    pub(super) fn tally(&self, problem: &Problem, is_in: impl Fn(usize) -> bool) -> RiskTally {
        let parts = self.parts.iter().filter(|part| is_in(part.class as usize));
        self.of_parts(problem, parts)
    }

    fn of_parts<'a>(
        &self,
        problem: &Problem,
        parts: impl Iterator<Item = &'a RiskPart>,
    ) -> RiskTally {
        let overall = &problem.privacy.overall;
        let mut tally = RiskTally::default();
        if !self.by_units {
            parts.for_each(|part| tally.add(overall, part.crowd));
            return tally;
        }
        // The smallest crowd of each unit.
        let mut least: BTreeMap<u32, u64> = BTreeMap::new();
        for part in parts {
            tally.count_small(part.crowd);
            for &unit in &part.units {
                let crowd = least.entry(unit).or_insert(part.crowd);
                *crowd = part.crowd.min(*crowd);
            }
        }
        let mut units_of: BTreeMap<u64, u64> = BTreeMap::new();
        least.into_values().for_each(|crowd| *units_of.entry(crowd).or_default() += 1);
        units_of.into_iter().for_each(|(crowd, units)| tally.add_people(overall, crowd, units));
        tally
    }

    /// The people of the released classes and of the suppressed rows, which stay as one blank class.
    pub(super) fn with_blank(&self, classes: &EquivalenceClasses, problem: &Problem) -> RiskTally {
        let mut suppressed: Vec<(u32, u64)> = (0..classes.len())
            .filter(|&class| !classes.released[class])
            .flat_map(|class| classes.targets(class).iter().copied())
            .collect();
        let RiskParts { known, by_units, .. } = self;
        let (known, by_units) = (known.clone(), *by_units);
        let mut blank = RiskParts { parts: Vec::new(), known, by_units, are_classes: false };
        if problem.cells.has_targets() {
            suppressed.sort_unstable();
            blank.add(classes.len(), &suppressed, problem);
        } else {
            let rows = (0..classes.len()).filter(|&class| !classes.released[class]);
            let crowd = rows.map(|class| classes.sizes[class]).sum();
            let class = classes.len() as u32;
            blank.parts.extend((crowd > 0).then_some(RiskPart { class, crowd, units: Vec::new() }));
        }
        let released = self.parts.iter().filter(|part| classes.released[part.class as usize]);
        self.of_parts(problem, released.chain(&blank.parts))
    }
}
