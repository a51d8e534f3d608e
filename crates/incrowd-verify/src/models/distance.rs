//! The distances of t-closeness. All sums are taken in integers (shares are brought to the common
//! denominator class size x table size), so that only the last division rounds.

use std::collections::BTreeMap;

use super::overall::{Histogram, OverallDistribution};
use crate::error::{Error, Result};
use crate::hierarchy::LabelHierarchy;
use crate::intern::ValueDictionary;
use crate::number::Number;
use crate::requirements::SensitiveModel;
use crate::value::MissingTokens;

/// The place of a value that does not take part.
const NOWHERE: u32 = u32::MAX;

/// Half the sum of the differences of shares, which is the sum of the positive ones: only values
/// that occur in the class can have more than their share.
pub(super) fn equal(histogram: &Histogram, size: u64, overall: &OverallDistribution) -> f64 {
    let excess: i128 = histogram
        .iter()
        .map(|&(value, count)| {
            let here = i128::from(count) * i128::from(overall.total);
            (here - i128::from(overall.counts[value as usize]) * i128::from(size)).max(0)
        })
        .sum();
    excess as f64 / (size as f64 * overall.total as f64)
}

/// Earth mover's distance on a line.
pub(super) struct OrderedDistance {
    /// Each value's place on the line.
    place: Vec<u32>,
    /// The table's count up to and including each place.
    cumulative: Vec<u64>,
    /// The sum of `cumulative` before each place.
    sums: Vec<i128>,
    total: i128,
    scratch: Vec<(u32, u64)>,
}

impl OrderedDistance {
    pub(super) fn new(
        required: &SensitiveModel,
        values: &ValueDictionary,
        missing: &MissingTokens,
        overall: &OverallDistribution,
        present: &[bool],
        ladder: Option<&LabelHierarchy>,
    ) -> Result<Self> {
        let mut takes_part: Vec<u32> = (0..values.len() as u32)
            .filter(|&v| present[v as usize] || overall.counts[v as usize] > 0)
            .collect();
        let places = |list: &mut dyn Iterator<Item = &String>| {
            let mut places = vec![NOWHERE; values.len()];
            for (value, place) in list.zip(0..) {
                if let Some(value) = values.find(value, missing) {
                    places[value as usize] = place;
                }
            }
            places
        };
        // A missing value is below all numbers, as `None` is.
        let as_number = |value: u32| match values.get(value) {
            text if missing.contains(text) => Some(None),
            text => values.style().read(text).map(Some),
        };
        let numbers: Option<Vec<Option<Number>>> =
            takes_part.iter().map(|&v| as_number(v)).collect();
        if let Some(order) = &required.order {
            let places = places(&mut order.iter());
            if let Some(&lost) = takes_part.iter().find(|&&v| places[v as usize] == NOWHERE) {
                return Err(Error::UnplacedValue {
                    column: required.column.clone(),
                    value: values.get(lost).to_owned(),
                    needed: "order",
                });
            }
            takes_part.sort_by_key(|&v| places[v as usize]);
        } else if let Some(numbers) = numbers {
            let mut pairs: Vec<(Option<Number>, u32)> =
                numbers.into_iter().zip(takes_part).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            takes_part = pairs.into_iter().map(|(_, value)| value).collect();
        } else if let Some(ladder) = ladder {
            let places = places(&mut ladder.rows().iter().map(|row| &row[0]));
            takes_part.sort_by_key(|&v| places[v as usize]);
        } else if let Some(overall) = &required.overall {
            let places = places(&mut overall.iter().map(|(value, _)| value));
            takes_part.sort_by_key(|&v| places[v as usize]);
        }
        let mut place = vec![NOWHERE; values.len()];
        let mut cumulative = Vec::with_capacity(takes_part.len());
        let mut sums = vec![0];
        let mut so_far = 0;
        for (&value, at) in takes_part.iter().zip(0..) {
            place[value as usize] = at;
            so_far += overall.counts[value as usize];
            cumulative.push(so_far);
            sums.push(sums[at as usize] + i128::from(so_far));
        }
        Ok(OrderedDistance {
            place,
            cumulative,
            sums,
            total: i128::from(overall.total),
            scratch: Vec::new(),
        })
    }

    /// Between two values of the class its own cumulative share stays the same while the table's
    /// grows, so a stretch is summed at once around the place where the two cross. The work
    /// depends on the values in the class, not on those in the table.
    pub(super) fn of(&mut self, histogram: &Histogram, size: u64) -> f64 {
        let steps = self.cumulative.len().saturating_sub(1);
        if steps == 0 {
            return 0.0;
        }
        self.scratch.clear();
        self.scratch.extend(histogram.iter().map(|&(v, count)| (self.place[v as usize], count)));
        self.scratch.sort_unstable();
        let size = i128::from(size);
        let mut work = 0;
        let mut here: i128 = 0;
        let mut start = 0;
        let mut stretch = |start: usize, end: usize, here: i128| {
            let level = here * self.total;
            let below = |&count: &u64| i128::from(count) * size < level;
            let cross = start + self.cumulative[start..end].partition_point(below);
            let table = |from: usize, to: usize| (self.sums[to] - self.sums[from]) * size;
            work += level * (cross - start) as i128 - table(start, cross);
            work += table(cross, end) - level * (end - cross) as i128;
        };
        for &(place, count) in &self.scratch {
            let end = (place as usize).min(steps);
            stretch(start, end, here);
            start = end;
            here += i128::from(count);
        }
        stretch(start, steps, here);
        work as f64 / (size as f64 * self.total as f64 * steps as f64)
    }
}

