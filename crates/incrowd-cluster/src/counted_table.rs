//! A table of which only the combinations are here, as a source like any other.

use std::collections::BTreeMap;
use std::io::Read;

use arrow_array::RecordBatch;
use incrowd_run::assess::linking_of_left;
use incrowd_run::data::{ColumnDetail, NULL, RemoteColumn, Source, text_of_field};
use incrowd_run::{Error, Result};

use super::combinations::CombinationColumns;

/// A table that is counted where it lies: what has to be known of its columns, and in the end the combinations of values.
#[derive(Debug, Clone)]
pub struct CountedTable {
    columns: Vec<(String, ColumnDetail)>,
    /// The k of a release of which columns that show which rows belong together are asked for.
    linking: Option<u64>,
    told: BTreeMap<String, RemoteColumn>,
    batches: Vec<RecordBatch>,
    has_empty_text: bool,
    rows: u64,
}

impl CountedTable {
    /// A table of these columns; nothing of its rows is here yet.
    pub fn new(columns: Vec<(String, ColumnDetail)>) -> Self {
        CountedTable {
            columns,
            linking: None,
            told: BTreeMap::new(),
            batches: Vec::new(),
            has_empty_text: false,
            rows: 0,
        }
    }

    /// The same where the values of a column that shows which rows belong together come along.
    #[must_use]
    pub fn with_linking(self, k: Option<u64>) -> Self {
        CountedTable { linking: k, ..self }
    }

    /// The columns of which has to be told how many values they have, before the others are counted.
    pub fn tallied(&self) -> Vec<String> {
        let asked = |detail| matches!(detail, ColumnDetail::Count | ColumnDetail::SharedValues);
        let tallied = self.columns.iter().filter(|(_, detail)| asked(*detail));
        tallied.map(|(name, _)| name.clone()).collect()
    }

    /// Tells of the values of a column.
    pub fn tell(&mut self, column: RemoteColumn) {
        self.told.insert(column.name.clone(), column);
    }

    /// The columns whose combinations are counted, in order.
    pub fn counted(&self) -> Vec<String> {
        let linking = self.linking_column();
        let counted = self.columns.iter().filter(|(name, detail)| match detail {
            ColumnDetail::Values => true,
            ColumnDetail::SharedValues => !self.tells_rows_apart(name),
            ColumnDetail::Count => linking == Some(name.as_str()),
            ColumnDetail::Name => false,
        });
        counted.map(|(name, _)| name.clone()).collect()
    }

    fn tells_rows_apart(&self, name: &str) -> bool {
        self.told.get(name).is_some_and(RemoteColumn::tells_rows_apart)
    }

    /// The column that shows which rows belong together, among those that nobody has named.
    fn linking_column(&self) -> Option<&str> {
        let unnamed = self.columns.iter().filter(|(_, detail)| *detail == ColumnDetail::Count);
        let told = unnamed.filter_map(|(name, _)| self.told.get(name));
        linking_of_left(&told.cloned().collect::<Vec<_>>(), self.linking?)
            .and_then(|found| self.told.get_key_value(&found.name))
            .map(|(name, _)| name.as_str())
    }

    /// Takes counted combinations.
    pub fn add(&mut self, batch: RecordBatch) -> Result<()> {
        let width = self.counted().len();
        let combinations = CombinationColumns::new(&batch, width)?;
        for at in 0..combinations.len() {
            self.rows += combinations.rows(at);
            self.has_empty_text |= (0..width).any(|of| combinations.text(of, at).is_empty());
        }
        self.batches.push(batch);
        Ok(())
    }

    /// How many rows were counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The table, which gives every row when it is read.
    pub fn source(&self, threads: Option<usize>) -> Result<Source> {
        let counted = self.counted();
        let is_gone = |name: &str, detail: &ColumnDetail| {
            *detail == ColumnDetail::SharedValues && !counted.iter().any(|other| other == name)
        };
        let there = self.columns.iter().filter(|(name, detail)| !is_gone(name, detail));
        let columns: Vec<&str> = there.map(|(name, _)| name.as_str()).collect();
        if columns.is_empty() {
            return Err(Error::new("every column of the table tells its rows apart")
                .help("leave out columns that name or number people"));
        }
        let left = self.columns.iter().filter_map(|(name, _)| self.told.get(name));
        let left = left.filter(|column| !counted.contains(&column.name)).cloned().collect();
        let places =
            columns.iter().map(|name| counted.iter().position(|other| other == name)).collect();
        let mut text = CountedText {
            table: self,
            columns,
            places,
            width: counted.len(),
            batch: 0,
            at: None,
            line: Vec::new(),
            given: 0,
        };
        let source = Source::from_counted(&mut text, "the table", left, threads)?;
        // As for tables in memory: told apart where both are there.
        Ok(if self.has_empty_text { source.with_null(NULL) } else { source })
    }
}

