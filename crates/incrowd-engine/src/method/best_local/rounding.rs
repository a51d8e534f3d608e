//! Groups from what the bound's linear program takes of them.
//!
//! The program that bounds all groupings from below takes parts of crowds: most of a few, a little of many. Those of which
//! it takes most become groups, as long as their rows are free; rows that are left stay together where enough of a group
//! that was found before are left with them, or join the group where they cost least. What no single purge of the annealing
//! would have tried is so brought together, and a last, cool annealing fixes what does not fit.

use super::BestLocal;
use super::rows::LocalRows;
use super::search::{LocalGrouping, LocalSearch};
use crate::problem::Problem;
use crate::recoding::{OUTSIDE, ProfileShare};
use crate::search::{Control, Solution};

/// Rows by cell.
type GroupMembers = Vec<(u32, u64)>;

/// A row that is left looks at so many groups at least.
const LOOKS: usize = 32;

impl BestLocal {
    /// A solution from one that was found and from crowds of which a linear program takes parts; none where rows are told
    /// apart or suppressed, which the program does not know of.
    pub(crate) fn rounded(
        &self,
        problem: &Problem,
        found: &[ProfileShare],
        crowds: &[(GroupMembers, f64)],
        control: &Control,
    ) -> Option<Solution> {
        let is_plain = problem.privacy.is_by_size() && !problem.privacy.goes_beyond_classes();
        if !is_plain || self.steps == 0 || found.iter().any(|share| share.class == OUTSIDE) {
            return None;
        }
        let rows = LocalRows::new(problem, self.labels);
        let before = found_groups(&rows, found)?;
        let cost = before.iter().map(|group| rows.cost(group)).sum::<f64>();
        let groups = round(&rows, before, crowds);
        let mut search =
            LocalSearch { options: self, rows: &rows, limit: 0, control, moves: 0, stopped: None };
        let state: LocalGrouping = search.polish(groups, cost);
        (state.cost < cost).then(|| {
            Solution::feasible(state.recoding(&rows), search.moves).stopped_by(search.stopped)
        })
    }
}

/// The groups of a solution, as lists of the rows that may be moved about.
fn found_groups(rows: &LocalRows<'_>, found: &[ProfileShare]) -> Option<Vec<Vec<u32>>> {
    let mut free = rows.by_cell();
    let mut settled = vec![0; free.len()];
    rows.settled().iter().for_each(|share| settled[share.cell as usize] += share.count);
    let mut shares: Vec<&ProfileShare> = found.iter().collect();
    shares.sort_by_key(|share| (share.class, share.cell));
    let mut groups = Vec::new();
    for class in shares.chunk_by(|one, other| one.class == other.class) {
        let mut group = Vec::new();
        let is_one_cell = class.iter().all(|share| share.cell == class[0].cell);
        for share in class {
            let cell = share.cell as usize;
            // Rows that stay together for good are a class of their cell alone.
            let gone = if is_one_cell { share.count.min(settled[cell]) } else { 0 };
            settled[cell] -= gone;
            let left = usize::try_from(share.count - gone).ok()?;
            let from = free[cell].len().checked_sub(left)?;
            group.extend(free[cell].drain(from..));
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    free.iter().all(Vec::is_empty).then_some(groups)
}

/// Groups of all rows: crowds first, then what is left of the groups before, then row by row.
fn round(
    rows: &LocalRows<'_>,
    before: Vec<Vec<u32>>,
    crowds: &[(GroupMembers, f64)],
) -> Vec<Vec<u32>> {
    let k = rows.problem.privacy.k as usize;
    let mut free = rows.by_cell();
    let mut home = vec![u32::MAX; rows.len()];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut order: Vec<&(GroupMembers, f64)> = crowds.iter().collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    for (members, taken) in order {
        for _ in 0..(taken - 1e-3).ceil() as u64 {
            let is_free = |&(cell, number): &(u32, u64)| free[cell as usize].len() as u64 >= number;
            if !members.iter().all(is_free) {
                break;
            }
            let mut group = Vec::with_capacity(k);
            for &(cell, number) in members {
                let free = &mut free[cell as usize];
                group.extend(free.drain(free.len() - number as usize..));
            }
            group.iter().for_each(|&row| home[row as usize] = groups.len() as u32);
            groups.push(group);
        }
    }
    let mut loose: Vec<(u32, Vec<u32>)> = Vec::new();
    for group in before {
        let left: Vec<u32> =
            group.iter().copied().filter(|&row| home[row as usize] == u32::MAX).collect();
        if left.len() >= k {
            left.iter().for_each(|&row| home[row as usize] = groups.len() as u32);
            groups.push(left);
        } else {
            loose.extend(left.into_iter().map(|row| (row, group.clone())));
        }
    }
    let mut crowds_of: Vec<Vec<u32>> = vec![Vec::new(); rows.problem.cells.len()];
    for (at, (members, _)) in crowds.iter().enumerate() {
        members.iter().for_each(|&(cell, _)| crowds_of[cell as usize].push(at as u32));
    }
    let one_of: Vec<Option<u32>> = rows.by_cell().iter().map(|of| of.first().copied()).collect();
    for (row, mates) in loose {
        // Where the company is now that it had, and that it has in crowds.
        let cells = crowds_of[rows.cell(row) as usize].iter();
        let cells = cells.flat_map(|&at| &crowds[at as usize].0).map(|member| member.0 as usize);
        let company = mates.iter().copied().chain(cells.filter_map(|cell| one_of[cell]));
        let mut looked: Vec<u32> = company.map(|other| home[other as usize]).collect();
        looked.retain(|&group| group != u32::MAX);
        let step = (groups.len() / LOOKS).max(1);
        looked.extend((0..groups.len() as u32).step_by(step));
        looked.sort_unstable();
        looked.dedup();
        let more = |&group: &u32| {
            let group = &groups[group as usize];
            let with: Vec<u32> = group.iter().copied().chain([row]).collect();
            rows.cost(&with) - rows.cost(group)
        };
        let best = looked.iter().map(|group| (more(group), *group));
        let best = best.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let group = match best {
            Some((_, group)) => group,
            None => {
                groups.push(Vec::new());
                groups.len() as u32 - 1
            }
        };
        home[row as usize] = group;
        groups[group as usize].push(row);
    }
    groups
}
