//! Watching a search: when to stop, how far it is, what it has found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Why a search was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Its time was up.
    TimeLimit,
    /// The user interrupted it.
    Cancelled,
}

/// A reason to stop, asked for often.
pub trait Stop: Sync {
    /// Why the search must stop now, if it must.
    fn stop(&self) -> Option<StopReason>;
}

/// Never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl Stop for Never {
    fn stop(&self) -> Option<StopReason> {
        None
    }
}

/// Stops when time is up.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline that long from now.
    pub fn after(time: Duration) -> Self {
        // A time too long to count is no deadline that anybody will see.
        Deadline(
            Instant::now()
                .checked_add(time)
                .unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 30)),
        )
    }
}

impl Stop for Deadline {
    fn stop(&self) -> Option<StopReason> {
        (Instant::now() >= self.0).then_some(StopReason::TimeLimit)
    }
}

/// Stops when the flag is up.
impl Stop for AtomicBool {
    fn stop(&self) -> Option<StopReason> {
        self.load(Ordering::Relaxed).then_some(StopReason::Cancelled)
    }
}

/// Stops when either does.
impl<A: Stop, B: Stop> Stop for (A, B) {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop().or_else(|| self.1.stop())
    }
}

impl<S: Stop + ?Sized> Stop for &S {
    fn stop(&self) -> Option<StopReason> {
        (**self).stop()
    }
}

impl<S: Stop> Stop for Option<S> {
    fn stop(&self) -> Option<StopReason> {
        self.as_ref().and_then(Stop::stop)
    }
}

/// News of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum News {
    /// How much is done, from 0 to 1, of the work that can be foreseen.
    Progress(f64),
    /// A better solution was found, at this cost.
    Improved {
        /// Its cost.
        cost: f64,
    },
    /// No solution costs less than this.
    Bound(f64),
    /// How many nodes have been looked at.
    Nodes(u64),
}

/// Somebody who wants to hear news.
pub trait Observe: Sync {
    /// Called from any thread, often.
    fn news(&self, news: News);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observe for Silent {
    fn news(&self, _: News) {}
}

/// A search's only contact with the world: when to stop and whom to tell.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    stop: &'a dyn Stop,
    observer: &'a dyn Observe,
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { stop: &Never, observer: &Silent }
    }
}

impl<'a> Watch<'a> {
    /// A watch over a stop condition and an observer.
    pub fn new(stop: &'a dyn Stop, observer: &'a dyn Observe) -> Self {
        Watch { stop, observer }
    }

    /// Why the search must stop now, if it must.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop.stop()
    }

    /// The same stop condition, with nobody to tell: for a search within a search.
    pub(crate) fn silent(&self) -> Self {
        Watch { stop: self.stop, observer: &Silent }
    }

    /// Passes news on.
    pub fn tell(&self, news: News) {
        self.observer.news(news);
    }
}
