//! Frequency sets: the classes of a node with their sizes and labels, rolled up from another node's.

use super::levels::{AttributeLevel, GeneralizationLattice};
use crate::kit::{Error, Result};
use crate::problem::Problem;
use crate::table::JointIndex;

/// Where an attribute's group stands in a packed key.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassKeyField {
    word: usize,
    shift: u32,
    mask: u64,
}

impl ClassKeyField {
    /// The attribute's group in a key.
    #[inline]
    pub(super) fn get<const W: usize>(&self, key: &[u64; W]) -> usize {
        ((key[self.word] >> self.shift) & self.mask) as usize
    }
}

/// Packs a group of every attribute into a few words. No group lies across two words.
#[derive(Debug)]
pub(super) struct ClassKeyLayout {
    pub(super) fields: Vec<ClassKeyField>,
    /// How many words a key has.
    pub(super) words: usize,
}

/// The longest key, in words.
const MOST_WORDS: usize = 16;

impl ClassKeyLayout {
    /// Keys for the nodes of a lattice.
    pub(super) fn new(lattice: &GeneralizationLattice<'_>) -> Result<Self> {
        let groups =
            |levels: &Vec<AttributeLevel>| levels.iter().map(|level| level.groups.len()).max();
        Self::of(lattice.levels.iter().map(|levels| groups(levels).unwrap_or(1)))
    }

    /// Keys for attributes with so many groups each.
    pub(super) fn of(groups: impl Iterator<Item = usize>) -> Result<Self> {
        let (mut word, mut shift) = (0, 0);
        let mut fields = Vec::new();
        for most in groups {
            let most = most.max(1) as u64;
            let bits = u64::BITS - (most - 1).leading_zeros();
            if shift + bits > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            fields.push(ClassKeyField { word, shift: shift.min(63), mask: (1 << bits) - 1 });
            shift += bits;
        }
        if word >= MOST_WORDS {
            return Err(Error::new("there are too many quasi-identifiers with too many values")
                .help("name fewer quasi-identifiers, or set their lowest levels higher"));
        }
        Ok(ClassKeyLayout { fields, words: (word + 1).next_power_of_two() })
    }
}

/// The classes of a node: packed groups, sizes and, where labels matter, their histograms.
#[derive(Debug, Clone, Default)]
pub(super) struct FrequencySet<const W: usize> {
    pub(super) keys: Vec<[u64; W]>,
    pub(super) sizes: Vec<u32>,
    /// How many people of the population fit each class; empty without a population.
    pub(super) people: Vec<u64>,
    /// Where labels are few: how many rows of each class carry each of them, and how many labels.
    counts: Vec<u32>,
    few: usize,
    /// Where labels are many: `entries[starts[c]..starts[c + 1]]` is the histogram of class c.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

/// Up to so many labels every class has a count for each.
const FEW: usize = 16;

impl<const W: usize> FrequencySet<W> {
    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// How many rows of a class carry each label, where labels are few.
    #[inline]
    pub(super) fn few_labels(&self, class: usize) -> Option<&[u32]> {
        let first = class * self.few;
        (self.few > 0).then(|| &self.counts[first..first + self.few])
    }

