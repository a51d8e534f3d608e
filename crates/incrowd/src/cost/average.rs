//! Average class size, C_AVG.
//!
//! **What it does**: rows released per class, plain (Xu et al.) and divided by k (LeFevre et al.), where 1
//! is the best there can be.
//! **Reference**: LeFevre, DeWitt and Ramakrishnan, *Mondrian* (2006).

use serde::{Deserialize, Serialize};

use crate::recoding::Classes;

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
    pub(super) fn of(classes: &Classes, k: u64) -> Self {
        let number = classes.released().count();
        let rows = classes.released_rows() as f64 / number.max(1) as f64;
        AverageClassSize { rows, relative: rows / k as f64 }
    }
}
