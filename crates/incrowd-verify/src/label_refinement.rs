//! What labels tell beyond the values that they contain, as verdicts say it.

use std::fmt;

use serde::Serialize;

/// What the labels of a release tell beyond the values that they contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LabelRefinement {
    /// Over all columns.
    #[serde(flatten)]
    pub all: RefinementFigures,
    /// Column by column, where anything is generalized.
    pub columns: Vec<ColumnRefinement>,
}

/// What the labels of a column tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnRefinement {
    /// The column.
    pub column: String,
    /// Whether its labels can be fitted to their classes; if not, they are those of a list, and nothing surely occurs.
    pub fitted: bool,
    /// What they tell.
    #[serde(flatten)]
    pub figures: RefinementFigures,
}

/// How much of generalized fields is told after all. A class in a column is one label for all of its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RefinementFigures {
    /// Fields whose label stands for several values.
    pub fields: u64,
    /// How many of them have a value that surely occurs in the class: one for each such value of a label.
    pub sure_fields: u64,
    /// The same as a share.
    pub sure_share: f64,
    /// Classes whose label in a column stands for several values, over all columns.
    pub class_columns: u64,
    /// Those of them of which it is sure how many rows have which value.
    pub determined: u64,
    /// The same as a share.
    pub determined_share: f64,
    /// Those whose label lists its class: it stands for as many values as there are rows, and each surely occurs.
    pub listed: u64,
    /// The same as a share.
    pub listed_share: f64,
    /// The bits that somebody lacks who knows only what labels contain: the logarithm of how many multisets of values a
    /// class can have in a column, on average.
    pub contained_bits: f64,
    /// The bits that are left when it is known, too, which values surely occur.
    pub fitted_bits: f64,
    /// The bits that are left when it is known, too, that no boundary between neighbouring values has k rows on each side.
    pub unsplittable_bits: f64,
}

/// In words.
impl fmt::Display for RefinementFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sure_fields == 0 {
            return write!(f, "no label shows a value that surely occurs in its class");
        }
        write!(
            f,
            "{:.1} % of generalized fields have a value that surely occurs in the class; {:.1} % of \
             labels tell every value of their class",
            100.0 * self.sure_share,
            100.0 * self.determined_share
        )
    }
}
