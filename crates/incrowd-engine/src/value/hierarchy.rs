//! A tree over a domain.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// The label of a root that nobody named.
const ROOT: &str = "*";

/// Deeper trees than anybody draws; the limit keeps recursion over a tree shallow.
const MOST_LEVELS: usize = 100;

/// One node: the values below it are neighbours in the domain order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HierarchyNode {
    label: String,
    parent: u32,
    depth: u32,
    /// Nodes lie in preorder: the subtree is this node up to here.
    end: u32,
    /// The codes of the values below.
    first: u32,
    after: u32,
    /// Leaves below in the hierarchy as it was defined, whether or not they occur in the data.
    leaves: u32,
}

/// A tree over a domain: leaves are values, inner nodes the groups they generalize to.
///
/// Leaves in preorder, children in order of first appearance, give the domain its order, so every
/// node stands for a run of neighbouring codes. Full-domain levels count from the leaves: at level 0
/// every value is itself, at the level [`height`](Hierarchy::height) all are the root. Where leaves
/// lie at different depths a shallow one stays itself until its turn comes.
///
/// ```
/// use incrowd_engine::Hierarchy;
/// let rows = [["flu", "lung", "*"], ["asthma", "lung", "*"], ["ulcer", "stomach", "*"]];
/// let tree = Hierarchy::from_rows(&rows).unwrap();
/// assert_eq!(tree.height(), 2);
/// let lung = tree.at_level(0, 1);
/// assert_eq!(tree.label(lung), "lung");
/// assert_eq!(tree.codes(lung), 0..2);
/// assert_eq!(tree.common(0, 2), tree.root());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hierarchy {
    nodes: Vec<HierarchyNode>,
    /// The leaf node of each code.
    leaf_nodes: Vec<u32>,
    height: u32,
}

/// A fault in a hierarchy's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyFault {
    /// Which row of the definition, from 0.
    pub row: usize,
    /// Which field of that row, from 0.
    pub field: usize,
    /// What is wrong.
    pub what: String,
}

/// A hierarchy as nested groups, as a person would write it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NestedHierarchy {
    /// A value.
    Leaf(String),
    /// A named group.
    Group(String, Vec<NestedHierarchy>),
}

