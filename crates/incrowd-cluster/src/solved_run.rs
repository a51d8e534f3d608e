//! The search on what was counted, and the end of the run.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use incrowd_engine::release::RowDisposition;
use incrowd_engine::table::ProfileIndex;
use incrowd_engine::{Control, SavedRecoding, Shuffler};
use incrowd_run::{
    ApplyOptions, Error, ErrorKind, Job, JudgedRelease, Result, RunPlan, RunReport, SearchStatus,
    SearchedRun, SpecFile, StagedRelease, StepContext,
    backend::OutputColumn,
    data::{Order, Source, text_of_field},
};

use super::combinations::CombinationColumns;
use super::partial_counts::PartialCounts;
use super::reading_plan::ReadingPlan;
use super::recoding_message::RecodingMessage;
use super::released_rows::ReleasedRows;
use super::table::ClusterTable;
use super::{DistributedRun, PartialVerification, RowRecoder, VerificationPlan};

/// A run whose search has ended: what is left is to recode the rows, to write them, and to look at what was written.
pub struct SolvedRun {
    file: Option<SpecFile>,
    applied: Option<ApplyOptions>,
    pub(super) job: Job,
    source: Source,
    pub(super) searched: SearchedRun,
    pub(super) table: ClusterTable,
    /// The release that is to be made.
    pub(super) judged: Option<JudgedRelease>,
    staged: Option<StagedRelease>,
}

impl std::fmt::Debug for SolvedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let outcome = &self.searched.solution().outcome;
        f.debug_struct("Solved").field("outcome", outcome).finish_non_exhaustive()
    }
}

impl DistributedRun {
    /// Searches: from what was counted of all parts, with the same checks as on one machine. A population, if there is
    /// one, may lie in memory.
    pub fn solve(
        self,
        reading: &ReadingPlan,
        counted: PartialCounts,
        population: Option<&Source>,
        control: &Control,
    ) -> Result<SolvedRun> {
        let rows = counted.rows();
        self.solve_for(reading, counted, population, control, rows)
    }

    /// The same where the table has so many rows, and the counted ones may be some of them.
    pub(super) fn solve_for(
        self,
        reading: &ReadingPlan,
        counted: PartialCounts,
        population: Option<&Source>,
        control: &Control,
        rows: u64,
    ) -> Result<SolvedRun> {
        let DistributedRun { file, applied, job, source, implied, .. } = self;
        if counted.is_full() {
            return Err(Error::new(format!(
                "there are more than {} combinations of the quasi-identifiers",
                incrowd_engine::words::thousands(reading.most as u64)
            )));
        }
        let mut table = ClusterTable::new(reading, counted, &source, rows)?;
        let plan = RunPlan::new(&job, &source).with_population(population);
        let plan = plan.with_implied(implied.as_ref());
        let searched = match &applied {
            None => plan.search(&mut table, control)?,
            Some(applied) => applied.search(plan, &mut table, control)?,
        };
        let job = searched.narrowed(&job);
        let plan = RunPlan::new(&job, &source).with_population(population);
        let backend = &mut table;
        let judged = StepContext { plan, searched: &searched, backend, control }.judge()?;
        Ok(SolvedRun { file, applied, job, source, searched, table, judged, staged: None })
    }
}

impl SolvedRun {
    /// Whether there is something to release.
    pub fn has_release(&self) -> bool {
        self.searched.release().is_some()
    }

    /// The job, for whoever tells of it.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The spec that is run; none where a saved recoding is applied.
    pub fn file(&self) -> Option<&SpecFile> {
        self.file.as_ref()
    }

    /// What the table is called.
    pub fn name(&self) -> String {
        self.source.file_name()
    }

    /// The order of the released rows.
    pub fn order(&self) -> Order {
        self.job.order
    }

    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub fn recoding(&self) -> Option<SavedRecoding> {
        if let Some(applied) = &self.applied {
            return Some(applied.recoding.clone());
        }
        // What is here knows a sample only where the release is made of blocks.
        let plan = RunPlan::new(&self.job, &self.source);
        self.searched.saved_recoding(plan).filter(|_| self.table.blocks.is_none())
    }

    /// What goes to the rows to recode them.
    pub fn recoder(&self) -> Result<RowRecoder> {
        let release = self.searched.release().ok_or_else(no_release)?;
        let columns = self.table.columns.as_ref().ok_or_else(no_release)?;
        RowRecoder::new(RecodingMessage::new(
            &self.table.reading,
            self.searched.problem(),
            self.searched.counts(),
            release,
            &columns.columns,
            columns.unit,
            self.order_key(),
            self.table.parts.clone(),
        ))
    }

    /// What the places of rows are drawn from, if they are put into a random order. Whoever knows it can undo that.
    pub fn order_key(&self) -> Option<[u8; 32]> {
        match self.job.order {
            Order::Shuffled { seed } => {
                let mut words = Shuffler::new(seed);
                let mut key = [0; 32];
                for bytes in key.chunks_exact_mut(4) {
                    bytes.copy_from_slice(&words.word().to_le_bytes());
                }
                Some(key)
            }
            Order::Sorted | Order::Kept => None,
        }
    }

