//! Parts of a table as the boxes of a recoding.

use rayon::prelude::*;

use super::parts::TablePart;
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, ProfileShare};
use crate::value::Group;

/// Parts are made boxes in lots of so many.
const LOT: usize = 1 << 12;

/// Every part as a box, the ranges and sets of its own members; shares sorted.
pub(crate) fn assigned(problem: &Problem, parts: &[TablePart]) -> BoxAssignment {
    let lots: Vec<BoxSet> = parts
        .par_chunks(LOT)
        .map(|parts| {
            let mut boxes = BoxSet::new(problem.attributes.len());
            let mut codes = Vec::new();
            for part in parts {
                let groups =
                    (0..problem.attributes.len()).map(|at| group_of(problem, at, part, &mut codes));
                boxes.push(groups);
            }
            boxes
        })
        .collect();
    let mut boxes = BoxSet::new(problem.attributes.len());
    lots.iter().for_each(|lot| boxes.append(lot));
    let mut shares: Vec<ProfileShare> = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for (class, part) in parts.iter().enumerate() {
        shares.extend(part.iter().map(|piece| ProfileShare {
            cell: piece.cell,
            target: piece.label,
            class: class as u32,
            count: piece.count,
        }));
    }
    shares.par_sort_unstable_by_key(|share| (share.cell, share.target, share.class));
    BoxAssignment { boxes, shares, narrowing: None }
}

fn group_of(problem: &Problem, at: usize, part: &TablePart, codes: &mut Vec<u32>) -> Group {
    let column = problem.cells.codes(at);
    codes.clear();
    for piece in part {
        let code = column.get(piece.cell as usize);
        if codes.last() != Some(&code) {
            codes.push(code);
        }
    }
    codes.sort_unstable();
    codes.dedup();
    problem.attributes[at].group(codes)
}
