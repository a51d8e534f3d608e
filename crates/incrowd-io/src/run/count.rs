//! The first pass: counting cells.

use incrowd::{Control, Counts};

use crate::{Result, Source};

/// Counts the combinations of values in some columns of a source. Memory grows with the distinct
/// values and combinations, not with the rows.
pub fn count_cells(source: &Source, columns: &[usize], control: &Control) -> Result<Counts> {
    let width = columns.len();
    let empty = || Counts::new(columns.iter().map(|&at| source.columns()[at].as_str()));
    let parts = source.fold(
        columns,
        // Beside the counts of a worker, the codes of a chunk, row by row.
        || (empty(), Vec::new()),
        |(counts, keys): &mut (Counts, Vec<u32>), chunk| {
            keys.clear();
            for row in 0..chunk.rows() {
                let known = counts.columns.iter_mut().enumerate();
                keys.extend(known.map(|(at, (_, known))| known.intern(chunk.field(row, at))));
            }
            // In a loop of its own: the processor then waits for many far places at once.
            for key in keys.chunks_exact(width) {
                counts.cells.add(key, 1);
            }
            Ok(())
        },
        control,
    )?;
    let mut parts = parts.into_iter().map(|(counts, _)| counts);
    let mut counts = parts.next().unwrap_or_else(empty);
    for part in parts {
        counts.merge(&part)?;
    }
    Ok(counts)
}
