//! The open nodes of a best-first search.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Open nodes, the one of lowest bound first, of equals the one that was put in first: so the order
/// depends on nothing else.
#[derive(Debug)]
pub(crate) struct NodePool<T> {
    heap: BinaryHeap<PoolEntry<T>>,
    made: u64,
}

/// Something with a bound.
pub(crate) trait BoundedNode {
    /// What bounds are.
    type Bound: Copy + PartialOrd;

    /// No solution below it costs less.
    fn bound(&self) -> Self::Bound;

    /// A number that grows with the bound.
    fn rank(&self) -> u64;
}

impl<T: BoundedNode> NodePool<T> {
    /// A pool with one node.
    pub(crate) fn new(root: T) -> Self {
        let mut pool = NodePool { heap: BinaryHeap::new(), made: 0 };
        pool.push(root);
        pool
    }

    pub(crate) fn push(&mut self, node: T) {
        self.heap.push(PoolEntry { rank: node.rank(), made: self.made, node });
        self.made += 1;
    }

    /// Takes out the nodes of lowest bound, up to a number, that are of interest.
    pub(crate) fn take(&mut self, most: usize, of_interest: impl Fn(&T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        while taken.len() < most && self.lowest().is_some_and(&of_interest) {
            taken.extend(self.heap.pop().map(|entry| entry.node));
        }
        taken
    }

    /// The node of lowest bound.
    pub(crate) fn lowest(&self) -> Option<&T> {
        self.heap.peek().map(|entry| &entry.node)
    }
}

#[derive(Debug)]
struct PoolEntry<T> {
    rank: u64,
    made: u64,
    node: T,
}

impl<T> Ord for PoolEntry<T> {
    /// The heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.rank, other.made).cmp(&(self.rank, self.made))
    }
}

impl<T> PartialOrd for PoolEntry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for PoolEntry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for PoolEntry<T> {}
