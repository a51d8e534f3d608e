//! Reading TOML values one by one with a fault that points at the offending characters.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::choices::KeywordChoice;
use crate::Error;
use incrowd_data::suggest;

/// What is wrong with a part of a TOML text; becomes an [`Error`] that shows the line.
#[derive(Debug)]
pub(super) struct TomlFault {
    /// The bytes of the text to underline, if the fault is at a place.
    pub(super) span: Option<Range<usize>>,
    /// What is wrong.
    pub(super) message: String,
    /// How to fix it.
    pub(super) help: Option<String>,
}

impl TomlFault {
    pub(super) fn new(span: impl Into<Option<Range<usize>>>, message: impl Into<String>) -> Self {
        TomlFault { span: span.into(), message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The result of reading a part.
pub(super) type TomlResult<T> = Result<T, TomlFault>;

/// A value and how to speak of it.
#[derive(Clone)]
pub(super) struct TomlItem<'a> {
    /// The whole text, to quote from.
    text: &'a str,
    /// How messages call it: "`weight`", "an entry of `order`".
    pub(super) what: String,
    /// Where its key is; for an entry of a list the entry itself.
    pub(super) key: Range<usize>,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> TomlItem<'a> {
    /// A fault of this value.
    pub(super) fn fault(&self, message: impl Display) -> TomlFault {
        TomlFault::new(self.span(), message.to_string())
    }

    /// A fault of this value that another reader found.
    fn fault_of(&self, error: Error) -> TomlFault {
        TomlFault { span: Some(self.span()), message: error.message, help: error.help }
    }

    /// What to underline for this value; a table that is not inline has its header.
    pub(super) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    fn wrong_type(&self, wanted: &str, example: &str) -> TomlFault {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a decimal number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.fault(format_args!("{} must be {wanted}, not {found}", self.what))
            .help(format!("for example {example}"))
    }

    /// Any text.
    pub(super) fn text(self) -> TomlResult<String> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.clone().into_owned()),
            DeValue::Array(_) | DeValue::Table(_) => Err(self.wrong_type("text", "\"text\"")),
            _ => {
                let written = self.text.get(self.span()).unwrap_or_default();
                let help = format!("write it in quotes: \"{written}\"");
                Err(self.wrong_type("text", "").help(help))
            }
        }
    }

    /// Text that is not empty.
    pub(super) fn nonempty(self) -> TomlResult<String> {
        let text = self.clone().text()?;
        if text.is_empty() {
            return Err(self
                .fault(format_args!("{} must not be empty", self.what))
                .help("write something between the quotes"));
        }
        Ok(text)
    }

    /// Text in a notation of its own.
    pub(super) fn notation<T>(self, parse: impl FnOnce(&str) -> crate::Result<T>) -> TomlResult<T> {
        let text = self.clone().text()?;
        parse(&text).map_err(|error| self.fault_of(error))
    }

    /// One of a closed set of names.
    pub(super) fn choice<T: KeywordChoice>(self) -> TomlResult<T> {
        self.notation(T::from_name)
    }

    /// True or false.
    pub(super) fn yes_or_no(self) -> TomlResult<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(yes) => Ok(*yes),
            _ => Err(self.without_quotes::<bool>(self.wrong_type("true or false", "true"))),
        }
    }

    /// A finite number.
    pub(super) fn number(self) -> TomlResult<f64> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            // Every i128 is a number in double precision; longer ones are of no use here.
            DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|integer| integer as f64),
            _ => return Err(self.without_quotes::<f64>(self.wrong_type("a number", "2.5"))),
        };
        number.filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            self.fault(format_args!("{} must be a finite number", self.what))
                .help("for example 2.5")
        })
    }

    /// The fault with better help if only the quotes are wrong.
    fn without_quotes<T: FromStr>(&self, fault: TomlFault) -> TomlFault {
        match self.value.get_ref() {
            DeValue::String(text) if text.trim().parse::<T>().is_ok() => {
                fault.help(format!("leave out the quotes: {}", text.trim()))
            }
            _ => fault,
        }
    }

    /// A finite number for which a condition holds that `range` puts into words.
    pub(super) fn number_in(
        self,
        range: &str,
        example: &str,
        holds: impl Fn(f64) -> bool,
    ) -> TomlResult<f64> {
        let number = self.clone().number()?;
        if !holds(number) {
            return Err(self
                .fault(format_args!("{} must be {range}, not {number}", self.what))
                .help(format!("for example {example}")));
        }
        Ok(number)
    }

    /// A share of a whole, as a number or a percentage in quotes.
    pub(super) fn share(self, range: &str, holds: impl Fn(f64) -> bool) -> TomlResult<f64> {
        let share = match self.value.get_ref() {
            DeValue::String(_) => self.clone().notation(|text| {
                super::risk_notation::share(text).ok_or_else(|| {
                    Error::new(format!("`{text}` is not a share"))
                        .help("write a share such as 0.05 or 5%")
                })
            })?,
            _ => self.clone().number()?,
        };
        match holds(share) {
            true => Ok(share),
            false => Err(self
                .fault(format_args!("{} must be {range}, not {share}", self.what))
                .help("0.05 is one in twenty")),
        }
    }

    /// A number more than 0.
    pub(super) fn positive(self) -> TomlResult<f64> {
        self.number_in("more than 0", "2", |number| number > 0.0)
    }

    /// A whole number of at least `least`.
    pub(super) fn whole(self, least: u64) -> TomlResult<u64> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.without_quotes::<u64>(self.wrong_type("a whole number", "5")));
        };
        let written = integer.as_str();
        match u64::from_str_radix(written, integer.radix()) {
            Ok(number) if number >= least => Ok(number),
            Err(_) if !written.starts_with('-') => Err(self.too_large(u64::MAX)),
            _ => Err(self
                .fault(format_args!("{} must be at least {least}, not {integer}", self.what))
                .help("for example 5")),
        }
    }

    /// A whole number from 1 that is small enough to count characters.
    pub(super) fn small(self) -> TomlResult<u32> {
        self.at_most(u32::MAX)
    }

    /// A whole number from 1 to `most`.
    pub(super) fn at_most(self, most: u32) -> TomlResult<u32> {
        let number = u32::try_from(self.clone().whole(1)?).ok();
        number.filter(|&number| number <= most).ok_or_else(|| self.too_large(most))
    }

    pub(super) fn too_large(&self, most: impl Display) -> TomlFault {
        self.fault(format_args!("{} is too large", self.what))
            .help(format!("the largest possible number is {most}"))
    }

    /// A list, each entry read in turn.
    pub(super) fn list<T>(
        self,
        entry: impl Fn(TomlItem<'a>) -> TomlResult<T>,
    ) -> TomlResult<Vec<T>> {
        self.entries()?.into_iter().map(entry).collect()
    }

    /// A list that is not empty.
    pub(super) fn some<T>(
        self,
        entry: impl Fn(TomlItem<'a>) -> TomlResult<T>,
    ) -> TomlResult<Vec<T>> {
        let list = self.clone().list(entry)?;
        if list.is_empty() {
            return Err(self
                .fault(format_args!("{} must not be an empty list", self.what))
                .help("list at least one entry, or leave the key out"));
        }
        Ok(list)
    }

    /// One table, or a list of them.
    pub(super) fn one_or_many<T>(
        self,
        entry: impl Fn(TomlItem<'a>) -> TomlResult<T>,
    ) -> TomlResult<Vec<T>> {
        match self.value.get_ref() {
            DeValue::Table(_) => Ok(vec![entry(self)?]),
            DeValue::Array(_) => self.list(entry),
            _ => {
                Err(self.wrong_type("a table or a list of tables", "{ column = \"disease\", .. }"))
            }
        }
    }

    fn entries(&self) -> TomlResult<Vec<TomlItem<'a>>> {
        let DeValue::Array(array) = self.value.get_ref() else {
            return Err(self.wrong_type("a list", "[\"a\", \"b\"]"));
        };
        let what = format!("an entry of {}", self.what);
        let entry = |value: &'a Spanned<DeValue<'a>>| TomlItem {
            text: self.text,
            what: what.clone(),
            key: value.span(),
            value,
        };
        Ok(array.iter().map(entry).collect())
    }

    /// Every key of a table with its value, in the order of the text.
    pub(super) fn named_entries(self) -> TomlResult<Vec<(&'a str, TomlItem<'a>)>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return Err(self.not_a_table());
        };
        Ok(in_order(self.text, table))
    }

    /// A table with known keys, and others if it is `open`: somebody else judges those.
    pub(super) fn fields(self, keys: Vec<&'static str>, open: bool) -> TomlResult<TomlSection<'a>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return Err(self.not_a_table());
        };
        let span = Some(self.span());
        let fields = TomlSection { text: self.text, what: self.what, span, table, keys };
        if !open {
            fields.no_others()?;
        }
        Ok(fields)
    }

    fn not_a_table(&self) -> TomlFault {
        let fault = self.wrong_type("a table", "{ key = \"value\" }");
        if self.what.starts_with('[') {
            return fault.help(format!("write {} on a line, and its keys below it", self.what));
        }
        fault
    }

    /// What kind of value this is.
    pub(super) fn kind(&self) -> &'a DeValue<'a> {
        self.value.get_ref()
    }
}

