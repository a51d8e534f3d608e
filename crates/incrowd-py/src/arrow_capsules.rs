//! Arrow data that comes from Python and goes there, by the Arrow PyCapsule interface.
#![allow(
    unsafe_code,
    reason = "capsules carry C structures, which arrow-array can only take over from raw pointers"
)]

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, make_array};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A schema, from whatever has `__arrow_c_schema__`.
pub(crate) struct GivenSchema(pub(crate) SchemaRef);

/// A batch, from whatever has `__arrow_c_array__`.
pub(crate) struct GivenBatch(pub(crate) RecordBatch);

/// Batches one after the other, from whatever has `__arrow_c_stream__`.
pub(crate) struct GivenStream(pub(crate) ArrowArrayStreamReader);

impl FromPyObject<'_, '_> for GivenSchema {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let capsule = exported(&given, "__arrow_c_schema__")?.cast_into::<PyCapsule>()?;
        let schema = pointer::<FFI_ArrowSchema>(&capsule, SCHEMA)?;
        // SAFETY: a capsule of this name holds a schema for as long as it lives.
        let schema = unsafe { schema.as_ref() };
        Ok(GivenSchema(Arc::new(Schema::try_from(schema).map_err(unfit)?)))
    }
}

impl FromPyObject<'_, '_> for GivenBatch {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let capsules = exported(&given, "__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
        let schema = pointer::<FFI_ArrowSchema>(schema.cast::<PyCapsule>()?, SCHEMA)?;
        let array = pointer::<FFI_ArrowArray>(array.cast::<PyCapsule>()?, ARRAY)?;
        // SAFETY: capsules of these names hold a schema and an array of it for as long as they live. The array is
        // moved out, as the interface has it, and nothing is left to be released twice.
        let (data, schema) = unsafe {
            let schema = schema.as_ref();
            (from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema), schema)
        };
        let array = make_array(data.map_err(unfit)?);
        let fault = || PyValueError::new_err("a batch is an array of structs, none of them null");
        let rows = array.as_struct_opt().filter(|it| it.null_count() == 0).ok_or_else(fault)?;
        let schema = Arc::new(Schema::try_from(schema).map_err(unfit)?);
        let count = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(schema, rows.columns().to_vec(), &count);
        Ok(GivenBatch(batch.map_err(unfit)?))
    }
}

impl FromPyObject<'_, '_> for GivenStream {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let capsule = exported(&given, "__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let stream = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
        // SAFETY: a capsule of this name holds a stream, which is moved out and so cannot be released twice.
        let stream = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) };
        Ok(GivenStream(stream.map_err(unfit)?))
    }
}

/// The capsule of a stream of batches.
pub(crate) fn stream_capsule(
    py: Python<'_>,
    batches: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}

/// What an object hands out by a method of the interface.
fn exported<'py>(given: &Borrowed<'_, 'py, PyAny>, method: &str) -> PyResult<Bound<'py, PyAny>> {
    if !given.hasattr(method)? {
        return Err(PyValueError::new_err(format!("expected an object with {method}")));
    }
    given.call_method0(method)
}

/// Where a capsule of this name has its structure. Another name is refused.
fn pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &'static CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

fn unfit(error: ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
