//! A released table: made, filled and checked in one transaction, which others see whole or not at all.

use std::collections::BTreeSet;

use incrowd_run::backend::{Fingerprint, RowFingerprinter};
use incrowd_run::{Error, ErrorKind, Result};
use incrowd_verify::{Requirements, Verdict, Verifier};

use crate::postgres::connection::Connection;
use crate::postgres::rows::{each_row, rows_of};
use crate::postgres::table::{TargetTable, quote};

/// A column of the released table.
#[derive(Debug, Clone)]
pub(crate) struct ReleasedColumn {
    /// Its name.
    pub(crate) name: String,
    /// Its type, with its collation.
    pub(crate) r#type: String,
}

/// Makes the table, which nobody but its owner may read: whatever the database grants by default is taken back.
pub(crate) fn create(
    connection: &mut Connection,
    target: &TargetTable,
    columns: &[ReleasedColumn],
    grant: &[String],
) -> Result<()> {
    let columns: Vec<String> =
        columns.iter().map(|column| format!("{} {}", quote(&column.name), column.r#type)).collect();
    let statement = format!("CREATE TABLE {} ({})", target.name, columns.join(", "));
    connection.execute("create the table", &statement)?;
    close(connection, target, grant)
}

/// Takes back what was granted by default, and grants what was asked for.
pub(crate) fn close(
    connection: &mut Connection,
    target: &TargetTable,
    grant: &[String],
) -> Result<()> {
    let granted = connection.query(
        "look at who may read the table",
        "SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END \
         FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee \
         WHERE c.oid = to_regclass($1) AND a.grantee <> c.relowner",
        &[&target.name],
    )?;
    for row in &granted {
        let role: String = row.get(0);
        connection.execute(
            "take back what was granted by default",
            &format!("REVOKE ALL ON {} FROM {role}", target.name),
        )?;
    }
    for role in grant {
        // A name is a name; PUBLIC is everybody.
        let role = if role == "PUBLIC" { role.clone() } else { quote(role) };
        connection
            .execute("grant reading", &format!("GRANT SELECT ON {} TO {role}", target.name))?;
    }
    Ok(())
}

/// The names of a table's columns, as the database has them.
fn names_of(connection: &mut Connection, target: &TargetTable) -> Result<Vec<String>> {
    let rows = connection.query(
        "look at the columns",
        "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped \
         ORDER BY attnum",
        &[&target.name],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Has the independent verifier judge the table by its classes, which the database counts: only combinations travel.
pub(crate) fn verify(
    connection: &mut Connection,
    target: &TargetTable,
    requirements: &Requirements,
) -> Result<Verdict> {
    let names = names_of(connection, target)?;
    if let Some(leaked) = requirements.identifying.iter().find(|name| names.contains(name)) {
        return Err(broken(&format!("the identifying column `{leaked}` is in it"))
            .of_check("identifying-columns"));
    }
    let mut requirements = requirements.clone();
    requirements.identifying.clear();
    // Who is protected is not in the release: people were counted before.
    requirements.unit = requirements.unit.filter(|unit| names.contains(unit));
    let asked: BTreeSet<&str> = requirements
        .models
        .iter()
        .map(|model| model.column.as_str())
        .chain(requirements.narrowing.iter().map(String::as_str))
        .chain(requirements.unit.as_deref())
        .collect();
    let quasi = |name: &String| {
        let of = |quasi: &String| {
            name == quasi || *name == format!("{quasi}_min") || *name == format!("{quasi}_max")
        };
        requirements.quasi.iter().any(of)
    };
    let header: Vec<&String> =
        names.iter().filter(|name| quasi(name) || asked.contains(name.as_str())).collect();
    let unfit =
        |e: incrowd_verify::Error| Error::new(format!("the table could not be verified: {e}"));
    let mut verifier = Verifier::new(&header, &requirements).map_err(unfit)?;
    let columns: Vec<String> =
        header.iter().map(|name| format!("CAST({} AS text) COLLATE \"C\"", quote(name))).collect();
    let by: Vec<String> = (1..=columns.len()).map(|at| at.to_string()).collect();
    let query = format!(
        "SELECT {}, count(*) FROM {} GROUP BY {}",
        columns.join(", "),
        target.name,
        by.join(", ")
    );
    connection.copy_out("check the table", &rows_of(&query), |rows| {
        each_row(rows, |row| {
            let count = row.get(columns.len()).and_then(|count| count.parse().ok()).unwrap_or(0);
            let values = row.iter().take(columns.len()).map(String::as_str);
            verifier.push_counted(values, count).map_err(unfit)
        })
    })?;
    verifier.finish().map_err(unfit)
}

/// The rows of a table in the database, as a fingerprint.
pub(crate) fn fingerprint(
    connection: &mut Connection,
    target: &TargetTable,
    columns: &[ReleasedColumn],
    fingers: &RowFingerprinter,
) -> Result<Fingerprint> {
    let names: Vec<String> = columns.iter().map(|column| quote(&column.name)).collect();
    let query = format!("SELECT {} FROM {}", names.join(", "), target.name);
    let mut print = Fingerprint::default();
    connection.copy_out("read the table back", &rows_of(&query), |rows| {
        each_row(rows, |row| {
            let fields: Vec<&str> = row.iter().map(String::as_str).collect();
            fingers.add(&mut print, &fields);
            Ok(())
        })
    })?;
    Ok(print)
}

/// Why rows that fail are not written, whoever asks for them.
pub(crate) fn no_failing_rows() -> Error {
    Error::new("failing rows cannot be written into a database")
}

/// What must never be.
pub(crate) fn broken(what: &str) -> Error {
    Error::new(format!("the table that was made failed verification: {what}"))
        .help("nothing was made; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}

/// Shows what the transaction made to others, in the place of what it replaces.
pub(crate) fn commit(connection: &mut Connection, target: &TargetTable) -> Result<()> {
    if let Some(replaced) = &target.replaces {
        replaced.swap(connection, &target.name, &target.written)?;
    }
    if target.appends.is_some() {
        connection.batch("clear up", &format!("DROP TABLE {}", target.name))?;
    }
    let number =
        connection.query("ask for the transaction", "SELECT pg_current_xact_id()::text", &[])?;
    let number: Option<String> = number.first().map(|row| row.get(0));
    let Err(error) = connection.batch("commit the table", "COMMIT") else { return Ok(()) };
    if !connection.is_lost() {
        return Err(error);
    }
    // It was cut off after the question and before the answer: only the database knows what became of it.
    match number.and_then(|number| connection.outcome(&number)) {
        Some(true) => Ok(()),
        Some(false) => Err(error),
        None => Err(Error::new(
            "the connection was lost during the commit, so it is unknown whether the table \
             was committed",
        )
        .help("check whether the table exists: if it does, it is complete and verified")
        .of_kind(ErrorKind::Database)),
    }
}
