//! What every room uses and none owns: errors, random numbers, cooling, open nodes, numbers for keys,
//! hashing, words.

mod cooling;
mod error;
mod keyed;
mod numbering;
mod pool;
mod random;
mod shuffling;
#[cfg(test)]
mod test_random;
pub mod words;

pub(crate) use cooling::Cooling;
pub use error::{Error, ErrorKind, Result};
pub use keyed::Keyed;
pub(crate) use numbering::Numbering;
pub(crate) use pool::{Bounded, Pool};
pub(crate) use random::Chance;
pub use shuffling::{ShuffleKey, Shuffler};
#[cfg(test)]
pub(crate) use test_random::Random;
