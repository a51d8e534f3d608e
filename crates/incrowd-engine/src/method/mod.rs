//! The algorithms and their registry.
//!
//! An algorithm is one file or folder that nobody but the `registry` imports. What the registry says of it
//! (name, what it does, its options) drives the command line, its help and the docs alike. From the bottom up:
//! `options` are what command line and spec files know of a method; `settings` are the same as types;
//! `algorithm` is what an algorithm is; then come the algorithms, and the registry of them.

mod algorithm;
pub(crate) mod k_trials;
pub(crate) mod limit_trials;
mod options;
mod recoding_model;
mod registry;
mod settings;
#[cfg(test)]
mod tests;

mod anneal;
mod balanced;
mod best_local;
mod cells;
mod climb;
mod cluster;
mod cover;
mod genetic;
mod handle;
mod k_optimize;
mod lattice;
mod mondrian;
mod mu_argus;
mod optimal;
mod recode_and_blank;
mod same_box;

pub use algorithm::{Algorithm, MethodInfo};
pub use options::{OptionInfo, OptionValues};
pub use recoding_model::RecodingModel;
pub use registry::{METHODS, Method};
pub use settings::{CutFreedom, Settings};

pub use anneal::{AllowedGroups, Anneal};
pub use balanced::BalancedSuppression;
pub use best_local::{BestLocal, LabelPricing};
pub use cells::{CellSuppression, CrowdSource};
pub use climb::{Climb, ClimbStrategy};
pub use cluster::{Cluster, ClusterDirection};
pub use cover::Cover;
pub use genetic::Genetic;
pub use handle::{Incumbent, SearchHandle};
pub use k_optimize::KOptimize;
pub use lattice::{
    BottomUp, Datafly, Distortion, FrontierScope, Incognito, Lattice, MinGen, MinimalNodes,
    Samarati, TopDown,
};
pub use mondrian::Mondrian;
pub use mu_argus::{MuArgus, RareValues};
pub use optimal::Optimal;
pub use recode_and_blank::RecodeAndBlank;
pub use same_box::SameBox;

pub use crate::space::cuts::CutRules;
pub use crate::space::rows::{
    DimensionRule, HierarchyCuts, LookAhead, PartitionMode, SplitCriterion,
};
