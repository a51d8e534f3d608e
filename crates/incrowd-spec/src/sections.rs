//! What a spec says of the goal, the search and what is written, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use toml::de::DeValue;

use super::choices::named;
use super::codecs::{
    Choice, DefaultField, Delimiter, FilePath, Flag, List, OptionalField, RowLimit, Share, Text,
    Threads, Time, Whole, WrittenField,
};
use super::notation::SuppressionLimit;
use super::option_table::{
    FieldCodec, GOAL, NO_FLAG, OUTPUT, OptionEntry, OptionUse, RELEASE, SEARCH, SchemaDefinitions,
    SpecSection, ValueCodec, section,
};
use super::toml_fields::{TomlItem, TomlResult, TomlSection};
use super::toml_text::{key, text};

/// The method of `[algorithm]` when none is named.
pub const DEFAULT_METHOD: &str = incrowd_engine::AutoMethod::NAME;

section! {
    /// What a good release is.
    #[derive(Default)]
    pub struct GoalSection in "goal" {
        /// The cost: ncp, dm, cm, loss, entropy, precision, ...
        ///
        /// What the search makes small.
        "metric" metric: Metric = WrittenField<Choice<Metric>>, GOAL.value("METRIC").default("ncp").example("\"ncp\"");
        /// Most rows that may be suppressed: 100, 2% or all.
        ///
        /// The default depends on the method.
        "max-suppressed" max_suppressed: Option<SuppressionLimit> = OptionalField<RowLimit>,
            SEARCH.value("LIMIT").example("\"2%\"").usual();
    }
}

named! {
    /// What the search makes small.
    #[derive(Default)]
    pub enum Metric("metric") as incrowd_engine::Metric {
        /// Discernibility: every row costs the size of its class.
        Discernibility = "dm" => Dm,
        /// Classification: rows that are not of their class's majority. Needs a class column.
        Classification = "cm" => Cm,
        /// Normalized certainty penalty: the width of the released values.
        #[default]
        CertaintyPenalty = "ncp" => Ncp,
        /// General loss, from the leaves below each released value.
        Loss = "loss" => Loss,
        /// The same with the geometric mean over columns. For full-domain methods, such as lattice.
        GeometricLoss = "geometric-loss" => GeometricLoss,
        /// Precision: how high in their hierarchies the values are.
        Precision = "precision" => Precision,
        /// Non-uniform entropy: the information lost.
        Entropy = "entropy" => Entropy,
        /// Average class size: released rows per class. For full-domain methods, such as lattice.
        AverageClassSize = "average-class-size" => AverageClassSize,
        /// Blanked cells, by weight. What the methods that blank cells minimize.
        Blanks = "blanks" => Blanks,
    }
}

section! {
    /// How to search. Keys beyond those listed are options of the method.
    pub struct AlgorithmSection in "algorithm" {
        /// The method: `incrowd methods` lists them.
        "method" method: String = Method, SEARCH.value("METHOD").short('m').default("auto").example("\"auto\"").usual();
        /// Stop searching after this long: 500ms, 60s, 5m, 1h.
        ///
        /// With the best release found.
        "time-limit" time_limit: Option<Duration> = OptionalField<Time>,
            SEARCH.value("TIME").example("\"60s\"").usual();
        /// The seed of the search, for methods that make random choices.
        ///
        /// The same seed finds the same. It steers nothing that is secret.
        "seed" seed: Option<u64> = OptionalField<Whole>, SEARCH.value("SEED").example("7");
        /// How many threads to use.
        ///
        /// From 1 to 1024. Default: one per core. The release does not depend on it.
        "threads" threads: Option<u32> = OptionalField<Threads>, GOAL.value("N").default("one per core").example("2");
        /// Prove how little a local release can cost, whatever it takes.
        ///
        /// Default: no.
        "prove" prove: Option<bool> = OptionalField<Flag>, SEARCH.example("true");
        flatten
        /// Options of the method, by name.
        options: BTreeMap<String, OptionValue>;
    }
}

/// The name of a method, which is written even where it is the default.
struct Method;

impl FieldCodec for Method {
    type Field = String;

    fn read(fields: &TomlSection<'_>, key: &'static str, _: &OptionUse) -> TomlResult<String> {
        let named = fields.get(key).map(Text::read).transpose()?;
        Ok(named.unwrap_or_else(|| DEFAULT_METHOD.to_owned()))
    }

    fn write(name: &String) -> Option<String> {
        Some(Text::write(name))
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "string", "default": DEFAULT_METHOD })
    }
}

impl SpecSection for BTreeMap<String, OptionValue> {
    const OPEN: bool = true;

    fn entries() -> Vec<OptionEntry> {
        Vec::new()
    }

    /// Whether the method has an option is found out later, by the registry.
    fn read(fields: &TomlSection<'_>) -> TomlResult<Self> {
        let all = fields.others().into_iter();
        all.map(|(name, item)| Ok((name.to_owned(), OptionValue::read(item)?))).collect()
    }

