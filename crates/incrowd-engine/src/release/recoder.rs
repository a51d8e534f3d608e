//! Rows recoded in batches of any size.

use super::Release;
use super::row_assignment::{RowAssigner, RowCounts, RowDisposition};
use crate::kit::{Error, ErrorKind, Result, ShuffleKey, Shuffler};
use crate::problem::{Problem, not_counted};
use crate::table::{Column, Dictionary, ProfileIndex, Table, UNSEEN};
use crate::value::BLANK;

/// Gives every row of a counted table its place in a release, batch by batch.
///
/// It holds what a second pass over the rows needs: the problem, which knows the counted values and their codes, and the
/// release. Batches may have any dictionaries: values are found by what they are. Batches may be of any size, one row included: what becomes of a row depends on the row and on its number
/// among its likes, not on its batch.
///
/// ```
/// use incrowd_engine::{Algorithm, Control, FrequencyCounts, Method, Problem, ProblemSpec, Recoder, Release, SuppressionMode, Table};
///
/// let names = ["age", "zip", "disease"];
/// let rows = [["25", "53711", "flu"], ["26", "53711", "cold"], ["27", "53710", "flu"], ["28", "53711", "gout"]];
/// let spec = ProblemSpec::new(2).quasi("age").quasi("zip");
/// let counts = FrequencyCounts::of_table(&Table::from_rows(&names, &rows)?, &spec.columns()).unwrap();
/// let problem = Problem::build(&spec, &counts)?;
/// let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::new())?;
/// let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
/// let recoder = Recoder::new(&problem, &release);
/// let mut assigner = recoder.assigner();
/// for row in rows {
///     let batch = Table::from_rows(&names, &[row])?;
///     let released = recoder.recode(&batch, &mut assigner, &["disease"])?;
///     assert_eq!(released.columns().len(), 3);
/// }
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct Recoder<'a> {
    problem: &'a Problem,
    release: &'a Release,
    index: ProfileIndex,
}

impl<'a> Recoder<'a> {
    /// A recoder for the rows that `problem` was posed for.
    pub fn new(problem: &'a Problem, release: &'a Release) -> Self {
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        Recoder { problem, release, index }
    }

    /// The problem.
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// The release.
    pub fn release(&self) -> &'a Release {
        self.release
    }

    /// The columns that a batch must have: the quasi-identifiers, then the targets.
    pub fn columns(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.problem.columns()
    }

    /// Assigns the rows of the first batch.
    pub fn assigner(&self) -> RowAssigner<'a> {
        self.release.assigner()
    }

    /// Assigns the rows of a part of the table, of which so many of each kind come before.
    pub fn assigner_after(&self, before: &RowCounts) -> RowAssigner<'a> {
        self.release.assigner_after(before)
    }

    /// The profile and the target of each row of a batch; none for a row with a value that the problem leaves out. A value that was not counted is an error: the rows are not
    /// those that the problem was posed for.
    pub fn places(&self, batch: &Table) -> Result<Vec<Option<(u32, u32)>>> {
        let columns = self.problem.columns().zip(&self.problem.codebooks);
        let codes = columns
            .map(|(name, codebook)| {
                let column = batch.column(name).ok_or_else(|| missing(name))?;
                let codes = codebook
                    .codes_for(&column.dictionary)
                    .map_err(|value| not_counted(name, value))?;
                Ok(column.codes.iter().map(|&at| codes[at as usize]).collect())
            })
            .collect::<Result<Vec<Vec<u32>>>>()?;
        let width = self.problem.attributes.len();
        let mut key = vec![0; codes.len()];
        (0..batch.rows())
            .map(|row| {
                key.iter_mut().zip(&codes).for_each(|(to, column)| *to = column[row]);
                let (quasi, target) = key.split_at(width);
                if quasi.contains(&UNSEEN) {
                    return Ok(None);
                }
                let cell = self.index.find(quasi).ok_or_else(never_counted)?;
                let target = match target {
                    [] => 0,
                    target => self.problem.targets.find(target).ok_or_else(never_counted)?,
                };
                Ok(Some((cell, target)))
            })
            .collect()
    }

    /// How many rows of each kind a batch has: what parts that are recoded apart must know of those before them.
    pub fn numbers(&self, batch: &Table) -> Result<RowCounts> {
        let mut numbers = RowCounts::new();
        for (cell, target) in self.places(batch)?.into_iter().flatten() {
            numbers.count(cell, target);
        }
        Ok(numbers)
    }

    /// What becomes of each row of a batch.
    pub fn dispositions(
        &self,
        batch: &Table,
        assigner: &mut RowAssigner<'_>,
    ) -> Result<Vec<RowDisposition>> {
        let assign = |place: Option<(u32, u32)>| match place {
            Some((cell, target)) => assigner.assign(cell, || target),
            None => RowDisposition::Dropped,
        };
        Ok(self.places(batch)?.into_iter().map(assign).collect())
    }

    /// The released rows of a batch, in the batch's order: the quasi-identifiers as their classes show them, and
    /// the columns of `keep` as they are. No other column is released.
    pub fn recode(
        &self,
        batch: &Table,
        assigner: &mut RowAssigner<'_>,
        keep: &[&str],
    ) -> Result<Table> {
        let dispositions = self.dispositions(batch, assigner)?;
        self.release.recoded(self.problem, batch, &dispositions, keep)
    }
}

