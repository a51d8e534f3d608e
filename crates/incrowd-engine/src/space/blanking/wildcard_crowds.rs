//! The weaker reading: a blank matches anything.
//!
//! A row's *crowd* are the rows that may be the same as it: in every column the values are equal, or one of
//! them is blank. Here a blank helps two ways. The row that has it fits more rows; and it fits all the
//! rows that it now might be. Taken to the letter, k - 1 rows that are blank throughout stand in everybody's
//! crowd, and nobody else needs a blank: that is how weak the reading is.

use super::patterns::weight;
use super::{BlankingContext, SuppressionPatterns};
use crate::search::{Control, StopReason};

/// The columns of each row that are blank so that every crowd holds k rows.
pub(crate) struct WildcardMasks {
    /// Per row its mask.
    pub(crate) masks: Vec<u64>,
    pub(crate) cost: f64,
    pub(crate) stopped: Option<StopReason>,
}

/// Few blanks under the weaker reading. With `own` every row fits k rows of the original by its own blanks,
/// and the blanks are the fewest for that; otherwise other rows' blanks count, too.
pub(crate) fn fewest(
    ground: &BlankingContext<'_>,
    patterns: &SuppressionPatterns,
    own: bool,
    control: &Control,
) -> WildcardMasks {
    let cheapest = |row: u32| patterns.of(ground.cell(row)).first().copied();
    let masks: Vec<u64> = (0..ground.len() as u32)
        .map(|row| cheapest(row).map_or(0, |pattern| patterns.masks[pattern as usize]))
        .collect();
    let mut best = WildcardMasks { cost: cost(ground, &masks), masks, stopped: None };
    tell(ground, &best, control);
    if own || best.cost == 0.0 {
        return best;
    }
    for start in [CrowdBuilder::blanking_whole_rows, CrowdBuilder::blanking_in_turn] {
        let mut mender = CrowdBuilder::new(ground, control);
        if !start(&mut mender, PATIENCE * best.cost) {
            continue;
        }
        mender.spare();
        best.stopped = best.stopped.or(mender.stopped);
        let cost = cost(ground, &mender.masks);
        if mender.stopped.is_none() && cost < best.cost {
            best = WildcardMasks { masks: mender.masks, cost, ..best };
            tell(ground, &best, control);
        }
    }
    best
}

fn tell(ground: &BlankingContext<'_>, found: &WildcardMasks, control: &Control) {
    if let Some(unit) = ground.unit {
        control.improved(found.cost * unit, || ground.masked(&found.masks));
    }
}

fn cost(ground: &BlankingContext<'_>, masks: &[u64]) -> f64 {
    masks.iter().map(|&mask| weight(&ground.weights, mask)).sum()
}

/// Blanks that can be taken back again may be so many times what is known to be enough.
const PATIENCE: f64 = 4.0;

/// Up to so many columns a row's blanks are chosen among all masks.
const COLUMNS: usize = 12;

/// Rows and their blanks on the way to crowds of k.
struct CrowdBuilder<'a> {
    ground: &'a BlankingContext<'a>,
    control: &'a Control,
    masks: Vec<u64>,
    /// Rows with the same cell and mask are one kind; how many rows of a cell have no blank.
    plain: Vec<u32>,
    /// The rows that have blanks.
    blanked: Vec<u32>,
    stopped: Option<StopReason>,
}

impl<'a> CrowdBuilder<'a> {
    fn new(ground: &'a BlankingContext<'a>, control: &'a Control) -> Self {
        CrowdBuilder {
            ground,
            control,
            masks: vec![0; ground.len()],
            plain: ground.problem.cells.counts().iter().map(|&count| count as u32).collect(),
            blanked: Vec::new(),
            stopped: None,
        }
    }

    fn ends(&mut self) -> bool {
        self.stopped = self.stopped.or_else(|| self.control.stop());
        self.stopped.is_some()
    }

    fn set(&mut self, row: u32, mask: u64) {
        let cell = self.ground.cell(row) as usize;
        let old = std::mem::replace(&mut self.masks[row as usize], mask);
        if old == 0 && mask != 0 {
            self.plain[cell] -= 1;
            self.blanked.push(row);
        } else if old != 0 && mask == 0 {
            self.plain[cell] += 1;
            self.blanked.retain(|&other| other != row);
        }
    }

    /// The columns in which two cells differ.
    fn differ(&self, one: u32, other: u32) -> u64 {
        let cells = &self.ground.problem.cells;
        (0..self.ground.columns())
            .filter(|&at| cells.code(at, one as usize) != cells.code(at, other as usize))
            .map(|at| 1 << at)
            .sum()
    }

    /// For every kind of rows in which columns they stand against a cell without blanks, and how many
    /// they are.
    fn against(&self, cell: u32, mut see: impl FnMut(u64, u32)) {
        for (other, &rows) in self.plain.iter().enumerate() {
            if rows > 0 {
                see(self.differ(cell, other as u32), rows);
            }
        }
        for &row in &self.blanked {
            see(self.differ(cell, self.ground.cell(row)) & !self.masks[row as usize], 1);
        }
    }

