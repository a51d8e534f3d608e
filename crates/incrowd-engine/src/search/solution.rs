//! What a search found.

use serde::{Deserialize, Serialize};

use super::control::StopReason;
use crate::recoding::Recoding;

/// How a search ended, with what it found: a solution without a recoding cannot be written down, nor a
/// recoding where there is no solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The recoding is proven to be the best there is in the algorithm's space.
    Optimal(Recoding),
    /// The recoding holds; no better one costs less than the bound, where there is a bound.
    Feasible {
        /// What was found.
        recoding: Recoding,
        /// A proven lower bound of the cost.
        bound: Option<f64>,
    },
    /// There is no solution.
    Infeasible {
        /// Why, in a sentence.
        why: String,
    },
    /// The search was stopped.
    Stopped {
        /// Why.
        reason: StopReason,
        /// The best so far, if anything was found in time.
        recoding: Option<Recoding>,
        /// A proven lower bound of the cost.
        bound: Option<f64>,
    },
}

impl Outcome {
    /// The outcome in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Optimal(_) => "optimal",
            Outcome::Feasible { .. } => "feasible",
            Outcome::Infeasible { .. } => "infeasible",
            Outcome::Stopped { .. } => "stopped",
        }
    }

    /// The recoding; none if there is no solution, or none was found in time.
    pub fn recoding(&self) -> Option<&Recoding> {
        match self {
            Outcome::Optimal(recoding) | Outcome::Feasible { recoding, .. } => Some(recoding),
            Outcome::Stopped { recoding, .. } => recoding.as_ref(),
            Outcome::Infeasible { .. } => None,
        }
    }

    /// The same, to keep.
    pub fn into_recoding(self) -> Option<Recoding> {
        match self {
            Outcome::Optimal(recoding) | Outcome::Feasible { recoding, .. } => Some(recoding),
            Outcome::Stopped { recoding, .. } => recoding,
            Outcome::Infeasible { .. } => None,
        }
    }

    /// A proven lower bound of the cost, where it is not the cost itself.
    pub fn bound(&self) -> Option<f64> {
        match self {
            Outcome::Feasible { bound, .. } | Outcome::Stopped { bound, .. } => *bound,
            Outcome::Optimal(_) | Outcome::Infeasible { .. } => None,
        }
    }

    /// Why the search was stopped, if it was.
    pub fn stop_reason(&self) -> Option<StopReason> {
        match self {
            Outcome::Stopped { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Whether the recoding is proven to be the best.
    pub fn is_optimal(&self) -> bool {
        matches!(self, Outcome::Optimal(_))
    }

    /// The same where what was found costs this and more is lost afterwards: what was proven to be the best is a bound then.
    #[must_use]
    pub fn as_bound(&self, cost: Option<f64>) -> Outcome {
        match self {
            Outcome::Optimal(recoding) => {
                Outcome::Feasible { recoding: recoding.clone(), bound: cost }
            }
            other => other.clone(),
        }
    }

    /// Whether there is no solution.
    pub fn is_infeasible(&self) -> bool {
        matches!(self, Outcome::Infeasible { .. })
    }
}

/// What a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Solution {
    /// How the search ended, with the recoding that it found.
    pub outcome: Outcome,
    /// How many nodes the search looked at: partitions, lattice nodes, cut sets.
    pub nodes: u64,
    /// What the user should know of how the problem was taken, such as automatic bins; a sentence each.
    pub notes: Vec<String>,
    /// What the method has to tell besides.
    pub details: Option<SolutionDetails>,
    /// Which method made it and why, where none was named.
    pub chosen: Option<SelectedMethod>,
    /// For a regional recoding the box of each of the problem's profiles, where the algorithm knows it:
    /// it saves looking every profile up.
    pub(crate) boxes: Option<Vec<u32>>,
}

/// Which method was chosen where none was named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectedMethod {
    /// The method, with the options it was given: `best-local:steps=1000`.
    pub method: String,
    /// Its name alone.
    pub name: String,
    /// Why, in a sentence.
    pub why: String,
    /// How hard was searched: quick, normal or thorough.
    pub effort: String,
    /// What was tried, in this order.
    pub tried: Vec<TriedMethod>,
}

/// A method that was tried where none was named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedMethod {
    /// The method, with the options it was given.
    pub method: String,
    /// What its release was judged by, less is better; none if it made none.
    pub cost: Option<f64>,
}

/// What only some methods have to tell.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SolutionDetails {
    /// Of a search of full-domain generalizations.
    Lattice(LatticeFacts),
    /// Of the cover approximation.
    Cover(CoverFacts),
}

/// How good a cover is: blanked cells by weight, and ratios to the fewest there could be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CoverFacts {
    /// What the blanks of the cover cost before they were improved.
    pub before_improvement: f64,
    /// What they cost now.
    pub cost: f64,
    /// The ratio that theory guarantees, where it does.
    pub guaranteed: Option<f64>,
    /// The ratio to the bound of the fewest: the true ratio is at most this.
    pub against_bound: Option<f64>,
    /// The true ratio, where the exact search came to an end.
    pub against_optimum: Option<f64>,
}

