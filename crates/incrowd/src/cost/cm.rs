//! Classification, CM.
//!
//! **What it does**: counts the rows that are not of their class's majority label, and every suppressed
//! row.
//! **Cost**: one look at each class's histogram.
//! **Example**: a class of 3 yes and 2 no costs 2; a suppressed row costs 1.
//! **Reference**: Iyengar, *Transforming Data to Satisfy Privacy Constraints* (2002).

use crate::problem::Problem;
use crate::recoding::Classes;

pub(super) fn of(problem: &Problem, classes: &Classes, column: usize, unreleased: u64) -> u64 {
    let mut tally = problem.labels.tally();
    let minority: u64 = classes
        .released()
        .map(|class| {
            classes.fill(class, &problem.labels, &mut tally);
            let majority = tally.histograms[column].iter().copied().max().unwrap_or(0);
            tally.size - u64::from(majority)
        })
        .sum();
    minority + unreleased
}
