//! Tables and releases in files: what they are like, what they give away, what they are good for, and whether
//! they keep what was asked of them.
//!
//! Each function reads its sources under a [`Control`](incrowd_engine::Control) and returns plain data that can be
//! serialized. What is computed in memory stands in [`incrowd_assess`].

mod attack;
mod classify;
mod evaluate;
mod linking;
mod queries;
mod reading;
mod refine;
mod risk;
mod share_shifts;
mod unique_columns;
mod usefulness;
mod verify;
mod verify_options;

pub use attack::{AttackSettings, attack_release, crowd_outside};
pub use classify::{ClassifyOptions, classification_of, classification_with_test};
pub use evaluate::{
    ClassSizeFacts, ColumnUtility, EvaluateOptions, Evaluation, MetricRefusal, QueryAccuracy,
    ReleaseMetrics, evaluate,
};
pub use incrowd_spec::first_spec::inspect_source;
pub use incrowd_verify::{ReferenceDistribution, Violation, ViolationKind};
pub use linking::{is_code, linking_of_left};
pub use queries::{QueryEvaluation, QueryOptions, queries_of};
pub use refine::{RefineReport, RefineScore, refine_release, refined_csv};
pub use risk::{LabelQuestions, quasi_columns, risk_of, wanted_for_risk, with_labels};
pub use usefulness::{LearningTables, learning_tables, statistics_of_table};
pub use verify::{verify_release, verify_release_in};
pub use verify_options::VerifyOptions;
