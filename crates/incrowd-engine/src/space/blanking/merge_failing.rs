//! Models beyond k: groups that fail are joined with others until all pass.

use super::{BlankingContext, RowGrouping};
use crate::privacy::ClassTally;

impl BlankingContext<'_> {
    /// Joins every group that fails a requirement with the group that this makes dearer least, again and
    /// again. All rows together must pass: where the suppressed ones are missed, none is suppressed.
    pub(crate) fn mend(&self, grouping: &mut RowGrouping) {
        let privacy = &self.problem.privacy;
        if privacy.is_by_size() {
            return;
        }
        let groups = std::mem::take(&mut grouping.groups);
        let mut parts: Vec<TalliedGroup> = groups.into_iter().map(|rows| self.part(rows)).collect();
        let mut open: Vec<usize> =
            (0..parts.len()).filter(|&at| !privacy.passes(&parts[at].tally)).collect();
        while let Some(at) = open.pop() {
            if parts[at].rows.is_empty() || privacy.passes(&parts[at].tally) {
                continue;
            }
            let nearest = (0..parts.len())
                .filter(|&other| other != at && !parts[other].rows.is_empty())
                .map(|other| (self.price_of_joining(&parts[at], &parts[other]), other))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, other)) = nearest else { continue };
            let gone = std::mem::take(&mut parts[at].rows);
            let mut rows = std::mem::take(&mut parts[other].rows);
            rows.extend(gone);
            parts[other] = self.part(rows);
            open.push(other);
        }
        if parts.iter().any(|part| !part.rows.is_empty() && !privacy.passes(&part.tally)) {
            *grouping =
                RowGrouping { groups: vec![(0..self.len() as u32).collect()], out: Vec::new() };
            return;
        }
        grouping.groups =
            parts.into_iter().map(|part| part.rows).filter(|rows| !rows.is_empty()).collect();
    }

    fn part(&self, rows: Vec<u32>) -> TalliedGroup {
        let mut tally = self.problem.targets.tally();
        rows.iter().for_each(|&row| tally.add(self.label_codes(row), 1));
        let mut values: Vec<Option<u32>> =
            (0..self.columns()).map(|at| rows.first().map(|&row| self.code(at, row))).collect();
        self.differing(&rows).for_each(|at| values[at] = None);
        TalliedGroup { rows, tally, values }
    }

    /// What more two groups cost as one.
    fn price_of_joining(&self, one: &TalliedGroup, other: &TalliedGroup) -> f64 {
        let (here, there) = (one.rows.len() as f64, other.rows.len() as f64);
        let columns = one.values.iter().zip(&other.values).zip(&self.weights);
        columns
            .map(|((a, b), weight)| match (a, b) {
                (Some(a), Some(b)) if a == b => 0.0,
                (Some(_), Some(_)) => weight * (here + there),
                (Some(_), None) => weight * here,
                (None, Some(_)) => weight * there,
                (None, None) => 0.0,
            })
            .sum()
    }
}

/// A group with what is known of it.
struct TalliedGroup {
    rows: Vec<u32>,
    tally: ClassTally,
    /// The value of each column that is not blank.
    values: Vec<Option<u32>>,
}
