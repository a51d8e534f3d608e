//! What a spec says, as plain data. The documentation of each field is also its text in the
//! JSON schema, so it speaks to people who write specs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_engine::value::{ColumnTransform, DateFormat, Decimal, Moment};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::choices::named;
use super::context::ContextSection;
use super::hierarchy::{DatePeriod, Hierarchy};
use super::notation::Bins;
use super::privacy::PrivacySection;
use super::sections::{AlgorithmSection, GoalSection, ReleaseSection};
use incrowd_data::{DateFormats, MaskMethod};

/// The texts that mean "missing" unless `[data] missing` says otherwise.
pub const DEFAULT_MISSING: [&str; 7] = incrowd_engine::value::MISSING_TOKENS;

/// A run of incrowd: which table, what its columns are, what the release must guarantee, what
/// it should preserve, how to search for it and where to write it.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields, title = "incrowd spec")]
pub struct Spec {
    /// The table to anonymize.
    pub data: DataSection,
    /// The columns by name. The name of a column is the key of its table: `[columns.age]`.
    #[schemars(with = "BTreeMap<String, ColumnSection>", default)]
    pub columns: Vec<ColumnSection>,
    /// What every released row must be protected by.
    pub privacy: PrivacySection,
    /// What a good release is.
    #[schemars(default)]
    pub goal: GoalSection,
    /// How to search for a good release.
    #[schemars(default)]
    pub algorithm: AlgorithmSection,
    /// What is written and where.
    #[schemars(default)]
    pub release: ReleaseSection,
    /// What the release is for.
    #[schemars(default)]
    pub context: Option<ContextSection>,
}

impl Spec {
    /// Gives the column of survey weights its role, if it has none: weights tell strata. Whoever wants it released as it is, or
    /// not at all, says so.
    pub fn weigh(&mut self) {
        let Some(name) = &self.data.survey_weight else { return };
        if self.columns.iter().all(|column| column.name != *name) {
            self.columns.push(ColumnSection::new(name, Role::Quasi));
        }
        let is_weight =
            |column: &&mut ColumnSection| column.name == *name && column.role == Role::Quasi;
        for column in self.columns.iter_mut().filter(is_weight) {
            // A range of weights is of no use to anybody.
            column.summary.get_or_insert(ClassSummary::Mean);
        }
    }
}

/// The table to anonymize.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataSection {
    /// The file: .csv, .csv.gz, .csv.zst, .parquet, .xlsx, .xls or .ods, relative to the spec; `-` is
    /// standard input. Or a database, `postgres://host/name`, with `table`; its password comes from PGPASSWORD,
    /// a password file or a service file, never from here.
    pub input: PathBuf,
    /// The table or view of a database: people, schema.people, or a name in double quotes.
    pub table: Option<String>,
    /// Only the rows of the table for which this SQL condition holds.
    #[schemars(rename = "where")]
    pub filter: Option<String>,
    /// Count, recode and check in the database: no row leaves it. Default: rows are streamed.
    #[schemars(default)]
    pub in_database: bool,
    /// The character between fields; `tab` for a tab. Detected when left out.
    #[schemars(with = "Option<String>")]
    pub delimiter: Option<char>,
    /// The encoding of a text file, such as windows-1252 or utf-16le. Default: UTF-8, or what is found.
    pub encoding: Option<String>,
    /// The sheet of a workbook, by its name or its number. Default: the first that is not empty.
    pub sheet: Option<String>,
    /// How many times its size a compressed file may unpack to. Default: 1000, or 1 GiB.
    pub max_expansion: Option<u32>,
    /// The texts that mean "missing", instead of the usual ones: the empty text, NA, N/A, NaN, NULL, null
    /// and ?. Where the empty text is one of them, so is any text of blanks.
    pub missing: Option<Vec<String>>,
    /// Further texts that mean "missing", beside those of `missing` or the usual ones.
    #[schemars(default)]
    pub missing_add: Vec<String>,
    /// How dates are written where they can be read in several ways: d/m/y, m/d/y, ymd, ... Default: found out
    /// from the values; a column that leaves it open is refused.
    #[schemars(with = "Option<String>")]
    pub date_format: Option<DateFormat>,
    /// Earlier releases of the same table, which grows: a release is refused that tells fewer people apart than k when
    /// one of them is subtracted from it.
    #[schemars(default)]
    pub earlier: Vec<PathBuf>,
    /// The whole population that the table is a part of, with the same quasi-identifiers: the run then
    /// tells the journalist's risk. Relative to the spec.
    pub population: Option<PathBuf>,
    /// The column of survey weights. Weights tell strata, so it is a quasi-identifier unless it has another role: each class
    /// gets the mean of its weights, grown so that those of the release add up to the table's.
    #[schemars(default)]
    pub survey_weight: Option<String>,
    /// What happens to columns without a table of their own. A spec that does not say so releases them as they are, with a
    /// warning: say drop, guess or error.
    #[schemars(default)]
    pub other: Option<OtherColumns>,
    /// The decimal sign of numbers, "," or ".". Default: found for each column from its values.
    #[schemars(schema_with = "decimal_sign", default)]
    pub decimal: Option<char>,
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

