//! The greedy cover and its reduction to a partition.
//!
//! Distinct rows are looked at once, with their counts. A centre is a row that is not covered yet; it keeps
//! a list of the nearest that are not covered. What a centre offers only gets worse, so a queue with old
//! offers is enough: the best old offer is worked out anew, and taken if it is still the best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::distance::HammingDistances;
use crate::search::{Control, Event, StopReason};
use crate::space::blanking::{BlankingContext, RowGrouping};

/// Above so many distinct rows the table is covered in blocks.
const BLOCK: usize = 1 << 15;

/// Of the groups that a ball meets so many are looked at before it joins one.
const COMPANY: usize = 64;

/// The groups of a cover, how many blocks it took, and why it was ended early, if it was.
pub(super) fn cover(
    ground: &BlankingContext<'_>,
    control: &Control,
) -> (RowGrouping, usize, Option<StopReason>) {
    let cells = ground.problem.cells.len();
    let rows = |cell: usize| ground.rows_of(cell as u32).len();
    let mut blocks: Vec<Vec<u32>> = Vec::new();
    let mut held = 0;
    for cell in 0..cells {
        let whole = blocks.last().is_some_and(|block| block.len() >= BLOCK && held >= ground.k());
        let rest = || (cell..cells).map(rows).take(ground.k()).sum::<usize>();
        // The last block must not be left with too few.
        let goes_on = || cells - cell > BLOCK / 2 && rest() >= ground.k();
        if blocks.is_empty() || (whole && goes_on()) {
            blocks.push(Vec::new());
            held = 0;
        }
        held += rows(cell);
        if let Some(block) = blocks.last_mut() {
            block.push(cell as u32);
        }
    }
    let number = blocks.len();
    let parts: Vec<(Vec<CoverGroup>, Option<StopReason>)> = blocks
        .into_par_iter()
        .map(|block| GreedyCover::new(ground, block, control).run())
        .collect();
    let mut next: Vec<u32> = (0..cells as u32).map(|cell| ground.rows_of(cell).start).collect();
    let mut grouping = RowGrouping::default();
    let mut stopped = None;
    for (parts, reason) in parts {
        stopped = stopped.or(reason);
        for part in parts {
            let mut group = Vec::with_capacity(part.size as usize);
            for (cell, count) in part.cells {
                let first = next[cell as usize];
                group.extend(first..first + count);
                next[cell as usize] += count;
            }
            grouping.groups.push(group);
        }
    }
    (grouping, number, stopped)
}

/// A group: rows of cells.
struct CoverGroup {
    cells: Vec<(u32, u32)>,
    size: u32,
}

/// What a centre offers: the price of each new row, how many there are, and how far they reach.
#[derive(Clone, Copy)]
struct BallOffer {
    price: f64,
    new: u32,
    radius: f64,
}

/// A centre with the nearest cells that were not covered when the list was made, nearest first.
struct BallCentre {
    /// The least radius that holds k rows.
    least: f64,
    near: Vec<(f64, u32)>,
    /// Whether no other cell that is not covered exists.
    all: bool,
}

struct GreedyCover<'a> {
    ground: &'a BlankingContext<'a>,
    control: &'a Control,
    k: u32,
    /// The cells of the block, and how far they are from each other.
    block: Vec<u32>,
    distances: HammingDistances,
    /// Per cell of the block, rows not yet covered.
    left: Vec<u32>,
    /// The cells of the block that have such rows, and some that had.
    open: Vec<u32>,
    parts: Vec<CoverGroup>,
    /// Per cell of the block, the parts that hold rows of it.
    held_by: Vec<Vec<u32>>,
}

