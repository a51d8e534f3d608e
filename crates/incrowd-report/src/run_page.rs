//! The HTML page about a run.
//!
//! It is safe to share where the release is: lists of original values (an order, a hierarchy in words) and
//! the seed, which would undo the shuffling, are kept back from the spec that it shows.

use incrowd::Metric;
use incrowd::words::thousands;
use incrowd_assess::expose::Unchanged;
use incrowd_io::finished_text;
use incrowd_io::spec::{Role, SpecFile, write_spec};
use incrowd_io::{
    Job, RunReport, SUPPRESSION_CODES, Status, TracePoint, cost_text, ends_text, gap_text,
    names_text, sets_text,
};

use crate::risk::sentence;
use crate::shareable::{shareable, without_values};
use crate::{Moment, RunStory, percent};

/// A run and all that its page tells.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunPage<'a> {
    /// The question as it was put.
    pub file: &'a SpecFile,
    /// The question as it was taken.
    pub job: &'a Job,
    /// What the table is called; without its folder, where the page is shared.
    pub table: String,
    /// What came of it. Its [picture](RunReport::picture) is there if the job asks for a report.
    pub report: &'a RunReport,
    /// How the search went.
    pub trace: &'a [TracePoint],
    /// The command that ran it, if there was one. Whoever gives it sees to it that it names nothing confidential.
    pub command: Option<String>,
    /// Whether it is for the owner of the table alone, and tells of suppressed rows.
    pub confidential: bool,
}

impl<'a> RunPage<'a> {
    /// The page about a run.
    pub fn new(
        file: &'a SpecFile,
        job: &'a Job,
        table: impl Into<String>,
        report: &'a RunReport,
    ) -> Self {
        let table = table.into();
        RunPage { file, job, table, report, trace: &[], command: None, confidential: false }
    }

    /// With how the search went.
    #[must_use]
    pub fn with_trace(mut self, trace: &'a [TracePoint]) -> Self {
        self.trace = trace;
        self
    }

    /// For the owner of the table: with every row counted, suppressed ones too, and the spec as it is. It says of itself that
    /// it is confidential.
    #[must_use]
    pub fn confidential(mut self) -> Self {
        self.confidential = true;
        self
    }

    /// With the command that ran it.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}

/// The page about a run as one HTML file.
pub fn run_page(page: &RunPage<'_>) -> String {
    page.story().to_html()
}

/// A list of facts.
#[derive(Default)]
struct Facts(Vec<(String, String)>);

impl Facts {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }
}

