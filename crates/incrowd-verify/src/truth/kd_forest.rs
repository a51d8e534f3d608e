//! An index over the original's distinct rows that finds those inside a released box.
//!
//! One k-d tree per group of rows that agree in all columns that must be equal. A node knows, in
//! each dimension, which ranks occur below it: as bits where the domain is small (exact for sets in
//! whatever order), as a range otherwise. It also counts how many rows below it still matter to
//! each of two kinds of search, so that a search passes over what others have used up.

use super::domain::{Cover, SMALL};

/// Rows below which a node is not split.
const LEAF: usize = 8;
const NONE: u32 = u32::MAX;

/// Which rows a search is after.
#[derive(Clone, Copy)]
pub(super) enum SearchTarget {
    /// Rows that are not used up.
    Free,
    /// Rows that the search for an augmenting path has not seen.
    Unseen,
}

pub(super) struct KdForest {
    width: usize,
    /// For each dimension whether its domain is small.
    small: Vec<bool>,
    /// The ranks of each point, points in the order of the trees.
    coords: Vec<u32>,
    /// The original tuple behind each point.
    pub(super) tuple: Vec<u32>,
    /// How often each point can still be used.
    pub(super) capacity: Vec<u64>,
    seen: Vec<bool>,
    leaf: Vec<u32>,
    nodes: Vec<KdNode>,
    /// The ranks below each node, `width` words for each.
    spans: Vec<u64>,
    /// The root of each group, or `NONE`.
    roots: Vec<u32>,
    stack: Vec<(u32, bool)>,
}

struct KdNode {
    start: u32,
    end: u32,
    /// The first of two neighbouring children, or `NONE`.
    child: u32,
    parent: u32,
    /// Points below that are not used up, and points below that are unseen.
    free: u32,
    unseen: u32,
}

impl KdNode {
    fn live(&self, wanted: SearchTarget) -> u32 {
        match wanted {
            SearchTarget::Free => self.free,
            SearchTarget::Unseen => self.unseen,
        }
    }
}

/// A point to be put into the forest.
pub(super) struct ForestPoints {
    pub(super) groups: Vec<u32>,
    pub(super) coords: Vec<u32>,
    pub(super) counts: Vec<u64>,
}

impl KdForest {
    /// `dimensions` holds for each domain its size and how many values a released label contains
    /// on average; `groups` is the number of groups.
    pub(super) fn new(points: &ForestPoints, dimensions: &[(usize, f64)], groups: usize) -> Self {
        let width = dimensions.len();
        let mut order: Vec<u32> = (0..points.counts.len() as u32).collect();
        order.sort_by_key(|&point| points.groups[point as usize]);
        let mut forest = KdForest {
            width,
            small: dimensions.iter().map(|&(size, _)| size <= SMALL).collect(),
            coords: Vec::new(),
            tuple: Vec::new(),
            capacity: Vec::new(),
            seen: vec![false; order.len()],
            leaf: vec![NONE; order.len()],
            nodes: Vec::new(),
            spans: Vec::new(),
            roots: vec![NONE; groups],
            stack: Vec::new(),
        };
        let coord = |point: u32, dim: usize| points.coords[point as usize * width + dim];
        let mut start = 0;
        while start < order.len() {
            let group = points.groups[order[start] as usize];
            let same = |&point: &u32| points.groups[point as usize] == group;
            let end = start + order[start..].iter().take_while(|point| same(point)).count();
            forest.roots[group as usize] = forest.nodes.len() as u32;
            forest.add_node(start, end, NONE);
            forest.split_below(forest.nodes.len() - 1, &mut order, &coord, dimensions);
            start = end;
        }
        for &point in &order {
            let at = point as usize;
            forest.coords.extend_from_slice(&points.coords[at * width..][..width]);
            forest.capacity.push(points.counts[at]);
        }
        forest.tuple = order;
        forest
    }

    fn add_node(&mut self, start: usize, end: usize, parent: u32) {
        let count = (end - start) as u32;
        self.nodes.push(KdNode {
            start: start as u32,
            end: end as u32,
            child: NONE,
            parent,
            free: count,
            unseen: count,
        });
        self.spans.resize(self.nodes.len() * self.width, 0);
    }

    /// Splits a root and all nodes that come of it, each along the dimension in which it is widest
    /// measured in typical labels: nodes shaped like the boxes that will be looked up are crossed
    /// by few of them.
    fn split_below(
        &mut self,
        root: usize,
        order: &mut [u32],
        coord: &impl Fn(u32, usize) -> u32,
        dimensions: &[(usize, f64)],
    ) {
        let mut next = root;
        while next < self.nodes.len() {
            let (start, end) = (self.nodes[next].start as usize, self.nodes[next].end as usize);
            let points = &mut order[start..end];
            let mut widest = (0.0, 0);
            for (dim, &(_, typical)) in dimensions.iter().enumerate() {
                let (mut low, mut high, mut bits) = (u32::MAX, 0, 0);
                for &point in points.iter() {
                    let rank = coord(point, dim);
                    low = low.min(rank);
                    high = high.max(rank);
                    bits |= 1_u64.checked_shl(rank).unwrap_or(0);
                }
                self.spans[next * self.width + dim] =
                    if self.small[dim] { bits } else { u64::from(low) << 32 | u64::from(high) };
                let spread = f64::from(high - low) / typical;
                if spread > widest.0 {
                    widest = (spread, dim);
                }
            }
            if points.len() > LEAF && widest.0 > 0.0 {
                let middle = start + halve(points, |point| coord(point, widest.1));
                self.nodes[next].child = self.nodes.len() as u32;
                self.add_node(start, middle, next as u32);
                self.add_node(middle, end, next as u32);
            } else {
                self.leaf[start..end].fill(next as u32);
            }
            next += 1;
        }
    }

