//! The first pass: counting cells.

use incrowd_assess::expose::ValueTally;
use incrowd_engine::{Control, FrequencyCounts};

use crate::count::recent_values::RecentValues;
use crate::{Result, Source};

/// Different values that are counted exactly in columns that are only watched, of all of them together and of each.
const WATCHED: (usize, usize) = (1 << 19, 1 << 17);

/// Different values that are counted exactly in each of so many columns that are only watched.
pub fn watched_each(columns: usize) -> usize {
    (WATCHED.0 / columns.max(1)).clamp(1 << 10, WATCHED.1)
}

/// Counts the combinations of values in some columns of a source. Memory grows with the distinct
/// values and combinations, not with the rows.
pub fn count_cells(
    source: &Source,
    columns: &[usize],
    control: &Control,
) -> Result<FrequencyCounts> {
    Ok(count_watching(source, columns, &[], control)?.0)
}

/// The same, and how often the values of further columns occur, each column by itself.
pub(crate) fn count_watching(
    source: &Source,
    columns: &[usize],
    watched: &[usize],
    control: &Control,
) -> Result<(FrequencyCounts, Vec<ValueTally>)> {
    let width = columns.len();
    let empty = || FrequencyCounts::new(columns.iter().map(|&at| source.columns()[at].as_str()));
    let most = watched_each(watched.len());
    let tallies = || vec![ValueTally::new(most); watched.len()];
    let parts = source.fold(
        &[columns, watched].concat(),
        // Beside the counts of a worker, the codes of a chunk, row by row.
        || (empty(), tallies(), Vec::new()),
        |(counts, tallies, keys): &mut (FrequencyCounts, Vec<ValueTally>, Vec<u32>), chunk| {
            keys.clear();
            let mut recent = RecentValues::of_columns(width);
            for row in 0..chunk.rows() {
                let known = counts.columns.iter_mut().zip(&mut recent);
                for (at, ((_, known), recent)) in known.enumerate() {
                    let find = || Ok(known.intern(chunk.field(row, at)));
                    keys.push(recent.code(chunk.bytes(row, at), find)?);
                }
            }
            counts.cells.add_all(keys);
            for (at, tally) in tallies.iter_mut().enumerate() {
                chunk.column(width + at).for_each(|value| tally.add(value));
            }
            Ok(())
        },
        control,
    )?;
    let mut parts = parts.into_iter().map(|(counts, tallies, _)| (counts, tallies));
    let (mut counts, mut tallies) = parts.next().unwrap_or_else(|| (empty(), tallies()));
    for (part, watched) in parts {
        counts.merge(&part)?;
        for (tally, part) in tallies.iter_mut().zip(watched) {
            tally.merge(part);
        }
    }
    Ok((counts, tallies))
}
