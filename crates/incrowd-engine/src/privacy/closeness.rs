//! t-closeness.
//!
//! **What it does**: the earth mover's distance between the distribution of the sensitive values in a
//! class and in the whole table is at most t. Distance between values is 1 for any two (equal), their
//! distance in the order divided by the largest (ordered), or the height of their lowest common
//! ancestor divided by the tree's (hierarchical).
//! **Guarantee**: knowing the class tells at most t more about a value than the table does.
//! **Parts**: a failing class may have passing parts: one that mirrors the table can lie beside one that
//! does not. Unions of passing classes pass, because the distance is convex.
//! **Reference**: Li, Li and Venkatasubramanian, *t-Closeness* (2007).

use serde::{Deserialize, Serialize};

use super::SensitiveDistribution;

/// How far apart two sensitive values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroundDistance {
    /// Any two different values are 1 apart.
    Equal,
    /// Values are ordered: numbers, or text in the order given.
    Ordered,
    /// Values are leaves of a hierarchy.
    Hierarchical,
}

pub(super) fn distance(
    histogram: &[u64],
    size: u64,
    background: &SensitiveDistribution,
    kind: GroundDistance,
) -> f64 {
    let size = size.max(1) as f64;
    let excess = |value: usize| histogram[value] as f64 / size - background.shares[value];
    let values = histogram.len();
    match kind {
        GroundDistance::Equal => (0..values).map(|value| excess(value).abs()).sum::<f64>() / 2.0,
        GroundDistance::Ordered => {
            // What has to pass each boundary between neighbours.
            let mut carried = 0.0;
            let mut moved = 0.0;
            for value in 0..values {
                carried += excess(value);
                moved += f64::abs(carried);
            }
            moved / values.saturating_sub(1).max(1) as f64
        }
        GroundDistance::Hierarchical => {
            let Some(tree) = &background.hierarchy else { return f64::INFINITY };
            let height = f64::from(tree.height().max(1));
            let mut extra = vec![0.0; tree.nodes() as usize];
            let mut moved = 0.0;
            // Preorder backwards: children before parents.
            for node in (0..tree.nodes()).rev() {
                if tree.children(node).next().is_none() {
                    extra[node as usize] = tree.codes(node).map(|code| excess(code as usize)).sum();
                    continue;
                }
                let (mut out, mut into) = (0.0, 0.0);
                for child in tree.children(node) {
                    let extra = extra[child as usize];
                    if extra > 0.0 { out += extra } else { into -= extra }
                }
                extra[node as usize] = out - into;
                let level = f64::from(tree.height() - tree.depth(node));
                moved += level / height * f64::min(out, into);
            }
            moved
        }
    }
}
