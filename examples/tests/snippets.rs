//! The Rust snippets of README.md and docs/library.md.

include!(concat!(env!("OUT_DIR"), "/snippets.rs"));
