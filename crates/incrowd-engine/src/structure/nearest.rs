//! The balanced table closest to a given one.

use std::collections::BTreeMap;

use super::search::StructureSearch;
use super::symmetry::PointSymmetries;
use super::{BalancedStructure, MOST_COLUMNS, MOST_POINTS, StructureOutcome};
use crate::kit::{Error, Result};
use crate::search::{Control, StopReason};

/// The balanced table closest to a given one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestStructure {
    /// The table with its blanks; none if the search found none within its limit.
    pub structure: Option<BalancedStructure>,
    /// How many blanks each of its rows has.
    pub blanks_per_row: u32,
    /// So many blanks any release of the table needs, balanced or not: a row must be blank wherever it
    /// differs from the farthest of the k - 1 rows nearest to it.
    pub least_blanks: u64,
    /// Numbers of blanks per row, fewer than those of the structure, that the search could not rule out.
    pub undecided: Vec<u32>,
    /// Why the search was stopped before its limit.
    pub stopped: Option<StopReason>,
    /// How many states were examined.
    pub states: u64,
}

impl NearestStructure {
    /// How many blanks there are in all.
    pub fn blanks(&self) -> u64 {
        self.structure
            .as_ref()
            .map_or(0, |structure| u64::from(self.blanks_per_row) * structure.rows.len() as u64)
    }
}

/// Blanks as few values of a table as possible so that it is balanced: all rows have equally many blanks, all
/// columns have, and every row reads like at least k - 1 others. Equally many blanks in all columns is always
/// possible, with all values blank if need be. At most so many states are examined for each number
/// of blanks.
///
/// ```
/// use incrowd_engine::Control;
/// use incrowd_engine::structure::nearest_structure;
/// // Table IV of the paper: two blanks in each row, two in each column.
/// let table = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0]].map(|row| row.to_vec());
/// let nearest = nearest_structure(2, &table, 1_000_000, &Control::default())?;
/// assert_eq!((nearest.blanks_per_row, nearest.blanks()), (2, 8));
/// assert_eq!(nearest.structure.map(|structure| structure.column_blanks()), Some(vec![2; 4]));
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
pub fn nearest_structure(
    k: u32,
    table: &[Vec<u32>],
    most_states: u64,
    control: &Control,
) -> Result<NearestStructure> {
    let width = table.first().map_or(0, Vec::len);
    check(k, table, width)?;
    let mut times: BTreeMap<&[u32], u32> = BTreeMap::new();
    for row in table {
        *times.entry(row).or_default() += 1;
    }
    let free: Vec<u8> =
        times.values().map(|&times| u8::try_from(times).ok()).collect::<Option<_>>().ok_or_else(
            || Error::new("a row occurs more than 255 times").help("take fewer rows"),
        )?;
    let points: Vec<Vec<u32>> = times.keys().map(|row| row.to_vec()).collect();
    let needs: Vec<u32> = points.iter().map(|row| need(row, &times, k)).collect();
    let least_blanks =
        needs.iter().zip(times.values()).map(|(&need, &times)| u64::from(need * times)).sum();
    let mut nearest = NearestStructure {
        structure: None,
        blanks_per_row: 0,
        least_blanks,
        undecided: Vec::new(),
        stopped: None,
        states: 0,
    };
    let rows = table.len() as u32;
    for blanks in needs.iter().copied().max().unwrap_or(0)..=width as u32 {
        if !(u64::from(rows) * u64::from(blanks)).is_multiple_of(width as u64) {
            continue;
        }
        let search =
            StructureSearch::new(&points, free.clone(), k, blanks, rows, PointSymmetries::none());
        let answer = search.run(most_states, control);
        nearest.states += answer.states;
        match answer.outcome {
            StructureOutcome::Found(structure) => {
                nearest.structure = Some(structure);
                nearest.blanks_per_row = blanks;
                break;
            }
            StructureOutcome::Absent { .. } => {}
            StructureOutcome::Undecided { reason } => {
                nearest.undecided.push(blanks);
                nearest.stopped = reason;
                if reason.is_some() {
                    break;
                }
            }
        }
    }
    Ok(nearest)
}

fn check(k: u32, table: &[Vec<u32>], width: usize) -> Result<()> {
    if k == 0 {
        return Err(Error::new("k is 0").help("k is a whole number of at least 1, such as 2"));
    }
    if width == 0 || table.iter().any(|row| row.len() != width) {
        return Err(Error::new("a table needs columns, and every row a value for each"));
    }
    if width > MOST_COLUMNS {
        return Err(Error::new(format!("the table has {width} columns, more than {MOST_COLUMNS}"))
            .help("name fewer quasi-identifiers"));
    }
    if table.len() as u64 > MOST_POINTS {
        return Err(Error::new(format!("the table has more than {MOST_POINTS} rows")).help(
            "balanced structures are for small tables; for large ones choose a method of cell suppression",
        ));
    }
    if (table.len() as u64) < u64::from(k) {
        return Err(Error::new(format!("the table has {} rows, fewer than k = {k}", table.len()))
            .help("choose a smaller k"));
    }
    Ok(())
}

/// How many blanks a row needs at least to read like k - 1 others.
fn need(row: &[u32], times: &BTreeMap<&[u32], u32>, k: u32) -> u32 {
    let mut distances: Vec<(u32, u32)> = times
        .iter()
        .map(|(other, &times)| {
            (row.iter().zip(*other).filter(|(a, b)| a != b).count() as u32, times)
        })
        .collect();
    distances.sort_unstable();
    let mut alike = 0;
    for (distance, times) in distances {
        alike += times;
        if alike >= k {
            return distance;
        }
    }
    row.len() as u32
}
