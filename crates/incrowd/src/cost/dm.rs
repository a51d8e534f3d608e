//! Discernibility, DM.
//!
//! **What it does**: charges each released row the size of its class and each suppressed row the size of
//! the table: the sum of |E|² over released classes plus n · |E| over suppressed ones.
//! **Cost**: one addition per class.
//! **Example**: classes of 3 and 2 rows and one suppressed row of 6 cost 9 + 4 + 6 = 19.
//! **Reference**: Bayardo and Agrawal, *Data Privacy Through Optimal k-Anonymization* (2005).

use crate::recoding::Classes;

pub(super) fn of(classes: &Classes, rows: u64, unreleased: u64) -> u64 {
    let released: u64 = classes.released().map(|class| classes.sizes[class].pow(2)).sum();
    released + rows * unreleased
}
