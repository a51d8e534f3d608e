//! `apply`: a saved recoding on new rows.

use std::path::Path;

use incrowd::SavedRecoding;
use incrowd_run::spec::Suppressed;
use incrowd_run::{Apply as Application, Error, Order, Result, Unseen, refuse_overwrite};
use incrowd_term::tell;

use super::open;
use crate::args::{Apply, UnseenRows};
use crate::progress::Bars;
use crate::{End, show};

/// Reads a saved recoding.
pub(super) fn read_recoding(path: &Path) -> Result<SavedRecoding> {
    Application::read_recoding(path).map_err(|error| {
        let written = "recodings are written by `incrowd anonymize --recoding FILE`";
        Error { help: error.help.or(Some(written.to_owned())), ..error }
    })
}

pub(crate) fn apply(args: &Apply) -> Result<End> {
    let application = Application {
        recoding: read_recoding(&args.recoding)?,
        unseen: match args.unseen {
            UnseenRows::Refuse => Unseen::Refuse,
            UnseenRows::Suppress => Unseen::Suppress,
        },
        output: args.output.clone(),
        delimiter: None,
        order: Order::shuffled(args.seed_file.as_deref())?,
        suppressed: args.suppressed.parse::<Suppressed>()?.into(),
        earlier: args.earlier.clone(),
    };
    let taken = show::one_on_stdout(args.printing.json, [args.output.as_deref()])?;
    let source = application.treated(open(&args.input, args.delimiter.as_deref(), None)?)?;
    if let Some(output) = &args.output {
        let mut needed: Vec<(&str, &Path)> =
            vec![("the input", source.path()), ("the recoding", &args.recoding)];
        needed.extend(args.earlier.iter().map(|path| ("an earlier release", path.as_path())));
        refuse_overwrite("the release", output, &needed)?;
    }
    let bars = Bars::new(args.printing.quiet || args.printing.json);
    let report = incrowd_run::apply(&application, &source, &bars.control)?;
    for warning in &report.warnings {
        tell(&format!("warning: {warning}"));
    }
    drop(bars);
    Ok(show::run(&report, args.printing.json, taken))
}
