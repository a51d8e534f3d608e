//! Profiles: the distinct quasi-identifier combinations with their counts.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rayon::slice::ParallelSliceMut;

use super::counter::ProfileCounter;
use crate::kit::KeyedHashState;

/// One code per profile, as narrow as the domain allows.
#[derive(Debug, Clone)]
pub enum CodeColumn {
    /// Domains of up to 65,536 values.
    Narrow(Vec<u16>),
    /// Larger ones.
    Wide(Vec<u32>),
}

impl CodeColumn {
    fn new(domain: usize) -> Self {
        if domain <= 1 << 16 {
            CodeColumn::Narrow(Vec::new())
        } else {
            CodeColumn::Wide(Vec::new())
        }
    }

    fn push(&mut self, code: u32) {
        match self {
            CodeColumn::Narrow(codes) => codes.push(code as u16),
            CodeColumn::Wide(codes) => codes.push(code),
        }
    }

    /// The code of a profile.
    #[inline]
    pub fn get(&self, cell: usize) -> u32 {
        match self {
            CodeColumn::Narrow(codes) => u32::from(codes[cell]),
            CodeColumn::Wide(codes) => codes[cell],
        }
    }
}

/// The distinct quasi-identifier combinations: one code column per attribute, a count, and per profile a
/// histogram of joint targets (class and sensitive values) where a problem has any.
///
/// Profiles are sorted by their codes, first attribute first, so that they are the same however the
/// rows came.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    attributes: Vec<CodeColumn>,
    counts: Vec<u64>,
    /// `entries[starts[c]..starts[c + 1]]` is the histogram of profile c.
    starts: Vec<u32>,
    entries: Vec<(u32, u64)>,
}

/// Marks a value that a coding does not know; such rows are left out of the profiles.
pub const UNSEEN: u32 = u32::MAX;

/// Joint targets by their codes.
pub(crate) type JointIndex = hashbrown::HashMap<Vec<u32>, u32, KeyedHashState>;

/// The profiles of counted rows, the joint targets they carry, and the rows left out.
pub(crate) struct GatheredProfiles {
    pub(crate) cells: Profiles,
    /// The distinct target combinations, `width - attributes` codes each.
    pub(crate) joint: Vec<u32>,
    /// The number of each combination.
    pub(crate) joint_index: JointIndex,
    /// Rows with a value that is [`UNSEEN`].
    pub(crate) unseen: u64,
}

impl Profiles {
    /// The profiles of counted rows, without targets. `codings` translate the counter's codes into those of
    /// domains of the sizes `domains`; rows with a value that is [`UNSEEN`] there are left out.
    pub fn of_counter(counter: &ProfileCounter, codings: &[&[u32]], domains: &[usize]) -> Self {
        Self::gather(counter, codings, domains, domains.len()).cells
    }

    /// Makes profiles of counted rows. `codings` translate the counter's dictionary codes into domain
    /// codes, `domains` are the domains' sizes; the first `attributes` columns are the
    /// quasi-identifiers, the others together make the target.
    pub(crate) fn gather(
        counter: &ProfileCounter,
        codings: &[&[u32]],
        domains: &[usize],
        attributes: usize,
    ) -> GatheredProfiles {
        let radices: Vec<u64> = domains.iter().map(|&size| size.max(1) as u64).collect();
        let space = radices
            .iter()
            .try_fold(1u128, |product, &radix| product.checked_mul(u128::from(radix)));
        match space {
            Some(space) if space <= 1 << 64 => {
                Self::gather_by::<u64>(counter, codings, &radices, attributes)
            }
            Some(_) => Self::gather_by::<u128>(counter, codings, &radices, attributes),
            None => Self::gather_by::<Vec<u32>>(counter, codings, &radices, attributes),
        }
    }

