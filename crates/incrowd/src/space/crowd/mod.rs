//! What rows pay at least for standing in crowds, however they are grouped.
//!
//! A release in which every row stands in a class of at least k rows costs at least what its groups of rows would
//! cost at best: so what is proven here holds for local and regional recodings alike, whatever is demanded of
//! classes besides, as demands only raise the cost.

mod dual;
mod ground;
mod hunt;
mod minima;
mod prices;
mod program;
mod proof;
mod repair;
#[cfg(test)]
mod tests;

pub(crate) use prices::is_priced;
pub(crate) use proof::{LocalProof, Work, prove};
