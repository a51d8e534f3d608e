//! What a run has to tell.

use std::path::PathBuf;
use std::time::Instant;

use incrowd_assess::bias::{ColumnBias, SuppressionEffect};
use incrowd_assess::expose::{Disclosure, Exposure, UnchangedColumn};
use incrowd_assess::risk::JournalistRisk;
use incrowd_assess::suppression::ColumnLoss;
use incrowd_assess::usefulness::{SubgroupLoss, subgroup_losses};
use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::release::{
    BlankCounts, LossMeasures, NodeLabelLoss, ReleasePreview, UnrelatedSets,
};
use incrowd_engine::search::{CoverFacts, LatticeFacts, SelectedMethod};
use incrowd_engine::words::thousands;
use incrowd_engine::{
    Algorithm, Metric, Outcome, Problem, ProcessTime, Recoding, Release, Solution, StopReason,
};
use incrowd_verify::Verdict;
use serde::Serialize;

use crate::Source;
use crate::checks::bias::largest_shift;
use crate::checks::finding::Finding;
use crate::plan::finishing::{FinishingPlan, FinishingResult};
use crate::plan::guessed_roles::GuessedRole;
use crate::plan::job::Job;
use crate::plan::ranges;
use crate::plan::ranges::RangeEnds;
use crate::plan::warning::Warning;
use crate::recode::suppression_losses;
use crate::report::column_results::column_results;
use crate::report::requirement_results::{
    RequirementResult, bias_reached, outside_reached, reached,
};
use crate::report::shareable::{Optimality, ShareableSummary};
use crate::report::statement::ColumnResult;
use crate::report::status::SearchStatus;
use crate::verify::certificate_check::CertificateCheck;

