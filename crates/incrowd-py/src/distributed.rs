//! The steps of a run whose rows lie elsewhere: for clusters. What passes between processes is bytes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use incrowd_cluster::{
    DistributedRun, PartialCounts, PartialVerification, ReadingPlan, ReleasedRows, SolvedRun,
    TransformInputs, VerificationPlan,
};
use incrowd_engine::{Control, SavedRecoding};
use incrowd_report::{RunPage, run_page};
use incrowd_run::spec::{SpecFile, write_spec};
use incrowd_run::{
    Error, Result, on_threads,
    report::{TracePoint, Tracer},
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow_capsules::{GivenBatch, GivenSchema};
use crate::blocks::{BlockCuts, PartMargins, facts_of};
use crate::data::{ArrowTable, TableInput};
use crate::errors::json;
use crate::keyword_args::keywords;
use crate::recoding::PartRecoder;
use crate::run::{TracePoints, application, with_keywords};
use crate::shared_state::{held, told};
use crate::work::{WatchOptions, work};

/// The columns whose values must be seen before anything is counted, because they are treated.
#[pyfunction]
pub(crate) fn apart_treated(
    py: Python<'_>,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Vec<String>> {
    Ok(TransformInputs::columns(&spec(py, base, options)?))
}

fn spec(py: Python<'_>, base: Option<&str>, options: &Bound<'_, PyDict>) -> PyResult<SpecFile> {
    let given = keywords(options)?;
    told(py, SpecFile::from_keywords(base, Some("table"), &given))
}

/// The values of treated columns in some batches.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartValues(Mutex<TransformInputs>);

#[pymethods]
impl PartValues {
    #[new]
    fn new() -> Self {
        PartValues(Mutex::default())
    }

    /// Takes a batch of the treated columns.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<()> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).add(batch));
        told(py, done)
    }

    /// Takes what another process has seen.
    fn merge(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let other = told(py, TransformInputs::from_bytes(bytes))?;
        held(&self.0).merge(other);
        Ok(())
    }

    /// What goes to another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = told(py, held(&self.0).to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// A question put to a table that lies elsewhere.
#[pyclass(name = "Question", module = "incrowd._incrowd", frozen)]
pub(crate) struct DistributedQuestion {
    apart: Mutex<Option<DistributedRun>>,
    threads: Option<u32>,
}

impl DistributedQuestion {
    /// Does something with the question that leaves it as it is.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&DistributedRun) -> Result<T>) -> Result<T> {
        work(held(&self.apart).as_ref().ok_or_else(used)?)
    }
}

/// It was used up.
fn used() -> Error {
    Error::new("this step of the run is over")
}

#[pymethods]
impl DistributedQuestion {
    /// Resolves keywords against the columns of a table.
    #[new]
    #[pyo3(signature = (schema, base, options, values=None))]
    fn new(
        py: Python<'_>,
        schema: GivenSchema,
        base: Option<&str>,
        options: &Bound<'_, PyDict>,
        values: Option<&PartValues>,
    ) -> PyResult<Self> {
        let file = spec(py, base, options)?;
        let threads = file.spec.algorithm.threads;
        let values = values.map(|values| held(&values.0).clone()).unwrap_or_default();
        let apart = told(py, DistributedRun::new(file, schema.0, &values))?;
        Ok(DistributedQuestion { apart: Mutex::new(Some(apart)), threads })
    }

    /// A saved recoding put to a table of new rows.
    #[staticmethod]
    #[pyo3(signature = (schema, recoding, unseen, suppressed, earlier, seed_file=None, threads=None))]
    #[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
    fn applying(
        py: Python<'_>,
        schema: GivenSchema,
        recoding: &str,
        unseen: &str,
        suppressed: &str,
        earlier: Vec<PathBuf>,
        seed_file: Option<PathBuf>,
        threads: Option<u32>,
    ) -> PyResult<Self> {
        let options = application(py, recoding, unseen, suppressed, earlier, seed_file.as_deref())?;
        let apart = told(py, DistributedRun::applying(options, schema.0))?;
        Ok(DistributedQuestion { apart: Mutex::new(Some(apart)), threads })
    }

