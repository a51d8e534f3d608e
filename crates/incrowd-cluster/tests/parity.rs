//! The questions of the parity test through parts of a cluster. All answers must be those of the command line.
#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../incrowd-run/tests/parity/asked.rs"]
mod asked;
#[path = "../../incrowd-run/tests/parity/compare.rs"]
mod compare;

use std::path::Path;

use incrowd_cluster::{
    DistributedRun, ORDER_COLUMN, PartialCounts, PartialVerification, TransformInputs, UNIT_COLUMN,
};
use incrowd_engine::Control;
use incrowd_run::{data::MemoryTable, skipping_check};

use asked::{Nature, Question};
use compare::{Outcome, batch, compare, rows_of_table, spec, told};

/// A run on a cluster, whose parts are one here.
fn through_parts(question: &Question, folder: &Path) -> Outcome {
    let file = spec(question, folder, "table")?;
    let batch = batch(question);
    let mut values = TransformInputs::default();
    let seen: Vec<usize> = TransformInputs::columns(&file)
        .iter()
        .filter_map(|name| batch.schema().index_of(name).ok())
        .collect();
    if !seen.is_empty() {
        values.add(batch.project(&seen).unwrap())?;
    }
    let mut question = DistributedRun::new(file, batch.schema(), &values)?;
    let mut reading = question.reading(1, usize::MAX);
    let names = question.columns();
    let places: Vec<usize> =
        names.iter().map(|name| batch.schema().index_of(name).unwrap()).collect();
    let batch = batch.project(&places).unwrap();
    let mut counted = PartialCounts::new(&reading);
    counted.add(&reading, 0, batch.clone())?;
    if !question.implied(&reading, &counted, &Control::new())?.is_empty() {
        reading = question.reading(1, usize::MAX);
        counted = PartialCounts::new(&reading);
        counted.add(&reading, 0, batch.clone())?;
    }
    let mut solved = question.solve(&reading, counted, None, &Control::new())?;
    if !solved.has_release() {
        return Ok((solved.unsolved(), None));
    }
    let mut recoder = solved.recoder()?;
    if recoder.deals_rows() {
        let mut rows = recoder.part(0)?;
        recoder.count(&mut rows, batch.clone())?;
        recoder.finish(&rows)?;
        recoder.deal(&[(0, rows.numbers().clone())].into())?;
    }
    let mut rows = recoder.part(0)?;
    let beside = recoder.recode(&mut rows, batch)?;
    recoder.finish(&rows)?;
    let checking = solved.checking()?;
    let schema = beside.schema();
    let places = |has_unit: bool| -> Vec<usize> {
        let kept = |name: &String| *name != ORDER_COLUMN;
        let unit = |name: &String| has_unit || *name != UNIT_COLUMN;
        let names = schema.fields().iter().map(|field| field.name());
        let kept = names.enumerate().filter(|(_, name)| kept(name) && unit(name));
        kept.map(|(at, _)| at).collect()
    };
    let release = beside.project(&places(false)).unwrap();
    let has_unit = schema.index_of(UNIT_COLUMN).is_ok();
    let mut all = PartialVerification::new(&checking, 0)?;
    all.add(beside.project(&places(true)).unwrap())?;
    let alone = match has_unit {
        false => None,
        true => {
            let mut alone = PartialVerification::new(&checking.without_unit(), 0)?;
            alone.add(release.clone())?;
            Some(alone)
        }
    };
    let report = solved.finish(all, alone, None)?;
    solved.commit(Box::new(|| Ok(())))?;
    let table = MemoryTable { schema: release.schema(), batches: vec![release] };
    Ok((report, Some(rows_of_table(&table))))
}

#[test]
fn parts_of_a_cluster_answer_as_the_command_line_does() {
    let lacks = &["treat", "linked", "follows"];
    let nature = Nature { lacks, no_text: true, ..Nature::default() };
    assert!(compare(nature, |it, folder| Some(through_parts(it, folder))) >= 100);
}

#[test]
fn what_a_cluster_lacks_is_refused_by_the_check() {
    let folder = tempfile::tempdir().unwrap();
    asked::put_tables(folder.path());
    let (questions, expected) = (asked::questions(), asked::expected());
    let lacking = ["linked", "follows"];
    let lacks = |it: &&Question| {
        let features = it.features.iter().any(|feature| lacking.contains(&feature.as_str()));
        features && expected[&it.name]["outcome"] == "released"
    };
    let question = questions.iter().find(lacks).unwrap();
    let ask = || told(question, through_parts(question, folder.path())).0;
    assert_eq!(ask()["check"], "back-end", "{}", question.name);
    assert_ne!(skipping_check("back-end", ask)["check"], "back-end");
}
