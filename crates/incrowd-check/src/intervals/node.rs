//! A case: what is decided of the cuts, and the rows as far as they can still be told apart.

use crate::key::{Key, Places};
use crate::table::Profiles;

use super::choice::{Choice, Layout};
use super::cost::{CostRule, Sum};

/// Rows that no cut separates that is made or open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<K> {
    pub(super) key: K,
    pub(super) rows: u32,
    pub(super) ones: u32,
}

/// Rows that no cut separates that is made: neighbouring cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class<K> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sum: Sum,
    /// Set where the keys of its cells differ.
    pub(super) spread: K,
}

/// A case.
#[derive(Debug, Clone)]
pub(super) struct Node<K> {
    pub(super) choices: Vec<Choice>,
    pub(super) cells: Vec<Cell<K>>,
    pub(super) classes: Vec<Class<K>>,
    /// What classes cost that are suppressed or cannot be divided any more.
    pub(super) fixed: u64,
    /// Rows that are suppressed.
    pub(super) lost: u64,
}

impl<K> Node<K> {
    /// A case without any release.
    pub(super) fn closed() -> Self {
        Node {
            choices: Vec::new(),
            cells: Vec::new(),
            classes: Vec::new(),
            fixed: u64::MAX,
            lost: 0,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.choices.is_empty()
    }
}

/// What all cases share.
pub(super) struct Ground<C> {
    pub(super) layout: Layout,
    pub(super) rule: C,
    pub(super) k: u64,
    pub(super) limit: u64,
}

impl<C: CostRule> Ground<C> {
    /// Nothing in the case costs less. Rules 1 to 3.
    pub(super) fn bound<K: Key>(&self, node: &Node<K>) -> u64 {
        if node.is_closed() || node.lost > self.limit {
            return u64::MAX;
        }
        node.fixed + node.classes.iter().map(|class| self.rule.class(class.sum)).sum::<u64>()
    }

    #[inline]
    pub(super) fn sum_of<K: Key>(&self, cell: &Cell<K>) -> Sum {
        Sum { rows: cell.rows, ones: cell.ones, base: self.rule.cell(cell.rows, cell.ones) }
    }

    /// The case of these choices, made from the table.
    pub(super) fn node<K: Key>(&self, profiles: &Profiles, choices: Vec<Choice>) -> Node<K> {
        let starts = |begins: fn(Choice) -> bool| -> Vec<u16> {
            let mut starts = vec![0; self.layout.slots];
            for axis in &self.layout.axes {
                let mut start = 0;
                for value in 0..axis.values {
                    if begins(choices[axis.first + value]) {
                        start = value as u16;
                    }
                    starts[axis.first + value] = start;
                }
            }
            starts
        };
        let heads = starts(|choice| choice == Choice::In);
        let runs = starts(|choice| choice != Choice::Out);
        let mut all: Vec<(K, Cell<K>)> = (0..profiles.counts.len())
            .map(|at| {
                let (mut head, mut key) = (K::ZERO, K::ZERO);
                for (axis, &code) in self.layout.axes.iter().zip(profiles.of(at)) {
                    let slot = axis.first + usize::from(code);
                    head = head.with(axis.field, heads[slot]);
                    key = key.with(axis.field, runs[slot]);
                }
                (head, Cell { key, rows: profiles.counts[at], ones: profiles.ones[at] })
            })
            .collect();
        all.sort_unstable_by_key(|(head, cell)| (*head, cell.key));
        let mut node = Node { choices, cells: Vec::new(), classes: Vec::new(), fixed: 0, lost: 0 };
        for class in all.chunk_by(|one, other| one.0 == other.0) {
            let start = node.cells.len();
            for (_, cell) in class {
                match node.cells[start..].last_mut() {
                    Some(last) if last.key == cell.key => {
                        last.rows += cell.rows;
                        last.ones += cell.ones;
                    }
                    _ => node.cells.push(*cell),
                }
            }
            self.end_class(&mut node, start);
        }
        node
    }

    /// Makes a class of the cells from here on, or settles its cost if it is known.
    fn end_class<K: Key>(&self, node: &mut Node<K>, start: usize) {
        let Some(first) = node.cells.get(start) else { return };
        let (mut sum, mut spread) = (Sum::default(), K::ZERO);
        for cell in &node.cells[start..] {
            sum.add(self.sum_of(cell));
            spread = spread.spread(first.key, cell.key);
        }
        let end = node.cells.len();
        if u64::from(sum.rows) < self.k {
            node.fixed += self.rule.suppressed(sum.rows);
            node.lost += u64::from(sum.rows);
            node.cells.truncate(start);
        } else if end - start == 1 {
            node.fixed += self.rule.whole(sum.rows, sum.ones);
            node.cells.truncate(start);
        } else {
            node.classes.push(Class { start, end, sum, spread });
        }
    }

    /// The part of a case in which an open cut is made.
    pub(super) fn made<K: Key>(&self, node: &Node<K>, slot: usize) -> Node<K> {
        let mut child = self.divided(node, slot);
        self.follow(&mut child, slot);
        child
    }

