//! Hierarchies in TOML: reading them with faults that point at the offending characters, writing them, and their schema.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use toml::de::DeValue;

use super::builtin_hierarchy::BuiltinHierarchy;
use super::choices::KeywordChoice;
use super::codecs::Choice;
use super::hierarchy::{
    DatePeriod, GroupMembers, Hierarchy, HierarchyRule, PrefixLengths, TreeGroup, ValueGroup,
};
use super::option_table::{SchemaDefinitions, ValueCodec, defined};
use super::toml_fields::{TomlFault, TomlItem, TomlResult, TomlSection};
use super::toml_source::{TomlSource, read_text};
use super::toml_text::{key, number, text};
use crate::Result;

/// The keys that choose a rule.
const RULES: [&str; 7] = ["intervals", "prefix", "date", "groups", "tree", "rows", "ready"];
/// All keys of a rule.
pub(super) const RULE_KEYS: [&str; 9] =
    ["intervals", "start", "prefix", "date", "groups", "tree", "rows", "ready", "other"];
/// The keys of a group.
const GROUP_KEYS: [&str; 2] = ["name", "values"];

const RULE_HELP: &str = "write one rule: intervals = [5, 10], prefix = true, date = \
                         [\"month\"], ready = \"countries\",\ngroups = [{ name = .., \
                         values = [..] }] or tree = { .. }";

/// Reads the TOML form of a hierarchy from a file of its own, which holds what would be between
/// the braces in a spec: `intervals = [5, 10]`, or `[tree.Any]` and so on.
pub fn read_hierarchy(path: &Path) -> Result<HierarchyRule> {
    let text = read_text(path)?;
    parse_hierarchy(&text, path)
}

/// [`read_hierarchy`] from a text; the path is for messages only.
pub fn parse_hierarchy(text: &str, path: &Path) -> Result<HierarchyRule> {
    let source = TomlSource { path, text };
    let table = source.toml()?;
    let fields = TomlSection::top(text, "a hierarchy", table.get_ref(), RULE_KEYS.to_vec());
    fields.and_then(|fields| rule(&fields)).map_err(|fault| source.error(fault))
}

impl ValueCodec for Hierarchy {
    type Value = Hierarchy;

    fn read(item: TomlItem<'_>) -> TomlResult<Hierarchy> {
        read(item)
    }

    fn write(hierarchy: &Hierarchy) -> String {
        written(hierarchy)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        schema(definitions)
    }
}

/// The name of a file, or a rule.
fn read(item: TomlItem<'_>) -> TomlResult<Hierarchy> {
    match item.kind() {
        DeValue::String(_) => {
            item.clone().nonempty()?;
            item.notation(Hierarchy::from_word)
        }
        DeValue::Table(_) => Ok(Hierarchy::Rule(rule(&item.fields(RULE_KEYS.to_vec(), false)?)?)),
        _ => {
            let message = "`hierarchy` must be the name of a file or a rule";
            Err(item.fault(message).help(RULE_HELP))
        }
    }
}

fn rule(fields: &TomlSection<'_>) -> TomlResult<HierarchyRule> {
    let mut given = RULES.iter().filter_map(|&key| Some((key, fields.get(key)?)));
    let Some((rule, item)) = given.next() else {
        return Err(fields.fault("the hierarchy lacks a rule").help(RULE_HELP));
    };
    if let Some((second, other)) = given.next() {
        let message = format!("the hierarchy has two rules, `{rule}` and `{second}`");
        return Err(TomlFault::new(other.key, message).help("keep one of them"));
    }
    let start = fields.get("start");
    if let Some(start) = start.as_ref().filter(|_| rule != "intervals") {
        let message = format!("`start` is a key of `intervals`, not of `{rule}`");
        return Err(TomlFault::new(start.key.clone(), message).help("leave it out"));
    }
    let other = fields.get("other");
    if let Some(other) = other.as_ref().filter(|_| rule != "ready") {
        let message = format!("`other` is a key of `ready`, not of `{rule}`");
        return Err(TomlFault::new(other.key.clone(), message).help("leave it out"));
    }
    let seen = &mut BTreeSet::new();
    Ok(match rule {
        "ready" => HierarchyRule::Ready {
            ready: item.choice()?,
            other: other.map(TomlItem::nonempty).transpose()?,
        },
        "intervals" => HierarchyRule::Intervals {
            intervals: widths(item)?,
            start: start.map(TomlItem::number).transpose()?.unwrap_or_default(),
        },
        "prefix" => HierarchyRule::Prefix { prefix: prefix(item)? },
        "date" => HierarchyRule::Date { date: periods(item)? },
        "groups" => HierarchyRule::Groups { groups: groups(item, seen)? },
        "rows" => HierarchyRule::Rows { rows: rows(item)? },
        _ => HierarchyRule::Tree { tree: tree(item, seen)? },
    })
}

