//! The kinds of values that options have: how each is read from TOML, written to it, and described to editors.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

use incrowd_data::MaskMethod;
use incrowd_engine::value::{DateFormat, Decimal, Moment, show_day};
use serde_json::{Value, json};
use toml::de::DeValue;

use super::choices::KeywordChoice;
use super::notation::{self, SuppressionLimit, duration_text};
use super::option_table::{FieldCodec, OptionUse, SchemaDefinitions, ValueCodec, defined};
use super::risk_notation::{DeltaPresence, MaxAtRisk};
use super::toml_fields::{TomlItem, TomlResult, TomlSection};
use super::toml_text::{key as quoted_key, number, text};

/// A key that may be left out.
pub(crate) struct OptionalField<C>(PhantomData<C>);

impl<C: ValueCodec> FieldCodec for OptionalField<C> {
    type Field = Option<C::Value>;

    fn read(fields: &TomlSection<'_>, key: &'static str, _: &OptionUse) -> TomlResult<Self::Field> {
        fields.get(key).map(C::read).transpose()
    }

    fn write(field: &Self::Field) -> Option<String> {
        field.as_ref().map(C::write)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        C::schema(definitions)
    }
}

/// A key that must be there.
pub(crate) struct RequiredField<C>(PhantomData<C>);

impl<C: ValueCodec> FieldCodec for RequiredField<C> {
    type Field = C::Value;
    const REQUIRED: bool = true;

    fn read(
        fields: &TomlSection<'_>,
        key: &'static str,
        usage: &OptionUse,
    ) -> TomlResult<C::Value> {
        fields.get(key).map(C::read).transpose()?.ok_or_else(|| {
            let example = format!("add {} = {}", quoted_key(key), usage.example);
            fields.lacks(key).help(example)
        })
    }

    fn write(field: &C::Value) -> Option<String> {
        Some(C::write(field))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        C::schema(definitions)
    }
}

/// A key with a default, which is not written.
pub(crate) struct DefaultField<C>(PhantomData<C>);

impl<C: ValueCodec<Value: Default + PartialEq>> FieldCodec for DefaultField<C> {
    type Field = C::Value;

    fn read(fields: &TomlSection<'_>, key: &'static str, _: &OptionUse) -> TomlResult<C::Value> {
        Ok(fields.get(key).map(C::read).transpose()?.unwrap_or_default())
    }

    fn write(field: &C::Value) -> Option<String> {
        (*field != C::Value::default()).then(|| C::write(field))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        C::schema(definitions)
    }
}

/// A key with a default, which is written all the same: a spec should tell how its release was found even if the default
/// changes.
pub(crate) struct WrittenField<C>(PhantomData<C>);

impl<C: ValueCodec<Value: Default + PartialEq>> FieldCodec for WrittenField<C> {
    type Field = C::Value;

    fn read(
        fields: &TomlSection<'_>,
        key: &'static str,
        usage: &OptionUse,
    ) -> TomlResult<C::Value> {
        DefaultField::<C>::read(fields, key, usage)
    }

    fn write(field: &C::Value) -> Option<String> {
        Some(C::write(field))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        C::schema(definitions)
    }
}

/// Several values, or none. A list of one value may be written without brackets where it is a table.
pub(crate) struct OneOrMany<C>(PhantomData<C>);

impl<C: ValueCodec> FieldCodec for OneOrMany<C> {
    type Field = Vec<C::Value>;

    fn read(fields: &TomlSection<'_>, key: &'static str, _: &OptionUse) -> TomlResult<Self::Field> {
        let read = |item: TomlItem<'_>| item.one_or_many(C::read);
        Ok(fields.get(key).map(read).transpose()?.unwrap_or_default())
    }

