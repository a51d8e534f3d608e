//! Columns that nobody has named, looked at before anything is released.

use std::collections::BTreeSet;

use incrowd_assess::expose::tells_of_table;
use incrowd_assess::inspect::{ColumnSummary, ExposureKind, look};
use incrowd_assess::thresholds::{MOST, NEARLY_ALL, SMALL_ROWS, UNDONE_BY_TARGET};
use incrowd_engine::value::is_missing;
use incrowd_engine::words::count;
use incrowd_engine::{Control, FrequencyCounts};

use crate::checks::evidence::{TableCounts, ValueCounts};
use crate::plan::interface::{ColumnRefusal, Interface, refusal};
use crate::plan::job::Job;
use crate::plan::warning::{NAMED, Warning};
use crate::{Error, ErrorKind, Result, Source, read_table};

/// Refuses a run in which a column that nobody has named would be released as it is and single people out. Measurements are
/// no names: nobody outside knows them, and they are told.
pub(crate) fn refuse_exposed(
    job: &Job,
    source: &Source,
    watched: &[ValueCounts],
    rows: u64,
    sample: Option<&Source>,
    control: &Control,
) -> Result<Vec<Warning>> {
    let mut refused: Vec<ColumnRefusal> = Vec::new();
    let mut measured: Vec<String> = Vec::new();
    let columns = job.watched(source).into_iter().zip(watched);
    for (at, watched) in columns.filter(|(at, _)| job.unnamed.contains(at)) {
        let values = watched.values.iter();
        let values: Vec<(&str, u64)> = values.map(|(value, n)| (value.as_str(), *n)).collect();
        let name = &source.columns()[at];
        let found = look_at(name, &values, watched.scale, &job.missing, rows).exposed;
        let Some(exposed) = found else { continue };
        match exposed.how == ExposureKind::Measurement && !exposed.may_be_number {
            true => measured.push(format!("`{name}`")),
            false => refused.push(ColumnRefusal::exposed(name, &exposed, job.voice)),
        }
    }
    if refused.is_empty() {
        return Ok(unique_measurements(&measured).into_iter().collect());
    }
    if let Some(sample) = sample {
        refused.extend(undoing(job, sample, &refused, control)?);
    }
    Err(exposed_error(&refused))
}

/// What is told of measured columns in which most values are somebody's alone.
fn unique_measurements(columns: &[String]) -> Option<Warning> {
    let (named, rest) = columns.split_at(columns.len().min(NAMED));
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {}", count(more as u64, "other column", "other columns")),
    };
    let message = format!(
        "{}{more}: most values occur once, so anyone who knows one finds its row; round the \
         column if others may know it",
        named.join(", ")
    );
    (!columns.is_empty()).then(|| Warning::new("measured", message))
}

/// Columns that name people or rows and are released because somebody gave them a role: models protect what rows share, and an
/// identifier is shared by nobody. Those that somebody accepts come second.
pub(crate) fn refuse_identifiers(
    job: &Job,
    source: &Source,
    TableCounts { counts, watched, rows }: &TableCounts,
) -> (Result<()>, Vec<String>) {
    let released = |name: &str| {
        let targets = job.problem.targets.iter();
        targets.map(|column| &column.name).any(|target| target == name)
    };
    let targets = counts.columns.iter().enumerate().skip(job.problem.quasi.len());
    let targets = targets.filter(|(_, (name, _))| released(name));
    let of_targets = targets.filter_map(|(at, (name, _))| {
        let values = counted_values(counts, at);
        identifier(name, &values, 1, &job.missing, counts.rows(), job.voice)
    });
    let named = job.watched(source).into_iter().zip(watched);
    let named = named.filter(|(at, _)| !job.unnamed.contains(at));
    let of_plain = named.filter_map(|(at, watched)| {
        let values = watched.values.iter().map(|(value, n)| (value.as_str(), *n));
        let values: Vec<(&str, u64)> = values.collect();
        let name = &source.columns()[at];
        identifier(name, &values, watched.scale, &job.missing, *rows, job.voice)
    });
    // What the unit itself links is another question, and asked in any case.
    let unit = job.problem.unit.as_ref().map(|unit| &unit.name);
    let found = of_targets.chain(of_plain).filter(|it| unit != Some(&it.mend.column));
    let (accepted, refused): (Vec<ColumnRefusal>, Vec<ColumnRefusal>) =
        found.partition(|it| job.accepted.contains(&it.mend.column));
    let accepted = accepted.into_iter().map(|it| it.mend.column).collect();
    (identifiers_error(&refused), accepted)
}