/// Rows of one length that make a tree.
fn rows(item: TomlItem<'_>) -> TomlResult<Vec<Vec<String>>> {
    let whole = item.clone();
    let entries = item.some(|entry| Ok((entry.clone().some(TomlItem::text)?, entry)))?;
    let rows: Vec<Vec<String>> = entries.iter().map(|(row, _)| row.clone()).collect();
    if let Err(faults) = incrowd_engine::Hierarchy::from_rows(&rows)
        && let Some(first) = faults.first()
    {
        let entry = entries.get(first.row).map_or(&whole, |(_, entry)| entry);
        return Err(entry.fault(&first.what).help(
            "every value has one row, every row as many levels, every label one label above it",
        ));
    }
    Ok(rows)
}

/// Widths that nest: each a multiple of the one before.
fn widths(item: TomlItem<'_>) -> TomlResult<Vec<f64>> {
    let entries = item.some(|entry| Ok((entry.clone().positive()?, entry)))?;
    for pair in entries.windows(2) {
        let [(narrow, _), (wide, entry)] = pair else { continue };
        let times = wide / narrow;
        if times < 1.5 || (times - times.round()).abs() > 1e-9 * times {
            let message = format!(
                "intervals of width {wide} cannot be divided into \
                                   intervals of width {narrow}"
            );
            let help = "each width must be a multiple of the one before, such as [5, 10, 20]";
            return Err(entry.fault(message).help(help));
        }
    }
    Ok(entries.into_iter().map(|(width, _)| width).collect())
}

fn prefix(item: TomlItem<'_>) -> TomlResult<PrefixLengths> {
    match item.kind() {
        DeValue::Boolean(true) => Ok(PrefixLengths::Every),
        DeValue::Array(_) => {
            let mut entries = item.some(|entry| Ok((entry.clone().small()?, entry)))?;
            // The order says nothing: a higher level can only keep less.
            entries.sort_by_key(|(kept, _)| std::cmp::Reverse(*kept));
            for pair in entries.windows(2) {
                let [(kept, _), (again, entry)] = pair else { continue };
                if kept == again {
                    let message = format!("two levels keep {kept} characters");
                    return Err(entry.fault(message).help("leave out one of them"));
                }
            }
            Ok(PrefixLengths::Kept(entries.into_iter().map(|(kept, _)| kept).collect()))
        }
        _ => Err(item
            .fault("`prefix` must be true or a list of whole numbers")
            .help("true masks one more character per level, [3, 1] keeps three, then one")),
    }
}

fn periods(item: TomlItem<'_>) -> TomlResult<Vec<DatePeriod>> {
    let entries = item.some(|entry| Ok((entry.clone().choice::<DatePeriod>()?, entry)))?;
    for pair in entries.windows(2) {
        let [(short, _), (long, entry)] = pair else { continue };
        if long <= short {
            let message = format!("a {long} is not longer than a {short}");
            let order: Vec<&str> = DatePeriod::ALL.iter().map(|period| period.name()).collect();
            let help = format!("go from shorter to longer: {}", order.join(", "));
            return Err(entry.fault(message).help(help));
        }
        if *short == DatePeriod::Week {
            let message = format!("a week can lie in more than one {long}");
            let help = "leave out one of them: a week can only be the last period";
            return Err(entry.fault(message).help(help));
        }
    }
    Ok(entries.into_iter().map(|(period, _)| period).collect())
}

