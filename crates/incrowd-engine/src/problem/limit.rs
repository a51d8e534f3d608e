//! How many rows a release may leave out.

/// Most rows that may be suppressed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Limit {
    /// What suits the algorithm: for most of them no limit where the cost prices suppression.
    #[default]
    Default,
    /// So many rows.
    Rows(u64),
    /// A share of all rows, rounded down.
    Share(f64),
    /// All of them: no limit.
    All,
}

impl Limit {
    /// The limit as a number of rows, `default` where the user named none.
    pub fn rows(&self, rows: u64, default: u64) -> u64 {
        match *self {
            Limit::Default => default,
            Limit::Rows(limit) => limit.min(rows),
            // Slack, so that 2% of 50 rows is one row whatever the rounding.
            Limit::Share(share) => ((rows as f64 * share + 1e-9) as u64).min(rows),
            Limit::All => rows,
        }
    }
}
