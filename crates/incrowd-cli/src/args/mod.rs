//! The command line as typed.

mod attack;
mod compare;
mod evaluate;
mod forms;
pub(crate) mod help;
mod hierarchy;
mod options;
mod risk;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod sql;
mod structure;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use attack::AttackArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use evaluate::{
    ClassificationArgs, EvaluateCommand, MetricsArgs, QueriesArgs, StatisticsArgs,
};
pub(crate) use forms::{FormArgs, FormsCommand, GoalArgs, RecordArgs};
pub(crate) use hierarchy::{HierarchyBuildArgs, HierarchyCheckArgs, HierarchyCommand};
pub(crate) use options::{
    FileReadArgs, FinishingArgs, InDatabaseArgs, Keywords, ModelArgs, OptionArgs, OptionSet,
    ReleaseArgs, SpecArgs, TableReadArgs, TransformArgs,
};
pub(crate) use risk::RiskArgs;
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;
pub(crate) use shell::{CompletionsArgs, ManualArgs};
pub(crate) use sql::SqlArgs;
pub(crate) use structure::StructureArgs;

/// k-anonymization: hide everybody in a crowd of at least k, losing as little as possible.
///
/// Every release is read back and checked by an independent verifier before it appears under its name.
#[derive(Debug, Parser)]
#[command(version, name = "incrowd", arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "\
Start here:
  incrowd demo                                  see the whole way on made-up data
  incrowd inspect patients.csv                  what is in a table, and who stands out
  incrowd anonymize patients.csv -k 5 --quasi age,sex,zip --identifying name -o release.csv

Exit codes: 0 done; 1 a requirement is not met; 2 bad input; 75 try again later; 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print values of people in messages, too: logs are shared.
    #[arg(long, global = true)]
    pub(crate) show_values: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The main job on embedded synthetic census data.
    Demo(DemoArgs),
    /// Columns, types, missing values, who stands out, likely roles.
    Inspect(InspectArgs),
    /// Write a commented spec file for a table, to edit and run.
    Init(InitArgs),
    /// Anonymize a table, without a spec file.
    Anonymize(Box<AnonymizeArgs>),
    /// Anonymize as a spec file says.
    Run(RunArgs),
    /// The least cost for a list of k and of limits, proven, in one go.
    Frontier(Box<FrontierArgs>),
    /// Many methods, many k: what each release costs, in one table and one page.
    Compare(Box<CompareArgs>),
    /// The methods there are, or one of them with its options.
    Methods(MethodsArgs),
    /// The checks that every release must pass.
    Checks(ChecksArgs),
    /// Check a release, from the release alone or against its original.
    Verify(Box<VerifyArgs>),
    /// Check the proof of a bound that `--certificate` wrote, by code that the search does not share.
    Check(CheckArgs),
    /// Who could be found in a table or a release, and what gives them away.
    Risk(Box<RiskArgs>),
    /// Try to find people in a release of any tool: singling out, linkability, inference.
    Attack(Box<AttackArgs>),
    /// Which k and which models suit a purpose, and what guidance says.
    Goal(GoalArgs),
    /// What approvers file: checklists, report sections, descriptions.
    #[command(subcommand)]
    Forms(Box<FormsCommand>),
    /// Put a release on record: hashes, verdict, who approved it.
    Record(Box<RecordArgs>),
    /// Measure how useful a release is.
    #[command(subcommand)]
    Evaluate(EvaluateCommand),
    /// Apply a saved recoding to new rows, and check the result again.
    Apply(ApplyArgs),
    /// The whole way in a browser, on this machine only.
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// A saved recoding as SQL, for tables that stay where they are.
    Sql(SqlArgs),
    /// Build and check generalization hierarchies.
    #[command(subcommand)]
    Hierarchy(HierarchyCommand),
    /// Draw traces of searches, as `--trace` writes them, as one SVG chart: cost and bound over time.
    Plot(PlotArgs),
    /// Balanced structures: tables with blanks spread evenly, searched exhaustively.
    Structure(Box<StructureArgs>),
    /// Completions of commands and options, for a shell to read.
    Completions(CompletionsArgs),
    /// The manual page, for `man` to read.
    Manual(ManualArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// The method to explain.
    pub(crate) name: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ChecksArgs {
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the page of the documentation.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Reads k.
fn class_size(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(k) if k > 0 => Ok(k),
        _ => Err("k is a whole number of at least 1, such as 5".to_owned()),
    }
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

/// What a run prints.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object instead of text.
    #[arg(long, help_heading = "Printing")]
    pub(crate) json: bool,
    /// No progress bars.
    #[arg(long, short, help_heading = "Printing")]
    pub(crate) quiet: bool,
}

/// Checks as files that build servers and code review read. They name no value of anybody.
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// Write every check as a test case here: JUnit XML.
    #[arg(long, value_name = "FILE", help_heading = "Pipelines")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the checks that fail here: SARIF 2.1.0.
    #[arg(long, value_name = "FILE", help_heading = "Pipelines")]
    pub(crate) sarif: Option<PathBuf>,
}

