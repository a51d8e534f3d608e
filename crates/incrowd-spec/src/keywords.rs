//! Options of programs, by name, put together into a spec.
//!
//! A keyword is an option of the command line in snake case: `max_suppressed="2%"`. Most are keys of the spec, and
//! are found there by their name: a key of [data], [privacy], [goal], [algorithm] or [release] takes a value, a key of
//! a column takes a table from columns to values. So a new key of the spec is a new keyword by itself.

use std::path::Path;

use super::choices::KeywordChoice;
use super::column::{ColumnSection, NEEDS_NO_ROLE, RELEASES};
use super::keyword_forms::{models, of_column};
use super::keyword_value::{KeywordValue, set};
use super::option_table::{OptionGroup, SpecSection};
use super::options::{COLUMNS_TABLE, options};
use super::toml_source::TomlSource;
use super::{Origin, OtherColumns, Role, SpecFile};
use crate::{Error, Result};
use incrowd_data::suggest;

/// Keywords that give columns a role.
const ROLES: [Role; 5] =
    [Role::Quasi, Role::Identifying, Role::Sensitive, Role::Plain, Role::Class];
/// Models that have a short notation.
const MODELS: [&str; 5] =
    ["l-diversity", "t-closeness", "alpha", "beta-likeness", "delta-disclosure"];

