//! The engine's own local recoding.
//!
//! **What it does**: puts rows into groups of least cost. Top-down splits that minimise
//! |L| c(L) + |R| c(R) make a start; annealing in blocks of some thousand rows improves it. Its main move
//! is a purge: one value or one end of an interval is taken out of a group, its rows go to the groups
//! where they cost least, and the group is filled up again from groups that can spare rows. Rows may be
//! suppressed, at their price, up to the limit.
//! **Guarantee**: every class passes; never costlier than its start; never more rows suppressed than the
//! limit, none where no limit is named. The same seed and steps give the same result. No promise about
//! cost, though on small tables it is nearly always the least there is.
//! **Cost**: linear in rows and steps; the start takes n log n. Memory grows with rows.
//! **Example**: the Adult census data, k = 5: a GCP of 0.0202, half that of the best public Mondrian.
//! **Reference**: the certainty penalty and the goal are those of Xu et al., *Utility-Based
//! Anonymization Using Local Recoding* (2006); annealing: Kirkpatrick, Gelatt and Vecchi (1983).

mod anneal;
mod block;
mod nearest_rows;
mod outcome;
mod packed;
mod prices;
mod rounding;
mod rows;
mod search;
mod split;
#[cfg(test)]
mod tests;

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{NamedChoice, seed, settings};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, Solution};

const STEPS: OptionInfo = OptionInfo {
    name: "steps",
    values: OptionValues::Number { default: 1_000, least: 0, most: 1_000_000, off: None },
    about: "how many looks at a row in a group to take, for each row: more take longer and find better",
};

const SEED: OptionInfo = seed("search-seed");

const LABELS: OptionInfo = OptionInfo {
    name: "labels",
    values: OptionValues::Words(LabelPricing::NAMES),
    about: "charge a group for its label as it is printed, or for the values that it holds",
};

/// What groups are charged for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelPricing {
    /// What is printed of them.
    #[default]
    Printed,
    /// What they hold, even if their labels say less.
    Meant,
}

impl NamedChoice for LabelPricing {
    const NAMES: &'static [&'static str] = &["printed", "meant"];
    const CHOICES: &'static [Self] = &[LabelPricing::Printed, LabelPricing::Meant];
}

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "best-local",
    about: "groups of least penalty: top-down splits, clustering and annealing (local recoding)",
    family: RecodingModel::Multidimensional,
    recoding: "local",
    options: BestLocal::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// The engine's own local recoding: top-down splits, clustering and annealing.
    pub struct BestLocal {
        /// How many looks at a row in a group to take, for each row of the table.
        steps: u64 = STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
        /// What groups are charged for.
        labels: LabelPricing = LABELS,
    }
}

impl Algorithm for BestLocal {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        outcome::solve(self, problem, control)
    }
}
