//! The metrics as the prover sees them: what a cell carries, and bounds that hold for every refinement.

use crate::space::cuts::{ClassPricing, CutSpace, IntervalPrices};

/// Rows, rows of class value 1, and a lower bound of cost, added up together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PackedSum {
    /// Rows in the low half, rows of class value 1 in the high half.
    pub(super) counts: u64,
    /// The sum of the cells' bounds.
    pub(super) base: u64,
}

impl PackedSum {
    #[inline]
    pub(super) fn new(rows: u32, ones: u32, base: u64) -> Self {
        PackedSum { counts: u64::from(rows) | u64::from(ones) << 32, base }
    }

    #[inline]
    pub(super) fn rows(self) -> u64 {
        self.counts & 0xffff_ffff
    }

    #[inline]
    pub(super) fn ones(self) -> u64 {
        self.counts >> 32
    }

    #[inline]
    pub(super) fn add(&mut self, other: PackedSum) {
        self.counts += other.counts;
        self.base += other.base;
    }

    #[inline]
    pub(super) fn minus(self, other: PackedSum) -> PackedSum {
        PackedSum { counts: self.counts - other.counts, base: self.base - other.base }
    }
}

/// The box of a cell on one axis: its run of values and whether the cuts at its ends are still open.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisRun {
    pub(super) first: usize,
    pub(super) end: usize,
    /// Where the run to the left begins, if the cut between is open.
    pub(super) left: Option<usize>,
    /// Where the run to the right ends, if the cut between is open.
    pub(super) right: Option<usize>,
}

/// A metric.
pub(super) trait CostModel: Sync {
    /// What a cell carries.
    type Load: Copy + Send + Sync + std::fmt::Debug;

    /// Whether classes are priced by the width of their intervals, whatever rows they hold.
    const WIDTHS: bool = false;

    /// Whether the rises of cuts that are not made add up.
    const RISES_ADD: bool = false;

    /// What a suppressed row costs at least beyond the bounds of cells, however joined, and of classes.
    fn row_worth(&self) -> u64 {
        0
    }

    /// What a cell of the space carries.
    fn load(&self, space: &CutSpace<'_>, cell: usize) -> Self::Load;

    /// Joins two cells.
    fn join(&self, one: &mut Self::Load, other: &Self::Load);

    /// Recomputes a cell's bound from its box.
    fn refresh(&self, _load: &mut Self::Load, _run: impl Fn(usize) -> AxisRun) {}

    /// A cell's rows, and what they cost at least wherever they end up.
    fn word(&self, load: &Self::Load) -> PackedSum;

    /// What a slice of a class that fails costs beyond the bounds of its cells, however joined, or, if not
    /// `by_cells`, beyond its part of the bound of a class that is bounded otherwise.
    fn slice_loss(&self, slice: PackedSum, by_cells: bool) -> u64;

    /// Whether joining this cell with another can raise the bound even if the other is not such a cell.
    fn drives(&self, load: &Self::Load) -> bool;

    /// Whether joining a driver with this cell can raise the bound.
    #[inline]
    fn yields(&self, _load: &Self::Load) -> bool {
        true
    }

    /// What suppressed rows cost.
    fn suppressed(&self, rows: u64) -> u64;

    /// What the rows of a class of at least k cost at least, however it is divided.
    fn bound(&self, class: PackedSum) -> u64;

    /// What a class of at least k costs undivided; `run` gives its intervals.
    fn cost(&self, total: &Self::Load, run: impl Fn(usize) -> (usize, usize)) -> u64;

    /// Whether a cut that divides a class so can lower the cost of any refinement.
    fn useful(&self, left: PackedSum, right: PackedSum) -> bool;

    /// How much a cut that divides a class so matters.
    fn interest(&self, left: PackedSum, right: PackedSum) -> f64;
}

/// Discernibility.
pub(super) struct DmCostModel {
    pub(super) k: u64,
    pub(super) rows: u64,
}

impl CostModel for DmCostModel {
    type Load = u32;

