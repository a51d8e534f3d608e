//! What a spec says of the goal, the search and what is written, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;

use super::choices::named;
use super::notation::SuppressionLimit;

/// The method of `[algorithm]` when none is named.
pub const DEFAULT_METHOD: &str = incrowd_engine::AutoMethod::NAME;

/// What a good release is.
#[derive(Debug, Clone, PartialEq, Default, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GoalSection {
    /// What the search makes small. Default: ncp.
    #[schemars(default)]
    pub metric: Metric,
    /// How many rows may be left out: a number of rows, a share such as "2%", or "all".
    /// The default depends on the method.
    pub max_suppressed: Option<SuppressionLimit>,
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

/// How to search. Keys beyond those listed are options of the method.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub struct AlgorithmSection {
    /// The method. Default: mondrian.
    #[schemars(extend("default" = DEFAULT_METHOD), default)]
    pub method: String,
    /// When to stop with the best release found: a number with ms, s, m or h, such as "60s".
    #[schemars(with = "Option<String>")]
    pub time_limit: Option<Duration>,
    /// The seed of the search, for methods that make random choices: the same seed finds the same. It steers nothing that is
    /// secret.
    pub seed: Option<u64>,
    /// How many threads to use, from 1 to 1024. Default: one per core. The release does not depend
    /// on it.
    #[schemars(range(min = 1, max = 1024))]
    pub threads: Option<u32>,
    /// Whether to prove how little a release of the kind local can cost. Default: no.
    pub prove: Option<bool>,
    /// Options of the method, by name.
    #[schemars(flatten)]
    pub options: BTreeMap<String, OptionValue>,
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

/// The value of an option of a method.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged)]
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

/// What is written and where.
#[derive(Debug, Clone, PartialEq, Default, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReleaseSection {
    /// The file for the release, relative to the spec; `-` is standard output. Without it the
    /// run is dry: nothing is written.
    pub output: Option<PathBuf>,
    /// The table of the database for the release. It must not be there yet, and appears whole and verified or not
    /// at all.
    pub into: Option<String>,
    /// Roles of the database that may read it; nobody but its owner may otherwise.
    #[schemars(default)]
    pub grant: Vec<String>,
    /// The character between fields of the release; `tab` for a tab. Default: the input's.
    #[schemars(with = "Option<String>")]
    pub delimiter: Option<char>,
    /// Whether texts that a spreadsheet would take for formulas get an apostrophe before them. Default: no.
    #[schemars(default)]
    pub csv_safe: bool,
    /// Where ranges of numbers end. Default: tight for a named method; auto rounds while that costs at most 1%.
    pub ranges: Option<RangeRounding>,
    /// The order of the released rows. Default: shuffle.
    #[schemars(default)]
    pub order: RowOrder,
    /// What happens to suppressed rows. Default: drop.
    #[schemars(default)]
    pub suppressed: SuppressionMode,
    /// What happens to rows that fail although the method left them so (mu-argus with repair = "off").
    /// Default: suppress.
    #[schemars(default)]
    pub failing: FailingRows,
    /// A file for the recoding (JSON), with which new rows can be released later.
    pub recoding: Option<PathBuf>,
    /// A file for the report (HTML), as safe to share as the release.
    pub report: Option<PathBuf>,
    /// A file for a report (HTML) that tells of suppressed rows, too: confidential, for the owner of the table.
    pub internal_report: Option<PathBuf>,
    /// The key of pseudonyms and shifted dates: a file of 64 hexadecimal digits that only its owner may read, made if it
    /// is not there. Without it they cannot be made again.
    pub key_file: Option<PathBuf>,
    /// The key that the rows are shuffled by: a file of 64 hexadecimal digits that only its owner may read, made if it is not
    /// there. Without it the order is fresh and forgotten.
    pub seed_file: Option<PathBuf>,
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
