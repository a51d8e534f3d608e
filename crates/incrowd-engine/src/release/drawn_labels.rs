//! Labels of which some are, by a secret draw, one level coarser than they need to be.
//!
//! The lowest node above the values of a class tells more than that it is above them: no lower node is. So the values lie
//! below two of its children at least, and where it has but two, and one of them is a value, somebody has that value. A node
//! that may as well be one level higher than needed tells nothing of the kind. docs/concepts/refinement.md has the proof.
//!
//! Drawn is what a reader sees: a label of a class where boxes may overlap; in a global recoding all groups below a node, for
//! a value reads the same everywhere; in one by levels a column; a cell that is blank or not where cells are blanked.

use std::collections::BTreeMap;

use crate::kit::{ShuffleKey, Shuffler};
use crate::problem::Problem;
use crate::recoding::{
    BoxAssignment, BoxLocator, BoxSet, GlobalRecoding, OUTSIDE, ProfileShare, Recoding,
};
use crate::search::{Outcome, Solution};
use crate::table::Profiles;
use crate::value::{Attribute, BLANK, Group, GroupSet};

/// A single value is drawn this much more rarely: coarser values cost most, and tell least that a label would hide.
const VALUES: f64 = 0.05;

/// How labels are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelDraw {
    /// The chance that a label is one level coarser than needed; that of a single value is a twentieth of it.
    pub chance: f64,
    /// What the draws come from. Whoever knows it can undo them.
    pub key: ShuffleKey,
}

impl LabelDraw {
    /// The same solution with its labels drawn. What was proven of its cost is a bound of the cost that it has now.
    pub fn draw(&self, problem: &Problem, solution: Solution) -> Solution {
        let Some(recoding) = solution.recoding().filter(|_| self.chance > 0.0) else {
            return solution;
        };
        let drawn = self.drawn(problem, recoding, solution.boxes.as_deref());
        if drawn == *recoding {
            return solution;
        }
        // A bound of what was found is one of anything that says less.
        let cost = |recoding: &Recoding| {
            let release = super::Release::new(problem, recoding, super::SuppressionMode::Drop);
            release.measures.cost(problem.metric)
        };
        let bound = match &solution.outcome {
            Outcome::Optimal(_) => cost(recoding),
            other => other.bound(),
        };
        // Wider classes can save rows from suppression, which may cost more than all that they lose.
        let bound = bound.map(|bound| cost(&drawn).map_or(bound, |cost| bound.min(cost)));
        let outcome = match &solution.outcome {
            Outcome::Optimal(_) | Outcome::Feasible { .. } => {
                Outcome::Feasible { recoding: drawn, bound }
            }
            Outcome::Stopped { reason, .. } => {
                Outcome::Stopped { reason: *reason, recoding: Some(drawn), bound }
            }
            Outcome::Infeasible { .. } => return solution,
        };
        Solution { outcome, boxes: None, ..solution }
    }

    fn drawn(&self, problem: &Problem, recoding: &Recoding, boxes: Option<&[u32]>) -> Recoding {
        let attributes = &problem.attributes;
        match recoding {
            Recoding::Global(global) => Recoding::Global(self.global(attributes, global)),
            Recoding::Regional(found) => {
                let shares = shares_of(problem, found, boxes);
                let boxes = self.boxes(attributes, found, coarser);
                Recoding::Local(BoxAssignment::of_rows(boxes, shares))
            }
            Recoding::Local(assigned) => Recoding::Local(self.assigned(problem, assigned, coarser)),
            Recoding::Cellwise(assigned) => {
                Recoding::Cellwise(self.assigned(problem, assigned, blanked))
            }
            Recoding::Mixed(assigned) => Recoding::Mixed(self.assigned(problem, assigned, blanked)),
        }
    }

    fn assigned(
        &self,
        problem: &Problem,
        assigned: &BoxAssignment,
        step: impl Fn(&Attribute, &Group) -> CoarserGroup,
    ) -> BoxAssignment {
        let shares = match assigned.shares.is_empty() {
            true => shares_of(problem, &assigned.boxes, None),
            false => assigned.shares.clone(),
        };
        let boxes = self.boxes(&problem.attributes, &assigned.boxes, step);
        BoxAssignment {
            narrowing: assigned.narrowing.clone(),
            ..BoxAssignment::of_rows(boxes, shares)
        }
    }