    fn lines(&self) -> Vec<(String, String)> {
        self.iter().map(|(name, value)| (key(name), value.toml())).collect()
    }
}

impl Default for AlgorithmSection {
    fn default() -> Self {
        AlgorithmSection {
            method: DEFAULT_METHOD.to_owned(),
            time_limit: None,
            seed: None,
            threads: None,
            prove: None,
            options: BTreeMap::new(),
        }
    }
}

impl AlgorithmSection {
    /// The seed as the option that the method has for it, unless that is given; none if the method makes no random choices.
    pub fn seed_option(&self) -> Option<(&'static str, u64)> {
        let info = incrowd_engine::METHODS.iter().find(|info| info.name == self.method)?;
        let option = info.options.iter().find(|option| option.name.ends_with("-seed"))?;
        let seed = self.seed.filter(|_| !self.options.contains_key(option.name))?;
        Some((option.name, seed))
    }
}

/// The value of an option of a method.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Bool(bool),
}

impl OptionValue {
    fn read(item: TomlItem<'_>) -> TomlResult<Self> {
        Ok(match item.kind() {
            DeValue::String(_) => OptionValue::Text(item.text()?),
            DeValue::Boolean(value) => OptionValue::Bool(*value),
            DeValue::Float(_) => OptionValue::Number(item.number()?),
            DeValue::Integer(integer) => {
                match i64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(value) => OptionValue::Integer(value),
                    Err(_) => return Err(item.too_large(i64::MAX)),
                }
            }
            _ => {
                let message = format!("{} must be text, a number, true or false", item.what);
                return Err(item.fault(message).help(
                    "keys other than method, time-limit, seed and threads are options of the \
                     method",
                ));
            }
        })
    }

    fn toml(&self) -> String {
        match self {
            OptionValue::Text(value) => text(value),
            OptionValue::Integer(value) => value.to_string(),
            // Rust's debug form always has a point or an exponent, so it is read as a float again.
            OptionValue::Number(value) => format!("{value:?}"),
            OptionValue::Bool(value) => value.to_string(),
        }
    }
}

