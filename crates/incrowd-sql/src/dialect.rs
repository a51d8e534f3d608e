//! What differs between databases: one small table of our own.
//!
//! Transpilers are not safe here: one of them writes `ORDER BY RAND()` for SQL Server, which is drawn once per query and
//! leaves the order as it was. So every entry is written by hand and held by tests.

use std::str::FromStr;

use incrowd_engine::{Error, Result};

/// A database's SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// PostgreSQL, from version 13 on.
    Postgres,
    /// DuckDB.
    DuckDb,
    /// Spark SQL and Databricks.
    Spark,
    /// Google BigQuery.
    BigQuery,
    /// Snowflake.
    Snowflake,
    /// Microsoft SQL Server.
    SqlServer,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 6] = [
        Dialect::Postgres,
        Dialect::DuckDb,
        Dialect::Spark,
        Dialect::BigQuery,
        Dialect::Snowflake,
        Dialect::SqlServer,
    ];
    /// Their names, in the same order.
    pub const NAMES: [&str; 6] =
        ["postgres", "duckdb", "spark", "bigquery", "snowflake", "sqlserver"];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Postgres => "postgres",
            Dialect::DuckDb => "duckdb",
            Dialect::Spark => "spark",
            Dialect::BigQuery => "bigquery",
            Dialect::Snowflake => "snowflake",
            Dialect::SqlServer => "sqlserver",
        }
    }

    /// A name in quotes: whatever is in it, it is a name and nothing else.
    pub fn quote(self, name: &str) -> String {
        match self {
            Dialect::Postgres | Dialect::DuckDb | Dialect::Snowflake => {
                format!("\"{}\"", name.replace('"', "\"\""))
            }
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
            Dialect::BigQuery => {
                let escaped = name.replace('\\', "\\\\").replace('`', "\\`").replace('\n', "\\n");
                format!("`{escaped}`")
            }
            Dialect::SqlServer => format!("[{}]", name.replace(']', "]]")),
        }
    }

    /// A text as a literal.
    pub fn text(self, text: &str) -> String {
        match self {
            // Backslashes mean themselves unless standard_conforming_strings is off; then, and only then, the E form differs.
            Dialect::Postgres if text.contains('\\') => {
                format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
            }
            Dialect::Postgres | Dialect::DuckDb => format!("'{}'", text.replace('\'', "''")),
            Dialect::SqlServer => format!("N'{}'", text.replace('\'', "''")),
            Dialect::Spark | Dialect::BigQuery | Dialect::Snowflake => {
                let mut out = String::from("'");
                for c in text.chars() {
                    match c {
                        '\\' => out.push_str("\\\\"),
                        '\'' => out.push_str("\\'"),
                        '\n' => out.push_str("\\n"),
                        '\r' => out.push_str("\\r"),
                        other => out.push(other),
                    }
                }
                out.push('\'');
                out
            }
        }
    }

    /// The type of texts.
    pub fn text_type(self) -> &'static str {
        match self {
            Dialect::Postgres => "text",
            Dialect::DuckDb | Dialect::Snowflake => "VARCHAR",
            Dialect::Spark | Dialect::BigQuery => "STRING",
            Dialect::SqlServer => "nvarchar(4000)",
        }
    }

    /// A value of any type as text that is compared byte by byte: some collations take different texts for the same.
    pub fn as_text(self, expression: &str) -> String {
        let cast = format!("CAST({expression} AS {})", self.text_type());
        match self {
            Dialect::Postgres => format!("{cast} COLLATE \"C\""),
            Dialect::SqlServer => format!("{cast} COLLATE Latin1_General_100_BIN2"),
            _ => cast,
        }
    }

    /// A text without blanks at its ends.
    pub fn trimmed(self, text: &str) -> String {
        format!("TRIM({text})")
    }

    /// The number that a text is, NULL if it is none.
    pub fn number(self, text: &str) -> String {
        match self {
            // A cast that fails would end the statement.
            Dialect::Postgres => format!(
                "CASE WHEN {text} ~ '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{{1,2}})?$' THEN CAST({text} AS numeric) END"
            ),
            Dialect::DuckDb | Dialect::Spark => format!("TRY_CAST({text} AS DOUBLE)"),
            Dialect::BigQuery => format!("SAFE_CAST({text} AS FLOAT64)"),
            Dialect::Snowflake => format!("TRY_TO_DOUBLE({text})"),
            Dialect::SqlServer => format!("TRY_CAST({text} AS float)"),
        }
    }

    /// Whether numbers are compared exactly, however many digits they have.
    pub fn is_exact(self) -> bool {
        self == Dialect::Postgres
    }

    /// A number as a literal of the type that [`Dialect::number`] gives.
    pub fn number_literal(self, number: &str) -> String {
        match self.is_exact() || !number.contains('.') {
            true => number.to_owned(),
            // With an exponent it is a double everywhere.
            false => format!("{number}E0"),
        }
    }

    /// The character of a text at a place, from 1.
    pub fn character(self, text: &str, place: &str) -> String {
        match self {
            Dialect::SqlServer => format!("SUBSTRING({text}, {place}, 1)"),
            _ => format!("SUBSTR({text}, {place}, 1)"),
        }
    }

    /// A random key, drawn anew for every row.
    pub fn random_key(self) -> &'static str {
        match self {
            Dialect::Postgres | Dialect::DuckDb => "gen_random_uuid()",
            Dialect::Spark => "uuid()",
            Dialect::BigQuery => "GENERATE_UUID()",
            Dialect::Snowflake => "UUID_STRING()",
            // RAND() would be drawn once for all rows.
            Dialect::SqlServer => "NEWID()",
        }
    }

    /// Whether creating a table can be undone by rolling back.
    pub fn has_transactional_ddl(self) -> bool {
        matches!(self, Dialect::Postgres | Dialect::DuckDb | Dialect::SqlServer)
    }

    /// What begins a transaction.
    pub fn begin(self) -> &'static str {
        match self {
            Dialect::SqlServer => "BEGIN TRANSACTION",
            _ => "BEGIN",
        }
    }

    /// Rows of literals as a query.
    pub fn rows(self, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
        match self {
            Dialect::BigQuery => {
                let rows: Vec<String> = rows
                    .map(|row| {
                        let fields = row.iter().zip(columns);
                        let fields: Vec<String> =
                            fields.map(|(value, name)| format!("{value} AS {name}")).collect();
                        format!("    STRUCT({})", fields.join(", "))
                    })
                    .collect();
                format!("SELECT * FROM UNNEST([\n{}\n  ])", rows.join(",\n"))
            }
            _ => {
                let rows: Vec<String> =
                    rows.map(|row| format!("    ({})", row.join(", "))).collect();
                format!(
                    "SELECT {columns} FROM (VALUES\n{}\n  ) AS v ({columns})",
                    rows.join(",\n"),
                    columns = columns.join(", ")
                )
            }
        }
    }

    /// The name of a table as the user writes it, `schema.table` or `"Odd.Name"`, in quotes part by part.
    pub fn table(self, written: &str) -> Result<String> {
        let parts = name_parts(written)?;
        let quoted: Vec<String> = parts.iter().map(|part| self.quote(part)).collect();
        Ok(quoted.join("."))
    }
}

