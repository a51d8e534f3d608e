//! A [`Spec`] as TOML, in one canonical form. What is default is left out, except for the metric
//! and the method: a spec should tell how its release was found even if those defaults change.

use std::path::Path;

use incrowd_engine::value::{DateFormat, Decimal, show_day};

use super::choices::KeywordChoice;
use super::hierarchy::{GroupMembers, Hierarchy, HierarchyRule, PrefixLengths, TreeGroup};
use super::model::{ColumnSection, Spec};
use super::notation::{SuppressionLimit, duration_text};
use super::privacy::PrivacySection;
use super::sections::OptionValue;
use super::toml_text::{key, number, text};

/// The spec as TOML text, such that reading it gives the same spec again.
pub fn write_spec(spec: &Spec) -> String {
    let mut out = TomlWriter::default();
    let data = &spec.data;
    out.table("data");
    out.line("input", path(&data.input));
    out.maybe("table", data.table.as_deref().map(text));
    out.maybe("where", data.filter.as_deref().map(text));
    out.maybe("in-database", data.in_database.then(|| true.to_string()));
    out.maybe("delimiter", data.delimiter.map(delimiter));
    out.maybe("encoding", data.encoding.as_deref().map(text));
    out.maybe("sheet", data.sheet.as_deref().map(text));
    out.maybe("max-expansion", data.max_expansion.map(|times| times.to_string()));
    out.maybe("missing", data.missing.as_deref().map(texts));
    out.maybe("missing-add", (!data.missing_add.is_empty()).then(|| texts(&data.missing_add)));
    out.maybe("date-format", data.date_format.as_ref().map(date_format));
    let earlier: Vec<String> = data.earlier.iter().map(|file| file.display().to_string()).collect();
    out.maybe("earlier", (!earlier.is_empty()).then(|| texts(&earlier)));
    out.maybe("population", data.population.as_deref().map(path));
    out.maybe("survey-weight", data.survey_weight.as_deref().map(text));
    out.maybe("other", data.other.map(|other| text(other.name())));
    out.maybe("decimal", data.decimal.map(delimiter));

    for column in &spec.columns {
        write_column(&mut out, column);
    }
    out.table("privacy");
    write_privacy(&mut out, &spec.privacy);

    let goal = &spec.goal;
    out.table("goal");
    out.line("metric", text(goal.metric.name()));
    out.maybe("max-suppressed", goal.max_suppressed.map(limit));

    let algorithm = &spec.algorithm;
    out.table("algorithm");
    out.line("method", text(&algorithm.method));
    out.maybe("time-limit", algorithm.time_limit.map(|time| text(&duration_text(time))));
    out.maybe("seed", algorithm.seed.map(|seed| seed.to_string()));
    out.maybe("threads", algorithm.threads.map(|threads| threads.to_string()));
    out.maybe("prove", algorithm.prove.map(|prove| prove.to_string()));
    for (name, value) in &algorithm.options {
        out.line(&key(name), option_value(value));
    }

    let release = &spec.release;
    out.table("release");
    out.maybe("output", release.output.as_deref().map(path));
    out.maybe("into", release.into.as_deref().map(text));
    out.maybe("grant", (!release.grant.is_empty()).then(|| texts(&release.grant)));
    out.maybe("delimiter", release.delimiter.map(delimiter));
    out.maybe("csv-safe", release.csv_safe.then(|| "true".to_owned()));
    out.maybe("ranges", release.ranges.map(|ranges| text(ranges.name())));
    out.unless_default("order", release.order);
    out.unless_default("suppressed", release.suppressed);
    out.unless_default("failing", release.failing);
    out.maybe("recoding", release.recoding.as_deref().map(path));
    out.maybe("report", release.report.as_deref().map(path));
    out.maybe("internal-report", release.internal_report.as_deref().map(path));
    out.maybe("key-file", release.key_file.as_deref().map(path));
    out.maybe("seed-file", release.seed_file.as_deref().map(path));
    if let Some(context) = spec.context {
        out.table("context");
        out.line("audience", text(context.audience.name()));
        out.line("knowledge", text(context.knowledge.name()));
        out.line("harm", text(context.harm.name()));
    }
    out.finish()
}

