//! The rows of a person in one box.
//!
//! **What it does**: divides people rather than rows. A person lies in the middle of their rows; people are cut in two along
//! the attribute whose cut leaves the least penalty, then each side again, as long as both sides pass. Each final part is
//! released as the ranges and sets of all rows of its people, so that boxes may overlap. Where the problem has no unit, the
//! rows of a combination of values are taken for one person.
//! **Guarantee**: every class passes, and all rows of a person are in one class: whoever knows several of them learns no more
//! than from one.
//! **Cost**: n log n for each attribute.
//! **Example**: three visits of each of eight patients by month and ZIP code at k = 4: two classes of four patients, each
//! with the months of all of their visits.

use rayon::prelude::*;

use super::algorithm::{Algorithm, MethodInfo};
use super::recoding_model::RecodingModel;
use super::settings::settings;
use crate::kit::Result;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, Event, Solution};
use crate::space::rows::{ProfileRows, SpreadTable, TablePart, assigned, pieces};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "same-box",
    about: "divide people, not rows: all rows of a person are in one class (local recoding)",
    family: RecodingModel::Multidimensional,
    recoding: "local",
    options: SameBox::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// All rows of a person in one class.
    pub struct SameBox {}
}

/// Where a part may be cut, as shares of its people: in the middle, or further out if that leaves less penalty or if the
/// middle is not allowed.
const CUTS: [f64; 3] = [0.5, 0.25, 0.75];
/// Parts of fewer people are not divided in parallel.
const FEW: usize = 512;

impl Algorithm for SameBox {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let spreads = SpreadTable::new(problem);
        let people = people(problem, &spreads);
        let run = SameBoxRun { problem, spreads: &spreads, control, people: &people };
        let whole: Vec<u32> = (0..people.len() as u32).collect();
        let parts: Vec<TablePart> = run
            .divide(whole)
            .into_par_iter()
            .map(|part| part.iter().flat_map(|&at| &people[at as usize].rows).copied().collect())
            .collect();
        let nodes = parts.len() as u64;
        let recoding = Recoding::Local(assigned(problem, &parts));
        Ok(Solution::feasible(recoding, nodes).stopped_by(control.stop()))
    }
}

/// Somebody with all of their rows.
struct PersonRows {
    rows: Vec<ProfileRows>,
    count: u64,
    /// The mean of the codes of each attribute.
    middle: Vec<f64>,
    spread: Vec<u64>,
}

/// The rows of the table by whose they are.
fn people(problem: &Problem, spreads: &SpreadTable) -> Vec<PersonRows> {
    let unit = problem.privacy.unit();
    let whose = |piece: &ProfileRows| match unit {
        Some(unit) => problem.targets.of(piece.label)[unit],
        None => piece.cell,
    };
    let mut rows = pieces(problem, true);
    rows.par_sort_by_key(whose);
    let groups: Vec<&[ProfileRows]> = rows.chunk_by(|a, b| whose(a) == whose(b)).collect();
    let person = |rows: &[ProfileRows]| {
        let count: u64 = rows.iter().map(|piece| piece.count).sum();
        let mut spread = vec![0; spreads.stride()];
        rows.iter().for_each(|piece| spreads.add(&mut spread, spreads.cell(piece.cell)));
        let middle = (0..problem.attributes.len()).map(|at| {
            let codes = problem.cells.codes(at);
            let of = |piece: &ProfileRows| f64::from(codes.get(piece.cell as usize));
            rows.iter().map(|piece| of(piece) * piece.count as f64).sum::<f64>() / count as f64
        });
        PersonRows { count, middle: middle.collect(), spread, rows: rows.to_vec() }
    };
    groups.into_par_iter().map(person).collect()
}

/// A division of people in two.
struct PeopleSplit {
    penalty: f64,
    sides: [Vec<u32>; 2],
}

struct SameBoxRun<'a> {
    problem: &'a Problem,
    spreads: &'a SpreadTable,
    control: &'a Control,
    people: &'a [PersonRows],
}

