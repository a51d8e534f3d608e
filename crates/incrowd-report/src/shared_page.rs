//! The page about a run that may be shared where the release is.
//!
//! It is made of the question and of what may be shared of the release ([`ShareableSummary`]): suppressed people could have any
//! values, and it would read the same. Lists of original values (an order, a hierarchy in words) are
//! kept back from the spec that it shows.

use incrowd_engine::words::{self, thousands};
use incrowd_run::spec::write_spec;
use incrowd_run::{
    plan::ends_text,
    report::{
        Optimality, RunSummary, SafeCount, ShareableSummary, finishing_text, names_text, sets_text,
    },
};

use crate::RunStory;
use crate::run_page::RunPage;
use crate::shareable::shareable;
use crate::story::{FactList, question, unchanged};

pub(crate) fn shared_story(page: &RunPage<'_>) -> RunStory {
    let report = page.report;
    let told = report.shareable.as_ref();
    let notes = page.confirmed_notes().chain(told.and_then(whom_suppression_hits));
    let sets = told.map_or(&[][..], |told| &told.sets);
    RunStory {
        question: question(
            page,
            &page.table,
            &page.file.spec.algorithm.method,
            None,
            finishing_text(&page.job.finishing, report.k),
        ),
        summary: RunSummary::shareable(report),
        answer: told.map_or_else(Vec::new, |told| answer(page, told)),
        warnings: told.map_or_else(Vec::new, |told| {
            let warnings = told.warnings.iter().map(ToString::to_string);
            warnings.chain(ends_text(&told.ranges)).collect()
        }),
        remarks: sets.iter().map(|sets| (sets.name.clone(), sets_text(sets))).collect(),
        notes: notes.collect(),
        picture: told.and_then(|told| told.picture.clone()),
        // What a label loses depends on values of suppressed people.
        subgroups: Vec::new(),
        journalist: None,
        known: names_text(&report.quasi),
        unchanged: told.map_or_else(Vec::new, |told| {
            unchanged(&told.unchanged, told.unchanged_together.as_ref(), told.rows)
        }),
        metric: report.metric.to_owned(),
        moments: Vec::new(),
        command: page.command.clone().unwrap_or_default(),
        spec: write_spec(&shareable(&page.file.spec)),
        confidential: false,
        versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
    }
}

/// Where to look for whom suppression hits: that is not for everybody to know.
fn whom_suppression_hits(told: &ShareableSummary) -> Option<String> {
    (told.suppressed != SafeCount::Exactly(0) || told.blank > 0).then(|| {
        "Rows were suppressed: figures are of the released rows alone, and the data may lack whole groups of people. Whom \
         suppression hits is counted in the internal report, which stays with the owner of the table."
            .to_owned()
    })
}

fn answer(page: &RunPage<'_>, told: &ShareableSummary) -> Vec<(String, String)> {
    let mut facts = FactList::default();
    if let Some(Optimality { optimal, .. }) = told.optimality {
        facts.add("proven optimal", if optimal { "yes" } else { "no" });
    }
    let rows = words::count(told.rows, "row", "rows");
    let classes = words::count(told.classes, "class", "classes");
    facts.add("release", format!("{rows} in {classes}"));
    if told.blank > 0 {
        facts.add("blank throughout", format!("{} of them", thousands(told.blank)));
    }
    facts.add("suppressed", told.suppressed.to_string());
    facts.add_smallest(told.smallest, &page.report.unit);
    for model in told.verdict.iter().flat_map(|verdict| &verdict.models) {
        facts.add_model(&model.column, model.model, model.achieved);
    }
    if let Some(measures) = &told.measures {
        facts.add(
            "certainty lost",
            format!("{:.2}% of what the released rows had", 100.0 * measures.lost),
        );
        facts.add("discernibility", thousands(measures.discernibility));
        facts.add("average class", format!("{:.1} rows", measures.average_class));
        if let Some(share) = measures.outside_majority {
            facts.add("rows outside their class's majority", format!("{:.2}%", 100.0 * share));
        }
    }
    facts.0
}