/// One column of the table.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ColumnSection {
    /// The name in the header of the table, or the new one of a column that is renamed.
    #[schemars(skip)]
    pub name: String,
    /// The name of the column from here on and in the release. Default: the one it has.
    #[schemars(rename = "rename")]
    pub source: Option<String>,
    /// What the column is for privacy.
    pub role: Role,
    /// Whether values are numbers, dates or text. Default: numbers or dates if every value is one.
    pub r#type: Option<ValueType>,
    /// Dates only: how they are written, such as d/m/y, m/d/y, d.m.y h:m:s, d-mon-y or ymd. Default: found out
    /// from the values.
    #[schemars(with = "Option<String>")]
    pub date_format: Option<DateFormat>,
    /// How much this column counts in the cost, more than 0. Default: 1.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: Option<f64>,
    /// Numbers only: put values into bins of one width first.
    pub bins: Option<Bins>,
    /// Text only: the values from lowest to highest.
    pub order: Option<Vec<String>>,
    /// How values are generalized: a file (ARX's CSV form, or TOML) or a rule.
    pub hierarchy: Option<Hierarchy>,
    /// Put this value in place of missing ones. Default: missing is a value of its own.
    pub missing: Option<String>,
    /// How a group of values is written in the release. Default: node where there is a hierarchy, else range.
    pub summary: Option<ClassSummary>,
    /// Values at which the method must cut, each the first beyond its cut: [18, 65] keeps minors,
    /// adults and the old apart. For methods that search cuts, such as optimal.
    #[schemars(schema_with = "numbers_or_texts", default)]
    pub cut_at: Vec<String>,
    /// Values at which the method must not cut, each with the one before it.
    #[schemars(schema_with = "numbers_or_texts", default)]
    pub never_cut_at: Vec<String>,
    /// The lowest hierarchy level at which values may be released, 0 for the values themselves. For
    /// full-domain methods, such as lattice. Default: 0.
    pub min_level: Option<u32>,
    /// The highest hierarchy level at which values may be released. Default: the top.
    pub max_level: Option<u32>,
    /// How well the column identifies people, for the method mu-argus. Default: identifying; if no column
    /// says it, all are taken by how well they tell rows apart.
    pub argus: Option<ArgusSet>,
    /// The decimal sign of its numbers, "," or ".". Default: found from the values.
    #[schemars(schema_with = "decimal_sign", default)]
    pub decimal: Option<char>,
    /// Numbers only, whatever the role: values become the ranges between these, open at both ends: [0, 18, 65, 90]
    /// makes <0, [0-17], [18-64], [65-89] and 90+.
    #[schemars(schema_with = "numbers_or_texts", default)]
    pub breaks: Vec<Decimal>,
    /// Numbers only, whatever the role: values from this one on become 90+.
    #[schemars(schema_with = "number_or_text", default)]
    pub top: Option<Decimal>,
    /// Numbers only, whatever the role: values up to this one become <=18.
    #[schemars(schema_with = "number_or_text", default)]
    pub bottom: Option<Decimal>,
    /// Numbers only, whatever the role: values become the nearest multiple of this.
    #[schemars(schema_with = "number_or_text", default)]
    pub round: Option<Decimal>,
    /// Codes, whatever the role: values keep this many characters, 3 of a ZIP code.
    #[schemars(range(min = 1))]
    pub keep_prefix: Option<u32>,
    /// The age in completed years on this day in place of a birth date: "2026-01-01".
    #[schemars(with = "Option<String>")]
    pub age_at: Option<Moment>,
    /// The unit of time that a date lies in in place of the date: 2018-04 for month.
    pub date_unit: Option<DatePeriod>,
    /// Columns that are plain or identifying: what becomes of the values, so that they may be released. pseudonym,
    /// pseudonym:DOMAIN, random, last:4, initials, shift:365, shift:364:weekday, fixed:TEXT or drop.
    pub treat: Option<MaskMethod>,
    /// Plain columns: the quasi-identifier whose groups this column follows: a town is released as the towns of its zip's
    /// group.
    pub follows: Option<String>,
    /// Whether somebody may know this column of people, so that k must hold for classes narrowed by it, too.
    #[schemars(default)]
    pub narrowing: bool,
    /// Whether the column is released although it looks as if it named or numbered people.
    #[schemars(default)]
    pub accept: bool,
}