/// The entries of a table in the order of the text; the parser sorts them by name.
fn in_order<'a>(text: &'a str, table: &'a DeTable<'a>) -> Vec<(&'a str, TomlItem<'a>)> {
    let mut entries: Vec<(&str, TomlItem<'_>)> = table
        .iter()
        .map(|(key, value)| {
            let name = key.get_ref().as_ref();
            (name, TomlItem { text, what: format!("`{name}`"), key: key.span(), value })
        })
        .collect();
    entries.sort_by_key(|(_, item)| item.key.start);
    entries
}

/// A table with known keys.
pub(super) struct TomlSection<'a> {
    text: &'a str,
    /// How messages call it: "`[columns.age]`".
    what: String,
    /// Where to point if something is missing; nowhere for the whole text.
    span: Option<Range<usize>>,
    table: &'a DeTable<'a>,
    keys: Vec<&'static str>,
}

impl<'a> TomlSection<'a> {
    /// The top level of a text.
    pub(super) fn top(
        text: &'a str,
        what: &str,
        table: &'a DeTable<'a>,
        keys: Vec<&'static str>,
    ) -> TomlResult<Self> {
        let fields = TomlSection { text, what: what.to_owned(), span: None, table, keys };
        fields.no_others()?;
        Ok(fields)
    }

