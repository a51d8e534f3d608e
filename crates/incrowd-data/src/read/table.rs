//! A whole table in memory.

use std::sync::atomic::{AtomicU32, Ordering};

use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::{Control, Table};

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
        Ok((0..columns.len()).map(|column| CodedColumn::new(chunk, column)).collect::<Vec<_>>())
    };
    for &column in columns {
        // A column that does not exist is refused by the pass.
        let name = source.columns().get(column).cloned().unwrap_or_default();
        table.push(Column { name, dictionary: Dictionary::new(), codes: Vec::new() });
    }
    let collect = |coded: Vec<CodedColumn>| {
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

/// Reads some rows by chance, about `most` of a larger table: the same ones whichever columns are asked for. Values are as they
/// stand in the table, or treated.
pub fn read_sample(
    source: &Source,
    columns: &[usize],
    most: usize,
    untreated: bool,
    control: &Control,
) -> Result<Table> {
    // Rows are kept whose hash ends in so many zeros; more zeros are asked for as rows become many.
    let level = AtomicU32::new(0);
    let hash = |row: u64| {
        let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
    };
    let has = |row: u64, level: u32| hash(row).trailing_zeros() >= level;
    let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
    let work = |chunk: &Chunk| {
        let now = level.load(Ordering::Relaxed);
        let chosen = (0..chunk.rows()).filter(|&row| has(chunk.first_row() + row as u64, now));
        let fields =
            |row: usize| (0..columns.len()).map(|at| chunk.field(row, at).to_owned()).collect();
        Ok(chosen.map(|row| (chunk.first_row() + row as u64, fields(row))).collect::<Vec<_>>())
    };
    let collect = |chosen: Vec<(u64, Vec<String>)>| {
        rows.extend(chosen);
        while rows.len() > 2 * most {
            let now = 1 + level.fetch_add(1, Ordering::Relaxed);
            rows.retain(|(row, _)| has(*row, now));
        }
        Ok(())
    };
    match untreated {
        true => source.map_untreated(columns, work, collect, control)?,
        false => source.map_in_order(columns, work, collect, control)?,
    }
    // What was read ahead under an earlier level.
    let now = level.into_inner();
    rows.retain(|(row, _)| has(*row, now));
    let mut table: Vec<Column> = Vec::with_capacity(columns.len());
    for (at, &column) in columns.iter().enumerate() {
        let (mut dictionary, name) = (Dictionary::new(), source.columns()[column].clone());
        let codes = rows.iter().map(|(_, fields)| dictionary.intern(&fields[at])).collect();
        table.push(Column { name, dictionary, codes });
    }
    Ok(Table::new(table)?)
}

/// One column of one chunk as codes.
struct CodedColumn {
    dictionary: Dictionary,
    codes: Vec<u32>,
}

impl CodedColumn {
    fn new(chunk: &Chunk, column: usize) -> Self {
        let mut dictionary = Dictionary::new();
        let mut codes = Vec::with_capacity(chunk.rows());
        codes.extend(chunk.column(column).map(|value| dictionary.intern(value)));
        CodedColumn { dictionary, codes }
    }
}