impl RunPage<'_> {
    fn story(&self) -> RunStory {
        let report = self.report;
        RunStory {
            question: self.question(),
            headline: self.headline(),
            released: report.metrics.is_some(),
            answer: self.answer(),
            warnings: self.warnings(),
            remarks: self.remarks(),
            notes: match self.confidential {
                true => report.notes.clone(),
                false => report.notes.iter().map(|note| without_values(note).to_owned()).collect(),
            },
            picture: if self.confidential { &report.internal } else { &report.picture }.clone(),
            confidential: self.confidential,
            journalist: report.journalist.clone(),
            known: names_text(&report.quasi),
            unchanged: self.unchanged(),
            metric: report.metric.to_owned(),
            moments: self
                .trace
                .iter()
                // Costs count suppressed rows.
                .filter(|_| !self.few_suppressed())
                .map(|&TracePoint { seconds, cost, bound, .. }| Moment { seconds, cost, bound })
                .collect(),
            command: self.command.clone().unwrap_or_default(),
            spec: match self.confidential {
                true => write_spec(&self.file.spec),
                false => write_spec(&shareable(&self.file.spec)),
            },
            versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
        }
    }

    /// What to think about. Of suppressed rows nothing is told that could be subtracted from what the release shows.
    fn warnings(&self) -> Vec<String> {
        let report = self.report;
        if self.confidential {
            let all = report.warnings.iter().map(ToString::to_string);
            return all.chain(ends_text(&report.ranges)).collect();
        }
        let exact = |code: &str| SUPPRESSION_CODES.contains(&code);
        let others = report.warnings.iter().filter(|warning| !exact(warning.code));
        let losses = report.losses.iter().flat_map(|loss| loss.shareable(self.least_told()));
        let others = others.map(ToString::to_string);
        let losses = losses.map(|words| sentence(&words));
        others.chain(losses).chain(ends_text(&report.ranges)).collect()
    }

    /// What has to be known to read how much is kept of a column.
    fn remarks(&self) -> Vec<(String, String)> {
        let report = self.report;
        let losses = report.losses.iter().flat_map(|loss| {
            let words: Vec<String> = match self.confidential {
                true => [loss.removed_words(), loss.uneven_words()].into_iter().flatten().collect(),
                false => loss.shareable(self.least_told()).into_iter().collect(),
            };
            words.into_iter().map(move |words| (loss.column.clone(), format!("but {words}")))
        });
        let sets = report.unrelated_sets.iter().map(|sets| (sets.name.clone(), sets_text(sets)));
        losses.chain(sets).collect()
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
        if let Some(failed) = report.verdict.as_ref().filter(|verdict| !verdict.holds) {
            let what: Vec<&str> =
                failed.violations.iter().map(|violation| violation.message.as_str()).collect();
            return format!(
                "This release FAILS: {}. It was written for comparison only: do not publish it.",
                what.join("; ")
            );
        }
        if report.wildcards {
            return format!(
                "Each of the {} released rows fits at least {} others if a blank is taken to match anything. That is the \
                 weaker reading: a row without blanks may be as recognizable as it was, and no risk follows from it. \
                 {checked} {}.",
                thousands(report.released),
                thousands(k.saturating_sub(1)),
                self.proof()
            );
        }
        if report.unit != "row" {
            return format!(
                "Each class of the {} released rows holds at least {} different values of {}: the re-identification \
                 risk is at most {} by {}. {checked} {}.",
                thousands(report.released),
                thousands(k),
                report.unit,
                percent(1.0 / k.max(1) as f64),
                names_text(&report.quasi),
                self.proof()
            );
        }
        if !report.requirements.is_empty() {
            let asked: Vec<&str> =
                report.requirements.iter().map(|reached| reached.text.as_str()).collect();
            let size = match report.k {
                1 => String::new(),
                _ => {
                    format!(" Each looks like at least {} others.", thousands(k.saturating_sub(1)))
                }
            };
            return format!(
                "Of the {} released rows: {}.{size} {checked} {}.",
                thousands(report.released),
                asked.join("; "),
                self.proof()
            );
        }
        format!(
            "Each of the {} released rows looks like at least {} others: the re-identification risk is at most {} by \
             {}. {checked} {}.",
            thousands(report.released),
            thousands(k.saturating_sub(1)),
            percent(1.0 / k.max(1) as f64),
            names_text(&report.quasi),
            self.proof()
        )
    }

    /// How many rows the columns single out that stay as they are.
    fn unchanged(&self) -> Vec<Vec<String>> {
        let report = self.report;
        let rows = |number: u64| {
            let share = number as f64 / report.released.max(1) as f64;
            format!("{} ({})", thousands(number), percent(share))
        };
        let row = |name: &str, it: &Unchanged| {
            vec![name.to_owned(), rows(it.unique_rows), rows(it.unique_rows_with_quasi)]
        };
        let all = report.unchanged.iter().map(|it| row(&it.column, it));
        let together = report.unchanged_together.iter().map(|it| row("all of them together", it));
        all.chain(together).collect()
    }

    /// What is known of better releases, in a sentence without its end.
    fn proof(&self) -> String {
        let report = self.report;
        match (report.outcome, report.gap) {
            (Status::Optimal, _) => {
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

    /// Fewer rows than this are not counted in what others see: k, wherever it is asked for.
    fn least_told(&self) -> u64 {
        let asked = self.report.requirements.iter();
        let asked = asked.filter(|it| ["k-map", "known-columns"].contains(&it.requirement));
        asked.map(|it| it.required as u64).max().unwrap_or(1).max(self.report.k)
    }

    /// Whether so few rows are suppressed that nothing may be counted that tells how many.
    fn few_suppressed(&self) -> bool {
        let report = self.report;
        !self.confidential
            && (1..self.least_told()).contains(&report.suppressed)
            && report.metrics.is_some()
    }

    fn question(&self) -> Vec<(String, String)> {
        let (report, job) = (self.report, self.job);
        let spec = &self.file.spec;
        let mut facts = Facts::default();
        facts.add(
            "table",
            format!(
                "{}: {}",
                self.table,
                match self.few_suppressed() {
                    // A count of rows and of those released would tell how few the others are.
                    true => "its rows are not counted here".to_owned(),
                    // Combinations that suppressed rows alone have are not for everybody to know.
                    false if report.suppressed > 0 && !self.confidential => {
                        format!("{} rows", thousands(report.rows))
                    }
                    false => format!(
                        "{} rows, {} distinct combinations of quasi-identifiers",
                        thousands(report.rows),
                        thousands(report.cells as u64)
                    ),
                }
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
        facts.add("kind", format!("{} ({})", report.kind, report.kind.about()));
        facts.add("method", &report.method);
        if let Some(chosen) = &report.auto {
            facts.add("why", chosen.why.clone());
        }
        for (at, line) in finished_text(report, self.confidential).into_iter().enumerate() {
            facts.add(if at == 0 { "treated" } else { "" }, line);
        }
        if let Some(context) = &report.context {
            facts.add("context", context.proposal.why.join(" "));
        }
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
        if let Some(proven) = &report.proven {
            facts.add("proven", proven.clone());
        }
        let classes = thousands(report.classes as u64);
        facts.add("release", format!("{} rows in {classes} classes", thousands(report.released)));
        facts.add(
            "suppressed",
            match self.few_suppressed() {
                true => format!("fewer than {} rows", thousands(self.least_told())),
                false => format!("{} rows", thousands(report.suppressed)),
            },
        );
        if let Some(k) = report.achieved_k {
            let of = if report.unit == "row" { "rows" } else { &report.unit };
            facts.add("smallest class", format!("{} {of}", thousands(k)));
        }
        for model in report.verdict.iter().flat_map(|verdict| &verdict.models) {
            let reached = model
                .achieved
                .map_or_else(String::new, |value| format!("; the worst class reaches {value:.3}"));
            facts.add(&model.column, format!("{}{reached}", model.model));
        }
        if self.few_suppressed() {
            facts.add("cost", "not told here: it counts the suppressed rows");
            return facts.0;
        }
        if let Some(cost) = report.cost {
            facts.add("cost", format!("{} {}", report.metric, cost_text(cost)));
        }
        facts.add("certainty lost", format!("{:.2}% (GCP)", 100.0 * metrics.gcp));
        facts
            .add("labels leave open", format!("{:.2}% (as printed)", 100.0 * metrics.released_gcp));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd::Control;
    use incrowd_demo::Census;
    use incrowd_io::{MadeUp, Tracer, open_input, run};

    use super::*;

    #[test]
    fn a_page_is_made_without_a_command() {
        let people = MadeUp::new(Census::new(80, 1)).unwrap();
        let mut spec = people.spec(5);
        spec.algorithm.seed = Some(4_711);
        spec.release.report = Some(people.folder().join("page.html"));
        let file = SpecFile::from_options(spec).unwrap();
        let source = open_input(&file).unwrap();
        let job = Job::new(&file, &source).unwrap();
        let tracer = Tracer::new();
        let report = run(&job, &source, &tracer.listen(&Control::new())).unwrap();
        let trace = tracer.points();
        let page = RunPage::new(&file, &job, source.file_name(), &report).with_trace(&trace);
        let html = run_page(&page);
        for word in ["people.csv: 80 rows", "best-local", "k = 5", "What is kept of each column"] {
            assert!(html.contains(word), "{word}");
        }
        assert!(!html.contains("4711") && !html.contains("incrowd anonymize"));
        let html = run_page(&page.with_command("incrowd anonymize people.csv"));
        assert!(html.contains("incrowd anonymize people.csv"));
    }
}