    /// The columns to read.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        told(py, held(&self.apart).as_ref().map(DistributedRun::columns).ok_or_else(used))
    }

    /// Whether rows can be kept between the passes.
    fn can_keep(&self, py: Python<'_>) -> PyResult<bool> {
        told(py, self.with(|apart| Ok(apart.reading(1, usize::MAX).can_keep())))
    }

    /// What goes to the rows to count them, in about so many parts and up to so many combinations.
    fn reading<'py>(
        &self,
        py: Python<'py>,
        parts: u64,
        most: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let reading = held(&self.apart).as_ref().map(|apart| apart.reading(parts, most));
        let bytes = reading.ok_or_else(used).and_then(|reading| reading.to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// The columns that follow from quasi-identifiers. If there are any, rows must be counted again.
    fn implied(
        &self,
        py: Python<'_>,
        reading: &[u8],
        counted: &PartCounts,
    ) -> PyResult<Vec<String>> {
        let reading = told(py, ReadingPlan::from_bytes(reading))?;
        let found = py.detach(|| {
            let counted = held(&counted.counted);
            let counted = counted.as_ref().ok_or_else(used)?;
            let mut apart = held(&self.apart);
            let apart = apart.as_mut().ok_or_else(used)?;
            apart.implied(&reading, counted, &incrowd_engine::Control::new())
        });
        told(py, found)
    }

    /// The same question where these columns were found to follow from quasi-identifiers.
    fn implying(&self, py: Python<'_>, columns: Vec<String>) -> PyResult<()> {
        let mut apart = held(&self.apart);
        told(py, apart.as_mut().map(|apart| apart.implying(&columns)).ok_or_else(used))
    }

    /// Searches, from what was counted of all parts.
    #[pyo3(signature = (reading, counted, population=None, progress=None, keep=false))]
    fn solve(
        &self,
        py: Python<'_>,
        reading: &[u8],
        counted: &PartCounts,
        population: Option<TableInput>,
        progress: Option<&Bound<'_, PyAny>>,
        keep: bool,
    ) -> PyResult<DistributedSolution> {
        let apart = told(py, held(&self.apart).take().ok_or_else(used))?;
        let reading = told(py, ReadingPlan::from_bytes(reading))?;
        let counted = told(py, held(&counted.counted).take().ok_or_else(used))?;
        let threads = self.threads;
        work(py, &WatchOptions { progress, keep }, move |control| {
            on_threads(threads, || {
                let population = population
                    .map(|population| {
                        population.open_plainly(&incrowd_run::data::ReadOptions::default())
                    })
                    .transpose()?;
                let tracer = Tracer::new();
                let control = tracer.listen(control);
                let solved = apart
                    .solve(&reading, counted, population.as_ref(), &control)
                    .map_err(with_keywords)?;
                Ok(DistributedSolution { solved: Mutex::new(solved), trace: tracer.points() })
            })?
        })
    }

    /// Prepares a release in blocks, from what was counted but for the combinations, and their margins.
    #[pyo3(signature = (reading, counted, margins, progress=None))]
    fn outline(
        &self,
        py: Python<'_>,
        reading: &[u8],
        counted: &PartCounts,
        margins: &PartMargins,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<DistributedSolution> {
        let apart = told(py, held(&self.apart).take().ok_or_else(used))?;
        let reading = told(py, ReadingPlan::from_bytes(reading))?;
        let counted = told(py, held(&counted.counted).take().ok_or_else(used))?;
        let margins = held(&margins.margins).clone();
        let threads = self.threads;
        work(py, &WatchOptions { progress, keep: false }, move |control| {
            on_threads(threads, || {
                let solved = apart.outline(&reading, counted, &margins, None, control)?;
                Ok(DistributedSolution { solved: Mutex::new(solved), trace: Vec::new() })
            })?
        })
    }
}

/// What was counted of some parts.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartCounts {
    reading: ReadingPlan,
    counted: Mutex<Option<PartialCounts>>,
}

#[pymethods]
impl PartCounts {
    #[new]
    fn new(py: Python<'_>, reading: &[u8]) -> PyResult<Self> {
        let reading = told(py, ReadingPlan::from_bytes(reading))?;
        let counted = Mutex::new(Some(PartialCounts::new(&reading)));
        Ok(PartCounts { reading, counted })
    }

    /// Counts a batch of a part; without one the part has no rows so far.
    #[pyo3(signature = (part, batch=None))]
    fn add(&self, py: Python<'_>, part: u64, batch: Option<GivenBatch>) -> PyResult<()> {
        let batch = batch.map(|given| given.0);
        let done = py.detach(|| {
            let mut counted = held(&self.counted);
            let counted = counted.as_mut().ok_or_else(used)?;
            match batch {
                Some(batch) => counted.add(&self.reading, part, batch),
                None => {
                    counted.begin(part);
                    Ok(())
                }
            }
        });
        told(py, done)
    }

