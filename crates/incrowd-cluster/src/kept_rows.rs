//! Rows kept between the passes: the codes of their values, and what is released of them as it is. So a table is read
//! once, and its texts are looked up once.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, UInt8Array, UInt16Array, UInt32Array, UInt64Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::DataType;
use incrowd_run::Result;

use super::messages::{BatchBuilder, strange, unmade};
use super::reading_plan::ReadingPlan;
use super::row_checksum::differs;

/// Where the values lie that rows before have not had.
const VALUES: &str = "values";

/// Rows by the codes of their counted values, row by row, and the sums of what is compared of each.
#[derive(Debug, Default)]
pub(super) struct CodedRows {
    pub(super) codes: Vec<u32>,
    pub(super) sums: Vec<u64>,
}

/// Rows as they were kept.
pub(super) struct KeptRows {
    /// Of each counted column, the values whose codes follow those of all that rows before have had.
    pub(super) values: Vec<Vec<String>>,
    pub(super) rows: CodedRows,
    /// The columns that are released as they are.
    pub(super) unchanged: RecordBatch,
}

/// The bytes of a batch of rows that are kept. `values` are those that no row before has had.
pub(super) fn kept(
    reading: &ReadingPlan,
    batch: &RecordBatch,
    rows: CodedRows,
    values: Vec<Vec<String>>,
) -> Result<Vec<u8>> {
    let counted = reading.width();
    let mut made = BatchBuilder::default();
    for at in 0..counted {
        made.add("code", narrow(rows.codes.iter().skip(at).step_by(counted).copied()));
    }
    made.add("sum", Arc::new(UInt64Array::from(rows.sums)));
    for name in &reading.unchanged {
        let name = reading.raw_name(name);
        made.add(name, Arc::clone(batch.column_by_name(name).ok_or_else(differs)?));
    }
    let values = serde_json::to_string(&values).map_err(|e| unmade(&e))?;
    to_bytes(&made.finish_with(HashMap::from([(VALUES.to_owned(), values)]))?)
}

/// Codes in as few bytes as will do.
fn narrow(codes: impl Iterator<Item = u32> + Clone) -> ArrayRef {
    match codes.clone().max().unwrap_or(0) {
        0..=0xff => Arc::new(codes.map(|code| code as u8).collect::<UInt8Array>()),
        0x100..=0xffff => Arc::new(codes.map(|code| code as u16).collect::<UInt16Array>()),
        _ => Arc::new(codes.collect::<UInt32Array>()),
    }
}

impl KeptRows {
    /// What bytes from [`kept`] stand for, of so many counted columns.
    pub(super) fn from_bytes(bytes: &[u8], counted: usize) -> Result<Self> {
        let Some(batch) = from_bytes(bytes)?.pop() else { return Err(strange(&"no rows")) };
        let told = batch.schema_ref().metadata.get(VALUES);
        let told = told.ok_or_else(|| strange(&"no values"))?;
        let values: Vec<Vec<String>> = serde_json::from_str(told).map_err(|e| strange(&e))?;
        if values.len() != counted || batch.num_columns() <= counted {
            return Err(strange(&"other columns"));
        }
        let mut codes = vec![0; batch.num_rows() * counted];
        for (at, column) in batch.columns()[..counted].iter().enumerate() {
            let to = codes.iter_mut().skip(at).step_by(counted);
            match column.data_type() {
                DataType::UInt8 => {
                    let of = column.as_primitive::<UInt8Type>().values().iter();
                    to.zip(of).for_each(|(to, &code)| *to = u32::from(code));
                }
                DataType::UInt16 => {
                    let of = column.as_primitive::<UInt16Type>().values().iter();
                    to.zip(of).for_each(|(to, &code)| *to = u32::from(code));
                }
                DataType::UInt32 => {
                    let of = column.as_primitive::<UInt32Type>().values().iter();
                    to.zip(of).for_each(|(to, &code)| *to = code);
                }
                _ => return Err(strange(&"other codes")),
            }
        }
        let sums = batch.column(counted).as_primitive_opt::<UInt64Type>();
        let sums = sums.ok_or_else(|| strange(&"other sums"))?.values().to_vec();
        let places: Vec<usize> = (counted + 1..batch.num_columns()).collect();
        let unchanged = batch.project(&places).map_err(|e| strange(&e))?;
        Ok(KeptRows { values, rows: CodedRows { codes, sums }, unchanged })
    }
}

/// A batch on its way to another process.
pub(super) fn to_bytes(rows: &RecordBatch) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer =
        StreamWriter::try_new(&mut bytes, rows.schema_ref()).map_err(|e| unmade(&e))?;
    writer.write(rows).and_then(|()| writer.finish()).map_err(|e| unmade(&e))?;
    drop(writer);
    Ok(bytes)
}

/// The batches that bytes from [`to_bytes`] stand for.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Vec<RecordBatch>> {
    let reader = StreamReader::try_new(Cursor::new(bytes), None).map_err(|e| strange(&e))?;
    reader.map(|batch| batch.map_err(|e| strange(&e))).collect()
}
