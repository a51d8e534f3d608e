//! One requirement beyond k.

use std::sync::Arc;

use super::{Background, Model, Tally};

/// One requirement beyond k.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Which label column it looks at: an index into [`Targets::columns`](crate::problem::Targets::columns).
    pub column: usize,
    /// The model.
    pub model: Model,
    /// What the model knows of the column.
    pub background: Background,
    /// What it counts.
    pub counted: Counted,
    /// The missing value, where it does not count as a value of its own: whoever has none may have any.
    pub ignored: Option<u32>,
}

/// What a requirement counts.
#[derive(Debug, Clone)]
pub enum Counted {
    /// The rows that carry each value.
    Rows,
    /// The units of protection: people or households, who may have several rows.
    Units,
    /// The units that carry each value, however many of their rows do.
    UnitsWithValue {
        /// Where a tally counts pairs of a unit and a value: an index into [`Tally::sparse`].
        at: usize,
        /// The value of each pair.
        values: Arc<[u32]>,
    },
}

impl Requirement {
    /// Whether a class passes.
    pub fn passes(&self, tally: &Tally) -> bool {
        match &self.counted {
            Counted::Rows => {
                let histogram = &tally.histograms[self.column];
                match self.ignored.map(|missing| (missing as usize, histogram[missing as usize])) {
                    None | Some((_, 0)) => {
                        self.model.passes(histogram, tally.size, &self.background)
                    }
                    Some((missing, rows)) => {
                        let mut known = histogram.clone();
                        known[missing] = 0;
                        self.passes_known(&known, tally.size - rows)
                    }
                }
            }
            Counted::Units => match self.model {
                Model::DistinctL { l } => tally.sparse[0].distinct() >= l as usize,
                _ => false,
            },
            Counted::UnitsWithValue { at, values } => {
                let mut histogram = vec![0; self.background.shares.len()];
                let pairs = &tally.sparse[*at];
                for (pair, _) in pairs.iter() {
                    histogram[values[pair as usize] as usize] += 1;
                }
                let missing = self.ignored.map_or(0, |missing| histogram[missing as usize]);
                if missing > 0 {
                    self.ignored.into_iter().for_each(|missing| histogram[missing as usize] = 0);
                    return self.passes_known(&histogram, pairs.distinct() as u64 - missing);
                }
                // A share of the people is one of those in the class, whoever of them carries several values.
                let size = match self.model {
                    Model::Alpha { .. } => tally.sparse[0].distinct(),
                    _ => pairs.distinct(),
                };
                self.model.passes(&histogram, size as u64, &self.background)
            }
        }
    }

    /// Whether a class passes that has this histogram of values that are not missing.
    fn passes_known(&self, histogram: &[u64], size: u64) -> bool {
        size > 0 && self.model.passes(histogram, size, &self.background)
    }

    /// How it is called in sentences.
    pub fn name(&self) -> &'static str {
        match self.counted {
            Counted::Units => "k units of protection",
            _ => self.model.name(),
        }
    }

    /// The place of what it counts in a joint target, where there are so many columns of few values.
    pub(crate) fn place(&self, dense: usize) -> usize {
        match self.counted {
            Counted::Rows => self.column,
            Counted::Units => dense,
            Counted::UnitsWithValue { at, .. } => dense + at,
        }
    }
}