/// How a run is printed.
#[derive(Debug, Args)]
pub(crate) struct RunOutputArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print all details: metrics, bounds, the choice of the method, every column and every warning.
    #[arg(long, short, help_heading = "Printing")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// How many people to make up.
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) rows: u64,
    /// The seed they are made from.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Two more columns about each of them: hours of work in a week, children at home.
    #[arg(long)]
    pub(crate) wide: bool,
    /// The least size of a class.
    #[arg(short, default_value_t = 5, value_parser = class_size, allow_negative_numbers = true)]
    pub(crate) k: u64,
    /// The method: auto chooses; `incrowd methods` lists the others.
    #[arg(long, short, default_value = "auto")]
    pub(crate) method: String,
    /// Write the release here as well.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report about the release here: one HTML file, safe to share where the release is.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "incrowd-demo.html",
        conflicts_with = "write"
    )]
    pub(crate) report: PathBuf,
    /// Write no report.
    #[arg(long, conflicts_with_all = ["report", "write"])]
    pub(crate) no_report: bool,
    /// Write down how the search went, as CSV: seconds, CPU seconds, nodes or steps, cost and bound, a row
    /// for each that is better.
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) trace: Option<PathBuf>,
    /// Only write the made-up table to this file (`-` for standard output), to try other commands on.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "method"])]
    pub(crate) write: Option<PathBuf>,
    /// With --write: also write the hierarchies of its columns into this folder.
    #[arg(long, value_name = "FOLDER", requires = "write")]
    pub(crate) hierarchies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) printing: RunOutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The table: .csv (also .gz, .zst), .parquet, .xlsx, .xls, .ods, .sav, .dta, .xpt, or `-` for standard input; or
    /// postgres://host/database with --table.
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) counting: InDatabaseArgs,
    #[command(flatten)]
    pub(crate) treating: TransformArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The table.
    pub(crate) input: PathBuf,
    /// The spec file to write, `-` for standard output [default: the table's name with .toml].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  incrowd anonymize patients.csv -k 5 --quasi age,sex,zip --identifying name -o release.csv
