//! Released rows for a table that is there already. They are made in a table of the session alone, and judged by themselves;
//! then the table is judged with them, in the transaction that adds them.

use incrowd_run::{Error, ErrorKind, Result};

use crate::Dialect;
use crate::postgres::connection::Connection;

/// Where new rows are made.
pub(crate) const PRIVATE: &str = "\"pg_temp\".\"incrowd_append\"";

/// The table that rows are added to.
#[derive(Debug, Clone)]
pub(crate) struct AppendedTable {
    /// Its name in quotes, with its schema.
    pub(crate) name: String,
    /// The name as the user wrote it.
    pub(crate) written: String,
}

impl AppendedTable {
    /// A table that rows may be added to; refused where triggers or rules could make other rows of them.
    pub(crate) fn new(connection: &mut Connection, name: &str, written: &str) -> Result<Self> {
        let rows = connection.query(
            "look at the table",
            "SELECT c.relkind IN ('r', 'p'), \
               has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'SELECT'), current_user::text, \
               EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) \
                 OR EXISTS (SELECT 1 FROM pg_rewrite w WHERE w.ev_class = c.oid), \
               c.relrowsecurity \
             FROM pg_class c WHERE c.oid = to_regclass($1)",
            &[&name],
        )?;
        let refused = |what: &str, help: String| {
            Err(Error::new(format!("rows are not added to `{written}`: {what}"))
                .help(help)
                .of_kind(ErrorKind::Database))
        };
        let Some(row) = rows.first() else {
            return Err(Error::new(format!("there is no table `{written}` to add rows to"))
                .help("make it first, by the same command without --append")
                .of_kind(ErrorKind::Database));
        };
        if !row.get::<_, bool>(0) {
            return refused("it is no ordinary table", "name a table".to_owned());
        }
        if !row.get::<_, bool>(1) {
            let role = Dialect::Postgres.quote(&row.get::<_, String>(2));
            let grant = format!("its owner can allow it: GRANT SELECT, INSERT ON {name} TO {role}");
            return refused("the role may not read and extend it", grant);
        }
        if row.get(3) {
            return refused(
                "triggers or rules could change them",
                "add them to a table without such".to_owned(),
            );
        }
        if row.get(4) {
            return refused(
                "it has policies, which could hide rows from the judgement",
                "add them to a table without such".to_owned(),
            );
        }
        Ok(AppendedTable { name: name.to_owned(), written: written.to_owned() })
    }

    /// Waits until nobody else adds rows to the table, and keeps others waiting until the session ends. For sessions that hold
    /// no transaction: its snapshot must be younger.
    pub(crate) fn reserve(&self, connection: &mut Connection) -> Result<()> {
        connection.query(
            "wait for others who add rows",
            "SELECT pg_advisory_lock(hashtextextended('incrowd append ' || to_regclass($1)::oid::text, 0))",
            &[&self.name],
        )?;
        Ok(())
    }
}
