//! An independent checker of anonymized releases.

mod error;
mod files;
mod intern;
mod judge;
mod label;
mod ladder;
mod models;
mod requirements;
mod truth;
mod tuples;
mod value;
mod verdict;
mod verifier;
mod wildcard;

pub use error::{Error, Place, Result, Source};
pub use files::{CsvOptions, verify_csv, verify_csv_against};
pub use label::Label;
pub use ladder::Ladder;
pub use requirements::{Distance, Model, Requirements, SensitiveModel};
pub use value::Missing;
pub use verdict::{
    Bucket, Comparison, Example, Field, ModelVerdict, OverallSource, Reading, Risk, Sizes, Verdict,
    Violation, ViolationKind,
};
pub use verifier::Verifier;
