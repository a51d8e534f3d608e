#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampNanosecondType, UInt64Type,
};
use arrow_array::{Array, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use super::*;
use crate::write::columns::BATCH_ROWS;
use crate::{ColumnType, IntWidth, OutputFormat, TableWriter, TimeUnit};

fn write(target: &Path, layout: &TableLayout, rows: &[Vec<&str>]) -> Result<OutputFile> {
    let mut table = TableWriter::new(OutputFile::create(target)?, OutputFormat::Parquet, layout)?;
    let encoder = layout.encoder()?;
    let mut encoded = Vec::new();
    for row in rows {
        encoded.clear();
        encoder.row(row, &mut encoded);
        table.row(&encoded)?;
    }
    table.finish()
}

fn read(path: &Path) -> (SchemaRef, Vec<RecordBatch>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = builder.schema().clone();
    (schema, builder.build().unwrap().map(|batch| batch.unwrap()).collect())
}

fn strings(array: &StringArray) -> Vec<Option<&str>> {
    array.iter().collect()
}

#[test]
fn text_with_and_without_null() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("t.parquet");
    let rows = [vec!["[25-28]", "{a, b}"], vec!["", "say \"hi\"\n"]];
    for (null, empty) in [(None, None), (Some(crate::NULL), Some("")), (Some(""), Some(""))] {
        let layout = TableLayout { null, ..TableLayout::text(["age", "job"]) };
        write(&target, &layout, &rows).unwrap().commit().unwrap();
        let (schema, batches) = read(&target);
        assert_eq!(schema.field(0).name(), "age");
        assert_eq!(*schema.field(1).data_type(), DataType::Utf8);
        assert_eq!(strings(batches[0].column(0).as_string()), [Some("[25-28]"), empty]);
        assert_eq!(
            strings(batches[0].column(1).as_string()),
            [Some("{a, b}"), Some("say \"hi\"\n")]
        );
    }
}

#[test]
fn text_has_dictionaries_and_is_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let rows = vec![vec!["[25-28]"]; 1000];
    let output =
        write(&folder.path().join("t.parquet"), &TableLayout::text(["age"]), &rows).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(output.reopen().unwrap()).unwrap();
    let column = builder.metadata().row_group(0).column(0);
    assert!(column.encodings().any(|e| e == parquet::basic::Encoding::RLE_DICTIONARY));
    assert!(matches!(column.compression(), Compression::ZSTD(_)));
}

#[test]
fn an_empty_table_has_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let output = write(&folder.path().join("t.parquet"), &TableLayout::text(["a"]), &[]).unwrap();
    let (schema, batches) = read(&output.path());
    assert_eq!(schema.fields().len(), 1);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
}

#[test]
fn typed_columns_keep_their_arrow_types() {
    use arrow_schema::TimeUnit as Unit;
    let utc: Arc<str> = "UTC".into();
    let arrow = [
        DataType::Boolean,
        DataType::Int8,
        DataType::Int64,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Date32,
        DataType::Timestamp(Unit::Microsecond, None),
        DataType::Timestamp(Unit::Nanosecond, Some(utc)),
        DataType::Decimal128(10, 2),
    ];
    let values = [
        "true",
        "-128",
        "-9223372036854775808",
        "18446744073709551615",
        "0.5",
        "-1e300",
        "2026-11-30",
        "2026-11-30T08:15:00.000001",
        "1970-01-01T01:00:00+01:00",
        "-12.50",
    ];
    let layout = TableLayout {
        types: arrow.iter().map(ColumnType::from).collect(),
        ..TableLayout::text(arrow.iter().map(ToString::to_string))
    };
    let folder = tempfile::tempdir().unwrap();
    let rows = [values.to_vec(), vec![""; values.len()]];
    let output = write(&folder.path().join("t.parquet"), &layout, &rows).unwrap();
    let (schema, batches) = read(&output.path());
    let read: Vec<DataType> = schema.fields().iter().map(|f| f.data_type().clone()).collect();
    assert_eq!(read, arrow);
    let batch = &batches[0];
    assert!(batch.columns().iter().all(|column| column.len() == 2 && column.is_null(1)));
    assert_eq!(
        batch.column(0).as_any().downcast_ref::<BooleanArray>().map(|a| a.value(0)),
        Some(true)
    );
    assert_eq!(batch.column(1).as_primitive::<Int8Type>().value(0), -128);
    assert_eq!(batch.column(2).as_primitive::<Int64Type>().value(0), i64::MIN);
    assert_eq!(batch.column(3).as_primitive::<UInt64Type>().value(0), u64::MAX);
    assert_eq!(batch.column(4).as_primitive::<Float32Type>().value(0), 0.5);
    assert_eq!(batch.column(5).as_primitive::<Float64Type>().value(0), -1e300);
    assert_eq!(batch.column(6).as_primitive::<Date32Type>().value(0), 20_787);
    let micros = (20_787 * 86_400 + 8 * 3600 + 15 * 60) * 1_000_000 + 1;
    assert_eq!(batch.column(7).as_primitive::<TimestampMicrosecondType>().value(0), micros);
    assert_eq!(batch.column(8).as_primitive::<TimestampNanosecondType>().value(0), 0);
    assert_eq!(batch.column(9).as_primitive::<Decimal128Type>().value(0), -1250);
}

