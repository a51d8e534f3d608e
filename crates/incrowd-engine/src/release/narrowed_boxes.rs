//! A saved recoding whose boxes are each for some values of the narrowing columns, applied to rows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxLocator, OUTSIDE, ProfileShare, Recoding};

/// The recoding with the rows of this problem in its boxes, where boxes are for values of narrowing columns and nobody has
/// said yet which rows go where: each row goes into the first box for its values that contains it.
pub(super) fn with_rows<'a>(problem: &Problem, recoding: &'a Recoding) -> Cow<'a, Recoding> {
    let Recoding::Local(BoxAssignment { boxes, shares, narrowing: Some(narrowing) }) = recoding
    else {
        return Cow::Borrowed(recoding);
    };
    if !shares.is_empty() {
        return Cow::Borrowed(recoding);
    }
    let values = narrowing.values.iter().zip(0u32..);
    let numbers: BTreeMap<&[String], u32> =
        values.map(|(values, number)| (values.as_slice(), number)).collect();
    let locator = BoxLocator::new(boxes, &problem.attributes);
    let mut codes = vec![0; problem.attributes.len()];
    let mut shares = Vec::new();
    for cell in 0..problem.cells.len() {
        for (at, code) in codes.iter_mut().enumerate() {
            *code = problem.cells.code(at, cell);
        }
        for &(target, count) in problem.cells.targets(cell) {
            let known = numbers.get(problem.narrowing_values(target).as_slice());
            let found = known.and_then(|&known| {
                locator.find_among(&codes, |at| narrowing.of_box[at as usize] == known)
            });
            let class = found.unwrap_or(OUTSIDE);
            shares.push(ProfileShare { cell: cell as u32, target, class, count });
        }
    }
    Cow::Owned(Recoding::Local(BoxAssignment {
        narrowing: Some(narrowing.clone()),
        ..BoxAssignment::of_rows(boxes.clone(), shares)
    }))
}
