//! A search as it went: every better cost and bound, and when it came.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event, ProcessTime};

use crate::{Error, OutputFile, Result};

/// What was known at a moment of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// Seconds since it began.
    pub seconds: f64,
    /// CPU seconds of the whole process since then.
    pub cpu_seconds: f64,
    /// Nodes or steps looked at.
    pub nodes: u64,
    /// The least cost so far.
    pub cost: Option<f64>,
    /// The highest bound so far.
    pub bound: Option<f64>,
}

/// The columns of a trace's file.
const HEADER: [&str; 5] = ["seconds", "cpu_seconds", "nodes", "cost", "bound"];

impl TracePoint {
    /// Reads a file that a trace was written to.
    pub fn read_all(path: &Path) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
        let wrong = |message: String, line: usize| {
            let help = format!("a trace has the columns {}", HEADER.join(", "));
            Error::new(message).at(path, Some(line as u64 + 1), None).help(help)
        };
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, line)| line.split(',').ne(HEADER)) {
            return Err(wrong("this is no trace of a search".to_owned(), 0));
        }
        lines
            .map(|(at, line)| {
                let fields: Vec<&str> = line.split(',').collect();
                let [seconds, cpu_seconds, nodes, cost, bound] = fields[..] else {
                    return Err(wrong(format!("the row has {} fields", fields.len()), at));
                };
                let number = |text: &str| {
                    let number =
                        incrowd_engine::value::parse_number(text).filter(|number| *number >= 0.0);
                    number.ok_or_else(|| wrong(format!("`{text}` is not a number"), at))
                };
                let maybe = |text: &str| match text {
                    "" => Ok(None),
                    text => number(text).map(Some),
                };
                Ok(TracePoint {
                    seconds: number(seconds)?,
                    cpu_seconds: number(cpu_seconds)?,
                    nodes: number(nodes)? as u64,
                    cost: maybe(cost)?,
                    bound: maybe(bound)?,
                })
            })
            .collect()
    }
}

/// Writes down how a search goes.
#[derive(Clone)]
pub struct Tracer(Arc<Mutex<TraceLog>>);

struct TraceLog {
    start: (Instant, ProcessTime),
    nodes: u64,
    cost: Option<f64>,
    bound: Option<f64>,
    points: Vec<TracePoint>,
    /// Whether the search is over.
    over: bool,
}

impl TraceLog {
    fn new() -> Self {
        TraceLog {
            start: (Instant::now(), ProcessTime::now()),
            nodes: 0,
            cost: None,
            bound: None,
            points: Vec::new(),
            over: false,
        }
    }

    fn add_point(&mut self) {
        self.points.push(TracePoint {
            seconds: self.start.0.elapsed().as_secs_f64(),
            cpu_seconds: self.start.1.elapsed().as_secs_f64(),
            nodes: self.nodes,
            cost: self.cost,
            bound: self.bound,
        });
    }

    /// Takes an event in. Threads may report them out of order: what is known already is left out.
    fn hear(&mut self, event: &Event) {
        let new = match *event {
            Event::Phase(RunPhase::Solve) => {
                *self = TraceLog::new();
                false
            }
            Event::Phase(RunPhase::Write | RunPhase::Verify) => {
                self.end();
                false
            }
            Event::Nodes(nodes) => {
                self.nodes = self.nodes.max(nodes);
                false
            }
            Event::Improved { cost, .. } => {
                let better = self.cost.is_none_or(|least| cost < least);
                self.cost = if better { Some(cost) } else { self.cost };
                better
            }
            Event::Bound(bound) => {
                let better = self.bound.is_none_or(|most| bound > most);
                self.bound = if better { Some(bound) } else { self.bound };
                better
            }
            _ => false,
        };
        if new {
            self.add_point();
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.over, true) {
            self.add_point();
        }
    }
}

impl Default for Tracer {
    fn default() -> Self {
        Self::new()
    }
}

impl Tracer {
    /// Nothing has been heard yet.
    pub fn new() -> Self {
        Tracer(Arc::new(Mutex::new(TraceLog::new())))
    }

    /// The same control, with this listening.
    #[must_use]
    pub fn listen(&self, control: &Control) -> Control {
        let tracer = self.clone();
        control.clone().with_listener(move |event| tracer.log().hear(event))
    }

    fn log(&self) -> std::sync::MutexGuard<'_, TraceLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The points of the search that began last: each better cost or bound as it came, and its end.
    pub fn points(&self) -> Vec<TracePoint> {
        let mut log = self.log();
        log.end();
        log.points.clone()
    }

    /// Writes the points as CSV and puts the file in its place.
    pub fn write(&self, mut file: OutputFile) -> Result<()> {
        self.fill(&mut file)?;
        file.commit()
    }

    /// Writes the points as CSV, to a file that gets its name later.
    pub fn fill(&self, file: &mut OutputFile) -> Result<()> {
        let mut text = format!("{}\n", HEADER.join(","));
        let field = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for point in self.points() {
            let TracePoint { seconds, cpu_seconds, nodes, cost, bound } = point;
            let (cost, bound) = (field(cost), field(bound));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{seconds:.3},{cpu_seconds:.3},{nodes},{cost},{bound}");
        }
        let target = file.target().to_owned();
        file.write_all(text.as_bytes()).map_err(|e| Error::file("write", &target, &e))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn improved(cost: f64) -> Event {
        Event::Improved { cost, incumbent: None }
    }

    #[test]
    fn only_what_is_better_is_written_and_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.csv");
        let traced = Tracer::new();
        let control = traced.listen(&Control::new());
        control.tell(improved(1.0));
        control.tell(Event::Phase(RunPhase::Solve));
        for event in [
            improved(9.5),
            Event::Nodes(3),
            Event::Progress(0.5),
            improved(9.75),
            Event::Bound(4.0),
            Event::Nodes(2),
            Event::Bound(3.0),
            improved(7.0),
            Event::Nodes(8),
        ] {
            control.tell(event);
        }
        let file = OutputFile::create(&path).unwrap();
        assert!(!path.exists());
        traced.write(file).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Vec<String> = text
            .lines()
            .skip(1)
            .map(|line| line.splitn(3, ',').nth(2).unwrap().to_owned())
            .collect();
        assert_eq!(rows, ["0,9.5,", "3,9.5,4", "3,7,4", "8,7,4"]);
        let points = traced.points();
        let read = TracePoint::read_all(&path).unwrap();
        let known = |points: &[TracePoint]| -> Vec<(u64, Option<f64>, Option<f64>)> {
            points.iter().map(|point| (point.nodes, point.cost, point.bound)).collect()
        };
        assert_eq!(known(&read), known(&points));
        for (text, line) in [("a,b\n", 1), ("", 1), (&format!("{text}1,2,3\n"), 6)] {
            std::fs::write(&path, text).unwrap();
            let error = TracePoint::read_all(&path).unwrap_err();
            assert_eq!(error.place.unwrap().line, Some(line));
        }
        assert!(points.is_sorted_by_key(|point| point.seconds));
        assert_eq!(points.len(), rows.len());
    }
}
