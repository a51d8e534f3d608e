//! Combinations that are too many for one place: counted as rows of a table, of which only margins come together.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use incrowd_engine::{Control, FrequencyCounts};
use incrowd_run::{Error, Result, data::Chunk};
use serde::{Deserialize, Serialize};

use super::messages::travels;
use super::reading_plan::ReadingPlan;

/// So many combinations are kept before they are handed on.
const KEPT: usize = 1 << 18;

/// The column that says how many rows have a combination.
pub const ROWS_COLUMN: &str = "rows";

/// The name of the column that holds the values of a counted one.
pub fn value_column(at: usize) -> String {
    format!("v{at}")
}

/// Counts the combinations of a part, handing them on before they are too many.
#[derive(Debug)]
pub struct CombinationCounter {
    reading: ReadingPlan,
    counts: FrequencyCounts,
}

impl CombinationCounter {
    /// Nothing yet.
    pub fn new(reading: ReadingPlan) -> Self {
        let counts = FrequencyCounts::new(reading.counted.iter().map(String::as_str));
        CombinationCounter { reading, counts }
    }

    /// Counts a batch; what is handed on, if it is time.
    pub fn add(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        let source = self.reading.source(batch)?;
        let names: Vec<&str> = self.reading.counted.iter().map(String::as_str).collect();
        let read = ReadingPlan::places(&source, &names)?;
        let counts = std::sync::Mutex::new(&mut self.counts);
        let step = |key: &mut Vec<u32>, chunk: &Chunk| {
            let mut counts = counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            key.resize(read.len(), 0);
            for row in 0..chunk.rows() {
                for (at, (code, (_, known))) in key.iter_mut().zip(&mut counts.columns).enumerate()
                {
                    *code = known.intern(chunk.field(row, at));
                }
                counts.cells.add(key, 1);
            }
            Ok(())
        };
        source.fold(&read, Vec::new, step, &Control::new())?;
        match self.counts.combinations() > KEPT {
            true => self.take().map(Some),
            false => Ok(None),
        }
    }

    /// What is left to hand on.
    pub fn take(&mut self) -> Result<RecordBatch> {
        let names = self.reading.counted.iter().map(String::as_str);
        let counts = std::mem::replace(&mut self.counts, FrequencyCounts::new(names));
        let mut texts: Vec<StringBuilder> =
            counts.columns.iter().map(|_| StringBuilder::new()).collect();
        let mut rows = Vec::with_capacity(counts.combinations());
        counts.cells.for_each(|codes, count| {
            for ((text, &code), (_, known)) in texts.iter_mut().zip(codes).zip(&counts.columns) {
                text.append_value(known.value(code));
            }
            rows.push(count as i64);
        });
        let fields = (0..texts.len()).map(|at| Field::new(value_column(at), DataType::Utf8, true));
        let fields: Vec<Field> =
            fields.chain([Field::new(ROWS_COLUMN, DataType::Int64, true)]).collect();
        let mut arrays: Vec<ArrayRef> =
            texts.iter_mut().map(|text| Arc::new(text.finish()) as ArrayRef).collect();
        arrays.push(Arc::new(Int64Array::from(rows)));
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|e| Error::new(format!("the combinations cannot be merged: {e}")))
    }
}

/// The texts of counted combinations, column by column, and how many rows have each.
pub(super) struct CombinationColumns<'b> {
    texts: Vec<Vec<&'b str>>,
    rows: Vec<u64>,
}

impl<'b> CombinationColumns<'b> {
    /// No combinations of so many columns.
    pub(super) fn none(width: usize) -> Self {
        CombinationColumns { texts: vec![Vec::new(); width], rows: Vec::new() }
    }

    pub(super) fn new(batch: &'b RecordBatch, width: usize) -> Result<Self> {
        let strange = || Error::new("the counted combinations are inconsistent");
        let texts = (0..width).map(|at| {
            let array = batch.column_by_name(&value_column(at)).ok_or_else(strange)?;
            let text = |row: usize| -> Result<&'b str> {
                Ok(match array.data_type() {
                    _ if array.is_null(row) => "",
                    DataType::Utf8 => array.as_string::<i32>().value(row),
                    DataType::LargeUtf8 => array.as_string::<i64>().value(row),
                    DataType::Utf8View => array.as_string_view().value(row),
                    _ => return Err(strange()),
                })
            };
            (0..batch.num_rows()).map(text).collect::<Result<Vec<_>>>()
        });
        let texts = texts.collect::<Result<Vec<_>>>()?;
        let rows = batch.column_by_name(ROWS_COLUMN).ok_or_else(strange)?;
        let rows = rows.as_primitive_opt::<Int64Type>().ok_or_else(strange)?;
        let rows = rows.values().iter().map(|&n| u64::try_from(n).map_err(|_| strange()));
        Ok(CombinationColumns { texts, rows: rows.collect::<Result<_>>()? })
    }

    /// How many combinations there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn text(&self, at: usize, combination: usize) -> &'b str {
        self.texts[at][combination]
    }

    pub(super) fn rows(&self, combination: usize) -> u64 {
        self.rows[combination]
    }
}

/// How many rows have each value of each counted column, and how many combinations there are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MarginalCounts {
    pub(super) columns: Vec<BTreeMap<String, u64>>,
    pub(super) combinations: u64,
    pub(super) rows: u64,
}

travels!(MarginalCounts);

impl MarginalCounts {
    /// Takes counted combinations of so many columns.
    pub fn add(&mut self, batch: &RecordBatch, width: usize) -> Result<()> {
        self.columns.resize(width.max(self.columns.len()), BTreeMap::new());
        let columns = CombinationColumns::new(batch, width)?;
        for combination in 0..columns.len() {
            let rows = columns.rows(combination);
            self.rows += rows;
            self.combinations += 1;
            for (at, known) in self.columns.iter_mut().enumerate() {
                let text = columns.text(at, combination);
                match known.get_mut(text) {
                    Some(sum) => *sum += rows,
                    None => {
                        known.insert(text.to_owned(), rows);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds those of another part.
    pub fn merge(&mut self, other: MarginalCounts) {
        self.columns.resize(other.columns.len().max(self.columns.len()), BTreeMap::new());
        for (known, other) in self.columns.iter_mut().zip(other.columns) {
            other.into_iter().for_each(|(value, rows)| *known.entry(value).or_default() += rows);
        }
        self.combinations += other.combinations;
        self.rows += other.rows;
    }

    /// How many combinations there are.
    pub fn combinations(&self) -> u64 {
        self.combinations
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}
