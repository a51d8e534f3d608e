//! All tests of the engine in one binary, which links once: `cargo test -p incrowd --test all provers::`
//! runs those of one file.

#[path = "../common/mod.rs"]
mod common;

mod adult;
mod auto;
mod best_local;
mod bias;
mod cellwise;
mod certificates;
mod dates;
mod few_blanks;
mod golden;
mod k_optimize;
mod lattice;
mod local;
mod long_sets;
mod mixed;
mod mu_argus;
mod narrowing;
mod numbers;
mod people;
mod picture;
mod properties;
mod provers;
mod quality;
mod ranges;
mod regressions;
mod risks;
mod safe_labels;
mod seams;
mod search;
mod spelling;
mod structure;
mod units;
