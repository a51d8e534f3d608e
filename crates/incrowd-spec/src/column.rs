//! What a spec says of a column.

use incrowd_data::MaskMethod;
use incrowd_engine::value::{ColumnTransform, DateFormat, Decimal, Moment};

use super::bins::Bins;
use super::choices::named;
use super::codecs::{
    Choice, ColumnValue, Count, DateForm, Day, DecimalSign, DefaultField, Exact, Flag, Level, Mask,
    NonEmptyList, OptionalField, Positive, RequiredField, Text, ValueOrder,
};
use super::hierarchy::{DatePeriod, Hierarchy};
use super::option_table::{COLUMNS, FINISHING, NO_FLAG, TRANSFORMS, section};

section! {
    /// One column of the table.
    #[derive(Default)]
    pub struct ColumnSection in "columns" {
        /// What the column is for privacy.
        "role" role: Role = RequiredField<Choice<Role>>,
            NO_FLAG.example("\"quasi\", or one of identifying, sensitive, class, plain, undecided");
        /// Read a column as number, date or text.
        ///
        /// Default: numbers or dates if every value is one.
        "type" r#type: Option<ValueType> = OptionalField<Choice<ValueType>>,
            COLUMNS.value("COLUMN=TYPE").example("\"text\"");
        /// Dates only: how they are written, such as d/m/y, m/d/y, d.m.y h:m:s, d-mon-y or ymd.
        ///
        /// Default: found out from the values.
        "date-format" date_format: Option<DateFormat> = OptionalField<DateForm>,
            NO_FLAG.example("\"d/m/y\"").texts();
        /// How much a column counts in the cost.
        ///
        /// More than 0. Default: 1.
        "weight" weight: Option<f64> = OptionalField<Positive>, COLUMNS.value("COLUMN=4").example("2");
        /// Put numbers into bins: width and start.
        "bins" bins: Option<Bins> = OptionalField<Bins>,
            COLUMNS.value("COLUMN=5@16").example("{ width = 5, start = 0 }").numbers();
        /// The order of text values.
        ///
        /// From lowest to highest.
        "order" order: Option<Vec<String>> = OptionalField<ValueOrder>,
            COLUMNS.value("COLUMN=V1,V2").example("[\"low\", \"medium\", \"high\"]").texts();
        /// A hierarchy: a file, prefix, intervals:5,10, date:month, ...
        ///
        /// How values are generalized: a file (ARX's CSV form, or TOML) or a rule.
        "hierarchy" hierarchy: Option<Hierarchy> = OptionalField<Hierarchy>,
            COLUMNS.value("COLUMN=FILE").example("\"FILE.csv\"").texts().usual();
        /// Put this value in place of missing ones.
        ///
        /// Default: missing is a value of its own.
        "missing" missing: Option<String> = OptionalField<Text>, NO_FLAG.example("\"0\"");
        /// Release groups as range, mean, median, columns, node or nodes.
        ///
        /// Default: node where there is a hierarchy, else range. With nodes a group is a set of nodes, which keeps more.
        "summary" summary: Option<ClassSummary> = OptionalField<Choice<ClassSummary>>,
            COLUMNS.value("COLUMN=SUMMARY").example("\"mean\"").numbers();
        /// Boundaries to keep, each named by the first value beyond it.
        ///
        /// For methods that search cuts, such as optimal: [18, 65] keeps minors, adults and the old apart.
        "cut-at" cut_at: Vec<String> = DefaultField<NonEmptyList<ColumnValue>>,
            COLUMNS.value("COLUMN=18,65").example("[18, 65]").numbers();
        /// Boundaries that must not be made.
        ///
        /// Values at which the method must not cut, each with the one before it.
        "never-cut-at" never_cut_at: Vec<String> = DefaultField<NonEmptyList<ColumnValue>>,
            COLUMNS.value("COLUMN=30").example("[30]").numbers();
        /// The lowest hierarchy level to release a column at.
        ///
        /// 0 for the values themselves. For full-domain methods, such as lattice. Default: 0.
        "min-level" min_level: Option<u32> = OptionalField<Level>, COLUMNS.value("COLUMN=1").example("1");
        /// The highest hierarchy level to release a column at.
        ///
        /// Default: the top.
        "max-level" max_level: Option<u32> = OptionalField<Level>, COLUMNS.value("COLUMN=3").example("3");
        /// For mu-argus, how well columns identify: most, more, identifying.
        ///
        /// Default: identifying; if no column says it, all are taken by how well they tell rows apart.
        "argus" argus: Option<ArgusSet> = OptionalField<Choice<ArgusSet>>,
            COLUMNS.value("COLUMN=most").example("\"most\"");
        /// Give a column another name in the release.
        ///
        /// The name of the column from here on. Default: the one it has.
        "rename" source: Option<String> = OptionalField<Text>,
            TRANSFORMS.value("COLUMN=NAME").example("\"new name\"");
        /// The decimal sign of its numbers, "," or ".".
        ///
        /// Default: found from the values.
        "decimal" decimal: Option<char> = OptionalField<DecimalSign>, NO_FLAG.example("\",\"").numbers();
        /// Put numbers between breaks: <0, [0-17], [18-64], 65+.
        ///
        /// Whatever the role. [0, 18, 65, 90] makes <0, [0-17], [18-64], [65-89] and 90+.
        "breaks" breaks: Vec<Decimal> = DefaultField<NonEmptyList<Exact>>,
            TRANSFORMS.value("COLUMN=0,18,65").example("[18, 65]").numbers();
        /// Release numbers from this one on as 90+.
        ///
        /// Whatever the role.
        "top" top: Option<Decimal> = OptionalField<Exact>,
            TRANSFORMS.value("COLUMN=90").example("90").numbers().has_column();
        /// Release numbers up to this one as <=18.
        ///
        /// Whatever the role.
        "bottom" bottom: Option<Decimal> = OptionalField<Exact>,
            TRANSFORMS.value("COLUMN=18").example("18").numbers();
        /// Round numbers to the nearest multiple.
        ///
        /// Whatever the role.
        "round" round: Option<Decimal> = OptionalField<Exact>,
            TRANSFORMS.value("COLUMN=100").example("10").numbers();
        /// Keep so many characters of a code, such as 3 of a ZIP code.
        ///
        /// Whatever the role.
        "keep-prefix" keep_prefix: Option<u32> = OptionalField<Count>,
            TRANSFORMS.value("COLUMN=3").example("3").texts();
        /// Release the age on a day in place of a birth date.
        ///
        /// In completed years.
        "age-at" age_at: Option<Moment> = OptionalField<Day>,
            TRANSFORMS.value("COLUMN=2026-01-01").example("\"2026-01-01\"").texts();
        /// Release the hour, day, week, month, ..., decade of a date.
        ///
        /// 2018-04 for month.
        "date-unit" date_unit: Option<DatePeriod> = OptionalField<Choice<DatePeriod>>,
            TRANSFORMS.value("COLUMN=month").example("\"month\"").texts();
        /// Replace values: pseudonym, last:4, initials, shift:365, fixed:TEXT, drop.
        ///
        /// For columns that are plain or identifying, so that they may be released: pseudonym, pseudonym:DOMAIN, random, last:4,
        /// initials, shift:365, shift:364:weekday, fixed:TEXT or drop.
        "treat" treat: Option<MaskMethod> = OptionalField<Mask>,
            FINISHING.value("COLUMN=HOW").example("\"pseudonym\"");
        /// Release a column as the values that belong to a quasi-identifier's groups.
        ///
        /// For plain columns: a town is released as the towns of its zip's group.
        "follows" follows: Option<String> = OptionalField<Text>,
            FINISHING.value("COLUMN=QUASI").example("\"zip\"");
        /// Released columns that somebody may know: k must hold with them, too.
        "narrowing" narrowing: bool = DefaultField<Flag>, FINISHING.value("COLUMNS").example("true");
        /// Columns released although they look as if they named people.
        ///
        /// Asked for by a refusal.
        "accept" accept: bool = DefaultField<Flag>, COLUMNS.value("COLUMNS").example("true");
        extra
        /// The name in the header of the table, or the new one of a column that is renamed.
        name: String;
    }
}

