//! Tables that are held as combinations with how often each occurs: read, they give every row.

use std::io::{self, BufRead, BufReader, Read};

/// A column whose values were left where the table lies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteColumn {
    /// Its name.
    pub name: String,
    /// How many rows have a value in it.
    pub present: u64,
    /// How many different values there are.
    pub different: u64,
    /// How many of the different values are written like codes of people.
    pub codes: u64,
    /// The least and the greatest value, where all are whole numbers.
    pub ends: Option<(i64, i64)>,
}

impl RemoteColumn {
    /// A column with values in so many rows, so many of them different.
    pub fn new(name: impl Into<String>, present: u64, different: u64) -> Self {
        RemoteColumn { name: name.into(), present, different, codes: 0, ends: None }
    }

    /// Tells how many of the different values are codes of people, and the ends of whole numbers.
    #[must_use]
    pub fn with_values(self, codes: u64, ends: Option<(i64, i64)>) -> Self {
        RemoteColumn { codes, ends, ..self }
    }

    /// What people should know of it.
    pub fn note(&self) -> String {
        let RemoteColumn { name, present, different, .. } = self;
        format!(
            "column `{name}` has {different} different values in {present} rows, so it is \
             likely identifying; its values were not read"
        )
    }
}

/// Of a column with fewer values than this the values may come along, however different they are.
const FEW_VALUES: u64 = 100;

impl RemoteColumn {
    /// Whether the values tell rows apart, so that they are better left where they are.
    pub fn tells_rows_apart(&self) -> bool {
        self.different >= FEW_VALUES && self.different * 2 > self.present
    }
}

/// What has to be known of a column of a table that is counted where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnDetail {
    /// That it is there: its fields are empty.
    Name,
    /// How many different values it has: its fields are empty.
    Count,
    /// Its values.
    Values,
    /// Its values if rows share them; otherwise how many it has, and the column does not come along.
    SharedValues,
}

/// Gives each record as often as its first field says, without that field; the header once.
pub(super) struct RepeatingReader<R> {
    input: BufReader<R>,
    /// What is given again and again: a record with its end.
    record: Vec<u8>,
    /// How far the record has been given.
    at: usize,
    /// How often it is to be given after this time.
    again: u64,
    begun: bool,
}

impl<R: Read> RepeatingReader<R> {
    pub(super) fn new(input: R) -> Self {
        let input = BufReader::with_capacity(1 << 16, input);
        RepeatingReader { input, record: Vec::new(), at: 0, again: 0, begun: false }
    }

    /// Takes the next record; `false` at the end.
    fn advance(&mut self) -> io::Result<bool> {
        self.record.clear();
        self.at = 0;
        // A line break between quotes is part of a field.
        loop {
            if self.input.read_until(b'\n', &mut self.record)? == 0 {
                break;
            }
            if memchr::memchr_iter(b'"', &self.record).count().is_multiple_of(2) {
                break;
            }
        }
        if self.record.is_empty() {
            return Ok(false);
        }
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "a combination has no count");
        let first = memchr::memchr(b',', &self.record).ok_or_else(broken)?;
        let times = match std::mem::replace(&mut self.begun, true) {
            false => 1,
            true => {
                let text = std::str::from_utf8(&self.record[..first]).map_err(|_| broken())?;
                text.trim_matches('"').parse::<u64>().map_err(|_| broken())?
            }
        };
        // A table without rows has one combination of nothing, which occurs never.
        let Some(again) = times.checked_sub(1) else { return self.advance() };
        self.again = again;
        self.record.drain(..=first);
        Ok(true)
    }
}

impl<R: Read> Read for RepeatingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut given = 0;
        while given < buffer.len() {
            if self.at == self.record.len() {
                if self.again > 0 {
                    self.again -= 1;
                    self.at = 0;
                } else if !self.advance()? {
                    break;
                }
            }
            let count = (self.record.len() - self.at).min(buffer.len() - given);
            buffer[given..given + count].copy_from_slice(&self.record[self.at..self.at + count]);
            self.at += count;
            given += count;
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use incrowd_engine::Control;

    use crate::{Result, Source};

    fn rows_of(text: &str) -> Result<Vec<Vec<String>>> {
        let source = Source::from_counted(&mut text.as_bytes(), "counted", Vec::new(), Some(2))?;
        let columns: Vec<usize> = (0..source.columns().len()).collect();
        let mut rows = vec![source.columns().to_vec()];
        source.with_sizes(16, 1 << 10).map_in_order(
            &columns,
            |chunk| {
                let row = |at| columns.iter().map(move |&c| chunk.field(at, c).to_owned());
                Ok((0..chunk.rows()).map(|at| row(at).collect()).collect::<Vec<Vec<_>>>())
            },
            |found| {
                rows.extend(found);
                Ok(())
            },
            &Control::new(),
        )?;
        Ok(rows)
    }

    #[test]
    fn every_row_is_given() -> Result<()> {
        let rows = rows_of("n,zip,note\n3,12,\"a \"\"b\"\"\nc\"\n1,,x\n\"2\",\"\",\\N\n")?;
        let a = ["12", "a \"b\"\nc"];
        assert_eq!(rows, [["zip", "note"], a, a, a, ["", "x"], ["", "\\N"], ["", "\\N"]]);
        Ok(())
    }

    #[test]
    fn one_row_many_times() -> Result<()> {
        assert_eq!(rows_of("n,zip\n100000,1\n")?.len(), 100_001);
        assert_eq!(rows_of("n,zip\n")?, [["zip"]]);
        assert_eq!(rows_of("n,zip\n0,\\N\n")?, [["zip"]]);
        Ok(())
    }

    #[test]
    fn a_record_without_a_count_is_refused() {
        for text in ["n,zip\nx,1\n", "n,zip\n-1,1\n", "n,zip\n3\n"] {
            let error = rows_of(text).map(|_| ()).expect_err(text);
            assert!(error.to_string().contains("a combination has no count"), "{error}");
        }
    }
}
