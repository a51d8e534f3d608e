//! All options: the keys of a spec, and what the command line and Python say in other words.

use incrowd_engine::auto::{ReleaseKind, SearchEffort};
use serde_json::{Value, json};

use super::codecs::{AnyText, Flag, List, Text};
use super::column::ColumnSection;
use super::context::ContextSection;
use super::data::DataSection;
use super::option_table::{
    COLUMNS, FILE, OptionEntry, OptionUse, PROBLEM, RELEASE, SEARCH, SchemaDefinitions,
    SpecSection, ValueCodec,
};
use super::privacy::PrivacySection;
use super::sections::{AlgorithmSection, GoalSection, ReleaseSection};

/// The table of a spec whose tables are those of columns.
pub(crate) const COLUMNS_TABLE: &str = "columns";

/// All options: shortcuts first, then the keys in the order of a spec.
pub fn options() -> Vec<OptionEntry> {
    [
        SHORTCUTS.to_vec(),
        PrivacySection::entries(),
        DataSection::entries(),
        ColumnSection::entries(),
        GoalSection::entries(),
        AlgorithmSection::entries(),
        ReleaseSection::entries(),
        ContextSection::entries(),
    ]
    .concat()
}

impl OptionEntry {
    /// Whether it is a keyword of Python: keys that have a shortcut of another name are not.
    pub fn is_keyword(&self) -> bool {
        !["input", "missing-add", "role"].contains(&self.key)
    }

    /// Whether it speaks of columns: its value is a table from columns to values.
    pub fn is_of_columns(&self) -> bool {
        self.section == COLUMNS_TABLE
    }

    /// Whether it names columns.
    pub fn is_list_of_columns(&self) -> bool {
        self.usage.value == "COLUMNS" && self.schema()["type"] != "integer"
    }
}

const fn shortcut(
    key: &'static str,
    doc: &'static str,
    usage: OptionUse,
    schema: fn(&mut SchemaDefinitions) -> Value,
) -> OptionEntry {
    OptionEntry { section: "", key, usage, required: false, doc, schema }
}

const NAMES: fn(&mut SchemaDefinitions) -> Value = <List<Text> as ValueCodec>::schema;
const TEXTS: fn(&mut SchemaDefinitions) -> Value = <List<AnyText> as ValueCodec>::schema;
const FLAG: fn(&mut SchemaDefinitions) -> Value = <Flag as ValueCodec>::schema;
const TEXT: fn(&mut SchemaDefinitions) -> Value = <Text as ValueCodec>::schema;

/// What a spec says in another way.
const SHORTCUTS: [OptionEntry; 15] = [
    shortcut(
        "quasi",
        "Columns that others may know too, separated by commas.",
        PROBLEM.value("COLUMNS"),
        NAMES,
    ),
    shortcut(
        "identifying",
        "Columns that name people: never released.",
        COLUMNS.value("COLUMNS").usual(),
        NAMES,
    ),
    shortcut(
        "sensitive",
        "Columns that nobody must learn about a person.",
        COLUMNS.value("COLUMNS").usual(),
        NAMES,
    ),
    shortcut(
        "class",
        "The column that the release should predict well.",
        COLUMNS.value("COLUMN").usual(),
        TEXT,
    ),
    shortcut(
        "plain",
        "Columns released unchanged on purpose.",
        COLUMNS.value("COLUMNS").usual(),
        NAMES,
    ),
    shortcut(
        "roles",
        "guess: columns named by no option get the roles that their values suggest.",
        COLUMNS.value("guess").conflicts(&["other"]).usual(),
        |_| json!({ "type": "string", "enum": ["guess"] }),
    ),
    shortcut(
        "missing",
        "Fields that mean \"no value\", beside NA, NULL, ? and the like.",
        FILE.value("TOKENS").usual(),
        TEXTS,
    ),
    shortcut(
        "missing-only",
        "The only fields that mean \"no value\".",
        FILE.value("TOKENS"),
        TEXTS,
    ),
    shortcut(
        "kind",
        "Kind of release: local (loses least), global, levels, cells or mixed.",
        SEARCH.value("KIND").usual(),
        |_| json!({ "type": "string", "enum": ReleaseKind::NAMES }),
    ),
    shortcut(
        "effort",
        "How hard to search: quick, normal or thorough.",
        SEARCH.value("EFFORT").usual(),
        |_| json!({ "type": "string", "enum": SearchEffort::NAMES }),
    ),
    shortcut(
        "gap",
        "End when the cost is proven to be within this share of the least.",
        SEARCH.value("SHARE"),
        TEXT,
    ),
    shortcut(
        "option",
        "An option of the method: see `incrowd methods NAME`.",
        SEARCH.value("NAME=VALUE"),
        |_| json!({ "type": "object" }),
    ),
    shortcut(
        "keep-order",
        "Keep the input's order of rows, which can help to recognize people.",
        RELEASE.conflicts(&["sort"]),
        FLAG,
    ),
    shortcut(
        "sort",
        "Sort the released rows instead of shuffling them.",
        RELEASE.conflicts(&["keep-order"]),
        FLAG,
    ),
    shortcut(
        "output-delimiter",
        "The release's delimiter.",
        RELEASE.value("CHAR").default("the input's"),
        TEXT,
    ),
];