    /// Goes through the labels in a class and how many rows carry each.
    #[inline]
    pub(super) fn each_label(&self, class: usize, mut with: impl FnMut(u32, u32)) {
        if let Some(counts) = self.few_labels(class) {
            for (label, &count) in counts.iter().enumerate() {
                if count > 0 {
                    with(label as u32, count);
                }
            }
        } else {
            let range = self.starts[class] as usize..self.starts[class + 1] as usize;
            self.entries[range].iter().for_each(|&(label, count)| with(label, count));
        }
    }
}

/// The labels that matter: those that the metric or a model looks at.
#[derive(Debug, Default)]
pub(super) struct RelevantLabels {
    /// For each joint target of the problem the label here; empty where none matters.
    of_joint: Vec<u32>,
    /// For each label here a joint target that looks the same in all columns that matter.
    pub(super) joint: Vec<u32>,
}

impl RelevantLabels {
    /// The labels told apart by these columns.
    pub(super) fn new(problem: &Problem, columns: &[usize]) -> Self {
        let mut relevant = RelevantLabels::default();
        if columns.is_empty() {
            return relevant;
        }
        let (cells, labels) = (&problem.cells, &problem.targets);
        let all = (0..cells.len()).flat_map(|cell| cells.targets(cell)).map(|&(label, _)| label);
        let number = all.max().map_or(0, |most| most + 1);
        let mut known = JointIndex::default();
        for joint in 0..number {
            let codes: Vec<u32> = columns.iter().map(|&at| labels.of(joint)[at]).collect();
            let next = relevant.joint.len() as u32;
            let id = *known.entry(codes).or_insert(next);
            if id == next {
                relevant.joint.push(joint);
            }
            relevant.of_joint.push(id);
        }
        relevant
    }
}

/// Puts classes together; keeps what it needs for that from one time to the next.
#[derive(Debug)]
pub(super) struct ClassMerger<const W: usize> {
    labels: usize,
    /// Classes by hash, one more than their number; 0 is free.
    slots: Vec<u32>,
    /// The new class of each old one; [`NOWHERE`] for those that were left out.
    pub(super) class_of: Vec<u32>,
    /// The old classes by their new one.
    order: Vec<u32>,
    tally: Vec<u32>,
    touched: Vec<u32>,
    /// How many classes have been gone through in all: what the work is measured by.
    pub(super) work: u64,
}

/// Rolls the frequency sets of a lattice's nodes up.
#[derive(Debug)]
pub(super) struct FrequencyRollup<'a, const W: usize> {
    lattice: &'a GeneralizationLattice<'a>,
    layout: &'a ClassKeyLayout,
    pub(super) merger: ClassMerger<W>,
}

/// Marks a class that was left out.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How the groups of one attribute change.
pub(super) struct RollupStep {
    field: ClassKeyField,
    /// What to flip in a key, by its group; empty if all groups become the first.
    flips: Vec<u64>,
}

impl RollupStep {
    /// Every group becomes another: the new ones by the old ones.
    pub(super) fn new(field: ClassKeyField, groups: impl Iterator<Item = u32>) -> Self {
        let flip = |(old, new): (usize, u32)| (old as u64 ^ u64::from(new)) << field.shift;
        RollupStep { field, flips: groups.enumerate().map(flip).collect() }
    }

    /// All groups become the first.
    fn clear(field: ClassKeyField) -> Self {
        RollupStep { field, flips: Vec::new() }
    }

    fn between(field: ClassKeyField, from: &AttributeLevel, to: &AttributeLevel) -> Self {
        RollupStep::new(field, from.example.iter().map(|&code| to.of_code[code as usize]))
    }
}

impl<'a, const W: usize> FrequencyRollup<'a, W> {
    pub(super) fn new(
        lattice: &'a GeneralizationLattice<'a>,
        layout: &'a ClassKeyLayout,
        relevant: &RelevantLabels,
    ) -> Self {
        FrequencyRollup { lattice, layout, merger: ClassMerger::new(relevant) }
    }

    /// The classes of the bottom node, from the cells.
    pub(super) fn cells(&mut self, relevant: &RelevantLabels) -> FrequencySet<W> {
        let levels = &self.lattice.levels;
        let group = |at: usize, code: u32| levels[at][0].of_code[code as usize];
        self.merger.cells(self.lattice.problem, self.layout, relevant, group)
    }

    /// Makes `into` the classes of the node `to`, from those of a node nowhere more general.
    pub(super) fn roll(
        &mut self,
        table: &FrequencySet<W>,
        from: &[u32],
        to: &[u32],
        into: &mut FrequencySet<W>,
    ) {
        self.roll_without(&[], table, from, to, into);
    }