    fn gather_by<K: SortKey>(
        counter: &ProfileCounter,
        codings: &[&[u32]],
        radices: &[u64],
        attributes: usize,
    ) -> GatheredProfiles {
        let mut unseen = 0;
        let mut entries: Vec<(K, u64)> = Vec::with_capacity(counter.len());
        let mut key = vec![0; codings.len()];
        counter.for_each(|codes, count| {
            for ((to, &from), coding) in key.iter_mut().zip(codes).zip(codings) {
                *to = coding[from as usize];
            }
            if key.contains(&UNSEEN) {
                unseen += count;
            } else {
                entries.push((K::encode(&key, radices), count));
            }
        });
        entries.par_sort_unstable();
        let has_targets = codings.len() > attributes;
        let mut cells = Profiles {
            attributes: radices[..attributes]
                .iter()
                .map(|&size| CodeColumn::new(size as usize))
                .collect(),
            counts: Vec::new(),
            starts: Vec::new(),
            entries: Vec::new(),
        };
        let mut joint_index = JointIndex::default();
        let mut joint = Vec::new();
        let mut last: Vec<u32> = Vec::new();
        for (packed, count) in entries {
            packed.decode(radices, &mut key);
            let (place, target) = key.split_at(attributes);
            let new_cell = cells.counts.is_empty() || last != place;
            if new_cell {
                last.clear();
                last.extend_from_slice(place);
                for (codes, &code) in cells.attributes.iter_mut().zip(place) {
                    codes.push(code);
                }
                cells.counts.push(0);
            }
            let at = cells.counts.len() - 1;
            cells.counts[at] += count;
            if !has_targets {
                continue;
            }
            let id = *joint_index.entry_ref(target).or_insert_with(|| {
                joint.extend_from_slice(target);
                (joint.len() / target.len() - 1) as u32
            });
            if new_cell {
                cells.starts.push(cells.entries.len() as u32);
            }
            match cells.entries[cells.starts[at] as usize..].last_mut() {
                Some((target, sum)) if *target == id => *sum += count,
                _ => cells.entries.push((id, count)),
            }
        }
        if has_targets {
            cells.starts.push(cells.entries.len() as u32);
        }
        GatheredProfiles { cells, joint, joint_index, unseen }
    }

    /// The profiles of counted combinations, without targets.
    pub(crate) fn of_sorted(domains: &[usize], counted: &BTreeMap<Vec<u32>, u64>) -> Self {
        let mut attributes: Vec<CodeColumn> =
            domains.iter().map(|&size| CodeColumn::new(size)).collect();
        for codes in counted.keys() {
            attributes.iter_mut().zip(codes).for_each(|(column, &code)| column.push(code));
        }
        let counts = counted.values().copied().collect();
        Profiles { attributes, counts, starts: Vec::new(), entries: Vec::new() }
    }

