//! Texts as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use incrowd_run::{Error, Result, data::Source};

/// A table of texts in memory.
pub(super) fn text_source<'a>(
    names: impl Iterator<Item = &'a String>,
    columns: impl Iterator<Item = Vec<Option<&'a str>>>,
) -> Result<Source> {
    let fields = names.map(|name| Field::new(name, DataType::Utf8, true)).collect::<Vec<_>>();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.map(|values| Arc::new(StringArray::from(values)) as ArrayRef).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays)
        .map_err(|e| Error::new(format!("the sample cannot be put together: {e}")))?;
    Source::from_batches("the table", schema, vec![batch], None)
}
