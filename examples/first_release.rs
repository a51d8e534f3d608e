//! The first release: a table, a k, and what others may know.
//!
//!     cargo run -p incrowd-examples --bin first_release -- examples/patients.csv release.csv

use incrowd_engine::Model;
use incrowd_run::{Anonymize, Result, table_from};

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let input = args.next().unwrap_or_else(|| "examples/patients.csv".to_owned());
    let table = table_from(&input)?;
    let done = Anonymize::new(&table)
        .k(3)
        .quasi(["age", "sex", "zip"])
        .identifying(["name"])
        .sensitive("diagnosis", Model::DistinctL { l: 2 })
        .run()?;
    println!("{}: cost {:?}", done.in_words(), done.cost());
    println!("{}", done.verdict()?);
    // Columns that were named, rows shuffled, every requirement found met in what is written.
    match args.next() {
        Some(output) => done.write(output),
        None => Ok(()),
    }
}
