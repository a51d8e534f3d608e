//! What a case costs at least if an open cut is made, or not made: for many cuts at once.

use crate::key::{Key, Places};

use super::choice::Choice;
use super::cost::{CostRule, Sum};
use super::node::{Ground, Node};

/// Room for a look at the cuts of a case.
pub(super) struct Probe {
    /// Rows by number of a run's first value.
    histogram: Vec<Sum>,
    effects: Vec<Effect>,
    places: Places,
}

/// What making a cut does.
#[derive(Debug, Clone, Copy, Default)]
struct Effect {
    /// By how much the bound rises.
    rise: u64,
    /// Rows that it suppresses.
    lost: u64,
    /// Whether it is useful in some class.
    useful: bool,
}

impl Probe {
    pub(super) fn new(slots: usize) -> Self {
        let effects = vec![Effect::default(); slots];
        Probe { histogram: vec![Sum::default(); slots], effects, places: Places::default() }
    }

    /// For each of these cuts what the releases cost at least that make it; those that are no worse without it do
    /// not count. Rules 1 to 4.
    pub(super) fn made<K: Key, C: CostRule>(
        &mut self,
        ground: &Ground<C>,
        node: &Node<K>,
        named: &[usize],
    ) -> Vec<u64> {
        let bound = ground.bound(node);
        if bound == u64::MAX {
            return vec![bound; named.len()];
        }
        self.effects.fill(Effect::default());
        // Only the columns of these cuts are looked at.
        let mut axes: Vec<usize> = (0..ground.layout.axes.len()).collect();
        axes.retain(|&at| {
            let slots = ground.layout.axes[at].slots();
            named.iter().any(|slot| slots.contains(slot))
        });
        let mut active = Vec::new();
        for class in &node.classes {
            let divided = |&at: &usize| {
                let axis = &ground.layout.axes[at];
                (class.spread.field(axis.field) != 0).then_some((axis, axis.first + axis.values, 0))
            };
            active.clear();
            active.extend(axes.iter().filter_map(divided));
            for cell in &node.cells[class.start..class.end] {
                let sum = ground.sum_of(cell);
                for (axis, low, high) in &mut active {
                    let slot = axis.first + cell.key.field(axis.field);
                    self.histogram[slot].add(sum);
                    *low = slot.min(*low);
                    *high = slot.max(*high);
                }
            }
            let own = ground.rule.class(class.sum);
            for &(_, first, last) in &active {
                let mut low = std::mem::take(&mut self.histogram[first]);
                for slot in first + 1..=last {
                    if node.choices[slot] == Choice::Open {
                        self.effects[slot].add(ground, own, low, class.sum.less(low));
                    }
                    low.add(std::mem::take(&mut self.histogram[slot]));
                }
            }
        }
        let proven = |&slot: &usize| {
            let Effect { rise, lost, useful } = self.effects[slot];
            let useless = !useful && ground.layout.can_drop(slot);
            match useless || node.lost + lost > ground.limit {
                true => u64::MAX,
                false => bound + rise,
            }
        };
        named.iter().map(proven).collect()
    }

    /// For each of these cuts what the releases cost at least that do not make it. Rules 1 to 3.
    pub(super) fn not_made<K: Key, C: CostRule>(
        &mut self,
        ground: &Ground<C>,
        node: &Node<K>,
        named: &[usize],
    ) -> Vec<u64> {
        let bound = ground.bound(node);
        if bound == u64::MAX {
            return vec![bound; named.len()];
        }
        let proven = |&slot: &usize| {
            let axis = ground.layout.axis(slot);
            let position = slot - axis.first;
            let open = |&at: &usize| at == 0 || node.choices[axis.first + at] != Choice::Out;
            let before = (0..position).rev().find(open).unwrap_or(0);
            let mut rise = 0;
            for class in node.classes.iter().filter(|it| it.spread.field(axis.field) != 0) {
                self.places.clear(class.end - class.start);
                let known = |at: usize| node.cells[at].key;
                let cells = || node.cells[class.start..class.end].iter().zip(class.start..);
                for (cell, at) in cells().filter(|it| it.0.key.field(axis.field) == before) {
                    self.places.find_or_put(cell.key, at, known);
                }
                let mut sum = class.sum;
                for (cell, _) in cells().filter(|it| it.0.key.field(axis.field) == position) {
                    let beside = cell.key.with(axis.field, before as u16);
                    if let Some(at) = self.places.find(beside, known) {
                        let other = &node.cells[at];
                        let apart = ground.sum_of(cell).base + ground.sum_of(other).base;
                        let joined =
                            ground.rule.cell(cell.rows + other.rows, cell.ones + other.ones);
                        sum.base += joined - apart;
                    }
                }
                rise += ground.rule.class(sum) - ground.rule.class(class.sum);
            }
            bound + rise
        };
        named.iter().map(proven).collect()
    }
}

impl Effect {
    /// Adds the division of a class with its bound into two parts.
    #[inline]
    fn add<C: CostRule>(&mut self, ground: &Ground<C>, own: u64, low: Sum, high: Sum) {
        let mut parts = 0;
        for part in [low, high] {
            if u64::from(part.rows) < ground.k {
                self.lost += u64::from(part.rows);
                parts += ground.rule.suppressed(part.rows);
            } else {
                parts += ground.rule.class(part);
            }
        }
        // A part may have no rows: then nothing is divided.
        if low.rows > 0 && high.rows > 0 {
            self.rise += parts.saturating_sub(own);
            self.useful |= ground.rule.is_useful(low, high);
        }
    }
}
