//! Values and boxes in tables of their own, where one statement cannot hold them.

use std::fmt::Write as _;

use incrowd_engine::{Error, ErrorKind, Result};

use crate::table_expressions::{ColumnKind, LiteralRows, PartContent, TableExpression};
use crate::{Dialect, StatementLimits, name_parts};

/// Rows that one INSERT may hold everywhere.
const ROWS: usize = 1_000;

/// An index of MySQL cannot hold longer texts.
const INDEXED: usize = 700;

/// The tables of a script, and what makes and drops them.
#[derive(Default)]
pub(crate) struct MappingTables {
    tables: Vec<MappingTable>,
    /// Whether they stay, because a view reads them.
    stay: bool,
}

struct MappingTable {
    /// The part that it holds the rows of.
    part: String,
    /// Its name in quotes.
    name: String,
    /// The statements that make and fill it.
    made: String,
}

/// How the tables are made.
#[derive(Clone, Copy)]
pub(crate) struct MappingPlan<'a> {
    pub(crate) dialect: Dialect,
    /// What the script makes, as the user writes it: the tables are called after it.
    pub(crate) into: &'a str,
    pub(crate) limits: StatementLimits,
    /// Whether they stay: a view needs them for good, and other statements while they run.
    pub(crate) stay: bool,
}

impl MappingTables {
    /// Tables for all parts of literals.
    pub(crate) fn new(plan: MappingPlan<'_>, parts: &[TableExpression]) -> Result<Self> {
        let mut tables = Vec::new();
        for part in parts {
            if let PartContent::Literals(rows) = &part.content {
                tables.push(MappingTable::new(plan, &part.name, rows)?);
            }
        }
        Ok(MappingTables { tables, stay: plan.stay })
    }

    /// The query that stands for a part, if it is a table.
    pub(crate) fn query(&self, part: &TableExpression) -> Option<String> {
        let table = self.tables.iter().find(|table| table.part == part.name)?;
        Some(format!("SELECT * FROM {}", table.name))
    }

    /// What a reader should know of them.
    pub(crate) fn head(&self) -> String {
        match (self.tables.is_empty(), self.stay) {
            (true, _) => String::new(),
            (_, false) => "-- Its values are more than one statement may hold: they go into tables first, which are \
                           dropped in the end.\n"
                .to_owned(),
            (_, true) => "-- Its values are more than one statement may hold: they go into tables that the view reads.\n\
                          -- These hold original values: nobody else may read them.\n"
                .to_owned(),
        }
    }

    /// The statements before the one that reads the tables.
    pub(crate) fn before(&self) -> String {
        self.tables.iter().map(|table| table.made.as_str()).collect()
    }

    /// The statements behind it.
    pub(crate) fn after(&self) -> String {
        match self.stay {
            true => String::new(),
            false => self.tables.iter().map(|it| format!("DROP TABLE {};\n", it.name)).collect(),
        }
    }
}

impl MappingTable {
    fn new(plan: MappingPlan<'_>, part: &str, literals: &LiteralRows) -> Result<Self> {
        let dialect = plan.dialect;
        let mut schema = name_parts(plan.into)?;
        let own = schema.pop().unwrap_or_default();
        let own = dialect.quote(&format!("{own}_{part}"));
        let temporary = dialect.create_temporary().filter(|_| !plan.stay);
        let (create, name) = match temporary {
            // It is nobody else's, so it needs no schema.
            Some(create) => (create, own),
            None => {
                let schema = schema.iter().map(|part| dialect.quote(part));
                let parts: Vec<String> = schema.chain([own]).collect();
                ("CREATE TABLE", parts.join("."))
            }
        };
        let mut columns = Vec::new();
        for (at, (column, kind)) in literals.columns.iter().enumerate() {
            // As long as what it holds, which is never longer than its literal.
            let longest = || literals.rows.iter().map(|row| row[at].len()).max().unwrap_or(1);
            let kind = match kind {
                ColumnKind::Text => dialect.text_column(longest()),
                ColumnKind::Number => dialect.number_column().to_owned(),
                ColumnKind::Whole => dialect.whole_column().to_owned(),
            };
            if dialect == Dialect::MySql && column == "held" && longest() <= INDEXED {
                columns.push("INDEX (held)".to_owned());
            }
            columns.push(format!("{column} {kind}"));
        }
        let mut made = format!("{create} {name} ({});\n", columns.join(", "));
        let insert = format!("INSERT INTO {name} VALUES\n");
        let most = plan.limits.bytes;
        let (mut rows, mut length) = (Vec::new(), 0);
        for row in &literals.rows {
            let row = format!("  ({})", row.join(", "));
            if row.len() + insert.len() > most {
                return Err(Error::new(format!(
                    "a value or a box of this recoding takes {} bytes of SQL, more than one statement may hold",
                    row.len()
                ))
                .of_kind(ErrorKind::Method)
                .help("apply it with `incrowd apply`, or make it with kind global"));
            }
            if rows.len() == ROWS || insert.len() + length + row.len() + 2 > most {
                let _ = writeln!(made, "{insert}{};", rows.join(",\n"));
                (rows, length) = (Vec::new(), 0);
            }
            length += row.len() + 2;
            rows.push(row);
        }
        if !rows.is_empty() {
            let _ = writeln!(made, "{insert}{};", rows.join(",\n"));
        }
        Ok(MappingTable { part: part.to_owned(), name, made })
    }
}
