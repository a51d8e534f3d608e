//! All tests of the command in one binary, which links once. Pages in a browser are looked at by another.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "../common/mod.rs"]
mod common;

mod attack;
mod auto;
mod bad_input;
mod bias;
mod cells;
mod certificates;
mod codes;
mod commands;
mod compare;
mod corpus;
#[cfg(feature = "postgres")]
mod database;
mod dates;
mod decided;
mod documentation;
mod evaluate;
mod evaluate_metrics;
mod evaluate_statistics;
mod files;
mod forms;
mod gates;
mod growing;
mod hostile;
mod judge;
mod mu_argus;
mod numbers;
mod parity;
mod people;
mod records;
mod refine;
mod report;
mod requirements;
mod risk;
mod roles;
mod series;
mod serve;
mod shell;
mod structure;
mod terminal;
mod traps;
mod treatments;
mod units;
mod whole_release;
