//! What every module uses and none owns: errors, random numbers, cooling, open nodes, numbers for keys,
//! hashing, words.

mod cooling;
mod error;
mod hashing;
mod numbering;
mod pool;
mod process_time;
mod random;
mod shuffling;
pub mod words;

pub(crate) use cooling::GeometricCooling;
pub use error::{Error, ErrorKind, Result};
pub use hashing::KeyedHashState;
pub(crate) use numbering::KeyNumbering;
pub(crate) use pool::{BoundedNode, NodePool};
pub use process_time::ProcessTime;
pub(crate) use random::SearchRng;
pub use shuffling::{ShuffleKey, Shuffler};
