//! What the programs of incrowd show on a terminal: progress, tables and numbers, and how a command ends.

mod progress;
mod progress_line;

use std::io::Write;
use std::process::ExitCode;

use incrowd_run::{Error, ErrorKind, Result, data::visible};

pub use incrowd_run::report::seconds_text as seconds;
pub use progress::{ProgressDisplay, catch_interrupts};

/// Prints to standard output, ending in one line end; unlike `println!` it does not mind that nobody
/// reads on.
#[macro_export]
macro_rules! sayln {
    ($($text:tt)*) => {
        $crate::say(&format!("{}\n", format!($($text)*).trim_end_matches('\n')))
    };
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutcome {
    /// All is well.
    Done,
    /// A requirement is not met.
    Unmet,
    /// The user interrupted it; what was found has been written.
    Interrupted,
}

/// The code of failures that may pass: EX_TEMPFAIL of sysexits.h, which schedulers know.
const TRY_AGAIN: u8 = 75;

/// The exit code of a command: 0 done, 1 a requirement is not met, 2 bad input, 75 try again later, 130 interrupted. What
/// went wrong is told on standard error.
pub fn exit_code(ended: Result<CommandOutcome>) -> ExitCode {
    ExitCode::from(code(ended))
}

/// The exit code of a command as a number.
pub fn code(ended: Result<CommandOutcome>) -> u8 {
    match ended {
        Ok(CommandOutcome::Done) => 0,
        Ok(CommandOutcome::Unmet) => 1,
        Ok(CommandOutcome::Interrupted) => 130,
        Err(error) if error.is_interrupted() => {
            tell("interrupted: nothing was written");
            130
        }
        Err(error) => {
            tell(&format!("error: {error}"));
            if error.kind == ErrorKind::TryAgain { TRY_AGAIN } else { 2 }
        }
    }
}

/// The same for a command that was asked for JSON: what went wrong is also one JSON object on standard output,
/// `{"error": {"code", "message", "help"}}`.
pub fn code_json(ended: Result<CommandOutcome>) -> u8 {
    if let Err(error) = &ended {
        let mut told = error.to_json();
        told["format_version"] = JSON_FORMAT.into();
        say(&format!("{told:#}\n"));
    }
    code(ended)
}

/// Prints to standard output. Nobody reading on (`| head`) is not an error. Control characters, which may stand in the
/// values and names of a hostile table, are shown and not obeyed.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(visible(text).as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard error, control characters shown as by [`say`].
pub fn tell(line: &str) {
    let mut out = std::io::stderr().lock();
    let line = format!("{}\n", visible(line.trim_end_matches('\n')));
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// Something as JSON over several lines; `what` names it in the error.
pub fn json_text(what: &str, value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map_err(|e| Error::new(format!("the {what} cannot be written as JSON: {e}")))
}

/// The version of the JSON that commands print: it grows when a field goes or gets another meaning, not when one is added.
pub const JSON_FORMAT: u32 = 1;

/// The answer of a command as one JSON object that begins with the version of its form. A list stays a list.
pub fn json_answer(what: &str, value: &impl serde::Serialize) -> Result<String> {
    #[derive(serde::Serialize)]
    struct VersionedAnswer<'a, T> {
        format_version: u32,
        #[serde(flatten)]
        answer: &'a T,
    }
    let versioned = VersionedAnswer { format_version: JSON_FORMAT, answer: value };
    match serde_json::to_string_pretty(&versioned) {
        Ok(text) => Ok(text),
        Err(_) => json_text(what, value),
    }
}

/// The width of the terminal that standard output goes to, if it is one.
pub fn output_width() -> Option<usize> {
    comfy_table::Table::new().width().map(usize::from)
}

/// The width of the terminal that standard error goes to, if it is one.
pub fn error_width() -> Option<usize> {
    comfy_table::Table::new().use_stderr().width().map(usize::from)
}

/// A table for people: plain columns, as wide as the terminal.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    if table.width().is_none() {
        table.set_width(160);
    }
    table.set_header(header);
    for row in rows {
        table.add_row(row);
    }
    table.to_string()
}

/// The first rows of a table, whose long fields are wrapped where the terminal is narrow.
pub fn first_rows(of: &incrowd_engine::Table, most: usize) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(160);
    }
    table.set_header(of.columns().iter().map(|column| column.name.as_str()));
    for row in 0..of.rows().min(most) {
        // A field of several lines is one field.
        table.add_row(of.columns().iter().map(|column| column.value(row).replace('\n', "\\n")));
    }
    table.to_string()
}

/// Something that may not be there.
pub fn maybe<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

/// A field of CSV that may be empty.
pub fn field<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_fields_show_what_is_there() {
        let text =
            table(&["k", "cost"], [vec!["5".to_owned(), maybe(None::<f64>, |_| String::new())]]);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with('k') && lines[1].ends_with('-'), "{text}");
        assert_eq!((field(Some(1.5)), field(None::<u64>)), ("1.5".to_owned(), String::new()));
        assert_eq!((seconds(1.0), seconds(123.4)), ("1.00 s".to_owned(), "123 s".to_owned()));
        assert_eq!(json_text("list", &[1]).as_deref(), Ok("[\n  1\n]"));
        assert_eq!(json_answer("list", &[1]).as_deref(), Ok("[\n  1\n]"));
        let answer = json_answer("facts", &std::collections::BTreeMap::from([("k", 5)]));
        assert_eq!(answer.as_deref(), Ok("{\n  \"format_version\": 1,\n  \"k\": 5\n}"));
    }
}
