//! From the models that were asked for to what a class must satisfy.

use super::column::AttributeSpec;
use super::spec::ProblemSpec;
use super::targets::JointTargets;
use crate::kit::{Error, Result};
use crate::privacy::{
    ClassTally, CountingBasis, GroundDistance, Model, Requirement, SensitiveDistribution,
};
use crate::value::Hierarchy;

/// A sensitive column is released as it is, so a model must look at it as it is.
fn check_sensitive(column: &AttributeSpec) -> Result<()> {
    let refuse = |what: &str, instead: &str| {
        let name = &column.name;
        Err(Error::new(format!(
            "column {name:?} is sensitive and released unchanged: it cannot {what}"
        ))
        .help(instead))
    };
    if column.rule.bins.is_some() {
        return refuse(
            "be put into bins",
            "leave out the bins, or put the values into bins in the data",
        );
    }
    if column.rule.missing_as.is_some() {
        return refuse(
            "have its missing values replaced",
            "replace the missing values in the data",
        );
    }
    Ok(())
}

/// The requirements of a question, with the tally of the whole table as their background.
pub(super) fn requirements(
    spec: &ProblemSpec,
    whole: &ClassTally,
    targets: &JointTargets,
    hierarchies: &[Option<Hierarchy>],
) -> Result<Vec<Requirement>> {
    let units = spec.unit.iter().map(|_| {
        Ok(Requirement {
            column: targets.dense(),
            model: Model::DistinctL { l: u32::try_from(spec.k).unwrap_or(u32::MAX) },
            background: SensitiveDistribution { shares: Vec::new(), hierarchy: None },
            counted: CountingBasis::Units,
            ignored: None,
        })
    });
    let models = spec.models.iter().map(|(name, model)| {
        let column =
            spec.targets.iter().position(|target| target.name == *name).ok_or_else(|| {
                Error::new(format!(
                    "{} is required of column {name:?}, which is not sensitive",
                    model.name()
                ))
                .help("give the column the role \"sensitive\"")
            })?;
        check_sensitive(&spec.targets[column])?;
        let hierarchy = hierarchies[column].clone();
        if matches!(model, Model::TCloseness { distance: GroundDistance::Hierarchical, .. })
            && hierarchy.is_none()
        {
            return Err(Error::new(format!(
                "t-closeness by hierarchical distance needs a hierarchy of column {name:?}"
            ))
            .help("give the column a hierarchy, or choose equal or ordered distance"));
        }
        let counted = targets.counted(column);
        let shares = shares(whole, column, &counted);
        let background = SensitiveDistribution { shares, hierarchy };
        let domain = &targets.columns[column].domain;
        // A hierarchy may have a place for missing values; that makes them no more diverse.
        let tokens = &spec.targets[column].rule.missing;
        let is_named = |&code: &u32| tokens.iter().any(|token| token == domain.label(code));
        let missing = domain.missing_code().or_else(|| (0..domain.len() as u32).find(is_named));
        let ignored = missing.filter(|_| model.is_diversity() && !spec.count_missing);
        Ok(Requirement { column, model: *model, background, counted, ignored })
    });
    let narrowed = targets.narrowed().map(|(column, combined)| {
        Ok(Requirement {
            column,
            model: Model::EachValue { k: u32::try_from(spec.k).unwrap_or(u32::MAX) },
            background: SensitiveDistribution { shares: Vec::new(), hierarchy: None },
            counted: CountingBasis::Combined(combined),
            ignored: None,
        })
    });
    units.chain(models).chain(narrowed).collect()
}

/// Each value's share of the whole table: of its rows, or of the pairs of a unit and a value.
fn shares(whole: &ClassTally, column: usize, counted: &CountingBasis) -> Vec<f64> {
    let mut counts = whole.histograms[column].clone();
    if let CountingBasis::Combined(combined) = counted
        && combined.by_units
    {
        counts = combined.carried(counts.len());
    }
    let total = counts.iter().sum::<u64>() as f64;
    counts.into_iter().map(|count| count as f64 / total).collect()
}
