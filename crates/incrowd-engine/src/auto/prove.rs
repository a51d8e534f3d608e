//! What is proven of releases whose method proves nothing itself.
//!
//! Methods that group rows find good releases and cannot say how good. How little any grouping of the rows can cost
//! is proven here, after the search: by what each row pays at least, or by how rows compete for company.

use super::method_choice::MethodChoice;
use super::release_kind::ReleaseKind;
use super::search::judge;
use crate::kit::words;
use crate::method::{BestLocal, Method};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::release::{Release, SuppressionMode};
use crate::search::{Control, Outcome, Solution};
use crate::space::crowd::{self, LocalProof, ProofBudget};

/// How much may be done to prove how little a release of the kind local can cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProofEffort {
    /// What takes less than the search did, counted in steps.
    #[default]
    Quick,
    /// As much as it takes for a bound worth having: minutes, for tables of some ten thousand combinations.
    Fully,
    /// Nothing.
    Never,
}

/// The work of a full proof, in looks at a combination.
const FULL: ProofBudget =
    ProofBudget { minima: 20_000_000_000, dual: 4_500_000_000, in_part: true };

/// A quick proof takes so many looks for each node that the search has looked at: less than half the time. Below the second
/// number it takes no time at all.
const PER_NODE: u64 = 200;
const AT_ONCE: u64 = 200_000;

/// Tables of more values of combinations are not looked at: sorting them alone would take too long, or too much memory.
const MOST_CODES: usize = 100_000_000;
const MOST_QUICK_CODES: usize = 2_000_000;

/// Dual prices are searched in a quick proof, too, with this share of its steps, up to so many combinations and k.
const WORTHS: u64 = 16;
const FEW_COMBINATIONS: usize = 1_000;
const SMALL_K: u64 = 10;

impl MethodChoice {
    /// The search for groups of least cost that a solution is from, if it is.
    fn best_local(&self, solution: &Solution) -> Option<BestLocal> {
        let method = match (self, &solution.chosen) {
            (MethodChoice::Named(method), _) => *method,
            (MethodChoice::Auto(_), Some(chosen)) => {
                let mut parts = chosen.method.split(':');
                let name = parts.next()?;
                let options: Vec<(&str, &str)> =
                    parts.filter_map(|option| option.split_once('=')).collect();
                Method::new(name, &options).ok()?
            }
            (MethodChoice::Auto(_), None) => return None,
        };
        match method {
            Method::BestLocal(search) => Some(search),
            _ => None,
        }
    }

    /// What solutions are compared by: as the search did it.
    fn cost(&self, problem: &Problem, solution: &Solution) -> Option<f64> {
        match self {
            MethodChoice::Auto(_) => judge(problem, solution).map(|cost| cost.0),
            MethodChoice::Named(_) => {
                Release::of_solution(problem, solution, SuppressionMode::Drop)?
                    .measures
                    .cost(problem.metric)
            }
        }
    }

    /// The same solution with a bound, where its recoding groups rows and the metric charges them value by value.
    /// What the solution knows already stays. It is the same on any machine; only a control that says stop ends it
    /// before its time.
    #[must_use]
    pub fn proven(
        &self,
        problem: &Problem,
        solution: Solution,
        prove: ProofEffort,
        control: &Control,
    ) -> Solution {
        let groups_rows =
            matches!(solution.recoding(), Some(Recoding::Local(_) | Recoding::Regional(_)));
        let is_open =
            matches!(solution.outcome, Outcome::Feasible { .. } | Outcome::Stopped { .. });
        let applies = self.kind() == ReleaseKind::Local && groups_rows && is_open;
        // Where everybody may stand alone nothing is lost for certain.
        let alone = problem.privacy.k <= 1 && problem.privacy.goes_beyond_classes();
        if prove == ProofEffort::Never || alone || !applies || !crowd::is_priced(problem.metric) {
            return solution;
        }
        let most = if prove == ProofEffort::Fully { MOST_CODES } else { MOST_QUICK_CODES };
        if problem.cells.len().saturating_mul(problem.attributes.len()) > most {
            return solution;
        }
        let work = match prove {
            ProofEffort::Fully => FULL,
            _ => {
                let looks = solution.nodes.saturating_mul(PER_NODE).max(AT_ONCE);
                let is_small =
                    problem.cells.len() <= FEW_COMBINATIONS && problem.privacy.k <= SMALL_K;
                let dual = if is_small { looks / WORTHS } else { 0 };
                ProofBudget { minima: looks, dual, in_part: false }
            }
        };
        let shares = match solution.recoding() {
            Some(Recoding::Local(assigned)) => &assigned.shares[..],
            _ => &[],
        };
        let Some(proof) = crowd::prove(problem, shares, work, control) else { return solution };
        let LocalProof { bound, estimate, looked, of, crowds } = proof;
        let known = solution.outcome.bound().unwrap_or(0.0);
        let rounded = match self.best_local(&solution) {
            Some(search) if prove == ProofEffort::Fully && control.stop().is_none() => {
                search.rounded(problem, shares, &crowds, control)
            }
            _ => None,
        };
        let solution = match rounded {
            Some(rounded)
                if self
                    .cost(problem, &rounded)
                    .zip(self.cost(problem, &solution))
                    .is_some_and(|(new, old)| new < old) =>
            {
                let outcome = rounded.outcome;
                let nodes = solution.nodes + rounded.nodes;
                let mut solution = Solution { outcome, nodes, ..solution };
                let note = "the search for the bound found better groups, which were \
                            combined and searched again";
                solution.notes.push(note.to_owned());
                solution
            }
            _ => solution,
        };
        let mut solution = solution.with_bound(Some(bound.max(known)));
        if let Some(estimate) = estimate {
            solution.notes.push(format!(
                "the bound is proven from {} of {}; from this sample, with 99% confidence, \
                 no release of this kind costs less than {estimate:.4}",
                words::count(looked as u64, "combination", "combinations"),
                words::thousands(of as u64)
            ));
        }
        solution
    }
}