    /// Counts a batch of a part; what its rows are recoded from, none where they have to be read again.
    fn add_keeping<'py>(
        &self,
        py: Python<'py>,
        part: u64,
        batch: GivenBatch,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let batch = batch.0;
        let done = py.detach(|| {
            let mut counted = held(&self.counted);
            counted.as_mut().ok_or_else(used)?.add_keeping(&self.reading, part, batch)
        });
        Ok(told(py, done)?.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Takes what another process has counted.
    fn merge(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let done = py.detach(|| {
            let other = PartialCounts::from_bytes(bytes)?;
            held(&self.counted).as_mut().ok_or_else(used)?.merge(&self.reading, other)
        });
        told(py, done)
    }

    /// What goes to another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| held(&self.counted).as_ref().ok_or_else(used)?.to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// Rows, combinations and parts, and whether there are more combinations than may be counted.
    fn facts(&self, py: Python<'_>) -> PyResult<(u64, usize, usize, bool)> {
        let counted = held(&self.counted);
        let counted = told(py, counted.as_ref().ok_or_else(used))?;
        Ok((counted.rows(), counted.combinations(), counted.parts(), counted.is_full()))
    }
}

/// A run whose search has ended.
#[pyclass(name = "Solution", module = "incrowd._incrowd", frozen)]
pub(crate) struct DistributedSolution {
    solved: Mutex<SolvedRun>,
    trace: Vec<TracePoint>,
}

#[pymethods]
impl DistributedSolution {
    /// Whether there is something to release.
    #[getter]
    fn has_release(&self) -> bool {
        held(&self.solved).has_release()
    }

    /// How released rows are put in order: `shuffle`, `sort` or `keep`.
    #[getter]
    fn order(&self) -> &'static str {
        match held(&self.solved).order() {
            incrowd_run::data::Order::Shuffled { .. } => "shuffle",
            incrowd_run::data::Order::Sorted => "sort",
            incrowd_run::data::Order::Kept => "keep",
        }
    }

    /// What goes to the rows.
    fn recoder(&self, py: Python<'_>) -> PyResult<PartRecoder> {
        let recoder = py.detach(|| held(&self.solved).recoder());
        Ok(told(py, recoder)?.into())
    }

    /// What goes to those who read the release back.
    fn checking<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = held(&self.solved).checking().and_then(|checking| checking.to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// The recoding as JSON.
    fn recoding(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| held(&self.solved).recoding().map(|recoding| recoding.to_json()))
    }

    /// Where the table is to be cut into blocks: nowhere yet.
    fn blocks(&self) -> BlockCuts {
        BlockCuts(Mutex::new(held(&self.solved).cuts()))
    }

    /// Takes what was found in a block; how many rows it has.
    fn add_block(&self, py: Python<'_>, facts: &[u8]) -> PyResult<u64> {
        let facts = told(py, facts_of(facts))?;
        let rows = facts.rows();
        held(&self.solved).add_blocks(facts);
        Ok(rows)
    }

    /// What the places of rows are drawn from. Whoever knows it can undo their order.
    fn order_key<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        held(&self.solved).order_key().map(|key| PyBytes::new(py, &key))
    }

    /// The facts of a run that made nothing.
    fn unsolved(&self) -> PyResult<String> {
        json(&held(&self.solved).unsolved())
    }

    /// Judges the written release; the facts of the run and its page.
    #[pyo3(signature = (checked, released=None, output=None))]
    fn finish(
        &self,
        py: Python<'_>,
        checked: &PartCheck,
        released: Option<&PartCheck>,
        output: Option<PathBuf>,
    ) -> PyResult<(String, Option<String>)> {
        let checked = told(py, held(&checked.0).take().ok_or_else(used))?;
        let released = match released {
            None => None,
            Some(released) => Some(told(py, held(&released.0).take().ok_or_else(used))?),
        };
        let done = py.detach(|| {
            let mut solved = held(&self.solved);
            let report = solved.finish(checked, released, output)?;
            let page = solved.file().map(|file| {
                let page = RunPage::new(file, solved.job(), solved.name(), &report);
                run_page(&page.with_trace(&self.trace))
            });
            Ok((report, page))
        });
        let (report, page) = told(py, done)?;
        Ok((json(&report)?, page))
    }

    /// Has the judged release put in its place by a function that others see the work of.
    fn commit(&self, py: Python<'_>, place: Py<PyAny>) -> PyResult<()> {
        let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
        let seen = raised.clone();
        let place = move || {
            Python::attach(|py| place.call0(py).map(drop)).map_err(|error| {
                let told = Error::new(error.to_string());
                *held(&seen) = Some(error);
                told
            })
        };
        let done = py.detach(|| held(&self.solved).commit(Box::new(place)));
        match held(&raised).take() {
            Some(error) => Err(error),
            None => told(py, done),
        }
    }

    /// The spec that was run; none where a saved recoding was applied.
    fn spec(&self) -> Option<String> {
        held(&self.solved).file().map(|file| write_spec(&file.spec))
    }

    /// Whether rows of an earlier release, of which these are counted combinations, stay what they are.
    fn keeps(&self, py: Python<'_>, earlier: &PartReleased, batch: GivenBatch) -> PyResult<bool> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.solved).keeps(&earlier.0, &batch));
        told(py, done)
    }

    /// Judges earlier rows and those of this run together, as they were written.
    fn holds_with(&self, py: Python<'_>, whole: &PartCheck) -> PyResult<()> {
        let whole = told(py, held(&whole.0).take().ok_or_else(used))?;
        told(py, py.detach(|| held(&self.solved).holds_with(whole)))
    }

    /// How the search went: seconds, CPU seconds, nodes, cost and bound.
    fn trace(&self) -> TracePoints {
        let point = |it: &TracePoint| (it.seconds, it.cpu_seconds, it.nodes, it.cost, it.bound);
        self.trace.iter().map(point).collect()
    }
}

