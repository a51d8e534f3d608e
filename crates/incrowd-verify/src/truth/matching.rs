//! Assigns to each released row an original row of its own, as many as can be.

use std::collections::VecDeque;

use super::boxes::ReleasedBoxes;
use super::domain::Cover;
use super::kd_forest::{KdForest, SearchTarget};

const NONE: u32 = u32::MAX;

/// A maximum matching of released rows to original rows, as a flow between distinct tuples.
///
/// First each box takes what is free, small boxes before large ones, which is all there is to do
/// when boxes do not overlap. Then augmenting paths are searched for the rest: a box that finds
/// nothing free takes a row over from another box, which looks for a replacement, and so on. Edges
/// are never stored: the forest finds them. What a vain search has seen cannot be part of any
/// later augmenting path and is left out from then on, so vain searches together see each row once.
///
/// Returns how many rows of each released tuple remain without an original row.
pub(super) fn unmatched(boxes: &ReleasedBoxes<'_>, forest: &mut KdForest) -> Vec<u64> {
    let tuples = 0..boxes.len() as u32;
    let mut matching = Matching {
        first_use: vec![NONE; forest.capacity.len()],
        uses: Vec::new(),
        demand: tuples.clone().map(|tuple| boxes.count(tuple)).collect(),
        sides: Vec::new(),
        boxes,
        forest,
    };
    let volume = |tuple| boxes.sides(tuple).map(|side| f64::from(side.size).ln()).sum();
    let mut order: Vec<(f64, u32)> = tuples.map(|tuple| (volume(tuple), tuple)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut found = Vec::new();
    for &(_, tuple) in &order {
        matching.take_free(tuple, &mut found);
    }
    let mut search = AugmentingSearch::new(boxes.len(), matching.first_use.len());
    for &(_, tuple) in &order {
        while matching.demand[tuple as usize] > 0 && matching.augment(tuple, &mut search) {}
    }
    matching.demand
}

struct Matching<'a> {
    boxes: &'a ReleasedBoxes<'a>,
    forest: &'a mut KdForest,
    /// The latest use of each point; uses of one point form a list.
    first_use: Vec<u32>,
    uses: Vec<PointUse>,
    /// Rows of each released tuple that have no original row yet.
    demand: Vec<u64>,
    /// The sides of the box at hand.
    sides: Vec<&'a Cover>,
}

struct PointUse {
    tuple: u32,
    amount: u64,
    next: u32,
}

/// A breadth-first search through the tuples that could give up a row.
struct AugmentingSearch {
    /// The point through which each released tuple was reached.
    via_point: Vec<u32>,
    reached: Vec<bool>,
    /// The released tuple from which each point was reached.
    via_tuple: Vec<u32>,
    queue: VecDeque<u32>,
    tuples: Vec<u32>,
    points: Vec<u32>,
    found: Vec<u32>,
}

impl AugmentingSearch {
    fn new(tuples: usize, points: usize) -> Self {
        AugmentingSearch {
            via_point: vec![NONE; tuples],
            reached: vec![false; tuples],
            via_tuple: vec![NONE; points],
            queue: VecDeque::new(),
            tuples: Vec::new(),
            points: Vec::new(),
            found: Vec::new(),
        }
    }

    fn reach(&mut self, tuple: u32, via: u32) {
        if !std::mem::replace(&mut self.reached[tuple as usize], true) {
            self.via_point[tuple as usize] = via;
            self.tuples.push(tuple);
            self.queue.push_back(tuple);
        }
    }
}

impl Matching<'_> {
    /// Looks for points in a tuple's box until their capacities reach `demand`.
    fn look(&mut self, tuple: u32, wanted: SearchTarget, demand: u64, found: &mut Vec<u32>) {
        self.sides.clear();
        self.sides.extend(self.boxes.sides(tuple));
        self.forest.collect(self.boxes.group(tuple), &self.sides, wanted, demand, found);
    }

    fn take_free(&mut self, tuple: u32, found: &mut Vec<u32>) {
        self.look(tuple, SearchTarget::Free, self.demand[tuple as usize], found);
        for &point in found.iter() {
            let amount = self.demand[tuple as usize].min(self.forest.capacity[point as usize]);
            self.forest.take(point, amount);
            self.change_use(point, tuple, amount as i64);
            self.demand[tuple as usize] -= amount;
        }
    }

    /// Finds an original row for one more row (or several) of a tuple, moving others if need be.
    fn augment(&mut self, start: u32, search: &mut AugmentingSearch) -> bool {
        search.queue.clear();
        search.tuples.clear();
        search.points.clear();
        search.reach(start, NONE);
        let mut end = None;
        while let Some(tuple) = search.queue.pop_front() {
            self.look(tuple, SearchTarget::Free, 1, &mut search.found);
            if let Some(&point) = search.found.first() {
                end = Some((tuple, point));
                break;
            }
            self.look(tuple, SearchTarget::Unseen, u64::MAX, &mut search.found);
            for at in 0..search.found.len() {
                let point = search.found[at];
                self.forest.mark_seen(point);
                search.via_tuple[point as usize] = tuple;
                search.points.push(point);
                let mut at = self.first_use[point as usize];
                while at != NONE {
                    let PointUse { tuple, amount, next } = self.uses[at as usize];
                    if amount > 0 {
                        search.reach(tuple, point);
                    }
                    at = next;
                }
            }
        }
        let Some((tuple, point)) = end else { return false };
        self.shift(start, tuple, point, search);
        for &tuple in &search.tuples {
            search.reached[tuple as usize] = false;
        }
        for &point in &search.points {
            self.forest.mark_unseen(point);
        }
        true
    }

    /// Moves as many rows as possible along the path found.
    fn shift(&mut self, start: u32, last: u32, free: u32, search: &AugmentingSearch) {
        let step = |tuple: u32| {
            let point = search.via_point[tuple as usize];
            (point != NONE).then(|| (point, search.via_tuple[point as usize]))
        };
        let mut amount = self.demand[start as usize].min(self.forest.capacity[free as usize]);
        let mut tuple = last;
        while let Some((point, before)) = step(tuple) {
            amount = amount.min(self.used(point, tuple));
            tuple = before;
        }
        self.forest.take(free, amount);
        self.change_use(free, last, amount as i64);
        let mut tuple = last;
        while let Some((point, before)) = step(tuple) {
            self.change_use(point, tuple, -(amount as i64));
            self.change_use(point, before, amount as i64);
            tuple = before;
        }
        self.demand[start as usize] -= amount;
    }

    fn find_use(&self, point: u32, tuple: u32) -> Option<usize> {
        let mut at = self.first_use[point as usize];
        while at != NONE && self.uses[at as usize].tuple != tuple {
            at = self.uses[at as usize].next;
        }
        (at != NONE).then_some(at as usize)
    }

    fn used(&self, point: u32, tuple: u32) -> u64 {
        self.find_use(point, tuple).map_or(0, |at| self.uses[at].amount)
    }

    fn change_use(&mut self, point: u32, tuple: u32, change: i64) {
        match self.find_use(point, tuple) {
            Some(at) => {
                let amount = &mut self.uses[at].amount;
                *amount = amount.saturating_add_signed(change);
            }
            None => {
                let next = self.first_use[point as usize];
                self.first_use[point as usize] = self.uses.len() as u32;
                self.uses.push(PointUse { tuple, amount: change.unsigned_abs(), next });
            }
        }
    }
}
