//! A saved recoding applied to new rows.

use std::path::{Path, PathBuf};

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::DomainRule;
use incrowd_engine::{
    AttributeSpec, Control, Hierarchy, Problem, ProblemSpec, Release, SavedRecoding,
    SuppressionMode, words,
};

use crate::backend::local::LocalTable;
use crate::backend::table_backend::TableBackend;
use crate::pipeline::staged_release::StagedRelease;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::plan::warning::Warning;
use crate::report::run_report::RunReport;
use crate::spec::Role;
use crate::{Error, ErrorKind, Order, Result, Source};

/// What becomes of rows with a value that the recoding has not seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnseenPolicy {
    /// They are an error.
    #[default]
    Refuse,
    /// They are suppressed.
    Suppress,
}

/// How a saved recoding is applied.
#[derive(Debug, Clone)]
pub struct ApplyOptions {
    /// The recoding.
    pub recoding: SavedRecoding,
    /// What becomes of rows with unseen values.
    pub unseen: UnseenPolicy,
    /// Where the release goes, if anywhere.
    pub output: Option<PathBuf>,
    /// Its delimiter; the input's if none.
    pub delimiter: Option<u8>,
    /// The order of its rows.
    pub order: Order,
    /// What becomes of suppressed rows.
    pub suppressed: SuppressionMode,
    /// Earlier releases, from which nobody may be told apart.
    pub earlier: Vec<PathBuf>,
}

impl ApplyOptions {
    /// Reads a saved recoding.
    pub fn read_recoding(path: &Path) -> Result<SavedRecoding> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
        SavedRecoding::from_json(&text).map_err(|e| Error::from(e).at(path, None, None))
    }

    /// New rows with their columns treated and renamed as those of the first rows were: what [`apply`] takes.
    pub fn treated(&self, source: Source) -> Result<Source> {
        source.with_treatments(self.recoding.treatments.clone())
    }
}

/// Applies a saved recoding to the rows of a source. Classes that are too small among the new rows
/// are suppressed, and the release passes the same checks as any other before it is shown.
pub fn apply(apply: &ApplyOptions, source: &Source, control: &Control) -> Result<RunReport> {
    let mut backend = LocalTable::to_file(source, apply.output.as_deref())?;
    apply.stage(source, &mut backend, control)?.commit(&mut backend, [])
}

impl ApplyOptions {
    /// The job that writes the release of these rows.
    pub fn job(&self, source: &Source) -> Result<Job> {
        job(self, source)
    }