A model of one column: --l-diversity diagnosis=3. A name with a comma: --quasi 'age,\"income, net\"'.")]
pub(crate) struct AnonymizeArgs {
    #[command(flatten)]
    pub(crate) question: ProblemArgs,
    #[command(flatten)]
    pub(crate) least: ClassSizeArgs,
    #[command(flatten)]
    pub(crate) release: ReleaseArgs,
    /// How the search went, as CSV: time, cost and bound.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Print the equivalent spec file and stop.
    #[arg(long, help_heading = "Printing")]
    pub(crate) show_spec: bool,
    #[command(flatten)]
    pub(crate) printing: RunOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The table is read once. Every answer helps the next: what is found for one k or limit is where the
search for the next begins, and answers that follow from others are marked as derived.

Example:
  incrowd frontier patients.csv -k 100,50,20,10,5 --max-suppressed 0,1%,all --quasi age,sex,zip \\
      --metric dm --time-limit 60s -o frontier.csv")]
pub(crate) struct FrontierArgs {
    #[command(flatten)]
    pub(crate) question: ProblemArgs,
    /// The least sizes of a class, separated by commas.
    #[arg(
        short,
        value_name = "KS",
        value_delimiter = ',',
        required = true,
        value_parser = class_size,
        allow_negative_numbers = true
    )]
    pub(crate) k: Vec<u64>,
    /// Most rows that may be suppressed: numbers, percentages or all, separated by commas.
    #[arg(
        long,
        value_name = "LIMITS",
        value_delimiter = ',',
        default_value = "all",
        help_heading = "Goal"
    )]
    pub(crate) max_suppressed: Vec<String>,
    /// The kinds of release, side by side: local, global, levels, cells, mixed, separated by commas.
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "global",
        value_parser = incrowd_engine::auto::ReleaseKind::NAMES,
        help_heading = "Goal"
    )]
    pub(crate) kinds: Vec<String>,
    /// Prove more of local releases, which takes minutes for each.
    #[arg(long, help_heading = "Goal")]
    pub(crate) prove: bool,
    /// Stop each search after this long: 500ms, 60s, 5m, 1h.
    #[arg(long, value_name = "TIME", help_heading = "Goal")]
    pub(crate) time_limit: Option<String>,
    /// End each search when the cost is proven to be within this share of the least, such as 1%.
    #[arg(long, value_name = "SHARE", help_heading = "Goal")]
    pub(crate) gap: Option<String>,
    #[arg(
        long,
        value_name = "NAME=VALUE",
        help_heading = "Goal",
        help = "An option of the method optimal: see `incrowd methods optimal`"
    )]
    pub(crate) option: Vec<String>,
    /// Write the answers here as CSV, `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The spec file.
    pub(crate) spec: PathBuf,
    /// Write the release here instead of where the spec says.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the report here [default: where the spec says, or beside the release: release.report.html].
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write no report.
    #[arg(long, conflicts_with = "report")]
    pub(crate) no_report: bool,
    /// Columns that are quasi-identifiers, whatever the spec says of them.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) quasi: Vec<String>,
    /// Columns that name people, whatever the spec says of them: never released.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) identifying: Vec<String>,
    /// Columns that are sensitive, whatever the spec says of them.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) sensitive: Vec<String>,
    /// Columns released unchanged on purpose, whatever the spec says of them.
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub(crate) plain: Vec<String>,
    /// Columns released although they look as if they named people.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub(crate) accept: Vec<String>,
    /// Columns that the spec does not name: drop, guess, plain or error, whatever the spec says.
    #[arg(long, value_name = "CHOICE", help_heading = "Columns")]
    pub(crate) other: Option<String>,
    /// The column that tells people apart, whatever the spec says of it; row: every row is somebody of their own.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(crate) unit: Option<String>,
    #[command(flatten)]
    pub(crate) beyond: FinishingArgs,
    /// The whole population, instead of the one that the spec names: see `anonymize --population`.
    #[arg(long, value_name = "FILE")]
    pub(crate) population: Option<PathBuf>,
    /// The key that rows are shuffled by, made if it is not there: with it the same release can be made again, and its order
    /// undone.
    #[arg(long, value_name = "FILE")]
    pub(crate) seed_file: Option<PathBuf>,
    /// Write down how the search went, as CSV: seconds, CPU seconds, nodes or steps, cost and bound, a row
    /// for each that is better.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) printing: RunOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd plot climb.csv optimal.csv -o search.svg")]
pub(crate) struct PlotArgs {
    /// The traces; each is called by its file's name.
    #[arg(required = true, value_name = "TRACES")]
    pub(crate) traces: Vec<PathBuf>,
    /// The chart (`-` for standard output).
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Seconds of wall time instead of CPU time.
    #[arg(long)]
    pub(crate) wall: bool,
    /// What stands above it.
    #[arg(long, default_value = "Cost over time")]
    pub(crate) title: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The table that the certificate is about: a CSV file.
    pub(crate) table: PathBuf,
    /// The certificate.
    pub(crate) certificate: PathBuf,
    /// A release of the table: what it costs is compared with what is confirmed.
    pub(crate) release: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The release.
    pub(crate) release: PathBuf,
    /// The quasi-identifiers.
    #[arg(long, value_name = "COLUMNS", required = true)]
    pub(crate) quasi: Vec<String>,
    #[command(flatten)]
    pub(crate) least: ClassSizeArgs,
    /// The original table: also check that every value is truthful and no row invented.
    #[arg(long, value_name = "FILE")]
    pub(crate) original: Option<PathBuf>,
    /// The original's delimiter [default: detected].
    #[arg(long, value_name = "CHAR", requires = "original")]
    pub(crate) original_delimiter: Option<String>,
    /// The population, for delta-presence and who is unique there.
    #[arg(long, value_name = "FILE", conflicts_with = "k-map")]
    pub(crate) population: Option<PathBuf>,
    /// The released column that tells people apart who have several rows: k and models count them.
    #[arg(long, visible_alias = "person", value_name = "COLUMN")]
    pub(crate) unit: Option<String>,
    /// Unchanged columns that others may know, too: classes are narrowed by them. With --original, columns that follow from
    /// quasi-identifiers are found.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) known: Vec<String>,
    /// The released column that tells which rows belong together, such as a pseudonym: k counts whole collections of rows.
    #[arg(long, value_name = "COLUMN", conflicts_with = "linked")]
    pub(crate) links: Option<String>,
    /// Read `*` as matching anything (weaker) instead of as a value.
    #[arg(long)]
    pub(crate) wildcards: bool,
    /// Sensitive columns.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) sensitive: Vec<String>,
    /// Columns that must not be in the release.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) identifying: Vec<String>,
    /// A hierarchy, to read its labels: COLUMN=FILE.
    #[arg(long, value_name = "COLUMN=FILE")]
    pub(crate) hierarchy: Vec<String>,
    /// The order of a column's values, for ordered t-closeness and to read `{a, ..., b}`: COLUMN=VALUE,VALUE,...
    /// [default: numbers by value, text by the alphabet].
    #[arg(long, value_name = "COLUMN=V1,V2")]
    pub(crate) order: Vec<String>,
    /// Columns not to compare with the original, such as means.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) unchecked: Vec<String>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) reading: TableReadArgs,
    #[command(flatten)]
    pub(crate) counting: InDatabaseArgs,
    /// A record of releases that this one must be on: see `incrowd record`.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) beyond: FinishingArgs,
    #[command(flatten)]
    pub(crate) treating: TransformArgs,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) printing: OutputArgs,
}

