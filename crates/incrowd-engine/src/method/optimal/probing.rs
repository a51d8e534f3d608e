//! One pass over a node: its bound, and what each open cut would cost.

use crate::space::cuts::CutDecision;

use super::cell_hash_table::CellHashTable;
use super::cost_model::{CostModel, PackedSum};
use super::layout::{AxisField, CellKey};
use super::node::{GridCell, ProverContext, ProverNode};

/// What a pass finds, by slot.
pub(super) struct ProbingResult {
    /// By how much the bound rises if the cut is made.
    pub(super) rise: Vec<u64>,
    /// The part of that rise that comes from suppressed rows alone, and to which rises of other cuts that
    /// are not made add.
    pub(super) loss: Vec<u64>,
    /// How many further rows are suppressed then.
    pub(super) suppressed: Vec<u64>,
    /// In how many classes it can lower the cost of a refinement.
    pub(super) useful: Vec<u32>,
    /// How many classes it divides.
    pub(super) divides: Vec<u32>,
    /// How much it matters, for branching.
    pub(super) interest: Vec<f64>,
    /// By how much the bound rises if the cut is not made.
    pub(super) joined: Vec<u64>,
    /// Parts of `joined` that add up, to each other and to `loss`: those of classes that are bounded by
    /// their cells. Where rises of cuts do not add up, every cell counts in one pair only.
    pub(super) additive: Vec<u64>,
    matched_cells: Vec<bool>,
    /// Rows by value, one class at a time.
    histogram: Vec<PackedSum>,
    /// Where each cell stands, by key.
    places: CellHashTable,
    /// The same as `joined`, one class at a time.
    delta: Vec<u64>,
}

impl ProbingResult {
    pub(super) fn new(slots: usize) -> Self {
        ProbingResult {
            rise: vec![0; slots],
            loss: vec![0; slots],
            suppressed: vec![0; slots],
            useful: vec![0; slots],
            divides: vec![0; slots],
            interest: vec![0.0; slots],
            joined: vec![0; slots],
            additive: vec![0; slots],
            matched_cells: Vec::new(),
            histogram: vec![PackedSum::default(); slots],
            places: CellHashTable::default(),
            delta: vec![0; slots],
        }
    }

    fn clear(&mut self) {
        self.rise.fill(0);
        self.loss.fill(0);
        self.suppressed.fill(0);
        self.useful.fill(0);
        self.divides.fill(0);
        self.interest.fill(0.0);
    }
}

/// The pair in which a cell counts.
#[derive(Default)]
struct JoinMatch {
    rise: u64,
    place: usize,
    slot: usize,
}

impl JoinMatch {
    /// Takes the pair that raises the bound most, if the other cell is not in one yet.
    #[inline]
    fn offer(&mut self, rise: u64, place: usize, slot: usize, matched: &[bool]) {
        if rise > self.rise && matched.get(place).is_some_and(|matched| !matched) {
            *self = JoinMatch { rise, place, slot };
        }
    }
}

/// A cell that only one open cut separates from another.
#[derive(Clone, Copy)]
struct AdjacentCell<K> {
    key: K,
    slot: usize,
    /// Whether it lies before the other.
    second: bool,
}

