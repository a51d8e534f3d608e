//! Rows in one piece of memory.

/// The length before each row, four bytes.
const PREFIX: usize = size_of::<u32>();

/// What a row of `length` bytes takes in an [`Arena`] or a block: itself and its length.
pub(super) fn packed_len(length: usize) -> usize {
    PREFIX + length
}

/// Appends a row, its length before it. The caller has made sure that the length is a `u32`.
pub(super) fn pack(row: &[u8], into: &mut Vec<u8>) {
    debug_assert!(u32::try_from(row.len()).is_ok(), "rows are below 4 GiB");
    into.extend_from_slice(&(row.len() as u32).to_le_bytes());
    into.extend_from_slice(row);
}

/// The first row of `packed` and what comes after it; nothing at the end.
pub(super) fn unpack(packed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = packed.split_first_chunk::<PREFIX>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Rows, packed one after the other, and an order over them.
///
/// The rows themselves never move: arranging them moves their four-byte positions.
#[derive(Debug, Default)]
pub(super) struct Arena {
    packed: Vec<u8>,
    starts: Vec<u32>,
}

impl Arena {
    /// The largest budget an arena can use: positions are `u32`.
    pub(super) const LARGEST: usize = u32::MAX as usize;

    /// The memory that so many rows of so many packed bytes take.
    pub(super) fn memory_for(packed: usize, rows: usize) -> usize {
        packed.saturating_add(rows.saturating_mul(size_of::<u32>()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether one more row of this length keeps within a budget. The first row always does.
    pub(super) fn has_room(&self, length: usize, budget: usize) -> bool {
        let packed = self.packed.len() + packed_len(length);
        self.is_empty() || Arena::memory_for(packed, self.starts.len() + 1) <= budget
    }

    pub(super) fn push(&mut self, row: &[u8]) {
        self.starts.push(self.packed.len() as u32);
        pack(row, &mut self.packed);
    }

    /// Forgets the rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.starts.clear();
    }

    /// Replaces the rows by packed ones: `fill` gets `length` bytes to write them to.
    pub(super) fn refill<E>(
        &mut self,
        length: usize,
        rows: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.starts.clear();
        self.packed.resize(length, 0);
        fill(&mut self.packed)?;
        self.starts.reserve(rows);
        let mut rest = self.packed.as_slice();
        while let Some((_, after)) = unpack(rest) {
            self.starts.push((self.packed.len() - rest.len()) as u32);
            rest = after;
        }
        debug_assert_eq!(self.starts.len(), rows);
        Ok(())
    }

    /// The rows in the arena's order.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        // Shuffled rows lie far apart. A glance at one that is due soon lets its memory arrive while
        // those before it are copied.
        const AHEAD: usize = 12;
        self.starts.iter().enumerate().map(|(at, &start)| {
            if let Some(&soon) = self.starts.get(at + AHEAD) {
                std::hint::black_box(self.packed[soon as usize]);
            }
            row_at(&self.packed, start)
        })
    }

    /// Puts the rows into the order of their bytes.
    pub(super) fn sort(&mut self) {
        let packed = self.packed.as_slice();
        self.starts.sort_unstable_by(|&a, &b| row_at(packed, a).cmp(row_at(packed, b)));
    }

    /// Puts the rows into a random order (Fisher and Yates): `below(n)` draws a number below `n`.
    pub(super) fn shuffle(&mut self, mut below: impl FnMut(u32) -> u32) {
        // An arena of at most 4 GiB has fewer than 2^30 rows.
        for last in (1..self.starts.len()).rev() {
            self.starts.swap(last, below(last as u32 + 1) as usize);
        }
    }
}

fn row_at(packed: &[u8], start: u32) -> &[u8] {
    unpack(&packed[start as usize..]).map_or(&[], |(row, _)| row)
}
