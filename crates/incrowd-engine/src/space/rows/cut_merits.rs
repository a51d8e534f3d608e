//! How good the cuts along an attribute are.

use super::part_view::PartView;
use super::parts::ProfileRows;
use super::rules::SplitCriterion;
use super::split::{CutUnits, SplitCandidate, SplitScratch};
use super::spread::SpreadTable;

/// What a row counts more that is left over.
const LEFTOVER: f64 = 0.2;

/// How bad each cut between units is: behind each, around each, and between all at once.
pub(super) struct CutMerits {
    pub(super) behind: Vec<f64>,
    pub(super) around: Vec<f64>,
    pub(super) apart: f64,
}

impl PartView<'_> {
    /// The candidate with the merit that the rule in force gives it.
    pub(super) fn judged(
        &self,
        at: usize,
        candidate: SplitCandidate,
        pieces: &[ProfileRows],
    ) -> SplitCandidate {
        let merit = match (self.rules.cut, self.spreads) {
            (SplitCriterion::Penalty, Some(spreads)) => {
                self.penalty_after(spreads, at, &candidate, pieces)
            }
            (SplitCriterion::Purity, _) => self.impurity_of(at, &candidate, pieces),
            _ => candidate.uneven as f64,
        };
        SplitCandidate { merit, ..candidate }
    }

    /// What is left of the penalty by a cut.
    pub(super) fn penalty_after(
        &self,
        spreads: &SpreadTable,
        at: usize,
        candidate: &SplitCandidate,
        pieces: &[ProfileRows],
    ) -> f64 {
        let sides = self.sides(at, candidate.clone(), pieces);
        sides.iter().map(|side| self.penalty_of(spreads, side)).sum()
    }

    /// The penalty of a part.
    pub(super) fn penalty_of(&self, spreads: &SpreadTable, pieces: &[ProfileRows]) -> f64 {
        let mut spread = vec![0; spreads.stride()];
        pieces.iter().for_each(|piece| spreads.add(&mut spread, spreads.cell(piece.cell)));
        let rows: u64 = pieces.iter().map(|piece| piece.count).sum();
        self.charged(rows) * spreads.penalty(&spread)
    }

    /// How many rows a part is charged for: those that are left when it is divided into as many classes
    /// as can be make classes larger and so wider, and count more.
    fn charged(&self, rows: u64) -> f64 {
        rows as f64 + LEFTOVER * (rows % self.problem.privacy.k) as f64
    }

    /// What every cut leaves of the penalty: rows times penalty of each side.
    pub(super) fn penalties(
        &self,
        spreads: &SpreadTable,
        at: usize,
        units: &CutUnits,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> CutMerits {
        let (stride, number) = (spreads.stride(), units.len());
        let place = |unit: usize| unit * stride..(unit + 1) * stride;
        let SplitScratch { units: each, before, after, unit_of, .. } = scratch;
        // Codes are looked up once per value, not once per piece.
        let domain = self.problem.attributes[at].domain.len();
        if unit_of.len() < domain {
            unit_of.resize(domain, 0);
        }
        for value in &self.values[at] {
            unit_of[value.0 as usize] = units.of_code(value.0) as u32;
        }
        each.clear();
        each.resize(number * stride, 0);
        let codes = self.problem.cells.codes(at);
        for piece in pieces {
            let unit = unit_of[codes.get(piece.cell as usize) as usize] as usize;
            spreads.add(&mut each[place(unit)], spreads.cell(piece.cell));
        }
        before.clone_from(each);
        after.clone_from(each);
        for unit in 1..number {
            let (done, next) = before.split_at_mut(unit * stride);
            spreads.add(&mut next[..stride], &done[(unit - 1) * stride..]);
            let (next, done) = after.split_at_mut((number - unit) * stride);
            spreads.add(&mut next[(number - unit - 1) * stride..], &done[..stride]);
        }
        let mut left = 0;
        let rows = |rows: u64| self.charged(rows);
        let mut merits = CutMerits { behind: Vec::new(), around: Vec::new(), apart: 0.0 };
        for unit in 0..number {
            let held = units.rows(unit);
            left += held;
            let alone = rows(held) * spreads.penalty(&each[place(unit)]);
            merits.apart += alone;
            if unit + 1 < number {
                merits.behind.push(
                    rows(left) * spreads.penalty(&before[place(unit)])
                        + rows(self.rows - left) * spreads.penalty(&after[place(unit + 1)]),
                );
            }
            merits.around.push(if (1..number - 1).contains(&unit) {
                let others =
                    spreads.joint_penalty(&before[place(unit - 1)], &after[place(unit + 1)]);
                alone + rows(self.rows - held) * others
            } else {
                f64::INFINITY
            });
        }
        merits
    }

    /// How mixed the classes are on the sides of every cut: rows times entropy of each side.
    pub(super) fn impurities(
        &self,
        at: usize,
        units: &CutUnits,
        pieces: &[ProfileRows],
    ) -> CutMerits {
        let number = units.len();
        let classes = self.classes();
        let mut each = vec![0u64; number * classes];
        let mut whole = vec![0u64; classes];
        let codes = self.problem.cells.codes(at);
        for piece in pieces {
            let (unit, class) =
                (units.of_code(codes.get(piece.cell as usize)), self.class_of(piece));
            each[unit * classes + class] += piece.count;
            whole[class] += piece.count;
        }
        let mut left = vec![0u64; classes];
        let without = |part: &[u64]| -> f64 {
            mixed(whole.iter().zip(part).map(|(whole, part)| whole - part))
        };
        let mut merits = CutMerits { behind: Vec::new(), around: Vec::new(), apart: 0.0 };
        for (unit, held) in each.chunks_exact(classes).enumerate() {
            left.iter_mut().zip(held).for_each(|(left, held)| *left += held);
            let alone = mixed(held.iter().copied());
            merits.apart += alone;
            merits.around.push(alone + without(held));
            if unit + 1 < number {
                merits.behind.push(mixed(left.iter().copied()) + without(&left));
            }
        }
        merits
    }

    fn impurity_of(&self, at: usize, candidate: &SplitCandidate, pieces: &[ProfileRows]) -> f64 {
        let sides = self.sides(at, candidate.clone(), pieces);
        let mut held = vec![0u64; self.classes()];
        let impurities = sides.iter().map(|side| {
            held.fill(0);
            side.iter().for_each(|piece| held[self.class_of(piece)] += piece.count);
            mixed(held.iter().copied())
        });
        impurities.sum()
    }

    /// How many classes there are.
    fn classes(&self) -> usize {
        let column = self.problem.class.map(|class| &self.problem.targets.columns[class]);
        column.map_or(1, |column| column.domain.len())
    }

    fn class_of(&self, piece: &ProfileRows) -> usize {
        let class = self.problem.class.map(|class| self.problem.targets.of(piece.label)[class]);
        class.map_or(0, |class| class as usize)
    }
}

/// Rows times the entropy of their classes, in bits.
fn mixed(held: impl Iterator<Item = u64> + Clone) -> f64 {
    let bits = |rows: u64| if rows > 0 { rows as f64 * (rows as f64).log2() } else { 0.0 };
    bits(held.clone().sum()) - held.map(bits).sum::<f64>()
}
