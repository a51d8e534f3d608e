//! Two further columns, for a census with ten quasi-identifiers.
//!
//! They are drawn from words of their own, so that the other columns are the same with and without them.

use super::alias::AliasTable;
use super::tables::{STAGES, stage};
use crate::Person;

/// The further columns.
pub const MORE: [&str; 2] = ["hours-per-week", "children"];

/// Hours of work in a week, with their weight in the middle of life and at its ends.
#[rustfmt::skip]
const HOURS: [(&str, u64, u64); 26] = [
    ("5", 2, 60), ("8", 3, 70), ("10", 5, 160), ("12", 4, 90), ("15", 8, 240), ("16", 6, 110),
    ("20", 20, 480), ("24", 9, 90), ("25", 14, 220), ("28", 4, 30), ("30", 28, 210), ("32", 12, 60),
    ("35", 40, 150), ("36", 10, 15), ("37", 8, 8), ("38", 18, 20), ("40", 480, 420), ("42", 10, 4),
    ("44", 10, 5), ("45", 70, 18), ("48", 22, 10), ("50", 105, 24), ("55", 28, 5), ("60", 56, 14),
    ("70", 11, 3), ("80", 5, 2),
];

/// How many children live with a person.
const CHILDREN: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];
/// The weights by stage of life, for people who have been married.
const CHILDREN_WEIGHTS: [[u64; 7]; STAGES] = [
    [700, 260, 35, 4, 1, 0, 0],
    [480, 350, 140, 25, 4, 1, 0],
    [260, 320, 290, 100, 24, 5, 1],
    [150, 250, 380, 160, 45, 12, 3],
    [330, 310, 250, 80, 22, 6, 2],
    [780, 150, 55, 12, 2, 1, 0],
    [960, 30, 8, 2, 0, 0, 0],
];
/// The weights for all others.
const CHILDREN_OF_UNMARRIED: [u64; 7] = [850, 100, 36, 10, 3, 1, 0];

/// The distributions of the further columns.
#[derive(Debug)]
pub(super) struct WideModel {
    /// In the middle of life and at its ends.
    hours: [AliasTable; 2],
    /// By stage of life; the last for people who have never been married.
    children: Vec<AliasTable>,
}

impl WideModel {
    pub(super) fn new() -> Self {
        let weights = CHILDREN_WEIGHTS.iter().chain([&CHILDREN_OF_UNMARRIED]);
        WideModel {
            hours: [
                AliasTable::new(&HOURS.map(|(_, middle, _)| middle)),
                AliasTable::new(&HOURS.map(|(_, _, ends)| ends)),
            ],
            children: weights.map(|weights| AliasTable::new(weights)).collect(),
        }
    }

    /// Draws what a person has in the further columns, from one word each.
    pub(super) fn draw(
        &self,
        person: &Person,
        mut word: impl FnMut() -> u64,
    ) -> [&'static str; MORE.len()] {
        let stage = stage(person.age.into());
        let at_an_end = stage == 0 || stage == STAGES - 1;
        let hours = self.hours[usize::from(at_an_end)].pick(word());
        let unmarried = person.values.contains(&"Never-married");
        let children = self.children[if unmarried { STAGES } else { stage }].pick(word());
        [HOURS[hours].0, CHILDREN[children]]
    }
}
