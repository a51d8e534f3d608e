//! Who gets a release, what they can know, and how bad it would be for a person to be found.

use incrowd_assess::goals::{self, GoalProposal, ReleasePurpose};
use serde::Serialize;

use super::choices::named;
use super::codecs::{Choice, RequiredField};
use super::option_table::{NO_FLAG, section};

named! {
    /// Who gets the release.
    pub enum Audience("audience") as goals::Audience {
        /// Anybody: it is published.
        Public = "public" => Public,
        /// People who have signed an agreement.
        Agreement = "agreement" => Agreement,
        /// Colleagues of the same institution.
        Internal = "internal" => Internal,
    }
}

named! {
    /// What those who get it can know.
    pub enum Knowledge("knowledge") as goals::AttackerKnowledge {
        /// That a certain person is in the table.
        Member = "member" => Member,
        /// Not who is in it: it is a sample of many more people.
        Sample = "sample" => Sample,
    }
}

named! {
    /// How bad it would be for a person to be found.
    pub enum Harm("harm") as goals::HarmLevel {
        /// A nuisance.
        Low = "low" => Low,
        /// It could cost money, standing or a post.
        Medium = "medium" => Medium,
        /// It could ruin a life: health, crime, persecution.
        High = "high" => High,
    }
}

section! {
    /// What a release is for. A run compares it with what it asks for, and the report tells both.
    #[derive(Copy, Eq)]
    pub struct ContextSection in "context" {
        /// Who gets it.
        "audience" audience: Audience = RequiredField<Choice<Audience>>, NO_FLAG.example("\"public\"");
        /// What they can know.
        "knowledge" knowledge: Knowledge = RequiredField<Choice<Knowledge>>, NO_FLAG.example("\"member\"");
        /// How bad it would be for a person to be found.
        "harm" harm: Harm = RequiredField<Choice<Harm>>, NO_FLAG.example("\"medium\"");
    }
}

/// A context, and what suits it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextAdvice {
    /// What the release is for.
    #[serde(flatten)]
    pub purpose: ReleasePurpose,
    /// What suits that.
    pub proposal: GoalProposal,
}

impl ContextSection {
    /// The same in the words of the library.
    pub fn purpose(&self) -> ReleasePurpose {
        ReleasePurpose {
            audience: self.audience.into(),
            knowledge: self.knowledge.into(),
            harm: self.harm.into(),
        }
    }

    /// The context with what suits it, for reports.
    pub fn told(&self) -> ContextAdvice {
        ContextAdvice { purpose: self.purpose(), proposal: self.proposal() }
    }

    /// What suits it.
    pub fn proposal(&self) -> GoalProposal {
        self.purpose().proposal()
    }
}
