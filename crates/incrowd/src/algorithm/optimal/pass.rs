//! One pass over a node: its bound, and what each open cut would cost.

use crate::cuts::Choice;

use super::kernel::{Kernel, Word};
use super::layout::Key;
use super::node::{Ground, Node};

/// What a pass finds, by slot.
#[derive(Debug, Clone)]
pub(super) struct Findings {
    /// By how much the bound rises if the cut is made.
    pub(super) rise: Vec<u64>,
    /// How many further rows are suppressed then.
    pub(super) suppressed: Vec<u64>,
    /// In how many classes it can lower the cost of a refinement.
    pub(super) useful: Vec<u32>,
    /// How many classes it divides.
    pub(super) divides: Vec<u32>,
    /// How much it matters, for branching.
    pub(super) interest: Vec<f64>,
    /// Rows by value, one class at a time.
    histogram: Vec<Word>,
}

impl Findings {
    pub(super) fn new(slots: usize) -> Self {
        Findings {
            rise: vec![0; slots],
            suppressed: vec![0; slots],
            useful: vec![0; slots],
            divides: vec![0; slots],
            interest: vec![0.0; slots],
            histogram: vec![Word::default(); slots],
        }
    }

    fn clear(&mut self) {
        self.rise.fill(0);
        self.suppressed.fill(0);
        self.useful.fill(0);
        self.divides.fill(0);
        self.interest.fill(0.0);
    }
}

impl<M: Kernel> Ground<'_, M> {
    /// Computes a node's bound and what each open cut would do.
    pub(super) fn pass<K: Key>(&self, node: &Node<K, M>, found: &mut Findings) -> u64 {
        found.clear();
        let mut bound = node.fixed;
        let axes = self.axes();
        // The axes on which the class at hand is divided: field, first slot.
        let mut active: Vec<(u32, u16, usize, usize)> = Vec::with_capacity(axes);
        for (at, class) in node.classes.iter().enumerate() {
            let own = self.kernel.bound(class.word);
            bound += own;
            let bounds = &node.bounds[at * axes..(at + 1) * axes];
            active.clear();
            for (axis, &(low, high)) in bounds.iter().enumerate() {
                if low < high {
                    let (shift, mask) = self.layout.fields[axis];
                    let first = self.layout.first[axis];
                    active.push((shift, mask, first, axis));
                    found.histogram[first + usize::from(low)..=first + usize::from(high)]
                        .fill(Word::default());
                }
            }
            for cell in &node.cells[class.start as usize..class.end as usize] {
                let word = self.kernel.word(&cell.load);
                for &(shift, mask, first, _) in &active {
                    let value = usize::from(cell.key.field(shift, mask));
                    found.histogram[first + value].add(word);
                }
            }
            for &(_, _, first, axis) in &active {
                self.weigh(&node.runs[axis], bounds[axis], class.word, own, first, found);
            }
        }
        bound
    }

    /// What the cuts of one axis would do to one class.
    #[inline]
    fn weigh(
        &self,
        runs: &[u16],
        (low, high): (u16, u16),
        class: Word,
        own: u64,
        first: usize,
        found: &mut Findings,
    ) {
        let at = runs.partition_point(|&run| run <= low);
        let mut left = found.histogram[first + usize::from(low)];
        for &run in &runs[at..] {
            if run > high {
                break;
            }
            let slot = first + usize::from(run);
            let right = class.minus(left);
            let part = |part: Word, lost: &mut u64| {
                if part.rows() < self.k {
                    *lost += part.rows();
                    self.kernel.suppressed(part.rows())
                } else {
                    self.kernel.bound(part)
                }
            };
            let parts = part(left, &mut found.suppressed[slot])
                + part(right, &mut found.suppressed[slot]);
            found.rise[slot] += parts.saturating_sub(own);
            found.useful[slot] += u32::from(self.kernel.useful(left, right));
            found.divides[slot] += 1;
            found.interest[slot] += self.kernel.interest(left, right);
            left.add(found.histogram[slot]);
        }
    }

    /// By how much the bound rises if an open cut is not made: the cells that it alone separates are
    /// joined.
    pub(super) fn join_rise<K: Key>(&self, node: &Node<K, M>, slot: usize) -> u64 {
        let (axis, position) = self.layout.cut(slot);
        let (shift, mask) = self.layout.fields[axis];
        let runs = &node.runs[axis];
        let position = position as u16;
        let place = runs.partition_point(|&run| run < position);
        let Some(&before) = place.checked_sub(1).and_then(|place| runs.get(place)) else {
            return 0;
        };
        let axes = self.axes();
        let mut rise = 0;
        for (at, class) in node.classes.iter().enumerate() {
            let (low, high) = node.bounds[at * axes + axis];
            if !(low < position && position <= high) {
                continue;
            }
            let cells = &node.cells[class.start as usize..class.end as usize];
            let side = |value: u16| {
                cells.iter().filter(move |cell| cell.key.field(shift, mask) == value)
            };
            let (mut left, mut right) = (side(before), side(position));
            let rest = |key: K| key.without(shift, mask);
            let (mut one, mut other) = (left.next(), right.next());
            let mut base = class.word.base;
            while let (Some(l), Some(r)) = (one, other) {
                match rest(l.key).cmp(&rest(r.key)) {
                    std::cmp::Ordering::Less => one = left.next(),
                    std::cmp::Ordering::Greater => other = right.next(),
                    std::cmp::Ordering::Equal => {
                        let mut joined = l.load;
                        self.kernel.join(&mut joined, &r.load);
                        let apart = self.kernel.word(&l.load).base + self.kernel.word(&r.load).base;
                        base += self.kernel.word(&joined).base.saturating_sub(apart);
                        (one, other) = (left.next(), right.next());
                    }
                }
            }
            let joined = Word { base, ..class.word };
            rise += self.kernel.bound(joined).saturating_sub(self.kernel.bound(class.word));
        }
        rise
    }

    /// The open cuts.
    pub(super) fn open<K: Key>(&self, node: &Node<K, M>) -> impl Iterator<Item = usize> {
        let choices = &node.choices;
        (0..choices.len()).filter(move |&slot| choices[slot] == Choice::Open)
    }
}
