//! Basic and enhanced beta-likeness.
//!
//! **What it does**: with q a value's share in a class and p its share in the table, basic demands
//! (q - p)/p <= beta for every value with q > p, enhanced demands (q - p)/p <= min(beta, -ln p).
//! **Guarantee**: an observer's confidence in no value grows by more than that factor; rare values are
//! protected as well as frequent ones.
//! **Parts**: a failing class may have passing parts: the union of a passing class and one of a single
//! value can fail. Unions of passing classes pass: q in a union lies between the parts' q.
//! **Reference**: Cao and Karras, *Publishing microdata with a robust privacy guarantee* (2012).

use super::SLACK;

pub(super) fn basic(histogram: &[u64], size: u64, shares: &[f64], beta: f64) -> bool {
    gains(histogram, size, shares).all(|(_, gain)| gain <= beta + SLACK)
}

pub(super) fn enhanced(histogram: &[u64], size: u64, shares: &[f64], beta: f64) -> bool {
    gains(histogram, size, shares).all(|(share, gain)| gain <= beta.min(-share.ln()) + SLACK)
}

/// The table's share and the relative gain of each value that is more frequent in the class.
fn gains(histogram: &[u64], size: u64, shares: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let size = size.max(1) as f64;
    histogram
        .iter()
        .zip(shares)
        .map(move |(&count, &share)| (share, (count as f64 / size - share) / share))
        .filter(|&(_, gain)| gain > SLACK)
}
