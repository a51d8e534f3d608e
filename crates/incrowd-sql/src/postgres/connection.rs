//! A session with a database.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use incrowd_engine::Control;
use incrowd_run::{Error, ErrorKind, Result};
use postgres::types::ToSql;
use postgres::{Client, CopyInWriter, CopyOutReader, Row};

use crate::postgres::Address;
use crate::postgres::error::failed;

/// How a session is set up: texts of values must not depend on who asks and where, and a reading that row-level security
/// would thin out is an error rather than a table with rows missing.
const SETUP: &str = "SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET timezone = 'UTC'; \
                     SET extra_float_digits = 1; SET bytea_output = 'hex'; SET standard_conforming_strings = on; \
                     SET row_security = off; SET client_encoding = 'UTF8'; SET client_min_messages = warning";

/// How often somebody looks whether the run was interrupted while the database works.
const LOOK: Duration = Duration::from_millis(100);

/// So often another session is asked what became of a transaction.
const ASKED: u32 = 100;

/// A session with a database. What is not committed when it ends, however it ends, has never been.
pub struct Connection {
    client: Client,
    address: Address,
    control: Control,
    moved: TransferCounts,
}

/// What may be done in a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionAccess {
    ReadOnly,
    ReadWrite,
}

/// How many bytes went over a connection as rows.
#[derive(Debug, Clone, Default)]
pub struct TransferCounts {
    read: Arc<AtomicU64>,
    written: Arc<AtomicU64>,
}

impl TransferCounts {
    /// From the database.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// To the database.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}

impl Connection {
    /// Begins a session; the control can interrupt whatever the database does in it.
    pub fn open(address: &Address, control: &Control) -> Result<Self> {
        let mut client =
            address.config().connect(address.tls().clone()).map_err(|e| connecting(&e))?;
        client.batch_execute(SETUP).map_err(|e| failed("set up the session", &e))?;
        Ok(Connection {
            client,
            address: address.clone(),
            control: control.clone(),
            moved: TransferCounts::default(),
        })
    }

    /// How much has been moved so far.
    pub fn moved(&self) -> &TransferCounts {
        &self.moved
    }

    /// Lets another control interrupt.
    pub(crate) fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// Runs a piece of work that can be interrupted.
    fn watched<T>(
        &mut self,
        work: impl FnOnce(&mut Client, &TransferCounts) -> Result<T>,
    ) -> Result<T> {
        if self.control.is_cancelled() {
            return Err(Error::interrupted());
        }
        let done = Arc::new(AtomicBool::new(false));
        let (token, tls) = (self.client.cancel_token(), self.address.tls().clone());
        let (control, ended) = (self.control.clone(), Arc::clone(&done));
        let watcher = std::thread::spawn(move || {
            while !ended.load(Ordering::Acquire) {
                if control.is_cancelled() {
                    // Should it not arrive, the database ends its work by itself, and the run is over all the same.
                    let _ = token.cancel_query(tls.clone());
                }
                std::thread::park_timeout(LOOK);
            }
        });
        let result = work(&mut self.client, &self.moved);
        done.store(true, Ordering::Release);
        watcher.thread().unpark();
        let _ = watcher.join();
        match result {
            Err(_) if self.control.is_cancelled() => Err(Error::interrupted()),
            result => result,
        }
    }

    /// Runs statements that return nothing and hold nothing that a user wrote, one after the other.
    pub(crate) fn batch(&mut self, doing: &str, statements: &str) -> Result<()> {
        self.watched(|client, _| client.batch_execute(statements).map_err(|e| failed(doing, &e)))
    }

    /// Begins a transaction that sees the database as it is now until it ends, whatever others do, and however long nothing
    /// is asked in it: a search can take hours.
    pub(crate) fn begin_snapshot(&mut self, access: TransactionAccess) -> Result<()> {
        let access = match access {
            TransactionAccess::ReadOnly => " READ ONLY",
            TransactionAccess::ReadWrite => "",
        };
        self.batch(
            "begin",
            &format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ{access}; SET LOCAL idle_in_transaction_session_timeout = 0"
            ),
        )
    }

    /// Ends a transaction as if it had never been; should the database not hear of it, it does so by itself.
    pub(crate) fn roll_back(&mut self) {
        let _ = self.client.batch_execute("ROLLBACK");
    }

    /// Runs one statement: more than one is refused by the database.
    pub(crate) fn execute(&mut self, doing: &str, statement: &str) -> Result<u64> {
        self.watched(|client, _| client.execute(statement, &[]).map_err(|e| failed(doing, &e)))
    }

    /// The rows of a query.
    pub(crate) fn query(
        &mut self,
        doing: &str,
        query: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        self.watched(|client, _| client.query(query, values).map_err(|e| failed(doing, &e)))
    }

