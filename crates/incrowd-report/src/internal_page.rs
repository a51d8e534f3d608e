//! The page about a run for the owner of the table, which tells everything.

use incrowd_engine::words::{self, thousands};
use incrowd_run::spec::write_spec;
use incrowd_run::{
    plan::ends_text,
    report::{RunSummary, TracePoint, bias_text, cost_text, finished_text, names_text, sets_text},
};

use crate::run_page::RunPage;
use crate::story::{FactList, question, unchanged};
use crate::{RunStory, SearchMoment};

impl RunPage<'_> {
    pub(crate) fn internal_story(&self) -> RunStory {
        let report = self.report;
        let warnings = report.warnings.iter().map(ToString::to_string);
        let notes = report.notes.iter().cloned();
        RunStory {
            question: self.question(),
            summary: RunSummary::new(report),
            answer: self.answer(),
            warnings: warnings.chain(ends_text(&report.ranges)).collect(),
            remarks: self.remarks(),
            notes: notes.chain(self.confirmed_notes()).collect(),
            picture: report.internal.clone(),
            confidential: true,
            subgroups: report.subgroups.clone(),
            journalist: report.journalist.clone(),
            known: names_text(&report.quasi),
            unchanged: unchanged(
                &report.unchanged,
                report.unchanged_together.as_ref(),
                report.released,
            ),
            metric: report.metric.to_owned(),
            moments: self
                .trace
                .iter()
                .map(|&TracePoint { seconds, cost, bound, .. }| SearchMoment {
                    seconds,
                    cost,
                    bound,
                })
                .collect(),
            command: self.command.clone().unwrap_or_default(),
            spec: write_spec(&self.file.spec),
            versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
        }
    }

    /// What has to be known to read how much is kept of a column.
    fn remarks(&self) -> Vec<(String, String)> {
        let report = self.report;
        let losses = report.losses.iter().flat_map(|loss| {
            let words = [loss.removed_words(), loss.uneven_words()].into_iter().flatten();
            words.map(move |words| (loss.column.clone(), format!("but {words}")))
        });
        let sets = report.unrelated_sets.iter().map(|sets| (sets.name.clone(), sets_text(sets)));
        losses.chain(sets).collect()
    }

    fn question(&self) -> Vec<(String, String)> {
        let report = self.report;
        let table = format!(
            "{}: {} rows, {} distinct combinations of quasi-identifiers",
            self.table,
            thousands(report.rows),
            thousands(report.cells as u64)
        );
        question(self, &table, &report.method, report.auto.as_ref(), finished_text(report))
    }

    fn answer(&self) -> Vec<(String, String)> {
        let report = self.report;
        let mut facts = FactList::default();
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
        let rows = words::count(report.released, "row", "rows");
        let classes = words::count(report.classes as u64, "class", "classes");
        facts.add("release", format!("{rows} in {classes}"));
        facts.add("suppressed", format!("{} rows", thousands(report.suppressed)));
        for (at, text) in report.bias.iter().filter_map(bias_text).enumerate() {
            facts.add(if at == 0 { "bias by suppression" } else { "" }, text);
        }
        facts.add_smallest(report.achieved_k, &report.unit);
        for model in report.verdict.iter().flat_map(|verdict| &verdict.models) {
            facts.add_model(&model.column, model.model, model.achieved);
        }
        if let Some(labels) = report.verdict.as_ref().and_then(|it| it.refinement.as_ref()) {
            facts.add("labels", labels.all.to_string());
        }
        if let Some(cost) = report.cost {
            facts.add("cost", format!("{} {}", report.metric, cost_text(cost)));
        }
        facts.add("certainty lost", format!("{:.2}% (GCP)", 100.0 * metrics.gcp));
        facts.add("loss of labels", format!("{:.2}% (as printed)", 100.0 * metrics.released_gcp));
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
