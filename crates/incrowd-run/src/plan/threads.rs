//! How many threads work.

use crate::{Error, Result};

/// Runs something on so many threads; on those that there are if nothing is said.
pub fn on_threads<T: Send>(threads: Option<u32>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build()
        .map_err(|e| Error::new(format!("cannot start {threads} threads: {e}")))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn work_is_done_on_as_many_threads_as_asked_for() {
        assert_eq!(on_threads(Some(3), rayon::current_num_threads).unwrap(), 3);
        assert_eq!(on_threads(None, || 7).unwrap(), 7);
    }
}
