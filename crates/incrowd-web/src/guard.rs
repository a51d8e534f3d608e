//! Who may talk to the server: pages of its own, with the token of this launch.
//!
//! The server listens on the loopback interface, which every program of the machine and, through a browser, every page
//! of the network can reach. So each request must name the very host (against DNS rebinding), must not come from
//! another site or another port, and must carry a token that only the page of this launch knows. There is no cookie:
//! cookies are shared by all ports of a host.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::secret::same;

/// What a request must have.
#[derive(Debug, Clone)]
pub(crate) struct RequestGuard {
    host: String,
    origin: String,
    token: String,
}

/// The call that gives the token for a code of one use: it needs no token, but all else.
pub(crate) const ENTER: &str = "/api/enter";

const SECURITY: [(&str, &str); 8] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    ),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

impl RequestGuard {
    pub(crate) fn new(port: u16, token: String) -> Self {
        let host = format!("127.0.0.1:{port}");
        RequestGuard { origin: format!("http://{host}"), host, token }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Why a request is refused, if it is.
    pub(crate) fn complaint(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<&'static str> {
        let text = |name: HeaderName| -> Result<Option<&str>, ()> {
            let mut all = headers.get_all(name).iter();
            match (all.next(), all.next()) {
                (None, _) => Ok(None),
                (Some(value), None) => value.to_str().map(Some).map_err(drop),
                // Two of them: whoever reads the other one would see another request.
                (Some(_), Some(_)) => Err(()),
            }
        };
        if text(header::HOST) != Ok(Some(&self.host)) {
            return Some("this server answers to its own address only");
        }
        let is_api = path.starts_with("/api/");
        let reads = matches!(*method, Method::GET | Method::HEAD);
        match text(HeaderName::from_static("sec-fetch-site")) {
            Ok(None | Some("same-origin")) => {}
            // Typed by a person.
            Ok(Some("none")) if reads && !is_api => {}
            // Led here by the page that opens the browser: a file belongs to no site. The first page holds no data, and
            // without a token it gets none; no frame and no script of another site may have it.
            Ok(Some("cross-site"))
                if *method == Method::GET && path == "/" && is_visit(headers) => {}
            _ => return Some("the request comes from another site"),
        }
        match text(header::ORIGIN) {
            Ok(None) if reads => {}
            Ok(Some(origin)) if origin == self.origin => {}
            _ => return Some("the request comes from another origin"),
        }
        if !is_api || path == ENTER {
            return None;
        }
        let given = match text(header::AUTHORIZATION) {
            Ok(Some(value)) => value.strip_prefix("Bearer ").unwrap_or_default(),
            _ => "",
        };
        (!same(given.as_bytes(), self.token.as_bytes())).then_some(
            "the token of this launch is missing: open the address that `incrowd serve` printed",
        )
    }
}

/// Whether a browser opens a whole tab with what it asks for.
fn is_visit(headers: &HeaderMap) -> bool {
    let all =
        |name: &str| headers.get_all(name).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
    all("sec-fetch-mode") == [b"navigate"] && all("sec-fetch-dest") == [b"document"]
}

/// A refusal. It has a body: browsers take an empty one for a failure of the network.
pub(crate) fn refusal(why: &str) -> Response {
    let body = serde_json::json!({ "error": { "code": "forbidden", "message": why } });
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::FORBIDDEN, json, body.to_string()).into_response()
}

