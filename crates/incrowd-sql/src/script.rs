//! A saved recoding as a script: the released table or view, and the query that checks it.

use incrowd_engine::recoding::SavedRecoding;
use incrowd_engine::{Error, ErrorKind, Recoding, Result};

use crate::boxes;
use crate::global;
use crate::guard::RequirementGuard;
use crate::mapping_tables::{MappingPlan, MappingTables};
use crate::table_expressions::{
    QuasiIdentifier, RECODED, ROWS, RecodedRows, TableExpression, no_missing,
};
use crate::value_sets::{needs_numbers, values_of};
use crate::{Dialect, StatementLimits};

/// What is made of a recoding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StatementKind {
    /// A table, made once and checked.
    #[default]
    Table,
    /// A view of live rows: checked when it is looked at, and never for good.
    View,
    /// Rows for a table that is there already.
    Insert,
    /// The query alone.
    Select,
}

impl StatementKind {
    /// The names of all choices.
    pub const NAMES: [&str; 4] = ["table", "view", "insert", "select"];
}

impl std::str::FromStr for StatementKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "table" => Ok(StatementKind::Table),
            "view" => Ok(StatementKind::View),
            "insert" => Ok(StatementKind::Insert),
            "select" => Ok(StatementKind::Select),
            _ => Err(Error::new(format!("`{name}` is not an output of a recoding"))
                .help(format!("choose {}", StatementKind::NAMES.join(", ")))),
        }
    }
}

/// How a recoding is written as SQL.
#[derive(Debug, Clone)]
pub struct Script {
    /// The database.
    pub dialect: Dialect,
    /// The table with the original rows, as the user writes it.
    pub source: String,
    /// What is made.
    pub into: String,
    /// What that is.
    pub what: StatementKind,
    /// How much one statement may hold. Above that, values and boxes go into tables of their own.
    pub limits: StatementLimits,
}

impl Script {
    /// A table made of another.
    pub fn new(dialect: Dialect, source: impl Into<String>, into: impl Into<String>) -> Self {
        let what = StatementKind::default();
        Script { dialect, source: source.into(), into: into.into(), what, limits: dialect.limits() }
    }

    /// The statements: what makes the release, then the query that checks it.
    pub fn write(&self, saved: &SavedRecoding) -> Result<String> {
        refuse(saved)?;
        let dialect = self.dialect;
        let (source, into) = (dialect.table(&self.source)?, dialect.table(&self.into)?);
        let quasi: Vec<QuasiIdentifier<'_>> = saved
            .attributes
            .iter()
            .enumerate()
            .map(|(at, attribute)| {
                let values = values_of(attribute, &saved.missing, dialect);
                let number = match needs_numbers(&values) {
                    true => format!("incrowd_n{}", at + 1),
                    false => String::new(),
                };
                QuasiIdentifier { attribute, values, text: format!("incrowd_q{}", at + 1), number }
            })
            .collect();
        let guard = RequirementGuard::new(dialect, saved)?;
        let rows = self.rows(&source, saved, &quasi, &guard);
        let recoded = match &saved.recoding {
            Recoding::Global(it) => global::recoded(dialect, it, &quasi, saved, &guard)?,
            Recoding::Regional(boxes) => boxes::recoded(dialect, boxes, &quasi, saved, &guard)?,
            Recoding::Local(it) | Recoding::Cellwise(it) | Recoding::Mixed(it) => {
                boxes::recoded(dialect, &it.boxes, &quasi, saved, &guard)?
            }
        };
        let RecodedRows { parts, names } = recoded;
        check_names(&names, saved)?;
        let mut all = vec![rows];
        all.extend(parts);
        let quoted: Vec<String> = names.iter().map(|name| dialect.quote(name)).collect();
        let (guarding, holds) = guard.parts(&quoted);
        all.extend(guarding);
        let mut columns: Vec<String> =
            // Between there and here NULL stood for a value that nobody has seen, and '' for no value.
            quoted.iter().map(|name| format!("NULLIF({name}, '') AS {name}")).collect();
        columns.extend(saved.plain.iter().map(|name| dialect.quote(name)));
        let last = all.last().map_or(RECODED, |part| part.name.as_str());
        let select = |into: &str| {
            format!("SELECT\n  {}{into}\nFROM {last}\nWHERE {holds}", columns.join(",\n  "))
        };
        let mut tables = MappingTables::default();
        let written = |tables: &MappingTables| {
            let part = |part: &TableExpression| {
                let query = tables.query(part).unwrap_or_else(|| part.query(dialect));
                format!("{} AS (\n  {query}\n)", part.name)
            };
            format!("WITH {}", all.iter().map(part).collect::<Vec<_>>().join(",\n"))
        };
        let mut with = written(&tables);
        if with.len() > self.limits.bytes || all.iter().any(|part| part.rows() > self.limits.rows) {
            let stay = self.what == StatementKind::View;
            let plan = MappingPlan { dialect, into: &self.into, limits: self.limits, stay };
            tables = MappingTables::new(plan, &all)?;
            with = written(&tables);
        }
        let random = format!("\nORDER BY {}", dialect.random_key());
        let made = match (self.what, dialect) {
            (StatementKind::Table, Dialect::SqlServer) => {
                format!("{with}\n{}{random}", select(&format!("\nINTO {into}")))
            }
            (StatementKind::Table, _) => {
                format!("CREATE TABLE {into} AS\n{with}\n{}{random}", select(""))
            }
            (StatementKind::View, Dialect::Postgres) => {
                format!(
                    "CREATE VIEW {into} WITH (security_barrier = true) AS\n{with}\n{}",
                    select("")
                )
            }
            (StatementKind::View, _) => format!("CREATE VIEW {into} AS\n{with}\n{}", select("")),
            (StatementKind::Insert, _) => {
                let released = quoted.iter().cloned();
                let released: Vec<String> =
                    released.chain(saved.plain.iter().map(|name| dialect.quote(name))).collect();
                let insert = format!("INSERT INTO {into} ({})", released.join(", "));
                match dialect {
                    // There the parts of a statement stand before all of it.
                    Dialect::SqlServer => format!("{with}\n{insert}\n{}{random}", select("")),
                    _ => format!("{insert}\n{with}\n{}{random}", select("")),
                }
            }
            (StatementKind::Select, _) => format!("{with}\n{}{random}", select("")),
        };
        let mut head = self.head(saved);
        head.push_str(&tables.head());
        let (before, after) = (tables.before(), tables.after());
        if self.what == StatementKind::Select {
            return Ok(format!("{head}{before}{made};\n{after}"));
        }
        let check = guard.check(&into, &quoted);
        Ok(format!(
            "{head}{before}{made};\n{after}\n-- The check: it must return no row.\n{check};\n"
        ))
    }