/// The facts of a run, for people and for programs.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// How the search ended.
    pub outcome: SearchStatus,
    /// The outcome in words, with what is proven of the cost.
    pub in_words: String,
    /// Why there is no solution, or why the search stopped.
    pub why: Option<String>,
    /// The algorithm that made the release, be it named or chosen.
    pub method: String,
    /// The kind of release: local, global, levels, cells or mixed.
    pub kind: ReleaseKind,
    /// How the algorithm was chosen, where none was named.
    pub auto: Option<SelectedMethod>,
    /// The metric that was minimized.
    pub metric: &'static str,
    /// The cost under that metric.
    pub cost: Option<f64>,
    /// A proven lower bound of the cost.
    pub bound: Option<f64>,
    /// The share of the cost that could be saved at most: (cost - bound) / cost. The cost is that of the labels as they are
    /// printed, where they say less than the groups that were priced.
    pub gap: Option<f64>,
    /// What is proven of every release of this kind, in a sentence.
    pub proven: Option<String>,
    /// What a check of the certificate confirmed, where the run had it checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateCheck>,
    /// The most detail that any release of this kind can keep, from 0 to 1, where that is proven.
    pub most_kept: Option<f64>,
    /// The k asked for.
    pub k: u64,
    /// Who is protected: the column that tells people apart, or `row`.
    pub unit: String,
    /// Whether a blank is taken to match anything, the weaker reading of k.
    pub wildcards: bool,
    /// How many rows the smallest class has, or how many people where those are protected; with wildcards the smallest
    /// crowd.
    pub achieved_k: Option<u64>,
    /// What was asked of risks beyond k, and what the release reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<RequirementResult>,
    /// Rows of the input.
    pub rows: u64,
    /// Distinct quasi-identifier combinations of the input.
    pub cells: usize,
    /// Classes released.
    pub classes: usize,
    /// Rows released, blank ones included.
    pub released: u64,
    /// Rows suppressed.
    pub suppressed: u64,
    /// Every metric that applies.
    pub metrics: Option<LossMeasures>,
    /// What the labels leave open as they are printed, from 0 to 1.
    pub released_gcp: Option<f64>,
    /// What it costs that local groups are told by one node of a hierarchy, beside sets of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_labels: Option<NodeLabelLoss>,
    /// How the ranges of numbers end, for each column that shows any.
    pub ranges: Vec<RangeEnds>,
    /// The quasi-identifiers: what somebody is taken to know who looks for a person.
    pub quasi: Vec<String>,
    /// Columns that are released as they are, and how many rows they single out.
    pub unchanged: Vec<UnchangedColumn>,
    /// All of them together, if there are several.
    pub unchanged_together: Option<UnchangedColumn>,
    /// What they tell of the original values of quasi-identifiers.
    pub tells: Vec<Disclosure>,
    /// What the release is for, and what suits that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<crate::spec::ContextAdvice>,
    /// Columns whose values were replaced, and how.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub treated: Vec<MaskedColumn>,
    /// Columns that follow a quasi-identifier, each with its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<(String, String)>,
    /// Columns by which k holds, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrowing: Vec<String>,
    /// Columns that are left out because nobody has named them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Roles that were guessed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<GuessedRole>,
    /// Columns that somebody accepts although they look as if they named people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// Units, and their rows, left out because too few share all of their linked rows; none where rows are not linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlinked: Option<UnlinkedUnits>,
    /// Rows left out because their class lost others so, and then failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub failing_rows: u64,
    /// What every check found, in the order of the list.
    pub checks: Vec<Finding>,
    /// What the user should think about.
    pub warnings: Vec<Warning>,
    /// Values that disappear with the suppressed rows, and groups that lose far more than their share.
    pub losses: Vec<ColumnLoss>,
    /// How suppression moves the shares of categories, by column; empty where nothing is suppressed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bias: Vec<ColumnBias>,
    /// The loss by value of every released column with few values; nothing is told of values that fewer than k rows have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subgroups: Vec<SubgroupLoss>,
    /// Columns released in sets of values that nothing relates to each other, which the penalty counts as if they were
    /// alike.
    pub unrelated_sets: Vec<UnrelatedSets>,
    /// What the user should know of the search, such as automatic bins.
    pub notes: Vec<String>,
    /// The recoding in words, a line per attribute.
    pub recoding: Vec<String>,
    /// What happened to every column.
    pub columns: Vec<ColumnResult>,
    /// The kind of recoding.
    pub recoding_kind: Option<&'static str>,
    /// Nodes that the search looked at.
    pub nodes: u64,
    /// What a search of full-domain generalizations has to tell: nodes in all, checked and pruned, the
    /// best nodes, and the frontier of cost against k.
    pub lattice: Option<LatticeFacts>,
    /// Where the blanks are, of a method that blanks cells.
    pub blanks: Option<BlankCounts>,
    /// How good a cover is.
    pub cover: Option<CoverFacts>,
    /// CPU time of the whole run.
    pub cpu_seconds: f64,
    /// Wall time of the whole run.
    pub wall_seconds: f64,
    /// Where the release was written; none for a dry run.
    pub output: Option<PathBuf>,
    /// What the independent verifier found in the written release; none for a dry run.
    pub verdict: Option<Verdict>,
    /// Where the report goes, if one was asked for.
    pub report: Option<PathBuf>,
    /// What may be told wherever the release may be seen; it is drawn if the job asks for a report.
    #[serde(skip)]
    pub shareable: Option<ShareableSummary>,
    /// The release beside its table with every row counted, suppressed ones too, if the job asks for an internal report:
    /// confidential.
    #[serde(skip)]
    pub internal: Option<ReleasePreview>,
    /// What somebody who has the population can hope for; none if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journalist: Option<JournalistRisk>,
}

/// A column whose values were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MaskedColumn {
    /// The column.
    pub column: String,
    /// What was done, as the spec says it.
    pub treat: String,
    /// The same in words.
    pub words: String,
}

/// Units that were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnlinkedUnits {
    /// How many.
    pub units: u64,
    /// Their rows.
    pub rows: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RunReport {
    /// The release beside its table, as it may be shared, if it was drawn.
    pub fn picture(&self) -> Option<&ReleasePreview> {
        self.shareable.as_ref()?.picture.as_ref()
    }

    /// Tells what the check of the certificate confirmed.
    pub(crate) fn tell_checked(&mut self, checked: CertificateCheck) {
        let told = match checked.holds {
            true => "the certificate was checked by code that the search does not share",
            false => {
                "the certificate does not confirm what the search claims, so nothing is claimed"
            }
        };
        self.notes.push(told.to_owned());
        if checked.holds {
            self.in_words.push_str(", certificate checked");
            if let Some(proven) = &mut self.proven {
                proven.push_str("; certificate checked");
            }
        }
        self.certificate = Some(checked);
    }

    /// Tells what was done when all rows were there.
    pub(crate) fn finish(&mut self, asked: &FinishingPlan, done: &FinishingResult) {
        self.treated = asked
            .treated
            .iter()
            .map(|(column, treat)| MaskedColumn {
                column: column.clone(),
                treat: treat.to_string(),
                words: treat.words(),
            })
            .collect();
        self.follows.clone_from(&asked.follows);
        self.narrowing.clone_from(&asked.narrowing);
        let (units, rows) = done.unlinked;
        self.unlinked = asked.linked.as_ref().map(|_| UnlinkedUnits { units, rows });
        self.failing_rows = done.failing;
    }
}

