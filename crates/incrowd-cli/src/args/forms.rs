//! The arguments of `goal`, `forms` and `record`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use incrowd_run::spec::ZipCensus;

use super::{FileReadArgs, class_size};

/// Which k and which models suit a purpose.
///
/// Three answers give the highest chance to find a person that is usual for such a purpose, and k is one over it. What is
/// not given is asked for.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd goal --audience public --knowledge member --harm high --into spec.toml")]
pub(crate) struct GoalArgs {
    /// Who gets the release: public, agreement or internal.
    #[arg(long)]
    pub(crate) audience: Option<String>,
    /// What they can know: member (that somebody is in the table) or sample (nobody can know).
    #[arg(long)]
    pub(crate) knowledge: Option<String>,
    /// How bad it would be for a person to be found: low, medium or high.
    #[arg(long)]
    pub(crate) harm: Option<String>,
    /// Write the context and the k into this spec; the rest of it stays.
    #[arg(long, value_name = "SPEC")]
    pub(crate) into: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What approvers file about a release: checklists, report sections, descriptions.
#[derive(Debug, Subcommand)]
pub(crate) enum FormsCommand {
    /// The 18 identifiers of HIPAA's Safe Harbor, and what was done about each.
    SafeHarbor(SafeHarborArgs),
    /// A spec that does what Safe Harbor asks of a table, to look at and run.
    SafeHarborSpec(SafeHarborSpecArgs),
    /// The sections of the anonymization report of EMA policy 0070 and Health Canada, as Markdown.
    Clinical(FormArgs),
    /// The parts of the framework of ISO/IEC 27559, as Markdown.
    Iso27559(FormArgs),
    /// The record of a HIPAA expert determination, 45 CFR 164.514(b)(1), as Markdown.
    ExpertDetermination(FormArgs),
    /// The record of a motivated intruder test as the ICO describes it, as Markdown.
    MotivatedIntruder(FormArgs),
    /// A description for catalogues: Croissant, JSON-LD.
    Croissant(FormArgs),
}

/// A release and its spec.
#[derive(Debug, Args)]
pub(crate) struct FormArgs {
    /// The release.
    pub(crate) release: PathBuf,
    /// The spec that it was made by.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: PathBuf,
    /// The table that it was made of, to compare with.
    #[arg(long, value_name = "FILE")]
    pub(crate) original: Option<PathBuf>,
    /// Write it here [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: FileReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Some items no program can see: somebody attests them, and is named.
  incrowd forms safe-harbor release.csv --spec visits.toml --original visits.csv \\
      --attest R='J. Doe looked at all columns' --attest knowledge='J. Doe knows of nothing'
An item that is open because of a column is attested by naming it:
      --attest C='J. Doe: week counts weeks since the first visit'

Exit codes: 0 done; 1 an item is open; 2 bad input.")]
pub(crate) struct SafeHarborArgs {
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// Who attests an item, and what: ITEM=TEXT, with A to R or knowledge.
    #[arg(long, value_name = "ITEM=TEXT")]
    pub(crate) attest: Vec<String>,
    /// Print one JSON object instead of Markdown.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SafeHarborSpecArgs {
    /// The table.
    pub(crate) input: PathBuf,
    /// The least size of a class.
    #[arg(short, value_name = "K", default_value_t = 11, value_parser = class_size, allow_negative_numbers = true)]
    pub(crate) k: u64,
    /// The census by which areas of 20,000 people or fewer lose their ZIP codes: 2020, 2010 or 2000.
    #[arg(long, value_name = "YEAR", default_value = "2020", value_parser = zip_census)]
    pub(crate) zip_census: ZipCensus,
    /// Write it here [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: FileReadArgs,
}

fn zip_census(text: &str) -> Result<ZipCensus, String> {
    let known = ZipCensus::ALL.into_iter().find(|census| census.year().to_string() == text);
    known.ok_or_else(|| "it is 2020, 2010 or 2000".to_owned())
}

/// Put a release on record.
///
/// The record has a line for each release: hashes of release, original and spec, the verdict, versions, who approved it
/// and when. Every line holds the hash of the one before, so that none can be changed or taken out unnoticed.
/// `incrowd verify --record` checks it.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  incrowd record release.csv --spec visits.toml --original visits.csv --into record.jsonl --approved-by 'J. Doe'")]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// The record, which is made if it is not there.
    #[arg(long, value_name = "FILE")]
    pub(crate) into: PathBuf,
    /// Who approves the release.
    #[arg(long, value_name = "NAME")]
    pub(crate) approved_by: Option<String>,
    /// A remark.
    #[arg(long, value_name = "TEXT")]
    pub(crate) remark: Option<String>,
    /// Go through the Safe Harbor list, and refuse while an item is open.
    #[arg(long)]
    pub(crate) safe_harbor: bool,
    /// Who attests an item of it: ITEM=TEXT.
    #[arg(long, value_name = "ITEM=TEXT", requires = "safe_harbor")]
    pub(crate) attest: Vec<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