    /// Whether a query could be asked, without asking it. One statement only.
    pub(crate) fn check(&mut self, doing: &str, query: &str) -> Result<()> {
        self.watched(|client, _| client.prepare(query).map(drop).map_err(|e| failed(doing, &e)))
    }

    /// Hands over what `COPY .. TO STDOUT` tells.
    pub(crate) fn copy_out<T>(
        &mut self,
        doing: &str,
        statement: &str,
        take: impl FnOnce(&mut dyn Read) -> Result<T>,
    ) -> Result<T> {
        self.watched(|client, moved| {
            let reader = client.copy_out(statement).map_err(|e| failed(doing, &e))?;
            let mut reader = CountingReader { reader, bytes: &moved.read, fault: None };
            let taken = take(&mut reader);
            match reader.fault.take() {
                Some(fault) => Err(failed(doing, &fault)),
                None => taken,
            }
        })
    }

    /// Gives `COPY .. FROM STDIN` what it asks for; how many rows there were.
    pub(crate) fn copy_in(
        &mut self,
        doing: &str,
        statement: &str,
        give: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<u64> {
        self.watched(|client, moved| {
            let writer = client.copy_in(statement).map_err(|e| failed(doing, &e))?;
            let mut writer = CountingWriter { writer, bytes: &moved.written };
            give(&mut writer)?;
            writer.writer.finish().map_err(|e| failed(doing, &e))
        })
    }

    /// Begins the session anew where it was lost while nothing was asked of it: a search can take hours, and firewalls and
    /// servers end what is idle. For sessions that hold no transaction.
    pub(crate) fn reopen_if_lost(&mut self) -> Result<()> {
        if self.is_lost() {
            self.client = Connection::open(&self.address, &self.control)?.client;
        }
        Ok(())
    }

    /// Whether the connection is gone: a server that ends a session says so first, and closes it then.
    pub(crate) fn is_lost(&mut self) -> bool {
        self.client.is_closed() || self.client.batch_execute("").is_err()
    }

    /// Whether a transaction was committed, as another session learns it; none if that is not to be learned.
    pub(crate) fn outcome(&self, transaction: &str) -> Option<bool> {
        for _ in 0..ASKED {
            let session = Connection::open(&self.address, &Control::new());
            let status = session.and_then(|mut session| {
                session.query(
                    "ask for the transaction",
                    "SELECT pg_xact_status($1::text::xid8)",
                    &[&transaction],
                )
            });
            let status = status.ok()?;
            match status.first()?.get::<_, Option<&str>>(0) {
                Some("committed") => return Some(true),
                Some("aborted") => return Some(false),
                _ => std::thread::sleep(LOOK),
            }
        }
        None
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Why there is no session.
fn connecting(error: &postgres::Error) -> Error {
    if error.as_db_error().is_some() {
        return failed("connect to the database", error);
    }
    let mut cause = error.to_string();
    if let Some(source) = std::error::Error::source(error) {
        cause = source.to_string();
    }
    let help = match cause.contains("password missing") || cause.contains("invalid configuration") {
        true => {
            "give it in a password file (~/.pgpass or PGPASSFILE), a service file, or PGPASSWORD"
        }
        false => {
            "check host and port of the address, or PGHOST and PGPORT, and that the server is up"
        }
    };
    let later = ["refused", "timed out", "reset"].iter().any(|word| cause.contains(word));
    let kind = if later { ErrorKind::TryAgain } else { ErrorKind::Database };
    Error::new(format!("cannot connect to the database: {cause}")).help(help).of_kind(kind)
}

/// What a database tells, its bytes counted. What went wrong is kept: readers make plain errors of it.
struct CountingReader<'a> {
    reader: CopyOutReader<'a>,
    bytes: &'a AtomicU64,
    fault: Option<postgres::Error>,
}

impl Read for CountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.reader.fill_buf() {
            Ok(there) => {
                let taken = there.len().min(buffer.len());
                buffer[..taken].copy_from_slice(&there[..taken]);
                self.reader.consume(taken);
                self.bytes.fetch_add(taken as u64, Ordering::Relaxed);
                Ok(taken)
            }
            Err(error) => {
                let told = io::Error::other("the database ended the transfer of rows");
                match error.downcast::<postgres::Error>() {
                    Ok(fault) => self.fault = Some(fault),
                    Err(other) => return Err(other),
                }
                Err(told)
            }
        }
    }
}

/// What a database is given, its bytes counted.
struct CountingWriter<'a> {
    writer: CopyInWriter<'a>,
    bytes: &'a AtomicU64,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let taken = self.writer.write(buffer)?;
        self.bytes.fetch_add(taken as u64, Ordering::Relaxed);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
