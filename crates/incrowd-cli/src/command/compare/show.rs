//! A comparison as text, CSV and JSON.

use incrowd::thousands;
use incrowd_io::{Result, Trial, cost_text};
use serde::Serialize;

use super::board::{Board, Told, above_text};
use crate::show::field;

/// How wide a table on a terminal is at most.
const WIDTH: usize = 100;

/// What a table shows of a result.
pub(super) struct Measure {
    /// What stands above it.
    pub(super) title: String,
    /// For each method the text for each k.
    pub(super) cells: Vec<Vec<String>>,
}

/// The tables of a comparison: cost, cost above the optimum, suppressed rows, seconds.
pub(super) fn measures(board: &Board) -> Vec<Measure> {
    let each = |of: &dyn Fn(usize, usize, &Told) -> Option<String>| -> Vec<Vec<String>> {
        let cell = |row: usize, k: usize| match &board.results[row][k] {
            None => "...".to_owned(),
            Some(told) => of(row, k, told).unwrap_or_else(|| "-".to_owned()),
        };
        (0..board.rows.len())
            .map(|row| (0..board.ks.len()).map(|k| cell(row, k)).collect())
            .collect()
    };
    let mut measures = vec![Measure {
        title: format!("cost ({})", board.metric.name()),
        cells: each(&|_, _, told| told.trial.cost.map(cost_text)),
    }];
    if (0..board.ks.len()).any(|k| board.reference(k).is_some()) {
        measures.push(Measure {
            title: "above the optimum".to_owned(),
            cells: each(&|row, k, _| match board.is_reference(row, k) {
                true => Some("proven".to_owned()),
                false => board.above(row, k).map(above_text),
            }),
        });
    }
    measures.push(Measure {
        title: "rows suppressed".to_owned(),
        cells: each(&|_, _, told| told.trial.suppressed.map(thousands)),
    });
    measures.push(Measure {
        title: "seconds".to_owned(),
        cells: each(&|_, _, told| {
            let ran = told.trial.outcome != "refused";
            ran.then(|| {
                let mark = if told.trial.is_stopped() { "*" } else { "" };
                format!("{}{mark}", short_seconds(told.trial.wall_seconds))
            })
        }),
    });
    measures
}

fn short_seconds(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 99.5 => thousands(seconds.round() as u64),
        seconds if seconds >= 9.95 => format!("{seconds:.1}"),
        _ => format!("{seconds:.2}"),
    }
}

/// How the numbers are to be read, a sentence each.
pub(super) fn reading(board: &Board) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(proof) = board.proof() {
        let mut text = format!("Above the optimum: {proof}.");
        let references: Vec<_> = (0..board.ks.len()).filter_map(|k| board.reference(k)).collect();
        if references.iter().any(|reference| !reference.proven) {
            text.push_str(
                " `<` says that it is above a bound: the release may be nearer to the optimum.",
            );
        }
        text.push_str(
            " Recodings that are not single-dimensional, or not by intervals, can cost less.",
        );
        sentences.push(text);
    }
    let trials = || board.places().filter_map(|(_, _, told)| told).map(|told| &told.trial);
    if trials().any(Trial::is_stopped) {
        sentences.push(match &board.time_limit {
            Some(limit) => {
                format!(
                    "`*` says that the time limit of {limit} ended the search: its best so far."
                )
            }
            None => "`*` says that the search was stopped: its best so far.".to_owned(),
        });
    }
    sentences
}

/// The comparison for a terminal.
pub(super) fn text(board: &Board) -> String {
    let mut text = wrapped(&format!(
        "{}: {} rows, {} distinct combinations of {}",
        board.table,
        thousands(board.size),
        thousands(board.cells),
        board.quasi.join(", ")
    ));
    for measure in measures(board) {
        text.push('\n');
        text.push_str(&pivot(board, &measure));
    }
    text.push('\n');
    for (family, methods) in board.families() {
        text.push_str(&wrapped(&format!("{}: {}", family.name(), methods.join(", "))));
    }
    let (known, cached) = board.known();
    for sentence in reading(board) {
        text.push_str(&wrapped(&sentence));
    }
    for note in board.notes() {
        text.push_str(&wrapped(&format!("note: {note}")));
    }
    let reasons = board.reasons();
    if !reasons.is_empty() {
        text.push_str("\nwithout a release\n");
    }
    for (which, why) in reasons {
        text.push_str(&wrapped(&format!("  {which}: {why}")));
    }
    text.push_str(&format!("\n{cached} of {known} results from the cache\n"));
    text
}

/// A table of methods by k, in several parts if it would be too wide.
fn pivot(board: &Board, measure: &Measure) -> String {
    let labels = board.rows.iter().map(|row| row.label.chars().count());
    let first = labels.chain([measure.title.chars().count()]).max().unwrap_or(0);
    let heads: Vec<String> = board.ks.iter().map(|&k| format!("k={}", thousands(k))).collect();
    let width = |k: usize| {
        let cells = measure.cells.iter().map(|cells| cells[k].chars().count());
        cells.chain([heads[k].len()]).max().unwrap_or(0) + 2
    };
    let mut text = String::new();
    let mut from = 0;
    while from < board.ks.len() {
        let mut to = from + 1;
        let mut taken = first + width(from);
        while to < board.ks.len() && taken + width(to) <= WIDTH {
            taken += width(to);
            to += 1;
        }
        let line = |name: &str, cell: &dyn Fn(usize) -> String| {
            let cells: String =
                (from..to).map(|k| format!("{:>wide$}", cell(k), wide = width(k))).collect();
            format!("{name:<first$}{cells}\n")
        };
        text.push_str(&line(&measure.title, &|k| heads[k].clone()));
        for (row, cells) in board.rows.iter().zip(&measure.cells) {
            text.push_str(&line(&row.label, &|k| cells[k].clone()));
        }
        from = to;
        if from < board.ks.len() {
            text.push('\n');
        }
    }
    text
}

