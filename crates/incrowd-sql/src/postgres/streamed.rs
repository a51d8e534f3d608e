//! A table whose rows are read here, and whose release goes into a table of the database.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use incrowd_assess::bias::SuppressionEffect;
use incrowd_engine::{Control, Problem, Table};
use incrowd_run::{
    LocalTable, Result, RunPlan, RunReport,
    backend::{
        FinalRows, LabelPairs, ReadBack, ReleasePermit, ReleasePlan, RowFingerprinter,
        SubjectComparison, SubjectEvidence, TableBackend, TableCounts,
    },
    data::{InputFormat, NULL, OutputFile, ReadOptions, Source},
};
use incrowd_verify::Requirements;

use crate::postgres::appending;
use crate::postgres::connection::Connection;
use crate::postgres::error::write_failed;
use crate::postgres::release::{self, ReleasedColumn};
use crate::postgres::table::{TargetTable, quote};

/// A table that is read here, and the table that its release goes into.
pub(crate) struct StreamedTable<'a> {
    local: LocalTable<'a>,
    connection: &'a mut Connection,
    target: &'a TargetTable,
    columns: Vec<ReleasedColumn>,
    grant: &'a [String],
    /// Whether a table has been made that is yet to be committed.
    pending: bool,
}

impl<'a> StreamedTable<'a> {
    pub(crate) fn new(
        source: &'a Source,
        connection: &'a mut Connection,
        target: &'a TargetTable,
        columns: Vec<ReleasedColumn>,
        grant: &'a [String],
    ) -> Result<Self> {
        // The release lies here until the database has it. It has no name: whatever ends the run, nothing of it is left.
        let number = RandomState::new().hash_one(0);
        let place = std::env::temp_dir().join(format!("incrowd-{number:016x}.csv"));
        let local = LocalTable::to_database_text(source, &place)?;
        Ok(StreamedTable { local, connection, target, columns, grant, pending: false })
    }

    /// Makes the table from the file; whether it holds the same.
    fn place(&mut self, file: &OutputFile) -> Result<bool> {
        let release = Source::of_file(file.reopen()?, file.target(), &release_options())?;
        let release = release.with_null(NULL);
        let columns = released_columns(&release, &self.columns);
        let (connection, target) = (&mut *self.connection, self.target);
        connection.reopen_if_lost()?;
        if let Some(appended) = &target.appends {
            appended.reserve(connection)?;
        }
        connection.batch("begin", "BEGIN")?;
        self.pending = true;
        release::create(connection, target, &columns, self.grant)?;
        let names: Vec<String> = columns.iter().map(|column| quote(&column.name)).collect();
        let copy = format!(
            "COPY {} ({}) FROM STDIN (FORMAT csv, HEADER true, NULL '{NULL}')",
            target.name,
            names.join(", ")
        );
        connection.copy_in("write the table", &copy, |into| {
            let mut rows = file.reopen()?;
            let mut buffer = vec![0; 1 << 18];
            loop {
                let failed = |e: std::io::Error| write_failed("write the table", e);
                let got = std::io::Read::read(&mut rows, &mut buffer).map_err(failed)?;
                if got == 0 {
                    return Ok(());
                }
                into.write_all(&buffer[..got]).map_err(failed)?;
            }
        })?;
        // The file was verified and found true; what the database holds must be the file.
        let fingers = RowFingerprinter::default();
        let written = fingers.of_source(&release)?;
        Ok(written == release::fingerprint(connection, target, &columns, &fingers)?)
    }
}

impl Drop for StreamedTable<'_> {
    fn drop(&mut self) {
        if self.pending {
            self.connection.roll_back();
        }
    }
}

impl TableBackend for StreamedTable<'_> {
    fn count(&mut self, plan: RunPlan<'_>, control: &Control) -> Result<TableCounts> {
        self.local.count(plan, control)
    }

    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        rows: u64,
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        self.local.subjects(plan, comparison, rows, control)
    }

    fn rows_by_chance(
        &mut self,
        plan: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        control: &Control,
    ) -> Result<Option<Table>> {
        self.local.rows_by_chance(plan, known, released, control)
    }

    fn sample(&self) -> Option<&Source> {
        self.local.sample()
    }

    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<LabelPairs> {
        self.local.recode(plan, requirements, control)
    }

    fn finish(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<FinalRows> {
        self.local.finish(plan, requirements, control)
    }

    fn stage(&mut self, plan: &ReleasePlan<'_>, control: &Control) -> Result<bool> {
        self.local.stage(plan, control)
    }

    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack> {
        let mut found = self.local.read_back(plan, requirements, control)?;
        if !found.verdict.holds {
            // The checks refuse it, or somebody wants failing rows all the same: not in a database.
            return match plan.job.write_failing {
                true => Err(release::no_failing_rows().of_check("back-end")),
                false => Ok(found),
            };
        }
        let Some(file) = self.local.take_file() else { return Ok(found) };
        let same = self.place(&file)?;
        let there = release::verify(self.connection, self.target, requirements)?;
        found.same = Some(found.same == Some(true) && same && there.rows == found.verdict.rows);
        found.verdict.violations.extend(there.violations);
        found.verdict.holds = found.verdict.violations.is_empty();
        if let Some(appended) = self.target.appends.as_ref().filter(|_| found.verdict.holds) {
            appending::add(appended, self.connection, requirements)?;
        }
        Ok(found)
    }

    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        rows: &FinalRows,
        control: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        self.local.suppression_effects(plan, rows, control)
    }

    fn tell(&self, _: &Problem, report: RunReport) -> RunReport {
        RunReport { output: Some(PathBuf::from(&self.target.written)), ..report }
    }

    fn commit(&mut self, _: ReleasePermit, files: Vec<OutputFile>) -> Result<()> {
        self.pending = false;
        release::commit(self.connection, self.target)?;
        OutputFile::commit_all(files)
    }
}

/// How the file of a release is read that goes into a database.
fn release_options() -> ReadOptions {
    ReadOptions { format: Some(InputFormat::Csv), delimiter: Some(b','), ..ReadOptions::default() }
}

/// The columns of a release: those that are released as they are keep their types, the others are text.
fn released_columns(release: &Source, plain: &[ReleasedColumn]) -> Vec<ReleasedColumn> {
    let column = |name: &String| {
        let kept = plain.iter().find(|column| column.name == *name).cloned();
        kept.unwrap_or_else(|| ReleasedColumn { name: name.clone(), r#type: "text".to_owned() })
    };
    release.columns().iter().map(column).collect()
}
