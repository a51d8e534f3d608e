//! From TOML tables to a [`Spec`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_engine::value::{DateFormat, Decimal};
use toml::de::{DeTable, DeValue};

use super::context::ContextSection;
use super::hierarchy::hierarchy;
use super::model::{ColumnSection, DataSection, Spec};
use super::notation::{self, Bins, SuppressionLimit};
use super::privacy::{
    AlphaAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, LKind, PrivacySection, TCloseness,
};
use super::risk_limits::RiskLimits;
use super::sections::{AlgorithmSection, DEFAULT_METHOD, GoalSection, OptionValue, ReleaseSection};
use super::toml_fields::{TomlFault, TomlItem, TomlResult, TomlSection};

// The keys of each table. A test compares them with the schema.
pub(super) const SPEC_KEYS: &[&str] =
    &["data", "columns", "privacy", "goal", "algorithm", "release", "context"];
pub(super) const CONTEXT_KEYS: &[&str] = &["audience", "knowledge", "harm"];
pub(super) const DATA_KEYS: &[&str] = &[
    "input",
    "table",
    "where",
    "in-database",
    "delimiter",
    "encoding",
    "sheet",
    "max-expansion",
    "missing",
    "missing-add",
    "date-format",
    "earlier",
    "population",
    "survey-weight",
    "other",
    "decimal",
];
pub(super) const COLUMN_KEYS: &[&str] = &[
    "role",
    "type",
    "date-format",
    "weight",
    "bins",
    "order",
    "hierarchy",
    "missing",
    "summary",
    "cut-at",
    "never-cut-at",
    "min-level",
    "max-level",
    "argus",
    "rename",
    "decimal",
    "breaks",
    "top",
    "bottom",
    "round",
    "keep-prefix",
    "age-at",
    "date-unit",
    "treat",
    "follows",
    "narrowing",
    "accept",
];
pub(super) const BINS_KEYS: &[&str] = &["width", "start"];
pub(super) const PRIVACY_KEYS: &[&str] = &[
    "k",
    "unit",
    "linked",
    "same-box",
    "l-diversity",
    "t-closeness",
    "alpha",
    "beta-likeness",
    "delta-disclosure",
    "count-missing",
    "reference",
    "wildcards",
    "max-risk",
    "max-average-risk",
    "max-at-risk",
    "k-map",
    "population-weight",
    "sampling-fraction",
    "delta-presence",
    "max-population-unique",
    "known-columns",
];
pub(super) const L_DIVERSITY_KEYS: &[&str] = &["column", "l", "kind", "c"];
pub(super) const T_CLOSENESS_KEYS: &[&str] = &["column", "t", "distance"];
pub(super) const ALPHA_KEYS: &[&str] = &["column", "alpha"];
pub(super) const BETA_LIKENESS_KEYS: &[&str] = &["column", "beta", "kind"];
pub(super) const DELTA_DISCLOSURE_KEYS: &[&str] = &["column", "delta"];
pub(super) const GOAL_KEYS: &[&str] = &["metric", "max-suppressed"];
/// More threads than any machine has cores; starting many more could bring one down.
const MOST_THREADS: u32 = 1024;

/// No kind of compression makes more of a byte.
const MOST_EXPANSION: u32 = 1_000_000_000;

pub(super) const ALGORITHM_KEYS: &[&str] = &["method", "time-limit", "seed", "threads", "prove"];
pub(super) const RELEASE_KEYS: &[&str] = &[
    "output",
    "into",
    "grant",
    "delimiter",
    "csv-safe",
    "ranges",
    "order",
    "suppressed",
    "failing",
    "recoding",
    "report",
    "internal-report",
    "key-file",
    "seed-file",
];

/// What a whole text says.
pub(super) fn spec(text: &str, table: &DeTable<'_>) -> TomlResult<Spec> {
    let fields = TomlSection::top(text, "the spec", table, SPEC_KEYS)?;
    let mut spec = Spec {
        data: fields.required("data", "[data] with input = \"table.csv\"", data)?,
        columns: fields.or_default("columns", columns)?,
        privacy: fields.required("privacy", "[privacy] with k = 5", privacy)?,
        goal: fields.or_default("goal", goal)?,
        algorithm: fields.or_default("algorithm", algorithm)?,
        release: fields.or_default("release", release)?,
        context: fields.optional("context", context)?,
    };
    spec.use_new_names();
    spec.weigh();
    Ok(spec)
}

