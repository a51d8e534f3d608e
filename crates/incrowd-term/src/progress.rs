//! Progress on a terminal, and Ctrl-C.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use incrowd_engine::search::RunPhase;
use incrowd_engine::{CancelToken, Control, Event};
use incrowd_run::data::{discard_unfinished, visible};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::error_width;
use crate::progress_line::ProgressLine;

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
        let line = Arc::new(Mutex::new(ProgressLine::new(Instant::now())));
        let drawn = Arc::clone(&line);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {line}") {
            bar.set_style(style.with_key("line", move |_: &ProgressState, out: &mut dyn Write| {
                let text = locked(&drawn).text(Instant::now());
                // The spinner, a blank and the cursor stand on the same line.
                let width = error_width().map_or(usize::MAX, |width| width.saturating_sub(3));
                let _ = out.write_str(&text.chars().take(width).collect::<String>());
            }));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let announces = !quiet && !shown;
        UNDER_WAY.store(if quiet { 0 } else { 2 }, Ordering::Relaxed);
        let shown = Arc::new(DisplayState { bar, announces, line });
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
    line: Arc<Mutex<ProgressLine>>,
}

impl DisplayState {
    fn part(&self, name: &str) {
        locked(&self.line).begin_part(&visible(name));
    }

    fn announce(&self, line: &str) {
        if self.announces {
            crate::tell(line);
        } else {
            self.bar.println(visible(line));
        }
    }

    fn hear(&self, event: &Event) {
        match event {
            Event::Part { name, number, of } => self.part(&format!("{name} ({number} of {of})")),
            Event::PartDone(line) => self.announce(line),
            // These come often and from many threads; the line does not show them.
            Event::Nodes(_) => {}
            Event::Phase(phase) => {
                if UNDER_WAY.load(Ordering::Relaxed) > 0 {
                    let going_on = if *phase == RunPhase::Solve { 1 } else { 2 };
                    UNDER_WAY.store(going_on, Ordering::Relaxed);
                }
                locked(&self.line).begin(*phase, Instant::now());
            }
            news => locked(&self.line).hear(news),
        }
    }
}

fn locked(line: &Mutex<ProgressLine>) -> std::sync::MutexGuard<'_, ProgressLine> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}
