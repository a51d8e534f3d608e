//! What becomes of each row.

use incrowd_engine::release::RowDisposition;

/// The cell of a row, its joint target, and where it goes. The target is told only where it decides or somebody asks for it.
pub(crate) type RowAssignment = (u32, u32, RowDisposition);
