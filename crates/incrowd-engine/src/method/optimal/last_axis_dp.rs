//! The best cuts of one axis when all others are decided.
//!
//! The cost is a sum over the axis's intervals then, so the best division is a shortest path over its runs.
//! Under a limit on suppressed rows a path also has a length in rows: labels of cost and rows are
//! kept as long as no other is better in both and the cheapest way on stays below the cutoff.

use crate::space::cuts::CutDecision;

use super::cost_model::CostModel;
use super::layout::CellKey;
use super::node::{ProverContext, ProverNode};

/// What the intervals between two runs' beginnings cost.
#[derive(Debug, Default)]
pub(super) struct LastAxisProgram {
    /// By first run and end: cost and suppressed rows.
    steps: Vec<(u64, u64)>,
    /// From each run on: the least cost without a limit.
    onward: Vec<u64>,
    labels: Vec<Vec<PathLabel>>,
}

/// A way to a run.
#[derive(Debug, Clone, Copy)]
struct PathLabel {
    cost: u64,
    rows: u64,
    /// The run that it came from, and which of its labels.
    from: (usize, usize),
}

/// A finished division.
#[derive(Debug)]
pub(super) struct LastAxisDivision {
    pub(super) cost: u64,
    /// The choices of all cuts.
    pub(super) choices: Vec<CutDecision>,
}

impl LastAxisProgram {
    /// The best division of the only axis with open cuts, if it costs less than the cutoff.
    pub(super) fn solve<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        axis: usize,
        cutoff: u64,
    ) -> Option<LastAxisDivision> {
        let runs = &node.runs[axis];
        let count = runs.len();
        self.price(ground, node, axis);
        let stride = count + 1;
        self.onward.clear();
        self.onward.resize(stride, u64::MAX);
        self.onward[count] = 0;
        for from in (0..count).rev() {
            let steps = (from + 1..=count)
                .map(|to| self.steps[from * stride + to].0.saturating_add(self.onward[to]));
            self.onward[from] = steps.min().unwrap_or(u64::MAX);
        }
        if node.fixed.saturating_add(self.onward[0]) >= cutoff {
            return None;
        }
        let limit = ground.limit - node.suppressed;
        self.labels.resize_with(self.labels.len().max(stride), Vec::new);
        self.labels.iter_mut().for_each(Vec::clear);
        self.labels[0].push(PathLabel { cost: node.fixed, rows: 0, from: (0, 0) });
        for from in 0..count {
            for at in 0..self.labels[from].len() {
                let label = self.labels[from][at];
                for to in from + 1..=count {
                    let (cost, rows) = self.steps[from * stride + to];
                    if cost == u64::MAX {
                        continue;
                    }
                    let new = PathLabel {
                        cost: label.cost + cost,
                        rows: label.rows + rows,
                        from: (from, at),
                    };
                    if new.rows <= limit && new.cost.saturating_add(self.onward[to]) < cutoff {
                        offer(&mut self.labels[to], new);
                    }
                }
            }
        }
        let best = self.labels[count].iter().min_by_key(|label| label.cost)?;
        let mut choices = node.choices.clone();
        let first = ground.layout.first[axis];
        for &run in runs {
            let choice = &mut choices[first + usize::from(run)];
            if *choice == CutDecision::Open {
                *choice = CutDecision::Out;
            }
        }
        let mut label = best;
        while label.from.0 > 0 {
            choices[first + usize::from(runs[label.from.0])] = CutDecision::In;
            label = &self.labels[label.from.0][label.from.1];
        }
        Some(LastAxisDivision { cost: best.cost, choices })
    }

    /// Prices every interval that may be made.
    fn price<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        axis: usize,
    ) {
        let runs = &node.runs[axis];
        let (count, stride) = (runs.len(), runs.len() + 1);
        let layout = &ground.layout;
        let (shift, mask) = layout.fields[axis];
        let values = layout.values[axis];
        let begin = |run: usize| runs.get(run).map_or(values, |&run| usize::from(run));
        self.steps.clear();
        self.steps.resize(stride * stride, (u64::MAX, 0));
        for from in 0..count {
            for to in from + 1..=count {
                if ground.space.axes[axis].allows(begin(from), begin(to)) {
                    self.steps[from * stride + to] = (0, 0);
                }
                // A cut that is in ends every interval.
                if node.choices[layout.first[axis] + begin(to)] == CutDecision::In {
                    break;
                }
            }
        }
        let mut rank = vec![0; values];
        for (at, &run) in runs.iter().enumerate() {
            rank[usize::from(run)] = at;
        }
        let mut slices: Vec<Option<M::Load>> = vec![None; count];
        for class in &node.classes {
            let cells = &node.cells[class.start as usize..class.end as usize];
            let key = cells[0].key;
            slices.fill(None);
            for cell in cells {
                let slice = &mut slices[rank[usize::from(cell.key.field(shift, mask))]];
                match slice {
                    Some(load) => ground.kernel.join(load, &cell.load),
                    None => *slice = Some(cell.load),
                }
            }
            for from in 0..count {
                let mut sum: Option<M::Load> = None;
                for to in from + 1..=count {
                    if let Some(slice) = &slices[to - 1] {
                        match &mut sum {
                            Some(load) => ground.kernel.join(load, slice),
                            None => sum = Some(*slice),
                        }
                    }
                    let step = &mut self.steps[from * stride + to];
                    if let (Some(load), true) = (&sum, step.0 < u64::MAX) {
                        let rows = ground.kernel.word(load).rows();
                        if rows < ground.k {
                            step.0 += ground.kernel.suppressed(rows);
                            step.1 += rows;
                        } else {
                            step.0 += ground.kernel.cost(load, |other| {
                                if other == axis {
                                    (begin(from), begin(to))
                                } else {
                                    let (shift, mask) = layout.fields[other];
                                    ground.interval(&node.choices, other, key.field(shift, mask))
                                }
                            });
                        }
                    }
                    if node.choices[layout.first[axis] + begin(to)] == CutDecision::In {
                        break;
                    }
                }
            }
        }
    }
}

/// Keeps a label unless another is as good in both respects; drops those that it beats.
fn offer(labels: &mut Vec<PathLabel>, new: PathLabel) {
    if labels.iter().any(|label| label.cost <= new.cost && label.rows <= new.rows) {
        return;
    }
    labels.retain(|label| label.cost < new.cost || label.rows < new.rows);
    labels.push(new);
}