/// All keywords, in the order of the table of options.
pub fn keywords() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in options().iter().filter(|entry| entry.is_keyword()) {
        let name = entry.keyword();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl SpecFile {
    /// The spec that keywords stand for, checked like one that was read. `base` is a spec to start from, as TOML;
    /// keywords come before what it says. `input` is how the table is called.
    pub fn from_keywords(
        base: Option<&str>,
        input: Option<&str>,
        keywords: &[(String, KeywordValue)],
    ) -> Result<Self> {
        Self::put_together(base, input, keywords, Origin::Keywords)
    }

    /// The same from what was typed on a command line: see [`typed`](super::typed).
    pub fn from_typed(
        base: Option<&str>,
        input: Option<&str>,
        keywords: &[(String, KeywordValue)],
    ) -> Result<Self> {
        Self::put_together(base, input, keywords, Origin::Options)
    }

    fn put_together(
        base: Option<&str>,
        input: Option<&str>,
        keywords: &[(String, KeywordValue)],
        origin: Origin,
    ) -> Result<Self> {
        let put = || Self::of_document(base, input, keywords);
        let mut file = put().map_err(|error| match origin {
            Origin::Options => with_flag(error),
            _ => error,
        })?;
        file.origin = origin;
        Ok(file)
    }

    fn of_document(
        base: Option<&str>,
        input: Option<&str>,
        keywords: &[(String, KeywordValue)],
    ) -> Result<Self> {
        let mut document = KeywordDocument::new(base)?;
        if let Some(input) = input {
            document.set("data", "input", input.into());
        }
        // Roles first: other keywords speak of columns that have one, by their old names or their new ones.
        let mut rest: Vec<&(String, KeywordValue)> = Vec::new();
        for keyword @ (name, value) in keywords {
            match role_of(name) {
                Some(_) => document.roles(name, value.clone())?,
                None => rest.push(keyword),
            }
        }
        rest.sort_by_key(|(name, _)| name != "rename");
        for (name, value) in rest {
            document.keyword(name, value.clone())?;
        }
        let mut file = SpecFile::parse(&document.toml(), Path::new("options"))
            .map_err(|error| Error { snippet: None, place: None, ..error })?;
        // A spec that was written before says nothing of other columns, and released them.
        let unsaid = if base.is_some() { OtherColumns::Plain } else { OtherColumns::Drop };
        file.spec.data.other.get_or_insert(unsaid);
        // Where other columns are released, those that are changed are, too.
        if file.spec.other() == OtherColumns::Plain {
            for column in file.spec.columns.iter_mut().filter(|it| it.role == Role::Undecided) {
                if document.changed.contains(&column.name) {
                    column.role = Role::Plain;
                }
            }
        }
        Ok(file)
    }
}

/// An error that begins with a key or a keyword, with the option's name in its place.
fn with_flag(error: Error) -> Error {
    let entries = options().into_iter().filter(|entry| entry.usage.group != OptionGroup::None);
    let message =
        entries.flat_map(|entry| [entry.key.to_owned(), entry.keyword()]).find_map(|name| {
            let rest = error.message.strip_prefix(&format!("`{name}` "))?;
            Some(format!("--{} {rest}", name.replace('_', "-")))
        });
    Error { message: message.unwrap_or_else(|| error.message.clone()), ..error }
}

fn role_of(name: &str) -> Option<Role> {
    // `class` is a word of Python itself.
    let name = name.trim_end_matches('_');
    ROLES.into_iter().find(|role| role.name() == name)
}

/// A spec in the making.
struct KeywordDocument {
    sections: Vec<(String, KeywordValue)>,
    /// Columns that keywords gave a role.
    named: Vec<(String, Role)>,
    /// Options of the method that keywords gave.
    method_options: Vec<String>,
    /// Columns of which keywords say how they are changed, and nothing gives them a role.
    changed: Vec<String>,
}

impl KeywordDocument {
    fn new(base: Option<&str>) -> Result<Self> {
        let sections = match base {
            None => Vec::new(),
            Some(text) => {
                let table = TomlSource { path: Path::new("spec"), text }.toml()?;
                match KeywordValue::of_table(text, table.get_ref()) {
                    KeywordValue::Table(sections) => sections,
                    _ => Vec::new(),
                }
            }
        };
        let (named, method_options, changed) = (Vec::new(), Vec::new(), Vec::new());
        Ok(KeywordDocument { sections, named, method_options, changed })
    }

    fn section(&mut self, name: &str) -> &mut Vec<(String, KeywordValue)> {
        table_at(&mut self.sections, name)
    }

    fn set(&mut self, section: &str, key: &str, value: KeywordValue) {
        set(self.section(section), key, value);
    }

    /// Gives columns a role.
    fn roles(&mut self, keyword: &str, value: KeywordValue) -> Result<()> {
        let Some(role) = role_of(keyword) else { return Ok(()) };
        for name in value.list() {
            let KeywordValue::Text(name) = name else {
                return Err(Error::new(format!("`{keyword}` must name columns by text"))
                    .help(format!("for example {keyword}=[\"age\"]")));
            };
            if name.is_empty() {
                return Err(Error::new(format!("the list of {role} columns holds an empty name"))
                    .help("leave it out, and separate names by single commas"));
            }
            if let Some((_, other)) = self.named.iter().find(|(known, _)| *known == name) {
                let message = match *other == role {
                    true => format!("column `{name}` is named twice as {role}"),
                    false => format!("column `{name}` cannot be both {other} and {role}"),
                };
                return Err(Error::new(message).help("give every column one role"));
            }
            self.named.push((name.clone(), role));
            let column = table_at(self.section("columns"), &name);
            set(column, "role", role.name().into());
        }
        Ok(())
    }

    fn keyword(&mut self, name: &str, value: KeywordValue) -> Result<()> {
        let key = &name.trim_end_matches('_').replace('_', "-")[..];
        let is_table = value.entries().is_some();
        match (key, &value) {
            ("missing", _) if !is_table => {
                self.set("data", "missing-add", KeywordValue::List(value.texts().list()));
            }
            ("missing-only", _) => {
                self.set("data", "missing", KeywordValue::List(value.texts().list()))
            }
            ("keep-order" | "sort", KeywordValue::Bool(false)) => {}
            ("keep-order", _) => self.set("release", "order", "keep".into()),
            ("sort", _) => self.set("release", "order", "sort".into()),
            ("output-delimiter", _) => self.set("release", "delimiter", value),
            ("delimiter", _) => self.set("data", "delimiter", value),
            ("kind" | "effort" | "gap", _) => self.method_option(key, value)?,
            ("top", _) if !is_table => self.method_option(key, value)?,
            ("option", KeywordValue::Table(options)) => {
                for (option, value) in options {
                    self.method_option(option, value.clone())?;
                }
            }
            ("time-limit", KeywordValue::Whole(seconds)) => {
                self.set("algorithm", key, KeywordValue::Text(format!("{seconds}s")));
            }
            ("time-limit", KeywordValue::Number(seconds)) => {
                let text = format!("{}ms", (seconds * 1e3).ceil().max(0.0) as u64);
                self.set("algorithm", key, KeywordValue::Text(text));
            }
            _ if MODELS.contains(&key) => {
                let models = models(key, value)?;
                self.set("privacy", key, KeywordValue::List(models));
            }
            // What is said of columns with a yes is said of a list of them, too.
            ("accept" | "narrowing", _) if !is_table => {
                let named = value.clone().texts().list().into_iter();
                let all = named.filter_map(|name| match name {
                    KeywordValue::Text(name) => Some((name, KeywordValue::Bool(true))),
                    _ => None,
                });
                let all = all.collect();
                self.columns(name, key, KeywordValue::Table(all))?;
            }
            ("roles", KeywordValue::Text(how)) if how == OtherColumns::Guess.name() => {
                self.set("data", "other", value);
            }
            ("roles", _) => {
                return Err(Error::new("the only value of roles is \"guess\"")
                    .help("name other columns with quasi, plain and the like"));
            }
            // The population whose people k counts is named with it.
            ("k-map", KeywordValue::Text(_)) => {
                self.set("data", "population", value);
                self.set("privacy", key, KeywordValue::Bool(true));
            }
            _ if is_of_columns(key) => match (is_table, section_of(key)) {
                (false, Some(section)) if key != "order" => self.set(section, key, value),
                _ => self.columns(name, key, value)?,
            },
            _ => match section_of(key).filter(|_| key != "input") {
                Some(section) => self.set(section, key, value),
                None => {
                    let known = keywords();
                    return Err(Error::new(format!("there is no option `{name}`"))
                        .help(suggest(name, known.iter().map(String::as_str))));
                }
            },
        }
        Ok(())
    }

    /// An option of the method, which may have a keyword of its own.
    fn method_option(&mut self, name: &str, value: KeywordValue) -> Result<()> {
        if self.method_options.iter().any(|known| known == name) {
            return Err(Error::new(format!("the option `{name}` of the method is given twice"))
                .help("keep one of the two"));
        }
        self.method_options.push(name.to_owned());
        self.set("algorithm", name, value);
        Ok(())
    }

    /// A key of columns, from a table of columns to values.
    fn columns(&mut self, keyword: &str, key: &str, value: KeywordValue) -> Result<()> {
        let KeywordValue::Table(entries) = value else {
            return Err(Error::new(format!("`{keyword}` must say which column has which value"))
                .help(format!("for example {keyword}={{\"age\": ...}}")));
        };
        for (name, value) in entries {
            let changed = self.changed.clone();
            let columns = self.section("columns");
            if key == "rename" {
                rename(columns, &name, &value);
            }
            let name = old_name(columns, name);
            let known: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
            let is_new = !known.contains(&name);
            if is_new && !NEEDS_NO_ROLE.contains(&key) {
                return Err(Error::new(format!(
                    "`{keyword}` names column `{name}`, which has no role"
                ))
                .help(suggest(&name, known.iter().map(String::as_str))));
            }
            // How a value is changed does not say that it may be released.
            let releases = RELEASES.contains(&key);
            if is_new || releases && changed.contains(&name) {
                let role = if releases { Role::Plain } else { Role::Undecided };
                set(table_at(columns, &name), "role", role.name().into());
            }
            if is_new {
                self.changed.push(name.clone());
            }
            let value = of_column(key, &name, value)?;
            set(table_at(self.section("columns"), &name), key, value);
        }
        Ok(())
    }

    fn toml(&self) -> String {
        let mut out = String::new();
        for (name, section) in &self.sections {
            let KeywordValue::Table(entries) = section else {
                out = format!("{} = {}\n{out}", super::toml_key(name), section.toml());
                continue;
            };
            out.push_str(&format!("[{}]\n", super::toml_key(name)));
            for (key, value) in entries {
                out.push_str(&format!("{} = {}\n", super::toml_key(key), value.toml()));
            }
        }
        out
    }
}

/// The section other than that of columns which a key belongs to.
fn section_of(key: &str) -> Option<&'static str> {
    let all = options().into_iter();
    let mut known = all.filter(|entry| !["", COLUMNS_TABLE].contains(&entry.section));
    known.find(|entry| entry.key == key).map(|entry| entry.section)
}

