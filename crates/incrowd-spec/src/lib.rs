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
//! should name the key, underline the characters and say how to fix them.

mod bins;
mod builtin_hierarchy;
mod check;
mod choices;
mod codecs;
mod column;
mod context;
mod data;
mod draft;
mod edit;
mod file;
mod hierarchy;
mod hierarchy_notation;
mod hierarchy_toml;
mod init;
mod inspect;
mod json;
mod keyword_forms;
mod keyword_value;
mod keywords;
mod model;
mod model_notation;
mod notation;
mod option_table;
mod options;
mod privacy;
mod rename;
mod risk_limits;
mod risk_notation;
mod schema;
mod sections;
mod toml_fields;
mod toml_reader;
mod toml_source;
mod toml_text;
mod toml_writer;
mod typed;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;

pub use incrowd_data::{DateFormats, MaskMethod, ZipCensus, nearest, suggest};
use incrowd_data::{Error, Result};

pub(crate) use bins::parse_bins;
pub use choices::KeywordChoice;
pub use column::{ArgusSet, ClassSummary, ColumnSection, Role, ValueType};
pub use context::{Audience, ContextAdvice, ContextSection, Harm, Knowledge};
pub use data::{DEFAULT_MISSING, DataSection, OtherColumns, is_database, missing_tokens};
pub use edit::with_context;
pub use file::{Origin, SpecFile};
pub(crate) use hierarchy::{DatePeriod, Hierarchy, HierarchyRule};
pub(crate) use init::{ColumnFacts, GivenReading, HierarchyProposal, TableFacts, init_spec};
pub use json::{spec_from_json, spec_patched, spec_to_json};
pub use keyword_value::KeywordValue;
pub use keywords::keywords;
pub use model::Spec;
pub use option_table::{OptionEntry, OptionGroup, OptionUse, ValueScope};
pub use options::options;
pub use privacy::{PrivacySection, ROW};
pub use schema::spec_schema;
pub use sections::{
    AlgorithmSection, DEFAULT_METHOD, FailingRows, GoalSection, LabelSource, Metric, OptionValue,
    RangeRounding, ReleaseSection, RowOrder, SuppressionMode,
};
pub(crate) use toml_text::key as toml_key;
pub use toml_writer::write_spec;
pub use typed::typed;

/// A first spec for a table.
pub mod first_spec {
    pub use crate::draft::{Draft, draft};
    pub use crate::init::{ColumnFacts, GivenReading, HierarchyProposal, TableFacts, init_spec};
    pub use crate::inspect::inspect_source;
}

/// Hierarchies: files, rules, trees.
pub mod hierarchies {
    pub use crate::builtin_hierarchy::BuiltinHierarchy;
    pub use crate::hierarchy::{
        DatePeriod, GroupMembers, Hierarchy, HierarchyRule, PrefixLengths, TreeGroup, ValueGroup,
    };
    pub use crate::hierarchy_toml::{parse_hierarchy, read_hierarchy};
}

/// Models and risks beyond k.
pub mod models {
    pub use crate::privacy::{
        AlphaAnonymity, BetaKind, BetaLikeness, DeltaDisclosure, LDiversity, LKind,
        ReferenceDistribution, TCloseness, TDistance,
    };
    pub use crate::risk_limits::{RiskLimits, rows_for_people};
    pub use crate::risk_notation::{DeltaPresence, MaxAtRisk};
}

/// Values as people type them.
pub mod parsing {
    pub use crate::bins::{Bins, parse_bins};
    pub use crate::choices::column_names;
    pub use crate::notation::{
        SuppressionLimit, duration_text, parse_assignment, parse_decimal_sign, parse_delimiter,
        parse_duration, parse_exact, parse_limit, parse_share,
    };
    pub use crate::toml_text::key as toml_key;
    pub use incrowd_data::{parse_age_day, parse_date_format};
}
