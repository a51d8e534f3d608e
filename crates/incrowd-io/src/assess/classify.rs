//! How well a column is predicted from a release in a file.

use incrowd::Control;
use incrowd_assess::classify::{Classification, ClassificationReport};

use super::{go_on, read_columns};
use crate::{Result, Source, read_table};

/// What is predicted, from what, and how that is measured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassifyOptions {
    /// The columns to predict from.
    pub quasi: Vec<String>,
    /// The column to predict.
    pub class: String,
    /// How the accuracy is measured.
    pub settings: Classification,
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
            settings: Classification::default(),
        }
    }

    /// Sets how the accuracy is measured.
    #[must_use]
    pub fn with_settings(self, settings: Classification) -> Self {
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
    let ClassifyOptions { quasi, class, settings } = options;
    let read = |source: &Source| read_columns(source, quasi.iter().chain([class]), control);
    let original = original.map(read).transpose()?;
    release.place_of(class)?;
    let released = read_table(release, None, control)?;
    go_on(control)?;
    Ok(ClassificationReport::new(settings, &released, original.as_ref(), quasi, class)?)
}
