//! Which k and which models suit a purpose: three questions, and a proposal with its reasons.
//!
//! **What it does.** Who gets the table, what can they know, and how bad would it be for a person to be found? The
//! answers give the highest chance to find a person that is usual for such a purpose, and k is one over it.
//!
//! **Guarantee.** None: it is a proposal for a person to judge. Every number in it has its sentence.
//!
//! **Reference.** The thresholds are those of published practice: 0.09 for open data (Health Canada's guidance on public
//! release of clinical information 2019; European Medicines Agency, policy 0070), 0.2 and 0.33 for data under an
//! agreement and within an institution (K. El Emam, *Guide to the De-Identification of Personal Health Information*,
//! CRC Press 2013), 0.05 for stigmatizing data.
//!
//! ```
//! use incrowd_assess::goals::{Audience, HarmLevel, AttackerKnowledge, ReleasePurpose};
//!
//! let purpose = ReleasePurpose { audience: Audience::Public, knowledge: AttackerKnowledge::Member, harm: HarmLevel::Medium };
//! let proposal = purpose.proposal();
//! assert_eq!((proposal.k, proposal.l), (11, Some(2)));
//! assert!(proposal.why[0].contains("0.09"));
//! ```

use serde::{Deserialize, Serialize};

/// Who gets the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Audience {
    /// Anybody: it is published.
    Public,
    /// People who have signed an agreement.
    Agreement,
    /// Colleagues of the same institution.
    Internal,
}

/// What those who get it can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackerKnowledge {
    /// That a certain person is in the table.
    Member,
    /// Not who is in it: it is a sample of many more people.
    Sample,
}

/// How bad it would be for a person to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HarmLevel {
    /// A nuisance.
    Low,
    /// It could cost money, standing or a post.
    Medium,
    /// It could ruin a life: health, crime, persecution.
    High,
}

/// What a release is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasePurpose {
    /// Who gets it.
    pub audience: Audience,
    /// What they can know.
    pub knowledge: AttackerKnowledge,
    /// How bad it would be.
    pub harm: HarmLevel,
}

/// What suits a purpose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GoalProposal {
    /// The highest chance to find a person.
    pub threshold: f64,
    /// The least size of a class: one over the threshold.
    pub k: u64,
    /// How many different values of each sensitive column a class should hold; none if it does not matter.
    pub l: Option<u64>,
    /// The reasons, a sentence each.
    pub why: Vec<String>,
}

impl ReleasePurpose {
    /// What suits it.
    pub fn proposal(&self) -> GoalProposal {
        let (k, threshold, who) = match (self.audience, self.harm) {
            (Audience::Public, HarmLevel::High) => {
                (20, 0.05, "Open data that can ruin a life if a person is found")
            }
            (Audience::Public, HarmLevel::Medium) => (11, 0.09, "Open data about people"),
            (Audience::Public, HarmLevel::Low) => (5, 0.2, "Open data that can harm nobody much"),
            (Audience::Agreement, HarmLevel::High) => {
                (11, 0.09, "Data under an agreement that can ruin a life if a person is found")
            }
            (Audience::Agreement, HarmLevel::Medium) => (5, 0.2, "Data under an agreement"),
            (Audience::Agreement, HarmLevel::Low) => {
                (3, 0.33, "Data under an agreement that can harm nobody much")
            }
            (Audience::Internal, HarmLevel::High) => {
                (5, 0.2, "Data within an institution that can ruin a life if a person is found")
            }
            (Audience::Internal, _) => (3, 0.33, "Data within an institution"),
        };
        let mut why = vec![format!(
            "{who}: a re-identification risk of at most {threshold} is usual, so k = {k}."
        )];
        why.push(match self.knowledge {
            AttackerKnowledge::Member => {
                "An attacker may know that a person is in the table, so k counts its rows \
                 (prosecutor risk)."
                    .to_owned()
            }
            AttackerKnowledge::Sample => {
                "An attacker cannot know who is in the table, so the risk is lower: name the \
                 population to measure the journalist risk."
                    .to_owned()
            }
        });
        let l = match (self.knowledge, self.harm) {
            (AttackerKnowledge::Member, HarmLevel::High) => Some(3),
            (AttackerKnowledge::Member, HarmLevel::Medium) => Some(2),
            _ => None,
        };
        why.push(match l {
            Some(l) => format!(
                "A class must not reveal a sensitive value: each has at least {l} different \
                 values of every sensitive column (l-diversity)."
            ),
            None => "Sensitive columns need no model of their own for this purpose.".to_owned(),
        });
        GoalProposal { threshold, k, l, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_harm_and_wider_circles_never_ask_for_less() {
        let audiences = [Audience::Internal, Audience::Agreement, Audience::Public];
        let harms = [HarmLevel::Low, HarmLevel::Medium, HarmLevel::High];
        for knowledge in [AttackerKnowledge::Sample, AttackerKnowledge::Member] {
            for (at, &audience) in audiences.iter().enumerate() {
                for (how, &harm) in harms.iter().enumerate() {
                    let here = ReleasePurpose { audience, knowledge, harm }.proposal();
                    assert!(1.0 / here.k as f64 <= here.threshold * 1.02, "{here:?}");
                    assert_eq!(here.why.len(), 3);
                    let more = [(at + 1, how), (at, how + 1)];
                    for (audience, harm) in more {
                        let (Some(&audience), Some(&harm)) =
                            (audiences.get(audience), harms.get(harm))
                        else {
                            continue;
                        };
                        let there = ReleasePurpose { audience, knowledge, harm }.proposal();
                        assert!(there.k >= here.k && there.l >= here.l, "{here:?} {there:?}");
                    }
                }
            }
        }
    }
}
