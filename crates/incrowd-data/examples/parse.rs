//! A plain parse of a table to dictionary codes: the yardstick of `benches/pipeline.sh`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use incrowd_data::{Input, ReadOptions, Source, read_table};
use incrowd_engine::Control;

fn main() -> incrowd_data::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err(incrowd_data::Error::new("no file was named").help("parse FILE"));
    };
    let source = Source::open(&Input::from(path), &ReadOptions::default())?;
    let table = read_table(&source, None, &Control::new())?;
    for column in table.columns() {
        println!(
            "{}: {} distinct values in {} rows",
            column.name,
            column.dictionary.len(),
            table.rows()
        );
    }
    Ok(())
}