    /// Pairs of cells that two cuts alone separate are different pairs, and n·max(n, k) is convex.
    const RISES_ADD: bool = true;

    /// A row of a class is bounded by less than 2k; taking it away from there saves as much again.
    #[inline]
    fn row_worth(&self) -> u64 {
        self.rows.saturating_sub(4 * self.k)
    }

    fn load(&self, space: &CutSpace<'_>, cell: usize) -> u32 {
        space.counts[cell]
    }

    #[inline]
    fn join(&self, one: &mut u32, other: &u32) {
        *one += other;
    }

    #[inline]
    fn word(&self, &rows: &u32) -> PackedSum {
        PackedSum::new(rows, 0, u64::from(rows) * self.k.max(rows.into()))
    }

    #[inline]
    fn slice_loss(&self, slice: PackedSum, by_cells: bool) -> u64 {
        let row = if by_cells { self.rows - self.k } else { self.row_worth() };
        row * slice.rows()
    }

    /// Two cells of up to k rows together cost what they cost apart.
    #[inline]
    fn drives(&self, &rows: &u32) -> bool {
        2 * u64::from(rows) > self.k
    }

    #[inline]
    fn suppressed(&self, rows: u64) -> u64 {
        self.rows * rows
    }

    /// Parts of at least k number at most n / k, and the sum of their squares is least when they are
    /// equal. Suppressing rows instead costs more as long as 2n is at most all rows.
    #[inline]
    fn bound(&self, class: PackedSum) -> u64 {
        let rows = class.rows();
        if 2 * rows > self.rows {
            class.base
        } else if rows < 2 * self.k {
            rows * rows
        } else {
            class.base.max((rows * rows).div_ceil(rows / self.k))
        }
    }

    #[inline]
    fn cost(&self, &total: &u32, _: impl Fn(usize) -> (usize, usize)) -> u64 {
        u64::from(total) * u64::from(total)
    }

    /// The liberal rule of the paper, corrected: see the page on the method.
    #[inline]
    fn useful(&self, left: PackedSum, right: PackedSum) -> bool {
        let (small, large) = (left.rows().min(right.rows()), left.rows().max(right.rows()));
        small >= self.k || (large >= self.k && small + 2 * large > self.rows)
    }

    #[inline]
    fn interest(&self, left: PackedSum, right: PackedSum) -> f64 {
        left.rows() as f64 * right.rows() as f64
    }
}

/// Classification with two class values.
pub(super) struct BinaryCmCostModel {
    pub(super) k: u64,
    /// The least rows that can be a strict majority of a released class.
    pub(super) half: u64,
}

impl CostModel for BinaryCmCostModel {
    type Load = (u32, u32);

    fn load(&self, space: &CutSpace<'_>, cell: usize) -> (u32, u32) {
        let ones = if space.class_values > 1 { space.class_counts[2 * cell + 1] } else { 0 };
        (space.counts[cell], ones)
    }

    #[inline]
    fn join(&self, one: &mut (u32, u32), other: &(u32, u32)) {
        one.0 += other.0;
        one.1 += other.1;
    }

    #[inline]
    fn word(&self, &(rows, ones): &(u32, u32)) -> PackedSum {
        PackedSum::new(rows, ones, ones.min(rows - ones).into())
    }

    #[inline]
    fn slice_loss(&self, slice: PackedSum, by_cells: bool) -> u64 {
        if by_cells { slice.ones().max(slice.rows() - slice.ones()) } else { 0 }
    }

    /// Joining costs something only where the majorities differ.
    #[inline]
    fn drives(&self, &(rows, ones): &(u32, u32)) -> bool {
        2 * ones > rows
    }

    #[inline]
    fn yields(&self, &(rows, ones): &(u32, u32)) -> bool {
        2 * ones < rows
    }

    #[inline]
    fn suppressed(&self, rows: u64) -> u64 {
        rows
    }

