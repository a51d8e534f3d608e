//! Questions about many releases, none of which is written.

pub(crate) mod frontier;
pub(crate) mod hierarchy_tools;
pub(crate) mod series;
pub(crate) mod structure;
pub(crate) mod trial;
