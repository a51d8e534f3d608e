//! The command line as it was typed: reports and help show it again.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

static TYPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the command line.
pub(crate) fn remember(args: &[OsString]) {
    let args = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    *TYPED.lock().unwrap_or_else(PoisonError::into_inner) = args;
}

/// The command line, the name of the program first.
pub(crate) fn typed() -> Vec<String> {
    TYPED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
