//! A share of the rows, chosen by hashes: the same however the rows are parted.

use serde::{Deserialize, Serialize};

/// Keeps all things up to a number; beyond it those whose hash ends in so many zeros that no more are kept. What is
/// kept of all parts together does not depend on how they are merged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HashSample<T> {
    level: u32,
    most: usize,
    kept: Vec<(u64, T)>,
}

impl<T> HashSample<T> {
    pub(super) fn new(most: usize) -> Self {
        HashSample { level: 0, most: most.max(1), kept: Vec::new() }
    }

    /// Whether something with this hash is kept for now.
    #[inline]
    pub(super) fn has(&self, hash: u64) -> bool {
        hash.trailing_zeros() >= self.level
    }

    pub(super) fn add(&mut self, hash: u64, thing: T) {
        if self.has(hash) {
            self.kept.push((hash, thing));
            self.thin();
        }
    }

    fn thin(&mut self) {
        while self.kept.len() > self.most && self.level < 64 {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|(hash, _)| hash.trailing_zeros() >= level);
        }
    }

    /// Adds what is kept of another part.
    pub(super) fn merge(&mut self, other: HashSample<T>) {
        self.level = self.level.max(other.level);
        self.most = self.most.max(other.most);
        self.kept.extend(other.kept);
        let level = self.level;
        self.kept.retain(|(hash, _)| hash.trailing_zeros() >= level);
        self.thin();
    }

    /// The same with at most so many.
    pub(super) fn at_most(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self.thin();
        self
    }

    /// Whether nothing was left out.
    pub(super) fn is_all(&self) -> bool {
        self.level == 0
    }

    pub(super) fn into_kept(self) -> Vec<(u64, T)> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_assess::expose::pair_hash;

    #[test]
    fn what_is_kept_does_not_depend_on_the_parts() {
        let whole = |parts: &[std::ops::Range<u64>]| {
            let parts = parts.iter().map(|rows| {
                let mut part = HashSample::new(500);
                rows.clone().for_each(|row| part.add(pair_hash(row, 1), row));
                part
            });
            let mut all = HashSample::new(500);
            parts.for_each(|part| all.merge(part));
            let mut rows: Vec<u64> = all.into_kept().into_iter().map(|(_, row)| row).collect();
            rows.sort_unstable();
            rows
        };
        let one = whole(&[0..4_000, 4_000..10_000]);
        assert!((200..=500).contains(&one.len()), "{}", one.len());
        assert_eq!(one, whole(&[0..10, 10..9_000, 9_000..9_000, 9_000..10_000]));
        assert_eq!(whole(&[0..300, 300..500]).len(), 500);
    }
}
