//! Clustering by certainty penalty, bottom up and top down.
//!
//! **What it does**: puts rows together that can be released together at little penalty. `cluster-up` begins
//! with a group for each combination of values and merges every group that fails with the one with which
//! it costs least; groups of 2k rows and more are divided again. `cluster-down` divides the table between
//! two rows far apart, then each side again, down to k rows; groups that fail then take rows from a large
//! group or join the nearest one. Above a number of combinations both work in blocks that `mondrian`'s
//! cuts by least penalty make, in parallel, and say so.
//! **Guarantee**: every class passes; k alone makes classes of k to 2k - 1 rows, identical rows aside. The
//! same seed gives the same result.
//! **Cost**: quadratic in the rows of a block, so linear in the table beyond one block.
//! **Example**: six points a(10,60) b(20,70) c(20,50) d(50,20) e(55,10) f(60,20) at k = 2: {a,b,c} and
//! {d,e,f}, not three pairs.
//! **Reference**: Xu, Wang, Pei, Wang, Shi and Fu, *Utility-Based Anonymization Using Local Recoding*
//! (2006).

mod down;
mod group;
mod up;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use self::group::ClusterGroups;
use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{seed, settings};
use crate::kit::{Result, words};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, Event, Solution, StopReason};
use crate::space::rows::{
    LookAhead, PartitionRules, SplitCriterion, SpreadTable, TablePart, assigned, partition, pieces,
    trimmed,
};

const BLOCK: OptionInfo = OptionInfo {
    name: "block",
    values: OptionValues::Number { default: 2_000, least: 10, most: 10_000_000, off: Some("off") },
    about: "tables with more combinations of values are cut into blocks of at most so many first",
};

const SEED: OptionInfo = seed("cluster-seed");

pub(super) const UP: MethodInfo = MethodInfo {
    name: "cluster-up",
    about: "merge rows into groups of least certainty penalty (local recoding, Xu 2006)",
    family: RecodingModel::Multidimensional,
    recoding: "local",
    options: Cluster::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

pub(super) const DOWN: MethodInfo = MethodInfo {
    name: "cluster-down",
    about: "divide rows between distant ones, by certainty penalty (local recoding, Xu 2006)",
    family: RecodingModel::Multidimensional,
    recoding: "local",
    options: Cluster::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// Which way the clustering goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClusterDirection {
    /// Merging groups.
    #[default]
    Up,
    /// Dividing groups.
    Down,
}

impl ClusterDirection {
    /// The way that the method of that name goes.
    fn of_method(name: &str) -> Self {
        if name == DOWN.name { ClusterDirection::Down } else { ClusterDirection::Up }
    }
}

settings! {
    /// Xu's clustering by certainty penalty, one way or the other.
    pub struct Cluster by direction: ClusterDirection {
        /// Tables with more combinations of values are cut into blocks first; 0 for never.
        block: usize = BLOCK,
        /// What the random choices come from.
        seed: u64 = SEED,
    }
}

impl Algorithm for Cluster {
    fn info(&self) -> &'static MethodInfo {
        match self.direction {
            ClusterDirection::Up => &UP,
            ClusterDirection::Down => &DOWN,
        }
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let spreads = SpreadTable::new(problem);
        let whole = pieces(problem, true);
        let run = ClusterRun {
            cluster: *self,
            problem,
            spreads: &spreads,
            control,
            merges: AtomicU64::new(0),
            done: AtomicU64::new(0),
        };
        let (blocks, notes) = run.blocks(whole);
        let found: Vec<(Vec<TablePart>, Option<StopReason>)> = blocks
            .into_par_iter()
            .enumerate()
            .map(|(at, block)| run.cluster(at as u64, block))
            .collect();
        let stopped = found.iter().find_map(|(_, stopped)| *stopped);
        let parts: Vec<TablePart> = found.into_iter().flat_map(|(parts, _)| parts).collect();
        let parts = trimmed(problem, &spreads, parts);
        let recoding = Recoding::Local(assigned(problem, &parts));
        let nodes = run.merges.into_inner() + 1;
        Ok(Solution { notes, ..Solution::feasible(recoding, nodes).stopped_by(stopped) })
    }
}

/// One run of the algorithm.
struct ClusterRun<'a> {
    cluster: Cluster,
    problem: &'a Problem,
    spreads: &'a SpreadTable,
    control: &'a Control,
    /// Groups merged or divided.
    merges: AtomicU64,
    /// Rows whose class is final.
    done: AtomicU64,
}

impl ClusterRun<'_> {
    /// The table in blocks, and a note if there are several.
    fn blocks(&self, whole: TablePart) -> (Vec<TablePart>, Vec<String>) {
        let enough = self.cluster.block;
        let number = self.problem.cells.len();
        if enough == 0 || number <= enough {
            return (vec![whole], Vec::new());
        }
        let number = words::thousands(number as u64);
        let rules = PartitionRules {
            cut: SplitCriterion::Penalty,
            ahead: LookAhead::Off,
            enough,
            ..PartitionRules::default()
        };
        let blocks = partition(self.problem, Some(self.spreads), whole, rules, self.control).parts;
        let note = format!(
            "{number} combinations of values are more than {}: the table was first cut into \
             {}, and each was clustered by itself",
            words::thousands(enough as u64),
            words::count(blocks.len() as u64, "block", "blocks")
        );
        (blocks, vec![note])
    }

    /// The groups of a block; if the search must stop, those that cuts at medians make.
    fn cluster(&self, number: u64, block: TablePart) -> (Vec<TablePart>, Option<StopReason>) {
        let rows: u64 = block.iter().map(|piece| piece.count).sum();
        let mut groups = ClusterGroups::new(self.problem, self.spreads, self.control);
        // Blocks must not make the same choices.
        let seed = self.cluster.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let clustered = match self.cluster.direction {
            ClusterDirection::Up => up::cluster(&mut groups, &block),
            ClusterDirection::Down => down::cluster(&mut groups, &block, seed),
        };
        self.merges.fetch_add(groups.merges(), Ordering::Relaxed);
        let found = match clustered {
            Ok(()) => (groups.into_parts(), None),
            Err(reason) => {
                let rules = PartitionRules::default();
                let unsteered = Control::default();
                let quick = partition(self.problem, None, block, rules, &unsteered);
                (quick.parts, Some(reason))
            }
        };
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        self.control.tell(Event::Progress(done as f64 / self.problem.rows as f64));
        found
    }
}
