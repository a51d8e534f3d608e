//! The prover.
//!
//! **What it does**: finds the set of cuts of least cost among all there are, by branch and bound. Every cut
//! is in, out or open; rows that the cuts in suppress are lost, and rows that no open cut can part pay for
//! standing together. Bounds decide most cuts without a choice: one by one ([`pass`]), in pairs that
//! cannot both be made ([`conflicts`]) and along the longest attribute ([`line`]). Dives from the open nodes
//! of lowest bound run in parallel ([`search`]).
//! **Guarantee**: the least cost of all recodings by intervals, proven; if it is stopped, the best
//! found and a bound below which no cost lies.
//! **Cost**: exponential at worst; a second to minutes for the Adult census data.
//! **Example**: Adult with every age, k = 100, discernibility, no limit: 5,998,490, two rows suppressed.
//! **Reference**: the problem is that of Bayardo and Agrawal, *Data Privacy Through Optimal k-Anonymization*
//! (2005); the bounds are explained in the book's page on this method.

mod cell_hash_table;
mod cost_model;
mod dive;
mod join_groups;
mod last_axis_bound;
mod last_axis_dp;
mod layout;
mod node;
mod node_update;
mod pair_conflicts;
mod pair_suppression;
mod probing;
mod relax;
mod search;
#[cfg(test)]
mod tests;

use super::algorithm::{Algorithm, MethodInfo};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, CUTS, CutFreedom, GAP, settings};
use crate::kit::Result;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, Solution};
use crate::space::cuts::{CutRules, CutSet, CutSpace};
use crate::space::proof_steps;
use layout::AxisLayout;
use search::{Prover, ProverResult};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "optimal",
    about: "the best intervals for every attribute, proven (single-dimensional, branch and bound)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: Optimal::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: true,
};

settings! {
    /// The prover: the best cut set there is, or the best found with a proven bound.
    pub struct Optimal {
        /// Where attributes with a hierarchy may be cut.
        cuts: CutFreedom = CUTS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
        /// The gap at which the search may end: (cost - bound) / cost.
        gap: f64 = GAP,
    }
}

impl Optimal {
    /// What may be cut.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.cuts == CutFreedom::Tree, most_values: self.bins }
    }

    /// Solves a problem, starting from recodings of the same table that are known already.
    pub fn solve_from(
        &self,
        problem: &Problem,
        known: &[&Recoding],
        control: &Control,
    ) -> Result<Solution> {
        self.solve_within(problem, known, None, control)
    }

    /// The same with so many looks at cells at most, where it is given, to improve what is known.
    pub(crate) fn solve_within(
        &self,
        problem: &Problem,
        known: &[&Recoding],
        work: Option<u64>,
        control: &Control,
    ) -> Result<Solution> {
        self.check_settings()?;
        let space = CutSpace::new(problem, self.rules())?;
        let known = known.iter().filter_map(|known| CutSet::of_recoding(known, &space.axes));
        let layout = AxisLayout::checked(&space)?;
        let control = &proof_steps::begin(control, || proof_steps::intervals(&space));
        let search =
            Prover { space: &space, layout, known: known.collect(), gap: self.gap, work, control };
        let ProverResult { best, bound, nodes, stopped } = cost_model::with(&space, search)?;
        let Some(best) = best else { return Ok(space.infeasible(nodes)) };
        let proven = bound >= best.cost;
        let solution = Solution::feasible(space.recoding(&best.cuts), nodes);
        Ok(if proven {
            solution.proven()
        } else {
            solution.with_bound(Some(space.price.shown(bound))).stopped_by(stopped)
        })
    }
}

impl Algorithm for Optimal {
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
