//! The search on what was counted, and the end of the run.

use std::path::PathBuf;

use incrowd_engine::{Control, SavedRecoding, Shuffler};
use incrowd_run::{
    Error, ErrorKind, Job, JudgedRelease, Result, RunPlan, RunReport, SearchStatus, SearchedRun,
    SpecFile, StagedRelease, StepContext,
    backend::OutputColumn,
    data::{Order, Source},
};

use super::partial_counts::PartialCounts;
use super::reading_plan::ReadingPlan;
use super::recoding_message::RecodingMessage;
use super::table::ClusterTable;
use super::{DistributedRun, PartialVerification, RowRecoder, VerificationPlan};

/// A run whose search has ended: what is left is to recode the rows, to write them, and to look at what was written.
pub struct SolvedRun {
    file: SpecFile,
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
        let DistributedRun { file, job, source, implied, .. } = self;
        if counted.is_full() {
            return Err(Error::new(format!(
                "there are more than {} combinations of the quasi-identifiers",
                incrowd_engine::words::thousands(reading.most as u64)
            )));
        }
        let mut table = ClusterTable::new(reading, counted, &source, rows)?;
        let plan = RunPlan::new(&job, &source).with_population(population);
        let searched = plan.with_implied(implied.as_ref()).search(&mut table, control)?;
        let job = searched.narrowed(&job);
        let plan = RunPlan::new(&job, &source).with_population(population);
        let backend = &mut table;
        let judged = StepContext { plan, searched: &searched, backend, control }.judge()?;
        Ok(SolvedRun { file, job, source, searched, table, judged, staged: None })
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

    /// The spec that is run.
    pub fn file(&self) -> &SpecFile {
        &self.file
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

    /// The status of the search.
    pub fn status(&self) -> SearchStatus {
        SearchStatus::from(&self.searched.solution().outcome)
    }
}

fn no_release() -> Error {
    Error::new("there is no release").of_kind(ErrorKind::Refused)
}