/// A decimal sign.
fn decimal_sign(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [",", "."] })
}

/// A number, in quotes where a double would not hold it.
fn number_or_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["number", "string"] })
}

/// Values of a column, which may be written as they are or in quotes.
fn numbers_or_texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": ["number", "string"] } })
}

impl ColumnSection {
    /// A column about which nothing but its role is said.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnSection {
            name: name.into(),
            role,
            r#type: None,
            date_format: None,
            weight: None,
            bins: None,
            order: None,
            hierarchy: None,
            missing: None,
            summary: None,
            cut_at: Vec::new(),
            never_cut_at: Vec::new(),
            min_level: None,
            max_level: None,
            argus: None,
            source: None,
            decimal: None,
            breaks: Vec::new(),
            top: None,
            bottom: None,
            round: None,
            keep_prefix: None,
            age_at: None,
            date_unit: None,
            treat: None,
            follows: None,
            narrowing: false,
            accept: false,
        }
    }

    /// The name in the header of the table.
    pub fn source_name(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.name)
    }

    /// What the column is for privacy once it has been treated: one that names people may be released where its values
    /// were replaced, and one that follows another is made anew.
    pub fn released_role(&self) -> Role {
        match (&self.treat, self.role) {
            (Some(MaskMethod::Drop), _) => Role::Identifying,
            _ if self.follows.is_some() => Role::Identifying,
            (Some(_), Role::Identifying) => Role::Plain,
            (_, role) => role,
        }
    }

    /// What is done to each value as it is read.
    pub fn treatment(&self) -> ColumnTransform {
        ColumnTransform {
            round: self.round,
            breaks: self.breaks.clone(),
            top: self.top,
            bottom: self.bottom,
            keep_prefix: self.keep_prefix,
            age_at: self.age_at,
            date_unit: self.date_unit.map(Into::into),
            date_format: None,
            usual_dates: None,
        }
    }
}

named! {
    /// What a column is for privacy.
    pub enum Role("role") {
        /// It names a person (name, social security number): never released.
        Identifying = "identifying",
        /// Together with others it can single out a person (age, sex, ZIP code): generalized.
        Quasi = "quasi",
        /// What must not be learned about a person (diagnosis, salary): released as it is,
        /// protected by the models in `[privacy]`.
        Sensitive = "sensitive",
        /// What the release should predict well: released as it is, counted by the metric cm.
        Class = "class",
        /// Released as it is, on purpose, and not considered further.
        Plain = "plain",
        /// Nobody has said yet what it is: the run is refused until somebody does.
        Undecided = "undecided",
    }
}

impl serde::Serialize for Role {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(super::choices::KeywordChoice::name(*self))
    }
}

named! {
    /// Whether values are numbers, dates or text.
    pub enum ValueType("type") as incrowd_engine::value::DomainKind {
        /// Numbers: ordered, merged into ranges.
        Number = "number" => Number,
        /// Dates and times: ordered, merged into months, years or ranges.
        Date = "date" => Date,
        /// Text: merged by a hierarchy or into sets.
        Text = "text" => Text,
    }
}

