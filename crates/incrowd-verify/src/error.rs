//! What can go wrong before a verdict is reached.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The table a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputTable {
    /// The anonymized table.
    Release,
    /// The table the release was made from.
    Original,
    /// A generalization hierarchy.
    Hierarchy,
}

impl fmt::Display for InputTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputTable::Release => "the release",
            InputTable::Original => "the original",
            InputTable::Hierarchy => "the hierarchy",
        })
    }
}

/// Why no verdict could be given. A release that breaks a requirement is *not* an error: that is a
/// [`Verdict`](crate::Verdict) that does not hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes could not be read.
    #[error("{source_table} cannot be read: {cause}")]
    Io {
        /// The table that was being read.
        source_table: InputTable,
        /// What the reader said.
        cause: std::io::Error,
    },
    /// There is no header line.
    #[error("{0} is empty: its first line must name the columns")]
    Empty(InputTable),
    /// Two columns have one name.
    #[error("{table} has two columns named `{column}`: rename one of them")]
    DuplicateColumn {
        /// The table with that header.
        table: InputTable,
        /// The name that occurs twice.
        column: String,
    },
    /// A column that is needed is not there.
    #[error("{table} has no column `{column}`; its columns are {}", listed(.columns))]
    MissingColumn {
        /// The table that lacks the column.
        table: InputTable,
        /// The name that was looked for.
        column: String,
        /// The names there are.
        columns: Vec<String>,
    },
    /// A row has more or fewer fields than the header.
    #[error(
        "{table}, {place}: {found} fields, but the header has {expected}; check quotes and \
         the delimiter"
    )]
    Ragged {
        /// The table with that row.
        table: InputTable,
        /// The line of the file, or the row where there is no file.
        place: InputPosition,
        /// Fields in the header.
        expected: usize,
        /// Fields in the row.
        found: usize,
    },
    /// A field is not UTF-8.
    #[error("{table}, {place}, column `{column}`: the bytes are not UTF-8; convert the file first")]
    NotUtf8 {
        /// The table with that field.
        table: InputTable,
        /// The line of the file, or the row where there is no file.
        place: InputPosition,
        /// The column with that field.
        column: String,
    },
    /// There are more rows than can be counted without rounding.
    #[error("{0} has more than 140,737,488,355,328 rows, which is as far as the verifier counts")]
    TooManyRows(InputTable),
    /// What was collected elsewhere cannot be used here.
    #[error("the collected data cannot be used: {0}")]
    Collection(String),
    /// The requirements contradict themselves.
    #[error("{0}")]
    Requirements(String),
    /// A hierarchy is not usable.
    #[error("the hierarchy, {place}: {problem}")]
    Ladder {
        /// Where in the hierarchy.
        place: InputPosition,
        /// What is wrong there.
        problem: String,
    },
    /// A sensitive value has no place in the order or hierarchy its model needs.
    #[error("the value `{value}` of column `{column}` is not in the {needed}: add it there")]
    UnplacedValue {
        /// The sensitive column.
        column: String,
        /// The value without a place.
        value: String,
        /// "order" or "hierarchy".
        needed: &'static str,
    },
}

impl Error {
    /// The same error told by the line of a file instead of the row.
    pub(crate) fn on_line(mut self, line: u64) -> Self {
        if let Error::Ragged { place, .. } | Error::NotUtf8 { place, .. } = &mut self {
            *place = InputPosition::Line(line);
        }
        self
    }
}

/// Where in a table: the line of a file or, for rows that were handed over, the number of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputPosition {
    /// A line of a file, counted from 1.
    Line(u64),
    /// A data row, counted from 1.
    Row(u64),
}

impl fmt::Display for InputPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputPosition::Line(line) => write!(f, "line {line}"),
            InputPosition::Row(row) => write!(f, "row {row}"),
        }
    }
}

fn listed(columns: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text =
        columns.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if columns.len() > SHOWN {
        text += &format!(" and {} more", columns.len() - SHOWN);
    }
    text
}