/// When a run began, by the clock and by the processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunClock {
    wall: Instant,
    cpu: ProcessTime,
}

impl RunClock {
    pub(crate) fn now() -> Self {
        RunClock { wall: Instant::now(), cpu: ProcessTime::now() }
    }
}

/// What the steps of a run produced.
pub(crate) struct RunContext<'a> {
    pub(crate) job: &'a Job,
    pub(crate) problem: &'a Problem,
    pub(crate) solution: &'a Solution,
    pub(crate) started: RunClock,
}

/// A release that was made, and what was found of it.
pub(crate) struct ReleaseArtifacts<'a> {
    pub(crate) source: &'a Source,
    pub(crate) recoding: &'a Recoding,
    pub(crate) release: &'a Release,
    /// None for a dry run.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) exposure: Exposure,
}

impl RunContext<'_> {
    /// The report of a run that made no release.
    pub(crate) fn unsolved(&self) -> RunReport {
        let RunContext { job, problem, solution, started } = *self;
        let proof = CostProof::new(&solution.outcome, None);
        RunReport {
            outcome: SearchStatus::from(&solution.outcome),
            in_words: proof.in_words,
            why: why(&solution.outcome),
            method: solution
                .chosen
                .as_ref()
                .map_or_else(|| job.method.info().name.to_owned(), |chosen| chosen.name.clone()),
            kind: job.method.kind(),
            auto: solution.chosen.clone(),
            metric: problem.metric.name(),
            cost: None,
            bound: proof.bound,
            gap: None,
            proven: None,
            certificate: None,
            most_kept: None,
            k: problem.privacy.k,
            unit: job.problem.unit.as_ref().map_or("row", |unit| &unit.name).to_owned(),
            wildcards: problem.privacy.wildcards,
            achieved_k: None,
            requirements: Vec::new(),
            rows: problem.rows,
            cells: problem.cells.len(),
            classes: 0,
            released: 0,
            suppressed: 0,
            metrics: None,
            released_gcp: None,
            node_labels: None,
            quasi: problem.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
            ranges: Vec::new(),
            unchanged: Vec::new(),
            unchanged_together: None,
            context: None,
            treated: Vec::new(),
            follows: Vec::new(),
            narrowing: Vec::new(),
            left_out: Vec::new(),
            guesses: Vec::new(),
            accepted: Vec::new(),
            unlinked: None,
            failing_rows: 0,
            tells: Vec::new(),
            checks: Vec::new(),
            warnings: Vec::new(),
            losses: Vec::new(),
            bias: Vec::new(),
            subgroups: Vec::new(),
            unrelated_sets: Vec::new(),
            notes: crate::report::many_values::notes(job, problem)
                .into_iter()
                .chain(solution.notes.iter().cloned())
                .collect(),
            recoding: Vec::new(),
            columns: Vec::new(),
            recoding_kind: None,
            nodes: solution.nodes,
            lattice: solution.lattice().cloned(),
            blanks: None,
            cover: solution.cover().copied(),
            cpu_seconds: started.cpu.elapsed().as_secs_f64(),
            wall_seconds: started.wall.elapsed().as_secs_f64(),
            output: None,
            verdict: None,
            report: job.report.clone(),
            shareable: None,
            internal: None,
            journalist: None,
        }
    }

    /// The report of a run that made a release.
    pub(crate) fn made(&self, made: ReleaseArtifacts<'_>) -> RunReport {
        let RunContext { job, problem, solution, .. } = *self;
        let ReleaseArtifacts { source, recoding, release, verdict, exposure } = made;
        let classes = &release.classes;
        let cost = release.measures.cost(problem.metric);
        let told = printed_cost(problem, &solution.outcome, &release.measures);
        let proof = CostProof::new(&solution.outcome, told);
        let recoded = release.recoded_attributes(problem, recoding);
        let mut shareable =
            ShareableSummary::of_release(problem, release, verdict.clone(), &exposure);
        shareable.optimality = Some(Optimality::of(&solution.outcome, proof.gap));
        shareable.warnings = job.warnings(source);
        shareable.warnings.extend(job.finishing.warnings());
        if job.report.is_some() {
            shareable.draw(problem, recoding, release);
        }
        let targets = released_targets(job);
        let least = problem.privacy.asked();
        let words = recoded.iter().map(|it| format!("{}: {}", it.name, it.words)).collect();
        let columns = column_results(job, source, recoded, &exposure);
        RunReport {
            cost,
            proven: proof.sentence(problem, job.method.kind(), told),
            most_kept: proof.most_kept(problem),
            in_words: proof.in_words,
            bound: proof.bound,
            gap: proof.gap,
            achieved_k: match &verdict {
                Some(verdict) => verdict.k,
                // How large crowds are is for the verifier to say.
                None if problem.privacy.wildcards => None,
                None => release.smallest_crowd(problem),
            },
            requirements: reached(problem, release)
                .into_iter()
                .chain(job.outside.map(outside_reached))
                .collect(),
            blanks: matches!(recoding, Recoding::Cellwise(_) | Recoding::Mixed(_))
                .then(|| BlankCounts::of(problem, classes)),
            classes: classes.released().count(),
            released: release.rows(),
            suppressed: problem.rows - classes.released_rows(),
            metrics: Some(release.measures.clone()),
            released_gcp: Some(release.measures.released_gcp),
            node_labels: match recoding {
                Recoding::Local(_) => release.node_label_loss(problem),
                _ => None,
            },
            ranges: ranges::ends_of(problem, release),
            unchanged: exposure.unchanged,
            unchanged_together: exposure.together,
            tells: exposure.tells,
            warnings: job.warnings(source),
            subgroups: subgroup_losses(problem, release, &targets, least),
            unrelated_sets: release.unrelated_sets(problem),
            recoding: words,
            columns,
            recoding_kind: Some(recoding.kind()),
            output: verdict.as_ref().and(job.output.clone()),
            verdict,
            shareable: Some(shareable),
            internal: job
                .internal_report
                .as_ref()
                .map(|_| ReleasePreview::confidential(problem, recoding, release)),
            ..self.unsolved()
        }
    }
}

