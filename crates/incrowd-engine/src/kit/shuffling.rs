//! Random numbers for the order of released rows, which nobody may be able to find out.

use std::fmt;

/// What an order of rows is drawn from: 256 bits. Whoever knows it can put the rows back into the order of the input.
///
/// A number that a user gave is a key, too, so that runs can be repeated; then there are only as many orders as there
/// are numbers that the user may have chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShuffleKey([u8; 32]);

impl ShuffleKey {
    /// A key of these bytes, which should come from the system's randomness.
    pub const fn new(bytes: [u8; 32]) -> Self {
        ShuffleKey(bytes)
    }
}

impl From<u64> for ShuffleKey {
    fn from(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        ShuffleKey(bytes)
    }
}

/// Not shown, wherever it may be printed.
impl fmt::Debug for ShuffleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShuffleKey(..)")
    }
}

/// The random numbers of a shuffle, from ChaCha20 (RFC 8439): the same for a key on any machine, and of no use to
/// anybody who has seen some of them and wants to know the others.
pub struct Shuffler {
    key: [u32; 8],
    /// How many blocks have been made.
    blocks: u64,
    block: [u32; 16],
    /// The next word of the block; none are left at 16.
    next: usize,
}

impl fmt::Debug for Shuffler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shuffler(..)")
    }
}

impl Shuffler {
    /// The numbers of a key.
    pub fn new(key: ShuffleKey) -> Self {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(key.0.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Shuffler { key: words, blocks: 0, block: [0; 16], next: 16 }
    }

    /// Any number of 32 bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        if self.next == 16 {
            // A counter of 64 bits and no nonce: a key serves one shuffle.
            let counter = [self.blocks as u32, (self.blocks >> 32) as u32, 0, 0];
            self.block = block(&self.key, counter);
            self.blocks += 1;
            self.next = 0;
        }
        self.next += 1;
        self.block[self.next - 1]
    }

    /// A number below `n`, which is not 0, all equally likely: the whole part of a random fraction times `n`, drawn again
    /// in the rare case that would favour some numbers (Lemire 2019).
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.word()) * u64::from(n);
        if (product as u32) < n {
            let surplus = n.wrapping_neg() % n;
            while (product as u32) < surplus {
                product = u64::from(self.word()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// Puts a list of fewer than 2^32 things into an order that is as likely as any other.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at as u32 + 1) as usize);
        }
    }
}

/// A block of ChaCha20; `last` are the counter and the nonce.
fn block(key: &[u32; 8], last: [u32; 4]) -> [u32; 16] {
    let mut start =
        [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    start[4..12].copy_from_slice(key);
    start[12..].copy_from_slice(&last);
    let mut state = start;
    for _ in 0..10 {
        for [a, b, c, d] in [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]] {
            quarter(&mut state, a, b, c, d);
        }
        for [a, b, c, d] in [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]] {
            quarter(&mut state, a, b, c, d);
        }
    }
    for (word, first) in state.iter_mut().zip(start) {
        *word = word.wrapping_add(first);
    }
    state
}

#[inline(always)]
fn quarter(state: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    for (one, two, three, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        state[one] = state[one].wrapping_add(state[two]);
        state[three] = (state[three] ^ state[one]).rotate_left(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The block of RFC 8439, section 2.3.2.
    #[test]
    fn blocks_are_those_of_the_standard() {
        let bytes: Vec<u8> = (0..32).collect();
        let mut key = [0; 8];
        for (word, bytes) in key.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let made = block(&key, [1, 0x0900_0000, 0x4a00_0000, 0]);
        let expected: [u32; 16] = [
            0xe4e7_f110,
            0x1559_3bd1,
            0x1fdd_0f50,
            0xc471_20a3,
            0xc7f4_d1c7,
            0x0368_c033,
            0x9aaa_2204,
            0x4e6c_d4c3,
            0x4664_82d2,
            0x09aa_9f07,
            0x05d7_c214,
            0xa202_8bd9,
            0xd19c_12b5,
            0xb94e_16de,
            0xe883_d0cb,
            0x4e3c_50a2,
        ];
        assert_eq!(made, expected);
    }

    #[test]
    fn every_bit_of_a_key_counts_and_keys_are_not_shown() {
        let drawn = |key: ShuffleKey| {
            let mut shuffler = Shuffler::new(key);
            (0..40).map(|_| shuffler.word()).collect::<Vec<_>>()
        };
        let plain = drawn(7.into());
        assert_eq!(plain, drawn(7.into()));
        for byte in 0..32 {
            let mut bytes = [0; 32];
            bytes[0] = 7;
            bytes[byte] ^= 128;
            assert_ne!(plain, drawn(ShuffleKey::new(bytes)), "{byte}");
        }
        assert_eq!(
            format!("{:?}{:?}", ShuffleKey::from(7), Shuffler::new(7.into())),
            "ShuffleKey(..)Shuffler(..)"
        );
    }

    #[test]
    fn numbers_below_n_are_equally_likely() {
        // 3 * 2^30 is where a plain remainder would be wrong most often.
        let n = 3 << 30;
        let mut random = Shuffler::new(1.into());
        let mut thirds = [0_u32; 3];
        for _ in 0..30_000 {
            thirds[(random.below(n) >> 30) as usize] += 1;
        }
        assert!(thirds.iter().all(|&count| count.abs_diff(10_000) < 300), "{thirds:?}");
        assert!((0..100).all(|_| random.below(1) == 0));
    }
}
