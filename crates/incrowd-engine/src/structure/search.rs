//! The search: groups of rows are taken out one by one until all rows that are wanted have been taken.
//!
//! A *point* is a combination of values, free so many times. A group takes at least k free rows that agree
//! in all columns but some, which become blank; every column has a quota of blanks. What can follow
//! depends only on the points still free and the quotas left: such states that failed are remembered, near the
//! root up to symmetry.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::symmetry::PointSymmetries;
use super::{BalancedStructure, StructureAnswer, StructureRow};
use crate::kit::KeyedHashState;
use crate::search::{Control, Event, StopReason};

/// Up to so many groups deep, states are compared up to symmetry.
const SYMMETRIC_DEPTH: usize = 4;
/// Most failed states that are remembered; beyond, the search goes on without remembering more.
const MOST_REMEMBERED: usize = 2_000_000;
/// After so many states the control is asked.
const PATIENCE: u64 = 1_024;

/// How a search ended.
pub(super) enum SearchEnding {
    Found(BalancedStructure),
    Exhausted,
    Stopped(Option<StopReason>),
}

/// A set of columns that a group blanks, and the lines of points that agree in all others.
struct BlankedColumns {
    columns: Vec<usize>,
    /// The line of each point.
    line_of: Vec<u32>,
    /// The points of each line, ascending.
    lines: Vec<Vec<u32>>,
}

/// A group: the points of its rows, and what it blanks.
type StructureGroup = (usize, Vec<u32>);

pub(super) struct StructureSearch<'a> {
    points: &'a [Vec<u32>],
    k: usize,
    blankings: Vec<BlankedColumns>,
    symmetries: PointSymmetries,
    /// How often each point is free.
    free: Vec<u8>,
    /// For each blanking and line how many rows are free.
    line_free: Vec<Vec<u32>>,
    /// The blanks that each column still needs.
    quota: Vec<u16>,
    /// Rows still wanted.
    wanted: u32,
    /// Rows that may still go unused.
    spare: u32,
    groups: Vec<StructureGroup>,
    failed: HashSet<Box<[u8]>, KeyedHashState>,
    states: u64,
    most_states: u64,
}

/// Why a search goes no further.
struct SearchStop(Option<StopReason>);

/// Whether all rows were placed.
type PlacementResult = std::result::Result<bool, SearchStop>;

impl<'a> StructureSearch<'a> {
    /// A search for so many of the rows that are free, each with so many blanks; columns get equally many.
    pub(super) fn new(
        points: &'a [Vec<u32>],
        free: Vec<u8>,
        k: u32,
        blanks: u32,
        rows: u32,
        symmetries: PointSymmetries,
    ) -> Self {
        let width = points.first().map_or(0, Vec::len);
        let blankings: Vec<BlankedColumns> = (0u32..1 << width)
            .filter(|set| set.count_ones() == blanks)
            .map(|set| BlankedColumns::new(points, set))
            .collect();
        let line_free = blankings
            .iter()
            .map(|blanking| {
                let sum = |line: &Vec<u32>| line.iter().map(|&p| u32::from(free[p as usize])).sum();
                blanking.lines.iter().map(sum).collect()
            })
            .collect();
        let per_column = u64::from(rows) * u64::from(blanks) / (width.max(1) as u64);
        let available: u32 = free.iter().map(|&times| u32::from(times)).sum();
        StructureSearch {
            points,
            k: k as usize,
            blankings,
            symmetries,
            free,
            line_free,
            quota: vec![per_column as u16; width],
            wanted: rows,
            spare: available.saturating_sub(rows),
            groups: Vec::new(),
            failed: HashSet::default(),
            states: 0,
            most_states: u64::MAX,
        }
    }

    /// Searches until a structure is found, nothing is left to try, or the limit is reached.
    pub(super) fn run(mut self, most_states: u64, control: &Control) -> StructureAnswer {
        self.most_states = most_states;
        let ended = match self.place(control) {
            Ok(true) => SearchEnding::Found(self.structure()),
            Ok(false) => SearchEnding::Exhausted,
            Err(SearchStop(reason)) => SearchEnding::Stopped(reason),
        };
        StructureAnswer::new(ended, self.states)
    }

