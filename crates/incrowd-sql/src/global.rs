//! Global recodings: a CASE for each quasi-identifier, or a table of values where there are many.

use incrowd_engine::Result;
use incrowd_engine::recoding::{GlobalRecoding, SavedRecoding};

use crate::Dialect;
use crate::guard::RequirementGuard;
use crate::labels::AttributeLabels;
use crate::table_expressions::{
    ColumnKind, QuasiIdentifier, RECODED, ROWS, RecodedRows, TableExpression,
};
use crate::value_sets::ValueSet;
use crate::value_tables::{ValueTables, are_many};

/// The parts that recode rows value by value.
pub(crate) fn recoded(
    dialect: Dialect,
    global: &GlobalRecoding,
    quasi: &[QuasiIdentifier<'_>],
    saved: &SavedRecoding,
    guard: &RequirementGuard<'_>,
) -> Result<RecodedRows> {
    let mut parts = Vec::new();
    let mut names = Vec::new();
    let mut columns = Vec::new();
    let mut joins = String::new();
    for (at, it) in quasi.iter().enumerate() {
        let shown = AttributeLabels::new(it.attribute, &global.groups[at])?;
        let map = &global.maps[at];
        let label = |group: u32, field: usize| {
            dialect.bytewise(&dialect.text(&shown.labels[group as usize][field]))
        };
        let fields = 0..shown.names.len();
        let told: Vec<String> = match are_many(it) {
            true => {
                let name = |field| (format!("label{}", field + 1), ColumnKind::Text);
                let named: Vec<(String, ColumnKind)> = fields.clone().map(name).collect();
                let of_code = |code: u32| -> Vec<String> {
                    fields.clone().map(|field| label(map[code as usize], field)).collect()
                };
                let tables = ValueTables::new(dialect, at, it, &named, of_code);
                parts.extend(tables.parts);
                joins.push_str(&tables.joins);
                tables.told
            }
            false => fields
                .map(|field| {
                    let plain = |group: u32| dialect.text(&shown.labels[group as usize][field]);
                    dialect.bytewise(&case(dialect, it, map, plain))
                })
                .collect(),
        };
        for (value, name) in told.iter().zip(&shown.names) {
            columns.push(format!("{value} AS {}", dialect.quote(name)));
            names.push(name.clone());
        }
    }
    columns.extend(guard.carried());
    columns.extend(saved.plain.iter().map(|name| dialect.quote(name)));
    let query = format!("SELECT\n    {}\n  FROM {ROWS}{joins}", columns.join(",\n    "));
    parts.push(TableExpression::new(RECODED, query));
    Ok(RecodedRows { parts, names })
}

/// The label of each group, by the values in it.
fn case(
    dialect: Dialect,
    it: &QuasiIdentifier<'_>,
    map: &[u32],
    label: impl Fn(u32) -> String,
) -> String {
    // Labels that read the same are one: in the order in which their first value comes.
    let mut told: Vec<(String, ValueSet)> = Vec::new();
    for (code, values) in it.values.iter().enumerate() {
        let label = label(map[code]);
        match told.iter_mut().find(|(known, _)| *known == label) {
            Some((_, known)) => known.extend(values),
            None => told.push((label, values.clone())),
        }
    }
    let when: Vec<String> = told
        .iter()
        .map(|(label, values)| {
            format!("\n      WHEN {} THEN {label}", values.condition(dialect, &it.text, &it.number))
        })
        .collect();
    format!("CASE{}\n    END", when.concat())
}
