//! Errors of the library as exceptions.

use incrowd_run::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The exception for an error: its class is chosen by the kind, in Python.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let told = error.to_json().to_string();
    let text = error.to_string();
    let made = py
        .import("incrowd._errors")
        .and_then(|module| module.getattr("made"))
        .and_then(|made| made.call1((told, text)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// JSON of something that the library found.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}
