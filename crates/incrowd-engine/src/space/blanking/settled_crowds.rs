//! How many of the rows that never get a blank are the same as a row.

use crate::table::Profiles;

/// The rows without blanks around every cell that needs some.
pub(super) enum SettledCrowds {
    /// By cell that needs blanks and set of columns, the rows that differ within the set only.
    Counted { place: Vec<u32>, within: Vec<i32>, width: usize },
    /// The cells that need none, their codes by column, and their rows: looked through each time.
    Listed { codes: Vec<Vec<u32>>, rows: Vec<i32>, own: Vec<Vec<u32>> },
}

/// Numbers are kept up to so many.
const NUMBERS: usize = 1 << 25;

/// Up to so many columns there is a number for each set.
const COLUMNS: usize = 12;

/// Larger crowds are not told apart.
const MOST: u64 = 1 << 29;

impl SettledCrowds {
    /// The rows of the cells that need no blanks. None if they cannot be counted in sets of columns.
    pub(super) fn new(
        cells: &Profiles,
        width: usize,
        needy: impl Fn(usize) -> bool,
        whole: bool,
    ) -> Option<Self> {
        let (mine, others): (Vec<usize>, Vec<usize>) = (0..cells.len()).partition(|&it| needy(it));
        let codes = |of: &[usize]| -> Vec<Vec<u32>> {
            (0..width).map(|at| of.iter().map(|&cell| cells.code(at, cell)).collect()).collect()
        };
        let settled = codes(&others);
        let rows: Vec<i32> =
            others.iter().map(|&cell| cells.counts()[cell].min(MOST) as i32).collect();
        let fits = width <= COLUMNS && mine.len() << width <= NUMBERS;
        if !fits {
            let all: Vec<usize> = (0..cells.len()).collect();
            let own = codes(&all);
            return whole.then_some(SettledCrowds::Listed { codes: settled, rows, own });
        }
        let mut place = vec![0; cells.len()];
        let mut within = Vec::with_capacity(mine.len() << width);
        let mut differ = vec![0u32; others.len()];
        for (at, &cell) in mine.iter().enumerate() {
            place[cell] = at as u32;
            differ.fill(0);
            for (column, codes) in settled.iter().enumerate() {
                let code = cells.code(column, cell);
                for (differ, &other) in differ.iter_mut().zip(codes) {
                    *differ |= u32::from(other != code) << column;
                }
            }
            let mut numbers = vec![0i32; 1 << width];
            for (&differ, &rows) in differ.iter().zip(&rows) {
                let number = &mut numbers[differ as usize];
                *number = number.saturating_add(rows);
            }
            sum_within(&mut numbers, width);
            within.extend(numbers.into_iter().map(|number| number.min(MOST as i32)));
        }
        Some(SettledCrowds::Counted { place, within, width })
    }

    /// How many of the rows are the same as a cell with this mask, in a set of columns.
    pub(super) fn same(&self, cell: u32, mask: u32, set: u32) -> i32 {
        match self {
            SettledCrowds::Counted { place, within, width } => {
                let free = (mask | !set) as usize & ((1 << width) - 1);
                within[((place[cell as usize] as usize) << width) + free]
            }
            SettledCrowds::Listed { codes, rows, own } => {
                let told: Vec<(&[u32], u32)> = codes
                    .iter()
                    .zip(own)
                    .enumerate()
                    .filter(|(at, _)| set & !mask & 1 << at != 0)
                    .map(|(_, (codes, own))| (codes.as_slice(), own[cell as usize]))
                    .collect();
                let is_same = |&at: &usize| told.iter().all(|(codes, own)| codes[at] == *own);
                let same =
                    (0..rows.len()).filter(is_same).map(|at| i64::from(rows[at])).sum::<i64>();
                same.min(MOST as i64) as i32
            }
        }
    }
}

/// Makes numbers by mask sums over all masks within each.
pub(super) fn sum_within(numbers: &mut [i32], width: usize) {
    for column in 0..width {
        for mask in 0..numbers.len() {
            if mask >> column & 1 == 1 {
                numbers[mask] = numbers[mask].saturating_add(numbers[mask ^ 1 << column]);
            }
        }
    }
}
