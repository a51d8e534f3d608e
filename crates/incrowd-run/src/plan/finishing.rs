//! What a release is asked to hold beyond its classes: columns that follow or narrow, linked rows, replaced values.

use crate::Error;
use crate::plan::warning::Warning;
use crate::spec::{MaskMethod, SpecFile};

/// What is asked for beyond classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinishingPlan {
    /// Columns that follow a quasi-identifier, each with its own.
    pub follows: Vec<(String, String)>,
    /// Released columns by which k must hold, too.
    pub narrowing: Vec<String>,
    /// The pseudonym that links the rows of a unit.
    pub linked: Option<String>,
    /// Columns whose values were replaced, and how.
    pub treated: Vec<(String, MaskMethod)>,
    /// Whether the key of what was replaced is kept.
    pub keeps_key: bool,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinishingResult {
    /// Units left out because too few share their rows, and these rows.
    pub unlinked: (u64, u64),
    /// Rows left out because their class lost others, and then failed.
    pub failing: u64,
}

impl FinishingPlan {
    /// What a spec asks for.
    pub(crate) fn of_spec(file: &SpecFile) -> Self {
        let spec = &file.spec;
        let columns = || spec.columns.iter();
        FinishingPlan {
            follows: columns()
                .filter_map(|column| Some((column.name.clone(), column.follows.clone()?)))
                .collect(),
            narrowing: columns()
                .filter(|column| column.narrowing)
                .map(|column| column.name.clone())
                .collect(),
            linked: spec.privacy.unit.clone().filter(|_| spec.privacy.linked),
            treated: columns()
                .filter_map(|column| Some((column.name.clone(), column.treat.clone()?)))
                .filter(|(_, treat)| *treat != MaskMethod::Drop)
                .collect(),
            keeps_key: spec.release.key_file.is_some(),
        }
    }

    /// Whether all rows must be seen before one is written.
    pub(crate) fn is_needed(&self) -> bool {
        !self.follows.is_empty() || self.linked.is_some()
    }

    /// How the values of a column are replaced, if they are.
    pub(crate) fn treatment(&self, column: &str) -> Option<&MaskMethod> {
        self.treated.iter().find(|(name, _)| name == column).map(|(_, treat)| treat)
    }

    /// Whether the values of a column are hidden by what replaces them, so that nobody releases it for what it says: equal
    /// values stay equal, and so it may tell as much as they do.
    pub(crate) fn is_masked(&self, column: &str) -> bool {
        let masks = |treat: &MaskMethod| {
            treat.is_pseudonym() || matches!(treat, MaskMethod::Last(_) | MaskMethod::Initials)
        };
        self.treatment(column).is_some_and(masks)
    }

    /// Why it cannot be done `place`, where not all rows are in one place; none if it is not asked for.
    pub fn lacks(&self, place: &str) -> Option<Error> {
        let FinishingPlan { follows, linked, treated, .. } = self;
        let what = match (treated.first(), follows.first(), linked) {
            (Some((column, treat)), ..) => format!("`{column}` cannot be masked as {treat}"),
            (_, Some((column, other)), ..) => format!("`{column}` cannot follow `{other}`"),
            (_, _, Some(unit)) => format!("rows cannot be linked by `{unit}`"),
            _ => return None,
        };
        let error = Error::new(format!("{what} {place}"));
        Some(error.help("use a run that reads the rows and writes a file, or leave it out"))
    }

    /// Whether nothing is asked for.
    pub fn is_none(&self) -> bool {
        !self.is_needed() && self.treated.is_empty()
    }

    /// What whoever publishes the release should think about.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let shifted: Vec<&str> = self
            .treated
            .iter()
            .filter(|(_, treat)| matches!(treat, MaskMethod::Shift { .. }))
            .map(|(column, _)| column.as_str())
            .collect();
        if !shifted.is_empty() {
            warnings.push(Warning::new(
                "shifted-dates",
                format!(
                    "the dates of {} are shifted, but order and intervals within a unit \
                     stay: one known date or unusual interval reveals all of its dates",
                    shifted.join(", ")
                ),
            ));
        }
        if !self.keeps_key && self.treated.iter().any(|(_, treat)| treat.needs_key()) {
            warnings.push(Warning::new(
                "no-key",
                "the key of pseudonyms and shifted dates was not kept, so they cannot be \
                 repeated; keep it with --key-file (key-file in [release])",
            ));
        }
        let masked: Vec<&str> = self
            .treated
            .iter()
            .filter(|(_, treat)| matches!(treat, MaskMethod::Last(_) | MaskMethod::Initials))
            .map(|(column, _)| column.as_str())
            .collect();
        if !masked.is_empty() {
            warnings.push(Warning::new(
                "masked",
                format!(
                    "the visible part of {} is released unchanged and k does not count it: \
                     it may still identify people",
                    masked.join(", ")
                ),
            ));
        }
        warnings
    }

    /// The columns by which k must hold beside the quasi-identifiers.
    pub(crate) fn narrowing(&self) -> Vec<String> {
        let follows = self.follows.iter().map(|(column, _)| column);
        follows.chain(&self.narrowing).cloned().collect()
    }
}
