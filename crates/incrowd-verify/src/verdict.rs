//! What the verifier found.

use std::fmt;

use serde::Serialize;

use crate::label_refinement::LabelRefinement;
use crate::requirements::Model;
use crate::risks::{RiskRequirement, RiskVerdict};
use crate::subject_risks::SubjectRisks;

/// How many classes, and how many rows of each, a violation shows.
pub(crate) const SHOWN: usize = 10;

/// What the verifier found. Serializes to JSON; prints as a short summary.
///
/// Infinite quantities (a class that no c, beta or delta would satisfy) are `null` in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether every requirement is met.
    pub holds: bool,
    /// How `*` was read when k was measured.
    pub reading: WildcardReading,
    /// The k that was asked for.
    pub required_k: u64,
    /// The largest k that holds; nothing for a release without rows.
    pub k: Option<u64>,
    /// The column that tells apart who is protected, where that is not the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How many of them there are in the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<u64>,
    /// Rows of the release.
    pub rows: u64,
    /// Classes: distinct combinations of released quasi-identifier values.
    pub classes: u64,
    /// How large the classes are.
    pub sizes: Option<SizeDistribution>,
    /// How easily a row can be tied to a person.
    pub risk: Option<Risk>,
    /// What labels tell beyond the values that they contain; nothing where no label stands for several values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<LabelRefinement>,
    /// What the sensitive columns reach.
    pub models: Vec<ModelVerdict>,
    /// What the release reaches of requirements on risks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<RiskVerdict>,
    /// What the comparison with the original gave, if there was one.
    pub original: Option<OriginalComparison>,
    /// The requirements that are not met.
    pub violations: Vec<Violation>,
    /// What the reader of this verdict should know.
    pub notes: Vec<String>,
}

/// The reading of `*` in quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WildcardReading {
    /// `*` is a value like any other.
    Value,
    /// `*` matches anything: the weaker reading.
    Wildcard,
}

/// The distribution of class sizes, always over classes of equal rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeDistribution {
    /// Rows of the smallest class.
    pub min: u64,
    /// Rows of the class in the middle (the mean of the two middle ones if there are two).
    pub median: f64,
    /// Rows per class.
    pub mean: f64,
    /// Rows of the largest class.
    pub max: u64,
    /// Classes by size, in buckets 1, 2-3, 4-7, 8-15 and so on; empty buckets are left out.
    pub histogram: Vec<SizeBucket>,
}

/// The classes whose sizes lie in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SizeBucket {
    /// The smallest size in the bucket.
    pub from: u64,
    /// The largest size in the bucket.
    pub to: u64,
    /// Classes in it.
    pub classes: u64,
    /// Rows of these classes.
    pub rows: u64,
}

/// The risk that one who knows a person to be in the release (a "prosecutor") finds their row, over
/// classes of equal rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    /// For a person in the smallest class: 1 / its size.
    pub highest: f64,
    /// On average over the rows: classes / rows.
    pub average: f64,
    /// The share of rows that are alone in their class.
    pub unique: f64,
}

/// What a sensitive column reaches under a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelVerdict {
    /// The sensitive column.
    pub column: String,
    /// The model with the values asked for.
    pub model: Model,
    /// What the worst class reaches: the l, exp of the entropy, the t, alpha, beta or delta; for
    /// recursive diversity the quantity that c must exceed. Nothing for a release without rows.
    pub achieved: Option<f64>,
    /// Where the distribution of the whole table was taken from, for models that need it.
    pub overall: Option<OverallSource>,
    /// What the worst class reaches against the release's own shares, where others were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_release: Option<f64>,
    /// Whether every class satisfies the model.
    pub holds: bool,
}

/// Where the distribution of a sensitive column over the whole table was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OverallSource {
    /// The requirements gave it.
    Given,
    /// From the original.
    Original,
    /// From the release itself.
    Release,
}

/// What the comparison with the original gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginalComparison {
    /// Rows of the original.
    pub rows: u64,
    /// Released rows that were each assigned an original row of their own.
    pub matched: u64,
    /// Released rows for which no original row is left: untruthful, changed or invented.
    pub unmatched: u64,
    /// Original rows that no released row stands for.
    pub suppressed: u64,
    /// Released rows that are blank in every quasi-identifier.
    pub blank: u64,
    /// Columns that had to contain the original value.
    pub contained: Vec<String>,
    /// Columns that had to equal the original value.
    pub equal: Vec<String>,
    /// Columns that were not compared.
    pub unchecked: Vec<String>,
}

/// A requirement that is not met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Violation {
    /// What kind of requirement.
    pub kind: ViolationKind,
    /// The requirement and how far it is missed, in words.
    pub message: String,
    /// The sensitive, identifying or unknown column it is about, if it is about one.
    pub column: Option<String>,
    /// How many classes (of the comparison with the original: distinct released rows) break it.
    pub classes: u64,
    /// How many rows break it.
    pub rows: u64,
    /// The worst of them, at most ten.
    pub examples: Vec<ViolationExample>,
}

