//! Looking at every node of the lattice.

use super::context::{KeyWidthTask, LatticeContext, WalkResult};
use super::evaluator::NodeMeasure;
use super::ranking::NodeRanking;
use super::walk::{LatticeVisitor, LatticeWalk, VisitPlan};

/// Looks at every node.
pub(super) struct ExhaustiveSearch<'a> {
    pub(super) ground: LatticeContext<'a>,
    pub(super) top: usize,
}

impl KeyWidthTask<WalkResult> for ExhaustiveSearch<'_> {
    fn run<const W: usize>(self) -> WalkResult {
        let mut walk: LatticeWalk<'_, W> = LatticeWalk::new(self.ground);
        let mut best =
            ExhaustiveVisitor { ground: self.ground, ranking: NodeRanking::new(self.top) };
        walk.go(&mut best);
        let (checked, stopped) = (walk.checked, walk.stopped);
        WalkResult { ranking: best.ranking, checked, stopped, notes: Vec::new() }
    }
}

/// Remembers the best nodes.
struct ExhaustiveVisitor<'a> {
    ground: LatticeContext<'a>,
    ranking: NodeRanking,
}

impl LatticeVisitor for ExhaustiveVisitor<'_> {
    fn plan(&mut self, _: &[u32]) -> VisitPlan {
        VisitPlan::Measure
    }

    fn take(&mut self, node: &[u32], measure: &NodeMeasure) -> bool {
        let before = self.ranking.least();
        self.ranking.offer(self.ground.judge, node, measure);
        if self.ranking.least() < before {
            let LatticeContext { lattice, control, .. } = self.ground;
            control.improved(self.ranking.least(), || lattice.recoding(node));
        }
        true
    }
}
