//! What both pages about a run say in the same words: the one to be shared and the one for the owner of the table.

use std::fmt::Display;

use incrowd_assess::expose::UnchangedColumn;
use incrowd_engine::Metric;
use incrowd_engine::search::SelectedMethod;
use incrowd_engine::words::thousands;
use incrowd_run::spec::Role;

use crate::percent;
use crate::run_page::RunPage;

/// A list of facts.
#[derive(Default)]
pub(crate) struct FactList(pub(crate) Vec<(String, String)>);

impl FactList {
    pub(crate) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// How many the smallest class holds.
    pub(crate) fn add_smallest(&mut self, smallest: Option<u64>, unit: &str) {
        if let Some(k) = smallest {
            let of = if unit == "row" { "rows" } else { unit };
            self.add("smallest class", format!("{} {of}", thousands(k)));
        }
    }

    /// What the worst class of a sensitive column reaches.
    pub(crate) fn add_model(&mut self, column: &str, model: impl Display, achieved: Option<f64>) {
        let reached = achieved
            .map_or_else(String::new, |value| format!("; the worst class reaches {value:.3}"));
        self.add(column, format!("{model}{reached}"));
    }
}

/// What was asked: the table, the method and what is done beyond classes as the caller words them.
pub(crate) fn question(
    page: &RunPage<'_>,
    table: &str,
    method: &str,
    chosen: Option<&SelectedMethod>,
    finishing: Vec<String>,
) -> Vec<(String, String)> {
    let (job, spec) = (page.job, &page.file.spec);
    let mut facts = FactList::default();
    facts.add("table", table);
    let mut columns = |name: &str, role: Role| {
        let names: Vec<&str> = spec.columns_with(role).map(|column| &column.name[..]).collect();
        if !names.is_empty() {
            facts.add(name, names.join(", "));
        }
    };
    columns("quasi-identifiers", Role::Quasi);
    columns("sensitive", Role::Sensitive);
    columns("class", Role::Class);
    columns("not released", Role::Identifying);
    let models = job.problem.models.iter();
    let models: Vec<String> =
        models.map(|(column, model)| format!("{} of {column}", model.name())).collect();
    let k = format!("k = {}", thousands(page.report.k));
    facts.add("privacy", [vec![k], models].concat().join("; "));
    let limit = spec
        .goal
        .max_suppressed
        .map_or_else(String::new, |limit| format!("; at most {limit} rows suppressed"));
    let metric = page.report.metric;
    let about = Metric::from_name(metric).map_or("", |metric| metric.about());
    facts.add("goal", format!("least {metric} ({about}){limit}"));
    let kind = page.report.kind;
    facts.add("kind", format!("{kind} ({})", kind.about()));
    facts.add("method", method);
    if let Some(chosen) = chosen {
        facts.add("why", chosen.why.clone());
    }
    for (at, line) in finishing.into_iter().enumerate() {
        facts.add(if at == 0 { "treated" } else { "" }, line);
    }
    if let Some(context) = &job.context {
        facts.add("context", context.proposal().why.join(" "));
    }
    facts.0
}

/// How many rows the columns single out that stay as they are, of so many.
pub(crate) fn unchanged(
    columns: &[UnchangedColumn],
    together: Option<&UnchangedColumn>,
    of: u64,
) -> Vec<Vec<String>> {
    let rows = |number: u64| {
        let share = number as f64 / of.max(1) as f64;
        format!("{} ({})", thousands(number), percent(share))
    };
    let row = |name: &str, it: &UnchangedColumn| {
        vec![name.to_owned(), rows(it.unique_rows), rows(it.unique_rows_with_quasi)]
    };
    let all = columns.iter().map(|it| row(&it.column, it));
    all.chain(together.map(|it| row("all of them together", it))).collect()
}