/// A list of values, none of which has been seen before in the same hierarchy.
fn values(item: TomlItem<'_>, seen: &mut BTreeSet<String>) -> TomlResult<Vec<String>> {
    let entries = item.some(|entry| Ok((entry.clone().text()?, entry)))?;
    let mut values = Vec::with_capacity(entries.len());
    for (value, entry) in entries {
        if !seen.insert(value.clone()) {
            return Err(entry
                .fault(format_args!("the value `{value}` is in the hierarchy twice"))
                .help("a value can be in one group only"));
        }
        values.push(value);
    }
    Ok(values)
}

fn groups(item: TomlItem<'_>, seen: &mut BTreeSet<String>) -> TomlResult<Vec<ValueGroup>> {
    let mut groups = Vec::new();
    for group in item.some(|group| group.fields(GROUP_KEYS.to_vec(), false))? {
        let lacks = |key, example: &str| group.lacks(key).help(format!("add {example}"));
        let name = group.get("name").ok_or_else(|| lacks("name", "name = \"..\""))?;
        let listed = group.get("values").ok_or_else(|| lacks("values", "values = [..]"))?;
        groups.push(ValueGroup { name: name.nonempty()?, values: values(listed, seen)? });
    }
    Ok(groups)
}

fn tree(item: TomlItem<'_>, seen: &mut BTreeSet<String>) -> TomlResult<Vec<TreeGroup>> {
    let whole = item.clone();
    let mut groups = Vec::new();
    for (name, item) in item.named_entries()? {
        let members = match item.kind() {
            DeValue::Table(_) => GroupMembers::Groups(tree(item, seen)?),
            DeValue::Array(_) => GroupMembers::Values(values(item, seen)?),
            _ => {
                let message = format!("the group `{name}` must be a table or a list of values");
                return Err(item
                    .fault(message)
                    .help(format!("for example {} = [\"a\", \"b\"]", key(name))));
            }
        };
        groups.push(TreeGroup { name: name.to_owned(), members });
    }
    if groups.is_empty() {
        return Err(whole
            .fault(format_args!("{} has no groups", whole.what))
            .help("for example { north = [\"Oslo\"], south = [\"Rome\"] }"));
    }
    Ok(groups)
}

/// A hierarchy as it stands behind its key.
fn written(hierarchy: &Hierarchy) -> String {
    let rule = match hierarchy {
        // A file may have the name of a rule.
        Hierarchy::File(file) => match Hierarchy::from_word(&file.to_string_lossy()) {
            Ok(Hierarchy::File(_)) => return text(&file.to_string_lossy()),
            _ => return text(&Path::new(".").join(file).to_string_lossy()),
        },
        Hierarchy::Rule(rule) => rule,
    };
    match rule {
        HierarchyRule::Intervals { intervals, start } => inline(&[
            ("intervals", Some(list(intervals.iter().map(|&width| number(width))))),
            ("start", Some(number(*start))),
        ]),
        HierarchyRule::Prefix { prefix: PrefixLengths::Every } => {
            inline(&[("prefix", Some("true".to_owned()))])
        }
        HierarchyRule::Prefix { prefix: PrefixLengths::Kept(kept) } => {
            inline(&[("prefix", Some(list(kept.iter().map(u32::to_string))))])
        }
        HierarchyRule::Date { date } => {
            inline(&[("date", Some(list(date.iter().map(|period| text(period.name())))))])
        }
        HierarchyRule::Groups { groups } => {
            let groups = groups.iter().map(|group| {
                inline(&[("name", Some(text(&group.name))), ("values", Some(texts(&group.values)))])
            });
            inline(&[("groups", Some(list(groups)))])
        }
        HierarchyRule::Tree { tree } => inline(&[("tree", Some(tree_text(tree)))]),
        HierarchyRule::Rows { rows } => {
            inline(&[("rows", Some(list(rows.iter().map(|row| texts(row)))))])
        }
        HierarchyRule::Ready { ready, other } => {
            inline(&[("ready", Some(text(ready.name()))), ("other", other.as_deref().map(text))])
        }
    }
}

