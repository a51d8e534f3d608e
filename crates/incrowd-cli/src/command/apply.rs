//! `apply`: a saved recoding on new rows.

use std::path::Path;

use incrowd_engine::SavedRecoding;
use incrowd_run::spec::{SuppressionMode, is_database};
use incrowd_run::{
    ApplyOptions, Error, Result, UnseenPolicy,
    data::{Order, refuse_overwrite},
};

use super::database::{self, tell_moved};
use super::open;
use crate::args::{ApplyArgs, ApplyDatabaseArgs, UnseenRows};
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
    let mut needed: Vec<(&str, &Path)> = vec![("the recoding", &args.recoding)];
    needed.extend(args.earlier.iter().map(|path| ("an earlier release", path.as_path())));
    if is_database(&args.input) {
        if let Some(output) = &args.output {
            refuse_overwrite("the release", output, &needed)?;
        }
        let bars = ProgressDisplay::new(args.printing.output.quiet || args.printing.output.json);
        let (report, moved) =
            database::apply(&args.input, &args.database, &application, &bars.control)?;
        drop(bars);
        let ended = RunPrinter::new(&args.printing, taken).run(&report);
        tell_moved(moved);
        return Ok(ended);
    }
    args.database.refuse()?;
    let source = application.treated(open(&args.input, args.delimiter.as_deref(), None)?)?;
    if let Some(output) = &args.output {
        needed.insert(0, ("the input", source.path()));
        refuse_overwrite("the release", output, &needed)?;
    }
    let bars = ProgressDisplay::new(args.printing.output.quiet || args.printing.output.json);
    let report = incrowd_run::apply(&application, &source, &bars.control)?;
    drop(bars);
    Ok(RunPrinter::new(&args.printing, taken).run(&report))
}

impl ApplyDatabaseArgs {
    /// Refuses what is said of a database where there is none.
    fn refuse(&self) -> Result<()> {
        let said = [
            ("--table", self.table.is_some()),
            ("--query", self.query.is_some()),
            ("--where", self.filter.is_some()),
            ("--into", self.into.is_some()),
        ];
        match said.into_iter().find(|(_, said)| *said) {
            None => Ok(()),
            Some((option, _)) => Err(Error::new(format!("{option} is for databases"))
                .help("leave it out, or name a database: postgres://host/name")),
        }
    }
}
