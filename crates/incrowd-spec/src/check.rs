//! What must hold between different parts of a spec.

use std::path::Path;

use super::column::{ClassSummary, ColumnSection, Role, ValueType};
use super::model::Spec;
use super::privacy::TDistance;
use super::sections::{LabelSource, Metric};
use incrowd_data::{MaskMethod, suggest, unread_scheme};

/// Parts of a spec that do not go together.
pub(super) struct OptionConflict {
    /// The key at which to show it.
    pub(super) keys: Vec<String>,
    pub(super) message: String,
    pub(super) help: String,
    /// The check of a release that would refuse it, too.
    pub(super) check: Option<&'static str>,
}

impl OptionConflict {
    fn new(keys: &[&str], message: impl Into<String>, help: impl Into<String>) -> Self {
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        OptionConflict { keys, message: message.into(), help: help.into(), check: None }
    }
}

/// The first clash, if there is one.
pub(super) fn clash(spec: &Spec) -> Option<OptionConflict> {
    spec.columns
        .iter()
        .find_map(column)
        .or_else(|| names(spec))
        .or_else(|| treats(spec))
        .or_else(|| classes(spec))
        .or_else(|| models(spec))
        .or_else(|| labels(spec))
        .or_else(|| certified(spec))
        .or_else(|| files(spec))
        .or_else(|| database(spec))
}

/// What is said of a database only, and what a database must be told.
fn database(spec: &Spec) -> Option<OptionConflict> {
    let (data, release) = (&spec.data, &spec.release);
    if spec.is_of_database() {
        if data.table.is_none() && data.query.is_none() {
            return Some(OptionConflict::new(
                &["data", "input"],
                "the input is a database, but no table is named",
                "name one: table = \"people\" under [data], or --table people; or write a --query",
            ));
        }
        if data.table.is_some() && data.query.is_some() {
            return Some(OptionConflict::new(
                &["data", "query"],
                "a table and a query are given",
                "keep one of the two; a query may name the table",
            ));
        }
        if release.into.is_some() && release.output.is_some() {
            return Some(OptionConflict::new(
                &["release", "into"],
                "the release has two targets: a table and a file",
                "keep one of the two",
            ));
        }
        if data.in_database && release.into.is_none() {
            return Some(OptionConflict::new(
                &["data", "in-database"],
                "the release goes into a database, but no table is named for it",
                "name one: into = \"people_release\" under [release], or --into people_release",
            ));
        }
        if release.replace && release.into.is_none() {
            return Some(OptionConflict::new(
                &["release", "replace"],
                "replace needs a table for the release, and none is named",
                "name one: into = \"people_release\" under [release], or --into people_release",
            ));
        }
        if !release.grant.is_empty() && release.into.is_none() {
            return Some(OptionConflict::new(
                &["release", "grant"],
                "grant needs a table for the release, and none is named",
                "name one: into = \"people_release\" under [release], or --into people_release",
            ));
        }
        return None;
    }
    if let Some((scheme, help)) = unread_scheme(&data.input) {
        return Some(OptionConflict::new(
            &["data", "input"],
            format!("{scheme} addresses cannot be read"),
            help,
        ));
    }
    let said = [
        (["data", "query"], data.query.is_some()),
        (["data", "table"], data.table.is_some()),
        (["data", "where"], data.filter.is_some()),
        (["data", "in-database"], data.in_database),
        (["release", "into"], release.into.is_some()),
        (["release", "replace"], release.replace),
        (["release", "grant"], !release.grant.is_empty()),
    ];
    let (keys, _) = said.into_iter().find(|(_, said)| *said)?;
    Some(OptionConflict::new(
        &keys,
        format!("`{}` is for databases, and the input is a file", keys[1]),
        "leave it out, or name a database: postgres://host/name",
    ))
}

