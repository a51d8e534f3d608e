//! What is read from Parquet.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::{Decimal256Type, Float16Type, Int8Type, Int32Type, UInt32Type};
use arrow_array::*;
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::{fields, open, open_with, rows};
use crate::read::{InputFormat, ReadOptions, read_table};
use incrowd_engine::Control;

fn write(batches: &[RecordBatch], properties: WriterProperties) -> Vec<u8> {
    let mut writer =
        ArrowWriter::try_new(Vec::new(), batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

/// A column and the text of its values.
type Case = (ArrayRef, [&'static str; 3]);

/// Every type, with a missing value in the second row of each.
fn every_type() -> Vec<Case> {
    let half = <Float16Type as ArrowPrimitiveType>::Native::from_f32;
    let wide = <Decimal256Type as ArrowPrimitiveType>::Native::from_i128;
    let words: StringDictionary = vec![Some("red"), None, Some("blue")].into_iter().collect();
    let large: DictionaryArray<Int8Type> = vec![Some("x"), None, Some("x")].into_iter().collect();
    let numbers = DictionaryArray::<UInt32Type>::new(
        UInt32Array::from(vec![Some(1), None, Some(0)]),
        Arc::new(Int64Array::from(vec![10, -20])),
    );
    vec![
        (Arc::new(NullArray::new(3)), ["", "", ""]),
        (Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])), ["true", "", "false"]),
        (Arc::new(Int8Array::from(vec![Some(-128), None, Some(1)])), ["-128", "", "1"]),
        (Arc::new(Int16Array::from(vec![Some(-300), None, Some(1)])), ["-300", "", "1"]),
        (Arc::new(Int32Array::from(vec![Some(-70_000), None, Some(1)])), ["-70000", "", "1"]),
        (
            Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(1)])),
            ["-9223372036854775808", "", "1"],
        ),
        (Arc::new(UInt8Array::from(vec![Some(255), None, Some(1)])), ["255", "", "1"]),
        (Arc::new(UInt16Array::from(vec![Some(65_535), None, Some(1)])), ["65535", "", "1"]),
        (Arc::new(UInt32Array::from(vec![Some(u32::MAX), None, Some(1)])), ["4294967295", "", "1"]),
        (
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(1)])),
            ["18446744073709551615", "", "1"],
        ),
        (
            Arc::new(Float16Array::from(vec![Some(half(0.125)), None, Some(half(2.0))])),
            ["0.125", "", "2"],
        ),
        (Arc::new(Float32Array::from(vec![Some(0.1), None, Some(1e20)])), ["0.1", "", "1e20"]),
        (
            Arc::new(Float64Array::from(vec![Some(0.1 + 0.2), None, Some(-3.0)])),
            ["0.30000000000000004", "", "-3"],
        ),
        (Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(1e-7)])), ["NaN", "", "1e-7"]),
        (
            Arc::new(Date32Array::from(vec![Some(-1), None, Some(19_782)])),
            ["1969-12-31", "", "2024-02-29"],
        ),
        (
            Arc::new(Date32Array::from(vec![Some(-719_528), None, Some(-719_529)])),
            ["0000-01-01", "", "-0001-12-31"],
        ),
        (
            Arc::new(Date64Array::from(vec![Some(-86_400_000), None, Some(951_782_400_000)])),
            ["1969-12-31", "", "2000-02-29"],
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![Some(0), None, Some(-1)])),
            ["1970-01-01T00:00:00", "", "1969-12-31T23:59:59"],
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![Some(1_500), None, Some(-1)])),
            ["1970-01-01T00:00:01.5", "", "1969-12-31T23:59:59.999"],
        ),
        (
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(1), None, Some(3_600_000_000)])
                    .with_timezone("UTC"),
            ),
            ["1970-01-01T00:00:00.000001Z", "", "1970-01-01T01:00:00Z"],
        ),
        (
            Arc::new(TimestampNanosecondArray::from(vec![Some(1), None, Some(2_000_000_000)])),
            ["1970-01-01T00:00:00.000000001", "", "1970-01-01T00:00:02"],
        ),
        (
            Arc::new(Time32SecondArray::from(vec![Some(86_399), None, Some(60)])),
            ["23:59:59", "", "00:01:00"],
        ),
        (
            Arc::new(Time32MillisecondArray::from(vec![Some(1), None, Some(0)])),
            ["00:00:00.001", "", "00:00:00"],
        ),
        (
            Arc::new(Time64MicrosecondArray::from(vec![Some(10), None, Some(0)])),
            ["00:00:00.00001", "", "00:00:00"],
        ),
        (
            Arc::new(Time64NanosecondArray::from(vec![Some(10), None, Some(0)])),
            ["00:00:00.00000001", "", "00:00:00"],
        ),
        (
            Arc::new(
                Decimal128Array::from(vec![Some(-1_234), None, Some(5)])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
            ["-12.34", "", "0.05"],
        ),
        (
            Arc::new(
                Decimal256Array::from(vec![Some(wide(1)), None, Some(wide(-1))])
                    .with_precision_and_scale(50, 3)
                    .unwrap(),
            ),
            ["0.001", "", "-0.001"],
        ),
        (
            Arc::new(StringArray::from(vec![Some("a,\"b\"\n"), None, Some("é")])),
            ["a,\"b\"\n", "", "é"],
        ),
        (Arc::new(LargeStringArray::from(vec![Some("long"), None, Some("")])), ["long", "", ""]),
        (
            Arc::new(StringViewArray::from(vec![Some("a view of some length"), None, Some("b")])),
            ["a view of some length", "", "b"],
        ),
        (
            Arc::new(BinaryArray::from(vec![Some(b"raw".as_slice()), None, Some(b"")])),
            ["raw", "", ""],
        ),
        (Arc::new(words), ["red", "", "blue"]),
        (Arc::new(large), ["x", "", "x"]),
        (Arc::new(numbers), ["-20", "", "10"]),
    ]
}

