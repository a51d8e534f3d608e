//! Released columns that follow from quasi-identifiers: whoever knows the age knows the age band, and sees who of the class
//! has it. They are found before the search, and k is asked of those of a class who share their values.

use incrowd_assess::disclose::{
    DisclosureTarget, ImpliedColumn, JointDisclosure, implied, told_together,
};
use incrowd_engine::value::is_missing;
use incrowd_engine::words::thousands;
use incrowd_engine::{Control, FrequencyCounts, Table};

use crate::count::build_problem::places;
use crate::plan::interface::{ColumnRefusal, refusal};
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::plan::warning::Warning;
use crate::spec::{MaskMethod, Role};
use crate::{Error, ErrorKind, Result};

/// Which columns may follow from others.
#[derive(Debug, Default)]
pub(crate) struct ImpliedQuestion {
    /// The quasi-identifiers, whose values others know as they are before any treatment.
    pub(crate) known: Vec<usize>,
    /// The columns that are released as they are, or treated, and not generalized.
    pub(crate) released: Vec<usize>,
    exact: Vec<bool>,
    /// Whether the last of the known columns tells people apart.
    has_unit: bool,
}

impl ImpliedQuestion {
    /// What a job asks for. By which columns classes are narrowed already need not be asked.
    pub(crate) fn new(plan: RunPlan<'_>) -> Result<Self> {
        let RunPlan { job, source, .. } = plan;
        let names: Vec<String> = job.problem.quasi.iter().map(|it| it.name.clone()).collect();
        let mut known = places(source, &names)?;
        let unit = job.problem.unit.as_ref().filter(|_| job.finishing.linked.is_none());
        known.extend(unit.map(|unit| source.place_of(&unit.name)).transpose()?);
        let has_unit = unit.is_some();
        let mut question = ImpliedQuestion { known, has_unit, ..Default::default() };
        for &(at, role) in &job.columns {
            let name = &source.columns()[at];
            let fixed = matches!(job.finishing.treatment(name), Some(MaskMethod::Fixed(_)));
            let is_unit = job.problem.unit.as_ref().is_some_and(|unit| unit.name == *name);
            let linked = job.finishing.linked.as_ref() == Some(name);
            let narrows = job.problem.narrowing.contains(name);
            if role == Role::Quasi || fixed || is_unit || linked || narrows {
                continue;
            }
            question.released.push(at);
            question.exact.push(matches!(role, Role::Sensitive | Role::Class));
        }
        Ok(question)
    }

    /// Whether there is anything to look at.
    pub(crate) fn is_needed(&self) -> bool {
        !self.known.is_empty() && !self.released.is_empty()
    }

    /// The columns that follow, and those that tell something together: found from rows whose first columns are the known ones
    /// and whose others are the released.
    pub(crate) fn answer(
        &self,
        rows: &Table,
        missing: &[String],
        control: &Control,
    ) -> (Vec<ImpliedColumn>, Vec<JointDisclosure>) {
        let targets: Vec<usize> = (0..self.known.len()).collect();
        let known = &targets[..self.known.len() - usize::from(self.has_unit)];
        let asked: Vec<DisclosureTarget> = self
            .exact
            .iter()
            .enumerate()
            .map(|(at, &exact)| DisclosureTarget { at: targets.len() + at, exact })
            .collect();
        let released: Vec<usize> = asked.iter().map(|it| it.at).collect();
        let unit = self.has_unit.then_some(known.len());
        let mut together = told_together(rows, &released, known, unit, missing, control);
        // Somebody's records are told apart from all others, too.
        together.extend(unit.map_or_else(Vec::new, |unit| {
            told_together(rows, &released, &[unit], None, missing, control)
        }));
        (implied(rows, known, &asked, unit, missing, control), together)
    }
}

