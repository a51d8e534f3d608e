//! A search's only contact with the world: when to stop, whom to tell.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::ProofLog;
use crate::recoding::Recoding;

/// Why a search was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Its time was up.
    TimeLimit,
    /// The user interrupted it.
    Cancelled,
}

/// Ends whatever holds a clone of it.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// One that has not been used.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everybody who holds a clone to end soon. Can be called from any thread, and more than once.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunPhase {
    /// Reading and counting.
    Read,
    /// Searching.
    Solve,
    /// Recoding and writing.
    Write,
    /// Reading back and verifying.
    Verify,
}

/// What happens on the way, told as it happens.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A step of a run has begun.
    Phase(RunPhase),
    /// One of several like parts of the work has begun, such as a method of a comparison.
    Part {
        /// What it is called.
        name: String,
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A part is done: a sentence about it.
    PartDone(String),
    /// A pass over data has come so far.
    Data {
        /// Bytes that are done with.
        bytes: u64,
        /// All of them.
        total: u64,
        /// Rows that are done with.
        rows: u64,
    },
    /// The search ends after this time at the latest.
    TimeLimit(Duration),
    /// How much is done, from 0 to 1, of the work that can be foreseen.
    Progress(f64),
    /// A better solution was found.
    Improved {
        /// Its cost.
        cost: f64,
        /// The solution itself, for a listener [with incumbents](Control::with_incumbents), where the method
        /// can tell it before it ends.
        incumbent: Option<Arc<Recoding>>,
    },
    /// No solution costs less than this.
    Bound(f64),
    /// How many nodes have been looked at.
    Nodes(u64),
}

type StopCondition = Arc<dyn Fn() -> Option<StopReason> + Send + Sync>;
type EventListener = Arc<dyn Fn(&Event) + Send + Sync>;

/// When to stop and whom to tell. It is owned and can be sent: one clone steers a search on another thread.
///
/// ```
/// use incrowd_engine::search::{CancelToken, Control, Event};
/// let cancel = CancelToken::new();
/// let control = Control::new()
///     .with_cancel(&cancel)
///     .with_time_limit(std::time::Duration::from_secs(60))
///     .with_listener(|event| if let Event::Bound(bound) = event { println!("at least {bound}") });
/// assert!(control.stop().is_none());
/// cancel.cancel();
/// assert!(control.stop().is_some());
/// ```
#[derive(Clone, Default)]
pub struct Control {
    cancel: CancelToken,
    deadline: Option<Instant>,
    stop: Option<StopCondition>,
    listener: Option<EventListener>,
    incumbents: bool,
    proof: Option<ProofLog>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("cancelled", &self.cancel.is_cancelled())
            .field("deadline", &self.deadline)
            .field("listened_to", &self.listener.is_some())
            .finish_non_exhaustive()
    }
}

impl Control {
    /// Never stops, tells nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, ended by this.
    #[must_use]
    pub fn with_cancel(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// The same, for so long from now at most, if there is a limit; an earlier deadline stays.
    #[must_use]
    pub fn with_time_limit(mut self, time: impl Into<Option<Duration>>) -> Self {
        // A time too long to count is no deadline that anybody will see.
        let deadline = time.into().and_then(|time| Instant::now().checked_add(time));
        self.deadline = match (self.deadline, deadline) {
            (Some(earlier), Some(new)) => Some(earlier.min(new)),
            (earlier, new) => earlier.or(new),
        };
        self
    }

    /// The same, ended also when this says so. It is asked often and from any thread.
    #[must_use]
    pub fn with_stop(
        mut self,
        stop: impl Fn() -> Option<StopReason> + Send + Sync + 'static,
    ) -> Self {
        self.stop = Some(match self.stop.take() {
            None => Arc::new(stop),
            Some(before) => Arc::new(move || before().or_else(&stop)),
        });
        self
    }

    /// The same with somebody who hears the events, after those who heard them before. It is called from any
    /// thread, often.
    #[must_use]
    pub fn with_listener(mut self, listener: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.listener = Some(match self.listener.take() {
            None => Arc::new(listener),
            Some(before) => Arc::new(move |event| {
                before(event);
                listener(event);
            }),
        });
        self
    }

    /// The same; [`Event::Improved`] carries the solution. It costs the time to write the solution down.
    #[must_use]
    pub fn with_incumbents(mut self) -> Self {
        self.incumbents = true;
        self
    }

    /// The same for a search that is to write its argument down, if it can.
    #[must_use]
    pub fn with_proof(mut self, log: ProofLog) -> Self {
        self.proof = Some(log);
        self
    }

    /// The same for a search whose argument nobody wants.
    #[must_use]
    pub fn without_proof(&self) -> Self {
        Control { proof: None, ..self.clone() }
    }

    /// Where the search is to write its argument.
    pub(crate) fn proof(&self) -> Option<&ProofLog> {
        self.proof.as_ref()
    }

    /// The same for work that must come to its end although the user has ended what came before.
    #[must_use]
    pub fn to_the_end(&self) -> Self {
        Control { cancel: CancelToken::new(), deadline: None, stop: None, ..self.clone() }
    }

    /// The same stop conditions, with nobody to tell: for a search within a search.
    #[must_use]
    pub fn silent(&self) -> Self {
        Control { listener: None, incumbents: false, proof: None, ..self.clone() }
    }

    /// The same for a part of the work, whose events are told as this changes them, if it passes them on.
    #[must_use]
    pub(crate) fn heard_through(
        &self,
        change: impl Fn(&Event) -> Option<Event> + Send + Sync + 'static,
    ) -> Self {
        let listener = self.listener.clone().map(|listener| -> EventListener {
            Arc::new(move |event| {
                if let Some(event) = change(event) {
                    listener(&event);
                }
            })
        });
        Control { listener, ..self.clone() }
    }

    /// Why the work must stop now, if it must.
    pub fn stop(&self) -> Option<StopReason> {
        if self.cancel.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::TimeLimit);
        }
        self.stop.as_ref().and_then(|stop| stop())
    }

    /// Whether the user has ended the work. Time limits are for searches; other work goes on.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
            || self.stop.as_ref().is_some_and(|stop| stop() == Some(StopReason::Cancelled))
    }

    /// Tells an event to whoever listens.
    pub fn tell(&self, event: Event) {
        if let Some(listener) = &self.listener {
            listener(&event);
        }
    }

    /// Tells of a better solution; it is written down only if somebody wants to see it.
    pub(crate) fn improved(&self, cost: f64, incumbent: impl FnOnce() -> Recoding) {
        if let Some(listener) = &self.listener {
            let incumbent = self.incumbents.then(|| Arc::new(incumbent()));
            listener(&Event::Improved { cost, incumbent });
        }
    }
}
