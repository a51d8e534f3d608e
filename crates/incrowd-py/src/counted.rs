//! Tables that are looked at by counts of combinations, which were made where the rows are.

use std::sync::Mutex;

use incrowd_cluster::{ColumnTally, CountedTable, ReadingPlan};
use incrowd_run::assess::wanted_for_risk;
use incrowd_run::spec::{Role, SpecFile};
use incrowd_run::{
    Result,
    data::{ColumnDetail, RemoteColumn},
    detail_needed,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow_capsules::GivenBatch;
use crate::assess::{names, risk_options, verify_options};
use crate::data::ArrowTable;
use crate::keyword_args::keywords;
use crate::shared_state::{held, told};
use crate::table_of_counts::TableOfCounts;

/// A table of these columns, of which so much has to be known.
fn table_of(
    file: &SpecFile,
    columns: Vec<String>,
    wanted: impl Fn(&str) -> ColumnDetail,
) -> CountedTable {
    let detail = |name: String| {
        let detail = detail_needed(file, &name, wanted(&name));
        (name, detail)
    };
    CountedTable::new(columns.into_iter().map(detail).collect())
}

fn spec(py: Python<'_>, base: Option<&str>, options: &Bound<'_, PyDict>) -> PyResult<SpecFile> {
    let given = keywords(options)?;
    told(py, SpecFile::from_keywords(base, Some("table"), &given))
}

#[pymethods]
impl TableOfCounts {
    /// What the verifier has to know of a table of these columns.
    #[staticmethod]
    fn to_verify(
        py: Python<'_>,
        columns: Vec<String>,
        base: Option<&str>,
        options: &Bound<'_, PyDict>,
        unchecked: Vec<String>,
        known: Vec<String>,
        links: Option<String>,
    ) -> PyResult<Self> {
        let file = spec(py, base, options)?;
        let asked = told(py, verify_options(&file, unchecked, known, links))?;
        let table = table_of(&file, columns, |column| asked.wanted(column));
        Ok(TableOfCounts(Mutex::new(table.with_linking(asked.looks_for_links()))))
    }

    /// The same for its risks.
    #[staticmethod]
    #[pyo3(signature = (columns, options, weight_column=None))]
    fn to_assess(
        py: Python<'_>,
        columns: Vec<String>,
        options: &Bound<'_, PyDict>,
        weight_column: Option<String>,
    ) -> PyResult<Self> {
        let file = spec(py, None, options)?;
        let (asked, quasi) = (risk_options(&file, weight_column), names(&file, Role::Quasi));
        let wanted = |column: &str| wanted_for_risk(column, &quasi, &asked);
        Ok(TableOfCounts(Mutex::new(table_of(&file, columns, wanted))))
    }

    /// The same for a look at all columns.
    #[staticmethod]
    fn to_inspect(
        py: Python<'_>,
        columns: Vec<String>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let file = spec(py, None, options)?;
        let wanted = |_: &str| ColumnDetail::SharedValues;
        Ok(TableOfCounts(Mutex::new(table_of(&file, columns, wanted))))
    }

    /// The columns of which has to be told how many values they have.
    fn tallied(&self) -> Vec<String> {
        held(&self.0).tallied()
    }

    /// Tells it of a column: rows with a value, different values, how many of those are codes, and the ends of numbers.
    #[pyo3(signature = (name, present, different, codes=0, ends=None))]
    fn tell(
        &self,
        name: String,
        present: u64,
        different: u64,
        codes: u64,
        ends: Option<(i64, i64)>,
    ) {
        let column = RemoteColumn::new(name, present, different).with_values(codes, ends);
        held(&self.0).tell(column);
    }

    /// The columns whose combinations are counted.
    fn counted(&self) -> Vec<String> {
        held(&self.0).counted()
    }

    /// Takes counted combinations.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<()> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).add(batch));
        told(py, done)
    }

    /// How many rows were counted.
    fn __len__(&self) -> usize {
        usize::try_from(held(&self.0).rows()).unwrap_or(usize::MAX)
    }
}

/// How the combinations of some columns are counted, as [`PartCombinations`](crate::blocks::PartCombinations) takes it.
#[pyfunction]
pub(crate) fn columns_reading<'py>(
    py: Python<'py>,
    columns: Vec<String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = told(py, ReadingPlan::of_columns(columns).to_bytes())?;
    Ok(PyBytes::new(py, &bytes))
}

/// The fields that mean "no value" where options say nothing else.
#[pyfunction]
pub(crate) fn missing_tokens(
    py: Python<'_>,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Vec<String>> {
    Ok(spec(py, base, options)?.spec.data.missing_tokens())
}

/// How many different values the columns of a part have.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartTally(Mutex<ColumnTally>);

#[pymethods]
impl PartTally {
    #[new]
    fn new(columns: Vec<String>, missing: Vec<String>) -> Self {
        PartTally(Mutex::new(ColumnTally::new(columns, missing)))
    }

    /// Counts a batch; what is handed on, if it is time.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<Option<ArrowTable>> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).add(batch));
        Ok(told(py, done)?.map(ArrowTable::of_batch))
    }

    /// What is left to hand on.
    fn take(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let done: Result<_> = py.detach(|| held(&self.0).take());
        Ok(ArrowTable::of_batch(told(py, done)?))
    }
}

/// Adds the classes and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TableOfCounts>()?;
    module.add_class::<PartTally>()?;
    module.add_function(wrap_pyfunction!(columns_reading, module)?)?;
    module.add_function(wrap_pyfunction!(missing_tokens, module)?)
}
