//! Columns that nobody has named, looked at before anything is released.

use std::collections::BTreeSet;

use incrowd::value::is_missing;
use incrowd::{Control, Counts};
use incrowd_assess::expose::{ValueTally, tells_of_table};
use incrowd_assess::inspect::{Exposing, look};
use incrowd_assess::thresholds::{NEARLY_ALL, SMALL_ROWS, UNDONE_BY_TARGET};

use super::voice::{Refused, Voice, refusal};
use super::{Job, Warning};
use crate::{Error, ErrorKind, Result, Source, read_table};

/// Refuses a run in which a column that nobody has named would be released as it is and single people out.
pub(super) fn refuse_exposed(
    job: &Job,
    source: &Source,
    tallies: &[ValueTally],
    rows: u64,
    control: &Control,
) -> Result<()> {
    let columns = job.unnamed.iter().zip(tallies);
    let mut refused: Vec<Refused> = columns
        .filter_map(|(&at, tally)| {
            let name = &source.columns()[at];
            refused(name, &tally.values(), tally.scale(), &job.missing, rows, job.voice)
        })
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    refused.extend(undoing(job, source, &refused, control)?);
    Err(exposed_error(&refused))
}

/// The error for columns that single people out.
pub(super) fn exposed_error(refused: &[Refused]) -> Error {
    let headline = match refused {
        [one] => format!(
            "nothing says what column `{}` is, and released as it is it would give people away",
            one.mend.column
        ),
        several => format!(
            "nothing says what {} columns are, and released as they are they would give people away",
            several.len()
        ),
    };
    let help = "say what each column is; who says that it is plain takes it on";
    refusal(ErrorKind::Exposed, &headline, refused, help)
}

/// What is wrong with a column of these values, one of `scale` by chance, if it is released as it is.
pub(super) fn refused(
    name: &str,
    values: &[(&str, u64)],
    scale: u64,
    missing: &[String],
    rows: u64,
    voice: Voice,
) -> Option<Refused> {
    let (absent, present): (Vec<_>, Vec<_>) =
        values.iter().copied().partition(|(value, _)| is_missing(value, missing));
    let absent: u64 = absent.iter().map(|(_, count)| count).sum();
    let exposed = look(name, &present, rows, absent, scale).exposed?;
    Some(Refused::exposed(name, &exposed, voice))
}

/// Further columns without a name that copy a quasi-identifier: so that the line that mends the others does not end
/// in the next refusal.
fn undoing(
    job: &Job,
    source: &Source,
    refused: &[Refused],
    control: &Control,
) -> Result<Vec<Refused>> {
    let known: BTreeSet<&str> = refused.iter().map(|column| column.mend.column.as_str()).collect();
    let others = job.unnamed.iter().copied();
    let others: Vec<usize> =
        others.filter(|&at| !known.contains(source.columns()[at].as_str())).collect();
    let quasi = super::places(source, &job.problem.columns())?;
    let quasi = &quasi[..job.problem.quasi.len()];
    let table = read_table(source, Some(&[&others[..], quasi].concat()), control)?;
    let places: Vec<usize> = (0..others.len()).collect();
    let hidden: Vec<usize> = (others.len()..others.len() + quasi.len()).collect();
    let mut found: Vec<Refused> = Vec::new();
    for told in tells_of_table(&table, &places, &hidden) {
        let again = found.iter().any(|column| column.mend.column == told.column);
        if told.share >= UNDONE_BY_TARGET && !again {
            let why = format!("it tells `{}`, which the release hides", told.quasi);
            found.push(Refused::undoes(&told.column, why, job.voice));
        }
    }
    Ok(found)
}

/// Quasi-identifiers that are different in every row: generalized they tell nothing, and cost what others could keep.
pub(super) fn identifiers_as_quasi(job: &Job, counts: &Counts) -> Vec<Warning> {
    let rows = counts.rows();
    let mut warnings = Vec::new();
    for (at, (name, values)) in counts.columns.iter().enumerate().take(job.problem.quasi.len()) {
        if rows <= SMALL_ROWS || (values.len() as f64) < NEARLY_ALL * rows as f64 {
            continue;
        }
        let mut counted = vec![0u64; values.len()];
        counts.cells.for_each(|codes, count| counted[codes[at] as usize] += count);
        let values: Vec<(&str, u64)> = values.iter().zip(counted).collect();
        let how = look(name, &values, rows, 0, 1).exposed;
        if let Some(exposed) = how
            && matches!(exposed.how, Exposing::Names | Exposing::Numbers | Exposing::Text)
        {
            warnings.push(Warning::new(
                "identifier-as-quasi",
                format!(
                    "the quasi-identifier `{name}` looks like an identifier: {}; leave it out: {}",
                    exposed.why,
                    job.voice.role(name, crate::spec::Role::Identifying)
                ),
            ));
        }
    }
    warnings
}