/// A table that messages call by its header.
fn section<'a>(
    mut item: TomlItem<'a>,
    keys: &'static [&'static str],
) -> TomlResult<TomlSection<'a>> {
    item.what = format!("[{}]", item.what.trim_matches('`'));
    item.fields(keys)
}

fn data(item: TomlItem<'_>) -> TomlResult<DataSection> {
    let fields = section(item, DATA_KEYS)?;
    Ok(DataSection {
        input: fields.required("input", "input = \"table.csv\"", TomlItem::nonempty)?.into(),
        table: fields.optional("table", TomlItem::nonempty)?,
        filter: fields.optional("where", TomlItem::nonempty)?,
        in_database: fields.or_default("in-database", TomlItem::yes_or_no)?,
        delimiter: fields.optional("delimiter", delimiter)?,
        encoding: fields.optional("encoding", encoding)?,
        sheet: fields.optional("sheet", TomlItem::nonempty)?,
        max_expansion: fields.optional("max-expansion", |item| item.at_most(MOST_EXPANSION))?,
        missing: fields.optional("missing", |item| item.list(TomlItem::text))?,
        missing_add: fields.or_default("missing-add", |item| item.list(TomlItem::text))?,
        date_format: fields.optional("date-format", date_format)?,
        earlier: fields
            .or_default("earlier", |item| item.list(|item| Ok(PathBuf::from(item.nonempty()?))))?,
        population: fields.optional("population", TomlItem::nonempty)?.map(Into::into),
        survey_weight: fields.optional("survey-weight", TomlItem::nonempty)?,
        other: fields.get("other").map(TomlItem::choice).transpose()?,
        decimal: fields.optional("decimal", decimal)?,
    })
}

fn date_format(item: TomlItem<'_>) -> TomlResult<DateFormat> {
    item.notation(incrowd_data::parse_date_format)
}

fn delimiter(item: TomlItem<'_>) -> TomlResult<char> {
    item.notation(notation::parse_delimiter)
}

/// The name of an encoding that is known.
fn encoding(item: TomlItem<'_>) -> TomlResult<String> {
    item.notation(|name| incrowd_data::parse_encoding(name).map(|_| name.to_owned()))
}

fn columns(mut item: TomlItem<'_>) -> TomlResult<Vec<ColumnSection>> {
    item.what = "[columns]".to_owned();
    item.named_entries()?.into_iter().map(|(name, item)| column(name, item)).collect()
}

fn column(name: &str, mut item: TomlItem<'_>) -> TomlResult<ColumnSection> {
    item.what = format!("[columns.{}]", super::toml_text::key(name));
    let fields = item.fields(COLUMN_KEYS)?;
    let rename = fields.optional("rename", TomlItem::nonempty)?;
    Ok(ColumnSection {
        source: rename.as_ref().map(|_| name.to_owned()),
        name: rename.unwrap_or_else(|| name.to_owned()),
        role: fields.required(
            "role",
            "role = \"quasi\", or one of identifying, sensitive, class, plain, undecided",
            TomlItem::choice,
        )?,
        r#type: fields.optional("type", TomlItem::choice)?,
        date_format: fields.optional("date-format", date_format)?,
        weight: fields.optional("weight", TomlItem::positive)?,
        bins: fields.optional("bins", bins)?,
        order: fields.optional("order", order)?,
        hierarchy: fields.optional("hierarchy", hierarchy)?,
        missing: fields.optional("missing", TomlItem::nonempty)?,
        summary: fields.optional("summary", TomlItem::choice)?,
        cut_at: fields.or_default("cut-at", |item| item.some(value))?,
        never_cut_at: fields.or_default("never-cut-at", |item| item.some(value))?,
        min_level: fields.optional("min-level", level)?,
        max_level: fields.optional("max-level", level)?,
        argus: fields.optional("argus", TomlItem::choice)?,
        decimal: fields.optional("decimal", decimal)?,
        breaks: fields.or_default("breaks", |item| item.some(exact))?,
        top: fields.optional("top", exact)?,
        bottom: fields.optional("bottom", exact)?,
        round: fields.optional("round", exact)?,
        keep_prefix: fields.optional("keep-prefix", TomlItem::small)?,
        age_at: fields.optional("age-at", |item| item.notation(incrowd_data::parse_age_day))?,
        date_unit: fields.optional("date-unit", TomlItem::choice)?,
        treat: fields.optional("treat", |item| item.notation(str::parse))?,
        follows: fields.optional("follows", TomlItem::nonempty)?,
        narrowing: fields.or_default("narrowing", TomlItem::yes_or_no)?,
        accept: fields.or_default("accept", TomlItem::yes_or_no)?,
    })
}