/// Whether a key says something of columns, from a table of them to values.
fn is_of_columns(key: &str) -> bool {
    key != "role" && ColumnSection::keys().contains(&key)
}

/// The table below a key, which is made if it is not there.
fn table_at<'a>(
    table: &'a mut Vec<(String, KeywordValue)>,
    key: &str,
) -> &'a mut Vec<(String, KeywordValue)> {
    let at = table.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
        table.push((key.to_owned(), KeywordValue::Table(Vec::new())));
        table.len() - 1
    });
    let entry = &mut table[at].1;
    if !matches!(entry, KeywordValue::Table(_)) {
        *entry = KeywordValue::Table(Vec::new());
    }
    match entry {
        KeywordValue::Table(entries) => entries,
        _ => unreachable!("it was made one"),
    }
}

/// What is said of a column under its new name is said of the column.
fn rename(columns: &mut [(String, KeywordValue)], old: &str, new: &KeywordValue) {
    let KeywordValue::Text(new) = new else { return };
    let is_old = columns.iter().any(|(name, _)| name == old);
    if let Some((name, _)) = columns.iter_mut().find(|(name, _)| name == new).filter(|_| !is_old) {
        *name = old.to_owned();
    }
}

/// The name by which the table knows a column that has a new one.
fn old_name(columns: &[(String, KeywordValue)], name: String) -> String {
    let renamed = columns.iter().find(|(_, column)| {
        let given = column.entries().and_then(|keys| keys.iter().find(|(key, _)| key == "rename"));
        given.is_some_and(|(_, new)| *new == KeywordValue::Text(name.clone()))
    });
    renamed.map_or(name, |(old, _)| old.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::RowOrder;
    use crate::hierarchies::{Hierarchy, HierarchyRule};
    use crate::parsing::SuppressionLimit;

    fn texts(values: &[&str]) -> KeywordValue {
        KeywordValue::List(values.iter().map(|&value| value.into()).collect())
    }

    fn table(entries: &[(&str, KeywordValue)]) -> KeywordValue {
        KeywordValue::Table(
            entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        )
    }

    fn read(keywords: &[(&str, KeywordValue)]) -> Result<SpecFile> {
        let mut all = vec![
            ("k".to_owned(), KeywordValue::Whole(5)),
            ("quasi".to_owned(), texts(&["zip", "age"])),
            ("sensitive".to_owned(), "ill".into()),
        ];
        all.extend(keywords.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        SpecFile::from_keywords(None, Some("table"), &all)
    }

    #[test]
    fn keywords_are_keys_wherever_they_belong() {
        let spec = read(&[
            ("max_suppressed", "2%".into()),
            ("time_limit", KeywordValue::Number(1.5)),
            ("method", "optimal".into()),
            ("gap", "1%".into()),
            ("option", table(&[("start", "climb".into())])),
            ("weight", table(&[("age", KeywordValue::Number(2.5))])),
            ("bins", table(&[("age", "5@16".into())])),
            ("hierarchy", table(&[("zip", "prefix:3,1".into())])),
            ("l_diversity", KeywordValue::Whole(3)),
            ("t_closeness", table(&[("ill", KeywordValue::Number(0.2))])),
            ("missing", texts(&["-9"])),
            ("round", table(&[("pay", KeywordValue::Whole(100))])),
            ("sort", KeywordValue::Bool(true)),
            ("threads", KeywordValue::Whole(2)),
        ]);
        let spec = spec.unwrap().spec;
        assert_eq!(spec.columns[0].name, "zip", "the order is kept");
        assert_eq!(spec.goal.max_suppressed, Some(SuppressionLimit::Percent(2.0)));
        assert_eq!(spec.algorithm.time_limit.unwrap().as_millis(), 1500);
        assert_eq!(spec.algorithm.options.len(), 2);
        assert_eq!(spec.column("age").unwrap().weight, Some(2.5));
        assert_eq!(spec.column("age").unwrap().bins.unwrap().start, 16.0);
        assert_eq!(spec.privacy.l_diversity[0].l, 3.0);
        assert_eq!(spec.privacy.t_closeness[0].column.as_deref(), Some("ill"));
        assert_eq!(spec.data.missing_add, ["-9"]);
        assert_eq!(spec.column("pay").unwrap().role, Role::Undecided);
        assert_eq!(spec.release.order, RowOrder::Sort);
    }

    #[test]
    fn hierarchies_come_in_many_forms() {
        let rule = |value: KeywordValue| {
            let spec = read(&[("hierarchy", table(&[("age", value)]))]).unwrap().spec;
            spec.column("age").unwrap().hierarchy.clone().unwrap()
        };
        let rows = |rows: &[[&str; 3]]| {
            let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
            Hierarchy::Rule(HierarchyRule::Rows { rows })
        };
        let expected = rows(&[["1", "low", "*"], ["2", "high", "*"]]);
        assert_eq!(rule(table(&[("1", "low".into()), ("2", "high".into())])), expected);
        let listed = KeywordValue::List(vec![
            KeywordValue::List(vec![KeywordValue::Whole(1), "low".into(), "*".into()]),
            texts(&["2", "high", "*"]),
        ]);
        assert_eq!(rule(listed), expected);
        let tree = rule(table(&[("low", texts(&["1"])), ("high", texts(&["2"]))]));
        assert!(matches!(tree, Hierarchy::Rule(HierarchyRule::Tree { .. })));
        let steps = KeywordValue::List(vec![KeywordValue::Whole(5), KeywordValue::Whole(10)]);
        let intervals = rule(table(&[("intervals", steps)]));
        assert!(matches!(intervals, Hierarchy::Rule(HierarchyRule::Intervals { .. })));
    }

    #[test]
    fn a_renamed_column_is_known_by_both_names() {
        let keywords = [
            ("k", KeywordValue::Whole(5)),
            ("quasi", "years".into()),
            ("round", table(&[("age", KeywordValue::Whole(5))])),
            ("rename", table(&[("age", "years".into())])),
            ("weight", table(&[("years", KeywordValue::Whole(2))])),
        ];
        let keywords = keywords.map(|(name, value)| (name.to_owned(), value));
        let spec = SpecFile::from_keywords(None, Some("table"), &keywords).unwrap().spec;
        assert_eq!(spec.columns.len(), 1);
        let column = &spec.columns[0];
        assert_eq!((column.name.as_str(), column.source_name()), ("years", "age"));
        assert_eq!((column.role, column.weight), (Role::Quasi, Some(2.0)));
        assert!(column.round.is_some());
    }

    #[test]
    fn keywords_come_before_a_base() {
        let base = "[data]\ninput = \"a.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.b]\nrole = \"plain\"\n\
                    [privacy]\nk = 3\n[release]\noutput = \"x.csv\"\n";
        let given =
            [("k".to_owned(), KeywordValue::Whole(7)), ("identifying".to_owned(), texts(&["b"]))];
        let spec = SpecFile::from_keywords(Some(base), None, &given).unwrap().spec;
        assert_eq!((spec.privacy.k, spec.columns.len()), (7, 2));
        assert_eq!(spec.column("b").unwrap().role, Role::Identifying);
        assert_eq!(spec.column("zip").unwrap().role, Role::Quasi);
    }

    #[test]
    fn what_is_wrong_is_told_without_lines() {
        for (name, value, told) in [
            ("qasi", "x".into(), "no option `qasi`"),
            ("input", "x".into(), "no option"),
            ("plain", texts(&["age"]), "both quasi and plain"),
            ("plain", KeywordValue::Whole(3), "by text"),
            ("weight", KeywordValue::Whole(3), "which column"),
            ("weight", table(&[("agee", KeywordValue::Whole(3))]), "no role"),
            ("weight", table(&[("age", KeywordValue::Whole(-3))]), "weight"),
            ("max_suppressed", KeywordValue::Number(0.5), "whole number"),
            ("l_diversity", "many:3".into(), "many"),
            ("t_closeness", KeywordValue::Number(f64::NAN), "not a number"),
            ("order", texts(&["a"]), "which column"),
            ("k", KeywordValue::Whole(i128::MAX), "k"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert!(error.message.contains(told), "{name}: {error}");
            assert!(error.place.is_none() && error.snippet.is_none(), "{error}");
        }
    }

    #[test]
    fn every_key_of_a_spec_is_a_keyword() {
        let known = keywords();
        for entry in options() {
            let hidden = ["input", "missing-add", "role"].contains(&entry.key);
            assert!(hidden != known.contains(&entry.keyword()), "{}", entry.key);
        }
        assert!(known.contains(&"order".to_owned()) && known.contains(&"class".to_owned()));
    }
}
