//! The spec together with its text.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::Spec;
use super::toml_fields::TomlFault;
use super::toml_source::{TomlSource, read_text};
use super::{check, toml_reader, toml_writer};
use crate::{Error, Result};

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
    /// The same by keyword arguments of a Python program.
    Keywords,
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
        let source = TomlSource { path, text };
        let table = source.toml()?;
        let spec = toml_reader::spec(text, table.get_ref()).map_err(|fault| source.error(fault))?;
        let mut places = BTreeMap::new();
        collect_places(table.get_ref(), &mut Vec::new(), &mut places);
        let origin = Origin::File(path.to_owned());
        let file = SpecFile { origin, text: text.to_owned(), spec, places };
        match check::clash(&file.spec) {
            None => Ok(file),
            Some(clash) => {
                let keys: Vec<&str> = clash.keys.iter().map(String::as_str).collect();
                let error = file.error_at(&keys, clash.message);
                Err(Error { help: Some(clash.help), check: clash.check, ..error })
            }
        }
    }

    /// A spec that was put together in memory, checked like one that was read: what is wrong is
    /// shown in its [written](super::toml_writer::write_spec) form, under the name `path`.
    pub fn from_spec(spec: Spec, path: &Path) -> Result<Self> {
        let file = Self::parse(&toml_writer::write_spec(&spec), path)?;
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
            Origin::Options | Origin::Keywords => None,
        }
    }

    /// Whether it stands for options.
    pub fn is_of_options(&self) -> bool {
        matches!(self.origin, Origin::Options | Origin::Keywords)
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
        TomlSource { path, text: &self.text }.error(TomlFault::new(span, message))
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