/// Options of a column that contradict each other.
fn column(column: &ColumnSection) -> Option<OptionConflict> {
    let at = |key| ["columns", column.source_name(), key];
    let is = |kind| column.r#type == Some(kind);
    if column.bins.is_some() && is(ValueType::Text) {
        return Some(OptionConflict::new(
            &at("bins"),
            "bins are for numbers, and this column is text",
            "leave out bins, or write type = \"number\"",
        ));
    }
    if column.order.is_some() && is(ValueType::Number) {
        return Some(OptionConflict::new(
            &at("order"),
            "numbers have an order of their own",
            "leave out order, or write type = \"text\"",
        ));
    }
    if column.order.is_some() && column.bins.is_some() {
        return Some(OptionConflict::new(
            &at("order"),
            "bins are for numbers and an order is for text, but this column has both",
            "leave out one of them",
        ));
    }
    if column.order.is_some() && column.hierarchy.is_some() {
        return Some(OptionConflict::new(
            &at("order"),
            "the hierarchy gives the values their order already",
            "leave out order, and list the values in the hierarchy in that order",
        ));
    }
    let nodes = column.summary.filter(|it| matches!(it, ClassSummary::Node | ClassSummary::Nodes));
    if let Some(summary) = nodes
        && column.hierarchy.is_none()
    {
        return Some(OptionConflict::new(
            &at("summary"),
            format!("the summary {summary} is for columns with a hierarchy, and this one has none"),
            "give it a hierarchy, or write summary = \"range\"",
        ));
    }
    let treatment = column.treatment();
    let key = match &treatment {
        _ if !column.breaks.is_empty() => "breaks",
        _ if column.keep_prefix.is_some() => "keep-prefix",
        _ if column.age_at.is_some() => "age-at",
        _ if column.date_unit.is_some() => "date-unit",
        _ if column.round.is_some() => "round",
        _ if column.top.is_some() => "top",
        _ => "bottom",
    };
    if let Err(error) = treatment.check(&column.name) {
        return Some(OptionConflict::new(&at(key), error.message, error.help.unwrap_or_default()));
    }
    if column.keep_prefix.is_some() && is(ValueType::Number) {
        return Some(OptionConflict::new(
            &at("keep-prefix"),
            "the first characters of a value are text, and this column is numbers",
            "leave out keep-prefix, or write type = \"text\"",
        ));
    }
    let not_dates = is(ValueType::Text) || is(ValueType::Number) || column.order.is_some();
    let of_dates = match column.date_format.is_some() {
        true => Some("date-format"),
        false => treatment.needs_dates().then_some(key),
    };
    if let Some(key) = of_dates.filter(|_| not_dates || column.bins.is_some()) {
        return Some(OptionConflict::new(
            &at(key),
            format!("{key} is for dates, and this column is something else"),
            format!("leave out {key}, or write type = \"date\""),
        ));
    }
    let of_numbers =
        !treatment.is_none() && column.keep_prefix.is_none() && !treatment.needs_dates();
    if of_numbers && (is(ValueType::Text) || column.order.is_some()) {
        return Some(OptionConflict::new(
            &at(key),
            format!("{key} is for numbers, and this column is text"),
            format!("leave out {key}, or write type = \"number\""),
        ));
    }
    let needs_numbers = column.summary.filter(|summary| {
        !matches!(summary, ClassSummary::Range | ClassSummary::Node | ClassSummary::Nodes)
    });
    if let Some(summary) = needs_numbers
        && (is(ValueType::Text) || column.order.is_some())
    {
        return Some(OptionConflict::new(
            &at("summary"),
            format!("the summary {summary} is for numbers, and this column is text"),
            "write summary = \"range\"",
        ));
    }
    for (key, values) in [("cut-at", &column.cut_at), ("never-cut-at", &column.never_cut_at)] {
        if !values.is_empty() && column.role != Role::Quasi {
            return Some(OptionConflict::new(
                &at(key),
                format!("only quasi-identifiers are cut, and this column is {}", column.role),
                format!("leave out {key}, or write role = \"quasi\""),
            ));
        }
    }
    for (key, level) in [("min-level", column.min_level), ("max-level", column.max_level)] {
        if level.is_some() && column.role != Role::Quasi {
            return Some(OptionConflict::new(
                &at(key),
                format!(
                    "only quasi-identifiers are generalized, and this column is {}",
                    column.role
                ),
                format!("leave out {key}, or write role = \"quasi\""),
            ));
        }
    }
    if column.argus.is_some() && column.role != Role::Quasi {
        return Some(OptionConflict::new(
            &at("argus"),
            format!(
                "only quasi-identifiers are in a set of mu-argus, and this column is {}",
                column.role
            ),
            "leave out argus, or write role = \"quasi\"",
        ));
    }
    if let Some(value) = column.cut_at.iter().find(|value| column.never_cut_at.contains(value)) {
        return Some(OptionConflict::new(
            &at("never-cut-at"),
            format!("the cut at {value} is both required and forbidden"),
            "keep it in one of cut-at and never-cut-at",
        ));
    }
    None
}

