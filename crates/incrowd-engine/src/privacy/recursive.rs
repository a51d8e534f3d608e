//! Recursive (c, l)-diversity.
//!
//! **What it does**: with the counts of a class's values sorted r1 >= r2 >= ... >= rm, demands
//! r1 < c · (rl + ... + rm).
//! **Guarantee**: the most frequent value is not too frequent, and stays so after l - 2 others are ruled
//! out.
//! **Parts**: a failing class may have passing parts: 9 a, 1 b fails (1, 2) and so does a alone, but for
//! c = 2 its part a, b passes. Unions pass.
//! **Reference**: Machanavajjhala et al., *l-Diversity* (2007).

pub(super) fn passes(histogram: &[u64], c: f64, l: u32) -> bool {
    let mut counts: Vec<u64> = histogram.iter().copied().filter(|&count| count > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let Some(&most) = counts.first() else { return false };
    let tail: u64 = counts.iter().skip(l as usize - 1).sum();
    (most as f64) < c * tail as f64
}
