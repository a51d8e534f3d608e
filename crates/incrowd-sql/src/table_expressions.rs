//! What the parts of a statement are made of.

use incrowd_engine::value::Attribute;

use crate::Dialect;
use crate::value_sets::ValueSet;

/// A part of a statement with a name: `name AS (query)`.
pub(crate) struct TableExpression {
    pub(crate) name: String,
    pub(crate) content: PartContent,
}

/// What a part of a statement is made of.
pub(crate) enum PartContent {
    /// A query over other parts.
    Query(String),
    /// Rows of literals, which may as well be a table of their own.
    Literals(LiteralRows),
}

/// Rows of literals with the names and kinds of their columns.
pub(crate) struct LiteralRows {
    pub(crate) columns: Vec<(String, ColumnKind)>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// What a column of literals holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Number,
    Whole,
}

impl TableExpression {
    pub(crate) fn new(name: impl Into<String>, query: impl Into<String>) -> Self {
        TableExpression { name: name.into(), content: PartContent::Query(query.into()) }
    }

    pub(crate) fn literal(name: impl Into<String>, rows: LiteralRows) -> Self {
        TableExpression { name: name.into(), content: PartContent::Literals(rows) }
    }

    /// How many rows of literals it has.
    pub(crate) fn rows(&self) -> usize {
        match &self.content {
            PartContent::Query(_) => 0,
            PartContent::Literals(literals) => literals.rows.len(),
        }
    }

    /// The part as it stands in a statement.
    pub(crate) fn query(&self, dialect: Dialect) -> String {
        match &self.content {
            PartContent::Query(query) => query.clone(),
            PartContent::Literals(LiteralRows { columns, rows }) => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                dialect.rows(&names, rows.iter().cloned())
            }
        }
    }
}

/// A quasi-identifier on its way through the statement.
pub(crate) struct QuasiIdentifier<'a> {
    pub(crate) attribute: &'a Attribute,
    /// What each code stands for.
    pub(crate) values: Vec<ValueSet>,
    /// Its text, NULL where missing, as a column of the part `source_rows`.
    pub(crate) text: String,
    /// Its number there; empty where none is needed.
    pub(crate) number: String,
}

/// What recoded rows are made of: parts of the statement, and the released columns of the last of them.
pub(crate) struct RecodedRows {
    pub(crate) parts: Vec<TableExpression>,
    /// The names of the quasi-identifiers in the release.
    pub(crate) names: Vec<String>,
}

/// The name of the part that holds recoded rows: every quasi-identifier under its released name, NULL in the first of
/// them where a value was never seen, and the unchanged columns.
pub(crate) const RECODED: &str = "recoded";
/// The name of the part that reads the rows.
pub(crate) const ROWS: &str = "source_rows";

/// A text, or NULL where it is one of those that mean "no value".
pub(crate) fn no_missing(dialect: Dialect, text: &str, missing: &[String]) -> String {
    let mut tokens: Vec<String> = missing.iter().map(|token| dialect.text(token.trim())).collect();
    tokens.sort();
    tokens.dedup();
    match tokens.is_empty() {
        true => text.to_owned(),
        false => format!("CASE WHEN {text} NOT IN ({}) THEN {text} END", tokens.join(", ")),
    }
}
