//! Looking at every node of the lattice.

use super::ground::{Ground, Looked, Work};
use super::judge::Measure;
use super::ranking::Ranking;
use super::walk::{Plan, Visitor, Walk};

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