/// A counted table as text, record by record.
struct CountedText<'t> {
    table: &'t CountedTable,
    columns: Vec<&'t str>,
    /// Of each column the place among the counted ones; the others have no values here.
    places: Vec<Option<usize>>,
    width: usize,
    batch: usize,
    /// The combinations of the batch and how far they were told; none before the header.
    at: Option<(CombinationColumns<'t>, usize)>,
    line: Vec<u8>,
    given: usize,
}

impl CountedText<'_> {
    /// Makes the next record; `false` at the end.
    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        self.given = 0;
        let table = self.table;
        loop {
            match &mut self.at {
                None if self.batch == 0 => {
                    self.line.extend_from_slice(b"n");
                    for name in &self.columns {
                        self.line.push(b',');
                        quoted(name, &mut self.line);
                    }
                    self.line.push(b'\n');
                    self.at = Some((CombinationColumns::none(self.width), 0));
                    return Ok(true);
                }
                Some((combinations, at)) if *at < combinations.len() => {
                    self.line.extend_from_slice(combinations.rows(*at).to_string().as_bytes());
                    for place in &self.places {
                        self.line.push(b',');
                        let field = place.map_or(NULL, |place| combinations.text(place, *at));
                        match text_of_field(field) {
                            Some(text) => quoted(text, &mut self.line),
                            None if table.has_empty_text => {
                                self.line.extend_from_slice(NULL.as_bytes());
                            }
                            None => {}
                        }
                    }
                    self.line.push(b'\n');
                    *at += 1;
                    return Ok(true);
                }
                _ => match table.batches.get(self.batch) {
                    None => return Ok(false),
                    Some(batch) => {
                        self.at = Some((CombinationColumns::new(batch, self.width)?, 0));
                        self.batch += 1;
                    }
                },
            }
        }
    }
}

/// A field between quotes, so that it is never NULL.
fn quoted(text: &str, line: &mut Vec<u8>) {
    line.push(b'"');
    for (at, part) in text.split('"').enumerate() {
        if at > 0 {
            line.extend_from_slice(b"\"\"");
        }
        line.extend_from_slice(part.as_bytes());
    }
    line.push(b'"');
}

impl Read for CountedText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.line.len() && !self.advance().map_err(std::io::Error::other)? {
            return Ok(0);
        }
        let count = (self.line.len() - self.given).min(buffer.len());
        buffer[..count].copy_from_slice(&self.line[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use incrowd_engine::Control;
    use incrowd_run::data::read_table;

    use super::*;

    fn batch(rows: &[(&str, &str, i64)]) -> RecordBatch {
        let text = |of: fn(&(&str, &str, i64)) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
        };
        let counts: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|it| it.2)));
        let columns = [
            ("v0", text(|it| it.0.to_owned())),
            ("v1", text(|it| it.1.to_owned())),
            ("rows", counts),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn every_row_is_there_and_null_is_none_where_there_is_no_empty_text() {
        use ColumnDetail::{Name, Values};
        let details = [("age", Values), ("name", Name), ("zip", Values)];
        let columns = details.map(|(name, detail)| (name.to_owned(), detail));
        for (empty, expected) in [("x", ""), ("", "\\N")] {
            let mut table = CountedTable::new(columns.to_vec());
            table.add(batch(&[("7", "a,\"b\"\nc", 2), ("\\N", empty, 1)])).unwrap();
            let source = table.source(Some(1)).unwrap();
            let read = read_table(&source, None, &Control::new()).unwrap();
            assert_eq!(table.rows(), 3);
            let column = |at: usize| -> Vec<String> {
                (0..read.rows()).map(|row| read.columns()[at].value(row).to_owned()).collect()
            };
            assert_eq!(column(0), ["7", "7", expected]);
            assert_eq!(column(2), ["a,\"b\"\nc", "a,\"b\"\nc", empty]);
        }
    }
}
