//! A whole table in memory.

use incrowd::table::{Column, Dictionary};
use incrowd::{Control, Table};

use super::chunk::Chunk;
use super::source::Source;
use crate::Result;

/// Reads the given columns, or all, into memory as codes, which count the values of a column in
/// order of their first appearance in the file.
pub fn read_table(source: &Source, columns: Option<&[usize]>, control: &Control) -> Result<Table> {
    let all: Vec<usize>;
    let columns = match columns {
        Some(columns) => columns,
        None => {
            all = (0..source.columns().len()).collect();
            &all
        }
    };
    let mut table: Vec<Column> = Vec::with_capacity(columns.len());
    // Each chunk has dictionaries of its own; they are merged in the order of the file, so the
    // codes are the same however many threads read.
    let work = |chunk: &Chunk| {
        Ok((0..columns.len()).map(|column| Coded::new(chunk, column)).collect::<Vec<_>>())
    };
    for &column in columns {
        // A column that does not exist is refused by the pass.
        let name = source.columns().get(column).cloned().unwrap_or_default();
        table.push(Column { name, dictionary: Dictionary::new(), codes: Vec::new() });
    }
    let collect = |coded: Vec<Coded>| {
        for (column, coded) in table.iter_mut().zip(coded) {
            let codes: Vec<u32> =
                coded.dictionary.iter().map(|value| column.dictionary.intern(value)).collect();
            column.codes.extend(coded.codes.iter().map(|&code| codes[code as usize]));
        }
        Ok(())
    };
    source.map_in_order(columns, work, collect, control)?;
    Ok(Table::new(table)?)
}

/// One column of one chunk as codes.
struct Coded {
    dictionary: Dictionary,
    codes: Vec<u32>,
}

impl Coded {
    fn new(chunk: &Chunk, column: usize) -> Self {
        let mut dictionary = Dictionary::new();
        let mut codes = Vec::with_capacity(chunk.rows());
        codes.extend(chunk.column(column).map(|value| dictionary.intern(value)));
        Coded { dictionary, codes }
    }
}
