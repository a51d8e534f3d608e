//! Distinct l-diversity.
//!
//! **What it does**: at least l different sensitive values in every class.
//! **Guarantee**: nobody's value is certain; l - 1 others must be ruled out first.
//! **Parts**: a failing class has no passing part, since parts hold no new values. Unions pass.
//! **Reference**: Machanavajjhala et al., *l-Diversity* (2007).

pub(super) fn passes(histogram: &[u64], l: u32) -> bool {
    histogram.iter().filter(|&&count| count > 0).take(l as usize).count() == l as usize
}