fn missing(column: &str) -> Error {
    Error::new(format!("the rows lack the column {column:?}, which was counted"))
        .of_kind(ErrorKind::Changed)
}

fn never_counted() -> Error {
    Error::new("a row has a combination of values that did not occur when rows were counted")
        .of_kind(ErrorKind::Changed)
        .help("count the rows again: the table has changed since")
}

impl Release {
    /// The released table of the table that the problem was made of: the quasi-identifiers as their classes show
    /// them and the columns of `keep` as they are, no other column, rows in an order drawn from `seed`, which
    /// must be kept secret: with it the order can be undone.
    pub fn table(
        &self,
        problem: &Problem,
        table: &Table,
        keep: &[&str],
        seed: impl Into<ShuffleKey>,
    ) -> Result<Table> {
        let mut released = self.table_in_order(problem, table, keep)?;
        let mut order: Vec<u32> = (0..released.rows() as u32).collect();
        Shuffler::new(seed.into()).shuffle(&mut order);
        released.rearrange(&order);
        Ok(released)
    }

    /// The same with rows in the table's order. To compare row by row: published, it tells who is who.
    pub fn table_in_order(&self, problem: &Problem, table: &Table, keep: &[&str]) -> Result<Table> {
        let recoder = Recoder::new(problem, self);
        recoder.recode(table, &mut recoder.assigner(), keep)
    }

    fn recoded(
        &self,
        problem: &Problem,
        table: &Table,
        dispositions: &[RowDisposition],
        keep: &[&str],
    ) -> Result<Table> {
        if let Some(name) = keep.iter().find(|name| table.column(name).is_none()) {
            return Err(Error::new(format!("the table has no column {name:?} to keep")));
        }
        let mut columns: Vec<Column> = Vec::new();
        for column in table.columns() {
            let Some(at) = problem.attributes.iter().position(|a| a.name == column.name) else {
                if keep.contains(&column.name.as_str()) {
                    columns.push(released(&column.name, dispositions, |row, _| column.value(row)));
                }
                continue;
            };
            for (field, name) in self.names(at).iter().enumerate() {
                columns.push(released(name, dispositions, |_, disposition| match disposition {
                    RowDisposition::Class(class) => {
                        &self.labels(at)[self.label_of(at, class) as usize][field]
                    }
                    RowDisposition::Blank | RowDisposition::Dropped => BLANK,
                }));
            }
        }
        Table::new(columns)
    }
}

/// A column of the rows that are released. Its dictionary is made anew: values of rows that are not released must
/// not travel along.
fn released<'a>(
    name: &str,
    dispositions: &[RowDisposition],
    value: impl Fn(usize, RowDisposition) -> &'a str,
) -> Column {
    let mut dictionary = Dictionary::new();
    let codes = dispositions
        .iter()
        .enumerate()
        .filter(|(_, disposition)| **disposition != RowDisposition::Dropped)
        .map(|(row, &disposition)| dictionary.intern(value(row, disposition)))
        .collect();
    Column { name: name.to_owned(), dictionary, codes }
}
