//! Cells that differ on one axis only.

use super::cell_hash_table::CellHashTable;
use super::cost_model::CostModel;
use super::layout::CellKey;
use super::node::GridCell;

/// Groups of cells: within each, cells in the order of their place on the axis.
#[derive(Debug)]
pub(super) struct JoinGroups<K, L> {
    places: CellHashTable,
    groups: Vec<JoinGroup<K, L>>,
    /// By cell: its group.
    group_of: Vec<u32>,
    sorted: Vec<(u16, L)>,
}

/// A group.
#[derive(Debug, Clone, Copy)]
struct JoinGroup<K, L> {
    /// The key that its cells share.
    key: K,
    /// All of them joined, and the sum of what bounds them apart.
    joined: L,
    apart: u64,
    /// Where its cells begin and end.
    start: u32,
    end: u32,
}

impl<K, L> Default for JoinGroups<K, L> {
    fn default() -> Self {
        JoinGroups {
            places: CellHashTable::default(),
            groups: Vec::new(),
            group_of: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl<K: CellKey, L: Copy> JoinGroups<K, L> {
    /// Collects the groups of a class. Those in which joining raises no bound are left without cells.
    pub(super) fn collect<M: CostModel<Load = L>>(
        &mut self,
        kernel: &M,
        cells: &[GridCell<K, L>],
        rest: impl Fn(K) -> K,
        place: impl Fn(K) -> u16,
    ) {
        self.places.clear(cells.len());
        self.groups.clear();
        self.group_of.clear();
        for cell in cells {
            let (key, new) = (rest(cell.key), self.groups.len());
            let base = kernel.word(&cell.load).base;
            let known = self.places.find_or_put(key, new, |at| self.groups[at].key);
            match known {
                Some(at) => {
                    let group = &mut self.groups[at];
                    kernel.join(&mut group.joined, &cell.load);
                    group.apart += base;
                    group.end += 1;
                }
                None => {
                    self.groups.push(JoinGroup {
                        key,
                        joined: cell.load,
                        apart: base,
                        start: 0,
                        end: 1,
                    });
                }
            }
            self.group_of.push(known.unwrap_or(new) as u32);
        }
        let mut begin = 0;
        for group in &mut self.groups {
            let size = group.end;
            (group.start, group.end) = (begin, begin);
            if kernel.word(&group.joined).base > group.apart {
                begin += size;
            }
        }
        let Some(first) = cells.first() else { return };
        self.sorted.clear();
        self.sorted.resize(begin as usize, (0, first.load));
        for (cell, &at) in cells.iter().zip(&self.group_of) {
            let group = &mut self.groups[at as usize];
            if kernel.word(&group.joined).base > group.apart {
                // Groups are short, and their cells are nearly in order.
                let place = place(cell.key);
                let mut at = group.end as usize;
                while at > group.start as usize && self.sorted[at - 1].0 > place {
                    self.sorted[at] = self.sorted[at - 1];
                    at -= 1;
                }
                self.sorted[at] = (place, cell.load);
                group.end += 1;
            }
        }
    }

    /// Calls with each group in which joining raises a bound: places and loads.
    pub(super) fn each(&self, mut call: impl FnMut(&[(u16, L)])) {
        for group in &self.groups {
            if group.start < group.end {
                call(&self.sorted[group.start as usize..group.end as usize]);
            }
        }
    }
}
