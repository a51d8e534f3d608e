//! Columns that are treated as they are read: their values are seen in a pass of their own.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use incrowd_engine::Control;
use incrowd_run::{
    Result, SpecFile,
    backend::treatments,
    data::{Source, read_table},
};
use serde::{Deserialize, Serialize};

use super::messages::travels;
use super::text_source::text_source;

/// The distinct values of columns that are treated as they are read: how they are written must be known first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TransformInputs {
    columns: BTreeMap<String, BTreeSet<String>>,
}

travels!(TransformInputs);

impl TransformInputs {
    /// The columns of a spec whose values must be seen before the rows can be read.
    pub fn columns(file: &SpecFile) -> Vec<String> {
        let asked = treatments(&file.spec);
        asked.into_iter().filter(|it| !it.treatment.is_none()).map(|it| it.column).collect()
    }

    /// Takes the values of a batch that has these columns only.
    pub fn add(&mut self, batch: RecordBatch) -> Result<()> {
        let schema = batch.schema();
        let source = Source::from_batches("the table", schema, vec![batch], Some(1))?;
        let table = read_table(&source, None, &Control::new())?;
        for column in table.columns() {
            let known = self.columns.entry(column.name.clone()).or_default();
            known.extend(column.dictionary.iter().map(str::to_owned));
        }
        Ok(())
    }

    /// Adds the values of another part.
    pub fn merge(&mut self, other: TransformInputs) {
        for (name, values) in other.columns {
            self.columns.entry(name).or_default().extend(values);
        }
    }

    /// The values as a table of the given columns, whose other values are missing.
    pub(super) fn source(&self, schema: &SchemaRef) -> Result<Source> {
        let rows = self.columns.values().map(BTreeSet::len).max().unwrap_or(0);
        let columns = schema.fields().iter().map(|field| {
            let values = self.columns.get(field.name());
            let values = values.into_iter().flatten().map(|value| Some(value.as_str()));
            values.chain(std::iter::repeat(None)).take(rows).collect::<Vec<_>>()
        });
        text_source(schema.fields().iter().map(|field| field.name()), columns)
    }
}
