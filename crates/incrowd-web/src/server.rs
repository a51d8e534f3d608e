//! The server: loopback only, one session, until somebody ends it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path as Called, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use incrowd_run::{Error, Result};
use tokio_stream::wrappers::ReceiverStream;

use crate::browser::LaunchPage;
use crate::connections::{BoundedListener, ConnectionHandle};
use crate::guard::{ENTER, RequestGuard, refusal, secured};
use crate::paths::RootFolder;
use crate::secret::secret;
use crate::session::{OpenRequest, Session, TaskRunner};
use crate::{api, assets};

/// How to serve.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// A table, a spec, or a folder; the current folder if none.
    pub what: Option<PathBuf>,
    /// The port; any free one if 0.
    pub port: u16,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    app: Arc<AppState>,
}

#[derive(Debug)]
struct AppState {
    guard: RequestGuard,
    session: Arc<Session>,
    /// What leads the browser here, until it has come.
    launch: Mutex<Option<LaunchPage>>,
}

impl AppState {
    fn forget_launch(&self) {
        self.launch.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Largest body of a request.
const LARGEST_BODY: usize = 1 << 20;

/// Without a tab and without work it ends after so long.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// How often a tab hears that all is well.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How often it is looked whether there are events for a tab.
const LOOK: Duration = Duration::from_millis(120);

impl Server {
    /// Listens on 127.0.0.1, and begins to open the table or spec that is named.
    pub fn bind(serve: &ServeOptions) -> Result<Self> {
        let (folder, file) = match &serve.what {
            None => (PathBuf::from("."), None),
            Some(path) if path.is_dir() => (path.clone(), None),
            Some(path) => {
                if !path.is_file() {
                    return Err(Error::new(format!("there is no file {}", path.display()))
                        .help("name a table, a spec or a folder, or nothing for this folder"));
                }
                let real = path.canonicalize().map_err(|e| Error::file("open", path, &e))?;
                let folder = real.parent().unwrap_or(Path::new(".")).to_owned();
                (folder, real.file_name().map(|name| name.to_string_lossy().into_owned()))
            }
        };
        let session = Session::new(RootFolder::new(&folder)?, TaskRunner::threads()?);
        session.save_as_it_goes()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, serve.port));
        let listener = TcpListener::bind(address).map_err(|e| {
            Error::new(format!("cannot listen on {address}: {e}"))
                .help("choose another port with --port, or leave it out for any free one")
        })?;
        let failed = |e: std::io::Error| Error::new(format!("cannot listen on {address}: {e}"));
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let guard = RequestGuard::new(port, secret()?);
        if let Some(file) = file {
            session.begin_open(OpenRequest { path: file, ..OpenRequest::default() })?;
        }
        Ok(Server {
            listener,
            port,
            app: Arc::new(AppState { guard, session, launch: Mutex::new(None) }),
        })
    }

    /// The address to open, with the token of this launch. Whoever has it sees the data.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.app.guard.token())
    }

    /// Opens a browser. It finds the address in a file that nobody else can read, with a code that works once and for a
    /// minute; the file stays no longer than that. Tells whether a browser could be asked.
    pub fn open_browser(&self) -> Result<bool> {
        let code = secret()?;
        let address = format!("http://127.0.0.1:{}/#once={code}", self.port);
        // Without a place for the file there is still the address that is printed.
        let Ok(page) = LaunchPage::write(&address) else { return Ok(false) };
        self.app.session.admit(&code);
        let opened = page.open();
        *self.app.launch.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(page).filter(|_| opened);
        Ok(opened)
    }

    /// Serves until a page asks to quit, nobody has been there for half an hour, or `ended` says so.
    pub fn run(self, ended: impl Fn() -> bool + Send + 'static) -> Result<()> {
        let failed = |e: std::io::Error| Error::new(format!("cannot serve: {e}"));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let session = self.app.session.clone();
        let ending = session.clone();
        let (app, launched) = (self.app.clone(), self.app.clone());
        let done = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let listener = BoundedListener::new(listener);
            let service =
                router(self.app).into_make_service_with_connect_info::<ConnectionHandle>();
            let over = async {
                loop {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    if !session.awaits_entry() {
                        app.forget_launch();
                    }
                    if ended() || session.is_over(IDLE) {
                        break;
                    }
                }
                // The answer to whoever asked for the end is still on its way.
                tokio::time::sleep(Duration::from_millis(150)).await;
            };
            tokio::select! {
                served = axum::serve(listener, service) => served,
                () = over => Ok(()),
            }
        });
        // Work that goes on is told to end, and is not waited for longer than a moment; nothing is left behind.
        launched.forget_launch();
        ending.quit();
        // What cannot be saved now was told before.
        let _ = ending.save();
        runtime.shutdown_timeout(Duration::from_millis(500));
        incrowd_run::data::discard_unfinished();
        done.map_err(failed)
    }
}

