//! A table in memory, as columns of dictionary codes.

use super::dictionary::Dictionary;
use crate::kit::{Error, Result};

/// A column: its name, its distinct values, and one code per row.
#[derive(Debug, Clone)]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// The distinct values, in order of first appearance.
    pub dictionary: Dictionary,
    /// One code per row, in input order.
    pub codes: Vec<u32>,
}

impl Column {
    /// The value in a row.
    pub fn value(&self, row: usize) -> &str {
        self.dictionary.value(self.codes[row])
    }
}

/// Columns of dictionary codes, rows in input order.
///
/// ```
/// use incrowd_engine::Table;
/// let table = Table::from_rows(&["age", "sex"], &[["34", "F"], ["35", "M"], ["34", "M"]])?;
/// assert_eq!(table.rows(), 3);
/// assert_eq!(table.column("age").unwrap().dictionary.len(), 2);
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// A table from columns, which must be of one length and have names of their own.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        for (at, column) in columns.iter().enumerate() {
            if column.codes.len() != rows {
                return Err(Error::new(format!(
                    "column {:?} has {} rows, but column {:?} has {rows}",
                    column.name,
                    column.codes.len(),
                    columns[0].name
                )));
            }
            if columns[..at].iter().any(|other| other.name == column.name) {
                return Err(Error::new(format!("two columns are named {:?}", column.name))
                    .help("rename one of them"));
            }
        }
        Ok(Table { columns, rows })
    }

    /// A table from rows of strings.
    pub fn from_rows<R, S>(names: &[&str], rows: &[R]) -> Result<Self>
    where
        R: AsRef<[S]>,
        S: AsRef<str>,
    {
        let mut columns: Vec<Column> = names
            .iter()
            .map(|name| Column {
                name: (*name).to_owned(),
                dictionary: Dictionary::new(),
                codes: Vec::with_capacity(rows.len()),
            })
            .collect();
        for (at, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != columns.len() {
                return Err(Error::new(format!(
                    "row {} has {} values, but there are {} columns",
                    at + 1,
                    row.len(),
                    columns.len()
                )));
            }
            for (column, value) in columns.iter_mut().zip(row) {
                let code = column.dictionary.intern(value.as_ref());
                column.codes.push(code);
            }
        }
        Table::new(columns)
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The names of the columns in order.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Puts the rows into another order: row `at` becomes what row `order[at]` was.
    pub(crate) fn rearrange(&mut self, order: &[u32]) {
        for column in &mut self.columns {
            let codes = order.iter().map(|&row| column.codes[row as usize]);
            // Codes in the order of first appearance would tell the old order.
            let mut dictionary = Dictionary::new();
            column.codes =
                codes.map(|code| dictionary.intern(column.dictionary.value(code))).collect();
            column.dictionary = dictionary;
        }
    }
}
