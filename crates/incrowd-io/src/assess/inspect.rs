//! What a table in a file is like.

use incrowd::Control;
use incrowd_assess::inspect::{InspectOptions, Inspection, inspect};

use super::go_on;
use crate::{Error, Result, Source, read_table};

/// Looks at all columns of a table; one without rows is refused.
pub fn inspect_source(
    source: &Source,
    options: &InspectOptions,
    control: &Control,
) -> Result<Inspection> {
    let table = read_table(source, None, control)?;
    if table.rows() == 0 {
        return Err(Error::new(format!("{} has no rows", source.name()))
            .help("there must be rows below the header"));
    }
    go_on(control)?;
    Ok(inspect(&table, options))
}
