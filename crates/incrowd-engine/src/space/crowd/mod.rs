//! What rows pay at least for standing in crowds, however they are grouped.
//!
//! A release in which every row stands in a class of at least k rows costs at least what its groups of rows would
//! cost at best: so what is proven here holds for local and regional recodings alike, whatever is demanded of
//! classes besides, as demands only raise the cost.

mod attribute_prices;
mod context;
mod dual_prices;
mod group_pricing;
mod own_boxes;
mod personal_minima;
mod proof;
mod repair;
mod restricted_master;
#[cfg(test)]
mod tests;

pub(crate) use attribute_prices::is_priced;
pub(crate) use own_boxes::{is_all_asked, own_boxes};
pub(crate) use proof::{LocalProof, ProofBudget, prove};
