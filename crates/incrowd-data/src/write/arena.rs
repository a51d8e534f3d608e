//! Rows in one piece of memory.

/// The length before each row and what the row counts for, four bytes each.
const PREFIX: usize = 2 * size_of::<u32>();

/// A row as it is kept, and how long the row is that it stands for. Memory is counted as if that were
/// kept: how rows are kept then makes no difference to their order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PackedRow<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) length: usize,
}

impl<'a> PackedRow<'a> {
    /// A row that stands for itself.
    pub(super) fn whole(bytes: &'a [u8]) -> Self {
        PackedRow { bytes, length: bytes.len() }
    }

    /// What the row takes in an [`RowArena`] or a block.
    pub(super) fn packed(&self) -> usize {
        PREFIX + self.bytes.len()
    }

    /// What it counts for: the row that it stands for and its length.
    pub(super) fn counted(&self) -> usize {
        size_of::<u32>() + self.length
    }
}

/// Appends a row, its lengths before it. The caller has made sure that they are `u32`.
pub(super) fn pack(row: PackedRow<'_>, into: &mut Vec<u8>) {
    debug_assert!(u32::try_from(row.bytes.len().max(row.length)).is_ok(), "rows are below 4 GiB");
    let lengths = row.bytes.len() as u64 | (row.length as u64) << 32;
    into.extend_from_slice(&lengths.to_le_bytes());
    into.extend_from_slice(row.bytes);
}

/// The first row of `packed` and what comes after it; nothing at the end.
pub(super) fn unpack(packed: &[u8]) -> Option<(PackedRow<'_>, &[u8])> {
    let (lengths, rest) = packed.split_first_chunk::<PREFIX>()?;
    let lengths = u64::from_le_bytes(*lengths);
    let (bytes, rest) = rest.split_at_checked(lengths as u32 as usize)?;
    Some((PackedRow { bytes, length: (lengths >> 32) as usize }, rest))
}

/// Rows, packed one after the other, and an order over them.
///
/// The rows themselves never move: arranging them moves their four-byte positions.
#[derive(Debug, Default)]
pub(super) struct RowArena {
    packed: Vec<u8>,
    starts: Vec<u32>,
    /// What the rows count for.
    counted: usize,
}

impl RowArena {
    /// The largest budget an arena can use: positions are `u32`.
    pub(super) const LARGEST: usize = u32::MAX as usize;

    /// The memory that so many rows take that together count for so much.
    pub(super) fn memory_for(counted: usize, rows: usize) -> usize {
        counted.saturating_add(rows.saturating_mul(size_of::<u32>()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether one more row keeps within a budget. The first row always does.
    pub(super) fn has_room(&self, row: PackedRow<'_>, budget: usize) -> bool {
        let counted = self.counted + row.counted();
        self.is_empty()
            || RowArena::memory_for(counted, self.starts.len() + 1) <= budget
                && self.packed.len() + row.packed() <= RowArena::LARGEST
    }

    pub(super) fn push(&mut self, row: PackedRow<'_>) {
        self.starts.push(self.packed.len() as u32);
        self.counted += row.counted();
        pack(row, &mut self.packed);
    }

    /// Forgets the rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.starts.clear();
        self.counted = 0;
    }

    /// Replaces the rows by packed ones: `fill` gets `length` bytes to write them to.
    pub(super) fn refill<E>(
        &mut self,
        length: usize,
        rows: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.clear();
        self.packed.resize(length, 0);
        fill(&mut self.packed)?;
        self.starts.reserve(rows);
        let mut rest = self.packed.as_slice();
        while let Some((row, after)) = unpack(rest) {
            self.starts.push((self.packed.len() - rest.len()) as u32);
            self.counted += row.counted();
            rest = after;
        }
        debug_assert_eq!(self.starts.len(), rows);
        Ok(())
    }

    /// The rows in the arena's order.
    pub(super) fn rows(&self) -> impl Iterator<Item = PackedRow<'_>> {
        // Shuffled rows lie far apart. A glance at many, in a loop of its own, lets their memory arrive at once.
        const TOGETHER: usize = 64;
        self.starts.chunks(TOGETHER).flat_map(|starts| {
            let glance = starts.iter().fold(0, |all, &start| all ^ self.packed[start as usize]);
            std::hint::black_box(glance);
            starts.iter().map(|&start| row_at(&self.packed, start))
        })
    }

    /// Puts the rows into the order of their bytes.
    pub(super) fn sort(&mut self) {
        let packed = self.packed.as_slice();
        self.starts.sort_unstable_by(|&a, &b| row_at(packed, a).bytes.cmp(row_at(packed, b).bytes));
    }

    /// Puts the rows into a random order (Fisher and Yates): `below(n)` draws a number below `n`.
    pub(super) fn shuffle(&mut self, mut below: impl FnMut(u32) -> u32) {
        // An arena of at most 4 GiB has fewer than 2^30 rows.
        for last in (1..self.starts.len()).rev() {
            self.starts.swap(last, below(last as u32 + 1) as usize);
        }
    }
}

fn row_at(packed: &[u8], start: u32) -> PackedRow<'_> {
    unpack(&packed[start as usize..]).map_or_else(PackedRow::default, |(row, _)| row)
}
