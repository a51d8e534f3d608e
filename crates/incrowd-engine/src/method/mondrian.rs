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

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{NamedChoice, settings};
use crate::kit::{Error, Result};
use crate::problem::Problem;
use crate::recoding::{ProfileShare, Recoding};
use crate::search::{Control, Solution};
use crate::space::rows::{
    DimensionRule, HierarchyCuts, LookAhead, PartitionMode, PartitionRules, SplitCriterion,
    SpreadTable, assigned, partition, pieces, trimmed,
};

const MODE: OptionInfo = OptionInfo {
    name: "mode",
    values: OptionValues::Words(PartitionMode::NAMES),
    about: "strict keeps equal values together, relaxed deals them out for evener classes",
};

const ALONG: OptionInfo = OptionInfo {
    name: "along",
    values: OptionValues::Words(HierarchyCuts::NAMES),
    about: "cut attributes that have a hierarchy along its nodes, or anywhere in its order",
};

const DIMENSION: OptionInfo = OptionInfo {
    name: "dimension",
    values: OptionValues::Words(DimensionRule::NAMES),
    about: "cut the widest attribute, the one whose cut leaves the least penalty, or the one of \
            largest entropy; auto is range for cuts at the median, else the one whose cut is best",
};

const CUT: OptionInfo = OptionInfo {
    name: "cut",
    values: OptionValues::Words(SplitCriterion::NAMES),
    about: "cut at the median, where the least penalty is left, or where the classes are told \
            apart best",
};

const LOOK_AHEAD: OptionInfo = OptionInfo {
    name: "look-ahead",
    values: OptionValues::Words(LookAhead::NAMES),
    about: "with cut=penalty, try a few cuts and their next cuts too: in small parts, never, or \
            in all of them, which takes several times longer",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "mondrian",
    about: "cut at medians into multidimensional boxes (LeFevre 2006)",
    family: RecodingModel::Multidimensional,
    recoding: "regional or local",
    options: Mondrian::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: true,
    proves_risks: false,
};

impl NamedChoice for PartitionMode {
    const NAMES: &'static [&'static str] = &["strict", "relaxed"];
    const CHOICES: &'static [Self] = &[PartitionMode::Strict, PartitionMode::Relaxed];
}

impl NamedChoice for HierarchyCuts {
    const NAMES: &'static [&'static str] = &["tree", "order"];
    const CHOICES: &'static [Self] = &[HierarchyCuts::Tree, HierarchyCuts::Order];
}

impl NamedChoice for DimensionRule {
    const NAMES: &'static [&'static str] = &["auto", "range", "penalty", "entropy"];
    const CHOICES: &'static [Self] = &[
        DimensionRule::Auto,
        DimensionRule::Range,
        DimensionRule::Penalty,
        DimensionRule::Entropy,
    ];
}

impl NamedChoice for SplitCriterion {
    const NAMES: &'static [&'static str] = &["median", "penalty", "purity"];
    const CHOICES: &'static [Self] =
        &[SplitCriterion::Median, SplitCriterion::Penalty, SplitCriterion::Purity];
}

impl NamedChoice for LookAhead {
    const NAMES: &'static [&'static str] = &["small", "off", "all"];
    const CHOICES: &'static [Self] = &[LookAhead::Small, LookAhead::Off, LookAhead::All];
}

settings! {
    /// LeFevre's Mondrian.
    pub struct Mondrian {
        /// Whether equal values stay together.
        mode: PartitionMode = MODE,
        /// Where attributes with a hierarchy are cut.
        along: HierarchyCuts = ALONG,
        /// Which attribute is cut.
        dimension: DimensionRule = DIMENSION,
        /// Where it is cut.
        cut: SplitCriterion = CUT,
        /// Whether the cuts that follow decide on a cut by penalty.
        look_ahead: LookAhead = LOOK_AHEAD,
    }
}

impl Algorithm for Mondrian {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        if self.cut == SplitCriterion::Purity && problem.class.is_none() {
            return Err(Error::new("cutting by class purity needs a class column")
                .help("give a column the role of the class, or choose cut = \"penalty\""));
        }
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let Mondrian { mode, along, dimension, cut, look_ahead: ahead } = *self;
        let rules = PartitionRules { mode, along, dimension, cut, ahead, enough: 0 };
        let by_label = mode == PartitionMode::Relaxed
            || cut == SplitCriterion::Purity
            || !problem.privacy.is_by_size();
        let may_suppress = problem.limit.rows(problem.rows, 0) > 0;
        let spreads = (rules.price() || may_suppress).then(|| SpreadTable::new(problem));
        let whole = pieces(problem, by_label);
        let found = partition(problem, spreads.as_ref(), whole, rules, control);
        let parts = match &spreads {
            Some(spreads) => trimmed(problem, spreads, found.parts),
            None => found.parts,
        };
        let assigned = assigned(problem, &parts);
        let solution = match mode {
            PartitionMode::Strict => {
                let boxes = box_of_cell(&assigned.shares, problem.cells.len());
                let recoding = Recoding::Regional(assigned.boxes);
                Solution::feasible(recoding, found.nodes).with_boxes(boxes)
            }
            PartitionMode::Relaxed => Solution::feasible(Recoding::Local(assigned), found.nodes),
        };
        Ok(solution.stopped_by(found.stopped))
    }
}

/// Strict cuts keep cells whole: the class of any of its rows is a cell's class.
fn box_of_cell(shares: &[ProfileShare], cells: usize) -> Vec<u32> {
    let mut boxes = vec![0; cells];
    for share in shares {
        boxes[share.cell as usize] = share.class;
    }
    boxes
}
