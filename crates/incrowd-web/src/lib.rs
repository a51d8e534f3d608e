//! A local web application, from a table to a verified release.
//!
//! One session, and pages that hold no data. The state of the session is a [spec](incrowd_run::Spec): pages change it, the
//! session checks it and answers with what follows. What is computed is computed by the same functions that the command line
//! calls; here is no logic but that of the steps.
//!
//! Pages reach the session in one of two ways, and do not know which. With the feature `server` it is a server on the loopback
//! interface, for any number of tabs: `incrowd serve`. With `in-process` it is called directly: so a browser runs all of it in
//! one tab, from one file.

mod api;
#[cfg(feature = "server")]
mod assets;
#[cfg(feature = "server")]
mod browser;
#[cfg(feature = "server")]
mod connections;
#[cfg(feature = "server")]
mod guard;
#[cfg(feature = "in-process")]
mod in_process;
mod paths;
mod project;
mod results;
mod secret;
#[cfg(feature = "server")]
mod server;
mod session;

#[cfg(feature = "in-process")]
pub use in_process::{InProcess, Reply};
#[cfg(feature = "server")]
pub use server::{ServeOptions, Server};
