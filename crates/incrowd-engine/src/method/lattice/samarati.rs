//! Samarati's AllMin.
//!
//! **What it does**: finds the lowest height of the lattice at which a node satisfies k within the
//! suppression limit, by binary search: if a node satisfies it, so do all above it. Returns the k-minimal
//! nodes, those with no satisfying node below: all at that height or, on demand, all of the lattice;
//! the release is the one of least cost among them.
//! **Guarantee**: no satisfying node has fewer levels in all; with `minimal=all` and nothing suppressed the
//! least cost of all nodes. Where parts of a failing class may pass, heights are tried one by one instead.
//! **Cost**: the classes of the nodes at a few heights.
//! **Example**: Adult at k = 5 with nothing suppressed: see the book's page.
//! **Reference**: Samarati, *Protecting Respondents' Identities in Microdata Release* (2001).

use super::context::{
    KeyWidthTask, LatticeContext, MOST_NODES, WalkResult, check_size, limit, note_on_models,
    with_words,
};
use super::evaluator::{NodeEvaluator, NodeMeasure};
use super::frequencies::ClassKeyLayout;
use super::levels::{GeneralizationLattice, height};
use super::ranking::NodeRanking;
use super::walk::{LatticeVisitor, LatticeWalk, VisitPlan};
use crate::kit::{Result, words};
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::options::{OptionInfo, OptionValues};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::{NamedChoice, settings};
use crate::problem::Problem;
use crate::search::{Control, Solution};

const MINIMAL: OptionInfo = OptionInfo {
    name: "minimal",
    values: OptionValues::Words(MinimalNodes::NAMES),
    about: "the k-minimal nodes to choose from: those of least height, or all of the lattice",
};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "samarati",
    about: "the k-minimal combinations of hierarchy levels of least height (Samarati 2001)",
    family: RecodingModel::FullDomain,
    recoding: "global",
    options: Samarati::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// Which k-minimal nodes are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MinimalNodes {
    /// Those of least height.
    #[default]
    Lowest,
    /// All of the lattice.
    All,
}

impl NamedChoice for MinimalNodes {
    const NAMES: &'static [&'static str] = &["lowest", "all"];
    const CHOICES: &'static [Self] = &[MinimalNodes::Lowest, MinimalNodes::All];
}

settings! {
    /// Samarati's AllMin: the k-minimal full-domain generalizations.
    pub struct Samarati {
        /// Which k-minimal nodes are wanted.
        minimal: MinimalNodes = MINIMAL,
        /// The most nodes a lattice may have if all are wanted.
        most_nodes: u64 = MOST_NODES,
    }
}

/// The most k-minimal nodes that are told.
const MOST_TOLD: usize = 10_000;

impl Algorithm for Samarati {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let all = self.minimal == MinimalNodes::All;
        let lattice = GeneralizationLattice::new(problem);
        if all {
            check_size("samarati with minimal=all", &lattice, self.most_nodes)?;
        }
        let judge = NodeEvaluator::new(&lattice, problem.metric, limit(problem));
        let layout = ClassKeyLayout::new(&lattice)?;
        let ground = LatticeContext { lattice: &lattice, judge: &judge, layout: &layout, control };
        let mut looked = with_words(layout.words, AllMin { ground, all });
        if let Some(best) = looked.ranking.best() {
            control.improved(best.cost, || lattice.recoding(&best.node));
            let number = words::count(looked.ranking.len() as u64, "node is", "nodes are");
            let at = match all {
                true => String::new(),
                false => format!(", all at height {}", height(&lattice.shown(&best.node))),
            };
            looked.notes.push(format!("{number} k-minimal{at}"));
        }
        // With nothing suppressed the cost never falls on the way up.
        Ok(looked.solution(&judge, all && judge.limit == 0))
    }
}

struct AllMin<'a> {
    ground: LatticeContext<'a>,
    all: bool,
}