fn decimal(item: TomlItem<'_>) -> TomlResult<char> {
    item.notation(notation::parse_decimal_sign)
}

/// A number as it is written, in quotes or not.
fn exact(item: TomlItem<'_>) -> TomlResult<Decimal> {
    let text = value(item.clone())?;
    notation::parse_exact(&text).map_err(|error| {
        let fault = item.fault(format!("{} must be a number, not `{text}`", item.what));
        fault.help(error.help.unwrap_or_default())
    })
}

/// A hierarchy level.
fn level(item: TomlItem<'_>) -> TomlResult<u32> {
    u32::try_from(item.clone().whole(0)?).map_err(|_| item.too_large(u32::MAX))
}

/// A value of a column as text; numbers may be written without quotes.
fn value(item: TomlItem<'_>) -> TomlResult<String> {
    match item.kind() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(|value| value.to_string())
            .map_err(|_| item.too_large(i64::MAX)),
        DeValue::Float(_) => Ok(super::toml_text::number(item.number()?)),
        _ => item.nonempty(),
    }
}

fn bins(item: TomlItem<'_>) -> TomlResult<Bins> {
    let fields = item.fields(BINS_KEYS)?;
    Ok(Bins {
        width: fields.required("width", "width = 5", TomlItem::positive)?,
        start: fields.or_default("start", TomlItem::number)?,
    })
}

fn order(item: TomlItem<'_>) -> TomlResult<Vec<String>> {
    let entries = item.some(|entry| Ok((entry.clone().text()?, entry)))?;
    let mut seen = std::collections::BTreeSet::new();
    for (value, entry) in &entries {
        if !seen.insert(value) {
            let message = format!("the value `{value}` is in the order twice");
            return Err(entry.fault(message).help("a value has one place only"));
        }
    }
    Ok(entries.into_iter().map(|(value, _)| value).collect())
}

fn privacy(item: TomlItem<'_>) -> TomlResult<PrivacySection> {
    let fields = section(item, PRIVACY_KEYS)?;
    Ok(PrivacySection {
        // The highest risk says the same in other words.
        k: match fields.optional("max-risk", risk)? {
            Some(_) => fields.optional("k", |item| item.whole(1))?.unwrap_or(1),
            None => fields.required("k", "k = 5", |item| item.whole(1))?,
        },
        unit: fields.optional("unit", TomlItem::text)?,
        linked: fields.or_default("linked", TomlItem::yes_or_no)?,
        same_box: fields.or_default("same-box", TomlItem::yes_or_no)?,
        l_diversity: fields.or_default("l-diversity", |item| item.one_or_many(l_diversity))?,
        t_closeness: fields.or_default("t-closeness", |item| item.one_or_many(t_closeness))?,
        alpha: fields.or_default("alpha", |item| item.one_or_many(alpha))?,
        beta_likeness: fields
            .or_default("beta-likeness", |item| item.one_or_many(beta_likeness))?,
        delta_disclosure: fields
            .or_default("delta-disclosure", |item| item.one_or_many(delta_disclosure))?,
        count_missing: fields.or_default("count-missing", TomlItem::yes_or_no)?,
        reference: fields.optional("reference", TomlItem::choice)?,
        wildcards: fields.or_default("wildcards", TomlItem::yes_or_no)?,
        risks: risks(&fields)?,
    })
}

