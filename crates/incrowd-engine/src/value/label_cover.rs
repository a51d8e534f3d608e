//! The label that holds a group of text values and as few others as it can, short enough to be read.
//!
//! A label of text without a hierarchy is a list in the column's order, in which `...` stands for all values between its
//! neighbours; only values of the group are named. With a hierarchy it is a list of nodes and values. Both are found
//! exactly: no other such list of at most [`LONGEST_LABEL`] characters holds the group and fewer values.

use super::attribute::Attribute;
use super::hierarchy::Hierarchy;
use super::set::{BETWEEN, LONGEST_LABEL, length};

/// Beyond so many runs of neighbours the smallest gaps are closed first: no label has room for so many.
const MOST_RUNS: usize = 48;

/// Characters that an element takes beside its own: a comma and a space, or the braces of the first.
const BESIDE: usize = 2;

/// From one code to another.
pub(super) type CodeRun = (u32, u32);

impl Attribute {
    /// The runs of neighbours that hold these values (ascending, distinct) and the fewest others, with a label that can be
    /// read; none if even the two ends are too long.
    pub(super) fn readable_runs(&self, codes: &[u32]) -> Option<Vec<CodeRun>> {
        let mut runs: Vec<CodeRun> = Vec::new();
        for &code in codes {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                _ => runs.push((code, code)),
            }
        }
        close_smallest_gaps(&mut runs);
        // For each number of runs and of characters, the fewest values added, and how the last label run began.
        let mut fewest = vec![[None::<RunChoice>; LONGEST_LABEL + 1]; runs.len() + 1];
        fewest[0][0] = Some(RunChoice { added: 0, from: 0, taken: 0 });
        for end in 1..=runs.len() {
            for from in (0..end).rev() {
                let joined = (runs[from].0, runs[end - 1].1);
                let more = self.run_length(joined);
                if more > LONGEST_LABEL {
                    continue;
                }
                let inside: u32 = runs[from..end].iter().map(|run| run.1 - run.0 + 1).sum();
                let added = joined.1 - joined.0 + 1 - inside;
                for taken in 0..=LONGEST_LABEL - more {
                    let Some(before) = fewest[from][taken] else { continue };
                    let added = before.added + added;
                    let best = &mut fewest[end][taken + more];
                    if best.is_none_or(|best| added < best.added) {
                        *best = Some(RunChoice { added, from, taken });
                    }
                }
            }
        }
        // Of equals the shortest.
        let mut at = runs.len();
        let ends = (0..=LONGEST_LABEL).filter_map(|taken| Some((fewest[at][taken]?.added, taken)));
        let (_, mut taken) = ends.min()?;
        let mut chosen = Vec::new();
        while let (1.., Some(choice)) = (at, fewest[at][taken]) {
            chosen.push((runs[choice.from].0, runs[at - 1].1));
            (at, taken) = (choice.from, choice.taken);
        }
        chosen.reverse();
        Some(chosen)
    }

    /// How many characters a run takes in a set.
    fn run_length(&self, (first, last): CodeRun) -> usize {
        let of = |code: u32| self.length_in_set(code);
        match last - first {
            0 => of(first),
            1 => of(first) + of(last),
            _ => of(first) + of(last) + self.middle_length(first, last),
        }
    }

    /// How many characters stand between the ends of a run of at least three values: `...`, unless the values are shorter.
    fn middle_length(&self, first: u32, last: u32) -> usize {
        let dots = BESIDE + BETWEEN.len();
        let mut taken = 0;
        for code in first + 1..last {
            taken += self.length_in_set(code);
            if taken > dots {
                return dots;
            }
        }
        taken
    }

    /// Whether the values between the ends of a run are written as `...`.
    pub(super) fn skips_middle(&self, (first, last): CodeRun) -> bool {
        let dots = BESIDE + BETWEEN.len();
        let mut listed = (first + 1..last).scan(0, |taken, code| {
            *taken += self.length_in_set(code);
            Some(*taken)
        });
        listed.any(|taken| taken > dots)
    }

    /// The nodes and values (as leaf nodes) of the hierarchy that hold these values and the fewest leaves, with a label that
    /// can be read, in order; the node above them all where there is no other. Values are ascending and distinct.
    pub(super) fn readable_nodes(&self, tree: &Hierarchy, codes: &[u32]) -> Vec<u32> {
        let (Some(&first), Some(&last)) = (codes.first(), codes.last()) else { return Vec::new() };
        let top = tree.common(first, last);
        let mut cover = NodeCover { tree, links: Vec::new() };
        let best = cover.choices(top, codes);
        // Of equals the shortest: they come in the order of their lengths, and each holds fewer than the one before.
        let Some(best) = best.last() else { return vec![top] };
        let (mut open, mut nodes) = (vec![best.link], Vec::new());
        while let Some(link) = open.pop() {
            match cover.links[link] {
                NodeLink::Node(node) => nodes.push(node),
                NodeLink::Both(one, other) => open.extend([other, one]),
            }
        }
        nodes
    }
}

