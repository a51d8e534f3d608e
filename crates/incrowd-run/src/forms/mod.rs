//! What approvers file: checklists, report sections, descriptions and a record, all from the same facts.
//!
//! The facts of a release ([`Facts`]) are its spec, its file, and what may be shared of it
//! ([`Shareable`](crate::Shareable)) with the verdict of the independent verifier. Forms tell columns and counts, show no value
//! of anybody, and read the same whatever values suppressed people have.

mod croissant;
mod facts;
mod looks;
mod record;
mod regulators;
mod safe_harbor;

pub use croissant::croissant;
pub use facts::{Facts, FileFacts, KeyedFile};
pub use record::{
    Approval, Entry, RecordCheck, RecordedCheck, RecordedOriginal, append_record, check_record,
    read_record,
};
pub use regulators::{clinical_report, guidance, iso_27559};
pub use safe_harbor::{Attested, Checklist, Item, Standing, safe_harbor, safe_harbor_spec};
