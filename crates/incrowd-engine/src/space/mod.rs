//! What searches share: the spaces that they look through, and how they move about in them.

pub(crate) mod blanking;
pub(crate) mod crowd;
pub(crate) mod cuts;
pub(crate) mod dive_rounds;
pub(crate) mod grouping;
pub(crate) mod known_columns;
pub(crate) mod proof_steps;
pub(crate) mod rows;
