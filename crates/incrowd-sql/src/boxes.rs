//! Regional, local and cellwise recodings: the first box that contains a combination takes it, as `apply` does it.
//!
//! Values become codes by a CASE or a table of values, distinct combinations of codes meet the boxes in a range join, and
//! rows find their box by their codes. So the range join, which is slow, sees combinations and not rows.

use incrowd_engine::Result;
use incrowd_engine::recoding::{BoxSet, SavedRecoding};
use incrowd_engine::value::Group;

use crate::Dialect;
use crate::guard::RequirementGuard;
use crate::labels::AttributeLabels;
use crate::table_expressions::{
    ColumnKind, LiteralRows, QuasiIdentifier, RECODED, ROWS, RecodedRows, TableExpression,
};
use crate::value_tables::{ValueTables, are_many};

/// The parts that recode rows box by box.
pub(crate) fn recoded(
    dialect: Dialect,
    boxes: &BoxSet,
    quasi: &[QuasiIdentifier<'_>],
    saved: &SavedRecoding,
    guard: &RequirementGuard<'_>,
) -> Result<RecodedRows> {
    let shown: Vec<AttributeLabels> = quasi
        .iter()
        .zip(&boxes.groups)
        .map(|(it, groups)| AttributeLabels::new(it.attribute, groups))
        .collect::<Result<_>>()?;
    let mut parts = Vec::new();
    let mut coded = Vec::new();
    let mut joins = String::new();
    let codes: Vec<String> = (1..=quasi.len()).map(|at| format!("incrowd_c{at}")).collect();
    for (at, it) in quasi.iter().enumerate() {
        let code = match are_many(it) {
            true => {
                let code = [("code".to_owned(), ColumnKind::Whole)];
                let tables =
                    ValueTables::new(dialect, at, it, &code, |code| vec![code.to_string()]);
                parts.extend(tables.parts);
                joins.push_str(&tables.joins);
                tables.told.concat()
            }
            false => {
                let when = it.values.iter().enumerate().map(|(code, values)| {
                    let condition = values.condition(dialect, &it.text, &it.number);
                    format!("\n      WHEN {condition} THEN {code}")
                });
                format!("CASE{}\n    END", when.collect::<String>())
            }
        };
        coded.push(format!("{code} AS {}", codes[at]));
    }
    coded.extend(guard.carried());
    coded.extend(saved.plain.iter().map(|name| dialect.quote(name)));
    parts.push(TableExpression::new(
        "coded",
        format!("SELECT\n    {}\n  FROM {ROWS}{joins}", coded.join(",\n    ")),
    ));
    parts.push(box_table(dialect, boxes, quasi, &shown));
    parts.push(located(dialect, boxes, &codes));
    let names: Vec<String> = shown.iter().flat_map(|shown| shown.names.clone()).collect();
    let mut columns: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("b.label{} AS {}", at + 1, dialect.quote(name)))
        .collect();
    columns.extend(guard.carried().iter().map(|name| format!("coded.{name}")));
    columns.extend(saved.plain.iter().map(|name| format!("coded.{}", dialect.quote(name))));
    let on: Vec<String> = codes.iter().map(|code| format!("l.{code} = coded.{code}")).collect();
    parts.push(TableExpression::new(
        RECODED,
        format!(
            "SELECT\n    {}\n  FROM coded\n  JOIN located AS l ON {}\n  JOIN boxes AS b ON b.box = l.box",
            columns.join(",\n    "),
            on.join(" AND ")
        ),
    ));
    Ok(RecodedRows { parts, names })
}

/// Whether boxes hold groups of an attribute that are no ranges of codes.
fn has_sets(boxes: &BoxSet, at: usize) -> bool {
    boxes.groups[at].as_slice().iter().any(|group| matches!(group, Group::Set(_)))
}

/// The boxes: their number, the lowest and highest code of each attribute, for chosen values a text with a 1 at the place of
/// each, and the labels.
fn box_table(
    dialect: Dialect,
    boxes: &BoxSet,
    quasi: &[QuasiIdentifier<'_>],
    shown: &[AttributeLabels],
) -> TableExpression {
    let mut columns = vec![("box".to_owned(), ColumnKind::Whole)];
    for at in 0..quasi.len() {
        columns.extend(["low", "high"].map(|end| (format!("{end}{}", at + 1), ColumnKind::Whole)));
        if has_sets(boxes, at) {
            columns.push((format!("set{}", at + 1), ColumnKind::Text));
        }
    }
    let labels = shown.iter().map(|shown| shown.names.len()).sum::<usize>();
    columns.extend((1..=labels).map(|at| (format!("label{at}"), ColumnKind::Text)));
    let rows = (0..boxes.len()).map(|number| {
        let mut row = vec![number.to_string()];
        for (at, (&id, it)) in boxes.ids_of(number).iter().zip(quasi).enumerate() {
            let group = boxes.groups[at].get(id);
            let (low, high) = it.attribute.span(group);
            row.extend([low.to_string(), high.to_string()]);
            if has_sets(boxes, at) {
                let codes = 0..it.attribute.domain.len() as u32;
                let bits = codes.map(|code| match it.attribute.contains(group, code) {
                    true => '1',
                    false => '0',
                });
                row.push(dialect.text(&bits.collect::<String>()));
            }
        }
        for (at, &id) in boxes.ids_of(number).iter().enumerate() {
            let labels = shown[at].labels[id as usize].iter();
            row.extend(labels.map(|label| dialect.bytewise(&dialect.text(label))));
        }
        row
    });
    TableExpression::literal("boxes", LiteralRows { columns, rows: rows.collect() })
}

/// The first box that contains each combination of codes.
fn located(dialect: Dialect, boxes: &BoxSet, codes: &[String]) -> TableExpression {
    let mut inside = Vec::new();
    for (at, code) in codes.iter().enumerate() {
        let number = at + 1;
        inside.push(format!("c.{code} BETWEEN b.low{number} AND b.high{number}"));
        if has_sets(boxes, at) {
            let bit = dialect.character(&format!("b.set{number}"), &format!("c.{code} + 1"));
            inside.push(format!("{bit} = '1'"));
        }
    }
    let all = codes.join(", ");
    let of: Vec<String> = codes.iter().map(|code| format!("c.{code}")).collect();
    let of = of.join(", ");
    TableExpression::new(
        "located",
        format!(
            "SELECT {of}, MIN(b.box) AS box\n  FROM (SELECT DISTINCT {all} FROM coded) AS c\n  JOIN boxes AS b ON {}\n  \
             GROUP BY {of}",
            inside.join("\n    AND ")
        ),
    )
}