    /// A class that cannot be divided into parts of opposite majority costs its minority; one that can
    /// has a part in which at least k rows hold the few of the minority.
    #[inline]
    fn bound(&self, class: PackedSum) -> u64 {
        let (rows, ones) = (class.rows(), class.ones());
        let minority = ones.min(rows - ones);
        if rows < 2 * self.k || minority < self.half {
            minority
        } else if minority < self.k {
            class.base.max(minority.min(self.k - minority))
        } else {
            class.base
        }
    }

    #[inline]
    fn cost(&self, &(rows, ones): &(u32, u32), _: impl Fn(usize) -> (usize, usize)) -> u64 {
        ones.min(rows - ones).into()
    }

    #[inline]
    fn useful(&self, left: PackedSum, right: PackedSum) -> bool {
        let zeros = |word: PackedSum| word.rows() - word.ones();
        let half = self.half;
        left.rows() >= self.k
            && right.rows() >= self.k
            && ((left.ones() >= half && zeros(right) >= half)
                || (zeros(left) >= half && right.ones() >= half))
    }

    #[inline]
    fn interest(&self, left: PackedSum, right: PackedSum) -> f64 {
        let (l, r) = (left.rows() as f64, right.rows() as f64);
        let apart = left.ones() as f64 / l - right.ones() as f64 / r;
        l * r / (l + r) * (apart * apart + 0.02)
    }
}

/// Classification with up to `L` class values.
pub(super) struct MulticlassCmCostModel<const L: usize> {
    pub(super) k: u64,
}

impl<const L: usize> MulticlassCmCostModel<L> {
    #[inline]
    fn minority(counts: &[u32; L]) -> (u32, u32) {
        let rows: u32 = counts.iter().sum();
        (rows, rows - counts.iter().copied().max().unwrap_or(0))
    }
}

impl<const L: usize> CostModel for MulticlassCmCostModel<L> {
    type Load = [u32; L];

    fn load(&self, space: &CutSpace<'_>, cell: usize) -> [u32; L] {
        let mut load = [0; L];
        let counts = &space.class_counts[cell * space.class_values..][..space.class_values];
        load[..counts.len()].copy_from_slice(counts);
        load
    }

    #[inline]
    fn join(&self, one: &mut [u32; L], other: &[u32; L]) {
        for (one, other) in one.iter_mut().zip(other) {
            *one += other;
        }
    }

    #[inline]
    fn word(&self, load: &[u32; L]) -> PackedSum {
        let (rows, minority) = Self::minority(load);
        PackedSum::new(rows, 0, minority.into())
    }

    fn slice_loss(&self, _: PackedSum, _: bool) -> u64 {
        0
    }

    #[inline]
    fn drives(&self, _: &[u32; L]) -> bool {
        true
    }

    #[inline]
    fn suppressed(&self, rows: u64) -> u64 {
        rows
    }

    #[inline]
    fn bound(&self, class: PackedSum) -> u64 {
        class.base
    }

    fn cost(&self, total: &[u32; L], _: impl Fn(usize) -> (usize, usize)) -> u64 {
        Self::minority(total).1.into()
    }

    #[inline]
    fn useful(&self, left: PackedSum, right: PackedSum) -> bool {
        left.rows() >= self.k && right.rows() >= self.k
    }

    #[inline]
    fn interest(&self, left: PackedSum, right: PackedSum) -> f64 {
        left.rows() as f64 * right.rows() as f64
    }
}

/// Metrics that charge for the width of intervals.
///
/// A row pays at least the prices of its cell's runs. A cell of fewer than k rows is released only
/// if it is joined with a neighbour across an open cut, which raises one price at least.
pub(super) struct WidthCostModel<'a> {
    pub(super) k: u64,
    pub(super) widths: &'a IntervalPrices,
    pub(super) axes: usize,
}

/// Rows and what each of them pays at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct WidthLoad {
    rows: u32,
    price: u64,
}

