//! A small table: what each pair of rows differs in, and what each row may pay.

use super::context::BlankingContext;
use super::patterns;

/// Up to so many columns every mask bounds a row, beyond it the distances to other rows.
const COLUMNS: usize = 10;

/// What the search knows of the rows.
pub(super) struct SmallTable {
    pub(super) rows: usize,
    pub(super) k: usize,
    pub(super) limit: usize,
    pub(super) columns: usize,
    pub(super) weights: Vec<f64>,
    /// Per pair of rows the columns in which they differ.
    differ: Vec<u64>,
    /// The first of the rows that are equal to each.
    pub(super) twin: Vec<usize>,
    /// Per row what it may pay, ascending, each with the rows that it could share that with.
    pub(super) prices: Vec<Vec<(f64, u64)>>,
}

impl SmallTable {
    pub(super) fn new(ground: &BlankingContext<'_>) -> Self {
        let (rows, columns) = (ground.len(), ground.columns());
        let codes = |row: usize| (0..columns).map(move |at| ground.code(at, row as u32));
        let mut differ = vec![0; rows * rows];
        for one in 0..rows {
            for other in 0..rows {
                let unlike = codes(one).zip(codes(other)).enumerate();
                differ[one * rows + other] =
                    unlike.filter(|(_, (a, b))| a != b).map(|(at, _)| 1u64 << at).sum();
            }
        }
        let equal = |row: usize| (0..rows).find(|&other| differ[row * rows + other] == 0);
        let twin = (0..rows).map(|row| equal(row).unwrap_or(row)).collect();
        let mut small = SmallTable {
            rows,
            twin,
            k: ground.k(),
            limit: ground.limit,
            columns,
            weights: ground.weights.clone(),
            differ,
            prices: Vec::new(),
        };
        small.prices = (0..rows).map(|row| small.prices_of(row)).collect();
        small
    }

    #[inline]
    pub(super) fn differ(&self, one: usize, other: usize) -> u64 {
        self.differ[one * self.rows + other]
    }

    /// What the blanks of a mask cost a row.
    pub(super) fn weight(&self, mask: u64) -> f64 {
        let (mut left, mut weight) = (mask, 0.0);
        while left != 0 {
            weight += self.weights[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        weight
    }

    fn prices_of(&self, row: usize) -> Vec<(f64, u64)> {
        let masks: Vec<u64> =
            if self.columns <= COLUMNS { (0..1u64 << self.columns).collect() } else { Vec::new() };
        let fits = |fits: &dyn Fn(u64) -> bool| -> u64 {
            (0..self.rows).filter(|&other| fits(self.differ(row, other))).map(|at| 1u64 << at).sum()
        };
        let mut prices: Vec<(f64, u64)> = if masks.is_empty() {
            let distances = (0..self.rows).map(|other| self.weight(self.differ(row, other)));
            let within = |far: f64| fits(&|mask| self.weight(mask) <= far + 1e-12);
            distances.map(|far| (far, within(far))).collect()
        } else {
            let weights = &self.weights;
            let price = |mask: u64| patterns::weight(weights, mask);
            masks.iter().map(|&mask| (price(mask), fits(&|unlike| unlike & !mask == 0))).collect()
        };
        prices.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.count_ones().cmp(&a.1.count_ones())));
        let mut kept: Vec<(f64, u64)> = Vec::new();
        for (price, rows) in prices {
            if rows.count_ones() as usize >= self.k
                && kept.iter().all(|(_, more)| rows & !more != 0)
            {
                kept.push((price, rows));
            }
        }
        kept
    }
}
