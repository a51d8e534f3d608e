//! Reports and charts of incrowd: see what a release costs and what it protects.
//!
//! Charts ([`chart`]) are static SVG, pages are single HTML files: no script, nothing loaded from anywhere,
//! readable in light, dark and print.

mod attack;
pub mod chart;
mod compare;
mod compare_page;
mod evaluate;
mod form_page;
mod gate;
mod internal_page;
mod page;
mod percent;
mod provenance;
mod risk;
mod run;
mod run_html;
mod run_page;
mod shareable;
mod shared_page;
mod story;
mod trace;
mod usefulness;

pub use attack::{
    NamedAttack, PRECISION_HEAD, attack_headline, attack_page, attacks_of, baseline_words,
    precision_rows,
};
pub use compare::{CompareStory, CostBound, MethodSeries, PageTable};
pub use compare_page::{compare_chart, compare_page};
pub use evaluate::{evaluation_lines, evaluation_page, statistics_lines};
pub use form_page::form_page;
pub use gate::{GateCheck, GateReport};
pub use page::Page;
pub use percent::percent;
pub use provenance::PageProvenance;
pub use risk::{
    counted_words, estimated_words, journalist_words, labels_words, outside_words, risk_page,
};
pub use run::{RunStory, SearchMoment};
pub use run_html::run_page;
pub use run_page::RunPage;
pub use shareable::{KEPT_BACK, shareable};
pub use trace::{NamedTrace, trace_chart};
