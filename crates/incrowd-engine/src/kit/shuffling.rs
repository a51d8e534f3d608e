//! Random numbers for the order of released rows, which nobody may be able to find out.

use std::fmt;

use chacha20::ChaCha20Rng;
use rand::{Rng, SeedableRng};

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
pub struct Shuffler(ChaCha20Rng);

impl fmt::Debug for Shuffler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shuffler(..)")
    }
}

impl Shuffler {
    /// The numbers of a key.
    pub fn new(key: ShuffleKey) -> Self {
        // A counter of 64 bits and no nonce: a key serves one shuffle.
        Shuffler(ChaCha20Rng::from_seed(key.0))
    }

    /// The numbers of a key for one of many purposes, each with a number of its own.
    pub fn of_purpose(key: ShuffleKey, purpose: u64) -> Self {
        let mut random = ChaCha20Rng::from_seed(key.0);
        random.set_stream(purpose);
        Shuffler(random)
    }

    /// Whether something happens that has this chance.
    pub fn happens(&mut self, chance: f64) -> bool {
        f64::from(self.word()) < chance * 2f64.powi(32)
    }

    /// Any number of 32 bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The block of RFC 8439, section 2.3.2.
    #[test]
    fn blocks_are_those_of_the_standard() {
        let mut key = [0; 32];
        for (byte, value) in key.iter_mut().zip(0..) {
            *byte = value;
        }
        // The standard has a counter of 32 bits and a nonce of 96. The first 32 bits of the nonce are the upper half of
        // our counter.
        let mut stream = ChaCha20Rng::from_seed(key);
        stream.set_stream(0x4a00_0000);
        stream.set_block_pos(0x0900_0000_0000_0001);
        let made: [u32; 16] = std::array::from_fn(|_| stream.next_u32());
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

    /// Releases whose order follows from a key stay as they are: words on both sides of the ends of blocks.
    #[test]
    fn the_words_of_a_key_never_change() {
        let mut shuffler = Shuffler::new(7.into());
        let words: Vec<u32> = (0..1000).map(|_| shuffler.word()).collect();
        let known = [
            (0, 0xb9e3_9ef1),
            (15, 0xf9b6_bfe2),
            (16, 0x73f0_057f),
            (63, 0x66fe_2a17),
            (64, 0x38b9_c0ef),
            (127, 0x3690_ad3e),
            (128, 0xe6d9_0e65),
            (999, 0x0a57_ca52),
        ];
        for (at, word) in known {
            assert_eq!(words[at], word, "{at}");
        }
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
