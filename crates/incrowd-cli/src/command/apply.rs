//! `apply`: a saved recoding on new rows.

use std::path::Path;

use incrowd_engine::SavedRecoding;
use incrowd_run::spec::SuppressionMode;
use incrowd_run::{
    ApplyOptions, Error, Result, UnseenPolicy,
    data::{Order, refuse_overwrite},
};

use super::open;
use crate::args::{ApplyArgs, UnseenRows};
use crate::progress::ProgressDisplay;
use crate::show::RunPrinter;
use crate::{CommandOutcome, show};

/// Reads a saved recoding.
pub(super) fn read_recoding(path: &Path) -> Result<SavedRecoding> {
    ApplyOptions::read_recoding(path).map_err(|error| {
        let written = "recodings are written by `incrowd anonymize --recoding FILE`";
        Error { help: error.help.or(Some(written.to_owned())), ..error }
    })
}

pub(crate) fn apply(args: &ApplyArgs) -> Result<CommandOutcome> {
    let application = ApplyOptions {
        recoding: read_recoding(&args.recoding)?,
        unseen: match args.unseen {
            UnseenRows::Refuse => UnseenPolicy::Refuse,
            UnseenRows::Suppress => UnseenPolicy::Suppress,
        },
        output: args.output.clone(),
        delimiter: None,
        order: Order::shuffled(args.seed_file.as_deref())?,
        suppressed: args.suppressed.parse::<SuppressionMode>()?.into(),
        earlier: args.earlier.clone(),
    };
    let taken = show::one_on_stdout(args.printing.output.json, [args.output.as_deref()])?;
    let source = application.treated(open(&args.input, args.delimiter.as_deref(), None)?)?;
    if let Some(output) = &args.output {
        let mut needed: Vec<(&str, &Path)> =
            vec![("the input", source.path()), ("the recoding", &args.recoding)];
        needed.extend(args.earlier.iter().map(|path| ("an earlier release", path.as_path())));
        refuse_overwrite("the release", output, &needed)?;
    }
    let bars = ProgressDisplay::new(args.printing.output.quiet || args.printing.output.json);
    let report = incrowd_run::apply(&application, &source, &bars.control)?;
    drop(bars);
    Ok(RunPrinter::new(&args.printing, taken).run(&report))
}
