//! How a search ended, as reports tell it.

use std::fmt;

use incrowd_engine::{Outcome, StopReason};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How a search ended. It is written as a word: `optimal`, `feasible`, `stopped`, `infeasible` or `refused`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchStatus {
    /// The solution is proven to be the best that the method could find.
    Optimal,
    /// There is a solution.
    Feasible,
    /// The search was stopped; the solution, if there is one, is the best so far. What a user cancelled is
    /// never kept, so that a kept `stopped` is read as one by the time limit.
    Stopped(StopReason),
    /// There is no solution.
    Infeasible,
    /// The method cannot do what was asked.
    Refused,
}

impl SearchStatus {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            SearchStatus::Optimal => "optimal",
            SearchStatus::Feasible => "feasible",
            SearchStatus::Stopped(_) => "stopped",
            SearchStatus::Infeasible => "infeasible",
            SearchStatus::Refused => "refused",
        }
    }

    /// Whether the solution is proven to be the best there is.
    pub fn is_proven(self) -> bool {
        self == SearchStatus::Optimal
    }

    /// Why the search was stopped, if it was.
    pub fn stopped(self) -> Option<StopReason> {
        match self {
            SearchStatus::Stopped(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether the user ended the search.
    pub fn is_interrupted(self) -> bool {
        self.stopped() == Some(StopReason::Cancelled)
    }
}

impl From<&Outcome> for SearchStatus {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Optimal(_) => SearchStatus::Optimal,
            Outcome::Infeasible { .. } => SearchStatus::Infeasible,
            Outcome::Stopped { reason, .. } => SearchStatus::Stopped(*reason),
            // Nothing else claims more than that.
            _ => SearchStatus::Feasible,
        }
    }
}

impl fmt::Display for SearchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for SearchStatus {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SearchStatus {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let all = [
            SearchStatus::Optimal,
            SearchStatus::Feasible,
            SearchStatus::Stopped(StopReason::TimeLimit),
            SearchStatus::Infeasible,
            SearchStatus::Refused,
        ];
        let name = String::deserialize(from)?;
        all.into_iter()
            .find(|status| status.name() == name)
            .ok_or_else(|| de::Error::custom(format!("`{name}` is no outcome")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_status_is_a_word_and_knows_who_stopped_it() {
        let reason = StopReason::Cancelled;
        let cancelled =
            SearchStatus::from(&Outcome::Stopped { reason, recoding: None, bound: None });
        assert!(cancelled.is_interrupted() && !cancelled.is_proven());
        assert_eq!(serde_json::to_string(&cancelled).unwrap(), "\"stopped\"");
        let kept: SearchStatus = serde_json::from_str("\"stopped\"").unwrap();
        assert_eq!(kept.stopped(), Some(StopReason::TimeLimit));
        assert_eq!(format!("{:<9}|", SearchStatus::Optimal), "optimal  |");
        assert!(serde_json::from_str::<SearchStatus>("\"lost\"").is_err());
    }
}
