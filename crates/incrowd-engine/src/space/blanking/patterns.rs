//! Patterns: combinations of values and blanks that at least k rows fit.
//!
//! A *mask* says which columns are blank. Rows that agree on the other columns fit one pattern. A row
//! can be released with fewer blanks than its cheapest pattern has in no way: k rows would have to agree on
//! more columns. So the cheapest patterns of all rows together are a bound of the cost.

use hashbrown::HashMap;

use super::BlankingContext;
use crate::kit::{KeyedHashState, SearchRng};
use crate::search::Control;

/// The patterns of a table.
#[derive(Default)]
pub(crate) struct SuppressionPatterns {
    /// The blank columns of each pattern.
    pub(crate) masks: Vec<u64>,
    /// What a row pays in each pattern.
    pub(crate) costs: Vec<f64>,
    /// Per cell its patterns, cheapest first.
    of_cell: Vec<u32>,
    starts: Vec<usize>,
    /// Per pattern its cells.
    members: Vec<u32>,
    member_starts: Vec<usize>,
    /// What the cheapest pattern of each cell costs.
    pub(crate) least: Vec<f64>,
    /// Whether every mask was looked at, which makes `least` a bound.
    pub(crate) complete: bool,
}

/// Up to so many columns all masks are looked at.
const COLUMNS: usize = 12;

/// Of wider tables so many masks are looked at, those of rows and their nearest neighbours.
const MASKS: usize = 2048;

/// So many pairs of a cell and a pattern are kept, unless each cell's cheapest are more.
const ENTRIES: u64 = 12_000_000;

/// How many steps the distance from the cheapest pattern is counted in.
const STEPS: usize = 64;

impl SuppressionPatterns {
    /// The patterns of the rows of a context. Nothing is left out but what is far dearer than a cell's
    /// cheapest pattern, where memory demands it.
    pub(crate) fn new(ground: &BlankingContext<'_>, control: &Control) -> Self {
        let columns = ground.columns();
        let complete = columns <= COLUMNS;
        let mut masks = if complete { (0..1u64 << columns).collect() } else { sampled(ground) };
        masks.sort_unstable();
        masks.dedup();
        let cells = ground.problem.cells.len();
        let walk = MaskWalk {
            ground,
            control,
            weights: masks.iter().map(|&mask| weight(&ground.weights, mask)).collect(),
            masks: &masks,
        };
        let mut least = vec![ground.whole(); cells];
        walk.all(&mut |at, _, live, _| {
            for &cell in live {
                let least = &mut least[cell as usize];
                *least = least.min(walk.price(at, cell));
            }
        });
        // How much dearer than the cheapest a pattern may be.
        let step = ground.whole() / STEPS as f64;
        let distance = |cost: f64, cell: u32| ((cost - least[cell as usize]) / step) as usize;
        let mut entries = [0u64; STEPS + 1];
        walk.all(&mut |at, _, live, _| {
            for &cell in live {
                entries[distance(walk.price(at, cell), cell).min(STEPS)] += 1;
            }
        });
        let mut kept = 0;
        let mut far = 0;
        for (at, &more) in entries.iter().enumerate() {
            kept += more;
            if kept > ENTRIES && at > 0 {
                break;
            }
            far = at;
        }
        let complete = complete && control.stop().is_none();
        let mut patterns = SuppressionPatterns { complete, ..SuppressionPatterns::default() };
        let full = if columns >= 64 { u64::MAX } else { (1 << columns) - 1 };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        walk.all(&mut |at, ids, live, number| {
            let mask = walk.masks[at];
            let mut new = vec![u32::MAX; number];
            for &cell in live {
                if mask != full && distance(walk.price(at, cell), cell) > far {
                    continue;
                }
                let new = &mut new[ids[cell as usize] as usize];
                if *new == u32::MAX {
                    *new = patterns.masks.len() as u32;
                    patterns.masks.push(mask);
                    patterns.costs.push(walk.price(at, cell));
                }
                pairs.push((cell, *new));
            }
        });
        patterns.index(cells, &pairs);
        patterns.least = least;
        patterns
    }

    fn index(&mut self, cells: usize, pairs: &[(u32, u32)]) {
        let starts = |number: usize, key: &dyn Fn(&(u32, u32)) -> u32| {
            let mut starts = vec![0usize; number + 1];
            for pair in pairs {
                starts[key(pair) as usize + 1] += 1;
            }
            for at in 0..number {
                starts[at + 1] += starts[at];
            }
            starts
        };
        self.starts = starts(cells, &|pair| pair.0);
        self.member_starts = starts(self.masks.len(), &|pair| pair.1);
        self.of_cell = vec![0; pairs.len()];
        self.members = vec![0; pairs.len()];
        let (mut next, mut next_member) = (self.starts.clone(), self.member_starts.clone());
        for &(cell, pattern) in pairs {
            self.of_cell[next[cell as usize]] = pattern;
            next[cell as usize] += 1;
            self.members[next_member[pattern as usize]] = cell;
            next_member[pattern as usize] += 1;
        }
        for cell in 0..cells {
            let patterns = &mut self.of_cell[self.starts[cell]..self.starts[cell + 1]];
            patterns.sort_unstable_by(|&a, &b| {
                self.costs[a as usize].total_cmp(&self.costs[b as usize]).then(a.cmp(&b))
            });
        }
    }

    /// How many patterns there are.
    pub(crate) fn len(&self) -> usize {
        self.masks.len()
    }

