//! What the relaxation knows of a table: the price of every interval, and how many rows a box holds.

/// One attribute: what its intervals cost all rows in them, and which of them may be made.
#[derive(Debug, Clone)]
pub(super) struct AttributeIntervals {
    pub(super) values: usize,
    /// What all rows of the interval from `first` to `end` pay, at `first * (values + 1) + end`.
    pub(super) costs: Vec<i64>,
    /// What one row of it pays, at the same place.
    pub(super) prices: Vec<i64>,
    /// Whether it may be made, at the same place.
    pub(super) allowed: Vec<bool>,
    /// Whether an interval that holds another never costs a row less.
    pub(super) rises: bool,
}

impl AttributeIntervals {
    /// A field of which one row of the interval from `first` to `end` pays a price, and so many rows lie below each
    /// value.
    pub(super) fn new(
        values: usize,
        below: &[i64],
        price: impl Fn(usize, usize) -> i64,
        allowed: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let size = values * (values + 1);
        let mut field = AttributeIntervals {
            values,
            costs: vec![0; size],
            prices: vec![0; size],
            allowed: vec![false; size],
            rises: true,
        };
        for first in 0..values {
            for end in first + 1..=values {
                let place = field.at(first, end);
                field.prices[place] = price(first, end);
                field.costs[place] = (below[end] - below[first]) * field.prices[place];
                field.allowed[place] = allowed(first, end);
                let shorter =
                    |at: usize| end == first + 1 || field.prices[at] <= field.prices[place];
                // One value less at the end is known; one less at the beginning was priced for the first value before.
                field.rises &= shorter(place - 1);
                if first > 0 {
                    let longer = field.prices[field.at(first - 1, end)];
                    field.rises &= field.prices[place] <= longer;
                }
            }
        }
        field
    }

    #[inline]
    pub(super) fn at(&self, first: usize, end: usize) -> usize {
        first * (self.values + 1) + end
    }
}

/// For each attribute the values from a first one to an end.
pub(super) type ValueBox = Vec<(u16, u16)>;

/// The table.
pub(super) struct RelaxationContext {
    pub(super) fields: Vec<AttributeIntervals>,
    /// By attribute, the value of each cell.
    pub(super) values: Vec<Vec<u16>>,
    pub(super) counts: Vec<u32>,
    pub(super) k: u64,
    /// What a suppressed row pays; none if no row may be suppressed.
    pub(super) suppressed: Option<i64>,
    /// The values of each cell, attribute by attribute.
    of_cells: Vec<u16>,
    words: usize,
    /// By attribute and value, a bit for each cell whose value is below.
    below: Vec<Vec<u64>>,
}

impl RelaxationContext {
    pub(super) fn new(
        fields: Vec<AttributeIntervals>,
        values: Vec<Vec<u16>>,
        counts: Vec<u32>,
        k: u64,
        suppressed: Option<i64>,
    ) -> Self {
        let words = counts.len().div_ceil(64);
        let below = fields
            .iter()
            .zip(&values)
            .map(|(field, values)| {
                let mut bits = vec![0u64; (field.values + 1) * words];
                for (cell, &value) in values.iter().enumerate() {
                    bits[(usize::from(value) + 1) * words + cell / 64] |= 1 << (cell % 64);
                }
                for at in words..bits.len() {
                    bits[at] |= bits[at - words];
                }
                bits
            })
            .collect();
        let of_cells = (0..counts.len()).flat_map(|cell| values.iter().map(move |of| of[cell]));
        let of_cells = of_cells.collect();
        RelaxationContext { fields, values, counts, k, suppressed, of_cells, words, below }
    }

    pub(super) fn is_whole(&self, axis: usize, (first, end): (u16, u16)) -> bool {
        first == 0 && usize::from(end) == self.fields[axis].values
    }

    /// The values of a cell.
    #[inline]
    pub(super) fn of_cell(&self, cell: u32) -> &[u16] {
        let axes = self.fields.len();
        &self.of_cells[cell as usize * axes..][..axes]
    }

    pub(super) fn rows_of(&self, cell: u32) -> u64 {
        u64::from(self.counts[cell as usize])
    }

    /// The cells in a box.
    pub(super) fn cells(&self, within: &[(u16, u16)]) -> Vec<u32> {
        let mut cells = Vec::new();
        self.each(within, |cell| {
            cells.push(cell);
            true
        });
        cells
    }

    /// How many rows lie in a box; once there are `most`, it is not looked further.
    pub(super) fn rows(&self, within: &[(u16, u16)], most: u64) -> u64 {
        let mut rows = 0;
        self.each(within, |cell| {
            rows += self.rows_of(cell);
            rows < most
        });
        rows
    }

    /// Calls for every cell in a box, until the call says that it is enough.
    fn each(&self, within: &[(u16, u16)], mut call: impl FnMut(u32) -> bool) {
        let mut narrow: Vec<(&[u64], &[u64])> = Vec::with_capacity(within.len());
        for (axis, &range) in within.iter().enumerate() {
            if !self.is_whole(axis, range) {
                let of = |value: u16| {
                    let from = usize::from(value) * self.words;
                    &self.below[axis][from..from + self.words]
                };
                narrow.push((of(range.0), of(range.1)));
            }
        }
        for word in 0..self.words {
            let mut bits = u64::MAX;
            for (low, high) in &narrow {
                bits &= high[word] & !low[word];
                if bits == 0 {
                    break;
                }
            }
            while bits != 0 {
                let cell = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // Behind the last cell there is nothing.
                if cell >= self.counts.len() || !call(cell as u32) {
                    return;
                }
            }
        }
    }
}