    /// Every box with its groups drawn one by one. Boxes that read the same are one class, and are drawn alike.
    fn boxes(
        &self,
        attributes: &[Attribute],
        boxes: &BoxSet,
        step: impl Fn(&Attribute, &Group) -> CoarserGroup,
    ) -> BoxSet {
        let labels: Vec<Vec<String>> = attributes
            .iter()
            .zip(&boxes.groups)
            .map(|(attribute, groups)| {
                groups.as_slice().iter().map(|group| attribute.label(group)).collect()
            })
            .collect();
        let mut drawn = BoxSet::new(attributes.len());
        for at in 0..boxes.len() {
            let ids = boxes.ids_of(at);
            let texts = ids.iter().zip(&labels).map(|(&id, labels)| labels[id as usize].as_str());
            let mut random = Shuffler::of_purpose(self.key, number_of(texts));
            drawn.push(ids.iter().zip(&boxes.groups).zip(attributes).map(
                |((&id, groups), attribute)| {
                    let group = groups.get(id);
                    let CoarserGroup { group: coarser, was_value } = step(attribute, group);
                    let chance = if was_value { VALUES * self.chance } else { self.chance };
                    if random.happens(chance) { coarser } else { group.clone() }
                },
            ));
        }
        drawn
    }

    fn global(&self, attributes: &[Attribute], global: &GlobalRecoding) -> GlobalRecoding {
        let nodes: Vec<Vec<Option<Group>>> = attributes
            .iter()
            .enumerate()
            .map(|(at, attribute)| self.column(attribute, &global.groups[at], &global.maps[at]))
            .collect();
        GlobalRecoding::new(attributes, |at, code| {
            let own = || global.groups[at].get(global.maps[at][code as usize]).clone();
            nodes[at][code as usize].clone().unwrap_or_else(own)
        })
    }

    /// For each value of a column that reads the same everywhere, what it reads where that is drawn to be coarser.
    fn column(&self, attribute: &Attribute, groups: &GroupSet, map: &[u32]) -> Vec<Option<Group>> {
        // Ranges with rounded ends overlap: to widen one would take values from its neighbours.
        if attribute.hierarchy.is_none() && level_of(attribute, groups, map).is_none() {
            return vec![None; map.len()];
        }
        let purpose = |what: &str| number_of([attribute.name.as_str(), what].into_iter());
        let chance = |values: bool| if values { VALUES * self.chance } else { self.chance };
        if let Some(level) = level_of(attribute, groups, map) {
            let is_allowed = attribute.limits.is_none_or(|limits| level < limits.most);
            let mut random = Shuffler::of_purpose(self.key, purpose("level"));
            let is_drawn = is_allowed && random.happens(chance(level == 0));
            let next = |code: u32| {
                let node = attribute.tree()?.at_level(code, level + 1);
                is_drawn.then(|| named(attribute, node))
            };
            return (0..map.len() as u32).map(next).collect();
        }
        // One draw for all that lies below a node; the highest that is drawn counts.
        let mut of_values: BTreeMap<String, (Group, bool)> = BTreeMap::new();
        for step in map.iter().map(|&id| coarser(attribute, groups.get(id))) {
            let known = of_values
                .entry(attribute.label(&step.group))
                .or_insert_with(|| (step.group.clone(), true));
            known.1 &= step.was_value;
        }
        let drawn: Vec<Group> = of_values
            .into_iter()
            .filter(|(label, (_, values))| {
                Shuffler::of_purpose(self.key, purpose(label)).happens(chance(*values))
            })
            .map(|(_, (group, _))| group)
            .collect();
        (0..map.len() as u32)
            .map(|code| {
                let above = drawn.iter().filter(|group| attribute.contains(group, code));
                above.max_by_key(|group| attribute.size(group)).cloned()
            })
            .collect()
    }
}

