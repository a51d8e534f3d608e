//! Counted rows: all that a search needs to know of a table.

use serde::{Deserialize, Serialize};

use super::counter::ProfileCounter;
use super::dictionary::Dictionary;
use super::table::Table;
use super::value::Value;
use crate::kit::{Error, Result, words};

/// What one pass over the rows yields: the columns' distinct values and the counted combinations.
///
/// The columns are those of [`ProblemSpec::columns`](crate::ProblemSpec::columns): the quasi-identifiers, then
/// the targets (sensitive and class columns), whose values must be counted together with the combination they
/// stand beside. Counts can be made anywhere a GROUP BY can be made, sent as they are, and merged in any order:
/// the problem posed from them is the same.
///
/// ```
/// use incrowd_engine::{FrequencyCounts, Problem, ProblemSpec};
/// let mut one = FrequencyCounts::from_groups(["age", "sex"], [(["34", "F"], 2), (["35", "M"], 1)])?;
/// let other = FrequencyCounts::from_groups(["age", "sex"], [(["34", "F"], 40_000_000_000)])?;
/// one.merge(&other)?;
/// assert_eq!((one.rows(), one.combinations()), (40_000_000_003, 2));
/// let problem = Problem::build(&ProblemSpec::new(2).quasi("age").quasi("sex"), &one)?;
/// assert_eq!(problem.rows, 40_000_000_003);
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FrequencyCounts {
    /// Name and distinct values of each counted column.
    pub columns: Vec<(String, Dictionary)>,
    /// The combinations of their codes.
    pub cells: ProfileCounter,
}

impl FrequencyCounts {
    /// Nothing counted yet, in columns of these names.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let columns: Vec<(String, Dictionary)> =
            names.into_iter().map(|name| (name.into(), Dictionary::new())).collect();
        FrequencyCounts { cells: ProfileCounter::new(columns.len()), columns }
    }

    /// Counts the named columns of a table in memory; `Err` is the name that the table lacks.
    pub fn of_table(table: &Table, names: &[String]) -> Result<Self, String> {
        let columns = names
            .iter()
            .map(|name| table.column(name).ok_or_else(|| name.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut cells = ProfileCounter::new(columns.len());
        let mut key = vec![0; columns.len()];
        for row in 0..table.rows() {
            for (code, column) in key.iter_mut().zip(&columns) {
                *code = column.codes[row];
            }
            cells.add(&key, 1);
        }
        let columns = columns.iter().map(|c| (c.name.clone(), c.dictionary.clone())).collect();
        Ok(FrequencyCounts { columns, cells })
    }

    /// Counts made elsewhere: combinations of values, each with the number of rows that carry it. A combination
    /// may come several times.
    pub fn from_groups<'v, N, G, V>(
        names: impl IntoIterator<Item = N>,
        groups: impl IntoIterator<Item = (G, u64)>,
    ) -> Result<Self>
    where
        N: Into<String>,
        G: IntoIterator<Item = V>,
        V: Into<Value<'v>>,
    {
        let mut counts = Self::new(names);
        for (values, count) in groups {
            counts.add(values, count)?;
        }
        Ok(counts)
    }

    /// Counts so many rows of a combination of values, one for each column.
    pub fn add<'v, V: Into<Value<'v>>>(
        &mut self,
        values: impl IntoIterator<Item = V>,
        count: u64,
    ) -> Result<()> {
        let mut values = values.into_iter();
        let mut key = Vec::with_capacity(self.columns.len());
        for (_, dictionary) in &mut self.columns {
            let Some(value) = values.next() else { break };
            key.push(dictionary.intern(&value.into().text()));
        }
        let found = key.len() + values.count();
        if found != self.columns.len() {
            return Err(Error::new(format!(
                "a combination has {}, but there are {}",
                words::count(found as u64, "value", "values"),
                words::count(self.columns.len() as u64, "column", "columns")
            )));
        }
        if self.cells.rows().checked_add(count).is_none() {
            return Err(Error::new("there are more than 2^64 rows"));
        }
        if count > 0 {
            self.cells.add(&key, count);
        }
        Ok(())
    }

    /// Adds what was counted of another part of the same table.
    pub fn merge(&mut self, other: &FrequencyCounts) -> Result<()> {
        let names = |counts: &FrequencyCounts| -> Vec<String> {
            counts.columns.iter().map(|(name, _)| name.clone()).collect()
        };
        if names(self) != names(other) {
            return Err(Error::new(format!(
                "the parts count different columns: {} and {}",
                words::list(&names(self)),
                words::list(&names(other))
            )));
        }
        if self.cells.rows().checked_add(other.cells.rows()).is_none() {
            return Err(Error::new("there are more than 2^64 rows"));
        }
        let translation: Vec<Vec<u32>> = self
            .columns
            .iter_mut()
            .zip(&other.columns)
            .map(|((_, known), (_, new))| new.iter().map(|value| known.intern(value)).collect())
            .collect();
        self.cells.merge(&other.cells, &translation);
        Ok(())
    }

    /// How many rows have been counted.
    pub fn rows(&self) -> u64 {
        self.cells.rows()
    }

    /// How many distinct combinations there are.
    pub fn combinations(&self) -> usize {
        self.cells.len()
    }
}

/// Counts on their way from one process to another.
#[derive(Serialize, Deserialize)]
struct CountsMessage {
    version: u32,
    columns: Vec<(String, Vec<String>)>,
    /// A code per column, combination after combination.
    codes: Vec<u32>,
    counts: Vec<u64>,
}

const VERSION: u32 = 1;

impl Serialize for FrequencyCounts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut groups: Vec<(Vec<u32>, u64)> = Vec::with_capacity(self.cells.len());
        self.cells.for_each(|codes, count| groups.push((codes.to_vec(), count)));
        // The same counts are the same bytes.
        groups.sort_unstable();
        let columns = self.columns.iter().map(|(name, values)| {
            (name.clone(), values.iter().map(str::to_owned).collect::<Vec<_>>())
        });
        CountsMessage {
            version: VERSION,
            columns: columns.collect(),
            codes: groups.iter().flat_map(|(codes, _)| codes.iter().copied()).collect(),
            counts: groups.iter().map(|(_, count)| *count).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FrequencyCounts {
    /// Whatever is read, what comes back is sound: every code has its value.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let CountsMessage { version, columns, codes, counts } =
            CountsMessage::deserialize(deserializer)?;
        if version != VERSION {
            return Err(D::Error::custom(format!("counts of version {version} cannot be read")));
        }
        let mut read = FrequencyCounts::new(columns.iter().map(|(name, _)| name.as_str()));
        for ((_, known), (name, values)) in read.columns.iter_mut().zip(&columns) {
            values.iter().for_each(|value| _ = known.intern(value));
            if known.len() != values.len() {
                return Err(D::Error::custom(format!("a value of column {name:?} comes twice")));
            }
        }
        let width = columns.len();
        if codes.len() != counts.len() * width {
            return Err(D::Error::custom("there are not as many codes as combinations need"));
        }
        for (at, &count) in counts.iter().enumerate() {
            let key = &codes[at * width..(at + 1) * width];
            let known = key.iter().zip(&read.columns);
            if known.clone().any(|(&code, (_, values))| code as usize >= values.len()) {
                return Err(D::Error::custom("a code stands for no value"));
            }
            if read.cells.rows().checked_add(count).is_none() {
                return Err(D::Error::custom("there are more than 2^64 rows"));
            }
            read.cells.add(key, count);
        }
        Ok(read)
    }
}
