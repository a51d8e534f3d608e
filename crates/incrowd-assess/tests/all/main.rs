//! The tests of what tables give away and releases are good for.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod classify;
mod common;
mod estimates;
mod queries;
mod risk;
