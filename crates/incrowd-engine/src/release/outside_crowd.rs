//! Boxes that fit people who are not in the table, too.
//!
//! A box that is fitted to a few rows can be so tight that nobody else fits it. How many others do is measured by leaving one
//! out: a row of the table fits the box made without it, unless it alone holds an end of a range, a value of a set, or a
//! branch below a node. The rows that fit a box and are no such *sole holders* are its **crowd outside**, T: each of them
//! would be in the box had it not been in the table.
//!
//! Of a fresh table as large as this one about T rows fit the box. If nothing is known before of how many do, the number of
//! them has a negative binomial distribution with T + 1 successes and chance 1/2; fewer than c fit with at most
//! [`DOUBT`] if T is large enough ([`OutsideCrowd::least`]).
//!
//! **The union of two boxes has at least the larger of their crowds.** Let r fit the box of A and be no sole holder there. It
//! fits the box of the union. Suppose it is in the union and alone holds an end (a value, a branch) there. It lies in the box
//! of A, so A holds that end (value, branch) as well, by a row other than r unless r alone holds it in A: a contradiction. So
//! merging boxes is enough.
//!
//! Groups of a global recoding are fitted to the whole table and not to a class: there T is the size of the class, and what is
//! asked is a larger k.

use rayon::prelude::*;

use crate::cost::GroupPrice;
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::search::{Outcome, Solution};
use crate::value::{Attribute, Group};

use super::drawn_labels::shares_of;

/// In so many of a hundred cases fewer than asked may fit.
const DOUBT: f64 = 0.01;

/// No more boxes are compared for a merger.
const LOOKS: usize = 4_000;

/// How many people outside must fit each box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideCrowd(u64);

impl OutsideCrowd {
    /// So many, of a fresh table as large as this one.
    pub fn new(people: u64) -> Self {
        OutsideCrowd(people)
    }

    /// So many people.
    pub fn people(self) -> u64 {
        self.0
    }

    /// The least T for which fewer than asked fit a box with a chance of at most one in a hundred.
    pub fn least(self) -> u64 {
        let mut least = self.0;
        loop {
            // C(T + i, i) / 2^(T + 1 + i), for i fitting rows.
            let mut term = 0.5f64.powf(least as f64 + 1.0);
            let mut below = 0.0;
            for fitting in 0..self.0 {
                below += term;
                term *= (least + fitting + 1) as f64 / (2.0 * (fitting + 1) as f64);
            }
            if below <= DOUBT || self.0 == 0 {
                return least;
            }
            least += 1;
        }
    }

    /// The same solution with boxes merged until each has its crowd outside; none if all rows together have not.
    pub fn merge(self, problem: &Problem, solution: Solution) -> Solution {
        let Some(recoding) = solution.recoding() else { return solution };
        let shares = match recoding {
            Recoding::Regional(boxes) => shares_of(problem, boxes, solution.boxes.as_deref()),
            Recoding::Local(assigned) if assigned.narrowing.is_none() => {
                match assigned.shares.is_empty() {
                    true => shares_of(problem, &assigned.boxes, None),
                    false => assigned.shares.clone(),
                }
            }
            // A class is all rows of its groups, and these are not fitted to it: k has seen to it.
            _ => return solution,
        };
        let mut crowds = FittedBoxes::new(problem, &shares);
        if !crowds.merge(self.least()) {
            let why = format!(
                "fewer than {} rows would be outside even if all were one class",
                self.least()
            );
            return Solution::infeasible(why, solution.nodes);
        }
        let merged = Recoding::Local(crowds.into_assignment(&shares));
        let bound = solution.outcome.bound();
        let outcome = match solution.outcome.stop_reason() {
            Some(reason) => Outcome::Stopped { reason, recoding: Some(merged), bound },
            None => Outcome::Feasible { recoding: merged, bound },
        };
        Solution { outcome, boxes: None, ..solution }
    }
}

/// A box with the rows of its class.
struct FittedBox {
    /// Rows by profile, ascending.
    members: Vec<(u32, u64)>,
    /// For each attribute the codes that occur, ascending.
    codes: Vec<Vec<u32>>,
    groups: Vec<Group>,
    rows: u64,
    /// What a row of it pays.
    price: f64,
}

