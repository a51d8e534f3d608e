//! Progress on a terminal, and Ctrl-C.

use std::fmt;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use incrowd_engine::search::RunPhase;
use incrowd_engine::words::thousands;
use incrowd_engine::{CancelToken, Control, Event};
use incrowd_run::{
    data::{discard_unfinished, visible},
    report::{cost_text, gap, gap_text},
};
use indicatif::{ProgressBar, ProgressStyle};

/// Set by the first Ctrl-C.
static CANCEL: LazyLock<CancelToken> = LazyLock::new(CancelToken::new);

/// What is going on, for the words that answer Ctrl-C: 0 nothing to tell, 1 a search, 2 anything else.
static UNDER_WAY: AtomicU8 = AtomicU8::new(0);

/// The first Ctrl-C asks the run to end, keeping what a search has found, and says so; the second ends it at once.
/// Neither leaves a partial file. SIGTERM and SIGHUP, which end a session or a container, are answered alike.
pub fn catch_interrupts() {
    // A handler that cannot be set leaves the system's own: still no partial file appears.
    let _ = ctrlc::set_handler(|| {
        if CANCEL.is_cancelled() {
            discard_unfinished();
            std::process::exit(130);
        }
        match UNDER_WAY.load(Ordering::Relaxed) {
            1 => crate::tell(
                "interrupted: the best release found so far will be written; interrupt again \
                 to write nothing",
            ),
            2 => crate::tell("interrupted: ending; nothing more is written"),
            _ => {}
        }
        CANCEL.cancel();
    });
}

/// Shows a run's progress on standard error, if that is a terminal.
pub struct ProgressDisplay {
    shown: Arc<DisplayState>,
    /// Ended by Ctrl-C, heard by the bars.
    pub control: Control,
}

impl ProgressDisplay {
    /// Bars on a terminal; without one, finished parts are told line by line, unless all should be quiet.
    pub fn new(quiet: bool) -> Self {
        catch_interrupts();
        let shown = !quiet && std::io::stderr().is_terminal();
        let bar = if shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        bar.enable_steady_tick(Duration::from_millis(120));
        let announces = !quiet && !shown;
        UNDER_WAY.store(if quiet { 0 } else { 2 }, Ordering::Relaxed);
        let search = Mutex::new(SearchProgress::new(Instant::now()));
        let shown = Arc::new(DisplayState { bar, announces, search });
        let hearer = shown.clone();
        let control =
            Control::new().with_cancel(&CANCEL).with_listener(move |event| hearer.hear(event));
        ProgressDisplay { shown, control }
    }

    /// Whether the user has ended the run.
    pub fn cancelled(&self) -> bool {
        self.control.is_cancelled()
    }

    /// Names the part of a run that begins, one of several.
    pub fn part(&self, name: &str) {
        self.shown.part(name);
    }

    /// Tells that a part of a run is done, above the bar.
    pub fn announce(&self, line: &str) {
        self.shown.announce(line);
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.shown.bar.finish_and_clear();
    }
}

/// What is on the terminal.
struct DisplayState {
    bar: ProgressBar,
    /// Whether a finished part of a run is announced although there is no terminal.
    announces: bool,
    search: Mutex<SearchProgress>,
}

impl DisplayState {
    fn part(&self, name: &str) {
        self.bar.set_prefix(format!("{}  ", visible(name)));
    }

    fn announce(&self, line: &str) {
        if self.announces {
            crate::tell(line);
        } else {
            self.bar.println(visible(line));
        }
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
    }

    fn hear(&self, event: &Event) {
        match event {
            Event::Phase(phase) => self.begin(*phase),
            Event::Part { name, number, of } => self.part(&format!("{name} ({number} of {of})")),
            Event::PartDone(line) => self.announce(line),
            Event::Data { bytes, total, .. } => {
                self.bar.set_length(*total);
                self.bar.set_position(*bytes);
            }
            Event::Progress(done) => self.bar.set_position((done * 1000.0) as u64),
            news => self.write(news),
        }
    }

