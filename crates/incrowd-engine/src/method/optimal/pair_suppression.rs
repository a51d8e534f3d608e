//! What pairs of cuts suppress together.

use super::cost_model::CostModel;
use super::layout::CellKey;
use super::node::{ProverContext, ProverNode};

/// Rows that pairs of open cuts suppress.
pub(super) struct PairSuppression {
    /// The open cuts.
    pub(super) open: Vec<usize>,
    /// By slot: its place among the open cuts.
    place: Vec<usize>,
    /// By two places, in either order: rows suppressed by both together less those by each alone.
    more: Vec<i32>,
    /// By slot of a run's first value: its place among the axis's runs.
    rank: Vec<u16>,
    /// The class at hand: one matrix of rows for each pair of axes.
    matrices: Vec<i32>,
    /// The class at hand, by place: rows that a cut suppresses alone.
    lost: Vec<i32>,
    /// Rows up to each value of an axis.
    sums: Vec<i32>,
}

/// An axis that divides the class at hand.
#[derive(Debug, Clone, Copy)]
struct ActiveAxis {
    /// Shift and mask of its field.
    field: (u32, u16),
    /// The slot of its first value.
    first: usize,
    /// The rank of the class's first run, and how many runs it spans.
    low: usize,
    runs: usize,
    /// The place of the first cut inside.
    place: usize,
}

impl PairSuppression {
    pub(super) fn new() -> Self {
        PairSuppression {
            open: Vec::new(),
            place: Vec::new(),
            more: Vec::new(),
            rank: Vec::new(),
            matrices: Vec::new(),
            lost: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Counts what pairs of open cuts suppress.
    pub(super) fn count<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
    ) {
        let layout = &ground.layout;
        self.open.clear();
        self.open.extend(ground.open(node));
        self.place.resize(layout.slots, 0);
        for (place, &slot) in self.open.iter().enumerate() {
            self.place[slot] = place;
        }
        self.rank.resize(layout.slots, 0);
        for axis in 0..ground.axes() {
            for (rank, &run) in node.runs[axis].iter().enumerate() {
                self.rank[layout.first[axis] + usize::from(run)] = rank as u16;
            }
        }
        let places = self.open.len();
        self.more.clear();
        self.more.resize(places * places, 0);
        self.lost.resize(places, 0);
        for at in 0..node.classes.len() {
            self.count_class(ground, node, at);
        }
    }

    fn count_class<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        at: usize,
    ) {
        let (layout, axes) = (&ground.layout, ground.axes());
        let class = &node.classes[at];
        let mut active: Vec<ActiveAxis> = Vec::with_capacity(axes);
        for axis in 0..axes {
            let (low, high) = node.bounds[at * axes + axis];
            if low == high {
                continue;
            }
            let field = layout.fields[axis];
            let first = layout.first[axis];
            let [from, to] =
                [low, high].map(|run| usize::from(self.rank[first + usize::from(run)]));
            let cut = first + usize::from(node.runs[axis][from + 1]);
            active.push(ActiveAxis {
                field,
                first,
                low: from,
                runs: to - from + 1,
                place: self.place[cut],
            });
        }
        // The longest axis last: matrices are read along the later of two axes.
        active.sort_by_key(|axis| axis.runs);
        // Where the matrices of an axis with those before it begin.
        let mut begin = 0;
        let begins: Vec<usize> = (0..active.len())
            .map(|b| {
                let here = begin;
                begin += active[b].runs * (1 + active[..b].iter().map(|a| a.runs).sum::<usize>());
                here
            })
            .collect();
        self.matrices.clear();
        self.matrices.resize(begin, 0);
        let (matrices, rank) = (&mut self.matrices[..], &self.rank[..]);
        let mut places = vec![0usize; active.len()];
        for cell in &node.cells[class.start as usize..class.end as usize] {
            let rows = ground.kernel.word(&cell.load).rows() as i32;
            for level in 0..active.len() {
                let axis = &active[level];
                let value = usize::from(cell.key.field(axis.field.0, axis.field.1));
                let place = usize::from(rank[axis.first + value]) - axis.low;
                places[level] = place;
                let width = axis.runs;
                let mut matrix = begins[level] + place;
                matrices[matrix] += rows;
                matrix += width;
                for upper in 0..level {
                    matrices[matrix + places[upper] * width] += rows;
                    matrix += active[upper].runs * width;
                }
            }
        }
        let (rows, k) = (class.word.rows() as i32, ground.k as i32);
        self.count_single(&active, &begins, rows, k);
        self.count_pairs(&active, &begins, rows, k);
    }

    /// What each cut suppresses alone, and with others of the same axis.
    fn count_single(&mut self, active: &[ActiveAxis], begins: &[usize], rows: i32, k: i32) {
        let places = self.open.len();
        let small = |part: i32| if part < k { part } else { 0 };
        for (axis, &begin) in active.iter().zip(begins) {
            let upto = &mut self.matrices[begin..begin + axis.runs];
            let mut sum = 0;
            for value in upto.iter_mut() {
                sum += *value;
                *value = sum;
            }
            let upto = &upto[..axis.runs - 1];
            for (cut, &left) in upto.iter().enumerate() {
                self.lost[axis.place + cut] = small(left) + small(rows - left);
            }
            for (one, &left) in upto.iter().enumerate() {
                let u = axis.place + one;
                for (other, &both) in upto.iter().enumerate().skip(one + 1) {
                    let v = axis.place + other;
                    let lost = small(left) + small(both - left) + small(rows - both);
                    self.more[u * places + v] += lost - self.lost[u] - self.lost[v];
                }
            }
        }
    }

    /// What cuts of different axes suppress together: the small ones of four quadrants.
    fn count_pairs(&mut self, active: &[ActiveAxis], begins: &[usize], rows: i32, k: i32) {
        let places = self.open.len();
        for (b, other) in active.iter().enumerate() {
            let width = other.runs;
            let mut matrix = begins[b] + width;
            for one in &active[..b] {
                let quadrants = &mut self.matrices[matrix..matrix + one.runs * width];
                matrix += one.runs * width;
                self.sums.clear();
                self.sums.resize(width, 0);
                // After this every entry counts the rows up to it on both axes.
                for line in quadrants.chunks_exact_mut(width) {
                    let mut sum = 0;
                    for (value, above) in line.iter_mut().zip(&mut self.sums) {
                        sum += *value;
                        *above += sum;
                        *value = *above;
                    }
                }
                let lost = &self.lost[other.place..other.place + width - 1];
                for (cut, line) in quadrants.chunks_exact(width).take(one.runs - 1).enumerate() {
                    let u = one.place + cut;
                    let left = line[width - 1];
                    let alone = self.lost[u];
                    let more = &mut self.more[u * places + other.place..][..width - 1];
                    let inner = line.iter().zip(&self.sums).zip(lost).zip(more);
                    for (((&corner, &below), &lost), more) in inner {
                        let small = |part: i32| if part < k { part } else { 0 };
                        *more += small(corner)
                            + small(left - corner)
                            + small(below - corner)
                            + small(rows - left - below + corner)
                            - alone
                            - lost;
                    }
                }
            }
        }
    }

    /// Rows that two cuts, given by their places, suppress together beyond what each does alone; it may be
    /// less than none.
    #[inline]
    pub(super) fn more(&self, u: usize, v: usize) -> i64 {
        let places = self.open.len();
        i64::from(self.more[u * places + v]) + i64::from(self.more[v * places + u])
    }
}