struct FittedBoxes<'a> {
    problem: &'a Problem,
    prices: GroupPrice<'a>,
    boxes: Vec<Option<FittedBox>>,
    /// For each box that was there which one its rows have joined: itself, or one that may have joined another since.
    home: Vec<usize>,
    /// For each attribute and code, the profiles that have it, as bits.
    profiles: Vec<Vec<Vec<u64>>>,
}

impl<'a> FittedBoxes<'a> {
    fn new(problem: &'a Problem, shares: &[ProfileShare]) -> Self {
        let metric = match problem.metric {
            own @ (crate::Metric::Loss | crate::Metric::Precision) => own,
            _ => crate::Metric::Ncp,
        };
        let prices = problem.group_prices(metric);
        let classes = shares.iter().filter(|share| share.class != OUTSIDE).map(|share| share.class);
        let number = classes.max().map_or(0, |most| most as usize + 1);
        let mut members: Vec<Vec<(u32, u64)>> = vec![Vec::new(); number];
        for share in shares.iter().filter(|share| share.class != OUTSIDE) {
            members[share.class as usize].push((share.cell, share.count));
        }
        let words = problem.cells.len().div_ceil(64);
        let profiles = problem
            .attributes
            .iter()
            .enumerate()
            .map(|(at, attribute)| {
                let mut sets = vec![vec![0u64; words]; attribute.domain.len()];
                for cell in 0..problem.cells.len() {
                    sets[problem.cells.code(at, cell) as usize][cell / 64] |= 1 << (cell % 64);
                }
                sets
            })
            .collect();
        let mut found = FittedBoxes {
            problem,
            prices,
            boxes: Vec::new(),
            home: (0..number).collect(),
            profiles,
        };
        found.boxes = members
            .into_iter()
            .map(|members| (!members.is_empty()).then(|| found.fitted(members)))
            .collect();
        found
    }

    fn fitted(&self, mut members: Vec<(u32, u64)>) -> FittedBox {
        members.sort_unstable();
        members.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let codes: Vec<Vec<u32>> = (0..self.problem.attributes.len())
            .map(|at| {
                let mut codes: Vec<u32> = members
                    .iter()
                    .map(|&(cell, _)| self.problem.cells.code(at, cell as usize))
                    .collect();
                codes.sort_unstable();
                codes.dedup();
                codes
            })
            .collect();
        let (groups, price) = self.priced(&codes);
        let rows = members.iter().map(|member| member.1).sum();
        FittedBox { members, codes, groups, rows, price }
    }

    /// The groups around values, and what a row pays for them.
    fn priced(&self, codes: &[Vec<u32>]) -> (Vec<Group>, f64) {
        let shown = |attribute: &Attribute, codes: &[u32]| attribute.shown(&attribute.group(codes));
        let groups: Vec<Group> = self
            .problem
            .attributes
            .iter()
            .zip(codes)
            .map(|(attribute, codes)| shown(attribute, codes))
            .collect();
        let price = groups.iter().enumerate().map(|(at, group)| self.prices.of(at, group)).sum();
        (groups, price)
    }

    /// The rows that fit a box and are no sole holders, or as many as are asked.
    fn crowd(&self, of: &FittedBox, asked: u64) -> u64 {
        let holders = self.sole_holders(of);
        let words = self.problem.cells.len().div_ceil(64);
        let held: Vec<Vec<u32>> = self
            .problem
            .attributes
            .iter()
            .zip(&of.groups)
            .map(|(attribute, group)| {
                let (first, last) = attribute.span(group);
                (first..=last).filter(|&code| attribute.contains(group, code)).collect()
            })
            .collect();
        let mut crowd = 0;
        for word in 0..words {
            let mut fitting = u64::MAX;
            for (sets, codes) in self.profiles.iter().zip(&held) {
                if codes.len() == sets.len() {
                    continue;
                }
                fitting &= codes.iter().fold(0, |any, &code| any | sets[code as usize][word]);
                if fitting == 0 {
                    break;
                }
            }
            while fitting != 0 {
                let cell = word * 64 + fitting.trailing_zeros() as usize;
                fitting &= fitting - 1;
                if cell < self.problem.cells.len() {
                    let sole = u64::from(holders.binary_search(&(cell as u32)).is_ok());
                    crowd += self.problem.cells.counts()[cell].saturating_sub(sole);
                }
            }
            if crowd >= asked {
                return asked;
            }
        }
        crowd
    }

