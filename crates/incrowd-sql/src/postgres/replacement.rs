//! A released table in the place of an earlier one. It is made under a name of its own, and takes the other's place in the
//! transaction that has made and verified it: others see the earlier table or the new one, and nothing else.

use std::hash::BuildHasher;

use incrowd_run::{Error, ErrorKind, Result};

use crate::Dialect;
use crate::postgres::connection::Connection;

/// The table that is replaced.
#[derive(Debug, Clone)]
pub(crate) struct ReplacedTable {
    /// Its name in quotes, with its schema.
    pub(crate) name: String,
    /// Its name in quotes alone.
    own: String,
}

/// What stands in the way of a replacement, each as a condition on the table `c`, and what to say of it.
const OBSTACLES: [(&str, &str); 8] = [
    ("c.relkind <> 'r'", "it is no ordinary table"),
    ("NOT pg_has_role(c.relowner, 'USAGE')", "it belongs to another role"),
    (
        "EXISTS (SELECT 1 FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))",
        "it is a part of another table, or has parts",
    ),
    (
        "EXISTS (SELECT 1 FROM pg_depend d WHERE d.refobjid = c.oid AND d.classid = 'pg_rewrite'::regclass)",
        "views read it, and would lose it",
    ),
    (
        "EXISTS (SELECT 1 FROM pg_constraint k WHERE (k.conrelid = c.oid AND k.contype <> 'n') OR k.confrelid = c.oid)",
        "it has constraints, or others refer to it",
    ),
    (
        "EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)",
        "it has triggers",
    ),
    (
        "c.relrowsecurity OR EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)",
        "it has policies for rows",
    ),
    (
        "EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL)",
        "it has grants on single columns",
    ),
];

impl ReplacedTable {
    /// A table that may be replaced; refused where more than its rows, grants, comments and indexes would be lost.
    pub(crate) fn new(
        connection: &mut Connection,
        name: &str,
        table: &str,
        written: &str,
    ) -> Result<Self> {
        let replaced = ReplacedTable { name: name.to_owned(), own: Dialect::Postgres.quote(table) };
        replaced.check(connection, written)?;
        Ok(replaced)
    }

    fn check(&self, connection: &mut Connection, written: &str) -> Result<()> {
        let conditions: Vec<&str> = OBSTACLES.iter().map(|(condition, _)| *condition).collect();
        let query = format!(
            "SELECT {} FROM pg_class c WHERE c.oid = to_regclass($1)",
            conditions.join(", ")
        );
        let rows = connection.query("look at the table to replace", &query, &[&self.name])?;
        let Some(row) = rows.first() else { return Ok(()) };
        match (0..OBSTACLES.len()).find(|&at| row.get::<_, bool>(at)) {
            None => Ok(()),
            Some(at) => {
                Err(Error::new(format!("`{written}` is not replaced: {}", OBSTACLES[at].1))
                    .help("choose another name, or change that table first")
                    .of_kind(ErrorKind::Database))
            }
        }
    }

    /// A name for the new table that nobody else has.
    pub(crate) fn private_name(schema: &str) -> String {
        let number = std::collections::hash_map::RandomState::new().hash_one(0);
        let quote = |name: &str| Dialect::Postgres.quote(name);
        format!("{}.{}", quote(schema), quote(&format!("incrowd_{number:016x}")))
    }

    /// Puts the new table in the place of this one, with its owner, grants, comments and indexes.
    pub(crate) fn swap(
        &self,
        connection: &mut Connection,
        made: &String,
        written: &str,
    ) -> Result<()> {
        let old = &self.name;
        connection.batch(
            "lock the table to replace",
            &format!("LOCK TABLE {old} IN ACCESS EXCLUSIVE MODE"),
        )?;
        // It may have changed while the release was made.
        self.check(connection, written)?;
        let mut statements = self.told(
            connection,
            "read its grants",
            "SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, $2::text, \
               CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, \
               CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) \
             FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee \
             WHERE c.oid = to_regclass($1) AND a.grantee <> c.relowner",
            made,
        )?;
        statements.extend(self.told(
            connection,
            "read its owner",
            "SELECT format('ALTER TABLE %s OWNER TO %s', $2::text, c.relowner::regrole) FROM pg_class c \
             WHERE c.oid = to_regclass($1) AND c.relowner::regrole::text <> quote_ident(current_user)",
            made,
        )?);
        statements.extend(self.told(
            connection,
            "read its comments",
            "SELECT format('COMMENT ON %s IS %L', \
               CASE d.objsubid WHEN 0 THEN 'TABLE ' || $2::text \
                 ELSE 'COLUMN ' || $2::text || '.' || quote_ident(a.attname) END, d.description) \
             FROM pg_description d \
             LEFT JOIN pg_attribute a ON a.attrelid = d.objoid AND a.attnum = d.objsubid \
             LEFT JOIN pg_attribute b ON b.attrelid = to_regclass($2) AND b.attname = a.attname \
               AND b.attnum > 0 AND NOT b.attisdropped \
             WHERE d.classoid = 'pg_class'::regclass AND d.objoid = to_regclass($1) \
               AND (d.objsubid = 0 OR b.attname IS NOT NULL)",
            made,
        )?);
        let indexes = self.told(
            connection,
            "read its indexes",
            "SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i \
             WHERE i.indrelid = to_regclass($1) AND $2::text IS NOT NULL",
            made,
        )?;
        statements.push(format!("DROP TABLE {old}"));
        statements.push(format!("ALTER TABLE {made} RENAME TO {}", self.own));
        statements.extend(indexes);
        statements.iter().try_for_each(|it| connection.batch("replace the table", it))
    }

    fn told(
        &self,
        connection: &mut Connection,
        doing: &str,
        query: &str,
        made: &String,
    ) -> Result<Vec<String>> {
        let rows = connection.query(doing, query, &[&self.name, made])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}