    /// Places all rows that are still wanted, or finds that it cannot be done and leaves all as it was.
    fn place(&mut self, control: &Control) -> PlacementResult {
        if self.wanted == 0 {
            return Ok(true);
        }
        if self.states >= self.most_states {
            return Err(SearchStop(None));
        }
        self.states += 1;
        if self.states.is_multiple_of(PATIENCE) {
            control.tell(Event::Nodes(self.states));
            if let Some(reason) = control.stop() {
                return Err(SearchStop(Some(reason)));
            }
        }
        let Some(point) = self.next_point() else { return Ok(false) };
        let key = self.key();
        if self.failed.contains(&key) {
            return Ok(false);
        }
        for blanking in self.open_blankings(point) {
            let mut chosen = vec![point];
            self.take(point);
            let placed = self.grow(blanking, 0, &mut chosen, control)?;
            if placed {
                return Ok(true);
            }
            self.put_back(point);
        }
        let times = self.free[point as usize];
        if u32::from(times) <= self.spare {
            // No further row of this point is used.
            self.spare -= u32::from(times);
            for _ in 0..times {
                self.take(point);
            }
            let placed = self.place(control)?;
            if placed {
                return Ok(true);
            }
            for _ in 0..times {
                self.put_back(point);
            }
            self.spare += u32::from(times);
        }
        if self.failed.len() < MOST_REMEMBERED {
            self.failed.insert(key);
        }
        Ok(false)
    }

    /// Adds further rows, from the given place of their line on, to the chosen ones (which are taken), until
    /// they are a group.
    fn grow(
        &mut self,
        blanking: usize,
        from: usize,
        chosen: &mut Vec<u32>,
        control: &Control,
    ) -> PlacementResult {
        // A group of 2k rows or more is two groups that read alike.
        if (self.k..2 * self.k).contains(&chosen.len()) && self.close(blanking, chosen, control)? {
            return Ok(true);
        }
        let columns = &self.blankings[blanking].columns;
        let quota = columns.iter().map(|&column| self.quota[column]).min().unwrap_or(u16::MAX);
        let most = (2 * self.k - 1).min(quota.into()).min(self.wanted as usize);
        if chosen.len() >= most {
            return Ok(false);
        }
        let line = self.blankings[blanking].line_of[chosen[0] as usize] as usize;
        for at in from..self.blankings[blanking].lines[line].len() {
            let point = self.blankings[blanking].lines[line][at];
            if self.free[point as usize] == 0 {
                continue;
            }
            self.take(point);
            chosen.push(point);
            if self.grow(blanking, at, chosen, control)? {
                return Ok(true);
            }
            chosen.pop();
            self.put_back(point);
        }
        Ok(false)
    }

    /// Makes a group of the chosen rows and places the others.
    fn close(&mut self, blanking: usize, chosen: &[u32], control: &Control) -> PlacementResult {
        let size = chosen.len() as u16;
        let fits = |column: &usize| self.quota[*column] >= size;
        if !self.blankings[blanking].columns.iter().all(fits) {
            return Ok(false);
        }
        for &column in &self.blankings[blanking].columns {
            self.quota[column] -= size;
        }
        self.wanted -= u32::from(size);
        self.groups.push((blanking, chosen.to_vec()));
        if self.place(control)? {
            return Ok(true);
        }
        self.groups.pop();
        self.wanted += u32::from(size);
        for &column in &self.blankings[blanking].columns {
            self.quota[column] += size;
        }
        Ok(false)
    }

    fn take(&mut self, point: u32) {
        self.free[point as usize] -= 1;
        for (blanking, free) in self.blankings.iter().zip(&mut self.line_free) {
            free[blanking.line_of[point as usize] as usize] -= 1;
        }
    }

    fn put_back(&mut self, point: u32) {
        self.free[point as usize] += 1;
        for (blanking, free) in self.blankings.iter().zip(&mut self.line_free) {
            free[blanking.line_of[point as usize] as usize] += 1;
        }
    }

    /// Whether a group of that blanking can still take a free row of this point.
    fn is_open(&self, blanking: usize, point: usize) -> bool {
        let BlankedColumns { columns, line_of, .. } = &self.blankings[blanking];
        self.line_free[blanking][line_of[point] as usize] as usize >= self.k
            && columns.iter().all(|&column| usize::from(self.quota[column]) >= self.k)
    }

