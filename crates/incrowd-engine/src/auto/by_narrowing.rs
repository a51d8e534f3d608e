//! Local releases where columns narrow classes: the rows that share their values are a table of their own.
//!
//! Whoever knows a narrowing column sees the rows with one of its values alone. So each of these parts is searched by
//! itself, and each gets boxes of its own; a class that reads the same in several parts is the union of theirs. A search of
//! the whole table must put rows of every value into a class as often as k, or of none, which costs more where values are
//! rare.

use super::search;
use super::settings::AutoMethod;
use crate::kit::Result;
use crate::problem::{Limit, NarrowedPart, NarrowedParts, Problem};
use crate::recoding::{
    BoxAssignment, BoxLocator, BoxNarrowing, BoxSet, OUTSIDE, ProfileShare, Recoding,
};
use crate::release::{ClassAssignment, Release, SuppressionMode};
use crate::search::{Control, Event, Solution, TriedMethod};

/// More parts are not searched one by one.
const MOST_PARTS: usize = 1_000;

/// How the parts together are called among the methods that were tried.
const NAME: &str = "by narrowing values";

/// A search of the whole table, or of its parts, if that costs less.
pub(super) fn search_parts(
    auto: AutoMethod,
    problem: &Problem,
    control: &Control,
) -> Result<Solution> {
    let parts = problem.narrowed_parts().filter(|parts| (2..=MOST_PARTS).contains(&parts.len()));
    let Some(parts) = parts else { return search::search(auto, problem, control) };
    let half = |from: f64| {
        control.heard_through(move |event| match event {
            Event::Progress(done) => Some(Event::Progress(from + done / 2.0)),
            other => Some(other.clone()),
        })
    };
    let mut whole = search::search(auto, problem, &half(0.0))?;
    let Some(mut divided) = of_parts(auto, problem, &parts, &half(0.5)) else { return Ok(whole) };
    divided.nodes += whole.nodes;
    let (cost, other) = (search::judge(problem, &divided), search::judge(problem, &whole));
    let is_better = cost.is_some_and(|cost| other.is_none_or(|other| cost < other));
    if let Some(chosen) = &mut whole.chosen {
        chosen.tried.push(TriedMethod { method: NAME.to_owned(), cost: cost.map(|cost| cost.0) });
        if is_better {
            chosen.method = NAME.to_owned();
            chosen.why = format!(
                "{}, for each combination of values of the narrowing columns by itself: whoever \
                 knows them sees no other rows",
                chosen.name
            );
        }
    }
    if !is_better {
        return Ok(Solution { nodes: divided.nodes, ..whole });
    }
    // What no release of the whole table costs less than, the parts together do not, either.
    let bound = whole.outcome.bound();
    Ok(Solution { chosen: whole.chosen, ..divided }.with_bound(bound))
}

/// The parts searched one by one; nothing if one has no release, too many rows are lost, or the search was stopped.
fn of_parts(
    auto: AutoMethod,
    problem: &Problem,
    parts: &NarrowedParts<'_>,
    control: &Control,
) -> Option<Solution> {
    let limit = problem.limit.rows(problem.rows, problem.rows);
    // Whoever shares what is known with fewer than k others can be in no release.
    let is_lost = |rows: u64| rows < problem.privacy.k;
    let lost: u64 = parts.sizes().map(|(_, rows)| rows).filter(|&rows| is_lost(rows)).sum();
    let left = limit.checked_sub(lost)?;
    let remaining = (problem.rows - lost).max(1);
    let mut together = PartBoxes::new(problem);
    let (mut nodes, mut done) = (0, 0);
    for (at, (values, rows)) in parts.sizes().enumerate() {
        control.tell(Event::Progress(done as f64 / problem.rows as f64));
        done += rows;
        if control.stop().is_some() {
            return None;
        }
        let mut part = parts.part(at);
        if is_lost(rows) {
            together.leave_out(&part);
            continue;
        }
        if problem.limit != Limit::Default {
            let share = u128::from(left) * u128::from(rows) / u128::from(remaining);
            part.problem.limit = Limit::Rows(share as u64);
        }
        let solution = search::search(auto, &part.problem, &control.silent()).ok()?;
        nodes += solution.nodes;
        together.add(values, &part, &solution)?;
    }
    let solution = Solution::feasible(together.into_recoding(), nodes);
    let release = Release::of_solution(problem, &solution, SuppressionMode::Drop)?;
    // Where every part is too small for k nothing is released at all: that is no release.
    let is_release = release.classes.released_rows() > 0;
    (is_release && release.classes.suppressed_rows() <= limit).then_some(solution)
}

/// The boxes of all parts, and which rows go into each.
struct PartBoxes {
    boxes: BoxSet,
    shares: Vec<ProfileShare>,
    narrowing: BoxNarrowing,
}

impl PartBoxes {
    fn new(problem: &Problem) -> Self {
        PartBoxes {
            boxes: BoxSet::new(problem.attributes.len()),
            shares: Vec::new(),
            narrowing: BoxNarrowing::default(),
        }
    }

    /// Rows that no release can hold.
    fn leave_out(&mut self, part: &NarrowedPart) {
        let cells = &part.problem.cells;
        for (cell, &origin) in part.cells.iter().enumerate() {
            for &(target, count) in cells.targets(cell) {
                self.shares.push(ProfileShare { cell: origin, target, class: OUTSIDE, count });
            }
        }
    }

    /// What was found for a part; rows that its release suppresses go nowhere. Nothing if it found no boxes.
    fn add(&mut self, values: &[String], part: &NarrowedPart, solution: &Solution) -> Option<()> {
        let NarrowedPart { problem, cells } = part;
        let classes = Release::of_solution(problem, solution, SuppressionMode::Drop)?.classes;
        let first = self.boxes.len() as u32;
        let place = |at: u32, class: u32| {
            let is_released = class != OUTSIDE && classes.released[class as usize];
            if is_released { first + at } else { OUTSIDE }
        };
        let boxes = match (solution.recoding()?, &classes.assignment) {
            (Recoding::Local(assigned), ClassAssignment::Shares(shares))
                if shares.len() == assigned.shares.len() =>
            {
                for (share, of) in assigned.shares.iter().zip(shares) {
                    let (cell, class) = (cells[share.cell as usize], place(share.class, of.class));
                    self.shares.push(ProfileShare { cell, class, ..*share });
                }
                &assigned.boxes
            }
            (Recoding::Regional(boxes), ClassAssignment::Cells(class_of)) => {
                let locator = BoxLocator::new(boxes, &problem.attributes);
                for (cell, &class) in class_of.iter().enumerate() {
                    let codes: Vec<u32> = (0..problem.attributes.len())
                        .map(|at| problem.cells.code(at, cell))
                        .collect();
                    let at = match &solution.boxes {
                        Some(known) => known[cell],
                        None => locator.find(&codes)?,
                    };
                    for &(target, count) in problem.cells.targets(cell) {
                        let (cell, class) = (cells[cell], place(at, class));
                        self.shares.push(ProfileShare { cell, target, class, count });
                    }
                }
                boxes
            }
            _ => return None,
        };
        self.boxes.append(boxes);
        let known = self.narrowing.values.len() as u32;
        self.narrowing.values.push(values.to_vec());
        self.narrowing.of_box.resize(self.boxes.len(), known);
        Some(())
    }

    fn into_recoding(self) -> Recoding {
        let PartBoxes { boxes, shares, narrowing } = self;
        let assigned = BoxAssignment::of_rows(boxes, shares);
        Recoding::Local(BoxAssignment { narrowing: Some(narrowing), ..assigned })
    }
}
