//! One look at a node: its lower bound, and what each value of its tail would do to the head's classes.

use super::classes::{CutPosition, HeadClass, HeadClasses, InducedClass};
use crate::privacy::ClassTally;
use crate::space::cuts::{ClassPricing, CutSet, CutSpace};

/// The allset's classes are found by sorting when the tail is longer than this, else by splitting.
const LONG_TAIL: usize = 20;

/// Stands for "no cut of the tail".
const NONE: u32 = u32::MAX;

/// What making one cut of the tail does.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CutEffect {
    /// How many of the head's classes it splits.
    pub(super) splits: u32,
    /// By how much the sum of the squared sizes falls, halved.
    pub(super) separated: u64,
    /// By how much the bound rises.
    pub(super) cost: u64,
    /// How many rows it suppresses.
    pub(super) suppressed: u64,
    /// Whether the paper's rule does not tell it to be useless.
    pub(super) useful: bool,
}

/// A class that the allset induces inside a class of the head that passes.
struct AllsetClass {
    class: u32,
    /// One of its cells.
    cell: u32,
    size: u64,
    /// The least that its rows cost as long as they are not suppressed.
    least: u64,
}

/// Rows and the least that they cost.
#[derive(Debug, Clone, Copy, Default)]
struct SlotSum {
    rows: u64,
    least: u64,
}

/// What is known of a node, and room to work it out.
#[derive(Default)]
pub(super) struct NodeSurvey {
    /// No cut set from the head to the allset costs less. `u64::MAX` if all suppress too many rows.
    pub(super) bound: u64,
    /// How many rows the head suppresses.
    pub(super) suppressed: u64,
    /// What each cut of the tail does.
    pub(super) effects: Vec<CutEffect>,
    parts: Vec<AllsetClass>,
    /// By slot.
    sums: Vec<SlotSum>,
    /// By slot, for requirements beyond k.
    tallies: Vec<ClassTally>,
}

/// The intervals of the allset.
///
/// Each one of an attribute that the tail can cut is a *slot*; values of all attributes stand one after
/// the other.
struct AllsetSlots {
    /// Where each attribute's values start.
    starts: Vec<usize>,
    /// The attributes that the tail can cut, each with its slots.
    ranges: Vec<(usize, std::ops::Range<usize>)>,
    /// The slot of each value.
    of: Vec<u32>,
    /// Which cut of the tail lies below a slot.
    below: Vec<u32>,
    /// Each value's share of a key that tells the parts of one class of the head from each other.
    keys: Vec<u64>,
    /// Whether the keys have room in 64 bits.
    keys_fit: bool,
    /// What a row pays for the interval of each value, for the metrics that charge for them.
    prices: Vec<u64>,
}

impl AllsetSlots {
    fn new(space: &CutSpace<'_>, head: &CutSet, tail: &[CutPosition]) -> Self {
        let mut starts = vec![0];
        for axis in &space.axes {
            starts.push(starts[starts.len() - 1] + axis.values());
        }
        let values = starts.pop().unwrap_or(0);
        let mut cut_at = vec![NONE; values];
        for (at, cut) in tail.iter().enumerate() {
            cut_at[starts[cut.axis] + cut.position] = at as u32;
        }
        let mut slots = AllsetSlots {
            ranges: Vec::new(),
            of: vec![NONE; values],
            below: Vec::new(),
            keys: vec![0; values],
            keys_fit: true,
            prices: Vec::new(),
            starts,
        };
        let mut shift = 0;
        for (axis, values) in space.axes.iter().enumerate() {
            let start = slots.starts[axis];
            let cut_at = &cut_at[start..start + values.values()];
            if let ClassPricing::Widths(widths) = &space.price {
                let is_edge =
                    |at: usize| cut_at.get(at).is_none_or(|&cut| cut != NONE) || head.has(axis, at);
                let mut first = 0;
                for end in (1..=cut_at.len()).filter(|&end| is_edge(end)) {
                    let price = widths.of(axis, first, end);
                    slots.prices.extend(std::iter::repeat_n(price, end - first));
                    first = end;
                }
            }
            if cut_at.iter().all(|&cut| cut == NONE) {
                continue;
            }
            let first = slots.below.len();
            for (value, &cut) in cut_at.iter().enumerate() {
                if value == 0 || cut != NONE || head.has(axis, value) {
                    slots.below.push(cut);
                }
                slots.of[start + value] = slots.below.len() as u32 - 1;
            }
            let range = first..slots.below.len();
            let bits = usize::BITS - (range.len() - 1).leading_zeros();
            slots.keys_fit &= shift + bits <= u64::BITS;
            if slots.keys_fit {
                for value in start..start + cut_at.len() {
                    slots.keys[value] = (u64::from(slots.of[value]) - first as u64) << shift;
                }
            }
            shift += bits;
            slots.ranges.push((axis, range));
        }
        slots
    }
}

