//! Where work is done that a call has begun.

#[cfg(feature = "in-process")]
use std::collections::VecDeque;
#[cfg(feature = "in-process")]
use std::sync::{Mutex, PoisonError};

use incrowd_engine::{CancelToken, Control};
use incrowd_run::{Error, Result};

#[cfg(feature = "in-process")]
type Task = Box<dyn FnOnce() + Send>;

/// Does the work that calls begin.
#[derive(Debug)]
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "only the server has threads"))]
pub(crate) enum TaskRunner {
    /// Each task on a thread of its own. What can be done in parallel is done by this pool: where there are many cores one is left
    /// for answers.
    Threads(rayon::ThreadPool),
    /// One task after the other on the only thread there is, whenever whoever has the session says so.
    #[cfg(feature = "in-process")]
    InTurn {
        waiting: WaitingTasks,
        /// Called over and over while a task goes on: calls may be answered meanwhile.
        pause: fn(),
    },
}

/// Tasks that have not begun yet.
#[cfg(feature = "in-process")]
#[derive(Default)]
pub(crate) struct WaitingTasks(Mutex<VecDeque<Task>>);

#[cfg(feature = "in-process")]
impl std::fmt::Debug for WaitingTasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WaitingTasks")
    }
}

impl TaskRunner {
    /// As many threads as there are cores, about.
    #[cfg(any(feature = "server", test))]
    pub(crate) fn threads() -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(if cores > 2 { cores - 1 } else { cores })
            .thread_name(|at| format!("work-{at}"))
            .build()
            .map_err(|e| Error::new(format!("cannot start threads: {e}")))?;
        Ok(TaskRunner::Threads(pool))
    }

    /// Tasks in turn.
    #[cfg(feature = "in-process")]
    pub(crate) fn in_turn(pause: fn()) -> Self {
        TaskRunner::InTurn { waiting: WaitingTasks::default(), pause }
    }

    /// Begins a task, or puts it in line.
    pub(crate) fn start(&self, name: &str, task: impl FnOnce() + Send + 'static) -> Result<()> {
        match self {
            TaskRunner::Threads(_) => {
                let thread = std::thread::Builder::new().name(name.to_owned());
                let begun = thread.spawn(task).map(drop);
                begun.map_err(|e| Error::new(format!("cannot start a thread: {e}")))
            }
            #[cfg(feature = "in-process")]
            TaskRunner::InTurn { waiting, .. } => {
                let mut waiting = waiting.0.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.push_back(Box::new(task));
                Ok(())
            }
        }
    }

    /// Does something on all the threads there are.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            TaskRunner::Threads(pool) => pool.install(work),
            #[cfg(feature = "in-process")]
            TaskRunner::InTurn { .. } => work(),
        }
    }

    /// Waits, where others can go on meanwhile.
    pub(crate) fn wait(&self, time: std::time::Duration) {
        if matches!(self, TaskRunner::Threads(_)) {
            std::thread::sleep(time);
        }
    }

    /// What a task is steered by.
    pub(crate) fn control(&self, cancel: &CancelToken) -> Control {
        let control = Control::new().with_cancel(cancel);
        match self {
            TaskRunner::Threads(_) => control,
            #[cfg(feature = "in-process")]
            TaskRunner::InTurn { pause, .. } => {
                let (on_stop, on_event) = (*pause, *pause);
                let control = control.with_listener(move |_| on_event());
                // Searches ask this more often than they tell something.
                control.with_stop(move || {
                    on_stop();
                    None
                })
            }
        }
    }

    /// Does the task that was begun first, and tells whether there was one.
    #[cfg(feature = "in-process")]
    pub(crate) fn step(&self) -> bool {
        let TaskRunner::InTurn { waiting, .. } = self else { return false };
        let task = waiting.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match task {
            None => false,
            Some(task) => {
                task();
                true
            }
        }
    }
}