impl KeyWidthTask<WalkResult> for AllMin<'_> {
    fn run<const W: usize>(self) -> WalkResult {
        let ground = self.ground;
        let mut walk: LatticeWalk<'_, W> = LatticeWalk::new(ground);
        let mut notes = Vec::new();
        let ranking = if self.all {
            let mut minimal = MinimalVisitor::new(ground);
            walk.go(&mut minimal);
            minimal.ranking
        } else {
            let mut at = |height: u32, only_one: bool| {
                let ranking = NodeRanking::new(MOST_TOLD);
                let mut layer = HeightVisitor { ground, height, only_one, ranking };
                walk.go(&mut layer);
                layer.ranking
            };
            let (mut least, mut most) = (0, height(&ground.lattice.top()));
            if ground.judge.is_monotone() {
                // No satisfying node is below `least`; if there is any, one is at `most`.
                let mut known = NodeRanking::new(1);
                while least < most && ground.control.stop().is_none() {
                    let middle = least + (most - least) / 2;
                    let found = at(middle, true);
                    match found.best() {
                        Some(_) => (most, known) = (middle, found),
                        None => least = middle + 1,
                    }
                }
                let found = if least < most { NodeRanking::new(1) } else { at(least, false) };
                // If the search was stopped, a node further up is still a solution.
                if found.best().is_some() { found } else { known }
            } else {
                notes.extend(note_on_models(ground.judge));
                let mut found = at(least, false);
                while found.best().is_none() && least < most {
                    least += 1;
                    found = at(least, false);
                }
                found
            }
        };
        WalkResult { ranking, checked: walk.checked, stopped: walk.stopped, notes }
    }
}

/// Looks at the nodes of one height.
struct HeightVisitor<'a> {
    ground: LatticeContext<'a>,
    height: u32,
    /// Whether one satisfying node is enough.
    only_one: bool,
    ranking: NodeRanking,
}

impl LatticeVisitor for HeightVisitor<'_> {
    fn plan(&mut self, node: &[u32]) -> VisitPlan {
        let so_far = height(node);
        // Only attributes from the last raised one on can still be raised.
        let last = node.iter().rposition(|&level| level > 0).unwrap_or(0);
        let levels = &self.ground.lattice.levels;
        let open = (last..node.len()).map(|at| levels[at].len() as u32 - 1 - node[at]);
        if so_far == self.height {
            VisitPlan::Measure
        } else if so_far < self.height && so_far + open.sum::<u32>() >= self.height {
            VisitPlan::Pass
        } else {
            VisitPlan::Skip
        }
    }

    fn take(&mut self, node: &[u32], measure: &NodeMeasure) -> bool {
        self.ranking.offer(self.ground.judge, node, measure);
        !(self.only_one && self.ranking.best().is_some())
    }
}

/// Finds all satisfying nodes with no satisfying node below.
struct MinimalVisitor<'a> {
    ground: LatticeContext<'a>,
    /// By number: whether the node or one below it satisfies.
    reached: Vec<bool>,
    ranking: NodeRanking,
}

impl<'a> MinimalVisitor<'a> {
    fn new(ground: LatticeContext<'a>) -> Self {
        let nodes = ground.lattice.nodes() as usize;
        MinimalVisitor { ground, reached: vec![false; nodes], ranking: NodeRanking::new(MOST_TOLD) }
    }
}

impl LatticeVisitor for MinimalVisitor<'_> {
    fn plan(&mut self, node: &[u32]) -> VisitPlan {
        let lattice = self.ground.lattice;
        let mut below = node.to_vec();
        let reached = (0..node.len()).any(|at| {
            node[at] > 0 && {
                below[at] -= 1;
                let number = lattice.number(&below);
                below[at] += 1;
                self.reached[number]
            }
        });
        if reached {
            self.reached[lattice.number(node)] = true;
        }
        // Above a satisfying node none is minimal, but what is above must still be marked.
        if reached { VisitPlan::Mark } else { VisitPlan::Measure }
    }

    fn take(&mut self, node: &[u32], measure: &NodeMeasure) -> bool {
        if self.ground.judge.accepts(measure) {
            self.reached[self.ground.lattice.number(node)] = true;
            self.ranking.offer(self.ground.judge, node, measure);
        }
        true
    }
}
