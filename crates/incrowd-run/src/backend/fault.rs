//! Faults that tests bring in between writing a release and reading it back. In a program that is not built for tests there are
//! none.

use crate::{OutputFile, Result};

#[cfg(all(debug_assertions, unix))]
thread_local! {
    static STRIKES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs something whose written releases are tampered with before they are read back.
#[doc(hidden)]
#[cfg(all(debug_assertions, unix))]
pub fn tampering<T>(work: impl FnOnce() -> T) -> T {
    STRIKES.set(true);
    let done = work();
    STRIKES.set(false);
    done
}

/// Changes a byte of a written file if a test wants it: by [`tampering`], or by INCROWD_TEST_TAMPER in the environment.
#[cfg(all(debug_assertions, unix))]
pub(crate) fn strike(file: Option<&OutputFile>) -> Result<()> {
    let strikes = STRIKES.get() || std::env::var_os("INCROWD_TEST_TAMPER").is_some();
    file.filter(|_| strikes).map_or(Ok(()), OutputFile::tamper)
}

#[cfg(not(all(debug_assertions, unix)))]
pub(crate) fn strike(_: Option<&OutputFile>) -> Result<()> {
    Ok(())
}