    fn no_others(&self) -> TomlResult<()> {
        match self.others().into_iter().next() {
            None => Ok(()),
            Some((name, item)) => {
                Err(TomlFault::new(item.key, format!("unknown key `{name}` in {}", self.what))
                    .help(suggest(name, self.keys.iter().copied())))
            }
        }
    }

    /// The entries whose keys are not known here, in the order of the text.
    pub(super) fn others(&self) -> Vec<(&'a str, TomlItem<'a>)> {
        let mut entries = in_order(self.text, self.table);
        entries.retain(|(name, _)| !self.keys.contains(name));
        entries
    }

    /// The value of a known key.
    pub(super) fn get(&self, key: &'static str) -> Option<TomlItem<'a>> {
        debug_assert!(self.keys.contains(&key), "{key} is read but not declared");
        let (name, value) = self.table.get_key_value(key)?;
        Some(TomlItem { text: self.text, what: format!("`{key}`"), key: name.span(), value })
    }

    /// The fault that a key is not there.
    pub(super) fn lacks(&self, key: &str) -> TomlFault {
        self.fault(format!("{} lacks `{key}`", self.what))
    }

    /// A fault of the table as a whole.
    pub(super) fn fault(&self, message: impl Into<String>) -> TomlFault {
        TomlFault::new(self.span.clone(), message)
    }
}
