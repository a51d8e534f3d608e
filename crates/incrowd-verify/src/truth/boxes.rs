//! The boxes of original values that released rows stand for.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::domain::{Cover, Domain};
use crate::collected_tables::CollectedTables;
use crate::columns::ReleaseForm;
use crate::tuples::TupleCounts;

/// The distinct released rows: each has a group, a box and a number of rows.
pub(super) struct ReleasedBoxes<'a> {
    /// Pairs of a group and a class.
    released: &'a TupleCounts,
    classes: &'a TupleCounts,
    covers: Vec<ColumnCovers>,
}

impl<'a> ReleasedBoxes<'a> {
    /// `contained` names the quasi-identifiers that are compared, `domains` their values.
    pub(super) fn new(
        released: &'a TupleCounts,
        collected: &'a CollectedTables,
        contained: &[usize],
        domains: &[Domain<'_>],
    ) -> Self {
        let forms = contained.iter().map(|&at| collected.quasi[at].form);
        let covers =
            forms.zip(domains).map(|(form, domain)| ColumnCovers::new(collected, form, domain));
        ReleasedBoxes { released, classes: &collected.classes, covers: covers.collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.released.len()
    }

    pub(super) fn count(&self, tuple: u32) -> u64 {
        self.released.count(tuple as usize)
    }

    pub(super) fn group(&self, tuple: u32) -> u32 {
        self.released.key(tuple as usize)[0]
    }

    pub(super) fn class(&self, tuple: u32) -> usize {
        self.released.key(tuple as usize)[1] as usize
    }

    /// What the labels of a dimension were taken for that are spelled as other tools do, with the first such label in the
    /// order of the alphabet.
    pub(super) fn spelled<'l>(
        &self,
        dim: usize,
        labels: impl Iterator<Item = &'l str>,
    ) -> BTreeMap<&'static str, &'l str> {
        let mut found = BTreeMap::new();
        if let ColumnCovers::Label { covers, .. } = &self.covers[dim] {
            for (cover, label) in covers.iter().zip(labels) {
                if let Some(taken_for) = cover.taken_for {
                    let first = found.entry(taken_for).or_insert(label);
                    *first = label.min(first);
                }
            }
        }
        found
    }

    /// The sides of a tuple's box.
    pub(super) fn sides(&self, tuple: u32) -> impl Iterator<Item = &Cover> {
        let labels = self.classes.key(self.class(tuple));
        self.covers.iter().map(|covers| covers.of(labels))
    }

    /// How many values a side has on average over the released rows.
    pub(super) fn typical_side(&self, dim: usize) -> f64 {
        let mut sum = 0_u128;
        let mut rows = 0_u128;
        for class in 0..self.classes.len() {
            let count = u128::from(self.classes.count(class));
            sum += count * u128::from(self.covers[dim].of(self.classes.key(class)).size);
            rows += count;
        }
        if rows > 0 { (sum as f64 / rows as f64).max(1.0) } else { 1.0 }
    }
}

/// What the labels of a quasi-identifier contain.
enum ColumnCovers {
    Label { at: usize, covers: Vec<Cover> },
    Bounds { least: usize, most: usize, covers: HashMap<(u32, u32), Cover> },
}

impl ColumnCovers {
    fn new(collected: &CollectedTables, form: ReleaseForm, domain: &Domain<'_>) -> Self {
        match form {
            ReleaseForm::Label(at) => {
                let pairs = domain.pairs_are_ranges(collected.labels[at].iter());
                let labels = collected.labels[at].iter();
                let covers = labels.map(|label| domain.cover(label, pairs)).collect();
                ColumnCovers::Label { at, covers }
            }
            ReleaseForm::Bounds(least, most) => {
                let mut covers = HashMap::new();
                for class in 0..collected.classes.len() {
                    let key = collected.classes.key(class);
                    covers.entry((key[least], key[most])).or_insert_with(|| {
                        let text = |at: usize| collected.labels[at].get(key[at]);
                        domain.cover_of_bounds(text(least), text(most))
                    });
                }
                ColumnCovers::Bounds { least, most, covers }
            }
        }
    }

    /// What the label of a class contains.
    fn of(&self, labels: &[u32]) -> &Cover {
        match self {
            ColumnCovers::Label { at, covers } => &covers[labels[*at] as usize],
            ColumnCovers::Bounds { least, most, covers } => {
                &covers[&(labels[*least], labels[*most])]
            }
        }
    }
}
