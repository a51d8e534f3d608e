//! What the columns give away that are released as they are.

use incrowd::release::Disposition;
use incrowd::table::CellIndex;
use incrowd::words::thousands;
use incrowd::{Problem, Release, Table};
use incrowd_assess::expose::{Exposure, Gathering, Told, value_hash};
use incrowd_assess::thresholds::{NEARLY_ALL, UNDONE, UNDONE_BY_TARGET};

use super::Warning;
use super::said::Said;
use super::voice::{Refused, Voice, refusal};
use crate::{Error, ErrorKind, Result};

/// What the columns give away that stay as they are, of a table in memory; `keep` are the columns that are released as they are.
pub(super) fn of_table(
    table: &Table,
    keep: &[&str],
    problem: &Problem,
    release: &Release,
) -> Result<Exposure> {
    let columns = |names: &[&str]| -> Result<Vec<&incrowd::table::Column>> {
        names
            .iter()
            .map(|name| {
                let missing = || Error::new(format!("the table has no column `{name}`"));
                table.column(name).ok_or_else(missing)
            })
            .collect()
    };
    let kept = columns(keep)?;
    if kept.is_empty() {
        return Ok(Exposure::default());
    }
    let counted: Vec<&str> = problem.columns().collect();
    let counted = columns(&counted)?;
    let coded = counted.iter().zip(&problem.codebooks).map(|(column, codebook)| {
        codebook.codes_for(&column.dictionary).map_err(|_| super::recode::changed())
    });
    let coded = coded.collect::<Result<Vec<_>>>()?;
    let quasi = problem.attributes.len();
    let index = CellIndex::new(&problem.cells, &problem.domains());
    let mut gathering =
        Gathering::new(keep.iter().map(|&name| name.to_owned()).collect(), problem.rows);
    let chosen = gathering.chosen();
    let mut assigner = release.assigner();
    let hashes: Vec<Vec<u64>> =
        kept.iter().map(|column| column.dictionary.iter().map(value_hash).collect()).collect();
    let mut codes = vec![0; coded.len()];
    let mut row_hashes = vec![0; kept.len()];
    for row in 0..table.rows() {
        for ((code, column), coded) in codes.iter_mut().zip(&counted).zip(&coded) {
            *code = coded[column.codes[row] as usize];
        }
        let Some(cell) = index.find(&codes[..quasi]) else { continue };
        let target = || match codes.len() > quasi {
            true => problem.targets.find(&codes[quasi..]).unwrap_or(0),
            false => 0,
        };
        let class = match assigner.assign(cell, target) {
            Disposition::Class(class) => Some(class),
            Disposition::Blank => None,
            Disposition::Dropped => continue,
        };
        for ((hash, column), hashes) in row_hashes.iter_mut().zip(&kept).zip(&hashes) {
            *hash = hashes[column.codes[row] as usize];
        }
        gathering.add(class, &row_hashes);
        if chosen.has(row as u64) {
            gathering.look(class, cell, kept.iter().map(|column| column.value(row)));
        }
    }
    Ok(gathering.finish(problem, release))
}

/// Refuses a release of so many rows in which columns undo what it does to others, and warns of what is below the limit or meant.
pub(super) fn judge(
    exposure: &Exposure,
    rows: u64,
    said: impl Fn(&str) -> Said,
    voice: Voice,
) -> Result<Vec<Warning>> {
    let mut refused: Vec<Refused> = Vec::new();
    let mut warnings = Vec::new();
    for column in &exposure.unchanged {
        let tells: Vec<&Told> =
            exposure.tells.iter().filter(|told| told.column == column.column).collect();
        let Some(most) = tells.first() else { continue };
        let limit = match said(&column.column) {
            Said::Nothing | Said::Masked => UNDONE,
            Said::Target => UNDONE_BY_TARGET,
            Said::Plain => f64::INFINITY,
            Said::Linking => continue,
        };
        let parts: Vec<String> = tells
            .iter()
            .map(|told| format!("`{}` of {:.1} % of the rows", told.quasi, 100.0 * told.share))
            .collect();
        let sample = exposure
            .sampled
            .map_or(String::new(), |rows| format!(" (found from {} rows)", thousands(rows)));
        let why = format!("it tells the original {}{sample}", parts.join(", "));
        if most.share > limit && said(&column.column) == Said::Masked {
            refused.push(Refused::masked(&column.column, why, voice));
        } else if most.share > limit {
            let names_rows = column.unique_rows as f64 >= NEARLY_ALL * rows as f64;
            refused.push(Refused::undoes(&column.column, why, names_rows, voice));
        } else {
            let message = format!("`{}` undoes a part of the release: {why}", column.column);
            warnings.push(Warning::new("undoes", message));
        }
    }
    if refused.is_empty() {
        return Ok(warnings);
    }
    let headline = match &refused[..] {
        [one] => format!("column `{}` undoes what the release does to others", one.mend.column),
        several => format!("{} columns undo what the release does to others", several.len()),
    };
    let mut error = refusal(ErrorKind::Undoes, &headline, &refused, UNDOES_HELP);
    for warning in warnings {
        error.message.push_str(&format!("\n  below the limit: {warning}"));
    }
    Err(error)
}

const UNDOES_HELP: &str =
    "nothing was written; give such a column the same protection, or leave it out";
