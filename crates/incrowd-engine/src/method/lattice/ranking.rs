//! The best nodes found so far.

use super::evaluator::{NodeEvaluator, NodeMeasure};
use super::levels::{GeneralizationLattice, LatticeNode};
use crate::search::RankedNode;

/// A node that is a solution.
#[derive(Debug, Clone)]
pub(super) struct SatisfyingNode {
    pub(super) node: LatticeNode,
    pub(super) cost: f64,
    pub(super) suppressed: u64,
    pub(super) classes: u64,
}

impl SatisfyingNode {
    pub(super) fn new(node: &[u32], measure: &NodeMeasure) -> Self {
        SatisfyingNode {
            node: node.to_vec(),
            cost: measure.cost,
            suppressed: measure.suppressed,
            classes: measure.classes,
        }
    }

    /// The order of solutions: by cost; of equals first what suppresses less, then what is less general.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let rest = |it: &Self| (it.suppressed, super::levels::height(&it.node));
        self.cost
            .total_cmp(&other.cost)
            .then_with(|| rest(self).cmp(&rest(other)))
            .then_with(|| self.node.cmp(&other.node))
    }

    /// The node for people and programs.
    pub(super) fn facts(&self, lattice: &GeneralizationLattice<'_>) -> RankedNode {
        RankedNode {
            levels: lattice.shown(&self.node),
            cost: self.cost,
            suppressed: self.suppressed,
            classes: self.classes,
        }
    }
}

/// The best nodes, best first.
#[derive(Debug, Clone)]
pub(super) struct NodeRanking {
    most: usize,
    nodes: Vec<SatisfyingNode>,
}

/// How far rounding can move a sum of fractions.
const ROUNDING: f64 = 1e-12;

impl NodeRanking {
    /// No nodes yet; that many at most.
    pub(super) fn new(most: usize) -> Self {
        NodeRanking { most: most.max(1), nodes: Vec::new() }
    }

    /// Takes a node that is a solution and good enough.
    pub(super) fn offer(&mut self, judge: &NodeEvaluator<'_>, node: &[u32], measure: &NodeMeasure) {
        if judge.accepts(measure) {
            self.put(SatisfyingNode::new(node, measure));
        }
    }

    fn put(&mut self, ranked: SatisfyingNode) {
        if self.nodes.len() == self.most
            && self.nodes.last().is_some_and(|last| last.compare(&ranked).is_le())
        {
            return;
        }
        let Err(at) = self.nodes.binary_search_by(|known| known.compare(&ranked)) else { return };
        self.nodes.insert(at, ranked);
        self.nodes.truncate(self.most);
    }

    /// Takes the nodes of another ranking.
    pub(super) fn absorb(&mut self, other: NodeRanking) {
        other.nodes.into_iter().for_each(|ranked| self.put(ranked));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The best of all.
    pub(super) fn best(&self) -> Option<&SatisfyingNode> {
        self.nodes.first()
    }

    /// The least cost; infinite while there is none.
    pub(super) fn least(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |best| best.cost)
    }

    /// What a node must cost less than to be of interest, with that much of the cost given away.
    pub(super) fn cutoff(&self, judge: &NodeEvaluator<'_>, gap: f64) -> f64 {
        let Some(last) = self.nodes.get(self.most - 1) else { return f64::INFINITY };
        let slack = if judge.is_exact() { 0.0 } else { ROUNDING };
        last.cost * (1.0 - gap.max(slack))
    }

    /// The nodes for people and programs.
    pub(super) fn facts(&self, lattice: &GeneralizationLattice<'_>) -> Vec<RankedNode> {
        self.nodes.iter().map(|ranked| ranked.facts(lattice)).collect()
    }
}
