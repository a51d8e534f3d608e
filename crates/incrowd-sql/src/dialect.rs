//! What differs between databases: one small table of our own.
//!
//! Transpilers are not safe here: one of them writes `ORDER BY RAND()` for SQL Server, which is drawn once per query and
//! leaves the order as it was. So every entry is written by hand and held by tests.

use std::str::FromStr;

use incrowd_engine::{Error, Result};

/// The collation of SQL Server that compares texts byte by byte.
const BYTEWISE: &str = "Latin1_General_100_BIN2";

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
    /// MySQL from version 8.0 on, and MariaDB from 10.10 on.
    MySql,
    /// SQLite from version 3.38 on.
    Sqlite,
}

/// How much one statement may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementLimits {
    /// Its length in bytes.
    pub bytes: usize,
    /// Rows of literals in it.
    pub rows: usize,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 8] = [
        Dialect::Postgres,
        Dialect::DuckDb,
        Dialect::Spark,
        Dialect::BigQuery,
        Dialect::Snowflake,
        Dialect::SqlServer,
        Dialect::MySql,
        Dialect::Sqlite,
    ];
    /// Their names, in the same order.
    pub const NAMES: [&str; 8] =
        ["postgres", "duckdb", "spark", "bigquery", "snowflake", "sqlserver", "mysql", "sqlite"];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Postgres => "postgres",
            Dialect::DuckDb => "duckdb",
            Dialect::Spark => "spark",
            Dialect::BigQuery => "bigquery",
            Dialect::Snowflake => "snowflake",
            Dialect::SqlServer => "sqlserver",
            Dialect::MySql => "mysql",
            Dialect::Sqlite => "sqlite",
        }
    }

    /// A name in quotes: whatever is in it, it is a name and nothing else.
    pub fn quote(self, name: &str) -> String {
        match self {
            Dialect::Postgres | Dialect::DuckDb | Dialect::Snowflake | Dialect::Sqlite => {
                format!("\"{}\"", name.replace('"', "\"\""))
            }
            Dialect::Spark | Dialect::MySql => format!("`{}`", name.replace('`', "``")),
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
            // What a backslash means depends on the session, and what other bytes mean on its character set.
            Dialect::MySql
                if !text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\') =>
            {
                let bytes: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
                format!("_utf8mb4 0x{bytes}")
            }
            Dialect::Postgres | Dialect::DuckDb | Dialect::Sqlite | Dialect::MySql => {
                format!("'{}'", text.replace('\'', "''"))
            }
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
            Dialect::MySql => "CHAR CHARACTER SET utf8mb4",
            Dialect::Sqlite => "TEXT",
        }
    }

    /// The type of a column of texts that are at most this many characters long.
    pub(crate) fn text_column(self, longest: usize) -> String {
        match self {
            Dialect::MySql => {
                let kind = match longest {
                    0..=10_000 => format!("varchar({})", longest.max(1)),
                    _ => "mediumtext".to_owned(),
                };
                format!("{kind} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
            }
            Dialect::SqlServer => format!("{} COLLATE {BYTEWISE}", self.text_type()),
            _ => self.text_type().to_owned(),
        }
    }

    /// The type of a column of numbers as [`Dialect::number`] gives them.
    pub(crate) fn number_column(self) -> &'static str {
        match self {
            Dialect::Postgres => "numeric",
            Dialect::BigQuery => "FLOAT64",
            Dialect::Sqlite => "REAL",
            Dialect::SqlServer => "float",
            _ => "DOUBLE",
        }
    }

    /// The type of a column of whole numbers.
    pub(crate) fn whole_column(self) -> &'static str {
        match self {
            Dialect::BigQuery => "INT64",
            _ => "integer",
        }
    }

    /// A value of any type as text that is compared byte by byte: some collations take different texts for the same.
    pub fn as_text(self, expression: &str) -> String {
        let cast = format!("CAST({expression} AS {})", self.text_type());
        match self {
            Dialect::Postgres => format!("{cast} COLLATE \"C\""),
            Dialect::SqlServer => format!("{cast} COLLATE {BYTEWISE}"),
            Dialect::MySql => format!("{cast} COLLATE utf8mb4_bin"),
            // A cast keeps the collation of its column.
            Dialect::Sqlite => format!("{cast} COLLATE BINARY"),
            _ => cast,
        }
    }

    /// A text of the statement's own, a literal or a choice among them, that is compared byte by byte: labels that differ in
    /// capitals alone must not count as one class.
    pub fn bytewise(self, text: &str) -> String {
        match self {
            Dialect::SqlServer => format!("{text} COLLATE {BYTEWISE}"),
            Dialect::MySql => format!("CONVERT({text} USING utf8mb4) COLLATE utf8mb4_bin"),
            _ => text.to_owned(),
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
            Dialect::MySql => format!(
                "CASE WHEN {text} REGEXP '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{{1,2}})?$' THEN {text} + 0E0 END"
            ),
            // There are no regular expressions: digits with at most one point, else what is a number in JSON.
            Dialect::Sqlite => {
                let digits = format!("SUBSTR({text}, 1 + ({text} LIKE '-%'))");
                format!(
                    "CASE WHEN (GLOB('[0-9]*', {digits}) AND GLOB('*[0-9]', {digits}) AND NOT GLOB('*[^0-9.]*', {digits}) \
                     AND NOT GLOB('*.*.*', {digits})) OR (JSON_VALID({text}) AND GLOB('*[0-9]', {text}) \
                     AND GLOB('[-0-9]*', {text})) THEN CAST({text} AS REAL) END"
                )
            }
        }
    }

    /// The condition under which a number has no fraction.
    pub fn is_whole(self, number: &str) -> String {
        match self {
            // Not every build can round.
            Dialect::Sqlite => format!("{number} = CAST({number} AS INTEGER)"),
            _ => format!("{number} = FLOOR({number})"),
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
            // RAND() can be foreseen, and UUID() counts up.
            Dialect::MySql => "RANDOM_BYTES(16)",
            Dialect::Sqlite => "RANDOMBLOB(16)",
        }
    }

    /// Whether creating a table can be undone by rolling back.
    pub fn has_transactional_ddl(self) -> bool {
        matches!(self, Dialect::Postgres | Dialect::DuckDb | Dialect::SqlServer | Dialect::Sqlite)
    }

    /// How much one statement may hold: what the database allows by default, or less where it becomes slow before.
    pub fn limits(self) -> StatementLimits {
        let (bytes, rows) = match self {
            Dialect::BigQuery => (1_000_000, 10_000),
            Dialect::Snowflake => (1_000_000, 16_000),
            Dialect::Spark => (4_000_000, 10_000),
            Dialect::SqlServer => (8_000_000, 10_000),
            // A packet of 16 MiB; rows of literals are a UNION, which both know.
            Dialect::MySql => (8_000_000, 1_000),
            Dialect::Postgres | Dialect::DuckDb | Dialect::Sqlite => (64_000_000, 1_000_000),
        };
        StatementLimits { bytes, rows }
    }

    /// What begins the statement that makes a table of this session alone; none where there is no such table.
    pub(crate) fn create_temporary(self) -> Option<&'static str> {
        match self {
            Dialect::Spark | Dialect::SqlServer => None,
            _ => Some("CREATE TEMPORARY TABLE"),
        }
    }

    /// What begins a transaction.
    pub fn begin(self) -> &'static str {
        match self {
            Dialect::SqlServer => "BEGIN TRANSACTION",
            Dialect::MySql => "START TRANSACTION",
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
            // Their two forms of VALUES exclude each other.
            Dialect::MySql => {
                let rows: Vec<String> = rows
                    .map(|row| {
                        let fields = row.iter().zip(columns);
                        let fields: Vec<String> =
                            fields.map(|(value, name)| format!("{value} AS {name}")).collect();
                        format!("SELECT {}", fields.join(", "))
                    })
                    .collect();
                rows.join("\n  UNION ALL ")
            }
            Dialect::Sqlite => {
                let rows: Vec<String> =
                    rows.map(|row| format!("    ({})", row.join(", "))).collect();
                let named = columns.iter().enumerate();
                let named: Vec<String> =
                    named.map(|(at, name)| format!("column{} AS {name}", at + 1)).collect();
                format!("SELECT {} FROM (VALUES\n{}\n  )", named.join(", "), rows.join(",\n"))
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
        let name = if name == "mariadb" { "mysql" } else { name };
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
        assert_eq!(Dialect::MySql.text("it's"), "'it''s'");
        assert_eq!(Dialect::MySql.text("é\\"), "_utf8mb4 0xC3A95C");
        assert_eq!(Dialect::Sqlite.text("a\\'"), "'a\\'''");
    }

    #[test]
    fn dialects_have_names() {
        for (name, dialect) in Dialect::NAMES.iter().zip(Dialect::ALL) {
            assert_eq!((name.parse::<Dialect>().unwrap(), dialect.name()), (dialect, *name));
        }
        assert!("oracle".parse::<Dialect>().is_err());
        assert_eq!("mariadb".parse::<Dialect>().unwrap(), Dialect::MySql);
    }
}