fn risks(fields: &TomlSection<'_>) -> TomlResult<RiskLimits> {
    let share = |item: TomlItem<'_>| match item.kind() {
        DeValue::String(_) => item.notation(|text| {
            super::risk_limits::share(text)
                .ok_or_else(|| crate::Error::new(format!("`{text}` is not a share from 0 to 1")))
        }),
        _ => item.number_in("from 0 to 1", "0.01", |share| (0.0..=1.0).contains(&share)),
    };
    Ok(RiskLimits {
        max_risk: fields.optional("max-risk", risk)?,
        max_average_risk: fields.optional("max-average-risk", risk)?,
        max_at_risk: fields.optional("max-at-risk", |item| item.notation(str::parse))?,
        k_map: fields.or_default("k-map", TomlItem::yes_or_no)?,
        population_weight: fields.optional("population-weight", TomlItem::nonempty)?,
        sampling_fraction: fields.optional("sampling-fraction", risk)?,
        delta_presence: fields.optional("delta-presence", |item| item.notation(str::parse))?,
        max_population_unique: fields.optional("max-population-unique", share)?,
        known_columns: fields.optional("known-columns", TomlItem::small)?,
    })
}

/// A risk, or another share that cannot be none.
fn risk(item: TomlItem<'_>) -> TomlResult<f64> {
    let risk = match item.kind() {
        DeValue::String(_) => item.clone().notation(notation::parse_share)?,
        _ => item.clone().number()?,
    };
    if risk > 0.0 && risk <= 1.0 {
        return Ok(risk);
    }
    Err(item
        .fault(format!("{} must be more than 0 and at most 1, not {risk}", item.what))
        .help("0.05 is one in twenty"))
}

fn l_diversity(item: TomlItem<'_>) -> TomlResult<LDiversity> {
    let fields = item.fields(L_DIVERSITY_KEYS)?;
    let kind = fields.or_default("kind", TomlItem::choice::<LKind>)?;
    let l = fields.required("l", "l = 3", |item| {
        let l = item.clone().number_in("at least 1", "3", |l| l >= 1.0)?;
        if kind != LKind::Entropy && l.fract() != 0.0 {
            let message = format!("`l` must be a whole number for the kind {kind}, not {l}");
            return Err(item.fault(message).help("only entropy l-diversity knows fractions"));
        }
        Ok(l)
    })?;
    let c = fields.optional("c", |item| {
        if kind != LKind::Recursive {
            let message = format!("`c` has no meaning for the kind {kind}");
            let help = "leave it out, or write kind = \"recursive\"";
            return Err(TomlFault::new(item.key, message).help(help));
        }
        item.positive()
    })?;
    if kind == LKind::Recursive && c.is_none() {
        return Err(fields.fault("recursive l-diversity lacks `c`").help("add c = 3"));
    }
    Ok(LDiversity { column: fields.optional("column", TomlItem::text)?, l, kind, c })
}

fn t_closeness(item: TomlItem<'_>) -> TomlResult<TCloseness> {
    let fields = item.fields(T_CLOSENESS_KEYS)?;
    Ok(TCloseness {
        column: fields.optional("column", TomlItem::text)?,
        t: fields.required("t", "t = 0.2", |item| {
            item.number_in("from 0 to 1", "0.2", |t| (0.0..=1.0).contains(&t))
        })?,
        distance: fields.or_default("distance", TomlItem::choice)?,
    })
}

fn alpha(item: TomlItem<'_>) -> TomlResult<AlphaAnonymity> {
    let fields = item.fields(ALPHA_KEYS)?;
    Ok(AlphaAnonymity {
        column: fields.optional("column", TomlItem::text)?,
        alpha: fields.required("alpha", "alpha = 0.5", |item| {
            item.number_in("more than 0 and at most 1", "0.5", |alpha| alpha > 0.0 && alpha <= 1.0)
        })?,
    })
}

fn beta_likeness(item: TomlItem<'_>) -> TomlResult<BetaLikeness> {
    let fields = item.fields(BETA_LIKENESS_KEYS)?;
    Ok(BetaLikeness {
        column: fields.optional("column", TomlItem::text)?,
        beta: fields.required("beta", "beta = 2", TomlItem::positive)?,
        kind: fields.or_default("kind", TomlItem::choice)?,
    })
}

fn delta_disclosure(item: TomlItem<'_>) -> TomlResult<DeltaDisclosure> {
    let fields = item.fields(DELTA_DISCLOSURE_KEYS)?;
    Ok(DeltaDisclosure {
        column: fields.optional("column", TomlItem::text)?,
        delta: fields.required("delta", "delta = 1", TomlItem::positive)?,
    })
}

