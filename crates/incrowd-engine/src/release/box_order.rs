//! The order of the boxes of a recoding that is kept.
//!
//! Applied to new rows, the first box that contains a row takes it. A search may have put the row into another one that
//! contains it, too, and whoever then finds fewer than k rows in that box suppresses them all. So boxes are put in an order
//! in which as few rows as possible are taken from the box they were found for.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use crate::problem::Problem;
use crate::recoding::{
    BoxAssignment, BoxLocator, BoxNarrowing, BoxSet, OUTSIDE, ProfileShare, Recoding,
};

/// More pairs of boxes than these are not looked at: boxes then stay in their order.
const MOST_PAIRS: usize = 20_000_000;

/// The recoding with its boxes in an order that fits the rows of this problem, told which rows go where. The order of a
/// smallest set of pairs that stand the wrong way round is hard to find; this one is found greedily, by what each box gains
/// if it comes next (Eades, Lin and Smyth, 1993).
pub fn in_order_of_use<'a>(problem: &Problem, recoding: &'a Recoding) -> Cow<'a, Recoding> {
    let (assigned, kind): (_, fn(BoxAssignment) -> Recoding) = match recoding {
        Recoding::Local(assigned) => (assigned, Recoding::Local),
        Recoding::Cellwise(assigned) => (assigned, Recoding::Cellwise),
        Recoding::Mixed(assigned) => (assigned, Recoding::Mixed),
        Recoding::Global(_) | Recoding::Regional(_) => return Cow::Borrowed(recoding),
    };
    match pairs(problem, assigned) {
        Some(pairs) if !pairs.is_empty() => {
            Cow::Owned(kind(reordered(assigned, &order(assigned.boxes.len(), &pairs))))
        }
        _ => Cow::Borrowed(recoding),
    }
}

/// That a box should stand before another, and how many rows go astray if it does not.
#[derive(Clone, Copy)]
struct BoxPair {
    before: u32,
    after: u32,
    rows: u64,
}

/// The pairs that matter, each once; none if there are too many.
fn pairs(problem: &Problem, assigned: &BoxAssignment) -> Option<Vec<BoxPair>> {
    let BoxAssignment { boxes, shares, narrowing } = assigned;
    let locator = BoxLocator::new(boxes, &problem.attributes);
    let known = |at: u32| narrowing.as_ref().map(|narrowing| narrowing.of_box[at as usize]);
    let mut codes = vec![0; problem.attributes.len()];
    let mut pairs: Vec<BoxPair> = Vec::new();
    for of_cell in shares.chunk_by(|one, other| one.cell == other.cell) {
        for (at, code) in codes.iter_mut().enumerate() {
            *code = problem.cells.code(at, of_cell[0].cell as usize);
        }
        let around = locator.find_all(&codes);
        for share in of_cell.iter().filter(|share| share.class != OUTSIDE) {
            let before = share.class;
            let others = around.iter().filter(|&&at| at != before && known(at) == known(before));
            pairs.extend(others.map(|&after| BoxPair { before, after, rows: share.count }));
        }
        if pairs.len() > MOST_PAIRS {
            return None;
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.before, pair.after));
    pairs.dedup_by(|next, pair| {
        let same = (next.before, next.after) == (pair.before, pair.after);
        if same {
            pair.rows += next.rows;
        }
        same
    });
    Some(pairs)
}

/// The boxes in their new order.
fn order(boxes: usize, pairs: &[BoxPair]) -> Vec<u32> {
    let by_before = Neighbours::new(boxes, pairs, |pair| (pair.before, pair.after));
    let by_after = Neighbours::new(boxes, pairs, |pair| (pair.after, pair.before));
    // Rows that go astray if a box comes after all others, and if it comes before them.
    let mut late: Vec<u64> = (0..boxes).map(|at| by_before.rows(at)).collect();
    let mut early: Vec<u64> = (0..boxes).map(|at| by_after.rows(at)).collect();
    let key = |late: u64, early: u64, at: u32| {
        (early == 0, i128::from(late) - i128::from(early), std::cmp::Reverse(at))
    };
    let mut next: BinaryHeap<_> =
        (0..boxes as u32).map(|at| key(late[at as usize], early[at as usize], at)).collect();
    let mut placed = vec![false; boxes];
    let mut order = Vec::with_capacity(boxes);
    while let Some(entry) = next.pop() {
        let at = entry.2.0;
        let now = key(late[at as usize], early[at as usize], at);
        if placed[at as usize] || now != entry {
            continue;
        }
        placed[at as usize] = true;
        order.push(at);
        for &(other, rows) in by_before.of(at as usize) {
            early[other as usize] -= rows;
        }
        for &(other, rows) in by_after.of(at as usize) {
            late[other as usize] -= rows;
        }
        let changed = by_before.of(at as usize).iter().chain(by_after.of(at as usize));
        for &(other, _) in changed.filter(|(other, _)| !placed[*other as usize]) {
            next.push(key(late[other as usize], early[other as usize], other));
        }
    }
    order
}

/// The other boxes of the pairs of each box, with their rows.
struct Neighbours {
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Neighbours {
    fn new(boxes: usize, pairs: &[BoxPair], ends: impl Fn(&BoxPair) -> (u32, u32)) -> Self {
        let mut starts = vec![0; boxes + 1];
        for pair in pairs {
            starts[ends(pair).0 as usize + 1] += 1;
        }
        for at in 0..boxes {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut entries = vec![(0, 0); pairs.len()];
        for pair in pairs {
            let (from, to) = ends(pair);
            entries[free[from as usize]] = (to, pair.rows);
            free[from as usize] += 1;
        }
        Neighbours { starts, entries }
    }

    fn of(&self, at: usize) -> &[(u32, u64)] {
        &self.entries[self.starts[at]..self.starts[at + 1]]
    }

    fn rows(&self, at: usize) -> u64 {
        self.of(at).iter().map(|(_, rows)| rows).sum()
    }
}

fn reordered(assigned: &BoxAssignment, order: &[u32]) -> BoxAssignment {
    let BoxAssignment { boxes, shares, narrowing } = assigned;
    let mut place = vec![0; order.len()];
    for (new, &old) in (0..).zip(order) {
        place[old as usize] = new;
    }
    let shares = shares.iter().map(|share| match share.class {
        OUTSIDE => *share,
        class => ProfileShare { class: place[class as usize], ..*share },
    });
    let boxes = BoxSet {
        groups: boxes.groups.clone(),
        ids: order.iter().flat_map(|&at| boxes.ids_of(at as usize)).copied().collect(),
    };
    let narrowing = narrowing.as_ref().map(|BoxNarrowing { values, of_box }| BoxNarrowing {
        values: values.clone(),
        of_box: order.iter().map(|&at| of_box[at as usize]).collect(),
    });
    BoxAssignment { narrowing, ..BoxAssignment::of_rows(boxes, shares.collect()) }
}
