//! What is counted of a class.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A class's size and its histogram of each label column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassTally {
    /// How many rows.
    pub size: u64,
    /// How many people of the population fit it, where there is one.
    pub people: u64,
    /// For each label column, how many rows carry each value.
    pub histograms: Vec<Vec<u64>>,
    /// The same for what has far more values than a class has rows: units of protection, and pairs of a unit and a
    /// sensitive value.
    pub sparse: Vec<SparseCounts>,
}

impl ClassTally {
    /// An empty class over label columns with domains of these sizes, and so many columns of very many values.
    pub fn new(domains: &[usize], sparse: usize) -> Self {
        ClassTally {
            size: 0,
            people: 0,
            histograms: domains.iter().map(|&size| vec![0; size]).collect(),
            sparse: vec![SparseCounts::default(); sparse],
        }
    }

    /// Empties the class.
    pub fn clear(&mut self) {
        (self.size, self.people) = (0, 0);
        for histogram in &mut self.histograms {
            histogram.fill(0);
        }
        for counts in &mut self.sparse {
            counts.0.clear();
        }
    }

    /// Adds rows that carry these label values.
    #[inline]
    pub fn add(&mut self, label: &[u32], count: u64) {
        self.size += count;
        for (histogram, &value) in self.histograms.iter_mut().zip(label) {
            histogram[value as usize] += count;
        }
        if !self.sparse.is_empty() {
            let label = &label[self.histograms.len()..];
            for (counts, &value) in self.sparse.iter_mut().zip(label) {
                counts.add(value, count);
            }
        }
    }

    /// Takes rows out that carry these label values and were added before.
    #[inline]
    pub fn remove(&mut self, label: &[u32], count: u64) {
        self.size -= count;
        for (histogram, &value) in self.histograms.iter_mut().zip(label) {
            histogram[value as usize] -= count;
        }
        if !self.sparse.is_empty() {
            let label = &label[self.histograms.len()..];
            for (counts, &value) in self.sparse.iter_mut().zip(label) {
                counts.remove(value, count);
            }
        }
    }

    /// Adds another class's rows.
    pub fn absorb(&mut self, other: &ClassTally) {
        self.size += other.size;
        self.people += other.people;
        for (mine, others) in self.histograms.iter_mut().zip(&other.histograms) {
            for (mine, others) in mine.iter_mut().zip(others) {
                *mine += others;
            }
        }
        for (mine, others) in self.sparse.iter_mut().zip(&other.sparse) {
            others.iter().for_each(|(value, count)| mine.add(value, count));
        }
    }

    /// Makes this class what is left of `whole` without `part`.
    pub fn difference(&mut self, whole: &ClassTally, part: &ClassTally) {
        self.size = whole.size - part.size;
        self.people = whole.people - part.people;
        for ((mine, whole), part) in
            self.histograms.iter_mut().zip(&whole.histograms).zip(&part.histograms)
        {
            for ((mine, whole), part) in mine.iter_mut().zip(whole).zip(part) {
                *mine = whole - part;
            }
        }
        for ((mine, whole), part) in self.sparse.iter_mut().zip(&whole.sparse).zip(&part.sparse) {
            mine.clone_from(whole);
            part.iter().for_each(|(value, count)| mine.remove(value, count));
        }
    }
}

/// How many rows carry each of very many values; those that none carries take no room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseCounts(HashMap<u32, u64, FixedState>);

impl SparseCounts {
    /// How many values there are.
    pub fn distinct(&self) -> usize {
        self.0.len()
    }

    /// The values and how many rows carry each, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(&value, &count)| (value, count))
    }

    /// Counts rows with a value.
    #[inline]
    pub fn add(&mut self, value: u32, count: u64) {
        if count > 0 {
            *self.0.entry(value).or_insert(0) += count;
        }
    }

    #[inline]
    fn remove(&mut self, value: u32, count: u64) {
        if let Some(held) = self.0.get_mut(&value) {
            *held -= count;
            if *held == 0 {
                self.0.remove(&value);
            }
        }
    }
}
