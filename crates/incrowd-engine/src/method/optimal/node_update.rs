//! From one node to the next: cuts are made and cuts are taken out.

use crate::space::cuts::CutDecision;

use super::cell_hash_table::CellHashTable;
use super::cost_model::{CostModel, PackedSum};
use super::layout::{AxisField, AxisLayout, CellKey};
use super::node::{GridCell, NodeClass, ProverContext, ProverNode};

impl<M: CostModel> ProverContext<'_, M> {
    /// The node below another one that has at least these decisions; none if the two contradict.
    pub(super) fn below<K: CellKey>(
        &self,
        base: &ProverNode<K, M>,
        choices: &[CutDecision],
        places: &mut CellHashTable,
    ) -> Option<ProverNode<K, M>> {
        let mut node = base.clone();
        let mut outs = Vec::new();
        for (slot, (&known, &choice)) in base.choices.iter().zip(choices).enumerate() {
            match (known, choice) {
                (CutDecision::In, CutDecision::Out) | (CutDecision::Out, CutDecision::In) => {
                    return None;
                }
                (CutDecision::Open, CutDecision::Out) => outs.push(slot),
                _ => {}
            }
        }
        self.take_out(&mut node, &outs, places);
        for axis in 0..self.axes() {
            let slots = self.layout.slots_of(axis);
            let ins: Vec<u16> = slots
                .clone()
                .filter(|&at| {
                    choices[at] == CutDecision::In && node.choices[at] == CutDecision::Open
                })
                .map(|at| (at - slots.start) as u16)
                .collect();
            if !ins.is_empty() {
                let mut child = node.bare();
                for &at in &ins {
                    child.choices[slots.start + usize::from(at)] = CutDecision::In;
                }
                self.divide(&node, &mut child, (axis, &ins), &[], u64::MAX, places);
                node = child;
            }
        }
        if M::WIDTHS {
            self.refresh(&mut node);
        }
        Some(node)
    }

    /// The node with further cuts of an axis in and others out, which must be open in it; none if that
    /// cannot be, or if all below it costs at least the cutoff.
    pub(super) fn child<K: CellKey>(
        &self,
        parent: &ProverNode<K, M>,
        slots: &[usize],
        outs: &[usize],
        cutoff: u64,
        spare: &mut Vec<ProverNode<K, M>>,
        places: &mut CellHashTable,
    ) -> Option<ProverNode<K, M>> {
        let mut child = spare.pop().unwrap_or_else(|| parent.bare());
        child.choices.clone_from(&parent.choices);
        let (axis, _) = self.layout.cut(*slots.first()?);
        for &slot in slots {
            child.choices[slot] = CutDecision::In;
        }
        for &slot in outs {
            child.choices[slot] = CutDecision::Out;
        }
        let slots = self.layout.slots_of(axis);
        if !self.space.axes[axis].propagate(&mut child.choices[slots.clone()]) {
            spare.push(child);
            return None;
        }
        let ins: Vec<u16> = slots
            .clone()
            .filter(|&at| {
                child.choices[at] == CutDecision::In && parent.choices[at] == CutDecision::Open
            })
            .map(|at| (at - slots.start) as u16)
            .collect();
        let outs: Vec<usize> = (0..child.choices.len())
            .filter(|&at| {
                child.choices[at] == CutDecision::Out && parent.choices[at] == CutDecision::Open
            })
            .collect();
        child.runs.clone_from(&parent.runs);
        child.cells.clear();
        child.classes.clear();
        child.bounds.clear();
        child.members.clear();
        child.histograms.clear();
        (child.fixed, child.suppressed) = (parent.fixed, parent.suppressed);
        (child.most, child.bound) = (parent.most, parent.bound);
        if !self.divide(parent, &mut child, (axis, &ins), &outs, cutoff, places) {
            spare.push(child);
            return None;
        }
        if M::WIDTHS {
            self.refresh(&mut child);
        }
        Some(child)
    }

    /// Copies the classes of a node, those that cuts of an axis divide in parts, with the cells joined that only
    /// cuts taken out separate. The child has the parent's runs still. Ends early, with `false`, once all below
    /// the child costs at least the cutoff.
    fn divide<K: CellKey>(
        &self,
        parent: &ProverNode<K, M>,
        child: &mut ProverNode<K, M>,
        (axis, ins): (usize, &[u16]),
        outs: &[usize],
        cutoff: u64,
        places: &mut CellHashTable,
    ) -> bool {
        let (shift, mask) = self.layout.fields[axis];
        let axes = self.axes();
        let mut part = vec![(0, 0); axes];
        let runs = &parent.runs[axis];
        let leaving = self.leave(child, outs);
        let mut touched: Vec<AxisField> = Vec::with_capacity(axes);
        // What the classes looked at cost at least, and those to come in the parent.
        let bounds = parent.classes.iter().map(|class| self.kernel.bound(class.word));
        let mut least = parent.fixed + bounds.sum::<u64>();
        for (at, class) in parent.classes.iter().enumerate() {
            let bounds = &parent.bounds[at * axes..(at + 1) * axes];
            let (low, high) = bounds[axis];
            let cells = &parent.cells[class.start as usize..class.end as usize];
            let members = &parent.members[class.members.0 as usize..class.members.1 as usize];
            let histogram = class
                .histogram
                .filter(|_| self.keeps(cells.len()))
                .map(|begin| &parent.histograms[begin as usize..][..self.layout.slots]);
            let first = ins.partition_point(|&cut| cut <= low);
            let last = ins.partition_point(|&cut| cut <= high);
            part.copy_from_slice(bounds);
            let joined = leaving.touch(&self.layout, &mut part, &mut touched);
            // People of a population may lie beyond the rows of a class, and beyond cuts that divide no rows.
            let ends = match self.space.problem.population.is_some() {
                true => {
                    let before = first.checked_sub(1).map_or(0, |at| ins[at]);
                    (before, ins.get(last).copied().unwrap_or(u16::MAX))
                }
                false => (0, u16::MAX),
            };
            if first == last && touched.is_empty() && ends == (0, u16::MAX) {
                copy(child, class, cells, members, bounds, histogram);
                continue;
            }
            least -= child.fixed + self.kernel.bound(class.word);
            let mut from = ends.0;
            for &to in ins[first..last].iter().chain(&[ends.1]) {
                let (start, member) = (child.cells.len(), child.members.len());
                let within = |value: u16| from <= value && value < to;
                if joined {
                    places.clear(cells.len());
                }
                for cell in cells {
                    if !within(cell.key.field(shift, mask)) {
                        continue;
                    }
                    if touched.is_empty() {
                        child.cells.push(*cell);
                        continue;
                    }
                    let (cell, moved) = leaving.moved(cell, &touched);
                    let at = child.cells.len();
                    let known = (joined && moved)
                        .then(|| places.find_or_put(cell.key, at, |at| child.cells[at].key));
                    match known.flatten() {
                        Some(at) => self.kernel.join(&mut child.cells[at].load, &cell.load),
                        None => child.cells.push(cell),
                    }
                }
                let values = &self.space.values[axis];
                for &member in members {
                    if within(values[member as usize]) {
                        child.members.push(member);
                    }
                }
                // Whatever the part does not reach is found by the next pass.
                let end = runs[runs.partition_point(|&run| run < to) - 1];
                let begin = |run: u16| leaving.begin(&self.layout, axis, run);
                part[axis] = (begin(low.max(from)), begin(high.min(end)));
                let known = child.classes.len();
                self.close(child, start, member, &part);
                if let Some(class) = child.classes.get(known) {
                    least += self.kernel.bound(class.word);
                    if let Some(histogram) = histogram.filter(|_| touched.is_empty()) {
                        let others =
                            |cell: &&GridCell<K, M::Load>| !within(cell.key.field(shift, mask));
                        self.part_histogram(child, known, histogram, cells, others);
                    }
                }
                from = to;
            }
            least += child.fixed;
            // By width the cells' bounds change with every decision.
            if least >= cutoff && !M::WIDTHS {
                return false;
            }
        }
        for at in 0..child.classes.len() {
            if child.classes[at].histogram.is_none() {
                self.keep_histogram(child, at);
            }
        }
        true
    }

    /// Keeps the histogram of a part of a class, by the shorter way: from its own cells, or from the
    /// histogram of the whole and the other cells.
    fn part_histogram<K: CellKey>(
        &self,
        child: &mut ProverNode<K, M>,
        at: usize,
        whole: &[PackedSum],
        cells: &[GridCell<K, M::Load>],
        others: impl Fn(&&GridCell<K, M::Load>) -> bool,
    ) {
        let class = &mut child.classes[at];
        let own = (class.end - class.start) as usize;
        if 2 * own < cells.len() {
            return self.keep_histogram(child, at);
        }
        if self.keeps(own) {
            let begin = child.histograms.len();
            class.histogram = Some(begin as u32);
            child.histograms.extend_from_slice(whole);
            let histogram = &mut child.histograms[begin..];
            let divided = self.divided(&child.bounds[at * self.axes()..]);
            for cell in cells.iter().filter(others) {
                let word = self.kernel.word(&cell.load);
                for field in &divided {
                    let slot = field.slot(cell.key);
                    histogram[slot] = histogram[slot].minus(word);
                }
            }
        }
    }

    /// Takes open cuts out: joins the cells that only they separate.
    pub(super) fn take_out<K: CellKey>(
        &self,
        node: &mut ProverNode<K, M>,
        outs: &[usize],
        places: &mut CellHashTable,
    ) {
        let axes = self.axes();
        for &slot in outs {
            node.choices[slot] = CutDecision::Out;
        }
        let leaving = self.leave(node, outs);
        let mut touched: Vec<AxisField> = Vec::with_capacity(axes);
        let (mut write, mut kept) = (0, 0);
        // What may still have had passing parts has none once it cannot be divided.
        let asks_again = self.space.problem.suppresses_what_may_pass();
        for at in 0..node.classes.len() {
            let class = node.classes[at];
            let (start, end) = (class.start as usize, class.end as usize);
            let bounds = &mut node.bounds[at * axes..(at + 1) * axes];
            let joined = leaving.touch(&self.layout, bounds, &mut touched);
            let counted = joined && class.histogram.is_some();
            let divided = if counted { self.divided(bounds) } else { Vec::new() };
            let mut histogram = class
                .histogram
                .map(|begin| &mut node.histograms[begin as usize..][..self.layout.slots]);
            if !touched.is_empty()
                && let Some(histogram) = &mut histogram
            {
                for &slot in outs {
                    let (axis, _) = self.layout.cut(slot);
                    let word = std::mem::take(&mut histogram[slot]);
                    let begin = usize::from(leaving.fates[slot].begin);
                    histogram[self.layout.first[axis] + begin].add(word);
                }
            }
            if joined {
                places.clear(end - start);
            }
            let mut class = NodeClass { start: write as u32, ..class };
            let mut reads = start..end;
            if touched.is_empty() {
                node.cells.copy_within(reads.clone(), write);
                write += reads.len();
                reads = end..end;
            }
            for read in reads {
                let (cell, moved) = leaving.moved(&node.cells[read], &touched);
                let known = if joined && moved {
                    places.find_or_put(cell.key, write, |place| node.cells[place].key)
                } else {
                    None
                };
                let Some(place) = known else {
                    node.cells[write] = cell;
                    write += 1;
                    continue;
                };
                let load = &mut node.cells[place].load;
                let apart = self.kernel.word(load).base + self.kernel.word(&cell.load).base;
                self.kernel.join(load, &cell.load);
                let rise = self.kernel.word(load).base.wrapping_sub(apart);
                if rise != 0 {
                    class.word.base = class.word.base.wrapping_add(rise);
                    if let Some(histogram) = &mut histogram {
                        for field in &divided {
                            histogram[field.slot(cell.key)].base += rise;
                        }
                    }
                }
            }
            class.end = write as u32;
            if self.is_whole((class.end - class.start) as usize) {
                let (from, to) = class.members;
                if asks_again && self.is_lost(&node.members[from as usize..to as usize], true) {
                    let rows = class.word.rows();
                    node.fixed += self.kernel.suppressed(rows);
                    node.suppressed += rows;
                    write -= 1;
                    continue;
                }
                if !M::WIDTHS {
                    node.fixed += self.kernel.cost(&class.total, |_| (0, 0));
                    write -= 1;
                    continue;
                }
            }
            node.classes[kept] = class;
            node.bounds.copy_within(at * axes..(at + 1) * axes, kept * axes);
            kept += 1;
        }
        node.cells.truncate(write);
        node.classes.truncate(kept);
        node.bounds.truncate(kept * axes);
        if M::WIDTHS {
            self.refresh(node);
        }
    }

    /// Takes the runs of a node away that begin at cuts which have just gone out, and tells what becomes of them.
    fn leave<K: CellKey>(&self, node: &mut ProverNode<K, M>, outs: &[usize]) -> CutRemoval<K> {
        let mut gone: Vec<Vec<u16>> = vec![Vec::new(); self.axes()];
        for &slot in outs {
            let (axis, position) = self.layout.cut(slot);
            gone[axis].push(position as u16);
        }
        let fate = RunMerge { begin: 0, flip: K::ZERO, moved: false };
        let size = if outs.is_empty() { 0 } else { self.layout.slots };
        let mut fates = vec![fate; size];
        for axis in (0..self.axes()).filter(|&axis| !gone[axis].is_empty()) {
            let first = self.layout.first[axis];
            let (shift, _) = self.layout.fields[axis];
            let mut begin = 0;
            for &run in &node.runs[axis] {
                let slot = first + usize::from(run);
                let out = node.choices[slot] == CutDecision::Out;
                if out {
                    fates[first + usize::from(begin)].moved = true;
                } else {
                    begin = run;
                }
                fates[slot] = RunMerge { begin, flip: K::flip(shift, run, begin), moved: out };
            }
            node.runs[axis] = self.runs(&node.choices, axis);
        }
        CutRemoval { gone, fates }
    }
}

