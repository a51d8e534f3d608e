//! Rounds of dives: branch and bound in parallel with the same result for any number of threads.
//!
//! A round takes the open nodes of lowest bound, dives below each within a budget, in parallel, and puts
//! what is left back. The lowest bound in the pool is the bound of the whole search. What a dive does
//! depends on nothing but what was known at the start of its round.

use crate::kit::{BoundedNode, NodePool};
use crate::search::{Control, Event, StopReason};

/// Dives of one round, at most.
pub(crate) const DIVES: usize = 32;

/// Doublings of the budget, at most: it ends long before.
const DOUBLINGS: u32 = 20;

/// A search by rounds of dives below open nodes.
pub(crate) struct DiveRounds<'c, T: BoundedNode> {
    control: &'c Control,
    pool: NodePool<T>,
    /// What a dive may cost in the first round, and at most.
    budgets: (u64, u64),
    doubled: u32,
    /// No solution costs less.
    pub(crate) bound: T::Bound,
    /// How many nodes were looked at.
    pub(crate) nodes: u64,
    pub(crate) stopped: Option<StopReason>,
}

impl<'c, T: BoundedNode> DiveRounds<'c, T> {
    /// A search below a root.
    pub(crate) fn new(root: T, budgets: (u64, u64), control: &'c Control) -> Self {
        let bound = root.bound();
        let pool = NodePool::new(root);
        DiveRounds { control, pool, budgets, doubled: 0, bound, nodes: 0, stopped: None }
    }

    /// The nodes to dive below in this round: those of lowest bound, below the cutoff. None end the search.
    pub(crate) fn batch(&mut self, cutoff: T::Bound) -> Vec<T> {
        self.pool.take(DIVES, |node| node.bound() < cutoff)
    }

    /// What a dive of this round may cost, at least so much: twice as much as in the last one, unless it
    /// has doubled too often for the round at hand.
    pub(crate) fn budget(&mut self, least: u64, most_doublings: u32) -> u64 {
        self.doubled = self.doubled.min(most_doublings);
        let (first, most) = self.budgets;
        let budget = (first << self.doubled).min(most).max(least);
        self.doubled = (self.doubled + 1).min(DOUBLINGS);
        budget
    }

    /// Takes what a dive looked at and left for later.
    pub(crate) fn absorb(&mut self, nodes: u64, open: Vec<T>) {
        self.nodes += nodes;
        open.into_iter().for_each(|node| self.pool.push(node));
    }

    /// Says how many nodes were looked at.
    pub(crate) fn tell_nodes(&self) {
        self.control.tell(Event::Nodes(self.nodes));
    }

    /// Raises the bound to one that was proven in another way.
    pub(crate) fn raise(&mut self, bound: T::Bound, shown: impl Fn(T::Bound) -> f64) {
        if bound > self.bound {
            self.bound = bound;
            self.control.tell(Event::Bound(shown(bound)));
        }
    }

    /// Ends a round: raises the bound, and says whether there is another one. Whatever dives left aside has
    /// at least the cutoff as its bound.
    pub(crate) fn go_on(&mut self, cutoff: T::Bound, shown: impl Fn(T::Bound) -> f64) -> bool {
        let Some(lowest) = self.pool.lowest().map(BoundedNode::bound) else { return false };
        let lowest = if cutoff < lowest { cutoff } else { lowest };
        if lowest > self.bound {
            self.bound = lowest;
            self.control.tell(Event::Bound(shown(lowest)));
        }
        self.stopped = self.control.stop();
        self.stopped.is_none()
    }
}

/// The results of tasks that run in parallel, in the order of the tasks. They are begun in order, too: those
/// of lowest bound tend to take longest, and begun first they keep nobody waiting.
pub(crate) fn in_parallel<T: Copy + Send, H: Send>(
    tasks: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> H + Sync,
) -> Vec<H> {
    let mut results: Vec<(T, Option<H>)> = tasks.into_iter().map(|task| (task, None)).collect();
    rayon::scope_fifo(|scope| {
        for (task, result) in &mut results {
            let work = &work;
            scope.spawn_fifo(move |_| *result = Some(work(*task)));
        }
    });
    results.into_iter().filter_map(|(_, result)| result).collect()
}
