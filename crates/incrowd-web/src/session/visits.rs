//! Who comes to the session, and whether anybody is there.

use std::time::{Duration, Instant};

use super::Session;
use crate::secret::same;

/// A code of one use works for so long.
const ENTRY: Duration = Duration::from_secs(60);

/// What is known of those who come.
#[derive(Debug, Default)]
pub(super) struct Visits {
    /// A code of one use, and since when there is one.
    once: Option<(String, Instant)>,
    /// When somebody was there last.
    seen: Option<Instant>,
}

impl Session {
    /// Somebody is there.
    pub(crate) fn seen(&self) {
        self.state().visits.seen = Some(Instant::now());
    }

    /// Whether it was ended, or nobody has been there for so long and nothing goes on.
    pub(crate) fn is_over(&self, idle: Duration) -> bool {
        let mut state = self.state();
        let seen = *state.visits.seen.get_or_insert_with(Instant::now);
        state.quit || (state.work.is_none() && seen.elapsed() > idle)
    }

    /// A code of one use, for a minute.
    pub(crate) fn admit(&self, code: &str) {
        self.state().visits.once = Some((code.to_owned(), Instant::now()));
    }

    /// Whether there is a code that has not been used yet.
    pub(crate) fn awaits_entry(&self) -> bool {
        self.state().visits.once.as_ref().is_some_and(|(_, since)| since.elapsed() < ENTRY)
    }

    pub(crate) fn is_admitted(&self, code: &str) -> bool {
        let mut state = self.state();
        let known = state.visits.once.as_ref().is_some_and(|(known, since)| {
            since.elapsed() < ENTRY && same(known.as_bytes(), code.as_bytes())
        });
        if known {
            state.visits.once = None;
        }
        known
    }
}
