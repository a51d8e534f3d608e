//! `hierarchy build` and `hierarchy check`.

use std::path::Path;

use incrowd::{Control, Domain, DomainRule, Hierarchy as Tree, HierarchyRule, HierarchySource};
use incrowd_io::spec::{Hierarchy as Given, Period};
use incrowd_io::{
    Error, OutputFile, Result, Source, load_hierarchy, read_hierarchy_rows, read_table,
    refuse_overwrite,
};

use super::{column_of, hierarchy_text};
use crate::End;
use crate::args::{Build, Check, Hierarchy};

pub(crate) fn hierarchy(args: &Hierarchy) -> Result<End> {
    match args {
        Hierarchy::Build(args) => build(args),
        Hierarchy::Check(args) => check(args),
    }
}

/// The values of a column in the order that a run would give them.
pub(super) fn domain_of(source: &Source, column: &str, missing: &[String]) -> Result<Domain> {
    let table = read_table(source, Some(&[column_of(source, column)?]), &Control::new())?;
    let dictionary = &table.columns()[0].dictionary;
    let rule = DomainRule { missing: missing.to_vec(), ..DomainRule::default() };
    Ok(Domain::build(column, dictionary, &rule)?.domain)
}

/// The values of a column in their order, missing left out.
pub(super) fn values_of(source: &Source, column: &str, missing: &[String]) -> Result<Vec<String>> {
    let domain = domain_of(source, column, missing)?;
    Ok((0..domain.len() as u32)
        .filter(|&code| domain.missing_code() != Some(code))
        .map(|code| domain.label(code).to_owned())
        .collect())
}

fn build(args: &Build) -> Result<End> {
    let mut needed = vec![("the table", args.input.as_path())];
    needed.extend(args.rule.as_deref().map(|rule| ("the rule", rule)));
    if args.output != Path::new("-") {
        refuse_overwrite("the hierarchy", &args.output, &needed)?;
    }
    let source = args.reading.open(&args.input)?;
    let values = values_of(&source, &args.column, &args.reading.missing())?;
    if values.is_empty() {
        return Err(Error::new(format!("column `{}` holds no values", args.column))
            .help("see which of its fields --missing takes for no value"));
    }
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let rows = match rule(args)? {
        HierarchySource::Rule(rule) => rule.rows(&args.column, &values)?,
        HierarchySource::Given(tree) => tree.to_rows(),
    };
    // Built by rule, but a rule may still put a label under two parents.
    let tree = Tree::from_rows(&rows).map_err(|faults| {
        let what = faults.first().map_or(String::new(), |fault| fault.what.clone());
        Error::new(format!("the rule does not make a tree: {what}"))
    })?;
    OutputFile::create(&args.output)?.fill(hierarchy_text(&rows)?)?;
    if args.output != Path::new("-") {
        sayln!(
            "written       {} ({} values, {} levels)",
            args.output.display(),
            rows.len(),
            tree.height()
        );
    }
    Ok(End::Done)
}

fn rule(args: &Build) -> Result<HierarchySource> {
    if let Some(path) = &args.rule {
        return load_hierarchy(&Given::File(path.clone()));
    }
    let rule = if !args.intervals.is_empty() {
        HierarchyRule::Intervals { widths: args.intervals.clone(), start: args.start }
    } else if !args.prefix.is_empty() {
        HierarchyRule::Prefix(prefix_lengths(&args.prefix)?)
    } else {
        let units = args.date.iter().map(|unit| unit.parse::<Period>().map(incrowd_io::unit));
        HierarchyRule::Date(units.collect::<Result<_>>()?)
    };
    Ok(HierarchySource::Rule(rule))
}

fn prefix_lengths(given: &[String]) -> Result<Vec<usize>> {
    if given == ["all"] {
        return Ok(Vec::new());
    }
    given
        .iter()
        .map(|text| {
            text.parse().map_err(|_| {
                Error::new(format!("`{text}` is not a length of a prefix"))
                    .help("write lengths such as 4,3,2, or `all` for one less per level")
            })
        })
        .collect()
}

fn check(args: &Check) -> Result<End> {
    let path = &args.hierarchy;
    let mut faults: Vec<String> = Vec::new();
    let mut leaves = std::collections::BTreeSet::new();
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let source = if is_toml {
        Some(load_hierarchy(&Given::File(path.clone()))?)
    } else {
        let rows = read_hierarchy_rows(path)?;
        leaves = rows.iter().filter_map(|row| row.fields.first().cloned()).collect();
        match Tree::from_rows(&rows) {
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
    let values = match (&args.data, &args.column) {
        (Some(data), Some(column)) => {
            Some(values_of(&args.reading.open(data)?, column, &args.reading.missing())?)
        }
        _ => None,
    };
    let tree = match source {
        Some(HierarchySource::Given(tree)) => Some(tree),
        Some(HierarchySource::Rule(rule)) => match &values {
            Some(values) => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                let rows = rule.rows(args.column.as_deref().unwrap_or_default(), &values)?;
                Tree::from_rows(&rows).ok()
            }
            None => None,
        },
        None => None,
    };
    if let Some(tree) = &tree {
        leaves = tree.leaves().map(str::to_owned).collect();
    }
    if let Some(values) = values.as_ref().filter(|_| !leaves.is_empty()) {
        let uncovered = values.iter().filter(|value| !leaves.contains(*value));
        faults.extend(
            uncovered.map(|value| format!("the value {value:?} of the data is not covered")),
        );
    }
    for fault in &faults {
        sayln!("{}: {fault}", path.display());
    }
    if !faults.is_empty() {
        sayln!("{} {}", faults.len(), if faults.len() == 1 { "fault" } else { "faults" });
        return Ok(End::Unmet);
    }
    match tree {
        Some(tree) => sayln!(
            "{}: sound; {} values, {} levels above them, root {:?}",
            path.display(),
            tree.leaves().len(),
            tree.height(),
            tree.label(tree.root())
        ),
        None => {
            sayln!("{}: a rule; name a table with --data and --column to try it", path.display())
        }
    }
    Ok(End::Done)
}
