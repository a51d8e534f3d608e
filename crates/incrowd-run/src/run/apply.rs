//! A saved recoding applied to new rows.

use std::path::{Path, PathBuf};

use incrowd::auto::Kind;
use incrowd::problem::HierarchySource;
use incrowd::value::DomainRule;
use incrowd::{
    AttributeSpec, Control, Event, Hierarchy, Problem, ProblemSpec, Recoding, Release,
    SavedRecoding, Solution, Suppressed,
};

use super::report::{Made, Ran, Started};
use super::{
    Delivered, Destination, Job, Phase, Planned, RunReport, Voice, count_cells, earlier, places,
    some_rows,
};
use crate::spec::Role;
use crate::{Error, ErrorKind, Order, OutputFile, Result, Source};

/// What becomes of rows with a value that the recoding has not seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unseen {
    /// They are an error.
    #[default]
    Refuse,
    /// They are suppressed.
    Suppress,
}

/// How a saved recoding is applied.
#[derive(Debug, Clone)]
pub struct Apply {
    /// The recoding.
    pub recoding: SavedRecoding,
    /// What becomes of rows with unseen values.
    pub unseen: Unseen,
    /// Where the release goes, if anywhere.
    pub output: Option<PathBuf>,
    /// Its delimiter; the input's if none.
    pub delimiter: Option<u8>,
    /// The order of its rows.
    pub order: Order,
    /// What becomes of suppressed rows.
    pub suppressed: Suppressed,
    /// Earlier releases, from which nobody may be told apart.
    pub earlier: Vec<PathBuf>,
}

impl Apply {
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
/// are suppressed, and the release is verified again before it is written.
pub fn apply(apply: &Apply, source: &Source, control: &Control) -> Result<RunReport> {
    let output = apply.output.as_deref().map(Destination::create).transpose()?;
    Ok(apply_to(output, apply, source, control)?.report)
}

/// Applies a saved recoding; the release goes to `output`.
pub(super) fn apply_to(
    output: Option<Destination>,
    apply: &Apply,
    source: &Source,
    control: &Control,
) -> Result<Delivered> {
    let started = Started::now();
    if source.treatments() != apply.recoding.treatments {
        return Err(Error::new(
            "the recoding treats columns before it recodes them, and the rows are untreated",
        )
        .help("open them with Apply::treated"));
    }

    control.tell(Event::Phase(Phase::Read));
    let saved = &apply.recoding;
    let job = job(apply, source)?;
    let counts = count_cells(source, &places(source, &job.problem.columns())?, control)?;
    some_rows(source, &counts)?;
    let (problem, unseen) =
        Problem::for_new_rows(saved.attributes.clone(), &job.problem, &counts, &saved.missing)?;
    if unseen > 0 && apply.unseen == Unseen::Refuse {
        return Err(refused(&problem, unseen));
    }
    let release = Release::new(&problem, &saved.recoding, apply.suppressed);
    earlier::refuse_differences(&job.earlier, &problem, &release, control)?;
    let planned =
        Planned { job: &job, source, counts: &counts, problem: &problem, release: &release };
    let judged = planned.release(output, false, |_| Ok(Vec::new()), control)?;
    let (verdict, exposure) = (judged.verdict, judged.exposure);
    judged.file.map_or(Ok(()), OutputFile::commit)?;
    let recoding = &saved.recoding;
    let solution = Solution::feasible(recoding.clone(), 0);
    let ran = Ran { job: &job, problem: &problem, solution: &solution, started };
    let report = ran.made(Made { source, recoding, release: &release, verdict, exposure });
    let kind = match &saved.recoding {
        Recoding::Global(_) => Kind::Global,
        Recoding::Cellwise(_) => Kind::Cells,
        _ => Kind::Local,
    };
    Ok(Delivered {
        #[cfg(feature = "parquet")]
        table: judged.table,
        ..Delivered::nothing(RunReport { method: "saved".to_owned(), kind, ..report })
    })
}

/// The job that writes the release.
fn job(apply: &Apply, source: &Source) -> Result<Job> {
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
    problem.wildcards = saved.wildcards;
    if let Some(unit) = &saved.unit {
        problem = problem.unit(unit);
        let rule = problem.unit.as_mut().map(|unit| &mut unit.rule);
        rule.into_iter().for_each(|rule| rule.missing.clone_from(&saved.missing));
    }
    let role = |name: &String| {
        let quasi = saved.attributes.iter().any(|attribute| attribute.name == *name);
        if quasi { Some(Role::Quasi) } else { saved.plain.contains(name).then_some(Role::Plain) }
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
        problem,
        method: incrowd::Approach::default(),
        time_limit: None,
        prove: incrowd::auto::Prove::Never,
        columns: released.collect(),
        unnamed: Vec::new(),
        identifying: saved.identifying.clone(),
        missing: saved.missing.clone(),
        output: apply.output.clone(),
        delimiter: apply.delimiter.or(source.delimiter()),
        csv_safe: false,
        // The saved attributes have their steps.
        ranges: None,
        order: apply.order,
        suppressed: apply.suppressed,
        write_failing: false,
        recoding: None,
        report: None,
        internal_report: None,
        earlier: apply.earlier.clone(),
        population: None,
        population_weight: None,
        matching: None,
        max_unique: None,
        estimated: false,
        needed: Vec::new(),
        unit_is_said: true,
        reference: incrowd_verify::Reference::default(),
        // Whoever saved the recoding has said what every column is.
        voice: Voice::Spec,
        finishing: super::Finishing::default(),
        context: None,
    })
}

fn refused(problem: &Problem, rows: u64) -> Error {
    let examples: Vec<String> = problem
        .attributes
        .iter()
        .zip(&problem.codebooks)
        .flat_map(|(attribute, codebook)| {
            let unseen = codebook.iter().filter(|(_, code)| *code == incrowd::table::UNSEEN);
            unseen
                .map(|(value, _)| format!("{}={}", attribute.name, incrowd::words::value(value)))
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