impl<M: CostModel> ProverContext<'_, M> {
    /// Computes a node's bound and, if it is below the cutoff, what each open cut would do.
    pub(super) fn pass<K: CellKey>(
        &self,
        node: &mut ProverNode<K, M>,
        cutoff: u64,
        found: &mut ProbingResult,
    ) -> u64 {
        let bounds = node.classes.iter().map(|class| self.kernel.bound(class.word));
        let bound = node.fixed + bounds.sum::<u64>();
        if bound >= cutoff {
            return bound;
        }
        found.clear();
        let mut counted = std::mem::take(&mut found.histogram);
        let axes = self.axes();
        // The axes on which the class at hand is divided.
        let mut active: Vec<(AxisField, usize)> = Vec::with_capacity(axes);
        for (at, class) in node.classes.iter().enumerate() {
            let own = self.kernel.bound(class.word);
            let bounds = &mut node.bounds[at * axes..(at + 1) * axes];
            active.clear();
            for (axis, &(low, high)) in bounds.iter().enumerate() {
                if low < high {
                    active.push((self.layout.field(axis), axis));
                }
            }
            let histogram = match class.histogram {
                Some(begin) => &node.histograms[begin as usize..][..self.layout.slots],
                None => {
                    for &(_, axis) in &active {
                        let (low, high) = bounds[axis];
                        let first = self.layout.first[axis];
                        counted[first + usize::from(low)..=first + usize::from(high)]
                            .fill(PackedSum::default());
                    }
                    for cell in &node.cells[class.start as usize..class.end as usize] {
                        let word = self.kernel.word(&cell.load);
                        for (field, _) in &active {
                            counted[field.slot(cell.key)].add(word);
                        }
                    }
                    &counted[..]
                }
            };
            for &(_, axis) in &active {
                let first = self.layout.first[axis];
                let histogram = &histogram[first..];
                self.weigh(
                    &node.runs[axis],
                    histogram,
                    &mut bounds[axis],
                    (class.word, own),
                    first,
                    found,
                );
            }
        }
        found.histogram = counted;
        bound
    }

    /// What the cuts of one axis would do to one class with its bound.
    #[inline]
    fn weigh(
        &self,
        runs: &[u16],
        histogram: &[PackedSum],
        bounds: &mut (u16, u16),
        (class, own): (PackedSum, u64),
        first: usize,
        found: &mut ProbingResult,
    ) {
        let rows = |run: u16| histogram[usize::from(run)].rows();
        let mut from = runs.partition_point(|&run| run < bounds.0);
        let mut to = runs.partition_point(|&run| run <= bounds.1);
        while from + 1 < to && rows(runs[from]) == 0 {
            from += 1;
        }
        while from + 1 < to && rows(runs[to - 1]) == 0 {
            to -= 1;
        }
        *bounds = (runs[from], runs[to - 1]);
        let mut left = histogram[usize::from(runs[from])];
        for &run in &runs[from + 1..to] {
            let slot = first + usize::from(run);
            let right = class.minus(left);
            // Where the cells' bounds stand for the class, joined cells raise them further; what a
            // suppressed part costs beyond all of that is certain. A class bounded otherwise is not
            // raised by joining, so all of its rise is.
            let by_cells = own == class.base;
            let (mut parts, mut loss) = (0, 0);
            for part in [left, right] {
                if part.rows() < self.k {
                    found.suppressed[slot] += part.rows();
                    parts += self.kernel.suppressed(part.rows());
                    loss += self.kernel.slice_loss(part, true);
                } else {
                    parts += self.kernel.bound(part);
                }
            }
            let rise = parts.saturating_sub(own);
            found.rise[slot] += rise;
            found.loss[slot] += if by_cells { loss } else { rise };
            found.useful[slot] += u32::from(self.kernel.useful(left, right));
            found.divides[slot] += 1;
            found.interest[slot] += self.kernel.interest(left, right);
            left.add(histogram[usize::from(run)]);
        }
    }

    /// By how much the bound rises if an open cut is not made, for each of them: the cells that it
    /// alone separates are joined.
    pub(super) fn join_rises<K: CellKey>(
        &self,
        node: &ProverNode<K, M>,
        found: &mut ProbingResult,
    ) {
        found.joined.fill(0);
        let axes = self.axes();
        // By slot of a run's first value: from there to the keys of the runs beside it, and the slot of
        // the one after it.
        let mut beside = vec![(K::ZERO, K::ZERO, 0); self.layout.slots];
        for axis in 0..axes {
            let first = self.layout.first[axis];
            let (shift, _) = self.layout.fields[axis];
            for pair in node.runs[axis].windows(2) {
                let flip = K::flip(shift, pair[0], pair[1]);
                let [before, after] = [pair[0], pair[1]].map(|run| first + usize::from(run));
                (beside[before].1, beside[before].2) = (flip, after);
                beside[after].0 = flip;
            }
        }
        found.additive.fill(0);
        if !M::RISES_ADD {
            found.matched_cells.clear();
            found.matched_cells.resize(node.cells.len(), false);
        }
        let mut near = vec![AdjacentCell { key: K::ZERO, slot: 0, second: false }; 2 * axes];
        let mut active: Vec<(u32, u16, usize, u16, u16)> = Vec::with_capacity(axes);
        for (at, class) in node.classes.iter().enumerate() {
            // A class that is not bounded by its cells gains nothing when they are joined.
            let own = self.kernel.bound(class.word);
            let by_cells = own == class.word.base;
            let range = class.start as usize..class.end as usize;
            let cells = &node.cells[range.clone()];
            let most = PackedSum { base: u64::MAX / 2, ..class.word };
            if self.kernel.bound(most) == own
                || !cells.iter().any(|cell| self.kernel.drives(&cell.load))
            {
                continue;
            }
            let others =
                cells.iter().enumerate().filter(|(_, cell)| self.kernel.yields(&cell.load));
            found.places.fill(cells.len(), others.map(|(place, cell)| (place, cell.key)));
            active.clear();
            for (axis, &(low, high)) in node.bounds[at * axes..(at + 1) * axes].iter().enumerate() {
                if low < high {
                    let (shift, mask) = self.layout.fields[axis];
                    let first = self.layout.first[axis];
                    active.push((shift, mask, first, low, high));
                    found.delta[first + usize::from(low)..=first + usize::from(high)].fill(0);
                }
            }
            for (own_place, cell) in range.clone().zip(cells) {
                if !self.kernel.drives(&cell.load) {
                    continue;
                }
                // Gathered first and without a branch: which of them exist cannot be foreseen.
                let mut some = 0;
                for &(shift, mask, first, low, high) in &active {
                    let value = cell.key.field(shift, mask);
                    let (before, after, next) = beside[first + usize::from(value)];
                    let slot = first + usize::from(value);
                    for (there, flip, slot, second) in
                        [(value < high, after, next, false), (value > low, before, slot, true)]
                    {
                        let key = cell.key.flipped(flip);
                        near[some] = AdjacentCell { key, slot, second };
                        some += usize::from(there & found.places.may_hold(key));
                    }
                }
                let mut pair = JoinMatch::default();
                for near in &near[..some] {
                    let (rise, place) =
                        self.join_rise(cells, &found.places, cell, near.key, near.second);
                    found.delta[near.slot] += rise;
                    pair.offer(rise, range.start + place, near.slot, &found.matched_cells);
                }
                if !M::RISES_ADD && by_cells && pair.rise > 0 && !found.matched_cells[own_place] {
                    found.matched_cells[own_place] = true;
                    found.matched_cells[pair.place] = true;
                    found.additive[pair.slot] += pair.rise;
                }
            }
            for (axis, &(low, high)) in node.bounds[at * axes..(at + 1) * axes].iter().enumerate() {
                let first = self.layout.first[axis];
                let runs = &node.runs[axis];
                for &run in &runs[runs.partition_point(|&run| run <= low)..] {
                    if run > high {
                        break;
                    }
                    let slot = first + usize::from(run);
                    let base = class.word.base + found.delta[slot];
                    let joined = self.kernel.bound(PackedSum { base, ..class.word });
                    let rise = joined.saturating_sub(own);
                    found.joined[slot] += rise;
                    if M::RISES_ADD && by_cells {
                        found.additive[slot] += rise;
                    }
                }
            }
        }
    }

    /// By how much the bound rises if a cell is joined with the one of that key, if there is one. A pair
    /// of two drivers is met twice: the second one passes it over.
    #[inline]
    fn join_rise<K: CellKey>(
        &self,
        cells: &[GridCell<K, M::Load>],
        places: &CellHashTable,
        cell: &GridCell<K, M::Load>,
        partner: K,
        second: bool,
    ) -> (u64, usize) {
        let Some(place) = places.find(partner, |place| cells[place].key) else {
            return (0, 0);
        };
        let other = &cells[place];
        if second && self.kernel.drives(&other.load) {
            return (0, 0);
        }
        let mut joined = cell.load;
        self.kernel.join(&mut joined, &other.load);
        let apart = self.kernel.word(&cell.load).base + self.kernel.word(&other.load).base;
        (self.kernel.word(&joined).base.saturating_sub(apart), place)
    }

    /// The open cuts.
    pub(super) fn open<K: CellKey>(&self, node: &ProverNode<K, M>) -> impl Iterator<Item = usize> {
        let choices = &node.choices;
        (0..choices.len()).filter(move |&slot| choices[slot] == CutDecision::Open)
    }
}