    /// Applies the recoding: what is made waits to be committed.
    pub fn stage(
        &self,
        source: &Source,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<StagedRelease> {
        if source.treatments() != self.recoding.treatments {
            return Err(Error::new(
                "the recoding masks columns before it recodes them, but the rows are not masked",
            )
            .help("open them with Apply::treated"));
        }
        let saved = &self.recoding;
        let job = self.job(source)?;
        let plan = RunPlan::new(&job, source);
        let counted = plan.count_posing(backend, control, |job, counts, _| {
            let attributes = saved.attributes.clone();
            let (problem, unseen) =
                Problem::for_new_rows(attributes, &job.problem, counts, &saved.missing)?;
            match unseen > 0 && self.unseen == UnseenPolicy::Refuse {
                true => Err(refused(&problem, unseen)),
                false => Ok(problem),
            }
        })?;
        let release = Release::new(counted.problem(), &saved.recoding, self.suppressed);
        if release.rows() == 0 {
            return Err(nobody(counted.problem()));
        }
        let mut staged = counted.apply(release, &saved.recoding).stage(plan, backend, control)?;
        staged.report.warnings.extend(most_left_out(&staged.report));
        if self.earlier.is_empty() {
            staged.report.warnings.push(Warning::new(
                "no-earlier",
                "anyone with an earlier release of these people can subtract it and see who \
                 was added; check that with --earlier",
            ));
        }
        Ok(staged)
    }
}

/// The job that writes the release.
fn job(apply: &ApplyOptions, source: &Source) -> Result<Job> {
    let saved = &apply.recoding;
    let mut problem = ProblemSpec::new(saved.k);
    problem.quasi =
        saved.attributes.iter().map(|attribute| AttributeSpec::new(&attribute.name)).collect();
    for label in &saved.sensitive {
        let hierarchy = match &label.hierarchy {
            None => None,
            Some(rows) => {
                Some(HierarchySource::Given(Hierarchy::from_rows(rows).map_err(|faults| {
                    let what = faults.first().map_or(String::new(), |fault| fault.what.clone());
                    Error::new(format!(
                        "the recoding's hierarchy of `{}` is faulty: {what}",
                        label.name
                    ))
                })?))
            }
        };
        let rule = DomainRule {
            order: label.order.clone(),
            missing: saved.missing.clone(),
            decimal: label.decimal,
            ..DomainRule::default()
        };
        problem.targets.push(AttributeSpec { rule, hierarchy, ..AttributeSpec::new(&label.name) });
    }
    problem.models = saved.models.clone();
    problem.count_missing = saved.count_missing;
    problem.narrowing.clone_from(&saved.narrowing);
    problem.wildcards = saved.wildcards;
    if let Some(unit) = &saved.unit {
        problem = problem.unit(unit);
        let rule = problem.unit.as_mut().map(|unit| &mut unit.rule);
        rule.into_iter().for_each(|rule| rule.missing.clone_from(&saved.missing));
    }
    let role = |name: &String| {
        let is_quasi = saved.attributes.iter().any(|attribute| attribute.name == *name);
        let is_sensitive = saved.sensitive.iter().any(|column| column.name == *name);
        match saved.plain.contains(name) {
            _ if is_quasi => Some(Role::Quasi),
            true if is_sensitive => Some(Role::Sensitive),
            true => Some(Role::Plain),
            false => None,
        }
    };
    let names = source.columns();
    for needed in problem.columns() {
        if !names.contains(&needed) {
            let help = crate::spec::suggest(&needed, names.iter().map(String::as_str));
            return Err(Error::new(format!(
                "{} has no column `{needed}`, which the recoding needs",
                source.name()
            ))
            .help(help));
        }
    }
    let released = names.iter().enumerate().filter_map(|(at, name)| Some((at, role(name)?)));
    Ok(Job {
        prove: incrowd_engine::auto::ProofEffort::Never,
        columns: released.collect(),
        identifying: saved.identifying.clone(),
        missing: saved.missing.clone(),
        output: apply.output.clone(),
        delimiter: apply.delimiter.or(source.delimiter()),
        // The saved attributes have their steps.
        ranges: None,
        order: apply.order,
        suppressed: apply.suppressed,
        earlier: apply.earlier.clone(),
        // What was decided on when the recoding was saved stays so.
        accepted: saved.plain.clone(),
        // Whoever saved the recoding has said whom to protect.
        unit_is_said: true,
        ..Job::of_problem(problem)
    })
}

/// What is said where most of the rows are left out: groups that were made for other rows hold too few of these.
fn most_left_out(report: &RunReport) -> Option<Warning> {
    if report.suppressed * 2 <= report.rows {
        return None;
    }
    let remedy = match report.recoding_kind {
        Some("global") => "anonymize the new table by itself",
        _ => {
            "make the recoding with --kind global, which has groups for all values, or anonymize \
             the new table by itself"
        }
    };
    Some(Warning::new(
        "most-rows-left-out",
        format!(
            "{} of {} are left out, because too few of them fall into each group of the \
             recoding; {remedy}",
            words::thousands(report.suppressed),
            words::count(report.rows, "row", "rows")
        ),
    ))
}

/// The refusal of rows of which no class can be released.
fn nobody(problem: &Problem) -> Error {
    let k = problem.privacy.asked();
    Error::new(format!(
        "none of the {} can be released: no class holds {} of them and meets the models",
        words::count(problem.rows, "row", "rows"),
        words::thousands(k)
    ))
    .help("collect more rows and apply the recoding to all of them, or anonymize them anew")
    .of_kind(ErrorKind::Refused)
}

fn refused(problem: &Problem, rows: u64) -> Error {
    let examples: Vec<String> = problem
        .attributes
        .iter()
        .zip(&problem.codebooks)
        .flat_map(|(attribute, codebook)| {
            let unseen = codebook.iter().filter(|(_, code)| *code == incrowd_engine::table::UNSEEN);
            unseen
                .map(|(value, _)| {
                    format!("{}={}", attribute.name, incrowd_engine::words::value(value))
                })
                .take(3)
                .collect::<Vec<_>>()
        })
        .take(6)
        .collect();
    let rows = if rows == 1 { "1 row has".to_owned() } else { format!("{rows} rows have") };
    Error::new(format!("{rows} values that the recoding has not seen: {}", examples.join(", ")))
        .help("suppress such rows, or anonymize the new table by itself")
        .of_kind(ErrorKind::Unseen)
}
