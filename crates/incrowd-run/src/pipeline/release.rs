//! A release on its way from a plan to rows that were read back.

use incrowd_assess::bias::SuppressionEffect;
use incrowd_engine::release::ReleasePreview;
use incrowd_engine::{Control, Release, Solution};
use incrowd_verify::Requirements;

use super::searched_run::SearchedRun;
use super::staged_release::StagedRelease;
use crate::backend::table_backend::{PreviewScope, TableBackend};
use crate::checks::evidence::{FinalRows, FinishedEvidence, ReadBack, RunEvidence};
use crate::checks::implied::no_release_with;
use crate::checks::judgement::Judgement;
use crate::checks::{roles, spellings};
use crate::plan::run_plan::RunPlan;
use crate::plan::warning::Warning;
use crate::recode::pass::LabelPairs;
use crate::recode::release_plan::ReleasePlan;
use crate::recode::saved::saved;
use crate::report::run_report::{ReleaseArtifacts, RunContext};
use crate::verify::requirements;
use crate::{Error, ErrorKind, OutputFile, Result};

/// Where a step of a run works.
pub struct StepContext<'a> {
    /// The question.
    pub plan: RunPlan<'a>,
    /// What was found.
    pub searched: &'a SearchedRun,
    /// Where the rows are.
    pub backend: &'a mut dyn TableBackend,
    /// Who hears of it and may end it.
    pub control: &'a Control,
}

/// A release whose rows are made.
#[derive(Debug, Clone)]
pub struct RecodedRelease {
    requirements: Requirements,
    pairs: LabelPairs,
    judgement: Judgement,
}

/// A release whose rows are what they will be.
#[derive(Debug, Clone)]
pub struct FinishedRelease {
    recoded: RecodedRelease,
    rows: FinalRows,
}

/// A release that has passed every check that can be made before it is written.
#[derive(Debug, Clone)]
pub struct JudgedRelease(FinishedRelease);

impl StepContext<'_> {
    /// Makes the rows of the release; nothing if there is none.
    pub fn recode(&mut self) -> Result<Option<RecodedRelease>> {
        let RunPlan { job, .. } = self.plan;
        let Some(plan) = self.searched.planned(self.plan) else { return Ok(None) };
        let reads_back = |column: &str, value: &str| self.backend.reads_back(&plan, column, value);
        let mut requirements =
            requirements::requirements(plan.problem, &job.identifying, &job.missing, &reads_back)?;
        requirements.reference = job.reference;
        let follows = job.finishing.follows.iter().map(|(column, _)| column.clone());
        requirements.narrowing.extend(follows);
        let pairs = self.backend.recode(&plan, &requirements, self.control)?;
        let judgement = self.searched.judgement.clone();
        Ok(Some(RecodedRelease { requirements, pairs, judgement }))
    }

    /// Makes the rows of the release and runs every check that does not need what is written; nothing if there is no release.
    pub fn judge(&mut self) -> Result<Option<JudgedRelease>> {
        let implied = &self.searched.implied;
        match self.recode()? {
            None if !implied.is_empty() => {
                Err(no_release_with(self.plan.job, implied, "too few people share them"))
            }
            None => Ok(None),
            Some(recoded) => Ok(Some(recoded.finish(self)?.judge(self)?)),
        }
    }

    /// The end of a run that made nothing.
    pub fn nothing(&self) -> StagedRelease {
        StagedRelease {
            report: self.ran(&self.searched.solution).unsolved(),
            recoding: None,
            requirements: None,
            files: Vec::new(),
            release: None,
            judgement: self.searched.judgement.clone(),
            staged: false,
        }
    }

    fn ran<'s>(&'s self, solution: &'s Solution) -> RunContext<'s> {
        let SearchedRun { problem, started, .. } = self.searched;
        RunContext { job: self.plan.job, problem, solution, started: *started }
    }
}

impl RecodedRelease {
    /// Does what needs all rows at once.
    pub fn finish(self, step: &mut StepContext<'_>) -> Result<FinishedRelease> {
        let plan = step.searched.planned(step.plan).ok_or_else(no_release)?;
        let rows = step.backend.finish(&plan, &self.requirements, step.control)?;
        Ok(FinishedRelease { recoded: self, rows })
    }
}

impl FinishedRelease {
    /// Runs every check that does not need what is written.
    pub fn judge(mut self, step: &mut StepContext<'_>) -> Result<JudgedRelease> {
        self.look(step, None, None, false)?;
        Ok(JudgedRelease(self))
    }

    fn look(
        &mut self,
        step: &StepContext<'_>,
        read_back: Option<&ReadBack>,
        effects: Option<&[SuppressionEffect]>,
        dry: bool,
    ) -> Result<()> {
        let plan = step.searched.planned(step.plan).ok_or_else(no_release)?;
        let RecodedRelease { requirements, pairs, judgement } = &mut self.recoded;
        let subjects = judgement.subjects.clone();
        let release = FinishedEvidence {
            plan: &plan,
            pairs,
            rows: &self.rows,
            requirements,
            subjects: &subjects,
        };
        judgement.look(&RunEvidence {
            release: Some(release),
            read_back,
            effects,
            dry,
            control: step.control.clone(),
            ..RunEvidence::of_back_end(step.plan.job, step.plan.source, None)
        })
    }
}

