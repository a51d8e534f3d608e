//! The options of the benchmarks.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The experiments of the papers on k-anonymization, to be run again by anybody.
#[derive(Debug, Parser)]
#[command(version, name = "incrowd-bench", arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done; 2 bad input; 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) bench: ExperimentCommand,
}

/// Reads k.
fn class_size(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(k) if k > 0 => Ok(k),
        _ => Err("k is a whole number of at least 1, such as 5".to_owned()),
    }
}

/// What a benchmark prints.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object instead of text.
    #[arg(long, help_heading = "Printing")]
    pub(crate) json: bool,
    /// No progress bars.
    #[arg(long, short, help_heading = "Printing")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// The experiments of Bayardo and Agrawal (2005) on the Adult data, proven with the method optimal.
    ///
    /// Results are written row by row; a run that was ended goes on where it stopped.
    Paper(PaperArgs),
    /// The incomplete searches on the Adult data: how far from the least cost climb, anneal and genetic are
    /// after so many CPU seconds.
    ///
    /// Results are written row by row; a run that was ended goes on where it stopped.
    Search(SearchArgs),
    /// Methods of multidimensional and local recoding side by side: penalty, discernibility, query error
    /// and time over k, on the Adult data or on made-up people.
    ///
    /// Results are written row by row; a run that was ended goes on where it stopped.
    Local(LocalArgs),
    /// What freer recoding saves: discernibility over k of full-domain, single-dimensional and
    /// multidimensional recoding, the comparison of LeFevre et al. (2006) on the Adult data.
    ///
    /// Results are written row by row; a run that was ended goes on where it stopped.
    Recodings(RecodingsArgs),
    /// The experiments of Iyengar (2002) and Winkler (2002) on the Adult data: releases made for
    /// classification, and the error of decision trees on them over k.
    ///
    /// Results are written row by row; a run that was ended goes on where it stopped.
    Classification(ClassificationArgs),
    /// Draws the results of `incrowd-bench paper`, `incrowd-bench local` and `incrowd-bench recodings` as figures.
    Figures(FiguresArgs),
}

/// How the ages of the Adult data are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgeCoding {
    /// In bins of 5 years, one of which starts at 16.
    Coarse,
    /// Year by year.
    Fine,
}

/// The metrics of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaperMetric {
    /// Discernibility.
    Dm,
    /// Classification.
    Cm,
}

/// The files of the Adult data, and with how many threads they are worked on.
#[derive(Debug, Args)]
pub(crate) struct AdultFiles {
    /// The Adult data: the 30,162 rows of UCI's adult.data without missing values, as CSV with the
    /// delimiter `;` and the columns sex, age, race, marital-status, education, native-country,
    /// workclass, occupation and salary-class. UCI offers it at
    /// <https://archive.ics.uci.edu/dataset/2/adult>, ARX in this very form.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// The folder of adult_hierarchy_COLUMN.csv for every quasi-identifier but age; they give the
    /// values their order [default: the data's folder].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// The file for the results. What it holds already is skipped.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
}

impl AdultFiles {
    /// The file of a column's hierarchy.
    pub(crate) fn hierarchy(&self, column: &str) -> PathBuf {
        let folder = self.hierarchies.as_deref().or(self.data.parent()).unwrap_or(Path::new("."));
        folder.join(format!("adult_hierarchy_{column}.csv"))
    }
}

/// The Adult data, and what is asked of it.
#[derive(Debug, Args)]
pub(crate) struct AdultArgs {
    #[command(flatten)]
    pub(crate) files: AdultFiles,
    /// How ages are taken.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "coarse,fine")]
    pub(crate) coding: Vec<AgeCoding>,
    /// What is minimized.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "dm,cm")]
    pub(crate) metric: Vec<PaperMetric>,
}

#[derive(Debug, Args)]
pub(crate) struct PaperArgs {
    #[command(flatten)]
    pub(crate) adult: AdultArgs,
    /// The least sizes of a class.
    #[arg(
        short,
        long = "k",
        value_name = "KS",
        value_delimiter = ',',
        default_value = "1000,500,250,100,50,25,10,5",
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// Most rows that may be suppressed.
    #[arg(long, value_name = "LIMITS", value_delimiter = ',', default_value = "0,100,all")]
    pub(crate) limits: Vec<String>,
    /// Stop each search after this long.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: String,
    /// Run each search that is done in ten seconds so many times, and write down the shortest: whatever else
    /// the machine does only adds to a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) runs: u32,
    /// Run every search that may suppress rows once more, seeded: without suppression first, then with
    /// what that found. Its time is that of both. All others start from nothing.
    #[arg(long)]
    pub(crate) seeded: bool,
    /// Also run the paper's own algorithm, k-optimize, on every instance that was proven.
    #[arg(long)]
    pub(crate) baseline: bool,
    /// Stop the baseline after this long.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) baseline_time_limit: String,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd-bench search --data adult.csv --optima paper.csv -o search.csv")]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) adult: AdultArgs,
    /// Least costs that are known, to compare with: the results of `incrowd-bench paper`, or any CSV with the
    /// columns coding, metric, limit, k and cost. Without it, and for what it lacks, the least cost in the
    /// results themselves is taken.
    #[arg(long, value_name = "FILE")]
    pub(crate) optima: Option<PathBuf>,
    /// The least sizes of a class.
    #[arg(
        short,
        long = "k",
        value_name = "KS",
        value_delimiter = ',',
        default_value = "250,100,50,25,10,5",
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// Most rows that may be suppressed.
    #[arg(long, value_name = "LIMIT", default_value = "all")]
    pub(crate) max_suppressed: String,
    /// The methods, each with options behind colons. They must have the option `steps`, which is off here.
    #[arg(
        long,
        short,
        value_name = "METHODS",
        value_delimiter = ',',
        default_value = "climb,anneal:groups=intervals,genetic"
    )]
    pub(crate) methods: Vec<String>,
    /// The CPU seconds after which the cost is noted; a search ends with the last of them.
    #[arg(
        long,
        value_name = "SECONDS",
        value_delimiter = ',',
        default_value = "1,5,30",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) at: Vec<u32>,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd-bench classification --data adult.csv -m climb -o classification.csv")]
