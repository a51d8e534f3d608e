//! The search, and what becomes of a solution.

use incrowd::{Algorithm, Control, Problem, Release, Solution};

use super::super::{Job, Timed};
use crate::Result;

/// Searches, and applies what was found: no release if there is none within the limits.
pub(super) fn search(
    job: &Job,
    problem: &Problem,
    control: &Control,
) -> Result<(Solution, Option<Release>)> {
    let solve = |control: &Control| job.method.solve(problem, control);
    let solution = Timed::run(job.time_limit, control, solve).solution?;
    let solution = job.method.proven(problem, solution, job.prove, control);
    let release = match solution.recoding() {
        Some(recoding) if job.write_failing => Some(Release::with_failures(problem, recoding)),
        _ => Release::of_solution(problem, &solution, job.suppressed),
    };
    // Blank rows need company, so keeping them blank can suppress more than the search did.
    let limit = problem.limit.rows(problem.rows, problem.rows);
    let released = release.as_ref().map(|release| release.classes.released_rows());
    match released.map(|released| problem.rows - released) {
        Some(suppressed) if suppressed > limit => {
            let why = format!(
                "{suppressed} rows would have to be suppressed, but at most {limit} may be"
            );
            Ok((Solution::infeasible(why, solution.nodes), None))
        }
        _ => Ok((solution, release)),
    }
}
