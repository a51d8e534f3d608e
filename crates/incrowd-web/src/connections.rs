//! The connections of the server: not too many, and none for long that does not show the token.
//!
//! Every program of the machine can connect. One that never asks for anything, asks very slowly, or opens connections by
//! the thousand must not keep the owner out: a connection without the token is closed after a while, and earlier than that
//! where others want in.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

/// A connection without the token is closed after so long.
const STRANGER: Duration = Duration::from_secs(10);

/// So many connections are open at once. A browser has about six.
const MOST: usize = 64;

/// A listener with few connections.
#[derive(Debug)]
pub(crate) struct BoundedListener {
    inner: TcpListener,
    /// The oldest first.
    open: Vec<Weak<ConnectionState>>,
    most: usize,
    stranger: Duration,
}

/// A connection, for whoever answers its requests.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionHandle(Arc<ConnectionState>);

#[derive(Debug, Default)]
struct ConnectionState {
    /// Whether it has shown the token.
    admitted: AtomicBool,
    /// Whether it is to be closed.
    closed: AtomicBool,
    /// What waits for its next bytes.
    reader: Mutex<Option<Waker>>,
}

impl ConnectionState {
    fn is_admitted(&self) -> bool {
        self.admitted.load(Ordering::Acquire)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        reader.into_iter().for_each(Waker::wake);
    }
}

impl ConnectionHandle {
    /// It has shown the token, and may stay.
    pub(crate) fn admit(&self) {
        self.0.admitted.store(true, Ordering::Release);
    }
}

impl BoundedListener {
    pub(crate) fn new(inner: TcpListener) -> Self {
        BoundedListener { inner, open: Vec::new(), most: MOST, stranger: STRANGER }
    }

    /// Makes room for one more: the oldest connection without the token goes, or there is none.
    fn has_room(&mut self) -> bool {
        self.open.retain(|it| it.upgrade().is_some_and(|it| !it.closed.load(Ordering::Acquire)));
        if self.open.len() < self.most {
            return true;
        }
        let strange = |it: &Weak<ConnectionState>| it.upgrade().is_some_and(|it| !it.is_admitted());
        let Some(at) = self.open.iter().position(strange) else { return false };
        if let Some(oldest) = self.open.remove(at).upgrade() {
            oldest.close();
        }
        true
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = ConnectionHandle;

    async fn accept(&mut self) -> (BoundedStream, ConnectionHandle) {
        loop {
            let (stream, _) = Listener::accept(&mut self.inner).await;
            // Dropped, and thereby closed, if everybody else has the token.
            if self.has_room() {
                let state = Arc::new(ConnectionState::default());
                self.open.push(Arc::downgrade(&state));
                let deadline = Box::pin(tokio::time::sleep(self.stranger));
                let handle = ConnectionHandle(state.clone());
                return (BoundedStream { stream, state, deadline }, handle);
            }
        }
    }

    fn local_addr(&self) -> io::Result<ConnectionHandle> {
        Ok(ConnectionHandle(Arc::default()))
    }
}

impl Connected<IncomingStream<'_, BoundedListener>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, BoundedListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that ends when its time is over.
#[derive(Debug)]
pub(crate) struct BoundedStream {
    stream: TcpStream,
    state: Arc<ConnectionState>,
    deadline: Pin<Box<Sleep>>,
}

impl BoundedStream {
    fn end(&mut self, cx: &mut Context<'_>) -> Option<io::Error> {
        if self.state.closed.load(Ordering::Acquire) {
            return Some(io::ErrorKind::ConnectionAborted.into());
        }
        let over = !self.state.is_admitted() && self.deadline.as_mut().poll(cx).is_ready();
        over.then(|| io::ErrorKind::TimedOut.into())
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        *self.state.reader.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(cx.waker().clone());
        match self.end(cx) {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.end(cx) {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    use std::time::Instant;

    use axum::Router;
    use axum::extract::ConnectInfo;
    use axum::routing::get;

    use super::*;

    /// A server with two connections at most; strangers have 300 milliseconds.
    fn serve() -> SocketAddr {
        let inner = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        inner.set_nonblocking(true).unwrap();
        let address = inner.local_addr().unwrap();
        let enter = |ConnectInfo(handle): ConnectInfo<ConnectionHandle>| async move {
            handle.admit();
            "in"
        };
        let router = Router::new().route("/in", get(enter)).route("/", get(|| async { "out" }));
        let service = router.into_make_service_with_connect_info::<ConnectionHandle>();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let inner = TcpListener::from_std(inner).unwrap();
                let stranger = Duration::from_millis(300);
                let listener = BoundedListener { inner, open: Vec::new(), most: 2, stranger };
                axum::serve(listener, service).await
            })
        });
        address
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream
    }

    /// Whether a request is answered, with what its answer ends.
    fn is_told(stream: &mut TcpStream, path: &str, end: &str) -> bool {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        let mut answer = [0; 4096];
        let got = stream.write_all(request.as_bytes()).and_then(|()| stream.read(&mut answer));
        got.is_ok_and(|got| String::from_utf8_lossy(&answer[..got]).ends_with(end))
    }

    /// How long it takes the other side to end it.
    fn ending(stream: &mut TcpStream) -> Duration {
        let since = Instant::now();
        let _ = stream.read_to_end(&mut Vec::new());
        since.elapsed()
    }

    #[test]
    fn who_says_nothing_or_speaks_slowly_is_shut_out_and_the_owner_stays() {
        let address = serve();
        let mut owner = connect(address);
        assert!(is_told(&mut owner, "/in", "in"));
        assert!(ending(&mut connect(address)) < Duration::from_secs(3));
        let mut slow = connect(address);
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(4) && slow.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(since.elapsed() < Duration::from_secs(3), "it goes on for ever");
        assert!(is_told(&mut owner, "/", "out"));
    }

    #[test]
    fn where_there_are_too_many_the_oldest_stranger_goes() {
        let address = serve();
        let mut owner = connect(address);
        assert!(is_told(&mut owner, "/in", "in"));
        let mut stranger = connect(address);
        assert!(is_told(&mut stranger, "/", "out"));
        let mut second = connect(address);
        assert!(is_told(&mut second, "/in", "in"));
        assert!(ending(&mut stranger) < Duration::from_secs(2));
        // Everybody has the token: there is no room until somebody goes.
        assert!(!is_told(&mut connect(address), "/in", "in"));
        drop(second);
        std::thread::sleep(Duration::from_millis(100));
        assert!(is_told(&mut connect(address), "/in", "in"));
        assert!(is_told(&mut owner, "/", "out"));
    }
}