impl<'a> GreedyCover<'a> {
    fn new(ground: &'a BlankingContext<'a>, block: Vec<u32>, control: &'a Control) -> Self {
        let cells = &ground.problem.cells;
        let codes = |cell: u32| (0..ground.columns()).map(move |at| cells.code(at, cell as usize));
        let codes: Vec<u32> = block.iter().flat_map(|&cell| codes(cell)).collect();
        GreedyCover {
            ground,
            control,
            k: ground.k() as u32,
            distances: HammingDistances::new(codes, &ground.weights),
            left: block.iter().map(|&cell| ground.rows_of(cell).len() as u32).collect(),
            open: Vec::new(),
            parts: Vec::new(),
            held_by: vec![Vec::new(); block.len()],
            block,
        }
    }

    fn run(mut self) -> (Vec<CoverGroup>, Option<StopReason>) {
        for at in 0..self.block.len() as u32 {
            // Equal rows are a ball of diameter 0, the best that can be had.
            if self.left[at as usize] >= self.k {
                let rows = self.left[at as usize];
                self.found(vec![(at, rows)]);
            }
        }
        let stopped = self.take_balls();
        if stopped.is_some() {
            self.gather_rest();
        }
        let block = &self.block;
        for part in &mut self.parts {
            part.cells.retain(|&(_, count)| count > 0);
            part.cells.iter_mut().for_each(|(cell, _)| *cell = block[*cell as usize]);
        }
        self.parts.retain(|part| part.size > 0);
        (self.parts, stopped)
    }

    fn take_balls(&mut self) -> Option<StopReason> {
        self.open = (0..self.block.len() as u32).filter(|&at| self.left[at as usize] > 0).collect();
        let open = self.open.clone();
        let mut centres: Vec<Option<BallCentre>> = Vec::new();
        centres.resize_with(self.block.len(), || None);
        let made: Vec<Option<BallCentre>> = open
            .par_iter()
            .map(|&at| self.control.stop().is_none().then(|| self.centre(at)))
            .collect();
        let mut queue = BinaryHeap::new();
        for (&at, centre) in open.iter().zip(made) {
            if let Some(centre) = centre {
                queue.push(Reverse(QueuedOffer::new(&self.offer(&centre), at)));
                centres[at as usize] = Some(centre);
            }
        }
        let all = open.len().max(1) as f64;
        let mut taken = 0u64;
        while let Some(Reverse(queued)) = queue.pop() {
            let at = queued.centre;
            if self.left[at as usize] == 0 {
                continue;
            }
            if taken & 0xFF == 0
                && let Some(reason) = self.control.stop()
            {
                return Some(reason);
            }
            let Some(centre) = &mut centres[at as usize] else { continue };
            let mut offer = self.offer(centre);
            if !is_certain(centre, &offer, self.k) {
                *centre = self.list(at, centre.least);
                offer = self.offer(centre);
            }
            let now = QueuedOffer::new(&offer, at);
            if queue.peek().is_some_and(|Reverse(next)| *next < now) {
                queue.push(Reverse(now));
                continue;
            }
            taken += 1;
            let near = std::mem::take(&mut centre.near);
            self.take(at, &offer, &near);
            if self.left[at as usize] > 0
                && let Some(centre) = &mut centres[at as usize]
            {
                centre.near = near;
                let offer = self.offer(centre);
                queue.push(Reverse(QueuedOffer::new(&offer, at)));
            }
            if taken & 0x3F == 0 {
                let left = &self.left;
                self.open.retain(|&at| left[at as usize] > 0);
                self.control.tell(Event::Progress(1.0 - self.open.len() as f64 / all));
            }
        }
        self.control.stop().filter(|_| self.left.iter().any(|&left| left > 0))
    }

    /// A centre: how far it must reach for k rows, and its list.
    fn centre(&self, at: u32) -> BallCentre {
        let rows =
            |other: u32| self.ground.problem.cells.counts()[self.block[other as usize] as usize];
        let mut near: Vec<(f64, u32)> = (0..self.block.len() as u32)
            .map(|other| (self.distances.between(at, other), other))
            .collect();
        let k = (self.k as usize).min(near.len());
        near.select_nth_unstable_by(k - 1, order);
        near[..k].sort_by(order);
        let mut held = 0;
        let least = near[..k].iter().find(|&&(_, other)| {
            held += rows(other);
            held >= u64::from(self.k)
        });
        self.list(at, least.map_or(0.0, |&(distance, _)| distance))
    }

