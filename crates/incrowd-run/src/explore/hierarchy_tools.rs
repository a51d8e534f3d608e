//! Hierarchies of a column's values: built by rule, and checked.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Domain, DomainRule, FittedTransform};
use incrowd_engine::{Control, Hierarchy};

use crate::plan::hierarchies::{is_toml, load_hierarchy, read_hierarchy_rows};
use crate::spec::DateFormats;
use crate::{Error, Result, Source, read_table, spec};

/// A column of a table, and which of its fields mean "no value".
#[derive(Debug, Clone, Copy)]
pub struct ColumnSource<'a> {
    /// The table.
    pub source: &'a Source,
    /// The column.
    pub column: &'a str,
    /// The fields that mean "no value".
    pub missing: &'a [String],
    /// The decimal sign of its numbers, where it is not to be found from the values.
    pub decimal: Option<char>,
    /// How its dates are written.
    pub dates: &'a DateFormats,
}

impl ColumnSource<'_> {
    /// The column's values in the order that a run would give them.
    pub fn domain(&self, control: &Control) -> Result<Domain> {
        self.domain_with(|value| Ok(Cow::Borrowed(value)), None, control)
    }

    /// The same after a treatment of the values.
    pub(crate) fn treated_domain(
        &self,
        treater: &FittedTransform,
        control: &Control,
    ) -> Result<Domain> {
        self.domain_with(|value| treater.treat(value), Some(treater), control)
    }

    fn domain_with(
        &self,
        treat: impl for<'v> Fn(&'v str) -> incrowd_engine::Result<Cow<'v, str>>,
        treater: Option<&FittedTransform>,
        control: &Control,
    ) -> Result<Domain> {
        let place = self.source.place_of(self.column)?;
        let table = read_table(self.source, Some(&[place]), control)?;
        let mut values = Dictionary::new();
        for value in table.columns()[0].dictionary.iter() {
            values.intern(&treat(value)?);
        }
        let rule = |decimal| {
            let missing = self.missing.to_vec();
            let rule = DomainRule { missing, decimal, ..DomainRule::default() };
            // What became of treated dates is written in one form only.
            match treater
                .map(FittedTransform::treatment)
                .filter(|treatment| treatment.needs_dates())
            {
                Some(treatment) => DomainRule { date_unit: treatment.date_unit, ..rule },
                None => self.dates.rule(self.column, rule),
            }
        };
        match Domain::build(self.column, &values, &rule(self.decimal)) {
            // Other columns and the delimiter may decide.
            Err(error) if error.kind == incrowd_engine::ErrorKind::Ambiguous => {
                let decimal = self.source.likely_decimal(self.missing, control)?;
                match decimal {
                    None => Err(error.into()),
                    _ => Ok(Domain::build(self.column, &values, &rule(decimal))?.domain),
                }
            }
            built => Ok(built?.domain),
        }
    }
}

/// The values of a domain in their order, missing left out.
fn values_of(domain: &Domain) -> Vec<&str> {
    (0..domain.len() as u32)
        .filter(|&code| domain.missing_code() != Some(code))
        .map(|code| domain.label(code))
        .collect()
}

/// A hierarchy that was built.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BuiltHierarchy {
    /// A row for each value: the value, then its generalizations.
    pub rows: Vec<Vec<String>>,
    /// The tree that they make.
    pub tree: Hierarchy,
}

impl BuiltHierarchy {
    /// A hierarchy that is there already, such as one from a file.
    pub fn given(tree: Hierarchy) -> Self {
        BuiltHierarchy { rows: tree.to_rows(), tree }
    }
}

/// Builds the hierarchy of a column's values.
pub fn build_hierarchy(
    of: &ColumnSource<'_>,
    rule: &HierarchySource,
    control: &Control,
) -> Result<BuiltHierarchy> {
    let domain = of.domain(control)?;
    if domain.len() == usize::from(domain.missing_code().is_some()) {
        return Err(Error::new(format!("column `{}` holds no values", of.column))
            .help("check which of its fields count as missing"));
    }
    let rows = match rule {
        HierarchySource::Rule(rule) => rule.rows(of.column, &domain)?,
        HierarchySource::Given(tree) => tree.to_rows(),
    };
    // Built by rule, but a rule may still put a label under two parents.
    let tree = Hierarchy::from_rows(&rows).map_err(|faults| {
        let what = faults.first().map_or(String::new(), |fault| fault.what.clone());
        Error::new(format!("the rule does not build a tree: {what}"))
    })?;
    Ok(BuiltHierarchy { rows, tree })
}