impl NodeSurvey {
    /// Looks at the node with this tail, whose head has induced these classes.
    pub(super) fn take(
        &mut self,
        classes: &mut HeadClasses<'_>,
        head: &CutSet,
        tail: &[CutPosition],
    ) {
        let space = classes.space;
        self.suppressed = classes.suppressed();
        self.effects.clear();
        let is_useful = CutEffect {
            useful: matches!(space.price, ClassPricing::Widths(_)),
            ..CutEffect::default()
        };
        // Where a cut also narrows the intervals of classes that it does not split, none is useless.
        self.effects.resize(tail.len(), is_useful);
        self.bound = u64::MAX;
        if self.suppressed > space.limit {
            return;
        }
        let slots = AllsetSlots::new(space, head, tail);
        self.find_parts(classes, &slots, tail);
        self.bound = self.suppressed * lost(space);
        self.bound += self.parts.iter().map(|part| part.least).sum::<u64>();

        let parts = std::mem::take(&mut self.parts);
        for parts in parts.chunk_by(|one, other| one.class == other.class) {
            self.sums.clear();
            self.sums.resize(slots.below.len(), SlotSum::default());
            for part in parts {
                let values = classes.values(part.cell);
                for &(axis, _) in &slots.ranges {
                    let slot = slots.of[slots.starts[axis] + usize::from(values[axis])];
                    let sum = &mut self.sums[slot as usize];
                    sum.rows += part.size;
                    sum.least += part.least;
                }
            }
            let class = classes.list()[parts[0].class as usize];
            self.add_effects(classes, &slots, &class);
        }
        self.parts = parts;
    }

