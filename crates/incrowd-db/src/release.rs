//! A released table: made, filled and checked in one transaction, which others see whole or not at all.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::io::Read;

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;
use incrowd_io::{Error, ErrorKind, Result};
use incrowd_verify::{Requirements, Verdict, Verifier};

use crate::connection::Connection;
use crate::source::copy_of;
use crate::table::{Target, quote};

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
    target: &Target,
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
pub(crate) fn close(connection: &mut Connection, target: &Target, grant: &[String]) -> Result<()> {
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

/// Rows as numbers that do not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) rows: u64,
    sum: u64,
    other: u64,
}

/// Takes fingerprints with keys of its own, which nobody can foresee.
pub(crate) struct Fingers([SeedableRandomState; 2]);

impl Default for Fingers {
    fn default() -> Self {
        let of = || {
            let state = std::collections::hash_map::RandomState::new();
            SeedableRandomState::with_seed(state.hash_one(1), SharedSeed::global_random())
        };
        Fingers([of(), of()])
    }
}

impl Fingers {
    /// The fingerprint of rows as text.
    pub(crate) fn of(&self, rows: impl Read, header: bool) -> Result<Fingerprint> {
        let mut print = Fingerprint::default();
        each_record(rows, header, |record| {
            let fields: Vec<&str> = record.iter().collect();
            print.rows += 1;
            print.sum = print.sum.wrapping_add(self.0[0].hash_one(&fields));
            print.other = print.other.wrapping_add(self.0[1].hash_one(&fields));
            Ok(())
        })?;
        Ok(print)
    }
}

/// Hands over record by record.
pub(crate) fn each_record(
    rows: impl Read,
    header: bool,
    mut take: impl FnMut(&csv::StringRecord) -> Result<()>,
) -> Result<()> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(header).buffer_capacity(1 << 16).from_reader(rows);
    let mut record = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => take(&record)?,
            Ok(false) => return Ok(()),
            Err(error) => {
                return Err(Error::new(format!("rows could not be read back: {error}"))
                    .of_kind(ErrorKind::Database));
            }
        }
    }
}

/// The names of a table's columns, as the database has them.
fn names_of(connection: &mut Connection, target: &Target) -> Result<Vec<String>> {
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
    target: &Target,
    requirements: &Requirements,
    expected_rows: u64,
) -> Result<Verdict> {
    let names = names_of(connection, target)?;
    if let Some(leaked) = requirements.identifying.iter().find(|name| names.contains(name)) {
        return Err(broken(&format!("the identifying column `{leaked}` is in it")));
    }
    let mut requirements = requirements.clone();
    requirements.identifying.clear();
    // Who is protected is not in the release: people were counted before.
    requirements.unit = requirements.unit.filter(|unit| names.contains(unit));
    let asked: BTreeSet<&str> = requirements
        .models
        .iter()
        .map(|model| model.column.as_str())
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
    connection.copy_out("check the table", &copy_of(&query, columns.len() + 1, false), |rows| {
        each_record(rows, false, |record| {
            let count = record.get(columns.len()).and_then(|count| count.parse().ok()).unwrap_or(0);
            verifier.push_counted(record.iter().take(columns.len()), count).map_err(unfit)
        })
    })?;
    let verdict = verifier.finish().map_err(unfit)?;
    if verdict.rows != expected_rows {
        return Err(broken(&format!("it has {} rows and not {expected_rows}", verdict.rows)));
    }
    if !verdict.holds {
        let what: Vec<&str> = verdict.violations.iter().map(|it| it.message.as_str()).collect();
        return Err(broken(&what.join("; ")));
    }
    Ok(verdict)
}

/// The rows of a table in the database, as a fingerprint.
pub(crate) fn fingerprint(
    connection: &mut Connection,
    target: &Target,
    columns: &[ReleasedColumn],
    fingers: &Fingers,
) -> Result<Fingerprint> {
    let names: Vec<String> = columns.iter().map(|column| quote(&column.name)).collect();
    let query = format!("SELECT {} FROM {}", names.join(", "), target.name);
    connection.copy_out("read the table back", &copy_of(&query, columns.len(), false), |rows| {
        fingers.of(rows, false)
    })
}

/// What must never be.
pub(crate) fn broken(what: &str) -> Error {
    Error::new(format!("the table that was made failed verification: {what}"))
        .help("nothing was made; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}
