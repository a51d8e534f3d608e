//! The arguments of `risk`.

use std::path::PathBuf;

use clap::Args;

use super::{GateArgs, InDatabaseArgs, OutputArgs, TableReadArgs, TransformArgs};

/// Who could be found in a table or a release, and what gives them away.
///
/// Rows that agree in all quasi-identifiers form a class; values are compared as they are written, so that
/// originals and releases of any kind can be looked at. Nothing that is printed or written names a value of
/// anybody: columns and counts only.
#[derive(Debug, Args)]
#[command(after_help = "\
Attackers:
  prosecutor  knows that a person is in the table: a row among f that look alike is found with chance 1/f
  journalist  knows that a person is in the population: 1/F, F the people there who look alike
  marketer    tries everybody and counts the hits: the average of these chances

Examples:
  incrowd risk patients.csv --quasi age,sex,zip
  incrowd risk patients.csv --quasi age,sex,zip --sampling-fraction 1% --report risk.html
  incrowd risk release.csv  --quasi age,sex,zip --threshold 0.1
  incrowd risk sample.csv   --quasi age,sex,zip --population register.csv --json
  incrowd risk survey.csv   --quasi age,sex,zip --weight-column weight
  incrowd risk release.csv  --quasi age,sex,zip --control others.csv

Stopped with Ctrl-C it tells what it has found so far, and what is missing.")]
pub(crate) struct RiskArgs {
    /// The table or release: .csv (also .gz, .zst), .parquet, .xlsx, .xls, .ods, .sav, .dta, .xpt, or `-` for standard input.
    pub(crate) input: PathBuf,
    /// The quasi-identifiers: columns that others may know too.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,

    /// The column that tells people apart who have several rows: people are counted in place of rows.
    #[arg(long, value_name = "COLUMN", visible_alias = "person")]
    pub(crate) unit: Option<String>,
    /// The whole population as a table with the same columns: the journalist's risk and population
    /// uniques are then counted instead of estimated.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Population",
        conflicts_with_all = ["sampling_fraction", "population_size"]
    )]
    pub(crate) population: Option<PathBuf>,
    /// The population's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", requires = "population", help_heading = "Population")]
    pub(crate) population_delimiter: Option<String>,
    /// The share of the population that is in the table, such as 0.01 or 1%.
    #[arg(
        long,
        value_name = "SHARE",
        help_heading = "Population",
        allow_negative_numbers = true,
        conflicts_with = "population_size"
    )]
    pub(crate) sampling_fraction: Option<String>,
    /// How many people the population has.
    #[arg(long, value_name = "N", help_heading = "Population", allow_negative_numbers = true)]
    pub(crate) population_size: Option<u64>,
    /// A column of survey weights: for how many people of the population each row stands, at least 1.
    #[arg(
        long,
        value_name = "COLUMN",
        help_heading = "Population",
        conflicts_with_all = ["population", "sampling_fraction", "population_size"]
    )]
    pub(crate) weight_column: Option<String>,

    /// People who did not go into the release, with the columns of the original: how many of them fit each box is counted.
    #[arg(long, value_name = "FILE", help_heading = "Labels")]
    pub(crate) control: Option<PathBuf>,
    /// A hierarchy, to read its labels: COLUMN=FILE.
    #[arg(long, value_name = "COLUMN=FILE", help_heading = "Labels")]
    pub(crate) hierarchy: Vec<String>,

    /// A row is at risk if the chance to find it is above this, such as 0.2 or 20%.
    #[arg(long, value_name = "CHANCE", default_value = "0.2", allow_negative_numbers = true)]
    pub(crate) threshold: String,
    /// The most columns of a combination to look for; 0 looks for none.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=64))]
    pub(crate) size: u16,
    /// Write a report here: one HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How many threads to use [default: one per core]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) counting: InDatabaseArgs,
    #[command(flatten)]
    pub(crate) treating: TransformArgs,
    /// End with code 1 if the highest risk from somebody who knows that a person is in the table is above this.
    #[arg(long, value_name = "SHARE", help_heading = "Pipelines")]
    pub(crate) max_risk: Option<String>,
    /// End with code 1 if the average risk is above this.
    #[arg(long, value_name = "SHARE", help_heading = "Pipelines")]
    pub(crate) max_average_risk: Option<String>,
    /// End with code 1 if the share of rows that look like no other is above this.
    #[arg(long, value_name = "SHARE", help_heading = "Pipelines")]
    pub(crate) max_unique: Option<String>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}
