//! Cutting a table into parts, top down.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::cut::PartCutter;
use super::part_view::SettledAttributes;
use super::parts::{ProfileRows, TablePart};
use super::rules::PartitionRules;
use super::spread::SpreadTable;
use crate::problem::Problem;
use crate::search::{Control, Event, StopReason};

/// A table cut into parts.
pub(crate) struct Partition {
    /// The parts; their order does not depend on the number of threads.
    pub(crate) parts: Vec<TablePart>,
    /// Why the cutting was stopped, if it was: then parts are larger than they could be.
    pub(crate) stopped: Option<StopReason>,
    /// How many parts were looked at, those that were cut included.
    pub(crate) nodes: u64,
}

/// Parts of at least so many pieces are cut in parallel.
const PARALLEL: usize = 1 << 14;

/// Below so many cuts that took little off large parts each, one thread goes on by itself: the data must
/// not choose how deep calls nest.
const DEEP: u32 = 200;

/// Cuts these rows, which must pass together, until no part can be cut such that all of its parts pass.
pub(crate) fn partition(
    problem: &Problem,
    spreads: Option<&SpreadTable>,
    pieces: TablePart,
    rules: PartitionRules,
    control: &Control,
) -> Partition {
    let run = PartitionRun { problem, spreads, rules, control, done: AtomicU64::new(0) };
    run.divide(pieces, SettledAttributes::default(), 0)
}

struct PartitionRun<'a> {
    problem: &'a Problem,
    spreads: Option<&'a SpreadTable>,
    rules: PartitionRules,
    control: &'a Control,
    /// Rows whose part is final.
    done: AtomicU64,
}

impl PartitionRun<'_> {
    /// The parts of these rows, large ones in parallel.
    fn divide(&self, pieces: TablePart, settled: SettledAttributes, depth: u32) -> Partition {
        let mut found = Partition { parts: Vec::new(), stopped: None, nodes: 0 };
        let mut cutter = PartCutter::new(self.problem, self.spreads, self.rules);
        if pieces.len() < PARALLEL || depth > DEEP {
            let rows: u64 = pieces.iter().map(|piece| piece.count).sum();
            self.descend((pieces, settled), &mut cutter, &mut found);
            let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
            self.control.tell(Event::Progress(done as f64 / self.problem.rows as f64));
            return found;
        }
        match self.cut(&pieces, settled, &mut cutter, &mut found) {
            None => found.parts.push(pieces),
            Some((sides, settled)) => {
                // All that is kept of a large part is its sides.
                drop((pieces, cutter));
                let others: Vec<Partition> = sides
                    .into_par_iter()
                    .map(|side| self.divide(side, settled, depth + 1))
                    .collect();
                for other in others {
                    found.parts.extend(other.parts);
                    found.stopped = found.stopped.or(other.stopped);
                    found.nodes += other.nodes;
                }
            }
        }
        found
    }

    /// The same in one thread. A stack of its own: the depth is the data's to choose.
    fn descend(
        &self,
        part: (TablePart, SettledAttributes),
        cutter: &mut PartCutter<'_>,
        found: &mut Partition,
    ) {
        let mut open = vec![part];
        while let Some((pieces, settled)) = open.pop() {
            match self.cut(&pieces, settled, cutter, found) {
                None => found.parts.push(pieces),
                Some((sides, settled)) => {
                    open.extend(sides.into_iter().rev().map(|side| (side, settled)));
                }
            }
        }
    }

    /// Cuts a part; none if it cannot be cut or the search must stop.
    fn cut(
        &self,
        pieces: &[ProfileRows],
        settled: SettledAttributes,
        cutter: &mut PartCutter<'_>,
        found: &mut Partition,
    ) -> Option<(Vec<TablePart>, SettledAttributes)> {
        found.nodes += 1;
        if found.stopped.is_none() {
            found.stopped = self.control.stop();
        }
        // A stopped search leaves its parts as they are: larger classes, but a release.
        if found.stopped.is_some() || pieces.len() <= self.rules.enough {
            return None;
        }
        cutter.cut(pieces, settled)
    }
}
