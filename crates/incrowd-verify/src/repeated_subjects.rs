//! People with several rows: whoever knows all of them sees which sensitive values the classes of these rows have in common.

use std::collections::BTreeSet;

use crate::requirements::{Model, SensitiveModel};
use crate::tuples::TupleCounts;
use crate::verdict::{Violation, ViolationKind, counted};

/// A sensitive value belongs to a person, and not to a visit, if it is the same in all rows of this share of those who have
/// several.
const CONSTANT: f64 = 0.9;

/// What is wrong with a model if the values of all classes of a person are intersected. `pairs` are (class, value, unit).
pub(crate) fn violation(
    required: &SensitiveModel,
    pairs: &TupleCounts,
    unit: &str,
    nothing: Option<u32>,
) -> Option<Violation> {
    let mut rows: Vec<[u32; 3]> = (0..pairs.len())
        .map(|pair| [pairs.key(pair)[2], pairs.key(pair)[0], pairs.key(pair)[1]])
        .collect();
    let mut held: Vec<[u32; 2]> = rows.iter().map(|row| [row[1], row[2]]).collect();
    held.retain(|&[_, value]| Some(value) != nothing);
    held.sort_unstable();
    held.dedup();
    let values_of = |class: u32| {
        let from = held.partition_point(|it| it[0] < class);
        held[from..].iter().take_while(move |it| it[0] == class).map(|it| it[1])
    };
    rows.sort_unstable();
    let least = least(&required.model);
    let (mut several, mut constant) = (0_u64, 0_u64);
    let (mut few, mut few_rows, mut fewest) = (0_u64, 0_u64, least);
    for own in rows.chunk_by(|one, other| one[0] == other[0]) {
        if own.iter().all(|row| row[1] == own[0][1]) {
            continue;
        }
        several += 1;
        if own.iter().any(|row| row[2] != own[0][2]) {
            continue;
        }
        constant += 1;
        let mut common: BTreeSet<u32> = values_of(own[0][1]).collect();
        let mut alone = common.len();
        for row in &own[1..] {
            let here: BTreeSet<u32> = values_of(row[1]).collect();
            alone = alone.min(here.len());
            common.retain(|value| here.contains(value));
        }
        let left = common.len() as u64;
        // What one class tells by itself is the model's business.
        if left < least.min(alone as u64) && Some(own[0][2]) != nothing {
            few += 1;
            few_rows += own.len() as u64;
            fewest = fewest.min(left);
        }
    }
    if few == 0 || (constant as f64) < CONSTANT * several as f64 {
        return None;
    }
    let SensitiveModel { column, .. } = required;
    Some(Violation {
        kind: ViolationKind::SeveralRows,
        message: format!(
            "the classes of {} of `{unit}` share fewer than {least} values of `{column}` \
             (the fewest {fewest}):\n  all rows of a unit together reveal more than one \
             class does",
            counted(few, "value", "values"),
        ),
        column: Some(column.clone()),
        classes: few,
        rows: few_rows,
        examples: Vec::new(),
    })
}

/// How many values the classes of a person must have in common.
fn least(model: &Model) -> u64 {
    match *model {
        Model::DistinctL(l) | Model::RecursiveCL { l, .. } => l,
        Model::EntropyL(l) => l.ceil() as u64,
        // One value in common is the person's own.
        _ => 2,
    }
}