/// What is told of columns that follow from others; a refusal where too many people would have to be suppressed for one.
pub(crate) fn judge(
    job: &Job,
    counts: &FrequencyCounts,
    found: &[&ImpliedColumn],
) -> Result<Vec<Warning>> {
    let k = job.problem.k;
    let limit = job.problem.limit.rows(counts.rows(), counts.rows());
    let mut refused = Vec::new();
    let mut warnings = Vec::new();
    for implied in found {
        let from: Vec<String> = implied.from.iter().map(|it| format!("`{it}`")).collect();
        let from = from.join(", ");
        if job.problem.known.is_some() {
            let why =
                format!("it follows from {from}, and known-columns does not take it into account");
            refused.push(ColumnRefusal::to_leave_out(&implied.column, why, job.voice));
            continue;
        }
        let rare = rare_rows(counts, &implied.column, &job.missing, k);
        if rare > limit {
            let why = format!(
                "it follows from {from}; {} of {} rows have a value that fewer than {k} rows \
                 share",
                thousands(rare),
                thousands(counts.rows())
            );
            refused.push(ColumnRefusal::to_leave_out(&implied.column, why, job.voice));
            continue;
        }
        let message = format!(
            "`{}` follows from {from}, so k counts only rows of a class that share its \
             value; leave it out to keep more detail",
            implied.column
        );
        warnings.push(Warning::new("implied", message));
    }
    if refused.is_empty() {
        return Ok(warnings);
    }
    let headline = match &refused[..] {
        [one] => format!(
            "column `{}` follows from quasi-identifiers and would identify people",
            one.mend.column
        ),
        several => format!(
            "{} columns follow from quasi-identifiers and would identify people",
            several.len()
        ),
    };
    let help = "nothing was written; leave such a column out, or make it coarser";
    Err(refusal(ErrorKind::Undoes, &headline, &refused, help))
}

/// The refusal of a run that finds no release because classes are narrowed by columns that follow from quasi-identifiers.
pub(crate) fn no_release_with(job: &Job, columns: &[String], why: &str) -> Error {
    let why = format!(
        "it follows from quasi-identifiers, so k is required for each of its values: \
                 {why}"
    );
    let refused = |column: &String| ColumnRefusal::to_leave_out(column, why.clone(), job.voice);
    let refused: Vec<ColumnRefusal> = columns.iter().map(refused).collect();
    let headline = "no release protects everybody while columns that follow from \
                    quasi-identifiers are released";
    let help = "leave them out, or allow more suppressed rows";
    refusal(ErrorKind::Undoes, headline, &refused, help).of_check("implied-columns")
}

/// Refuses columns that tell together what the release hides, unless somebody accepts one of them or it is left out anyway.
pub(crate) fn refuse_together(
    job: &Job,
    found: &[JointDisclosure],
    to_leave_out: &[String],
) -> Result<()> {
    let mut refused: Vec<ColumnRefusal> = Vec::new();
    for JointDisclosure { columns: [one, other], target, .. } in found {
        let is_known = refused.iter().any(|it| it.mend.column == *one || it.mend.column == *other);
        let is_gone = |column| job.accepted.contains(column) || to_leave_out.contains(column);
        if is_known || is_gone(one) || is_gone(other) {
            continue;
        }
        let why = format!("together with `{one}` it reveals `{target}`");
        refused.push(ColumnRefusal::to_accept(other, why, job.voice));
    }
    let headline = match &refused[..] {
        [] => return Ok(()),
        [one] => {
            format!("column `{}` reveals values that the release generalizes", one.mend.column)
        }
        several => format!("{} columns reveal values that the release generalizes", several.len()),
    };
    let help = "nothing was written; leave one of the two out, or generalize it with the others";
    Err(refusal(ErrorKind::Undoes, &headline, &refused, help))
}

/// How many rows have a value of a column that fewer than k share.
fn rare_rows(counts: &FrequencyCounts, column: &str, missing: &[String], k: u64) -> u64 {
    let Some(at) = counts.columns.iter().position(|(name, _)| name == column) else { return 0 };
    let values = &counts.columns[at].1;
    let mut rows = vec![0_u64; values.len()];
    counts.cells.for_each(|codes, count| rows[codes[at] as usize] += count);
    let counted = values.iter().zip(rows).filter(|(value, _)| !is_missing(value, missing));
    counted.map(|(_, rows)| rows).filter(|&rows| rows < k).sum()
}
