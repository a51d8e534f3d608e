//! Rows of a table as a source: read once, in one statement and so from one snapshot, into a temporary file that has no
//! name and that nobody else may read.

use std::io::{self, Read};
use std::path::Path;

use incrowd_io::{Error, Format, ReadOptions, Result, Source};

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
    let mut connection = Connection::open(&crate::Address::new(address)?, control)?;
    let table = Table::find(&mut connection, table, filter)?;
    connection.batch("begin to read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
    let source = read(&mut connection, &table, threads)?;
    connection.batch("end the reading", "COMMIT")?;
    Ok(source)
}

/// Whether a name is the address of a database rather than a file.
pub fn is_address(input: &Path) -> bool {
    incrowd_io::spec::is_database(input)
}
