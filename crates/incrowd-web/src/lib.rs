//! `incrowd serve`: a local web application, from a table to a verified release.
//!
//! A server on the loopback interface, one session with any number of tabs, pages that hold no data. The state of the
//! session is a [spec](incrowd_run::Spec): pages change it, the server checks it and answers with what follows. What is
//! computed is computed by the same functions that the command line calls; here is no logic but that of the steps.

mod api;
mod assets;
mod browser;
mod connections;
mod guard;
mod paths;
mod project;
mod results;
mod secret;
mod server;
mod session;

pub use server::{ServeOptions, Server};
