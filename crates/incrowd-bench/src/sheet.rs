//! Results in a file, to be read only.

use std::path::{Path, PathBuf};

use incrowd_run::{Error, Result};

/// A CSV file of plain words and numbers.
pub(crate) struct ResultSheet {
    path: PathBuf,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl ResultSheet {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
        let mut lines =
            text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap_or_default();
        Ok(ResultSheet { path: path.to_owned(), header, rows: lines.collect() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// The rows, from line 2 on.
    pub(crate) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Where a column is that has one of these names.
    pub(crate) fn column(&self, names: &[&str]) -> Option<usize> {
        self.header.iter().position(|column| names.contains(&column.as_str()))
    }

    /// A field of a row; empty if it is missing.
    pub(crate) fn field<'a>(&self, row: &'a [String], column: &str) -> &'a str {
        let field = self.column(&[column]).and_then(|at| row.get(at));
        field.map_or("", String::as_str)
    }

    /// A field of a row as a number, if it is one.
    pub(crate) fn number(&self, row: &[String], column: &str) -> Option<f64> {
        incrowd_engine::value::parse_number(self.field(row, column))
    }
}
