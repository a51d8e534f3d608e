//! Boxes over the quasi-identifier, and which of them a row lies in.

use serde::{Deserialize, Serialize};

use crate::value::{Attribute, Group, GroupSet};

/// Boxes over the whole quasi-identifier: a group per attribute each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxSet {
    /// The groups of each attribute.
    pub groups: Vec<GroupSet>,
    /// Group ids, one per attribute, box by box.
    pub ids: Vec<u32>,
}

impl BoxSet {
    /// No boxes yet, over that many attributes.
    pub fn new(attributes: usize) -> Self {
        BoxSet { groups: vec![GroupSet::new(); attributes], ids: Vec::new() }
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.ids.len() / self.groups.len().max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a box, a group per attribute.
    pub fn push(&mut self, groups: impl Iterator<Item = Group>) {
        let ids = self.groups.iter_mut().zip(groups).map(|(known, group)| known.intern(group));
        self.ids.extend(ids);
    }

    /// Adds the boxes of others behind these.
    pub fn append(&mut self, others: &BoxSet) {
        let translation: Vec<Vec<u32>> = self
            .groups
            .iter_mut()
            .zip(&others.groups)
            .map(|(known, groups)| {
                groups.as_slice().iter().map(|group| known.intern(group.clone())).collect()
            })
            .collect();
        let width = self.groups.len();
        let ids =
            others.ids.iter().enumerate().map(|(at, &id)| translation[at % width][id as usize]);
        self.ids.extend(ids);
    }

    /// The group ids of a box.
    pub fn ids_of(&self, at: usize) -> &[u32] {
        let width = self.groups.len();
        &self.ids[at * width..(at + 1) * width]
    }

    /// Whether a box contains a combination of values.
    pub fn contains(&self, attributes: &[Attribute], at: usize, codes: &[u32]) -> bool {
        self.ids_of(at)
            .iter()
            .zip(&self.groups)
            .zip(attributes)
            .zip(codes)
            .all(|(((&id, groups), attribute), &code)| attribute.contains(groups.get(id), code))
    }
}

/// Finds the first box that contains a row: a tree of bounding boxes, halved along the attribute in
/// which the boxes' middles spread most.
pub(crate) struct BoxLocator<'a> {
    boxes: &'a BoxSet,
    attributes: &'a [Attribute],
    /// The boxes, those below one node next to each other.
    order: Vec<u32>,
    nodes: Vec<LocatorNode>,
    /// Lowest and highest code per node and attribute.
    spans: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
struct LocatorNode {
    /// The boxes below, in `order`.
    from: u32,
    to: u32,
    /// The second child; the first one follows its parent. 0 for a leaf.
    second: u32,
}

/// Boxes are tested one by one below this number.
const FEW: usize = 4;

impl<'a> BoxLocator<'a> {
    pub(crate) fn new(boxes: &'a BoxSet, attributes: &'a [Attribute]) -> Self {
        let width = attributes.len();
        let spans_of: Vec<Vec<(u32, u32)>> = boxes
            .groups
            .iter()
            .zip(attributes)
            .map(|(groups, attribute)| {
                groups.as_slice().iter().map(|group| attribute.span(group)).collect()
            })
            .collect();
        let span = |at: u32, attribute: usize| {
            spans_of[attribute][boxes.ids[at as usize * width + attribute] as usize]
        };
        let mut locator = BoxLocator {
            boxes,
            attributes,
            order: (0..boxes.len() as u32).collect(),
            nodes: Vec::new(),
            spans: Vec::new(),
        };
        if !boxes.is_empty() {
            locator.grow(0, boxes.len(), &span);
        }
        locator
    }

    fn grow(&mut self, from: usize, to: usize, span: &impl Fn(u32, usize) -> (u32, u32)) {
        let me = self.nodes.len();
        self.nodes.push(LocatorNode { from: from as u32, to: to as u32, second: 0 });
        let mut widest = (0.0, 0);
        for (attribute, known) in self.attributes.iter().enumerate() {
            let (mut low, mut high, mut least, mut most) = (u32::MAX, 0, u32::MAX, 0);
            for &at in &self.order[from..to] {
                let (first, last) = span(at, attribute);
                (low, high) = (low.min(first), high.max(last));
                (least, most) = (least.min(first + last), most.max(first + last));
            }
            self.spans.push((low, high));
            let spread = f64::from(most - least) / known.domain.len() as f64;
            if spread > widest.0 {
                widest = (spread, attribute);
            }
        }
        if to - from <= FEW || widest.0 == 0.0 {
            return;
        }
        let middle = (to - from) / 2;
        self.order[from..to].select_nth_unstable_by_key(middle, |&at| {
            let (first, last) = span(at, widest.1);
            (first + last, at)
        });
        self.grow(from, from + middle, span);
        self.nodes[me].second = self.nodes.len() as u32;
        self.grow(from + middle, to, span);
    }

    /// The lowest-numbered box that contains the row.
    pub(crate) fn find(&self, codes: &[u32]) -> Option<u32> {
        self.find_among(codes, |_| true)
    }

    /// The lowest-numbered of some of the boxes that contains the row.
    pub(crate) fn find_among(&self, codes: &[u32], is_one: impl Fn(u32) -> bool) -> Option<u32> {
        let mut best: Option<u32> = None;
        self.look(codes, |at, contains| {
            if best.is_none_or(|best| at < best) && is_one(at) && contains() {
                best = Some(at);
            }
        });
        best
    }

    /// All boxes that contain the row, in no order.
    pub(crate) fn find_all(&self, codes: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        self.look(codes, |at, contains| {
            if contains() {
                found.push(at);
            }
        });
        found
    }

    /// Looks at the boxes that may contain the row, each with a way to know.
    fn look(&self, codes: &[u32], mut each: impl FnMut(u32, &dyn Fn() -> bool)) {
        let width = self.attributes.len();
        let mut open = Vec::with_capacity(32);
        if !self.nodes.is_empty() {
            open.push(0);
        }
        while let Some(node) = open.pop() {
            let spans = &self.spans[node * width..(node + 1) * width];
            if codes.iter().zip(spans).any(|(&code, &(low, high))| code < low || code > high) {
                continue;
            }
            let LocatorNode { from, to, second } = self.nodes[node];
            if second != 0 {
                open.push(second as usize);
                open.push(node + 1);
                continue;
            }
            for &at in &self.order[from as usize..to as usize] {
                each(at, &|| self.boxes.contains(self.attributes, at as usize, codes));
            }
        }
    }
}
