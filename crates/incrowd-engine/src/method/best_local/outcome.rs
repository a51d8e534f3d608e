//! From a problem to a search, and from what it found to a recoding.

use super::BestLocal;
use super::prices::LocalPrices;
use super::rows::LocalRows;
use super::search::{LocalGrouping, LocalSearch};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, Solution};

pub(super) fn solve(options: &BestLocal, problem: &Problem, control: &Control) -> Result<Solution> {
    // Suppression is asked for, or there is none.
    let limit = problem.limit.rows(problem.rows, 0);
    let rows = LocalRows::new(problem, options.labels);
    let mut search = LocalSearch { options, rows: &rows, limit, control, moves: 0, stopped: None };
    let found = match problem.privacy.complaint(&problem.whole()) {
        None => search.run(),
        Some(_) if limit == problem.rows => {
            LocalGrouping { out: (0..rows.len() as u32).collect(), ..LocalGrouping::default() }
        }
        Some(complaint) => {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
    };
    let recoding = found.recoding(&rows);
    let mut solution = Solution::feasible(recoding, search.moves).stopped_by(search.stopped);
    let minimized = LocalPrices::metric(problem);
    if minimized != problem.metric {
        solution.notes.push(format!(
            "best-local minimizes {}, since {} does not charge rows value by value",
            minimized.name(),
            problem.metric.name()
        ));
    }
    Ok(solution)
}
