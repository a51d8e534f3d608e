//! A first spec for a table in a file, from what is found in it.

use std::path::Path;

use incrowd_assess::inspect::{ColumnReport, InspectOptions, Inspection, LikelyRole, ValueKind};
use incrowd_engine::Control;

use super::{
    ColumnFacts, DEFAULT_MISSING, DateFormats, DatePeriod, GivenReading, Hierarchy,
    HierarchyProposal, HierarchyRule, Role, Spec, SpecFile, TableFacts, init_spec,
};
use crate::inspect::inspect_source;
use incrowd_data::{NULL, Source};

use crate::Result;

/// A first spec for a table: guessed, and to be looked at by a person.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Draft {
    /// The spec.
    pub spec: Spec,
    /// The same as a file for a person to edit: every column with the reason for its role, every option as a
    /// comment.
    pub text: String,
    /// What the guesses rest on.
    pub found: Inspection,
}

/// Looks at a table, guesses what its columns are, and writes a first spec; `input` is how the spec should name
/// the table, from the folder that the spec will lie in.
pub fn draft(
    source: &Source,
    input: &str,
    options: &InspectOptions,
    control: &Control,
) -> Result<Draft> {
    Draft::of(inspect_source(source, options, control)?, source, input, options)
}

impl Draft {
    /// The same for a table that was looked at already.
    pub fn of(
        found: Inspection,
        source: &Source,
        input: &str,
        options: &InspectOptions,
    ) -> Result<Self> {
        let mut facts = TableFacts::new(input, &found);
        let given = source.options();
        // NULL is missing whatever a spec says.
        let missing: Vec<String> =
            options.missing.iter().filter(|token| *token != NULL).cloned().collect();
        facts.reading = GivenReading {
            delimiter: given.delimiter.map(char::from),
            encoding: given.encoding.clone(),
            sheet: given.sheet.clone(),
            missing: (missing != DEFAULT_MISSING).then_some(missing),
            dates: DateFormats {
                general: options.usual_dates.clone(),
                columns: options.date_formats.clone(),
            },
        };
        let text = init_spec(&facts);
        let spec = SpecFile::parse(&text, Path::new("spec.toml"))?.spec;
        Ok(Draft { spec, text, found })
    }
}

impl TableFacts {
    /// What was found in a table that the spec should name `input`.
    pub fn new(input: &str, found: &Inspection) -> Self {
        let columns = found.columns.iter().map(|column| ColumnFacts {
            name: column.name.clone(),
            numeric: column.kind.is_numeric(),
            distinct: column.uniqueness.distinct,
            missing: column.missing,
            // What names people is not written down a second time.
            examples: match column.role {
                LikelyRole::Identifying => Vec::new(),
                _ => column.frequent.iter().map(|frequent| frequent.value.clone()).collect(),
            },
            role: column.role.into(),
            reason: column.reason.clone(),
            date_format: column.date_format.clone(),
            note: column.note.clone().filter(|_| column.kind.is_date()),
            hierarchy: column
                .codes
                .as_ref()
                .and_then(|codes| {
                    Some(HierarchyProposal {
                        hierarchy: Hierarchy::from_word(&codes.hierarchy.word()).ok()?,
                        what: codes.what.clone(),
                        certain: codes.certain,
                    })
                })
                .or_else(|| dates(column)),
            singled_out: column.uniqueness.unique_share,
        });
        let columns = columns.collect();
        let reading = GivenReading::default();
        TableFacts { input: input.to_owned(), rows: found.rows, columns, reading }
    }
}

/// The units that suit a column of dates.
fn dates(column: &ColumnReport) -> Option<HierarchyProposal> {
    let form = column.date_format.as_deref()?;
    let date = match column.kind {
        ValueKind::Date => {
            vec![DatePeriod::Month, DatePeriod::Quarter, DatePeriod::Year, DatePeriod::Decade]
        }
        _ if form.starts_with('h') => vec![DatePeriod::Hour],
        _ => vec![DatePeriod::Hour, DatePeriod::Day, DatePeriod::Month, DatePeriod::Year],
    };
    Some(HierarchyProposal {
        hierarchy: Hierarchy::Rule(HierarchyRule::Date { date }),
        what: format!("dates written as {form}; without a hierarchy they become ranges of time"),
        certain: false,
    })
}

impl From<LikelyRole> for Role {
    fn from(likely: LikelyRole) -> Self {
        match likely {
            LikelyRole::Identifying => Role::Identifying,
            LikelyRole::Quasi => Role::Quasi,
            LikelyRole::Sensitive => Role::Sensitive,
            LikelyRole::Class => Role::Class,
            LikelyRole::Plain => Role::Plain,
            LikelyRole::Undecided => Role::Undecided,
        }
    }
}
