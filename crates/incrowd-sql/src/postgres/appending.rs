//! New rows and a table that is there, judged together in the transaction that adds them.

use incrowd_run::{Error, ErrorKind, Result};
use incrowd_verify::Requirements;

use crate::Dialect;
use crate::postgres::appended::{AppendedTable, PRIVATE};
use crate::postgres::connection::Connection;
use crate::postgres::release;
use crate::postgres::table::{TargetTable, quote};

/// A column as the catalog has it: its name and its type.
type CatalogColumn = (String, String);

/// Adds the rows that were made, and has the whole table judged: refused where it does not hold with them.
pub(crate) fn add(
    appended: &AppendedTable,
    connection: &mut Connection,
    requirements: &Requirements,
) -> Result<()> {
    let made = columns(connection, PRIVATE)?;
    let there = columns(connection, &appended.name)?;
    compare(appended, &made, &there)?;
    if let Some(unit) = &requirements.unit
        && !made.iter().any(|(name, _)| name == unit)
    {
        return Err(Error::new(format!(
            "`{unit}` tells people apart, and `{}` has no such column: they cannot be counted",
            appended.written
        ))
        .help("make a new release of all rows, and replace the table: --replace")
        .of_check("back-end"));
    }
    let names: Vec<String> = made.iter().map(|(name, _)| quote(name)).collect();
    let names = names.join(", ");
    let before = count(connection, &appended.name)?;
    let new = count(connection, PRIVATE)?;
    connection.execute(
        "add the rows",
        &format!(
            "INSERT INTO {} ({names}) SELECT {names} FROM {PRIVATE} ORDER BY {}",
            appended.name,
            Dialect::Postgres.random_key()
        ),
    )?;
    let whole = TargetTable {
        name: appended.name.clone(),
        written: appended.written.clone(),
        replaces: None,
        appends: None,
    };
    let verdict = release::verify(connection, &whole, requirements)?;
    if verdict.rows != before + new {
        return Err(Error::new(format!(
            "`{}` had {before} rows, was given {new}, and has {} now",
            appended.written, verdict.rows
        ))
        .help("nothing was written; run the command again when no other session writes to it")
        .of_kind(ErrorKind::TryAgain));
    }
    if !verdict.holds {
        let what = incrowd_run::verdict_for_messages(verdict);
        let what = what.violations.first().map_or(String::new(), |it| it.message.clone());
        return Err(Error::new(format!(
            "`{}` and the new rows together do not hold what the recoding asks for: {what}",
            appended.written
        ))
        .help(
            "nothing was written; make a new release of all rows, and replace the table: \
             --replace",
        )
        .of_kind(ErrorKind::Refused)
        .of_check("k-anonymity"));
    }
    Ok(())
}

/// Refuses rows of other columns, or of other types.
fn compare(
    appended: &AppendedTable,
    made: &[CatalogColumn],
    there: &[CatalogColumn],
) -> Result<()> {
    let lacks = |of: &[CatalogColumn], name: &str| !of.iter().any(|(known, _)| known == name);
    let what = if let Some((name, _)) = made.iter().find(|(name, _)| lacks(there, name)) {
        format!("the new rows have a column `{name}`, and the table has none")
    } else if let Some((name, _)) = there.iter().find(|(name, _)| lacks(made, name)) {
        format!("the table has a column `{name}`, and the new rows have none")
    } else {
        let differs = made.iter().find(|column| !there.contains(column));
        let Some((name, r#type)) = differs else { return Ok(()) };
        format!("its column `{name}` is not of the type {type}, as that of the new rows")
    };
    Err(Error::new(format!("rows are not added to `{}`: {what}", appended.written))
        .help("nothing was written; add rows of the table that the release was made of")
        .of_kind(ErrorKind::Database))
}

/// The columns of a table with their types.
fn columns(connection: &mut Connection, name: &str) -> Result<Vec<CatalogColumn>> {
    let rows = connection.query(
        "look at the columns",
        "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
         WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        &[&name],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn count(connection: &mut Connection, name: &str) -> Result<u64> {
    let rows = connection.query("count rows", &format!("SELECT count(*) FROM {name}"), &[])?;
    Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)) as u64)
}