    /// The same, leaving out the classes that are marked.
    pub(super) fn roll_without(
        &mut self,
        marked: &[bool],
        table: &FrequencySet<W>,
        from: &[u32],
        to: &[u32],
        into: &mut FrequencySet<W>,
    ) {
        let changed = (0..to.len()).filter(|&at| from[at] != to[at]);
        let steps: Vec<RollupStep> = changed
            .map(|at| {
                let (from, to) = (self.lattice.level(from, at), self.lattice.level(to, at));
                let field = self.layout.fields[at];
                match to.groups.len() {
                    1 => RollupStep::clear(field),
                    _ => RollupStep::between(field, from, to),
                }
            })
            .collect();
        let groups = (0..to.len()).map(|at| self.lattice.level(to, at).groups.len());
        let most = groups.fold(1, usize::saturating_mul);
        self.merger.merge(marked, table, &steps, most, into);
    }

    /// Makes `into` the classes that are left when attributes are left out.
    pub(super) fn project(
        &mut self,
        table: &FrequencySet<W>,
        without: &[usize],
        into: &mut FrequencySet<W>,
    ) {
        let steps: Vec<RollupStep> =
            without.iter().map(|&at| RollupStep::clear(self.layout.fields[at])).collect();
        self.merger.merge(&[], table, &steps, table.len(), into);
    }
}

impl<const W: usize> ClassMerger<W> {
    pub(super) fn new(relevant: &RelevantLabels) -> Self {
        let labels = relevant.joint.len();
        ClassMerger {
            labels,
            slots: Vec::new(),
            class_of: Vec::new(),
            order: Vec::new(),
            tally: vec![0; labels],
            touched: Vec::new(),
            work: 0,
        }
    }

    /// The cells as classes, by the group of each attribute's code.
    pub(super) fn cells(
        &mut self,
        problem: &Problem,
        layout: &ClassKeyLayout,
        relevant: &RelevantLabels,
        group: impl Fn(usize, u32) -> u32,
    ) -> FrequencySet<W> {
        let cells = &problem.cells;
        let mut all = FrequencySet::default();
        all.sizes.extend(cells.counts().iter().map(|&count| count as u32));
        // The combinations of a population follow the cells, without rows.
        let population = problem.population.as_ref();
        let number = cells.len() + population.map_or(0, |population| population.len());
        if let Some(population) = population {
            all.people.resize(cells.len(), 0);
            all.people.extend(population.counts());
        }
        all.sizes.resize(number, 0);
        all.keys.resize(number, [0; W]);
        let code = |at: usize, place: usize| match (place.checked_sub(cells.len()), population) {
            (Some(place), Some(population)) => population.code(at, place),
            _ => cells.code(at, place),
        };
        for (at, field) in layout.fields.iter().enumerate() {
            for (place, key) in all.keys.iter_mut().enumerate() {
                let group = group(at, code(at, place));
                key[field.word] |= u64::from(group) << field.shift;
            }
        }
        if (1..=FEW).contains(&self.labels) {
            all.few = self.labels;
            all.counts.resize(number * self.labels, 0);
            let counts = all.counts.chunks_exact_mut(self.labels);
            for (cell, counts) in counts.take(cells.len()).enumerate() {
                for &(joint, count) in cells.targets(cell) {
                    counts[relevant.of_joint[joint as usize] as usize] += count as u32;
                }
            }
        } else if self.labels > FEW {
            all.starts.push(0);
            for cell in 0..cells.len() {
                let labels = cells.targets(cell).iter();
                all.entries.extend(
                    labels.map(|&(joint, count)| (relevant.of_joint[joint as usize], count as u32)),
                );
                all.starts.push(all.entries.len() as u32);
            }
            all.starts.resize(number + 1, all.entries.len() as u32);
        }
        // Groups can put cells together, and labels that differ nowhere that matters.
        let mut classes = FrequencySet::default();
        self.merge(&[], &all, &[], number, &mut classes);
        classes
    }