    /// The profiles of the same rows with other codes: `maps` has the new code of each code, by attribute. Also
    /// says which of the new profiles each profile becomes a part of.
    pub(crate) fn recoded(&self, maps: &[Vec<u32>]) -> (Self, Vec<u32>) {
        let code = |at: usize, cell: u32| maps[at][self.code(at, cell as usize) as usize];
        let compare = |&one: &u32, &other: &u32| {
            let columns = (0..maps.len()).map(|at| code(at, one).cmp(&code(at, other)));
            columns.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(compare);
        let sizes = maps.iter().map(|map| map.iter().max().map_or(0, |&most| most as usize + 1));
        let mut cells = Profiles {
            attributes: sizes.map(CodeColumn::new).collect(),
            counts: Vec::new(),
            starts: Vec::new(),
            entries: Vec::new(),
        };
        let mut part_of = vec![0; self.len()];
        for same in order.chunk_by(|one, other| compare(one, other).is_eq()) {
            for (at, codes) in cells.attributes.iter_mut().enumerate() {
                codes.push(code(at, same[0]));
            }
            same.iter().for_each(|&cell| part_of[cell as usize] = cells.counts.len() as u32);
            cells.counts.push(same.iter().map(|&cell| self.counts[cell as usize]).sum());
            if self.has_targets() {
                cells.starts.push(cells.entries.len() as u32);
                let mut held: Vec<(u32, u64)> =
                    same.iter().flat_map(|&cell| self.targets(cell as usize)).copied().collect();
                held.sort_unstable();
                for joint in held.chunk_by(|one, other| one.0 == other.0) {
                    cells.entries.push((joint[0].0, joint.iter().map(|entry| entry.1).sum()));
                }
            }
        }
        if self.has_targets() {
            cells.starts.push(cells.entries.len() as u32);
        }
        (cells, part_of)
    }

    /// The profiles of the rows with some of the joint targets. Also says which profile each was a part of.
    pub(crate) fn of_targets(&self, is_kept: impl Fn(u32) -> bool) -> (Self, Vec<u32>) {
        let like = |codes: &CodeColumn| match codes {
            CodeColumn::Narrow(_) => CodeColumn::Narrow(Vec::new()),
            CodeColumn::Wide(_) => CodeColumn::Wide(Vec::new()),
        };
        let attributes = self.attributes.iter().map(like).collect();
        let mut part = Profiles { attributes, ..Profiles::default() };
        let mut origin = Vec::new();
        for cell in 0..self.len() {
            let from = part.entries.len();
            part.entries
                .extend(self.targets(cell).iter().copied().filter(|&(target, _)| is_kept(target)));
            let kept = &part.entries[from..];
            if kept.is_empty() {
                continue;
            }
            part.counts.push(kept.iter().map(|&(_, count)| count).sum());
            part.starts.push(from as u32);
            for (to, codes) in part.attributes.iter_mut().zip(&self.attributes) {
                to.push(codes.get(cell));
            }
            origin.push(cell as u32);
        }
        part.starts.push(part.entries.len() as u32);
        (part, origin)
    }

    /// How many profiles there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no profiles.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The code of a profile in an attribute.
    #[inline]
    pub fn code(&self, attribute: usize, cell: usize) -> u32 {
        self.attributes[attribute].get(cell)
    }

    /// The code column of an attribute.
    pub fn codes(&self, attribute: usize) -> &CodeColumn {
        &self.attributes[attribute]
    }

    /// How many rows each profile holds.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The histogram of a profile: joint targets and how many rows carry each, targets ascending by first
    /// use. Empty where the problem has no targets.
    #[inline]
    pub fn targets(&self, cell: usize) -> &[(u32, u64)] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Whether profiles carry histograms.
    pub fn has_targets(&self) -> bool {
        !self.starts.is_empty()
    }
}

/// A combination of domain codes as something to sort by, first column first.
trait SortKey: Ord + Send {
    fn encode(codes: &[u32], radices: &[u64]) -> Self;
    fn decode(self, radices: &[u64], codes: &mut [u32]);
}

/// Mixed radix, for as long as the product of the radices fits.
macro_rules! mixed_radix {
    ($word:ty) => {
        impl SortKey for $word {
            fn encode(codes: &[u32], radices: &[u64]) -> Self {
                codes.iter().zip(radices).fold(0, |key, (&code, &radix)| {
                    key * <$word>::from(radix) + <$word>::from(code)
                })
            }

            fn decode(mut self, radices: &[u64], codes: &mut [u32]) {
                for (code, &radix) in codes.iter_mut().zip(radices).rev() {
                    *code = (self % <$word>::from(radix)) as u32;
                    self /= <$word>::from(radix);
                }
            }
        }
    };
}

mixed_radix!(u64);
mixed_radix!(u128);

impl SortKey for Vec<u32> {
    fn encode(codes: &[u32], _: &[u64]) -> Self {
        codes.to_vec()
    }

    fn decode(self, _: &[u64], codes: &mut [u32]) {
        codes.copy_from_slice(&self);
    }
}

/// Finds a profile by its codes: a hash table over packed keys.
#[derive(Debug, Clone)]
pub struct ProfileIndex {
    /// (word, shift) of each attribute in the packed key.
    places: Vec<(usize, u32)>,
    keys: PackedKeys,
}

/// Packed keys and the profiles they belong to.
#[derive(Debug, Clone)]
enum PackedKeys {
    /// Keys of one word lie in the table itself: a look-up touches one place in memory.
    One(WordMap),
    /// Longer keys lie one after the other.
    Many { words: usize, keys: Vec<u64>, index: HashTable<u32> },
}

impl ProfileIndex {
    /// An index over the profiles; `domains` are the sizes of the attributes' domains.
    pub fn new(cells: &Profiles, domains: &[usize]) -> Self {
        let mut places = Vec::with_capacity(domains.len());
        let (mut word, mut used) = (0, 0);
        for &size in domains {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            places.push((word, used));
            used += bits;
        }
        let words = word + 1;
        let mut key = vec![0; words];
        let mut codes = vec![0; domains.len()];
        let mut code_cell = |cell: usize, key: &mut [u64]| {
            for (attribute, code) in codes.iter_mut().enumerate() {
                *code = cells.code(attribute, cell);
            }
            pack(&places, &codes, key);
        };
        let keys = if words == 1 {
            let keys = (0..cells.len()).map(|cell| {
                code_cell(cell, &mut key);
                key[0]
            });
            PackedKeys::One(WordMap::new(keys))
        } else {
            let mut keys = Vec::with_capacity(cells.len() * words);
            let mut index = HashTable::with_capacity(cells.len());
            for cell in 0..cells.len() {
                code_cell(cell, &mut key);
                keys.extend_from_slice(&key);
                let of = |cell: u32| &keys[cell as usize * words..(cell as usize + 1) * words];
                index.insert_unique(hash_words(&key), cell as u32, |&cell| hash_words(of(cell)));
            }
            PackedKeys::Many { words, keys, index }
        };
        ProfileIndex { places, keys }
    }

