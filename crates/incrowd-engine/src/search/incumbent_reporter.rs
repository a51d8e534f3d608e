//! Events of searches that run side by side.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::control::{Control, Event, StopReason};
use crate::recoding::Recoding;

/// Tells each cost that is lower than all before, and counts steps, whichever thread they come from. What
/// is told depends on the threads; what is found must not, so nobody asks a reporter for the best cost.
pub(crate) struct IncumbentReporter<'w> {
    control: &'w Control,
    least: Mutex<f64>,
    steps: AtomicU64,
}

impl<'w> IncumbentReporter<'w> {
    pub(crate) fn new(control: &'w Control) -> Self {
        IncumbentReporter { control, least: Mutex::new(f64::INFINITY), steps: AtomicU64::new(0) }
    }

    /// A solution of this cost was found; it is written down only if somebody wants to see it.
    pub(crate) fn improved(&self, cost: f64, incumbent: impl FnOnce() -> Recoding) {
        let mut least = self.least.lock().unwrap_or_else(PoisonError::into_inner);
        if cost < *least {
            *least = cost;
            self.control.tell(Event::Nodes(self.steps.load(Ordering::Relaxed)));
            self.control.improved(cost, incumbent);
        }
    }

    /// So many steps were made.
    pub(crate) fn worked(&self, steps: u64) {
        let before = self.steps.fetch_add(steps, Ordering::Relaxed);
        self.control.tell(Event::Nodes(before + steps));
    }

    pub(crate) fn stop(&self) -> Option<StopReason> {
        self.control.stop()
    }
}
