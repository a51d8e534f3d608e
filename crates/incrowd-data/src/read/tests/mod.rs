//! Tests of reading.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

mod csv;
mod encodings;
mod errors;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "statistics")]
mod statistics;
#[cfg(feature = "excel")]
mod workbooks;

use super::{Chunk, ReadOptions, Source};
use crate::Result;
use incrowd_engine::Control;

/// A source over bytes, which messages call `data.csv`.
fn open(bytes: &[u8]) -> Result<Source> {
    open_with(bytes, ReadOptions::default())
}

fn open_with(mut bytes: &[u8], options: ReadOptions) -> Result<Source> {
    Source::from_reader(&mut bytes, "data.csv", &options)
}

/// The columns at the given positions, row by row, and the line of each row.
fn rows(source: &Source, columns: &[usize]) -> Result<Vec<(Option<u64>, Vec<String>)>> {
    let mut all = Vec::new();
    let work = |chunk: &Chunk| {
        let row = |row| {
            let fields = (0..columns.len()).map(|at| chunk.field(row, at).to_owned()).collect();
            (chunk.line(row), fields)
        };
        let rows: Vec<(Option<u64>, Vec<String>)> = (0..chunk.rows()).map(row).collect();
        for at in 0..columns.len() {
            let by_column: Vec<&str> = chunk.column(at).collect();
            let by_row: Vec<&str> = rows.iter().map(|(_, row)| row[at].as_str()).collect();
            assert_eq!(by_column, by_row);
        }
        Ok((chunk.first_row(), rows))
    };
    let collect = |(first, mut chunk)| {
        assert_eq!(first, all.len() as u64);
        all.append(&mut chunk);
        Ok(())
    };
    source.map_in_order(columns, work, collect, &Control::new())?;
    Ok(all)
}

/// All fields, row by row.
fn fields(source: &Source) -> Result<Vec<Vec<String>>> {
    let columns: Vec<usize> = (0..source.columns().len()).collect();
    Ok(rows(source, &columns)?.into_iter().map(|(_, row)| row).collect())
}
