//! What the columns give away that a release leaves as they are.
//!
//! **What it does.** Counts, of every such column and of all together, how many rows it singles out, alone and beside
//! the released quasi-identifiers; and finds out whether a column tells the original value of a quasi-identifier that
//! the release generalizes, as a town tells a ZIP code.
//!
//! **Guarantee.** Up to some hundred thousand different values all counts are exact; beyond, they are estimates from
//! a share of the values, and say so. Nothing depends on the order of the rows or on threads.
//!
//! **Cost.** A look-up per row and column; memory is bounded. What columns tell is found from at most
//! [`SAMPLE`] rows.

mod bins;
mod collector;
mod disclosure;
mod singletons;
mod table_disclosure;
mod tally;

pub use collector::{
    Disclosure, Exposure, ExposureCollector, SAMPLE, SampleFilter, UnchangedColumn,
    UniqueRowCounter,
};
pub use table_disclosure::tells_of_table;
pub use tally::{ValueTally, pair_hash, value_hash};