    fn write(field: &Self::Field) -> Option<String> {
        match &field[..] {
            [] => None,
            [one] => Some(C::write(one)),
            many => {
                let lines: String =
                    many.iter().map(|one| format!("    {},\n", C::write(one))).collect();
                Some(format!("[\n{lines}]"))
            }
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let one = C::schema(definitions);
        json!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// A list.
pub(crate) struct List<C>(PhantomData<C>);

impl<C: ValueCodec> ValueCodec for List<C> {
    type Value = Vec<C::Value>;

    fn read(item: TomlItem<'_>) -> TomlResult<Self::Value> {
        item.list(C::read)
    }

    fn write(values: &Self::Value) -> String {
        let values: Vec<String> = values.iter().map(C::write).collect();
        format!("[{}]", values.join(", "))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        json!({ "type": "array", "items": C::schema(definitions) })
    }
}

/// A list that is not empty where it is there.
pub(crate) struct NonEmptyList<C>(PhantomData<C>);

impl<C: ValueCodec> ValueCodec for NonEmptyList<C> {
    type Value = Vec<C::Value>;

    fn read(item: TomlItem<'_>) -> TomlResult<Self::Value> {
        item.some(C::read)
    }

    fn write(values: &Self::Value) -> String {
        List::<C>::write(values)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        List::<C>::schema(definitions)
    }
}

/// Declares kinds of values: what they are, how they are read and written, and their schema.
macro_rules! codecs {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $value:ty { read: $read:expr, write: $write:expr, schema: $schema:tt }
    )*) => {$(
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl ValueCodec for $name {
            type Value = $value;

            fn read(item: TomlItem<'_>) -> TomlResult<$value> {
                read_with(item, $read)
            }

            fn write(value: &$value) -> String {
                let write: fn(&$value) -> String = $write;
                write(value)
            }

            fn schema(_: &mut SchemaDefinitions) -> Value {
                json!($schema)
            }
        }
    )*};
}

/// Gives a closure the type of a reader.
fn read_with<'a, T>(
    item: TomlItem<'a>,
    read: impl FnOnce(TomlItem<'a>) -> TomlResult<T>,
) -> TomlResult<T> {
    read(item)
}

codecs! {
    /// True or false.
    Flag: bool { read: TomlItem::yes_or_no, write: bool::to_string, schema: { "type": "boolean" } }
    /// Any text.
    AnyText: String { read: TomlItem::text, write: |value| text(value), schema: { "type": "string" } }
    /// Text that is not empty.
    Text: String { read: TomlItem::nonempty, write: |value| text(value), schema: { "type": "string" } }
    /// A file or a folder.
    FilePath: PathBuf {
        read: |item| Ok(item.nonempty()?.into()),
        write: |path| text(&path.to_string_lossy()),
        schema: { "type": "string", "format": "path" }
    }
    /// The character between fields.
    Delimiter: char {
        read: |item| item.notation(notation::parse_delimiter),
        write: |c| character(*c),
        schema: { "type": "string" }
    }
    /// A decimal sign.
    DecimalSign: char {
        read: |item| item.notation(notation::parse_decimal_sign),
        write: |c| character(*c),
        schema: { "type": "string", "enum": [",", "."] }
    }
    /// The name of an encoding that is known.
    Encoding: String {
        read: |item| {
            item.notation(|name| incrowd_data::parse_encoding(name).map(|_| name.to_owned()))
        },
        write: |value| text(value),
        schema: { "type": "string" }
    }
    /// A finite number.
    Finite: f64 { read: TomlItem::number, write: |value| number(*value), schema: { "type": "number" } }
    /// A number more than 0.
    Positive: f64 {
        read: TomlItem::positive,
        write: |value| number(*value),
        schema: { "type": "number", "exclusiveMinimum": 0 }
    }
    /// A share of a whole that cannot be none: a risk, a fraction.
    Risk: f64 {
        read: |item| item.share("more than 0 and at most 1", |share| share > 0.0 && share <= 1.0),
        write: |value| number(*value),
        schema: { "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 1 }
    }
    /// A share of a whole, or none of it.
    Share: f64 {
        read: |item| item.share("from 0 to 1", |share| (0.0..=1.0).contains(&share)),
        write: |value| number(*value),
        schema: { "type": ["number", "string"], "minimum": 0, "maximum": 1 }
    }
    /// A number from 0 to 1.
    Distance: f64 {
        read: |item| item.number_in("from 0 to 1", "0.2", |t| (0.0..=1.0).contains(&t)),
        write: |value| number(*value),
        schema: { "type": "number", "minimum": 0, "maximum": 1 }
    }
    /// A number of at least 1.
    AtLeastOne: f64 {
        read: |item| item.number_in("at least 1", "3", |l| l >= 1.0),
        write: |value| number(*value),
        schema: { "type": "number", "minimum": 1 }
    }
    /// A share as a number: more than 0 and at most 1.
    Frequency: f64 {
        read: |item| {
            item.number_in("more than 0 and at most 1", "0.5", |share| share > 0.0 && share <= 1.0)
        },
        write: |value| number(*value),
        schema: { "type": "number", "exclusiveMinimum": 0, "maximum": 1 }
    }
    /// A whole number from 0.
    Whole: u64 {
        read: |item| item.whole(0),
        write: u64::to_string,
        schema: { "type": "integer", "minimum": 0 }
    }
    /// A whole number from 1.
    Count: u32 { read: TomlItem::small, write: u32::to_string, schema: { "type": "integer", "minimum": 1 } }
    /// A hierarchy level.
    Level: u32 {
        read: |item| {
            u32::try_from(item.clone().whole(0)?).map_err(|_| item.too_large(u32::MAX))
        },
        write: u32::to_string,
        schema: { "type": "integer", "minimum": 0 }
    }
    /// A number of threads: starting many more than any machine has cores could bring one down.
    Threads: u32 {
        read: |item| item.at_most(1024),
        write: u32::to_string,
        schema: { "type": "integer", "minimum": 1, "maximum": 1024 }
    }
    /// How many times its size a file may unpack to: no kind of compression makes more of a byte.
    Expansion: u32 {
        read: |item| item.at_most(1_000_000_000),
        write: u32::to_string,
        schema: { "type": "integer", "minimum": 1, "maximum": 1_000_000_000 }
    }
    /// How dates are written.
    DateForm: DateFormat {
        read: |item| item.notation(incrowd_data::parse_date_format),
        write: |form| text(&form.to_string()),
        schema: { "type": "string" }
    }
    /// A day.
    Day: Moment {
        read: |item| item.notation(incrowd_data::parse_age_day),
        write: |day| text(&show_day(*day)),
        schema: { "type": "string", "format": "date" }
    }
    /// A length of time with its unit.
    Time: Duration {
        read: |item| match item.kind() {
            DeValue::Integer(seconds) => Err(item
                .fault("`time-limit` has no unit")
                .help(format!("write \"{seconds}s\" for seconds; ms, m and h are known too"))),
            _ => item.notation(notation::parse_duration),
        },
        write: |time| text(&duration_text(*time)),
        schema: { "type": "string" }
    }
    /// A value of a column; numbers may be written without quotes.
    ColumnValue: String {
        read: column_value,
        write: |value| unquoted(value),
        schema: { "type": ["number", "string"] }
    }
    /// A number exactly as it is written, in quotes or not.
    Exact: Decimal {
        read: |item| {
            let text = column_value(item.clone())?;
            notation::parse_exact(&text).map_err(|error| {
                let fault = item.fault(format!("{} must be a number, not `{text}`", item.what));
                fault.help(error.help.unwrap_or_default())
            })
        },
        write: |value| unquoted(&value.to_string()),
        schema: { "type": ["number", "string"] }
    }
    /// The values of a column from lowest to highest.
    ValueOrder: Vec<String> {
        read: |item| {
            let entries = item.some(|entry| Ok((entry.clone().text()?, entry)))?;
            let mut seen = std::collections::BTreeSet::new();
            for (value, entry) in &entries {
                if !seen.insert(value) {
                    let message = format!("the value `{value}` is in the order twice");
                    return Err(entry.fault(message).help("list every value once"));
                }
            }
            Ok(entries.into_iter().map(|(value, _)| value).collect())
        },
        write: List::<AnyText>::write,
        schema: { "type": "array", "items": { "type": "string" } }
    }
    /// What becomes of the values of a column.
    Mask: MaskMethod {
        read: |item| item.notation(str::parse),
        write: |mask| text(&mask.to_string()),
        schema: {
            "type": "string",
            "pattern": "^(pseudonym(:.+)?|random|last:[0-9]+|initials|shift:[0-9]+(:weekday)?|fixed:.*|zip3(:(2000|2010|2020))?|drop)$"
        }
    }
    /// The share of rows at more than some risk.
    AtRisk: MaxAtRisk {
        read: |item| item.notation(str::parse),
        write: |limit| text(&limit.to_string()),
        schema: { "type": "string" }
    }
    /// The least and the most share of presence.
    Presence: DeltaPresence {
        read: |item| item.notation(str::parse),
        write: |limit| text(&limit.to_string()),
        schema: { "type": "string" }
    }
    /// How many rows may be left out.
    RowLimit: SuppressionLimit {
        read: |item| match item.kind() {
            DeValue::Integer(_) => Ok(SuppressionLimit::Rows(item.whole(0)?)),
            DeValue::Float(_) => {
                let number = item.clone().number()?;
                let fault = item.fault(format!("{} must be a whole number of rows", item.what));
                Err(if (0.0..1.0).contains(&number) {
                    fault.help(format!("a share is written \"{}\"", notation::percent(number)))
                } else {
                    fault.help("for example 100, \"2%\" or \"all\"")
                })
            }
            _ => item.notation(notation::parse_limit),
        },
        write: |limit| match limit {
            SuppressionLimit::Rows(rows) => rows.to_string(),
            limit => text(&limit.to_string()),
        },
        schema: {
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": r"^\s*([0-9]+|[0-9]*\.?[0-9]+\s*%|all)\s*$" },
            ],
        }
    }
}

/// One of a closed set of names.
pub(crate) struct Choice<T>(PhantomData<T>);

impl<T: KeywordChoice> ValueCodec for Choice<T> {
    type Value = T;

