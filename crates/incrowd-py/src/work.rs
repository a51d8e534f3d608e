//! Long work on a thread of its own, while the caller's thread listens to signals and tells of progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use incrowd_engine::search::{CancelToken, RunPhase};
use incrowd_engine::{Control, Event};
use incrowd_run::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;

/// How often signals are looked at and progress is told.
const TICK: Duration = Duration::from_millis(50);
/// How long work that was cancelled may take to end before it is left behind.
const PATIENCE: Duration = Duration::from_millis(250);

/// How far the work has come.
#[derive(Debug, Clone, Default, PartialEq)]
struct ProgressSnapshot {
    phase: Option<&'static str>,
    part: Option<String>,
    rows: Option<u64>,
    done: Option<f64>,
    cost: Option<f64>,
    bound: Option<f64>,
    nodes: Option<u64>,
}

impl ProgressSnapshot {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Phase(phase) => {
                let phase = match phase {
                    RunPhase::Read => "read",
                    RunPhase::Solve => "search",
                    RunPhase::Write => "recode",
                    RunPhase::Verify => "verify",
                    _ => "work",
                };
                (self.phase, self.done, self.rows) = (Some(phase), None, None);
            }
            Event::Part { name, number, of } => {
                self.part = Some(format!("{name} ({number} of {of})"));
                (self.cost, self.bound, self.nodes) = (None, None, None);
            }
            Event::Data { bytes, total, rows } => {
                self.rows = Some(*rows);
                self.done = (*total > 0).then(|| *bytes as f64 / *total as f64);
            }
            Event::Progress(share) => self.done = Some(*share),
            Event::Improved { cost, .. } => self.cost = Some(*cost),
            Event::Bound(bound) => self.bound = Some(*bound),
            Event::Nodes(nodes) => self.nodes = Some(*nodes),
            _ => {}
        }
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        told.set_item("phase", self.phase)?;
        told.set_item("part", &self.part)?;
        told.set_item("rows", self.rows)?;
        told.set_item("done", self.done)?;
        told.set_item("cost", self.cost)?;
        told.set_item("bound", self.bound)?;
        let gap =
            self.cost.zip(self.bound).map(|(cost, bound)| incrowd_run::report::gap(cost, bound));
        told.set_item("gap", gap)?;
        told.set_item("nodes", self.nodes)?;
        Ok(told)
    }
}

/// How work is watched.
pub(crate) struct WatchOptions<'a, 'py> {
    /// Called with how far it has come.
    pub(crate) progress: Option<&'a Bound<'py, PyAny>>,
    /// Whether an interrupt ends the search and not the work.
    pub(crate) keep: bool,
}

impl WatchOptions<'_, '_> {
    /// Nobody watches; an interrupt ends it.
    pub(crate) const NONE: WatchOptions<'static, 'static> =
        WatchOptions { progress: None, keep: false };
}

/// Does work without the interpreter's lock. An interrupt (Ctrl-C) cancels it, and so does an exception of whoever
/// listens.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    watch: &WatchOptions<'_, '_>,
    job: impl FnOnce(&Control) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let cancel = CancelToken::new();
    let far = Arc::new(Mutex::new(ProgressSnapshot::default()));
    let mut control = Control::new().with_cancel(&cancel);
    if watch.progress.is_some() {
        let far = Arc::clone(&far);
        control = control.with_listener(move |event| {
            far.lock().unwrap_or_else(PoisonError::into_inner).hear(event);
        });
    }
    let pool = pool().map_err(|error| raised(py, &error))?;
    let (send, receive) = sync_channel(1);
    let receive = Mutex::new(receive);
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| pool.install(|| job(&control))));
        // Nobody waits any more for work that was left behind.
        let _ = send.send(done);
    });
    let mut told = ProgressSnapshot::default();
    let mut stopped: Option<(PyErr, Instant)> = None;
    loop {
        let wait = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK);
        let waited = py.detach(wait);
        match waited {
            Ok(Ok(done)) => {
                tell(py, watch, &far, &mut told)?;
                if let Some((error, _)) = stopped
                    && (!watch.keep || done.is_err())
                {
                    return Err(error);
                }
                return done.map_err(|error| raised(py, &error));
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                let error = Error::new("the engine stopped because of a fault of incrowd")
                    .help("please report it with the call that led to it");
                return Err(raised(py, &error));
            }
            Err(RecvTimeoutError::Timeout) => {
                let asked = py.check_signals().and_then(|()| tell(py, watch, &far, &mut told));
                if let (Err(error), None) = (asked, &stopped) {
                    cancel.cancel();
                    stopped = Some((error, Instant::now()));
                }
                if !watch.keep
                    && let Some((error, when)) = &stopped
                    && when.elapsed() > PATIENCE
                {
                    return Err(error.clone_ref(py));
                }
            }
        }
    }
}

/// Tells whoever listens how far the work has come, if that has changed.
fn tell(
    py: Python<'_>,
    watch: &WatchOptions<'_, '_>,
    far: &Mutex<ProgressSnapshot>,
    told: &mut ProgressSnapshot,
) -> PyResult<()> {
    let Some(listener) = watch.progress else { return Ok(()) };
    let now = far.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if now != *told {
        listener.call1((now.to_dict(py)?,))?;
        *told = now;
    }
    Ok(())
}

/// The threads that work. A process that was forked off has none of its parent's threads: it gets its own.
fn pool() -> Result<Arc<rayon::ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = &*known
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    // The threads of a parent's pool are not here to be joined.
    if let Some((_, parents)) = known.take() {
        std::mem::forget(parents);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|e| Error::new(format!("cannot start threads: {e}")))?;
    let pool = Arc::new(pool);
    *known = Some((process, Arc::clone(&pool)));
    Ok(pool)
}
