//! A TOML text: from a fault in it to an error that shows the line.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toml::Spanned;
use toml::de::DeTable;

use super::toml_fields::TomlFault;
use crate::{Error, Result};

/// A TOML text and its name.
#[derive(Clone, Copy)]
pub(super) struct TomlSource<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl<'a> TomlSource<'a> {
    /// The text as tables, or its first syntax error.
    pub(super) fn toml(self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| self.error(syntax_fault(self.text, &error)))
    }

    /// The error for a fault in this text, with the line shown and the fault underlined.
    pub(super) fn error(self, fault: TomlFault) -> Error {
        let mut error = Error { help: fault.help, ..Error::new(fault.message) };
        let Some(span) = fault.span else { return error.at(self.path, None, None) };
        let spot = MarkedLine::new(self.text, span);
        let path = self.path.display().to_string();
        let group = Group::with_level(Level::ERROR).element(
            Snippet::source(spot.line)
                .path(path)
                .line_start(spot.line_number)
                .annotation(AnnotationKind::Primary.span(spot.underlined)),
        );
        error.snippet = Some(Renderer::plain().render(&[group]).trim_end().into());
        error.at(self.path, Some(spot.line_number as u64), Some(spot.column as u64))
    }
}

/// One line of a text with a part of it. A span of several lines shrinks to its first one: that
/// is where the eye should go.
struct MarkedLine<'a> {
    line: &'a str,
    line_number: usize,
    column: usize,
    underlined: Range<usize>,
}

impl<'a> MarkedLine<'a> {
    fn new(text: &'a str, span: Range<usize>) -> Self {
        let start = floor_boundary(text, span.start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &text[line_start..];
        let line = rest.split('\n').next().unwrap_or(rest).trim_end_matches('\r');
        let from = (start - line_start).min(line.len());
        let to = floor_boundary(line, span.end.saturating_sub(line_start)).max(from);
        MarkedLine {
            line,
            line_number: before.matches('\n').count() + 1,
            column: line[..from].chars().count() + 1,
            underlined: from..to,
        }
    }
}

/// The last place at or before `index` where a character starts.
fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// A syntax error in our words where the parser's are hard to act on.
fn syntax_fault(text: &str, error: &toml::de::Error) -> TomlFault {
    let span = error.span().unwrap_or(text.len()..text.len());
    let written = text.get(span.clone()).unwrap_or_default();
    let message = error.message();
    if message.starts_with("duplicate key") {
        return TomlFault::new(span, format!("`{written}` is given twice"))
            .help("keep one of the two");
    }
    // A value that starts like a word was meant as text, whatever the parser took it for.
    let is_word = written.starts_with(char::is_alphabetic) && !written.contains(['\n', '=', '"']);
    if is_word && (message.starts_with("invalid") || message.starts_with("string values")) {
        let fault = TomlFault::new(span, format!("the text `{written}` is not in quotes"));
        return match written.to_lowercase().as_str() {
            flag @ ("true" | "false") => fault.help(format!("write \"{written}\", or {flag}")),
            _ => fault.help(format!("write \"{written}\"")),
        };
    }
    TomlFault::new(span, format!("this is not TOML: {message}"))
        .help("TOML has headers such as [data], and below them lines such as input = \"t.csv\"")
}

/// A text file as text, without a byte order mark.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|cause| Error::file("read", path, &cause))?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]);
        let line = before.matches('\n').count() as u64 + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u64 + 1;
        Error::new("the file is not UTF-8 text")
            .at(path, Some(line), Some(column))
            .help("save it as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}