fn tree_text(tree: &[TreeGroup]) -> String {
    let groups: Vec<String> = tree
        .iter()
        .map(|group| {
            let members = match &group.members {
                GroupMembers::Groups(inner) => tree_text(inner),
                GroupMembers::Values(values) => texts(values),
            };
            format!("{} = {members}", key(&group.name))
        })
        .collect();
    format!("{{ {} }}", groups.join(", "))
}

/// A table in one line; entries without a value are left out.
fn inline(entries: &[(&str, Option<String>)]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .filter_map(|(key, value)| Some(format!("{key} = {}", value.as_ref()?)))
        .collect();
    format!("{{ {} }}", entries.join(", "))
}

fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

fn texts(values: &[String]) -> String {
    list(values.iter().map(|value| text(value)))
}

/// The schema of a hierarchy.
fn schema(definitions: &mut SchemaDefinitions) -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let members = json!({ "$ref": "#/$defs/GroupMembers" });
    let group = json!({
        "type": "object",
        "description": "A named group of values.",
        "properties": { "name": { "type": "string" }, "values": texts },
        "required": GROUP_KEYS,
        "additionalProperties": false,
    });
    let in_group = json!({
        "description": "What is in a group of a tree: groups by name, or values in order.",
        "anyOf": [{ "type": "object", "additionalProperties": members }, texts],
    });
    defined("GroupMembers", in_group, definitions);
    let group = defined("ValueGroup", group, definitions);
    let date = Choice::<DatePeriod>::schema(definitions);
    let ready = Choice::<BuiltinHierarchy>::schema(definitions);
    let many = |items: Value| json!({ "type": "array", "items": items, "minItems": 1 });
    let number = json!({ "type": "number" });
    let kept = many(json!({ "type": "integer", "minimum": 1 }));
    let rule = |what: &str, rule: &str, value: Value, other: Option<(&str, Value)>| {
        let mut properties = serde_json::Map::from_iter([(rule.to_owned(), value)]);
        properties.extend(other.map(|(key, value)| (key.to_owned(), value)));
        json!({
            "type": "object",
            "description": what,
            "properties": properties,
            "required": [rule],
            "additionalProperties": false,
        })
    };
    let rules = json!({
        "description": "A hierarchy in words, in a spec or in a TOML file of its own. Exactly one of the rules.",
        "anyOf": [
            rule(
                "Numbers in intervals that get wider level by level: the width of each level, each a multiple of the one \
                 before, and where one interval of every level starts. Default: 0.",
                "intervals",
                many(number.clone()),
                Some(("start", number)),
            ),
            rule(
                "Codes (such as ZIP codes) that lose characters at their end level by level: how many characters the levels \
                 keep, such as [4, 3, 2]; true masks one more per level.",
                "prefix",
                json!({ "anyOf": [{ "const": true }, kept] }),
                None,
            ),
            rule("Dates in ever longer periods, from shorter to longer.", "date", many(date), None),
            rule("Values in named groups, in order.", "groups", many(group), None),
            rule(
                "Groups within groups, down to lists of values. With more than one at the top the root `*` is above them.",
                "tree",
                json!({ "type": "object", "additionalProperties": members }),
                None,
            ),
            rule(
                "A row for each value, as in ARX's CSV form: the value, then its groups from the narrowest to the widest.",
                "rows",
                many(texts),
                None,
            ),
            rule(
                "A hierarchy that is ready to use, and the name of a group for values that it does not cover. Default: they \
                 are an error.",
                "ready",
                ready,
                Some(("other", json!({ "type": "string" }))),
            ),
        ],
    });
    let rule = defined("HierarchyRule", rules, definitions);
    let file = "A file, relative to the spec: ARX's CSV form, or a .toml file that holds a rule. Or one of the words prefix, \
                countries, icd10, ip and email; a file of such a name is written \"./countries\".";
    let hierarchy = json!({
        "description": "How the values of a column are generalized.",
        "anyOf": [{ "type": "string", "description": file }, rule],
    });
    defined("Hierarchy", hierarchy, definitions)
}