    /// The patterns that a cell fits, cheapest first. The last is blank throughout.
    #[inline]
    pub(crate) fn of(&self, cell: u32) -> &[u32] {
        &self.of_cell[self.starts[cell as usize]..self.starts[cell as usize + 1]]
    }

    /// The cells that fit a pattern.
    #[inline]
    pub(crate) fn members(&self, pattern: u32) -> &[u32] {
        let at = pattern as usize;
        &self.members[self.member_starts[at]..self.member_starts[at + 1]]
    }

    /// No solution costs less, if all masks were looked at.
    pub(crate) fn bound(&self, ground: &BlankingContext<'_>) -> Option<f64> {
        let each = (0..ground.len() as u32).map(|row| self.least[ground.cell(row) as usize]);
        self.complete.then(|| each.sum())
    }
}

/// What the blanks of a mask cost.
pub(super) fn weight(weights: &[f64], mask: u64) -> f64 {
    weights.iter().enumerate().map(|(at, w)| if mask >> at & 1 == 1 { *w } else { 0.0 }).sum()
}

/// Goes through masks column by column: what two masks have in common is worked out once, and rows that
/// are too few to fit a pattern are not looked at again.
struct MaskWalk<'a> {
    ground: &'a BlankingContext<'a>,
    control: &'a Control,
    masks: &'a [u64],
    weights: Vec<f64>,
}

/// Told of a mask: its place, the id of each cell's pattern, the cells whose patterns enough rows fit, and
/// how many ids there are.
type MaskVisitor<'s> = &'s mut dyn FnMut(usize, &[u32], &[u32], usize);

impl MaskWalk<'_> {
    /// What a row of a cell pays for the mask at a place: its blanks and the values that it keeps.
    #[inline]
    fn price(&self, at: usize, cell: u32) -> f64 {
        self.weights[at] + self.ground.kept_price(cell, self.masks[at])
    }

    fn all(&self, see: MaskVisitor<'_>) {
        let cells = self.ground.problem.cells.len();
        let live: Vec<u32> = (0..cells as u32).collect();
        let places: Vec<usize> = (0..self.masks.len()).collect();
        self.descend(0, &places, &vec![0; cells], &live, 1, see);
    }

    fn descend(
        &self,
        column: usize,
        places: &[usize],
        ids: &[u32],
        live: &[u32],
        number: usize,
        see: MaskVisitor<'_>,
    ) {
        let Some(&place) = places.first() else { return };
        if column == self.ground.columns() {
            see(place, ids, live, number);
            return;
        }
        let (blank, kept): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&place| self.masks[place] >> column & 1 == 1);
        self.descend(column + 1, &blank, ids, live, number, see);
        if kept.is_empty() || (self.control.stop().is_some() && number > 1) {
            return;
        }
        let cells = &self.ground.problem.cells;
        let mut found: HashMap<u64, u32, KeyedHashState> =
            HashMap::with_hasher(KeyedHashState::default());
        let mut finer = vec![0; ids.len()];
        let mut rows: Vec<u64> = Vec::new();
        for &cell in live {
            let code = cells.code(column, cell as usize);
            let key = u64::from(ids[cell as usize]) << 32 | u64::from(code);
            let id = *found.entry(key).or_insert_with(|| {
                rows.push(0);
                rows.len() as u32 - 1
            });
            finer[cell as usize] = id;
            rows[id as usize] += cells.counts()[cell as usize];
        }
        let k = self.ground.problem.privacy.k;
        let enough = |cell: &u32| rows[finer[*cell as usize] as usize] >= k;
        let live: Vec<u32> = live.iter().copied().filter(enough).collect();
        self.descend(column + 1, &kept, &finer, &live, rows.len(), see);
    }
}

/// The masks of rows and their nearest neighbours among some others, for tables too wide for all masks.
/// Nothing blank and everything blank are among them.
fn sampled(ground: &BlankingContext<'_>) -> Vec<u64> {
    const ROWS: usize = 512;
    let (columns, rows, k) = (ground.columns(), ground.len(), ground.k());
    let full = if columns >= 64 { u64::MAX } else { (1 << columns) - 1 };
    let mut chance = SearchRng::new(1, 0, 0);
    let mut found: HashMap<u64, u32, KeyedHashState> =
        HashMap::with_hasher(KeyedHashState::default());
    let mut pool: Vec<u32> = (0..rows as u32).collect();
    chance.shuffle(&mut pool);
    pool.truncate(ROWS.max(4 * k).min(rows));
    for &row in pool.iter().take(ROWS) {
        let differing = |other: u32| -> u64 {
            (0..columns.min(64))
                .filter(|&at| ground.code(at, row) != ground.code(at, other))
                .map(|at| 1 << at)
                .sum()
        };
        let mut near: Vec<(f64, u64)> = pool
            .iter()
            .filter(|&&other| other != row)
            .map(|&other| differing(other))
            .map(|mask| (weight(&ground.weights, mask), mask))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut mask = 0;
        for (at, (_, other)) in near.iter().take(4 * k).enumerate() {
            mask |= other;
            if at + 2 >= k {
                *found.entry(mask).or_insert(0) += 1;
            }
        }
    }
    let mut masks: Vec<(u32, u64)> = found.into_iter().map(|(mask, times)| (times, mask)).collect();
    masks.sort_unstable_by(|a, b| b.cmp(a));
    let frequent = masks.into_iter().map(|(_, mask)| mask).take(MASKS);
    frequent.chain([0, full]).collect()
}
