//! Equivalence classes: what a recoding makes of the profiles.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::kit::KeyedHashState;
use crate::privacy::ClassTally;
use crate::problem::JointTargets;
use crate::recoding::{BoxLocator, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::table::Profiles;
use crate::value::{Attribute, Group, GroupSet};

/// Which class each row goes into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassAssignment {
    /// All rows of a profile go into one class, or [`OUTSIDE`].
    Cells(Vec<u32>),
    /// The rows of a profile are dealt out; sorted by profile and target.
    Shares(Vec<ProfileShare>),
}

/// Equivalence classes: sizes, histograms of targets, and which rows lie in each.
#[derive(Debug, Clone)]
pub struct EquivalenceClasses {
    /// The groups of each attribute.
    pub groups: Vec<GroupSet>,
    /// Group ids, one per attribute, class by class.
    pub ids: Vec<u32>,
    /// How many rows each class holds.
    pub sizes: Vec<u64>,
    /// Whether a class is released; the others are suppressed.
    pub released: Vec<bool>,
    /// Which class each row goes into.
    pub assignment: ClassAssignment,
    /// Rows that no class takes; they are never released, not even blank.
    pub outside: u64,
    /// The class, all blank, of the rows that the recoding itself suppresses: it is not released, however
    /// many they are.
    pub withheld: Option<u32>,
    /// What is meant where labels say less: metrics price that.
    pub(super) meant: Option<IntendedClasses>,
    /// `entries[starts[c]..starts[c + 1]]` is the histogram of joint targets of class c.
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

/// Classes in parts, as the recoding means them: what is shown of them is too long to be read, and so they look alike.
#[derive(Debug, Clone)]
pub(super) struct IntendedClasses {
    /// The groups of each attribute.
    pub(super) groups: Vec<GroupSet>,
    /// Group ids, one per attribute, part by part.
    pub(super) ids: Vec<u32>,
    /// How many rows each part holds.
    pub(super) sizes: Vec<u64>,
    /// The class that each part belongs to.
    pub(super) class_of: Vec<u32>,
}

impl EquivalenceClasses {
    pub(super) fn new(
        recoding: &Recoding,
        attributes: &[Attribute],
        cells: &Profiles,
        box_of_cell: Option<&[u32]>,
    ) -> Self {
        let width = attributes.len();
        let (mut groups, meant): (Vec<GroupSet>, Vec<Vec<u32>>) = recoding
            .groups()
            .iter()
            .zip(attributes)
            .map(|(groups, attribute)| attribute.meant_groups(groups))
            .unzip();
        let mut numbering = ClassNumbering::new(meant);
        let assignment = match recoding {
            Recoding::Global(global) => {
                let mut ids = vec![0; width];
                ClassAssignment::Cells(
                    (0..cells.len())
                        .map(|cell| {
                            for (attribute, id) in ids.iter_mut().enumerate() {
                                *id = global.maps[attribute][cells.code(attribute, cell) as usize];
                            }
                            numbering.intern(&ids)
                        })
                        .collect(),
                )
            }
            Recoding::Regional(boxes) => ClassAssignment::Cells(located(
                boxes,
                attributes,
                cells,
                &mut numbering,
                box_of_cell,
            )),
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned)
                if assigned.shares.is_empty() =>
            {
                ClassAssignment::Cells(located(
                    &assigned.boxes,
                    attributes,
                    cells,
                    &mut numbering,
                    None,
                ))
            }
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned) => {
                let class = |share: &ProfileShare| match share.class {
                    OUTSIDE => *share,
                    class => ProfileShare {
                        class: numbering.intern(assigned.boxes.ids_of(class as usize)),
                        ..*share
                    },
                };
                ClassAssignment::Shares(assigned.shares.iter().map(class).collect())
            }
        };
        let mut ids = numbering.ids;
        let (assignment, withheld) = withhold(assignment, &mut groups, &mut ids);
        Self::shown(groups, ids, assignment, withheld, attributes, cells)
    }

    /// The classes of groups as they are meant: groups that a release shows alike are one group to its readers.
    fn shown(
        groups: Vec<GroupSet>,
        ids: Vec<u32>,
        assignment: ClassAssignment,
        withheld: Option<u32>,
        attributes: &[Attribute],
        cells: &Profiles,
    ) -> Self {
        let (shown, of_meant): (Vec<GroupSet>, Vec<Vec<u32>>) = groups
            .iter()
            .zip(attributes)
            .map(|(groups, attribute)| attribute.shown_groups(groups))
            .unzip();
        if shown == groups {
            return Self::count(groups, ids, assignment, withheld, cells);
        }
        let parts = Self::count(groups, ids, assignment, withheld, cells);
        Self::of_parts(parts, shown, of_meant, cells)
    }

    /// The classes that a reader sees where labels say less than is meant: parts that read the same are one.
    fn of_parts(
        parts: EquivalenceClasses,
        mut shown: Vec<GroupSet>,
        of_meant: Vec<Vec<u32>>,
        cells: &Profiles,
    ) -> Self {
        let mut numbering = ClassNumbering::new(of_meant);
        let is_withheld = |part: usize| parts.withheld == Some(part as u32);
        let mut class_of: Vec<u32> = (0..parts.len())
            .map(
                |part| {
                    if is_withheld(part) { OUTSIDE } else { numbering.intern(parts.ids_of(part)) }
                },
            )
            .collect();
        let mut ids = numbering.ids;
        // It is blank, but no class of blank values that is released is the same.
        let withheld = parts.withheld.map(|part| {
            let class = (ids.len() / shown.len().max(1)) as u32;
            ids.extend(shown.iter_mut().map(|groups| groups.intern(Group::Blank)));
            class_of[part as usize] = class;
            class
        });
        let class = |part: u32| class_of.get(part as usize).copied().unwrap_or(OUTSIDE);
        let assignment = match &parts.assignment {
            ClassAssignment::Cells(of_cell) => {
                ClassAssignment::Cells(of_cell.iter().map(|&part| class(part)).collect())
            }
            ClassAssignment::Shares(shares) => {
                let moved =
                    |share: &ProfileShare| ProfileShare { class: class(share.class), ..*share };
                ClassAssignment::Shares(shares.iter().map(moved).collect())
            }
        };
        let mut classes = Self::count(shown, ids, assignment, withheld, cells);
        let EquivalenceClasses { groups, ids, sizes, .. } = parts;
        classes.meant = Some(IntendedClasses { groups, ids, sizes, class_of });
        classes
    }

    /// The classes that a reader of a release sees: what each shows of every attribute, as ids of its groups,
    /// and how many rows of each joint target it has. Which rows of the table those were is not known: the
    /// profiles of the shares do not matter.
    ///
    /// # Panics
    ///
    /// If a share names a class that is not there.
    pub fn seen(
        groups: Vec<GroupSet>,
        ids: Vec<u32>,
        shares: Vec<ProfileShare>,
        cells: &Profiles,
    ) -> Self {
        let classes = (ids.len() / groups.len().max(1)) as u32;
        assert!(shares.iter().all(|share| share.class < classes), "every share has its class");
        Self::count(groups, ids, ClassAssignment::Shares(shares), None, cells)
    }

    pub(super) fn count(
        groups: Vec<GroupSet>,
        ids: Vec<u32>,
        assignment: ClassAssignment,
        withheld: Option<u32>,
        cells: &Profiles,
    ) -> Self {
        let number = ids.len() / groups.len().max(1);
        let mut sizes = vec![0u64; number];
        let mut outside = 0;
        // (class, target, count)
        let mut has_targets: Vec<(u32, u32, u64)> = Vec::new();
        let mut add = |class: u32, count: u64| match sizes.get_mut(class as usize) {
            Some(size) => *size += count,
            None => outside += count,
        };
        match &assignment {
            ClassAssignment::Cells(class_of) => {
                for (cell, &class) in class_of.iter().enumerate() {
                    add(class, cells.counts()[cell]);
                    if class != OUTSIDE {
                        has_targets.extend(
                            cells
                                .targets(cell)
                                .iter()
                                .map(|&(target, count)| (class, target, count)),
                        );
                    }
                }
            }
            ClassAssignment::Shares(shares) => {
                for share in shares {
                    add(share.class, share.count);
                    if cells.has_targets() && share.class != OUTSIDE {
                        has_targets.push((share.class, share.target, share.count));
                    }
                }
            }
        }
        has_targets.sort_unstable();
        let mut starts = vec![0; number + 1];
        let mut entries: Vec<(u32, u64)> = Vec::with_capacity(has_targets.len());
        let mut last = None;
        for (class, target, count) in has_targets {
            if last == Some((class, target)) {
                if let Some(entry) = entries.last_mut() {
                    entry.1 += count;
                }
            } else {
                entries.push((target, count));
                last = Some((class, target));
            }
            starts[class as usize + 1] = entries.len();
        }
        for class in 0..number {
            starts[class + 1] = starts[class + 1].max(starts[class]);
        }
        let released = vec![true; number];
        EquivalenceClasses {
            groups,
            ids,
            sizes,
            released,
            assignment,
            outside,
            withheld,
            meant: None,
            starts,
            entries,
        }
    }

    /// How many classes there are, suppressed ones included.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The group ids of a class.
    pub fn ids_of(&self, class: usize) -> &[u32] {
        let width = self.groups.len();
        &self.ids[class * width..(class + 1) * width]
    }

    /// The joint targets in a class and how many rows carry each.
    pub fn targets(&self, class: usize) -> &[(u32, u64)] {
        &self.entries[self.starts[class]..self.starts[class + 1]]
    }

    /// The classes that are released.
    pub fn released(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&class| self.released[class])
    }

    /// The groups of an attribute that are released, and how many rows are shown with each.
    pub(super) fn released_groups(&self, at: usize) -> Vec<(&Group, u64)> {
        let groups = self.groups[at].as_slice();
        let mut held = vec![0; groups.len()];
        for class in self.released() {
            held[self.ids_of(class)[at] as usize] += self.sizes[class];
        }
        groups.iter().zip(held).filter(|(_, held)| *held > 0).collect()
    }

    /// How many rows of each profile are released of which something is told: not everything is blank.
    pub(super) fn told_cells(&self, cells: &Profiles) -> Vec<u64> {
        self.released_cells(cells, |class| !self.is_blank(class))
    }

    /// Whether a class is blank throughout.
    pub(super) fn is_blank(&self, class: usize) -> bool {
        (0..self.groups.len()).all(|at| *self.group_of(class, at) == Group::Blank)
    }

    /// How many rows of each profile are released of which something is told in one attribute: it is not blank.
    pub(super) fn told_cells_in(&self, cells: &Profiles, at: usize) -> Vec<u64> {
        self.released_cells(cells, |class| *self.group_of(class, at) != Group::Blank)
    }

    pub(super) fn group_of(&self, class: usize, at: usize) -> &Group {
        self.groups[at].get(self.ids_of(class)[at])
    }

    fn released_cells(&self, cells: &Profiles, told: impl Fn(usize) -> bool) -> Vec<u64> {
        let shown: Vec<bool> =
            (0..self.len()).map(|class| self.released[class] && told(class)).collect();
        let is_released = |class: u32| shown.get(class as usize).is_some_and(|shown| *shown);
        let mut rows = vec![0; cells.len()];
        self.for_each_share(cells, |class, cell, count| {
            if is_released(class) {
                rows[cell] += count;
            }
        });
        rows
    }

    /// How many rows are released.
    pub fn released_rows(&self) -> u64 {
        self.released().map(|class| self.sizes[class]).sum()
    }

    /// How many rows are not released.
    pub fn suppressed_rows(&self) -> u64 {
        let failed: u64 = (0..self.len())
            .filter(|&class| !self.released[class])
            .map(|class| self.sizes[class])
            .sum();
        failed + self.outside
    }

    /// Tells which rows go where: class (or [`OUTSIDE`]), profile and how many rows of it.
    pub(super) fn for_each_share(&self, cells: &Profiles, mut tell: impl FnMut(u32, usize, u64)) {
        match &self.assignment {
            ClassAssignment::Cells(class_of) => {
                for (cell, (&class, &rows)) in class_of.iter().zip(cells.counts()).enumerate() {
                    tell(class, cell, rows);
                }
            }
            ClassAssignment::Shares(shares) => {
                shares.iter().for_each(|it| tell(it.class, it.cell as usize, it.count));
            }
        }
    }

    /// Makes `tally` that of a class.
    pub fn fill(&self, class: usize, targets: &JointTargets, tally: &mut ClassTally) {
        tally.clear();
        for &(target, count) in self.targets(class) {
            tally.add(targets.of(target), count);
        }
        tally.size = self.sizes[class];
    }
}

