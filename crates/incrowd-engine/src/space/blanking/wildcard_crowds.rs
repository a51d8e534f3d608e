//! The weaker reading: a blank matches anything.
//!
//! A row's *crowd* are the rows that may be the same as it: in every column the values are equal, or one of
//! them is blank. Here a blank helps two ways. The row that has it fits more rows; and it fits all the
//! rows that it now might be. Taken to the letter, k - 1 rows that are blank throughout stand in everybody's
//! crowd, and nobody else needs a blank: that is how weak the reading is.

use super::crowd_rule::CrowdRule;
use super::known_counts::KnownCounts;
use super::marginal_drift::MarginalDrift;
use super::own_blanks::OwnBlanks;
use super::patterns::weight;
use super::shared_crowds::SharedCrowds;
use super::{BlankingContext, SuppressionPatterns};
use crate::privacy::KnownColumns;
use crate::search::{Control, StopReason};

/// Under the weaker reading: whose blanks a row's crowd may come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CrowdSource {
    /// Anybody's, and no row gets dearer blanks than it needs by itself.
    #[default]
    Shared,
    /// The row's own: it fits k original rows.
    Own,
    /// Anybody's, whatever a row has to pay for the others.
    Any,
}

/// How a search under the weaker reading goes about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WildcardPlan {
    pub(crate) crowd: CrowdSource,
    /// Moves for each row that needs blanks.
    pub(crate) steps: u64,
    /// What the random choices come from.
    pub(crate) seed: u64,
    /// How much more a blank costs whose value is blanked throughout, in a column without other blanks.
    pub(crate) drift: f64,
}

/// The columns of each row that are blank so that every crowd holds k rows.
pub(crate) struct WildcardMasks {
    /// Per row its mask.
    pub(crate) masks: Vec<u64>,
    pub(crate) cost: f64,
    /// How many moves were tried.
    pub(crate) moves: u64,
    pub(crate) stopped: Option<StopReason>,
}

/// Few blanks under the weaker reading, with crowds in all columns or in every few of them.
pub(crate) fn fewest(
    ground: &BlankingContext<'_>,
    plan: &WildcardPlan,
    control: &Control,
) -> WildcardMasks {
    let known = ground.problem.privacy.known;
    let own = match known {
        Some(known) => OwnBlanks::of_known(ground, known, control),
        None => {
            let patterns = SuppressionPatterns::new(ground, control);
            OwnBlanks::of_patterns(&patterns, ground.problem.cells.len())
        }
    };
    let mut drift = MarginalDrift::new(ground, plan.drift);
    let masks = own.masks(ground, &mut drift, control);
    let cost = cost(ground, &masks);
    let mut best = WildcardMasks { cost, masks, moves: 1, stopped: control.stop() };
    tell(ground, &best, control);
    if plan.crowd == CrowdSource::Own || best.cost == 0.0 || best.stopped.is_some() {
        return best;
    }
    let rule = CrowdRule::of(ground.problem);
    if let Some(search) = SharedCrowds::new(ground, &rule, &own, drift, &best.masks, control) {
        let (masks, cost, search) = search.run(plan.steps, plan.seed);
        best = WildcardMasks { masks, cost, moves: search.moves, stopped: search.stopped };
    }
    if plan.crowd == CrowdSource::Any && best.stopped.is_none() {
        take_anybodys(ground, &mut best, control);
    }
    best
}

/// Few blanks with which every combination of a few columns occurs k times, a blank being a value like any other.
pub(crate) fn fewest_for_known(
    ground: &BlankingContext<'_>,
    known: KnownColumns,
    plan: &WildcardPlan,
    control: &Control,
) -> WildcardMasks {
    let own = OwnBlanks::of_known(ground, known, control);
    let (masks, cost, search) =
        KnownCounts::new(ground, known, &own, control).run(plan.steps, plan.seed);
    WildcardMasks { masks, cost, moves: search.moves.max(1), stopped: search.stopped }
}

/// Rows may be blanked for the others' sake: whole rows, or the first ones that need it.
fn take_anybodys(ground: &BlankingContext<'_>, best: &mut WildcardMasks, control: &Control) {
    for start in [CrowdBuilder::blanking_whole_rows, CrowdBuilder::blanking_in_turn] {
        let mut mender = CrowdBuilder::new(ground, control);
        if !start(&mut mender, PATIENCE * best.cost) {
            continue;
        }
        // What a few columns show is not counted there. Rows that are blank throughout are in every crowd.
        let counts = ground.problem.privacy.known.is_none();
        if counts {
            mender.spare();
        }
        best.stopped = best.stopped.or(mender.stopped);
        let cost = cost(ground, &mender.masks);
        if mender.stopped.is_none() && cost < best.cost {
            let masks = mender.masks;
            *best = WildcardMasks { masks, cost, ..*best };
            tell(ground, best, control);
        }
        if !counts {
            return;
        }
    }
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
        let k = self.ground.k() as u64;
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
        let k = self.ground.k() as u64;
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