impl Violation {
    /// A violation of a release as a whole.
    pub fn new(kind: ViolationKind, message: impl Into<String>) -> Self {
        let (message, examples) = (message.into(), Vec::new());
        Violation { kind, message, column: None, classes: 0, rows: 0, examples }
    }
}

/// The kinds of requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViolationKind {
    /// A class with fewer than k rows.
    SmallClass,
    /// A class that does not satisfy a model.
    Model,
    /// An identifying column is in the release.
    IdentifyingColumn,
    /// A column that the original does not have.
    UnknownColumn,
    /// A released value that is neither an original value nor a label that can be read.
    UnknownLabel,
    /// A released value that does not contain the original one.
    UntruthfulValue,
    /// A row without an original row: a changed value, or an invented or repeated row.
    InventedRow,
    /// Rows that a pseudonym links are shared by fewer than k units.
    LinkedRows,
    /// A class that another released column narrows to fewer than k rows.
    NarrowedClass,
    /// The classes of a person's rows have too few sensitive values in common.
    SeveralRows,
    /// A value of the original that was to be replaced.
    OriginalValue,
    /// The release is not on the record that it should be on.
    NotOnRecord,
    /// The release as a whole, or a class in the population, is at more risk than it may be.
    Risk,
    /// Too few rows agree in a combination of few columns.
    KnownColumns,
    /// The share of a category differs too much between the original and the release.
    Bias,
}

/// A class or row that breaks a requirement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViolationExample {
    /// Its released values.
    pub values: Vec<ColumnValue>,
    /// Its number of rows.
    pub size: u64,
    /// The measured quantity: its crowd for k, the model's quantity for a model.
    pub measured: Option<f64>,
    /// The numbers of its first rows, at most ten; the first row below the header is row 1.
    pub rows: Vec<u64>,
    /// What is wrong with it, in words.
    pub message: String,
    /// The same without any value of anybody.
    #[serde(skip)]
    pub(crate) bare: String,
}

impl Verdict {
    /// The same verdict without values of people: examples tell rows and columns alone. For logs, which are shared where
    /// tables are not.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        for example in self.violations.iter_mut().flat_map(|violation| &mut violation.examples) {
            example.message = std::mem::take(&mut example.bare);
            for field in &mut example.values {
                field.value = "(kept back)".to_owned();
            }
        }
        self
    }

    /// The same verdict with figures of the release alone, for whoever may see that: nothing is told of rows that the
    /// original has and the release has not. Models are told by what their classes reach against the release's own shares.
    #[must_use]
    pub fn of_release_alone(mut self) -> Self {
        for model in &mut self.models {
            if matches!(model.overall, Some(OverallSource::Given | OverallSource::Original)) {
                model.achieved = model.against_release.take();
                model.overall = Some(OverallSource::Release);
            }
        }
        // Shares of the original tell of rows that are not there.
        self.risks.retain(|risk| risk.requirement != RiskRequirement::Bias);
        self.original = None;
        // How many values a node stands for depends on the values that suppressed people have.
        self.refinement = None;
        self.notes.clear();
        for violation in &mut self.violations {
            violation.examples.clear();
            if violation.kind == ViolationKind::Bias {
                violation.column = None;
                violation.message = "the share of a category moves farther than it may".to_owned();
            }
        }
        self
    }
}

/// A value in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnValue {
    /// The column.
    pub column: String,
    /// The value as it is written.
    pub value: String,
}

impl SizeDistribution {
    /// From the sizes of the classes; nothing if there are none.
    pub(crate) fn of(counts: &[u64]) -> Option<Self> {
        let rows: u64 = counts.iter().sum();
        let mut sorted = counts.to_vec();
        let middle = sorted.len() / 2;
        let max = sorted.iter().copied().max()?;
        let (lower, &mut upper_middle, _) = sorted.select_nth_unstable(middle);
        let lower_middle = if counts.len().is_multiple_of(2) {
            lower.iter().copied().max().unwrap_or(upper_middle)
        } else {
            upper_middle
        };
        let mut buckets = vec![(0, 0); 64];
        for &count in counts {
            let (classes, rows): &mut (u64, u64) = &mut buckets[count.ilog2() as usize];
            *classes += 1;
            *rows += count;
        }
        let histogram = buckets.iter().zip(0..).filter(|((classes, _), _)| *classes > 0).map(
            |(&(classes, rows), power)| SizeBucket {
                from: 1 << power,
                to: (2 << power) - 1,
                classes,
                rows,
            },
        );
        Some(SizeDistribution {
            min: counts.iter().copied().min()?,
            median: (lower_middle as f64 + upper_middle as f64) / 2.0,
            mean: rows as f64 / counts.len() as f64,
            max,
            histogram: histogram.collect(),
        })
    }
}