/// What was seen of some parts of a written release.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartCheck(Mutex<Option<PartialVerification>>);

#[pymethods]
impl PartCheck {
    /// Nothing yet, of a part with this number; without the column of units where that is left out.
    #[new]
    #[pyo3(signature = (checking, part, without_unit=false))]
    fn new(py: Python<'_>, checking: &[u8], part: u64, without_unit: bool) -> PyResult<Self> {
        let checking = told(py, VerificationPlan::from_bytes(checking))?;
        let checking = if without_unit { checking.without_unit() } else { checking };
        Ok(PartCheck(Mutex::new(Some(told(py, PartialVerification::new(&checking, part))?))))
    }

    /// Takes a batch.
    fn add(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<()> {
        let batch = batch.0;
        let done = py.detach(|| held(&self.0).as_mut().ok_or_else(used)?.add(batch));
        told(py, done)
    }

    /// Takes what another process has seen.
    fn merge(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let done = py.detach(|| {
            let mut this = held(&self.0);
            let merged =
                this.take().ok_or_else(used)?.merge(PartialVerification::from_bytes(bytes)?)?;
            *this = Some(merged);
            Ok(())
        });
        told(py, done)
    }

    /// What goes to another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| held(&self.0).as_ref().ok_or_else(used)?.to_bytes());
        Ok(PyBytes::new(py, &told(py, bytes)?))
    }

    /// How many rows were seen.
    fn rows(&self, py: Python<'_>) -> PyResult<u64> {
        told(py, held(&self.0).as_ref().map(PartialVerification::rows).ok_or_else(used))
    }
}

/// Rows of an earlier release by a saved recoding, as rows of a table again.
#[pyclass(module = "incrowd._incrowd", frozen)]
pub(crate) struct PartReleased(ReleasedRows);

#[pymethods]
impl PartReleased {
    #[new]
    fn new(py: Python<'_>, recoding: &str) -> PyResult<Self> {
        let saved = SavedRecoding::from_json(recoding).map_err(Error::from);
        Ok(PartReleased(told(py, saved.and_then(|saved| ReleasedRows::new(&saved)))?))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Ok(PartReleased(told(py, ReleasedRows::from_bytes(bytes))?))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = told(py, self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The columns that quasi-identifiers have become.
    fn columns(&self) -> Vec<String> {
        self.0.columns()
    }

    /// The quasi-identifiers.
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    /// Rows with a value in the place of each label.
    fn restored(&self, py: Python<'_>, batch: GivenBatch) -> PyResult<ArrowTable> {
        let batch = batch.0;
        let done = py.detach(|| self.0.restored(&batch));
        Ok(ArrowTable::of_batch(told(py, done)?))
    }
}

/// Solves one block, of which all counted combinations are given: its recoder and what was found, as bytes.
#[pyfunction]
#[pyo3(signature = (question, reading, margins, block, combinations, key=None))]
pub(crate) fn solve_block<'py>(
    py: Python<'py>,
    question: &DistributedQuestion,
    reading: &[u8],
    margins: &PartMargins,
    block: u64,
    combinations: GivenBatch,
    key: Option<[u8; 32]>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let combinations = combinations.0;
    let done = py.detach(|| -> Result<(Vec<u8>, Vec<u8>)> {
        let reading = ReadingPlan::from_bytes(reading)?;
        let margins = held(&margins.margins);
        let (recoder, facts) = question.with(|apart| {
            apart.solve_block(&reading, &margins, block, &combinations, key, &Control::new())
        })?;
        Ok((recoder.to_bytes()?, facts.to_bytes()?))
    });
    let (recoder, facts) = told(py, done)?;
    Ok((PyBytes::new(py, &recoder), PyBytes::new(py, &facts)))
}

/// Adds the classes and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PartValues>()?;
    module.add_class::<DistributedQuestion>()?;
    module.add_class::<PartCounts>()?;
    module.add_class::<DistributedSolution>()?;
    module.add_class::<PartCheck>()?;
    module.add_class::<PartReleased>()?;
    module.add_function(wrap_pyfunction!(solve_block, module)?)?;
    module.add_function(wrap_pyfunction!(apart_treated, module)?)
}
