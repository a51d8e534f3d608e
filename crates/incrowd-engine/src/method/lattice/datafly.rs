//! Datafly.
//!
//! **What it does**: generalizes whole columns, one hierarchy level at a time, always the column with the
//! most distinct values left, until few enough rows stand in failing classes; suppresses those.
//! **Guarantee**: k-anonymous (and every other model asked for) after suppression; no promise about
//! quality, and it tends to generalize too much.
//! **Cost**: at most one pass over the classes per hierarchy level.
//! **Example**: twelve people by race, birth date, gender and ZIP at k = 2: birth dates become years, two
//! people are suppressed.
//! **Reference**: Sweeney, *Guaranteeing anonymity when sharing medical data, the Datafly system* (1997).

use crate::kit::{Result, words};
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::settings;
use crate::problem::Problem;
use crate::recoding::{GlobalRecoding, Recoding};
use crate::search::{Control, Solution};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "datafly",
    about: "generalize whole columns, most distinct values first, then suppress the rest (Sweeney 1997)",
    family: RecodingModel::FullDomain,
    recoding: "global",
    options: Datafly::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Sweeney's Datafly: greedy full-domain generalization with row suppression.
    pub struct Datafly {}
}

impl Algorithm for Datafly {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        // The paper's own limit: up to k rows are suppressed rather than generalized.
        let limit = problem.limit.rows(problem.rows, problem.privacy.k);
        let allowed = problem.attributes.iter().map(|attribute| attribute.allowed_levels());
        let (mut levels, most): (Vec<u32>, Vec<u32>) =
            allowed.map(|levels| levels.into_inner()).unzip();
        for nodes in 1.. {
            let recoding = at_levels(problem, &levels);
            let mut classes = recoding.classes(&problem.attributes, &problem.cells);
            classes.suppress_failing(problem, None);
            if classes.suppressed_rows() <= limit {
                return Ok(Solution::feasible(recoding, nodes));
            }
            // Nothing found so far is within the limit, so there is nothing to keep.
            if let Some(reason) = control.stop() {
                return Ok(Solution::stopped(reason, None, nodes));
            }
            let next = (0..levels.len())
                .filter(|&at| levels[at] < most[at])
                // The first of equals, as the paper's tables have it.
                .max_by_key(|&at| (recoding.groups()[at].as_slice().len(), std::cmp::Reverse(at)));
            let Some(next) = next else {
                let failing = words::count(classes.suppressed_rows(), "row", "rows");
                let why = format!(
                    "with every column as general as it may be, {failing} still fail; at most {} may be suppressed",
                    words::thousands(limit)
                );
                return Ok(Solution::infeasible(why, nodes));
            };
            levels[next] += 1;
        }
        unreachable!("every round raises a level, and levels are finite")
    }
}

fn at_levels(problem: &Problem, levels: &[u32]) -> Recoding {
    Recoding::Global(GlobalRecoding::new(&problem.attributes, |attribute, code| {
        problem.attributes[attribute].at_level(code, levels[attribute])
    }))
}
