//! Roles for columns that nobody has named, where somebody wants them guessed.

use incrowd_assess::expose::SAMPLE;
use incrowd_assess::inspect::{LikelyRole, propose};
use incrowd_engine::{Control, Table};
use serde::Serialize;

use crate::plan::from_spec::names_rows;
use crate::spec::{ColumnSection, KeywordChoice, OtherColumns, Role, SpecFile};
use crate::{Error, Result, Source, read_sample};

/// A role that was guessed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuessedRole {
    /// The column.
    pub column: String,
    /// Its role; identifying if it is left out.
    pub role: &'static str,
    /// Why.
    pub why: String,
}

impl GuessedRole {
    /// Whether the column is released as it is.
    pub(crate) fn is_unchanged(&self) -> bool {
        [Role::Plain, Role::Sensitive].iter().any(|role| role.name() == self.role)
    }
}

/// The spec with the roles that the rows of a table suggest.
pub(crate) fn guess_roles(
    file: &SpecFile,
    source: &Source,
) -> Result<(SpecFile, Vec<GuessedRole>)> {
    let all: Vec<usize> = (0..source.columns().len()).collect();
    // Others know values as they are before any treatment.
    let rows = read_sample(source, &all, SAMPLE as usize, true, &Control::new())?;
    if rows.rows() == 0 {
        return Err(Error::new("roles cannot be guessed without reading rows")
            .help("name the roles of the columns instead"));
    }
    Ok(guess_from(file, &rows))
}

/// The same from some rows of a table, which has all of its columns.
pub fn guess_from(file: &SpecFile, rows: &Table) -> (SpecFile, Vec<GuessedRole>) {
    let spec = &file.spec;
    let unit = spec.privacy.unit_column();
    let mut quasi = Vec::new();
    let mut open = Vec::new();
    for (at, column) in rows.columns().iter().enumerate() {
        match spec.column(&column.name).map(|it| it.role) {
            Some(Role::Quasi) => quasi.push(at),
            Some(_) => {}
            None if unit == Some(&column.name) || names_rows(at, &column.name) => {}
            None => open.push(at),
        }
    }
    let missing = spec.data.missing_tokens();
    let mut file = file.clone();
    file.spec.data.other = Some(OtherColumns::Drop);
    let mut guesses = Vec::new();
    for proposal in propose(rows, &quasi, &open, &missing, &Control::new()) {
        let name = &rows.columns()[proposal.at].name;
        let role = match proposal.role {
            LikelyRole::Undecided => Role::Identifying,
            role => Role::from(role),
        };
        // What is left out is named nowhere: nobody has said that it names people.
        if role != Role::Identifying {
            file.spec.columns.push(ColumnSection::new(name, role));
        }
        guesses.push(GuessedRole { column: name.clone(), role: role.name(), why: proposal.why });
    }
    (file, guesses)
}

/// The guesses in a sentence: what is released in which role, and what is left out.
pub(crate) fn told(guesses: &[GuessedRole]) -> String {
    /// Columns that are told by name.
    const NAMED: usize = 12;
    let named = |role: &str| {
        let all: Vec<&str> =
            guesses.iter().filter(|it| it.role == role).map(|it| it.column.as_str()).collect();
        let more = if all.len() > NAMED { ", ..." } else { "" };
        (!all.is_empty()).then(|| format!("{}{more}", all[..all.len().min(NAMED)].join(", ")))
    };
    let parts = [
        ("quasi", "quasi"),
        ("sensitive", "sensitive"),
        ("plain", "plain"),
        ("identifying", "left out"),
    ];
    let parts: Vec<String> =
        parts.iter().filter_map(|(role, told)| Some(format!("{told}: {}", named(role)?))).collect();
    format!("roles were guessed: {}", parts.join("; "))
}
