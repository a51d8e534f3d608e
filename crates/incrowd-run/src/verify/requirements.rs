//! The release read back and judged by the independent verifier.

use std::collections::BTreeMap;
use std::sync::Arc;

use incrowd_engine::privacy::{CountingBasis, GroundDistance};
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{ClassSummary, Domain, Scale};
use incrowd_engine::{Control, FrequencyCounts, Model, Problem};
use incrowd_verify::{
    ColumnFormat, DateForm, LabelHierarchy, NumberStyle, Requirements, RiskBounds, SensitiveModel,
    Verdict, Verifier,
};

use crate::{Error, Result, Source};

/// What the verifier must find, as the problem demands it. Values of a column that stays as it is may read otherwise where they
/// were written: a truth value is a `t` in a database and `true` in Parquet. `read_back` tells how, by the column's name,
/// where it is so.
pub(crate) fn requirements(
    problem: &Problem,
    identifying: &[String],
    missing: &[String],
    read_back: &dyn Fn(&str, &str) -> Option<String>,
) -> Result<Requirements> {
    let quasi = problem.attributes.iter().map(|attribute| attribute.name.clone());
    let mut requirements = Requirements::new(problem.privacy.k, quasi);
    requirements.wildcards = problem.privacy.wildcards;
    requirements.identifying = identifying.to_vec();
    requirements.missing = incrowd_verify::MissingTokens::new(missing.iter().cloned());
    let attributes = problem.attributes.iter().map(|column| (&column.name, &column.domain));
    let targets = problem.targets.columns.iter().map(|column| (&column.name, &column.domain));
    for (name, domain) in attributes.chain(targets) {
        let style = style_of(domain.scale());
        if style != NumberStyle::default() {
            requirements
                .told
                .insert(name.clone(), ColumnFormat { style, ..ColumnFormat::default() });
        }
    }
    requirements.dates = date_forms(problem.attributes.iter().map(|it| (&it.name, &it.domain)));
    let listed = problem.attributes.iter().filter(|attribute| attribute.is_on_fixed_list());
    requirements.fixed_labels = listed.map(|attribute| attribute.name.clone()).collect();
    requirements.risks = risks(problem);
    let narrowing = problem.targets.narrowing().map(|column| column.name.clone());
    requirements.narrowing = narrowing.collect();
    if problem.population.is_some() {
        for attribute in &problem.attributes {
            let (name, domain) = (&attribute.name, &attribute.domain);
            // A mean contains nobody's value.
            if matches!(attribute.summary, ClassSummary::Mean | ClassSummary::Median) {
                requirements.unchecked.push(name.clone());
            }
            if let Some(tree) = attribute.tree() {
                let ladder = LabelHierarchy::from_rows(tree.to_rows())
                    .map_err(|e| Error::new(e.to_string()))?;
                requirements.ladders.insert(name.clone(), ladder);
            } else if !domain.is_numeric() {
                let order = (0..domain.len() as u32).map(|code| domain.label(code).to_owned());
                requirements.orders.insert(name.clone(), order.collect());
            }
        }
    }
    let whole = problem.whole();
    // Where nothing is missing it makes no difference; units are no values.
    requirements.count_missing = problem.privacy.requirements.iter().any(|it| {
        let domain = &problem.targets.columns[it.column].domain;
        let of_values = it.model.is_diversity() && !matches!(it.counted, CountingBasis::Units);
        let is_named = |code: u32| missing.iter().any(|token| token == domain.label(code));
        let has_missing = domain.missing_code().is_some() || (0..domain.len() as u32).any(is_named);
        of_values && has_missing && it.ignored.is_none()
    });
    for requirement in &problem.privacy.requirements {
        let column = &problem.targets.columns[requirement.column];
        let name = column.name.clone();
        let domain = &column.domain;
        let reads = |value: &str| read_back(&name, value).unwrap_or_else(|| value.to_owned());
        let values = (0..domain.len() as u32).map(|code| reads(domain.label(code)));
        let counts: Vec<u64> = match &requirement.counted {
            CountingBasis::Rows => whole.histograms[requirement.column].clone(),
            CountingBasis::Units => {
                requirements.unit = Some(name.clone());
                continue;
            }
            // Counted by the verifier itself.
            CountingBasis::Combined(_) if matches!(requirement.model, Model::EachValue { .. }) => {
                continue;
            }
            CountingBasis::Combined(combined) if combined.by_units => {
                combined.carried(domain.len())
            }
            CountingBasis::Combined(_) => whole.histograms[requirement.column].clone(),
        };
        if let Some(tree) = &requirement.background.hierarchy {
            let mut rows = tree.to_rows();
            for value in rows.iter_mut().filter_map(|row| row.first_mut()) {
                *value = reads(value);
            }
            let ladder = LabelHierarchy::from_rows(rows).map_err(|e| Error::new(e.to_string()))?;
            requirements.ladders.insert(name.clone(), ladder);
        }
        requirements.models.push(SensitiveModel {
            column: name.clone(),
            model: translated(requirement.model),
            overall: Some(values.clone().zip(counts).collect()),
            order: (!domain.is_numeric()).then(|| values.collect()),
        });
    }
    Ok(requirements)
}

/// What is asked of risks, in the verifier's words.
fn risks(problem: &Problem) -> RiskBounds {
    let overall = problem.privacy.overall;
    let rule = problem.privacy.population.zip(problem.population.as_ref());
    RiskBounds {
        average: overall.average,
        at_risk: overall.at_risk.map(|it| (it.share, it.threshold)),
        unique: overall.unique.map(|it| (it.share, it.fraction)),
        known: problem.privacy.known.map(|known| (known.k, known.columns)),
        population: rule.map(|(rule, population)| incrowd_verify::Population {
            people: Arc::new(counted(population.raw())),
            least: rule.least,
            presence: rule.presence,
            unique: population.max_unique,
        }),
        // Judged from the rows that were counted: what is read back is not compared with the original.
        max_bias: None,
    }
}