#[test]
fn arrow_types_become_the_nearest_lossless_one() {
    use arrow_schema::TimeUnit as Unit;
    let of = |arrow: DataType| ColumnType::from(&arrow);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Int16));
    assert_eq!(of(dictionary), ColumnType::Int(IntWidth::Bits16));
    assert_eq!(of(DataType::Float16), ColumnType::Float32);
    assert_eq!(of(DataType::Date64), ColumnType::Date);
    assert_eq!(of(DataType::Decimal64(5, 1)), ColumnType::Decimal { precision: 5, scale: 1 });
    assert_eq!(of(DataType::Decimal128(5, -1)), ColumnType::Text);
    assert_eq!(of(DataType::LargeUtf8), ColumnType::Text);
    let seconds = of(DataType::Timestamp(Unit::Second, None));
    assert_eq!(seconds, ColumnType::Timestamp { unit: TimeUnit::Milliseconds, zone: None });
}

#[test]
fn a_value_of_another_type_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let layout = TableLayout {
        types: vec![ColumnType::Text, ColumnType::Int(IntWidth::Bits8)],
        ..TableLayout::text(["job", "age"])
    };
    let target = folder.path().join("t.parquet");
    for bad in ["[20-30]", "*", "128", "1.5"] {
        let error = write(&target, &layout, &[vec!["x", bad]]).unwrap_err();
        assert_eq!(
            error.message,
            format!(
                "the value '{bad}' of column 'age' is not a whole number in the column's range"
            )
        );
    }
    for ragged in [vec!["x"], vec!["x", "1", "2"]] {
        let error = write(&target, &layout, std::slice::from_ref(&ragged)).unwrap_err();
        let fields = ragged.len();
        assert_eq!(error.message, format!("a row of {fields} fields for a table of 2 columns"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn many_batches_keep_all_rows_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let layout = TableLayout {
        types: vec![ColumnType::Int(IntWidth::Bits32), ColumnType::Text],
        ..TableLayout::text(["i", "t"])
    };
    let target = folder.path().join("t.parquet");
    let output = OutputFile::create(&target).unwrap();
    let mut table = TableWriter::new(output, OutputFormat::Parquet, &layout).unwrap();
    let n = 2 * BATCH_ROWS as i32 + 17;
    for i in 0..n {
        table.row(format!("{i},label {}", i % 10).as_bytes()).unwrap();
    }
    let (_, batches) = read(&table.finish().unwrap().path());
    let numbers: Vec<i32> = batches
        .iter()
        .flat_map(|batch| batch.column(0).as_primitive::<Int32Type>().values().to_vec())
        .collect();
    assert!(numbers.into_iter().eq(0..n));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(32)))]
    #[test]
    fn any_strings_and_numbers_read_back(
        rows in prop::collection::vec(("[xy,\"\r\n é*]{0,5}", any::<Option<i64>>()), 0..50),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let layout = TableLayout {
            types: vec![ColumnType::Text, ColumnType::Int(IntWidth::Bits64)],
            null: Some(crate::NULL),
            ..TableLayout::text(["s", "i"])
        };
        let numbers: Vec<String> =
            rows.iter().map(|(_, i)| i.map_or(crate::NULL.to_owned(), |i| i.to_string())).collect();
        let fields: Vec<Vec<&str>> =
            rows.iter().zip(&numbers).map(|((s, _), i)| vec![s.as_str(), i.as_str()]).collect();
        let output = write(&folder.path().join("t.parquet"), &layout, &fields).unwrap();
        let (_, batches) = read(&output.path());
        let read: Vec<(String, Option<i64>)> = batches
            .iter()
            .flat_map(|batch| {
                let numbers = batch.column(1).as_primitive::<Int64Type>();
                let texts = batch.column(0).as_string::<i32>();
                texts.iter().map(|s| s.unwrap().to_owned()).zip(numbers.iter()).collect::<Vec<_>>()
            })
            .collect();
        prop_assert_eq!(read, rows);
    }
}