/// No two columns have one name, be it a new one.
fn names(spec: &Spec) -> Option<OptionConflict> {
    let mut columns = spec.columns.iter().enumerate();
    columns.find_map(|(at, column)| {
        let other = spec.columns[..at].iter().find(|other| other.name == column.name)?;
        let renamed = if column.source.is_some() { column } else { other };
        Some(OptionConflict::new(
            &["columns", renamed.source_name(), "rename"],
            format!("two columns would be named `{}`", column.name),
            "choose another name",
        ))
    })
}

/// What is done to columns that are no quasi-identifiers goes together with the rest.
fn treats(spec: &Spec) -> Option<OptionConflict> {
    let unit = spec.privacy.unit_column();
    for column in &spec.columns {
        let at = |key| ["columns", column.source_name(), key];
        let released = matches!(column.role, Role::Plain | Role::Identifying);
        if let Some(treat) = column.treat.as_ref().filter(|treat| **treat != MaskMethod::Drop) {
            if !released && !matches!(treat, MaskMethod::Zip3(_)) {
                return Some(OptionConflict::new(
                    &at("treat"),
                    format!(
                        "{treat} masks plain or identifying columns, and this one is {}",
                        column.role
                    ),
                    "give it one of those roles, or leave treat out; quasi-identifiers are \
                     generalized",
                ));
            }
            let is_shift = matches!(treat, MaskMethod::Shift { .. });
            let cut_after = is_shift && column.date_unit.is_some();
            if !(column.treatment().is_none() || cut_after) {
                return Some(OptionConflict::new(
                    &at("treat"),
                    "this column is both masked and transformed",
                    "leave out treat, or the others",
                ));
            }
            if is_shift && unit.is_none() {
                return Some(OptionConflict::new(
                    &at("treat"),
                    "dates are shifted by unit, and no unit is named",
                    "name the unit's column: unit = \"patient\" under [privacy], or --unit",
                ));
            }
        }
        let shown = match &column.treat {
            None => column.role == Role::Plain,
            Some(treat) => !matches!(treat, MaskMethod::Drop | MaskMethod::Fixed(_)),
        };
        if shown && unit == Some(&column.name) && !spec.privacy.linked {
            let key = if column.treat.is_some() { "treat" } else { "role" };
            let clash = OptionConflict::new(
                &at(key),
                "the released unit links its rows, and k alone does not protect linked rows",
                "write linked = true under [privacy] (or --linked) to protect linked rows;\n\
                  or give the unit the role identifying without treat: then it is not \
                 released",
            );
            return Some(OptionConflict { check: Some("subject-links"), ..clash });
        }
        if let Some(other) = &column.follows {
            let is_quasi = spec.column(other).is_some_and(|other| other.role == Role::Quasi);
            if !is_quasi || column.role != Role::Plain || column.treat.is_some() {
                return Some(OptionConflict::new(
                    &at("follows"),
                    format!("this column cannot follow `{other}`"),
                    "follows is for a plain column without treat, and names a quasi-identifier",
                ));
            }
        }
        if column.narrowing && (column.role == Role::Quasi || column.role == Role::Identifying) {
            return Some(OptionConflict::new(
                &at("narrowing"),
                format!(
                    "narrowing is for columns released beside quasi-identifiers, and this \
                     one is {}",
                    column.role
                ),
                "leave it out: quasi-identifiers narrow classes already, and identifying \
                 columns are not released",
            ));
        }
    }
    let asked = [
        (spec.privacy.linked, "linked", "linked needs a unit, and none is named"),
        (spec.privacy.same_box, "same-box", "same-box needs a unit, and none is named"),
    ];
    let (_, key, message) = asked.into_iter().find(|(asked, ..)| *asked && unit.is_none())?;
    let help = "name the unit (unit = \"patient\" under [privacy], or --unit patient)";
    Some(OptionConflict::new(&["privacy", key], message, help))
}

