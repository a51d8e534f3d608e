//! What a comparison is asked.

use std::time::Duration;

use incrowd_engine::{Method, MethodChoice};

/// A method that takes part.
pub(super) struct RequestedMethod {
    /// Its name with the options as given.
    pub(super) label: String,
    pub(super) method: MethodChoice,
}

impl RequestedMethod {
    /// Whether it goes on until its cost is proven.
    pub(super) fn proves(&self) -> bool {
        matches!(self.method, MethodChoice::Named(Method::Optimal(_) | Method::KOptimize(_)))
    }

    /// The method with all its options, those not given included.
    pub(super) fn identity(&self) -> String {
        format!("{:?}", self.method)
    }
}

/// A comparison as it is run.
pub(super) struct ComparisonRequest<'a> {
    pub(super) entrants: &'a [RequestedMethod],
    /// Ascending.
    pub(super) ks: Vec<u64>,
    pub(super) time_limit: Option<Duration>,
}
