//! Rows of a table as a source: read once, in one statement and so from one snapshot, into a temporary file that has no
//! name and that nobody else may read.

use std::io::{self, Read};
use std::path::Path;

use incrowd_io::{Error, Format, LeftColumn, ReadOptions, Result, Source, Wanted};
use incrowd_sql::text_expression;

use crate::connection::Connection;
use crate::table::{Table, quote};

/// What stands for NULL while rows are text. The empty text is a text.
pub(crate) const NULL: &str = incrowd_io::spec::DATABASE_NULL;

/// The statement that tells all rows of a query as text.
pub(crate) fn copy_of(query: &str, columns: usize, header: bool) -> String {
    // A row of one empty text would be an empty line.
    let quotes = if columns == 1 { ", FORCE_QUOTE *" } else { "" };
    format!("COPY ({query}) TO STDOUT (FORMAT csv, HEADER {header}, NULL '{NULL}'{quotes})")
}

/// Reads the rows of a table.
pub(crate) fn read(
    connection: &mut Connection,
    table: &Table,
    threads: Option<usize>,
) -> Result<Source> {
    let columns: Vec<String> = table.columns.iter().map(|column| quote(&column.name)).collect();
    let query = format!("SELECT {} FROM {}", columns.join(", "), table.from());
    let options = ReadOptions {
        format: Some(Format::Csv),
        delimiter: Some(b','),
        encoding: Some("utf-8".to_owned()),
        threads,
        ..ReadOptions::default()
    };
    connection.copy_out("read the table", &copy_of(&query, columns.len(), true), |rows| {
        let mut rows = NoMarker::new(rows);
        let source = Source::from_reader(&mut rows, &table.written, &options);
        rows.fault(&table.written).map_or(source, Err)
    })
}

/// Looks for texts that would be taken for NULL: they are quoted, which NULL is not.
pub(crate) struct NoMarker<'a> {
    rows: &'a mut dyn Read,
    /// The last bytes before those read now.
    tail: Vec<u8>,
    found: bool,
}

impl<'a> NoMarker<'a> {
    pub(crate) fn new(rows: &'a mut dyn Read) -> Self {
        NoMarker { rows, tail: Vec::new(), found: false }
    }

    /// What is wrong where such a text was found.
    pub(crate) fn fault(&self, table: &str) -> Option<Error> {
        self.found.then(|| {
            Error::new(format!("a text of `{table}` is {NULL}, which stands for NULL here"))
                .help("leave such rows out with --where, or change the text")
        })
    }
}

/// The marker as a text, where a field can begin and end.
const QUOTED: &[u8] = b"\"\\N\"";

impl Read for NoMarker<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.rows.read(buffer)?;
        self.tail.extend_from_slice(&buffer[..got]);
        let window = &self.tail;
        let ends =
            |at: usize| window.get(at).is_none_or(|byte| matches!(byte, b',' | b'\n' | b'\r'));
        for at in memchr::memmem::find_iter(window, QUOTED) {
            // What stands at the very beginning was looked at with the byte before it already.
            let begins = at > 0 && ends(at - 1);
            let complete = at + QUOTED.len() < window.len() || got == 0;
            if begins && complete && ends(at + QUOTED.len()) {
                self.found = true;
                return Err(io::Error::other("a text stands for NULL"));
            }
        }
        let keep = window.len().saturating_sub(QUOTED.len() + 1);
        self.tail.drain(..keep);
        Ok(got)
    }
}

/// Opens a table of a database to be read, as any other source.
pub fn open(
    address: &str,
    table: &str,
    filter: Option<&str>,
    threads: Option<usize>,
    control: &incrowd::Control,
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
    control: &incrowd::Control,
    look: impl FnOnce(&mut Connection, &Table) -> Result<Source>,
) -> Result<Source> {
    let mut connection = Connection::open(&crate::Address::new(address)?, control)?;
    let table = Table::find(&mut connection, table, filter)?;
    connection.batch("begin to read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
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
    wanted: impl Fn(&str) -> Wanted,
    control: &incrowd::Control,
) -> Result<Source> {
    in_one_snapshot(address, table, filter, control, |connection, table| {
        count(connection, table, wanted)
    })
}

/// Of a column with fewer values than this the values may come along, however different they are.
const FEW_VALUES: u64 = 100;

/// Counts the rows of a table by the columns that are wanted.
fn count(
    connection: &mut Connection,
    table: &Table,
    wanted: impl Fn(&str) -> Wanted,
) -> Result<Source> {
    let from = table.from();
    let mut columns = vec!["count(*) AS incrowd_n".to_owned()];
    let (mut by, mut left) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let text = text_expression(&column.name, column.r#type == "boolean");
        let mut counted = || -> Result<LeftColumn> {
            let query = format!("SELECT count({text}), count(DISTINCT {text}) FROM {from}");
            let row = connection.query("count the values of a column", &query, &[])?;
            let number = |at| row.first().map_or(0, |row| row.get::<_, i64>(at)) as u64;
            Ok(LeftColumn::new(column.name.trim(), number(0), number(1)))
        };
        let named = quote(&column.name);
        let wanted = wanted(column.name.trim());
        if matches!(wanted, Wanted::Count | Wanted::SharedValues) {
            let found = counted()?;
            let tells = found.different >= FEW_VALUES && found.different * 2 > found.present;
            let stays = wanted == Wanted::Count || tells;
            if stays {
                left.push(found);
            }
            if stays && wanted == Wanted::SharedValues {
                continue;
            }
        }
        match wanted {
            Wanted::Name | Wanted::Count => columns.push(format!("NULL AS {named}")),
            Wanted::Values | Wanted::SharedValues => {
                columns.push(format!("{text} AS {named}"));
                by.push(columns.len().to_string());
            }
        }
    }
    let group = if by.is_empty() { String::new() } else { format!(" GROUP BY {}", by.join(", ")) };
    let query = format!("SELECT {} FROM {from}{group}", columns.join(", "));
    // The count goes before it is read: a field that would stand alone then is quoted now.
    let copy = copy_of(&query, columns.len() - 1, true);
    connection.copy_out("count the combinations", &copy, |rows| {
        let mut rows = NoMarker::new(rows);
        let source = Source::from_counted(&mut rows, &table.written, left, None);
        rows.fault(&table.written).map_or(source, Err)
    })
}

/// Whether a name is the address of a database rather than a file.
pub fn is_address(input: &Path) -> bool {
    incrowd_io::spec::is_database(input)
}
