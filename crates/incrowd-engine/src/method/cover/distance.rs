//! Weighted Hamming distances of many rows.

/// Rows whose distances are asked for again and again. Where every column has at most 256 values, eight
/// columns lie in one word: which of its bytes differ is looked up in a table of weights.
pub(super) enum HammingDistances {
    /// `words` words a row, and a table of 256 sums for each.
    Packed { rows: Vec<u64>, words: usize, sums: Vec<[f64; 256]> },
    /// A value a column.
    Plain { rows: Vec<u32>, weights: Vec<f64> },
}

/// The lowest bit of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;

/// A bit for every byte of a word that is not 0, in whatever order.
#[inline]
fn bytes(word: u64) -> usize {
    let folded = word | word >> 4;
    let folded = folded | folded >> 2;
    let folded = (folded | folded >> 1) & LOW;
    (folded.wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

impl HammingDistances {
    /// The distances of rows of values, row by row.
    pub(super) fn new(rows: Vec<u32>, weights: &[f64]) -> Self {
        let width = weights.len();
        if rows.iter().any(|&code| code > 255) {
            return HammingDistances::Plain { rows, weights: weights.to_vec() };
        }
        let words = width.div_ceil(8).max(1);
        let packed = rows.chunks(width).flat_map(|row| {
            (0..words).map(move |word| {
                let codes = row.iter().skip(8 * word).take(8).enumerate();
                codes.map(|(at, &code)| u64::from(code) << (8 * at)).sum()
            })
        });
        let sums = (0..words)
            .map(|word| {
                let mut sums = [0.0; 256];
                let ours = weights.iter().skip(8 * word).take(8).enumerate();
                let places: Vec<(usize, f64)> =
                    ours.map(|(at, &weight)| (bytes(1 << (8 * at)), weight)).collect();
                for (set, sum) in sums.iter_mut().enumerate() {
                    let differing = places.iter().filter(|(place, _)| set & place != 0);
                    *sum = differing.map(|(_, weight)| weight).sum();
                }
                sums
            })
            .collect();
        HammingDistances::Packed { rows: packed.collect(), words, sums }
    }

    /// The weight of the columns in which two rows differ.
    #[inline]
    pub(super) fn between(&self, one: u32, other: u32) -> f64 {
        let (one, other) = (one as usize, other as usize);
        match self {
            HammingDistances::Packed { rows, words: 1, sums } => {
                sums[0][bytes(rows[one] ^ rows[other])]
            }
            HammingDistances::Packed { rows, words, sums } => {
                let mine = &rows[one * words..(one + 1) * words];
                let theirs = &rows[other * words..(other + 1) * words];
                let each = mine.iter().zip(theirs).zip(sums);
                each.map(|((a, b), sums)| sums[bytes(a ^ b)]).sum()
            }
            HammingDistances::Plain { rows, weights } => {
                let width = weights.len();
                let mine = &rows[one * width..(one + 1) * width];
                let theirs = &rows[other * width..(other + 1) * width];
                let each = mine.iter().zip(theirs).zip(weights);
                each.map(|((a, b), weight)| if a == b { 0.0 } else { *weight }).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_distances_are_those_of_plain_loops() {
        for width in [1, 3, 8, 9, 17] {
            let code = |row: usize, at: usize| ((row * 7 + at * row) % 5 * 51) as u32;
            let rows: Vec<u32> =
                (0..20).flat_map(|row| (0..width).map(move |at| code(row, at))).collect();
            let weights: Vec<f64> = (0..width).map(|at| 0.5 + at as f64).collect();
            let packed = HammingDistances::new(rows.clone(), &weights);
            let plain = HammingDistances::Plain { rows, weights };
            assert!(matches!(packed, HammingDistances::Packed { .. }));
            for one in 0..20 {
                for other in 0..20 {
                    assert!((packed.between(one, other) - plain.between(one, other)).abs() < 1e-9);
                }
            }
        }
    }
}
