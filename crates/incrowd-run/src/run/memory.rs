//! Runs whose release stays in memory: for data frames.
#![cfg(feature = "parquet")]

use incrowd::{Control, SavedRecoding};

use super::apply::apply_to;
use super::{Apply, Delivered, Destination, Job, RunReport, run_to};
use crate::{Error, MemoryTable, OutputFile, Result, Source};

/// A run whose release lies in memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InMemory {
    /// The facts of the run.
    pub report: RunReport,
    /// The verified release; none if there is no solution.
    pub table: Option<MemoryTable>,
    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub recoding: Option<SavedRecoding>,
}

impl InMemory {
    /// A run whose release lies elsewhere.
    pub fn elsewhere(report: RunReport) -> Self {
        InMemory { report, table: None, recoding: None }
    }

    /// What a run made; a recoding that was to be saved is put in its place.
    fn new(delivered: Delivered) -> Result<Self> {
        let Delivered { report, outputs, recoding, table, .. } = delivered;
        OutputFile::commit_all(outputs)?;
        Ok(InMemory { report, table, recoding })
    }
}

/// Runs a job on its source like [`run`](super::run), but the release stays in memory; what the job says of an
/// output is not asked. Whatever the verifier refuses is an error, and nothing comes out. A population, if there is one,
/// may lie in memory, too.
pub fn run_in_memory(
    job: &Job,
    source: &Source,
    population: Option<&Source>,
    control: &Control,
) -> Result<InMemory> {
    run_to(Some(Destination::Memory), job, source, population, control).and_then(InMemory::new)
}

/// Applies a saved recoding like [`apply`](super::apply()), but the release stays in memory.
pub fn apply_in_memory(apply: &Apply, source: &Source, control: &Control) -> Result<InMemory> {
    if apply.output.is_some() {
        return Err(Error::new("the release is to stay in memory, and an output is named"));
    }
    apply_to(Some(Destination::Memory), apply, source, control).and_then(InMemory::new)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::sync::Arc;

    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch};

    use super::*;
    use crate::spec::{Given, SpecFile};
    use crate::{open_input, run};

    /// People; the last of them is alone in a far place.
    fn people() -> RecordBatch {
        let ages: ArrayRef = Arc::new((0..40).map(|at| Some(20 + at % 7)).collect::<Int64Array>());
        let category = |text: &dyn Fn(usize) -> String| -> ArrayRef {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            builder.append("nobody").unwrap();
            (1..40).for_each(|at| builder.append_value(text(at)));
            Arc::new(builder.finish())
        };
        let towns = category(&|at| if at == 39 { "far".into() } else { format!("t{}", at % 2) });
        let ills = category(&|at| if at == 39 { "rare".into() } else { format!("i{}", at % 3) });
        RecordBatch::try_from_iter([("age", ages), ("town", towns), ("ill", ills)]).unwrap()
    }

    fn spec(input: &str) -> SpecFile {
        let list = |names: &[&str]| Given::List(names.iter().map(|&name| name.into()).collect());
        let given = [
            ("k", Given::Whole(4)),
            ("quasi", list(&["age", "town"])),
            ("plain", list(&["ill"])),
            ("method", "datafly".into()),
            (
                "hierarchy",
                Given::Table(vec![(
                    "town".to_owned(),
                    Given::Table(vec![
                        ("here".to_owned(), list(&["t0", "t1", "nobody"])),
                        ("there".to_owned(), list(&["far"])),
                    ]),
                )]),
            ),
            ("max_suppressed", "10%".into()),
            ("seed", Given::Whole(7)),
        ];
        let given: Vec<_> =
            given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        SpecFile::from_keywords(None, Some(input), &given).unwrap()
    }

    #[test]
    fn a_release_in_memory_is_the_one_in_a_file_and_says_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let (csv, out) = (folder.path().join("t.csv"), folder.path().join("out.csv"));
        let batch = people();
        let control = Control::new();
        let two = vec![batch.slice(0, 17), batch.slice(17, 23)];
        let source = Source::from_batches("t", batch.schema(), two, None).unwrap();
        let text = |schema, batches: Vec<RecordBatch>| {
            let source = Source::from_batches("t", schema, batches, None).unwrap();
            let table = crate::read_table(&source, None, &control).unwrap();
            let mut lines = table.names().join(",") + "\n";
            for row in 0..table.rows() {
                let fields: Vec<&str> = table.columns().iter().map(|it| it.value(row)).collect();
                lines.push_str(&(fields.join(",") + "\n"));
            }
            lines
        };
        std::fs::write(&csv, text(batch.schema(), vec![batch])).unwrap();

        let mut file = spec(csv.to_str().unwrap());
        file.spec.release.output = Some(out.clone());
        let from_file = open_input(&file).unwrap();
        let written = run(&Job::new(&file, &from_file).unwrap(), &from_file, &control).unwrap();

        let file = spec("table");
        let done =
            run_in_memory(&Job::new(&file, &source).unwrap(), &source, None, &control).unwrap();
        let table = done.table.unwrap();
        assert_eq!((done.report.cost, done.report.suppressed), (written.cost, written.suppressed));
        assert!(done.report.suppressed > 0 && done.report.verdict.unwrap().holds);
        let released = text(table.schema.clone(), table.batches.clone());
        assert_eq!(released, std::fs::read_to_string(&out).unwrap());
        assert!(table.schema.metadata().is_empty());
        for batch in &table.batches {
            for column in ["town", "ill"] {
                let entries = batch.column_by_name(column).unwrap().as_any_dictionary().values();
                let entries: Vec<_> = entries.as_string::<i32>().iter().flatten().collect();
                assert!(entries.iter().all(|it| !["far", "rare"].contains(it)), "{entries:?}");
            }
        }
        let recoding = done.recoding.unwrap();
        assert_eq!(recoding.k, 4);
    }
}