type StringDictionary = DictionaryArray<Int32Type>;

#[test]
fn every_type_becomes_text() {
    for compression in
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(Default::default())]
    {
        for dictionary in [true, false] {
            let cases = every_type();
            let names: Vec<String> = cases
                .iter()
                .enumerate()
                .map(|(at, case)| format!("{at} {}", case.0.data_type()))
                .collect();
            let columns =
                names.iter().map(String::as_str).zip(cases.iter().map(|case| case.0.clone()));
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_dictionary_enabled(dictionary);
            let bytes = write(&[batch(columns.collect())], properties.build());
            let source = open(&bytes).unwrap().with_null(None);
            assert_eq!((source.format(), source.delimiter()), (InputFormat::Parquet, None));
            assert_eq!(source.columns(), names);
            assert_eq!(source.schema().unwrap().field(0).data_type(), &DataType::Null);
            let found = fields(&source).unwrap();
            for (column, (name, case)) in names.iter().zip(cases).enumerate() {
                let values: Vec<&str> = found.iter().map(|row| row[column].as_str()).collect();
                assert_eq!(values, case.1, "{name}");
            }
        }
    }
}

/// Batches of different dictionaries, several row groups, many chunks.
#[test]
fn dictionaries_of_batches_do_not_mix() {
    let values: Vec<String> = (0..50_000u64).map(|row| format!("v{}", row * row % 1_009)).collect();
    let batches: Vec<RecordBatch> = values
        .chunks(7_000)
        .map(|part| {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            part.iter().for_each(|value| builder.append_value(value));
            let numbers: Int64Array = part.iter().map(|value| value.len() as i64).collect();
            batch(vec![("v", Arc::new(builder.finish())), ("n", Arc::new(numbers))])
        })
        .collect();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(20_000)).build();
    let bytes = write(&batches, properties);
    let mut codes = Vec::new();
    for threads in 1..=3 {
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        let source = open_with(&bytes, options).unwrap();
        let table = read_table(&source, Some(&[1, 0]), &Control::new()).unwrap();
        let column = table.column("v").unwrap();
        assert_eq!(table.rows(), values.len());
        assert!((0..values.len()).all(|row| column.value(row) == values[row]));
        codes.push(column.codes.clone());
        // No column at all: the rows are still counted.
        assert_eq!(rows(&source, &[]).unwrap().len(), values.len());
    }
    assert!(codes.iter().all(|other| *other == codes[0]));
}

