//! The table of options: one entry for each key of a spec. Reading and writing TOML, the JSON schema, the first spec of
//! `init`, the arguments of the command line, the keywords of Python and the reference page follow from it.
//!
//! An entry is a field of a [`section!`]: its key, its type, how its value is read and written, and how the command line
//! calls it. Its first paragraph of documentation is its line of help.

use serde_json::{Map, Value, json};

use super::choices::prose;
use super::toml_fields::{TomlItem, TomlResult, TomlSection};

/// The types that a schema names, by name.
pub(crate) type SchemaDefinitions = Map<String, Value>;

/// Where an option stands on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionGroup {
    /// Nowhere: in spec files and from Python only.
    None,
    /// The quasi-identifiers and k.
    Problem,
    /// How a file is read.
    File,
    /// The table of a database.
    Database,
    /// Whether the database does the work.
    InDatabase,
    /// What columns are.
    Columns,
    /// What is done to values as they are read.
    Transforms,
    /// Columns that are no quasi-identifiers, and rows that belong together.
    Finishing,
    /// The cost, and the threads.
    Goal,
    /// The models beyond k.
    Models,
    /// The risks beyond k.
    Risks,
    /// The search for one release.
    Search,
    /// What one run writes and compares with.
    Output,
    /// How one release is written.
    Release,
}

impl OptionGroup {
    /// The heading of its options in a list of help.
    pub fn heading(self) -> Option<&'static str> {
        match self {
            OptionGroup::None
            | OptionGroup::Problem
            | OptionGroup::Search
            | OptionGroup::Output => None,
            OptionGroup::File | OptionGroup::Database | OptionGroup::InDatabase => Some("Reading"),
            OptionGroup::Columns | OptionGroup::Finishing => Some("Columns"),
            OptionGroup::Transforms => Some("Columns as they are read"),
            OptionGroup::Goal => Some("Goal"),
            OptionGroup::Models | OptionGroup::Risks => Some("Privacy beyond k"),
            OptionGroup::Release => Some("Release"),
        }
    }

    const fn option(self) -> OptionUse {
        OptionUse {
            group: self,
            value: "",
            example: "",
            default: "",
            values: ValueScope::Any,
            short: None,
            alias: None,
            requires: None,
            conflicts: &[],
            usual: false,
            has_column: false,
        }
    }
}

/// The values that an option of a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueScope {
    /// All.
    Any,
    /// Numbers.
    Numbers,
    /// Texts and dates.
    Texts,
}

/// How people use an option: its example, and its place on the command line.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OptionUse {
    /// Its place.
    pub group: OptionGroup,
    /// What the command line calls its value; nothing for what is only said or not.
    pub value: &'static str,
    /// A value in TOML.
    pub example: &'static str,
    /// What it is if it is not given, in a word.
    pub default: &'static str,
    /// The values that it is for, if it is one of columns.
    pub values: ValueScope,
    /// Its letter.
    pub short: Option<char>,
    /// Another name of it.
    pub alias: Option<&'static str>,
    /// The option without which it has no meaning.
    pub requires: Option<&'static str>,
    /// The options that it cannot stand beside.
    pub conflicts: &'static [&'static str],
    /// Whether most people need it: the short help shows it.
    pub usual: bool,
    /// Whether its value may be that of one column: `[COLUMN=]VALUE`.
    pub has_column: bool,
}

/// An option of spec files and of Python alone.
pub(crate) const NO_FLAG: OptionUse = OptionGroup::None.option();
pub(crate) const PROBLEM: OptionUse = OptionGroup::Problem.option().usual();
pub(crate) const FILE: OptionUse = OptionGroup::File.option();
pub(crate) const DATABASE: OptionUse = OptionGroup::Database.option();
pub(crate) const IN_DATABASE: OptionUse = OptionGroup::InDatabase.option();
pub(crate) const COLUMNS: OptionUse = OptionGroup::Columns.option();
pub(crate) const TRANSFORMS: OptionUse = OptionGroup::Transforms.option();
pub(crate) const FINISHING: OptionUse = OptionGroup::Finishing.option();
pub(crate) const GOAL: OptionUse = OptionGroup::Goal.option();
pub(crate) const MODELS: OptionUse = OptionGroup::Models.option();
pub(crate) const RISKS: OptionUse = OptionGroup::Risks.option();
pub(crate) const SEARCH: OptionUse = OptionGroup::Search.option();
pub(crate) const OUTPUT: OptionUse = OptionGroup::Output.option();
pub(crate) const RELEASE: OptionUse = OptionGroup::Release.option();

