//! Mondrian.
//!
//! **What it does**: cuts the table in two at the median of the attribute in which it is widest, then each
//! half again, as long as both sides pass. Each final part is released as the ranges and sets of its own
//! members. *Strict* keeps equal values together, so the parts are disjoint boxes; *relaxed* may deal rows
//! at the median to either side, which gives more even parts.
//! **Guarantee**: every class passes; strict parts are below 2d(k - 1) + m rows (m the most identical
//! rows), relaxed ones below 2k where values differ.
//! **Cost**: n log n.
//! **Example**: six patients by age, sex and ZIP at k = 2: cut ZIP at 53711, then age at 26.
//! **Reference**: LeFevre, DeWitt and Ramakrishnan, *Mondrian Multidimensional K-Anonymity* (2006).

mod cut;

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::Result;
use crate::problem::Problem;
use crate::recoding::{Assigned, Boxes, Recoding, Share};
use crate::solution::{Outcome, Solution, StopReason};
use crate::watch::{News, Watch};
use cut::Cutter;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "mondrian",
    about: "cut at medians into multidimensional boxes (LeFevre 2006)",
    recoding: "regional or local",
    options: &[
        OptionInfo {
            name: "mode",
            values: OptionValues::Words(&["strict", "relaxed"]),
            about: "strict keeps equal values together, relaxed deals them out for evener classes",
        },
        OptionInfo {
            name: "along",
            values: OptionValues::Words(&["tree", "order"]),
            about: "cut attributes that have a hierarchy along its nodes, or anywhere in its order",
        },
    ],
};

/// Whether equal values stay together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// They do.
    #[default]
    Strict,
    /// Rows at the median may go to either side.
    Relaxed,
}

/// Where attributes with a hierarchy are cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Along {
    /// Between the children of the lowest node above the values, all of them at once.
    #[default]
    Tree,
    /// Between any two neighbours in the order of the leaves.
    Order,
}

/// LeFevre's Mondrian.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mondrian {
    /// Whether equal values stay together.
    pub mode: Mode,
    /// Where attributes with a hierarchy are cut.
    pub along: Along,
}

impl Mondrian {
    pub(super) fn from_options<'a>(given: impl Fn(&str) -> Option<&'a str>) -> Self {
        Mondrian {
            mode: if given("mode") == Some("relaxed") { Mode::Relaxed } else { Mode::Strict },
            along: if given("along") == Some("order") { Along::Order } else { Along::Tree },
        }
    }
}

/// Some rows of a cell; all of them unless a relaxed cut has dealt them out.
#[derive(Debug, Clone, Copy)]
struct Piece {
    cell: u32,
    label: u32,
    count: u32,
}

/// Partitions of at least so many pieces are halved in parallel.
const PARALLEL: usize = 1 << 14;

impl Algorithm for Mondrian {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let run = Run {
            mondrian: *self,
            problem,
            watch,
            nodes: AtomicU64::new(0),
            done: AtomicU64::new(0),
        };
        let Part { boxes, shares, stopped } = run.divide(run.pieces());
        let (recoding, boxes) = match self.mode {
            Mode::Strict => {
                (Recoding::Regional(boxes), Some(box_of_cell(&shares, problem.cells.len())))
            }
            Mode::Relaxed => (Recoding::Local(Assigned { boxes, shares: sorted(shares) }), None),
        };
        let outcome = match stopped {
            None => Outcome::Feasible { bound: None },
            Some(reason) => Outcome::Stopped { reason, bound: None },
        };
        let nodes = run.nodes.load(Ordering::Relaxed);
        let solution = Solution::feasible(recoding, nodes);
        Ok(Solution { outcome, boxes, ..solution })
    }
}

/// Strict cuts keep cells whole: the class of any of its rows is a cell's class.
fn box_of_cell(shares: &[Share], cells: usize) -> Vec<u32> {
    let mut boxes = vec![0; cells];
    for share in shares {
        boxes[share.cell as usize] = share.class;
    }
    boxes
}

fn sorted(mut shares: Vec<Share>) -> Vec<Share> {
    shares.sort_unstable_by_key(|share| (share.cell, share.label, share.class));
    shares
}

