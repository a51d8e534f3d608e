//! The context that the full-domain methods share: a lattice with its evaluator, what a walk through it found,
//! and their common options.

use super::evaluator::NodeEvaluator;
use super::frequencies::ClassKeyLayout;
use super::levels::GeneralizationLattice;
use super::ranking::NodeRanking;
use crate::kit::{Error, Result, words};
use crate::method::options::{OptionInfo, OptionValues};
use crate::problem::Problem;
use crate::search::{Control, LatticeFacts, Solution, SolutionDetails, StopReason};

/// How many of the best nodes to tell.
pub(super) const TOP: OptionInfo = OptionInfo {
    name: "top",
    values: OptionValues::Number { default: 1, least: 1, most: 10_000, off: None },
    about: "tell that many of the best nodes, with cost, suppressed rows and classes",
};

/// How large a lattice may be where every node is looked at.
pub(super) const MOST_NODES: OptionInfo = OptionInfo {
    name: "most-nodes",
    values: OptionValues::Number { default: 1_000_000, least: 1, most: u64::MAX, off: None },
    about: "refuse lattices with more nodes than this",
};

/// Refuses a lattice that is too large to look at every node.
pub(super) fn check_size(
    method: &str,
    lattice: &GeneralizationLattice<'_>,
    most: u64,
) -> Result<()> {
    let nodes = lattice.nodes();
    if nodes <= u128::from(most) {
        return Ok(());
    }
    let nodes = u64::try_from(nodes).map_or("more than 2^64".to_owned(), words::thousands);
    Err(Error::new(format!(
        "the lattice has {nodes} nodes, and {method} examines all of them, but at most {}",
        words::thousands(most)
    ))
    .help("raise the limit (--option most-nodes=N), limit the columns' levels, or choose the method lattice"))
}

/// A lattice, how its nodes are judged, and who watches.
#[derive(Clone, Copy)]
pub(super) struct LatticeContext<'a> {
    pub(super) lattice: &'a GeneralizationLattice<'a>,
    pub(super) judge: &'a NodeEvaluator<'a>,
    pub(super) layout: &'a ClassKeyLayout,
    pub(super) control: &'a Control,
}

/// The most rows that may be suppressed by the methods that know no price for it.
pub(super) fn limit(problem: &Problem) -> u64 {
    problem.limit.rows(problem.rows, 0)
}

/// What a search that looked at nodes one by one found.
pub(super) struct WalkResult {
    pub(super) ranking: NodeRanking,
    pub(super) checked: u64,
    pub(super) stopped: Option<StopReason>,
    pub(super) notes: Vec<String>,
}

impl WalkResult {
    /// The solution; `proven` says whether no other node can cost less under the problem's metric.
    pub(super) fn solution(self, judge: &NodeEvaluator<'_>, proven: bool) -> Solution {
        let WalkResult { ranking, checked, stopped, notes } = self;
        let lattice = judge.lattice;
        let mut facts = LatticeFacts::new(lattice.nodes(), checked);
        facts.top = ranking.facts(lattice);
        let solution = match (ranking.best(), stopped) {
            (None, Some(reason)) => Solution::stopped(reason, None, checked),
            (None, None) => infeasible(judge, checked),
            (Some(best), _) => {
                let solution = Solution::feasible(lattice.recoding(&best.node), checked);
                // A walk that was cut short has not looked at what would prove it.
                if proven && stopped.is_none() {
                    solution.proven()
                } else {
                    solution.stopped_by(stopped)
                }
            }
        };
        Solution { notes, ..solution.with_details(SolutionDetails::Lattice(facts)) }
    }
}

/// What to tell where shortcuts are not allowed.
pub(super) fn note_on_models(judge: &NodeEvaluator<'_>) -> Option<String> {
    (!judge.is_monotone()).then(|| {
        "a class that fails can have parts that pass, so every node was looked at".to_owned()
    })
}

/// Something to do with classes whose keys have a number of words known only when it runs.
pub(super) trait KeyWidthTask<T> {
    fn run<const W: usize>(self) -> T;
}

/// Does it with the fewest words that suffice.
pub(super) fn with_words<T>(words: usize, work: impl KeyWidthTask<T>) -> T {
    match words {
        1 => work.run::<1>(),
        2 => work.run::<2>(),
        4 => work.run::<4>(),
        _ => work.run::<16>(),
    }
}

/// No node keeps to the limit.
pub(super) fn infeasible(judge: &NodeEvaluator<'_>, nodes: u64) -> Solution {
    let limit = words::thousands(judge.limit);
    Solution::infeasible(
        format!(
            "at every combination of levels more rows fail than the {limit} that may be suppressed"
        ),
        nodes,
    )
}
