//! How the values of a column are generalized: a file or a rule, and reading the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use incrowd_engine::value::DateUnit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

use super::builtin_hierarchy::BuiltinHierarchy;
use super::choices::{KeywordChoice, named};
use super::toml_fields::{TomlFault, TomlItem, TomlResult, TomlSection};
use super::toml_source::{TomlSource, read_text};
use super::toml_text::key;
use crate::Result;

/// How the values of a column are generalized.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum Hierarchy {
    /// A file, relative to the spec: ARX's CSV form, or a .toml file that holds a rule. Or one of the words prefix,
    /// countries, icd10, ip and email; a file of such a name is written "./countries".
    File(PathBuf),
    /// A rule.
    Rule(HierarchyRule),
}

/// A hierarchy in words, in a spec or in a TOML file of its own. Exactly one of the rules.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields)]
pub enum HierarchyRule {
    /// Numbers in intervals that get wider level by level.
    Intervals {
        /// The width of each level; each a multiple of the one before.
        #[schemars(length(min = 1))]
        intervals: Vec<f64>,
        /// Where one interval of every level starts. Default: 0.
        #[schemars(default)]
        start: f64,
    },
    /// Codes (such as ZIP codes) that lose characters at their end level by level.
    Prefix {
        /// How many characters the levels keep, such as [4, 3, 2]; `true` masks one more per
        /// level.
        prefix: PrefixLengths,
    },
    /// Dates in ever longer periods.
    Date {
        /// The period of each level, from shorter to longer.
        #[schemars(length(min = 1))]
        date: Vec<DatePeriod>,
    },
    /// Values in named groups, in order.
    Groups {
        /// The groups.
        #[schemars(length(min = 1))]
        groups: Vec<ValueGroup>,
    },
    /// Groups within groups, down to lists of values.
    Tree {
        /// The groups at the top by name. With more than one of them the root `*` is above them.
        #[schemars(with = "BTreeMap<String, GroupMembers>")]
        tree: Vec<TreeGroup>,
    },
    /// A row for each value, as in ARX's CSV form: the value, then its groups from the narrowest to the widest.
    Rows {
        /// The rows, all of one length.
        #[schemars(length(min = 1))]
        rows: Vec<Vec<String>>,
    },
    /// A hierarchy that is ready to use.
    Ready {
        /// Which one.
        ready: BuiltinHierarchy,
        /// The name of a group for values that it does not cover. Default: they are an error.
        other: Option<String>,
    },
}

/// How many characters the levels of a prefix hierarchy keep.
#[derive(Debug, Clone, PartialEq)]
pub enum PrefixLengths {
    /// One fewer per level.
    Every,
    /// So many, from the lowest level to the highest, falling.
    Kept(Vec<u32>),
}

impl JsonSchema for PrefixLengths {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Prefix".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "const": true },
                { "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1 },
            ],
        })
    }
}

named! {
    /// A period of time, for hierarchies of dates.
    #[derive(PartialOrd)]
    pub enum DatePeriod("period") as incrowd_engine::value::DateUnit {
        /// A second.
        Second = "second" => Second,
        /// A minute.
        Minute = "minute" => Minute,
        /// An hour.
        Hour = "hour" => Hour,
        /// A day, for times.
        Day = "day" => Day,
        /// Monday to Sunday. It lies in no single month or year, so nothing can follow it.
        Week = "week" => Week,
        /// A calendar month.
        Month = "month" => Month,
        /// Three months.
        Quarter = "quarter" => Quarter,
        /// A calendar year.
        Year = "year" => Year,
        /// Ten years, the first of which ends in 0.
        Decade = "decade" => Decade,
    }
}

