//! The options that say what a table is and what a good release of it is.

use std::path::PathBuf;

use clap::Args;

use super::risk_limits::RiskLimitArgs;
use super::transform::TransformArgs;

/// How a table is read, be it a file or of a database.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct TableReadArgs {
    #[command(flatten)]
    pub(crate) file: FileReadArgs,
    /// The table of a database: people, schema.people or "Odd name".
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) table: Option<String>,
    /// Only its rows for which this SQL condition holds.
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Reading")]
    pub(crate) filter: Option<String>,
}

/// Where a table is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Args)]
pub(crate) struct InDatabaseArgs {
    /// Count in the database: only combinations of values leave it, with how many rows have each.
    #[arg(long, requires = "table", help_heading = "Reading")]
    pub(crate) in_database: bool,
}

impl std::ops::Deref for TableReadArgs {
    type Target = FileReadArgs;

    fn deref(&self) -> &FileReadArgs {
        &self.file
    }
}

/// How a file is read.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct FileReadArgs {
    /// The character between fields, or `tab` [default: found].
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) delimiter: Option<String>,
    /// The encoding of text, such as windows-1252 [default: found].
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) encoding: Option<String>,
    /// The sheet of a workbook, by name or number.
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) sheet: Option<String>,
    /// How many times its size a file may unpack to [default: 1000].
    #[arg(long, value_name = "TIMES", help_heading = "Reading")]
    pub(crate) max_expansion: Option<u32>,
    /// Fields that mean "no value", beside NA, NULL, ? and the like.
    #[arg(
        long,
        value_name = "TOKENS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) missing: Vec<String>,
    /// The only fields that mean "no value".
    #[arg(
        long,
        value_name = "TOKENS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) missing_only: Option<Vec<String>>,
    /// The decimal sign, `,` or `.` [default: found for each column].
    #[arg(long, value_name = "SIGN", help_heading = "Reading")]
    pub(crate) decimal: Option<String>,
    /// How dates are written: d/m/y, m/d/y, d.m.y h:m:s, d-mon-y, ...
    #[arg(long, value_name = "[COLUMN=]FORM", help_heading = "Reading")]
    pub(crate) date_format: Vec<String>,
}

/// The models beyond k.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct ModelArgs {
    /// L different values in each class: 3, entropy:3, recursive:2,3.
    #[arg(
        long,
        value_name = "L",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) l_diversity: Vec<String>,
    /// Classes distributed like the table: 0.2, ordered:0.2, ...
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) t_closeness: Vec<String>,
    /// No sensitive value above this share of a class.
    #[arg(
        long,
        value_name = "ALPHA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) alpha: Vec<String>,
    /// No sensitive value much likelier in a class than in the table.
    #[arg(
        long,
        value_name = "BETA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) beta_likeness: Vec<String>,
    /// No sensitive value much likelier or unlikelier in a class.
    #[arg(
        long,
        value_name = "DELTA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) delta_disclosure: Vec<String>,
    /// Shares to compare with: original, release or both.
    #[arg(long, value_name = "CHOICE", help_heading = "Privacy beyond k")]
    pub(crate) reference: Option<String>,
    /// Let a missing sensitive value count towards l.
    #[arg(long, help_heading = "Privacy beyond k")]
    pub(crate) count_missing: bool,
    #[command(flatten)]
    pub(crate) risks: RiskLimitArgs,
}

/// A table, its columns, and what a good release of it is.
#[derive(Debug, Args)]
pub(crate) struct ProblemArgs {
    /// The table: .csv, .parquet, .xlsx, .sav, ..., `-`, or postgres://HOST/DATABASE.
    pub(crate) input: PathBuf,
    /// Columns that others may know too, separated by commas.
    #[arg(long, value_name = "COLUMNS", required_unless_present = "roles")]
    pub(crate) quasi: Vec<String>,
    #[command(flatten)]
    pub(crate) about: SpecArgs,
}

/// What is said about a table beyond its name and its quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct SpecArgs {
    /// Columns that name people: never released.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) identifying: Vec<String>,
    /// Columns that must not be learned about a person: see the models.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) sensitive: Vec<String>,
    /// Columns released unchanged although they may single people out.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) plain: Vec<String>,
    /// The column that the release should predict well.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(crate) class: Option<String>,
    /// The column that tells people apart who have several rows, or row.
    #[arg(long, visible_alias = "person", value_name = "COLUMN", help_heading = "Columns")]
    pub(crate) unit: Option<String>,
    /// The column of survey weights: recoded, and grown to the total.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(crate) survey_weight: Option<String>,
    /// A hierarchy: a file, prefix, intervals:5,10, date:month, ...
    #[arg(long, value_name = "COLUMN=FILE", help_heading = "Columns")]
    pub(crate) hierarchy: Vec<String>,
    /// Put numbers into bins: width and start.
    #[arg(long, value_name = "COLUMN=5@16", help_heading = "Columns")]
    pub(crate) bins: Vec<String>,
    /// The order of text values.
    #[arg(long, value_name = "COLUMN=V1,V2", help_heading = "Columns")]
    pub(crate) order: Vec<String>,
    /// How much a column counts in the cost.
    #[arg(long, value_name = "COLUMN=4", help_heading = "Columns")]
    pub(crate) weight: Vec<String>,
    /// Read a column as number, date or text.
    #[arg(long = "type", value_name = "COLUMN=TYPE", help_heading = "Columns")]
    pub(crate) types: Vec<String>,
    /// Release groups as range, mean, median, columns or node.
    #[arg(long, value_name = "COLUMN=SUMMARY", help_heading = "Columns")]
    pub(crate) summary: Vec<String>,
    /// Boundaries to keep, each named by the first value beyond it.
    #[arg(long, value_name = "COLUMN=18,65", help_heading = "Columns")]
    pub(crate) cut_at: Vec<String>,
    /// Boundaries that must not be made.
    #[arg(long, value_name = "COLUMN=30", help_heading = "Columns")]
    pub(crate) never_cut_at: Vec<String>,
    /// The lowest hierarchy level to release a column at.
    #[arg(long, value_name = "COLUMN=1", help_heading = "Columns")]
    pub(crate) min_level: Vec<String>,
    /// The highest hierarchy level to release a column at.
    #[arg(long, value_name = "COLUMN=3", help_heading = "Columns")]
    pub(crate) max_level: Vec<String>,
    /// For mu-argus, how well columns identify: most, more, identifying.
    #[arg(long, value_name = "COLUMN=most", value_delimiter = ',', help_heading = "Columns")]
    pub(crate) argus: Vec<String>,
    /// Columns released although they look as if they named people: asked for by a refusal.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub(crate) accept: Vec<String>,
    /// guess: columns named by no option get the roles that their values suggest.
    #[arg(long, value_name = "guess", conflicts_with = "other", help_heading = "Columns")]
    pub(crate) roles: Option<String>,
    /// Columns named by no option: drop, guess, plain or error.
    #[arg(long, value_name = "CHOICE", default_value = "drop", help_heading = "Columns")]
    pub(crate) other: String,

    /// The cost: ncp, dm, cm, loss, entropy, precision, ...
    #[arg(long, default_value = "ncp", help_heading = "Goal")]
    pub(crate) metric: String,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", help_heading = "Goal")]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) treating: TransformArgs,
}
