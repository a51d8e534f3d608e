//! How a table is cut into parts.

/// Whether equal values stay together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartitionMode {
    /// They do.
    #[default]
    Strict,
    /// Rows at the median may go to either side.
    Relaxed,
}

/// Where attributes with a hierarchy are cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HierarchyCuts {
    /// Between the children of the lowest node above the values.
    #[default]
    Tree,
    /// Between any two neighbours in the order of the leaves.
    Order,
}

/// Which attribute a part is cut along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DimensionRule {
    /// The widest one for cuts at the median, else the one whose cut is best.
    #[default]
    Auto,
    /// The one in which the part is widest, relative to the whole domain and times its weight.
    Range,
    /// The one whose cut leaves the least penalty.
    Penalty,
    /// The one whose values tell most: of largest entropy, times its weight.
    Entropy,
}

/// Where an attribute is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SplitCriterion {
    /// At the median.
    #[default]
    Median,
    /// Where the least penalty is left, of all cuts that are allowed.
    Penalty,
    /// Where the classes are told apart best.
    Purity,
}

/// Whether the cuts that follow decide on a cut, where the least penalty is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// In small parts, where it costs little and helps most.
    #[default]
    Small,
    /// Never.
    Off,
    /// Always.
    All,
}

/// How a table is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PartitionRules {
    pub(crate) mode: PartitionMode,
    pub(crate) along: HierarchyCuts,
    pub(crate) dimension: DimensionRule,
    pub(crate) cut: SplitCriterion,
    pub(crate) ahead: LookAhead,
    /// Parts of at most so many pieces are not cut any further.
    pub(crate) enough: usize,
}

impl PartitionRules {
    /// Whether penalties are asked for.
    pub(crate) fn price(&self) -> bool {
        self.cut == SplitCriterion::Penalty || self.dimension == DimensionRule::Penalty
    }
}
