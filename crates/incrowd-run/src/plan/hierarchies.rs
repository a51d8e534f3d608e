//! Hierarchies from files and rules.

use std::path::Path;

use incrowd_engine::Hierarchy;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{HierarchyFault, HierarchyRule, NestedHierarchy};

use crate::spec::{
    self,
    hierarchies::{GroupMembers, PrefixLengths, TreeGroup, read_hierarchy},
};
use crate::{Error, Result};

/// A row of a hierarchy file with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyRow {
    /// The line in the file, from 1.
    pub line: u64,
    /// The value, then its generalizations.
    pub fields: Vec<String>,
}

impl AsRef<[String]> for HierarchyRow {
    fn as_ref(&self) -> &[String] {
        &self.fields
    }
}

/// A hierarchy as a file or a rule in a spec gives it; relative paths must be resolved already.
pub fn load_hierarchy(hierarchy: &spec::hierarchies::Hierarchy) -> Result<HierarchySource> {
    match hierarchy {
        spec::hierarchies::Hierarchy::Rule(rule) => from_rule(rule),
        spec::hierarchies::Hierarchy::File(path) if is_toml(path) => {
            from_rule(&read_hierarchy(path)?)
        }
        spec::hierarchies::Hierarchy::File(path) => {
            let rows = read_hierarchy_rows(path)?;
            let hierarchy =
                Hierarchy::from_rows(&rows).map_err(|faults| first_fault(path, &rows, &faults))?;
            Ok(HierarchySource::Given(hierarchy))
        }
    }
}

pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

fn first_fault(path: &Path, rows: &[HierarchyRow], faults: &[HierarchyFault]) -> Error {
    let Some(first) = faults.first() else { return Error::new("the hierarchy is faulty") };
    let line = rows.get(first.row).map(|row| row.line);
    let help = match faults.len() {
        1 => "every value has one line, every line as many levels, every label one label above it"
            .to_owned(),
        more => format!("there are {more} faults; `incrowd hierarchy check` lists them all"),
    };
    let what = match line {
        Some(line) => format!("in the hierarchy, line {line}: {}", first.what),
        None => first.what.clone(),
    };
    Error::new(what).at(path, line, line.map(|_| first.field as u64 + 1)).help(help)
}

/// The rows of a hierarchy in ARX's CSV form: no header, `;` between levels (or `,`, tab or `|`
/// where the first line has no `;`). Blank lines are skipped.
pub fn read_hierarchy_rows(path: &Path) -> Result<Vec<HierarchyRow>> {
    let bytes = std::fs::read(path).map_err(|e| Error::file("read", path, &e))?;
    parse_hierarchy_rows(&bytes, path)
}

/// [`read_hierarchy_rows`] from bytes; the path is for messages.
pub fn parse_hierarchy_rows(bytes: &[u8], path: &Path) -> Result<Vec<HierarchyRow>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Err(e) = str::from_utf8(bytes) {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() as u64;
        return Err(Error::new("the hierarchy is not UTF-8 text")
            .at(path, Some(line), None)
            .help("save the file as UTF-8"));
    }
    let first_line = bytes.split(|&b| b == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    let delimiter =
        [b';', b'\t', b'|', b','].into_iter().find(|d| first_line.contains(d)).unwrap_or(b';');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| {
            Error::new(format!("the hierarchy cannot be read: {e}")).at(path, None, None)
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        rows.push(HierarchyRow { line, fields: record.iter().map(str::to_owned).collect() });
    }
    if rows.is_empty() {
        return Err(Error::new("the hierarchy file is empty")
            .at(path, None, None)
            .help("each line holds a value and its generalizations: value;level1;...;*"));
    }
    Ok(rows)
}

fn from_rule(rule: &spec::hierarchies::HierarchyRule) -> Result<HierarchySource> {
    use spec::hierarchies::HierarchyRule as Spec;
    Ok(HierarchySource::Rule(match rule {
        Spec::Intervals { intervals, start } => {
            HierarchyRule::Intervals { widths: intervals.clone(), start: *start }
        }
        Spec::Prefix { prefix: PrefixLengths::Every } => HierarchyRule::Prefix(Vec::new()),
        Spec::Prefix { prefix: PrefixLengths::Kept(kept) } => {
            HierarchyRule::Prefix(kept.iter().map(|&length| length as usize).collect())
        }
        Spec::Date { date } => {
            HierarchyRule::Date(date.iter().map(|&period| period.into()).collect())
        }
        Spec::Groups { groups } => HierarchyRule::Groups(
            groups.iter().map(|group| (group.name.clone(), group.values.clone())).collect(),
        ),
        Spec::Ready { ready, other } => {
            HierarchyRule::Ready { ready: (*ready).into(), other: other.clone() }
        }
        Spec::Tree { tree } => {
            return Ok(HierarchySource::Given(Hierarchy::from_nested(&nested(tree))));
        }
        Spec::Rows { rows } => {
            let tree = Hierarchy::from_rows(rows).map_err(|faults| {
                let first = faults.first().map(|fault| fault.what.clone());
                Error::new(first.unwrap_or_else(|| "the hierarchy is faulty".to_owned()))
            })?;
            return Ok(HierarchySource::Given(tree));
        }
    }))
}

/// One group at the top is the root; several get a root `*` above them.
fn nested(tree: &[TreeGroup]) -> NestedHierarchy {
    fn group(tree: &TreeGroup) -> NestedHierarchy {
        let members = match &tree.members {
            GroupMembers::Groups(groups) => groups.iter().map(group).collect(),
            GroupMembers::Values(values) => {
                values.iter().cloned().map(NestedHierarchy::Leaf).collect()
            }
        };
        NestedHierarchy::Group(tree.name.clone(), members)
    }
    match tree {
        [only] => group(only),
        several => NestedHierarchy::Group(
            incrowd_engine::value::BLANK.to_owned(),
            several.iter().map(group).collect(),
        ),
    }
}
