//! Discernibility, DM.
//!
//! **What it does**: charges each released row the size of its class and each suppressed row the size of
//! the table: the sum of |E|² over released classes plus n · |E| over suppressed ones.
//! **Cost**: one addition per class.
//! **Example**: classes of 3 and 2 rows and one suppressed row of 6 cost 9 + 4 + 6 = 19.
//! **Reference**: Bayardo and Agrawal, *Data Privacy Through Optimal k-Anonymization* (2005).

/// The discernibility of released classes of these sizes in a table of so many rows. It is a whole number that
/// only a table beyond some four billion rows can take beyond 64 bits: there it stays at the highest.
pub(crate) fn of(sizes: impl Iterator<Item = u64>, rows: u64, unreleased: u64) -> u64 {
    let released: u128 = sizes.map(|size| u128::from(size).pow(2)).sum();
    let all = released + u128::from(rows) * u128::from(unreleased);
    u64::try_from(all).unwrap_or(u64::MAX)
}