/// What becomes of rows with values that a recoding has not seen.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnseenRows {
    /// Stop with an error.
    Refuse,
    /// Suppress them.
    Suppress,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The recoding, as saved by `anonymize --recoding`.
    pub(crate) recoding: PathBuf,
    /// The new rows: a file, or postgres://HOST/DATABASE.
    pub(crate) input: PathBuf,
    /// Where the release goes. Without it nothing is written: a dry run.
    #[arg(long, short, value_name = "FILE", conflicts_with = "into")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) database: ApplyDatabaseArgs,
    /// Rows with values that the recoding has not seen.
    #[arg(long, value_enum, default_value = "refuse")]
    pub(crate) unseen: UnseenRows,
    /// Suppressed rows: drop them, or blank all their quasi-identifiers.
    #[arg(long, value_name = "CHOICE", default_value = "drop")]
    pub(crate) suppressed: String,
    /// Earlier releases: rows that subtracting them would lay bare are an error.
    #[arg(long, value_name = "FILES", value_delimiter = ',', num_args = 1..)]
    pub(crate) earlier: Vec<PathBuf>,
    /// The key that rows are shuffled by, made if it is not there: whoever has it can undo the order.
    #[arg(long, value_name = "FILE")]
    pub(crate) seed_file: Option<PathBuf>,
    /// The character between fields (`tab` for a tab) [default: detected].
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    #[command(flatten)]
    pub(crate) printing: RunOutputArgs,
}

/// Where new rows are in a database, and where their release goes there.
#[derive(Debug, Args)]
pub(crate) struct ApplyDatabaseArgs {
    /// The table of a database with the new rows: people, schema.people or "Odd name".
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
    /// A query of a database in the place of a table: one SELECT.
    #[arg(long, value_name = "SELECT", conflicts_with = "table")]
    pub(crate) query: Option<String>,
    /// Only its rows for which this SQL condition holds.
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) filter: Option<String>,
    /// The table of the database that the release goes into. It must not be there yet.
    #[arg(long, value_name = "TABLE")]
    pub(crate) into: Option<String>,
    /// Put the release in the place of a table that is there.
    #[arg(long, requires = "into")]
    pub(crate) replace: bool,
    /// Add the released rows to a table that is there, if it holds with them what the recoding asks for.
    #[arg(long, requires = "into", conflicts_with_all = ["replace", "grant"])]
    pub(crate) append: bool,
    /// Let a role read the release, or PUBLIC.
    #[arg(long, value_name = "ROLE", requires = "into", value_delimiter = ',')]
    pub(crate) grant: Vec<String>,
    /// Count, recode and check in the database: no row leaves it.
    #[arg(long, requires = "into")]
    pub(crate) in_database: bool,
}

/// How large classes are at least; a highest risk says it in other words.
#[derive(Debug, Args)]
pub(crate) struct ClassSizeArgs {
    /// The least size of a class.
    #[arg(
        short,
        value_name = "K",
        value_parser = class_size,
        allow_negative_numbers = true,
        required = false,
        required_unless_present = "max-risk",
        default_value_if("max-risk", clap::builder::ArgPredicate::IsPresent, "1")
    )]
    pub(crate) k: u64,
}
