//! MinGen.
//!
//! **What it does**: looks at every full-domain generalization, keeps those that satisfy k and every other
//! model within the suppression limit, and returns the one of least distortion: by default the one of
//! highest precision, on demand the one of least cost.
//! **Guarantee**: the best of all, for every metric and every model.
//! **Cost**: one roll-up per node. Lattices above a limit are refused.
//! **Example**: Adult has 6,480 nodes; at k = 5 with nothing suppressed the best has a precision of 0.3125.
//! **Reference**: Sweeney, *Achieving k-anonymity privacy protection using generalization and suppression*
//! (2002).

use super::judge::{Judge, Measure};
use super::ranking::Ranking;
use super::walk::{Plan, Visitor, Walk};
use super::{Ground, Lattice, Layout, Looked, Work, with_words};
use crate::Metric;
use crate::kit::Result;
use crate::method::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::problem::Problem;
use crate::search::{Control, Solution};

const DISTORTION: OptionInfo = OptionInfo {
    name: "distortion",
    values: OptionValues::Words(&["precision", "metric"]),
    about: "what is least: the loss of precision, or the cost under the metric",
};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "mingen",
    about: "look at every combination of hierarchy levels, take the least distorted (Sweeney 2002)",
    recoding: "global",
    options: &[DISTORTION, super::TOP, super::MOST_NODES],
};

/// Sweeney's MinGen: the least distorted of all full-domain generalizations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinGen {
    /// Whether the least cost is wanted, and not the highest precision.
    pub by_metric: bool,
    /// How many of the best nodes to tell.
    pub top: usize,
    /// The most nodes a lattice may have.
    pub most_nodes: u64,
}

impl Default for MinGen {
    fn default() -> Self {
        MinGen { by_metric: false, top: 1, most_nodes: 1_000_000 }
    }
}

impl Algorithm for MinGen {
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = Lattice::new(problem);
        super::check_size(INFO.name, &lattice, self.most_nodes)?;
        let metric = if self.by_metric { problem.metric } else { Metric::Precision };
        let judge = Judge::new(&lattice, metric, super::limit(problem));
        let layout = Layout::new(&lattice)?;
        let ground = Ground { lattice: &lattice, judge: &judge, layout: &layout, control };
        let looked = with_words(layout.words, Every { ground, top: self.top });
        let mut solution = looked.solution(&judge, metric == problem.metric);
        if metric != problem.metric {
            solution
                .notes
                .push("the node is that of highest precision, whatever the metric".into());
        }
        Ok(solution)
    }
}

/// Looks at every node.
pub(super) struct Every<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) top: usize,
}

impl Work<Looked> for Every<'_> {
    fn run<const W: usize>(self) -> Looked {
        let mut walk: Walk<'_, W> = Walk::new(self.ground);
        let mut best = Best { ground: self.ground, ranking: Ranking::new(self.top) };
        walk.go(&mut best);
        let (checked, stopped) = (walk.checked, walk.stopped);
        Looked { ranking: best.ranking, checked, stopped, notes: Vec::new() }
    }
}

/// Remembers the best nodes.
struct Best<'a> {
    ground: Ground<'a>,
    ranking: Ranking,
}

impl Visitor for Best<'_> {
    fn plan(&mut self, _: &[u32]) -> Plan {
        Plan::Measure
    }

    fn take(&mut self, node: &[u32], measure: &Measure) -> bool {
        let before = self.ranking.least();
        self.ranking.offer(self.ground.judge, node, measure);
        if self.ranking.least() < before {
            let Ground { lattice, control, .. } = self.ground;
            control.improved(self.ranking.least(), || lattice.recoding(node));
        }
        true
    }
}
