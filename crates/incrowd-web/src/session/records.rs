//! The records of the open table with their classes.

use std::sync::{Arc, Mutex, PoisonError};

use incrowd_assess::risk::{RecordClasses, RecordKey, RecordOrder};
use incrowd_engine::Table;
use incrowd_engine::table::Column;
use incrowd_run::spec::{ColumnSection, Role};
use incrowd_run::{Error, Result, Spec};
use serde::Deserialize;

use super::OpenTable;
use crate::results::FoundRelease;

/// The records of the open table with their classes.
#[derive(Debug)]
pub(crate) struct RecordTable {
    opened: Arc<OpenTable>,
    found: Option<Arc<FoundRelease>>,
    pub(crate) quasi: Vec<String>,
    pub(crate) k: u64,
    pub(crate) classes: RecordClasses,
    /// What became of each record in the release.
    fates: Option<Vec<RecordFate>>,
    /// The order that was asked for last: pages of it follow each other.
    ordered: Mutex<Option<(RecordsOrder, Arc<Vec<u32>>)>>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordFate {
    LeftOut,
    Blank,
    Class(u32),
}

/// Which records, and in what order.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct RecordsOrder {
    /// Records whose crowd in the table has at most so many; all without it.
    #[serde(default)]
    at_most: Option<u64>,
    /// Records whose crowd in the table has at least so many.
    #[serde(default)]
    at_least: Option<u64>,
    /// A column to sort by; `crowd` without it.
    #[serde(default)]
    column: Option<String>,
    #[serde(default)]
    descending: bool,
    /// Only those that this has become of in the release.
    #[serde(default)]
    fate: Option<FateFilter>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FateFilter {
    Released,
    Left,
}

impl RecordTable {
    /// Counts the records of a table by the columns that others may know; what became of each, if there is a release.
    pub(crate) fn new(
        spec: &Spec,
        opened: Arc<OpenTable>,
        found: Option<Arc<FoundRelease>>,
    ) -> Result<Self> {
        let asked: Vec<&ColumnSection> = spec.columns_with(Role::Quasi).collect();
        if asked.is_empty() {
            return Err(Error::new("no column is a quasi-identifier")
                .help("say on the page of the columns what others may know"));
        }
        let (quasi, classes, fates) = {
            let table = of_rows(&opened, found.as_deref())?;
            // A table that is not read anew still has the names of its file.
            let name = |column: &&ColumnSection| match table.column(&column.name) {
                Some(_) => column.name.clone(),
                None => column.source_name().to_owned(),
            };
            let quasi: Vec<String> = asked.iter().map(name).collect();
            let classes = RecordClasses::new(table, &quasi, &spec.data.missing_tokens())?;
            let fates = match &found {
                None => None,
                Some(kept) => {
                    let mut fates = vec![RecordFate::LeftOut; table.rows()];
                    for &(row, class) in &kept.rows(&opened.table)?.released {
                        fates[row as usize] = class.map_or(RecordFate::Blank, RecordFate::Class);
                    }
                    Some(fates)
                }
            };
            (quasi, classes, fates)
        };
        let (k, ordered) = (spec.privacy.k, Mutex::new(None));
        Ok(RecordTable { opened, found, quasi, k, classes, fates, ordered })
    }

    /// Whether they are those of another table, question or release.
    pub(crate) fn is_stale(
        &self,
        opened: Option<&Arc<OpenTable>>,
        spec: Option<&Spec>,
        found: Option<&Arc<FoundRelease>>,
    ) -> bool {
        let same_table = opened.is_some_and(|it| Arc::ptr_eq(it, &self.opened));
        let same_columns = spec.is_some_and(|spec| {
            let mut quasi = spec.columns_with(Role::Quasi).zip(&self.quasi);
            spec.privacy.k == self.k
                && spec.columns_with(Role::Quasi).count() == self.quasi.len()
                && quasi.all(|(column, name)| column.name == *name || column.source_name() == name)
        });
        let same_release = found.map(Arc::as_ptr) == self.found.as_ref().map(Arc::as_ptr);
        !same_table || !same_columns || !same_release
    }

    fn table(&self) -> Result<&Table> {
        of_rows(&self.opened, self.found.as_deref())
    }

    /// The columns that others may know.
    pub(crate) fn columns(&self) -> Result<Vec<&Column>> {
        let table = self.table()?;
        let column = |name: &String| {
            table.column(name).ok_or_else(|| Error::new(format!("there is no column `{name}`")))
        };
        self.quasi.iter().map(column).collect()
    }

    /// The records that are asked for, in their order.
    pub(crate) fn ordered(&self, asked: &RecordsOrder) -> Result<Arc<Vec<u32>>> {
        let mut known = self.ordered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, order)) = &*known
            && of == asked
        {
            return Ok(order.clone());
        }
        let table = self.table()?;
        let order = match asked.column.as_deref() {
            None | Some("crowd") => RecordOrder::ClassSize,
            Some(name) => {
                let known = |name: &str| {
                    let place = table.columns().iter().position(|column| column.name == name);
                    place.filter(|_| self.quasi.iter().any(|it| it == name))
                };
                let unknown = || Error::new(format!("records are not sorted by `{name}`"));
                RecordOrder::Column(known(name).ok_or_else(unknown)?)
            }
        };
        let at_most = asked.at_most.unwrap_or(u64::MAX);
        let mut found = self.classes.ordered(table, at_most, order, asked.descending);
        if let Some(least) = asked.at_least {
            found.retain(|&row| self.classes.class_size(row as usize) >= least);
        }
        if let (Some(fates), Some(wanted)) = (&self.fates, asked.fate) {
            let released = wanted == FateFilter::Released;
            found.retain(|&row| (fates[row as usize] != RecordFate::LeftOut) == released);
        }
        let found = Arc::new(found);
        *known = Some((asked.clone(), found.clone()));
        Ok(found)
    }

    /// How many records look like it in the release; none where it is not there, or blank.
    pub(crate) fn released(&self, row: u32) -> (Option<&'static str>, Option<u64>) {
        let fate = self.fates.as_ref().map(|fates| fates[row as usize]);
        let release = self.found.as_ref().and_then(|kept| kept.found.release());
        match (fate, release) {
            (Some(RecordFate::LeftOut), _) => (Some("left out"), None),
            (Some(RecordFate::Blank), _) => (Some("blank"), None),
            (Some(RecordFate::Class(class)), Some(release)) => {
                (Some("released"), Some(release.classes.sizes[class as usize]))
            }
            _ => (None, None),
        }
    }

    /// What singles a record out.
    pub(crate) fn keys(&self, row: u32) -> Vec<RecordKey> {
        self.classes.keys(row as usize, self.k)
    }

    /// What the release shows of a record's quasi-identifiers, in the order of the search; none if it is not there, or blank.
    pub(crate) fn labels(&self, row: u32) -> Option<Vec<String>> {
        let found = &self.found.as_ref()?.found;
        let release = found.release()?;
        let RecordFate::Class(class) = self.fates.as_ref()?[row as usize] else { return None };
        let of = |at: usize| release.labels(at)[release.label_of(at, class) as usize].join(" to ");
        Some((0..found.problem().attributes.len()).map(of).collect())
    }
}

/// The rows that are counted: those of the release, where columns are treated as they are read.
fn of_rows<'a>(opened: &'a OpenTable, found: Option<&'a FoundRelease>) -> Result<&'a Table> {
    Ok(match found {
        Some(kept) => kept.rows(&opened.table)?.table.as_ref().unwrap_or(&opened.table),
        None => &opened.table,
    })
}
