//! What a search found.

use serde::{Deserialize, Serialize};

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

/// Why a search was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Its time was up.
    TimeLimit,
    /// The user interrupted it.
    Cancelled,
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
        }
    }

    /// No solution exists.
    pub fn infeasible(why: impl Into<String>, nodes: u64) -> Self {
        Solution {
            outcome: Outcome::Infeasible { why: why.into() },
            recoding: None,
            boxes: None,
            nodes,
            notes: Vec::new(),
        }
    }
}
