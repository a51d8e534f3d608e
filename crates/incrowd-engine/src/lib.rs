//! The engine of incrowd: k-anonymization with as little information loss as possible.
//!
//! A record is safe when it stands in a crowd of at least k. The engine knows nothing of files,
//! networks or terminals. Data flows through it in this order:
//!
//! 1. [`Table`]: columns of dictionary codes. [`FrequencyCounts`]: the same for data too large to hold, or counted elsewhere.
//! 2. [`ProblemSpec`] and [`Problem`]: attributes with ordered domains and [hierarchies](Hierarchy), the distinct
//!    combinations with their counts, [privacy], [`Metric`] and [`Limit`].
//! 3. [`Method`], or [`AutoMethod`] to choose one: searches under a [`Control`], returns a [`Solution`] with an [`Outcome`].
//! 4. [`Release`]: the [`Recoding`] applied, with its classes, measures and labels; [`Recoder`] for rows in batches.
//!
//! The engine does not verify: releases in one go, verified, are made by the crate `incrowd-run`. What a table gives
//! away and what a release is good for is told by the crate `incrowd-assess`.
//!
//! ```
//! use incrowd_engine::{Algorithm, Control, Method, Problem, ProblemSpec, Release, SuppressionMode, Table};
//!
//! let table = Table::from_rows(
//!     &["age", "zip", "disease"],
//!     &[["25", "53711", "flu"], ["26", "53711", "cold"], ["27", "53710", "flu"], ["28", "53711", "gout"]],
//! )?;
//! let spec = ProblemSpec::new(2).quasi("age").quasi("zip");
//! let problem = Problem::of_table(&spec, &table)?;
//! let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::default())?;
//! let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).expect("four rows can hide in pairs");
//! // To compare with the table; `release.table` shuffles.
//! let released = release.table_in_order(&problem, &table, &["disease"])?;
//! assert_eq!(released.column("age").unwrap().value(0), "[25-26]");
//! assert_eq!(released.column("zip").unwrap().value(2), "[53710-53711]");
//! # Ok::<(), incrowd_engine::Error>(())
//! ```

pub mod auto;
pub mod cost;
mod kit;
pub mod method;
pub mod privacy;
pub mod problem;
pub mod recoding;
pub mod release;
pub mod search;
mod space;
pub mod structure;
pub mod table;
pub mod value;

pub use auto::{AutoMethod, MethodChoice};
pub use cost::Metric;
pub use kit::{Error, ErrorKind, KeyedHashState, ProcessTime, Result, ShuffleKey, Shuffler, words};
pub use method::{Algorithm, METHODS, Method};
pub use privacy::Model;
pub use problem::{AttributeSpec, Limit, Problem, ProblemSpec};
pub use recoding::{Recoding, SavedRecoding};
pub use release::{Recoder, Release, SuppressionMode};
pub use search::{CancelToken, Control, Event, Outcome, Solution, StopReason};
pub use table::{FrequencyCounts, Table};
pub use value::Hierarchy;
