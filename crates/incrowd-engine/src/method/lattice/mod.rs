//! Full-domain generalization: every column is released at one level of its hierarchy throughout.
//!
//! The ways to do that form a lattice ([`levels`]). All algorithms here share one context: the
//! classes of a node, rolled up from those of a more specific one ([`frequencies`]), and what they are
//! worth ([`judge`]).

mod bottom_up;
mod context;
mod datafly;
mod dive;
mod evaluator;
mod exhaustive;
mod frequencies;
mod incognito;
mod levels;
mod mingen;
mod price;
mod ranking;
mod samarati;
mod search;
mod taxonomy;
mod top_down;
mod walk;

pub use bottom_up::BottomUp;
pub use datafly::Datafly;
pub use incognito::Incognito;
pub use mingen::{Distortion, MinGen};
pub use samarati::{MinimalNodes, Samarati};
pub use search::{FrontierScope, Lattice};
pub use top_down::TopDown;

pub(super) use bottom_up::INFO as BOTTOM_UP;
pub(super) use datafly::INFO as DATAFLY;
pub(super) use incognito::INFO as INCOGNITO;
pub(super) use mingen::INFO as MINGEN;
pub(super) use samarati::INFO as SAMARATI;
pub(super) use search::INFO as LATTICE;
pub(super) use top_down::INFO as TOP_DOWN;