/// Earth mover's distance in a hierarchy (Li, Li, Venkatasubramanian 2007): every inner node pays
/// its height for what its children must exchange among themselves.
pub(super) struct HierarchicalDistance {
    /// The leaf of each value.
    leaf: Vec<u32>,
    parent: Vec<u32>,
    /// The table's count under each node.
    below: Vec<i128>,
    total: i128,
    /// The height of the root: every leaf is that deep.
    height: usize,
    /// Of the class at hand: its count under each node, and what children have too much.
    here: Vec<i128>,
    excess: Vec<i128>,
}

impl HierarchicalDistance {
    pub(super) fn new(
        column: &str,
        values: &ValueDictionary,
        missing: &MissingTokens,
        overall: &OverallDistribution,
        present: &[bool],
        ladder: &LabelHierarchy,
    ) -> Result<Self> {
        let rows = ladder.rows();
        let levels = rows.first().map_or(1, Vec::len) - 1;
        let one_top = levels > 0 && rows.iter().all(|row| row[levels] == rows[0][levels]);
        let height = if one_top { levels } else { levels + 1 };
        let mut tree = HierarchicalDistance {
            leaf: vec![NOWHERE; values.len()],
            parent: vec![NOWHERE],
            below: vec![0],
            total: i128::from(overall.total),
            height,
            here: Vec::new(),
            excess: Vec::new(),
        };
        // A node is known by its path from the root, so equal labels elsewhere do not disturb.
        let mut nodes: BTreeMap<(u32, &str), u32> = BTreeMap::new();
        for row in rows {
            let Some(value) = values.find(&row[0], missing) else { continue };
            let path = row[..height].iter().rev();
            tree.leaf[value as usize] = path.fold(0, |above, label| {
                *nodes.entry((above, label.as_str())).or_insert_with(|| tree.add_node(above))
            });
        }
        for (value, (&count, &present)) in overall.counts.iter().zip(present).enumerate() {
            if count == 0 && !present {
                continue;
            }
            if tree.leaf[value] == NOWHERE {
                if !missing.contains(values.get(value as u32)) {
                    return Err(Error::UnplacedValue {
                        column: column.to_owned(),
                        value: values.get(value as u32).to_owned(),
                        needed: "hierarchy",
                    });
                }
                tree.leaf[value] = tree.branch_of_its_own();
            }
            let mut node = tree.leaf[value];
            while node != NOWHERE {
                tree.below[node as usize] += i128::from(count);
                node = tree.parent[node as usize];
            }
        }
        tree.here = vec![0; tree.parent.len()];
        tree.excess = vec![0; tree.parent.len()];
        Ok(tree)
    }

    /// A chain from the root down to a leaf: where a hierarchy does not place missing values, they
    /// are as far from all others as can be.
    fn branch_of_its_own(&mut self) -> u32 {
        (0..self.height).fold(0, |above, _| self.add_node(above))
    }

    fn add_node(&mut self, above: u32) -> u32 {
        self.parent.push(above);
        self.below.push(0);
        self.parent.len() as u32 - 1
    }

    /// Climbs from the class's values to the root. Subtrees without a value of the class have no
    /// child with too much and cost nothing.
    pub(super) fn of(&mut self, histogram: &Histogram, size: u64) -> f64 {
        let size = i128::from(size);
        let mut nodes: Vec<u32> = Vec::with_capacity(histogram.len());
        for &(value, count) in histogram {
            let leaf = self.leaf[value as usize];
            nodes.push(leaf);
            self.here[leaf as usize] = i128::from(count);
        }
        let mut work = 0;
        for level in 0..=self.height {
            nodes.sort_unstable();
            nodes.dedup();
            for node in &mut nodes {
                let at = *node as usize;
                let here = std::mem::take(&mut self.here[at]);
                let excess = std::mem::take(&mut self.excess[at]);
                let extra = here * self.total - self.below[at] * size;
                if level > 0 {
                    work += level as i128 * excess.min(excess - extra);
                }
                if level < self.height {
                    let above = self.parent[at];
                    self.here[above as usize] += here;
                    self.excess[above as usize] += extra.max(0);
                    *node = above;
                }
            }
        }
        work as f64 / (size as f64 * self.total as f64 * self.height as f64)
    }
}
