//! What a table in a file is like.

use incrowd_assess::inspect::{InspectOptions, Inspection, inspect};
use incrowd_engine::Control;

use incrowd_data::{Source, read_table};

use crate::{Error, Result};

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
    if control.is_cancelled() {
        return Err(Error::interrupted());
    }
    Ok(inspect(&table, options))
}
