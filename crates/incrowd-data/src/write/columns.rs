//! Encoded rows turned back into Arrow columns.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, PrimitiveBuilder, StringBuilder, StringDictionaryBuilder,
};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::parse::{date, decimal, timestamp};
use super::{ColumnType, CsvEncoder, IntWidth, TableLayout, TimeUnit, truth};
use crate::{Error, Result};

/// Rows that are turned into columns at a time: so many, or fewer if they are long.
pub(super) const BATCH_ROWS: usize = 1 << 16;
const BATCH_BYTES: usize = 32 << 20;
/// The longest row: the text of a column in a batch must stay below 2 GiB.
const LONGEST_ROW: usize = 1 << 30;

impl From<&DataType> for ColumnType {
    /// The type that holds the values of an Arrow column without loss; text where there is none.
    fn from(arrow: &DataType) -> Self {
        match arrow {
            DataType::Boolean => ColumnType::Boolean,
            DataType::Int8 => ColumnType::Int(IntWidth::Bits8),
            DataType::Int16 => ColumnType::Int(IntWidth::Bits16),
            DataType::Int32 => ColumnType::Int(IntWidth::Bits32),
            DataType::Int64 => ColumnType::Int(IntWidth::Bits64),
            DataType::UInt8 => ColumnType::UInt(IntWidth::Bits8),
            DataType::UInt16 => ColumnType::UInt(IntWidth::Bits16),
            DataType::UInt32 => ColumnType::UInt(IntWidth::Bits32),
            DataType::UInt64 => ColumnType::UInt(IntWidth::Bits64),
            DataType::Float16 | DataType::Float32 => ColumnType::Float32,
            DataType::Float64 => ColumnType::Float64,
            DataType::Date32 | DataType::Date64 => ColumnType::Date,
            DataType::Timestamp(unit, zone) => ColumnType::Timestamp {
                unit: match unit {
                    // Parquet does not know seconds.
                    arrow_schema::TimeUnit::Second | arrow_schema::TimeUnit::Millisecond => {
                        TimeUnit::Milliseconds
                    }
                    arrow_schema::TimeUnit::Microsecond => TimeUnit::Microseconds,
                    arrow_schema::TimeUnit::Nanosecond => TimeUnit::Nanoseconds,
                },
                zone: zone.as_deref().map(str::to_owned),
            },
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale) => match u8::try_from(*scale) {
                Ok(scale) => ColumnType::Decimal { precision: *precision, scale },
                Err(_) => ColumnType::Text,
            },
            DataType::Dictionary(_, values) => ColumnType::from(values.as_ref()),
            _ => ColumnType::Text,
        }
    }
}

/// Collects the values of a column and makes an Arrow array of them.
trait ColumnBuilder: Send {
    /// Adds null, or a value given as text; false if it is none of this type.
    fn push(&mut self, text: Option<&str>) -> bool;
    /// The array of all values since the last one.
    fn take(&mut self) -> ArrayRef;
}

#[derive(Default)]
struct TextColumn(StringBuilder);

impl ColumnBuilder for TextColumn {
    fn push(&mut self, text: Option<&str>) -> bool {
        self.0.append_option(text);
        true
    }

