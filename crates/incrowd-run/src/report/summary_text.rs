//! A summary as text for a terminal: what matters fits one screen.

use crate::report::statement::{ColumnResult, Statement};
use crate::report::summary::{RunSummary, at_most};

/// Lines of a screen, one of which is the next prompt.
const SCREEN: usize = 23;
/// The widest line.
const WIDEST: usize = 100;
/// The columns of a table are told at least so far.
const LEAST_COLUMNS: usize = 4;
/// Warnings that are told; the others are counted.
const WARNINGS: usize = 5;
/// The widest name of a statement of the answer, and of the details.
const ANSWER_NAME: usize = 8;
const DETAIL_NAME: usize = 10;
/// Lines of a warning on a terminal.
const WARNING_LINES: usize = 2;

/// How a summary is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// All details, all columns, all warnings.
    pub verbose: bool,
    /// The width of the terminal; none where the text goes elsewhere: then warnings are told in full, one in a line.
    pub width: Option<usize>,
    /// Lines that the program prints below it.
    pub below: usize,
}

impl TextStyle {
    fn columns(self) -> usize {
        self.width.map_or(WIDEST, |width| width.clamp(40, WIDEST))
    }
}

impl RunSummary {
    /// The answer and the columns; with the details where all is to be told.
    pub fn text(&self, style: TextStyle) -> String {
        let mut lines = self.answer_lines(style);
        if !self.columns.is_empty() {
            let warnings = self.warning_lines(style).len();
            // The header has two lines; an empty one is above the columns, and one above warnings.
            let used = lines.len() + 3 + warnings + usize::from(warnings > 0) + style.below;
            let room = match style.verbose {
                true => usize::MAX,
                false => SCREEN.saturating_sub(used).max(LEAST_COLUMNS),
            };
            lines.push(String::new());
            lines.extend(self.column_lines(style, room));
        }
        if style.verbose && !self.details.is_empty() {
            lines.push(String::new());
            lines.extend(self.details.iter().flat_map(|it| statement_lines(it, DETAIL_NAME, None)));
        }
        lines.join("\n") + "\n"
    }

    /// The warnings, numbered; empty if there are none.
    pub fn warnings_text(&self, style: TextStyle) -> String {
        self.warning_lines(style).join("\n")
    }

    fn answer_lines(&self, style: TextStyle) -> Vec<String> {
        let width = Some(style.columns());
        self.answer.iter().flat_map(|it| statement_lines(it, ANSWER_NAME, width)).collect()
    }

    fn column_lines(&self, style: TextStyle, room: usize) -> Vec<String> {
        let rows = joined(&self.columns);
        let told = if rows.len() > room { room.saturating_sub(1) } else { rows.len() };
        let longest = |names: &mut dyn Iterator<Item = usize>| names.max().unwrap_or(0);
        let name = longest(&mut rows.iter().map(|it| it.column.chars().count())).clamp(6, 28);
        let kept = "detail kept".len();
        let what = style.columns().saturating_sub(name + kept + 4);
        let mut lines = vec![
            format!("{:<name$}  {:<what$}  detail kept", "column", "what happened"),
            "─".repeat(name + what + kept + 4),
        ];
        for it in &rows[..told] {
            let share = it.kept.map_or_else(String::new, at_most);
            let (first, words) = match style.verbose {
                true => (it.column.clone(), it.what.clone()),
                false => (clipped(&it.column, name), clipped(&it.what, what)),
            };
            lines.push(
                format!("{first:<name$}  {words:<what$}  {share:>kept$}").trim_end().to_owned(),
            );
        }
        if told < rows.len() {
            lines.push(format!("and {} more columns: --verbose", rows.len() - told));
        }
        lines
    }

    fn warning_lines(&self, style: TextStyle) -> Vec<String> {
        if self.warnings.is_empty() {
            return Vec::new();
        }
        let groups = self.grouped_warnings(style.verbose);
        let told = if style.verbose { groups.len() } else { groups.len().min(WARNINGS) };
        let more = match groups.len() - told {
            0 => String::new(),
            _ => format!("; the first {told}, all with --verbose"),
        };
        let mut lines = vec![format!("Warnings ({}{more})", self.warnings.len())];
        for (at, message) in groups.iter().take(told).enumerate() {
            let head = format!("  {}. ", at + 1);
            match style.width {
                None => lines.push(format!("{head}{message}")),
                Some(_) => {
                    let mut wrapped = hanging(&head, message, style.columns());
                    if !style.verbose && wrapped.len() > WARNING_LINES {
                        wrapped.truncate(WARNING_LINES);
                        let last = wrapped.pop().unwrap_or_default();
                        wrapped.push(clipped(&format!("{last} ..."), style.columns() - 3) + "...");
                    }
                    lines.extend(wrapped);
                }
            }
        }
        lines
    }

    /// Warnings of one kind as one, unless all are to be told.
    fn grouped_warnings(&self, verbose: bool) -> Vec<String> {
        let mut groups: Vec<(&str, String, usize)> = Vec::new();
        for warning in &self.warnings {
            match groups.iter_mut().find(|(code, ..)| *code == warning.code && !verbose) {
                Some((_, _, others)) => *others += 1,
                None => groups.push((warning.code, warning.message.clone(), 0)),
            }
        }
        let text = |(_, message, others): (&str, String, usize)| match others {
            0 => message,
            others => format!("{message} (and {others} more like this)"),
        };
        groups.into_iter().map(text).collect()
    }
}

/// Columns of which the same is told, and no figure, in one row.
fn joined(columns: &[ColumnResult]) -> Vec<ColumnResult> {
    let mut rows: Vec<ColumnResult> = Vec::new();
    for it in columns {
        let same = |row: &&mut ColumnResult| row.kept.is_none() && row.what == it.what;
        match rows.iter_mut().find(same).filter(|_| it.kept.is_none()) {
            Some(row) => row.column = format!("{}, {}", row.column, it.column),
            None => rows.push(it.clone()),
        }
    }
    rows
}

/// A statement under its name, wrapped to a width if there is one.
fn statement_lines(it: &Statement, name: usize, width: Option<usize>) -> Vec<String> {
    let lines = it.text.lines().enumerate().flat_map(|(at, line)| {
        let head = format!("{:<name$}  ", if at == 0 { it.name.as_str() } else { "" });
        match width {
            Some(width) => hanging(&head, line, width),
            None => vec![format!("{head}{line}")],
        }
    });
    lines.collect()
}

/// A text behind a head, its further lines below its first.
fn hanging(head: &str, text: &str, width: usize) -> Vec<String> {
    let indent = head.chars().count();
    let mut lines = Vec::new();
    let mut line = head.to_owned();
    // A number stays beside its sign.
    for word in text.replace(" %", "\u{a0}%").split(' ') {
        let begun = line.chars().count() > indent;
        if begun && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// A text of at most so many characters.
fn clipped(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(3)).collect::<String>() + "...",
        false => text.to_owned(),
    }
}