fn router(app: Arc<AppState>) -> Router {
    Router::new()
        .route("/api/events", get(events))
        .route("/api/enter", post(enter))
        .route("/api/{name}", post(call))
        .route("/ticket/{code}", get(redeem))
        .fallback(any(file))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(app.clone(), guarded))
        .with_state(app)
}

async fn guarded(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let complaint = app.guard.complaint(request.method(), request.uri().path(), request.headers());
    if let Some(why) = complaint {
        return secured(refusal(why));
    }
    // Only whoever has the token, or a ticket, keeps a connection for longer than a moment.
    let path = request.uri().path();
    let has_token = path.starts_with("/api/") && path != ENTER;
    let has_ticket = path.strip_prefix("/ticket/").is_some_and(|code| app.session.has_ticket(code));
    if let Some(ConnectInfo(connection)) =
        request.extensions().get::<ConnectInfo<ConnectionHandle>>()
        && (has_token || has_ticket)
    {
        connection.admit();
    }
    secured(next.run(request).await)
}

async fn file(request: Request) -> Response {
    let known = assets::file(request.uri().path());
    known.unwrap_or_else(|| (StatusCode::NOT_FOUND, "there is no such page").into_response())
}

/// A file that was written, for whoever has a ticket. It may look as it likes, and do nothing.
async fn redeem(State(app): State<Arc<AppState>>, Called(code): Called<String>) -> Response {
    let session = app.session.clone();
    let fetched = tokio::task::spawn_blocking(move || session.fetched(&code)).await;
    let (name, bytes) = match fetched {
        Ok(Ok(file)) => (file.name, file.bytes),
        Ok(Err(why)) => return (StatusCode::NOT_FOUND, why).into_response(),
        Err(_) => return (StatusCode::INTERNAL_SERVER_ERROR, "fault of incrowd").into_response(),
    };
    let Some(name) = name else { return document(bytes) };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, bytes).into_response()
}

/// A page that loads nothing, runs nothing and asks for nothing.
fn document(bytes: Vec<u8>) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; \
                  form-action 'none'; base-uri 'none'; sandbox";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, bytes).into_response()
}

fn json(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, api::JSON)], body).into_response()
}

/// Gives the token to whoever has a code of one use.
async fn enter(State(app): State<Arc<AppState>>, body: Bytes) -> Response {
    let code = String::from_utf8_lossy(&body).into_owned();
    match app.session.is_admitted(&code) {
        true => json(StatusCode::OK, serde_json::json!({ "token": app.guard.token() }).to_string()),
        false => refusal("this address worked once: open the one that `incrowd serve` printed"),
    }
}

/// A call of a page: its name, a JSON object in, a JSON object out. Work is done beside the server's own thread.
async fn call(
    State(app): State<Arc<AppState>>,
    Called(name): Called<String>,
    body: Bytes,
) -> Response {
    let session = app.session.clone();
    session.seen();
    let work = move || api::answer(&session, &name, &body);
    match tokio::task::spawn_blocking(work).await {
        Ok(response) => {
            let (status, kind, body) = response.into_parts();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, [(header::CONTENT_TYPE, kind)], body).into_response()
        }
        Err(_) => json(
            StatusCode::INTERNAL_SERVER_ERROR,
            api::told("fault", "fault of incrowd: the request ended early").to_string(),
        ),
    }
}

/// Events for a tab, a JSON object in each line: where the session is, and how far its work has come.
async fn events(State(app): State<Arc<AppState>>) -> Response {
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(4);
    tokio::spawn(async move {
        let session = &app.session;
        let mut last = None;
        let mut beat = std::time::Instant::now();
        loop {
            session.seen();
            let now = session.pulse();
            let line = if last.as_ref() != Some(&now.mark) {
                last = Some(now.mark);
                serde_json::to_string(&now.news).ok()
            } else if beat.elapsed() > HEARTBEAT {
                Some("{}".to_owned())
            } else {
                None
            };
            if let Some(line) = line {
                beat = std::time::Instant::now();
                if sender.send(Ok(Bytes::from(line + "\n"))).await.is_err() {
                    return;
                }
            }
            tokio::select! {
                () = sender.closed() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (kind, Body::from_stream(ReceiverStream::new(receiver))).into_response()
}
