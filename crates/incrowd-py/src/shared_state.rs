//! What steps of a run hold between calls, and what went wrong in them.

use std::sync::{Mutex, PoisonError};

use incrowd_run::Result;
use pyo3::prelude::*;

use crate::errors::raised;

/// Something that was sent as bytes is made again, or an exception.
pub(crate) fn told<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    result.map_err(|error| raised(py, &error))
}

/// What a mutex holds, whatever became of others who held it.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
