//! Drawing from a table of weights in constant time, with integers only.

/// One column of Walker's table: it gives `value` up to `threshold` and `other` above it.
#[derive(Debug, Clone, Copy)]
struct AliasSlot {
    threshold: u32,
    value: u8,
    other: u8,
}

/// A discrete distribution over `0..n` that answers in constant time (Walker's alias method).
///
/// All of it is integer arithmetic, so the same weights and the same random words give the same
/// values on every machine.
#[derive(Debug, Clone)]
pub(super) struct AliasTable {
    slots: Box<[AliasSlot]>,
}

impl AliasTable {
    /// The distribution that gives `i` with probability `weights[i]` over the sum of all weights.
    ///
    /// # Panics
    /// If there are no weights, more than 256, or nothing but zeros; the census has fixed tables,
    /// all of which its tests go through.
    pub(super) fn new(weights: &[u64]) -> Self {
        let total: u64 = weights.iter().sum();
        let n = weights.len() as u64;
        assert!(total > 0 && n <= 256, "weights must fit a small table and not all be zero");
        // Scaled so that the average column holds exactly `total`.
        let mut left: Vec<u64> = weights.iter().map(|&weight| weight * n).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..left.len()).partition(|&at| left[at] < total);
        let full = |at: usize| AliasSlot { threshold: u32::MAX, value: at as u8, other: at as u8 };
        let mut slots: Vec<AliasSlot> = (0..left.len()).map(full).collect();
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            slots[poor].threshold = ((u128::from(left[poor]) << 32) / u128::from(total)) as u32;
            slots[poor].other = rich as u8;
            left[rich] -= total - left[poor];
            if left[rich] < total {
                large.pop();
                small.push(rich);
            }
        }
        AliasTable { slots: slots.into() }
    }

    /// The value that a uniformly random word stands for: its upper half picks the slot, its lower
    /// half the side.
    #[inline]
    pub(super) fn pick(&self, word: u64) -> usize {
        let slot = self.slots[(((word >> 32) * self.slots.len() as u64) >> 32) as usize];
        usize::from(if (word as u32) < slot.threshold { slot.value } else { slot.other })
    }
}

#[cfg(test)]
mod tests {
    use super::AliasTable;

    /// Counts what each value gets over a fine grid of words that covers every slot evenly.
    fn shares(weights: &[u64]) -> Vec<f64> {
        let alias = AliasTable::new(weights);
        let mut counts = vec![0u32; weights.len()];
        let (slots, steps) = (weights.len() as u64, 10_000u64);
        for slot in 0..slots {
            for step in 0..steps {
                let upper = ((slot << 32) / slots) + 1;
                counts[alias.pick((upper << 32) | ((step << 32) / steps))] += 1;
            }
        }
        counts.iter().map(|&count| f64::from(count) / (slots * steps) as f64).collect()
    }

    #[test]
    fn every_value_gets_its_share() {
        for weights in [&[1u64][..], &[1, 1], &[0, 5, 0], &[1, 2, 3, 4], &[997, 1, 1, 1, 0, 500]] {
            let total: u64 = weights.iter().sum();
            for (share, &weight) in shares(weights).iter().zip(weights) {
                let expected = weight as f64 / total as f64;
                assert!((share - expected).abs() < 2e-4, "{weights:?}: {share} for {expected}");
                assert!(weight > 0 || *share == 0.0, "{weights:?}: a value without weight came up");
            }
        }
    }
}
