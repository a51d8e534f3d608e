//! Rows recoded by the processes that hold them, and on their way to where they are released.

use std::sync::{Arc, Mutex};

use incrowd_cluster::{
    ORDER_COLUMN, ParcelBuffer, PartBatch, PartRows, RowParcel, RowRecoder, UNIT_COLUMN,
};
use incrowd_engine::release::RowCounts;
use incrowd_run::Error;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow_capsules::GivenBatch;
use crate::data::ArrowTable;
use crate::errors::json;
use crate::shared_state::{held, told};

/// Recodes rows where they are.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartRecoder(Mutex<Arc<RowRecoder>>);

impl From<RowRecoder> for PartRecoder {
    fn from(recoder: RowRecoder) -> Self {
        PartRecoder(Mutex::new(Arc::new(recoder)))
    }
}

#[pymethods]
impl PartRecoder {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let recoder = py.detach(|| RowRecoder::from_bytes(bytes));
        Ok(told(py, recoder)?.into())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let recoder = Arc::clone(&held(&self.0));
        let bytes = py.detach(|| recoder.to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// Pickled as its bytes.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (slf.get().to_bytes(slf.py())?,)))
    }

    /// Whether parts must know how many rows of each kind come before them.
    #[getter]
    fn deals_rows(&self) -> bool {
        held(&self.0).deals_rows()
    }

    /// Whether a column of units goes along.
    #[getter]
    fn has_unit(&self) -> bool {
        held(&self.0).has_unit()
    }

    /// Whether a column says where rows go.
    #[getter]
    fn shuffles(&self) -> bool {
        held(&self.0).shuffles()
    }

    /// The columns of the release, each with the column of the table that it is a copy of.
    fn released(&self) -> Vec<(String, Option<String>)> {
        held(&self.0).released()
    }

    /// Tells how many rows of each kind every part has.
    fn deal(&self, py: Python<'_>, numbers: Vec<(u64, Vec<u8>)>) -> PyResult<()> {
        let numbers = numbers.into_iter().map(|(part, bytes)| {
            let numbers: RowCounts = serde_json::from_slice(&bytes).map_err(|e| {
                Error::new(format!("a message of another process cannot be read: {e}"))
            })?;
            Ok((part, numbers))
        });
        let numbers = told(py, numbers.collect())?;
        let mut recoder = held(&self.0);
        let done = match Arc::get_mut(&mut recoder) {
            Some(recoder) => recoder.deal(&numbers),
            None => Err(Error::new("a recoder in use cannot be configured any more")),
        };
        told(py, done)
    }

    /// The released rows of all parcels that came to a place; none if there are no rows.
    fn unpack(&self, py: Python<'_>, parcels: Vec<Vec<u8>>) -> PyResult<Option<ArrowTable>> {
        let recoder = Arc::clone(&held(&self.0));
        let done = py.detach(|| recoder.unpack(&parcels));
        Ok(told(py, done)?.map(ArrowTable::of_batch))
    }

    /// Begins a part.
    fn part(&self, py: Python<'_>, part: u64) -> PyResult<PartRow> {
        let recoder = Arc::clone(&held(&self.0));
        let rows = told(py, recoder.part(part))?;
        Ok(PartRow { recoder, rows: Mutex::new(rows) })
    }
}

/// A batch of rows, as the table has it or as it was kept.
#[derive(FromPyObject)]
enum BatchInput {
    Kept(Vec<u8>),
    Read(GivenBatch),
}

impl From<BatchInput> for PartBatch {
    fn from(given: BatchInput) -> Self {
        match given {
            BatchInput::Kept(bytes) => PartBatch::Kept(bytes),
            BatchInput::Read(batch) => PartBatch::Read(batch.0),
        }
    }
}

/// A part on its way through a recoder.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartRow {
    recoder: Arc<RowRecoder>,
    rows: Mutex<PartRows>,
}

#[pymethods]
impl PartRow {
    /// Counts how many rows of each kind there are.
    fn count(&self, py: Python<'_>, batch: BatchInput) -> PyResult<()> {
        let done = py.detach(|| self.recoder.count(&mut held(&self.rows), batch));
        told(py, done)
    }

    /// The rows of each kind, as bytes.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = json(held(&self.rows).numbers())?;
        Ok(PyBytes::new(py, text.as_bytes()))
    }

    /// The released rows of a batch.
    fn recode(&self, py: Python<'_>, batch: BatchInput) -> PyResult<ArrowTable> {
        let done = py.detach(|| self.recoder.recode(&mut held(&self.rows), batch));
        Ok(ArrowTable::of_batch(told(py, done)?))
    }

    /// Ends the part: its rows must be those that were counted.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        told(py, self.recoder.finish(&held(&self.rows)))
    }
}

/// The rows of a part on their way to so many places, in parcels.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartParcels(Mutex<ParcelBuffer>);

#[pymethods]
impl PartParcels {
    #[new]
    fn new(places: u32) -> Self {
        PartParcels(Mutex::new(ParcelBuffer::new(places)))
    }

    /// Takes the released rows of a batch; the parcels that are full, each with the place that it goes to.
    fn add<'py>(
        &self,
        py: Python<'py>,
        part: &PartRow,
        batch: BatchInput,
    ) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let done = py.detach(|| held(&self.0).add(&part.recoder, &mut held(&part.rows), batch));
        Ok(parcels(py, told(py, done)?))
    }

    /// The parcels of the rows that still wait.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let done = py.detach(|| held(&self.0).finish());
        Ok(parcels(py, told(py, done)?))
    }
}

fn parcels(py: Python<'_>, parcels: Vec<RowParcel>) -> Vec<(u32, Bound<'_, PyBytes>)> {
    parcels.into_iter().map(|(place, bytes)| (place, PyBytes::new(py, &bytes))).collect()
}

/// Adds the classes to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ORDER_COLUMN", ORDER_COLUMN)?;
    module.add("UNIT_COLUMN", UNIT_COLUMN)?;
    module.add_class::<PartRecoder>()?;
    module.add_class::<PartRow>()?;
    module.add_class::<PartParcels>()
}
