//! Entropy l-diversity.
//!
//! **What it does**: the entropy of the sensitive values in every class is at least ln l.
//! **Guarantee**: guessing a value is on average as hard as among l equally likely ones.
//! **Parts**: a failing class may have passing parts: 8 a, 1 b, 1 c fails for l = 2 (entropy 0.64 below
//! 0.69), its part a, b passes. Unions pass, because entropy is concave.
//! **Reference**: Machanavajjhala et al., *l-Diversity* (2007).

use super::SLACK;

pub(super) fn passes(histogram: &[u64], size: u64, l: f64) -> bool {
    entropy(histogram, size) >= l.ln() - SLACK
}

/// The entropy of a histogram in nats.
fn entropy(histogram: &[u64], size: u64) -> f64 {
    if size == 0 {
        return 0.0;
    }
    let size = size as f64;
    let weighted: f64 = histogram
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| count as f64 * (count as f64).ln())
        .sum();
    size.ln() - weighted / size
}
