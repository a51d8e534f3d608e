//! Progress on a terminal, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use incrowd::News;
use incrowd_io::{Follow, Phase, Progress, discard_unfinished};
use indicatif::{ProgressBar, ProgressStyle};

/// Set by the first Ctrl-C.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// The first Ctrl-C asks the run to end, keeping what a search has found; the second ends it at once.
/// Neither leaves a partial file.
pub(crate) fn catch_interrupts() {
    // A handler that cannot be set leaves the system's own: still no partial file appears.
    let _ = ctrlc::set_handler(|| {
        if CANCELLED.swap(true, Ordering::Relaxed) {
            discard_unfinished();
            std::process::exit(130);
        }
    });
}

/// Shows a run's progress on standard error, if that is a terminal.
pub(crate) struct Bars {
    bar: ProgressBar,
}

impl Bars {
    pub(crate) fn new(quiet: bool) -> Self {
        catch_interrupts();
        let shown = !quiet && std::io::stderr().is_terminal();
        let bar = if shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        bar.enable_steady_tick(Duration::from_millis(120));
        Bars { bar }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Follow for Bars {
    fn cancelled(&self) -> bool {
        CANCELLED.load(Ordering::Relaxed)
    }

    fn begin(&self, phase: Phase) {
        let (text, template) = match phase {
            Phase::Read => ("reading", "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes} {eta}"),
            Phase::Solve => ("searching", "{spinner} {msg} [{bar:30}] {percent}% {elapsed}"),
            Phase::Write => ("writing", "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes} {eta}"),
            Phase::Verify => ("verifying", "{spinner} {msg} {elapsed}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.bar.set_message(text);
        self.bar.reset();
        self.bar.set_length(if phase == Phase::Solve { 1000 } else { 0 });
    }

    fn progress(&self, progress: Progress) {
        self.bar.set_length(progress.total);
        self.bar.set_position(progress.bytes);
    }

    fn news(&self, news: News) {
        match news {
            News::Progress(done) => self.bar.set_position((done * 1000.0) as u64),
            News::Improved { cost } => self.bar.set_message(format!("searching: cost {cost}")),
            News::Bound(_) | News::Nodes(_) => {}
        }
    }
}
