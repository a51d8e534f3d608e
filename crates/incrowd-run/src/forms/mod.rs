//! What approvers file: checklists, report sections, descriptions and a record, all from the same facts.
//!
//! The facts of a release ([`ReleaseFacts`]) are its spec, its file, and what may be shared of it
//! ([`Shareable`](crate::ShareableSummary)) with the verdict of the independent verifier. Forms tell columns and counts, show no value
//! of anybody, and read the same whatever values suppressed people have.

mod attack_figures;
mod croissant;
mod expert;
mod facts;
mod identifier_detection;
mod intruder;
mod phrases;
mod record;
mod regulators;
mod safe_harbor;
#[cfg(test)]
mod tests;
mod value_patterns;
mod value_scan;
mod word_lists;

pub use croissant::croissant;
pub use expert::expert_determination;
pub use facts::{FileDigest, KeyedDigest, ReleaseFacts};
pub use intruder::motivated_intruder;
pub use record::{
    Approval, RecordCheck, RecordEntry, RecordedCheck, RecordedOriginal, append_record,
    check_record, read_record,
};
pub use regulators::{clinical_report, iso_27559};
pub use safe_harbor::{
    Attestation, Checklist, ChecklistItem, ItemStatus, safe_harbor, safe_harbor_spec,
};
