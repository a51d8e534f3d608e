//! (alpha, k)-anonymity.
//!
//! **What it does**: no sensitive value makes up more than a share alpha of a class.
//! **Guarantee**: nobody's value is known with more confidence than alpha.
//! **Parts**: a failing class may have passing parts: 9 a, 1 b fails for alpha = 1/2, its part a, b
//! passes. Unions pass: the share in a union lies between the shares in its parts.
//! **Reference**: Wong, Li, Fu and Wang, *(alpha, k)-Anonymity* (2006).

use super::SLACK;

pub(super) fn passes(histogram: &[u64], size: u64, alpha: f64) -> bool {
    let most = histogram.iter().copied().max().unwrap_or(0);
    most as f64 <= alpha * size as f64 + SLACK
}
