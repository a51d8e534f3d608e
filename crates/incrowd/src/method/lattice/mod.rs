//! Full-domain generalization: every column is released at one level of its hierarchy throughout.
//!
//! The ways to do that form a lattice ([`levels`]). All algorithms here stand on the same ground: the
//! classes of a node, rolled up from those of a more specific one ([`frequencies`]), and what they are
//! worth ([`judge`]).

mod bottom_up;
mod datafly;
mod dive;
mod frequencies;
mod incognito;
mod judge;
mod levels;
mod mingen;
mod price;
mod ranking;
mod samarati;
mod search;
mod taxonomy;
mod top_down;
mod walk;

use super::{OptionInfo, OptionValues};
use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::search::{Control, LatticeFacts, Outcome, Solution, StopReason};
use frequencies::Layout;
use judge::Judge;
use levels::Lattice;
use ranking::Ranking;

pub use bottom_up::BottomUp;
pub use datafly::Datafly;
pub use incognito::Incognito;
pub use mingen::MinGen;
pub use samarati::Samarati;
pub use search::{FrontierOf, LatticeSearch};
pub use top_down::TopDown;

pub(super) use bottom_up::INFO as BOTTOM_UP;
pub(super) use datafly::INFO as DATAFLY;
pub(super) use incognito::INFO as INCOGNITO;
pub(super) use mingen::INFO as MINGEN;
pub(super) use samarati::INFO as SAMARATI;
pub(super) use search::INFO as LATTICE;
pub(super) use top_down::INFO as TOP_DOWN;

/// How many of the best nodes to tell.
const TOP: OptionInfo = OptionInfo {
    name: "top",
    values: OptionValues::Number { default: 1, least: 1, most: 10_000, off: None },
    about: "tell that many of the best nodes, with cost, suppressed rows and classes",
};

/// How large a lattice may be where every node is looked at.
const MOST_NODES: OptionInfo = OptionInfo {
    name: "most-nodes",
    values: OptionValues::Number { default: 1_000_000, least: 1, most: u64::MAX, off: None },
    about: "refuse lattices with more nodes than this",
};

/// Refuses a lattice that is too large to look at every node.
fn check_size(method: &str, lattice: &Lattice<'_>, most: u64) -> Result<()> {
    let nodes = lattice.nodes();
    if nodes <= u128::from(most) {
        return Ok(());
    }
    let nodes = u64::try_from(nodes).map_or("more than 2^64".to_owned(), words::thousands);
    Err(Error::new(format!(
        "the lattice has {nodes} nodes, and {method} looks at all of them, but at most at {}",
        words::thousands(most)
    ))
    .help("raise the limit (the option most-nodes), limit the columns' levels, or choose the method lattice"))
}

/// A lattice, how its nodes are judged, and who watches.
#[derive(Clone, Copy)]
struct Ground<'a> {
    lattice: &'a Lattice<'a>,
    judge: &'a Judge<'a>,
    layout: &'a Layout,
    control: &'a Control,
}

/// The most rows that may be suppressed by the methods that know no price for it.
fn limit(problem: &Problem) -> u64 {
    problem.limit.rows(problem.rows, 0)
}

/// What a search that looked at nodes one by one found.
struct Looked {
    ranking: Ranking,
    checked: u64,
    stopped: Option<StopReason>,
    notes: Vec<String>,
}

impl Looked {
    /// The solution; `proven` says whether no other node can cost less under the problem's metric.
    fn solution(self, judge: &Judge<'_>, proven: bool) -> Solution {
        let Looked { ranking, checked, stopped, notes } = self;
        let lattice = judge.lattice;
        let mut facts = LatticeFacts::new(lattice.nodes(), checked);
        facts.top = ranking.facts(lattice);
        let solution = match (ranking.best(), stopped) {
            (None, Some(reason)) => Solution::stopped(reason, None, checked),
            (None, None) => infeasible(judge, checked),
            (Some(best), _) => {
                let outcome = match stopped {
                    Some(reason) => Outcome::Stopped { reason, bound: None },
                    None if proven => Outcome::Optimal,
                    None => Outcome::Feasible { bound: None },
                };
                Solution { outcome, ..Solution::feasible(lattice.recoding(&best.node), checked) }
            }
        };
        Solution { notes, ..solution.with_facts(facts) }
    }
}

/// What to tell where shortcuts are not allowed.
fn note_on_models(judge: &Judge<'_>) -> Option<String> {
    (!judge.is_monotone()).then(|| {
        "a class that fails can have parts that pass, so every node was looked at".to_owned()
    })
}

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
