//! How far work has come, for whoever looks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event, Recoding};
use incrowd_run::report::gap;
use incrowd_run::spec::SpecFile;
use serde::Serialize;

/// How far work has come.
#[derive(Debug, Clone)]
pub(crate) struct TaskProgress(Arc<Mutex<ProgressLog>>);

#[derive(Debug)]
struct ProgressLog {
    since: Instant,
    /// When the search began.
    searching: Option<Instant>,
    serial: u64,
    phase: &'static str,
    part: Option<(String, usize, usize)>,
    done: Vec<String>,
    share: Option<f64>,
    rows: u64,
    nodes: u64,
    cost: Option<f64>,
    bound: Option<f64>,
    points: Vec<ProgressPoint>,
    /// The best that the search has told.
    best: Option<Arc<Recoding>>,
    /// The question of the search.
    asked: Option<SpecFile>,
}

/// Seconds, cost and bound, whenever one of them was better.
pub(crate) type ProgressPoint = (f64, Option<f64>, Option<f64>);

/// Work that goes on, as pages see it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WorkState {
    kind: &'static str,
    phase: &'static str,
    seconds: f64,
    /// Seconds since the search began.
    searching: Option<f64>,
    part: Option<WorkPart>,
    done: Vec<String>,
    share: Option<f64>,
    rows: u64,
    nodes: u64,
    cost: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    points: Vec<ProgressPoint>,
    /// Whether the best so far can be looked at.
    can_be_seen: bool,
}

/// A part of work that consists of several.
#[derive(Debug, Clone, Serialize)]
struct WorkPart {
    name: String,
    number: usize,
    of: usize,
}

/// Points that a page gets at most.
const POINTS: usize = 400;

impl TaskProgress {
    pub(crate) fn new() -> Self {
        TaskProgress(Arc::new(Mutex::new(ProgressLog {
            since: Instant::now(),
            searching: None,
            serial: 1,
            phase: "read",
            part: None,
            done: Vec::new(),
            share: None,
            rows: 0,
            nodes: 0,
            cost: None,
            bound: None,
            points: Vec::new(),
            best: None,
            asked: None,
        })))
    }

    fn log(&self) -> MutexGuard<'_, ProgressLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same control, heard by this.
    pub(crate) fn listen(&self, control: &Control) -> Control {
        let heard = self.clone();
        control.clone().with_listener(move |event| heard.log().hear(event))
    }

    /// What is done now that no event tells.
    pub(crate) fn phase(&self, phase: &'static str) {
        let mut log = self.log();
        log.phase = phase;
        log.serial += 1;
    }

    /// Changes with everything that happens, and with time: seconds pass even if nothing else does.
    pub(crate) fn serial(&self) -> u64 {
        let log = self.log();
        (log.since.elapsed().as_millis() as u64 / 500 + 1) << 32 | (log.serial & 0xffff_ffff)
    }

    pub(crate) fn told(&self, kind: &'static str) -> WorkState {
        let log = self.log();
        let step = log.points.len().div_ceil(POINTS).max(1);
        let last = log.points.len().saturating_sub(1);
        let points: Vec<_> = (0..log.points.len())
            .filter(|at| at % step == 0 || *at == last)
            .map(|at| log.points[at])
            .collect();
        WorkState {
            kind,
            phase: log.phase,
            seconds: log.since.elapsed().as_secs_f64(),
            searching: log.searching.map(|since| since.elapsed().as_secs_f64()),
            part: log.part.clone().map(|(name, number, of)| WorkPart { name, number, of }),
            done: log.done.clone(),
            share: log.share,
            rows: log.rows,
            nodes: log.nodes,
            cost: log.cost,
            bound: log.bound,
            gap: log.cost.zip(log.bound).map(|(cost, bound)| gap(cost, bound)),
            points,
            can_be_seen: log.best.is_some(),
        }
    }

    /// What is searched for.
    pub(crate) fn ask(&self, file: &SpecFile) {
        self.log().asked = Some(file.clone());
    }

    /// The question of the search, and the best that it has found so far, where its method tells that before it ends.
    pub(crate) fn best(&self) -> Option<(SpecFile, Arc<Recoding>)> {
        let log = self.log();
        log.asked.clone().zip(log.best.clone())
    }

    /// Whether it is of the same work.
    pub(crate) fn is(&self, other: &TaskProgress) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Seconds since the search began.
    pub(crate) fn searching(&self) -> f64 {
        self.log().searching.map_or(0.0, |since| since.elapsed().as_secs_f64())
    }

    /// How the search went: seconds, cost and bound.
    pub(crate) fn points(&self) -> Vec<ProgressPoint> {
        self.log().points.clone()
    }
}

impl ProgressLog {
    fn hear(&mut self, event: &Event) {
        self.serial += 1;
        match event {
            Event::Phase(phase) => {
                self.share = None;
                self.phase = match phase {
                    RunPhase::Read => "read",
                    RunPhase::Solve => {
                        self.searching = Some(Instant::now());
                        (self.cost, self.bound, self.nodes) = (None, None, 0);
                        self.points.clear();
                        self.best = None;
                        "search"
                    }
                    RunPhase::Write => "write",
                    RunPhase::Verify => "verify",
                    _ => self.phase,
                };
            }
            Event::Part { name, number, of } => {
                self.part = Some((name.clone(), *number, *of));
            }
            Event::PartDone(sentence) => self.done.push(sentence.clone()),
            Event::Data { bytes, total, rows } => {
                self.share = Some(*bytes as f64 / (*total).max(1) as f64);
                self.rows = *rows;
            }
            Event::Progress(share) => self.share = Some(*share),
            Event::Improved { cost, incumbent } if self.cost.is_none_or(|known| *cost < known) => {
                self.cost = Some(*cost);
                self.best = incumbent.clone().or(self.best.take());
                self.point();
            }
            Event::Bound(bound) if self.bound.is_none_or(|known| *bound > known) => {
                self.bound = Some(*bound);
                self.point();
            }
            Event::Nodes(nodes) => self.nodes = self.nodes.max(*nodes),
            _ => {}
        }
    }

    fn point(&mut self) {
        let since = self.searching.unwrap_or(self.since);
        self.points.push((since.elapsed().as_secs_f64(), self.cost, self.bound));
    }
}
