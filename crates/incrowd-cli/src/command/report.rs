//! The HTML report of a run.
//!
//! It is safe to share where the release is: lists of original values (an order, a hierarchy in words) and
//! the seed, which would undo the shuffling, are kept back from the command and the spec that it shows.

use incrowd::{Metric, thousands};
use incrowd_io::spec::{Hierarchy, Role, Spec, SpecFile, write_spec};
use incrowd_io::{Job, OutputFile, Result, RunReport, Source, TracePoint, cost_text, gap_text};
use incrowd_report::{Moment, RunStory};

/// A run and all that is told of it.
pub(super) struct Told<'a> {
    pub(super) file: &'a SpecFile,
    pub(super) source: &'a Source,
    pub(super) job: &'a Job,
    pub(super) report: &'a RunReport,
    pub(super) trace: Vec<TracePoint>,
}

/// Writes the report and puts the file in its place.
pub(super) fn write(file: OutputFile, told: &Told<'_>) -> Result<()> {
    file.fill(told.story().to_html())
}

/// What stands for something that is not shown.
const KEPT_BACK: &str = "(kept back)";

/// A list of facts.
#[derive(Default)]
struct Facts(Vec<(String, String)>);

impl Facts {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }
}

impl Told<'_> {
    fn story(&self) -> RunStory {
        let report = self.report;
        RunStory {
            question: self.question(),
            headline: self.headline(),
            released: report.metrics.is_some(),
            answer: self.answer(),
            warnings: report.warnings.clone(),
            notes: report.notes.iter().map(|note| without_values(note).to_owned()).collect(),
            picture: report.picture.clone(),
            journalist: report.journalist.clone(),
            metric: report.metric.to_owned(),
            moments: self
                .trace
                .iter()
                .map(|&TracePoint { seconds, cost, bound, .. }| Moment { seconds, cost, bound })
                .collect(),
            command: command(std::env::args()),
            spec: write_spec(&shareable(&self.file.spec)),
            versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
        }
    }

    fn headline(&self) -> String {
        let report = self.report;
        let Some(k) = report.achieved_k.filter(|_| report.metrics.is_some()) else {
            let why = report.why.as_deref().unwrap_or("no reason is known");
            return format!("There is no release: {why}.");
        };
        let checked = match &report.verdict {
            Some(_) => "An independent verifier found that in the written rows.",
            None => "Nothing was written: this was a dry run.",
        };
        format!(
            "Each of the {} released rows looks like at least {} others. {checked} {}.",
            thousands(report.released),
            thousands(k.saturating_sub(1)),
            self.proof()
        )
    }

    /// What is known of better releases, in a sentence without its end.
    fn proof(&self) -> String {
        let report = self.report;
        match (report.outcome, report.gap) {
            ("optimal", _) => {
                "It is proven that no other release of this kind loses less information".to_owned()
            }
            (_, Some(gap)) => {
                format!(
                    "It is proven that no release of this kind saves more than {}",
                    gap_text(gap)
                )
            }
            _ => "How much less information could be lost is not proven".to_owned(),
        }
    }

    fn question(&self) -> Vec<(String, String)> {
        let (report, job) = (self.report, self.job);
        let spec = &self.file.spec;
        let mut facts = Facts::default();
        facts.add(
            "table",
            format!(
                "{}: {} rows, {} distinct combinations of quasi-identifiers",
                self.source.file_name(),
                thousands(report.rows),
                thousands(report.cells as u64)
            ),
        );
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
        let k = format!("k = {}", thousands(report.k));
        facts.add("privacy", [vec![k], models].concat().join("; "));
        let limit = spec
            .goal
            .max_suppressed
            .map_or_else(String::new, |limit| format!("; at most {limit} rows suppressed"));
        let about = Metric::from_name(report.metric).map_or("", |metric| metric.about());
        facts.add("goal", format!("least {} ({about}){limit}", report.metric));
        facts.add("method", report.method);
        facts.0
    }

    fn answer(&self) -> Vec<(String, String)> {
        let report = self.report;
        let mut facts = Facts::default();
        facts.add("outcome", report.in_words.clone());
        let Some(metrics) = &report.metrics else {
            if let Some(bound) = report.bound {
                facts.add("bound", cost_text(bound));
            }
            return facts.0;
        };
        let classes = thousands(report.classes as u64);
        facts.add("release", format!("{} rows in {classes} classes", thousands(report.released)));
        facts.add("suppressed", format!("{} rows", thousands(report.suppressed)));
        if let Some(k) = report.achieved_k {
            facts.add("smallest class", format!("{} rows", thousands(k)));
        }
        for model in report.verdict.iter().flat_map(|verdict| &verdict.models) {
            let reached = model
                .achieved
                .map_or_else(String::new, |value| format!("; the worst class reaches {value:.3}"));
            facts.add(&model.column, format!("{}{reached}", model.model));
        }
        if let Some(cost) = report.cost {
            facts.add("cost", format!("{} {}", report.metric, cost_text(cost)));
        }
        facts.add("certainty lost", format!("{:.2}% (GCP)", 100.0 * metrics.gcp));
        facts.add("discernibility", thousands(metrics.dm));
        facts.add(
            "average class",
            format!("{:.1} rows (C_avg {:.2})", metrics.average.rows, metrics.average.relative),
        );
        if let Some(share) = metrics.cm_share {
            facts.add("rows outside their class's majority", format!("{:.2}%", 100.0 * share));
        }
        facts.add(
            "time",
            format!("{:.2} s, {:.2} s of CPU", report.wall_seconds, report.cpu_seconds),
        );
        facts.0
    }
}

