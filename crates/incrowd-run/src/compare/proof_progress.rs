//! When a proof has nothing more to tell.
//!
//! A prover goes on until its time is up, and most of that time may pass without a better release or a higher bound.
//! Such a search is ended, so that a comparison spends its time where it tells something. Where there is no time
//! limit every search comes to its own end, and the result depends on nothing but the question.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use incrowd_engine::{Control, Event, StopReason};

/// The share of its time limit that a proof may pass without telling anything new.
pub(super) const PATIENCE: f64 = 0.25;

/// The share of the gap by which it must narrow to be something new.
const NARROWER: f64 = 0.05;

/// A proof as it goes on.
#[derive(Debug, Default)]
struct ProofProgress {
    cost: Option<f64>,
    bound: Option<f64>,
    /// The gap when something new was told.
    gap: Option<f64>,
    /// When that was, since the beginning.
    last: Duration,
}

impl ProofProgress {
    fn hear(&mut self, event: &Event, now: Duration) {
        match *event {
            Event::Improved { cost, .. } => self.cost = Some(cost),
            Event::Bound(bound) => self.bound = Some(bound),
            _ => return,
        }
        let gap = self.cost.zip(self.bound).map(|(cost, bound)| cost - bound);
        let news = match (gap, self.gap) {
            // Until there are both, each of them is an event.
            (None, _) | (Some(_), None) => true,
            (Some(gap), Some(before)) => gap <= before * (1.0 - NARROWER),
        };
        if news {
            (self.gap, self.last) = (gap, now);
        }
    }

    fn is_stalled(&self, patience: Duration, now: Duration) -> bool {
        now.saturating_sub(self.last) > patience
    }
}

/// The same control for a proof with this time limit: it ends the search also when nothing new was told for a
/// quarter of that.
pub(super) fn patient(control: &Control, limit: Option<Duration>) -> Control {
    let Some(limit) = limit else { return control.clone() };
    let patience = limit.mul_f64(PATIENCE);
    let begun = Instant::now();
    let progress = Arc::new(Mutex::new(ProofProgress::default()));
    let heard = progress.clone();
    control
        .clone()
        .with_listener(move |event| {
            let mut progress = heard.lock().unwrap_or_else(PoisonError::into_inner);
            progress.hear(event, begun.elapsed());
        })
        .with_stop(move || {
            let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.is_stalled(patience, begun.elapsed()).then_some(StopReason::TimeLimit)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_ends_when_it_has_told_nothing_for_long() {
        let second = Duration::from_secs;
        let mut progress = ProofProgress::default();
        let patience = second(15);
        assert!(!progress.is_stalled(patience, second(15)));
        assert!(progress.is_stalled(patience, second(16)));
        progress.hear(&Event::Improved { cost: 100.0, incumbent: None }, second(10));
        progress.hear(&Event::Bound(40.0), second(12));
        assert!(!progress.is_stalled(patience, second(27)));
        // A bound that creeps tells nothing, one that rises does.
        for at in 13..28 {
            progress.hear(&Event::Bound(40.0 + at as f64 / 100.0), second(at));
        }
        progress.hear(&Event::Nodes(7), second(28));
        assert!(progress.is_stalled(patience, second(28)));
        progress.hear(&Event::Bound(44.0), second(28));
        assert!(!progress.is_stalled(patience, second(43)));
        progress.hear(&Event::Improved { cost: 95.0, incumbent: None }, second(43));
        assert!(!progress.is_stalled(patience, second(58)));
        // Without a limit nothing is ended.
        assert!(patient(&Control::new(), None).stop().is_none());
    }
}