/// What is wrong with a column of these values if it names people or rows.
fn identifier(
    name: &str,
    values: &[(&str, u64)],
    scale: u64,
    missing: &[String],
    rows: u64,
    voice: Interface,
) -> Option<ColumnRefusal> {
    let found = look_at(name, values, scale, missing, rows);
    let exposed = found.exposed.filter(|exposed| exposed.how.is_identifier())?;
    // What few rows have for themselves is a rare value of something that many share.
    let mostly = found.values as f64 >= MOST * (rows - found.missing) as f64;
    (mostly || exposed.how == ExposureKind::Names)
        .then(|| ColumnRefusal::identifier(name, &exposed, voice))
}

/// The error for identifiers that somebody gave a role in which they are released, if there are any.
fn identifiers_error(refused: &[ColumnRefusal]) -> Result<()> {
    let headline = match refused {
        [] => return Ok(()),
        [one] => format!("column `{}` names people or rows and is not protected", one.mend.column),
        several => {
            format!("{} columns name people or rows and are not protected", several.len())
        }
    };
    let help = "leave such a column out, or make it coarser";
    Err(refusal(ErrorKind::Exposed, &headline, refused, help))
}

/// The values of a counted column with how often each occurs.
fn counted_values(counts: &FrequencyCounts, at: usize) -> Vec<(&str, u64)> {
    let values = &counts.columns[at].1;
    let mut counted = vec![0u64; values.len()];
    counts.cells.for_each(|codes, count| counted[codes[at] as usize] += count);
    values.iter().zip(counted).collect()
}

/// The error for columns that single people out.
fn exposed_error(refused: &[ColumnRefusal]) -> Error {
    let headline = match refused {
        [one] => format!(
            "column `{}` has no role, and released unchanged it would identify people",
            one.mend.column
        ),
        several => format!(
            "{} columns have no role, and released unchanged they would identify people",
            several.len()
        ),
    };
    let help = "give every column a role; `plain` means that you accept the release of its values";
    refusal(ErrorKind::Exposed, &headline, refused, help)
}

/// A column by its values, missing ones among them.
fn look_at(
    name: &str,
    values: &[(&str, u64)],
    scale: u64,
    missing: &[String],
    rows: u64,
) -> ColumnSummary {
    let (absent, present): (Vec<_>, Vec<_>) =
        values.iter().copied().partition(|(value, _)| is_missing(value, missing));
    let absent: u64 = absent.iter().map(|(_, count)| count).sum();
    look(name, &present, rows, absent, scale)
}

/// Further columns without a name that copy a quasi-identifier: so that the line that fixes the others does not end
/// in the next refusal.
fn undoing(
    job: &Job,
    source: &Source,
    refused: &[ColumnRefusal],
    control: &Control,
) -> Result<Vec<ColumnRefusal>> {
    let known: BTreeSet<&str> = refused.iter().map(|column| column.mend.column.as_str()).collect();
    let others = job.unnamed.iter().copied();
    let others: Vec<usize> =
        others.filter(|&at| !known.contains(source.columns()[at].as_str())).collect();
    let quasi = crate::count::build_problem::places(source, &job.problem.columns())?;
    let quasi = &quasi[..job.problem.quasi.len()];
    let table = read_table(source, Some(&[&others[..], quasi].concat()), control)?;
    let places: Vec<usize> = (0..others.len()).collect();
    let hidden: Vec<usize> = (others.len()..others.len() + quasi.len()).collect();
    let mut found: Vec<ColumnRefusal> = Vec::new();
    for told in tells_of_table(&table, &places, &hidden) {
        let again = found.iter().any(|column| column.mend.column == told.column);
        if told.share >= UNDONE_BY_TARGET && !again {
            let why = format!("it reveals `{}`, which the release generalizes", told.quasi);
            found.push(ColumnRefusal::undoes(&told.column, why, false, job.voice));
        }
    }
    Ok(found)
}

/// Quasi-identifiers that are different in every row: generalized they tell nothing, and cost what others could keep.
pub(crate) fn identifiers_as_quasi(job: &Job, counts: &FrequencyCounts) -> Vec<Warning> {
    let rows = counts.rows();
    let mut warnings = Vec::new();
    for (at, (name, values)) in counts.columns.iter().enumerate().take(job.problem.quasi.len()) {
        if rows <= SMALL_ROWS || (values.len() as f64) < NEARLY_ALL * rows as f64 {
            continue;
        }
        let how = look(name, &counted_values(counts, at), rows, 0, 1).exposed;
        if let Some(exposed) = how
            && exposed.how.is_identifier()
        {
            warnings.push(Warning::new(
                "identifier-as-quasi",
                format!(
                    "the quasi-identifier `{name}` looks like an identifier: {}; leave it \
                     out with {}",
                    exposed.why,
                    job.voice.role(name, crate::spec::Role::Identifying)
                ),
            ));
        }
    }
    warnings
}
