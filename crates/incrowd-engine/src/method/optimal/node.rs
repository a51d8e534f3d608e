//! A node of the search: cuts decided so far, and the cells that remain to be told apart.

use crate::privacy::ClassTally;
use crate::space::cuts::{CutDecision, CutSpace};

use super::cost_model::{AxisRun, CostModel, PackedSum};
use super::layout::{AxisField, AxisLayout, CellKey};

/// A cell: rows that no cut still possible can separate.
#[derive(Debug, Clone, Copy)]
pub(super) struct GridCell<K, L> {
    /// On each axis the first value of the cell's run.
    pub(super) key: K,
    pub(super) load: L,
}

/// A class of the cuts that are in: consecutive cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeClass<L> {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The sum of its cells.
    pub(super) word: PackedSum,
    pub(super) total: L,
    /// Its members among the space's cells, where privacy models need them.
    pub(super) members: (u32, u32),
    /// Where its histogram begins, if it is kept.
    pub(super) histogram: Option<u32>,
}

/// A node.
///
/// Rows of classes that fail leave it for `fixed`, for they are suppressed in every refinement; so do
/// classes of one cell, whose cost is known.
#[derive(Debug)]
pub(super) struct ProverNode<K, M: CostModel> {
    /// By slot.
    pub(super) choices: Vec<CutDecision>,
    /// By axis: the first values of its runs; a run ends where the next begins.
    pub(super) runs: Vec<Vec<u16>>,
    pub(super) cells: Vec<GridCell<K, M::Load>>,
    pub(super) classes: Vec<NodeClass<M::Load>>,
    /// By class and axis: the first and the last run that it occupies at most.
    pub(super) bounds: Vec<(u16, u16)>,
    pub(super) members: Vec<u32>,
    /// Of the larger classes: by slot of a run's first value, the sum of the cells in it. Kept because
    /// they follow from those of the node above with less work than from the cells.
    pub(super) histograms: Vec<PackedSum>,
    /// What is spent already.
    pub(super) fixed: u64,
    /// Rows suppressed already.
    pub(super) suppressed: u64,
    /// Solutions of interest below this node suppress at most so many rows.
    pub(super) most: u64,
    /// No solution below this node costs less.
    pub(super) bound: u64,
}

impl<K: CellKey, M: CostModel> Clone for ProverNode<K, M> {
    fn clone(&self) -> Self {
        ProverNode {
            cells: self.cells.clone(),
            classes: self.classes.clone(),
            bounds: self.bounds.clone(),
            members: self.members.clone(),
            histograms: self.histograms.clone(),
            ..self.bare()
        }
    }
}

impl<K: CellKey, M: CostModel> ProverNode<K, M> {
    /// A node with the same decisions but without classes.
    pub(super) fn bare(&self) -> Self {
        ProverNode {
            choices: self.choices.clone(),
            runs: self.runs.clone(),
            cells: Vec::with_capacity(self.cells.len()),
            classes: Vec::new(),
            bounds: Vec::new(),
            members: Vec::new(),
            histograms: Vec::new(),
            fixed: self.fixed,
            suppressed: self.suppressed,
            most: self.most,
            bound: self.bound,
        }
    }
}

/// What every node of a search shares.
pub(super) struct ProverContext<'a, M> {
    pub(super) space: &'a CutSpace<'a>,
    pub(super) layout: AxisLayout,
    pub(super) kernel: &'a M,
    pub(super) k: u64,
    pub(super) limit: u64,
}