    /// A centre with a list of what is near it and not covered now.
    fn list(&self, at: u32, least: f64) -> BallCentre {
        let few = 16 * self.k as usize + 32;
        let open = self.open.iter().copied().filter(|&other| self.left[other as usize] > 0);
        let mut near: Vec<(f64, u32)> =
            open.map(|other| (self.distances.between(at, other), other)).collect();
        let all = near.len() <= few;
        if !all {
            near.select_nth_unstable_by(few, order);
            near.truncate(few);
        }
        near.sort_by(order);
        near.shrink_to_fit();
        BallCentre { least, near, all }
    }

    /// The best ball about a centre, as far as its list goes.
    fn offer(&self, centre: &BallCentre) -> BallOffer {
        let most = 2 * self.k - 1;
        let mut best = BallOffer { price: f64::INFINITY, new: 0, radius: 0.0 };
        let mut new = 0;
        let mut at = 0;
        while at < centre.near.len() && new < most {
            let radius = centre.near[at].0.max(centre.least);
            while at < centre.near.len() && centre.near[at].0 <= radius {
                new += self.left[centre.near[at].1 as usize];
                at += 1;
            }
            let counted = new.min(most);
            if counted > 0 {
                let price = 2.0 * radius / f64::from(counted);
                if price < best.price || (price == best.price && counted > best.new) {
                    best = BallOffer { price, new: counted, radius };
                }
            }
        }
        best
    }

    /// Takes a ball: its new rows are a group, alone, with rows that others can spare, or with a group
    /// that it meets.
    fn take(&mut self, at: u32, offer: &BallOffer, near: &[(f64, u32)]) {
        let mut cells: Vec<(u32, u32)> = Vec::new();
        let mut size = 0;
        for &(distance, cell) in near {
            let rows = self.left[cell as usize].min(2 * self.k - 1 - size);
            if distance > offer.radius || size == 2 * self.k - 1 {
                break;
            }
            if rows > 0 {
                cells.push((cell, rows));
                size += rows;
            }
        }
        for &(cell, rows) in &cells {
            self.left[cell as usize] -= rows;
        }
        if size >= self.k {
            self.open_part(cells);
            return;
        }
        // All that lies in the ball, covered or not, nearest first.
        let mut ball: Vec<(f64, u32)> = (0..self.block.len() as u32)
            .map(|other| (self.distances.between(at, other), other))
            .filter(|&(distance, _)| distance <= offer.radius)
            .collect();
        ball.sort_by(order);
        for &(_, cell) in &ball {
            for part in self.held_by[cell as usize].clone() {
                if size == self.k {
                    break;
                }
                let spare =
                    (self.parts[part as usize].size.saturating_sub(self.k)).min(self.k - size);
                let rows = self.give(part, cell, spare);
                if rows > 0 {
                    cells.push((cell, rows));
                    size += rows;
                }
            }
        }
        if size >= self.k {
            self.open_part(cells);
            return;
        }
        let holds = |part: u32, cell: u32| {
            self.parts[part as usize].cells.iter().any(|&(held, rows)| held == cell && rows > 0)
        };
        let met = ball.iter().flat_map(|&(_, cell)| {
            let parts = self.held_by[cell as usize].iter().copied();
            parts.filter(move |&part| holds(part, cell))
        });
        // Parts whose rows are far away are no better company.
        let mut alive: Vec<u32> = met.take(COMPANY).collect();
        alive.sort_unstable();
        alive.dedup();
        let nearest = alive
            .into_iter()
            .map(|part| (self.joined(&self.parts[part as usize], &cells), part))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        match nearest {
            Some((_, part)) => self.join(part, &cells),
            None => self.open_part(cells),
        }
    }

