//! The first pass: what is counted of a table, and the problem that is posed for it.

pub(crate) mod build_problem;
pub(crate) mod cells;
pub(crate) mod population;
pub(crate) mod recent_values;
