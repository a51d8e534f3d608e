//! Columns that are treated as they are read: what is rounded, cut off or renamed is so for everything that reads the
//! source.

use std::sync::Arc;

use incrowd_engine::Control;
use incrowd_engine::recoding::SavedTransform;
use incrowd_engine::value::{
    ColumnTransform, DetectedNumbers, FittedTransform, decimal_sign, detect, is_missing,
};

use super::source::Source;
use super::table::read_table;
use super::transforming_decoder::TransformedColumns;
use crate::{Error, Result};

/// What is asked for of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformRequest {
    /// The column's name in the table.
    pub column: String,
    /// What is done to its values.
    pub treatment: ColumnTransform,
    /// Its name from then on, if it gets another one.
    pub rename: Option<String>,
    /// The decimal sign of its numbers, if it is given.
    pub decimal: Option<char>,
}

impl Source {
    /// The source with some columns treated and renamed. Columns whose numbers matter are read once, to see how
    /// they are written; `missing` are the fields that mean "no value" and stay as they are.
    pub fn treated(
        self,
        asked: &[TransformRequest],
        missing: &[String],
        control: &Control,
    ) -> Result<Self> {
        let mut saved = Vec::new();
        for ask in asked {
            self.place_of(&ask.column)?;
            let treater = match ask.treatment.is_none() {
                true => None,
                false => Some(self.treater(ask, missing, control)?),
            };
            saved.push(SavedTransform {
                column: ask.column.clone(),
                name: ask.rename.clone(),
                treater,
            });
        }
        self.with_treatments(saved)
    }

    /// The treatment of a column, once its values have been seen.
    pub fn treater(
        &self,
        ask: &TransformRequest,
        missing: &[String],
        control: &Control,
    ) -> Result<FittedTransform> {
        let place = self.place_of(&ask.column)?;
        let table = read_table(self, Some(&[place]), control)?;
        let values = table.columns()[0].dictionary.iter().collect::<Vec<_>>();
        let decimal = match ask.decimal {
            Some(decimal) => Some(decimal),
            None => self.decimal_for(&values, missing, control)?,
        };
        let values = values.iter().copied();
        Ok(FittedTransform::new(&ask.column, values, &ask.treatment, missing, decimal)?)
    }

    /// The source with columns treated and renamed as another one's were.
    pub fn with_treatments(mut self, saved: Vec<SavedTransform>) -> Result<Self> {
        if saved.is_empty() {
            return Ok(self);
        }
        let mut columns = vec![None; self.columns().len()];
        let mut names = self.columns().to_vec();
        for SavedTransform { column, name, treater } in &saved {
            let place = self.place_of(column)?;
            columns[place] = treater.clone().map(Arc::new);
            if let Some(name) = name {
                names[place].clone_from(name);
            }
        }
        if let Some((_, at)) = super::first_repeated(&names) {
            return Err(Error::new(format!("two columns would be named `{}`", names[at]))
                .help("choose another name with --rename, or rename the other column too"));
        }
        self.names = names.into();
        self.treated = TransformedColumns { columns, saved, disguises: std::sync::Arc::default() };
        Ok(self)
    }

    /// How the source's columns are treated and renamed.
    pub fn treatments(&self) -> &[SavedTransform] {
        &self.treated.saved
    }

    /// Whether a column's values are treated as they are read.
    pub fn is_treated(&self, column: usize) -> bool {
        self.treated.columns.get(column).is_some_and(Option::is_some)
    }

    /// The decimal sign of values that can be read in two ways: what other columns say, else what a table with `;` between
    /// its fields suggests.
    fn decimal_for(
        &self,
        values: &[&str],
        missing: &[String],
        control: &Control,
    ) -> Result<Option<char>> {
        let is_value = |value: &&str| !is_missing(value, missing);
        let values = values.iter().copied().filter(is_value);
        match detect(values, None) {
            DetectedNumbers::Ambiguous(_) => self.likely_decimal(missing, control),
            _ => Ok(None),
        }
    }

    /// The decimal sign that the source's columns leave no doubt about, else the comma where `;` parts the fields.
    pub fn likely_decimal(&self, missing: &[String], control: &Control) -> Result<Option<char>> {
        let table = read_table(self, None, control)?;
        let is_value = |value: &&str| !is_missing(value, missing);
        let columns = table.columns().iter().map(|column| {
            column.dictionary.iter().filter(is_value).collect::<Vec<_>>().into_iter()
        });
        let semicolon = self.delimiter() == Some(b';');
        Ok(decimal_sign(columns).or(semicolon.then_some(',')))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::ReadOptions;
    use incrowd_engine::value::{Decimal, MISSING_TOKENS};

    fn source(text: &str) -> Source {
        Source::from_reader(&mut text.as_bytes(), "t.csv", &ReadOptions::default()).unwrap()
    }

    fn ask(column: &str, treatment: ColumnTransform) -> TransformRequest {
        TransformRequest { column: column.to_owned(), treatment, rename: None, decimal: None }
    }

    #[test]
    fn everything_sees_the_treated_value() {
        let top = ColumnTransform { top: Decimal::parse("90"), ..ColumnTransform::default() };
        let round = ColumnTransform { round: Decimal::parse("1000"), ..ColumnTransform::default() };
        let mut renamed = ask("age", top);
        renamed.rename = Some("years".to_owned());
        let missing = MISSING_TOKENS.map(str::to_owned);
        let control = Control::new();
        let text = "age;pay\n30;1,234\n97;5,678\nNA;9,5\n";
        let source =
            source(text).treated(&[renamed, ask("pay", round)], &missing, &control).unwrap();
        assert_eq!(source.columns(), ["years", "pay"]);
        let table = read_table(&source, None, &control).unwrap();
        let column =
            |at: usize| -> Vec<&str> { (0..3).map(|row| table.columns()[at].value(row)).collect() };
        assert_eq!(column(0), ["30", "90+", "NA"]);
        assert_eq!(column(1), ["0", "0", "0"]);
        let twice = source.treatments().to_vec();
        let again = self::source(text).with_treatments(twice).unwrap();
        assert_eq!(again.columns(), source.columns());
    }

    #[test]
    fn other_columns_and_the_delimiter_decide_what_is_ambiguous() {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let control = Control::new();
        let round = ColumnTransform { round: Decimal::parse("1"), ..ColumnTransform::default() };
        let first = |text: &str| {
            let source = source(text).treated(&[ask("a", round.clone())], &missing, &control);
            source.map(|source| {
                let table = read_table(&source, None, &control).unwrap();
                table.columns()[0].value(0).to_owned()
            })
        };
        assert_eq!(first("a;b\n1,234;x\n").unwrap(), "1");
        assert_eq!(first("a|b\n1,234|33.5\n").unwrap(), "1,234");
        assert_eq!(first("a|b\n1,234|33,5\n").unwrap(), "1");
        assert!(first("a|b\n1,234|x\n").unwrap_err().message.contains("two ways"));
    }
}