impl CostModel for WidthCostModel<'_> {
    type Load = WidthLoad;
    const WIDTHS: bool = true;

    fn load(&self, space: &CutSpace<'_>, cell: usize) -> WidthLoad {
        WidthLoad { rows: space.counts[cell], price: 0 }
    }

    #[inline]
    fn join(&self, one: &mut WidthLoad, other: &WidthLoad) {
        one.rows += other.rows;
    }

    fn refresh(&self, load: &mut WidthLoad, run: impl Fn(usize) -> AxisRun) {
        let runs = (0..self.axes).map(|axis| (axis, run(axis)));
        let price: u64 = runs.clone().map(|(axis, r)| self.widths.of(axis, r.first, r.end)).sum();
        load.price = price;
        if u64::from(load.rows) < self.k {
            let step = runs
                .flat_map(|(axis, r)| {
                    let now = self.widths.of(axis, r.first, r.end);
                    let wider = |first, end| self.widths.of(axis, first, end).saturating_sub(now);
                    let left = r.left.map(|first| wider(first, r.end));
                    [left, r.right.map(|end| wider(r.first, end))].into_iter().flatten()
                })
                .min();
            let suppressed = self.widths.suppressed;
            load.price = step.map_or(suppressed, |step| (price + step).min(suppressed));
        }
    }

    #[inline]
    fn word(&self, load: &WidthLoad) -> PackedSum {
        PackedSum::new(load.rows, 0, u64::from(load.rows) * load.price)
    }

    fn slice_loss(&self, _: PackedSum, _: bool) -> u64 {
        0
    }

    /// What a wider interval costs is not told by the cells.
    #[inline]
    fn drives(&self, _: &WidthLoad) -> bool {
        false
    }

    #[inline]
    fn suppressed(&self, rows: u64) -> u64 {
        self.widths.suppressed * rows
    }

    #[inline]
    fn bound(&self, class: PackedSum) -> u64 {
        class.base
    }

    fn cost(&self, total: &WidthLoad, run: impl Fn(usize) -> (usize, usize)) -> u64 {
        let price: u64 = (0..self.axes)
            .map(|axis| {
                let (first, end) = run(axis);
                self.widths.of(axis, first, end)
            })
            .sum();
        price * u64::from(total.rows)
    }

    /// A cut narrows the intervals even of classes that it does not divide, so none is ruled out.
    fn useful(&self, _: PackedSum, _: PackedSum) -> bool {
        true
    }

    #[inline]
    fn interest(&self, left: PackedSum, right: PackedSum) -> f64 {
        left.rows() as f64 * right.rows() as f64
    }
}

/// Calls with the cost model of a space.
pub(super) fn with<R>(space: &CutSpace<'_>, call: impl CostModelTask<R>) -> crate::kit::Result<R> {
    let k = space.problem.privacy.k;
    Ok(match &space.price {
        ClassPricing::Dm => call.run(&DmCostModel { k, rows: space.problem.rows }),
        ClassPricing::Cm if space.class_values <= 2 => {
            call.run(&BinaryCmCostModel { k, half: k / 2 + 1 })
        }
        ClassPricing::Cm if space.class_values <= 8 => call.run(&MulticlassCmCostModel::<8> { k }),
        ClassPricing::Cm if space.class_values <= 64 => {
            call.run(&MulticlassCmCostModel::<64> { k })
        }
        ClassPricing::Cm => {
            return Err(crate::kit::Error::new(format!(
                "the class column has {} values, but the method supports at most 64",
                space.class_values
            ))
            .help("group the class values, or choose another method"));
        }
        ClassPricing::Widths(widths) => {
            call.run(&WidthCostModel { k, widths, axes: space.axes.len() })
        }
    })
}

/// Something to do with a cost model.
pub(super) trait CostModelTask<R> {
    fn run<M: CostModel>(self, kernel: &M) -> R;
}
