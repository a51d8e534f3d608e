//! Average class size, C_AVG.
//!
//! **What it does**: rows released per class, plain (Xu et al.) and divided by k (LeFevre et al.), where 1
//! is the best there can be.
//! **Reference**: LeFevre, DeWitt and Ramakrishnan, *Mondrian* (2006).

use serde::{Deserialize, Serialize};

/// Average class size; both are 0 when nothing is released.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AverageClassSize {
    /// Rows released per class.
    #[serde(rename = "average_class_size")]
    pub rows: f64,
    /// The same divided by k.
    #[serde(rename = "c_avg")]
    pub relative: f64,
}

impl AverageClassSize {
    /// That of so many released rows in so many classes.
    pub(crate) fn of(rows: u64, classes: usize, k: u64) -> Self {
        let rows = rows as f64 / classes.max(1) as f64;
        AverageClassSize { rows, relative: rows / k as f64 }
    }
}
