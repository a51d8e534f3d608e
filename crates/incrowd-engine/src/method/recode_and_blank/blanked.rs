//! From a recoding to a release: the table with its values replaced by groups, and the blanks that it needs.

use super::estimate::ColumnPrices;
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, GlobalRecoding, OUTSIDE, ProfileShare, Recoding};
use crate::search::Control;
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, CrowdSource, RowGrouping, SuppressionPatterns,
    WildcardPlan, fewest, improve,
};
use crate::value::Group;

/// A release and what it costs, by the prices of the search.
pub(super) struct MixedRelease {
    pub(super) boxes: BoxAssignment,
    pub(super) cost: f64,
    /// Moves and nodes of the search for its blanks.
    pub(super) nodes: u64,
}

/// A problem whose values are the groups of a recoding.
pub(super) struct RecodedTable<'a> {
    original: &'a Problem,
    problem: Problem,
    /// The profile of the recoded table that each profile is a part of.
    part_of: Vec<u32>,
    /// By column, the group that each code of the recoded table is released as.
    groups: Vec<Vec<Group>>,
    blank: Vec<f64>,
    kept: Vec<Vec<f64>>,
}

impl<'a> RecodedTable<'a> {
    pub(super) fn new(
        original: &'a Problem,
        prices: &ColumnPrices<'_>,
        recoding: &GlobalRecoding,
    ) -> Self {
        let mut maps = Vec::with_capacity(recoding.maps.len());
        let (mut groups, mut kept) = (Vec::new(), Vec::new());
        for (at, attribute) in original.attributes.iter().enumerate() {
            // Groups that a release shows alike are one.
            let (shown, codes) = attribute.shown_groups(&recoding.groups[at]);
            maps.push(recoding.maps[at].iter().map(|&id| codes[id as usize]).collect());
            let of_code = |code: usize| {
                let same = || codes.iter().enumerate().filter(|(_, of)| **of as usize == code);
                match (same().next(), same().nth(1)) {
                    (Some((only, _)), None) => recoding.groups[at].get(only as u32).clone(),
                    _ => shown.get(code as u32).clone(),
                }
            };
            let released: Vec<Group> = (0..shown.as_slice().len()).map(of_code).collect();
            kept.push(released.iter().map(|group| prices.of(at, group)).collect());
            groups.push(released);
        }
        let (cells, part_of) = original.cells.recoded(&maps);
        // A search for blanks that cost all there is to pay can prove more.
        let free = |kept: &[Vec<f64>]| kept.iter().flatten().all(|price| *price == 0.0);
        if free(&kept) {
            kept.clear();
        }
        RecodedTable {
            problem: Problem { cells, ..original.clone() },
            original,
            part_of,
            groups,
            blank: prices.blank.clone(),
            kept,
        }
    }