impl FromStr for Dialect {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let at = Dialect::NAMES.iter().position(|known| *known == name);
        at.map(|at| Dialect::ALL[at]).ok_or_else(|| {
            Error::new(format!("there is no dialect `{name}`"))
                .help(format!("the dialects are {}", Dialect::NAMES.join(", ")))
        })
    }
}

/// The parts of a table's name: at most three, separated by dots; a part in double quotes may hold anything.
pub fn name_parts(written: &str) -> Result<Vec<String>> {
    let wrong = |what: &str| {
        Error::new(format!("`{written}` is not the name of a table: {what}"))
            .help("write people, schema.people, or \"Odd name\" in double quotes")
    };
    let mut parts = Vec::new();
    let mut rest = written.trim();
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut part = String::new();
                let mut chars = quoted.char_indices().peekable();
                let mut end = None;
                while let Some((at, c)) = chars.next() {
                    match c {
                        '"' if chars.peek().is_some_and(|&(_, next)| next == '"') => {
                            chars.next();
                            part.push('"');
                        }
                        '"' => {
                            end = Some(at + 1);
                            break;
                        }
                        other => part.push(other),
                    }
                }
                let end = end.ok_or_else(|| wrong("a quote is not closed"))?;
                (part, &quoted[end..])
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        if part.is_empty() {
            return Err(wrong("a part of it is empty"));
        }
        if part.contains('\0') {
            return Err(wrong("it holds a character that is not allowed in names"));
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => break,
            None => return Err(wrong("text follows a closing quote")),
        }
    }
    match parts.len() {
        1..=3 => Ok(parts),
        _ => Err(wrong("it has more than three parts")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn names_stay_names() {
        let odd = "\"; drop table people; --";
        assert_eq!(Dialect::Postgres.quote(odd), "\"\"\"; drop table people; --\"");
        assert_eq!(Dialect::SqlServer.quote("a]b"), "[a]]b]");
        assert_eq!(Dialect::Spark.quote("a`b"), "`a``b`");
        assert_eq!(Dialect::BigQuery.quote("a`b\\"), "`a\\`b\\\\`");
        assert_eq!(
            Dialect::Postgres.table("public.\"My.Table\"").unwrap(),
            "\"public\".\"My.Table\""
        );
        assert_eq!(name_parts("\"a\"\"b\"").unwrap(), ["a\"b"]);
        for wrong in ["", "a..b", "\"a", "\"a\"b", "a.b.c.d", "."] {
            assert!(name_parts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_stay_texts() {
        assert_eq!(Dialect::Postgres.text("it's"), "'it''s'");
        assert_eq!(Dialect::Postgres.text("\\'"), "E'\\\\'''");
        assert_eq!(Dialect::Snowflake.text("a\\'"), "'a\\\\\\''");
        assert_eq!(Dialect::SqlServer.text("é'"), "N'é'''");
        assert_eq!(Dialect::BigQuery.text("a\nb"), "'a\\nb'");
    }

    #[test]
    fn dialects_have_names() {
        for (name, dialect) in Dialect::NAMES.iter().zip(Dialect::ALL) {
            assert_eq!((name.parse::<Dialect>().unwrap(), dialect.name()), (dialect, *name));
        }
        assert!("oracle".parse::<Dialect>().is_err());
    }
}