pub(crate) struct ClassificationArgs {
    #[command(flatten)]
    pub(crate) files: AdultFiles,
    /// The least sizes of a class.
    #[arg(
        short,
        long = "k",
        value_name = "KS",
        value_delimiter = ',',
        default_value = "10,25,50,100,250,500",
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// The methods, each with options behind colons.
    #[arg(long, short, value_name = "METHODS", value_delimiter = ',', default_value = "climb")]
    pub(crate) methods: Vec<String>,
    /// Print the recoding of this k in words.
    #[arg(long, value_name = "K", default_value_t = 250)]
    pub(crate) words: u64,
    /// How ages are taken.
    #[arg(long, value_enum, default_value = "fine")]
    pub(crate) coding: AgeCoding,
    /// Most rows that may be suppressed: a number, a percentage, or all.
    #[arg(long, value_name = "LIMIT", default_value = "all")]
    pub(crate) max_suppressed: String,
    /// Into how many folds the rows are dealt.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) folds: u32,
    /// What the dealing comes from.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Stop each search after this long.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub(crate) time_limit: String,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  incrowd-bench local --data adult.csv --delimiter ';' -o local.csv
  incrowd-bench local --data adult.csv -k 10 --age-weight 1,4 -o weights.csv
  incrowd-bench local --rows 250000,500000,1000000 -k 5 -m mondrian,mondrian:cut=penalty -o growth.csv")]
#[group(id = "tables", required = true, multiple = false, args = ["data", "rows"])]
pub(crate) struct LocalArgs {
    /// The Adult data as CSV, or any table with the same columns.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// Made-up people instead, so many (seed 1); several numbers for several tables.
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    pub(crate) rows: Vec<u64>,
    /// The data's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", requires = "data")]
    pub(crate) delimiter: Option<String>,
    /// The folder of adult_hierarchy_COLUMN.csv, to use hierarchies [default: none are used].
    #[arg(long, value_name = "FOLDER", requires = "data")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// The file for the results. Measurements that it holds already are not made again.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The least sizes of a class.
    #[arg(
        short,
        long = "k",
        value_name = "KS",
        value_delimiter = ',',
        default_value = "2,5,10,25,50,100",
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// The methods, each with options behind colons.
    #[arg(
        long,
        short,
        value_name = "METHODS",
        value_delimiter = ',',
        default_value = "mondrian,mondrian:cut=penalty,cluster-up,cluster-down"
    )]
    pub(crate) methods: Vec<String>,
    /// The weights of age to try; penalties are always reported unweighted. Questions about a tenth of the
    /// ages are asked besides the others.
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', default_value = "1")]
    pub(crate) age_weight: Vec<f64>,
    /// How many questions are asked of each release; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) queries: u32,
    /// How many columns each question is about.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) dimensions: u32,
    /// The share of the combinations of their values that it asks for.
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    pub(crate) selectivity: String,
    /// Stop each search after this long.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: String,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd-bench recodings --data adult.csv -o recodings.csv")]
pub(crate) struct RecodingsArgs {
    #[command(flatten)]
    pub(crate) files: AdultFiles,
    /// The least sizes of a class.
    #[arg(
        short,
        long = "k",
        value_name = "KS",
        value_delimiter = ',',
        default_value = "1000,500,250,100,50,25,10,5,2",
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// The methods, each with options behind colons.
    #[arg(
        long,
        short,
        value_name = "METHODS",
        value_delimiter = ',',
        default_value = "incognito,optimal,mondrian:along=order"
    )]
    pub(crate) methods: Vec<String>,
    /// Stop each search after this long.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: String,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd-bench figures paper.csv local.csv recodings.csv -o figures")]
pub(crate) struct FiguresArgs {
    /// Results of `incrowd-bench paper`, `incrowd-bench local` or `incrowd-bench recodings`, told apart by their columns.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// The folder for the figures, SVG files; it is made if it does not exist.
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}
