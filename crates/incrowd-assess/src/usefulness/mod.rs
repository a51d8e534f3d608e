//! Usefulness as analysts measure it: means, quantiles, regressions, associations and tables, before and after.
//!
//! **What it does**: computes from a release what its analysts would, and from its original what they should have got. A label
//! is read by one convention everywhere: all values of the column that it holds are equally likely, as in
//! [`queries`](crate::queries). A number counts as the mean of the values that its label holds; a category counts for the
//! share of the label's values that it is; a released mean is the number that it is. A blank tells nothing, and is read as
//! the column's other labels are distributed.
//! **Guarantee**: no figure is infinite or not a number: what cannot be told is none. The order of rows does not matter, except
//! where it is said to be the same in both tables.
//! **Cost**: a look at every distinct row for each pair and triple of columns, and for each step of a regression.
//! **Reference**: Karr et al. 2006 (interval overlap); Woo et al. 2009 and Snoke et al. 2018 (propensity scores); Mateo-Sanz,
//! Domingo-Ferrer and Sebé 2005 (IL1s); NIST SDNist (k-marginals). `docs/reference/usefulness.md` has the formulas.

mod association;
mod column;
mod design;
mod features;
mod linear;
mod marginals;
mod moments;
mod propensity;
mod regression;
mod rows;
mod subgroups;
#[cfg(test)]
mod tests;

use incrowd_engine::{Control, Error, Result};
use serde::Serialize;

pub use association::{AssociationLoss, AssociationMeasure, AssociationPair};
pub use column::AnalysisColumn;
pub use features::LearningFeatures;
pub use marginals::MarginalScore;
pub use moments::{BeforeAfter, CategoryShift, NumberShift, QUANTILES, QuantileShift};
pub use propensity::PropensityScore;
pub use regression::{CoefficientInterval, CoefficientPair, RegressionComparison};
pub use subgroups::{SubgroupLoss, SubgroupValue, subgroup_losses};

use rows::DistinctLooks;

/// Why a comparison that was cancelled has no result.
const INTERRUPTED: &str = "interrupted";
/// Categories of a column in a model; rarer ones are one.
const DESIGN_CATEGORIES: usize = 20;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct UsefulnessOptions {
    /// What regressions predict; the class column and all numbers if there are none here.
    pub outcomes: Vec<String>,
    /// Columns by whose values the loss is told; those with few values if there are none here.
    pub subgroups: Vec<String>,
    /// Whether the rows of the release are those of the original, in their order.
    pub same_order: bool,
}

impl UsefulnessOptions {
    /// The usual regressions and subgroups; the order of rows is not known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what regressions predict.
    #[must_use]
    pub fn with_outcomes(self, outcomes: Vec<String>) -> Self {
        UsefulnessOptions { outcomes, ..self }
    }

    /// Sets the columns by whose values the loss is told.
    #[must_use]
    pub fn with_subgroups(self, subgroups: Vec<String>) -> Self {
        UsefulnessOptions { subgroups, ..self }
    }

    /// Sets whether the rows of both tables are in the same order.
    #[must_use]
    pub fn with_same_order(self, same_order: bool) -> Self {
        UsefulnessOptions { same_order, ..self }
    }
}

/// A table and its release, column by column.
#[derive(Debug, Clone)]
pub struct AnalysisTable {
    columns: Vec<AnalysisColumn>,
    /// The weights of rows, before and after.
    weights: [Vec<f64>; 2],
    /// The distinct rows, before and after.
    looks: [DistinctLooks; 2],
    /// The column of weights, if there is one.
    weight_column: Option<String>,
}

impl AnalysisTable {
    /// Columns of the same rows; `weight` names the one that tells how many people a row stands for, which is not analysed itself.
    pub fn new(mut columns: Vec<AnalysisColumn>, weight: Option<&str>) -> Result<Self> {
        let rows = columns.first().map_or([0, 0], |it| [it.original.len(), it.released.len()]);
        let differs =
            |column: &AnalysisColumn| rows != [column.original.len(), column.released.len()];
        if columns.iter().any(differs) || rows.contains(&0) {
            return Err(Error::new("there are no rows to compare"));
        }
        let mut weights = rows.map(|rows| vec![1.0; rows]);
        if let Some(name) = weight {
            let place = columns.iter().position(|column| column.name == name);
            let column = place.map(|at| columns.remove(at)).ok_or_else(|| {
                Error::new(format!("the release has no column of weights {name:?}"))
                    .help("release it as a plain column, or leave the weights out")
            })?;
            weights = row_weights(&column).ok_or_else(|| {
                Error::new(format!("the survey weights in {name:?} are no numbers above 0"))
                    .help("name the column of survey weights")
            })?;
        }
        let looks = [false, true].map(|released| {
            DistinctLooks::new(&columns, &weights[usize::from(released)], released)
        });
        let weight_column = weight.map(str::to_owned);
        Ok(AnalysisTable { columns, weights, looks, weight_column })
    }
}

