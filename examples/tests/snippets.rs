//! The Rust snippets of README.md and docs/guides/rust.md.

include!(concat!(env!("OUT_DIR"), "/snippets.rs"));
