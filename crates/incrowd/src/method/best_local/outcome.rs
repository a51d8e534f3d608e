//! From a problem to a search, and from what it found to a recoding.

use super::BestLocal;
use super::prices::Prices;
use super::rows::Rows;
use super::search::{LocalSearch, State};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, Solution};

pub(super) fn solve(options: &BestLocal, problem: &Problem, control: &Control) -> Result<Solution> {
    // Suppression is asked for, or there is none.
    let limit = problem.limit.rows(problem.rows, 0);
    let rows = Rows::new(problem, options.labels);
    let mut search = LocalSearch { options, rows: &rows, limit, control, moves: 0, stopped: None };
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
    let recoding = found.recoding(&rows);
    let mut solution = Solution::feasible(recoding, search.moves).stopped_by(search.stopped);
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
