//! An independent checker of anonymized releases.
//!
//! A release is judged from what everybody can see of it: its rows, read as strings. This crate
//! shares no code with the engine that made the release, so a mistake there cannot hide here. It
//! can be pointed at a release from any tool.
//!
//! ```
//! use incrowd_verify::{CsvOptions, Model, Requirements, SensitiveModel, verify_csv_against};
//!
//! let original = "name,age,sex,disease\n\
//!                 Ann,25,f,flu\n\
//!                 Bea,27,f,cold\n\
//!                 Cid,31,m,flu\n";
//! let release = "age,sex,disease\n\
//!                [25-27],f,cold\n\
//!                [25-27],f,flu\n";
//!
//! let mut requirements = Requirements::new(2, ["age", "sex"]);
//! requirements.identifying = vec!["name".to_owned()];
//! requirements.models = vec![SensitiveModel::new("disease", Model::DistinctL(2))];
//!
//! let csv = CsvOptions::default();
//! let verdict =
//!     verify_csv_against(release.as_bytes(), &csv, original.as_bytes(), &csv, &requirements)?;
//! assert!(verdict.holds);
//! assert_eq!(verdict.k, Some(2));
//! assert_eq!(verdict.original.map(|original| original.suppressed), Some(1));
//!
//! // A class of one row, and a value that does not contain the original one.
//! let broken = release.replacen("[25-27]", "[30-39]", 1);
//! let verdict =
//!     verify_csv_against(broken.as_bytes(), &csv, original.as_bytes(), &csv, &requirements)?;
//! assert!(!verdict.holds);
//! assert!(verdict.to_string().contains("the nearest original row 2 has age = `27`"));
//! # Ok::<(), incrowd_verify::Error>(())
//! ```
//!
//! Rows that are not in a CSV file are handed over one by one to a [`Verifier`]. Where a database has
//! counted equal rows already, they are handed over with their counts; where rows lie on several
//! machines, each collects its part and the parts are [merged](Verifier::merge).
//!
//! # From the release alone
//!
//! Rows whose quasi-identifiers are the same strings form a *class*. The [`Verdict`] tells the
//! largest k for which the release is k-anonymous (the smallest class), the distribution of class
//! sizes, re-identification risks, what each sensitive column reaches under each [`Model`] asked
//! for, whether an identifying column leaked, and every requirement that is not met with the worst
//! classes, their released values and the numbers of their rows. Row 1 is the first below the
//! header.
//!
//! `*` is a value like any other unless [`Requirements::wildcards`] asks for the weaker reading in
//! which it matches anything: then k is the smallest *crowd*, the number of rows that a row agrees
//! with in every column in which neither is `*`. Models, class sizes and risks are those of equal
//! rows under both readings. The verdict says which reading was used.
//!
//! # With the original
//!
//! There must be a way to assign to every released row an original row of its own such that every
//! released quasi-identifier contains the original value and all other columns that both tables
//! have are equal. Rows may come in any order, and original rows may remain (they were suppressed).
//! Whether such a way exists is decided exactly, by a maximum flow, also where released boxes
//! overlap as in local recoding.
//!
//! | released value | contains |
//! | --- | --- |
//! | `*` | everything, missing values too |
//! | a label of the column's [`LabelHierarchy`] | the values under it |
//! | `[a-b]` | the numbers from a to b, compared as doubles; no missing value |
//! | `{a, b}` | these values (or those under these labels); `,` `{` `}` `"` and outer spaces need `"a, b"` |
//! | `2018-04-03`, `2018-W14`, `2018-04`, `2018-Q2`, `2018`, `2010s`, `2018-04-03T10h` where [dates](Requirements::dates) are | the dates and times in it |
//! | `[2018-04 to 2018-09]`, `[2018-04-03T10:00 to 2018-04-03T14:59]` there | from the begin of the first unit to the end of the last |
//! | what other tools write: `20-30`, `[20, 30)`, `(19,30]`, `<=30`, `537xx`, `a\|b`, ... | see [`LabelSpelling`] |
//! | a missing value in a column that misses none in the original | everything: it was suppressed |
//! | anything else | that value |
//! | `NAME_min` and `NAME_max` in place of `NAME` | as `[min-max]`, or the value if both are the same |
//!
//! Every label also contains the original value that is written like it. Values are equal when
//! they are the same string up to outer white space, the same decimal number (`1.50` and `1.5`) or
//! both missing ([`MissingTokens`]). Columns that hold something else, such as means, can be listed in
//! [`Requirements::unchecked`]; the verdict says so.
//!
//! # Speed
//!
//! Memory grows with distinct combinations: about 60 bytes per class of eight quasi-identifiers.
//! A million rows of nine columns take less than half a second of one core to judge, and some
//! seconds to compare with their original (`cargo run --release --example speed`).

mod bulk_collector;
mod class_cache;
mod collected_tables;
mod column_format;
mod columns;
mod date;
mod date_units;
mod error;
mod files;
mod functional_dependency;
mod hierarchy;
mod intern;
mod judge;
mod keyed_hash;
mod known_columns;
mod label;
mod label_refinement;
mod linked_rows;
mod merge;
mod models;
mod narrowed_classes;
mod number;
mod original_rows;
mod records;
mod refinement;
mod repeated_subjects;
mod requirements;
mod risk_judge;
mod risks;
mod row_numbering;
mod spelling;
mod subject_risks;
mod truth;
mod tuples;
mod value;
mod verdict;
mod verifier;
mod verifier_state;
mod wildcard;

pub use column_format::{ColumnFormat, Transformation};
pub use date::DateForm;
pub use error::{Error, InputPosition, InputTable, Result};
pub use files::{read_csv, verify_csv, verify_csv_against};
pub use functional_dependency::{DependencyFinder, FunctionalDependency};
pub use hierarchy::LabelHierarchy;
pub use label::Label;
pub use label_refinement::{ColumnRefinement, LabelRefinement, RefinementFigures};
pub use linked_rows::{LinkedVerdict, LinkedVerifier, remaining};
pub use number::{Number, NumberStyle};
pub use records::CsvOptions;
pub use refinement::{ImpliedValues, sure_values};
pub use requirements::{Distance, Model, ReferenceDistribution, Requirements, SensitiveModel};
pub use risks::{Population, RiskBounds, RiskRequirement, RiskVerdict};
pub use spelling::{LabelSpelling, MaskPiece, RangeEnd};
pub use truth::{ColumnContainment, ColumnReader, LabelCover};
pub use value::{MissingTokens, value_form};
pub use verdict::{
    ColumnValue, ModelVerdict, OriginalComparison, OverallSource, Risk, SizeBucket,
    SizeDistribution, Verdict, Violation, ViolationExample, ViolationKind, WildcardReading,
};
pub use verifier::Verifier;
pub use verifier_state::VerifierState;
