//! From a fault to an error that shows the line, and the spec together with its text.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fields::Fault;
use super::model::Spec;
use super::{check, walk, write};
use crate::{Error, Result};

/// A TOML text and its name.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    /// The text as tables, or its first syntax error.
    pub(super) fn toml(self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| self.error(syntax_fault(self.text, &error)))
    }

    /// The error for a fault in this text, with the line shown and the fault underlined.
    pub(super) fn error(self, fault: Fault) -> Error {
        let mut error = Error { help: fault.help, ..Error::new(fault.message) };
        let Some(span) = fault.span else { return error.at(self.path, None, None) };
        let spot = Spot::new(self.text, span);
        let path = self.path.display().to_string();
        let group = Group::with_level(Level::ERROR).element(
            Snippet::source(spot.line)
                .path(path)
                .line_start(spot.line_number)
                .annotation(AnnotationKind::Primary.span(spot.underlined)),
        );
        error.snippet = Some(Renderer::plain().render(&[group]).trim_end().to_owned());
        error.at(self.path, Some(spot.line_number as u64), Some(spot.column as u64))
    }
}

/// One line of a text with a part of it. A span of several lines shrinks to its first one: that
/// is where the eye should go.
struct Spot<'a> {
    line: &'a str,
    line_number: usize,
    column: usize,
    underlined: Range<usize>,
}

impl<'a> Spot<'a> {
    fn new(text: &'a str, span: Range<usize>) -> Self {
        let start = floor_boundary(text, span.start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &text[line_start..];
        let line = rest.split('\n').next().unwrap_or(rest).trim_end_matches('\r');
        let from = (start - line_start).min(line.len());
        let to = floor_boundary(line, span.end.saturating_sub(line_start)).max(from);
        Spot {
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
fn syntax_fault(text: &str, error: &toml::de::Error) -> Fault {
    let span = error.span().unwrap_or(text.len()..text.len());
    let written = text.get(span.clone()).unwrap_or_default();
    let message = error.message();
    if message.starts_with("duplicate key") {
        return Fault::new(span, format!("`{written}` is given twice")).help("keep one of the two");
    }
    // A value that starts like a word was meant as text, whatever the parser took it for.
    let is_word = written.starts_with(char::is_alphabetic) && !written.contains(['\n', '=', '"']);
    if is_word && (message.starts_with("invalid") || message.starts_with("string values")) {
        let fault = Fault::new(span, format!("the text `{written}` is not in quotes"));
        return match written.to_lowercase().as_str() {
            flag @ ("true" | "false") => fault.help(format!("write \"{written}\", or {flag}")),
            _ => fault.help(format!("write \"{written}\"")),
        };
    }
    Fault::new(span, format!("this is not TOML: {message}"))
        .help("TOML has headers such as [data] and below them lines such as input = \"t.csv\"")
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

/// Where a key and its value are; of a table only the name counts.
#[derive(Debug, Clone)]
struct KeyPlace {
    key: Range<usize>,
    value: Range<usize>,
}

/// Where a spec comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A text of that name, usually a file. Relative paths start at its folder, and what is wrong is shown
    /// in its lines.
    File(PathBuf),
    /// Options that were put together in memory: there are no lines to show.
    Options,
}

/// A spec together with its text, so that whatever turns out to be wrong later (a column that
/// the data lack, a file that does not exist, an option that a method does not have) can be
/// shown where it is written.
#[derive(Debug, Clone)]
pub struct SpecFile {
    /// Where it comes from.
    pub origin: Origin,
    /// The text.
    pub text: String,
    /// What it says.
    pub spec: Spec,
    /// The place of every key; entries of lists are numbered from 0.
    places: BTreeMap<Vec<String>, KeyPlace>,
}

impl SpecFile {
    /// Reads a spec.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?, path)
    }

    /// Reads a spec from a text. The path is where relative paths start from, and for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source { path, text };
        let table = source.toml()?;
        let spec = walk::spec(text, table.get_ref()).map_err(|fault| source.error(fault))?;
        let mut places = BTreeMap::new();
        collect_places(table.get_ref(), &mut Vec::new(), &mut places);
        let origin = Origin::File(path.to_owned());
        let file = SpecFile { origin, text: text.to_owned(), spec, places };
        match check::clash(&file.spec) {
            None => Ok(file),
            Some(clash) => {
                let keys: Vec<&str> = clash.keys.iter().map(String::as_str).collect();
                Err(Error { help: Some(clash.help), ..file.error_at(&keys, clash.message) })
            }
        }
    }

    /// A spec that was put together in memory, checked like one that was read: what is wrong is
    /// shown in its [written](write::write_spec) form, under the name `path`.
    pub fn from_spec(spec: Spec, path: &Path) -> Result<Self> {
        let file = Self::parse(&write::write_spec(&spec), path)?;
        Ok(SpecFile { spec, ..file })
    }

    /// A spec that stands for options, checked like one that was read; what is wrong is told without
    /// lines, because nobody wrote any.
    pub fn from_options(spec: Spec) -> Result<Self> {
        let file = Self::from_spec(spec, Path::new("options")).map_err(|error| Error {
            snippet: None,
            place: None,
            ..error
        })?;
        Ok(SpecFile { origin: Origin::Options, ..file })
    }

    /// The spec's file, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Options => None,
        }
    }