/// What is said of columns that are released: one without a role is plain.
pub(crate) const RELEASES: [&str; 3] = ["treat", "follows", "narrowing"];

/// What is said of columns whatever their role. What only changes values leaves one without a role undecided.
pub(crate) const NEEDS_NO_ROLE: [&str; 11] = [
    "breaks",
    "top",
    "bottom",
    "round",
    "keep-prefix",
    "age-at",
    "date-unit",
    "rename",
    "treat",
    "follows",
    "narrowing",
];

impl ColumnSection {
    /// A column about which nothing but its role is said.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnSection { name: name.into(), role, ..ColumnSection::default() }
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
    #[derive(Default)]
    pub enum Role("role") {
        /// It names a person (name, social security number): never released.
        Identifying = "identifying",
        /// Together with others it can single out a person (age, sex, ZIP code): generalized.
        Quasi = "quasi",
        /// What must not be learned about a person (diagnosis, salary): released as it is, protected by the models in
        /// `[privacy]`.
        Sensitive = "sensitive",
        /// What the release should predict well: released as it is, counted by the metric cm.
        Class = "class",
        /// Released as it is, on purpose, and not considered further.
        Plain = "plain",
        /// Nobody has said yet what it is: the run is refused until somebody does.
        #[default]
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
        /// With a hierarchy only: the set of nodes and values around the group, `{Western Europe, Japan}`.
        Nodes = "nodes" => Nodes,
    }
}