    /// What goes to those who read the written release back.
    pub fn checking(&self) -> Result<VerificationPlan> {
        let release = self.searched.release().ok_or_else(no_release)?;
        let released = self.table.columns.as_ref().ok_or_else(no_release)?;
        let requirements = self.judged.as_ref().ok_or_else(no_release)?.requirements();
        let (mut labels, mut unchanged, mut at) = (Vec::new(), Vec::new(), 0);
        for column in &released.columns {
            match *column {
                OutputColumn::Quasi(attribute) => {
                    let names = release.names(attribute).len();
                    labels.extend(at..at + names);
                    at += names;
                }
                OutputColumn::Plain(_) => {
                    unchanged.push(at);
                    at += 1;
                }
            }
        }
        let header = released.layout.names.clone();
        let counted = self.searched.problem().codebooks.len();
        let places = released.columns.iter().filter_map(|column| match *column {
            OutputColumn::Plain(place) => Some(place),
            OutputColumn::Quasi(_) => None,
        });
        let tallied = unchanged.iter().zip(places).filter(|&(_, place)| place >= counted);
        let hidden = released.unit.is_some();
        Ok(VerificationPlan {
            k: requirements.k,
            quasi: requirements.quasi.clone(),
            tallied: tallied.map(|(&at, _)| at).collect(),
            sensitive: requirements.models.iter().map(|model| model.column.clone()).collect(),
            narrowing: requirements.narrowing.clone(),
            missing: self.job.missing.clone(),
            told: requirements.told.clone(),
            unit: requirements.unit.clone().filter(|_| hidden),
            released_unit: requirements.unit.clone().filter(|_| !hidden),
            header,
            labels,
            unchanged,
        })
    }

    /// Ends a run that made nothing.
    pub fn unsolved(&mut self) -> RunReport {
        let SolvedRun { job, source, searched, table, .. } = self;
        let (plan, control) = (RunPlan::new(job, source), &Control::new());
        StepContext { plan, searched, backend: table, control }.nothing().report
    }

    /// Judges what was seen of all parts of the written release, which nobody else has seen yet. Where units stood beside the
    /// rows, `released` is what was seen of the release itself, which must be the same but for them. The release passes
    /// every check, or this is an error. It waits to be [committed](Self::commit).
    pub fn finish(
        &mut self,
        checked: PartialVerification,
        released: Option<PartialVerification>,
        output: Option<PathBuf>,
    ) -> Result<RunReport> {
        let Some(judged) = self.judged.clone() else { return Ok(self.unsolved()) };
        let SolvedRun { job, source, searched, table, .. } = self;
        table.checked = Some((checked, released));
        let (plan, control) = (RunPlan::new(job, source), &Control::new());
        let mut step = StepContext { plan, searched, backend: table, control };
        let mut staged = judged.stage(None, &mut step)?;
        staged.report.output = output;
        if let Some(applied) = &self.applied {
            applied.warn(&mut staged.report);
        }
        let report = staged.report.clone();
        self.staged = Some(staged);
        Ok(report)
    }

    /// Has the release put in its place, where others see it.
    pub fn commit(&mut self, place: Box<dyn FnOnce() -> Result<()> + Send>) -> Result<()> {
        let staged = self.staged.take().ok_or_else(no_release)?;
        self.table.place = Some(place);
        staged.commit(&mut self.table, []).map(drop)
    }

    /// Whether rows of an earlier release stay what they are: each of these counted combinations of their labels, in the
    /// order of [`ReleasedRows::columns`], is released as itself. Groups that overlap may take rows from each other.
    pub fn keeps(&self, earlier: &ReleasedRows, combinations: &RecordBatch) -> Result<bool> {
        let problem = self.searched.problem();
        let release = self.searched.release().ok_or_else(no_release)?;
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        let names = earlier.columns();
        let labels = CombinationColumns::new(combinations, names.len())?;
        for at in 0..labels.len() {
            let fields: Vec<&str> = (0..names.len()).map(|of| labels.text(of, at)).collect();
            let values = earlier.values(&fields)?;
            let codes = problem.codebooks.iter().zip(&values).map(|(book, value)| book.code(value));
            let codes: Option<Vec<u32>> = codes.collect();
            let Some(cell) = codes.and_then(|codes| index.find(&codes)) else { return Ok(false) };
            // Where the values of other columns decide, too, all must go the same way.
            let targets = problem.cells.targets(cell as usize).iter().map(|it| it.0);
            for target in
                targets.chain(problem.cells.targets(cell as usize).is_empty().then_some(0))
            {
                let RowDisposition::Class(class) = release.disposition_of(cell, target, 0) else {
                    return Ok(false);
                };
                let shown = (0..problem.attributes.len()).flat_map(|attribute| {
                    &release.labels(attribute)[release.label_of(attribute, class) as usize]
                });
                if !shown.map(String::as_str).eq(fields.iter().map(|it| shown_field(it))) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Judges earlier rows and those of this run together, as they were written: all that is asked for must hold.
    pub fn holds_with(&self, whole: PartialVerification) -> Result<()> {
        let judged = self.judged.as_ref().ok_or_else(no_release)?;
        let (verdict, _) = whole.judged(judged.requirements())?;
        if verdict.holds {
            return Ok(());
        }
        let verdict = incrowd_run::verdict_for_messages(verdict);
        let what = verdict.violations.first().map_or(String::new(), |it| it.message.clone());
        Err(Error::new(format!(
            "the earlier and the new rows together do not hold what the recoding asks for: {what}"
        ))
        .help("nothing was written; make a new release of all rows")
        .of_kind(ErrorKind::Refused)
        .of_check("k-anonymity"))
    }

    /// The status of the search.
    pub fn status(&self) -> SearchStatus {
        SearchStatus::from(&self.searched.solution().outcome)
    }
}

/// The text that is shown for a field; NULL is shown as nothing.
fn shown_field(field: &str) -> &str {
    text_of_field(field).unwrap_or_default()
}

fn no_release() -> Error {
    Error::new("there is no release").of_kind(ErrorKind::Refused)
}