impl SameBoxRun<'_> {
    /// The parts that some people are divided into.
    fn divide(&self, part: Vec<u32>) -> Vec<Vec<u32>> {
        if self.control.stop().is_some() {
            return vec![part];
        }
        let Some(PeopleSplit { sides: [one, other], .. }) = self.best(&part) else {
            let rows: u64 = part.iter().map(|&at| self.people[at as usize].count).sum();
            self.control.tell(Event::Progress(rows as f64 / self.problem.rows as f64));
            return vec![part];
        };
        let (mut parts, others) = match part.len() < FEW {
            true => (self.divide(one), self.divide(other)),
            false => rayon::join(|| self.divide(one), || self.divide(other)),
        };
        parts.extend(others);
        parts
    }

    /// The division that leaves the least penalty, of those that are allowed.
    fn best(&self, part: &[u32]) -> Option<PeopleSplit> {
        let mut best: Option<PeopleSplit> = None;
        for attribute in 0..self.problem.attributes.len() {
            let middle = |at: u32| self.people[at as usize].middle[attribute];
            let mut ordered = part.to_vec();
            ordered.sort_by(|&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
            let mut tried: Vec<usize> = Vec::new();
            for share in CUTS {
                let Some(cut) = between(&ordered, middle, share) else { continue };
                if tried.contains(&cut) {
                    continue;
                }
                tried.push(cut);
                let (one, other) = ordered.split_at(cut);
                let penalty = self.penalty(one) + self.penalty(other);
                let better = best.as_ref().is_none_or(|best| penalty < best.penalty);
                if better && self.passes(one) && self.passes(other) {
                    let sides = [one.to_vec(), other.to_vec()];
                    best = Some(PeopleSplit { penalty, sides });
                }
            }
        }
        best
    }

    fn penalty(&self, part: &[u32]) -> f64 {
        let mut spread = vec![0; self.spreads.stride()];
        let mut rows = 0;
        for &at in part {
            let person = &self.people[at as usize];
            self.spreads.add(&mut spread, &person.spread);
            rows += person.count;
        }
        rows as f64 * self.spreads.penalty(&spread)
    }

    fn passes(&self, part: &[u32]) -> bool {
        let mut tally = self.problem.targets.tally();
        for piece in part.iter().flat_map(|&at| &self.people[at as usize].rows) {
            tally.add(self.problem.targets.of(piece.label), piece.count);
        }
        self.problem.privacy.passes(&tally)
    }
}

/// The cut next to a share of people that are in order, between two who differ.
fn between(ordered: &[u32], middle: impl Fn(u32) -> f64, share: f64) -> Option<usize> {
    let wanted = ((ordered.len() as f64 * share) as usize).clamp(1, ordered.len().max(2) - 1);
    let differs = |cut: usize| middle(ordered[cut - 1]) < middle(ordered[cut]);
    let cuts = 1..ordered.len();
    let after = (wanted..ordered.len()).find(|&cut| differs(cut));
    let before = cuts.take_while(|&cut| cut < wanted).filter(|&cut| differs(cut)).last();
    match (before, after) {
        (Some(before), Some(after)) if wanted - before < after - wanted => Some(before),
        (before, after) => after.or(before),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::release::Release;
    use crate::{ProblemSpec, SuppressionMode, Table};

    #[test]
    fn all_rows_of_a_person_are_in_one_class() {
        let rows: Vec<Vec<String>> = (0..96_u32)
            .map(|row| {
                let (who, visit) = (row / 3, row % 3);
                let month = (who * 7 + visit * 5) % 12 + 1;
                [who.to_string(), month.to_string(), (53_700 + who % 5).to_string()].to_vec()
            })
            .collect();
        let table = Table::from_rows(&["who", "month", "zip"], &rows).unwrap();
        let spec = ProblemSpec::new(4).quasi("month").quasi("zip").unit("who");
        let problem = Problem::of_table(&spec, &table).unwrap();
        let solution = SameBox::default().search(&problem, &Control::new()).unwrap();
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let Recoding::Local(found) = solution.recoding().unwrap() else { panic!("local") };
        let unit = problem.privacy.unit().unwrap();
        let mut classes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut class_of: BTreeMap<u32, u32> = BTreeMap::new();
        for share in &found.shares {
            let who = problem.targets.of(share.target)[unit];
            classes.entry(share.class).or_default().insert(who);
            assert_eq!(*class_of.entry(who).or_insert(share.class), share.class);
        }
        assert!(classes.len() > 2 && classes.values().all(|people| people.len() >= 4));
        assert_eq!(release.classes.released_rows(), 96);
    }

    #[test]
    fn cuts_lie_between_people_who_differ() {
        let middle = |at: u32| [1.0, 1.0, 1.0, 2.0, 2.0, 3.0][at as usize];
        let all = [0, 1, 2, 3, 4, 5];
        assert_eq!(between(&all, middle, 0.5), Some(3));
        assert_eq!(between(&all, middle, 0.75), Some(5));
        assert_eq!(between(&all, middle, 0.25), Some(3));
        assert_eq!(between(&all, |_| 1.0, 0.5), None);
    }
}
