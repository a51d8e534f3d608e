//! What is counted and looked at of a table that stays in its database.

use crate::{count_query, text_expression};
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::{FrequencyCounts, Table};
use incrowd_run::{
    Error, Result, RunPlan,
    backend::{SubjectEvidence, ValueCounts, ValueForm},
    data::text_of_field,
};

use super::TableInPlace;
use crate::postgres::rows::{each_row, rows_of};
use crate::postgres::table::quote;

/// Of a column that nobody has named so many different values are looked at.
const LOOKED_AT: u64 = 10_000;
/// Rows that share a value are looked at in about so many.
const ROWS_LOOKED_AT: u64 = 5_000;
/// What a decimal fraction looks like: it is no code.
const FRACTION: &str = "^[-+]?[0-9]*[.,][0-9]*[1-9][0-9]*$";
/// From so many rows it is found which columns follow from others.
const FOLLOWING: u64 = 20_000;

impl TableInPlace<'_> {
    /// Counts the combinations of values in some columns. Values of the unit are stood for by hashes.
    pub(super) fn counts(&mut self, columns: &[usize]) -> Result<FrequencyCounts> {
        let names: Vec<String> =
            columns.iter().map(|&at| self.table.columns[at].name.trim().to_owned()).collect();
        let texts = self.texts(columns);
        let query = count_query(&texts, &self.from());
        let mut counts = FrequencyCounts::new(names);
        let connection = &mut *self.connection;
        connection.copy_out("count the combinations", &rows_of(&query), |rows| {
            each_row(rows, |row| {
                let count = row.get(columns.len()).and_then(|text| text.parse().ok());
                let count: u64 = count.ok_or_else(|| Error::new("the database counted nothing"))?;
                Ok(counts.add(row.iter().take(columns.len()).map(String::as_str), count)?)
            })
        })?;
        Ok(counts)
    }

    /// The values of a column with how often each occurs; of very many values a share.
    pub(super) fn values(&mut self, column: usize) -> Result<ValueCounts> {
        let (text, from) = (self.text(column), self.from());
        let connection = &mut *self.connection;
        let distinct = connection.query(
            "count the values of a column",
            &format!("SELECT count(DISTINCT {text}) FROM {from}"),
            &[],
        )?;
        let distinct = distinct.first().map_or(0, |row| row.get::<_, i64>(0)) as u64;
        let mut scale = 1_u64;
        while distinct / scale > LOOKED_AT {
            scale *= 2;
        }
        let all = format!(
            "SELECT {text}, count(*) FROM {from} GROUP BY 1 HAVING ({text} IS NULL OR \
             hashtextextended({text}, {}) & {} = 0)",
            self.salt,
            scale - 1
        );
        let mut values = Vec::new();
        connection.copy_out("count the values of a column", &rows_of(&all), |rows| {
            each_row(rows, |row| {
                let count = row.get(1).and_then(|text| text.parse().ok()).unwrap_or(0);
                values.push((row.first().cloned().unwrap_or_default(), count));
                Ok(())
            })
        })?;
        Ok(ValueCounts { values, scale })
    }

    /// Rows that share values of a column, all rows of a share of its values: by hashes.
    pub(super) fn alike(
        &mut self,
        column: usize,
        quasi: &[usize],
        missing: &[String],
    ) -> Result<SubjectEvidence> {
        let (text, from) = (self.text(column), self.from());
        let connection = &mut *self.connection;
        let counted = connection.query(
            "look for values that repeat",
            &format!("SELECT count({text}) FROM {from}"),
            &[],
        )?;
        let rows = counted.first().map_or(0, |row| row.get::<_, i64>(0)) as u64;
        let one_of = (rows / ROWS_LOOKED_AT).max(1);
        let hashes: Vec<String> =
            quasi.iter().map(|&at| format!("coalesce(hashtext({}), 0)", self.text(at))).collect();
        let (from, salt) = (self.from(), self.salt);
        let missing = missing.iter().map(|token| format!("'{}'", token.trim().replace('\'', "''")));
        let missing: Vec<String> = missing.chain(["''".to_owned()]).collect();
        let query = format!(
            "SELECT CASE WHEN {text} ~ '{FRACTION}' THEN 'f' WHEN {text} ~ '[0-9]' THEN 'c' ELSE 'w' END, CASE WHEN btrim({text}) NOT IN ({}) THEN \
             hashtextextended(btrim({text}), {salt}) END AS incrowd_h, {} FROM {from}",
            missing.join(", "),
            hashes.join(", ")
        );
        // All rows of a share of the values, those of one value together.
        let query = format!(
            "SELECT * FROM ({query}) AS s WHERE incrowd_h & 9223372036854775807 < {} ORDER BY incrowd_h",
            i64::MAX as u64 / one_of
        );
        let mut found = SubjectEvidence::default();
        let connection = &mut *self.connection;
        connection.copy_out("look for values that repeat", &rows_of(&query), |rows| {
            each_row(rows, |row| {
                let hash: i64 = row.get(1).and_then(|text| text.parse().ok()).unwrap_or(0);
                let number = |text: &str| text.parse::<i32>().unwrap_or(0) as u32;
                let quasi: Vec<u32> = row.iter().skip(2).map(|text| number(text)).collect();
                let form = match row.first().map(String::as_str) {
                    Some("f") => ValueForm::Fraction,
                    Some("c") => ValueForm::Code,
                    _ => ValueForm::Word,
                };
                found.add(form, hash as u64, &quasi);
                Ok(())
            })
        })?;
        Ok(found)
    }

    /// Some rows by chance. The known columns are there as they are, as they are counted; of the others only what can be
    /// compared: numbers and times on a scale that nobody else knows, all else as hashes.
    pub(super) fn some_rows(
        &mut self,
        plan: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
    ) -> Result<Table> {
        let compared: Vec<String> =
            released.iter().map(|&at| self.compared(at, &plan.job.missing)).collect();
        let texts = self.texts(known).into_iter().chain(compared);
        let texts = texts.collect::<Vec<_>>().join(", ");
        let query =
            format!("SELECT {texts} FROM {} ORDER BY random() LIMIT {FOLLOWING}", self.from());
        let places = known.iter().chain(released);
        let mut columns: Vec<Column> = places
            .map(|&at| {
                let name = plan.source.columns()[at].clone();
                Column { name, dictionary: Dictionary::new(), codes: Vec::new() }
            })
            .collect();
        self.connection.copy_out("look at some rows", &rows_of(&query), |rows| {
            each_row(rows, |row| {
                for (column, field) in columns.iter_mut().zip(row) {
                    column.codes.push(column.dictionary.intern(text_of_field(field).unwrap_or("")));
                }
                Ok(())
            })
        })?;
        Ok(Table::new(columns)?)
    }

    /// A column as something that is equal, greater and less as its values are.
    fn compared(&self, at: usize, missing: &[String]) -> String {
        let column = &self.table.columns[at];
        let name = quote(&column.name);
        let kind = column.r#type.split('(').next().unwrap_or_default().trim();
        let scale = 1.0 + (self.salt.unsigned_abs() % 997) as f64 / 1_000.0;
        let on_scale =
            |number: String| format!("CAST(round(CAST({number} * {scale} AS numeric), 6) AS text)");
        match kind {
            "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision" => {
                on_scale(format!("CAST({name} AS double precision)"))
            }
            "date" => on_scale(format!("extract(epoch FROM CAST({name} AS timestamp))")),
            _ if kind.starts_with("timestamp") => on_scale(format!("extract(epoch FROM {name})")),
            _ => {
                let text = text_expression(&column.name, column.r#type == "boolean");
                let missing = missing.iter().map(|token| token.trim().replace('\'', "''"));
                let missing: Vec<String> = missing.map(|token| format!("'{token}'")).collect();
                let missing = missing.iter().map(String::as_str).chain(["''"]).collect::<Vec<_>>();
                format!(
                    "CASE WHEN btrim({text}) NOT IN ({}) THEN md5('{:x}' || btrim({text})) END",
                    missing.join(", "),
                    self.salt
                )
            }
        }
    }
}
