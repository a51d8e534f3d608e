//! Tables that are read here: files, Arrow batches, rows that came from a database.

use std::path::Path;

use incrowd_assess::bias::SuppressionEffect;
use incrowd_assess::expose::{Exposure, SAMPLE};
use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event, Table};

use incrowd_verify::Requirements;

use crate::backend::destination::{ReleaseDestination, WrittenRelease};
use crate::backend::table_backend::{PreviewScope, TableBackend};
use crate::checks::evidence::{FinalRows, ReadBack, RemainingRelease, TableCounts, ValueCounts};
use crate::checks::judgement::ReleasePermit;
use crate::checks::subject_evidence::SubjectEvidence;
use crate::checks::subjects::SubjectComparison;
use crate::count::build_problem::places;
use crate::count::cells::count_watching;
use crate::plan::run_plan::RunPlan;
use crate::recode::columns::ReleasedColumns;
use crate::recode::exposure_observer::ExposureObserver;
use crate::recode::finished_rows;
use crate::recode::pass::{
    HiddenFields, LabelPairs, OutputColumn, ROW_NUMBER, RecodeContext, RecodePass, RowTexts,
};
use crate::recode::release_plan::ReleasePlan;
use crate::recode::row_assignment::RowAssignment;
use crate::{
    Arranger, CsvEncoder, Error, NULL, OutputFile, Result, Source, TableLayout, read_sample,
};

/// Rows up to this much memory are arranged in memory, more of them through temporary files.
const ARRANGE_MEMORY: usize = 160 << 20;

/// A table that is read here, and where its release goes.
pub struct LocalTable<'a> {
    source: &'a Source,
    destination: Option<ReleaseDestination>,
    recoded: Option<RecodedRows>,
    written: Option<WrittenRelease>,
    #[cfg(feature = "parquet")]
    table: Option<crate::MemoryTable>,
}

impl std::fmt::Debug for LocalTable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalTable").field("source", &self.source.name()).finish_non_exhaustive()
    }
}

/// Rows on their way from recoding to writing.
struct RecodedRows {
    texts: RowTexts,
    layout: TableLayout,
    encoder: CsvEncoder,
    arranger: Option<Arranger>,
    hidden: HiddenFields,
    fates: Option<Vec<RowAssignment>>,
    exposure: Exposure,
    /// All rows, where they depend on each other.
    rows: Option<Vec<Vec<u8>>>,
}

impl<'a> LocalTable<'a> {
    fn new(source: &'a Source, destination: Option<ReleaseDestination>) -> Self {
        LocalTable {
            source,
            destination,
            recoded: None,
            written: None,
            #[cfg(feature = "parquet")]
            table: None,
        }
    }

    /// A release that is looked at and not written.
    pub fn dry(source: &'a Source) -> Self {
        LocalTable::new(source, None)
    }

    /// A release that goes to a file, if there is one to go to; where it goes is checked before hours are spent.
    pub fn to_file(source: &'a Source, output: Option<&Path>) -> Result<Self> {
        let destination = output.map(ReleaseDestination::create).transpose()?;
        Ok(LocalTable::new(source, destination))
    }

    /// The same for a file that is no link: for names that nobody has typed.
    pub fn to_plain_file(source: &'a Source, output: &Path) -> Result<Self> {
        Ok(LocalTable::new(source, Some(ReleaseDestination::create_in_place(output)?)))
    }

    /// A release that goes to a text file which a database reads: NULL is [`NULL`](crate::NULL), without quotes.
    pub fn to_database_text(source: &'a Source, output: &Path) -> Result<Self> {
        Ok(LocalTable::new(source, Some(ReleaseDestination::create_for_database(output)?)))
    }

    /// A release that stays in memory.
    #[cfg(feature = "parquet")]
    pub fn in_memory(source: &'a Source) -> Self {
        LocalTable::new(source, Some(ReleaseDestination::Memory))
    }

