//! What classes cost, and the bounds that hold however a class is divided.

/// Rows added up: how many, how many of the second class value, and the sum of the bounds of their cells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) rows: u32,
    pub(super) ones: u32,
    pub(super) base: u64,
}

impl Sum {
    #[inline]
    pub(super) fn add(&mut self, other: Sum) {
        self.rows += other.rows;
        self.ones += other.ones;
        self.base += other.base;
    }

    #[inline]
    pub(super) fn less(self, other: Sum) -> Sum {
        Sum {
            rows: self.rows - other.rows,
            ones: self.ones - other.ones,
            base: self.base - other.base,
        }
    }
}

/// A metric.
pub(super) trait CostRule {
    /// Rule 1: what rows that no open cut parts cost at least.
    fn cell(&self, rows: u32, ones: u32) -> u64;
    /// Rule 2: what a class of at least k rows costs at least, however it is divided.
    fn class(&self, class: Sum) -> u64;
    /// What a class of at least k rows costs undivided.
    fn whole(&self, rows: u32, ones: u32) -> u64;
    /// What suppressed rows cost.
    fn suppressed(&self, rows: u32) -> u64;
    /// Rule 4: whether a cut that divides a class so can lower the cost of any division.
    fn is_useful(&self, low: Sum, high: Sum) -> bool;
}

/// Discernibility.
pub(super) struct Discernibility {
    pub(super) k: u64,
    pub(super) rows: u64,
}

impl CostRule for Discernibility {
    #[inline]
    fn cell(&self, rows: u32, _: u32) -> u64 {
        u64::from(rows) * self.k.max(rows.into())
    }

    #[inline]
    fn class(&self, class: Sum) -> u64 {
        let rows = u64::from(class.rows);
        match 2 * rows <= self.rows {
            true => class.base.max((rows * rows).div_ceil(rows / self.k)),
            false => class.base,
        }
    }

    #[inline]
    fn whole(&self, rows: u32, _: u32) -> u64 {
        u64::from(rows) * u64::from(rows)
    }

    #[inline]
    fn suppressed(&self, rows: u32) -> u64 {
        u64::from(rows) * self.rows
    }

    #[inline]
    fn is_useful(&self, low: Sum, high: Sum) -> bool {
        let small = u64::from(low.rows.min(high.rows));
        let large = u64::from(low.rows.max(high.rows));
        small >= self.k || (large >= self.k && small + 2 * large > self.rows)
    }
}

/// Classification with two class values.
pub(super) struct Classification {
    pub(super) k: u64,
    /// The fewest rows that can be a strict majority of a released class.
    pub(super) half: u64,
}

impl Classification {
    fn minority(rows: u32, ones: u32) -> u64 {
        ones.min(rows - ones).into()
    }
}

impl CostRule for Classification {
    #[inline]
    fn cell(&self, rows: u32, ones: u32) -> u64 {
        Self::minority(rows, ones)
    }

    #[inline]
    fn class(&self, class: Sum) -> u64 {
        let minority = Self::minority(class.rows, class.ones);
        if u64::from(class.rows) < 2 * self.k || minority < self.half {
            minority
        } else if minority < self.k {
            class.base.max(minority.min(self.k - minority))
        } else {
            class.base
        }
    }

    #[inline]
    fn whole(&self, rows: u32, ones: u32) -> u64 {
        Self::minority(rows, ones)
    }

    #[inline]
    fn suppressed(&self, rows: u32) -> u64 {
        rows.into()
    }

    #[inline]
    fn is_useful(&self, low: Sum, high: Sum) -> bool {
        let counts = |part: Sum| (u64::from(part.rows - part.ones), u64::from(part.ones));
        let ((low_zeros, low_ones), (high_zeros, high_ones)) = (counts(low), counts(high));
        u64::from(low.rows) >= self.k
            && u64::from(high.rows) >= self.k
            && (low_zeros.min(high_ones) >= self.half || low_ones.min(high_zeros) >= self.half)
    }
}
