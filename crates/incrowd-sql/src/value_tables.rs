//! Tables of values: where a CASE would have too many branches, rows are joined with the values that they may hold.

use std::collections::HashSet;
use std::fmt::Write as _;

use incrowd_engine::value::Decimal;

use crate::Dialect;
use crate::table_expressions::{ColumnKind, LiteralRows, QuasiIdentifier, ROWS, TableExpression};
use crate::value_sets::{ValueRange, ValueSet};

/// More literals than these are told by a table of values: a CASE is walked through for every row, and has limits.
const MANY: usize = 300;

/// What rows say of a column by joins with tables of values.
pub(crate) struct ValueTables {
    /// The tables.
    pub(crate) parts: Vec<TableExpression>,
    /// The joins with them, behind the rows.
    pub(crate) joins: String,
    /// What each told column is, as an expression over the joins.
    pub(crate) told: Vec<String>,
}

/// Whether a column has so many values that a table must tell them.
pub(crate) fn are_many(it: &QuasiIdentifier<'_>) -> bool {
    it.values.iter().map(ValueSet::len).sum::<usize>() > MANY
}

impl ValueTables {
    /// Tables that tell, of each value of column `at`, the fields of its code; `columns` are the names of the fields with their
    /// kinds. What is missing has the fields of the missing value, if there is one.
    pub(crate) fn new(
        dialect: Dialect,
        at: usize,
        it: &QuasiIdentifier<'_>,
        columns: &[(String, ColumnKind)],
        fields: impl Fn(u32) -> Vec<String>,
    ) -> Self {
        let mut tables = ValueTables { parts: Vec::new(), joins: String::new(), told: Vec::new() };
        let mut aliases = Vec::new();
        let number = |of: &Decimal| dialect.number_literal(&of.to_string());
        let each = |rows: &dyn Fn(&ValueSet) -> Vec<Vec<String>>| -> Vec<Vec<String>> {
            let coded = it.values.iter().zip(0..);
            coded
                .flat_map(|(values, code)| {
                    let told = fields(code);
                    rows(values).into_iter().map(move |mut row| {
                        row.extend(told.iter().cloned());
                        row
                    })
                })
                .collect()
        };
        let equal = |column: &str| {
            let column = column.to_owned();
            move |alias: &str| format!("{alias}.held = {ROWS}.{column}")
        };
        let kinds = [
            (
                each(&|values| values.texts.iter().map(|text| vec![dialect.held(text)]).collect()),
                vec![("held".to_owned(), ColumnKind::Text)],
                Box::new(equal(&it.text)) as Box<dyn Fn(&str) -> String>,
            ),
            (
                each(&|values| values.points.iter().map(|point| vec![number(point)]).collect()),
                vec![("held".to_owned(), ColumnKind::Number)],
                Box::new(equal(&it.number)),
            ),
            (
                each(&|values| {
                    values
                        .spans
                        .iter()
                        .map(|span| ends(span, dialect.number_column(), &number))
                        .collect()
                }),
                range_columns(ColumnKind::Number),
                Box::new(|alias: &str| inside(alias, &it.number)),
            ),
            (
                each(&|values| {
                    let text = |text: &String| dialect.held(text);
                    values.dates.iter().map(|span| ends(span, dialect.text_type(), &text)).collect()
                }),
                range_columns(ColumnKind::Text),
                Box::new(|alias: &str| inside(alias, &it.text)),
            ),
        ];
        for (place, (rows, held, on)) in kinds.into_iter().enumerate() {
            // The first code that a value stands for takes it, as in a CASE.
            let mut known = HashSet::new();
            let rows: Vec<Vec<String>> =
                rows.into_iter().filter(|row| known.insert(row[..held.len()].to_vec())).collect();
            if rows.is_empty() {
                continue;
            }
            let kind = ["values", "points", "ranges", "times"][place];
            let (name, alias) = (format!("{kind}_{}", at + 1), format!("{}{}", &kind[..1], at + 1));
            let all = held.into_iter().chain(columns.iter().cloned()).collect();
            tables
                .parts
                .push(TableExpression::literal(name.clone(), LiteralRows { columns: all, rows }));
            let _ = write!(tables.joins, "\n  LEFT JOIN {name} AS {alias} ON {}", on(&alias));
            aliases.push(alias);
        }
        for (place, (column, _)) in columns.iter().enumerate() {
            let joined: Vec<String> =
                aliases.iter().map(|alias| format!("{alias}.{column}")).collect();
            let joined = match &joined[..] {
                [] => "NULL".to_owned(),
                [one] => one.clone(),
                several => format!("COALESCE({})", several.join(", ")),
            };
            let missing = it.values.iter().zip(0..).find(|(values, _)| values.missing);
            tables.told.push(match missing {
                Some((_, code)) => format!(
                    "CASE WHEN {} IS NULL THEN {} ELSE {joined} END",
                    it.text,
                    fields(code)[place]
                ),
                None => joined,
            });
        }
        tables
    }
}

impl Dialect {
    /// A text in a table of values, compared byte by byte.
    fn held(self, text: &str) -> String {
        self.bytewise(&self.text(text))
    }
}

/// The ends of a range, NULL of a type where it is open, and whether the high end is outside.
fn ends<T>(span: &ValueRange<T>, kind: &str, literal: &dyn Fn(&T) -> String) -> Vec<String> {
    let open = || format!("CAST(NULL AS {kind})");
    let end = |end: &Option<T>| end.as_ref().map_or_else(open, literal);
    vec![end(&span.low), end(&span.high), u8::from(span.before).to_string()]
}

fn range_columns(kind: ColumnKind) -> Vec<(String, ColumnKind)> {
    vec![
        ("low".to_owned(), kind),
        ("high".to_owned(), kind),
        ("outside".to_owned(), ColumnKind::Whole),
    ]
}

/// The condition that a value of the rows is in a range of a table.
fn inside(alias: &str, column: &str) -> String {
    let value = format!("{ROWS}.{column}");
    format!(
        "{value} IS NOT NULL AND ({alias}.low IS NULL OR {value} >= {alias}.low) \
         AND ({alias}.high IS NULL OR {value} < {alias}.high OR ({alias}.outside = 0 AND {value} = {alias}.high))"
    )
}
