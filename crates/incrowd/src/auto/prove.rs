//! What is proven of releases whose method proves nothing itself.
//!
//! Methods that group rows find good releases and cannot say how good. How little any grouping of the rows can cost
//! is proven here, after the search: by what each row pays at least, or by how rows compete for company.

use super::approach::Approach;
use super::kind::Kind;
use crate::kit::words;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, Outcome, Solution};
use crate::space::crowd::{self, LocalProof, Work};

/// How much may be done to prove how little a release of the kind local can cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prove {
    /// What takes less than the search did, counted in steps.
    #[default]
    Quick,
    /// As much as it takes for a bound worth having: minutes, for tables of some ten thousand combinations.
    Fully,
    /// Nothing.
    Never,
}

/// The work of a full proof, in looks at a combination.
const FULL: Work = Work { minima: 20_000_000_000, dual: 3_000_000_000 };

/// A quick proof takes so many looks for each node that the search has looked at, and for each row.
const PER_NODE: u64 = 2;
const PER_ROW: u64 = 16;

impl Approach {
    /// The same solution with a bound, where its recoding groups rows and the metric charges them value by value.
    /// What the solution knows already stays. It is the same on any machine; only a control that says stop ends it
    /// before its time.
    #[must_use]
    pub fn proven(
        &self,
        problem: &Problem,
        solution: Solution,
        prove: Prove,
        control: &Control,
    ) -> Solution {
        let groups_rows =
            matches!(solution.recoding(), Some(Recoding::Local(_) | Recoding::Regional(_)));
        let is_open =
            matches!(solution.outcome, Outcome::Feasible { .. } | Outcome::Stopped { .. });
        let applies = self.kind() == Kind::Local && groups_rows && is_open;
        if prove == Prove::Never || !applies || !crowd::is_priced(problem.metric) {
            return solution;
        }
        let work = match prove {
            Prove::Fully => FULL,
            _ => {
                let looks = solution.nodes.saturating_mul(PER_NODE);
                let rows = problem.rows.saturating_mul(PER_ROW);
                Work { minima: looks.saturating_add(rows), dual: 0 }
            }
        };
        let LocalProof { bound, estimate, looked, of } = crowd::prove(problem, work, control);
        let known = solution.outcome.bound().unwrap_or(0.0);
        let mut solution = solution.with_bound(Some(bound.max(known)));
        if let Some(estimate) = estimate {
            solution.notes.push(format!(
                "the bound is proven from {} of {}; with 99% confidence, from them as a sample, no release of this \
                 kind costs less than {estimate:.4}",
                words::count(looked as u64, "combination", "combinations"),
                words::thousands(of as u64)
            ));
        }
        solution
    }
}