/// Counted combinations as their strings.
pub(crate) fn counted(counts: &FrequencyCounts) -> Vec<(Vec<String>, u64)> {
    let mut people = Vec::with_capacity(counts.cells.len());
    counts.cells.for_each(|codes, count| {
        let values = codes.iter().zip(&counts.columns);
        let text = |(&code, (_, of)): (&u32, &(String, Dictionary))| of.value(code).to_owned();
        people.push((values.map(text).collect(), count));
    });
    people
}

/// How the verifier is to read the numbers of a column on this scale.
pub(crate) fn style_of(scale: Option<&Scale>) -> NumberStyle {
    match scale {
        Some(Scale::Numbers(format)) => {
            NumberStyle { point: format.point(), groups: format.groups() }
        }
        _ => NumberStyle::default(),
    }
}

/// How columns that hold dates write them, in the verifier's words.
pub fn date_forms<'a>(
    columns: impl Iterator<Item = (&'a String, &'a Domain)>,
) -> BTreeMap<String, DateForm> {
    columns
        .filter_map(|(name, domain)| match domain.scale() {
            Some(Scale::Dates(dates)) => {
                Some((name.clone(), DateForm::new(&dates.format.to_string())?))
            }
            _ => None,
        })
        .collect()
}

/// The verifier has its own types: it knows nothing of the engine.
pub fn translated(model: Model) -> incrowd_verify::Model {
    use incrowd_verify::Model as Checked;
    match model {
        Model::DistinctL { l } => Checked::DistinctL(u64::from(l)),
        Model::EntropyL { l } => Checked::EntropyL(l),
        Model::RecursiveL { c, l } => Checked::RecursiveCL { c, l: u64::from(l) },
        Model::TCloseness { t, distance } => Checked::TCloseness {
            t,
            distance: match distance {
                GroundDistance::Equal => incrowd_verify::Distance::Equal,
                GroundDistance::Ordered => incrowd_verify::Distance::Ordered,
                GroundDistance::Hierarchical => incrowd_verify::Distance::Hierarchical,
            },
        },
        Model::Alpha { alpha } => Checked::AlphaK(alpha),
        Model::BasicBeta { beta } => Checked::BasicBeta(beta),
        Model::EnhancedBeta { beta } => Checked::EnhancedBeta(beta),
        Model::DeltaDisclosure { delta } => Checked::DeltaDisclosure(delta),
        // The verifier counts narrowed classes by themselves: see Requirements::narrowing.
        Model::EachValue { .. } => Checked::DistinctL(1),
    }
}

/// Judges a release in which people are counted whom it does not name: `units` says who each row is of.
pub(crate) fn judge_units(
    release: &Source,
    units: &[u64],
    requirements: &Requirements,
    control: &Control,
) -> Result<Verdict> {
    let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
    let mut requirements = requirements.clone();
    let unit = requirements.unit.clone().unwrap_or_default();
    if release.columns().contains(&unit) {
        return Err(Error::new(format!("the identifying column `{unit}` is in the release"))
            .help("nothing was written; please report this as a fault of incrowd"));
    }
    requirements.identifying.retain(|name| *name != unit);
    let header = [release.columns(), &[unit]].concat();
    let mut verifier = Verifier::new(&header, &requirements).map_err(unfit)?;
    let mut units = units.iter();
    feed(release, control, |row| {
        let unit = units.next().map_or_else(String::new, |unit| format!("unit {unit:x}"));
        verifier.push(row.iter().map(String::as_str).chain([unit.as_str()]))
    })?;
    if units.next().is_some() {
        return Err(Error::new("the release has fewer rows than were written"));
    }
    verifier.finish().map_err(unfit)
}

/// Judges a table in any format that can be read.
pub fn verify_source(
    source: &Source,
    requirements: &Requirements,
    control: &Control,
) -> Result<Verdict> {
    verify_sources(source, None, requirements, control)
}

/// Judges a table, against its original if there is one.
pub fn verify_sources(
    release: &Source,
    original: Option<&Source>,
    requirements: &Requirements,
    control: &Control,
) -> Result<Verdict> {
    let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
    let mut verifier = Verifier::new(release.columns(), requirements).map_err(unfit)?;
    if let Some(original) = original {
        verifier.compare_with(original.columns()).map_err(unfit)?;
        feed(original, control, |row| verifier.push_original(row.iter().map(String::as_str)))?;
    }
    feed(release, control, |row| verifier.push(row.iter().map(String::as_str)))?;
    verifier.finish().map_err(unfit)
}

/// Gives every row of a source, in order.
pub(crate) fn feed(
    source: &Source,
    control: &Control,
    mut each: impl FnMut(&[String]) -> Result<(), incrowd_verify::Error>,
) -> Result<()> {
    let columns: Vec<usize> = (0..source.columns().len()).collect();
    source.map_in_order(
        &columns,
        |chunk| {
            let rows = 0..chunk.rows();
            Ok(rows
                .map(|row| {
                    columns.iter().map(|&at| chunk.field(row, at).to_owned()).collect::<Vec<_>>()
                })
                .collect::<Vec<_>>())
        },
        |rows| rows.iter().try_for_each(|row| each(row)).map_err(|e| Error::new(e.to_string())),
        control,
    )
}
