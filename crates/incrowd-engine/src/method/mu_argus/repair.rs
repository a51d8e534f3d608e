//! Further blanks, until every class passes.
//!
//! Round after round the rows of failing classes lose one more value, those with the fewest blanks first: the
//! value without which they find the company of at least k rows, or else most company. What is blank all over and still fails takes
//! further classes in, those with the fewest values first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{ArgusRows, BLANKED};
use crate::privacy::ClassTally;
use crate::problem::Problem;
use crate::search::{Control, StopReason};
use crate::value::ArgusSet;

/// Rows that read alike.
#[derive(Default)]
struct RepairClass {
    cells: Vec<u32>,
    rows: u64,
    passes: bool,
}

/// Classes by what they read. Ordered, so that every run goes the same way.
type RepairClasses = BTreeMap<Vec<u32>, RepairClass>;

fn classes(problem: &Problem, rows: &ArgusRows) -> RepairClasses {
    let mut classes = RepairClasses::new();
    for (cell, &count) in problem.cells.counts().iter().enumerate() {
        let class = match classes.get_mut(rows.of(cell)) {
            Some(class) => class,
            None => classes.entry(rows.of(cell).to_vec()).or_default(),
        };
        class.cells.push(cell as u32);
        class.rows += count;
    }
    let mut tally = problem.targets.tally();
    for class in classes.values_mut() {
        tally.clear();
        add(class, problem, &mut tally);
        class.passes = problem.privacy.passes(&tally);
    }
    classes
}

/// Adds the rows of a class to a tally.
fn add(class: &RepairClass, problem: &Problem, tally: &mut ClassTally) {
    let size = tally.size + class.rows;
    for &cell in &class.cells {
        for &(label, count) in problem.cells.targets(cell as usize) {
            tally.add(problem.targets.of(label), count);
        }
    }
    tally.size = size;
}

/// How many rows are in classes that fail.
pub(super) fn failing_rows(problem: &Problem, rows: &ArgusRows) -> u64 {
    let classes = classes(problem, rows);
    classes.values().filter(|class| !class.passes).map(|class| class.rows).sum()
}

/// Blanks values until every class passes; the whole table as one class must. Returns why it was stopped, if
/// it was.
pub(super) fn repair(
    problem: &Problem,
    rows: &mut ArgusRows,
    sets: &[ArgusSet],
    control: &Control,
) -> Option<StopReason> {
    loop {
        if let reason @ Some(_) = control.stop() {
            return reason;
        }
        let classes = classes(problem, rows);
        let failing: Vec<(&[u32], &RepairClass)> = classes
            .iter()
            .filter(|(_, class)| !class.passes)
            .map(|(ids, class)| (ids.as_slice(), class))
            .collect();
        if failing.is_empty() {
            return None;
        }
        // Those with the fewest blanks go first, so that they can meet the others.
        let blanks = |ids: &[u32]| ids.iter().filter(|id| **id == BLANKED).count();
        let fewest = failing.iter().map(|(ids, _)| blanks(ids)).min();
        let open: Vec<(&[u32], &RepairClass)> = failing
            .iter()
            .copied()
            .filter(|(ids, _)| Some(blanks(ids)) == fewest && blanks(ids) < ids.len())
            .collect();
        let next = if open.is_empty() {
            join_blank(&classes, problem)
        } else {
            merge(&open, &classes, sets, problem)
        };
        let width = rows.width();
        for (cell, column) in next {
            rows.ids[cell as usize * width + column] = BLANKED;
        }
    }
}

/// A value to blank in each of the failing classes, as cells and columns.
fn merge(
    open: &[(&[u32], &RepairClass)],
    classes: &RepairClasses,
    sets: &[ArgusSet],
    problem: &Problem,
) -> Vec<(u32, usize)> {
    // Who would read the same with one value less: the failing classes by column, and the rows there already.
    let mut meetings: BTreeMap<Vec<u32>, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, (ids, _)) in open.iter().enumerate() {
        for column in (0..ids.len()).filter(|&column| ids[column] != BLANKED) {
            let mut fewer = ids.to_vec();
            fewer[column] = BLANKED;
            meetings.entry(fewer).or_default().push((at, column));
        }
    }
    let mut meetings: Vec<(u64, Vec<(usize, usize)>)> = meetings
        .into_iter()
        .map(|(ids, members)| (classes.get(&ids).map_or(0, |class| class.rows), members))
        .collect();
    let size = |at: usize| open[at].1.rows;
    let company = |there: u64, members: &[(usize, usize)], chosen: &[Option<usize>]| -> u64 {
        let free = members.iter().filter(|(at, _)| chosen[*at].is_none());
        there + free.map(|(at, _)| size(*at)).sum::<u64>()
    };
    let none = vec![None; open.len()];
    meetings.sort_by_cached_key(|(there, members)| {
        let set = members.iter().map(|&(_, column)| sets[column]).min();
        (Reverse(company(*there, members, &none)), set)
    });
    let mut chosen: Vec<Option<usize>> = none;
    // First the meetings that are large enough with those still free, then for the rest the largest.
    for enough in [problem.privacy.k, 0] {
        for (there, members) in &meetings {
            if company(*there, members, &chosen) >= enough {
                for &(at, column) in members {
                    chosen[at].get_or_insert(column);
                }
            }
        }
    }
    open.iter()
        .zip(chosen)
        .filter_map(|((_, class), column)| Some((class, column?)))
        .flat_map(|(class, column)| class.cells.iter().map(move |&cell| (cell, column)))
        .collect()
}

/// The rows to blank all over so that those that are already pass, as cells and columns.
fn join_blank(classes: &RepairClasses, problem: &Problem) -> Vec<(u32, usize)> {
    let values = |ids: &[u32]| ids.iter().filter(|id| **id != BLANKED).count() as u64;
    let mut others: Vec<(&[u32], &RepairClass)> = classes
        .iter()
        .filter(|(ids, _)| values(ids) > 0)
        .map(|(ids, class)| (ids.as_slice(), class))
        .collect();
    others.sort_by_key(|(ids, class)| (values(ids) * class.rows, *ids));
    let mut blank = problem.targets.tally();
    for (_, class) in classes.iter().filter(|(ids, _)| values(ids) == 0) {
        add(class, problem, &mut blank);
    }
    let mut joined = Vec::new();
    for (ids, class) in others {
        if problem.privacy.passes(&blank) {
            break;
        }
        add(class, problem, &mut blank);
        let columns = 0..ids.len();
        joined
            .extend(columns.flat_map(|column| class.cells.iter().map(move |&cell| (cell, column))));
    }
    joined
}
