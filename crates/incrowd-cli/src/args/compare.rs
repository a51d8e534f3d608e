//! The options of `compare`.

use std::path::PathBuf;

use clap::Args;

use super::{OutputArgs, SpecArgs, class_size};

#[derive(Debug, Args)]
#[command(after_help = "\
Every release is made, read by the independent verifier and priced by the same metric; none is written.
A method that cannot do what is asked is told with its reason and does not end the comparison.

What was found is kept in a cache, by the content of the data and everything else that it depends on: a
second run, or one with one more method, searches only for what is new. Ctrl-C ends a comparison with what is
done; the next one goes on from there. The cache is the folder incrowd/compare in $XDG_CACHE_HOME or
~/.cache; it holds costs and counts, no values of the table.

Examples:
  incrowd compare --demo --metric dm --report compare.html
  incrowd compare patients.csv --quasi age,sex,zip -k 5,10,20 --methods optimal,mondrian,cluster-down
  incrowd compare patients.toml --methods all --time-limit 10s --csv compare.csv --svg compare.svg")]
pub(crate) struct CompareArgs {
    /// The table, or a spec file (.toml), of which the methods and k are taken from here.
    #[arg(required_unless_present = "demo")]
    pub(crate) input: Option<PathBuf>,
    /// Compare on made-up people instead, with hierarchies.
    #[arg(long, conflicts_with = "input")]
    pub(crate) demo: bool,
    /// How many people to make up.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30_000,
        requires = "demo",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    pub(crate) demo_rows: u64,
    /// The quasi-identifiers: columns that others may know too.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) quasi: Vec<String>,
    /// The least sizes of a class, separated by commas [default: 2,5,10,25,50,100].
    #[arg(
        short,
        value_name = "KS",
        value_delimiter = ',',
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// The methods, separated by commas, each with options if need be (mondrian:mode=relaxed), or all
    /// [default: optimal, climb, top-down, lattice, datafly, mondrian, cluster-down, best-local].
    #[arg(long, short, value_name = "METHODS", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Write a page about the comparison here: one HTML file with charts and the table.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write the chart of cost over k here, as an SVG file of its own.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write the results here as CSV, a line for each method and k (`-` for standard output).
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Keep results in this folder [default: incrowd/compare in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_cache")]
    pub(crate) cache: Option<PathBuf>,
    /// Search for everything anew, and keep nothing.
    #[arg(long)]
    pub(crate) no_cache: bool,

    /// Most rows that may be suppressed: a number, a percentage, or all [default: each method's own].
    #[arg(long, value_name = "LIMIT", help_heading = "Goal")]
    pub(crate) max_suppressed: Option<String>,
    /// Stop each search after this long: 500ms, 60s, 5m, 1h, or none for no limit
    /// [default: the spec's, or 60s].
    #[arg(long, value_name = "TIME", help_heading = "Goal")]
    pub(crate) time_limit: Option<String>,
    #[command(flatten)]
    pub(crate) about: SpecArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}
