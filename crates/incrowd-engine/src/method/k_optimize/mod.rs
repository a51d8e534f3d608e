//! K-OPTIMIZE.
//!
//! **What it does**: finds the best set of cuts by walking the tree of all sets from the most general one
//! down. A node's *head* is its set, its *tail* the cuts that its descendants may add, its *allset* both
//! together. A node or a cut is pruned when a lower bound (rows that the head suppresses stay suppressed,
//! the others stand in classes at least as large as the allset's) shows that nothing better can follow,
//! or when a cut is useless; the tail is sorted anew at every node.
//! **Guarantee**: the least cost of all recodings by intervals, proven; if it is stopped, the best
//! found and a lower bound.
//! **Cost**: exponential in the number of values at worst; per node some passes over the cells.
//! **Example**: 500 and 29,662 rows at k = 1000 under discernibility: cut, and suppress the 500.
//! **Reference**: Bayardo and Agrawal, *Data Privacy Through Optimal k-Anonymization* (2005). Their liberal
//! rule for useless values is corrected (the example above breaks it), see [`survey`]; other metrics than
//! the two of the paper, models beyond k and hierarchies are ours.

mod classes;
mod search;
mod survey;
#[cfg(test)]
mod tests;

use super::algorithm::{Algorithm, MethodInfo};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, CUTS, CutFreedom, settings};
use crate::kit::{Result, words};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, Solution};
use crate::space::cuts::{CutRules, CutSet, CutSpace};
use crate::space::proof_steps;
use search::TreeSearch;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "k-optimize",
    about: "the best intervals for every attribute, proven by set enumeration (Bayardo and Agrawal 2005)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: KOptimize::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Bayardo and Agrawal's K-OPTIMIZE: the published way to the best cut set, on one thread.
    pub struct KOptimize {
        /// Where attributes with a hierarchy may be cut.
        cuts: CutFreedom = CUTS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
    }
}

impl KOptimize {
    /// What may be cut.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.cuts == CutFreedom::Tree, most_values: self.bins }
    }

    /// Solves a problem, starting with the cost of the best of some recodings that are known already.
    pub fn solve_from(
        &self,
        problem: &Problem,
        known: &[&Recoding],
        control: &Control,
    ) -> Result<Solution> {
        self.check_settings()?;
        let space = CutSpace::new(problem, self.rules())?;
        space.check_that_failures_last()?;
        let control = &proof_steps::begin(control, || proof_steps::intervals(&space));
        let mut search = TreeSearch::new(&space, control);
        for cuts in known.iter().filter_map(|known| CutSet::of_recoding(known, &space.axes)) {
            search.offer(cuts);
        }
        let stopped = search.run();
        let nodes = search.nodes;
        let Some((cost, best)) = &search.best else {
            // The root is the first node and suppresses the fewest rows, so a search that finds nothing
            // there is done.
            let failing = words::count(search.suppressed_at_least(), "row", "rows");
            let why = format!(
                "with only the required cuts, {failing} still fail; at most {} may be suppressed",
                words::thousands(space.limit)
            );
            return Ok(Solution::infeasible(why, nodes));
        };
        if let Some(log) = control.proof() {
            log.claim(stopped.as_ref().map_or(*cost, |stopped| stopped.bound.min(*cost)));
        }
        let solution = Solution::feasible(space.recoding(best), nodes);
        Ok(match stopped {
            Some(stopped) if stopped.bound < *cost => solution
                .with_bound(Some(space.price.shown(stopped.bound)))
                .stopped_by(Some(stopped.reason)),
            _ => solution.proven(),
        })
    }
}

impl Algorithm for KOptimize {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn cut_rules(&self) -> Option<CutRules> {
        Some(self.rules())
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        self.solve_from(problem, &[], control)
    }
}
