//! From a problem to a search, and from what it found to a recoding.

use super::BestLocal;
use super::prices::Prices;
use super::rows::Rows;
use super::search::{Search, State};
use crate::kit::{Result, Watch};
use crate::problem::Problem;
use crate::recoding::{Assigned, Boxes, OUTSIDE, Outcome, Recoding, Share, Solution};

pub(super) fn solve(options: &BestLocal, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
    // Suppression is asked for, or there is none.
    let limit = problem.limit.rows(problem.rows, 0);
    let rows = Rows::new(problem);
    let mut search = Search { options, rows: &rows, limit, watch, moves: 0, stopped: None };
    let found = match problem.privacy.complaint(&problem.whole()) {
        None => search.run(),
        Some(_) if limit == problem.rows => {
            State { out: (0..rows.len() as u32).collect(), ..State::default() }
        }
        Some(complaint) => {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
    };
    let mut solution = Solution::feasible(recoding(&rows, &found), search.moves);
    if let Some(reason) = search.stopped {
        solution.outcome = Outcome::Stopped { reason, bound: None };
    }
    let minimized = Prices::metric(problem);
    if minimized != problem.metric {
        solution.notes.push(format!(
            "best-local minimizes {}, since {} does not charge rows value by value",
            minimized.name(),
            problem.metric.name()
        ));
    }
    Ok(solution)
}

/// The groups as boxes, and which rows go into each.
fn recoding(rows: &Rows<'_>, found: &State) -> Recoding {
    let attributes = &rows.problem.attributes;
    let mut boxes = Boxes::new(attributes.len());
    let mut shares: Vec<Share> = Vec::new();
    let mut codes = Vec::new();
    for group in &found.groups {
        let class = boxes.len() as u32;
        boxes.push(attributes.iter().enumerate().map(|(at, attribute)| {
            codes.clear();
            codes.extend(group.iter().map(|&row| rows.code(at, row)));
            codes.sort_unstable();
            codes.dedup();
            attribute.group(&codes)
        }));
        shares.extend(group.iter().map(|&row| share(rows, row, class)));
    }
    for settled in rows.settled() {
        let code = |at| rows.problem.cells.code(at, settled.cell as usize);
        let class = boxes.len() as u32;
        boxes.push(attributes.iter().enumerate().map(|(at, a)| a.group(&[code(at)])));
        shares.push(Share { class, ..*settled });
    }
    shares.extend(found.out.iter().map(|&row| share(rows, row, OUTSIDE)));
    Recoding::Local(Assigned::of_rows(boxes, shares))
}

fn share(rows: &Rows<'_>, row: u32, class: u32) -> Share {
    Share { cell: rows.cell(row), label: rows.label(row), class, count: 1 }
}
