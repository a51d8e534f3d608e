//! Cells: the distinct quasi-identifier combinations with their counts.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::slice::ParallelSliceMut;

use super::Table;
use super::Dictionary;

/// Counts rows by their combination of codes, with memory for the distinct combinations only.
///
/// The columns are those a problem needs: first the quasi-identifiers, then the columns whose
/// histogram matters (class and sensitive). Codes are dictionary codes: counting starts before all
/// values are known. Counters of parts of a table are merged.
#[derive(Debug, Clone)]
pub struct CellCounter {
    width: usize,
    keys: Vec<u32>,
    counts: Vec<u32>,
    rows: u64,
    index: HashTable<u32>,
}

fn hash_key(key: &[u32]) -> u64 {
    FixedState::default().hash_one(key)
}

impl CellCounter {
    /// A counter over that many columns.
    pub fn new(width: usize) -> Self {
        CellCounter { width, keys: Vec::new(), counts: Vec::new(), rows: 0, index: HashTable::new() }
    }

    /// Counts `count` rows that carry `key`.
    ///
    /// # Panics
    /// If the key is not as wide as the counter.
    #[inline]
    pub fn add(&mut self, key: &[u32], count: u32) {
        assert_eq!(key.len(), self.width, "a key has one code per column");
        self.rows += u64::from(count);
        let CellCounter { width, keys, counts, index, .. } = self;
        let width = *width;
        let at = |keys: &[u32], entry: u32| -> std::ops::Range<usize> {
            let start = entry as usize * width;
            debug_assert!(start + width <= keys.len());
            start..start + width
        };
        let hash = hash_key(key);
        if let Some(&entry) = index.find(hash, |&entry| &keys[at(keys, entry)] == key) {
            let sum = &mut counts[entry as usize];
            *sum = sum.saturating_add(count);
            return;
        }
        let entry = counts.len() as u32;
        keys.extend_from_slice(key);
        counts.push(count);
        index.insert_unique(hash, entry, |&entry| hash_key(&keys[at(keys, entry)]));
    }

    /// Adds what another counter has counted, its codes translated column by column.
    pub fn merge(&mut self, other: &CellCounter, translation: &[Vec<u32>]) {
        let mut key = vec![0; self.width];
        for (codes, &count) in other.entries() {
            for ((to, from), table) in key.iter_mut().zip(codes).zip(translation) {
                *to = table[*from as usize];
            }
            self.add(&key, count);
        }
    }

    /// The distinct combinations and how many rows carry each, in order of first appearance.
    pub fn entries(&self) -> impl Iterator<Item = (&[u32], &u32)> {
        // A table without columns has no entries to speak of; chunks of 0 would panic.
        self.keys.chunks_exact(self.width.max(1)).zip(&self.counts)
    }

    /// How many distinct combinations there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing has been counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many rows have been counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// What one pass over the rows yields: the columns' dictionaries and the counted combinations.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Name and distinct values of each counted column.
    pub columns: Vec<(String, Dictionary)>,
    /// The combinations of their codes.
    pub cells: CellCounter,
}

