//! MinGen.
//!
//! **What it does**: looks at every full-domain generalization, keeps those that satisfy k and every other
//! model within the suppression limit, and returns the one of least distortion: by default the one of
//! highest precision, on demand the one of least cost.
//! **Guarantee**: the best of all, for every metric and every model.
//! **Cost**: one roll-up per node. Lattices above a limit are refused.
//! **Example**: Adult has 6,480 nodes; at k = 5 with nothing suppressed the best has a precision of 0.3125.
//! **Reference**: Sweeney, *Achieving k-anonymity privacy protection using generalization and suppression*
//! (2002).

use super::context::{LatticeContext, MOST_NODES, TOP, check_size, limit, with_words};
use super::evaluator::NodeEvaluator;
use super::exhaustive::ExhaustiveSearch;
use super::frequencies::ClassKeyLayout;
use super::levels::GeneralizationLattice;
use crate::Metric;
use crate::kit::Result;
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::options::{OptionInfo, OptionValues};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::{NamedChoice, settings};
use crate::problem::Problem;
use crate::search::{Control, Solution};

const DISTORTION: OptionInfo = OptionInfo {
    name: "distortion",
    values: OptionValues::Words(Distortion::NAMES),
    about: "what is least: the loss of precision, or the cost under the metric",
};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "mingen",
    about: "look at every combination of hierarchy levels, take the least distorted (Sweeney 2002)",
    family: RecodingModel::FullDomain,
    recoding: "global",
    options: MinGen::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// What is least where the least distortion is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Distortion {
    /// The loss of precision, as in the paper.
    #[default]
    Precision,
    /// The cost under the problem's metric.
    Metric,
}

impl NamedChoice for Distortion {
    const NAMES: &'static [&'static str] = &["precision", "metric"];
    const CHOICES: &'static [Self] = &[Distortion::Precision, Distortion::Metric];
}

settings! {
    /// Sweeney's MinGen: the least distorted of all full-domain generalizations.
    pub struct MinGen {
        /// What is least.
        distortion: Distortion = DISTORTION,
        /// How many of the best nodes to tell.
        top: usize = TOP,
        /// The most nodes a lattice may have.
        most_nodes: u64 = MOST_NODES,
    }
}

impl Algorithm for MinGen {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = GeneralizationLattice::new(problem);
        check_size(INFO.name, &lattice, self.most_nodes)?;
        let metric = match self.distortion {
            Distortion::Precision => Metric::Precision,
            Distortion::Metric => problem.metric,
        };
        let judge = NodeEvaluator::new(&lattice, metric, limit(problem));
        let layout = ClassKeyLayout::new(&lattice)?;
        let ground = LatticeContext { lattice: &lattice, judge: &judge, layout: &layout, control };
        let looked = with_words(layout.words, ExhaustiveSearch { ground, top: self.top });
        let mut solution = looked.solution(&judge, metric == problem.metric);
        if metric != problem.metric {
            solution
                .notes
                .push("the node is that of highest precision, whatever the metric".into());
        }
        Ok(solution)
    }
}
