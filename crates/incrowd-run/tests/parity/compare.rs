//! How a back end is asked all questions of the parity test, and its answers compared.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "every back end uses its part")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use incrowd_engine::Control;
use incrowd_run::{
    Result, RunReport, SpecFile,
    data::{MemoryTable, Source, read_table},
};
use serde_json::{Value, json};

use crate::asked::{self, Nature, Question};

pub(crate) type Rows = (Vec<String>, Vec<Vec<String>>);

/// A run through some back end: what it tells, and what it releases.
pub(crate) type Outcome = Result<(RunReport, Option<Rows>)>;

/// The spec of a question about a table in a folder.
pub(crate) fn spec(question: &Question, folder: &Path, table: &str) -> Result<SpecFile> {
    let places = [("data", format!("input = {}", json!(folder.join(table))))];
    SpecFile::parse(&asked::spec(question, &places), &folder.join("spec.toml"))
}

pub(crate) fn rows_of(source: &Source) -> Rows {
    let table = read_table(source, None, &Control::new()).unwrap();
    let row = |at| table.columns().iter().map(|column| column.value(at).to_owned()).collect();
    (source.columns().to_vec(), (0..table.rows()).map(row).collect())
}

pub(crate) fn rows_of_table(table: &MemoryTable) -> Rows {
    let MemoryTable { schema, batches } = table.clone();
    rows_of(&Source::from_batches("released", schema, batches, None).unwrap())
}

/// The answer that a run gives.
pub(crate) fn told(question: &Question, outcome: Outcome) -> (Value, String) {
    match outcome {
        Err(error) => (asked::refusal(&error.to_json()["error"]), error.message),
        Ok((report, rows)) => {
            let facts = serde_json::to_value(&report).unwrap();
            (asked::answer(question, &facts, rows.as_ref()), report.in_words)
        }
    }
}

/// Asks all questions; fails with all differences at once.
pub(crate) fn compare(nature: Nature, ask: impl Fn(&Question, &Path) -> Option<Outcome>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    asked::put_tables(folder.path());
    let (questions, expected) = (asked::questions(), asked::expected());
    let (mut differing, mut count) = (Vec::new(), 0);
    for question in &questions {
        let Some(outcome) = ask(question, folder.path()) else { continue };
        count += 1;
        let (found, said) = told(question, outcome);
        let expected = &expected[&question.name];
        differing.extend(asked::differences(question, expected, &found, &said, nature));
    }
    let number = differing.len();
    assert!(differing.is_empty(), "{number} answers differ:\n{}", differing.join("\n"));
    count
}

/// The rows of a table as one batch of texts.
pub(crate) fn batch(question: &Question) -> RecordBatch {
    let (header, rows) = asked::table(&question.table);
    let columns = header.iter().enumerate().map(|(at, name)| {
        let texts = StringArray::from_iter_values(rows.iter().map(|row| row[at].as_str()));
        (name.clone(), Arc::new(texts) as ArrayRef)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}