/// The sensitive columns and the class column: those that are released as they are and that the problem knows.
fn released_targets(job: &Job) -> Vec<&str> {
    job.problem.targets.iter().map(|column| column.name.as_str()).collect()
}

impl RunReport {
    /// With what suppression does to the columns, told wherever a column is said to be kept, and what of a limit on bias is
    /// reached.
    pub(crate) fn with_effects(
        mut self,
        effects: Vec<SuppressionEffect>,
        max_bias: Option<f64>,
    ) -> Self {
        self.requirements.extend(max_bias.map(|most| bias_reached(most, largest_shift(&effects))));
        let (mut found, mut bias) = (Vec::new(), Vec::new());
        for effect in effects {
            found.extend(effect.loss);
            bias.extend(effect.bias);
        }
        self.bias = bias;
        self.warnings.extend(suppression_losses::warnings(&found));
        for loss in &found {
            let head = format!("{}: ", loss.column);
            let words = [loss.removed_words(), loss.uneven_words()].into_iter().flatten();
            let words: String = words.map(|words| format!("; but {words}")).collect();
            let line = self.recoding.iter_mut().find(|line| line.starts_with(&head));
            line.into_iter().for_each(|line| line.push_str(&words));
            let column =
                self.columns.iter_mut().find(|it| it.column == loss.column && it.kept.is_some());
            column.into_iter().for_each(|column| column.what.push_str(&words));
        }
        self.losses = found;
        self
    }
}

/// Why there is no solution, or why the search stopped.
pub(crate) fn why(outcome: &Outcome) -> Option<String> {
    if let Outcome::Infeasible { why } = outcome {
        return Some(why.clone());
    }
    let why = match outcome.stop_reason()? {
        StopReason::TimeLimit => "the time limit was reached",
        StopReason::Cancelled => "it was interrupted",
    };
    Some(why.to_owned())
}

/// What is proven of a solution's cost.
pub(crate) struct CostProof {
    /// No solution costs less.
    pub(crate) bound: Option<f64>,
    /// The share of the cost that could be saved at most.
    pub(crate) gap: Option<f64>,
    /// The outcome in words.
    pub(crate) in_words: String,
}

