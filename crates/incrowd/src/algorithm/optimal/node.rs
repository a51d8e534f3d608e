//! A node of the search: cuts decided so far, and the cells that remain to be told apart.

use crate::cuts::{Choice, Space};
use crate::privacy::Tally;

use super::kernel::{Kernel, Run, Word};
use super::layout::{Key, Layout};

/// A cell: rows that no cut still possible can separate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<K, L> {
    /// On each axis the first value of the cell's run.
    pub(super) key: K,
    pub(super) load: L,
}

/// A class of the cuts that are in: consecutive cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class<L> {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The sum of its cells.
    pub(super) word: Word,
    pub(super) total: L,
    /// Its members among the space's cells, where privacy models need them.
    pub(super) members: (u32, u32),
}

/// A node.
///
/// Rows of classes that fail leave it for `fixed`, for they are suppressed in every refinement; so do
/// classes of one cell, whose cost is known.
#[derive(Debug)]
pub(super) struct Node<K, M: Kernel> {
    /// By slot.
    pub(super) choices: Vec<Choice>,
    /// By axis: the first values of its runs; a run ends where the next begins.
    pub(super) runs: Vec<Vec<u16>>,
    pub(super) cells: Vec<Cell<K, M::Load>>,
    pub(super) classes: Vec<Class<M::Load>>,
    /// By class and axis: the first and the last run that it occupies at most.
    pub(super) bounds: Vec<(u16, u16)>,
    pub(super) members: Vec<u32>,
    /// What is spent already.
    pub(super) fixed: u64,
    /// Rows suppressed already.
    pub(super) suppressed: u64,
    /// No solution below this node costs less.
    pub(super) bound: u64,
}

impl<K: Key, M: Kernel> Clone for Node<K, M> {
    fn clone(&self) -> Self {
        Node {
            cells: self.cells.clone(),
            classes: self.classes.clone(),
            bounds: self.bounds.clone(),
            members: self.members.clone(),
            ..self.bare()
        }
    }
}

impl<K: Key, M: Kernel> Node<K, M> {
    /// A node with the same decisions but without classes.
    fn bare(&self) -> Self {
        Node {
            choices: self.choices.clone(),
            runs: self.runs.clone(),
            cells: Vec::with_capacity(self.cells.len()),
            classes: Vec::new(),
            bounds: Vec::new(),
            members: Vec::new(),
            fixed: self.fixed,
            suppressed: self.suppressed,
            bound: self.bound,
        }
    }
}

/// What every node of a search shares.
pub(super) struct Ground<'a, M> {
    pub(super) space: &'a Space<'a>,
    pub(super) layout: Layout,
    pub(super) kernel: &'a M,
    pub(super) k: u64,
    pub(super) limit: u64,
}

