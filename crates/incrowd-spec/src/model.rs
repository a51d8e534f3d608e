//! What a spec says, as plain data.

use std::path::PathBuf;

use incrowd_data::DateFormats;

use super::column::{ClassSummary, ColumnSection, Role};
use super::context::ContextSection;
use super::data::{DataSection, OtherColumns, is_database};
use super::privacy::PrivacySection;
use super::sections::{AlgorithmSection, GoalSection, ReleaseSection};

/// A run of incrowd: which table, what its columns are, what the release must guarantee, what
/// it should preserve, how to search for it and where to write it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Spec {
    /// The table to anonymize.
    pub data: DataSection,
    /// The columns by name. The name of a column is the key of its table: `[columns.age]`.
    pub columns: Vec<ColumnSection>,
    /// What every released row must be protected by.
    pub privacy: PrivacySection,
    /// What a good release is.
    pub goal: GoalSection,
    /// How to search for a good release.
    pub algorithm: AlgorithmSection,
    /// What is written and where.
    pub release: ReleaseSection,
    /// What the release is for.
    pub context: Option<ContextSection>,
}

impl Spec {
    /// A spec that releases the columns named in it with k-anonymity, everything else default.
    pub fn new(input: impl Into<PathBuf>, columns: Vec<ColumnSection>, k: u64) -> Self {
        Spec {
            data: DataSection { input: input.into(), ..DataSection::default() },
            columns,
            privacy: PrivacySection::k(k),
            goal: GoalSection::default(),
            algorithm: AlgorithmSection::default(),
            release: ReleaseSection::default(),
            context: None,
        }
    }

    /// Gives the column of survey weights its role, if it has none: weights tell strata. Whoever wants it released as it is, or
    /// not at all, says so.
    pub fn weigh(&mut self) {
        let Some(name) = &self.data.survey_weight else { return };
        if self.columns.iter().all(|column| column.name != *name) {
            self.columns.push(ColumnSection::new(name, Role::Quasi));
        }
        let is_weight =
            |column: &&mut ColumnSection| column.name == *name && column.role == Role::Quasi;
        for column in self.columns.iter_mut().filter(is_weight) {
            // A range of weights is of no use to anybody.
            column.summary.get_or_insert(ClassSummary::Mean);
        }
    }

    /// What becomes of columns that the spec does not name. One that says nothing of them was written when they were released.
    pub fn other(&self) -> OtherColumns {
        self.data.other.unwrap_or(OtherColumns::Plain)
    }

    /// How dates are written, as the spec says it.
    pub fn date_formats(&self) -> DateFormats {
        let own = self.columns.iter();
        let own = own.filter_map(|column| Some((column.name.clone(), column.date_format.clone()?)));
        DateFormats { general: self.data.date_format.clone(), columns: own.collect() }
    }

    /// Gives columns a role, whatever the spec says of them so far.
    pub fn give_role(&mut self, names: &[String], role: Role) {
        for name in names {
            match self.columns.iter_mut().find(|column| column.name == *name) {
                Some(column) => column.role = role,
                None => self.columns.push(ColumnSection::new(name, role)),
            }
        }
    }

    /// Whether the table lies in a database.
    pub fn is_of_database(&self) -> bool {
        is_database(&self.data.input)
    }

    /// The column with this name, if the spec has a table for it.
    pub fn column(&self, name: &str) -> Option<&ColumnSection> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns with a role, in the order of the spec.
    pub fn columns_with(&self, role: Role) -> impl Iterator<Item = &ColumnSection> {
        self.columns.iter().filter(move |column| column.released_role() == role)
    }

    /// The sensitive column a privacy model speaks about: the one it names, or the only one.
    pub fn sensitive<'a>(&'a self, named: Option<&'a str>) -> Option<&'a str> {
        if named.is_some() {
            return named;
        }
        let mut all = self.columns_with(Role::Sensitive);
        let first = all.next()?;
        all.next().is_none().then_some(first.name.as_str())
    }
}
