//! The lattice itself: the levels of every attribute, and how nodes are numbered.

use crate::problem::Problem;
use crate::recoding::{GlobalRecoding, Recoding};
use crate::value::{Attribute, Group, GroupSet};

/// A node: for each attribute how far it is above its lowest allowed level.
pub(super) type LatticeNode = Vec<u32>;

/// One level of an attribute: which group each value belongs to.
#[derive(Debug)]
pub(super) struct AttributeLevel {
    /// The group of each code.
    pub(super) of_code: Vec<u32>,
    /// The groups as a release shows them.
    pub(super) groups: Vec<Group>,
    /// A code of each group: by it, groups find their place on higher levels.
    pub(super) example: Vec<u32>,
}

impl AttributeLevel {
    fn new(attribute: &Attribute, level: u32) -> Self {
        let mut groups = GroupSet::new();
        let mut example = Vec::new();
        let of_code = (0..attribute.domain.len() as u32)
            .map(|code| {
                // Groups that a release shows alike are one group to its readers.
                let id = groups.intern(attribute.shown(&attribute.at_level(code, level)));
                if id as usize == example.len() {
                    example.push(code);
                }
                id
            })
            .collect();
        AttributeLevel { of_code, groups: groups.as_slice().to_vec(), example }
    }

    /// How many rows each group has, by how many carry each value.
    pub(super) fn rows(&self, marginal: &[u64]) -> Vec<u64> {
        let mut rows = vec![0; self.groups.len()];
        for (&group, &count) in self.of_code.iter().zip(marginal) {
            rows[group as usize] += count;
        }
        rows
    }
}

/// The lattice of a problem: every way to give each attribute one of its allowed levels.
///
/// A node is more general than another if none of its levels is lower. Nodes are numbered in mixed
/// radix, the last attribute counting fastest; nothing is stored for a node.
#[derive(Debug)]
pub(super) struct GeneralizationLattice<'a> {
    pub(super) problem: &'a Problem,
    /// By attribute, its allowed levels from the lowest to the highest.
    pub(super) levels: Vec<Vec<AttributeLevel>>,
}

impl<'a> GeneralizationLattice<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let levels = problem
            .attributes
            .iter()
            .map(|attribute| {
                attribute
                    .allowed_levels()
                    .map(|level| AttributeLevel::new(attribute, level))
                    .collect()
            })
            .collect();
        GeneralizationLattice { problem, levels }
    }

    /// How many attributes there are.
    pub(super) fn width(&self) -> usize {
        self.levels.len()
    }

    /// The most specific node.
    pub(super) fn bottom(&self) -> LatticeNode {
        vec![0; self.width()]
    }

    /// The most general node.
    pub(super) fn top(&self) -> LatticeNode {
        self.levels.iter().map(|levels| levels.len() as u32 - 1).collect()
    }

    /// How many nodes there are; the largest number there is if they are more.
    pub(super) fn nodes(&self) -> u128 {
        count(&self.bottom(), &self.top())
    }

    /// The number of a node; of use only where there are few enough nodes to number.
    pub(super) fn number(&self, node: &[u32]) -> usize {
        node.iter()
            .zip(&self.levels)
            .fold(0, |number, (&level, levels)| number * levels.len() + level as usize)
    }

    /// The level of an attribute in a node.
    pub(super) fn level(&self, node: &[u32], at: usize) -> &AttributeLevel {
        &self.levels[at][node[at] as usize]
    }

    /// The levels of a node as the hierarchies count them.
    pub(super) fn shown(&self, node: &[u32]) -> Vec<u32> {
        let least = self.problem.attributes.iter().map(|it| *it.allowed_levels().start());
        node.iter().zip(least).map(|(&level, least)| level + least).collect()
    }

    /// What a node makes of the values.
    pub(super) fn recoding(&self, node: &[u32]) -> Recoding {
        let attributes = &self.problem.attributes;
        let levels = self.shown(node);
        Recoding::Global(GlobalRecoding::new(attributes, |at, code| {
            attributes[at].at_level(code, levels[at])
        }))
    }
}

/// How many nodes lie between two nodes, both included.
pub(super) fn count(low: &[u32], high: &[u32]) -> u128 {
    let sides = low.iter().zip(high).map(|(low, high)| u128::from(high - low + 1));
    sides.fold(1, u128::saturating_mul)
}

/// How many levels above the bottom a node is, over all attributes.
pub(super) fn height(node: &[u32]) -> u32 {
    node.iter().sum()
}