fn write_column(out: &mut TomlWriter, column: &ColumnSection) {
    out.table(&format!("columns.{}", key(column.source_name())));
    out.line("role", text(column.role.name()));
    out.maybe("type", column.r#type.map(|kind| text(kind.name())));
    out.maybe("date-format", column.date_format.as_ref().map(date_format));
    out.maybe("weight", column.weight.map(number));
    out.maybe(
        "bins",
        column.bins.map(|bins| {
            inline(&[("width", Some(number(bins.width))), ("start", Some(number(bins.start)))])
        }),
    );
    out.maybe("order", column.order.as_deref().map(texts));
    out.maybe("hierarchy", column.hierarchy.as_ref().map(hierarchy));
    out.maybe("missing", column.missing.as_deref().map(text));
    out.maybe("summary", column.summary.map(|summary| text(summary.name())));
    for (key, values) in [("cut-at", &column.cut_at), ("never-cut-at", &column.never_cut_at)] {
        out.maybe(key, (!values.is_empty()).then(|| list(values.iter().map(|v| value(v)))));
    }
    out.maybe("min-level", column.min_level.map(|level| level.to_string()));
    out.maybe("max-level", column.max_level.map(|level| level.to_string()));
    out.maybe("argus", column.argus.map(|set| text(set.name())));
    out.maybe("rename", column.source.as_ref().map(|_| text(&column.name)));
    out.maybe("decimal", column.decimal.map(delimiter));
    let exact = |number: &Decimal| value(&number.to_string());
    let breaks = &column.breaks;
    out.maybe("breaks", (!breaks.is_empty()).then(|| list(breaks.iter().map(exact))));
    out.maybe("top", column.top.as_ref().map(exact));
    out.maybe("bottom", column.bottom.as_ref().map(exact));
    out.maybe("round", column.round.as_ref().map(exact));
    out.maybe("keep-prefix", column.keep_prefix.map(|kept| kept.to_string()));
    out.maybe("age-at", column.age_at.map(|day| text(&show_day(day))));
    out.maybe("date-unit", column.date_unit.map(|unit| text(unit.name())));
    out.maybe("treat", column.treat.as_ref().map(|treat| text(&treat.to_string())));
    out.maybe("follows", column.follows.as_deref().map(text));
    out.maybe("narrowing", column.narrowing.then(|| "true".to_owned()));
    out.maybe("accept", column.accept.then(|| "true".to_owned()));
}

fn date_format(form: &DateFormat) -> String {
    text(&form.to_string())
}

fn write_privacy(out: &mut TomlWriter, privacy: &PrivacySection) {
    out.line("k", privacy.k.to_string());
    out.maybe("unit", privacy.unit.as_deref().map(text));
    out.maybe("linked", privacy.linked.then(|| "true".to_owned()));
    out.maybe("same-box", privacy.same_box.then(|| "true".to_owned()));
    out.maybe("count-missing", privacy.count_missing.then(|| "true".to_owned()));
    out.maybe("reference", privacy.reference.map(|word| text(word.name())));
    out.maybe("wildcards", privacy.wildcards.then(|| "true".to_owned()));
    let risks = &privacy.risks;
    out.maybe("max-risk", risks.max_risk.map(number));
    out.maybe("max-average-risk", risks.max_average_risk.map(number));
    out.maybe("max-at-risk", risks.max_at_risk.map(|it| text(&it.to_string())));
    out.maybe("k-map", risks.k_map.then(|| "true".to_owned()));
    out.maybe("population-weight", risks.population_weight.as_deref().map(text));
    out.maybe("sampling-fraction", risks.sampling_fraction.map(number));
    out.maybe("delta-presence", risks.delta_presence.map(|it| text(&it.to_string())));
    out.maybe("max-population-unique", risks.max_population_unique.map(number));
    out.maybe("known-columns", risks.known_columns.map(|columns| columns.to_string()));
    let column = |column: &Option<String>| ("column", column.as_deref().map(text));
    out.models("l-diversity", &privacy.l_diversity, |model| {
        inline(&[
            column(&model.column),
            ("l", Some(number(model.l))),
            ("kind", unless_default(model.kind)),
            ("c", model.c.map(number)),
        ])
    });
    out.models("t-closeness", &privacy.t_closeness, |model| {
        inline(&[
            column(&model.column),
            ("t", Some(number(model.t))),
            ("distance", unless_default(model.distance)),
        ])
    });
    out.models("alpha", &privacy.alpha, |model| {
        inline(&[column(&model.column), ("alpha", Some(number(model.alpha)))])
    });
    out.models("beta-likeness", &privacy.beta_likeness, |model| {
        inline(&[
            column(&model.column),
            ("beta", Some(number(model.beta))),
            ("kind", unless_default(model.kind)),
        ])
    });
    out.models("delta-disclosure", &privacy.delta_disclosure, |model| {
        inline(&[column(&model.column), ("delta", Some(number(model.delta)))])
    });
}

/// Tables and lines; a table without lines is left out.
#[derive(Default)]
struct TomlWriter {
    text: String,
    pending: Option<String>,
}

impl TomlWriter {
    fn table(&mut self, header: &str) {
        self.pending = Some(format!("[{header}]\n"));
    }

    fn line(&mut self, key: &str, value: String) {
        if let Some(header) = self.pending.take() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&header);
        }
        self.text.push_str(key);
        self.text.push_str(" = ");
        self.text.push_str(&value);
        self.text.push('\n');
    }

    fn maybe(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value {
            self.line(key, value);
        }
    }

    fn unless_default<T: KeywordChoice + Default + PartialEq>(&mut self, key: &str, choice: T) {
        self.maybe(key, unless_default(choice));
    }

    fn models<T>(&mut self, key: &str, models: &[T], write: impl Fn(&T) -> String) {
        match models {
            [] => {}
            [model] => self.line(key, write(model)),
            models => {
                let tables: Vec<String> =
                    models.iter().map(|model| format!("    {},\n", write(model))).collect();
                self.line(key, format!("[\n{}]", tables.concat()));
            }
        }
    }

    fn finish(self) -> String {
        self.text
    }
}

