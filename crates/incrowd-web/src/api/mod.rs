//! The calls of pages: a name and a JSON object in, a JSON object out.

mod alternatives;
mod apply;
#[cfg(test)]
mod approvers_tests;
mod attack;
mod columns;
mod finish;
mod forms;
mod goals;
mod hierarchy;
#[cfg(test)]
mod parity_tests;
#[cfg(test)]
mod paths_tests;
mod release;
mod risk;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod utility;

use std::sync::Arc;

use incrowd_run::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::Session;

/// What a call answers.
pub(crate) enum ApiResponse {
    Json(Value),
    /// A file, with its kind.
    File(&'static str, Vec<u8>),
    Refused(Error),
    Unknown,
}

type ApiHandler = fn(&Arc<Session>, Value) -> Result<Value>;

/// Every call by its name.
const CALLS: [(&str, ApiHandler); 44] = [
    ("state", state::state),
    ("files", state::files),
    ("open", state::open),
    ("demo", state::demo),
    ("stop", state::stop),
    ("quit", state::quit),
    ("undo", state::undo),
    ("redo", state::redo),
    ("spec", state::spec),
    ("dismiss", state::dismiss),
    ("recent", state::recent),
    ("preview", columns::preview),
    ("values", columns::values),
    ("safe-harbor", columns::safe_harbor),
    ("propose", goals::propose),
    ("methods", goals::methods),
    ("search", search::search),
    ("trace", search::trace),
    ("release", release::release),
    ("rows", release::rows),
    ("withheld", release::withheld),
    ("reason", release::reason),
    ("begin-compare", alternatives::begin),
    ("alternatives", alternatives::show),
    ("choose", alternatives::choose),
    ("begin-risk", risk::begin),
    ("risk", risk::show),
    ("begin-attack", attack::begin),
    ("attack", attack::show),
    ("attack-page", attack::page),
    ("begin-use", utility::begin),
    ("use", utility::show),
    ("count", utility::count),
    ("hierarchy", hierarchy::show),
    ("put-hierarchy", hierarchy::put),
    ("import", hierarchy::import),
    ("finish", finish::finish),
    ("ticket", finish::ticket),
    ("begin-forms", forms::begin),
    ("form", forms::show),
    ("write-forms", forms::write),
    ("record", forms::record),
    ("again", apply::begin),
    ("again-told", apply::show),
];

/// Answers a call.
pub(crate) fn answer(session: &Arc<Session>, name: &str, body: &[u8]) -> ApiResponse {
    let given = match body {
        [] => Ok(json!({})),
        body => serde_json::from_slice(body),
    };
    let given = match given {
        Ok(given) => given,
        Err(e) => return ApiResponse::Refused(Error::new(format!("the call is no JSON: {e}"))),
    };
    if name == "export" {
        return match hierarchy::export(session, given) {
            Ok((kind, bytes)) => ApiResponse::File(kind, bytes),
            Err(error) => ApiResponse::Refused(error),
        };
    }
    let Some((_, call)) = CALLS.iter().find(|(known, _)| *known == name) else {
        return ApiResponse::Unknown;
    };
    match call(session, given) {
        Ok(value) => ApiResponse::Json(value),
        Err(error) => ApiResponse::Refused(error),
    }
}

/// An error that is no error of the library.
pub(crate) fn told(code: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

/// What a call was given.
fn given<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value)
        .map_err(|e| Error::new(format!("the call is not understood: {e}")))
}

/// Something of the library as JSON.
fn shown(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::new(format!("it cannot be shown: {e}")))
}

fn done() -> Result<Value> {
    Ok(json!({}))
}
