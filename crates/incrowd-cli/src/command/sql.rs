//! `sql`: a saved recoding as SQL.

use std::path::Path;

use incrowd_run::{
    Result,
    data::{OutputFile, refuse_overwrite},
};
use incrowd_sql::Script;

use super::apply::read_recoding;
use crate::CommandOutcome;
use crate::args::SqlArgs;

pub(crate) fn sql(args: &SqlArgs) -> Result<CommandOutcome> {
    let saved = read_recoding(&args.recoding)?;
    let mut script = Script::new(args.dialect.parse()?, &args.table, &args.into);
    script.what = args.what.parse()?;
    script.limits.bytes = args.longest.unwrap_or(script.limits.bytes);
    let text = script.write(&saved)?;
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        None => sayln!("{}", text.trim_end()),
        Some(path) => {
            refuse_overwrite("the statements", path, &[("the recoding", &args.recoding)])?;
            // They list original values.
            OutputFile::create_private(path)?.filled(text)?.commit()?;
        }
    }
    Ok(CommandOutcome::Done)
}