/// There is at most one class column, and the metric that needs one has it.
fn classes(spec: &Spec) -> Option<OptionConflict> {
    let mut classes = spec.columns_with(Role::Class);
    let first = classes.next();
    if let (Some(first), Some(second)) = (first, classes.next()) {
        return Some(OptionConflict::new(
            &["columns", &second.name, "role"],
            format!("`{}` and `{}` are both class columns", first.name, second.name),
            "keep one, and make the others plain or sensitive",
        ));
    }
    if spec.goal.metric == Metric::Classification && first.is_none() {
        return Some(OptionConflict::new(
            &["goal", "metric"],
            "the metric cm needs a class column, and no column has that role",
            "write role = \"class\" in the table of the column to predict",
        ));
    }
    None
}

/// Every privacy model speaks about a sensitive column of the spec.
fn models(spec: &Spec) -> Option<OptionConflict> {
    let privacy = &spec.privacy;
    let mut all = Vec::new();
    let mut add = |key, columns: &mut dyn Iterator<Item = &Option<String>>| {
        all.extend(columns.enumerate().map(|(at, column)| (key, at.to_string(), column.clone())));
    };
    add("l-diversity", &mut privacy.l_diversity.iter().map(|model| &model.column));
    add("t-closeness", &mut privacy.t_closeness.iter().map(|model| &model.column));
    add("alpha", &mut privacy.alpha.iter().map(|model| &model.column));
    add("beta-likeness", &mut privacy.beta_likeness.iter().map(|model| &model.column));
    add("delta-disclosure", &mut privacy.delta_disclosure.iter().map(|model| &model.column));
    all.iter()
        .find_map(|(key, at, column)| model(spec, key, at, column.as_deref()))
        .or_else(|| distances(spec))
}

fn model(spec: &Spec, key: &str, at: &str, named: Option<&str>) -> Option<OptionConflict> {
    let keys = ["privacy", key, at, "column"];
    let sensitive = || spec.columns_with(Role::Sensitive).map(|column| column.name.as_str());
    let Some(name) = named else {
        return match sensitive().count() {
            0 => Some(OptionConflict::new(
                &keys,
                format!("{key} needs a column with the role sensitive, and there is none"),
                "write role = \"sensitive\" in the table of the column to protect",
            )),
            1 => None,
            _ => Some(OptionConflict::new(
                &keys,
                format!("{key} does not say which of the sensitive columns it protects"),
                format!(
                    "add column = \"..\", one of {}",
                    sensitive().collect::<Vec<_>>().join(", ")
                ),
            )),
        };
    };
    match spec.column(name) {
        Some(column) if column.role == Role::Sensitive => None,
        Some(column) => Some(OptionConflict::new(
            &keys,
            format!("{key} protects `{name}`, but the role of that column is {}", column.role),
            format!("write role = \"sensitive\" in [columns.{}]", super::toml_text::key(name)),
        )),
        None => Some(OptionConflict::new(
            &keys,
            format!("{key} protects `{name}`, but that column has no role"),
            suggest(name, sensitive()),
        )),
    }
}

