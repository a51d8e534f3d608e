//! One requirement beyond k.

use std::sync::Arc;

use super::{ClassTally, Model, SensitiveDistribution};

/// One requirement beyond k.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Which label column it looks at: an index into [`Targets::columns`](crate::problem::JointTargets::columns).
    pub column: usize,
    /// The model.
    pub model: Model,
    /// What the model knows of the column.
    pub background: SensitiveDistribution,
    /// What it counts.
    pub counted: CountingBasis,
    /// The missing value, where it does not count as a value of its own: whoever has none may have any.
    pub ignored: Option<u32>,
}

/// What a requirement counts.
#[derive(Debug, Clone)]
pub enum CountingBasis {
    /// The rows that carry each value.
    Rows,
    /// The units of protection: people or households, who may have several rows.
    Units,
    /// The rows or units that carry each value, apart for whoever knows different values of other columns.
    Combined(CombinedValues),
}

/// Values beside units of protection, beside what others may know, or both.
#[derive(Debug, Clone)]
pub struct CombinedValues {
    /// Where a tally counts the combinations: an index into [`ClassTally::sparse`].
    pub at: usize,
    /// For each combination what is known, the value, and whose it is.
    pub values: Arc<[(u32, u32, u32)]>,
    /// Whether units are counted, each once, and not their rows.
    pub by_units: bool,
}

impl CombinedValues {
    /// For everything that is known of somebody in a class, the values with how many carry each.
    fn histograms(&self, tally: &ClassTally) -> Vec<((u32, u32), u64)> {
        let counted = tally.sparse[self.at].iter();
        let mut all: Vec<((u32, u32), u64)> = counted
            .map(|(at, rows)| {
                let (known, value, _) = self.values[at as usize];
                ((known, value), if self.by_units { 1 } else { rows })
            })
            .collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        all
    }

    /// How many people of a class carry each value, whatever else is known of them.
    fn of_all_people(&self, tally: &ClassTally) -> Vec<((u32, u32), u64)> {
        let all = tally.sparse[self.at].iter().map(|(at, _)| self.values[at as usize]);
        let mut carried: Vec<(u32, u32)> = all.map(|(_, value, unit)| (value, unit)).collect();
        carried.sort_unstable();
        carried.dedup();
        let values = carried.chunk_by(|one, other| one.0 == other.0);
        values.map(|people| ((0, people[0].0), people.len() as u64)).collect()
    }

    /// How many people of the whole table carry each of so many values. Who carries one counts once, whatever else is known of them.
    pub fn carried(&self, values: usize) -> Vec<u64> {
        let mut carried: Vec<(u32, u32)> =
            self.values.iter().map(|&(_, value, unit)| (value, unit)).collect();
        carried.sort_unstable();
        carried.dedup();
        let mut counts = vec![0; values];
        carried.iter().for_each(|&(value, _)| counts[value as usize] += 1);
        counts
    }

    /// How many people of a class something is known of.
    fn people(&self, known: u32, tally: &ClassTally) -> u64 {
        let all = tally.sparse[self.at].iter().map(|(at, _)| self.values[at as usize]);
        let mut units: Vec<u32> = all.filter(|it| it.0 == known).map(|it| it.2).collect();
        units.sort_unstable();
        units.dedup();
        units.len() as u64
    }
}

impl Requirement {
    /// Whether a class passes.
    pub fn passes(&self, tally: &ClassTally) -> bool {
        match &self.counted {
            CountingBasis::Rows => {
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
            CountingBasis::Units => match self.model {
                Model::DistinctL { l } => tally.sparse[0].distinct() >= l as usize,
                _ => false,
            },
            CountingBasis::Combined(combined) => self.passes_combined(combined, tally),
        }
    }

    fn passes_combined(&self, combined: &CombinedValues, tally: &ClassTally) -> bool {
        let counted = combined.histograms(tally);
        if let Model::EachValue { k } = self.model {
            return counted.iter().all(|&(_, count)| count >= u64::from(k));
        }
        let people = tally.sparse[0].distinct() as u64;
        // Whoever is narrowed down sees the values of those alone who are left.
        let mut narrowed = counted.chunk_by(|one, other| one.0.0 == other.0.0);
        let is_whole = counted.first().map(|it| it.0.0) == counted.last().map(|it| it.0.0);
        if is_whole || !combined.by_units {
            return narrowed.all(|known| self.passes_counted(known, || people));
        }
        // Who has rows in several parts counts in each of them and once in the class: parts may pass where it does not.
        let of_part = |known: u32| combined.people(known, tally);
        narrowed.all(|known| self.passes_counted(known, || of_part(known[0].0.0)))
            && self.passes_counted(&combined.of_all_people(tally), || people)
    }

    /// Whether those pass of whom the same is known, by the values that they carry.
    fn passes_counted(&self, known: &[((u32, u32), u64)], people: impl Fn() -> u64) -> bool {
        let mut histogram = vec![0; self.background.shares.len()];
        known.iter().for_each(|&((_, value), count)| histogram[value as usize] = count);
        let all: u64 = known.iter().map(|&(_, count)| count).sum();
        if let Some(missing) = self.ignored
            && histogram[missing as usize] > 0
        {
            let known = all - std::mem::take(&mut histogram[missing as usize]);
            return self.passes_known(&histogram, known);
        }
        // A share of the people is one of those in the class, whoever of them carries several values.
        let by_units =
            matches!(&self.counted, CountingBasis::Combined(combined) if combined.by_units);
        let size = match self.model {
            Model::Alpha { .. } if by_units => people(),
            _ => all,
        };
        self.model.passes(&histogram, size, &self.background)
    }

    /// Whether a class passes that has this histogram of values that are not missing.
    fn passes_known(&self, histogram: &[u64], size: u64) -> bool {
        size > 0 && self.model.passes(histogram, size, &self.background)
    }

    /// How it is called in sentences.
    pub fn name(&self) -> &'static str {
        match self.counted {
            CountingBasis::Units => "k units of protection",
            _ => self.model.name(),
        }
    }

    /// The place of what it counts in a joint target, where there are so many columns of few values.
    pub(crate) fn place(&self, dense: usize) -> usize {
        match self.counted {
            CountingBasis::Rows => self.column,
            CountingBasis::Units => dense,
            CountingBasis::Combined(CombinedValues { at, .. }) => dense + at,
        }
    }
}
