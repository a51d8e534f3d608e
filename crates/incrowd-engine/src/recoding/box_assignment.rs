//! Which rows go into which box.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::boxes::BoxSet;
use crate::table::Profiles;
use crate::value::Attribute;

/// Marks a profile that no box of a recoding contains.
pub const OUTSIDE: u32 = u32::MAX;

/// Some rows of a profile that go into one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileShare {
    /// The profile.
    pub cell: u32,
    /// The joint target of the rows; 0 where the problem has no targets.
    pub target: u32,
    /// The class, an index into the boxes, or [`OUTSIDE`] if the rows are suppressed.
    pub class: u32,
    /// How many rows.
    pub count: u64,
}

/// Boxes and the rows that go into each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoxAssignment {
    /// The boxes.
    pub boxes: BoxSet,
    /// Which rows go where. It speaks of the profiles of one table, so it is not saved: applied to new
    /// rows, the first box that contains a row takes it.
    #[serde(skip)]
    pub shares: Vec<ProfileShare>,
    /// Where narrowing columns divide the rows before anything else, the values that the rows of each box have there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowing: Option<BoxNarrowing>,
}

/// Which values of the narrowing columns the rows of each box have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxNarrowing {
    /// The combinations of values, as they are written, each in the order of the columns.
    pub values: Vec<Vec<String>>,
    /// The combination of each box, an index into the values.
    pub of_box: Vec<u32>,
}

impl BoxAssignment {
    /// Boxes and the rows that go into each, told row by row in any order.
    pub(crate) fn of_rows(boxes: BoxSet, mut shares: Vec<ProfileShare>) -> Self {
        let key = |share: &ProfileShare| (share.cell, share.target, share.class);
        shares.sort_unstable_by_key(key);
        shares.dedup_by(|next, share| {
            let same = key(next) == key(share);
            if same {
                share.count += next.count;
            }
            same
        });
        BoxAssignment { boxes, shares, narrowing: None }
    }

    /// Whether the shares speak of all rows of a table, each once, and put none into a box that does not contain it.
    pub(super) fn is_of(&self, attributes: &[Attribute], cells: &Profiles) -> bool {
        let contains = |codes: &[u32], class: u32| {
            class == OUTSIDE
                || (class as usize) < self.boxes.len()
                    && self.boxes.contains(attributes, class as usize, codes)
        };
        let mut codes = vec![0; attributes.len()];
        let mut next = 0;
        for of_cell in self.shares.chunk_by(|one, other| one.cell == other.cell) {
            let cell = of_cell[0].cell as usize;
            if cell != next || cell >= cells.len() {
                return false;
            }
            next += 1;
            for (at, code) in codes.iter_mut().enumerate() {
                *code = cells.code(at, cell);
            }
            let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
            for share in of_cell {
                let sum = rows.entry(share.target).or_default();
                *sum = sum.saturating_add(share.count);
            }
            let whole: BTreeMap<u32, u64> = match cells.targets(cell) {
                [] => BTreeMap::from([(0, cells.counts()[cell])]),
                targets => targets.iter().copied().collect(),
            };
            if rows != whole || !of_cell.iter().all(|share| contains(&codes, share.class)) {
                return false;
            }
        }
        next == cells.len()
    }
}
