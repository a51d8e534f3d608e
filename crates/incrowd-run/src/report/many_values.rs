//! Text columns with many values, and neither order nor hierarchy to put them into groups that mean something.

use incrowd_assess::inspect::CodeSystem;
use incrowd_engine::Problem;
use incrowd_engine::words::thousands;

use crate::plan::job::Job;

/// From so many values on a set of some of them says little.
const MANY: usize = 20;

/// A sentence about each such column: what it means for the release, and what to do.
pub(crate) fn notes(job: &Job, problem: &Problem) -> Vec<String> {
    let mut notes = Vec::new();
    for (attribute, asked) in problem.attributes.iter().zip(&job.problem.quasi) {
        let domain = &attribute.domain;
        let sorted = domain.is_numeric() || asked.rule.order.is_some();
        if sorted || attribute.hierarchy.is_some() || domain.len() < MANY {
            continue;
        }
        let present = (0..domain.len() as u32).filter(|&code| domain.missing_code() != Some(code));
        let values = present.map(|code| domain.label(code));
        let name = &attribute.name;
        let fix = match CodeSystem::of(name, values) {
            Some(codes) => codes.told(name),
            None => format!(
                "put them into groups with --hierarchy {name}=FILE, or their beginnings with --hierarchy {name}=prefix, \
                 or name their --order"
            ),
        };
        notes.push(format!(
            "column `{name}` has {} values without order or hierarchy; its groups are sets whose loss \
             depends on their size alone; {fix}",
            thousands(domain.len() as u64)
        ));
    }
    notes
}
