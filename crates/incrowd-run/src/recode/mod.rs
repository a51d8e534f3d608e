//! The second pass: rows become what their classes are released as.

pub(crate) mod columns;
pub(crate) mod combinations;
pub(crate) mod exposure_observer;
pub(crate) mod finished_rows;
pub(crate) mod following_column;
pub(crate) mod pass;
pub(crate) mod read_back;
pub(crate) mod release_plan;
pub(crate) mod row_assignment;
pub(crate) mod saved;
pub(crate) mod suppression_losses;

pub use combinations::{BLANK_CLASS, RecodedCombination, each_combination};
pub use read_back::{SeenClasses, read_classes, read_release};
pub use suppression_losses::SUPPRESSION_CODES;