impl Risk {
    pub(crate) fn of(sizes: &SizeDistribution, subjects: &SubjectRisks) -> Self {
        Risk {
            highest: 1.0 / sizes.min as f64,
            average: subjects.average().unwrap_or_default(),
            unique: subjects.unique().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reading = match self.reading {
            WildcardReading::Value => "`*` read as a value like any other",
            WildcardReading::Wildcard => "`*` read as matching anything, the weaker reading",
        };
        writeln!(f, "{}", if self.holds { "The release holds." } else { "The release FAILS." })?;
        match self.k {
            Some(k) => writeln!(f, "  k = {k}, required {} ({reading})", self.required_k)?,
            None => writeln!(f, "  no rows, so that any k holds ({reading})")?,
        }
        if let (Some(unit), Some(units)) = (&self.unit, self.units) {
            writeln!(f, "  counted are the {units} different values of `{unit}`, not rows")?;
        }
        if let (Some(sizes), Some(risk)) = (&self.sizes, &self.risk) {
            let each = if self.unit.is_some() { "units" } else { "rows" };
            writeln!(
                f,
                "  {} in {} of {} to {} {each} (median {}, mean {:.1})",
                counted(self.rows, "row", "rows"),
                counted(self.classes, "class", "classes"),
                sizes.min,
                sizes.max,
                sizes.median,
                sizes.mean
            )?;
            writeln!(
                f,
                "  re-identification risk: highest {:.1} %, average {:.1} %, unique rows {:.1} %",
                100.0 * risk.highest,
                100.0 * risk.average,
                100.0 * risk.unique
            )?;
        }
        if let Some(refinement) = self.refinement.as_ref().filter(|it| it.all.sure_fields > 0) {
            writeln!(f, "  labels: {}", refinement.all)?;
        }
        for model in &self.models {
            write!(f, "  {}: {}", model.column, model.model)?;
            if let Some(achieved) = model.achieved {
                write!(f, ", reached {} = {}", model.model.letter(), short(achieved))?;
            }
            match model.overall {
                Some(OverallSource::Release) => write!(f, " against the release's own shares")?,
                Some(_) => write!(f, " against the original's shares")?,
                None => {}
            }
            if let Some(alone) = model.against_release {
                write!(f, " ({} against the release's own)", short(alone))?;
            }
            writeln!(f, "{}", if model.holds { "" } else { " - fails" })?;
        }
        for risk in &self.risks {
            writeln!(f, "  {}{}", risk.text, if risk.holds { "" } else { " - fails" })?;
        }
        if let Some(original) = &self.original {
            writeln!(
                f,
                "  original: {} rows, {} matched, {} suppressed; {} released rows unmatched",
                original.rows, original.matched, original.suppressed, original.unmatched
            )?;
        }
        for note in &self.notes {
            writeln!(f, "  note: {note}")?;
        }
        for violation in &self.violations {
            writeln!(f, "violation: {}", violation.message)?;
            for example in violation.examples.iter().take(3) {
                writeln!(f, "  {}", example.message)?;
            }
            let shown = violation.examples.len().min(3) as u64;
            if violation.classes > shown {
                writeln!(f, "  ... and {} more", violation.classes - shown)?;
            }
        }
        Ok(())
    }
}

/// A quantity with at most four decimals.
pub(crate) fn short(quantity: f64) -> String {
    if quantity.is_infinite() {
        return "infinity".to_owned();
    }
    let text = format!("{quantity:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A value as people read it: one of nothing but blanks has a name.
pub(crate) fn named(value: &str) -> String {
    if value.trim().is_empty() { "(missing)".to_owned() } else { format!("`{value}`") }
}

/// `a = 1, b = 2`.
pub(crate) fn shown(values: &[ColumnValue]) -> String {
    let parts: Vec<String> = values
        .iter()
        .map(|ColumnValue { column, value }| format!("{column} = {}", named(value)))
        .collect();
    parts.join(", ")
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `row 3` or `rows 1, 4, 9 and 5 more`.
pub(crate) fn shown_rows(rows: &[u64], total: u64) -> String {
    let numbers: Vec<String> = rows.iter().map(u64::to_string).collect();
    let more = total.saturating_sub(rows.len() as u64);
    let word = if total == 1 { "row" } else { "rows" };
    match (numbers.is_empty(), more) {
        (true, _) => counted(total, "row", "rows"),
        (false, 0) => format!("{word} {}", numbers.join(", ")),
        (false, more) => format!("{word} {} and {more} more", numbers.join(", ")),
    }
}
