//! delta-disclosure.
//!
//! **What it does**: with q a value's share in a class and p its share in the table, demands
//! |ln(q/p)| < delta for every value of the table; a value absent from a class is an infinite change.
//! **Guarantee**: no value becomes much likelier, nor much less likely, by knowing the class.
//! **Parts**: a failing class may have passing parts: one that lacks no value can pass beside one that
//! spoils the union. Unions of passing classes pass: q in a union lies between the parts' q.
//! **Reference**: Brickell and Shmatikov, *The cost of privacy* (2008).

use super::SLACK;

pub(super) fn passes(histogram: &[u64], size: u64, shares: &[f64], delta: f64) -> bool {
    let size = size.max(1) as f64;
    histogram
        .iter()
        .zip(shares)
        .filter(|(_, share)| **share > 0.0)
        // The bound is strict: what rounding cannot tell from it fails.
        .all(|(&count, &share)| (count as f64 / size / share).ln().abs() < delta - SLACK)
}