/// Makes a class of its own of the shares that go nowhere. It is blank, but no class of blank values that
/// is released is the same.
fn withhold(
    assignment: ClassAssignment,
    groups: &mut [GroupSet],
    ids: &mut Vec<u32>,
) -> (ClassAssignment, Option<u32>) {
    let ClassAssignment::Shares(mut shares) = assignment else { return (assignment, None) };
    let class = (ids.len() / groups.len().max(1)) as u32;
    let mut any = false;
    for share in shares.iter_mut().filter(|share| share.class == OUTSIDE) {
        share.class = class;
        any = true;
    }
    if any {
        ids.extend(groups.iter_mut().map(|groups| groups.intern(Group::Blank)));
    }
    (ClassAssignment::Shares(shares), any.then_some(class))
}

fn located(
    boxes: &BoxSet,
    attributes: &[Attribute],
    cells: &Profiles,
    numbering: &mut ClassNumbering,
    box_of_cell: Option<&[u32]>,
) -> Vec<u32> {
    // Every box keeps its number, so that classes come in the order in which they were made.
    let class_of_box: Vec<u32> =
        (0..boxes.len()).map(|at| numbering.intern(boxes.ids_of(at))).collect();
    if let Some(known) = box_of_cell {
        return known.iter().map(|&at| class_of_box[at as usize]).collect();
    }
    let locator = BoxLocator::new(boxes, attributes);
    let mut codes = vec![0; attributes.len()];
    (0..cells.len())
        .map(|cell| {
            for (attribute, code) in codes.iter_mut().enumerate() {
                *code = cells.code(attribute, cell);
            }
            locator.find(&codes).map_or(OUTSIDE, |at| class_of_box[at as usize])
        })
        .collect()
}