impl From<DateUnit> for DatePeriod {
    fn from(unit: DateUnit) -> Self {
        match unit {
            DateUnit::Second => DatePeriod::Second,
            DateUnit::Minute => DatePeriod::Minute,
            DateUnit::Hour => DatePeriod::Hour,
            DateUnit::Day => DatePeriod::Day,
            DateUnit::Week => DatePeriod::Week,
            DateUnit::Month => DatePeriod::Month,
            DateUnit::Quarter => DatePeriod::Quarter,
            DateUnit::Year => DatePeriod::Year,
            DateUnit::Decade => DatePeriod::Decade,
        }
    }
}

/// A named group of values.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ValueGroup {
    /// What the group is called in the release.
    pub name: String,
    /// The values in it, in order.
    #[schemars(length(min = 1))]
    pub values: Vec<String>,
}

/// A group in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeGroup {
    /// What the group is called in the release.
    pub name: String,
    /// What is in it.
    pub members: GroupMembers,
}

/// What is in a group of a tree.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum GroupMembers {
    /// Further groups by name.
    Groups(#[schemars(with = "BTreeMap<String, GroupMembers>")] Vec<TreeGroup>),
    /// Values, in order.
    Values(Vec<String>),
}

/// The keys that choose a rule.
const RULES: [&str; 7] = ["intervals", "prefix", "date", "groups", "tree", "rows", "ready"];
/// All keys of a rule.
pub(super) const RULE_KEYS: &[&str] =
    &["intervals", "start", "prefix", "date", "groups", "tree", "rows", "ready", "other"];
/// The keys of a group.
pub(super) const GROUP_KEYS: &[&str] = &["name", "values"];

const RULE_HELP: &str = "give one of intervals = [5, 10, 20], prefix = true, \
     date = [\"month\", \"year\"], groups = [{ name = .., values = [..] }], tree = { .. }, ready = \"countries\"";

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
    let fields = TomlSection::top(text, "a hierarchy", table.get_ref(), RULE_KEYS);
    fields.and_then(|fields| rule(&fields)).map_err(|fault| source.error(fault))
}

/// A hierarchy in a spec: the name of a file, or a rule.
pub(super) fn hierarchy(item: TomlItem<'_>) -> TomlResult<Hierarchy> {
    match item.kind() {
        DeValue::String(_) => {
            item.clone().nonempty()?;
            item.notation(Hierarchy::from_word)
        }
        DeValue::Table(_) => Ok(Hierarchy::Rule(rule(&item.fields(RULE_KEYS)?)?)),
        _ => {
            let message = "`hierarchy` must be the name of a file or a rule";
            Err(item.fault(message).help(RULE_HELP))
        }
    }
}

fn rule(fields: &TomlSection<'_>) -> TomlResult<HierarchyRule> {
    let mut given = RULES.iter().filter_map(|&key| Some((key, fields.get(key)?)));
    let Some((rule, item)) = given.next() else {
        return Err(fields.fault("the hierarchy has no rule").help(RULE_HELP));
    };
    if let Some((second, other)) = given.next() {
        let message = format!("the hierarchy has two rules, `{rule}` and `{second}`");
        return Err(TomlFault::new(other.key, message).help("keep one of them"));
    }
    let start = fields.get("start");
    if let Some(start) = start.as_ref().filter(|_| rule != "intervals") {
        let message = format!("`start` belongs to `intervals`, not to `{rule}`");
        return Err(TomlFault::new(start.key.clone(), message).help("leave it out"));
    }
    let other = fields.get("other");
    if let Some(other) = other.as_ref().filter(|_| rule != "ready") {
        let message = format!("`other` belongs to `ready`, not to `{rule}`");
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
            let message = format!("intervals of width {wide} do not consist of ones of {narrow}");
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
            let message = format!("weeks do not lie inside one {long} each");
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
    for group in item.some(|group| group.fields(GROUP_KEYS))? {
        let name = group.required("name", "name = \"..\"", TomlItem::nonempty)?;
        let values = group.required("values", "values = [..]", |item| values(item, seen))?;
        groups.push(ValueGroup { name, values });
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
