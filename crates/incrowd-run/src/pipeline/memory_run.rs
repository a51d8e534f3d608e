//! Releases that stay in memory: for data frames and for programs.

use std::path::Path;

use incrowd_engine::{Control, Release, SavedRecoding};
use incrowd_verify::Requirements;

use crate::backend::destination::{ReleaseDestination, WrittenRelease};
use crate::backend::fingerprint::RowFingerprinter;
use crate::backend::local::LocalTable;
use crate::checks::evidence::ReadBack;
use crate::checks::judgement::Judgement;
use crate::pipeline::apply::ApplyOptions;
use crate::pipeline::staged_release::StagedRelease;
use crate::plan::run_plan::RunPlan;
use crate::report::run_report::RunReport;
use crate::verify::requirements::verify_source;
use crate::{Chunk, ColumnType, Error, MemoryTable, NULL, Result, Source, TableLayout};

/// A run whose release lies in memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MemoryRun {
    /// The facts of the run.
    pub report: RunReport,
    /// The release; none if there is no solution.
    pub table: Option<ReleasedTable>,
    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub recoding: Option<SavedRecoding>,
    /// The classes, measures and labels of the release.
    pub release: Option<Release>,
}

/// A release in memory that has passed every check.
#[derive(Debug, Clone)]
pub struct ReleasedTable {
    table: MemoryTable,
    report: RunReport,
    requirements: Requirements,
    /// Who each row is of, where that is not released.
    units: Option<Vec<u64>>,
    judgement: Judgement,
}

impl MemoryRun {
    /// A run whose release lies elsewhere.
    pub fn elsewhere(report: RunReport) -> Self {
        MemoryRun { report, table: None, recoding: None, release: None }
    }

    fn commit(mut staged: StagedRelease, mut backend: LocalTable<'_>) -> Result<Self> {
        let units = backend.units();
        staged.commit_files(&mut backend, [])?;
        let release = staged.take_release();
        let judgement = staged.judgement().clone();
        let StagedRelease { report, recoding, requirements, .. } = staged;
        let table = backend.into_table().zip(requirements).map(|(table, requirements)| {
            let report = report.clone();
            ReleasedTable { table, report, requirements, units, judgement }
        });
        Ok(MemoryRun { report, table, recoding, release })
    }
}

impl RunPlan<'_> {
    /// Runs a job like [`run`](crate::run), but the release stays in memory; what the job says of an output is not asked.
    pub fn run_in_memory(self, control: &Control) -> Result<MemoryRun> {
        let mut backend = LocalTable::in_memory(self.source);
        let staged = self.stage(&mut backend, control)?;
        MemoryRun::commit(staged, backend)
    }
}

impl ApplyOptions {
    /// Applies the recoding like [`apply`](crate::apply()), but the release stays in memory.
    pub fn run_in_memory(&self, source: &Source, control: &Control) -> Result<MemoryRun> {
        if self.output.is_some() {
            return Err(Error::new("the release stays in memory, but an output is named"));
        }
        let mut backend = LocalTable::in_memory(source);
        let staged = self.stage(source, &mut backend, control)?;
        MemoryRun::commit(staged, backend)
    }
}

impl ReleasedTable {
    /// The rows.
    pub fn table(&self) -> &MemoryTable {
        &self.table
    }

    /// Judges what was read back of a copy of the release that waits elsewhere, such as in a transaction of a database: it must
    /// hold the same rows, in whatever order, and pass the verifier. Show it to nobody before that.
    pub fn judge_copy(&self, copy: &MemoryTable) -> Result<()> {
        let control = Control::new();
        let open = |table: &MemoryTable| -> Result<Source> {
            let (schema, batches) = (table.schema.clone(), table.batches.clone());
            Ok(Source::from_batches("the release", schema, batches, None)?.with_null(NULL))
        };
        let (written, read) = (open(&self.table)?, open(copy)?);
        let mut requirements = self.requirements.clone();
        // Who is protected is not in the release: people were counted before.
        requirements.unit = requirements.unit.filter(|unit| read.columns().contains(unit));
        let fingers = RowFingerprinter::default();
        let same = written.columns() == read.columns()
            && fingers.of_source(&written)? == fingers.of_source(&read)?;
        let verdict = verify_source(&read, &requirements, &control)?;
        let found = ReadBack { verdict, same: Some(same), formulas: false, singled_out: None };
        self.judgement.of_copy(&found)?.permit().map(drop)
    }