/// The best way to some runs and characters.
#[derive(Clone, Copy)]
struct RunChoice {
    added: u32,
    /// Where the last run of the label begins, and the characters before it.
    from: usize,
    taken: usize,
}

/// Joins runs with the fewest values between them until there are not too many.
fn close_smallest_gaps(runs: &mut Vec<CodeRun>) {
    let Some(many) = runs.len().checked_sub(MOST_RUNS).filter(|many| *many > 0) else { return };
    let mut gaps: Vec<(u32, usize)> =
        runs.windows(2).enumerate().map(|(at, pair)| (pair[1].0 - pair[0].1, at)).collect();
    gaps.sort_unstable();
    let mut closed = vec![false; runs.len()];
    gaps[..many].iter().for_each(|&(_, at)| closed[at + 1] = true);
    let mut joined: Vec<CodeRun> = Vec::with_capacity(MOST_RUNS);
    for (&run, closed) in runs.iter().zip(closed) {
        match joined.last_mut() {
            Some(last) if closed => last.1 = run.1,
            _ => joined.push(run),
        }
    }
    *runs = joined;
}

/// A way to write the values below a node.
#[derive(Clone, Copy)]
struct NodeChoice {
    taken: usize,
    leaves: u32,
    link: usize,
}

/// What a way consists of.
enum NodeLink {
    Node(u32),
    Both(usize, usize),
}

struct NodeCover<'a> {
    tree: &'a Hierarchy,
    links: Vec<NodeLink>,
}

impl NodeCover<'_> {
    /// The ways to write these values below a node, the shortest first, each with fewer leaves than the one before.
    fn choices(&mut self, node: u32, codes: &[u32]) -> Vec<NodeChoice> {
        let [code] = codes else { return self.choices_of_several(node, codes) };
        let tree = self.tree;
        // Each node between the value and this one is a way.
        let mut above = tree.leaf(*code);
        let mut ways = vec![self.single(above, 1)];
        while let Some(parent) = tree.parent(above).filter(|_| above != node) {
            above = parent;
            ways.push(self.single(above, tree.leaves_below(above).max(1)));
        }
        best_of(ways)
    }

    fn choices_of_several(&mut self, node: u32, codes: &[u32]) -> Vec<NodeChoice> {
        let tree = self.tree;
        let mut parts: Vec<NodeChoice> = Vec::new();
        let mut from = 0;
        while from < codes.len() {
            let mut child = tree.leaf(codes[from]);
            while let Some(parent) = tree.parent(child).filter(|parent| *parent != node) {
                child = parent;
            }
            let end = tree.codes(child).end;
            let to = from + codes[from..].partition_point(|&code| code < end);
            let below = self.choices(child, &codes[from..to]);
            parts = match from {
                0 => below,
                _ => self.both(&parts, &below),
            };
            from = to;
            // What is too long stays too long.
            if parts.is_empty() {
                break;
            }
        }
        parts.push(self.single(node, tree.leaves_below(node).max(1)));
        best_of(parts)
    }

    fn single(&mut self, node: u32, leaves: u32) -> NodeChoice {
        self.links.push(NodeLink::Node(node));
        let taken = BESIDE + length(self.tree.label(node));
        NodeChoice { taken, leaves, link: self.links.len() - 1 }
    }

    fn both(&mut self, ones: &[NodeChoice], others: &[NodeChoice]) -> Vec<NodeChoice> {
        let mut found: Vec<(NodeChoice, usize, usize)> = Vec::new();
        for one in ones {
            for other in others {
                let taken = one.taken + other.taken;
                if taken <= LONGEST_LABEL {
                    let choice = NodeChoice { taken, leaves: one.leaves + other.leaves, link: 0 };
                    found.push((choice, one.link, other.link));
                }
            }
        }
        found.sort_by_key(|(choice, ..)| (choice.taken, choice.leaves));
        let mut least = u32::MAX;
        found.retain(|(choice, ..)| {
            let better = choice.leaves < least;
            least = least.min(choice.leaves);
            better
        });
        let link = |(choice, one, other)| {
            self.links.push(NodeLink::Both(one, other));
            NodeChoice { link: self.links.len() - 1, ..choice }
        };
        found.into_iter().map(link).collect()
    }
}

/// The ways of which none is both longer and wider than another.
fn best_of(mut ways: Vec<NodeChoice>) -> Vec<NodeChoice> {
    ways.sort_by_key(|way| (way.taken, way.leaves));
    let mut least = u32::MAX;
    ways.retain(|way| {
        let better = way.leaves < least;
        least = least.min(way.leaves);
        better
    });
    ways
}
