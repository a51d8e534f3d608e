//! What the types of columns are outside of the database.

use incrowd_run::{
    Result,
    data::{ColumnType, IntWidth, TimeUnit},
};

use crate::postgres::connection::Connection;
use crate::postgres::table::{SourceColumn, SourceTable, quote};

/// The digits that a decimal number can have in other formats.
const DIGITS: u8 = 38;

/// A type, or what has to be known of the values first.
enum TypeMapping {
    Known(ColumnType),
    /// Days and times can be infinite, or before our era, which others cannot say.
    Time(ColumnType),
    /// Numbers can be none, and have any number of digits where the type does not say how many.
    Numeric(Option<(u8, u8)>),
}

impl TypeMapping {
    fn of(column: &SourceColumn) -> Self {
        let written = column.kept.as_deref().unwrap_or_default();
        // What stands in parentheses are digits; behind them may come more of the name.
        let (name, digits) = match written.split_once('(') {
            None => (written.to_owned(), ""),
            Some((name, rest)) => {
                let (digits, rest) = rest.split_once(')').unwrap_or((rest, ""));
                (format!("{name}{rest}"), digits)
            }
        };
        let timestamp = |zone: Option<&str>| ColumnType::Timestamp {
            unit: TimeUnit::Microseconds,
            zone: zone.map(str::to_owned),
        };
        match name.as_str() {
            "boolean" => TypeMapping::Known(ColumnType::Boolean),
            "smallint" => TypeMapping::Known(ColumnType::Int(IntWidth::Bits16)),
            "integer" => TypeMapping::Known(ColumnType::Int(IntWidth::Bits32)),
            "bigint" => TypeMapping::Known(ColumnType::Int(IntWidth::Bits64)),
            "real" => TypeMapping::Known(ColumnType::Float32),
            "double precision" => TypeMapping::Known(ColumnType::Float64),
            "date" => TypeMapping::Time(ColumnType::Date),
            "timestamp without time zone" => TypeMapping::Time(timestamp(None)),
            // The session speaks UTC.
            "timestamp with time zone" => TypeMapping::Time(timestamp(Some("UTC"))),
            "numeric" => {
                let declared = digits.split_once(',').and_then(|(precision, scale)| {
                    Some((precision.trim().parse::<u8>().ok()?, scale.trim().parse::<u8>().ok()?))
                });
                let fits =
                    |&(precision, scale): &(u8, u8)| scale <= precision && precision <= DIGITS;
                TypeMapping::Numeric(declared.filter(fits))
            }
            _ => TypeMapping::Known(ColumnType::Text),
        }
    }

    /// What has to be known of the values, as a text.
    fn question(&self, column: &str) -> Option<String> {
        match self {
            TypeMapping::Known(_) => None,
            TypeMapping::Time(_) => Some(format!(
                "bool_and(isfinite({column}) AND {column} >= '0001-01-01' AND {column} < '10000-01-01')::text"
            )),
            // None of those that are no numbers, then the most digits behind the point and before it.
            TypeMapping::Numeric(_) => Some(format!(
                "CASE WHEN bool_or({column}::text ~ '[A-Za-z]') THEN 'none' ELSE max(scale({column}))::text || ' ' || \
                 max(length(split_part(abs({column})::text, '.', 1)))::text END"
            )),
        }
    }

    /// The type where the answer is this; the answer of no values at all is nothing.
    fn answered(self, answer: Option<&str>) -> ColumnType {
        match (self, answer) {
            (TypeMapping::Known(known) | TypeMapping::Time(known), None | Some("true")) => known,
            (TypeMapping::Known(_) | TypeMapping::Time(_), Some(_)) => ColumnType::Text,
            (TypeMapping::Numeric(_), Some("none")) => ColumnType::Text,
            (TypeMapping::Numeric(Some((precision, scale))), _) => {
                ColumnType::Decimal { precision, scale }
            }
            (TypeMapping::Numeric(None), None) => {
                ColumnType::Decimal { precision: DIGITS, scale: 0 }
            }
            (TypeMapping::Numeric(None), Some(answer)) => {
                let digits = answer.split_once(' ').and_then(|(scale, whole)| {
                    Some((scale.parse::<u8>().ok()?, whole.parse::<u8>().ok()?))
                });
                match digits {
                    Some((scale, whole)) if scale.saturating_add(whole) <= DIGITS => {
                        ColumnType::Decimal { precision: DIGITS, scale }
                    }
                    _ => ColumnType::Text,
                }
            }
        }
    }
}

/// The types of a table's columns where its rows go elsewhere. Text is what no other type holds without loss: so some values
/// are looked at.
pub(crate) fn column_types(
    connection: &mut Connection,
    table: &SourceTable,
) -> Result<Vec<ColumnType>> {
    let kinds: Vec<(TypeMapping, Option<String>)> = table
        .columns
        .iter()
        .map(|column| {
            let kind = TypeMapping::of(column);
            let question = kind.question(&quote(&column.name));
            (kind, question)
        })
        .collect();
    let questions: Vec<&str> =
        kinds.iter().filter_map(|(_, question)| question.as_deref()).collect();
    let answers: Vec<Option<String>> = match questions.is_empty() {
        true => Vec::new(),
        false => {
            let query = format!("SELECT {} FROM {}", questions.join(", "), table.from());
            let rows = connection.query("look at the types of the columns", &query, &[])?;
            let row = rows.first();
            (0..questions.len()).map(|at| row.and_then(|row| row.get(at))).collect()
        }
    };
    let mut answers = answers.iter();
    let answered = kinds.into_iter().map(|(kind, question)| {
        let answer = question.and_then(|_| answers.next()).and_then(Option::as_deref);
        kind.answered(answer)
    });
    Ok(answered.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(written: &str, answer: Option<&str>) -> ColumnType {
        let column = SourceColumn {
            name: "c".to_owned(),
            r#type: written.to_owned(),
            kept: Some(written.to_owned()),
            collation: None,
        };
        TypeMapping::of(&column).answered(answer)
    }

    #[test]
    fn types_are_those_that_hold_every_value() {
        let decimal = |precision, scale| ColumnType::Decimal { precision, scale };
        let zoned = |zone: Option<&str>| ColumnType::Timestamp {
            unit: TimeUnit::Microseconds,
            zone: zone.map(str::to_owned),
        };
        for (written, answer, kind) in [
            ("integer", None, ColumnType::Int(IntWidth::Bits32)),
            ("character varying(9)", None, ColumnType::Text),
            ("interval", None, ColumnType::Text),
            ("date", Some("true"), ColumnType::Date),
            ("date", None, ColumnType::Date),
            ("date", Some("false"), ColumnType::Text),
            ("timestamp(3) without time zone", Some("true"), zoned(None)),
            ("timestamp with time zone", Some("true"), zoned(Some("UTC"))),
            ("numeric(5,2)", Some("2 3"), decimal(5, 2)),
            ("numeric(5,2)", Some("none"), ColumnType::Text),
            ("numeric(50,2)", Some("2 3"), decimal(38, 2)),
            ("numeric(3,-2)", Some("0 5"), decimal(38, 0)),
            ("numeric", Some("3 4"), decimal(38, 3)),
            ("numeric", Some("20 19"), ColumnType::Text),
            ("numeric", Some("300 1"), ColumnType::Text),
            ("numeric", None, decimal(38, 0)),
        ] {
            assert_eq!(of(written, answer), kind, "{written} {answer:?}");
        }
    }
}
