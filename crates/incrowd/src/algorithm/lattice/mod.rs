//! Full-domain generalization: every column is released at one level of its hierarchy throughout.
//!
//! The ways to do that form a lattice ([`levels`]). All algorithms here stand on the same ground: the
//! classes of a node, rolled up from those of a more specific one ([`frequencies`]), and what they are
//! worth ([`judge`]).

mod datafly;
mod dive;
mod frequencies;
mod judge;
mod levels;
mod price;
mod ranking;
mod search;

use super::{MethodInfo, OptionInfo, OptionValues};
use crate::solution::Solution;
use crate::words;

pub use datafly::Datafly;
pub use search::{FrontierOf, LatticeSearch};

pub(super) const DATAFLY: MethodInfo = datafly::INFO;
pub(super) const LATTICE: MethodInfo = search::INFO;

/// How many of the best nodes to tell.
const TOP: OptionInfo = OptionInfo {
    name: "top",
    values: OptionValues::Number { default: 1, least: 1, most: 10_000, off: None },
    about: "tell that many of the best nodes, with cost, suppressed rows and classes",
};

/// Something to do with classes whose keys have a number of words known only when it runs.
trait Work<T> {
    fn run<const W: usize>(self) -> T;
}

/// Does it with the fewest words that suffice.
fn with_words<T>(words: usize, work: impl Work<T>) -> T {
    match words {
        1 => work.run::<1>(),
        2 => work.run::<2>(),
        4 => work.run::<4>(),
        _ => work.run::<16>(),
    }
}

/// No node keeps to the limit.
fn infeasible(judge: &judge::Judge<'_>, nodes: u64) -> Solution {
    let limit = words::thousands(judge.limit);
    Solution::infeasible(
        format!(
            "at every combination of levels more rows fail than the {limit} that may be suppressed"
        ),
        nodes,
    )
}