impl JudgedRelease {
    /// What the release must hold.
    pub fn requirements(&self) -> &Requirements {
        &self.0.recoded.requirements
    }

    /// Tells how many rows of the whole table have each value of a sensitive column, where the run has counted some of
    /// them only. Nothing else of what the release must hold can be changed.
    pub fn set_overall(&mut self, rows_of: impl Fn(&str) -> Option<Vec<(String, u64)>>) {
        for model in &mut self.0.recoded.requirements.models {
            if let Some(rows) = rows_of(&model.column) {
                model.overall = Some(rows);
            }
        }
    }

    /// Writes the release where nobody sees it, reads it back, runs the checks that look at what was written, and tells all of
    /// it. The recoding goes to a file, if there is one.
    pub fn stage(
        self,
        recoding: Option<OutputFile>,
        step: &mut StepContext<'_>,
    ) -> Result<StagedRelease> {
        let JudgedRelease(mut finished) = self;
        let StepContext { plan: RunPlan { job, source, .. }, searched, control, .. } = *step;
        let plan = searched.planned(step.plan).ok_or_else(no_release)?;
        let staged = step.backend.stage(&plan, control)?;
        let read_back = match staged {
            false => None,
            true => {
                let requirements = &finished.recoded.requirements;
                Some(step.backend.read_back(&plan, requirements, control)?)
            }
        };
        // All that is told is told of the rows that are there at last.
        let at_last = ReleasePlan { release: finished.rows.release(plan.release), ..plan };
        let effects = step.backend.suppression_effects(&at_last, &finished.rows, control)?;
        finished.look(step, read_back.as_ref(), Some(&effects), !staged)?;
        if staged && control.is_cancelled() {
            return Err(Error::interrupted());
        }

        let FinishedRelease { recoded, rows } = finished;
        let RecodedRelease { requirements, judgement, .. } = recoded;
        let problem = plan.problem;
        let release = rows.release(plan.release);
        let mut warnings = roles::identifiers_as_quasi(job, plan.counts);
        warnings.extend(judgement.warnings(&[
            "unnamed-columns",
            "implied-columns",
            "repeated-subjects",
        ]));
        warnings.extend(spellings::case_variants(problem));
        warnings.extend(judgement.warnings(&["revealing-columns"]));
        warnings.extend(read_back.as_ref().filter(|it| it.formulas).map(|_| formulas()));
        warnings.extend(job.finishing.warnings());

        let mut exposure = rows.exposure.clone();
        let mut verdict = None;
        if let Some(found) = read_back {
            verdict = Some(found.verdict);
            if let Some((unchanged, together)) = found.singled_out {
                (exposure.unchanged, exposure.together) = (unchanged, together);
            }
        }
        let drawing = step.backend.draws();
        let cost = |release: &Release| release.measures.cost(problem.metric);
        let more_is_lost = cost(plan.release) < cost(release);
        let lessened = more_is_lost.then(|| {
            let mut lessened = searched.solution.clone();
            lessened.outcome = lessened.outcome.as_bound(cost(plan.release));
            lessened
        });
        let solution = lessened.as_ref().unwrap_or(&searched.solution);
        let recoded = searched.recoding().ok_or_else(no_release)?;
        let made = ReleaseArtifacts { source, recoding: recoded, release, verdict, exposure };
        let mut report = step.ran(solution).made(made);
        report.warnings.extend(warnings);
        report.checks = judgement.findings();
        if drawing == PreviewScope::Both {
            report.internal = Some(ReleasePreview::confidential(problem, recoded, release));
        }
        if let Some(told) = &mut report.shareable
            && matches!(drawing, PreviewScope::Both | PreviewScope::Shared)
        {
            told.draw(problem, recoded, release);
        }
        report.finish(&job.finishing, &rows.finished);
        report.left_out.clone_from(&job.left_out);
        report.guesses.clone_from(&job.guesses);
        report.accepted.clone_from(&job.accepted);
        report.context = job.context.map(|context| context.told());
        if drawing != PreviewScope::None {
            let population = searched.population.as_ref();
            report.journalist = population.map(|it| it.meet(job, problem, release));
        }
        if let Some(kind) = searched.saved {
            (report.method, report.kind) = ("saved".to_owned(), kind);
        }
        let report = step.backend.tell(problem, report).with_effects(effects, job.problem.max_bias);

        let wanted = recoding.is_some() || drawing == PreviewScope::Both;
        let saved =
            (wanted && searched.saved.is_none()).then(|| saved(job, source, problem, recoded));
        let mut files = Vec::new();
        if let (Some(file), Some(saved)) = (recoding, &saved) {
            files.push(file.filled(saved.to_json())?);
        }
        let kept = rows.remaining.map(|remaining| remaining.release);
        let release = (drawing == PreviewScope::Both).then(|| kept.unwrap_or(plan.release.clone()));
        let requirements = Some(requirements);
        Ok(StagedRelease {
            report,
            recoding: saved,
            requirements,
            files,
            release,
            judgement,
            staged,
        })
    }
}

fn formulas() -> Warning {
    Warning::new(
        "formulas",
        "some released texts begin with =, +, - or @, which a spreadsheet would compute; \
         --csv-safe puts an apostrophe before them",
    )
}

fn no_release() -> Error {
    Error::new("there is no release").of_kind(ErrorKind::Refused)
}
