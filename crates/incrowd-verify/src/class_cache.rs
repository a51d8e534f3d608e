//! What rows look like: the way from bytes to the class of a row.

use std::hash::{BuildHasher, Hasher};

use crate::keyed_hash::KeyedState;

const NONE: u32 = u32::MAX;

/// The classes of all looks that have been met. A look is the bytes of all labels of a row; most rows
/// look like one before them, and then one look-up tells the class.
///
/// The table is large and rows come in any order, so that most of a look-up is waiting for memory. Look-ups
/// are made many at a time, in steps that each go to one far place for all of them: the
/// processor then waits for many places at once.
#[derive(Default)]
pub(crate) struct ClassCache {
    /// Open addressing with a power of two of slots, at most half of them taken.
    slots: Vec<CacheSlot>,
    taken: usize,
    text: Vec<u8>,
    state: KeyedState,
}

#[derive(Clone, Copy)]
struct CacheSlot {
    /// Where the look begins in the text, above 16 bits of its hash.
    place: u64,
    length: u32,
    class: u32,
}

impl CacheSlot {
    const EMPTY: CacheSlot = CacheSlot { place: 0, length: 0, class: NONE };

    fn start(self) -> usize {
        (self.place >> 16) as usize
    }
}

/// The looks of some rows and what is found of them.
#[derive(Default)]
pub(crate) struct LookupBatch {
    /// Where each look lies in some text.
    pub(crate) spans: Vec<(usize, usize)>,
    pub(crate) hashes: Vec<u64>,
    /// The class of each look, if it has been met before.
    pub(crate) classes: Vec<Option<u32>>,
    firsts: Vec<CacheSlot>,
}

impl ClassCache {
    pub(crate) fn hash(&self, look: &[u8]) -> u64 {
        let mut hasher = self.state.build_hasher();
        hasher.write(look);
        hasher.finish()
    }

    /// Finds the classes of a batch whose spans lie in `text`.
    pub(crate) fn find_all(&self, text: &[u8], batch: &mut LookupBatch) {
        let LookupBatch { spans, hashes, classes, firsts } = batch;
        hashes.clear();
        hashes.extend(spans.iter().map(|&(start, end)| self.hash(&text[start..end])));
        classes.clear();
        if self.slots.is_empty() {
            classes.resize(spans.len(), None);
            return;
        }
        let mask = self.slots.len() - 1;
        firsts.clear();
        firsts.extend(hashes.iter().map(|&hash| self.slots[hash as usize & mask]));
        // A glance at where each look probably lies.
        let glances = firsts.iter().filter_map(|slot| {
            let start = slot.start();
            Some(self.text.get(start)? ^ self.text.get(start + slot.length as usize / 2)?)
        });
        std::hint::black_box(glances.fold(0, |all, byte| all ^ byte));
        let looks = spans.iter().zip(hashes.iter());
        classes.extend(looks.map(|(&(start, end), &hash)| self.find(hash, &text[start..end])));
    }

    /// The class of a look, if it has been met before.
    #[inline]
    pub(crate) fn find(&self, hash: u64, look: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.class == NONE {
                return None;
            }
            if slot.place as u16 == (hash >> 48) as u16
                && slot.length as usize == look.len()
                && self.text[slot.start()..][..look.len()] == *look
            {
                return Some(slot.class);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a look that has not been met before. One of 4 GiB and more is not remembered.
    pub(crate) fn add(&mut self, hash: u64, look: &[u8], class: u32) {
        let Ok(length) = u32::try_from(look.len()) else { return };
        if 2 * (self.taken + 1) > self.slots.len() {
            self.grow();
        }
        let place = (self.text.len() as u64) << 16 | hash >> 48;
        self.text.extend_from_slice(look);
        self.put(hash, CacheSlot { place, length, class });
        self.taken += 1;
    }

    fn put(&mut self, hash: u64, slot: CacheSlot) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].class != NONE {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn grow(&mut self) {
        let slots = vec![CacheSlot::EMPTY; (2 * self.slots.len()).max(64)];
        for slot in std::mem::replace(&mut self.slots, slots) {
            if slot.class != NONE {
                let hash = self.hash(&self.text[slot.start()..][..slot.length as usize]);
                self.put(hash, slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_found_again() {
        let mut looks = ClassCache::default();
        let look =
            |number: u32| format!("{}look", "x".repeat(number as usize % 7) + &number.to_string());
        let text: String = (0..1000).map(look).collect();
        let mut batch = LookupBatch::default();
        let mut end = 0;
        for number in 0..1000 {
            batch.spans.push((end, end + look(number).len()));
            end += look(number).len();
        }
        looks.find_all(text.as_bytes(), &mut batch);
        assert!(batch.classes.iter().all(Option::is_none));
        for number in 0..900 {
            let look = look(number);
            let hash = looks.hash(look.as_bytes());
            assert_eq!(looks.find(hash, look.as_bytes()), None);
            looks.add(hash, look.as_bytes(), number / 2);
        }
        looks.find_all(text.as_bytes(), &mut batch);
        let expected = (0..1000).map(|number| (number < 900).then_some(number / 2));
        assert!(batch.classes.iter().copied().eq(expected));
    }
}
