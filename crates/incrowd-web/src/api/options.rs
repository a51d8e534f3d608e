//! Every option of a spec with its explanation.

use std::sync::Arc;

use incrowd_run::Result;
use incrowd_run::spec::spec_schema;
use serde::Serialize;
use serde_json::Value;

use super::NoFields;
use crate::session::Session;

/// The schema of specs: each section with its keys, their types and their explanations.
#[derive(Serialize)]
pub(super) struct OptionsAnswer {
    schema: Value,
}

pub(super) fn options(_: &Arc<Session>, _: NoFields) -> Result<OptionsAnswer> {
    Ok(OptionsAnswer { schema: spec_schema() })
}