    /// A release that is written and waits to be committed.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_written(source: &'a Source, written: WrittenRelease) -> Self {
        LocalTable { written: Some(written), ..LocalTable::dry(source) }
    }

    /// The file of the release, which has no name yet.
    pub fn file(&self) -> Option<&OutputFile> {
        self.written.as_ref()?.file()
    }

    /// The same, for whoever puts its rows somewhere else.
    pub fn take_file(&mut self) -> Option<OutputFile> {
        self.written.take_if(|written| written.file().is_some())?.into_release().ok()
    }

    /// The release in memory, once it is committed.
    #[cfg(feature = "parquet")]
    pub fn into_table(self) -> Option<crate::MemoryTable> {
        self.table
    }

    /// Who each row of the release is of, where that is not released.
    pub(crate) fn units(&self) -> Option<Vec<u64>> {
        self.written.as_ref()?.units.clone()
    }

    fn watch(
        &self,
        plan: &ReleasePlan<'_>,
        read: &[usize],
    ) -> (ExposureObserver, incrowd_assess::expose::ExposureCollector) {
        ExposureObserver::new(plan.job, self.source, plan.problem.rows, read)
    }
}

impl TableBackend for LocalTable<'_> {
    fn count(&mut self, plan: RunPlan<'_>, control: &Control) -> Result<TableCounts> {
        let columns = places(self.source, &plan.job.problem.columns())?;
        let (counts, tallies) =
            count_watching(self.source, &columns, &plan.job.watched(plan.source), control)?;
        let (rows, watched) = (counts.rows(), tallies.iter().map(ValueCounts::from).collect());
        Ok(TableCounts { counts, watched, rows })
    }

    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        rows: u64,
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        comparison.look(self.source, rows, &plan.job.missing, control)
    }

    fn rows_by_chance(
        &mut self,
        _: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        control: &Control,
    ) -> Result<Option<Table>> {
        let most = SAMPLE as usize;
        if self.source.treatments().is_empty() {
            let columns = [known, released].concat();
            return Ok(Some(read_sample(self.source, &columns, most, false, control)?));
        }
        let before = read_sample(self.source, known, most, true, control)?;
        let after = read_sample(self.source, released, most, false, control)?;
        let columns = before.columns().iter().chain(after.columns()).cloned();
        Ok(Some(Table::new(columns.collect())?))
    }

    fn sample(&self) -> Option<&Source> {
        Some(self.source)
    }

    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &Requirements,
        control: &Control,
    ) -> Result<LabelPairs> {
        control.tell(Event::Phase(RunPhase::Write));
        let ReleasePlan { job, problem, release, .. } = *plan;
        let ReleasedColumns { read, mut columns, mut layout, unit } = plan.columns()?;
        let (watch, mut gathering) = self.watch(plan, &read);
        let depends = job.finishing.is_needed();
        let dry = self.destination.is_none() && !depends;
        let is_text = self.destination.as_ref().is_some_and(ReleaseDestination::is_text);
        layout.csv_safe = job.csv_safe && is_text;
        layout.byte_order_mark = job.byte_order_mark;
        let null = self.destination.as_ref().map_or(NULL, ReleaseDestination::null);
        layout.null = self.source.tells_null().then_some(null);
        if let Some(delimiter) = self.destination.as_ref().and_then(ReleaseDestination::delimiter) {
            layout.delimiter = delimiter;
        }
        let encoder = layout.encoder()?;
        let unit = unit.filter(|_| !dry);
        columns.extend(unit.map(OutputColumn::Plain));
        columns.extend(depends.then_some(OutputColumn::Plain(ROW_NUMBER)));
        let recoder = RecodeContext {
            problem,
            release,
            columns: &columns,
            encoder: &encoder,
            hidden: unit,
            missing: &job.missing,
        };
        let texts = RowTexts::new(&recoder, job.order);
        let folder = self
            .destination
            .as_ref()
            .map_or_else(tempfile::env::temp_dir, ReleaseDestination::folder);
        let mut arranger = (!dry).then(|| Arranger::new(job.order, ARRANGE_MEMORY, &folder));
        let mut fates = depends.then(Vec::new);
        // Rows that nobody writes are read for what they show alone.
        let pairs = match dry && !watch.is_needed() {
            true => LabelPairs::of_release(release),
            false => {
                let (watched, into) = ((&watch, &mut gathering), arranger.as_mut());
                let pass = RecodePass::new(&recoder, &texts);
                pass.run(self.source, &read, into, watched, fates.as_mut(), control)?
            }
        };
        let hidden =
            HiddenFields { units: unit.map(|_| Vec::new()), numbers: depends.then(Vec::new) };
        let exposure = gathering.finish(problem, release);
        let rows = None;
        self.recoded =
            Some(RecodedRows { texts, layout, encoder, arranger, hidden, fates, exposure, rows });
        Ok(pairs)
    }

    fn finish(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<FinalRows> {
        let recoded = self.recoded.as_mut().ok_or_else(out_of_order)?;
        // Where rows depend on each other, all must be there before one is written.
        let (Some(fates), Some(arranger)) =
            (recoded.fates.take(), recoded.arranger.take_if(|_| plan.job.finishing.is_needed()))
        else {
            let exposure = recoded.exposure.clone();
            return Ok(FinalRows { exposure, ..FinalRows::default() });
        };
        let RecodedRows { texts, layout, hidden, .. } = recoded;
        let mut rows = Vec::new();
        texts.finish(arranger, |row| {
            rows.push(hidden.strip(row).to_vec());
            Ok(())
        })?;
        let HiddenFields { units, numbers } = std::mem::take(hidden);
        let rows = finished_rows::EncodedRows { rows, units, numbers: numbers.unwrap_or_default() };
        let done = match finished_rows::finish(plan, layout, rows, &fates, requirements, control) {
            Ok(done) => done,
            Err(error) if error.check.is_some() => {
                return Ok(FinalRows { obstacle: Some(error), ..FinalRows::default() });
            }
            Err(error) => return Err(error),
        };
        let mut kept = vec![false; fates.len()];
        done.rows.numbers.iter().for_each(|&number| kept[number as usize] = true);
        recoded.hidden.units = done.rows.units;
        recoded.rows = Some(done.rows.rows);
        Ok(FinalRows {
            exposure: done.exposure,
            remaining: Some(RemainingRelease { release: done.release, kept }),
            finished: done.finished,
            obstacle: None,
        })
    }

    fn reads_back(&self, plan: &ReleasePlan<'_>, column: &str, value: &str) -> Option<String> {
        let at = plan.source.place_of(column).ok()?;
        self.destination.as_ref()?.reads_back(&plan.source.released_type(at), value)
    }

    fn stage(&mut self, _: &ReleasePlan<'_>, _: &Control) -> Result<bool> {
        let Some(destination) = self.destination.take() else { return Ok(false) };
        let is_text = destination.is_text();
        let RecodedRows { texts, layout, encoder, mut arranger, mut hidden, rows, .. } =
            self.recoded.take().ok_or_else(out_of_order)?;
        let mut emit = |write: &mut dyn FnMut(&[u8]) -> Result<()>| match &rows {
            Some(rows) => rows.iter().try_for_each(|row| write(row)),
            None => match arranger.take() {
                Some(arranger) => texts.finish(arranger, |row| write(hidden.strip(row))),
                None => Ok(()),
            },
        };
        let mut written = WrittenRelease::write(destination, &layout, &mut emit)?;
        layout.names.iter().for_each(|name| drop(encoder.label(name)));
        written.formulas = is_text && !layout.csv_safe && encoder.met_formulas();
        written.units = hidden.units;
        self.written = Some(written);
        Ok(true)
    }

    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack> {
        let written = self.written.as_ref().ok_or_else(out_of_order)?;
        let mut found = written.read_back(requirements, control)?;
        let (finishing, missing) = (&plan.job.finishing, &plan.job.missing);
        if !finishing.is_none() {
            let released = written.open()?;
            let (units, verdict) = (written.units.as_deref(), &mut found.verdict);
            finished_rows::judge_beyond(
                &released,
                units,
                requirements,
                finishing,
                verdict,
                control,
            )?;
            let original = plan.source;
            finished_rows::judge_replaced(
                &released, original, finishing, missing, verdict, control,
            )?;
        }
        Ok(found)
    }

    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        rows: &FinalRows,
        control: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        let kept = rows.remaining.as_ref().map(|remaining| &remaining.kept[..]);
        plan.suppression_effects(kept, control)
    }

    fn draws(&self) -> PreviewScope {
        let is_memory = |written: &WrittenRelease| written.file().is_none();
        match &self.written {
            Some(written) if is_memory(written) => PreviewScope::Both,
            Some(_) => PreviewScope::OnRequest,
            None => PreviewScope::Shared,
        }
    }

    fn commit(&mut self, _: ReleasePermit, mut files: Vec<OutputFile>) -> Result<()> {
        let Some(written) = self.written.take() else { return OutputFile::commit_all(files) };
        match written.into_release() {
            Ok(file) => {
                files.insert(0, file);
                OutputFile::commit_all(files)
            }
            #[cfg(feature = "parquet")]
            Err(table) => {
                OutputFile::commit_all(files)?;
                self.table = Some(table);
                Ok(())
            }
        }
    }
}

fn out_of_order() -> Error {
    Error::new("the steps of the run are out of order")
        .help("please report this as a fault of incrowd")
}
