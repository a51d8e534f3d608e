//! What a search found.

use serde::{Deserialize, Serialize};

use super::control::StopReason;
use crate::recoding::Recoding;

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The solution is proven to be the best there is in the algorithm's space.
    Optimal,
    /// The solution holds; no better one costs less than the bound, where there is a bound.
    Feasible {
        /// A proven lower bound of the cost.
        bound: Option<f64>,
    },
    /// There is no solution.
    Infeasible {
        /// Why, in a sentence.
        why: String,
    },
    /// The search was stopped; the solution, if there is one, is the best so far.
    Stopped {
        /// Why.
        reason: StopReason,
        /// A proven lower bound of the cost.
        bound: Option<f64>,
    },
}

impl Outcome {
    /// The outcome in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Optimal => "optimal",
            Outcome::Feasible { .. } => "feasible",
            Outcome::Infeasible { .. } => "infeasible",
            Outcome::Stopped { .. } => "stopped",
        }
    }
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Solution {
    /// How the search ended.
    pub outcome: Outcome,
    /// The recoding; none if there is no solution, or none was found in time.
    pub recoding: Option<Recoding>,
    /// For a regional recoding the box of each of the problem's cells, where the algorithm knows it:
    /// it saves looking every cell up.
    pub boxes: Option<Vec<u32>>,
    /// How many nodes the search looked at: partitions, lattice nodes, cut sets.
    pub nodes: u64,
    /// What the user should know of how the problem was taken, such as automatic bins; a sentence each.
    pub notes: Vec<String>,
    /// What a search of full-domain generalizations has to tell besides.
    pub lattice: Option<LatticeFacts>,
    /// What the cover approximation has to tell besides.
    pub cover: Option<CoverFacts>,
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
    /// A recoding without a bound.
    pub fn feasible(recoding: Recoding, nodes: u64) -> Self {
        Solution {
            outcome: Outcome::Feasible { bound: None },
            recoding: Some(recoding),
            boxes: None,
            nodes,
            notes: Vec::new(),
            lattice: None,
            cover: None,
        }
    }

    /// The same solution, if a search was told to stop.
    pub(crate) fn stopped_by(mut self, reason: Option<StopReason>) -> Self {
        if let Some(reason) = reason {
            self.outcome = Outcome::Stopped { reason, bound: None };
        }
        self
    }

    /// Nothing was found in time.
    pub fn stopped(reason: StopReason, bound: Option<f64>, nodes: u64) -> Self {
        Solution { outcome: Outcome::Stopped { reason, bound }, ..Self::infeasible("", nodes) }
    }

    /// The same solution with what a search of a lattice has to tell.
    pub(crate) fn with_facts(self, facts: LatticeFacts) -> Self {
        Solution { lattice: Some(facts), ..self }
    }

    /// No solution exists.
    pub fn infeasible(why: impl Into<String>, nodes: u64) -> Self {
        Solution {
            outcome: Outcome::Infeasible { why: why.into() },
            recoding: None,
            boxes: None,
            nodes,
            notes: Vec::new(),
            lattice: None,
            cover: None,
        }
    }
}
