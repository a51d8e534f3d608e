//! Rows of a release, field by field.

use incrowd_engine::table::Column;
use incrowd_engine::{Release, Table};
use incrowd_run::spec::Role;
use incrowd_run::{Error, Result};

use crate::session::FoundRelease;

/// The fields of the released rows.
pub(super) struct RowFields<'a> {
    release: &'a Release,
    /// The columns, each with its role.
    pub(super) header: Vec<(String, Role)>,
    columns: Vec<FieldSource<'a>>,
}

/// Where the fields of a column come from.
enum FieldSource<'a> {
    /// The labels of an attribute.
    Attribute(usize),
    /// A column that stays as it is.
    Column(&'a Column),
}

impl<'a> RowFields<'a> {
    /// The fields of a release of that table.
    pub(super) fn new(kept: &'a FoundRelease, table: &'a Table) -> Result<Self> {
        let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
        let problem = kept.found.problem();
        let (mut header, mut columns) = (Vec::new(), Vec::new());
        for &(at, role) in &kept.job.columns {
            let name = &kept.source.columns()[at];
            let attribute = problem.attributes.iter().position(|it| it.name == *name);
            match (attribute, table.column(name)) {
                (Some(attribute), _) => {
                    let names = release.names(attribute).iter();
                    header.extend(names.map(|it| (it.clone(), Role::Quasi)));
                    columns.push(FieldSource::Attribute(attribute));
                }
                (None, Some(column)) => {
                    header.push((name.clone(), role));
                    columns.push(FieldSource::Column(column));
                }
                (None, None) => {}
            }
        }
        Ok(RowFields { release, header, columns })
    }

    /// The fields of a row, with its class; none if it is blank.
    pub(super) fn of(&self, row: u32, class: Option<u32>) -> Vec<String> {
        let fields = |source: &FieldSource<'_>| match (source, class) {
            (FieldSource::Attribute(at), Some(class)) => {
                self.release.labels(*at)[self.release.label_of(*at, class) as usize].clone()
            }
            (FieldSource::Attribute(at), None) => {
                vec!["*".to_owned(); self.release.names(*at).len()]
            }
            (FieldSource::Column(column), _) => vec![column.value(row as usize).to_owned()],
        };
        self.columns.iter().flat_map(fields).collect()
    }

    /// The size of a class.
    pub(super) fn size(&self, class: u32) -> u64 {
        self.release.classes.sizes[class as usize]
    }
}

/// The quasi-identifiers of a row as they were.
pub(super) fn originals(kept: &FoundRelease, table: &Table, row: u32) -> Vec<String> {
    let attributes = kept.found.problem().attributes.iter();
    let of = |name: &str| table.column(name).map_or("", |column| column.value(row as usize));
    attributes.map(|attribute| of(&attribute.name).to_owned()).collect()
}
