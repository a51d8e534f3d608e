//! What every room uses and none owns: errors, random numbers, words, the contact of a search with the world.

mod control;
mod error;
mod herald;
mod pool;
mod random;
#[cfg(test)]
mod test_random;
pub(crate) mod words;

pub use control::{Deadline, Never, News, Observe, Silent, Stop, StopReason, Watch};
pub use error::{Error, Result};
pub(crate) use herald::Herald;
pub(crate) use pool::{Bounded, Pool};
pub(crate) use random::Chance;
#[cfg(test)]
pub(crate) use test_random::Random;
pub use words::thousands;