impl Hierarchy {
    /// A hierarchy in ARX's form: each row holds a value and its generalizations, level by level.
    ///
    /// All faults are returned, not just the first: values given twice, rows of different lengths,
    /// labels that lie under two different parents, empty labels. If the rows do not end in one common label, a
    /// root `*` is put above them.
    pub fn from_rows<R, S>(rows: &[R]) -> Result<Self, Vec<HierarchyFault>>
    where
        R: AsRef<[S]>,
        S: AsRef<str>,
    {
        let fault = |row, field, what| HierarchyFault { row, field, what };
        let Some(width) = rows.first().map(|row| row.as_ref().len()) else {
            return Err(vec![fault(0, 0, "the hierarchy is empty".to_owned())]);
        };
        if width > MOST_LEVELS {
            let what = format!("has {width} levels; at most {MOST_LEVELS} are supported");
            return Err(vec![fault(0, MOST_LEVELS, what)]);
        }
        let mut faults = Vec::new();
        let mut value_row: HashMap<&str, usize> = HashMap::new();
        // (level, label) -> (the label above it, the row that said so)
        let mut above: HashMap<(usize, &str), (&str, usize)> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != width {
                faults.push(fault(
                    at,
                    row.len().min(width),
                    format!("has {} levels, but the first row has {width}", row.len()),
                ));
                continue;
            }
            let Some(value) = row.first().map(AsRef::as_ref) else {
                faults.push(fault(at, 0, "holds no value".to_owned()));
                continue;
            };
            if let Some(first) = value_row.insert(value, at) {
                let what = format!("{value:?} is given twice, first in row {}", first + 1);
                faults.push(fault(at, 0, what));
                continue;
            }
            // A release with an empty label would read as one with a missing value.
            if let Some(level) = (1..width).find(|&level| row[level].as_ref().is_empty()) {
                faults.push(fault(at, level, "holds an empty label".to_owned()));
                continue;
            }
            for level in 1..width.saturating_sub(1) {
                let (label, parent) = (row[level].as_ref(), row[level + 1].as_ref());
                let (known, since) = *above.entry((level, label)).or_insert((parent, at));
                if known != parent {
                    let what = format!(
                        "{label:?} is below {parent:?} here, but below {known:?} in row {}",
                        since + 1
                    );
                    faults.push(fault(at, level, what));
                }
            }
        }
        // Some rows under `*`, others not: somebody forgot the root, or meant another one.
        let top = |row: &R| row.as_ref().last().map(|label| label.as_ref().to_owned());
        if rows.iter().any(|row| top(row).as_deref() == Some(ROOT)) {
            // One mistake is told once.
            let mut told = vec![false; rows.len()];
            faults.iter().for_each(|fault| told[fault.row] = true);
            for (at, row) in rows.iter().enumerate() {
                if let Some(label) = top(row).filter(|label| label != ROOT && !told[at]) {
                    let what = format!("ends in {label:?}, but other rows end in {ROOT:?}");
                    faults.push(fault(at, width - 1, what));
                }
            }
            faults.sort_by_key(|fault| fault.row);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self::from_nested(&nest(rows, width)))
    }

    /// A hierarchy from nested groups. The values must be distinct.
    pub fn from_nested(top: &NestedHierarchy) -> Self {
        let mut hierarchy = Hierarchy { nodes: Vec::new(), leaf_nodes: Vec::new(), height: 0 };
        match top {
            NestedHierarchy::Group(..) => hierarchy.grow(top, 0, 0),
            NestedHierarchy::Leaf(_) => {
                hierarchy.grow(&NestedHierarchy::Group(ROOT.to_owned(), vec![top.clone()]), 0, 0)
            }
        }
        hierarchy
    }

    fn grow(&mut self, nested: &NestedHierarchy, parent: u32, depth: u32) {
        let me = self.nodes.len();
        let first = self.leaf_nodes.len() as u32;
        let (label, children): (_, &[NestedHierarchy]) = match nested {
            NestedHierarchy::Leaf(label) => (label, &[]),
            NestedHierarchy::Group(label, children) => (label, children),
        };
        self.nodes.push(HierarchyNode {
            label: label.clone(),
            parent,
            depth,
            end: 0,
            first,
            after: 0,
            leaves: 0,
        });
        if matches!(nested, NestedHierarchy::Leaf(_)) {
            self.leaf_nodes.push(me as u32);
            self.height = self.height.max(depth);
        }
        for child in children {
            self.grow(child, me as u32, depth + 1);
        }
        let after = self.leaf_nodes.len() as u32;
        let node = &mut self.nodes[me];
        (node.after, node.leaves) = (after, after - first);
        self.nodes[me].end = self.nodes.len() as u32;
    }

    /// The hierarchy over the kept leaves only; nodes that lose all their leaves go. Nodes remember
    /// how many leaves they had, because information loss is measured against the definition.
    pub fn restrict(&self, kept: &[bool]) -> Self {
        let mut before = Vec::with_capacity(kept.len() + 1);
        before.push(0);
        for &keep in kept {
            before.push(before[before.len() - 1] + u32::from(keep));
        }
        let mut place = vec![0; self.nodes.len() + 1];
        let mut nodes = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            place[at] = nodes.len() as u32;
            let (first, after) = (before[node.first as usize], before[node.after as usize]);
            if first < after || at == 0 {
                nodes.push(HierarchyNode {
                    parent: place[node.parent as usize],
                    first,
                    after,
                    ..node.clone()
                });
            }
        }
        place[self.nodes.len()] = nodes.len() as u32;
        for node in &mut nodes {
            node.end = place[node.end as usize];
        }
        let leaf_nodes = self
            .leaf_nodes
            .iter()
            .zip(kept)
            .filter(|(_, keep)| **keep)
            .map(|(&node, _)| place[node as usize])
            .collect();
        Hierarchy { nodes, leaf_nodes, height: self.height }
    }

    /// The hierarchy with one more value, which comes first and joins the others only at the root.
    pub fn with_missing(&self, label: &str) -> Self {
        let depth = self.height.max(1);
        let mut nodes = self.nodes.clone();
        for node in &mut nodes {
            node.end += depth;
            node.first += 1;
            node.after += 1;
            if node.depth > 1 {
                node.parent += depth;
            }
        }
        nodes[0].first = 0;
        nodes[0].leaves += 1;
        let branch = (1..=depth).map(|at| HierarchyNode {
            label: label.to_owned(),
            parent: at - 1,
            depth: at,
            end: depth + 1,
            first: 0,
            after: 1,
            leaves: 1,
        });
        nodes.splice(1..1, branch);
        let leaf_nodes =
            std::iter::once(depth).chain(self.leaf_nodes.iter().map(|node| node + depth)).collect();
        Hierarchy { nodes, leaf_nodes, height: depth }
    }

    /// The leaves' labels in order.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = &str> {
        self.leaf_nodes.iter().map(|&node| self.label(node))
    }

    /// The largest depth of a leaf: the number of the highest full-domain level.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The root.
    pub fn root(&self) -> u32 {
        0
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// A node's label.
    pub fn label(&self, node: u32) -> &str {
        &self.nodes[node as usize].label
    }

    /// The codes of the values below a node.
    pub fn codes(&self, node: u32) -> std::ops::Range<u32> {
        let node = &self.nodes[node as usize];
        node.first..node.after
    }

    /// How many leaves the definition puts below a node, whether or not they occur in the data.
    pub fn leaves_below(&self, node: u32) -> u32 {
        self.nodes[node as usize].leaves
    }

    /// How many edges lie between a node and the root.
    pub fn depth(&self, node: u32) -> u32 {
        self.nodes[node as usize].depth
    }

    /// The node above, none for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node != 0).then(|| self.nodes[node as usize].parent)
    }

    /// The nodes right below a node, in order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.nodes[node as usize].end;
        let inside = move |child: u32| (child < end).then_some(child);
        std::iter::successors(inside(node + 1), move |&child| {
            inside(self.nodes[child as usize].end)
        })
    }

    /// Whether a node is a value: a leaf, or one that stands for a single value under its own name, as
    /// missing ones do on every level below the root.
    pub(crate) fn is_value(&self, node: u32) -> bool {
        let HierarchyNode { first, after, .. } = self.nodes[node as usize];
        after - first == 1 && self.label(node) == self.label(self.leaf(first))
    }

    /// The leaf node of a value.
    pub fn leaf(&self, code: u32) -> u32 {
        self.leaf_nodes[code as usize]
    }

    /// The node that a value generalizes to at a full-domain level.
    pub fn at_level(&self, code: u32, level: u32) -> u32 {
        let depth = self.height.saturating_sub(level);
        let mut node = self.leaf(code);
        while self.nodes[node as usize].depth > depth {
            node = self.nodes[node as usize].parent;
        }
        node
    }

    /// The lowest node above all values from `first` to `last`.
    pub fn common(&self, first: u32, last: u32) -> u32 {
        let mut node = self.leaf(first);
        while self.nodes[node as usize].after <= last {
            node = self.nodes[node as usize].parent;
        }
        node
    }

    /// Whether this is a tree over a domain of that size, as it must be when read from a file.
    pub(crate) fn is_sound(&self, size: usize) -> bool {
        let nodes = self.nodes.len() as u32;
        let Some(root) = self.nodes.first() else { return false };
        // What comes later relies on what comes before: depths and codes are only then numbers to
        // reckon with.
        let rooted = (root.parent, root.depth, root.end, root.first, root.after as usize)
            == (0, 0, nodes, 0, size);
        // Below its parent, inside its parent's subtree and codes, right behind its elder sibling.
        let nested = || {
            (1..nodes).all(|at| {
                let node = &self.nodes[at as usize];
                node.parent < at
                    && self.nodes.get(node.parent as usize).is_some_and(|parent| {
                        node.depth == parent.depth + 1
                            && at < node.end
                            && node.end <= parent.end
                            && parent.first <= node.first
                            && node.first < node.after
                            && node.after <= parent.after
                    })
            })
        };
        let leaves = || {
            self.leaf_nodes.len() == size
                && self.leaf_nodes.iter().enumerate().all(|(code, &leaf)| {
                    self.nodes.get(leaf as usize).is_some_and(|node| {
                        (node.first as usize, node.after as usize, node.end)
                            == (code, code + 1, leaf + 1)
                            && node.depth <= self.height
                    })
                })
        };
        let counted = || {
            self.nodes
                .iter()
                .all(|node| (node.after - node.first..=root.leaves).contains(&node.leaves))
        };
        rooted && nested() && leaves() && counted() && self.height as usize <= MOST_LEVELS + 1
    }

    /// The rows that [`from_rows`](Hierarchy::from_rows) would read: each value, then its
    /// generalizations up to the root. A shallow leaf repeats itself.
    pub fn to_rows(&self) -> Vec<Vec<String>> {
        (0..self.leaf_nodes.len() as u32)
            .map(|code| {
                (0..=self.height)
                    .map(|level| self.label(self.at_level(code, level)).to_owned())
                    .collect()
            })
            .collect()
    }
}

