//! The options of `evaluate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{GateArgs, OutputArgs, SpecArgs, TableReadArgs, class_size};

#[derive(Debug, Subcommand)]
pub(crate) enum EvaluateCommand {
    /// Every metric of information loss, class sizes, and what is kept of each column, from the files alone.
    Metrics(Box<MetricsArgs>),
    /// What analysts find before and after: means, quantiles, regressions, associations, k-marginals, pMSE, and
    /// the loss by subgroup.
    Statistics(Box<StatisticsArgs>),
    /// All of it: the metrics, the error of random questions, what analysts find, and, where a class column is
    /// named, the error of decision trees.
    All(Box<StatisticsArgs>),
    /// Random questions of the form "how many rows have an age from 30 to 40 and ...": how far the answers
    /// from the release are from the true ones.
    Queries(Box<QueriesArgs>),
    /// A decision tree that predicts a column from the released ones: how often it is wrong, beside a tree
    /// on the original and beside always saying what is most frequent.
    Classification(Box<ClassificationArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Trees are cross-validated: the rows are dealt into folds at random, each class evenly, and each fold is
predicted by a tree grown from the others. Numbers and ranges are taken by their ends, other labels as
categories, `*` as a value of its own. Rows that the release lacks cannot be predicted from it: its own error
is over the rows it has, and one over all rows takes the others as its most frequent class.

Cross-validation inside a release is optimistic: rows of one class are in all folds. --test names rows that were
kept out of the release; each is placed into the released rows that hold its values, and predicted as these are.

Examples:
  incrowd evaluate classification release.csv --original patients.csv --quasi age,sex,zip --class outcome
  incrowd evaluate classification release.csv --original train.csv --test test.csv --quasi age,sex,zip \\
      --class outcome --hierarchy zip=prefix")]
pub(crate) struct ClassificationArgs {
    /// The release.
    pub(crate) release: PathBuf,
    /// The table that it was made of.
    #[arg(long, value_name = "FILE")]
    pub(crate) original: Option<PathBuf>,
    /// The original's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", requires = "original")]
    pub(crate) original_delimiter: Option<String>,
    /// Untouched rows, which are in neither: trees of all rows of the release, and of the original, are judged on
    /// them, which is how well the release serves those who use it.
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
    /// A hierarchy, to place test rows by its labels: COLUMN=FILE, or a word such as prefix or countries.
    #[arg(long, value_name = "COLUMN=FILE", requires = "test")]
    pub(crate) hierarchy: Vec<String>,
    /// The columns to predict from.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,
    /// The column to predict.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) class: String,
    /// Into how many parts the rows are dealt.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) folds: u32,
    /// What the dealing comes from: the same seed gives the same folds.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The fewest rows in a leaf of a tree.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) least_leaf: u32,
    /// The deepest leaf of a tree.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) depth: u32,
    /// How many threads to use [default: one per core]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A reader of the release takes all values inside a released range, set or group to be equally likely. The
error of a question is |estimate - truth| / truth; questions about no rows at all are passed over.

Example:
  incrowd evaluate queries release.csv --original patients.csv --quasi age,sex,zip \\
      --dimensions 2 --selectivity 5% --hierarchy zip=zip.csv")]
pub(crate) struct QueriesArgs {
    /// The release.
    pub(crate) release: PathBuf,
    /// The table that it was made of.
    #[arg(long, value_name = "FILE")]
    pub(crate) original: PathBuf,
    /// The original's delimiter [default: detected].
    #[arg(long, value_name = "CHAR")]
    pub(crate) original_delimiter: Option<String>,
    /// The quasi-identifiers.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,
    /// A hierarchy, to read its labels: COLUMN=FILE.
    #[arg(long, value_name = "COLUMN=FILE")]
    pub(crate) hierarchy: Vec<String>,
    /// How many questions to ask.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) queries: u32,
    /// How many columns each question is about.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) dimensions: u32,
    /// The share of the combinations of those columns' values that a question asks for.
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    pub(crate) selectivity: String,
    /// Ask about these columns only [default: all quasi-identifiers].
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) columns: Vec<String>,
    /// What the questions are drawn from: the same seed asks the same.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
All values that a label holds are taken to be equally likely; a blank is read as the column's other labels are
distributed. Values that fewer than k rows have are not told apart.

Examples:
  incrowd evaluate statistics release.csv --original patients.csv --quasi age,sex,zip --class outcome
  incrowd evaluate all release.csv --original patients.csv --quasi age,sex,zip --class outcome \\
      --outcomes age --subgroups sex --report evaluation.html")]
pub(crate) struct StatisticsArgs {
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    /// What regressions predict from all other columns: numbers, or a column of two values [default: the class column
    /// and all numbers].
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) outcomes: Vec<String>,
    /// Columns by whose values the loss is told [default: those of at most 20 values].
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) subgroups: Vec<String>,
    /// Row by row the release is the original, as other tools write it: distances are then exact.
    #[arg(long)]
    pub(crate) same_order: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Give the same options about columns (--hierarchy, --bins, --weight, ...) as when the release was made: the
metrics depend on them. No metric needs to know which released row was which person, so the order of rows does
not matter. The release may be of any tool that writes the known kinds of labels; whether it is a release of
this original is for `incrowd verify --original` to say.

Examples:
  incrowd evaluate metrics release.csv --original patients.csv --quasi age,sex,zip
  incrowd evaluate all release.csv --original patients.csv --quasi age,sex,zip --class outcome \\
      --report evaluation.html")]
pub(crate) struct MetricsArgs {
    /// The release.
    pub(crate) release: PathBuf,
    /// The table that it was made of.
    #[arg(long, value_name = "FILE")]
    pub(crate) original: PathBuf,
    /// The release's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) release_delimiter: Option<String>,
    /// The quasi-identifiers.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,
    /// The k that the average class size is divided by [default: the size of the smallest class].
    #[arg(short, value_name = "K", value_parser = class_size, allow_negative_numbers = true)]
    pub(crate) k: Option<u64>,
    /// Take rows that are blank in every quasi-identifier as suppressed ones that were kept, not as a class.
    #[arg(long)]
    pub(crate) blank_suppressed: bool,
    /// Write a page about the release here: one HTML file with charts.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) about: SpecArgs,
    /// End with code 1 if the release loses more of the detail than this: the global certainty penalty.
    #[arg(long, value_name = "SHARE", help_heading = "Pipelines")]
    pub(crate) max_loss: Option<String>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}