/// The weights that a column tells; none if they are no weights.
fn row_weights(column: &AnalysisColumn) -> Option<[Vec<f64>; 2]> {
    let expected = column.expected()?;
    let of = |side: usize, ids: &[u32]| -> Option<Vec<f64>> {
        let ones = vec![1.0; ids.len()];
        let known = column::filled(&expected[side], ids, &ones)?;
        let weights: Vec<f64> = ids.iter().map(|&id| known[id as usize]).collect();
        let valid = weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
        (valid && weights.iter().sum::<f64>() > 0.0).then_some(weights)
    };
    Some([of(0, &column.original)?, of(1, &column.released)?])
}

/// What analysts would find in a release, beside what they would have found in its original.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UsefulnessReport {
    /// The columns that were compared.
    pub columns: Vec<String>,
    /// The column of survey weights, if there is one; moments, regressions and associations are weighted.
    pub weight: Option<String>,
    /// The columns of numbers.
    pub numbers: Vec<NumberShift>,
    /// The columns of categories.
    pub categories: Vec<CategoryShift>,
    /// The mean of IL1s over the columns of numbers.
    pub il1s: Option<f64>,
    /// Regressions of a column on all others.
    pub regressions: Vec<RegressionComparison>,
    /// How well released rows can be told from original ones.
    pub propensity: Option<PropensityScore>,
    /// Associations, by measure.
    pub association_loss: Vec<AssociationLoss>,
    /// Associations, pair by pair, those that lose most first.
    pub associations: Vec<AssociationPair>,
    /// The k-marginal scores of two and of three columns.
    pub marginals: Vec<MarginalScore>,
    /// The loss by value of columns.
    pub subgroups: Vec<SubgroupLoss>,
}

impl UsefulnessReport {
    /// Compares a table with its release. `class` names the class column; of values that fewer than `least` rows have, nothing
    /// is told.
    pub fn new(
        table: &AnalysisTable,
        options: &UsefulnessOptions,
        class: Option<&str>,
        least: u64,
        control: &Control,
    ) -> Result<Self> {
        let go_on = || if control.is_cancelled() { Err(Error::new(INTERRUPTED)) } else { Ok(()) };
        let [before, after] = [0, 1].map(|side| table.weights[side].len());
        if options.same_order && before != after {
            return Err(Error::new(format!(
                "the release has {after} rows and the original {before}, so their order is not the same"
            ))
            .help("leave out that rows are in the same order"));
        }
        for name in &options.subgroups {
            if !table.columns.iter().any(|column| column.name == *name) {
                return Err(Error::new(format!("{name:?} is not a column that is compared"))
                    .help("give it a role, or leave it out"));
            }
        }
        let numbers = moments::numbers(table, options.same_order, least);
        let il1s: Vec<f64> = numbers.iter().filter_map(|shift| shift.il1s).collect();
        go_on()?;
        let regressions = regression::compare(table, &options.outcomes, class, least)?;
        go_on()?;
        let propensity = propensity::score(table, least);
        go_on()?;
        let associations = association::pairs(table);
        go_on()?;
        Ok(UsefulnessReport {
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
            weight: table.weight_column.clone(),
            // A mean over some columns would be taken for one over all.
            il1s: (il1s.len() == numbers.len())
                .then(|| finite(il1s.iter().sum::<f64>() / il1s.len() as f64))
                .flatten(),
            numbers,
            categories: moments::categories(table),
            regressions,
            propensity,
            association_loss: association::losses(&associations),
            associations,
            marginals: marginals::scores(table, control)?,
            subgroups: subgroups::of_table(table, &options.subgroups, least),
        })
    }
}

/// A figure, unless it is infinite or not a number.
fn finite(figure: f64) -> Option<f64> {
    figure.is_finite().then_some(figure)
}