/// Hierarchical t-closeness needs a hierarchy.
fn distances(spec: &Spec) -> Option<OptionConflict> {
    spec.privacy.t_closeness.iter().enumerate().find_map(|(at, model)| {
        let name = spec.sensitive(model.column.as_deref())?;
        let lacks = spec.column(name)?.hierarchy.is_none();
        (model.distance == TDistance::Hierarchical && lacks).then(|| {
            OptionConflict::new(
                &["privacy", "t-closeness", &at.to_string(), "distance"],
                format!("the hierarchical distance needs a hierarchy, and `{name}` has none"),
                format!("add hierarchy = \"..\" to [columns.{}]", super::toml_text::key(name)),
            )
        })
    })
}

/// Safe labels leave nothing to be said of ends and summaries.
fn labels(spec: &Spec) -> Option<OptionConflict> {
    let release = &spec.release;
    if release.labels == LabelSource::Tight {
        return release.label_chance.map(|_| {
            OptionConflict::new(
                &["release", "label-chance"],
                "a chance is given, but tight labels are not drawn",
                "write labels = \"safe\", or leave out the chance",
            )
        });
    }
    if release.ranges.is_some() {
        return Some(OptionConflict::new(
            &["release", "ranges"],
            "safe labels have the ends of their lists, so that nothing is to be said of ends",
            "leave out ranges, or write labels = \"tight\"",
        ));
    }
    let other = |column: &&ColumnSection| {
        column.role == Role::Quasi
            && column.summary.is_some_and(|summary| summary != ClassSummary::Node)
    };
    let column = spec.columns.iter().find(other)?;
    Some(OptionConflict::new(
        &["columns", &column.name, "summary"],
        "a summary of the values of a class is no safe label",
        "leave it out, or write labels = \"tight\"",
    ))
}

/// A proof that nobody writes down is not checked.
fn certified(spec: &Spec) -> Option<OptionConflict> {
    let release = &spec.release;
    (release.certified && release.certificate.is_none()).then(|| {
        OptionConflict::new(
            &["release", "certified"],
            "there is no certificate to check".to_owned(),
            "name a file for the certificate, too",
        )
    })
}

/// No file is written over another one.
fn files(spec: &Spec) -> Option<OptionConflict> {
    let release = &spec.release;
    let mut taken: Vec<(&Path, &str)> = vec![(&spec.data.input, "the input")];
    taken.extend(spec.data.earlier.iter().map(|path| (path.as_path(), "an earlier release")));
    taken.extend(release.key_file.iter().map(|path| (path.as_path(), "the key")));
    taken.extend(release.seed_file.iter().map(|path| (path.as_path(), "the key of the order")));
    taken.extend(spec.data.population.iter().map(|path| (path.as_path(), "the population")));
    for (key, path, what) in [
        ("output", &release.output, "the release"),
        ("recoding", &release.recoding, "the recoding"),
        ("report", &release.report, "the report"),
        ("internal-report", &release.internal_report, "the internal report"),
        ("certificate", &release.certificate, "the certificate"),
    ] {
        let Some(path) = path.as_deref() else { continue };
        let clash = taken.iter().find(|(other, what)| {
            // `-` means standard input for the one and standard output for the others.
            *other == path && !(path == Path::new("-") && *what == "the input")
        });
        if let Some((_, other)) = clash {
            return Some(OptionConflict::new(
                &["release", key],
                format!("{what} would be written over {other}"),
                "choose another file name",
            ));
        }
        taken.push((path, what));
    }
    None
}
