//! A table of which only counts of combinations are there.

use std::sync::{Arc, Mutex};

use incrowd_cluster::CountedTable;
use pyo3::prelude::*;

use crate::shared_state::held;

/// The combinations of a table, for the functions that take tables.
#[pyclass(name = "CountedTable", module = "incrowd._incrowd", frozen)]
pub(crate) struct TableOfCounts(pub(crate) Mutex<CountedTable>);

impl TableOfCounts {
    pub(crate) fn table(&self) -> Arc<CountedTable> {
        Arc::new(held(&self.0).clone())
    }
}