fn unless_default<T: KeywordChoice + Default + PartialEq>(choice: T) -> Option<String> {
    (choice != T::default()).then(|| text(choice.name()))
}

/// A table in one line; entries without a value are left out.
fn inline(entries: &[(&str, Option<String>)]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .filter_map(|(key, value)| Some(format!("{key} = {}", value.as_ref()?)))
        .collect();
    format!("{{ {} }}", entries.join(", "))
}

fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

fn texts(values: &[String]) -> String {
    list(values.iter().map(|value| text(value)))
}

/// A value of a column: without quotes if it is a number that is read as the same text again.
fn value(value: &str) -> String {
    let same = value.parse().is_ok_and(|whole: i64| whole.to_string() == value)
        || value.parse().is_ok_and(|float: f64| {
            float.is_finite() && value.contains(['.', 'e']) && number(float) == value
        });
    if same { value.to_owned() } else { text(value) }
}

fn path(path: &Path) -> String {
    text(&path.to_string_lossy())
}

fn delimiter(delimiter: char) -> String {
    if delimiter == '\t' { text("tab") } else { text(delimiter.encode_utf8(&mut [0; 4])) }
}

fn limit(limit: SuppressionLimit) -> String {
    match limit {
        SuppressionLimit::Rows(rows) => rows.to_string(),
        limit => text(&limit.to_string()),
    }
}

fn option_value(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(value) => text(value),
        OptionValue::Integer(value) => value.to_string(),
        // Rust's debug form always has a point or an exponent, so it is read as a float again.
        OptionValue::Number(value) => format!("{value:?}"),
        OptionValue::Bool(value) => value.to_string(),
    }
}

/// A hierarchy as it stands behind its key.
pub(super) fn hierarchy(hierarchy: &Hierarchy) -> String {
    let rule = match hierarchy {
        // A file may have the name of a rule.
        Hierarchy::File(file) => match Hierarchy::from_word(&file.to_string_lossy()) {
            Ok(Hierarchy::File(_)) => return path(file),
            _ => return path(&Path::new(".").join(file)),
        },
        Hierarchy::Rule(rule) => rule,
    };
    match rule {
        HierarchyRule::Intervals { intervals, start } => inline(&[
            ("intervals", Some(list(intervals.iter().map(|&width| number(width))))),
            ("start", Some(number(*start))),
        ]),
        HierarchyRule::Prefix { prefix: PrefixLengths::Every } => {
            inline(&[("prefix", Some("true".to_owned()))])
        }
        HierarchyRule::Prefix { prefix: PrefixLengths::Kept(kept) } => {
            inline(&[("prefix", Some(list(kept.iter().map(u32::to_string))))])
        }
        HierarchyRule::Date { date } => {
            inline(&[("date", Some(list(date.iter().map(|period| text(period.name())))))])
        }
        HierarchyRule::Groups { groups } => {
            let groups = groups.iter().map(|group| {
                inline(&[("name", Some(text(&group.name))), ("values", Some(texts(&group.values)))])
            });
            inline(&[("groups", Some(list(groups)))])
        }
        HierarchyRule::Tree { tree } => inline(&[("tree", Some(groups(tree)))]),
        HierarchyRule::Rows { rows } => {
            inline(&[("rows", Some(list(rows.iter().map(|row| texts(row)))))])
        }
        HierarchyRule::Ready { ready, other } => {
            inline(&[("ready", Some(text(ready.name()))), ("other", other.as_deref().map(text))])
        }
    }
}

fn groups(tree: &[TreeGroup]) -> String {
    let groups: Vec<String> = tree
        .iter()
        .map(|group| {
            let members = match &group.members {
                GroupMembers::Groups(inner) => groups(inner),
                GroupMembers::Values(values) => texts(values),
            };
            format!("{} = {members}", key(&group.name))
        })
        .collect();
    format!("{{ {} }}", groups.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_METHOD;

    #[test]
    fn the_method_and_the_metric_are_written_even_if_default() {
        let spec = Spec::new("t.csv", Vec::new(), 2);
        let written = write_spec(&spec);
        assert!(written.contains(&format!("method = \"{DEFAULT_METHOD}\"")), "{written}");
        assert!(written.contains("metric = \"ncp\""), "{written}");
    }
}
