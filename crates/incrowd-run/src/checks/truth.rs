//! Whether every released value contains the original one, in the verifier's own code, before a release appears.
//!
//! The second pass notes which combination of original values became which class, row by row. Original values and the
//! labels that stand for them are then handed to the verifier pair by pair: what a label contains is for it to say, by its
//! own reading of labels, numbers, dates and hierarchies. A pair that occurs in a million rows is looked at once.

use std::collections::BTreeMap;

use incrowd_engine::value::ClassSummary;
use incrowd_engine::{Control, Problem, Release};
use incrowd_verify::{LabelHierarchy, Requirements, Verdict, Verifier};

use crate::recode::pass::LabelPairs;
use crate::recode::release_plan::ReleasePlan;
use crate::{Error, Result};

/// Says which pair of the synthetic table a row is of.
const PAIR: &str = "pair of an original value and its label";

/// Refuses a release in which a label does not contain what it stands for.
pub(crate) fn check_truth(
    plan: &ReleasePlan<'_>,
    met: &LabelPairs,
    requirements: &Requirements,
    control: &Control,
) -> Result<()> {
    for (at, attribute) in plan.problem.attributes.iter().enumerate() {
        if control.is_cancelled() {
            return Err(Error::interrupted());
        }
        let verdict = truth_of(at, met, plan.problem, plan.release, requirements)?;
        let Some(verdict) = verdict.filter(|verdict| !verdict.holds) else { continue };
        let examples = verdict.violations.iter().flat_map(|it| &it.examples);
        let example = examples.map(|it| it.message.as_str()).next();
        let shown = example.filter(|_| !incrowd_engine::words::values_are_hidden());
        return Err(Error::new(format!(
            "a released value of `{}` does not contain the original one{}",
            attribute.name,
            shown.map_or_else(String::new, |it| format!(": {it}"))
        ))
        .help("nothing was written; please report this as a fault of incrowd"));
    }
    Ok(())
}

/// What the verifier says of the labels of one attribute; nothing where labels contain no values by intent.
fn truth_of(
    at: usize,
    met: &LabelPairs,
    problem: &Problem,
    release: &Release,
    requirements: &Requirements,
) -> Result<Option<Verdict>> {
    let attribute = &problem.attributes[at];
    if matches!(attribute.summary, ClassSummary::Mean | ClassSummary::Median) {
        return Ok(None);
    }
    // Many cells share a pair. A code and a label in one word are sorted soonest.
    let mut pairs: Vec<u64> = met
        .iter()
        .map(|&(cell, class)| {
            let code = problem.cells.code(at, cell as usize);
            u64::from(code) << 32 | u64::from(release.label_of(at, class))
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    // The original values of each code, as they are written.
    let mut written: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (value, code) in problem.codebooks[at].iter() {
        // A missing value that is read as another one is meant to be released as that.
        if attribute.domain.missing_code().is_some() || !requirements.missing.contains(value) {
            written.entry(code).or_default().push(value);
        }
    }
    let name = &attribute.name;
    let mut asked = Requirements::new(1, [name.clone()]);
    asked.missing = requirements.missing.clone();
    asked.dates = requirements.dates.clone();
    asked.told = requirements.told.clone();
    if let Some(tree) = &attribute.hierarchy {
        let ladder = LabelHierarchy::from_rows(tree.to_rows()).map_err(unfit)?;
        asked.ladders.insert(name.clone(), ladder);
    }
    if !attribute.domain.is_numeric() {
        let labels = (0..attribute.domain.len() as u32).map(|code| attribute.domain.label(code));
        asked.orders.insert(name.clone(), labels.map(str::to_owned).collect());
    }
    let header: Vec<&str> = release.names(at).iter().map(String::as_str).chain([PAIR]).collect();
    let mut verifier = Verifier::new(&header, &asked).map_err(unfit)?;
    verifier.compare_with(&[name.as_str(), PAIR]).map_err(unfit)?;
    let mut number = 0_u64;
    for pair in pairs {
        let (code, label) = ((pair >> 32) as u32, pair as u32);
        let label = &release.labels(at)[label as usize];
        for value in written.get(&code).into_iter().flatten() {
            number += 1;
            let pair = format!("pair {number}");
            verifier.push_original([value, pair.as_str()]).map_err(unfit)?;
            let row = label.iter().map(String::as_str).chain([pair.as_str()]);
            verifier.push(row).map_err(unfit)?;
        }
    }
    verifier.finish().map(Some).map_err(unfit)
}

fn unfit(error: incrowd_verify::Error) -> Error {
    Error::new(format!("the released values could not be compared with the original: {error}"))
}