/// Adds a class to a node as it is in another one, with its histogram there.
fn copy<K: CellKey, M: CostModel>(
    node: &mut ProverNode<K, M>,
    class: &NodeClass<M::Load>,
    cells: &[GridCell<K, M::Load>],
    members: &[u32],
    bounds: &[(u16, u16)],
    histogram: Option<&[PackedSum]>,
) {
    let (start, member) = (node.cells.len() as u32, node.members.len() as u32);
    let begin = node.histograms.len() as u32;
    node.cells.extend_from_slice(cells);
    node.members.extend_from_slice(members);
    node.bounds.extend_from_slice(bounds);
    node.histograms.extend_from_slice(histogram.unwrap_or_default());
    node.classes.push(NodeClass {
        start,
        end: node.cells.len() as u32,
        members: (member, node.members.len() as u32),
        histogram: histogram.map(|_| begin),
        ..*class
    });
}

/// Cuts that go out.
struct CutRemoval<K> {
    /// By axis: their positions.
    gone: Vec<Vec<u16>>,
    /// By slot of a run's first value, on the axes that have such cuts.
    fates: Vec<RunMerge<K>>,
}

impl<K: CellKey> CutRemoval<K> {
    /// Collects the axes on which a class with these bounds changes, and changes the bounds; tells whether
    /// cells are joined.
    fn touch(
        &self,
        layout: &AxisLayout,
        bounds: &mut [(u16, u16)],
        touched: &mut Vec<AxisField>,
    ) -> bool {
        touched.clear();
        let mut joined = false;
        for (axis, (gone, bounds)) in self.gone.iter().zip(bounds).enumerate() {
            let (low, high) = *bounds;
            let begin = |run: u16| self.begin(layout, axis, run);
            let inside = gone.iter().any(|&cut| low < cut && cut <= high);
            // The first run may have begun at a cut that is gone.
            if inside || begin(low) != low {
                touched.push(layout.field(axis));
                *bounds = (begin(low), begin(high));
                joined |= inside;
            }
        }
        joined
    }

    /// Where a run of an axis begins then.
    fn begin(&self, layout: &AxisLayout, axis: usize, run: u16) -> u16 {
        let stays = self.gone[axis].is_empty();
        if stays { run } else { self.fates[layout.first[axis] + usize::from(run)].begin }
    }

    /// A cell as it is then, and whether it may be joined with others.
    #[inline]
    fn moved<L: Copy>(
        &self,
        cell: &GridCell<K, L>,
        touched: &[AxisField],
    ) -> (GridCell<K, L>, bool) {
        let (mut key, mut moved) = (cell.key, false);
        for field in touched {
            let fate = self.fates[field.slot(cell.key)];
            key = key.flipped(fate.flip);
            moved |= fate.moved;
        }
        (GridCell { key, load: cell.load }, moved)
    }
}

/// What becomes of a run when cuts are taken out.
#[derive(Debug, Clone, Copy)]
struct RunMerge<K> {
    /// Where the run begins that it is part of then.
    begin: u16,
    /// What changes in the keys of its cells.
    flip: K,
    /// Whether it is joined with another.
    moved: bool,
}
