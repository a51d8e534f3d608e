//! Rows in patterns, with moves that can be taken back.

use super::balance::BlankBalance;
use super::{BlankingContext, RowGrouping, SuppressionPatterns};
use crate::kit::SearchRng;

/// Which pattern each row is released with. Every pattern that is used holds at least k rows, except while
/// a move is being made.
pub(super) struct BlankingState<'a> {
    pub(super) ground: &'a BlankingContext<'a>,
    pub(super) patterns: &'a SuppressionPatterns,
    k: usize,
    /// The pattern of each row, [`BlankingState::out`] if it is suppressed, [`NOWHERE`] at the very start.
    home: Vec<u32>,
    place: Vec<u32>,
    rows: Vec<Vec<u32>>,
    /// Rows that each pattern has for good.
    base: Vec<u32>,
    /// What the blanks of all rows cost.
    pub(super) cost: f64,
    /// What each pattern costs a row; the last is suppression.
    costs: Vec<f64>,
    /// Blanks in each column, and rows by how many blanks they have.
    columns: Vec<u64>,
    by_blanks: Vec<u32>,
    /// Rows that have moved since the last decision, and from where.
    log: Vec<(u32, u32)>,
    /// Patterns that have lost rows since then.
    donors: Vec<u32>,
    /// Scratch: rows that might fill a pattern up, and what that costs.
    offers: Vec<(f64, u32)>,
}

/// Rows that have no pattern yet.
pub(super) const NOWHERE: u32 = u32::MAX;

/// So many rows that fit a pattern are looked at when it must be filled.
const LOOK: usize = 64;

impl<'a> BlankingState<'a> {
    /// No row has a pattern yet.
    pub(super) fn new(ground: &'a BlankingContext<'a>, patterns: &'a SuppressionPatterns) -> Self {
        let mut base = vec![0; patterns.len() + 1];
        for (cell, settled) in ground.settled().into_iter().enumerate() {
            if let Some(&cheapest) = patterns.of(cell as u32).first().filter(|_| settled > 0) {
                base[cheapest as usize] += settled;
            }
        }
        let mut costs = patterns.costs.clone();
        costs.push(ground.whole());
        BlankingState {
            ground,
            patterns,
            k: ground.k(),
            home: vec![NOWHERE; ground.len()],
            place: vec![0; ground.len()],
            rows: vec![Vec::new(); patterns.len() + 1],
            base,
            cost: 0.0,
            costs,
            columns: vec![0; ground.columns()],
            by_blanks: vec![0; ground.columns() + 1],
            log: Vec::new(),
            donors: Vec::new(),
            offers: Vec::new(),
        }
    }

    /// Where suppressed rows are.
    pub(super) fn out(&self) -> u32 {
        self.patterns.len() as u32
    }

    #[inline]
    pub(super) fn home(&self, row: u32) -> u32 {
        self.home[row as usize]
    }

    /// What a row pays.
    #[inline]
    pub(super) fn pays(&self, row: u32) -> f64 {
        self.costs[self.home[row as usize] as usize]
    }

    #[inline]
    pub(super) fn price(&self, pattern: u32) -> f64 {
        self.costs[pattern as usize]
    }

    #[inline]
    pub(super) fn size(&self, pattern: u32) -> usize {
        self.rows[pattern as usize].len() + self.base[pattern as usize] as usize
    }

    /// Whether a row may join.
    #[inline]
    fn is_open(&self, pattern: u32) -> bool {
        self.size(pattern) >= self.k
    }

    /// Whether a row's pattern would do without it.
    #[inline]
    pub(super) fn can_spare(&self, row: u32) -> bool {
        let home = self.home(row);
        home == self.out() || self.size(home) > self.k
    }

    pub(super) fn spread(&self) -> BlankBalance {
        BlankBalance::new(&self.columns, &self.by_blanks)
    }

    /// A measure of unevenness finer than the spread: the sum of the squares of the columns' blanks.
    pub(super) fn unevenness(&self) -> u128 {
        self.columns.iter().map(|&blanks| u128::from(blanks).pow(2)).sum()
    }

