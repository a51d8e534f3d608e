//! A box of its own for every combination: the cheapest that enough people of a population fit.
//!
//! A k-map asks how many people of the population fit a class, and not how many rows it holds. Where nothing else is asked and
//! boxes may overlap, rows need no company of other rows: what is best for one combination does not depend on the
//! others. So the best local release gives each combination the cheapest box around it that k people fit, and that is the
//! cheapest crowd of k people around it ([`least_around`]), however many people a row of the population stands for.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::attribute_prices::is_priced;
use super::context::CrowdContext;
use super::personal_minima::least_around;
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::search::Control;
use crate::table::Profiles;

/// So many pairs of a combination and people who may be near it are looked at, at most.
const MOST_PAIRS: u64 = 4_000_000_000;

/// Combinations are looked at in lots of so many, a control being asked between them.
const LOT: usize = 256;

/// Whether nothing is asked of classes but people of the population who fit them, under a metric that charges rows one by
/// one.
pub(crate) fn is_all_asked(problem: &Problem) -> bool {
    let privacy = &problem.privacy;
    let by_people = problem.population.as_ref().is_some_and(|people| people.max_unique.is_none())
        && privacy.population.is_some_and(|rule| rule.least > 0 && rule.presence.is_none());
    by_people
        && privacy.k <= 1
        && privacy.requirements.is_empty()
        && privacy.overall.is_nothing()
        && privacy.known.is_none()
        && is_priced(problem.metric)
}

/// The box of each combination, with so many looks at candidates for all together. None if it would take too long, or was
/// stopped.
pub(crate) fn own_boxes(problem: &Problem, looks: u64, control: &Control) -> Option<Recoding> {
    let population = problem.population.as_ref()?;
    let width = problem.attributes.len();
    let codes_of =
        |cell: usize| -> Vec<u32> { (0..width).map(|at| problem.cells.code(at, cell)).collect() };
    let mut people: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (at, &count) in population.counts().iter().enumerate() {
        let codes = (0..width).map(|attribute| population.code(attribute, at)).collect();
        *people.entry(codes).or_default() += count;
    }
    for cell in 0..problem.cells.len() {
        people.entry(codes_of(cell)).or_default();
    }
    let cells = problem.cells.len() as u64;
    if cells.saturating_mul(people.len() as u64) > MOST_PAIRS {
        return None;
    }
    let place: BTreeMap<&Vec<u32>, u32> = people.keys().zip(0..).collect();
    let mut of_people = problem.clone();
    of_people.population = None;
    of_people.privacy.population = None;
    of_people.privacy.k = problem.privacy.population?.least;
    of_people.cells = Profiles::of_sorted(&problem.domains(), &people);
    of_people.rows = people.values().sum();
    let ground = CrowdContext::new(&of_people);
    let each = (looks / cells.max(1)).clamp(100, 50_000);
    let roots: Vec<u32> =
        (0..problem.cells.len()).filter_map(|cell| place.get(&codes_of(cell)).copied()).collect();
    let mut found: Vec<Option<Vec<Vec<u32>>>> = Vec::with_capacity(roots.len());
    for lot in roots.chunks(LOT) {
        if control.stop().is_some() {
            return None;
        }
        let values = |&root: &u32| box_around(&ground, ground.of_cell(root), each);
        found.par_extend(lot.par_iter().map(values));
    }
    Some(assigned(problem, found))
}

/// The values of the cheapest box around a combination, attribute by attribute, ascending.
fn box_around(ground: &CrowdContext, root: u32, looks: u64) -> Option<Vec<Vec<u32>>> {
    let members: Vec<u32> = match ground.counts[root as usize] >= ground.k {
        true => vec![root],
        false => {
            let (members, _) = least_around(ground, root, looks).crowd?;
            members.into_iter().map(|member| member.0).collect()
        }
    };
    let values = |at: usize| {
        let mut codes: Vec<u32> = members.iter().map(|&id| ground.code(id, at)).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    };
    Some((0..ground.prices.len()).map(values).collect())
}

fn assigned(problem: &Problem, found: Vec<Option<Vec<Vec<u32>>>>) -> Recoding {
    let mut boxes = BoxSet::new(problem.attributes.len());
    let mut known: BTreeMap<Vec<Vec<u32>>, u32> = BTreeMap::new();
    let mut shares = Vec::new();
    let cells = &problem.cells;
    for (cell, values) in found.into_iter().enumerate() {
        let class = match values {
            None => OUTSIDE,
            Some(values) => *known.entry(values).or_insert_with_key(|values| {
                let groups = values.iter().zip(&problem.attributes);
                boxes.push(groups.map(|(codes, attribute)| attribute.group(codes)));
                boxes.len() as u32 - 1
            }),
        };
        let share =
            |target: u32, count: u64| ProfileShare { cell: cell as u32, target, class, count };
        match cells.has_targets() {
            true => shares.extend(cells.targets(cell).iter().map(|&(at, count)| share(at, count))),
            false => shares.push(share(0, cells.counts()[cell])),
        }
    }
    Recoding::Local(BoxAssignment::of_rows(boxes, shares))
}
