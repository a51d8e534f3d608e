//! Tables that come from Python and go there.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{Field, Schema, SchemaRef};
use incrowd_cluster::CountedTable;
use incrowd_run::spec::SpecFile;
use incrowd_run::{
    Error, Result,
    data::{ColumnDetail, Input, MemoryTable, ReadOptions, Source},
    detail_needed, reading_of, treated,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow_capsules::{GivenStream, stream_capsule};
use crate::python_columns::{PythonColumn, batch_of, columns_of};
use crate::table_of_counts::TableOfCounts;

/// A table of Arrow batches in memory.
#[pyclass(name = "Table", frozen, module = "incrowd._incrowd")]
#[derive(Clone)]
pub(crate) struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl From<MemoryTable> for ArrowTable {
    fn from(table: MemoryTable) -> Self {
        ArrowTable { schema: table.schema, batches: table.batches }
    }
}

impl From<ArrowTable> for MemoryTable {
    fn from(table: ArrowTable) -> Self {
        MemoryTable { schema: table.schema, batches: table.batches }
    }
}

impl ArrowTable {
    /// A table of one batch.
    pub(crate) fn of_batch(batch: RecordBatch) -> Self {
        ArrowTable { schema: batch.schema(), batches: vec![batch] }
    }
}

#[pymethods]
impl ArrowTable {
    /// Takes a table from whatever has `__arrow_c_stream__`, batch by batch. Metadata stays behind.
    #[staticmethod]
    fn from_stream(py: Python<'_>, stream: GivenStream) -> PyResult<Self> {
        let GivenStream(reader) = stream;
        py.detach(|| {
            let given = reader.schema();
            let fields = given.fields().iter();
            let fields =
                fields.map(|field| Field::new(field.name(), field.data_type().clone(), true));
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let mut batches = Vec::new();
            for batch in reader {
                let batch = batch.and_then(|batch| {
                    RecordBatch::try_new(schema.clone(), batch.columns().to_vec())
                });
                batches.push(batch.map_err(|e| PyValueError::new_err(e.to_string()))?);
            }
            Ok(ArrowTable { schema, batches })
        })
    }

    /// Takes columns of Python's own values, where no library speaks Arrow.
    #[staticmethod]
    fn from_columns(columns: Vec<PythonColumn<Bound<'_, PyAny>>>) -> PyResult<Self> {
        Ok(Self::of_batch(batch_of(&columns)?))
    }

    /// The rows of several tables with the same columns, one after the other.
    #[staticmethod]
    fn concat(tables: Vec<Bound<'_, ArrowTable>>) -> PyResult<Self> {
        let Some(first) = tables.first() else {
            return Err(PyValueError::new_err("there is no table"));
        };
        let schema = first.get().schema.clone();
        if tables.iter().any(|table| table.get().schema != schema) {
            return Err(PyValueError::new_err("the tables have different columns"));
        }
        let batches = tables.iter().flat_map(|table| table.get().batches.clone()).collect();
        Ok(ArrowTable { schema, batches })
    }

    /// So many rows from one on.
    fn slice(&self, from: usize, rows: usize) -> Self {
        let (mut from, mut rows) = (from, rows);
        let mut batches = Vec::new();
        for batch in &self.batches {
            let taken = rows.min(batch.num_rows().saturating_sub(from));
            if taken > 0 {
                batches.push(batch.slice(from, taken));
            }
            from = from.saturating_sub(batch.num_rows());
            rows -= taken;
        }
        ArrowTable { schema: self.schema.clone(), batches }
    }

    /// The columns as Python values.
    fn to_columns(&self, py: Python<'_>) -> PyResult<Vec<PythonColumn<Py<PyAny>>>> {
        columns_of(py, &self.schema, &self.batches)
    }

    /// The Arrow stream of the table. Its types are its own: the interface lets a producer leave a requested schema
    /// aside.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        stream_capsule(py, RecordBatchIterator::new(batches, self.schema.clone()))
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, in words.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// How much memory its buffers take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }
}

/// A table to read: in memory, counted where it lies, or a file.
#[derive(Clone)]
pub(crate) enum TableInput {
    Memory(ArrowTable),
    Counted(Arc<CountedTable>),
    File(std::path::PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for TableInput {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(table) = given.cast::<ArrowTable>() {
            return Ok(TableInput::Memory(table.get().clone()));
        }
        match given.cast::<TableOfCounts>() {
            Ok(table) => Ok(TableInput::Counted(table.get().table())),
            Err(_) => Ok(TableInput::File(given.extract()?)),
        }
    }
}

impl TableInput {
    /// How a spec names it.
    pub(crate) fn input(&self) -> String {
        match self {
            TableInput::Memory(_) | TableInput::Counted(_) => "table".to_owned(),
            TableInput::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// Opens it as a spec says, with its columns treated.
    pub(crate) fn open(&self, file: &SpecFile) -> Result<Source> {
        treated(file, self.untreated(file)?)
    }

    /// The same, its columns as they are; a table of a database without its rows where it is to be counted there.
    pub(crate) fn opened_or_counted(
        &self,
        file: &SpecFile,
        in_database: bool,
        wanted: impl Fn(&str) -> ColumnDetail,
    ) -> Result<Source> {
        let data = &file.spec.data;
        let wanted = |column: &str| detail_needed(file, column, wanted(column));
        match (in_database, file.spec.is_of_database()) {
            (false, _) => self.untreated(file),
            (true, false) => Err(Error::new("in_database is for tables of a database")
                .help("leave it out, or give a database: postgres://host/name, table=...")),
            (true, true) => incrowd_sql::postgres::open_counted(
                data.input.to_str().unwrap_or_default(),
                data.relation().as_deref().unwrap_or_default(),
                data.filter.as_deref(),
                wanted,
                &incrowd_engine::Control::new(),
            ),
        }
    }

    /// Opens it as a spec says, its columns as they are.
    pub(crate) fn untreated(&self, file: &SpecFile) -> Result<Source> {
        let data = &file.spec.data;
        if file.spec.is_of_database() {
            let (address, table) = (data.input.to_str(), data.relation());
            let threads = file.spec.algorithm.threads.map(|n| n as usize);
            return incrowd_sql::postgres::open(
                address.unwrap_or_default(),
                table.as_deref().unwrap_or_default(),
                data.filter.as_deref(),
                threads,
                &incrowd_engine::Control::new(),
            );
        }
        self.open_plainly(&reading_of(&file.spec))
    }

    /// Opens it.
    pub(crate) fn open_plainly(&self, options: &ReadOptions) -> Result<Source> {
        match self {
            TableInput::File(path) if path.as_os_str() == "-" => {
                Err(Error::new("standard input belongs to the program that called")
                    .help("give a path or a data frame"))
            }
            TableInput::Counted(table) => table.source(options.threads),
            TableInput::File(path) => Source::open(&Input::Path(path.clone()), options),
            TableInput::Memory(table) => {
                let (schema, batches) = (table.schema.clone(), table.batches.clone());
                let source = Source::from_batches("the table", schema, batches, options.threads)?;
                Ok(source.with_null_beside_empty_text())
            }
        }
    }
}