    fn context(&self) -> BlankingContext<'_> {
        let rows = self.original.rows;
        let limit = self.original.limit.rows(rows, rows);
        BlankingContext::of_recoded(&self.problem, self.blank.clone(), self.kept.clone(), limit)
    }

    /// The recoding without blanks, its small classes suppressed; none if they are more than the limit.
    pub(super) fn unblanked(&self) -> Option<MixedRelease> {
        let context = self.context();
        let (privacy, targets) = (&self.problem.privacy, &self.problem.targets);
        let mut grouping = RowGrouping::default();
        let mut tally = targets.tally();
        for cell in 0..self.problem.cells.len() {
            let rows: Vec<u32> = context.rows_of(cell as u32).collect();
            tally.clear();
            rows.iter().for_each(|&row| tally.add(context.label_codes(row), 1));
            tally.size = self.problem.cells.counts()[cell];
            match privacy.passes(&tally) {
                true => grouping.groups.push(rows),
                false => grouping.out.extend(rows),
            }
        }
        (grouping.out.len() <= context.limit).then(|| self.release(&context, &grouping, 0))
    }

    /// The recoding with the blanks that it needs; none if rows are left and may not be suppressed.
    pub(super) fn blanked(&self, plan: &BlankingPlan, control: &Control) -> Option<MixedRelease> {
        let context = self.context();
        if self.problem.privacy.wildcards {
            let BlankingBudget { steps, seed, .. } = plan.budget;
            // A row must fit k rows by its own blanks: recoding leaves little for others to give.
            let crowd = CrowdSource::Own;
            let wild = fewest(&context, &WildcardPlan { crowd, steps, seed, drift: 0.0 }, control);
            let paid = |(row, &mask): (usize, &u64)| {
                let blank = (0..context.columns()).filter(|at| mask >> at & 1 == 1);
                blank.map(|at| self.blank[at]).sum::<f64>()
                    + context.kept_price(context.cell(row as u32), mask)
            };
            let cost = wild.masks.iter().enumerate().map(paid).sum::<f64>();
            let cost = cost + self.settled(&context);
            let boxes = self.released(context.masked(&wild.masks));
            return Some(MixedRelease { boxes, cost, nodes: wild.moves });
        }
        let patterns = SuppressionPatterns::new(&context, control);
        // Prices of groups are more than the proof knows of.
        let nodes = if self.kept.is_empty() { plan.nodes } else { 0 };
        let plan = BlankingPlan { nodes, ..*plan };
        let found = improve(&context, &patterns, &plan, None, control);
        let mut grouping = found.grouping;
        self.release_suppressed(&context, &mut grouping);
        let fits = grouping.out.len() <= context.limit;
        fits.then(|| self.release(&context, &grouping, found.nodes))
    }

    /// Releases rows that are suppressed, with what they have in common, where they are enough for a class.
    fn release_suppressed(&self, context: &BlankingContext<'_>, grouping: &mut RowGrouping) {
        if !self.problem.privacy.is_by_size() || grouping.out.is_empty() {
            return;
        }
        let columns = context.columns();
        let blank =
            grouping.groups.iter_mut().find(|rows| context.differing(rows).count() == columns);
        match blank {
            Some(rows) => rows.append(&mut grouping.out),
            None if grouping.out.len() >= context.k() => {
                grouping.groups.push(std::mem::take(&mut grouping.out));
            }
            None => {}
        }
    }

    /// What rows pay that stay as they are for good.
    fn settled(&self, context: &BlankingContext<'_>) -> f64 {
        let settled = context.settled().into_iter().zip(0..);
        settled.map(|(rows, cell)| f64::from(rows) * context.kept_price(cell, 0)).sum()
    }

    fn release(
        &self,
        context: &BlankingContext<'_>,
        grouping: &RowGrouping,
        nodes: u64,
    ) -> MixedRelease {
        let cost = context.cost(grouping) + self.settled(context);
        MixedRelease { boxes: self.released(context.recoding(grouping)), cost, nodes }
    }

    /// Boxes of groups in the place of boxes of their codes, and profiles of the table in the place of its recoded ones.
    fn released(&self, recoding: Recoding) -> BoxAssignment {
        let Recoding::Cellwise(coded) = recoding else {
            return BoxAssignment::of_rows(BoxSet::new(self.groups.len()), Vec::new());
        };
        let width = self.groups.len();
        let mut boxes = BoxSet::new(width);
        for at in 0..coded.boxes.len() {
            let ids = coded.boxes.ids_of(at).iter().zip(&coded.boxes.groups).zip(&self.groups);
            boxes.push(ids.map(|((&id, codes), groups)| match codes.get(id) {
                Group::Range { first, .. } => groups[*first as usize].clone(),
                _ => Group::Blank,
            }));
        }
        // Which rows of a recoded profile go into which class does not matter: they go in order.
        let mut parts: Vec<(u32, u32)> =
            self.part_of.iter().copied().zip(0..self.part_of.len() as u32).collect();
        parts.sort_unstable();
        let cells = &self.original.cells;
        let mut open: Vec<ProfileShare> = Vec::with_capacity(parts.len());
        let mut rows: Vec<(u32, u32)> = Vec::with_capacity(parts.len());
        for (part, cell) in parts {
            let unlabelled = [(0, cells.counts()[cell as usize])];
            let targets =
                if cells.has_targets() { cells.targets(cell as usize) } else { &unlabelled };
            for &(target, count) in targets {
                rows.push((part, target));
                open.push(ProfileShare { cell, target, class: OUTSIDE, count });
            }
        }
        let mut order: Vec<u32> = (0..open.len() as u32).collect();
        order.sort_by_key(|&at| (rows[at as usize], open[at as usize].cell));
        let mut order = order.into_iter();
        let mut current: Option<ProfileShare> = None;
        let mut shares = Vec::with_capacity(open.len());
        // The shares come sorted by recoded profile and target, as the rows do.
        for share in &coded.shares {
            let mut left = share.count;
            while left > 0 {
                let from = match &mut current {
                    Some(from) if from.count > 0 => from,
                    _ => {
                        let Some(at) = order.next() else { break };
                        current.insert(open[at as usize])
                    }
                };
                let taken = left.min(from.count);
                from.count -= taken;
                left -= taken;
                shares.push(ProfileShare { class: share.class, count: taken, ..*from });
            }
        }
        BoxAssignment::of_rows(boxes, shares)
    }
}