    /// The allset's classes, those inside one of the head's together.
    fn find_parts(
        &mut self,
        classes: &mut HeadClasses<'_>,
        slots: &AllsetSlots,
        tail: &[CutPosition],
    ) {
        let space = classes.space;
        let k = space.problem.privacy.k;
        let parts = &mut self.parts;
        parts.clear();
        let add = |found: InducedClass<'_>| {
            let size = found.size;
            let least = match &space.price {
                ClassPricing::Dm => size * size.max(k),
                ClassPricing::Cm => {
                    size - u64::from(found.labels.iter().copied().max().unwrap_or(0))
                }
                ClassPricing::Widths(widths) => {
                    let values = found.values.iter().zip(&slots.starts);
                    let prices =
                        values.map(|(&value, start)| slots.prices[start + usize::from(value)]);
                    size * prices.sum::<u64>().min(widths.suppressed)
                }
            };
            parts.push(AllsetClass { class: found.class as u32, cell: found.cell, size, least });
        };
        if tail.len() > LONG_TAIL && slots.keys_fit {
            classes.each_part_by_sorting(&slots.keys, &slots.starts, add);
        } else {
            classes.each_part_by_splitting(tail, add);
            self.parts.sort_by_key(|part| part.class);
        }
    }

    /// Adds what the cuts do to a class, whose sums are there.
    fn add_effects(&mut self, classes: &HeadClasses<'_>, slots: &AllsetSlots, class: &HeadClass) {
        let space = classes.space;
        let privacy = &space.problem.privacy;
        // Sizes are enough for k; the other requirements look at tallies.
        let by_size = privacy.is_by_size();
        let [mut whole_tally, mut low_tally, mut high_tally] = std::array::from_fn(|_| {
            if by_size { ClassTally::new(&[], 0) } else { space.problem.targets.tally() }
        });
        if !by_size {
            self.tally(classes, slots, class);
            for &cell in classes.cells(class) {
                space.tally(cell as usize, &mut whole_tally);
            }
        }
        let least: u64 = slots
            .ranges
            .first()
            .map_or(0, |(_, range)| self.sums[range.clone()].iter().map(|sum| sum.least).sum());
        let whole = SlotSum { rows: class.size, least };
        for (_, range) in &slots.ranges {
            let mut low = SlotSum::default();
            low_tally.clear();
            for slot in range.clone() {
                if slots.below[slot] != NONE && low.rows > 0 && low.rows < whole.rows {
                    let high =
                        SlotSum { rows: whole.rows - low.rows, least: whole.least - low.least };
                    let passes = if by_size {
                        [low.rows >= privacy.k, high.rows >= privacy.k]
                    } else {
                        high_tally.difference(&whole_tally, &low_tally);
                        [privacy.passes(&low_tally), privacy.passes(&high_tally)]
                    };
                    self.effects[slots.below[slot] as usize].add(space, [low, high], passes);
                }
                low.rows += self.sums[slot].rows;
                low.least += self.sums[slot].least;
                if !by_size {
                    low_tally.absorb(&self.tallies[slot]);
                }
            }
        }
    }

    /// The tally of each slot in a class.
    fn tally(&mut self, classes: &HeadClasses<'_>, slots: &AllsetSlots, class: &HeadClass) {
        let space = classes.space;
        self.tallies.iter_mut().for_each(ClassTally::clear);
        self.tallies.resize_with(slots.below.len(), || space.problem.targets.tally());
        for &cell in classes.cells(class) {
            let values = classes.values(cell);
            for &(axis, _) in &slots.ranges {
                let slot = slots.of[slots.starts[axis] + usize::from(values[axis])];
                space.tally(cell as usize, &mut self.tallies[slot as usize]);
            }
        }
    }
}

impl CutEffect {
    /// Adds the split of one class into two parts.
    fn add(&mut self, space: &CutSpace<'_>, parts: [SlotSum; 2], passes: [bool; 2]) {
        let [low, high] = parts;
        self.splits += 1;
        self.separated += low.rows * high.rows;
        for (part, _) in parts.iter().zip(passes).filter(|(_, passes)| !passes) {
            self.suppressed += part.rows;
            self.cost += (part.rows * lost(space)).saturating_sub(part.least);
        }
        // The paper calls a value useless if at least one part of every class that it splits fails.
        // For discernibility that is not enough: a small suppressed part can pay for a large one that
        // becomes smaller, unless n1 + 2 n2 <= |D|, for then uniting any part of n1 with any part of n2
        // costs no more: (a + b)^2 <= |D| a + b^2.
        let (failing, passing) = match passes {
            [true, true] => return self.useful = true,
            [false, false] => return,
            [false, true] => (low.rows, high.rows),
            [true, false] => (high.rows, low.rows),
        };
        self.useful |=
            matches!(space.price, ClassPricing::Dm) && failing + 2 * passing > space.problem.rows;
    }
}

/// What a suppressed row costs.
pub(super) fn lost(space: &CutSpace<'_>) -> u64 {
    match &space.price {
        ClassPricing::Dm => space.problem.rows,
        ClassPricing::Cm => 1,
        ClassPricing::Widths(widths) => widths.suppressed,
    }
}
