//! The risk of a table in a file.

use incrowd_assess::risk::{AssessedTable, LabelFigures, RiskOptions, RiskReport, assess};
use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event};
use incrowd_verify::{LabelHierarchy, MissingTokens, Requirements};

use super::attack::{AttackSettings, crowd_outside};
use crate::count::build_problem::some_rows;
use crate::spec::hierarchies::Hierarchy;
use crate::{ColumnDetail, Error, Result, Source, count_cells, load_hierarchy, verify_sources};

/// What is asked of the labels of a release beyond classes.
#[derive(Debug, Clone, Default)]
pub struct LabelQuestions<'a> {
    /// People who did not go into the release, with the columns of the original.
    pub control: Option<&'a Source>,
    /// Hierarchies, to read their labels.
    pub hierarchies: Vec<(String, Hierarchy)>,
}

/// Adds to the risk of a release what its labels tell beyond the values that they contain, and how people who are not in it
/// fit its boxes. Of a table whose values are as they were nothing is added.
pub fn with_labels(
    mut report: RiskReport,
    source: &Source,
    quasi: &[String],
    asked: &LabelQuestions<'_>,
    options: &RiskOptions,
    control: &Control,
) -> Result<RiskReport> {
    // What was interrupted stays as it is.
    if !report.complete {
        return Ok(report);
    }
    let mut requirements =
        Requirements::new(report.smallest_class.max(1), quasi.iter().map(String::as_str));
    requirements.missing = MissingTokens::new(options.missing.iter().cloned());
    for (column, hierarchy) in &asked.hierarchies {
        use incrowd_engine::problem::HierarchySource;
        let HierarchySource::Given(tree) = load_hierarchy(hierarchy)? else {
            return Err(Error::new(format!(
                "the hierarchy of `{column}` is a rule: its values must come from the original"
            ))
            .help("build a file with `incrowd hierarchy build`"));
        };
        let ladder =
            LabelHierarchy::from_rows(tree.to_rows()).map_err(|e| Error::new(e.to_string()))?;
        requirements.ladders.insert(column.clone(), ladder);
    }
    let verdict = verify_sources(source, None, &requirements, control)?;
    report.labels = verdict.refinement.map(|labels| LabelFigures {
        fields: labels.all.fields,
        sure_share: labels.all.sure_share,
        determined_share: labels.all.determined_share,
        listed_share: labels.all.listed_share,
    });
    if let Some(others) = asked.control {
        let settings = AttackSettings {
            hierarchies: asked.hierarchies.clone(),
            missing: options.missing.clone(),
            ..AttackSettings::default()
        };
        report.outside = Some(crowd_outside(source, others, quasi, &settings, control)?);
    }
    Ok(report)
}

/// Looks for all risks of a table or release by its quasi-identifiers. With the whole population, which must have
/// the same columns, what is estimated otherwise is counted. A [column of weights](RiskOptions::weight_column) says for
/// how many people of the population each row stands.
///
/// Stopped while it searches for what singles people out, it tells what it has found so far.
pub fn risk_of(
    source: &Source,
    quasi: &[String],
    population: Option<&Source>,
    options: &RiskOptions,
    control: &Control,
) -> Result<RiskReport> {
    let names = quasi_columns(source, quasi)?;
    let places = |source: &Source| -> Result<Vec<usize>> {
        names.iter().map(|name| source.place_of(name)).collect()
    };
    let here = places(source)?;
    let there = population.map(|source| {
        places(source).map_err(|error| Error {
            message: format!("the population {}", error.message),
            ..error
        })
    });
    let there = there.transpose()?;
    let count = |source: &Source, places: &[usize]| {
        control.tell(Event::Phase(RunPhase::Read));
        let counts = count_cells(source, places, control)?;
        some_rows(source, &counts)?;
        Ok::<_, Error>(AssessedTable::new(source.file_name(), counts))
    };
    let table = match (&options.weight_column, &options.unit_column) {
        (None, None) => count(source, &here)?,
        (Some(_), Some(_)) => {
            return Err(Error::new("people with several rows cannot have weights")
                .help("leave out the weights or the unit"));
        }
        (None, Some(unit)) => {
            let counted = count(source, &[&here[..], &[source.place_of(unit)?]].concat())?;
            AssessedTable::of_people(counted.name, &counted.counts, &options.missing)
        }
        (Some(column), None) => {
            if names.contains(column) {
                return Err(Error::new(format!(
                    "`{column}` is both the weight and a quasi-identifier"
                ))
                .help("name the weights with --weight-column only"));
            }
            let counted = count(source, &[&here[..], &[source.place_of(column)?]].concat())?;
            AssessedTable::weighted(counted.name, counted.counts, &options.missing)?
        }
    };
    let population = population.zip(there).map(|(source, places)| count(source, &places));
    Ok(assess(table, population.transpose()?, options, control)?)
}

/// What the risk of a table that is counted where it lies needs of its column.
pub fn wanted_for_risk(column: &str, quasi: &[String], options: &RiskOptions) -> ColumnDetail {
    let is = |name: &String| {
        let bound = |end: &str| column.strip_suffix(end) == Some(name);
        column == name || bound("_min") || bound("_max")
    };
    let columns = quasi.iter().chain(&options.weight_column).chain(&options.unit_column);
    if columns.into_iter().any(is) { ColumnDetail::Values } else { ColumnDetail::Name }
}

/// The columns of a table that hold these quasi-identifiers: one may have been released as two, its minimum and
/// its maximum.
pub fn quasi_columns(source: &Source, quasi: &[String]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for name in quasi {
        let ends = ["_min", "_max"].map(|end| format!("{name}{end}"));
        let has = |column: &String| source.columns().contains(column);
        if !has(name) && ends.iter().all(has) {
            names.extend(ends);
        } else {
            source.place_of(name)?;
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        return Err(Error::new("no column is a quasi-identifier")
            .help("name the columns that others may also know"));
    }
    match (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        None => Ok(names),
        Some(at) => Err(Error::new(format!("`{}` is named twice as quasi", names[at]))
            .help("name every column once")),
    }
}