impl Counts {
    /// Counts the named columns of a table in memory; `Err` is the name that the table lacks.
    pub fn of_table(table: &Table, names: &[String]) -> Result<Self, String> {
        let columns = names
            .iter()
            .map(|name| table.column(name).ok_or_else(|| name.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut cells = CellCounter::new(columns.len());
        let mut key = vec![0; columns.len()];
        for row in 0..table.rows() {
            for (code, column) in key.iter_mut().zip(&columns) {
                *code = column.codes[row];
            }
            cells.add(&key, 1);
        }
        let columns = columns.iter().map(|c| (c.name.clone(), c.dictionary.clone())).collect();
        Ok(Counts { columns, cells })
    }
}

/// One code per cell, as narrow as the domain allows.
#[derive(Debug, Clone)]
pub enum Codes {
    /// Domains of up to 65,536 values.
    Narrow(Vec<u16>),
    /// Larger ones.
    Wide(Vec<u32>),
}

impl Codes {
    fn new(domain: usize, capacity: usize) -> Self {
        if domain <= 1 << 16 {
            Codes::Narrow(Vec::with_capacity(capacity))
        } else {
            Codes::Wide(Vec::with_capacity(capacity))
        }
    }

    fn push(&mut self, code: u32) {
        match self {
            Codes::Narrow(codes) => codes.push(code as u16),
            Codes::Wide(codes) => codes.push(code),
        }
    }

    /// The code of a cell.
    #[inline]
    pub fn get(&self, cell: usize) -> u32 {
        match self {
            Codes::Narrow(codes) => u32::from(codes[cell]),
            Codes::Wide(codes) => codes[cell],
        }
    }
}

/// The distinct quasi-identifier combinations: one code column per attribute, a count, and per cell a
/// histogram of joint labels (class and sensitive values) where a problem has any.
///
/// Cells are sorted by their codes, first attribute first, so that they are the same however the
/// rows came.
#[derive(Debug, Clone)]
pub struct Cells {
    attributes: Vec<Codes>,
    counts: Vec<u32>,
    /// `entries[starts[c]..starts[c + 1]]` is the histogram of cell c.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

/// Marks a value that a coding does not know; such rows are left out of the cells.
pub const UNSEEN: u32 = u32::MAX;

/// The cells of counted rows, the joint labels they carry, and the rows left out.
pub(crate) struct Gathered {
    pub(crate) cells: Cells,
    /// The distinct label combinations, `width - attributes` codes each.
    pub(crate) joint: Vec<u32>,
    /// Rows with a value that is [`UNSEEN`].
    pub(crate) unseen: u64,
}

impl Cells {
    /// Makes cells of counted rows. `codings` translate the counter's dictionary codes into domain
    /// codes, `domains` are the domains' sizes; the first `attributes` columns are the
    /// quasi-identifiers, the others together make the label.
    pub(crate) fn gather(
        counter: &CellCounter,
        codings: &[&[u32]],
        domains: &[usize],
        attributes: usize,
    ) -> Gathered {
        let order = sorted_entries(counter, codings, domains);
        let width = counter.width;
        let labelled = width > attributes;
        let mut cells = Cells {
            attributes: domains[..attributes].iter().map(|&size| Codes::new(size, 0)).collect(),
            counts: Vec::new(),
            starts: Vec::new(),
            entries: Vec::new(),
        };
        let mut joint_index: hashbrown::HashMap<Vec<u32>, u32, FixedState> = Default::default();
        let mut joint = Vec::new();
        let mut unseen = 0;
        let mut last: Vec<u32> = Vec::new();
        let mut key = vec![0; width];
        for entry in order {
            let entry = entry as usize;
            let count = counter.counts[entry];
            for (column, code) in key.iter_mut().enumerate() {
                *code = codings[column][counter.keys[entry * width + column] as usize];
            }
            if key.contains(&UNSEEN) {
                unseen += u64::from(count);
                continue;
            }
            let (place, label) = key.split_at(attributes);
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
            cells.counts[at] = cells.counts[at].saturating_add(count);
            if !labelled {
                continue;
            }
            let id = *joint_index.entry_ref(label).or_insert_with(|| {
                joint.extend_from_slice(label);
                (joint.len() / label.len() - 1) as u32
            });
            if new_cell {
                cells.starts.push(cells.entries.len() as u32);
            }
            match cells.entries[cells.starts[at] as usize..].last_mut() {
                Some((label, sum)) if *label == id => *sum = sum.saturating_add(count),
                _ => cells.entries.push((id, count)),
            }
        }
        if labelled {
            cells.starts.push(cells.entries.len() as u32);
        }
        Gathered { cells, joint, unseen }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The code of a cell in an attribute.
    #[inline]
    pub fn code(&self, attribute: usize, cell: usize) -> u32 {
        self.attributes[attribute].get(cell)
    }

    /// The code column of an attribute.
    pub fn codes(&self, attribute: usize) -> &Codes {
        &self.attributes[attribute]
    }

    /// How many rows each cell holds.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The histogram of a cell: joint labels and how many rows carry each, labels ascending by first
    /// use. Empty where the problem has no labels.
    #[inline]
    pub fn labels(&self, cell: usize) -> &[(u32, u32)] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Whether cells carry histograms.
    pub fn labelled(&self) -> bool {
        !self.starts.is_empty()
    }
}

/// The counter's entries in the order of their domain codes.
fn sorted_entries(counter: &CellCounter, codings: &[&[u32]], domains: &[usize]) -> Vec<u32> {
    let width = counter.width;
    // One more per domain, so that UNSEEN has a place of its own above the others.
    let radix = |column: usize| domains[column] as u128 + 1;
    let code = |entry: usize, column: usize| -> u128 {
        let code = codings[column][counter.keys[entry * width + column] as usize];
        u128::from(code).min(domains[column] as u128)
    };
    let space = (0..width).try_fold(1u128, |product, column| product.checked_mul(radix(column)));
    match space {
        Some(space) if space <= 1 << 64 => by_key(counter.len(), |entry| {
            (0..width).fold(0, |key, column| key * radix(column) as u64 + code(entry, column) as u64)
        }),
        Some(_) => by_key(counter.len(), |entry| {
            (0..width).fold(0, |key, column| key * radix(column) + code(entry, column))
        }),
        None => by_key(counter.len(), |entry| {
            (0..width).map(|column| code(entry, column) as u32).collect::<Vec<u32>>()
        }),
    }
}

fn by_key<K: Ord + Send>(entries: usize, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut keyed: Vec<(K, u32)> = (0..entries).map(|entry| (key(entry), entry as u32)).collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, entry)| entry).collect()
}

/// Finds a cell by its codes: a hash table over packed keys.
#[derive(Debug, Clone)]
pub struct CellIndex {
    /// (word, shift) of each attribute in the packed key.
    places: Vec<(usize, u32)>,
    words: usize,
    keys: Vec<u64>,
    index: HashTable<u32>,
}

impl CellIndex {
    /// An index over the cells; `domains` are the sizes of the attributes' domains.
    pub fn new(cells: &Cells, domains: &[usize]) -> Self {
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
        let mut made = CellIndex {
            places,
            words,
            keys: vec![0; cells.len() * words],
            index: HashTable::with_capacity(cells.len()),
        };
        for cell in 0..cells.len() {
            for (attribute, &(word, shift)) in made.places.iter().enumerate() {
                made.keys[cell * words + word] |= u64::from(cells.code(attribute, cell)) << shift;
            }
            let keys = &made.keys;
            let of = |cell: usize| &keys[cell * words..(cell + 1) * words];
            let hash = hash_words(of(cell));
            made.index.insert_unique(hash, cell as u32, |&cell| hash_words(of(cell as usize)));
        }
        made
    }

    /// The cell with these codes.
    #[inline]
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        if self.words == 1 {
            let key = codes
                .iter()
                .zip(&self.places)
                .fold(0, |key, (&code, &(_, shift))| key | u64::from(code) << shift);
            let hash = hash_words(&[key]);
            return self.index.find(hash, |&cell| self.keys[cell as usize] == key).copied();
        }
        let mut key = vec![0; self.words];
        for (&code, &(word, shift)) in codes.iter().zip(&self.places) {
            key[word] |= u64::from(code) << shift;
        }
        let same = |cell: &u32| {
            let start = *cell as usize * self.words;
            self.keys[start..start + self.words] == key[..]
        };
        self.index.find(hash_words(&key), same).copied()
    }
}

fn hash_words(words: &[u64]) -> u64 {
    match words {
        [word] => FixedState::default().hash_one(word),
        words => FixedState::default().hash_one(words),
    }
}