    /// How many rows are in the crowd of a row of this cell with this mask.
    fn crowd(&self, cell: u32, mask: u64) -> u64 {
        let mut crowd = 0;
        self.against(cell, |differ, rows| {
            if differ & !mask == 0 {
                crowd += u64::from(rows);
            }
        });
        crowd
    }

    /// Blanks the rows whose crowd is too small, one after the other, each as little as helps it now. False
    /// if that gets too dear.
    fn blanking_in_turn(&mut self, most: f64) -> bool {
        let k = self.ground.problem.privacy.k;
        let mut cost = 0.0;
        for row in 0..self.ground.len() as u32 {
            let cell = self.ground.cell(row);
            if u64::from(self.plain[cell as usize]) >= k || self.ends() {
                continue;
            }
            let mask = self.cheapest(cell, k);
            self.set(row, mask);
            cost += weight(&self.ground.weights, mask);
            if cost > most {
                return false;
            }
        }
        true
    }

    /// The cheapest blanks that give a row of this cell a crowd of k.
    fn cheapest(&self, cell: u32, k: u64) -> u64 {
        let columns = self.ground.columns();
        let weights = &self.ground.weights;
        if columns > COLUMNS {
            let mut near: Vec<(f64, u64, u32)> = Vec::new();
            self.against(cell, |differ, rows| near.push((weight(weights, differ), differ, rows)));
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let (mut mask, mut crowd) = (0, 0);
            for (_, differ, rows) in near {
                if crowd >= k {
                    break;
                }
                mask |= differ;
                crowd += u64::from(rows);
            }
            return mask;
        }
        let mut rows_at = vec![0u64; 1 << columns];
        self.against(cell, |differ, rows| rows_at[differ as usize] += u64::from(rows));
        // Sums over all masks within each.
        for column in 0..columns {
            for mask in 0..rows_at.len() {
                if mask >> column & 1 == 1 {
                    rows_at[mask] += rows_at[mask ^ 1 << column];
                }
            }
        }
        (0..rows_at.len() as u64)
            .filter(|&mask| rows_at[mask as usize] >= k)
            .min_by(|&a, &b| weight(weights, a).total_cmp(&weight(weights, b)).then(a.cmp(&b)))
            .unwrap_or(rows_at.len() as u64 - 1)
    }

    /// Blanks k - 1 rows throughout.
    fn blanking_whole_rows(&mut self, _: f64) -> bool {
        let columns = self.ground.columns();
        let full = if columns >= 64 { u64::MAX } else { (1 << columns) - 1 };
        for row in 0..(self.ground.k() - 1).min(self.ground.len()) as u32 {
            self.set(row, full);
        }
        true
    }

    /// Takes back blanks that nobody needs, dearest columns first.
    fn spare(&mut self) {
        let k = self.ground.problem.privacy.k;
        let columns = self.ground.columns();
        let mut order: Vec<usize> = (0..columns).collect();
        let weights = &self.ground.weights;
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        // How many rows more than k each kind of row has about it.
        let cells: Vec<u32> = (0..self.plain.len() as u32).collect();
        let mut plain: Vec<u64> = cells.iter().map(|_| 0).collect();
        let mut known = vec![false; cells.len()];
        for row in self.blanked.clone().into_iter().rev() {
            for &column in &order {
                let mask = self.masks[row as usize];
                if mask >> column & 1 == 0 || self.ends() {
                    continue;
                }
                let cell = self.ground.cell(row);
                let less = mask & !(1 << column);
                // Those who lose it: they differ from it in just this one of its other columns.
                let losing = |differ: u64| differ & !less == 1 << column;
                let mut lost = 0;
                let mut harmed = Vec::new();
                for &other in &cells {
                    if self.plain[other as usize] > 0 && losing(self.differ(cell, other)) {
                        lost += u64::from(self.plain[other as usize]);
                        harmed.push(other);
                    }
                }
                let mut fine = true;
                for &other in &harmed {
                    if !known[other as usize] {
                        plain[other as usize] = self.crowd(other, 0);
                        known[other as usize] = true;
                    }
                    fine &= plain[other as usize] > k;
                    if !fine {
                        break;
                    }
                }
                if !fine {
                    continue;
                }
                for at in 0..self.blanked.len() {
                    let other = self.blanked[at];
                    let theirs = self.masks[other as usize];
                    let differ = self.differ(cell, self.ground.cell(other)) & !theirs;
                    if other != row && losing(differ) {
                        lost += 1;
                        fine &= self.crowd(self.ground.cell(other), theirs) > k;
                    }
                    if !fine {
                        break;
                    }
                }
                if fine && self.crowd(cell, mask) >= k + lost {
                    harmed.iter().for_each(|&other| plain[other as usize] -= 1);
                    self.set(row, less);
                    if less == 0 {
                        // The row counts among its equals now.
                        known[cell as usize] = false;
                    }
                }
            }
        }
    }
}
