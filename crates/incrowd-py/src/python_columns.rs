//! Columns of Python's own values, where no library speaks Arrow.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use incrowd_run::data::arrow::TextBuffer;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A column by its name, the kind of its values, and these.
pub(crate) type PythonColumn<T> = (String, String, Vec<T>);

/// A batch of columns whose values have the Python type of their kind; none is missing. Dates are days and moments
/// microseconds since 1970.
pub(crate) fn batch_of(columns: &[PythonColumn<Bound<'_, PyAny>>]) -> PyResult<RecordBatch> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, kind, values) in columns {
        let array: ArrayRef = match kind.as_str() {
            "boolean" => Arc::new(values_of::<bool>(values)?.into_iter().collect::<BooleanArray>()),
            "integer" => Arc::new(Int64Array::from(values_of::<i64>(values)?)),
            "number" => Arc::new(Float64Array::from(values_of::<f64>(values)?)),
            "date" => Arc::new(Date32Array::from(values_of::<i32>(values)?)),
            "moment" => Arc::new(TimestampMicrosecondArray::from(values_of::<i64>(values)?)),
            "text" => Arc::new(StringArray::from(values_of::<String>(values)?)),
            other => return Err(PyValueError::new_err(format!("there is no kind {other}"))),
        };
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|e| PyValueError::new_err(e.to_string()))
}

fn values_of<'py, T>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<Option<T>>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    values.iter().map(|value| value.extract::<Option<T>>()).collect()
}

/// The columns of batches as Python values, by the same kinds; what has none is text.
pub(crate) fn columns_of(
    py: Python<'_>,
    schema: &Schema,
    batches: &[RecordBatch],
) -> PyResult<Vec<PythonColumn<Py<PyAny>>>> {
    let columns = schema.fields().iter().enumerate().map(|(at, field)| {
        let kind = kind_of(field.data_type());
        let mut values = Vec::new();
        for batch in batches {
            push_values(py, batch.column(at).as_ref(), kind, &mut values)?;
        }
        Ok((field.name().clone(), kind.to_owned(), values))
    });
    columns.collect()
}

fn kind_of(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "boolean",
        DataType::Int64 => "integer",
        DataType::Float64 => "number",
        DataType::Date32 => "date",
        DataType::Timestamp(TimeUnit::Microsecond, None) => "moment",
        _ => "text",
    }
}

fn push_values(
    py: Python<'_>,
    array: &dyn Array,
    kind: &str,
    values: &mut Vec<Py<PyAny>>,
) -> PyResult<()> {
    match kind {
        "boolean" => push_all(py, array.as_boolean(), values),
        "integer" => push_all(py, array.as_primitive::<Int64Type>(), values),
        "number" => push_all(py, array.as_primitive::<Float64Type>(), values),
        "date" => push_all(py, array.as_primitive::<Date32Type>(), values),
        "moment" => push_all(py, array.as_primitive::<TimestampMicrosecondType>(), values),
        _ => {
            let mut text = TextBuffer::<(usize, usize)>::default();
            text.push_column(array).map_err(|fault| PyRuntimeError::new_err(fault.what))?;
            for (row, &(from, to)) in text.spans.iter().enumerate() {
                let is_there = array.logical_nulls().is_none_or(|nulls| nulls.is_valid(row));
                values.push(is_there.then(|| &text.text[from..to]).into_py_any(py)?);
            }
            Ok(())
        }
    }
}

fn push_all<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    array: impl IntoIterator<Item = Option<T>>,
    values: &mut Vec<Py<PyAny>>,
) -> PyResult<()> {
    for value in array {
        values.push(value.into_py_any(py)?);
    }
    Ok(())
}