    /// The profile with these codes, which must be codes of the attributes' domains or [`UNSEEN`].
    #[inline]
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        if codes.contains(&UNSEEN) {
            return None;
        }
        match &self.keys {
            PackedKeys::One(index) => {
                let mut key = [0];
                pack(&self.places, codes, &mut key);
                index.find(key[0])
            }
            PackedKeys::Many { words, keys, index } => {
                let mut key = vec![0; *words];
                pack(&self.places, codes, &mut key);
                let same = |&cell: &u32| {
                    keys[cell as usize * words..(cell as usize + 1) * words] == key[..]
                };
                index.find(hash_words(&key), same).copied()
            }
        }
    }

    /// Finds the profiles of many rows, whose codes lie one behind the other. Profiles lie far apart; here
    /// the processor waits for many of them at once.
    pub fn find_all(&self, codes: &[u32]) -> Vec<Option<u32>> {
        let rows = codes.chunks_exact(self.places.len().max(1));
        let PackedKeys::One(index) = &self.keys else {
            return rows.map(|codes| self.find(codes)).collect();
        };
        let mut found = Vec::with_capacity(rows.len());
        let mut keys = Vec::with_capacity(TOGETHER);
        for rows in codes.chunks(TOGETHER * self.places.len().max(1)) {
            keys.clear();
            keys.extend(rows.chunks_exact(self.places.len().max(1)).map(|codes| {
                let mut key = [0];
                pack(&self.places, codes, &mut key);
                (key[0], codes.contains(&UNSEEN))
            }));
            let mut first = [EMPTY; TOGETHER];
            for (slot, &(key, _)) in first.iter_mut().zip(&keys) {
                *slot = index.slots[index.place(key)];
            }
            found.extend(first.iter().zip(&keys).map(|(&(own, cell), &(key, unseen))| {
                match (unseen, own == key && cell != EMPTY.1) {
                    (true, _) => None,
                    (false, true) => Some(cell),
                    (false, false) => index.find(key),
                }
            }));
        }
        found
    }
}

/// How many profiles are looked for together.
const TOGETHER: usize = 128;

/// A slot without a profile.
const EMPTY: (u64, u32) = (0, u32::MAX);

/// Keys of one word and their profiles: open addressing with a power of two of slots.
#[derive(Debug, Clone)]
struct WordMap {
    slots: Vec<(u64, u32)>,
}

impl WordMap {
    /// The profiles 0, 1, … by their keys, which differ.
    fn new(mut keys: impl ExactSizeIterator<Item = u64>) -> Self {
        // At most two thirds of the slots will be taken.
        let slots = (keys.len() + keys.len() / 2 + 1).next_power_of_two();
        let mut words = WordMap { slots: vec![EMPTY; slots] };
        let mut together = Vec::with_capacity(TOGETHER);
        for first in (0..keys.len()).step_by(TOGETHER) {
            together.clear();
            together.extend(keys.by_ref().take(TOGETHER));
            // A glance at all places lets the memory of many arrive at once.
            let glance = together.iter().fold(0, |sum, &key| sum ^ words.slots[words.place(key)].1);
            std::hint::black_box(glance);
            for (&key, cell) in together.iter().zip(first as u32..) {
                words.add(key, cell);
            }
        }
        words
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        hash_word(key) as usize & (self.slots.len() - 1)
    }

    fn add(&mut self, key: u64, cell: u32) {
        let mut at = self.place(key);
        while self.slots[at].1 != EMPTY.1 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = (key, cell);
    }

    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let mut at = self.place(key);
        loop {
            match self.slots[at] {
                (_, cell) if cell == EMPTY.1 => return None,
                (own, cell) if own == key => return Some(cell),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

#[inline]
fn pack(places: &[(usize, u32)], codes: &[u32], key: &mut [u64]) {
    key.fill(0);
    for (&code, &(word, shift)) in codes.iter().zip(places) {
        key[word] |= u64::from(code) << shift;
    }
}

fn hash_word(word: u64) -> u64 {
    KeyedHashState::default().hash_one(word)
}

fn hash_words(words: &[u64]) -> u64 {
    KeyedHashState::default().hash_one(words)
}