    fn take(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// Text of few different values. Each batch has a dictionary of its own, of the values that it holds.
#[derive(Default)]
struct CategoryColumn(StringDictionaryBuilder<Int32Type>);

impl ColumnBuilder for CategoryColumn {
    fn push(&mut self, text: Option<&str>) -> bool {
        self.0.append_option(text);
        true
    }

    fn take(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

struct BooleanColumn(BooleanBuilder);

impl ColumnBuilder for BooleanColumn {
    fn push(&mut self, text: Option<&str>) -> bool {
        let value = text.and_then(truth);
        self.0.append_option(value);
        value.is_some() || text.is_none()
    }

    fn take(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

struct PrimitiveColumn<T: ArrowPrimitiveType, F> {
    builder: PrimitiveBuilder<T>,
    parse: F,
}

impl<T, F> ColumnBuilder for PrimitiveColumn<T, F>
where
    T: ArrowPrimitiveType,
    F: Fn(&str) -> Option<T::Native> + Send,
{
    fn push(&mut self, text: Option<&str>) -> bool {
        let value = text.and_then(&self.parse);
        self.builder.append_option(value);
        value.is_some() || text.is_none()
    }

    fn take(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// The Arrow type of a column and what collects its values.
fn column(kind: &ColumnType) -> (DataType, Box<dyn ColumnBuilder>) {
    /// A column of a plain Arrow type whose values Rust can parse.
    fn plain<T>() -> (DataType, Box<dyn ColumnBuilder>)
    where
        T: ArrowPrimitiveType,
        T::Native: std::str::FromStr,
    {
        primitive::<T>(T::DATA_TYPE, |text| text.parse().ok())
    }

    fn primitive<T: ArrowPrimitiveType>(
        arrow: DataType,
        parse: impl Fn(&str) -> Option<T::Native> + Send + 'static,
    ) -> (DataType, Box<dyn ColumnBuilder>) {
        let builder = PrimitiveBuilder::<T>::new().with_data_type(arrow.clone());
        (arrow, Box::new(PrimitiveColumn { builder, parse }))
    }

    match *kind {
        ColumnType::Text => (DataType::Utf8, Box::new(TextColumn::default())),
        ColumnType::Category => {
            let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            (keyed, Box::new(CategoryColumn::default()))
        }
        ColumnType::Boolean => (DataType::Boolean, Box::new(BooleanColumn(BooleanBuilder::new()))),
        ColumnType::Int(IntWidth::Bits8) => plain::<Int8Type>(),
        ColumnType::Int(IntWidth::Bits16) => plain::<Int16Type>(),
        ColumnType::Int(IntWidth::Bits32) => plain::<Int32Type>(),
        ColumnType::Int(IntWidth::Bits64) => plain::<Int64Type>(),
        ColumnType::UInt(IntWidth::Bits8) => plain::<UInt8Type>(),
        ColumnType::UInt(IntWidth::Bits16) => plain::<UInt16Type>(),
        ColumnType::UInt(IntWidth::Bits32) => plain::<UInt32Type>(),
        ColumnType::UInt(IntWidth::Bits64) => plain::<UInt64Type>(),
        ColumnType::Float32 => plain::<Float32Type>(),
        ColumnType::Float64 => plain::<Float64Type>(),
        ColumnType::Date => primitive::<Date32Type>(DataType::Date32, date),
        ColumnType::Timestamp { unit, ref zone } => {
            let zoned = zone.is_some();
            let zone = zone.as_deref().map(Arc::from);
            let parse = move |text: &str| timestamp(text, unit, zoned);
            let arrow = |unit| DataType::Timestamp(unit, zone);
            match unit {
                TimeUnit::Milliseconds => primitive::<TimestampMillisecondType>(
                    arrow(arrow_schema::TimeUnit::Millisecond),
                    parse,
                ),
                TimeUnit::Microseconds => primitive::<TimestampMicrosecondType>(
                    arrow(arrow_schema::TimeUnit::Microsecond),
                    parse,
                ),
                TimeUnit::Nanoseconds => primitive::<TimestampNanosecondType>(
                    arrow(arrow_schema::TimeUnit::Nanosecond),
                    parse,
                ),
            }
        }
        ColumnType::Decimal { precision, scale } => {
            primitive::<Decimal128Type>(DataType::Decimal128(precision, scale as i8), move |text| {
                decimal(text, precision, scale)
            })
        }
    }
}

impl ColumnType {
    /// How a value of this type reads where it was written as such: what was `t` is `true` then.
    pub fn read_back(&self, text: &str) -> Option<String> {
        let (_, mut values) = column(self);
        let mut read = crate::arrow::TextBuffer::<(usize, usize)>::default();
        let is_read = values.push(Some(text)) && read.push_column(&values.take()).is_ok();
        is_read.then_some(read.text)
    }
}

/// Collects encoded rows and makes batches of them.
pub(super) struct BatchCollector {
    schema: SchemaRef,
    encoder: CsvEncoder,
    columns: Vec<Box<dyn ColumnBuilder>>,
    kinds: Vec<ColumnType>,
    scratch: String,
    pending_rows: usize,
    pending_bytes: usize,
}

impl BatchCollector {
    pub(super) fn new(layout: &TableLayout) -> Result<Self> {
        let kinds = if layout.types.is_empty() {
            vec![ColumnType::Text; layout.names.len()]
        } else {
            layout.types.clone()
        };
        let (fields, columns): (Vec<Field>, Vec<_>) = layout
            .names
            .iter()
            .zip(&kinds)
            .map(|(name, kind)| {
                let (arrow, column) = column(kind);
                (Field::new(name, arrow, true), column)
            })
            .unzip();
        Ok(BatchCollector {
            schema: Arc::new(Schema::new(fields)),
            encoder: layout.encoder()?,
            columns,
            kinds,
            scratch: String::new(),
            pending_rows: 0,
            pending_bytes: 0,
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a row; says whether there are enough for a batch.
    pub(super) fn row(&mut self, row: &[u8]) -> Result<bool> {
        if row.len() > LONGEST_ROW {
            let length = row.len();
            return Err(Error::new(format!("a row of {length} bytes is too long for Parquet"))
                .help("write CSV"));
        }
        let BatchCollector { encoder, columns, kinds, schema, scratch, .. } = self;
        let ragged = |fields: usize| {
            let columns = schema.fields().len();
            Error::new(format!("a row of {fields} fields for a table of {columns} columns"))
        };
        let fields = encoder.decode(row, scratch, |i, field| {
            let column = columns.get_mut(i).ok_or_else(|| ragged(i + 1))?;
            let text = encoder.value(field);
            if column.push(text) {
                return Ok(());
            }
            let text = text.unwrap_or_default();
            let (name, what) = (schema.field(i).name(), kinds[i].describe());
            Err(Error::new(format!("the value '{text}' of column '{name}' is not {what}"))
                .help(format!("write column '{name}' as text, or write CSV")))
        })?;
        if fields != self.columns.len() {
            return Err(ragged(fields));
        }
        self.pending_rows += 1;
        self.pending_bytes += row.len();
        Ok(self.pending_rows >= BATCH_ROWS || self.pending_bytes >= BATCH_BYTES)
    }

    /// The rows since the last batch, if there are any.
    pub(super) fn take(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        if self.pending_rows == 0 {
            return None;
        }
        let arrays = self.columns.iter_mut().map(|column| column.take()).collect();
        self.pending_rows = 0;
        self.pending_bytes = 0;
        Some(RecordBatch::try_new(self.schema.clone(), arrays))
    }
}
