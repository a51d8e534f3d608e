//! The options that say what a table is and what a good release of it is.

use std::path::PathBuf;

use clap::Args;

use super::treating::Treating;

/// How a table is read.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct Reading {
    /// The character between fields (`tab` for a tab) [default: detected].
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) delimiter: Option<String>,
    /// The encoding of a text file, such as windows-1252 or utf-16le [default: UTF-8, or what is found].
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) encoding: Option<String>,
    /// The sheet of a workbook, by name or number [default: the first that is not empty].
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) sheet: Option<String>,
    /// How many times its size a compressed file may unpack to [default: 1000, or 1 GiB].
    #[arg(long, value_name = "TIMES", help_heading = "Reading")]
    pub(crate) max_expansion: Option<u32>,
    /// Further fields that mean "no value", separated by commas, beside the empty field, blanks, NA, N/A,
    /// NaN, NULL, null and ?.
    #[arg(
        long,
        value_name = "TOKENS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) missing: Vec<String>,
    /// The only fields that mean "no value", separated by commas.
    #[arg(
        long,
        value_name = "TOKENS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) missing_only: Option<Vec<String>>,
    /// The decimal sign of numbers, `,` or `.` [default: found for each column from its values].
    #[arg(long, value_name = "SIGN", help_heading = "Reading")]
    pub(crate) decimal: Option<String>,
    /// How dates are written: d/m/y, m/d/y, d.m.y h:m:s, d-mon-y, ymd, ...; of one column: COLUMN=FORM
    /// [default: found out].
    #[arg(long, value_name = "[COLUMN=]FORM", help_heading = "Reading")]
    pub(crate) date_format: Vec<String>,
}

/// The models beyond k.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct Models {
    /// Enough different sensitive values in each class: [COLUMN=][distinct:|entropy:]L or
    /// [COLUMN=]recursive:C,L.
    #[arg(
        long,
        value_name = "L",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) l_diversity: Vec<String>,
    /// Classes distributed like the table: [COLUMN=][equal:|ordered:|hierarchical:]T.
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) t_closeness: Vec<String>,
    /// No sensitive value above this share of a class: [COLUMN=]ALPHA.
    #[arg(
        long,
        value_name = "ALPHA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) alpha: Vec<String>,
    /// No sensitive value much likelier in a class than in the table: [COLUMN=][basic:|enhanced:]BETA.
    #[arg(
        long,
        value_name = "BETA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) beta_likeness: Vec<String>,
    /// No sensitive value much likelier or unlikelier in a class: [COLUMN=]DELTA.
    #[arg(
        long,
        value_name = "DELTA",
        allow_negative_numbers = true,
        help_heading = "Privacy beyond k"
    )]
    pub(crate) delta_disclosure: Vec<String>,
}

/// A table, its columns, and what a good release of it is.
#[derive(Debug, Args)]
pub(crate) struct Question {
    /// The table: .csv (also .gz, .zst), .parquet, .xlsx, .xls, .ods, .sav, .dta, .xpt, or `-` for standard input.
    pub(crate) input: PathBuf,
    /// The quasi-identifiers: columns that others may know too. A name with a comma in it is put in double
    /// quotes ('age,"income, net"') or in an option of its own.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,
    #[command(flatten)]
    pub(crate) about: About,
}

/// What is said about a table beyond its name and its quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct About {
    /// Columns that name people: never released. Name all of them: see --other.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) identifying: Vec<String>,
    /// Columns that must not be learned about a person: released as they are, protected by the models
    /// below and by nothing else.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) sensitive: Vec<String>,
    /// Columns released unchanged on purpose, although they may single people out.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) plain: Vec<String>,
    /// The column that the release should predict well.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(crate) class: Option<String>,
    /// A hierarchy: COLUMN=FILE, in ARX's CSV form or TOML; or COLUMN=prefix, prefix:3,1, intervals:5,10,
    /// date:month,year, countries, icd10, ip, email.
    #[arg(long, value_name = "COLUMN=FILE", help_heading = "Columns")]
    pub(crate) hierarchy: Vec<String>,
    /// Put numbers into bins: COLUMN=WIDTH@START.
    #[arg(long, value_name = "COLUMN=5@16", help_heading = "Columns")]
    pub(crate) bins: Vec<String>,
    /// The order of text values: COLUMN=VALUE,VALUE,...
    #[arg(long, value_name = "COLUMN=V1,V2", help_heading = "Columns")]
    pub(crate) order: Vec<String>,
    /// How much a column counts: COLUMN=WEIGHT.
    #[arg(long, value_name = "COLUMN=4", help_heading = "Columns")]
    pub(crate) weight: Vec<String>,
    /// Read a column as number, date or text: COLUMN=TYPE.
    #[arg(long = "type", value_name = "COLUMN=TYPE", help_heading = "Columns")]
    pub(crate) types: Vec<String>,
    /// Release numbers as range, mean, median or columns (minimum and maximum), or groups as the node of
    /// the hierarchy above them: COLUMN=SUMMARY.
    #[arg(long, value_name = "COLUMN=SUMMARY", help_heading = "Columns")]
    pub(crate) summary: Vec<String>,
    /// Boundaries to keep, each named by the first value beyond it; for methods such as optimal.
    #[arg(long, value_name = "COLUMN=18,65", help_heading = "Columns")]
    pub(crate) cut_at: Vec<String>,
    /// Boundaries that must not be made.
    #[arg(long, value_name = "COLUMN=30", help_heading = "Columns")]
    pub(crate) never_cut_at: Vec<String>,
    /// The lowest hierarchy level to release a column at; for methods such as lattice.
    #[arg(long, value_name = "COLUMN=1", help_heading = "Columns")]
    pub(crate) min_level: Vec<String>,
    /// The highest hierarchy level to release a column at.
    #[arg(long, value_name = "COLUMN=3", help_heading = "Columns")]
    pub(crate) max_level: Vec<String>,
    /// How well columns identify people, for mu-argus: COLUMN=most, more or identifying.
    #[arg(long, value_name = "COLUMN=most", value_delimiter = ',', help_heading = "Columns")]
    pub(crate) argus: Vec<String>,
    /// Columns named by no option: plain (released as they are, or refused where they single people out),
    /// drop, or error.
    #[arg(long, value_name = "CHOICE", default_value = "plain", help_heading = "Columns")]
    pub(crate) other: String,

    /// The cost to report, and to minimize where the method can: dm, cm, ncp, loss, geometric-loss,
    /// precision, entropy, average-class-size or blanks.
    #[arg(long, default_value = "ncp", help_heading = "Goal")]
    pub(crate) metric: String,
    /// How many threads to use [default: one per core]. The release does not depend on it.
    #[arg(long, value_name = "N", help_heading = "Goal")]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) models: Models,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) treating: Treating,
}