impl OptionUse {
    pub(crate) const fn value(self, value: &'static str) -> Self {
        OptionUse { value, ..self }
    }

    pub(crate) const fn example(self, example: &'static str) -> Self {
        OptionUse { example, ..self }
    }

    pub(crate) const fn default(self, default: &'static str) -> Self {
        OptionUse { default, ..self }
    }

    pub(crate) const fn numbers(self) -> Self {
        OptionUse { values: ValueScope::Numbers, ..self }
    }

    pub(crate) const fn texts(self) -> Self {
        OptionUse { values: ValueScope::Texts, ..self }
    }

    pub(crate) const fn short(self, letter: char) -> Self {
        OptionUse { short: Some(letter), ..self }
    }

    pub(crate) const fn alias(self, name: &'static str) -> Self {
        OptionUse { alias: Some(name), ..self }
    }

    pub(crate) const fn requires(self, name: &'static str) -> Self {
        OptionUse { requires: Some(name), ..self }
    }

    pub(crate) const fn conflicts(self, names: &'static [&'static str]) -> Self {
        OptionUse { conflicts: names, ..self }
    }

    pub(crate) const fn usual(self) -> Self {
        OptionUse { usual: true, ..self }
    }

    pub(crate) const fn has_column(self) -> Self {
        OptionUse { has_column: true, ..self }
    }
}

/// An entry of the table.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OptionEntry {
    /// The table of the spec that it is a key of; nothing for a shortcut of the command line and of Python.
    pub section: &'static str,
    /// Its key in a spec, and its name on the command line.
    pub key: &'static str,
    /// How people use it.
    pub usage: OptionUse,
    /// Whether a spec must have it.
    pub required: bool,
    pub(crate) doc: &'static str,
    pub(crate) schema: fn(&mut SchemaDefinitions) -> Value,
}

impl OptionEntry {
    /// What it is, in a line.
    pub fn summary(&self) -> String {
        prose(self.doc.split("\n\n").next().unwrap_or_default())
    }

    /// What it is, in full.
    pub fn description(&self) -> String {
        prose(self.doc)
    }

    /// Its name in Python.
    pub fn keyword(&self) -> String {
        self.key.replace('-', "_")
    }

    /// The JSON schema of its value, in which named types are written out.
    pub fn schema(&self) -> Value {
        let mut definitions = Map::new();
        let mut schema = (self.schema)(&mut definitions);
        write_out(&mut schema, &definitions, 4);
        schema
    }
}

/// A reference to a schema that is kept under a name.
pub(crate) fn defined(name: &str, schema: Value, definitions: &mut SchemaDefinitions) -> Value {
    definitions.insert(name.to_owned(), schema);
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Puts definitions in place of their names; types that hold themselves end somewhere.
fn write_out(schema: &mut Value, definitions: &SchemaDefinitions, depth: u8) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str)
        && let Some(definition) = definitions.get(name.trim_start_matches("#/$defs/"))
        && depth > 0
    {
        *schema = definition.clone();
        return write_out(schema, definitions, depth - 1);
    }
    match schema {
        Value::Array(parts) => {
            parts.iter_mut().for_each(|part| write_out(part, definitions, depth))
        }
        Value::Object(parts) => {
            parts.values_mut().for_each(|part| write_out(part, definitions, depth));
        }
        _ => {}
    }
}

/// How a value is read from TOML, written to it, and described to editors.
pub(crate) trait ValueCodec {
    type Value;

    fn read(item: TomlItem<'_>) -> TomlResult<Self::Value>;
    fn write(value: &Self::Value) -> String;
    fn schema(definitions: &mut SchemaDefinitions) -> Value;
}

/// The same for a field of a section, which may be left out.
pub(crate) trait FieldCodec {
    type Field;
    const REQUIRED: bool = false;

    fn read(
        fields: &TomlSection<'_>,
        key: &'static str,
        usage: &OptionUse,
    ) -> TomlResult<Self::Field>;
    /// Nothing where the default says the same.
    fn write(field: &Self::Field) -> Option<String>;
    fn schema(definitions: &mut SchemaDefinitions) -> Value;
}

/// A table of a spec, or a part of one.
pub(crate) trait SpecSection: Sized {
    /// Whether it takes keys that the table of options does not have.
    const OPEN: bool = false;

