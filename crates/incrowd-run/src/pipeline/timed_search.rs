//! A search under the clock.

use std::time::{Duration, Instant};

use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event, ProcessTime, Solution};

/// A search that has ended, and what it took.
pub(crate) struct TimedSearch {
    pub(crate) solution: incrowd_engine::Result<Solution>,
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl TimedSearch {
    /// Lets a search run until it ends, its time is up, or the control ends it.
    pub(crate) fn run(
        time_limit: Option<Duration>,
        control: &Control,
        search: impl FnOnce(&Control) -> incrowd_engine::Result<Solution>,
    ) -> Self {
        control.tell(Event::Phase(RunPhase::Solve));
        if let Some(time_limit) = time_limit {
            control.tell(Event::TimeLimit(time_limit));
        }
        let control = control.clone().with_time_limit(time_limit);
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let solution = search(&control);
        let (wall_seconds, cpu_seconds) =
            (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        TimedSearch { solution, wall_seconds, cpu_seconds }
    }
}
