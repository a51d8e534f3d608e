//! The pages, in the program: nothing is loaded from anywhere else.

use axum::http::header;
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($name:literal as $kind:expr),* $(,)?) => {
        /// Every file with its name and its kind.
        const FILES: &[(&str, &str, &[u8])] =
            &[$((concat!("/", $name), $kind, include_bytes!(concat!("../assets/", $name)))),*];
    };
}

files! {
    "app.css" as "text/css; charset=utf-8",
    "icon.svg" as "image/svg+xml",
    "serve.js" as SCRIPT,
    "app.js" as SCRIPT,
    "net.js" as SCRIPT,
    "http-api.js" as SCRIPT,
    "dom.js" as SCRIPT,
    "words.js" as SCRIPT,
    "why-not.js" as SCRIPT,
    "charts.js" as SCRIPT,
    "shell.js" as SCRIPT,
    "page-open.js" as SCRIPT,
    "open-projects.js" as SCRIPT,
    "open-shelf.js" as SCRIPT,
    "page-options.js" as SCRIPT,
    "page-project.js" as SCRIPT,
    "project-pair.js" as SCRIPT,
    "page-columns.js" as SCRIPT,
    "page-hierarchy.js" as SCRIPT,
    "hierarchy-breaks.js" as SCRIPT,
    "page-goals.js" as SCRIPT,
    "goals-risks.js" as SCRIPT,
    "page-treat.js" as SCRIPT,
    "page-search.js" as SCRIPT,
    "page-alternatives.js" as SCRIPT,
    "page-records.js" as SCRIPT,
    "page-release.js" as SCRIPT,
    "page-risk.js" as SCRIPT,
    "risk-attack.js" as SCRIPT,
    "page-use.js" as SCRIPT,
    "page-finish.js" as SCRIPT,
    "finish-approval.js" as SCRIPT,
    "finish-forms.js" as SCRIPT,
    "page-again.js" as SCRIPT,
}

const SHELL: &[u8] = include_bytes!("../assets/index.html");

/// The addresses of pages; all of them are one document.
const PAGES: [&str; 13] = [
    "/",
    "/options",
    "/project",
    "/columns",
    "/goals",
    "/search",
    "/alternatives",
    "/records",
    "/release",
    "/risk",
    "/use",
    "/finish",
    "/again",
];

/// The file of that address, if there is one.
pub(crate) fn file(path: &str) -> Option<Response> {
    if PAGES.contains(&path) || path.starts_with("/columns/") {
        return Some(answer("text/html; charset=utf-8", SHELL));
    }
    if path == "/charts.css" {
        return Some(answer("text/css; charset=utf-8", incrowd_report::chart::STYLE.as_bytes()));
    }
    let (name, kind, body) = FILES.iter().find(|(name, _, _)| *name == path)?;
    Some(edited(name, kind).unwrap_or_else(|| answer(kind, body)))
}

/// In a development build the file as it lies in a folder, so that pages can be edited without building anew.
#[cfg(debug_assertions)]
fn edited(name: &str, kind: &'static str) -> Option<Response> {
    let folder = std::env::var_os("INCROWD_ASSETS")?;
    let text = std::fs::read(std::path::Path::new(&folder).join(&name[1..])).ok()?;
    Some(([(header::CONTENT_TYPE, kind)], text).into_response())
}

#[cfg(not(debug_assertions))]
fn edited(_: &str, _: &'static str) -> Option<Response> {
    None
}

fn answer(kind: &'static str, body: &'static [u8]) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_load_nothing_from_elsewhere_and_hold_no_inline_code() {
        let shell = String::from_utf8_lossy(SHELL);
        for forbidden in ["http:", "https:", " style=", "<style", " onclick", "javascript:"] {
            assert!(!shell.contains(forbidden), "{forbidden}");
        }
        for (name, kind, body) in FILES {
            let text = String::from_utf8_lossy(body);
            for forbidden in ["innerHTML", "https://", "eval(", "localStorage", "document.cookie"] {
                assert!(!text.contains(forbidden), "{name}: {forbidden}");
            }
            if *kind == SCRIPT {
                assert!(!text.contains("import(\"http"), "{name}");
                assert!(text.lines().count() < 620, "{name} is too long");
            }
        }
        assert!(file("/app.js").is_some() && file("/columns/any name").is_some());
        assert!(file("/../Cargo.toml").is_none() && file("/assets").is_none());
    }
}
