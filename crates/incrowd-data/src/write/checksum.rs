//! A sum over bytes, by which a file that is read back is known to be the one that was written.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::sync::LazyLock;

/// Nobody who cannot read the memory of this process knows it, and so nobody can make other bytes with the same sum.
static KEY: LazyLock<(u64, u64)> = LazyLock::new(|| {
    let random = RandomState::new();
    (random.hash_one(1) | 1, random.hash_one(2) | 1)
});

/// Words that are summed side by side: none waits for another.
const LANES: usize = 4;
const BLOCK: usize = 8 * LANES;

/// A keyed sum over bytes in their order, whatever pieces they come in. Sums of one process can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum {
    lanes: [u64; LANES],
    /// Bytes that do not fill a block yet.
    rest: [u8; BLOCK],
    bytes: u64,
}

impl Checksum {
    /// Takes further bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let filled = (self.bytes % BLOCK as u64) as usize;
        self.bytes += bytes.len() as u64;
        let mut bytes = bytes;
        if filled > 0 {
            let taken = bytes.len().min(BLOCK - filled);
            self.rest[filled..filled + taken].copy_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if filled + taken < BLOCK {
                return;
            }
            let block = self.rest;
            self.block(&block);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.block(block));
        self.rest = [0; BLOCK];
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    #[inline]
    fn block(&mut self, block: &[u8; BLOCK]) {
        let (key, other) = *KEY;
        for (lane, word) in self.lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            let word = u64::from_le_bytes(*word);
            let product = u128::from(*lane ^ word ^ other) * u128::from(key);
            *lane = (product as u64 ^ (product >> 64) as u64).rotate_left(23) ^ word;
        }
    }

    /// The sum over all that is left to read.
    pub fn of(mut input: impl Read) -> io::Result<Self> {
        let mut sum = Checksum::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match input.read(&mut buffer)? {
                0 => return Ok(sum),
                got => sum.add(&buffer[..got]),
            }
        }
    }
}

/// Hands on what it reads and sums it up.
#[derive(Debug)]
pub struct ChecksumReader<'a, R> {
    input: R,
    sum: &'a mut Checksum,
}

impl<'a, R: Read> ChecksumReader<'a, R> {
    /// Sums up what is read from `input`.
    pub fn new(input: R, sum: &'a mut Checksum) -> Self {
        ChecksumReader { input, sum }
    }
}

impl<R: Read> Read for ChecksumReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.input.read(buffer)?;
        self.sum.add(&buffer[..got]);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter_and_bytes_do() {
        let bytes: Vec<u8> = (0..1000u32).map(|at| (at * 7 % 251) as u8).collect();
        let whole = Checksum::of(&bytes[..]).unwrap_or_default();
        for step in [1, 3, 7, 8, 13, 64] {
            let mut sum = Checksum::default();
            bytes.chunks(step).for_each(|piece| sum.add(piece));
            assert_eq!(sum, whole, "in pieces of {step}");
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_ne!(Checksum::of(&other[..]).unwrap_or_default(), whole, "byte {at}");
        }
        assert_ne!(Checksum::of(&bytes[..999]).unwrap_or_default(), whole);
    }
}
