//! What a spec says of the table to anonymize.

use std::path::{Path, PathBuf};

use incrowd_engine::value::DateFormat;

use super::choices::named;
use super::codecs::{
    AnyText, Choice, DateForm, DecimalSign, DefaultField, Delimiter, Encoding, Expansion, FilePath,
    Flag, List, OptionalField, RequiredField, Text,
};
use super::option_table::{COLUMNS, DATABASE, FILE, IN_DATABASE, NO_FLAG, OUTPUT, section};

/// The texts that mean "missing" unless `[data] missing` says otherwise.
pub const DEFAULT_MISSING: [&str; 7] = incrowd_engine::value::MISSING_TOKENS;

section! {
    /// The table to anonymize.
    #[derive(Default)]
    pub struct DataSection in "data" {
        /// The table.
        ///
        /// A file: .csv, .csv.gz, .csv.zst, .parquet, .xlsx, .xls or .ods, relative to the spec; `-` is standard input. Or a
        /// database, `postgres://host/name`, with `table`; its password comes from PGPASSWORD, a password file or a service
        /// file, never from here.
        "input" input: PathBuf = RequiredField<FilePath>, NO_FLAG.example("\"table.csv\"");
        /// The table of a database: people, schema.people or "Odd name".
        "table" table: Option<String> = OptionalField<Text>, DATABASE.value("NAME").example("\"people\"");
        /// A query of a database in the place of a table: one SELECT.
        ///
        /// Its rows are what is anonymized, such as a join of tables. It is a temporary view of the session, so the role needs
        /// the right to make one.
        "query" query: Option<String> = OptionalField<Text>,
            DATABASE.value("SELECT").conflicts(&["table"]).example("\"SELECT age, ill FROM people\"");
        /// Only its rows for which this SQL condition holds.
        "where" filter: Option<String> = OptionalField<Text>,
            DATABASE.value("CONDITION").example("\"year > 2020\"");
        /// Count, recode and check in the database: no row leaves it.
        ///
        /// Default: rows are streamed.
        "in-database" in_database: bool = DefaultField<Flag>, IN_DATABASE.example("true");
        /// The character between fields, or `tab`.
        "delimiter" delimiter: Option<char> = OptionalField<Delimiter>,
            FILE.value("CHAR").default("found").example("\";\"").usual();
        /// The encoding of text, such as windows-1252.
        ///
        /// Default: UTF-8, or what is found.
        "encoding" encoding: Option<String> = OptionalField<Encoding>,
            FILE.value("NAME").default("found").example("\"windows-1252\"");
        /// The sheet of a workbook, by name or number.
        ///
        /// Default: the first that is not empty.
        "sheet" sheet: Option<String> = OptionalField<Text>, FILE.value("NAME").example("\"Sheet1\"").usual();
        /// How many times its size a file may unpack to.
        ///
        /// Default: 1000, or 1 GiB.
        "max-expansion" max_expansion: Option<u32> = OptionalField<Expansion>,
            FILE.value("TIMES").default("1000").example("1000");
        /// The only texts that mean "missing".
        ///
        /// Default: the empty text, NA, N/A, NaN, NULL, null and ?. Where the empty text is one of them, so is any text of
        /// blanks.
        "missing" missing: Option<Vec<String>> = OptionalField<List<AnyText>>,
            NO_FLAG.example("[\"\", \"NA\", \"N/A\", \"NaN\", \"NULL\", \"null\", \"?\"]");
        /// Further texts that mean "missing", beside those of `missing` or the usual ones.
        "missing-add" missing_add: Vec<String> = DefaultField<List<AnyText>>,
            NO_FLAG.example("[\"-9\", \"unknown\"]");
        /// How dates are written: d/m/y, m/d/y, d.m.y h:m:s, d-mon-y, ...
        ///
        /// Default: found out from the values; a column that leaves it open is refused.
        "date-format" date_format: Option<DateFormat> = OptionalField<DateForm>,
            FILE.value("[COLUMN=]FORM").example("\"d/m/y\"").has_column();
        /// Earlier releases of the table, which must not lay bare who came since.
        ///
        /// For a table that grows: a release is refused that tells fewer people apart than k when one of them is subtracted from
        /// it.
        "earlier" earlier: Vec<PathBuf> = DefaultField<List<FilePath>>,
            OUTPUT.value("FILES").example("[\"release-2025.csv\"]");
        /// The population that the table is a part of, for the journalist's risk.
        ///
        /// It has the same quasi-identifiers. Relative to the spec.
        "population" population: Option<PathBuf> = OptionalField<FilePath>,
            OUTPUT.value("FILE").conflicts(&["k-map"]).example("\"all.csv\"");
        /// The column of survey weights: recoded, and grown to the total.
        ///
        /// Weights tell strata, so it is a quasi-identifier unless it has another role: each class gets the mean of its weights,
        /// grown so that those of the release add up to the table's.
        "survey-weight" survey_weight: Option<String> = OptionalField<Text>,
            COLUMNS.value("COLUMN").example("\"weight\"");
        /// Quasi-identifiers whose categories keep their weighted totals.
        ///
        /// Where rows are suppressed, the weights of each class grow by a factor of its own, so that those of every released
        /// category of these columns add up to the table's. Needs survey weights.
        "calibrate" calibrate: Vec<String> = DefaultField<List<Text>>,
            COLUMNS.value("COLUMNS").example("[\"sex\", \"region\"]");
        /// Columns without a role: drop, guess, plain or error.
        ///
        /// A spec that does not say so releases them as they are, with a warning.
        "other" other: Option<OtherColumns> = OptionalField<Choice<OtherColumns>>,
            COLUMNS.value("CHOICE").default("drop").conflicts(&["roles"]).example("\"drop\"");
        /// The decimal sign, `,` or `.`.
        ///
        /// Default: found for each column from its values.
        "decimal" decimal: Option<char> = OptionalField<DecimalSign>,
            FILE.value("SIGN").default("found for each column").example("\",\"");
    }
}

named! {
    /// What happens to columns that the spec does not name.
    #[derive(Default)]
    pub enum OtherColumns("choice for other columns") {
        /// They are left out of the release.
        #[default]
        Drop = "drop",
        /// They get the roles that their values suggest; what is doubtful is left out.
        Guess = "guess",
        /// They are released as they are; the run is refused where they single people out.
        Plain = "plain",
        /// The run is refused, so that no column is forgotten.
        Error = "error",
    }
}

impl DataSection {
    /// What is read of a database: the name of a table, or a query in parentheses.
    pub fn relation(&self) -> Option<String> {
        let query = || self.query.as_ref().map(|query| format!("(\n{query}\n)"));
        self.table.clone().or_else(query)
    }

    /// All texts that mean "missing".
    pub fn missing_tokens(&self) -> Vec<String> {
        let mut tokens = missing_tokens(self.missing.as_deref(), &self.missing_add);
        // How NULL stands among texts, where a table tells it from the empty text.
        tokens.push(incrowd_data::NULL.to_owned());
        tokens
    }
}

/// All texts that mean "missing": `only` these instead of the usual ones, and those to `add`.
pub fn missing_tokens(only: Option<&[String]>, add: &[String]) -> Vec<String> {
    let mut tokens = match only {
        Some(tokens) => tokens.to_vec(),
        None => DEFAULT_MISSING.map(str::to_owned).to_vec(),
    };
    for token in add {
        if !tokens.contains(token) {
            tokens.push(token.clone());
        }
    }
    tokens
}

/// Whether a name of a table is the address of a database.
pub fn is_database(input: &Path) -> bool {
    let text = input.to_str().unwrap_or_default();
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}