    fn count(&mut self, pattern: u32, more: bool) {
        let whole = if self.columns.len() >= 64 { u64::MAX } else { (1 << self.columns.len()) - 1 };
        let mask = self.patterns.masks.get(pattern as usize).copied().unwrap_or(whole);
        let step = |number: &mut u64| if more { *number += 1 } else { *number -= 1 };
        let mut left = mask;
        while left != 0 {
            step(&mut self.columns[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        let by = &mut self.by_blanks[mask.count_ones() as usize];
        if more {
            *by += 1;
            self.cost += self.costs[pattern as usize];
        } else {
            *by -= 1;
            self.cost -= self.costs[pattern as usize];
        }
    }

    fn relocate(&mut self, row: u32, to: u32) {
        let from = self.home(row);
        if from != NOWHERE {
            let place = self.place[row as usize];
            let rows = &mut self.rows[from as usize];
            rows.swap_remove(place as usize);
            if let Some(&last) = rows.get(place as usize) {
                self.place[last as usize] = place;
            }
            self.count(from, false);
        }
        self.home[row as usize] = to;
        if to != NOWHERE {
            let rows = &mut self.rows[to as usize];
            self.place[row as usize] = rows.len() as u32;
            rows.push(row);
            self.count(to, true);
        }
    }

    /// Moves a row to a pattern.
    pub(super) fn shift(&mut self, row: u32, to: u32) {
        let from = self.home(row);
        self.log.push((row, from));
        if from != NOWHERE && from != self.out() {
            self.donors.push(from);
        }
        self.relocate(row, to);
    }

    /// Keeps what was done since the last decision.
    pub(super) fn keep(&mut self) {
        self.log.clear();
        self.donors.clear();
    }

    /// Takes it back; `cost` is what it was before.
    pub(super) fn take_back(&mut self, cost: f64) {
        while let Some((row, from)) = self.log.pop() {
            self.relocate(row, from);
        }
        self.donors.clear();
        // No trace of rounding stays.
        self.cost = cost;
    }

    /// The cheapest pattern that a row may join, or suppression while the limit allows it.
    fn cheapest(&self, row: u32, except: u32) -> Option<u32> {
        let patterns = self.patterns.of(self.ground.cell(row));
        let open = patterns.iter().copied().find(|&p| p != except && self.is_open(p));
        open.or_else(|| {
            (self.rows[self.out() as usize].len() < self.ground.limit).then(|| self.out())
        })
    }

    /// Sees to every pattern that has too few rows now. False if one cannot be helped.
    pub(super) fn repair(&mut self, chance: &mut SearchRng) -> bool {
        let mut at = 0;
        while at < self.donors.len() {
            let pattern = self.donors[at];
            at += 1;
            let size = self.size(pattern);
            if size > 0 && size < self.k && !self.help(pattern, self.k - size, chance) {
                return false;
            }
        }
        true
    }

    /// Fills a pattern up, or finds its rows other places: whatever costs less.
    fn help(&mut self, pattern: u32, need: usize, chance: &mut SearchRng) -> bool {
        let price = self.price(pattern);
        let mut leaving = 0.0;
        let mut can_leave = true;
        for at in 0..self.rows[pattern as usize].len() {
            match self.cheapest(self.rows[pattern as usize][at], pattern) {
                Some(other) => leaving += self.price(other) - price,
                None => can_leave = false,
            }
        }
        let filling = self.offers(pattern, need, chance);
        match filling {
            Some(filling) if !can_leave || filling < leaving => {
                let offers = std::mem::take(&mut self.offers);
                for &(_, row) in &offers[..need] {
                    self.shift(row, pattern);
                }
                self.offers = offers;
                true
            }
            _ if can_leave => {
                while let Some(&row) = self.rows[pattern as usize].last() {
                    let Some(other) = self.cheapest(row, pattern) else { return false };
                    self.shift(row, other);
                }
                true
            }
            _ => false,
        }
    }

    /// What it costs to fill a pattern with rows that others can spare; none if too few are found. The
    /// rows stand first in `offers`.
    fn offers(&mut self, pattern: u32, need: usize, chance: &mut SearchRng) -> Option<f64> {
        let mut offers = std::mem::take(&mut self.offers);
        offers.clear();
        let price = self.price(pattern);
        self.look(pattern, chance, |state, row| {
            if state.can_spare(row) {
                offers.push((price - state.pays(row), row));
            }
        });
        offers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // No pattern may give more than it can spare.
        let mut given: Vec<(u32, usize)> = Vec::new();
        offers.retain(|&(_, row)| {
            let home = self.home(row);
            if home == self.out() {
                return true;
            }
            let spare = self.size(home) - self.k;
            match given.iter_mut().find(|(known, _)| *known == home) {
                Some((_, number)) => {
                    *number += 1;
                    *number <= spare
                }
                None => {
                    given.push((home, 1));
                    spare > 0
                }
            }
        });
        let cost = (offers.len() >= need).then(|| offers[..need].iter().map(|offer| offer.0).sum());
        self.offers = offers;
        cost
    }

    /// Goes over some of the rows that fit a pattern but are elsewhere, from a random place on.
    pub(super) fn look(
        &self,
        pattern: u32,
        chance: &mut SearchRng,
        mut see: impl FnMut(&Self, u32),
    ) {
        let cells = self.patterns.members(pattern);
        if cells.is_empty() {
            return;
        }
        let start = chance.below(cells.len());
        let mut seen = 0;
        for at in 0..cells.len() {
            let cell = cells[(start + at) % cells.len()];
            // Rows of a cell are alike: a few of them will do.
            for row in self.ground.rows_of(cell).take(2 * self.k) {
                if self.home(row) != pattern {
                    see(self, row);
                    seen += 1;
                }
            }
            if seen >= LOOK.max(4 * self.k) {
                break;
            }
        }
    }

    /// Has a pattern seen to by the next repair.
    pub(super) fn short_of(&mut self, pattern: u32) {
        self.donors.push(pattern);
    }

    /// A cheap start: patterns are filled, cheapest first, with all rows that fit and are still free; what
    /// is left over joins the cheapest of them.
    pub(super) fn fill(&mut self, chance: &mut SearchRng) -> bool {
        let mut order: Vec<u32> = (0..self.patterns.len() as u32).collect();
        let cells = |pattern: u32| self.patterns.members(pattern).len();
        order.sort_by(|&a, &b| {
            let cost = self.price(a).total_cmp(&self.price(b));
            cost.then(cells(b).cmp(&cells(a))).then(a.cmp(&b))
        });
        for pattern in order {
            let free = |state: &Self, cell: u32| {
                let rows = state.ground.rows_of(cell);
                rows.filter(|&row| state.home(row) == NOWHERE).collect::<Vec<u32>>()
            };
            let cells = self.patterns.members(pattern);
            let rows: Vec<u32> = cells.iter().flat_map(|&cell| free(self, cell)).collect();
            if rows.len() + self.size(pattern) >= self.k {
                rows.into_iter().for_each(|row| self.shift(row, pattern));
            }
        }
        let left: Vec<u32> =
            (0..self.home.len() as u32).filter(|&row| self.home(row) == NOWHERE).collect();
        for row in left {
            match self.cheapest(row, NOWHERE) {
                Some(pattern) => self.shift(row, pattern),
                None => {
                    // Blank throughout is what every row fits; it is filled up below.
                    let Some(&blank) = self.patterns.of(self.ground.cell(row)).last() else {
                        return false;
                    };
                    self.shift(row, blank);
                    self.donors.push(blank);
                }
            }
        }
        self.crowd_blank();
        let done = self.repair(chance);
        self.keep();
        done
    }

    /// Where too few rows are blank throughout and nobody can spare one, whole patterns join them.
    fn crowd_blank(&mut self) {
        let Some(&blank) = self.patterns.of(0).last() else { return };
        while self.size(blank) > 0 && self.size(blank) < self.k {
            let used =
                |pattern: &u32| *pattern != blank && !self.rows[*pattern as usize].is_empty();
            let dearest = (0..self.patterns.len() as u32)
                .filter(used)
                .max_by(|&a, &b| self.price(a).total_cmp(&self.price(b)).then(b.cmp(&a)));
            let Some(dearest) = dearest else { return };
            let spare =
                if self.size(dearest) > self.k { self.size(dearest) - self.k } else { usize::MAX };
            let need = spare.min(self.k - self.size(blank));
            let number = if spare == usize::MAX { usize::MAX } else { need };
            let rows: Vec<u32> =
                self.rows[dearest as usize].iter().rev().copied().take(number).collect();
            rows.into_iter().for_each(|row| self.shift(row, blank));
        }
    }

    /// Takes over the groups of a grouping: each goes to the pattern of its differing columns. False if
    /// one of them has no pattern.
    pub(super) fn adopt(&mut self, grouping: &RowGrouping) -> bool {
        for group in &grouping.groups {
            let mask: u64 = self.ground.differing(group).map(|at| 1 << at).sum();
            let Some(&first) = group.first() else { continue };
            let patterns = self.patterns.of(self.ground.cell(first)).iter().copied();
            let mut fitting = patterns.filter(|&p| self.patterns.masks[p as usize] == mask);
            let Some(pattern) = fitting.next() else { return false };
            group.iter().for_each(|&row| self.shift(row, pattern));
        }
        let out = self.out();
        grouping.out.iter().for_each(|&row| self.shift(row, out));
        self.keep();
        true
    }

    /// The rows of each pattern as groups.
    pub(super) fn grouping(&self) -> RowGrouping {
        let used = self.rows[..self.patterns.len()].iter().filter(|rows| !rows.is_empty());
        let sorted = |rows: &Vec<u32>| {
            let mut rows = rows.clone();
            rows.sort_unstable();
            rows
        };
        RowGrouping {
            groups: used.map(sorted).collect(),
            out: sorted(&self.rows[self.patterns.len()]),
        }
    }
}
