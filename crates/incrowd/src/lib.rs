//! k-anonymization with as little information loss as possible.
//!
//! A record is safe when it stands in a crowd of at least k. [`Anonymize`] takes a table in memory, a file of any size or Arrow
//! batches, finds the release that loses least, and lets nothing out that has not passed every check: only columns that were
//! named, rows in an order that says nothing, every requirement counted again by a verifier that shares no code with the search.
//!
//! ```
//! use incrowd::{Anonymize, Model, Table};
//!
//! let rows = [
//!     ["Ann", "25", "53711", "flu"],
//!     ["Bob", "26", "53711", "cold"],
//!     ["Cid", "27", "53710", "flu"],
//!     ["Dot", "28", "53711", "gout"],
//! ];
//! let table = Table::from_rows(&["name", "age", "zip", "disease"], &rows)?;
//! let done = Anonymize::new(&table)
//!     .k(2)
//!     .quasi(["age", "zip"])
//!     .identifying(["name"])
//!     .sensitive("disease", Model::DistinctL { l: 2 })
//!     .run()?;
//! assert!(done.verdict()?.holds);
//! assert_eq!(done.table()?.names(), ["age", "zip", "disease"]);
//! # Ok::<(), incrowd::Error>(())
//! ```
//!
//! The parts are crates of their own: [`engine`] searches and does not verify, [`verify`] checks releases and nothing else,
//! [`assess`] tells what a table gives away and what a release is good for, [`run`] has spec files, comparisons and forms.

pub use incrowd_assess as assess;
pub use incrowd_engine as engine;
pub use incrowd_run as run;
pub use incrowd_verify as verify;

pub use incrowd_data::{Input, MemoryTable, ReadOptions, Source};
pub use incrowd_engine::problem::HierarchySource;
pub use incrowd_engine::{
    AttributeSpec, AutoMethod, CancelToken, Control, Event, Hierarchy, Limit, METHODS, Method,
    Metric, Model, SuppressionMode, Table,
};
pub use incrowd_run::spec::models::RiskLimits;
pub use incrowd_run::{
    AnonymizationResult, Anonymize, Error, ErrorKind, Result, RunReport, SearchStatus, Warning,
    hierarchy_from, table_from,
};
pub use incrowd_verify::Verdict;