/// A group one level coarser.
struct CoarserGroup {
    group: Group,
    /// Whether the group that is left was a single value.
    was_value: bool,
}

/// The node above the one that a group is released as, in the column's tree; blank above the top.
fn coarser(attribute: &Attribute, group: &Group) -> CoarserGroup {
    let meant = attribute.meant(group);
    if attribute.hierarchy.is_none()
        && let Group::Range { first, last } = meant
        && attribute.step.is_some()
    {
        let wider = attribute.coarser_range(first, last).unwrap_or_else(|| meant.clone());
        return CoarserGroup {
            group: kept_apart(attribute, &meant, wider),
            was_value: first == last,
        };
    }
    let Some(tree) = attribute.tree() else { return blanked(attribute, group) };
    let node = match &meant {
        Group::Blank => return CoarserGroup { group: Group::Blank, was_value: false },
        Group::Node(node) => *node,
        _ => {
            let (first, last) = attribute.span(&meant);
            tree.common(first, last)
        }
    };
    // Nodes that are called alike are one to a reader: a shallow value repeats itself.
    let mut above = tree.parent(node);
    while let Some(next) = above.filter(|&next| tree.label(next) == tree.label(node)) {
        above = tree.parent(next);
    }
    let was_value = tree.is_value(node);
    let group = above.map_or(Group::Blank, |node| named(attribute, node));
    CoarserGroup { group: kept_apart(attribute, &meant, group), was_value }
}

/// The wider group, unless it joins what somebody wants to be kept apart.
fn kept_apart(attribute: &Attribute, group: &Group, wider: Group) -> Group {
    let (first, last) = attribute.span(&wider);
    let joins = |&(code, made): &(u32, bool)| made && first < code && code <= last;
    if attribute.cuts.iter().any(joins) { group.clone() } else { wider }
}

/// A value blanked: all that is coarser where values are kept or blanked.
fn blanked(_: &Attribute, group: &Group) -> CoarserGroup {
    CoarserGroup { group: Group::Blank, was_value: *group != Group::Blank }
}

/// A node, or blank if it is called so.
fn named(attribute: &Attribute, node: u32) -> Group {
    match attribute.tree() {
        Some(tree) if tree.label(node) != BLANK => Group::Node(node),
        _ => Group::Blank,
    }
}

/// The level at which all values of a column are released, if there is one and a level above it.
fn level_of(attribute: &Attribute, groups: &GroupSet, map: &[u32]) -> Option<u32> {
    let tree = attribute.tree()?;
    let is_at = |level: u32| {
        map.iter().zip(0..).all(|(&id, code)| {
            let node = tree.at_level(code, level);
            attribute.label(groups.get(id)) == tree.label(node)
        })
    };
    (0..tree.height()).find(|&level| is_at(level))
}

/// The rows of each profile and the box that they lie in.
pub(super) fn shares_of(
    problem: &Problem,
    boxes: &BoxSet,
    known: Option<&[u32]>,
) -> Vec<ProfileShare> {
    let cells: &Profiles = &problem.cells;
    let locator = BoxLocator::new(boxes, &problem.attributes);
    let mut shares = Vec::new();
    let mut codes = vec![0; problem.attributes.len()];
    for cell in 0..cells.len() {
        let class = match known {
            Some(known) => known[cell],
            None => {
                for (at, code) in codes.iter_mut().enumerate() {
                    *code = cells.code(at, cell);
                }
                locator.find(&codes).unwrap_or(OUTSIDE)
            }
        };
        let share = |target, count| ProfileShare { cell: cell as u32, target, class, count };
        match cells.has_targets() {
            true => {
                shares.extend(cells.targets(cell).iter().map(|&(target, rows)| share(target, rows)))
            }
            false => shares.push(share(0, cells.counts()[cell])),
        }
    }
    shares
}

/// A number for some texts, not 0, which belongs to other purposes (FNV-1a).
fn number_of<'t>(texts: impl Iterator<Item = &'t str>) -> u64 {
    let mut number = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for byte in text.bytes().chain([0xff]) {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    number.max(1)
}
