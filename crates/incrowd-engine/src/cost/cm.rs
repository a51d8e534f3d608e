//! Classification, CM.
//!
//! **What it does**: counts the rows that are not of their class's majority label, and every suppressed
//! row.
//! **Cost**: one look at each class's histogram.
//! **Example**: a class of 3 yes and 2 no costs 2; a suppressed row costs 1.
//! **Reference**: Iyengar, *Transforming Data to Satisfy Privacy Constraints* (2002).

use crate::privacy::ClassTally;

/// The rows of a class that are not of the majority in a column.
pub(crate) fn minority(class: &ClassTally, column: usize) -> u64 {
    class.size - class.histograms[column].iter().copied().max().unwrap_or(0)
}