#[test]
fn nested_columns_are_refused_only_if_asked_for() {
    let inner: Fields = vec![Field::new("x", DataType::Int32, true)].into();
    let nested =
        StructArray::new(inner, vec![Arc::new(Int32Array::from(vec![1])) as ArrayRef], None);
    let bytes = write(
        &[batch(vec![
            ("id", Arc::new(Int32Array::from(vec![7]))),
            ("place", Arc::new(nested)),
            ("name", Arc::new(StringArray::from(vec!["ann"]))),
        ])],
        WriterProperties::default(),
    );
    let source = open(&bytes).unwrap();
    assert_eq!(source.columns(), ["id", "place", "name"]);
    assert_eq!(rows(&source, &[2, 0]).unwrap()[0], (None, vec!["ann".into(), "7".into()]));
    let error = rows(&source, &[1]).unwrap_err();
    let start = "column \"place\" of data.csv holds values of an unsupported type: Struct(";
    assert!(error.message.starts_with(start), "{error}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let column = BinaryArray::from(vec![b"ok".as_slice(), b"\xff"]);
    let bytes = write(&[batch(vec![("raw", Arc::new(column))])], WriterProperties::default());
    let error = fields(&open(&bytes).unwrap()).unwrap_err();
    assert_eq!(error.message, "column \"raw\", row 2 holds bytes that are not UTF-8 text");
}

#[test]
fn names_follow_the_rules_of_headers() {
    let column = || Arc::new(Int32Array::from(vec![1])) as ArrayRef;
    let bytes = write(&[batch(vec![("", column())])], WriterProperties::default());
    assert_eq!(open(&bytes).unwrap_err().message, "column 1 has no name");
}

/// A damaged file ends with an error or is read, but nothing else happens.
#[test]
fn damaged_files_do_no_harm() {
    let text: StringArray = (0..500).map(|row| Some(format!("value {}", row % 50))).collect();
    let numbers: Int64Array = (0..500).map(Some).collect();
    let whole = write(
        &[batch(vec![("t", Arc::new(text)), ("n", Arc::new(numbers))])],
        WriterProperties::default(),
    );
    for length in [4, 8, 12, whole.len() / 2, whole.len() - 1] {
        let error = open(&whole[..length]).unwrap_err();
        assert!(error.message.starts_with("cannot read data.csv as Parquet: "), "{error}");
        assert!(error.help.unwrap().starts_with("the file is damaged or incomplete"));
    }
    for at in (4..whole.len()).step_by(7) {
        let mut wrong = whole.clone();
        wrong[at] ^= 0x55;
        if let Ok(source) = open(&wrong) {
            let _ = fields(&source);
        }
    }
}

#[test]
fn null_is_told_from_the_empty_text_where_there_are_both() {
    let words: StringDictionary = vec![Some(""), None, Some("\\N")].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(StringArray::from(vec![Some(""), None, Some("\\N")]))),
        ("word", Arc::new(words)),
        ("whole", Arc::new(Int32Array::from(vec![Some(1), None, Some(2)]))),
    ];
    let bytes = write(&[batch(columns)], WriterProperties::default());
    let plain = fields(&open(&bytes).unwrap().with_null(None)).unwrap();
    assert_eq!(plain, [["", "", "1"], ["", "", ""], ["\\N", "\\N", "2"]]);
    let told = fields(&open(&bytes).unwrap()).unwrap();
    assert_eq!(told, [["", "", "1"], ["\\N", "\\N", "\\N"], ["\\\\N", "\\\\N", "2"]]);
    // A file that has no empty text has no need to.
    let words: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, None]));
    let gone: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>; 3]));
    let bytes = write(&[batch(vec![("text", words), ("gone", gone)])], WriterProperties::default());
    let source = open(&bytes).unwrap();
    assert!(!source.tells_null());
    assert_eq!(fields(&source).unwrap(), [["a", ""], ["", ""], ["", ""]]);
}