/// What a search of the lattice of full-domain generalizations has to tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LatticeFacts {
    /// Nodes in the lattice.
    pub nodes: u64,
    /// Nodes whose classes were counted.
    pub checked: u64,
    /// Nodes that were ruled out without counting.
    pub pruned: u64,
    /// The best nodes, best first, as many as were asked for.
    pub top: Vec<RankedNode>,
    /// The least cost for other k, ascending; empty unless it was asked for.
    pub frontier: Vec<FrontierPoint>,
}

/// A node of the lattice that is a solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedNode {
    /// The hierarchy level of each quasi-identifier, 0 for its values as they are.
    pub levels: Vec<u32>,
    /// What the release costs.
    pub cost: f64,
    /// How many rows it suppresses.
    pub suppressed: u64,
    /// How many classes it has.
    pub classes: u64,
}

/// The least cost for a range of k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrontierPoint {
    /// The first k.
    pub k: u64,
    /// The last k for which the same node is best, at the same cost.
    pub to_k: u64,
    /// The best node.
    #[serde(flatten)]
    pub best: RankedNode,
}

impl LatticeFacts {
    pub(crate) fn new(nodes: u128, checked: u64) -> Self {
        let nodes = u64::try_from(nodes).unwrap_or(u64::MAX);
        LatticeFacts { nodes, checked, pruned: nodes - checked.min(nodes), ..Self::default() }
    }
}

impl Solution {
    /// The same without what it claims to be proven: where people with rows in several places are judged by shares,
    /// classes that pass can fail together, which proofs take to be impossible.
    pub(crate) fn unproven(mut self) -> Self {
        if self.outcome.is_optimal() {
            self.notes.push(
                "some units have rows in several groups, where shares of units prove no \
                 optimum: this is the best release found"
                    .to_owned(),
            );
        }
        self.without_proof()
    }

    /// The same without what it claims to be proven.
    #[must_use]
    pub fn without_proof(mut self) -> Self {
        self.outcome = match self.outcome {
            Outcome::Optimal(recoding) | Outcome::Feasible { recoding, .. } => {
                Outcome::Feasible { recoding, bound: None }
            }
            Outcome::Stopped { reason, recoding, .. } => {
                Outcome::Stopped { reason, recoding, bound: None }
            }
            infeasible => infeasible,
        };
        self
    }

    fn new(outcome: Outcome, nodes: u64) -> Self {
        Solution { outcome, nodes, notes: Vec::new(), details: None, chosen: None, boxes: None }
    }

    /// A recoding without a bound.
    pub fn feasible(recoding: Recoding, nodes: u64) -> Self {
        Self::new(Outcome::Feasible { recoding, bound: None }, nodes)
    }

    /// No solution exists.
    pub fn infeasible(why: impl Into<String>, nodes: u64) -> Self {
        Self::new(Outcome::Infeasible { why: why.into() }, nodes)
    }

    /// Nothing was found in time.
    pub fn stopped(reason: StopReason, bound: Option<f64>, nodes: u64) -> Self {
        Self::new(Outcome::Stopped { reason, recoding: None, bound }, nodes)
    }

    /// The same solution, proven to be the best; where nothing was found, nothing is proven.
    #[must_use]
    pub fn proven(mut self) -> Self {
        self.outcome = match self.outcome {
            Outcome::Feasible { recoding, .. }
            | Outcome::Stopped { recoding: Some(recoding), .. } => Outcome::Optimal(recoding),
            other => other,
        };
        self
    }

    /// The same solution with a proven lower bound of its cost; what is optimal or infeasible needs none.
    #[must_use]
    pub fn with_bound(mut self, proven: Option<f64>) -> Self {
        if let Outcome::Feasible { bound, .. } | Outcome::Stopped { bound, .. } = &mut self.outcome
        {
            *bound = proven;
        }
        self
    }

    /// The same solution of a search that was told to stop, if it was; a proof stands all the same.
    #[must_use]
    pub fn stopped_by(mut self, reason: Option<StopReason>) -> Self {
        self.outcome = match (self.outcome, reason) {
            (Outcome::Feasible { recoding, bound }, Some(reason)) => {
                Outcome::Stopped { reason, recoding: Some(recoding), bound }
            }
            (outcome, _) => outcome,
        };
        self
    }

    /// The same solution with what else the method has to tell.
    #[must_use]
    pub fn with_details(self, details: SolutionDetails) -> Self {
        Solution { details: Some(details), ..self }
    }

    /// The same solution with the box of each of the problem's profiles.
    #[must_use]
    pub(crate) fn with_boxes(self, boxes: Vec<u32>) -> Self {
        Solution { boxes: Some(boxes), ..self }
    }

    /// The recoding; none if there is no solution, or none was found in time.
    pub fn recoding(&self) -> Option<&Recoding> {
        self.outcome.recoding()
    }

    /// The same, to keep.
    pub fn into_recoding(self) -> Option<Recoding> {
        self.outcome.into_recoding()
    }

    /// What a search of full-domain generalizations has to tell besides.
    pub fn lattice(&self) -> Option<&LatticeFacts> {
        match &self.details {
            Some(SolutionDetails::Lattice(facts)) => Some(facts),
            _ => None,
        }
    }

    /// What the cover approximation has to tell besides.
    pub fn cover(&self) -> Option<&CoverFacts> {
        match &self.details {
            Some(SolutionDetails::Cover(facts)) => Some(facts),
            _ => None,
        }
    }
}
