//! Keyword arguments as the library takes them.

use incrowd_run::spec::KeywordValue;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Keywords, in their order; those that are `None` are as if they were not given.
pub(crate) fn keywords(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, KeywordValue)>> {
    let mut all = Vec::with_capacity(given.len());
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        if !value.is_none() {
            all.push((name.clone(), value_of(&name, &value, 0)?));
        }
    }
    Ok(all)
}

/// More levels than any hierarchy has.
const DEEPEST: usize = 64;

fn value_of(name: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<KeywordValue> {
    if depth > DEEPEST {
        return Err(PyTypeError::new_err(format!("`{name}` is nested too deeply")));
    }
    let inner = |value: &Bound<'_, PyAny>| value_of(name, value, depth + 1);
    if value.is_instance_of::<PyBool>() {
        return Ok(KeywordValue::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let whole: i128 = value
            .str()?
            .to_str()?
            .parse()
            .map_err(|_| PyTypeError::new_err(format!("a number in `{name}` is too large")))?;
        return Ok(KeywordValue::Whole(whole));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(KeywordValue::Number(value.extract()?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(KeywordValue::Text(value.extract()?));
    }
    if let Ok(table) = value.cast::<PyDict>() {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table.iter() {
            let key = match inner(&key)? {
                KeywordValue::Text(text) => text,
                KeywordValue::Whole(whole) => whole.to_string(),
                KeywordValue::Number(number) => number.to_string(),
                KeywordValue::Bool(value) => value.to_string(),
                _ => return Err(PyTypeError::new_err(format!("a key of `{name}` is not text"))),
            };
            if !value.is_none() {
                entries.push((key, inner(&value)?));
            }
        }
        return Ok(KeywordValue::Table(entries));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let mut values = Vec::new();
        for item in value.try_iter()? {
            values.push(inner(&item?)?);
        }
        return Ok(KeywordValue::List(values));
    }
    // What Python itself knows how to turn into something plain: see `incrowd._keywords`.
    let plain = value.py().import("incrowd._keywords")?.getattr("plain")?.call1((name, value))?;
    inner(&plain)
}