    /// The blankings that are open to a point, those whose columns need most blanks first.
    fn open_blankings(&self, point: u32) -> Vec<usize> {
        let mut open: Vec<usize> =
            (0..self.blankings.len()).filter(|&at| self.is_open(at, point as usize)).collect();
        let need = |at: usize| -> u32 {
            self.blankings[at].columns.iter().map(|&column| u32::from(self.quota[column])).sum()
        };
        open.sort_by_key(|&at| (std::cmp::Reverse(need(at)), at));
        open
    }

    /// The point to decide next: the first that is free while rows may go unused, else the one with the
    /// fewest blankings open. None if the rows left cannot meet what is wanted.
    fn next_point(&self) -> Option<u32> {
        let mut usable = 0;
        let mut reach = vec![0u32; self.quota.len()];
        let mut reached = vec![false; self.quota.len()];
        let mut first = None;
        let mut tightest: Option<(usize, u32)> = None;
        for point in (0..self.points.len()).filter(|&point| self.free[point] > 0) {
            reached.fill(false);
            let mut open = 0;
            for at in 0..self.blankings.len() {
                if self.is_open(at, point) {
                    open += 1;
                    for &column in &self.blankings[at].columns {
                        reached[column] = true;
                    }
                }
            }
            let times = u32::from(self.free[point]);
            if open > 0 {
                usable += times;
                for (reach, _) in reach.iter_mut().zip(&reached).filter(|(_, reached)| **reached) {
                    *reach += times;
                }
                first = first.or(Some(point as u32));
            }
            if tightest.is_none_or(|(fewest, _)| open < fewest) {
                tightest = Some((open, point as u32));
            }
        }
        let enough =
            self.quota.iter().zip(&reach).all(|(&quota, &reach)| u32::from(quota) <= reach);
        if usable < self.wanted || !enough {
            return None;
        }
        if self.spare > 0 { first } else { tightest.map(|(_, point)| point) }
    }

    /// The state as bytes.
    fn key(&self) -> Box<[u8]> {
        let (free, quota) = if self.groups.len() <= SYMMETRIC_DEPTH {
            self.symmetries.least(&self.free, &self.quota)
        } else {
            (self.free.clone(), self.quota.clone())
        };
        let single = free.iter().all(|&times| times <= 1);
        let mut key = vec![u8::from(single)];
        if single {
            // A bit for each point.
            key.extend(free.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)));
        } else {
            key.extend(free);
        }
        key.extend(quota.iter().flat_map(|quota| quota.to_le_bytes()));
        key.into_boxed_slice()
    }

    /// The groups as a structure: rows that read alike beside each other, classes ordered by their rows.
    fn structure(&self) -> BalancedStructure {
        let mut classes: BTreeMap<Vec<Option<u32>>, Vec<StructureRow>> = BTreeMap::new();
        for (blanking, chosen) in &self.groups {
            let blank = &self.blankings[*blanking].columns;
            for &point in chosen {
                let values = self.points[point as usize].clone();
                let shown =
                    |(column, &value): (usize, &u32)| (!blank.contains(&column)).then_some(value);
                let released: Vec<Option<u32>> = values.iter().enumerate().map(shown).collect();
                classes
                    .entry(released.clone())
                    .or_default()
                    .push(StructureRow { released, values });
            }
        }
        let mut classes: Vec<Vec<StructureRow>> = classes.into_values().collect();
        for rows in &mut classes {
            rows.sort();
        }
        classes
            .sort_by(|a, b| a.iter().map(|row| &row.values).cmp(b.iter().map(|row| &row.values)));
        BalancedStructure { k: self.k as u32, rows: classes.concat() }
    }
}

impl BlankedColumns {
    fn new(points: &[Vec<u32>], set: u32) -> Self {
        let width = points.first().map_or(0, Vec::len);
        let columns: Vec<usize> = (0..width).filter(|column| set >> column & 1 == 1).collect();
        let mut known: BTreeMap<Vec<Option<u32>>, u32> = BTreeMap::new();
        let mut lines: Vec<Vec<u32>> = Vec::new();
        let mut line_of = Vec::with_capacity(points.len());
        for (at, point) in points.iter().enumerate() {
            let seen = point
                .iter()
                .enumerate()
                .map(|(column, &value)| (!columns.contains(&column)).then_some(value))
                .collect();
            let line = *known.entry(seen).or_insert(lines.len() as u32);
            if line as usize == lines.len() {
                lines.push(Vec::new());
            }
            lines[line as usize].push(at as u32);
            line_of.push(line);
        }
        BlankedColumns { columns, line_of, lines }
    }
}
