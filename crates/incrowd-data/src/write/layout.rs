//! What a released table looks like.

use super::{ColumnType, CsvEncoder};
use crate::Result;

/// What a released table looks like, whatever its rows.
#[derive(Debug, Clone)]
pub struct TableLayout {
    /// The names of the columns.
    pub names: Vec<String>,
    /// Their types, for formats that have types: one for each column, or none at all if all are
    /// text.
    pub types: Vec<ColumnType>,
    /// The delimiter of the encoded rows, and of the file if it is CSV.
    pub delimiter: u8,
    /// How encoded rows spell [`NULL`](crate::NULL), without quotes; a text of that spelling is quoted. `None` where NULL
    /// and the empty text are one: it is null then where the format knows null.
    pub null: Option<&'static str>,
    /// Whether texts that a spreadsheet would take for formulas get an apostrophe before them.
    pub csv_safe: bool,
    /// Whether a text file begins with a byte order mark, by which spreadsheets know its encoding.
    pub byte_order_mark: bool,
}

impl TableLayout {
    /// Text columns of these names with commas between them; empty fields are null.
    pub fn text<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        TableLayout {
            names,
            types: Vec::new(),
            delimiter: b',',
            null: None,
            csv_safe: false,
            byte_order_mark: false,
        }
    }

    /// The encoder of this table's rows.
    pub fn encoder(&self) -> Result<CsvEncoder> {
        let encoder = CsvEncoder::new(self.delimiter, self.names.len())?;
        Ok(encoder.with_safety(self.csv_safe).with_null(self.null))
    }

    /// The encoded names of the columns.
    pub(super) fn header(&self) -> Result<Vec<u8>> {
        let mut header = Vec::new();
        // A name is a text, whatever it looks like.
        self.encoder()?.with_null(None).row(&self.names, &mut header);
        Ok(header)
    }
}
