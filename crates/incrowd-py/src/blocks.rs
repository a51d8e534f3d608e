//! Releases made block by block, where the combinations are too many for a driver.

use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use incrowd_cluster::{
    BlockCounts, BlockFacts, CombinationCounter, MarginalCounts, PartitionTree, ROWS_COLUMN,
    ReadingPlan, value_column,
};
use incrowd_run::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow_capsules::GivenBatch;
use crate::data::ArrowTable;
use crate::shared_state::{held, told};

/// The combinations of a part, handed on before they are too many.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartCombinations(Mutex<CombinationCounter>);

#[pymethods]
impl PartCombinations {
    #[new]
    fn new(py: Python<'_>, reading: &[u8]) -> PyResult<Self> {
        Ok(PartCombinations(Mutex::new(CombinationCounter::new(told(
            py,
            ReadingPlan::from_bytes(reading),
        )?))))
    }

    /// Counts a batch; what is handed on, if it is time.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<Option<ArrowTable>> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).add(batch));
        Ok(told(py, done)?.map(ArrowTable::of_batch))
    }

    /// What is left to hand on.
    fn take(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let done = py.detach(|| held(&self.0).take());
        Ok(ArrowTable::of_batch(told(py, done)?))
    }
}

/// The columns of tables of combinations, for a question that counts so many columns.
#[pyfunction]
pub(crate) fn combination_columns(
    py: Python<'_>,
    reading: &[u8],
) -> PyResult<(Vec<String>, String)> {
    let width = told(py, ReadingPlan::from_bytes(reading))?.width();
    Ok(((0..width).map(value_column).collect(), ROWS_COLUMN.to_owned()))
}

/// How many rows have each value of each counted column.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartMargins {
    width: usize,
    pub(crate) margins: Mutex<MarginalCounts>,
}

#[pymethods]
impl PartMargins {
    #[new]
    fn new(width: usize) -> Self {
        PartMargins { width, margins: Mutex::default() }
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, width: usize, bytes: &[u8]) -> PyResult<Self> {
        let margins = Mutex::new(told(py, MarginalCounts::from_bytes(bytes))?);
        Ok(PartMargins { width, margins })
    }

    /// Takes counted combinations.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<()> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.margins).add(&batch, self.width));
        told(py, done)
    }

    /// Takes what another process has seen.
    fn merge(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let other = told(py, MarginalCounts::from_bytes(bytes))?;
        held(&self.margins).merge(other);
        Ok(())
    }

    /// What goes to another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| held(&self.margins).to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// How many combinations and rows there are.
    fn facts(&self) -> (u64, u64) {
        let margins = held(&self.margins);
        (margins.combinations(), margins.rows())
    }
}

/// Where a table is cut into blocks.
#[pyclass(name = "Blocks", module = "incrowd._incrowd", frozen)]
pub(crate) struct BlockCuts(pub(crate) Mutex<PartitionTree>);

#[pymethods]
impl BlockCuts {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Ok(BlockCuts(Mutex::new(told(py, PartitionTree::from_bytes(bytes))?)))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| held(&self.0).to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// How many blocks there are.
    fn __len__(&self) -> usize {
        held(&self.0).blocks()
    }

    /// Cuts every block of more combinations than `most`; whether there is something left to be counted.
    fn refine(&self, counted: &PartBlocks, most: u64) -> bool {
        held(&self.0).refine(&held(&counted.0), most)
    }

    /// The block of each counted combination of a batch.
    fn of_combinations(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<ArrowTable> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).blocks_of(&batch).and_then(column));
        told(py, done)
    }

    /// The block of each row of a batch of the table.
    fn of_rows(&self, py: Python<'_>, reading: &[u8], batch: GivenBatch) -> PyResult<ArrowTable> {
        let batch = batch.0;
        let done = py.detach(|| {
            let reading = ReadingPlan::from_bytes(reading)?;
            held(&self.0).blocks_of_rows(&reading, batch).and_then(column)
        });
        told(py, done)
    }
}

/// A table of one column.
fn column(blocks: Vec<i64>) -> Result<ArrowTable> {
    let blocks: ArrayRef = Arc::new(Int64Array::from(blocks));
    let batch = RecordBatch::try_from_iter([("block", blocks)]);
    Ok(ArrowTable::of_batch(batch.map_err(|e| Error::new(e.to_string()))?))
}

/// What was counted of the blocks that may still be cut.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartBlocks(Mutex<BlockCounts>);

#[pymethods]
impl PartBlocks {
    #[new]
    fn new() -> Self {
        PartBlocks(Mutex::default())
    }

    /// Takes counted combinations.
    fn add(&self, py: Python<'_>, blocks: &BlockCuts, batch: GivenBatch) -> PyResult<()> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).add(&held(&blocks.0), &batch));
        told(py, done)
    }

    /// Takes what another process has seen.
    fn merge(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let other = told(py, BlockCounts::from_bytes(bytes))?;
        held(&self.0).merge(other);
        Ok(())
    }

    /// What goes to another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| held(&self.0).to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }
}

/// What was found in blocks.
pub(crate) fn facts_of(bytes: &[u8]) -> Result<BlockFacts> {
    BlockFacts::from_bytes(bytes)
}

/// Adds the classes and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PartCombinations>()?;
    module.add_class::<PartMargins>()?;
    module.add_class::<BlockCuts>()?;
    module.add_class::<PartBlocks>()?;
    module.add_function(wrap_pyfunction!(combination_columns, module)?)
}
