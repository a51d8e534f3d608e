//! The calls of pages: a name and a JSON object in, a JSON object out.

mod alternatives;
mod answer;
mod apply;
mod approval;
#[cfg(test)]
mod approval_tests;
#[cfg(test)]
mod approvers_tests;
mod attack;
mod columns;
#[cfg(test)]
mod contract;
mod finish;
mod forms;
mod goals;
mod hierarchy;
mod options;
mod pair;
#[cfg(test)]
mod parity_tests;
#[cfg(test)]
mod paths_tests;
mod project;
#[cfg(test)]
mod project_tests;
mod records;
#[cfg(test)]
mod records_tests;
mod release;
mod risk;
mod row_fields;
mod search;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod utility;

use std::sync::Arc;

use incrowd_assess::queries::CountAnswer;
use incrowd_assess::withheld::WithholdingReason;
use incrowd_run::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::session::{AttackSummary, OpenRequest, RiskResult, Session, UtilitySummary};

/// What a call answers.
pub(crate) enum ApiResponse {
    Json(Value),
    /// A file, with its kind.
    File(&'static str, Vec<u8>),
    Refused(Error),
    Unknown,
}

impl ApiResponse {
    /// As HTTP has it: the status, the kind of the body, the body.
    pub(crate) fn into_parts(self) -> (u16, &'static str, Vec<u8>) {
        let json = |status, value: Value| (status, JSON, value.to_string().into_bytes());
        match self {
            ApiResponse::Json(value) => json(200, value),
            ApiResponse::File(kind, bytes) => (200, kind, bytes),
            ApiResponse::Unknown => json(404, told("unknown", "there is no such request")),
            // What a person asked for and cannot have: the page shows why.
            ApiResponse::Refused(error) => json(422, error.to_json()),
        }
    }
}

/// The kind of nearly every answer.
pub(crate) const JSON: &str = "application/json";

type ApiHandler = fn(&Arc<Session>, Value) -> Result<Value>;

/// The table of calls: the name, the function, what it is given and what it answers. Pages know the same table with the
/// same types (`assets/api.d.ts`, which the tests write).
macro_rules! routes {
    ($($name:literal: $handler:path, $given:ty => $answer:ty;)*) => {
        /// Every call by its name.
        const CALLS: &[(&str, ApiHandler)] = &[$(($name, |session, value| {
            let answer: $answer = $handler(session, given::<$given>(value)?)?;
            shown(&answer)
        })),*];

        /// The types of every call, by its name.
        #[cfg(test)]
        const ROUTES: &[(&str, &str, &str)] =
            &[$(($name, stringify!($given), stringify!($answer))),*];
    };
}

routes! {
    "state": state::state, NoFields => state::StateAnswer;
    "files": state::files, state::FilesRequest => state::FilesAnswer;
    "reading": state::reading, state::ReadingRequest => state::ReadingAnswer;
    "open": state::open, OpenRequest => NoFields;
    "demo": state::demo, state::DemoRequest => NoFields;
    "stop": state::stop, NoFields => state::StopAnswer;
    "quit": state::quit, NoFields => NoFields;
    "undo": state::undo, NoFields => NoFields;
    "redo": state::redo, NoFields => NoFields;
    "spec": state::spec, state::SpecPatch => NoFields;
    "dismiss": state::dismiss, NoFields => NoFields;
    "looked-at": steps::looked_at, steps::LookedAtRequest => NoFields;
    "recent": state::recent, NoFields => state::RecentAnswer;
    "projects": project::projects, NoFields => project::ProjectsAnswer;
    "rename-project": project::rename, project::RenameRequest => NoFields;
    "delete-project": project::delete, project::DeleteRequest => NoFields;
    "notes": project::notes, project::NotesRequest => NoFields;
    "take-release": project::take, project::TakeRequest => NoFields;
    "name-release": project::name, project::NameRequest => NoFields;
    "drop-release": project::drop, project::DropRequest => NoFields;
    "approval-rules": approval::rules, approval::RulesRequest => NoFields;
    "tick": approval::tick, approval::TickRequest => NoFields;
    "review": approval::review, approval::ReviewRequest => NoFields;
    "options": options::options, NoFields => options::OptionsAnswer;
    "begin-pair": pair::begin, pair::PairRequest => NoFields;
    "pair": pair::show, pair::PairRequest => pair::PairAnswer;
    "pair-rows": pair::rows, pair::PairRowsRequest => pair::PairRowsAnswer;
    "preview": columns::preview, columns::PreviewRequest => columns::PreviewAnswer;
    "values": columns::values, columns::ValuesRequest => columns::ValuesAnswer;
    "safe-harbor": columns::safe_harbor, NoFields => NoFields;
    "propose": goals::propose, goals::ProposalRequest => goals::ProposalAnswer;
    "methods": goals::methods, NoFields => goals::MethodsAnswer;
    "search": search::search, NoFields => NoFields;
    "so-far": search::so_far, NoFields => NoFields;
    "trace": search::trace, NoFields => search::TraceAnswer;
    "release": release::release, NoFields => release::ReleaseAnswer;
    "rows": release::rows, release::RowsRequest => release::RowsAnswer;
    "withheld": release::withheld, release::WithheldRequest => release::WithheldAnswer;
    "reason": release::reason, release::ReasonRequest => WithholdingReason;
    "begin-compare": alternatives::begin, alternatives::CompareRequest => NoFields;
    "alternatives": alternatives::show, NoFields => alternatives::AlternativesAnswer;
    "choose": alternatives::choose, alternatives::ChooseRequest => NoFields;
    "begin-risk": risk::begin, risk::RiskRequest => NoFields;
    "risk": risk::show, NoFields => ResultAnswer<RiskResult>;
    "begin-records": records::begin, NoFields => NoFields;
    "records": records::list, records::RecordsRequest => records::RecordsAnswer;
    "record-keys": records::show, records::RecordKeysRequest => records::RecordKeysAnswer;
    "begin-attack": attack::begin, attack::AttackRequest => NoFields;
    "attack": attack::show, NoFields => ResultAnswer<AttackSummary>;
    "attack-page": attack::page, NoFields => attack::AttackPageAnswer;
    "begin-use": utility::begin, utility::UtilityRequest => NoFields;
    "use": utility::show, NoFields => ResultAnswer<UtilitySummary>;
    "count": utility::count, utility::CountRequest => CountAnswer;
    "hierarchy": hierarchy::show, hierarchy::HierarchyRequest => hierarchy::HierarchyAnswer;
    "put-hierarchy": hierarchy::put, hierarchy::PutHierarchyRequest => NoFields;
    "import": hierarchy::import, hierarchy::ImportRequest => hierarchy::ImportAnswer;
    "finish": finish::finish, finish::FinishRequest => NoFields;
    "ticket": finish::ticket, finish::TicketRequest => finish::TicketAnswer;
    "begin-forms": forms::begin, forms::BeginFormsRequest => NoFields;
    "form": forms::show, forms::FormRequest => forms::FormAnswer;
    "form-ticket": forms::ticket, forms::FormRequest => finish::TicketAnswer;
    "write-forms": forms::write, forms::WriteFormsRequest => forms::WriteFormsAnswer;
    "record": forms::record, forms::RecordRequest => NoFields;
    "again": apply::begin, apply::ApplyRequest => NoFields;
    "again-told": apply::show, NoFields => apply::ApplyAnswer;
}

/// A call that is given nothing, or that answers nothing but that it is done.
#[derive(Deserialize, Serialize)]
struct NoFields {}

/// What was worked out beside, and whether it is of a release before the present one.
#[derive(Serialize)]
struct ResultAnswer<T> {
    told: Option<T>,
    stale: bool,
}

/// Answers a call.
pub(crate) fn answer(session: &Arc<Session>, name: &str, body: &[u8]) -> ApiResponse {
    let given = match body {
        [] => Ok(json!({})),
        body => serde_json::from_slice(body),
    };
    let given = match given {
        Ok(given) => given,
        Err(e) => return ApiResponse::Refused(Error::new(format!("the request is not JSON: {e}"))),
    };
    if name == "export" {
        return match self::given(given).and_then(|asked| hierarchy::export(session, asked)) {
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
        .map_err(|e| Error::new(format!("the request is not understood: {e}")))
}

/// Something of the library as JSON.
fn shown(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::new(format!("it cannot be shown: {e}")))
}

fn done() -> Result<NoFields> {
    Ok(NoFields {})
}