    /// The profiles of the single rows without which the box would be another one.
    fn sole_holders(&self, of: &FittedBox) -> Vec<u32> {
        let mut holders = Vec::new();
        for (at, attribute) in self.problem.attributes.iter().enumerate() {
            let codes = &of.codes[at];
            if codes.len() < 2 {
                continue;
            }
            for (place, &code) in codes.iter().enumerate() {
                let mut with = of
                    .members
                    .iter()
                    .filter(|it| self.problem.cells.code(at, it.0 as usize) == code);
                let (Some(&(cell, 1)), None) = (with.next(), with.next()) else { continue };
                let mut without = codes.clone();
                without.remove(place);
                if attribute.shown(&attribute.group(&without)) != of.groups[at] {
                    holders.push(cell);
                }
            }
        }
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Merges boxes whose crowd is too small, the smallest first, each with the one with which both pay least more. Whether
    /// all have their crowd at last.
    fn merge(&mut self, least: u64) -> bool {
        let crowds: Vec<u64> = self
            .boxes
            .par_iter()
            .map(|found| found.as_ref().map_or(least, |found| self.crowd(found, least)))
            .collect();
        let mut open: Vec<(u64, usize)> =
            crowds.into_iter().zip(0..).filter(|(crowd, _)| *crowd < least).collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        while let Some((_, at)) = open.pop() {
            let Some(found) = self.boxes[at].as_ref() else { continue };
            // Others may have joined it since.
            if self.crowd(found, least) >= least {
                continue;
            }
            let Some(partner) = self.partner(at) else { return false };
            let (Some(one), Some(other)) = (self.boxes[at].take(), self.boxes[partner].take())
            else {
                return false;
            };
            let members = [one.members, other.members].concat();
            self.boxes[partner] = Some(self.fitted(members));
            self.home[at] = partner;
            open.push((0, partner));
        }
        true
    }

    fn partner(&self, at: usize) -> Option<usize> {
        let one = self.boxes[at].as_ref()?;
        let there: Vec<usize> =
            (0..self.boxes.len()).filter(|&it| it != at && self.boxes[it].is_some()).collect();
        let step = there.len().div_ceil(LOOKS).max(1);
        let costs = there.par_iter().step_by(step).filter_map(|&it| {
            let other = self.boxes[it].as_ref()?;
            let codes: Vec<Vec<u32>> = one
                .codes
                .iter()
                .zip(&other.codes)
                .map(|(one, other)| {
                    let mut codes = [&one[..], &other[..]].concat();
                    codes.sort_unstable();
                    codes.dedup();
                    codes
                })
                .collect();
            let (_, price) = self.priced(&codes);
            let more = price * (one.rows + other.rows) as f64
                - one.price * one.rows as f64
                - other.price * other.rows as f64;
            Some((more, it))
        });
        let best = costs.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        best.map(|(_, it)| it)
    }

    fn into_assignment(self, shares: &[ProfileShare]) -> BoxAssignment {
        let mut boxes = BoxSet::new(self.problem.attributes.len());
        let mut number = vec![OUTSIDE; self.boxes.len()];
        for (at, found) in self.boxes.iter().enumerate() {
            if let Some(found) = found {
                number[at] = boxes.len() as u32;
                let attributes = self.problem.attributes.iter().zip(&found.codes);
                boxes.push(attributes.map(|(attribute, codes)| attribute.group(codes)));
            }
        }
        let at_last = |mut at: usize| {
            while self.home[at] != at {
                at = self.home[at];
            }
            at
        };
        let moved = shares.iter().map(|share| match share.class {
            OUTSIDE => *share,
            class => ProfileShare { class: number[at_last(class as usize)], ..*share },
        });
        BoxAssignment::of_rows(boxes, moved.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crowd_that_is_needed_grows_with_what_is_asked() {
        assert_eq!([0, 1, 2, 5].map(|people| OutsideCrowd::new(people).least()), [0, 6, 9, 14]);
    }
}