impl<M: CostModel> ProverContext<'_, M> {
    pub(super) fn axes(&self) -> usize {
        self.layout.values.len()
    }

    /// Whether a cut that helps no class can go: others may need it, and by width every cut helps.
    pub(super) fn can_drop(&self, slot: usize) -> bool {
        let (axis, position) = self.layout.cut(slot);
        // A cut that lowers no cost may make classes that the release can do without, or that pass where the whole fails.
        !M::WIDTHS && !self.space.asks_more_than_size() && self.space.axes[axis].can_drop(position)
    }

    /// The first value of a class's interval and its end, on an axis.
    pub(super) fn interval(
        &self,
        choices: &[CutDecision],
        axis: usize,
        value: u16,
    ) -> (usize, usize) {
        let slots = &choices[self.layout.slots_of(axis)];
        let value = usize::from(value);
        let first = (0..=value).rev().find(|&at| slots[at] == CutDecision::In).unwrap_or(0);
        let end = (value + 1..slots.len()).find(|&at| slots[at] == CutDecision::In);
        (first, end.unwrap_or(slots.len() - 1))
    }

    /// The run that begins at a value.
    fn run(&self, choices: &[CutDecision], axis: usize, value: u16) -> AxisRun {
        let slots = &choices[self.layout.slots_of(axis)];
        let first = usize::from(value);
        let alive = |at: &usize| slots[*at] != CutDecision::Out;
        let end = (first + 1..slots.len()).find(alive).unwrap_or(slots.len() - 1);
        let open = |at: usize| slots[at] == CutDecision::Open;
        AxisRun {
            first,
            end,
            left: open(first).then(|| (0..first).rev().find(alive).unwrap_or(0)),
            right: open(end).then(|| (end + 1..slots.len()).find(alive).unwrap_or(end)),
        }
    }

    /// The node with these choices, made from the space's cells; none if the axes allow no such
    /// division.
    pub(super) fn node<K: CellKey>(
        &self,
        mut choices: Vec<CutDecision>,
    ) -> Option<ProverNode<K, M>> {
        let layout = &self.layout;
        for axis in 0..self.axes() {
            if !self.space.axes[axis].propagate(&mut choices[layout.slots_of(axis)]) {
                return None;
            }
        }
        // Sorting by head first makes every class contiguous.
        let heads: Vec<Vec<u16>> = self.starts(&choices, |choice| choice == CutDecision::In);
        let alive: Vec<Vec<u16>> = self.starts(&choices, |choice| choice != CutDecision::Out);
        let mut cells: Vec<(K, GridCell<K, M::Load>, u32)> = (0..self.space.cells())
            .map(|cell| {
                let (mut head, mut key) = (K::ZERO, K::ZERO);
                for axis in 0..self.axes() {
                    let value = usize::from(self.space.values[axis][cell]);
                    let (shift, mask) = layout.fields[axis];
                    head = head.with(shift, mask, heads[axis][value]);
                    key = key.with(shift, mask, alive[axis][value]);
                }
                (head, GridCell { key, load: self.kernel.load(self.space, cell) }, cell as u32)
            })
            .collect();
        cells.sort_unstable_by_key(|(head, cell, at)| (*head, cell.key, *at));
        let with_members = !self.space.problem.privacy.is_by_size();
        let mut node = ProverNode {
            runs: (0..self.axes()).map(|axis| self.runs(&choices, axis)).collect(),
            choices,
            cells: Vec::new(),
            classes: Vec::new(),
            bounds: Vec::new(),
            members: Vec::new(),
            histograms: Vec::new(),
            fixed: 0,
            suppressed: 0,
            most: self.limit,
            bound: 0,
        };
        let whole: Vec<(u16, u16)> =
            node.runs.iter().map(|runs| (0, runs.last().copied().unwrap_or(0))).collect();
        for class in cells.chunk_by(|one, other| one.0 == other.0) {
            let (start, member) = (node.cells.len(), node.members.len());
            for (_, cell, at) in class {
                if with_members {
                    node.members.push(*at);
                }
                // People without rows cost nothing and divide nothing: they only count as members.
                if self.space.counts[*at as usize] == 0 {
                    continue;
                }
                match node.cells[start..].last_mut() {
                    Some(last) if last.key == cell.key => {
                        self.kernel.join(&mut last.load, &cell.load)
                    }
                    _ => node.cells.push(*cell),
                }
            }
            self.close(&mut node, start, member, &whole);
        }
        for at in 0..node.classes.len() {
            self.keep_histogram(&mut node, at);
        }
        if M::WIDTHS {
            self.refresh(&mut node);
        }
        Some(node)
    }

    /// By axis and value: the first value of the run that it lies in, if runs begin at such choices.
    fn starts(
        &self,
        choices: &[CutDecision],
        begins: impl Fn(CutDecision) -> bool,
    ) -> Vec<Vec<u16>> {
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
    pub(super) fn runs(&self, choices: &[CutDecision], axis: usize) -> Vec<u16> {
        let slots = &choices[self.layout.slots_of(axis)];
        let inner = 0..self.layout.values[axis];
        inner.filter(|&at| slots[at] != CutDecision::Out).map(|at| at as u16).collect()
    }

    /// Makes a class of the cells and members from here on, or settles their cost if it is known.
    pub(super) fn close<K: CellKey>(
        &self,
        node: &mut ProverNode<K, M>,
        start: usize,
        member: usize,
        bounds: &[(u16, u16)],
    ) {
        let Some(first) = node.cells.get(start) else {
            node.members.truncate(member);
            return;
        };
        let mut total = first.load;
        let mut word = self.kernel.word(&first.load);
        for cell in &node.cells[start + 1..] {
            self.kernel.join(&mut total, &cell.load);
            word.add(self.kernel.word(&cell.load));
        }
        let rows = word.rows();
        let is_whole = self.is_whole(node.cells.len() - start);
        if rows < self.k || self.is_lost(&node.members[member..], is_whole) {
            node.fixed += self.kernel.suppressed(rows);
            node.suppressed += rows;
            node.cells.truncate(start);
            node.members.truncate(member);
            return;
        }
        if is_whole && !M::WIDTHS {
            node.fixed += self.kernel.cost(&total, |_| (0, 0));
            node.cells.truncate(start);
            node.members.truncate(member);
            return;
        }
        node.bounds.extend_from_slice(bounds);
        node.classes.push(NodeClass {
            start: start as u32,
            end: node.cells.len() as u32,
            word,
            total,
            members: (member as u32, node.members.len() as u32),
            histogram: None,
        });
    }

    /// Whether a class of so many cells keeps its histogram. By width the cells' bounds change with every
    /// decision, so there nothing is kept.
    pub(super) fn keeps(&self, cells: usize) -> bool {
        !M::WIDTHS && 2 * cells >= self.layout.slots
    }

    /// Adds up a class's histogram, if it is to be kept.
    pub(super) fn keep_histogram<K: CellKey>(&self, node: &mut ProverNode<K, M>, at: usize) {
        let class = &mut node.classes[at];
        let cells = &node.cells[class.start as usize..class.end as usize];
        if self.keeps(cells.len()) {
            let begin = node.histograms.len();
            class.histogram = Some(begin as u32);
            node.histograms.resize(begin + self.layout.slots, PackedSum::default());
            let histogram = &mut node.histograms[begin..];
            let divided = self.divided(&node.bounds[at * self.axes()..]);
            for cell in cells {
                let word = self.kernel.word(&cell.load);
                for field in &divided {
                    histogram[field.slot(cell.key)].add(word);
                }
            }
        }
    }

    /// The axes that divide a class with these bounds. Histograms count on these alone.
    pub(super) fn divided(&self, bounds: &[(u16, u16)]) -> Vec<AxisField> {
        let divides = |axis: &usize| bounds[*axis].0 < bounds[*axis].1;
        (0..self.axes()).filter(divides).map(|axis| self.layout.field(axis)).collect()
    }

    /// Whether a class of so many cells is what it will be in every refinement. People of a population may be elsewhere
    /// in it, so that cuts which part no rows still change it.
    pub(super) fn is_whole(&self, cells: usize) -> bool {
        cells == 1 && self.space.problem.population.is_none()
    }

    /// Whether the rows of a class are suppressed in every refinement that is of interest.
    pub(super) fn is_lost(&self, members: &[u32], is_whole: bool) -> bool {
        let problem = self.space.problem;
        let privacy = &problem.privacy;
        if privacy.is_by_size() {
            return false;
        }
        let mut tally: ClassTally = problem.targets.tally();
        for &member in members {
            self.space.tally(member as usize, &mut tally);
        }
        // Where nothing may be suppressed, one of the parts of a class that fails does.
        match problem.suppresses_what_may_pass() && !is_whole {
            true => privacy.is_lost(&tally),
            false => !privacy.passes(&tally),
        }
    }

    /// Recomputes the bounds of all cells from their boxes.
    pub(super) fn refresh<K: CellKey>(&self, node: &mut ProverNode<K, M>) {
        let table: Vec<Vec<AxisRun>> = (0..self.axes())
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
            class.word = PackedSum::default();
            for cell in &node.cells[class.start as usize..class.end as usize] {
                class.word.add(self.kernel.word(&cell.load));
            }
        }
    }

    /// What the cuts that are in cost by themselves.
    pub(super) fn head_cost<K: CellKey>(&self, node: &ProverNode<K, M>) -> u64 {
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