/// Rows of equal width as nested groups, children in order of first appearance.
fn nest<R, S>(rows: &[R], width: usize) -> NestedHierarchy
where
    R: AsRef<[S]>,
    S: AsRef<str>,
{
    fn level<R: AsRef<[S]>, S: AsRef<str>>(
        rows: &[R],
        members: &[usize],
        at: usize,
    ) -> Vec<NestedHierarchy> {
        if at == 0 {
            let leaf =
                |&row: &usize| NestedHierarchy::Leaf(rows[row].as_ref()[0].as_ref().to_owned());
            return members.iter().map(leaf).collect();
        }
        let mut place: HashMap<&str, usize> = HashMap::new();
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for &row in members {
            let label = rows[row].as_ref()[at].as_ref();
            let group = *place.entry(label).or_insert_with(|| {
                groups.push((label, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(row);
        }
        groups
            .into_iter()
            .map(|(label, members)| {
                NestedHierarchy::Group(label.to_owned(), level(rows, &members, at - 1))
            })
            .collect()
    }
    let all: Vec<usize> = (0..rows.len()).collect();
    let mut top = level(rows, &all, width - 1);
    match (top.len(), top.first()) {
        (1, Some(NestedHierarchy::Group(..))) => top.remove(0),
        _ => NestedHierarchy::Group(ROOT.to_owned(), top),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn places() -> Hierarchy {
        Hierarchy::from_rows(&[
            ["Ulm", "DE", "*"],
            ["Lyon", "FR", "*"],
            ["Bonn", "DE", "*"],
            ["Nice", "FR", "*"],
        ])
        .unwrap()
    }

    #[test]
    fn leaves_come_in_preorder_children_by_first_appearance() {
        assert_eq!(places().leaves().collect::<Vec<_>>(), ["Ulm", "Bonn", "Lyon", "Nice"]);
    }

    #[test]
    fn restricting_keeps_the_defined_sizes() {
        let tree = places().restrict(&[false, true, true, true]);
        assert_eq!(tree.leaves().collect::<Vec<_>>(), ["Bonn", "Lyon", "Nice"]);
        let germany = tree.at_level(0, 1);
        assert_eq!((tree.codes(germany), tree.leaves_below(germany)), (0..1, 2));
        assert_eq!(tree.children(tree.root()).count(), 2);
        let france = tree.common(1, 2);
        assert_eq!(tree.label(france), "FR");
        let gone = places().restrict(&[false, true, false, true]).restrict(&[false, true]);
        assert_eq!(gone.leaves().collect::<Vec<_>>(), ["Nice"]);
        assert_eq!(gone.children(0).map(|node| gone.label(node)).collect::<Vec<_>>(), ["FR"]);
    }

    #[test]
    fn missing_joins_the_others_only_at_the_root() {
        let tree = places().with_missing("?");
        assert_eq!(tree.leaves().collect::<Vec<_>>(), ["?", "Ulm", "Bonn", "Lyon", "Nice"]);
        assert_eq!(tree.label(tree.at_level(0, 1)), "?");
        assert_eq!(tree.common(0, 1), tree.root());
        assert_eq!(tree.label(tree.common(1, 2)), "DE");
        assert_eq!(tree.label(tree.common(3, 4)), "FR");
        assert_eq!(tree.codes(tree.root()), 0..5);
        assert_eq!(tree.to_rows()[3], ["Lyon", "FR", "*"]);
    }

    #[test]
    fn all_faults_are_listed() {
        let rows: Vec<Vec<&str>> =
            vec![vec!["a", "x", "*"], vec!["b", "x", "+"], vec!["a", "y", "*"], vec!["c", "z"]];
        let faults = Hierarchy::from_rows(&rows).unwrap_err();
        let what: Vec<(usize, &str)> = faults.iter().map(|f| (f.row, f.what.as_str())).collect();
        assert_eq!(
            what,
            [
                (1, "\"x\" is below \"+\" here, but below \"*\" in row 1"),
                (2, "\"a\" is given twice, first in row 1"),
                (3, "has 2 levels, but the first row has 3"),
            ]
        );
    }

    #[test]
    fn a_root_is_added_where_there_is_none() {
        let tree = Hierarchy::from_rows(&[["a"], ["b"]]).unwrap();
        assert_eq!((tree.height(), tree.label(tree.root())), (1, "*"));
        let tree = Hierarchy::from_rows(&[["a", "A"], ["b", "B"]]).unwrap();
        assert_eq!((tree.height(), tree.label(tree.root())), (2, "*"));
    }

    #[test]
    fn shallow_leaves_wait_for_their_level() {
        let leaf = |label: &str| NestedHierarchy::Leaf(label.to_owned());
        let tree = Hierarchy::from_nested(&NestedHierarchy::Group(
            "any".into(),
            vec![leaf("x"), NestedHierarchy::Group("ab".into(), vec![leaf("a"), leaf("b")])],
        ));
        assert_eq!(tree.height(), 2);
        let at = |level| tree.label(tree.at_level(0, level)).to_owned();
        assert_eq!([at(0), at(1), at(2)], ["x", "x", "any"]);
    }
}