    fn read(item: TomlItem<'_>) -> TomlResult<T> {
        item.choice()
    }

    fn write(value: &T) -> String {
        text(value.name())
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let choices: Vec<Value> = T::ALL
            .iter()
            .map(|choice| {
                let (name, doc) = (choice.name(), choice.description());
                json!({ "const": name, "description": doc, "type": "string" })
            })
            .collect();
        let schema = json!({ "description": T::description_of_all(), "oneOf": choices });
        defined(T::TYPE, schema, definitions)
    }
}

/// A value of a column as text; numbers may be written without quotes.
fn column_value(item: TomlItem<'_>) -> TomlResult<String> {
    match item.kind() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(|value| value.to_string())
            .map_err(|_| item.too_large(i64::MAX)),
        DeValue::Float(_) => Ok(number(item.number()?)),
        _ => item.nonempty(),
    }
}

/// A value of a column: without quotes if it is a number that is read as the same text again.
fn unquoted(value: &str) -> String {
    let same = value.parse().is_ok_and(|whole: i64| whole.to_string() == value)
        || value.parse().is_ok_and(|float: f64| {
            float.is_finite() && value.contains(['.', 'e']) && number(float) == value
        });
    if same { value.to_owned() } else { text(value) }
}

fn character(c: char) -> String {
    if c == '\t' { text("tab") } else { text(c.encode_utf8(&mut [0; 4])) }
}
