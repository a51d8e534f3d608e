//! How well a column is predicted from a release in a file.

use incrowd_assess::classify::{ClassificationOptions, ClassificationReport, ColumnHierarchies};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Domain, DomainRule, MISSING_TOKENS};
use incrowd_engine::{Control, Table};

use super::reading::{go_on, read_columns};
use crate::spec::hierarchies::Hierarchy;
use crate::{Error, Result, Source, load_hierarchy, read_table};

/// What is predicted, from what, and how that is measured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassifyOptions {
    /// The columns to predict from.
    pub quasi: Vec<String>,
    /// The column to predict.
    pub class: String,
    /// How the accuracy is measured.
    pub settings: ClassificationOptions,
    /// Hierarchies, to read labels that are their nodes.
    pub hierarchies: Vec<(String, Hierarchy)>,
}

impl ClassifyOptions {
    /// Predicts `class` from these columns, measured as usual.
    pub fn new(
        quasi: impl IntoIterator<Item = impl Into<String>>,
        class: impl Into<String>,
    ) -> Self {
        ClassifyOptions {
            quasi: quasi.into_iter().map(Into::into).collect(),
            class: class.into(),
            settings: ClassificationOptions::default(),
            hierarchies: Vec::new(),
        }
    }

    /// Adds the hierarchy of a column.
    #[must_use]
    pub fn with_hierarchy(mut self, column: impl Into<String>, hierarchy: Hierarchy) -> Self {
        self.hierarchies.push((column.into(), hierarchy));
        self
    }

    /// Sets how the accuracy is measured.
    #[must_use]
    pub fn with_settings(self, settings: ClassificationOptions) -> Self {
        ClassifyOptions { settings, ..self }
    }
}

/// Cross-validates decision trees on a release and, if it is given, on its original.
pub fn classification_of(
    release: &Source,
    original: Option<&Source>,
    options: &ClassifyOptions,
    control: &Control,
) -> Result<ClassificationReport> {
    classification_with_test(release, original, None, options, control)
}

/// The same, and judges trees of all their rows on untouched ones, if there are such.
pub fn classification_with_test(
    release: &Source,
    original: Option<&Source>,
    test: Option<&Source>,
    options: &ClassifyOptions,
    control: &Control,
) -> Result<ClassificationReport> {
    let ClassifyOptions { quasi, class, settings, hierarchies } = options;
    let read = |source: &Source| read_columns(source, quasi.iter().chain([class]), control);
    let original = original.map(read).transpose()?;
    release.place_of(class)?;
    let released = read_table(release, None, control)?;
    go_on(control)?;
    let report = ClassificationReport::new(settings, &released, original.as_ref(), quasi, class)?;
    let Some(test) = test.map(read).transpose()? else { return Ok(report) };
    go_on(control)?;
    let ladders = ladders(&test, hierarchies)?;
    Ok(report.with_test(&released, original.as_ref(), &test, quasi, class, &ladders)?)
}

/// What each value of the test rows may be released as.
fn ladders(test: &Table, hierarchies: &[(String, Hierarchy)]) -> Result<ColumnHierarchies> {
    let mut ladders = ColumnHierarchies::new();
    for (name, hierarchy) in hierarchies {
        let Some(column) = test.column(name) else {
            return Err(Error::new(format!("there is no column `{name}` with a hierarchy"))
                .help("name one of the columns to predict from"));
        };
        let missing = |value: &&str| MISSING_TOKENS.contains(&value.trim());
        let rows = match load_hierarchy(hierarchy)? {
            HierarchySource::Given(tree) => tree.to_rows(),
            HierarchySource::Rule(rule) => {
                let values: Dictionary =
                    column.dictionary.iter().filter(|value| !missing(value)).collect();
                let rule_of_values = DomainRule::automatic();
                rule.rows(name, &Domain::build(name, &values, &rule_of_values)?.domain)?
            }
        };
        let ladder = rows.into_iter().filter_map(|row| {
            let mut labels = row.into_iter();
            Some((labels.next()?, labels.collect()))
        });
        ladders.insert(name.clone(), ladder.collect());
    }
    Ok(ladders)
}
