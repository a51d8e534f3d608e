//! The application without a server: the same calls, in this very process and on this very thread.

use std::path::Path;
use std::sync::Arc;

use incrowd_run::Result;

use crate::api;
use crate::paths::RootFolder;
use crate::session::{Session, TaskRunner};

/// A session whose pages are in the same process. Calls only begin what takes long; [`step`](Self::step) does it.
#[derive(Debug, Clone)]
pub struct InProcess(Arc<Session>);

/// What a call answers, as HTTP has it.
#[derive(Debug)]
pub struct Reply {
    /// 200, or why not.
    pub status: u16,
    /// The kind of the body.
    pub kind: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

impl InProcess {
    /// A session over the files of a folder. While something is worked on, `pause` is called over and over: whoever has the
    /// session may answer calls then.
    pub fn new(folder: &Path, pause: fn()) -> Result<Self> {
        Ok(InProcess(Session::new(RootFolder::new(folder)?, TaskRunner::in_turn(pause))))
    }

    /// A call of a page: its name, and a JSON object.
    pub fn call(&self, name: &str, body: &[u8]) -> Reply {
        let (status, kind, body) = api::answer(&self.0, name, body).into_parts();
        Reply { status, kind, body }
    }

    /// Works on what was begun first until it is done, and tells whether there was anything.
    pub fn step(&self) -> bool {
        self.0.runner.step()
    }

    /// Where the session is, and how far its work has come, as a JSON object.
    pub fn event(&self) -> String {
        serde_json::to_string(&self.0.pulse().news).unwrap_or_default()
    }

    /// Saves the project in its file, if there is something to save.
    pub fn save(&self) -> Result<()> {
        self.0.save()
    }

    /// What a ticket is for, or why there is nothing: the name of a file, none for what is only shown, and the bytes.
    pub fn fetch(&self, code: &str) -> Result<(Option<String>, Vec<u8>), &'static str> {
        self.0.fetched(code).map(|file| (file.name, file.bytes))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::{Value, json};

    use super::*;

    static PAUSES: AtomicUsize = AtomicUsize::new(0);

    fn told(app: &InProcess, name: &str, given: Value) -> Value {
        let reply = app.call(name, given.to_string().as_bytes());
        assert_eq!((reply.status, reply.kind), (200, api::JSON), "{name}: {reply:?}");
        serde_json::from_slice(&reply.body).unwrap()
    }

    #[test]
    fn the_whole_way_on_one_thread_and_the_release_of_the_pipeline() {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..40).map(|at| format!("{},{}\n", 20 + at % 20, at % 3)).collect();
        std::fs::write(folder.path().join("t.csv"), format!("age,sex\n{rows}")).unwrap();
        let app = InProcess::new(folder.path(), || {
            PAUSES.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        let work = || {
            while app.step() {}
            let state = told(&app, "state", json!({}));
            assert_eq!(state["error"], Value::Null);
            state
        };
        told(&app, "open", json!({ "path": "t.csv" }));
        // Nothing is done before its turn.
        assert_eq!(told(&app, "state", json!({}))["file"], Value::Null);
        assert_eq!(work()["file"]["rows"], 40);
        let roles = json!({ "age": { "role": "quasi" }, "sex": { "role": "quasi" } });
        told(&app, "spec", json!({ "columns": roles, "privacy": { "k": 3 } }));
        assert_eq!(work()["look"]["pending"], false);
        told(&app, "search", json!({}));
        assert_eq!(work()["answer"]["made"], true);
        assert!(PAUSES.load(Ordering::Relaxed) > 0);
        for name in ["columns", "goals"] {
            told(&app, "looked-at", json!({ "step": name }));
        }
        told(&app, "finish", json!({ "output": "out.csv" }));
        let state = work();
        assert_eq!(state["answer"]["verified"], true);
        let ticket = told(&app, "ticket", json!({ "what": "release" }));
        let code = ticket["path"].as_str().unwrap().strip_prefix("/ticket/").unwrap().to_owned();
        let (name, bytes) = app.fetch(&code).unwrap();
        assert_eq!(name.as_deref(), Some("out.csv"));
        assert_eq!(bytes, std::fs::read(folder.path().join("out.csv")).unwrap());
        assert_eq!(app.fetch(&code).unwrap_err(), "this ticket was used already");
        app.save().unwrap();
        assert!(folder.path().join("t.csv.incrowd").is_file());
        assert!(app.event().starts_with("{\"version\":"));
        assert_eq!(app.call("nothing", b"").status, 404);
        assert_eq!(app.call("open", b"{\"path\":\"none.csv\"}").status, 422);
    }
}