    /// Applies steps to every key and puts classes with equal keys together; there are `most` of them at
    /// most.
    pub(super) fn merge(
        &mut self,
        marked: &[bool],
        table: &FrequencySet<W>,
        steps: &[RollupStep],
        most: usize,
        into: &mut FrequencySet<W>,
    ) {
        self.work += table.len() as u64;
        into.keys.clear();
        into.sizes.clear();
        into.people.clear();
        let bits = (2 * table.len().min(most).max(8)).next_power_of_two().trailing_zeros();
        self.slots.clear();
        self.slots.resize(1 << bits, 0);
        self.class_of.clear();
        let labelled = self.labels > 0;
        let last = self.slots.len() - 1;
        // Most steps to a high node clear a field, which a mask does for all of them at once.
        let mut mask = [u64::MAX; W];
        for step in steps.iter().filter(|step| step.flips.is_empty()) {
            mask[step.field.word] &= !(step.field.mask << step.field.shift);
        }
        let steps: Vec<&RollupStep> = steps.iter().filter(|step| !step.flips.is_empty()).collect();
        for (old, (key, &size)) in table.keys.iter().zip(&table.sizes).enumerate() {
            if marked.get(old) == Some(&true) {
                self.class_of.push(NOWHERE);
                continue;
            }
            let mut key = *key;
            for word in 0..W {
                key[word] &= mask[word];
            }
            for step in &steps {
                key[step.field.word] ^= step.flips[step.field.get(&key)];
            }
            let mut slot = (hash(&key) >> (u64::BITS - bits)) as usize;
            let class = loop {
                match self.slots[slot] {
                    0 => {
                        into.keys.push(key);
                        into.sizes.push(size);
                        self.slots[slot] = into.keys.len() as u32;
                        break self.slots[slot] - 1;
                    }
                    class if into.keys[class as usize - 1] == key => {
                        into.sizes[class as usize - 1] += size;
                        break class - 1;
                    }
                    _ => slot = (slot + 1) & last,
                }
            };
            self.class_of.push(class);
        }
        if !table.people.is_empty() {
            into.people.resize(into.keys.len(), 0);
            for (&people, &class) in table.people.iter().zip(&self.class_of) {
                if class != NOWHERE {
                    into.people[class as usize] += people;
                }
            }
        }
        if self.labels > FEW {
            self.merge_labels(table, into);
        } else if labelled {
            into.few = self.labels;
            into.counts.clear();
            into.counts.resize(into.keys.len() * self.labels, 0);
            let few = self.labels;
            for (old, &class) in self.class_of.iter().enumerate().filter(|it| *it.1 != NOWHERE) {
                let (from, to) = (old * few, class as usize * few);
                for label in 0..few {
                    into.counts[to + label] += table.counts[from + label];
                }
            }
        }
    }

    /// Puts the histograms of classes together that have become one.
    fn merge_labels(&mut self, table: &FrequencySet<W>, into: &mut FrequencySet<W>) {
        // Old classes sorted by new class, by counting.
        let mut places = std::mem::take(&mut into.starts);
        places.clear();
        places.resize(into.keys.len() + 1, 0);
        let kept = || self.class_of.iter().enumerate().filter(|(_, class)| **class != NOWHERE);
        for (_, &class) in kept() {
            places[class as usize + 1] += 1;
        }
        for class in 0..into.keys.len() {
            places[class + 1] += places[class];
        }
        self.order.clear();
        self.order.resize(self.class_of.len(), 0);
        for (old, &class) in kept() {
            let place = &mut places[class as usize];
            self.order[*place as usize] = old as u32;
            *place += 1;
        }
        // Every place has moved on to the next class's first.
        into.entries.clear();
        let mut first = 0;
        for place in &mut places[..into.keys.len()] {
            let end = *place as usize;
            *place = into.entries.len() as u32;
            for &old in &self.order[first..end] {
                table.each_label(old as usize, |label, count| {
                    if self.tally[label as usize] == 0 {
                        self.touched.push(label);
                    }
                    self.tally[label as usize] += count;
                });
            }
            for label in self.touched.drain(..) {
                let count = std::mem::take(&mut self.tally[label as usize]);
                into.entries.push((label, count));
            }
            first = end;
        }
        if let Some(last) = places.last_mut() {
            *last = into.entries.len() as u32;
        }
        into.starts = places;
    }
}

/// A hash whose upper bits are good.
#[inline]
fn hash<const W: usize>(key: &[u64; W]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    key.iter().fold(0, |hash, &word| {
        let product = u128::from(word ^ hash) * u128::from(ODD);
        (product as u64) ^ ((product >> 64) as u64).rotate_left(32)
    })
}
