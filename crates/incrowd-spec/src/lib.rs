//! The spec file: one run of incrowd, written down.
//!
//! A [`Spec`] is plain data. [`SpecFile`] is one that was read, with its text, so that whatever
//! turns out to be wrong later can still be shown where it is written:
//!
//! ```
//! use std::path::Path;
//! use incrowd_spec::{Role, SpecFile};
//!
//! let text = r#"
//! [data]
//! input = "patients.csv"
//! [columns.age]
//! role = "quasi"
//! [privacy]
//! k = 5
//! "#;
//! let file = SpecFile::parse(text, Path::new("spec.toml"))?;
//! assert_eq!(file.spec.columns_with(Role::Quasi).count(), 1);
//! let error = file.error_at(&["columns", "age"], "patients.csv has no column `age`");
//! assert!(error.to_string().contains("spec.toml:4:10"));
//! # Ok::<(), incrowd_data::Error>(())
//! ```
//!
//! Reading is a walk over the TOML tables by hand rather than by serde, because every message
//! should name the key, underline the characters and say how to mend them.

mod asked;
mod check;
mod context;
mod draft;
mod edit;
mod fields;
mod file;
mod given;
mod hierarchy;
mod init;
mod inspect;
mod json;
mod keywords;
mod model;
mod models;
mod names;
mod privacy;
mod ready;
mod rename;
mod risks;
mod schema;
mod short;
mod source;
mod toml_text;
mod walk;
mod word;
mod write;

#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;

pub use incrowd_data::{DateFormats, Treat, nearest, parse_age_day, parse_date_format, suggest};
use incrowd_data::{Error, Result};

pub use asked::{
    Algorithm, DEFAULT_METHOD, Failing, Goal, Metric, OptionValue, Ranges, Release, RowOrder,
    Suppressed,
};
pub use context::{Audience, Context, Harm, Knowledge, ToldContext};
pub use draft::{Draft, draft};
pub use edit::with_context;
pub use file::{Origin, SpecFile};
pub use given::Given;
pub use hierarchy::{
    Hierarchy, HierarchyRule, Members, Period, Prefix, TreeGroup, ValueGroup, parse_hierarchy,
    read_hierarchy,
};
pub use init::{ColumnFacts, GivenReading, Proposal, TableFacts, init_spec};
pub use inspect::inspect_source;
pub use json::{spec_from_json, spec_patched, spec_to_json};
pub use keywords::keywords;
pub use model::{
    ArgusSet, Column, DEFAULT_MISSING, Data, OtherColumns, Role, Spec, Summary, ValueType,
    is_database, missing_tokens,
};
pub use names::{Named, column_names};
pub use privacy::{
    Alpha, BetaKind, BetaLikeness, DeltaDisclosure, LDiversity, LKind, Privacy, ROW, Reference,
    TCloseness, TDistance,
};
pub use ready::Ready;
pub use risks::{MaxAtRisk, Presence, RiskLimits, rows_for_people};
pub use schema::spec_schema;
pub use short::{
    Bins, SuppressionLimit, duration_text, parse_assignment, parse_bins, parse_decimal_sign,
    parse_delimiter, parse_duration, parse_exact, parse_limit, parse_share,
};
pub use toml_text::key as toml_key;
pub use write::write_spec;
