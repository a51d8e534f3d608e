//! A comparison as text.

use incrowd_engine::words::thousands;
use incrowd_run::compare::{Comparison, ComparisonTable};

/// How wide a table on a terminal is at most.
const WIDTH: usize = 100;

/// The comparison for a terminal.
pub(super) fn text(board: &Comparison) -> String {
    let mut text = wrapped(&format!(
        "{}: {} rows, {} distinct combinations of {}",
        board.table,
        thousands(board.rows),
        thousands(board.cells),
        board.quasi.join(", ")
    ));
    for measure in board.tables() {
        text.push('\n');
        text.push_str(&pivot(board, &measure));
    }
    text.push('\n');
    for (family, methods) in board.families() {
        text.push_str(&wrapped(&format!("{}: {}", family.name(), methods.join(", "))));
    }
    let (known, cached) = board.known();
    for sentence in board.reading() {
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
fn pivot(board: &Comparison, measure: &ComparisonTable) -> String {
    let labels = board.contenders.iter().map(|row| row.label.chars().count());
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
        for (row, cells) in board.contenders.iter().zip(&measure.cells) {
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