    /// Makes an open cut; does nothing if it is decided already.
    pub(super) fn make<K: Key>(&self, node: &mut Node<K>, slot: usize) {
        if !node.is_closed() && node.choices[slot] == Choice::Open {
            *node = self.made(node, slot);
        }
    }

    fn divided<K: Key>(&self, node: &Node<K>, slot: usize) -> Node<K> {
        let axis = self.layout.axis(slot);
        let position = slot - axis.first;
        let mut child = Node {
            choices: node.choices.clone(),
            cells: Vec::with_capacity(node.cells.len()),
            classes: Vec::with_capacity(node.classes.len() + 16),
            fixed: node.fixed,
            lost: node.lost,
        };
        child.choices[slot] = Choice::In;
        for class in &node.classes {
            let cells = &node.cells[class.start..class.end];
            let start = child.cells.len();
            if class.spread.field(axis.field) == 0 {
                child.cells.extend_from_slice(cells);
                child.classes.push(Class { start, end: child.cells.len(), ..*class });
                continue;
            }
            for low in [true, false] {
                let start = child.cells.len();
                let part = |cell: &&Cell<K>| (cell.key.field(axis.field) < position) == low;
                child.cells.extend(cells.iter().filter(part));
                self.end_class(&mut child, start);
            }
        }
        child
    }

    /// Takes open cuts out: cells that nothing else separates become one.
    pub(super) fn take_out<K: Key>(&self, node: &mut Node<K>, slots: &[usize]) {
        slots.iter().for_each(|&slot| node.choices[slot] = Choice::Out);
        let mut axes: Vec<u32> = Vec::new();
        for (at, axis) in self.layout.axes.iter().enumerate() {
            if slots.iter().any(|slot| axis.slots().contains(slot)) {
                axes.push(at as u32);
            }
        }
        self.merge(node, &axes);
        if let Some(&slot) = slots.iter().find(|&&slot| !self.layout.axis(slot).is_free()) {
            self.follow(node, slot);
        }
    }

    /// Makes cells one that have become equal along these columns.
    fn merge<K: Key>(&self, node: &mut Node<K>, axes: &[u32]) {
        let mut runs = vec![0u16; self.layout.slots];
        for &at in axes {
            let axis = &self.layout.axes[at as usize];
            let mut start = 0;
            for value in 0..axis.values {
                if node.choices[axis.first + value] != Choice::Out {
                    start = value as u16;
                }
                runs[axis.first + value] = start;
            }
        }
        let before = std::mem::take(&mut node.classes);
        let mut places = Places::default();
        let mut write = 0;
        for class in before {
            let start = write;
            let joins =
                axes.iter().any(|&at| class.spread.field(self.layout.axes[at as usize].field) != 0);
            if joins {
                places.clear(class.end - class.start);
            }
            for read in class.start..class.end {
                let mut cell = node.cells[read];
                for &at in axes {
                    let axis = &self.layout.axes[at as usize];
                    let run = runs[axis.first + cell.key.field(axis.field)];
                    cell.key = cell.key.with(axis.field, run);
                }
                let known = match joins {
                    true => places.find_or_put(cell.key, write, |at| node.cells[at].key),
                    false => None,
                };
                match known {
                    Some(at) => {
                        node.cells[at].rows += cell.rows;
                        node.cells[at].ones += cell.ones;
                    }
                    None => {
                        node.cells[write] = cell;
                        write += 1;
                    }
                }
            }
            if write - start == 1 {
                let cell = node.cells[start];
                node.fixed += self.rule.whole(cell.rows, cell.ones);
                write = start;
                continue;
            }
            let (mut sum, mut spread) = (class.sum, K::ZERO);
            sum.base = 0;
            for cell in &node.cells[start..write] {
                sum.base += self.rule.cell(cell.rows, cell.ones);
                spread = spread.spread(node.cells[start].key, cell.key);
            }
            node.classes.push(Class { start, end: write, sum, spread });
        }
        node.cells.truncate(write);
    }

    /// Decides what follows from the shape of columns.
    fn follow<K: Key>(&self, node: &mut Node<K>, slot: usize) {
        if self.layout.axis(slot).is_free() {
            return;
        }
        let mut choices = node.choices.clone();
        if !self.layout.follow(&mut choices) {
            *node = Node::closed();
            return;
        }
        let new = |wanted: Choice| -> Vec<usize> {
            let changed =
                |&slot: &usize| choices[slot] == wanted && node.choices[slot] == Choice::Open;
            (0..choices.len()).filter(changed).collect()
        };
        let (ins, outs) = (new(Choice::In), new(Choice::Out));
        for slot in ins {
            *node = self.divided(node, slot);
        }
        if !outs.is_empty() {
            node.choices = choices;
            let all: Vec<u32> = (0..self.layout.axes.len() as u32).collect();
            self.merge(node, &all);
        }
    }
}
