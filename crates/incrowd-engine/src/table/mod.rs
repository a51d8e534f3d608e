//! Tables as the engine sees them: columns of dictionary codes, and the distinct combinations with their counts.

mod codebook;
mod counter;
mod counts;
mod dictionary;
mod profiles;
#[allow(clippy::module_inception, reason = "the type is the module's subject")]
mod table;
mod value;

pub use codebook::Codebook;
pub use counter::ProfileCounter;
pub use counts::FrequencyCounts;
pub use dictionary::Dictionary;
pub use profiles::{CodeColumn, ProfileIndex, Profiles, UNSEEN};
pub(crate) use profiles::{GatheredProfiles, JointIndex};
pub use table::{Column, Table};
pub use value::Value;
