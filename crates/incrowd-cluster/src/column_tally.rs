//! How many different values columns have, and what kind of values: the values themselves stay where the rows are.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{BooleanArray, Int32Array, Int64Array, RecordBatch};
use incrowd_assess::expose::value_hash;
use incrowd_engine::Control;
use incrowd_engine::value::is_missing;
use incrowd_run::data::Chunk;
use incrowd_run::{Result, assess::is_code};

use super::messages::BatchBuilder;
use super::reading_plan::ReadingPlan;

/// So many values are kept before they are handed on.
const KEPT: usize = 1 << 20;

/// What is told of a value.
#[derive(Debug, Clone, Copy)]
struct TalliedValue {
    rows: i64,
    is_code: bool,
    number: Option<i64>,
}

/// Counts the values of each column of a part by their hashes, handing them on before they are too many.
#[derive(Debug)]
pub struct ColumnTally {
    reading: ReadingPlan,
    missing: Vec<String>,
    values: HashMap<(i32, i64), TalliedValue>,
}

impl ColumnTally {
    /// Nothing yet, of these columns. Fields that say "missing" do not count.
    pub fn new(columns: Vec<String>, missing: Vec<String>) -> Self {
        ColumnTally { reading: ReadingPlan::of_columns(columns), missing, values: HashMap::new() }
    }

    /// Counts a batch; what is handed on, if it is time.
    pub fn add(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        // As one value, missing is what it is without a text of its own.
        let schema = batch.schema();
        let source =
            incrowd_run::data::Source::from_batches("the table", schema, vec![batch], Some(1))?;
        let names: Vec<&str> = self.reading.counted.iter().map(String::as_str).collect();
        let read = ReadingPlan::places(&source, &names)?;
        let held = std::sync::Mutex::new((&mut self.values, &self.missing));
        let step = |(): &mut (), chunk: &Chunk| {
            let mut held = held.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (values, missing) = &mut *held;
            for at in 0..read.len() {
                for field in chunk.column(at).map(str::trim) {
                    if field.is_empty() || is_missing(field, missing) {
                        continue;
                    }
                    let value = values.entry((at as i32, value_hash(field) as i64));
                    let told = || TalliedValue {
                        rows: 0,
                        is_code: is_code(field),
                        number: field.parse().ok(),
                    };
                    value.or_insert_with(told).rows += 1;
                }
            }
            Ok(())
        };
        source.fold(&read, || (), step, &Control::new())?;
        match self.values.len() > KEPT {
            true => self.take().map(Some),
            false => Ok(None),
        }
    }

    /// What is left to hand on: the column by its place, the hash of a value, how many rows have it, whether it is a code,
    /// and the number that it is.
    pub fn take(&mut self) -> Result<RecordBatch> {
        let values = std::mem::take(&mut self.values);
        let mut made = BatchBuilder::default();
        made.add("at", Arc::new(values.keys().map(|key| key.0).collect::<Int32Array>()));
        made.add("hash", Arc::new(values.keys().map(|key| key.1).collect::<Int64Array>()));
        made.add("rows", Arc::new(values.values().map(|it| it.rows).collect::<Int64Array>()));
        let codes: BooleanArray = values.values().map(|it| Some(it.is_code)).collect();
        made.add("code", Arc::new(codes));
        made.add("number", Arc::new(values.values().map(|it| it.number).collect::<Int64Array>()));
        made.finish()
    }
}
