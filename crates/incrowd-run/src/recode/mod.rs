//! The second pass: rows become what their classes are released as.

pub(crate) mod columns;
pub(crate) mod combinations;
pub(crate) mod fate;
pub(crate) mod finish;
pub(crate) mod follower;
pub(crate) mod losses;
pub(crate) mod pass;
pub(crate) mod release_plan;
pub(crate) mod saved;
pub(crate) mod seen;
pub(crate) mod watch;