fn goal(item: TomlItem<'_>) -> TomlResult<GoalSection> {
    let fields = section(item, GOAL_KEYS)?;
    Ok(GoalSection {
        metric: fields.or_default("metric", TomlItem::choice)?,
        max_suppressed: fields.optional("max-suppressed", limit)?,
    })
}

fn limit(item: TomlItem<'_>) -> TomlResult<SuppressionLimit> {
    match item.kind() {
        DeValue::Integer(_) => Ok(SuppressionLimit::Rows(item.whole(0)?)),
        DeValue::Float(_) => {
            let number = item.clone().number()?;
            let fault = item.fault("`max-suppressed` must be a whole number of rows");
            Err(if (0.0..1.0).contains(&number) {
                fault.help(format!("a share is written \"{}\"", notation::percent(number)))
            } else {
                fault.help("for example 100, \"2%\" or \"all\"")
            })
        }
        _ => item.notation(notation::parse_limit),
    }
}

fn algorithm(mut item: TomlItem<'_>) -> TomlResult<AlgorithmSection> {
    item.what = "[algorithm]".to_owned();
    let fields = item.open_fields(ALGORITHM_KEYS)?;
    let mut options = BTreeMap::new();
    for (name, item) in fields.others() {
        options.insert(name.to_owned(), option_value(item)?);
    }
    Ok(AlgorithmSection {
        method: fields
            .optional("method", TomlItem::nonempty)?
            .unwrap_or_else(|| DEFAULT_METHOD.to_owned()),
        time_limit: fields.optional("time-limit", |item| match item.kind() {
            DeValue::Integer(seconds) => Err(item
                .fault("`time-limit` has no unit")
                .help(format!("write \"{seconds}s\" for seconds; ms, m and h are known too"))),
            _ => item.notation(notation::parse_duration),
        })?,
        seed: fields.optional("seed", |item| item.whole(0))?,
        threads: fields.optional("threads", |item| item.at_most(MOST_THREADS))?,
        prove: fields.optional("prove", TomlItem::yes_or_no)?,
        options,
    })
}

/// The value of an option. Whether the method has it is found out later, by the registry.
fn option_value(item: TomlItem<'_>) -> TomlResult<OptionValue> {
    Ok(match item.kind() {
        DeValue::String(_) => OptionValue::Text(item.text()?),
        DeValue::Boolean(value) => OptionValue::Bool(*value),
        DeValue::Float(_) => OptionValue::Number(item.number()?),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => OptionValue::Integer(value),
            Err(_) => return Err(item.too_large(i64::MAX)),
        },
        _ => {
            let message = format!("{} must be text, a number, true or false", item.what);
            return Err(item.fault(message).help(
                "keys beyond method, time-limit, seed and threads are options of the method",
            ));
        }
    })
}

fn release(item: TomlItem<'_>) -> TomlResult<ReleaseSection> {
    let fields = section(item, RELEASE_KEYS)?;
    let path = |key| fields.optional(key, |item| Ok(item.nonempty()?.into()));
    Ok(ReleaseSection {
        output: path("output")?,
        into: fields.optional("into", TomlItem::nonempty)?,
        grant: fields.or_default("grant", |item| item.list(TomlItem::nonempty))?,
        delimiter: fields.optional("delimiter", delimiter)?,
        csv_safe: fields.or_default("csv-safe", TomlItem::yes_or_no)?,
        ranges: fields.optional("ranges", TomlItem::choice)?,
        order: fields.or_default("order", TomlItem::choice)?,
        suppressed: fields.or_default("suppressed", TomlItem::choice)?,
        failing: fields.or_default("failing", TomlItem::choice)?,
        recoding: path("recoding")?,
        report: path("report")?,
        internal_report: path("internal-report")?,
        key_file: path("key-file")?,
        seed_file: path("seed-file")?,
    })
}

fn context(item: TomlItem<'_>) -> TomlResult<ContextSection> {
    let fields = section(item, CONTEXT_KEYS)?;
    Ok(ContextSection {
        audience: fields.required("audience", "audience = \"public\"", TomlItem::choice)?,
        knowledge: fields.required("knowledge", "knowledge = \"member\"", TomlItem::choice)?,
        harm: fields.required("harm", "harm = \"medium\"", TomlItem::choice)?,
    })
}
