//! What the release must keep to: proposals, and the methods there are.

use std::sync::Arc;

use incrowd_assess::goals::{GUIDANCE, GoalProposal, GuidanceEntry, ReleasePurpose};
use incrowd_engine::Metric;
use incrowd_engine::auto::{ReleaseKind, SearchEffort};
use incrowd_run::Result;
use incrowd_run::methods::{MethodEntry, catalogue};
use incrowd_run::spec::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NoFields, shown};
use crate::session::Session;

#[derive(Deserialize)]
pub(super) struct ProposalRequest {
    #[serde(flatten)]
    purpose: ReleasePurpose,
    /// Whether the spec shall follow it.
    #[serde(default)]
    take: bool,
}

/// What suits a purpose, and what guidance says.
#[derive(Serialize)]
pub(super) struct ProposalAnswer {
    #[serde(flatten)]
    proposal: GoalProposal,
    guidance: Vec<GuidanceEntry>,
}

/// What suits a purpose, with its reasons, and what guidance says; taken into the spec, with the purpose itself, if asked
/// for.
pub(super) fn propose(session: &Arc<Session>, asked: ProposalRequest) -> Result<ProposalAnswer> {
    let ProposalRequest { purpose, take } = asked;
    let proposal = purpose.proposal();
    if take {
        let (file, _) = session.file()?;
        let sensitive = file.spec.columns_with(Role::Sensitive);
        let models: Vec<Value> = match proposal.l {
            None => Vec::new(),
            Some(l) => sensitive.map(|it| json!({ "column": it.name, "l": l })).collect(),
        };
        let models = if models.is_empty() { Value::Null } else { json!(models) };
        let context = shown(&purpose)?;
        let privacy = json!({ "k": proposal.k, "l-diversity": models });
        session.patch(&json!({ "privacy": privacy, "context": context }))?;
    }
    Ok(ProposalAnswer { proposal, guidance: GUIDANCE.to_vec() })
}

/// What can be chosen from for a search.
#[derive(Serialize)]
pub(super) struct MethodsAnswer {
    kinds: Vec<ExplainedChoice>,
    efforts: Vec<ExplainedChoice>,
    metrics: Vec<ExplainedChoice>,
    methods: Vec<MethodEntry>,
}

/// A word, and what it means.
#[derive(Clone, Serialize)]
struct ExplainedChoice {
    name: &'static str,
    about: &'static str,
}

/// The kinds of release, how hard to search, the metrics and the methods, each in words.
pub(super) fn methods(_: &Arc<Session>, _: NoFields) -> Result<MethodsAnswer> {
    let choice = |name, about| ExplainedChoice { name, about };
    Ok(MethodsAnswer {
        kinds: ReleaseKind::ALL.map(|it| choice(it.name(), it.about())).to_vec(),
        efforts: SearchEffort::ALL.map(|it| choice(it.name(), it.about())).to_vec(),
        metrics: Metric::ALL.map(|it| choice(it.name(), it.about())).to_vec(),
        methods: catalogue(),
    })
}
