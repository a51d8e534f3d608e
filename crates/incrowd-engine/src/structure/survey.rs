//! Which balanced structures exist, over small columns.

use std::time::Duration;

use serde::Serialize;

use super::{BalancedStructure, StructureOutcome, StructureSpec};
use crate::kit::{Error, Result};
use crate::search::{Control, StopReason};

/// Values in each column, and up to how many columns.
const GRIDS: [(u32, usize); 2] = [(2, 6), (3, 4)];
const KS: std::ops::RangeInclusive<u32> = 2..=4;

/// Whether a structure exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StructureExistence {
    /// One was found.
    Found,
    /// There is none.
    Absent,
    /// The search came to its limit.
    Undecided,
}

impl From<&StructureOutcome> for StructureExistence {
    fn from(outcome: &StructureOutcome) -> Self {
        match outcome {
            StructureOutcome::Found(_) => StructureExistence::Found,
            StructureOutcome::Absent { .. } => StructureExistence::Absent,
            StructureOutcome::Undecided { .. } => StructureExistence::Undecided,
        }
    }
}

/// What was found out for one k and number of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurveyEntry {
    /// The largest structure that was asked for.
    pub spec: StructureSpec,
    /// For each number of rows whether a structure exists.
    pub found: Vec<(u32, StructureExistence)>,
    /// How many states were examined in all.
    pub states: u64,
}

impl SurveyEntry {
    /// The numbers of rows of which that is known.
    pub fn rows(&self, wanted: StructureExistence) -> Vec<u32> {
        self.found.iter().filter(|(_, known)| *known == wanted).map(|(rows, _)| *rows).collect()
    }

    /// Whether k * m rows are more than there are combinations.
    pub fn is_too_small(&self) -> bool {
        u64::from(self.spec.step()) > self.spec.points()
    }
}

/// What was found out of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StructureSurvey {
    /// By number of values, k and number of columns.
    pub entries: Vec<SurveyEntry>,
    /// Whether the user ended a search.
    pub interrupted: bool,
}

/// Which B(k, m) exist, k from 2 to 4: two values with up to 6 columns, three values with up to 4. Each search
/// examines at most `limit` states and takes at most the time given; what it finds is checked.
pub fn survey_structures(
    limit: u64,
    time_limit: Option<Duration>,
    control: &Control,
) -> Result<StructureSurvey> {
    let mut survey = StructureSurvey { entries: Vec::new(), interrupted: false };
    for (size, most) in GRIDS {
        for (k, columns) in KS.flat_map(|k| (1..=most).map(move |columns| (k, columns))) {
            let spec = StructureSpec::largest(k, vec![size; columns]);
            let mut entry = SurveyEntry { found: Vec::new(), states: 0, spec };
            let step = entry.spec.step();
            for rows in (1..=entry.spec.rows / step).map(|rounds| rounds * step) {
                let spec = StructureSpec { rows, ..entry.spec.clone() };
                let answer = spec.search(limit, &control.clone().with_time_limit(time_limit))?;
                if let StructureOutcome::Found(structure) = &answer.outcome {
                    structure.checked(&spec)?;
                }
                let cancelled = StructureOutcome::Undecided { reason: Some(StopReason::Cancelled) };
                // A short search may be over before it looks up.
                survey.interrupted |= answer.outcome == cancelled || control.is_cancelled();
                entry.found.push((rows, StructureExistence::from(&answer.outcome)));
                entry.states += answer.states;
            }
            survey.entries.push(entry);
        }
    }
    Ok(survey)
}

impl BalancedStructure {
    /// The structure, if it passes the [check](BalancedStructure::check), which knows nothing of the search.
    pub fn checked(&self, spec: &StructureSpec) -> Result<&Self> {
        self.check(spec).map(|()| self).map_err(|why| {
            Error::new(format!("the structure found does not pass its check: {why}"))
                .help("this is a fault of the search; please report it")
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::search::CancelToken;

    #[test]
    fn a_survey_of_few_states_leaves_some_undecided() {
        let survey = survey_structures(2, None, &Control::new()).unwrap();
        assert_eq!(survey.entries.len(), 3 * 6 + 3 * 4);
        assert!(!survey.interrupted);
        let all = survey.entries.iter().flat_map(|entry| entry.rows(StructureExistence::Undecided));
        assert!(all.count() > 0);
        // Two rows for each of several columns are more than one column of few values has.
        assert!(survey.entries.iter().any(SurveyEntry::is_too_small));
        let cancel = CancelToken::new();
        cancel.cancel();
        let ended = survey_structures(1_000, None, &Control::new().with_cancel(&cancel)).unwrap();
        assert!(ended.interrupted);
    }
}
