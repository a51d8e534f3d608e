//! The arguments of `hierarchy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::TableReadArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyCommand {
    /// Build a hierarchy of a column's values by rule, in ARX's CSV form.
    Build(HierarchyBuildArgs),
    /// Check a hierarchy: duplicates, levels that disagree, values not covered.
    Check(HierarchyCheckArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  incrowd hierarchy build patients.csv --column age --intervals 5,10,20 -o age.csv
  incrowd hierarchy build patients.csv --column zip --prefix 4,3,2 -o zip.csv
  incrowd hierarchy build patients.csv --column born --date month,year,decade -o born.csv
  incrowd hierarchy build patients.csv --column diagnosis --ready icd10 -o diagnosis.csv")]
#[group(id = "rule", required = true, multiple = false, args = ["intervals", "prefix", "date", "ready", "rule_file"])]
pub(crate) struct HierarchyBuildArgs {
    /// The table.
    pub(crate) input: PathBuf,
    /// The column.
    #[arg(long)]
    pub(crate) column: String,
    /// Numbers to intervals: the width of each level.
    #[arg(long, value_name = "WIDTHS", value_delimiter = ',')]
    pub(crate) intervals: Vec<f64>,
    /// Where an interval starts.
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub(crate) start: f64,
    /// Codes to prefixes: how many characters each level keeps, or `all` for one less per level.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',')]
    pub(crate) prefix: Vec<String>,
    /// Dates to month, quarter, year, decade.
    #[arg(long, value_name = "UNITS", value_delimiter = ',')]
    pub(crate) date: Vec<String>,
    /// A hierarchy that is ready to use: countries, icd10, ip or email; with a group for values that are not
    /// covered: countries:other.
    #[arg(long, value_name = "NAME")]
    pub(crate) ready: Option<String>,
    /// A rule in a TOML file: any of the above, groups, or a tree.
    #[arg(long = "rule", id = "rule_file", value_name = "FILE")]
    pub(crate) rule: Option<PathBuf>,
    /// The file to write [default: standard output].
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
}

#[derive(Debug, Args)]
pub(crate) struct HierarchyCheckArgs {
    /// The hierarchy, in ARX's CSV form or TOML.
    pub(crate) hierarchy: PathBuf,
    /// A table whose values must be covered.
    #[arg(long, value_name = "FILE", requires = "column")]
    pub(crate) data: Option<PathBuf>,
    /// The column of that table.
    #[arg(long, requires = "data")]
    pub(crate) column: Option<String>,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
}
