//! The whole way from a question to a release.

use incrowd_engine::Control;

use super::certificate::CertificateWriter;
use super::release::StepContext;
use super::searched_run::SearchedRun;
use super::staged_release::StagedRelease;
use crate::backend::local::LocalTable;
use crate::backend::table_backend::TableBackend;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::report::run_report::RunReport;
use crate::report::status::SearchStatus;
use crate::verify::certificate_check::CertificateCheck;
use crate::{OutputFile, Result, Source};

impl RunPlan<'_> {
    /// Goes all the way: what is made is complete and has passed every check, and waits to be
    /// [committed](StagedRelease::commit). That there is no release is a result, not an error.
    pub fn stage(self, backend: &mut dyn TableBackend, control: &Control) -> Result<StagedRelease> {
        let mut guessed = None;
        for _ in 0..REPAIRS {
            let plan = guessed.as_ref().map_or(self, |job| RunPlan { job, ..self });
            match plan.attempt(backend, control) {
                Err(error) => match plan.job.without_refused(&error, self.source) {
                    Some(job) => guessed = Some(job),
                    None => return Err(error),
                },
                done => return done,
            }
        }
        guessed.as_ref().map_or(self, |job| RunPlan { job, ..self }).attempt(backend, control)
    }

    fn attempt(self, backend: &mut dyn TableBackend, control: &Control) -> Result<StagedRelease> {
        // It lists the original values. Where it goes is checked before hours are spent.
        let recoding = self.job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
        let Some(certificate) = CertificateWriter::new(self.job)? else {
            let searched = self.search(backend, control)?;
            return searched.stage_with(recoding, self, backend, control);
        };
        let mut searched = self.search(backend, &certificate.control(control))?;
        let file = certificate.finish(self.job.missing.clone())?;
        let checked = match self.job.certified {
            true => Some(CertificateCheck::of_source(self.source, file.reopen()?)?),
            false => None,
        };
        if checked.as_ref().is_some_and(|checked| !checked.holds) {
            searched.solution = searched.solution.without_proof();
        }
        let mut staged = searched.stage_with(recoding, self, backend, control)?;
        if let Some(checked) = checked {
            staged.report.tell_checked(checked);
        }
        staged.files.push(file);
        Ok(staged)
    }

    /// Counts the rows and searches for a release.
    pub fn search(self, backend: &mut dyn TableBackend, control: &Control) -> Result<SearchedRun> {
        self.job.refuse_no_protection()?;
        self.count(backend, control)?.search(self.job, control)
    }
}

impl SearchedRun {
    /// What there is to tell of the release before anything is written, with its preview. What is refused when it is written is
    /// refused here.
    pub fn report(&self, job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
        let mut backend = LocalTable::dry(source);
        let plan = RunPlan::new(job, source);
        Ok(self.stage_with(None, plan, &mut backend, control)?.report)
    }

    /// Makes, judges and stages the release. The job must put the same question; where things go may differ.
    pub fn stage(
        &self,
        plan: RunPlan<'_>,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<StagedRelease> {
        let recoding = plan.job.recoding.as_deref().map(OutputFile::create_private).transpose()?;
        self.stage_with(recoding, plan, backend, control)
    }

    fn stage_with(
        &self,
        recoding: Option<OutputFile>,
        plan: RunPlan<'_>,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<StagedRelease> {
        // The user has seen to the end of the search, not of the run: what it found is still written.
        let interrupted = SearchStatus::from(&self.solution.outcome).is_interrupted();
        let control = if interrupted { &control.to_the_end() } else { control };
        let job = self.narrowed(plan.job);
        let plan = RunPlan { job: &job, ..plan };
        let mut step = StepContext { plan, searched: self, backend, control };
        match step.judge()? {
            None => Ok(step.nothing()),
            Some(judged) => judged.stage(recoding, &mut step),
        }
    }
}

/// How often columns whose roles were guessed are left out because a check refuses them, before the refusal is told.
const REPAIRS: usize = 4;

/// Runs a job on its source. The release and the recoding appear together or not at all.
pub fn run(job: &Job, source: &Source, control: &Control) -> Result<RunReport> {
    RunPlan::new(job, source).run_to_file(control)
}

impl RunPlan<'_> {
    /// Runs the job; the release goes where the job says.
    pub(crate) fn run_to_file(self, control: &Control) -> Result<RunReport> {
        let mut backend = LocalTable::to_file(self.source, self.job.output.as_deref())?;
        self.stage(&mut backend, control)?.commit(&mut backend, [])
    }
}
