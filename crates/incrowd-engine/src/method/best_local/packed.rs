//! The values of a block's rows in as few words as they need.

use super::rows::LocalRows;

/// Long sets of attributes with more values are priced by their ends: there are too many to find a label for each.
const MANY: usize = 64;

/// The values of rows, packed for looking at many of them.
pub(super) struct PackedRows<const W: usize> {
    /// Per row a bit for its value of each set attribute.
    pub(super) bits: Vec<[u64; W]>,
    /// Per row and set attribute the bit.
    bit_of: Vec<u16>,
    /// The attribute of each bit, twice its number; one more if the bit stands for missing.
    pub(super) slot_of: Vec<u16>,
    /// Of each bit the code; where values share it, one of them.
    pub(super) code_of_bit: Vec<u32>,
    /// Of each bit the characters that its value takes in a label.
    pub(super) length_of_bit: Vec<u32>,
    /// Of each set attribute its bits.
    pub(super) mask_of_set: Vec<[u64; W]>,
    /// Whether that are many.
    pub(super) has_many: Vec<bool>,
    /// Per row and span attribute the code.
    pub(super) codes: Vec<u32>,
    pub(super) sets: usize,
    pub(super) spans: usize,
}

/// How many bits the set attributes of these rows take.
pub(super) fn bits_needed<'r>(
    rows: &LocalRows<'_>,
    here: impl Iterator<Item = &'r u32> + Clone,
) -> usize {
    let distinct = |at: usize| {
        let mut seen = vec![false; rows.problem.attributes[at].domain.len()];
        for &row in here.clone() {
            seen[rows.code(at, row) as usize] = true;
        }
        seen.into_iter().filter(|&seen| seen).count()
    };
    rows.prices.sets.iter().map(|set| distinct(set.at)).sum()
}

impl<const W: usize> PackedRows<W> {
    pub(super) fn new(rows: &LocalRows<'_>, here: &[u32]) -> Self {
        let prices = &rows.prices;
        let (sets, spans) = (prices.sets.len(), prices.spans.len());
        let mut bits = vec![[0; W]; here.len()];
        let mut bit_of = vec![0; here.len() * sets];
        let mut slot_of: Vec<u16> = Vec::new();
        let (mut code_of_bit, mut mask_of_set) = (Vec::new(), vec![[0; W]; sets]);
        let (mut length_of_bit, mut has_many) = (Vec::new(), Vec::new());
        for (number, set) in prices.sets.iter().enumerate() {
            let mut known: Vec<u32> = here.iter().map(|&row| rows.code(set.at, row)).collect();
            known.sort_unstable();
            known.dedup();
            let first = slot_of.len();
            // Where the bits do not suffice, values share them: the search then takes them for one.
            let room = (64 * W - first - 2 * (sets - number - 1)).min(known.len());
            for (at, (bits, &row)) in bits.iter_mut().zip(here).enumerate() {
                let code = rows.code(set.at, row);
                let rank = known.partition_point(|&other| other < code);
                let bit = first + if rank < room { rank } else { 1 + rank % (room - 1) };
                bits[bit / 64] |= 1 << (bit % 64);
                bit_of[at * sets + number] = bit as u16;
                mask_of_set[number][bit / 64] |= 1 << (bit % 64);
            }
            has_many.push(known.len() > MANY);
            code_of_bit.extend(known.iter().take(room));
            length_of_bit.extend(known.iter().take(room).map(|&code| set.length(code)));
            let missing = set.missing.is_some_and(|code| known[0] == code);
            slot_of.extend((0..room).map(|at| 2 * number as u16 + u16::from(missing && at == 0)));
        }
        slot_of.resize(64 * W, 0);
        length_of_bit.resize(64 * W, 0);
        let codes = here
            .iter()
            .flat_map(|&row| prices.spans.iter().map(move |span| rows.code(span.at, row)))
            .collect();
        PackedRows {
            bits,
            bit_of,
            slot_of,
            code_of_bit,
            length_of_bit,
            mask_of_set,
            has_many,
            codes,
            sets,
            spans,
        }
    }

    #[inline]
    pub(super) fn codes_of(&self, row: u32) -> &[u32] {
        &self.codes[row as usize * self.spans..(row as usize + 1) * self.spans]
    }

    /// The bit of a row's value of a set attribute.
    #[inline]
    pub(super) fn bit_of(&self, row: u32, set: usize) -> u16 {
        self.bit_of[row as usize * self.sets + set]
    }

    /// The code of a row in a span attribute.
    #[inline]
    pub(super) fn code_of(&self, row: u32, span: usize) -> u32 {
        self.codes[row as usize * self.spans + span]
    }
}

#[inline]
pub(super) fn for_each_bit<const W: usize>(words: &[u64; W], mut see: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            see(at * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}
