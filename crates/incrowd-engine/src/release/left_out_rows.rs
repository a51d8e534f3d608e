//! A release of which rows were left out after it was made.

use std::collections::BTreeMap;

use super::{EquivalenceClasses, LossMeasures, Release, RowDisposition};
use crate::problem::Problem;
use crate::recoding::{OUTSIDE, ProfileShare};
use crate::release::ClassAssignment;

impl Release {
    /// The same release where only some of its rows remain: for each of them the profile, the joint target and what became of
    /// it. All others count as suppressed, so classes, costs and risks are those of the rows that are there.
    pub fn remaining(
        &self,
        problem: &Problem,
        rows: impl IntoIterator<Item = (u32, u32, RowDisposition)>,
    ) -> Release {
        // Blank rows are in a class that is not released; which one makes no difference.
        let blank = (0..self.classes.len()).find(|&class| !self.classes.released[class]);
        let mut kept: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
        let mut taken: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (cell, target, disposition) in rows {
            let class = match disposition {
                RowDisposition::Class(class) => class,
                RowDisposition::Blank => blank.map_or(OUTSIDE, |class| class as u32),
                RowDisposition::Dropped => continue,
            };
            *kept.entry((cell, target, class)).or_default() += 1;
            *taken.entry((cell, target)).or_default() += 1;
        }
        let cells = &problem.cells;
        for cell in 0..cells.len() {
            let whole = [(0, cells.counts()[cell])];
            let targets = match cells.targets(cell) {
                [] => &whole[..],
                targets => targets,
            };
            for &(target, count) in targets {
                let here = taken.get(&(cell as u32, target)).copied().unwrap_or(0);
                if count > here {
                    *kept.entry((cell as u32, target, OUTSIDE)).or_default() += count - here;
                }
            }
        }
        let shares = kept.into_iter();
        let shares = shares.map(|((cell, target, class), count)| ProfileShare {
            cell,
            target,
            class,
            count,
        });
        let assignment = ClassAssignment::Shares(shares.collect());
        let EquivalenceClasses { groups, ids, withheld, .. } = self.classes.clone();
        let mut classes = EquivalenceClasses::count(groups, ids, assignment, withheld, cells);
        let was = self.classes.released.iter().zip(&classes.sizes);
        classes.released = was.map(|(&released, &size)| released && size > 0).collect();
        Release {
            measures: LossMeasures::of(problem, &classes),
            classes,
            suppressed: self.suppressed,
            columns: self.columns.clone(),
        }
    }
}