/// One run of the algorithm.
struct Run<'a> {
    mondrian: Mondrian,
    problem: &'a Problem,
    watch: &'a Watch<'a>,
    nodes: AtomicU64,
    /// Rows whose class is final.
    done: AtomicU64,
}

/// What became of a part of the table: its classes, in order.
struct Part {
    boxes: Boxes,
    shares: Vec<Share>,
    stopped: Option<StopReason>,
}

impl Part {
    /// Puts the classes of another part behind these.
    fn append(&mut self, other: Part) {
        let offset = self.boxes.len() as u32;
        self.boxes.append(&other.boxes);
        self.shares.extend(
            other.shares.into_iter().map(|share| Share { class: share.class + offset, ..share }),
        );
        self.stopped = self.stopped.or(other.stopped);
    }
}

impl Run<'_> {
    /// The whole table. Labels matter to a class only if a model looks at them, or if rows of one cell
    /// may go different ways.
    fn pieces(&self) -> Vec<Piece> {
        let cells = &self.problem.cells;
        let by_label = cells.labelled()
            && (self.mondrian.mode == Mode::Relaxed
                || !self.problem.privacy.requirements.is_empty());
        let mut pieces = Vec::with_capacity(cells.len());
        for (cell, &count) in cells.counts().iter().enumerate() {
            let cell_at = cell as u32;
            if by_label {
                pieces.extend(cells.labels(cell).iter().map(|&(label, count)| Piece {
                    cell: cell_at,
                    label,
                    count,
                }));
            } else {
                pieces.push(Piece { cell: cell_at, label: 0, count });
            }
        }
        pieces
    }

    /// The classes of these rows, large partitions in parallel. The order of classes does not depend
    /// on the number of threads.
    fn divide(&self, pieces: Vec<Piece>) -> Part {
        let mut part = Part {
            boxes: Boxes::new(self.problem.attributes.len()),
            shares: Vec::new(),
            stopped: None,
        };
        let mut cutter = Cutter::new(self.problem, self.mondrian);
        if pieces.len() < PARALLEL {
            let rows: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
            self.descend(pieces, &mut cutter, &mut part);
            let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
            self.watch.tell(News::Progress(done as f64 / self.problem.rows as f64));
            return part;
        }
        match self.cut(&pieces, &mut cutter, &mut part) {
            None => self.finish(&pieces, &cutter, &mut part),
            Some(sides) => {
                drop((pieces, cutter));
                use rayon::prelude::*;
                let parts: Vec<Part> =
                    sides.into_par_iter().map(|side| self.divide(side)).collect();
                parts.into_iter().for_each(|other| part.append(other));
            }
        }
        part
    }

    /// The same in one thread. A stack of its own: the depth is the data's to choose.
    fn descend(&self, pieces: Vec<Piece>, cutter: &mut Cutter<'_>, part: &mut Part) {
        let mut open = vec![pieces];
        while let Some(pieces) = open.pop() {
            match self.cut(&pieces, cutter, part) {
                None => self.finish(&pieces, cutter, part),
                Some(sides) => open.extend(sides.into_iter().rev()),
            }
        }
    }

    /// Cuts a partition; none if it cannot be cut or the search must stop.
    fn cut(
        &self,
        pieces: &[Piece],
        cutter: &mut Cutter<'_>,
        part: &mut Part,
    ) -> Option<Vec<Vec<Piece>>> {
        self.nodes.fetch_add(1, Ordering::Relaxed);
        cutter.look_at(pieces);
        if part.stopped.is_none() {
            part.stopped = self.watch.stop();
        }
        // A stopped search leaves its partitions as they are: larger classes, but a release.
        if part.stopped.is_some() { None } else { cutter.cut(pieces) }
    }

    /// Makes a partition a class; the cutter has just looked at it.
    fn finish(&self, pieces: &[Piece], cutter: &Cutter<'_>, part: &mut Part) {
        let class = part.boxes.len() as u32;
        part.boxes.push(cutter.groups());
        part.shares.extend(pieces.iter().map(|&Piece { cell, label, count }| Share {
            cell,
            label,
            class,
            count,
        }));
    }
}
