//! The extension module `incrowd._incrowd`: the library for the Python package in `python/`.
//!
//! Tables come and go by the Arrow PyCapsule interface or as paths, options as keywords that stand for a spec, results
//! as JSON. What is friendlier is made of it in Python. Nothing is decided here that the library does not know.

mod arrow_capsules;
mod assess;
mod blocks;
mod counted;
mod data;
mod distributed;
mod errors;
mod forms;
mod keyword_args;
mod python_columns;
mod recoding;
mod run;
mod shared_state;
mod table_of_counts;
mod tools;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _incrowd(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Exceptions and warnings end in logs, which are shared where tables are not.
    incrowd_engine::words::hide_values(true);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::ArrowTable>()?;
    distributed::add_to(module)?;
    blocks::add_to(module)?;
    counted::add_to(module)?;
    recoding::add_to(module)?;
    module.add_class::<run::FinishedRun>()?;
    module.add_function(wrap_pyfunction!(run::anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(run::apply, module)?)?;
    module.add_function(wrap_pyfunction!(run::frontier, module)?)?;
    module.add_function(wrap_pyfunction!(run::compare, module)?)?;
    module.add_function(wrap_pyfunction!(assess::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(assess::draft, module)?)?;
    module.add_function(wrap_pyfunction!(assess::verify, module)?)?;
    module.add_function(wrap_pyfunction!(assess::risk, module)?)?;
    module.add_function(wrap_pyfunction!(assess::attack, module)?)?;
    module.add_function(wrap_pyfunction!(assess::check, module)?)?;
    module.add_function(wrap_pyfunction!(forms::goal, module)?)?;
    module.add_function(wrap_pyfunction!(forms::form, module)?)?;
    module.add_function(wrap_pyfunction!(forms::record, module)?)?;
    module.add_function(wrap_pyfunction!(assess::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(assess::learning, module)?)?;
    module.add_function(wrap_pyfunction!(assess::queries, module)?)?;
    module.add_function(wrap_pyfunction!(assess::classification, module)?)?;
    module.add_function(wrap_pyfunction!(tools::spec_text, module)?)?;
    module.add_function(wrap_pyfunction!(tools::spec_facts, module)?)?;
    module.add_function(wrap_pyfunction!(tools::spec_from_folder, module)?)?;
    module.add_function(wrap_pyfunction!(tools::keywords, module)?)?;
    module.add_function(wrap_pyfunction!(tools::methods, module)?)?;
    module.add_function(wrap_pyfunction!(tools::build_hierarchy, module)?)?;
    module.add_function(wrap_pyfunction!(tools::check_hierarchy, module)?)?;
    module.add_function(wrap_pyfunction!(tools::structure, module)?)?;
    module.add_function(wrap_pyfunction!(tools::nearest_structure, module)?)?;
    module.add_function(wrap_pyfunction!(tools::check_recoding, module)?)?;
    module.add_function(wrap_pyfunction!(tools::trace_chart, module)?)?;
    module.add_function(wrap_pyfunction!(tools::charts_of, module)?)?;
    module.add_function(wrap_pyfunction!(tools::lines_chart, module)?)?;
    module.add_function(wrap_pyfunction!(tools::show_values, module)?)?;
    module.add_function(wrap_pyfunction!(tools::values_are_shown, module)?)?;
    module.add_function(wrap_pyfunction!(tools::name_parts, module)?)?;
    module.add_function(wrap_pyfunction!(tools::command_line, module)?)?;
    module.add_function(wrap_pyfunction!(tools::command_options, module)?)?;
    module.add_function(wrap_pyfunction!(tools::demo_people, module)?)?;
    Ok(())
}