section! {
    /// What is written and where.
    #[derive(Default)]
    pub struct ReleaseSection in "release" {
        /// The release: .csv, .csv.gz, .parquet, .xlsx, `-`; without it, a dry run.
        ///
        /// Relative to the spec; `-` is standard output.
        "output" output: Option<PathBuf> = OptionalField<FilePath>,
            OUTPUT.value("FILE").short('o').conflicts(&["into"]).example("\"release.csv\"").usual();
        /// The table of the database that the release goes into.
        ///
        /// It must not be there yet, unless `replace` says so, and appears whole and verified or not at all.
        "into" into: Option<String> = OptionalField<Text>, OUTPUT.value("TABLE").example("\"people_release\"");
        /// Replace the table of the release, if it is there.
        ///
        /// The new table takes its place in the transaction that has made and verified it, with its owner, grants, comments
        /// and indexes. Refused where views, constraints, triggers or policies hang on it.
        "replace" replace: bool = DefaultField<Flag>, OUTPUT.requires("into").example("true");
        /// Roles that may read the table that is made.
        ///
        /// Nobody but its owner may otherwise.
        "grant" grant: Vec<String> = DefaultField<List<Text>>,
            OUTPUT.value("ROLE").requires("into").example("[\"analyst\"]");
        /// The release's delimiter.
        ///
        /// `tab` for a tab. Default: the input's.
        "delimiter" delimiter: Option<char> = OptionalField<Delimiter>, NO_FLAG.example("\",\"");
        /// Mark texts that a spreadsheet would take for formulas.
        ///
        /// With an apostrophe before them. Default: no.
        "csv-safe" csv_safe: bool = DefaultField<Flag>, RELEASE.example("true");
        /// Begin text files with a byte order mark, by which Excel knows UTF-8.
        ///
        /// Of .csv files, compressed or not. Default: no.
        "byte-order-mark" byte_order_mark: bool = DefaultField<Flag>, RELEASE.example("true");
        /// Ends of ranges: tight, rounded, or fixed to bins and breaks.
        ///
        /// Default: tight for a named method; auto rounds while that costs at most 1%.
        "ranges" ranges: Option<RangeRounding> = OptionalField<Choice<RangeRounding>>,
            RELEASE.value("CHOICE").example("\"rounded\"");
        /// Where labels come from: tight, fitted to the values of each class, or safe, from lists made before.
        ///
        /// Safe labels are nodes of hierarchies, round bins of numbers, units of the calendar, or blank; none tells a value
        /// that surely occurs. Default: tight.
        "labels" labels: LabelSource = DefaultField<Choice<LabelSource>>,
            RELEASE.value("CHOICE").default("tight").example("\"safe\"");
        /// The chance, by a secret draw, that a safe label is one level coarser than needed.
        ///
        /// For a single value it is a twentieth of that. With 0 whoever knows the method knows that no label is wider than needed.
        /// Default: 0.5.
        "label-chance" label_chance: Option<f64> = OptionalField<Share>,
            RELEASE.value("SHARE").requires("labels").example("0.5");
        /// The order of the released rows: shuffle, sort, or keep (not recommended).
        "order" order: RowOrder = DefaultField<Choice<RowOrder>>, NO_FLAG.example("\"sort\"");
        /// Suppressed rows: drop them, or blank.
        "suppressed" suppressed: SuppressionMode = DefaultField<Choice<SuppressionMode>>,
            RELEASE.value("CHOICE").default("drop").example("\"blank\"");
        /// What mu-argus leaves failing: suppress, write.
        ///
        /// Rows that fail although the method left them so (mu-argus with repair = "off").
        "failing" failing: FailingRows = DefaultField<Choice<FailingRows>>,
            RELEASE.value("CHOICE").default("suppress").example("\"write\"");
        /// Save the recoding for new rows. As confidential as the data.
        ///
        /// A file of JSON.
        "recoding" recoding: Option<PathBuf> = OptionalField<FilePath>,
            OUTPUT.value("FILE").example("\"recoding.json\"").usual();
        /// A report in HTML, as safe to share as the release.
        "report" report: Option<PathBuf> = OptionalField<FilePath>,
            OUTPUT.value("FILE").example("\"report.html\"").usual();
        /// A confidential report that counts suppressed rows, too.
        ///
        /// For the owner of the table.
        "internal-report" internal_report: Option<PathBuf> = OptionalField<FilePath>,
            RELEASE.value("FILE").example("\"internal.html\"");
        /// The proof of the bound, for another program to check. As confidential as the data.
        ///
        /// Of the methods optimal, k-optimize and lattice for dm and cm, and of local bounds with --prove for ncp.
        "certificate" certificate: Option<PathBuf> = OptionalField<FilePath>,
            RELEASE.value("FILE").example("\"release.certificate\"");
        /// Check the certificate before the release is written, and claim only what is confirmed.
        ///
        /// Of CSV files, by code that the search does not share.
        "certified" certified: bool = DefaultField<Flag>,
            RELEASE.requires("certificate").example("true");
        /// The key of pseudonyms and shifted dates; made if it is not there.
        ///
        /// A file of 64 hexadecimal digits that only its owner may read. Without it they cannot be made again.
        "key-file" key_file: Option<PathBuf> = OptionalField<FilePath>,
            RELEASE.value("FILE").example("\"patients.key\"");
        /// The key that rows are shuffled by; made if it is not there.
        ///
        /// A file of 64 hexadecimal digits that only its owner may read. Whoever has it can make the same release again, and
        /// undo its order. Without it the order is fresh and forgotten.
        "seed-file" seed_file: Option<PathBuf> = OptionalField<FilePath>,
            RELEASE.value("FILE").example("\"order.key\"");
    }
}

named! {
    /// Where ranges of numbers end.
    pub enum RangeRounding("choice of ends") as incrowd_engine::value::RangeRounding {
        /// At the lowest and the highest value of the class: somebody's values.
        Tight = "tight" => Tight,
        /// Rounded outwards to readable steps.
        Rounded = "rounded" => Rounded,
        /// At ends of bins, breaks or hierarchies, which every column of numbers must have.
        Fixed = "fixed" => Fixed,
    }
}

named! {
    /// Where labels come from.
    #[derive(Default)]
    pub enum LabelSource("choice of labels") {
        /// They are fitted to the values of each class.
        #[default]
        Tight = "tight",
        /// From lists that are there before the data are seen, and drawn.
        Safe = "safe",
    }
}

named! {
    /// The order of the released rows.
    #[derive(Default)]
    pub enum RowOrder("row order") {
        /// Random: the order says nothing about the input.
        #[default]
        Shuffle = "shuffle",
        /// By the released values.
        Sort = "sort",
        /// As in the input, which can help an attacker: the run warns.
        Keep = "keep",
    }
}

named! {
    /// What happens to rows that fail although the method left them so.
    #[derive(Default)]
    pub enum FailingRows("choice for failing rows") {
        /// They are suppressed like those of any method.
        #[default]
        Suppress = "suppress",
        /// They are written, for comparison only: the release fails, and the run says so.
        Write = "write",
    }
}

named! {
    /// What happens to suppressed rows.
    #[derive(Default)]
    pub enum SuppressionMode("choice for suppressed rows") as incrowd_engine::SuppressionMode {
        /// They are left out.
        #[default]
        Drop = "drop" => Drop,
        /// They are kept with all quasi-identifiers blank (`*`).
        Blank = "blank" => Blank,
    }
}
