//! Small helps that the classes share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use incrowd_io::Result;
use pyo3::prelude::*;

use crate::errors::raised;

/// What was made, or an exception.
pub(crate) fn told<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    result.map_err(|error| raised(py, &error))
}

/// What a mutex holds; a panic elsewhere leaves it as sound as it was.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