    /// Writes the release to a file, in the format that its ending names. The file is read back and verified; it appears whole
    /// or not at all.
    pub fn write(&self, path: &Path, delimiter: u8) -> Result<()> {
        let MemoryTable { schema, batches } = &self.table;
        let control = Control::new();
        let destination = ReleaseDestination::create(path)?;
        let names = schema.fields().iter().map(|field| field.name().clone());
        let types = schema.fields().iter().map(|field| ColumnType::from(field.data_type()));
        let null = Some(destination.null());
        let layout = TableLayout { delimiter, null, ..TableLayout::text(names) };
        let layout = TableLayout { types: types.collect(), ..layout };
        let encoder = layout.encoder()?;
        let rows = Source::from_batches("the table", schema.clone(), batches.clone(), Some(1))?;
        let rows = rows.with_null("");
        let columns: Vec<usize> = (0..layout.names.len()).collect();
        let encode = |chunk: &Chunk| {
            let encoded = (0..chunk.rows()).map(|row| {
                let mut text = Vec::new();
                encoder.row(columns.iter().map(|&at| chunk.field(row, at)), &mut text);
                text
            });
            Ok(encoded.collect::<Vec<_>>())
        };
        let mut written = WrittenRelease::write(destination, &layout, &mut |write| {
            let all = |rows: Vec<Vec<u8>>| rows.iter().try_for_each(|row| write(row));
            rows.map_in_order(&columns, encode, all, &control)
        })?;
        written.units.clone_from(&self.units);
        let found = written.read_back(&self.requirements, &control)?;
        let judgement = self.judgement.of_copy(&found)?;
        let mut backend = LocalTable::of_written(&rows, written);
        StagedRelease::of_copy(self.report.clone(), judgement).commit(&mut backend, [])?;
        Ok(())
    }
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
    use crate::spec::{KeywordValue, SpecFile};
    use crate::{Job, open_input, run};

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
        let list =
            |names: &[&str]| KeywordValue::List(names.iter().map(|&name| name.into()).collect());
        let given = [
            ("k", KeywordValue::Whole(4)),
            ("quasi", list(&["age", "town"])),
            ("plain", list(&["ill"])),
            ("method", "datafly".into()),
            (
                "hierarchy",
                KeywordValue::Table(vec![(
                    "town".to_owned(),
                    KeywordValue::Table(vec![
                        ("here".to_owned(), list(&["t0", "t1", "nobody"])),
                        ("there".to_owned(), list(&["far"])),
                    ]),
                )]),
            ),
            ("max_suppressed", "10%".into()),
            ("sort", KeywordValue::Bool(true)),
        ];
        let given: Vec<_> =
            given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        SpecFile::from_keywords(None, Some(input), &given).unwrap()
    }

    #[test]
    fn a_copy_must_hold_the_same_rows() {
        let batch = people();
        let source = Source::from_batches("t", batch.schema(), vec![batch.clone()], None).unwrap();
        let job = Job::new(&spec("table"), &source).unwrap();
        let done = RunPlan::new(&job, &source).run_in_memory(&Control::new()).unwrap();
        let released = done.table.unwrap();
        let MemoryTable { schema, batches } = released.table().clone();
        let of = |batches: Vec<RecordBatch>| MemoryTable { schema: schema.clone(), batches };
        let whole = batches[0].clone();
        let rows = whole.num_rows();
        // Another order is the same rows; one row less, one twice or another value are not.
        released.judge_copy(&of(vec![whole.slice(7, rows - 7), whole.slice(0, 7)])).unwrap();
        for wrong in [
            vec![whole.slice(1, rows - 1)],
            vec![whole.slice(0, rows - 1), whole.slice(0, 1)],
            vec![whole.clone(), whole.slice(0, 1)],
            vec![],
        ] {
            assert!(released.judge_copy(&of(wrong)).is_err());
        }
        let mut columns = whole.columns().to_vec();
        let at = whole.schema().index_of("ill").unwrap();
        columns[at] = Arc::new(arrow_array::StringArray::from(vec!["i0"; rows]));
        let schema = whole.schema();
        let fields = schema.fields().iter().zip(&columns).map(|(field, column)| {
            arrow_schema::Field::new(field.name(), column.data_type().clone(), true)
        });
        let changed = Arc::new(arrow_schema::Schema::new(fields.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(changed.clone(), columns).unwrap();
        let copy = MemoryTable { schema: changed, batches: vec![batch] };
        assert!(released.judge_copy(&copy).is_err());
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
        let done = RunPlan::new(&Job::new(&file, &source).unwrap(), &source)
            .run_in_memory(&control)
            .unwrap();
        let table = done.table.unwrap().table().clone();
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
