//! The options of `sql`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd anonymize people.csv -k 5 --quasi age,sex,zip --kind global --recoding people.json
  incrowd sql people.json --dialect postgres --table people --into people_release

The statement and the check query behind it hold original values: they are as confidential as the data.")]
pub(crate) struct SqlArgs {
    /// The recoding, as saved by `anonymize --recoding`.
    pub(crate) recoding: PathBuf,
    /// The database: postgres, duckdb, spark, bigquery, snowflake, sqlserver, mysql (MariaDB as well) or sqlite.
    #[arg(long, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: String,
    /// The table with the original rows: people, schema.people, or a name in double quotes.
    #[arg(long, value_name = "NAME", default_value = "source")]
    pub(crate) table: String,
    /// What is made of it.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) into: String,
    /// Make a table, a view of live rows, an insert into a table that is there, or the select alone.
    #[arg(long = "as", value_name = "WHAT", default_value = "table", value_parser = incrowd_sql::StatementKind::NAMES)]
    pub(crate) what: String,
    /// The longest statement that the database takes. Above it, values and boxes go into tables of their own [default: what the
    /// database takes as it comes].
    #[arg(long, value_name = "BYTES")]
    pub(crate) longest: Option<usize>,
    /// Write the statements here instead of to standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The dialects by all their names.
fn dialects() -> PossibleValuesParser {
    let value = |name: &'static str| match name {
        "mysql" => PossibleValue::new(name).alias("mariadb"),
        _ => PossibleValue::new(name),
    };
    PossibleValuesParser::new(incrowd_sql::Dialect::NAMES.map(value))
}