    /// What a group costs with more rows, beyond what it costs now.
    fn joined(&self, part: &CoverGroup, cells: &[(u32, u32)]) -> f64 {
        let values = &self.ground.problem.cells;
        let blanks = |cells: &mut dyn Iterator<Item = u32>| -> f64 {
            let cells: Vec<usize> = cells.map(|at| self.block[at as usize] as usize).collect();
            let differs = |column: &usize| {
                cells
                    .iter()
                    .any(|&cell| values.code(*column, cell) != values.code(*column, cells[0]))
            };
            (0..self.ground.columns()).filter(differs).map(|at| self.ground.weights[at]).sum()
        };
        let held = || part.cells.iter().filter(|(_, count)| *count > 0).map(|&(cell, _)| cell);
        let more: u32 = cells.iter().map(|(_, count)| count).sum();
        let now = f64::from(part.size) * blanks(&mut held());
        let then = blanks(&mut held().chain(cells.iter().map(|&(cell, _)| cell)));
        f64::from(part.size + more) * then - now
    }

    /// Takes rows of a cell from a part, at most so many.
    fn give(&mut self, part: u32, cell: u32, most: u32) -> u32 {
        let CoverGroup { cells, size } = &mut self.parts[part as usize];
        let mut given = 0;
        for (_, count) in cells.iter_mut().filter(|(held, _)| *held == cell) {
            let rows = (*count).min(most - given);
            *count -= rows;
            given += rows;
        }
        *size -= given;
        given
    }

    fn found(&mut self, cells: Vec<(u32, u32)>) {
        for &(cell, rows) in &cells {
            self.left[cell as usize] -= rows;
        }
        self.open_part(cells);
    }

    fn open_part(&mut self, cells: Vec<(u32, u32)>) {
        self.parts.push(CoverGroup { cells: Vec::new(), size: 0 });
        self.join(self.parts.len() as u32 - 1, &cells);
    }

    fn join(&mut self, part: u32, cells: &[(u32, u32)]) {
        for &(cell, rows) in cells {
            if !self.held_by[cell as usize].contains(&part) {
                self.held_by[cell as usize].push(part);
            }
            self.parts[part as usize].size += rows;
            self.parts[part as usize].cells.push((cell, rows));
        }
    }

    /// What is left when there is no more time: one group, or part of the last.
    fn gather_rest(&mut self) {
        let rest: Vec<(u32, u32)> = (0..self.block.len() as u32)
            .map(|cell| (cell, self.left[cell as usize]))
            .filter(|&(_, rows)| rows > 0)
            .collect();
        let rows: u32 = rest.iter().map(|(_, rows)| rows).sum();
        for &(cell, rows) in &rest {
            self.left[cell as usize] -= rows;
        }
        match self.parts.iter().rposition(|part| part.size > 0) {
            Some(last) if rows < self.k => self.join(last as u32, &rest),
            _ => self.open_part(rest),
        }
    }
}

/// Nearest first.
fn order(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Whether no ball beyond the list can be better.
fn is_certain(centre: &BallCentre, offer: &BallOffer, k: u32) -> bool {
    let most = f64::from(2 * k - 1);
    let reach = centre.near.last().map_or(0.0, |&(distance, _)| distance);
    centre.all || offer.price <= 2.0 * reach.max(centre.least) / most
}

/// An offer in the queue: cheapest first, then most rows, then the first centre.
#[derive(Clone, Copy, PartialEq)]
struct QueuedOffer {
    price: f64,
    new: Reverse<u32>,
    centre: u32,
}

impl QueuedOffer {
    fn new(offer: &BallOffer, centre: u32) -> Self {
        QueuedOffer { price: offer.price, new: Reverse(offer.new), centre }
    }
}

impl Eq for QueuedOffer {}

impl PartialOrd for QueuedOffer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuedOffer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.price
            .total_cmp(&other.price)
            .then(self.new.cmp(&other.new))
            .then(self.centre.cmp(&other.centre))
    }
}
