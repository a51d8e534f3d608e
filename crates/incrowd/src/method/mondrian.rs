//! Mondrian.
//!
//! **What it does**: cuts the table in two, then each part again, as long as both sides pass. The attribute
//! is the one in which the part is widest, or whose cut leaves the least penalty, or whose values tell
//! most; the cut is at its median, or of all allowed ones the one that leaves the least penalty or tells
//! the classes apart best. Each final part is released as the ranges and sets of its own members.
//! *Strict* keeps equal values together, so the parts are disjoint boxes; *relaxed* may deal rows at the
//! median to either side, which gives more even parts.
//! **Guarantee**: every class passes. With cuts at the median strict parts are below 2d(k - 1) + m rows (m
//! the most identical rows), relaxed ones below 2k where values differ.
//! **Cost**: n log n; by least penalty every level looks at d times as much.
//! **Example**: six patients by age, sex and ZIP at k = 2: cut ZIP at 53711, then age at 26.
//! **Reference**: LeFevre, DeWitt and Ramakrishnan, *Mondrian Multidimensional K-Anonymity* (2006) and
//! *Workload-Aware Anonymization* (2006).

use super::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::kit::{Error, Result};
use crate::problem::Problem;
use crate::recoding::{Recoding, Share};
use crate::search::{Control, Outcome, Solution};
use crate::space::rows::{
    Ahead, Along, Cut, Dimension, Mode, PartitionRules, Spreads, assigned, partition, pieces,
    trimmed,
};

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
        OptionInfo {
            name: "dimension",
            values: OptionValues::Words(&["auto", "range", "penalty", "entropy"]),
            about: "cut the widest attribute, the one whose cut leaves the least penalty, or the one of \
                    largest entropy; auto is range for cuts at the median, else the one whose cut is best",
        },
        OptionInfo {
            name: "cut",
            values: OptionValues::Words(&["median", "penalty", "purity"]),
            about: "cut at the median, where the least penalty is left, or where the classes are told \
                    apart best",
        },
        OptionInfo {
            name: "look-ahead",
            values: OptionValues::Words(&["small", "off", "all"]),
            about: "with cut=penalty, try a few cuts and their next cuts too: in small parts, never, or \
                    in all of them, which takes several times longer",
        },
    ],
};

/// LeFevre's Mondrian.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mondrian {
    /// Whether equal values stay together.
    pub mode: Mode,
    /// Where attributes with a hierarchy are cut.
    pub along: Along,
    /// Which attribute is cut.
    pub dimension: Dimension,
    /// Where it is cut.
    pub cut: Cut,
    /// Whether the cuts that follow decide on a cut by penalty.
    pub ahead: Ahead,
}

impl Mondrian {
    pub(super) fn from_options<'a>(given: impl Fn(&str) -> &'a str) -> Self {
        Mondrian {
            mode: if given("mode") == "relaxed" { Mode::Relaxed } else { Mode::Strict },
            along: if given("along") == "order" { Along::Order } else { Along::Tree },
            dimension: match given("dimension") {
                "range" => Dimension::Range,
                "penalty" => Dimension::Penalty,
                "entropy" => Dimension::Entropy,
                _ => Dimension::Auto,
            },
            cut: match given("cut") {
                "penalty" => Cut::Penalty,
                "purity" => Cut::Purity,
                _ => Cut::Median,
            },
            ahead: match given("look-ahead") {
                "off" => Ahead::Off,
                "all" => Ahead::All,
                _ => Ahead::Small,
            },
        }
    }
}

impl Algorithm for Mondrian {
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        if self.cut == Cut::Purity && problem.class.is_none() {
            return Err(Error::new("cutting by class purity needs a class column")
                .help("give a column the role of the class, or choose cut = \"penalty\""));
        }
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let Mondrian { mode, along, dimension, cut, ahead } = *self;
        let rules = PartitionRules { mode, along, dimension, cut, ahead, enough: 0 };
        let by_label =
            mode == Mode::Relaxed || cut == Cut::Purity || !problem.privacy.requirements.is_empty();
        let may_suppress = problem.limit.rows(problem.rows, 0) > 0;
        let spreads = (rules.price() || may_suppress).then(|| Spreads::new(problem));
        let whole = pieces(problem, by_label);
        let found = partition(problem, spreads.as_ref(), whole, rules, control);
        let parts = match &spreads {
            Some(spreads) => trimmed(problem, spreads, found.parts),
            None => found.parts,
        };
        let assigned = assigned(problem, &parts);
        let (recoding, boxes) = match mode {
            Mode::Strict => {
                let boxes = box_of_cell(&assigned.shares, problem.cells.len());
                (Recoding::Regional(assigned.boxes), Some(boxes))
            }
            Mode::Relaxed => (Recoding::Local(assigned), None),
        };
        let outcome = match found.stopped {
            None => Outcome::Feasible { bound: None },
            Some(reason) => Outcome::Stopped { reason, bound: None },
        };
        let solution = Solution::feasible(recoding, found.nodes);
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
