//! How many classes there are of which size.

use std::collections::BTreeMap;

use incrowd_engine::release::size_buckets;
use serde::Serialize;

/// How many classes there are of which size: all that most risks depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClassSizes {
    /// Size and number of classes, by ascending size.
    groups: Vec<(u64, u64)>,
    rows: u64,
    classes: u64,
}

/// Classes of about the same size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SizeGroup {
    /// The smallest size.
    pub from: u64,
    /// The largest size.
    pub to: u64,
    /// How many classes.
    pub classes: u64,
    /// How many rows stand in them.
    pub rows: u64,
}

impl ClassSizes {
    /// Counts the sizes of classes; empty classes are none.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut counted: BTreeMap<u64, u64> = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *counted.entry(size).or_default() += 1;
        }
        Self::of_groups(counted)
    }

    /// Sizes, ascending, with the number of classes of each.
    pub(super) fn of_groups(groups: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let groups: Vec<(u64, u64)> =
            groups.into_iter().filter(|&(_, classes)| classes > 0).collect();
        ClassSizes {
            rows: groups.iter().map(|(size, classes)| size * classes).sum(),
            classes: groups.iter().map(|group| group.1).sum(),
            groups,
        }
    }

    /// Size and number of classes, by ascending size.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.groups.iter().copied()
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many classes there are.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// How many classes hold exactly so many rows.
    pub fn of_size(&self, size: u64) -> u64 {
        let at = self.groups.binary_search_by_key(&size, |group| group.0);
        at.map_or(0, |at| self.groups[at].1)
    }

    /// Rows that share their combination with no other.
    pub fn unique(&self) -> u64 {
        self.of_size(1)
    }

    /// The size of the smallest class; 0 if there is none.
    pub fn smallest(&self) -> u64 {
        self.groups.first().map_or(0, |group| group.0)
    }

    /// The size of the largest class; 0 if there is none.
    pub fn largest(&self) -> u64 {
        self.groups.last().map_or(0, |group| group.0)
    }

    /// Classes in groups of sizes 1, 2, 3-4, 5-9, 10-19, 20-49 and so on, up to the largest.
    pub fn grouped(&self) -> Vec<SizeGroup> {
        let mut groups: Vec<SizeGroup> = size_buckets(self.largest())
            .into_iter()
            .map(|(from, to)| SizeGroup { from, to, classes: 0, rows: 0 })
            .collect();
        for (size, classes) in self.iter() {
            let at = groups.partition_point(|group| group.to < size);
            groups[at].classes += classes;
            groups[at].rows += size * classes;
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted_and_grouped() {
        let sizes = ClassSizes::of([1, 7, 1, 3, 0, 2]);
        assert_eq!((sizes.rows(), sizes.classes(), sizes.unique()), (14, 5, 2));
        assert_eq!((sizes.smallest(), sizes.largest()), (1, 7));
        let grouped: Vec<_> =
            sizes.grouped().iter().map(|g| (g.from, g.to, g.classes, g.rows)).collect();
        assert_eq!(grouped, [(1, 1, 2, 2), (2, 2, 1, 2), (3, 4, 1, 3), (5, 7, 1, 7)]);
        assert!(ClassSizes::of([]).grouped().is_empty());
    }
}
