//! What every room uses and none owns: errors, random numbers, cooling, open nodes, numbers for keys,
//! words.

mod cooling;
mod error;
mod numbering;
mod pool;
mod random;
#[cfg(test)]
mod test_random;
pub mod words;

pub(crate) use cooling::Cooling;
pub use error::{Error, ErrorKind, Result};
pub(crate) use numbering::Numbering;
pub(crate) use pool::{Bounded, Pool};
pub(crate) use random::Chance;
#[cfg(test)]
pub(crate) use test_random::Random;
