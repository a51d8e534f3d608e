//! Which rows go into which box.

use serde::{Deserialize, Serialize};

use super::boxes::BoxSet;

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
}
