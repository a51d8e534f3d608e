//! What is known of a table of text beyond its text: where it has NULL, and the types of its columns.

use super::column_mask::MaskRule;
use super::source::Source;
use crate::ColumnType;

impl Source {
    /// Tells NULL from the empty text, or not where no spelling is given: it is read as [`NULL`](crate::NULL). In text it is spelled like this and never quoted;
    /// other formats know it themselves.
    #[must_use]
    pub fn with_null(mut self, spelling: impl Into<Option<&'static str>>) -> Self {
        self.null = spelling.into();
        self
    }

    /// Whether NULL is told apart from the empty text.
    pub fn tells_null(&self) -> bool {
        self.null.is_some()
    }

    /// Says what types the columns of a table of text have where it comes from, one for each: a release in a format with
    /// types keeps those of columns that stay as they are.
    #[must_use]
    pub fn with_types(mut self, types: Vec<ColumnType>) -> Self {
        self.types = types;
        self
    }

    /// The types of the columns, one for each; nothing where all are text.
    pub fn types(&self) -> Vec<ColumnType> {
        #[cfg(feature = "parquet")]
        if let Some(schema) = self.schema() {
            let in_memory = self.format() == super::InputFormat::Memory;
            let types = schema.fields().iter().map(|field| {
                let dictionary =
                    matches!(field.data_type(), arrow_schema::DataType::Dictionary(..));
                match ColumnType::from(field.data_type()) {
                    ColumnType::Text if dictionary && in_memory => ColumnType::Category,
                    other => other,
                }
            });
            return types.collect();
        }
        self.types.clone()
    }

    /// Whether the values of a column are of its type still: a date that is shifted is a date, all else that is done to
    /// values makes texts of them.
    pub fn keeps_type(&self, column: usize) -> bool {
        let mut disguises = self.treated.disguises.iter().filter(|it| it.column == column);
        !self.is_treated(column) && disguises.all(|it| matches!(it.how, MaskRule::Shift { .. }))
    }

    /// The type of a column in a release that has it as it is read.
    pub fn released_type(&self, column: usize) -> ColumnType {
        let declared = self.types().into_iter().nth(column);
        declared.filter(|_| self.keeps_type(column)).unwrap_or_default()
    }
}