/// A sentence in lines that fit, further ones indented.
fn wrapped(sentence: &str) -> String {
    let indent = sentence.len() - sentence.trim_start().len();
    let mut lines = vec![" ".repeat(indent)];
    for word in sentence.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.trim().is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(" ".repeat(indent + 2) + word);
        }
    }
    lines.join("\n") + "\n"
}

/// The columns of the CSV form.
const HEADER: [&str; 17] = [
    "method",
    "family",
    "k",
    "outcome",
    "cost",
    "bound",
    "gap",
    "above_optimum",
    "above_bound",
    "suppressed",
    "classes",
    "achieved_k",
    "gcp",
    "dm",
    "cpu_seconds",
    "wall_seconds",
    "why",
];

/// The comparison as CSV, a line for each method and k.
pub(super) fn csv(board: &Board) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut text = HEADER.join(",") + "\n";
    for (row, k, told) in board.places() {
        let Some(Told { trial, .. }) = told else { continue };
        let (above_optimum, above_bound) = shares(board, row, k);
        let metrics = trial.metrics.as_ref();
        let fields = [
            quoted(&board.rows[row].label),
            board.rows[row].family.to_string(),
            board.ks[k].to_string(),
            trial.outcome.clone(),
            field(trial.cost),
            field(trial.bound),
            field(trial.gap),
            field(above_optimum),
            field(above_bound),
            field(trial.suppressed),
            field(trial.classes),
            field(trial.achieved_k),
            field(metrics.map(|metrics| metrics.gcp)),
            field(metrics.map(|metrics| metrics.dm)),
            format!("{:.3}", trial.cpu_seconds),
            format!("{:.3}", trial.wall_seconds),
            quoted(trial.why.as_deref().unwrap_or_default()),
        ];
        text.push_str(&(fields.join(",") + "\n"));
    }
    text
}

/// How much a release costs above the proven optimum, or else above the bound.
fn shares(board: &Board, row: usize, k: usize) -> (Option<f64>, Option<f64>) {
    match board.above(row, k) {
        None => (None, None),
        Some((share, reference)) if reference.proven => (Some(share), None),
        Some((share, _)) => (None, Some(share)),
    }
}

/// The comparison as one JSON object.
pub(super) fn json(board: &Board) -> Result<String> {
    #[derive(Serialize)]
    struct Whole<'a> {
        version: &'static str,
        table: &'a str,
        rows: u64,
        cells: u64,
        quasi: &'a [String],
        models: &'a [String],
        metric: &'static str,
        max_suppressed: Option<&'a str>,
        time_limit: Option<&'a str>,
        k: &'a [u64],
        methods: Vec<serde_json::Value>,
        optimum: Vec<serde_json::Value>,
        runs: Vec<Run<'a>>,
        missing: Vec<serde_json::Value>,
        cached: usize,
        interrupted: bool,
    }
    #[derive(Serialize)]
    struct Run<'a> {
        method: &'a str,
        family: incrowd::Family,
        k: u64,
        #[serde(flatten)]
        trial: &'a Trial,
        above_optimum: Option<f64>,
        above_bound: Option<f64>,
        cached: bool,
    }
    let runs = board.places().filter_map(|(row, k, told)| {
        let Told { trial, cached } = told?;
        let (above_optimum, above_bound) = shares(board, row, k);
        let (method, family) = (board.rows[row].label.as_str(), board.rows[row].family);
        let (k, cached) = (board.ks[k], *cached);
        Some(Run { method, family, k, trial, above_optimum, above_bound, cached })
    });
    let missing = board.places().filter(|(_, _, told)| told.is_none());
    let whole = Whole {
        version: env!("CARGO_PKG_VERSION"),
        table: &board.table,
        rows: board.size,
        cells: board.cells,
        quasi: &board.quasi,
        models: &board.models,
        metric: board.metric.name(),
        max_suppressed: board.limit.as_deref(),
        time_limit: board.time_limit.as_deref(),
        k: &board.ks,
        methods: board
            .rows
            .iter()
            .map(|row| serde_json::json!({ "method": row.label, "family": row.family }))
            .collect(),
        optimum: (0..board.ks.len())
            .filter_map(|k| {
                let known = board.reference(k)?;
                let (k, proven) = (board.ks[k], known.proven);
                Some(serde_json::json!({ "k": k, "cost": known.cost, "proven": proven }))
            })
            .collect(),
        runs: runs.collect(),
        missing: missing
            .map(|(row, k, _)| {
                serde_json::json!({ "method": board.rows[row].label, "k": board.ks[k] })
            })
            .collect(),
        cached: board.known().1,
        interrupted: board.interrupted,
    };
    crate::show::json_text("comparison", &whole)
}
