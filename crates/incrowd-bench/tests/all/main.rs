//! The benchmarks, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod adult;
mod bad_input;
mod common;
mod local;
