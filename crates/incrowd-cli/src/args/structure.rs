//! The options of `structure`.

use std::path::PathBuf;

use clap::Args;

use super::{FileReadArgs, OutputArgs};

#[derive(Debug, Args)]
#[command(after_help = "\
A balanced structure B(k, m) is a table of m columns in which all rows have equally many blanks, all columns
have equally many, and every row reads like at least k - 1 others. The search is exhaustive: it finds one, or
proves that there is none, or comes to its limit.

Examples:
  incrowd structure -k 2 --domains 3,3,3              three columns of three values, as many rows as fit
  incrowd structure -k 2 --domains 2,2 --rows 8 --repeats 2
  incrowd structure -k 2 --table small.csv --quasi age,sex,zip
  incrowd structure --survey

Exit codes: 0 found; 1 there is none, or the search came to its limit.")]
#[group(id = "question", required = true, multiple = false, args = ["domains", "table", "survey"])]
pub(crate) struct StructureArgs {
    /// The least size of a class.
    #[arg(short, value_name = "K", required_unless_present = "survey", conflicts_with = "survey",
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) k: Option<u32>,
    /// How many values each column has.
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) domains: Vec<u32>,
    /// How many rows there are [default: the largest multiple of k * m that fits].
    #[arg(long, value_name = "N", requires = "domains")]
    pub(crate) rows: Option<u32>,
    /// How often a row may occur [default: 1, rows are distinct].
    #[arg(long, value_name = "TIMES", requires = "domains")]
    pub(crate) repeats: Option<u32>,
    /// How many blanks each row has [default: as few as let k rows read alike].
    #[arg(long, value_name = "N", requires = "domains")]
    pub(crate) blanks: Option<u32>,
    /// Map this small table to its closest balanced structure: the one with the fewest blanks.
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// The columns of the table [default: all].
    #[arg(long, value_name = "COLUMNS", requires = "table")]
    pub(crate) quasi: Vec<String>,
    /// Which B(k, m) exist, k from 2 to 4: two values with up to 6 columns, three values with up to 4.
    #[arg(long)]
    pub(crate) survey: bool,
    /// Most states to examine, for each question.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) limit: u64,
    /// Stop searching after this long: 500ms, 60s, 5m, 1h.
    #[arg(long, value_name = "TIME")]
    pub(crate) time_limit: Option<String>,
    #[command(flatten)]
    pub(crate) reading: FileReadArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}