/// What was found of a hierarchy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HierarchyCheck {
    /// What is wrong with it, a sentence each.
    pub faults: Vec<String>,
    /// The tree; none of a faulty hierarchy, nor of a rule without values to try it on.
    pub tree: Option<Hierarchy>,
}

/// Checks a hierarchy in a file: duplicates, levels that disagree, and values of a column that it does not
/// cover.
pub fn check_hierarchy(
    path: &Path,
    data: Option<&ColumnSource<'_>>,
    control: &Control,
) -> Result<HierarchyCheck> {
    let mut faults: Vec<String> = Vec::new();
    let mut leaves = BTreeSet::new();
    let source = if is_toml(path) {
        Some(load_hierarchy(&spec::hierarchies::Hierarchy::File(path.to_owned()))?)
    } else {
        let rows = read_hierarchy_rows(path)?;
        leaves = rows.iter().filter_map(|row| row.fields.first().cloned()).collect();
        match Hierarchy::from_rows(&rows) {
            Ok(tree) => Some(HierarchySource::Given(tree)),
            Err(found) => {
                faults.extend(found.iter().map(|fault| {
                    let line = rows.get(fault.row).map_or(0, |row| row.line);
                    format!("line {line}, field {}: {}", fault.field + 1, fault.what)
                }));
                None
            }
        }
    };
    let domain = data.map(|data| data.domain(control)).transpose()?;
    let tree = match source {
        Some(HierarchySource::Given(tree)) => Some(tree),
        Some(HierarchySource::Rule(rule)) => match (&domain, data) {
            (Some(domain), Some(data)) => {
                Hierarchy::from_rows(&rule.rows(data.column, domain)?).ok()
            }
            _ => None,
        },
        None => None,
    };
    if let Some(tree) = &tree {
        leaves = tree.leaves().map(str::to_owned).collect();
    }
    if let Some(domain) = domain.as_ref().filter(|_| !leaves.is_empty()) {
        let values = values_of(domain);
        let uncovered = values.iter().filter(|value| !leaves.contains(**value));
        faults.extend(
            uncovered.map(|value| format!("the value {value:?} of the data is not covered")),
        );
    }
    Ok(HierarchyCheck { faults, tree })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::value::HierarchyRule;

    use super::*;
    use crate::{Input, ReadOptions};

    #[test]
    fn a_hierarchy_is_built_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("t.csv");
        std::fs::write(&table, "age,sex\n3,F\n17,M\n?,F\n8,F\n").unwrap();
        let source = Source::open(&Input::from(table.as_path()), &ReadOptions::default()).unwrap();
        let missing = ["?".to_owned()];
        let control = Control::new();
        let dates = &DateFormats::default();
        let age = ColumnSource {
            source: &source,
            column: "age",
            missing: &missing,
            decimal: None,
            dates,
        };
        assert_eq!(values_of(&age.domain(&control).unwrap()), ["3", "8", "17"]);
        let rule = HierarchyRule::Intervals { widths: vec![10.0], start: 0.0 };
        let built = build_hierarchy(&age, &HierarchySource::Rule(rule), &control).unwrap();
        assert_eq!((built.rows.len(), built.tree.height()), (3, 2));
        let file = folder.path().join("sex.csv");
        std::fs::write(&file, "F;*\n").unwrap();
        let sex = ColumnSource { column: "sex", ..age };
        let check = check_hierarchy(&file, Some(&sex), &control).unwrap();
        assert_eq!(check.faults, ["the value \"M\" of the data is not covered"]);
        assert!(check_hierarchy(&file, None, &control).unwrap().faults.is_empty());
        let nobody = ColumnSource { column: "name", ..age };
        assert!(nobody.domain(&control).is_err());
    }
}
