//! What the columns of both tables are needed for.

use crate::error::{Error, InputTable, Result};
use crate::intern::ValueDictionary;
use crate::tuples::TupleCounts;

/// The places of a column's codes, where it has any.
#[derive(Clone, Copy, Default)]
pub(crate) struct ColumnUse {
    pub(crate) label: Option<u32>,
    pub(crate) value: Option<u32>,
}

/// A quasi-identifier and the places of its labels.
pub(crate) struct QuasiIdentifier {
    pub(crate) name: String,
    pub(crate) form: ReleaseForm,
}

/// How a quasi-identifier is released.
#[derive(Clone, Copy)]
pub(crate) enum ReleaseForm {
    /// In a column of its own name.
    Label(usize),
    /// In two columns, the least and the greatest number.
    Bounds(usize, usize),
}

/// Marks the place of a value that first appeared in the release. Places in the original come before
/// all of them: the order of values does not depend on which table is read first.
pub(crate) const RELEASED: u64 = 1 << 62;

/// A column that is counted or compared as it is.
pub(crate) struct ValueColumn {
    pub(crate) name: String,
    pub(crate) values: ValueDictionary,
    /// For sensitive columns how often each value occurs in each class.
    pub(crate) histograms: Option<TupleCounts>,
}

/// What to say of a column that is not there.
pub(crate) fn missing_column(table: InputTable, column: &str, header: &[String]) -> Error {
    Error::MissingColumn { table, column: column.to_owned(), columns: header.to_vec() }
}

/// The names of a header, which must all differ.
pub(crate) fn checked_header<S: AsRef<str>>(
    header: &[S],
    table: InputTable,
) -> Result<Vec<String>> {
    let header: Vec<String> = header.iter().map(|name| name.as_ref().to_owned()).collect();
    if header.is_empty() {
        return Err(Error::Empty(table));
    }
    let mut sorted: Vec<&String> = header.iter().collect();
    sorted.sort();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::DuplicateColumn { table, column: twice[0].clone() });
    }
    Ok(header)
}
