//! From columns by name to places, and from counted rows to a problem.

use incrowd_engine::{Control, FrequencyCounts, Problem, ProblemSpec};

use crate::{Error, Result, Source};

/// Poses a problem for counted rows of a source. Where the numbers of a column can be read in two ways, the source's other
/// columns and its delimiter decide, if they can.
pub(crate) fn build_problem(
    spec: &ProblemSpec,
    counts: &FrequencyCounts,
    source: &Source,
    missing: &[String],
    control: &Control,
) -> Result<Problem> {
    match Problem::build(spec, counts) {
        Err(error)
            if error.kind == incrowd_engine::ErrorKind::Ambiguous && spec.decimal.is_none() =>
        {
            match source.likely_decimal(missing, control)? {
                None => Err(error.into()),
                decimal => Ok(Problem::build(&ProblemSpec { decimal, ..spec.clone() }, counts)?),
            }
        }
        problem => Ok(problem?),
    }
}

/// For each column of a source its place among some that are read, if it is one of them.
pub(crate) fn among(read: &[usize], source: &Source) -> Vec<Option<usize>> {
    let mut place_of = vec![None; source.columns().len()];
    for (place, &column) in read.iter().enumerate().rev() {
        place_of[column] = Some(place);
    }
    place_of
}

/// The places of columns in a source.
pub(crate) fn places(source: &Source, names: &[String]) -> Result<Vec<usize>> {
    names
        .iter()
        .map(|name| {
            source
                .columns()
                .iter()
                .position(|column| column == name)
                .ok_or_else(|| Error::new(format!("{} has no column `{name}`", source.name())))
        })
        .collect()
}

/// A table without rows is refused by its name.
pub(crate) fn some_rows(source: &Source, counts: &FrequencyCounts) -> Result<()> {
    if !counts.cells.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!("{} has no rows", source.name()))
        .help("there must be rows below the header"))
}
