//! The first pass: counting cells.

use incrowd::{CellCounter, Control, Counts, Dictionary};

use crate::{Result, Source};

/// What one worker has counted.
struct Tally {
    dictionaries: Vec<Dictionary>,
    cells: CellCounter,
    /// The codes of a chunk, row by row.
    keys: Vec<u32>,
}

/// Counts the combinations of values in some columns of a source. Memory grows with the distinct
/// values and combinations, not with the rows.
pub fn count_cells(source: &Source, columns: &[usize], control: &Control) -> Result<Counts> {
    let width = columns.len();
    let tallies = source.fold(
        columns,
        || Tally {
            dictionaries: vec![Dictionary::new(); width],
            cells: CellCounter::new(width),
            keys: Vec::new(),
        },
        |tally, chunk| {
            let Tally { dictionaries, cells, keys } = tally;
            keys.clear();
            for row in 0..chunk.rows() {
                keys.extend(
                    dictionaries
                        .iter_mut()
                        .enumerate()
                        .map(|(at, known)| known.intern(chunk.field(row, at))),
                );
            }
            // In a loop of its own: the processor then waits for many far places at once.
            for key in keys.chunks_exact(width) {
                cells.add(key, 1);
            }
            Ok(())
        },
        control,
    )?;
    let mut tallies = tallies.into_iter();
    let first = tallies.next();
    let (mut dictionaries, mut cells) = first.map_or_else(
        || (vec![Dictionary::new(); width], CellCounter::new(width)),
        |t| (t.dictionaries, t.cells),
    );
    for other in tallies {
        let translation: Vec<Vec<u32>> = dictionaries
            .iter_mut()
            .zip(&other.dictionaries)
            .map(|(known, new)| new.iter().map(|value| known.intern(value)).collect())
            .collect();
        cells.merge(&other.cells, &translation);
    }
    let names = columns.iter().map(|&at| source.columns()[at].clone());
    Ok(Counts { columns: names.zip(dictionaries).collect(), cells })
}
