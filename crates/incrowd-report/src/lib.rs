//! Reports and charts of incrowd: see what a release costs and what it protects.
//!
//! Charts ([`chart`]) are static SVG, pages are single HTML files: no script, nothing loaded from anywhere,
//! readable in light, dark and print.

mod attack;
pub mod chart;
mod compare;
mod compare_page;
mod evaluate;
mod internal_page;
mod made;
mod page;
mod risk;
mod run;
mod run_html;
mod run_page;
mod shareable;
mod shared_page;
mod story;
mod trace;

pub use attack::{NamedAttack, attack_headline, attack_page, attacks_of, baseline_words};
pub use compare::{CompareStory, Contestant, Optimum, Sheet};
pub use compare_page::{compare_chart, compare_page};
pub use evaluate::{evaluation_lines, evaluation_page};
pub use made::Made;
pub use page::Page;
pub use risk::{counted_words, estimated_words, journalist_words, risk_page};
pub use run::{Moment, RunStory, percent};
pub use run_html::run_page;
pub use run_page::RunPage;
pub use shareable::{KEPT_BACK, shareable};
pub use trace::{NamedTrace, trace_chart};
