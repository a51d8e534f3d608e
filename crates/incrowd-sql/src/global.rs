//! Global recodings: a CASE for each quasi-identifier, or a table of values where there are many.

use incrowd_engine::Result;
use incrowd_engine::recoding::{GlobalRecoding, SavedRecoding};

use crate::Dialect;
use crate::guard::RequirementGuard;
use crate::labels::AttributeLabels;
use crate::table_expressions::{QuasiIdentifier, RECODED, ROWS, RecodedRows, TableExpression};
use crate::value_sets::{ValueSet, is_list};

/// More literals than these are told by a table of values: a CASE is walked through for every row.
const MANY: usize = 300;

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
        let many = it.values.iter().map(ValueSet::len).sum::<usize>() > MANY && is_list(&it.values);
        if many {
            let (part, join) = table(dialect, at, it, map, &shown);
            parts.push(part);
            joins.push_str(&join);
        }
        for (field, name) in shown.names.iter().enumerate() {
            let label = |group: u32| dialect.text(&shown.labels[group as usize][field]);
            let value = match many {
                true => {
                    let joined = format!("v{}.label{}", at + 1, field + 1);
                    match it.attribute.domain.missing_code() {
                        Some(code) => format!(
                            "CASE WHEN {} IS NULL THEN {} ELSE {joined} END",
                            it.text,
                            label(map[code as usize])
                        ),
                        None => joined,
                    }
                }
                false => case(dialect, it, map, label),
            };
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

/// A table of values with their labels, and the join with it.
fn table(
    dialect: Dialect,
    at: usize,
    it: &QuasiIdentifier<'_>,
    map: &[u32],
    shown: &AttributeLabels,
) -> (TableExpression, String) {
    let labels: Vec<String> =
        (1..=shown.names.len()).map(|field| format!("label{field}")).collect();
    let mut columns = vec!["held"];
    columns.extend(labels.iter().map(String::as_str));
    let rows = it.values.iter().zip(map).flat_map(|(values, &group)| {
        let texts = values.texts.iter().map(|text| dialect.text(text));
        let points = values.points.iter().map(|at| dialect.number_literal(&at.to_string()));
        let held: Vec<String> = texts.chain(points).collect();
        held.into_iter().map(move |held| {
            let labels = shown.labels[group as usize].iter().map(|label| dialect.text(label));
            std::iter::once(held).chain(labels).collect()
        })
    });
    let name = format!("values_{}", at + 1);
    let part = TableExpression::new(name.clone(), dialect.rows(&columns, rows));
    let on = if it.number.is_empty() { &it.text } else { &it.number };
    (part, format!("\n  LEFT JOIN {name} AS v{0} ON v{0}.held = {ROWS}.{on}", at + 1))
}