impl CostProof {
    /// What an outcome says of a solution of this cost, if there is one.
    pub(crate) fn new(outcome: &Outcome, cost: Option<f64>) -> Self {
        // What is proven optimal is its own bound.
        let bound = if outcome.is_optimal() { cost } else { outcome.bound() };
        let gap = cost.zip(bound).map(|(cost, bound)| gap(cost, bound));
        let head = match outcome {
            Outcome::Optimal(_) => "proven optimal".to_owned(),
            Outcome::Infeasible { why } => format!("infeasible: {why}"),
            Outcome::Stopped { reason: StopReason::TimeLimit, .. } => {
                "stopped by the time limit".to_owned()
            }
            Outcome::Stopped { reason: StopReason::Cancelled, .. } => "interrupted".to_owned(),
            // Nothing else claims more than that.
            _ => "feasible".to_owned(),
        };
        let in_words = match (outcome, cost, bound, gap) {
            (Outcome::Optimal(_), ..) => head,
            (_, Some(cost), Some(bound), Some(gap)) => format!(
                "{head}: cost {}, proven lower bound {}, gap {}",
                cost_text(cost),
                cost_text(bound),
                gap_text(gap)
            ),
            (_, None, Some(bound), _) => {
                format!(
                    "{head} before a release was found: proven lower bound {}",
                    cost_text(bound)
                )
            }
            _ => head,
        };
        CostProof { bound, gap, in_words }
    }

    /// The most detail that any release can keep, where the metric says so; nothing where the release is the best.
    fn most_kept(&self, problem: &Problem) -> Option<f64> {
        let worst = worst_cost(problem)?;
        self.bound.filter(|_| self.gap > Some(0.0)).map(|bound| 1.0 - bound / worst)
    }

    /// What is proven of every release of a kind, for people who have to decide whether a better one is worth looking
    /// for.
    pub(crate) fn sentence(
        &self,
        problem: &Problem,
        kind: ReleaseKind,
        cost: Option<f64>,
    ) -> Option<String> {
        // Where there is no better one the outcome says so.
        let (bound, cost) = (self.bound?, cost?);
        if bound >= cost {
            return None;
        }
        let head = format!("no {kind} release with k = {}", thousands(problem.privacy.k));
        let Some(worst) = worst_cost(problem) else {
            let metric = problem.metric.name();
            let (bound, cost) = (cost_text(bound), cost_text(cost));
            return Some(format!("{head} has a {metric} below {bound}; this one has {cost}"));
        };
        // Rounded so that it stays true.
        let least = |share: f64| format!("{:.2} %", (share * 1e4).floor() / 1e2);
        let most = |share: f64| format!("{:.2} %", (share * 1e4).ceil() / 1e2);
        Some(format!(
            "{head} can lose less than {} of the detail; this one loses {}",
            least(bound / worst),
            most(cost / worst)
        ))
    }
}

/// What a release costs that tells nothing, for metrics that are shares of it.
fn worst_cost(problem: &Problem) -> Option<f64> {
    match problem.metric {
        Metric::Ncp => {
            let weights: f64 = problem.attributes.iter().map(|it| it.weight).sum();
            Some(problem.rows as f64 * weights)
        }
        Metric::Loss | Metric::Precision => Some(1.0),
        _ => None,
    }
}

/// What a bound is compared with: the cost, or that of the labels as they are printed where they say less. What is proven
/// optimal is so by its metric.
fn printed_cost(problem: &Problem, outcome: &Outcome, measures: &LossMeasures) -> Option<f64> {
    let cost = measures.cost(problem.metric)?;
    match (problem.metric, worst_cost(problem)) {
        (Metric::Ncp, Some(worst)) if !outcome.is_optimal() => {
            // What the division by the worst cost has rounded is no loss.
            let printed = measures.released_gcp * worst * (1.0 - 1e-12);
            Some(cost.max(printed))
        }
        _ => Some(cost),
    }
}

/// The share of a cost that could be saved at most.
pub fn gap(cost: f64, bound: f64) -> f64 {
    if cost > bound { (cost - bound) / cost } else { 0.0 }
}

/// A gap as a percentage, rounded up so that it stays true.
pub fn gap_text(gap: f64) -> String {
    format!("{:.2}%", (gap * 1e4).ceil() / 1e2)
}

/// Seconds with the digits that matter.
pub fn seconds_text(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.2} s") } else { format!("{seconds:.0} s") }
}

/// A cost with as many digits as it deserves.
pub fn cost_text(cost: f64) -> String {
    if cost.fract() == 0.0 {
        return thousands(cost as u64);
    }
    if cost < 1000.0 {
        return format!("{cost:.4}");
    }
    let tenths = (cost * 10.0).round() as u64;
    format!("{}.{}", thousands(tenths / 10), tenths % 10)
}
