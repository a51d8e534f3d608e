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
//! CRC Press 2013), 0.05 for stigmatizing data. Where a person who is found may be ruined, the next stricter one is taken.
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

/// What guidance says about thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GuidanceEntry {
    /// Who says it.
    pub who: &'static str,
    /// For what.
    pub r#for: &'static str,
    /// Which chance to find a person.
    pub threshold: &'static str,
    /// The k that it means.
    pub k: &'static str,
}

const fn entry(
    who: &'static str,
    r#for: &'static str,
    threshold: &'static str,
    k: &'static str,
) -> GuidanceEntry {
    GuidanceEntry { who, r#for, threshold, k }
}

/// What guidance says, the sources of [`ReleasePurpose::proposal`] among it.
pub const GUIDANCE: [GuidanceEntry; 8] = [
    entry(
        "European Medicines Agency, policy 0070 (2016, rev. 2018)",
        "clinical reports that are published",
        "0.09",
        "11",
    ),
    entry(
        "Health Canada, public release of clinical information (2019)",
        "clinical information that is published",
        "0.09",
        "11",
    ),
    entry(
        "El Emam, Guide to the De-Identification of PHI (2013)",
        "public, and stigmatizing",
        "0.05",
        "20",
    ),
    entry(
        "El Emam, Guide to the De-Identification of PHI (2013)",
        "under an agreement, with controls",
        "0.2",
        "5",
    ),
    entry(
        "El Emam, Guide to the De-Identification of PHI (2013)",
        "within an institution",
        "0.33",
        "3",
    ),
    entry(
        "statistics offices (SDC handbooks, cell rules)",
        "tables and microdata for research",
        "0.33 to 0.1",
        "3 to 10",
    ),
    entry(
        "Centers for Medicare & Medicaid Services, cell suppression",
        "counts that are published",
        "0.09",
        "11",
    ),
    entry(
        "45 CFR 164.514(b)(2), Safe Harbor",
        "health data of the United States",
        "none: a list of 18",
        "none",
    ),
];

/// The thresholds of [`GUIDANCE`] that proposals take, from the laxest on: for whom, what it is, the risk and k.
const THRESHOLDS: [(usize, f64, u64); 4] =
    [(4, 0.33, 3), (3, 0.2, 5), (0, 0.09, 11), (2, 0.05, 20)];

impl ReleasePurpose {
    /// The place among [`THRESHOLDS`]: that of the audience, and the next stricter one where a life can be ruined.
    fn place(&self) -> usize {
        let usual = match self.audience {
            Audience::Internal => 0,
            Audience::Agreement => 1,
            Audience::Public => 2,
        };
        usual + usize::from(self.harm == HarmLevel::High)
    }

    /// The line of [`GUIDANCE`] that the proposal follows.
    pub fn guidance(&self) -> GuidanceEntry {
        GUIDANCE[THRESHOLDS[self.place()].0]
    }

    /// What suits it.
    pub fn proposal(&self) -> GoalProposal {
        let (_, threshold, k) = THRESHOLDS[self.place()];
        let who = match self.audience {
            Audience::Public => "Open data",
            Audience::Agreement => "Data under an agreement",
            Audience::Internal => "Data within an institution",
        };
        let who = match self.harm {
            HarmLevel::High => {
                format!("{who} that can ruin a life if a person is found, so one step stricter")
            }
            HarmLevel::Medium | HarmLevel::Low => format!("{who} about people"),
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
                    // Every answer is a line of the table that is printed with it.
                    let line = ReleasePurpose { audience, knowledge, harm }.guidance();
                    assert_eq!(line.threshold, here.threshold.to_string());
                    assert_eq!(line.k, here.k.to_string());
                    assert_eq!(here.k, (1.0 / here.threshold).floor() as u64, "one in eleven");
                    let lines =
                        GUIDANCE.iter().filter(|line| line.threshold == here.threshold.to_string());
                    assert!(
                        lines.clone().count() > 0 && lines.into_iter().all(|it| it.k == line.k)
                    );
                    if harm != HarmLevel::High {
                        let own = match audience {
                            Audience::Public => "published",
                            Audience::Agreement => "under an agreement",
                            Audience::Internal => "within an institution",
                        };
                        assert!(line.r#for.contains(own), "{line:?}");
                    }
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
