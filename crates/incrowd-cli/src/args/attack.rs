//! The arguments of `attack`.

use std::path::PathBuf;

use clap::Args;

use super::{FileReadArgs, GateArgs, OutputArgs};

/// Try to find people in a release of any tool.
///
/// People of the original are attacked one by one, with the release and what is known of them: is there exactly one row
/// that fits (singling out), do two halves of what is known lead to the same row (linkability), what is a column of
/// theirs (inference)? The same is tried on a control group that is not in the data; what goes beyond it is the risk.
#[derive(Debug, Args)]
#[command(after_help = "\
Control: rows of people who did not go into the release, with the columns of the original; keep some aside before the
release is made. Without it the release is rebuilt from the original without the attacked person's own row.

Examples:
  incrowd attack release.csv --original patients.csv --known age,sex,zip --secret diagnosis
  incrowd attack synthetic.csv --original train.csv --control holdout.csv --report attack.html
  incrowd attack release.csv --refine finer.csv --original patients.csv

An attack that finds nothing proves nothing; `incrowd verify` proves what it says.")]
pub(crate) struct AttackArgs {
    /// The release: .csv (also .gz, .zst), .parquet, .xlsx, .xls, .ods, .sav, .dta, .xpt, or `-` for standard input.
    pub(crate) release: PathBuf,
    /// The table that it was made of.
    #[arg(long, value_name = "FILE", required_unless_present = "refine")]
    pub(crate) original: Option<PathBuf>,
    /// Write the finer table here that labels imply which are as narrow as can be: CSV. With --original it is scored.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["control", "secret", "max_risk", "report", "junit", "sarif"])]
    pub(crate) refine: Option<PathBuf>,
    /// People who did not go into the release, with the columns of the original.
    #[arg(long, value_name = "FILE")]
    pub(crate) control: Option<PathBuf>,
    /// The columns that an attacker knows [default: what others probably know, as `inspect` tells].
    #[arg(long, visible_alias = "quasi", value_name = "COLUMNS")]
    pub(crate) known: Vec<String>,
    /// The columns that an attacker wants to know [default: each in turn, by all others that are known].
    #[arg(long, visible_alias = "sensitive", value_name = "COLUMNS")]
    pub(crate) secret: Vec<String>,
    /// How many people are attacked at most.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) attempts: u64,
    /// In which share of cases all intervals hold together.
    #[arg(long, value_name = "SHARE", default_value = "99%")]
    pub(crate) confidence: String,
    /// End with code 1 if the risk of any attack is above this, such as 5%.
    #[arg(long, value_name = "SHARE")]
    pub(crate) max_risk: Option<String>,
    /// What the guesses come from: the same seed makes the same.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// A hierarchy, to read its labels: COLUMN=FILE.
    #[arg(long, value_name = "COLUMN=FILE")]
    pub(crate) hierarchy: Vec<String>,
    /// Write a page here: one HTML file.
    #[arg(long, visible_alias = "page", value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The original's and the control's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) original_delimiter: Option<String>,
    /// How many threads to use [default: one per core]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) reading: FileReadArgs,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}
