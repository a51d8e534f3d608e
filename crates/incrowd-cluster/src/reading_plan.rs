//! How rows are read wherever they are.

use arrow_array::RecordBatch;
use incrowd_engine::recoding::SavedTransform;
use incrowd_run::{Result, data::Source};
use serde::{Deserialize, Serialize};

use super::messages::travels;

/// How the rows of a table are read wherever they are, and which of their columns are asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingPlan {
    pub(super) treatments: Vec<SavedTransform>,
    pub(super) missing: Vec<String>,
    /// Columns whose combinations are counted: the first `quasi` of them are quasi-identifiers.
    pub(super) counted: Vec<String>,
    pub(super) quasi: usize,
    /// Columns that are released as they are.
    pub(super) unchanged: Vec<String>,
    /// Those of them that nobody has named.
    pub(super) watched: Vec<String>,
    /// Columns that may tell people apart, or which rows belong together.
    pub(super) subjects: Vec<String>,
    /// What rows that share a value of these are compared by: counted columns.
    pub(super) compared_by: Vec<String>,
    /// Whether these rows count as they are before any treatment.
    pub(super) untreated: bool,
    /// How many parts the table has, about.
    pub(super) parts: u64,
    /// Combinations that are counted at most.
    pub(super) most: usize,
    /// Whether NULL is told apart from the empty text.
    pub(super) tells_null: bool,
}

travels!(ReadingPlan);

impl ReadingPlan {
    /// The combinations of some columns as they are, and nothing else of them.
    pub fn of_columns(columns: Vec<String>) -> Self {
        ReadingPlan {
            treatments: Vec::new(),
            missing: Vec::new(),
            quasi: columns.len(),
            counted: columns,
            unchanged: Vec::new(),
            watched: Vec::new(),
            subjects: Vec::new(),
            compared_by: Vec::new(),
            untreated: false,
            parts: 1,
            most: usize::MAX,
            tells_null: true,
        }
    }

    /// How many columns are counted.
    pub fn width(&self) -> usize {
        self.counted.len()
    }

    /// A batch of rows with its columns treated.
    pub(super) fn source(&self, batch: RecordBatch) -> Result<Source> {
        let schema = batch.schema();
        let source = Source::from_batches("the table", schema, vec![batch], Some(1))?;
        let source = if self.tells_null { source.with_null("") } else { source };
        let there = source.columns().to_vec();
        let treatments = self.treatments.iter().filter(|it| there.contains(&it.column));
        source.with_treatments(treatments.cloned().collect())
    }

    /// The columns whose values must be the same in every pass: what is counted and what is released.
    pub(super) fn compared(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.counted.iter().map(String::as_str).collect();
        for name in &self.unchanged {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Columns that are read beside those that are compared in every pass.
    pub(super) fn beside(&self) -> Vec<&str> {
        let compared = self.compared();
        let subjects = self.subjects.iter().map(String::as_str);
        subjects.filter(|name| !compared.contains(name)).collect()
    }

    /// What a column is called in the table.
    pub(super) fn raw_name<'a>(&'a self, name: &'a str) -> &'a str {
        let renamed = self.treatments.iter().find(|it| it.name.as_deref() == Some(name));
        renamed.map_or(name, |it| it.column.as_str())
    }

    /// Whether the values of a column are changed as they are read.
    pub(super) fn is_treated(&self, name: &str) -> bool {
        let named = |it: &SavedTransform| it.name.as_ref().unwrap_or(&it.column) == name;
        self.treatments.iter().any(|it| it.treater.is_some() && named(it))
    }

    /// Whether rows that share values have to be looked at before they are treated.
    pub(super) fn looks_before(&self) -> bool {
        self.untreated
            && self.subjects.iter().chain(&self.compared_by).any(|name| self.is_treated(name))
    }

    /// A batch of rows as they are.
    pub(super) fn untreated_source(batch: RecordBatch) -> Result<Source> {
        let schema = batch.schema();
        Source::from_batches("the table", schema, vec![batch], Some(1))
    }

    /// Whether rows can be kept between the passes: what is released of them is in the table as it is.
    pub fn can_keep(&self) -> bool {
        !self.unchanged.iter().any(|name| self.is_treated(name))
    }

    /// Where the columns of `names` lie.
    pub(super) fn places(source: &Source, names: &[&str]) -> Result<Vec<usize>> {
        names.iter().map(|name| source.place_of(name)).collect()
    }

    /// The places of the unchanged columns among those that are compared.
    pub(super) fn unchanged_places(&self) -> Vec<usize> {
        let compared = self.compared();
        let place = |name: &String| compared.iter().position(|other| other == name);
        self.unchanged.iter().filter_map(place).collect()
    }
}