    /// Collects points of a group inside a box until their capacities reach `demand`.
    pub(super) fn collect(
        &mut self,
        group: u32,
        cover: &[&Cover],
        wanted: SearchTarget,
        demand: u64,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        let mut sum = 0_u64;
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        if self.roots[group as usize] != NONE {
            stack.push((self.roots[group as usize], false));
        }
        while let Some((at, mut inside)) = stack.pop() {
            let node = &self.nodes[at as usize];
            if node.live(wanted) == 0 {
                continue;
            }
            if !inside {
                match self.relation(at, cover) {
                    BoxRelation::Apart => continue,
                    BoxRelation::Inside => inside = true,
                    BoxRelation::Crossing => {}
                }
            }
            if node.child != NONE {
                stack.extend([(node.child, inside), (node.child + 1, inside)]);
                continue;
            }
            for point in node.start..node.end {
                let alive = match wanted {
                    SearchTarget::Free => self.capacity[point as usize] > 0,
                    SearchTarget::Unseen => !self.seen[point as usize],
                };
                if alive && (inside || self.contains(cover, point)) {
                    found.push(point);
                    sum = sum.saturating_add(self.capacity[point as usize]);
                    if sum >= demand {
                        self.stack = stack;
                        return;
                    }
                }
            }
        }
        self.stack = stack;
    }

    /// Whether a box contains any row of a group, used up or not.
    pub(super) fn any(&self, group: u32, cover: &[&Cover]) -> bool {
        let mut stack: Vec<u32> = self
            .roots
            .get(group as usize)
            .copied()
            .filter(|&root| root != NONE)
            .into_iter()
            .collect();
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            match self.relation(at, cover) {
                BoxRelation::Apart => {}
                BoxRelation::Inside => return true,
                BoxRelation::Crossing if node.child != NONE => {
                    stack.extend([node.child, node.child + 1]);
                }
                BoxRelation::Crossing => {
                    if (node.start..node.end).any(|point| self.contains(cover, point)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn relation(&self, node: u32, cover: &[&Cover]) -> BoxRelation {
        let spans = &self.spans[node as usize * self.width..][..self.width];
        let mut inside = true;
        for ((&span, cover), &small) in spans.iter().zip(cover).zip(&self.small) {
            if small {
                if span & cover.bits == 0 {
                    return BoxRelation::Apart;
                }
                inside &= span & !cover.bits == 0;
            } else {
                let (low, high) = ((span >> 32) as u32, span as u32);
                let (from, to) = (cover.low, cover.high);
                if high < from || to < low {
                    return BoxRelation::Apart;
                }
                inside &= cover.ranges.len() == 1 && from <= low && high <= to;
            }
        }
        if inside { BoxRelation::Inside } else { BoxRelation::Crossing }
    }

    fn contains(&self, cover: &[&Cover], point: u32) -> bool {
        self.ranks(point).iter().zip(cover).all(|(&rank, cover)| cover.contains(rank))
    }

    pub(super) fn ranks(&self, point: u32) -> &[u32] {
        &self.coords[point as usize * self.width..][..self.width]
    }

    /// Uses a point `amount` times more.
    pub(super) fn take(&mut self, point: u32, amount: u64) {
        let capacity = &mut self.capacity[point as usize];
        *capacity -= amount;
        if *capacity == 0 {
            self.climb(point, |node| node.free -= 1);
        }
    }

    pub(super) fn mark_seen(&mut self, point: u32) {
        self.seen[point as usize] = true;
        self.climb(point, |node| node.unseen -= 1);
    }

    pub(super) fn mark_unseen(&mut self, point: u32) {
        self.seen[point as usize] = false;
        self.climb(point, |node| node.unseen += 1);
    }

    fn climb(&mut self, point: u32, change: impl Fn(&mut KdNode)) {
        let mut at = self.leaf[point as usize];
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            change(node);
            at = node.parent;
        }
    }
}

/// How a node's rows lie to a box.
enum BoxRelation {
    Apart,
    Inside,
    Crossing,
}

/// Parts points at a boundary between two values near the median and returns how many lie before
/// it. The points must not all have the same value.
fn halve(points: &mut [u32], value: impl Fn(u32) -> u32) -> usize {
    let middle = points.len() / 2;
    let (_, &mut median, _) = points.select_nth_unstable_by_key(middle, |&point| value(point));
    let median = value(median);
    let mut part = |before: &dyn Fn(u32) -> bool| {
        let mut count = 0;
        for at in 0..points.len() {
            if before(value(points[at])) {
                points.swap(at, count);
                count += 1;
            }
        }
        count
    };
    match part(&|value| value < median) {
        0 => part(&|value| value <= median),
        count => count,
    }
}