    fn entries() -> Vec<OptionEntry>;
    fn read(fields: &TomlSection<'_>) -> TomlResult<Self>;
    fn lines(&self) -> Vec<(String, String)>;

    fn keys() -> Vec<&'static str> {
        Self::entries().iter().map(|entry| entry.key).collect()
    }

    /// The schema of a table with these keys.
    fn table_schema(doc: &str, definitions: &mut SchemaDefinitions) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for entry in Self::entries() {
            let mut schema = (entry.schema)(definitions);
            schema["description"] = entry.description().into();
            properties.insert(entry.key.to_owned(), schema);
            if entry.required {
                required.push(entry.key);
            }
        }
        let mut schema =
            json!({ "type": "object", "description": prose(doc), "properties": properties });
        schema["additionalProperties"] = match Self::OPEN {
            true => json!({ "type": ["string", "integer", "number", "boolean"] }),
            false => false.into(),
        };
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }
}

/// Declares a table of a spec: the struct that holds it, and an entry for each of its keys.
macro_rules! section {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub struct $type:ident in $section:literal {
            $(
                $(#[doc = $field_doc:literal])*
                $key:literal $field:ident: $value:ty = $codec:ty, $usage:expr;
            )*
            $( extra $(#[doc = $extra_doc:literal])* $extra:ident: $extra_type:ty; )?
            $( flatten $(#[doc = $part_doc:literal])* $part:ident: $part_type:ty; )?
            $( check $check:path; )?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq $(, $($derive),*)?)]
        pub struct $type {
            $( $(#[doc = $field_doc])* pub $field: $value, )*
            $( $(#[doc = $extra_doc])* pub $extra: $extra_type, )?
            $( $(#[doc = $part_doc])* pub $part: $part_type, )?
        }

        impl $crate::option_table::SpecSection for $type {
            $( const OPEN: bool = <$part_type as $crate::option_table::SpecSection>::OPEN; )?

            fn entries() -> Vec<$crate::option_table::OptionEntry> {
                #[allow(unused_mut, reason = "not every section has a part")]
                let mut entries = vec![$(
                    $crate::option_table::OptionEntry {
                        section: $section,
                        key: $key,
                        usage: $usage,
                        required: <$codec as $crate::option_table::FieldCodec>::REQUIRED,
                        doc: concat!($($field_doc, "\n",)*),
                        schema: <$codec as $crate::option_table::FieldCodec>::schema,
                    },
                )*];
                $( entries.extend(<$part_type as $crate::option_table::SpecSection>::entries()); )?
                entries
            }

            fn read(
                fields: &$crate::toml_fields::TomlSection<'_>,
            ) -> $crate::toml_fields::TomlResult<Self> {
                let read = $type {
                    $( $field: <$codec as $crate::option_table::FieldCodec>::read(fields, $key, &$usage)?, )*
                    $( $extra: Default::default(), )?
                    $( $part: $crate::option_table::SpecSection::read(fields)?, )?
                };
                $( $check(&read, fields)?; )?
                Ok(read)
            }

            fn lines(&self) -> Vec<(String, String)> {
                #[allow(unused_mut, reason = "not every section has a part")]
                let mut lines: Vec<(String, String)> = [$(
                    ($key, <$codec as $crate::option_table::FieldCodec>::write(&self.$field)),
                )*]
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?)))
                .collect();
                $( lines.extend($crate::option_table::SpecSection::lines(&self.$part)); )?
                lines
            }
        }

        impl $crate::option_table::ValueCodec for $type {
            type Value = $type;

            fn read(
                item: $crate::toml_fields::TomlItem<'_>,
            ) -> $crate::toml_fields::TomlResult<Self> {
                let fields = item.fields(
                    <$type as $crate::option_table::SpecSection>::keys(),
                    <$type as $crate::option_table::SpecSection>::OPEN,
                )?;
                $crate::option_table::SpecSection::read(&fields)
            }

            fn write(value: &Self) -> String {
                let lines = $crate::option_table::SpecSection::lines(value);
                let lines: Vec<String> =
                    lines.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                format!("{{ {} }}", lines.join(", "))
            }

            fn schema(
                definitions: &mut $crate::option_table::SchemaDefinitions,
            ) -> serde_json::Value {
                let doc = concat!($($doc, "\n",)*);
                let schema =
                    <$type as $crate::option_table::SpecSection>::table_schema(doc, definitions);
                $crate::option_table::defined(stringify!($type), schema, definitions)
            }
        }
    };
}
pub(crate) use section;