    fn begin(&self, phase: RunPhase) {
        if UNDER_WAY.load(Ordering::Relaxed) > 0 {
            let going_on = if phase == RunPhase::Solve { 1 } else { 2 };
            UNDER_WAY.store(going_on, Ordering::Relaxed);
        }
        let (text, template) = match phase {
            RunPhase::Solve => {
                ("searching", "{prefix}{spinner} {msg} [{bar:30}] {percent}% {elapsed}")
            }
            RunPhase::Write => {
                ("writing", "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes} {eta}")
            }
            RunPhase::Verify => ("verifying", "{spinner} {msg} {elapsed}"),
            _ => ("reading", "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes} {eta}"),
        };
        self.style(template);
        self.bar.set_message(text);
        self.bar.reset();
        self.bar.set_length(if phase == RunPhase::Solve { 1000 } else { 0 });
        *self.search.lock().unwrap_or_else(PoisonError::into_inner) =
            SearchProgress::new(Instant::now());
    }

    /// Writes the line of the search anew, if it is time.
    fn write(&self, news: &Event) {
        // Who tells so often that somebody else is just writing the line can be passed over, unless it
        // is news that will not come again.
        let lock = match news {
            Event::Nodes(_) => self.search.try_lock().ok(),
            _ => Some(self.search.lock().unwrap_or_else(PoisonError::into_inner)),
        };
        let Some(mut search) = lock else { return };
        let first = search.is_empty();
        if search.hear(news, Instant::now()) {
            if first {
                // How much of a proof is done cannot be foreseen: figures take the place of the bar.
                self.style("{prefix}{spinner} {msg} {elapsed}");
            }
            self.bar.set_message(search.to_string());
        }
    }
}

/// How often the line is written anew.
const REFRESH: Duration = Duration::from_millis(100);

/// The time over which nodes per second are measured.
const WINDOW: Duration = Duration::from_secs(1);

/// What is known of a search that goes on.
struct SearchProgress {
    cost: Option<f64>,
    bound: Option<f64>,
    nodes: u64,
    /// When the window began, and the nodes until then.
    window: (Instant, u64),
    nodes_per_second: Option<f64>,
    written: Option<Instant>,
}

impl SearchProgress {
    fn new(now: Instant) -> Self {
        SearchProgress {
            cost: None,
            bound: None,
            nodes: 0,
            window: (now, 0),
            nodes_per_second: None,
            written: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.written.is_none()
    }

    /// Takes news in; says whether it is time to write the line anew.
    fn hear(&mut self, news: &Event, now: Instant) -> bool {
        match *news {
            Event::Improved { cost, .. } => self.cost = Some(cost),
            Event::Bound(bound) => self.bound = Some(bound),
            Event::Nodes(nodes) => self.nodes = self.nodes.max(nodes),
            _ => return false,
        }
        let (start, before) = self.window;
        let time = now.saturating_duration_since(start);
        if time >= WINDOW {
            self.nodes_per_second = Some((self.nodes - before) as f64 / time.as_secs_f64());
            self.window = (now, self.nodes);
        }
        let due = self.written.is_none_or(|at| now.saturating_duration_since(at) >= REFRESH);
        if due {
            self.written = Some(now);
        }
        due
    }
}

impl fmt::Display for SearchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.cost.map(|cost| format!("cost {}", cost_text(cost))));
        parts.extend(self.bound.map(|bound| format!("bound {}", cost_text(bound))));
        let gap = self.cost.zip(self.bound).map(|(cost, bound)| gap(cost, bound));
        parts.extend(gap.map(|gap| format!("gap {}", gap_text(gap))));
        let rate = self.nodes_per_second.map(|rate| format!("{} nodes/s", thousands(rate as u64)));
        parts.extend(rate);
        if parts.is_empty() {
            return f.write_str("searching");
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_cost_bound_gap_and_speed() {
        let start = Instant::now();
        let mut search = SearchProgress::new(start);
        assert_eq!(search.to_string(), "searching");
        assert!(search.hear(&Event::Improved { cost: 20_000.0, incumbent: None }, start));
        assert_eq!(search.to_string(), "cost 20,000");
        // Soon after: it waits.
        assert!(!search.hear(&Event::Bound(19_000.0), start + REFRESH / 2));
        assert!(search.hear(&Event::Nodes(5_000), start + 2 * WINDOW));
        assert_eq!(search.to_string(), "cost 20,000, bound 19,000, gap 5.00%, 2,500 nodes/s");
        // A thread that is behind takes nothing back.
        search.hear(&Event::Nodes(4_000), start + 4 * WINDOW);
        assert_eq!(search.nodes_per_second, Some(0.0));
    }
}
