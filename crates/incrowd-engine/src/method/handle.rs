//! A search on a thread of its own.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::algorithm::Algorithm;
use super::registry::Method;
use crate::kit::{Error, Result};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{CancelToken, Control, Event, Solution};

/// The best solution that a search has told so far.
#[derive(Debug, Clone)]
pub struct Incumbent {
    /// What it costs.
    pub cost: f64,
    /// The solution.
    pub recoding: Arc<Recoding>,
}

/// A search that runs on a thread of its own: for servers, notebooks and windows, which must not wait.
///
/// Dropped, it ends the search and does not wait for it.
///
/// ```
/// use std::sync::Arc;
/// use incrowd_engine::{Control, Method, Problem, ProblemSpec, Table};
/// let rows: Vec<[String; 1]> = (0..40).map(|age| [age.to_string()]).collect();
/// let table = Table::from_rows(&["age"], &rows)?;
/// let problem = Arc::new(Problem::of_table(&ProblemSpec::new(2).quasi("age"), &table)?);
/// let search = Method::new("optimal", &[])?.spawn(problem, Control::new());
/// for event in search.events() { println!("{event:?}") }
/// let solution = search.join()?;
/// assert!(solution.recoding().is_some());
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct SearchHandle {
    cancel: CancelToken,
    events: Receiver<Event>,
    best: Arc<Mutex<Option<Incumbent>>>,
    thread: Option<JoinHandle<Result<Solution>>>,
}

impl Method {
    /// Starts a search on a thread of its own. Its parallel parts run in the pool of threads that is current for
    /// rayon's global one; see [`Method::spawn_in`].
    pub fn spawn(self, problem: Arc<Problem>, control: Control) -> SearchHandle {
        self.spawn_by(problem, control, |work| work())
    }

    /// The same with the parallel parts of the search in this pool of threads.
    pub fn spawn_in(
        self,
        pool: Arc<rayon::ThreadPool>,
        problem: Arc<Problem>,
        control: Control,
    ) -> SearchHandle {
        self.spawn_by(problem, control, move |work| pool.install(work))
    }

    fn spawn_by(
        self,
        problem: Arc<Problem>,
        control: Control,
        run: impl FnOnce(&mut (dyn FnMut() -> Result<Solution> + Send)) -> Result<Solution>
        + Send
        + 'static,
    ) -> SearchHandle {
        let cancel = CancelToken::new();
        let best: Arc<Mutex<Option<Incumbent>>> = Arc::default();
        let (sender, events) = channel();
        let (ended, kept) = (cancel.clone(), best.clone());
        let control = control
            .with_stop(move || ended.is_cancelled().then_some(crate::search::StopReason::Cancelled))
            .with_incumbents()
            .with_listener(move |event| {
                if let Event::Improved { cost, incumbent: Some(recoding) } = event {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.as_ref().is_none_or(|kept| *cost < kept.cost) {
                        *kept = Some(Incumbent { cost: *cost, recoding: recoding.clone() });
                    }
                }
                // Nobody may be listening any more.
                let _ = sender.send(event.clone());
            });
        let thread = std::thread::spawn(move || {
            let control = control;
            run(&mut || self.solve(&problem, &control))
        });
        SearchHandle { cancel, events, best, thread: Some(thread) }
    }
}

impl SearchHandle {
    /// Ends the search soon; it returns the best it has.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// The events as they come; ends when the search does.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.iter()
    }

    /// The events that have come since the last look, without waiting.
    pub fn new_events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.try_iter()
    }

    /// The best solution so far, where the method tells its solutions before it ends.
    pub fn best(&self) -> Option<Incumbent> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the search has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the end of the search.
    pub fn join(mut self) -> Result<Solution> {
        let thread = self.thread.take().expect("a handle is joined once");
        thread.join().unwrap_or_else(|_| Err(Error::new("the search failed unexpectedly")))
    }
}

impl Drop for SearchHandle {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.cancel.cancel();
        }
    }
}
