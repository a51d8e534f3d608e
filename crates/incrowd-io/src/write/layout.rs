//! What a released table looks like.

use super::{ColumnType, CsvEncoder};
use crate::Result;

/// What a released table looks like, whatever its rows.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The names of the columns.
    pub names: Vec<String>,
    /// Their types, for formats that have types: one for each column, or none at all if all are
    /// text.
    pub types: Vec<ColumnType>,
    /// The delimiter of the encoded rows, and of the file if it is CSV.
    pub delimiter: u8,
    /// Whether an empty field of a text column is written as null where the format knows null.
    /// In columns of other types it always is.
    pub empty_is_null: bool,
    /// Whether texts that a spreadsheet would take for formulas get an apostrophe before them.
    pub csv_safe: bool,
}

impl Layout {
    /// Text columns of these names with commas between them; empty fields are null.
    pub fn text<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Layout { names, types: Vec::new(), delimiter: b',', empty_is_null: true, csv_safe: false }
    }

    /// The encoder of this table's rows.
    pub fn encoder(&self) -> Result<CsvEncoder> {
        Ok(CsvEncoder::new(self.delimiter, self.names.len())?.with_safety(self.csv_safe))
    }
}
