//! The head of a certificate: which question it answers, and what it claims.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The first bytes of a certificate; a version and the length of the question follow.
const MAGIC: &[u8; 8] = b"incrowdC";
/// The version that is read here.
const VERSION: u64 = 1;
/// No question is longer.
const LONGEST: u64 = 1 << 26;
/// The most rows: squares of them fit in 64 bits with room for a sum.
const MOST_ROWS: u64 = 1 << 31;

/// The question that a certificate answers, and the claim.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Which releases the claim is about.
    pub kind: Kind,
    /// What a release costs.
    pub metric: Metric,
    /// The least size of a class.
    pub k: u64,
    /// The rows of the table.
    pub rows: u64,
    /// The most rows that may be suppressed.
    pub limit: u64,
    /// The quasi-identifiers.
    pub columns: Vec<Column>,
    /// For the classification metric: the class column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassColumn>,
    /// How a missing value may be written.
    pub missing: Vec<String>,
    /// The claim: no release costs less. In rows, squares of rows, or for groups in parts of 2^-40 of a suppressed row.
    pub claim: u64,
    /// The key of the table's hash, in hexadecimal digits.
    pub key: String,
    /// The hash of the profiles and their counts.
    pub table: String,
}

/// Which releases a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Every column is divided into intervals, the same for all rows.
    Intervals,
    /// Every column is released at one level of its hierarchy.
    Levels,
    /// Rows are put into groups, whatever these may be.
    Groups,
}

/// What a release costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Discernibility: the square of every class's size; all rows for each suppressed one.
    Dm,
    /// Classification: rows outside the majority of their class, and suppressed rows.
    Cm,
    /// Certainty penalty: the widths of the groups' boxes.
    Ncp,
}

/// A quasi-identifier.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the table's header.
    pub name: String,
    /// Its values in order; values that are never told apart stand together. A missing value is null.
    pub values: Vec<Vec<Option<String>>>,
    /// For intervals: which of them there may be.
    #[serde(default)]
    pub shape: Shape,
    /// For intervals: cuts that must be made, by the number of values before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<usize>,
    /// And those that must not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<usize>,
    /// For levels: by level, from the lowest, the group of each value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Vec<u32>>,
    /// For groups: what differences cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// Which intervals of a column there may be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Any.
    #[default]
    Free,
    /// The first value stands alone or with all others.
    FirstAloneOrAll,
    /// These, as first value and end, in order.
    Nodes(Vec<(u16, u16)>),
}

/// What a group pays for a column in which its rows differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PriceKind {
    /// The distance of the lowest and the highest number, as a part of the whole range.
    Range,
    /// The number of values, if there are several, as a part of all values.
    Set,
}

/// The price of a column.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// By what.
    pub by: PriceKind,
    /// What the whole column costs, as a part of 2^40 of what a suppressed row costs.
    pub whole: u64,
}

/// The class column.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassColumn {
    /// Its name in the table's header.
    pub name: String,
    /// Its values, at most two.
    pub values: Vec<Option<String>>,
}

impl Question {
    /// Reads the head of a certificate; what follows is the body.
    pub(crate) fn read<R: Read>(mut certificate: R) -> Result<(Self, R)> {
        let mut head = [0; 16];
        certificate.read_exact(&mut head).map_err(|_| Error::NoCertificate)?;
        if &head[..8] != MAGIC {
            return Err(Error::NoCertificate);
        }
        let word = |at: usize| {
            u64::from(u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]))
        };
        if word(8) != VERSION {
            return Err(Error::Version(word(8)));
        }
        if word(12) > LONGEST {
            return Err(Error::Damaged("its question is too long"));
        }
        let mut text = Vec::new();
        certificate.by_ref().take(word(12)).read_to_end(&mut text)?;
        let question: Question =
            serde_json::from_slice(&text).map_err(|error| Error::Question(error.to_string()))?;
        question.judge()?;
        Ok((question, certificate))
    }

    /// Whether the question makes sense.
    pub(crate) fn judge(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Question(what.to_owned()));
        if self.k == 0 || self.rows > MOST_ROWS || self.columns.is_empty() {
            return wrong(
                "k is at least 1, rows at most 2,147,483,648, and there must be a column",
            );
        }
        let groups = self.kind == Kind::Groups;
        if groups != (self.metric == Metric::Ncp)
            || (self.metric == Metric::Cm) != self.class.is_some()
        {
            return wrong("its metric is not one of its kind, or a class column is missing");
        }
        for column in &self.columns {
            let values = column.values.len();
            if values == 0 || values > usize::from(u16::MAX) {
                return wrong("a column has no values, or too many");
            }
            let inner = |&at: &usize| at > 0 && at < values;
            if !column.made.iter().chain(&column.refused).all(inner) {
                return wrong("a cut lies outside its column");
            }
            if let Shape::Nodes(nodes) = &column.shape
                && !nodes.iter().all(|&(first, end)| first < end && usize::from(end) <= values)
            {
                return wrong("an interval lies outside its column");
            }
            if self.kind == Kind::Levels {
                judge_levels(column)?;
            }
            if groups && column.price.is_none_or(|price| price.whole > 1 << 40) {
                return wrong("a column has no price, or one above that of a suppressed row");
            }
        }
        match &self.class {
            Some(class) if class.values.len() > 2 => {
                wrong("the class column has more than two values")
            }
            _ => Ok(()),
        }
    }
}

/// Whether the groups of every level lie within groups of the next one: what holds of classes on the way up
/// rests on that.
fn judge_levels(column: &Column) -> Result<()> {
    let wrong =
        || Err(Error::Question(format!("the levels of column `{}` do not nest", column.name)));
    let values = column.values.len();
    if column.levels.is_empty() || !column.levels.iter().all(|level| level.len() == values) {
        return wrong();
    }
    if column.levels.iter().flatten().any(|&group| group as usize >= values) {
        return wrong();
    }
    for pair in column.levels.windows(2) {
        let mut above = vec![None; values];
        for (&group, &next) in pair[0].iter().zip(&pair[1]) {
            if *above[group as usize].get_or_insert(next) != next {
                return wrong();
            }
        }
    }
    Ok(())
}