/// Numbers distinct combinations of shown groups in order of first appearance.
struct ClassNumbering {
    /// For each attribute and group of the recoding the group shown.
    shown: Vec<Vec<u32>>,
    key: Vec<u32>,
    ids: Vec<u32>,
    index: HashTable<u32>,
}

impl ClassNumbering {
    fn new(shown: Vec<Vec<u32>>) -> Self {
        ClassNumbering { shown, key: Vec::new(), ids: Vec::new(), index: HashTable::new() }
    }

    /// The number of a combination of the recoding's groups.
    fn intern(&mut self, groups: &[u32]) -> u32 {
        let ClassNumbering { shown, key, ids, index } = self;
        let width = shown.len();
        key.clear();
        key.extend(groups.iter().zip(shown.iter()).map(|(&id, shown)| shown[id as usize]));
        let key = key.as_slice();
        let of = |ids: &[u32], class: u32| -> std::ops::Range<usize> {
            debug_assert!((class as usize + 1) * width <= ids.len());
            class as usize * width..(class as usize + 1) * width
        };
        let hash = |key: &[u32]| KeyedHashState::default().hash_one(key);
        let found = index.find(hash(key), |&class| &ids[of(ids, class)] == key);
        if let Some(&class) = found {
            return class;
        }
        let class = (ids.len() / width.max(1)) as u32;
        ids.extend_from_slice(key);
        index.insert_unique(hash(key), class, |&class| hash(&ids[of(ids, class)]));
        class
    }
}

impl Recoding {
    /// The classes that the recoding makes of these profiles.
    pub fn classes(&self, attributes: &[Attribute], cells: &Profiles) -> EquivalenceClasses {
        EquivalenceClasses::new(self, attributes, cells, None)
    }

    /// The same for a regional recoding, knowing already which box each profile lies in.
    pub fn classes_of_boxes(
        &self,
        attributes: &[Attribute],
        cells: &Profiles,
        boxes: &[u32],
    ) -> EquivalenceClasses {
        EquivalenceClasses::new(self, attributes, cells, Some(boxes))
    }
}
