//! The command `incrowd`.

mod census;
mod inspect;

fn main() {}
