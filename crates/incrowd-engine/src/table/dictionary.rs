//! Strings as small integers.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::kit::KeyedHashState;

/// Interns strings: each distinct string gets the next code, in order of first appearance.
///
/// All strings lie in one buffer, so a dictionary of a million short values costs little more than
/// their bytes. Clones share them until one of the clones gets a further value.
///
/// ```
/// use incrowd_engine::table::Dictionary;
/// let mut colours = Dictionary::new();
/// assert_eq!(colours.intern("red"), 0);
/// assert_eq!(colours.intern("blue"), 1);
/// assert_eq!(colours.intern("red"), 0);
/// assert_eq!(colours.value(1), "blue");
/// assert_eq!(colours.get("green"), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Dictionary(Arc<InternedStrings>);

#[derive(Debug, Clone, Default)]
struct InternedStrings {
    text: String,
    /// Where each value ends in `text`; it starts where the one before ends.
    ends: Vec<usize>,
    index: HashTable<u32>,
    keys: HashKeys,
}

/// What short values are hashed with, beside the table, where it is at hand.
#[derive(Debug, Clone)]
struct HashKeys([u64; 2]);

impl Default for HashKeys {
    fn default() -> Self {
        HashKeys(KeyedHashState::words())
    }
}

/// The first and the last bytes of a string of at most 16, overlapping as they may: together with
/// the length they are the string.
#[inline(always)]
fn halves(bytes: &[u8]) -> (u64, u64) {
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return (u64::from_le_bytes(first), u64::from_le_bytes(last));
    }
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return (u32::from_le_bytes(first).into(), u32::from_le_bytes(last).into());
    }
    match *bytes {
        [] => (0, 0),
        [only] => (only.into(), 0),
        [first, .., last] => (first.into(), u64::from(bytes[1]) << 8 | u64::from(last)),
    }
}

/// Another in every process: see [`KeyedHashState`]. Values are mostly short, and these are hashed with one multiplication.
#[inline(always)]
fn hash(HashKeys(keys): &HashKeys, value: &[u8]) -> u64 {
    if value.len() > 16 {
        return KeyedHashState::default().hash_one(value);
    }
    let (first, last) = halves(value);
    let seed = keys[0] ^ (value.len() as u64) << 56;
    let product = u128::from(first ^ seed) * u128::from(last ^ keys[1]);
    (product >> 64) as u64 ^ product as u64
}

/// Whether two values are equal, without a call of `memcmp` for short ones.
#[inline(always)]
fn equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && if one.len() > 16 { one == other } else { halves(one) == halves(other) }
}

#[inline(always)]
fn range(ends: &[usize], code: u32) -> Range<usize> {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    start..ends[code]
}

impl Dictionary {
    /// An empty dictionary.
    pub fn new() -> Self {
        Self::default()
    }

    /// The code of `value`, which is added if it is new.
    ///
    /// # Panics
    /// With more than `u32::MAX` distinct values, which is more than any table here can hold.
    #[inline]
    pub fn intern(&mut self, value: &str) -> u32 {
        let hash = hash(&self.0.keys, value.as_bytes());
        match self.find(value, hash) {
            Some(code) => code,
            None => self.add(value, hash),
        }
    }

    #[cold]
    fn add(&mut self, value: &str, hash_value: u64) -> u32 {
        let InternedStrings { text, ends, index, keys } = Arc::make_mut(&mut self.0);
        let code = u32::try_from(ends.len()).expect("fewer than 2^32 distinct values");
        text.push_str(value);
        ends.push(text.len());
        let bytes = text.as_bytes();
        index.insert_unique(hash_value, code, |&code| hash(keys, &bytes[range(ends, code)]));
        code
    }

    #[inline(always)]
    fn find(&self, value: &str, hash: u64) -> Option<u32> {
        let InternedStrings { text, ends, index, .. } = &*self.0;
        let (value, text) = (value.as_bytes(), text.as_bytes());
        let same = |&code: &u32| equal(&text[range(ends, code)], value);
        index.find(hash, same).copied()
    }

    /// The code of `value`, if it is known.
    #[inline]
    pub fn get(&self, value: &str) -> Option<u32> {
        self.find(value, hash(&self.0.keys, value.as_bytes()))
    }

    /// The value behind a code.
    #[inline]
    pub fn value(&self, code: u32) -> &str {
        &self.0.text[range(&self.0.ends, code)]
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether nothing has been interned yet.
    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    /// The values in the order of their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|code| self.value(code as u32))
    }

    /// Whether both are clones of one dictionary, with the same values under the same codes.
    pub(super) fn is_same(&self, other: &Dictionary) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<'a> FromIterator<&'a str> for Dictionary {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        let mut dictionary = Dictionary::new();
        for value in values {
            dictionary.intern(value);
        }
        dictionary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around the borders between the ways to hash, with strings that differ in one place.
    #[test]
    fn strings_of_all_lengths_are_told_apart() {
        let mut values = Vec::new();
        for length in 0..40 {
            values.push("a".repeat(length));
            for place in 0..length {
                let mut value = vec![b'a'; length];
                value[place] = b'b';
                values.push(String::from_utf8(value).expect("ASCII"));
            }
        }
        let mut dictionary = Dictionary::new();
        for (code, value) in values.iter().enumerate() {
            assert_eq!(dictionary.get(value), None);
            assert_eq!(dictionary.intern(value), code as u32);
        }
        for (code, value) in values.iter().enumerate() {
            assert_eq!(dictionary.get(value), Some(code as u32));
            assert_eq!(dictionary.intern(value), code as u32);
            assert_eq!(dictionary.value(code as u32), value);
        }
        assert!(dictionary.iter().eq(values.iter()));
    }

    #[test]
    fn numbers_hash_to_different_places() {
        let keys = HashKeys::default();
        let hashes: std::collections::BTreeSet<u64> = (0..100_000)
            .map(|number: u32| hash(&keys, number.to_string().as_bytes()) >> 40)
            .collect();
        // 100,000 balls in 2^24 boxes share about 300 of them.
        assert!(hashes.len() > 99_000, "{}", hashes.len());
    }

    /// Values made to collide under one pair of keys, as a hostile table would hold them if the keys were known, are
    /// apart under those of a process, which nobody knows.
    #[test]
    fn values_cannot_be_made_to_collide() {
        let known = HashKeys([u64::from_le_bytes(*b"collide!") ^ 16 << 56, 12_345]);
        let values: Vec<String> = (0..50_000).map(|at| format!("collide!{at:08}")).collect();
        let places = |keys: &HashKeys| {
            let hashes = values.iter().map(|value| hash(keys, value.as_bytes()));
            hashes.collect::<std::collections::BTreeSet<u64>>().len()
        };
        assert_eq!(places(&known), 1);
        assert!(places(&HashKeys::default()) > 49_990);
        assert_ne!(HashKeys::default().0, [0; 2]);
    }
}
