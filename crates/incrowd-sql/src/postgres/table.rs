//! A table of a database: its name, its columns and their types.

use crate::{Dialect, name_parts};
use incrowd_run::{Error, ErrorKind, Result};

use crate::postgres::appended::{self, AppendedTable};
use crate::postgres::connection::Connection;
use crate::postgres::replacement::ReplacedTable;

/// A table, view or materialized view.
#[derive(Debug, Clone)]
pub(crate) struct SourceTable {
    /// Its name in quotes, with its schema.
    pub(crate) name: String,
    /// The name as the user wrote it.
    pub(crate) written: String,
    /// Its columns that may be read, in order.
    pub(crate) columns: Vec<SourceColumn>,
    /// The condition on its rows, if there is one.
    pub(crate) filter: Option<String>,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub(crate) struct SourceColumn {
    /// Its name.
    pub(crate) name: String,
    /// Its type as the database writes it.
    pub(crate) r#type: String,
    /// The type that it has in a release where it is released as it is; none if it cannot be released.
    pub(crate) kept: Option<String>,
    /// The collation that it has there, where that is not the type's own.
    pub(crate) collation: Option<String>,
}

/// Types whose texts come back as the same values. All others are refused where they would be released.
const KEPT: [&str; 23] = [
    "bool",
    "int2",
    "int4",
    "int8",
    "numeric",
    "float4",
    "float8",
    "text",
    "varchar",
    "bpchar",
    "name",
    "char",
    "uuid",
    "date",
    "time",
    "timetz",
    "timestamp",
    "timestamptz",
    "interval",
    "inet",
    "cidr",
    "macaddr",
    "macaddr8",
];

/// The name of a column or table in quotes.
pub(crate) fn quote(name: &str) -> String {
    Dialect::Postgres.quote(name)
}

/// A part of a query that finds columns of a table with the types below their domains.
const COLUMNS: &str = "\
WITH RECURSIVE base AS (
  SELECT a.attnum, a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS written, a.atttypid AS type,
         a.atttypmod AS modifier, a.attcollation AS collation,
         has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable
  FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, b.name, b.written, t.typbasetype,
         CASE WHEN t.typtypmod <> -1 THEN t.typtypmod ELSE b.modifier END, b.collation, b.readable
  FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT b.name, b.written, t.typname::text, t.typtype::text, n.nspname::text AS type_schema,
       format_type(t.oid, b.modifier) AS plain,
       CASE WHEN c.oid <> t.typcollation THEN quote_ident(cn.nspname) || '.' || quote_ident(c.collname) END AS collation,
       b.readable
FROM base b JOIN pg_type t ON t.oid = b.type JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_collation c ON c.oid = b.collation LEFT JOIN pg_namespace cn ON cn.oid = c.collnamespace
WHERE t.typtype <> 'd' ORDER BY b.attnum";

impl SourceTable {
    /// Finds a table that may be read.
    pub(crate) fn find(
        connection: &mut Connection,
        written: &str,
        filter: Option<&str>,
    ) -> Result<Self> {
        let query = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let written = match query {
            None => written,
            Some(query) => {
                make_view(connection, query)?;
                VIEW
            }
        };
        let (oid, kind, schema, name, readable) =
            lookup(connection, written)?.ok_or_else(|| {
                Error::new(format!("the database has no table `{written}` that this role can see"))
                    .help(
                        "write schema.table if it has a schema of its own, \"Odd Name\" in \
                       double quotes if it has capitals",
                    )
                    .of_kind(ErrorKind::Database)
            })?;
        if !["r", "v", "m", "f", "p"].contains(&kind.as_str()) {
            return Err(Error::new(format!("`{written}` is neither a table nor a view"))
                .of_kind(ErrorKind::Database));
        }
        let rows = connection.query("look at the columns", COLUMNS, &[&oid])?;
        let mut columns = Vec::with_capacity(rows.len());
        let mut unreadable = Vec::new();
        for row in &rows {
            let name: String = row.get(0);
            if !row.get::<_, bool>(7) {
                unreadable.push(name);
                continue;
            }
            let (r#type, base, kind, type_schema): (String, String, String, String) =
                (row.get(1), row.get(2), row.get(3), row.get(4));
            let plain: String = row.get(5);
            let known = type_schema == "pg_catalog" && KEPT.contains(&base.as_str());
            let kept = match kind.as_str() {
                "b" if known && base == "name" => Some("text".to_owned()),
                "b" if known => Some(plain),
                "b" if base == "citext" => Some(plain),
                "e" => Some(plain),
                _ => None,
            };
            let collation =
                row.get::<_, Option<String>>(6).filter(|_| kept.is_some() && base != "name");
            columns.push(SourceColumn { name, r#type, kept, collation });
        }
        if columns.is_empty() || !readable && unreadable.len() == rows.len() {
            return Err(may_not_read(connection, written));
        }
        let table = SourceTable {
            name: format!("{}.{}", quote(&schema), quote(&name)),
            written: if query.is_some() { "the query" } else { written }.to_owned(),
            columns,
            filter: filter.map(str::to_owned),
        };
        if table.filter.is_some() {
            // One statement, which the database can read: more is refused here, before anything runs.
            connection.check("read the condition", &format!("SELECT 1 FROM {}", table.from()))?;
        }
        Ok(table)
    }

    /// The table with its condition, as it stands behind FROM.
    pub(crate) fn from(&self) -> String {
        match &self.filter {
            None => self.name.clone(),
            // What ends in a comment must not swallow the rest.
            Some(filter) => format!("{} WHERE (\n{filter}\n)", self.name),
        }
    }

    /// The places of columns by name.
    pub(crate) fn column(&self, name: &str) -> Option<&SourceColumn> {
        self.columns.iter().find(|column| column.name.trim() == name)
    }
}

/// A query that stands for a table, as the session knows it.
const VIEW: &str = "pg_temp.incrowd_query";

/// Makes a view of a query for this session: what asks for columns, types and rows asks it as it asks a table.
fn make_view(connection: &mut Connection, query: &str) -> Result<()> {
    let query = query.trim().trim_end_matches(';');
    // One statement, which the database can read: more is refused here, before anything runs.
    connection.check("read the query", &format!("SELECT * FROM (\n{query}\n) AS incrowd_query"))?;
    let make = format!("CREATE OR REPLACE TEMPORARY VIEW incrowd_query AS\n{query}\n");
    connection.batch("make a view of the query", &make)
}

/// Oid, kind, schema and name of a table, and whether all of it may be read.
type CatalogEntry = (u32, String, String, String, bool);

fn lookup(connection: &mut Connection, written: &str) -> Result<Option<CatalogEntry>> {
    let parts = name_parts(written)?;
    if parts.len() > 2 {
        return Err(Error::new(format!("`{written}` names another database"))
            .help("write schema.table, and the database in the address"));
    }
    let quoted =
        |parts: &[String]| parts.iter().map(|part| quote(part)).collect::<Vec<_>>().join(".");
    let lower: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
    // As it is written, or as the database would read it without quotes.
    let mut names = vec![quoted(&parts)];
    if !written.contains('"') && lower != parts {
        names.push(quoted(&lower));
    }
    for name in names {
        let found = connection.query(
            "look for the table",
            "SELECT c.oid, c.relkind::text, n.nspname::text, c.relname::text, \
             has_table_privilege(c.oid, 'SELECT') \
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)",
            &[&name],
        )?;
        if let Some(row) = found.first() {
            return Ok(Some((row.get(0), row.get(1), row.get(2), row.get(3), row.get(4))));
        }
    }
    Ok(None)
}

fn may_not_read(connection: &mut Connection, written: &str) -> Error {
    let role = connection
        .query("ask for the role", "SELECT current_user::text", &[])
        .ok()
        .and_then(|rows| rows.first().map(|row| row.get::<_, String>(0)))
        .unwrap_or_default();
    Error::new(format!("the role `{role}` may not read `{written}`"))
        .help(format!("its owner can allow it: GRANT SELECT ON {written} TO {}", quote(&role)))
        .of_kind(ErrorKind::Database)
}

/// What becomes of a table that has the name of the release.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Placement {
    /// There must be none.
    #[default]
    Create,
    /// The release takes its place.
    Replace,
    /// The released rows are added to it.
    Append,
}

/// A table that is to be made.
#[derive(Debug, Clone)]
pub(crate) struct TargetTable {
    /// Its name in quotes, with its schema.
    pub(crate) name: String,
    /// The name as the user wrote it.
    pub(crate) written: String,
    /// The table whose place it takes in the end.
    pub(crate) replaces: Option<ReplacedTable>,
    /// The table that its rows are added to in the end.
    pub(crate) appends: Option<AppendedTable>,
}

impl TargetTable {
    /// Checks that a table can be made, or replaced: before hours are spent on what goes into it.
    pub(crate) fn new(
        connection: &mut Connection,
        written: &str,
        placement: Placement,
    ) -> Result<Self> {
        let parts = name_parts(written)?;
        let schema = match &parts[..] {
            [_] => {
                let rows =
                    connection.query("ask for the schema", "SELECT current_schema()::text", &[])?;
                rows.first().and_then(|row| row.get::<_, Option<String>>(0)).ok_or_else(|| {
                    Error::new(format!("there is no schema for the table `{written}`"))
                        .help("name one: --into schema.table")
                        .of_kind(ErrorKind::Database)
                })?
            }
            [schema, _] => schema.clone(),
            _ => {
                return Err(Error::new(format!("`{written}` names another database"))
                    .help("write schema.table: the release goes into the database of the table"));
            }
        };
        let rows = connection.query(
            "look at the schema",
            "SELECT has_schema_privilege(n.oid, 'CREATE'), current_user::text, n.nspname ~ '^pg_temp' \
             FROM pg_namespace n WHERE n.nspname = $1",
            &[&schema],
        )?;
        let Some(row) = rows.first() else {
            return Err(Error::new(format!("the database has no schema `{schema}`"))
                .help(format!("create it: CREATE SCHEMA {}", quote(&schema)))
                .of_kind(ErrorKind::Database));
        };
        if !row.get::<_, bool>(0) && placement != Placement::Append {
            let role: String = row.get(1);
            return Err(Error::new(format!(
                "the role `{role}` may not create tables in the schema `{schema}`"
            ))
            .help(format!(
                "its owner can allow it: GRANT CREATE ON SCHEMA {} TO {}",
                quote(&schema),
                quote(&role)
            ))
            .of_kind(ErrorKind::Database));
        }
        let table = parts.last().cloned().unwrap_or_default();
        // Names that are cut off could meet others.
        if table.len() > 63 {
            return Err(Error::new(format!("the name `{table}` is too long for a table"))
                .help("at most 63 bytes"));
        }
        let name = format!("{}.{}", quote(&schema), quote(&table));
        let there = connection.query(
            "look for the table",
            "SELECT to_regclass($1) IS NOT NULL",
            &[&name],
        )?;
        let is_there = there.first().is_some_and(|row| row.get(0));
        let written = written.to_owned();
        let target = TargetTable { name, written, replaces: None, appends: None };
        match (is_there, placement) {
            (_, Placement::Append) => {
                let appended = AppendedTable::new(connection, &target.name, &target.written)?;
                let name = appended::PRIVATE.to_owned();
                Ok(TargetTable { name, appends: Some(appended), ..target })
            }
            (false, _) => Ok(target),
            (true, Placement::Replace) => {
                let replaced =
                    ReplacedTable::new(connection, &target.name, &table, &target.written)?;
                let name = ReplacedTable::private_name(&schema);
                Ok(TargetTable { name, replaces: Some(replaced), ..target })
            }
            (true, Placement::Create) => {
                Err(Error::new(format!("there is a table `{}` already", target.written))
                    .help(
                        "choose another name, or replace it when the release is verified: \
                         --replace",
                    )
                    .of_kind(ErrorKind::Database))
            }
        }
    }

    /// The table that others will see, where it is there already.
    pub(crate) fn existing(&self) -> Option<&str> {
        let replaced = self.replaces.as_ref().map(|it| it.name.as_str());
        replaced.or(self.appends.as_ref().map(|it| it.name.as_str()))
    }
}
