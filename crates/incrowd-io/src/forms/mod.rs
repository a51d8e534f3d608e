//! What approvers file: checklists, report sections, descriptions and a record, all from the same facts.
//!
//! The facts of a release ([`Facts`]) are its spec, its file, its original where that is at hand, and the verdict of the
//! independent verifier. Forms tell columns and counts, and show no value of anybody.

mod croissant;
mod facts;
mod looks;
mod record;
mod regulators;
mod safe_harbor;

pub use croissant::croissant;
pub use facts::{Facts, FileFacts};
pub use record::{Approval, Entry, RecordCheck, append_record, check_record, read_record};
pub use regulators::{clinical_report, guidance, iso_27559};
pub use safe_harbor::{Attested, Checklist, Item, Standing, safe_harbor, safe_harbor_spec};