impl<M: Kernel> Ground<'_, M> {
    pub(super) fn axes(&self) -> usize {
        self.layout.values.len()
    }

    /// Whether a cut that helps no class can go: others may need it, and by width every cut helps.
    pub(super) fn can_drop(&self, slot: usize) -> bool {
        let (axis, position) = self.layout.cut(slot);
        !M::WIDTHS && self.space.axes[axis].can_drop(position)
    }

    /// The first value of a class's interval and its end, on an axis.
    pub(super) fn interval(&self, choices: &[Choice], axis: usize, value: u16) -> (usize, usize) {
        let slots = &choices[self.layout.slots_of(axis)];
        let value = usize::from(value);
        let first = (0..=value).rev().find(|&at| slots[at] == Choice::In).unwrap_or(0);
        let end = (value + 1..slots.len()).find(|&at| slots[at] == Choice::In);
        (first, end.unwrap_or(slots.len() - 1))
    }

    /// The run that begins at a value.
    fn run(&self, choices: &[Choice], axis: usize, value: u16) -> Run {
        let slots = &choices[self.layout.slots_of(axis)];
        let first = usize::from(value);
        let alive = |at: &usize| slots[*at] != Choice::Out;
        let end = (first + 1..slots.len()).find(alive).unwrap_or(slots.len() - 1);
        let open = |at: usize| slots[at] == Choice::Open;
        Run {
            first,
            end,
            left: open(first).then(|| (0..first).rev().find(alive).unwrap_or(0)),
            right: open(end).then(|| (end + 1..slots.len()).find(alive).unwrap_or(end)),
        }
    }

    /// The node with these choices, made from the space's cells; none if the axes allow no such
    /// division.
    pub(super) fn node<K: Key>(&self, mut choices: Vec<Choice>) -> Option<Node<K, M>> {
        let layout = &self.layout;
        for axis in 0..self.axes() {
            if !self.space.axes[axis].propagate(&mut choices[layout.slots_of(axis)]) {
                return None;
            }
        }
        // Sorting by head first makes every class contiguous.
        let heads: Vec<Vec<u16>> = self.starts(&choices, |choice| choice == Choice::In);
        let alive: Vec<Vec<u16>> = self.starts(&choices, |choice| choice != Choice::Out);
        let mut cells: Vec<(K, Cell<K, M::Load>, u32)> = (0..self.space.cells())
            .map(|cell| {
                let (mut head, mut key) = (K::ZERO, K::ZERO);
                for axis in 0..self.axes() {
                    let value = usize::from(self.space.values[axis][cell]);
                    let (shift, mask) = layout.fields[axis];
                    head = head.with(shift, mask, heads[axis][value]);
                    key = key.with(shift, mask, alive[axis][value]);
                }
                (head, Cell { key, load: self.kernel.load(self.space, cell) }, cell as u32)
            })
            .collect();
        cells.sort_unstable_by_key(|(head, cell, at)| (*head, cell.key, *at));
        let with_members = !self.space.problem.privacy.requirements.is_empty();
        let mut node = Node {
            runs: (0..self.axes()).map(|axis| self.runs(&choices, axis)).collect(),
            choices,
            cells: Vec::new(),
            classes: Vec::new(),
            bounds: Vec::new(),
            members: Vec::new(),
            fixed: 0,
            suppressed: 0,
            bound: 0,
        };
        let whole: Vec<(u16, u16)> =
            node.runs.iter().map(|runs| (0, runs.last().copied().unwrap_or(0))).collect();
        for class in cells.chunk_by(|one, other| one.0 == other.0) {
            let (start, member) = (node.cells.len(), node.members.len());
            for (_, cell, at) in class {
                match node.cells[start..].last_mut() {
                    Some(last) if last.key == cell.key => {
                        self.kernel.join(&mut last.load, &cell.load)
                    }
                    _ => node.cells.push(*cell),
                }
                if with_members {
                    node.members.push(*at);
                }
            }
            self.close(&mut node, start, member, &whole);
        }
        if M::WIDTHS {
            self.refresh(&mut node);
        }
        Some(node)
    }

    /// By axis and value: the first value of the run that it lies in, if runs begin at such choices.
    fn starts(&self, choices: &[Choice], begins: impl Fn(Choice) -> bool) -> Vec<Vec<u16>> {
        (0..self.axes())
            .map(|axis| {
                let slots = &choices[self.layout.slots_of(axis)];
                let mut start = 0;
                (0..self.layout.values[axis])
                    .map(|value| {
                        if begins(slots[value]) {
                            start = value as u16;
                        }
                        start
                    })
                    .collect()
            })
            .collect()
    }

    /// The first values of an axis's runs.
    fn runs(&self, choices: &[Choice], axis: usize) -> Vec<u16> {
        let slots = &choices[self.layout.slots_of(axis)];
        let inner = 0..self.layout.values[axis];
        inner.filter(|&at| slots[at] != Choice::Out).map(|at| at as u16).collect()
    }

    /// Makes a class of the cells and members from here on, or settles their cost if it is known.
    fn close<K: Key>(
        &self,
        node: &mut Node<K, M>,
        start: usize,
        member: usize,
        bounds: &[(u16, u16)],
    ) {
        let Some(first) = node.cells.get(start) else { return };
        let mut total = first.load;
        let mut word = self.kernel.word(&first.load);
        for cell in &node.cells[start + 1..] {
            self.kernel.join(&mut total, &cell.load);
            word.add(self.kernel.word(&cell.load));
        }
        let rows = word.rows();
        if rows < self.k || !self.passes(&node.members[member..]) {
            node.fixed += self.kernel.suppressed(rows);
            node.suppressed += rows;
            node.cells.truncate(start);
            node.members.truncate(member);
            return;
        }
        if node.cells.len() == start + 1 && !M::WIDTHS {
            node.fixed += self.kernel.cost(&total, |_| (0, 0));
            node.cells.truncate(start);
            node.members.truncate(member);
            return;
        }
        node.bounds.extend_from_slice(bounds);
        node.classes.push(Class {
            start: start as u32,
            end: node.cells.len() as u32,
            word,
            total,
            members: (member as u32, node.members.len() as u32),
        });
    }

    /// Whether rows satisfy the models beyond k.
    fn passes(&self, members: &[u32]) -> bool {
        let problem = self.space.problem;
        if problem.privacy.requirements.is_empty() {
            return true;
        }
        let mut tally: Tally = problem.labels.tally();
        for &member in members {
            self.space.tally(member as usize, &mut tally);
        }
        problem.privacy.passes(&tally)
    }

    /// Recomputes the bounds of all cells from their boxes.
    fn refresh<K: Key>(&self, node: &mut Node<K, M>) {
        let table: Vec<Vec<Run>> = (0..self.axes())
            .map(|axis| {
                let run = |value| self.run(&node.choices, axis, value as u16);
                (0..self.layout.values[axis]).map(run).collect()
            })
            .collect();
        for cell in &mut node.cells {
            let key = cell.key;
            self.kernel.refresh(&mut cell.load, |axis| {
                let (shift, mask) = self.layout.fields[axis];
                table[axis][usize::from(key.field(shift, mask))]
            });
        }
        for class in &mut node.classes {
            class.word = Word::default();
            for cell in &node.cells[class.start as usize..class.end as usize] {
                class.word.add(self.kernel.word(&cell.load));
            }
        }
    }

    /// The node below another one that has at least these decisions; none if the two contradict.
    pub(super) fn below<K: Key>(
        &self,
        base: &Node<K, M>,
        choices: &[Choice],
    ) -> Option<Node<K, M>> {
        let mut node = base.clone();
        let mut outs = Vec::new();
        for (slot, (&known, &choice)) in base.choices.iter().zip(choices).enumerate() {
            match (known, choice) {
                (Choice::In, Choice::Out) | (Choice::Out, Choice::In) => return None,
                (Choice::Open, Choice::Out) => outs.push(slot),
                _ => {}
            }
        }
        self.take_out(&mut node, &outs);
        for axis in 0..self.axes() {
            let slots = self.layout.slots_of(axis);
            let ins: Vec<u16> = slots
                .clone()
                .filter(|&at| choices[at] == Choice::In && node.choices[at] == Choice::Open)
                .map(|at| (at - slots.start) as u16)
                .collect();
            if !ins.is_empty() {
                let mut child = node.bare();
                for &at in &ins {
                    child.choices[slots.start + usize::from(at)] = Choice::In;
                }
                self.divide(&node, &mut child, axis, &ins);
                node = child;
            }
        }
        if M::WIDTHS {
            self.refresh(&mut node);
        }
        Some(node)
    }

    /// The node with further cuts in, which must be open in it; none if that cannot be.
    pub(super) fn child<K: Key>(
        &self,
        parent: &Node<K, M>,
        slot: usize,
        spare: Option<Node<K, M>>,
    ) -> Option<Node<K, M>> {
        let mut child = spare.unwrap_or_else(|| parent.bare());
        child.choices.clone_from(&parent.choices);
        let (axis, _) = self.layout.cut(slot);
        child.choices[slot] = Choice::In;
        let slots = self.layout.slots_of(axis);
        if !self.space.axes[axis].propagate(&mut child.choices[slots.clone()]) {
            return None;
        }
        let ins: Vec<u16> = slots
            .clone()
            .filter(|&at| child.choices[at] == Choice::In && parent.choices[at] == Choice::Open)
            .map(|at| (at - slots.start) as u16)
            .collect();
        let outs: Vec<usize> = slots
            .filter(|&at| child.choices[at] == Choice::Out && parent.choices[at] == Choice::Open)
            .collect();
        child.runs.clone_from(&parent.runs);
        child.cells.clear();
        child.classes.clear();
        child.bounds.clear();
        child.members.clear();
        (child.fixed, child.suppressed, child.bound) =
            (parent.fixed, parent.suppressed, parent.bound);
        self.divide(parent, &mut child, axis, &ins);
        if !outs.is_empty() {
            // The child still has them open as far as its runs and cells are concerned.
            for &at in &outs {
                child.choices[at] = Choice::Open;
            }
            self.take_out(&mut child, &outs);
        } else if M::WIDTHS {
            self.refresh(&mut child);
        }
        Some(child)
    }

    /// Copies the classes of a node, those that cuts of an axis divide in parts.
    fn divide<K: Key>(
        &self,
        parent: &Node<K, M>,
        child: &mut Node<K, M>,
        axis: usize,
        ins: &[u16],
    ) {
        let (shift, mask) = self.layout.fields[axis];
        let axes = self.axes();
        let mut part = vec![(0, 0); axes];
        let runs = &parent.runs[axis];
        for (at, class) in parent.classes.iter().enumerate() {
            let bounds = &parent.bounds[at * axes..(at + 1) * axes];
            let (low, high) = bounds[axis];
            let cells = &parent.cells[class.start as usize..class.end as usize];
            let members = &parent.members[class.members.0 as usize..class.members.1 as usize];
            let start = child.cells.len();
            let member = child.members.len();
            let first = ins.partition_point(|&cut| cut <= low);
            let last = ins.partition_point(|&cut| cut <= high);
            if first == last {
                child.cells.extend_from_slice(cells);
                child.members.extend_from_slice(members);
                child.bounds.extend_from_slice(bounds);
                child.classes.push(Class {
                    start: start as u32,
                    end: child.cells.len() as u32,
                    members: (member as u32, child.members.len() as u32),
                    ..*class
                });
                continue;
            }
            let mut from = 0;
            for &to in ins[first..last].iter().chain(&[u16::MAX]) {
                let (start, member) = (child.cells.len(), child.members.len());
                let within = |value: u16| from <= value && value < to;
                child.cells.extend(
                    cells.iter().filter(|cell| within(cell.key.field(shift, mask))).copied(),
                );
                let values = &self.space.values[axis];
                child.members.extend(
                    members.iter().filter(|&&member| within(values[member as usize])).copied(),
                );
                // Whatever the part does not reach is found by the next pass.
                part.copy_from_slice(bounds);
                let end = runs[runs.partition_point(|&run| run < to) - 1];
                part[axis] = (low.max(from), high.min(end));
                self.close(child, start, member, &part);
                from = to;
            }
        }
    }

    /// Takes open cuts out: joins the cells that only they separate.
    pub(super) fn take_out<K: Key>(&self, node: &mut Node<K, M>, outs: &[usize]) {
        let axes = self.axes();
        let mut gone: Vec<Vec<u16>> = vec![Vec::new(); axes];
        for &slot in outs {
            node.choices[slot] = Choice::Out;
            let (axis, position) = self.layout.cut(slot);
            gone[axis].push(position as u16);
        }
        // Where the values of each touched axis now begin.
        let begins = self.starts(&node.choices, |choice| choice != Choice::Out);
        let touched: Vec<usize> = (0..axes).filter(|&axis| !gone[axis].is_empty()).collect();
        for &axis in &touched {
            node.runs[axis] = self.runs(&node.choices, axis);
        }
        let (mut write, mut kept) = (0, 0);
        for at in 0..node.classes.len() {
            let class = node.classes[at];
            let (start, end) = (class.start as usize, class.end as usize);
            let bounds = &mut node.bounds[at * axes..(at + 1) * axes];
            let mut sorted = true;
            let mut moved = false;
            for &axis in &touched {
                let (low, high) = bounds[axis];
                if !gone[axis].iter().any(|&cut| low < cut && cut <= high) {
                    // The first run may have begun at a cut that is gone.
                    let begin = begins[axis][usize::from(low)];
                    if begin == low {
                        continue;
                    }
                }
                let (shift, mask) = self.layout.fields[axis];
                let begins = &begins[axis];
                for cell in &mut node.cells[start..end] {
                    let value = cell.key.field(shift, mask);
                    cell.key = cell.key.with(shift, mask, begins[usize::from(value)]);
                }
                bounds[axis] = (begins[usize::from(low)], begins[usize::from(high)]);
                moved = true;
                sorted &= axis == self.layout.last;
            }
            let new = Class { start: write as u32, ..class };
            if !moved {
                node.cells.copy_within(start..end, write);
                write += end - start;
                node.classes[kept] = Class { end: write as u32, ..new };
                node.bounds.copy_within(at * axes..(at + 1) * axes, kept * axes);
                kept += 1;
                continue;
            }
            if !sorted {
                node.cells[start..end].sort_unstable_by_key(|cell| cell.key);
            }
            let mut word = Word::default();
            let from = write;
            for read in start..end {
                let cell = node.cells[read];
                if write > from && node.cells[write - 1].key == cell.key {
                    self.kernel.join(&mut node.cells[write - 1].load, &cell.load);
                } else {
                    if write > from {
                        word.add(self.kernel.word(&node.cells[write - 1].load));
                    }
                    node.cells[write] = cell;
                    write += 1;
                }
            }
            word.add(self.kernel.word(&node.cells[write - 1].load));
            if write == from + 1 && !M::WIDTHS {
                node.fixed += self.kernel.cost(&class.total, |_| (0, 0));
                write = from;
                continue;
            }
            node.classes[kept] = Class { end: write as u32, word, ..new };
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

    /// What the cuts that are in cost by themselves.
    pub(super) fn head_cost<K: Key>(&self, node: &Node<K, M>) -> u64 {
        let cost = node.classes.iter().map(|class| {
            self.kernel.cost(&class.total, |axis| {
                let (shift, mask) = self.layout.fields[axis];
                let value = node.cells[class.start as usize].key.field(shift, mask);
                self.interval(&node.choices, axis, value)
            })
        });
        node.fixed + cost.sum::<u64>()
    }
}