/// The response with what keeps it in the browser tab that it is for.
pub(crate) fn secured(mut response: Response) -> Response {
    for (name, value) in SECURITY {
        let headers = response.headers_mut().entry(HeaderName::from_static(name));
        // A document that is no page of ours, such as a report, says itself what it may do.
        headers.or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn guard() -> RequestGuard {
        RequestGuard::new(4567, "secret".to_owned())
    }

    fn told(method: Method, path: &str, headers: &[(&'static str, &str)]) -> Option<&'static str> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        guard().complaint(&method, path, &map)
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:4567");
    const ORIGIN: (&str, &str) = ("origin", "http://127.0.0.1:4567");
    const TOKEN: (&str, &str) = ("authorization", "Bearer secret");
    const CROSS: (&str, &str) = ("sec-fetch-site", "cross-site");
    const NAVIGATE: (&str, &str) = ("sec-fetch-mode", "navigate");
    const DOCUMENT: (&str, &str) = ("sec-fetch-dest", "document");
    const SAME: (&str, &str) = ("sec-fetch-site", "same-origin");

    #[test]
    fn the_page_itself_and_its_calls_are_let_in() {
        assert_eq!(told(Method::GET, "/", &[HOST, ("sec-fetch-site", "none")]), None);
        assert_eq!(told(Method::GET, "/app.js", &[HOST, SAME]), None);
        assert_eq!(told(Method::GET, "/", &[HOST, CROSS, NAVIGATE, DOCUMENT]), None);
        assert_eq!(told(Method::POST, "/api/state", &[HOST, ORIGIN, SAME, TOKEN]), None);
        assert_eq!(told(Method::GET, "/api/events", &[HOST, SAME, TOKEN]), None);
        assert_eq!(told(Method::POST, ENTER, &[HOST, ORIGIN, SAME]), None);
    }

    #[test]
    fn strangers_are_refused() {
        for host in ["localhost:4567", "127.0.0.1", "127.0.0.1:4568", "evil.example:4567", ""] {
            assert!(told(Method::GET, "/", &[("host", host)]).is_some(), "{host}");
        }
        assert!(told(Method::GET, "/", &[]).is_some());
        assert!(told(Method::GET, "/", &[HOST, HOST]).is_some());
        for site in ["cross-site", "same-site", "anything"] {
            assert!(told(Method::GET, "/", &[HOST, ("sec-fetch-site", site)]).is_some(), "{site}");
        }
        for (method, path, dest) in [
            (Method::GET, "/", "iframe"),
            (Method::GET, "/", "script"),
            (Method::POST, "/", "document"),
            (Method::GET, "/app.js", "document"),
            (Method::GET, "/ticket/1", "document"),
            (Method::GET, "/api/events", "document"),
        ] {
            let headers = [HOST, CROSS, NAVIGATE, ("sec-fetch-dest", dest), TOKEN];
            assert!(told(method, path, &headers).is_some(), "{path} {dest}");
        }
        assert!(told(Method::GET, "/", &[HOST, CROSS, DOCUMENT]).is_some());
        let none = ("sec-fetch-site", "none");
        assert!(told(Method::GET, "/api/events", &[HOST, none, TOKEN]).is_some());
        for origin in
            ["http://127.0.0.1:4568", "http://localhost:4567", "null", "https://127.0.0.1:4567"]
        {
            let origin = ("origin", origin);
            assert!(told(Method::POST, "/api/state", &[HOST, SAME, TOKEN, origin]).is_some());
            assert!(told(Method::GET, "/", &[HOST, SAME, origin]).is_some());
        }
        assert!(told(Method::POST, "/api/state", &[HOST, SAME, TOKEN]).is_some());
        assert!(told(Method::POST, ENTER, &[HOST, SAME]).is_some());
    }

    #[test]
    fn the_token_must_be_the_very_one() {
        for token in ["Bearer secre", "Bearer secret2", "Bearer Secret", "secret", "Bearer ", ""] {
            let token = ("authorization", token);
            assert!(told(Method::POST, "/api/state", &[HOST, ORIGIN, SAME, token]).is_some());
        }
        assert!(told(Method::POST, "/api/state", &[HOST, ORIGIN, SAME]).is_some());
        assert!(told(Method::POST, "/api/state", &[HOST, ORIGIN, SAME, TOKEN, TOKEN]).is_some());
    }

    #[test]
    fn every_answer_carries_the_headers_and_a_refusal_has_a_body() {
        let response = secured(refusal("no"));
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        for (name, value) in SECURITY {
            assert_eq!(response.headers().get(name).unwrap(), value);
        }
        assert!(response.headers().get("access-control-allow-origin").is_none());
        let policy = response.headers().get("content-security-policy").unwrap().to_str().unwrap();
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
