//! The options that ask for risks beyond k.

use std::path::PathBuf;

use clap::Args;

/// What is asked of risks beyond k.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct RiskLimitArgs {
    /// The highest risk of anybody: 0.2 is k = 5.
    #[arg(long, value_name = "RISK", help_heading = "Privacy beyond k")]
    pub(crate) max_risk: Option<String>,
    /// The highest average risk: classes divided by rows.
    #[arg(long, value_name = "RISK", help_heading = "Privacy beyond k")]
    pub(crate) max_average_risk: Option<String>,
    /// The most rows above a risk: 5%@0.2.
    #[arg(long, value_name = "SHARE@RISK", help_heading = "Privacy beyond k")]
    pub(crate) max_at_risk: Option<String>,
    /// Let k count people of this population (--population-weight).
    #[arg(long, value_name = "POPULATION", help_heading = "Privacy beyond k")]
    pub(crate) k_map: Option<PathBuf>,
    /// The population's column that says how many people a row is.
    #[arg(long, value_name = "COLUMN", help_heading = "Privacy beyond k")]
    pub(crate) population_weight: Option<String>,
    /// The same, estimated: the population's share in the table.
    #[arg(long, value_name = "SHARE", conflicts_with = "k_map", help_heading = "Privacy beyond k")]
    pub(crate) sampling_fraction: Option<String>,
    /// Which share of those who fit a class may be in the table: 0,0.5.
    #[arg(long, value_name = "LEAST,MOST", help_heading = "Privacy beyond k")]
    pub(crate) delta_presence: Option<String>,
    /// The most rows that only one of the population fits.
    #[arg(long, value_name = "SHARE", help_heading = "Privacy beyond k")]
    pub(crate) max_population_unique: Option<String>,
    /// k for every so many columns, not for all together.
    #[arg(long, value_name = "COLUMNS", help_heading = "Privacy beyond k")]
    pub(crate) known_columns: Option<u32>,
}