    /// Whether it stands for options.
    pub fn is_of_options(&self) -> bool {
        self.origin == Origin::Options
    }

    /// A path in the spec as seen from here: relative ones start at the folder of the spec file.
    /// `-` stays what it is.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        match self.path().and_then(Path::parent) {
            Some(folder) if path != Path::new("-") => folder.join(path),
            _ => path.to_owned(),
        }
    }

    /// An error about the value of a key, e.g. `&["columns", "age", "hierarchy"]`; for a table
    /// about its name. Entries of lists are named by number from "0". Where the spec lacks the
    /// key, the nearest table around it is shown; of options no lines are.
    pub fn error_at(&self, keys: &[&str], message: impl Into<String>) -> Error {
        self.error(keys, |place| place.value.clone(), message.into())
    }

    /// An error about a key itself, e.g. an option that the method does not have.
    pub fn error_at_key(&self, keys: &[&str], message: impl Into<String>) -> Error {
        self.error(keys, |place| place.key.clone(), message.into())
    }

    fn place(&self, keys: &[&str]) -> Option<&KeyPlace> {
        let mut keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        self.places.get(&keys).or_else(|| {
            // A single table may stand where a list of tables could.
            keys.retain(|key| key != "0");
            self.places.get(&keys)
        })
    }

    fn error(
        &self,
        keys: &[&str],
        span: impl Fn(&KeyPlace) -> Range<usize>,
        message: String,
    ) -> Error {
        let Some(path) = self.path() else { return Error::new(message) };
        let known =
            (1..=keys.len()).rev().find_map(|length| Some((length, self.place(&keys[..length])?)));
        let span = known.map(|(length, place)| {
            // Of the table around a missing key only the name is of interest.
            if length == keys.len() { span(place) } else { place.key.clone() }
        });
        Source { path, text: &self.text }.error(Fault::new(span, message))
    }
}

fn collect_places(
    table: &DeTable<'_>,
    keys: &mut Vec<String>,
    places: &mut BTreeMap<Vec<String>, KeyPlace>,
) {
    for (key, value) in table {
        keys.push(key.get_ref().clone().into_owned());
        collect_value(key.span(), value, keys, places);
        keys.pop();
    }
}

fn collect_value(
    key: Range<usize>,
    value: &Spanned<DeValue<'_>>,
    keys: &mut Vec<String>,
    places: &mut BTreeMap<Vec<String>, KeyPlace>,
) {
    let place = match value.get_ref() {
        DeValue::Table(_) => KeyPlace { key: key.clone(), value: key },
        _ => KeyPlace { key, value: value.span() },
    };
    places.insert(keys.clone(), place);
    match value.get_ref() {
        DeValue::Table(table) => collect_places(table, keys, places),
        DeValue::Array(array) => {
            for (at, entry) in array.iter().enumerate() {
                keys.push(at.to_string());
                collect_value(entry.span(), entry, keys, places);
                keys.pop();
            }
        }
        _ => {}
    }
}
