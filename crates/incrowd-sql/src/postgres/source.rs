//! Rows of a table as a source: read once, in one statement and so from one snapshot, into a temporary file that has no
//! name and that nobody else may read.

use std::path::Path;

use crate::text_expression;
use incrowd_run::{
    Result,
    data::{ColumnDetail, InputFormat, NULL, ReadOptions, RemoteColumn, Source},
};

use crate::postgres::Address;
use crate::postgres::connection::{Connection, TransactionAccess};
use crate::postgres::table::{SourceTable, quote};
use crate::postgres::types::column_types;

/// The statement that tells all rows of a query as CSV with a header. NULL is never quoted, and a text like it always.
fn csv_of(query: &str, columns: usize) -> String {
    // A row of one empty text would be an empty line.
    let quotes = if columns == 1 { ", FORCE_QUOTE *" } else { "" };
    format!("COPY ({query}) TO STDOUT (FORMAT csv, HEADER true, NULL '{NULL}'{quotes})")
}

/// Reads the rows of a table, in a transaction that sees one snapshot.
pub(crate) fn read(
    connection: &mut Connection,
    table: &SourceTable,
    threads: Option<usize>,
) -> Result<Source> {
    let columns: Vec<String> = table.columns.iter().map(|column| quote(&column.name)).collect();
    let query = format!("SELECT {} FROM {}", columns.join(", "), table.from());
    let options = ReadOptions {
        format: Some(InputFormat::Csv),
        delimiter: Some(b','),
        encoding: Some("utf-8".to_owned()),
        threads,
        ..ReadOptions::default()
    };
    let types = column_types(connection, table)?;
    let source = connection.copy_out("read the table", &csv_of(&query, columns.len()), |rows| {
        Source::from_reader(rows, &table.written, &options)
    })?;
    Ok(source.with_null(NULL).with_types(types))
}

/// Opens a table of a database to be read, as any other source.
pub fn open(
    address: &str,
    table: &str,
    filter: Option<&str>,
    threads: Option<usize>,
    control: &incrowd_engine::Control,
) -> Result<Source> {
    in_one_snapshot(address, table, filter, control, |connection, table| {
        read(connection, table, threads)
    })
}

/// Finds a table and has it looked at in a transaction that only reads.
fn in_one_snapshot(
    address: &str,
    table: &str,
    filter: Option<&str>,
    control: &incrowd_engine::Control,
    look: impl FnOnce(&mut Connection, &SourceTable) -> Result<Source>,
) -> Result<Source> {
    let mut connection = Connection::open(&Address::new(address)?, control)?;
    let table = SourceTable::find(&mut connection, table, filter)?;
    connection.begin_snapshot(TransactionAccess::ReadOnly)?;
    let source = look(&mut connection, &table)?;
    connection.batch("end the reading", "COMMIT")?;
    Ok(source)
}

/// Opens a table of a database without taking its rows: they are counted there, by the columns whose values are wanted, and
/// only combinations travel. What is made of it is the same.
pub fn open_counted(
    address: &str,
    table: &str,
    filter: Option<&str>,
    wanted: impl Fn(&str) -> ColumnDetail,
    control: &incrowd_engine::Control,
) -> Result<Source> {
    in_one_snapshot(address, table, filter, control, |connection, table| {
        count(connection, table, wanted)
    })
}

/// Counts the rows of a table by the columns that are wanted.
fn count(
    connection: &mut Connection,
    table: &SourceTable,
    wanted: impl Fn(&str) -> ColumnDetail,
) -> Result<Source> {
    let from = table.from();
    let mut columns = vec!["count(*) AS incrowd_n".to_owned()];
    let (mut by, mut left) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let text = text_expression(&column.name, column.r#type == "boolean");
        let mut counted = || -> Result<RemoteColumn> {
            let query = format!("SELECT count({text}), count(DISTINCT {text}) FROM {from}");
            let row = connection.query("count the values of a column", &query, &[])?;
            let number = |at| row.first().map_or(0, |row| row.get::<_, i64>(at)) as u64;
            Ok(RemoteColumn::new(column.name.trim(), number(0), number(1)))
        };
        let named = quote(&column.name);
        let wanted = wanted(column.name.trim());
        if matches!(wanted, ColumnDetail::Count | ColumnDetail::SharedValues) {
            let found = counted()?;
            let stays = wanted == ColumnDetail::Count || found.tells_rows_apart();
            if stays {
                left.push(found);
            }
            if stays && wanted == ColumnDetail::SharedValues {
                continue;
            }
        }
        match wanted {
            ColumnDetail::Name | ColumnDetail::Count => columns.push(format!("NULL AS {named}")),
            ColumnDetail::Values | ColumnDetail::SharedValues => {
                columns.push(format!("{text} AS {named}"));
                by.push(columns.len().to_string());
            }
        }
    }
    let group = if by.is_empty() { String::new() } else { format!(" GROUP BY {}", by.join(", ")) };
    let query = format!("SELECT {} FROM {from}{group}", columns.join(", "));
    // The count goes before it is read: a field that would stand alone then is quoted now.
    let copy = csv_of(&query, columns.len() - 1);
    let source = connection.copy_out("count the combinations", &copy, |rows| {
        Source::from_counted(rows, &table.written, left, None)
    })?;
    Ok(source.with_null(NULL))
}

/// Whether a name is the address of a database rather than a file.
pub fn is_address(input: &Path) -> bool {
    incrowd_run::spec::is_database(input)
}
