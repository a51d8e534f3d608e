//! The one line that tells what is being done, how good the best release is, and the time left.

use std::time::{Duration, Instant};

use incrowd_engine::Event;
use incrowd_engine::search::RunPhase;
use incrowd_run::report::{cost_text, gap, gap_text};

/// A rest is foretold only after this long: before, it jumps.
const FORETELLS_AFTER: Duration = Duration::from_secs(2);

/// What is known of the work that goes on.
pub(crate) struct ProgressLine {
    /// Which of several like parts it is.
    part: Option<String>,
    phase: RunPhase,
    since: Instant,
    /// How much is done, from 0 to 1.
    done: Option<f64>,
    /// The most time that the search may take.
    limit: Option<Duration>,
    cost: Option<f64>,
    bound: Option<f64>,
}

impl ProgressLine {
    pub(crate) fn new(now: Instant) -> Self {
        ProgressLine {
            part: None,
            phase: RunPhase::Read,
            since: now,
            done: None,
            limit: None,
            cost: None,
            bound: None,
        }
    }

    pub(crate) fn begin(&mut self, phase: RunPhase, now: Instant) {
        *self = ProgressLine { part: self.part.take(), phase, ..Self::new(now) };
    }

    pub(crate) fn begin_part(&mut self, name: &str) {
        self.part = Some(name.to_owned());
    }

    pub(crate) fn hear(&mut self, news: &Event) {
        match *news {
            Event::TimeLimit(limit) => self.limit = Some(limit),
            Event::Data { bytes, total, .. } => {
                self.done = (total > 0).then(|| bytes as f64 / total as f64);
            }
            Event::Progress(done) => self.done = Some(done),
            Event::Improved { cost, .. } => self.cost = Some(cost),
            Event::Bound(bound) => self.bound = Some(bound),
            _ => {}
        }
    }

    /// The line, as of now.
    pub(crate) fn text(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.since);
        let doing = match self.phase {
            RunPhase::Solve => "searching",
            RunPhase::Write => "writing",
            RunPhase::Verify => "verifying",
            _ => "reading",
        };
        let mut parts = vec![match &self.part {
            Some(part) => format!("{part}: {doing}"),
            None => doing.to_owned(),
        }];
        parts.extend(self.done.map(|done| format!("{:.0} %", (done * 100.0).clamp(0.0, 100.0))));
        parts.extend(self.cost.map(|cost| format!("best loss {}", cost_text(cost))));
        if let Some((cost, bound)) = self.cost.zip(self.bound) {
            parts.push(format!(
                "at least {} is proven, gap {}",
                cost_text(bound),
                gap_text(gap(cost, bound))
            ));
        }
        parts.push(match self.left(elapsed) {
            Some(left) => format!("{}, {left}", clock(elapsed)),
            None => clock(elapsed),
        });
        parts.join("  ")
    }

    /// The time left, where it is known.
    fn left(&self, elapsed: Duration) -> Option<String> {
        let foretold = self
            .done
            .filter(|&done| done > 0.01 && elapsed >= FORETELLS_AFTER)
            .map(|done| elapsed.mul_f64((1.0 - done).max(0.0) / done));
        let limit = self.limit.map(|limit| limit.saturating_sub(elapsed));
        match (foretold, limit) {
            (Some(foretold), limit) if limit.is_none_or(|limit| foretold < limit) => {
                Some(format!("about {} left", clock(foretold)))
            }
            (_, limit) => limit.map(|limit| format!("at most {} left", clock(limit))),
        }
    }
}

/// A time as a clock shows it.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_search_tells_how_good_its_best_release_is() {
        let start = Instant::now();
        let mut line = ProgressLine::new(start);
        line.begin(RunPhase::Solve, start);
        assert_eq!(line.text(start), "searching  0:00");
        line.hear(&Event::TimeLimit(after(60)));
        line.hear(&Event::Improved { cost: 20_000.0, incumbent: None });
        assert_eq!(
            line.text(start + after(5)),
            "searching  best loss 20,000  0:05, at most 0:55 left"
        );
        line.hear(&Event::Bound(19_000.0));
        assert_eq!(
            line.text(start + after(5)),
            "searching  best loss 20,000  at least 19,000 is proven, gap 5.00%  0:05, at most 0:55 left"
        );
    }

    #[test]
    fn what_is_unknown_is_not_told() {
        let start = Instant::now();
        let mut line = ProgressLine::new(start);
        line.hear(&Event::Data { bytes: 7, total: 0, rows: 1 });
        assert_eq!(line.text(start + after(9)), "reading  0:09");
        line.hear(&Event::Data { bytes: 50, total: 200, rows: 9 });
        assert_eq!(line.text(start + after(1)), "reading  25 %  0:01");
        assert_eq!(line.text(start + after(30)), "reading  25 %  0:30, about 1:30 left");
        line.begin_part("mondrian (2 of 5)");
        line.begin(RunPhase::Write, start);
        assert_eq!(line.text(start), "mondrian (2 of 5): writing  0:00");
    }

    #[test]
    fn hours_have_three_figures() {
        assert_eq!(clock(after(3_725)), "1:02:05");
    }
}