named! {
    /// How well a column identifies people, for the method mu-argus.
    pub enum ArgusSet("set of mu-argus") as incrowd_engine::value::ArgusSet {
        /// Most identifying: its values are blanked first.
        Most = "most" => Most,
        /// More identifying than others.
        More = "more" => More,
        /// Identifying.
        Identifying = "identifying" => Identifying,
    }
}

named! {
    /// How a group of values is written in the release.
    pub enum ClassSummary("summary") as incrowd_engine::value::ClassSummary {
        /// The range of numbers `[25-28]`, or the set of values.
        Range = "range" => Range,
        /// Numbers only: the mean of the group.
        Mean = "mean" => Mean,
        /// Numbers only: the median of the group.
        Median = "median" => Median,
        /// Numbers only: two columns, e.g. age_min and age_max.
        Columns = "columns" => Columns,
        /// With a hierarchy only: the label of the lowest node above the group.
        Node = "node" => Node,
    }
}

impl DataSection {
    /// All texts that mean "missing".
    pub fn missing_tokens(&self) -> Vec<String> {
        let mut tokens = missing_tokens(self.missing.as_deref(), &self.missing_add);
        if is_database(&self.input) {
            tokens.push(incrowd_data::NULL.to_owned());
        }
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

impl Spec {
    /// What becomes of columns that the spec does not name. One that says nothing of them was written when they were released.
    pub fn other(&self) -> OtherColumns {
        self.data.other.unwrap_or(OtherColumns::Plain)
    }

    /// How dates are written, as the spec says it.
    pub fn date_formats(&self) -> DateFormats {
        let own = self.columns.iter();
        let own = own.filter_map(|column| Some((column.name.clone(), column.date_format.clone()?)));
        DateFormats { general: self.data.date_format.clone(), columns: own.collect() }
    }

    /// A spec that releases the columns named in it with k-anonymity, everything else default.
    pub fn new(input: impl Into<PathBuf>, columns: Vec<ColumnSection>, k: u64) -> Self {
        Spec {
            data: DataSection {
                input: input.into(),
                table: None,
                filter: None,
                in_database: false,
                delimiter: None,
                encoding: None,
                sheet: None,
                max_expansion: None,
                missing: None,
                missing_add: Vec::new(),
                date_format: None,
                earlier: Vec::new(),
                population: None,
                survey_weight: None,
                other: None,
                decimal: None,
            },
            columns,
            privacy: PrivacySection::k(k),
            goal: GoalSection::default(),
            algorithm: AlgorithmSection::default(),
            release: ReleaseSection::default(),
            context: None,
        }
    }

    /// Gives columns a role, whatever the spec says of them so far.
    pub fn give_role(&mut self, names: &[String], role: Role) {
        for name in names {
            match self.columns.iter_mut().find(|column| column.name == *name) {
                Some(column) => column.role = role,
                None => self.columns.push(ColumnSection::new(name, role)),
            }
        }
    }

    /// Whether the table lies in a database.
    pub fn is_of_database(&self) -> bool {
        is_database(&self.data.input)
    }

    /// The column with this name, if the spec has a table for it.
    pub fn column(&self, name: &str) -> Option<&ColumnSection> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns with a role, in the order of the spec.
    pub fn columns_with(&self, role: Role) -> impl Iterator<Item = &ColumnSection> {
        self.columns.iter().filter(move |column| column.released_role() == role)
    }

    /// The sensitive column a privacy model speaks about: the one it names, or the only one.
    pub fn sensitive<'a>(&'a self, named: Option<&'a str>) -> Option<&'a str> {
        if named.is_some() {
            return named;
        }
        let mut all = self.columns_with(Role::Sensitive);
        let first = all.next()?;
        all.next().is_none().then_some(first.name.as_str())
    }
}

/// Whether a name of a table is the address of a database.
pub fn is_database(input: &std::path::Path) -> bool {
    let text = input.to_str().unwrap_or_default();
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}
