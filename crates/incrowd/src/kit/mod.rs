//! What every room uses and none owns: errors, random numbers, words.

mod error;
mod pool;
mod random;
#[cfg(test)]
mod test_random;
pub mod words;

pub use error::{Error, ErrorKind, Result};
pub(crate) use pool::{Bounded, Pool};
pub(crate) use random::Chance;
#[cfg(test)]
pub(crate) use test_random::Random;
pub use words::thousands;
