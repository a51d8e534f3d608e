//! All tests of the verifier in one binary, which links once.

#[path = "../common/mod.rs"]
mod common;

mod adult;
mod broken;
mod input;
mod parts;
mod properties;
mod risks;
mod spellings;
mod units;
mod valid;
