//! Values of columns, for whoever asks to see them.

use std::sync::Arc;

use incrowd_assess::inspect::FrequentValue;
use incrowd_run::forms::safe_harbor_spec;
use incrowd_run::spec::ZipCensus;
use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{NoFields, done};
use crate::session::Session;

/// Rows of a preview.
const ROWS: usize = 20;

#[derive(Deserialize)]
pub(super) struct PreviewRequest {
    #[serde(default)]
    show: bool,
}

/// The first rows.
#[derive(Serialize)]
pub(super) struct PreviewAnswer {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    shown: bool,
}

/// The first rows. Unless values are asked for, only whether there is one: even its length tells a name from another.
pub(super) fn preview(session: &Arc<Session>, asked: PreviewRequest) -> Result<PreviewAnswer> {
    let PreviewRequest { show } = asked;
    let (_, opened) = session.file()?;
    let table = &opened.table;
    let field = |row: usize, at: usize| {
        let value = table.columns()[at].value(row);
        let short: String = value.chars().take(80).collect();
        if show { short } else { veiled(&short) }
    };
    let rows: Vec<Vec<String>> = (0..table.rows().min(ROWS))
        .map(|row| (0..table.columns().len()).map(|at| field(row, at)).collect())
        .collect();
    Ok(PreviewAnswer { columns: opened.names().to_vec(), rows, shown: show })
}

/// What stands for a value that nobody asked to see.
fn veiled(value: &str) -> String {
    if value.is_empty() { String::new() } else { "•••".to_owned() }
}

/// Begins to say of every column what the Safe Harbor list asks for.
pub(super) fn safe_harbor(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    let (file, opened) = session.file()?;
    session.begin_aside(
        "safe-harbor",
        move |session, control| {
            let columns = safe_harbor_spec(
                &opened.source,
                file.spec.privacy.k,
                ZipCensus::default(),
                control,
            )?
            .columns;
            session.replace_columns(columns)
        },
        |_, ()| (),
    )?;
    done()
}

#[derive(Deserialize)]
pub(super) struct ValuesRequest {
    column: String,
}

/// The most frequent values of a column, and its ends.
#[derive(Serialize)]
pub(super) struct ValuesAnswer {
    min: Option<String>,
    max: Option<String>,
    frequent: Vec<FrequentValue>,
    rows: u64,
}

/// The most frequent values of a column, and its ends.
pub(super) fn values(session: &Arc<Session>, asked: ValuesRequest) -> Result<ValuesAnswer> {
    let ValuesRequest { column } = asked;
    let (_, opened) = session.file()?;
    let found = opened.found.columns.iter().find(|found| found.name == column);
    let found = found.ok_or_else(|| Error::new(format!("there is no column `{column}`")))?;
    Ok(ValuesAnswer {
        min: found.min.clone(),
        max: found.max.clone(),
        frequent: found.frequent.clone(),
        rows: opened.found.rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_veiled_value_tells_neither_its_length_nor_its_signs() {
        assert_eq!(veiled("Ann-7, 02138 Ö"), veiled("x"));
        assert_eq!(veiled(""), "");
    }
}