/// A note without the list of bins' first values, which the release may not name.
pub(super) fn without_values(note: &str) -> &str {
    note.split(", which start at").next().unwrap_or(note)
}

/// The spec without lists of values and without the seed.
pub(super) fn shareable(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.algorithm.seed = None;
    for column in &mut spec.columns {
        if let Some(order) = &mut column.order {
            *order = vec![KEPT_BACK.to_owned()];
        }
        if let Some(Hierarchy::Rule(_)) = column.hierarchy {
            column.hierarchy = Some(Hierarchy::File(KEPT_BACK.into()));
        }
        column.cut_at.clear();
        column.never_cut_at.clear();
    }
    spec
}

/// Options whose values are, or may be, original values, or undo the shuffling.
const CONFIDENTIAL: [&str; 4] = ["--seed", "--order", "--cut-at", "--never-cut-at"];

/// The command line as typed, in one line, confidential parts kept back.
pub(super) fn command(args: impl Iterator<Item = String>) -> String {
    let mut shown = vec!["incrowd".to_owned()];
    let mut hide = false;
    for arg in args.skip(1) {
        let name = arg.split('=').next().unwrap_or_default();
        let confidential = CONFIDENTIAL.contains(&name);
        let text = match (hide, confidential) {
            (true, _) => KEPT_BACK.to_owned(),
            (_, true) if arg.contains('=') => format!("{name}={KEPT_BACK}"),
            _ => arg.clone(),
        };
        hide = confidential && !arg.contains('=') && !hide;
        let plain = |c: char| c.is_alphanumeric() || "-_=./,:@%+*".contains(c);
        shown.push(match text.chars().all(plain) && !text.is_empty() {
            true => text,
            false => format!("'{}'", text.replace('\'', "'\\''")),
        });
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_back_what_is_confidential() {
        let typed = "incrowd anonymize my.csv --seed 7 --order a=x,y --seed=9 -k 5";
        let mut args: Vec<String> = typed.split(' ').map(str::to_owned).collect();
        args.push("a b".to_owned());
        assert_eq!(
            command(args.into_iter()),
            "incrowd anonymize my.csv --seed '(kept back)' --order '(kept back)' \
             '--seed=(kept back)' -k 5 'a b'"
        );
    }
}