    /// What a reader should know first.
    fn head(&self, saved: &SavedRecoding) -> String {
        let mut lines = vec![
            format!(
                "-- A {} recoding of incrowd, k = {}, for {}.",
                saved.recoding.kind(),
                saved.k,
                self.dialect.name()
            ),
            "-- It holds original values: keep it with the original, not with the release.".to_owned(),
            "-- Rows with a value that was not there when the recoding was made are left out, as are classes that"
                .to_owned(),
            "-- do not hold the requirements among these rows.".to_owned(),
        ];
        match self.what {
            StatementKind::View => lines.push(
                "-- New and deleted rows change a view: check it on a schedule, or make a table of it."
                    .to_owned(),
            ),
            StatementKind::Table | StatementKind::Insert if !self.dialect.has_transactional_ddl() => lines.push(
                "-- This database cannot roll a table back: make it under a private name, \
                 check it, and rename it."
                    .to_owned(),
            ),
            StatementKind::Table | StatementKind::Insert => lines.push(format!(
                "-- Run it between {} and COMMIT, and commit only if the check returns no row.",
                self.dialect.begin()
            )),
            StatementKind::Select => {}
        }
        lines.join("\n") + "\n"
    }

    /// The part that reads the rows: quasi-identifiers as texts and numbers, and the columns that are released or
    /// counted as they are.
    fn rows(
        &self,
        source: &str,
        saved: &SavedRecoding,
        quasi: &[QuasiIdentifier<'_>],
        guard: &RequirementGuard<'_>,
    ) -> TableExpression {
        let dialect = self.dialect;
        let mut columns = Vec::new();
        for it in quasi {
            let text = dialect.as_text(&dialect.quote(&it.attribute.name));
            let text = dialect.trimmed(&text);
            let held = no_missing(dialect, &text, &saved.missing);
            columns.push(format!("{held} AS {}", it.text));
            if !it.number.is_empty() {
                columns.push(format!("{} AS {}", dialect.number(&text), it.number));
            }
        }
        columns.extend(guard.columns());
        columns.extend(saved.plain.iter().map(|name| dialect.quote(name)));
        TableExpression::new(
            ROWS,
            format!("SELECT\n    {}\n  FROM {source}", columns.join(",\n    ")),
        )
    }
}

/// What cannot be said in SQL is refused, never said otherwise.
fn refuse(saved: &SavedRecoding) -> Result<()> {
    let error = |what: &str, help: &str| {
        Err(Error::new(format!("this recoding cannot be written as SQL: {what}"))
            .of_kind(ErrorKind::Method)
            .help(help))
    };
    if saved.wildcards {
        return error(
            "it takes a blank to match anything, which no GROUP BY can check",
            "apply it with `incrowd apply`",
        );
    }
    if matches!(&saved.recoding, Recoding::Local(it) if it.narrowing.is_some()) {
        return error(
            "its groups depend on the values of columns that narrow classes",
            "make it with kind global, or apply it with `incrowd apply`",
        );
    }
    if let Some(treated) = saved.treatments.iter().find(|it| it.treater.is_some()) {
        return error(
            &format!("column `{}` is masked or transformed before it is recoded", treated.column),
            "do that in a view and make the recoding from the view, or use `incrowd apply`",
        );
    }
    if let Some(renamed) = saved.treatments.iter().find(|it| it.name.is_some()) {
        return error(
            &format!("column `{}` is renamed before it is recoded", renamed.column),
            "rename the column in a view and make the recoding from that, or use `incrowd apply`",
        );
    }
    Ok(())
}

/// Two released columns can come to share a name.
fn check_names(names: &[String], saved: &SavedRecoding) -> Result<()> {
    let all: Vec<&String> = names.iter().chain(&saved.plain).collect();
    match (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
        None => Ok(()),
        Some(at) => {
            Err(Error::new(format!("the release would have two columns named `{}`", all[at]))
                .help("rename the column, or use another summary than \"columns\""))
        }
    }
}
