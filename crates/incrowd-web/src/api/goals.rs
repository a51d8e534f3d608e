//! What the release must keep to: proposals, and the methods there are.

use std::sync::Arc;

use incrowd_assess::goals::ReleasePurpose;
use incrowd_engine::auto::{ReleaseKind, SearchEffort};
use incrowd_run::forms::guidance;
use incrowd_run::spec::Role;
use incrowd_run::{Result, methods as known};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{given, shown};
use crate::session::Session;

#[derive(Deserialize)]
struct ProposalRequest {
    #[serde(flatten)]
    purpose: ReleasePurpose,
    /// Whether the spec shall follow it.
    #[serde(default)]
    take: bool,
}

/// What suits a purpose, with its reasons, and what guidance says; taken into the spec, with the purpose itself, if asked
/// for.
pub(super) fn propose(session: &Arc<Session>, value: Value) -> Result<Value> {
    let ProposalRequest { purpose, take } = given(value)?;
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
    let guidance = guidance().into_iter().map(|[who, what, threshold, k]| {
        json!({ "who": who, "for": what, "threshold": threshold, "k": k })
    });
    let mut told = shown(&proposal)?;
    told["guidance"] = guidance.collect();
    Ok(told)
}

/// The kinds of release, how hard to search, the metrics and the methods, each in words.
pub(super) fn methods(_: &Arc<Session>, _: Value) -> Result<Value> {
    let kinds = ReleaseKind::ALL.map(|kind| json!({ "name": kind.name(), "about": kind.about() }));
    let efforts = SearchEffort::ALL.map(|it| json!({ "name": it.name(), "about": it.about() }));
    let metrics =
        incrowd_engine::Metric::ALL.map(|it| json!({ "name": it.name(), "about": it.about() }));
    let methods = known::catalogue();
    Ok(json!({
        "kinds": kinds, "efforts": efforts, "metrics": metrics, "methods": shown(&methods)?,
    }))
}
