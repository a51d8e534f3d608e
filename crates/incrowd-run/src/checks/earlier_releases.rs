//! A release next to earlier ones of the same table.

use std::path::PathBuf;

use incrowd_assess::differences::{IsolatedGroup, SubtractionKind, isolated};
use incrowd_assess::queries::ReleaseView;
use incrowd_engine::words::{count, list};
use incrowd_engine::{Control, Problem, Release};

use crate::recode::read_back::read_release;
use crate::{Error, ErrorKind, Input, ReadOptions, Result, Source, read_table};

/// How many groups are told of.
const TOLD: usize = 3;

/// Refuses a release that tells fewer people apart than k when an earlier one is subtracted from it. Earlier releases are read
/// as anybody reads them: labels and how often they occur.
pub(crate) fn refuse_differences(
    earlier: &[PathBuf],
    problem: &Problem,
    release: &Release,
    control: &Control,
) -> Result<()> {
    if earlier.is_empty() {
        return Ok(());
    }
    let today = ReleaseView::of_release(problem, release);
    // Of people with several rows only the rows can be counted in a release: so many are k people for certain.
    let whole = problem.whole();
    let units = whole.sparse.first().filter(|_| problem.privacy.unit().is_some());
    let most = units.and_then(|units| units.iter().map(|(_, rows)| rows).max()).unwrap_or(1);
    let least = problem.privacy.least_crowd().saturating_mul(most);
    for path in earlier {
        let source = Source::open(&Input::from(path), &ReadOptions::default())?;
        let quasi: Vec<String> =
            problem.attributes.iter().map(|attribute| attribute.name.clone()).collect();
        let shown = |name: &String| {
            quasi.iter().any(|quasi| {
                name == quasi || *name == format!("{quasi}_min") || *name == format!("{quasi}_max")
            })
        };
        let columns: Vec<usize> =
            (0..source.columns().len()).filter(|&at| shown(&source.columns()[at])).collect();
        let table = read_table(&source, Some(&columns), control)?;
        let then = read_release(problem, &table).map_err(|error| Error {
            message: format!("the earlier release {}: {}", source.name(), error.message),
            ..error
        })?;
        let found = isolated(&problem.attributes, &then, &today, least);
        if !found.is_empty() {
            return Err(refusal(&source.name(), &quasi, &found, least, most));
        }
    }
    Ok(())
}

fn refusal(name: &str, quasi: &[String], found: &[IsolatedGroup], least: u64, most: u64) -> Error {
    let mut message = format!(
        "subtracting the earlier release {name} isolates fewer than {} ({}):",
        count(least, "row", "rows"),
        count(found.len() as u64, "time", "times"),
    );
    for isolated in found.iter().take(TOLD) {
        let shown: Vec<String> = quasi
            .iter()
            .zip(&isolated.labels)
            .map(|(name, label)| format!("{name} {label}"))
            .collect();
        let how = match isolated.how {
            SubtractionKind::Same => "in a class with the same labels in both releases",
            SubtractionKind::Grown => "in a class, after subtracting earlier classes inside it",
            SubtractionKind::Split => {
                "in an earlier class, after subtracting today's classes inside it"
            }
            SubtractionKind::Together => {
                "in overlapping classes of both releases, \
                                          subtracted one after another"
            }
        };
        let rows = count(isolated.rows, "row", "rows");
        message.push_str(&format!("\n  {rows} {how}: {}", list(&shown)));
    }
    if most > 1 {
        message.push_str(&format!(
            "\n  (a unit has up to {}: that many rows are needed for k units)",
            count(most, "row", "rows")
        ));
    }
    Error::new(message).of_kind(ErrorKind::Difference).help(
        "wait for more rows; release only new rows by the saved recoding; or omit a release \
         that nobody has",
    )
}
