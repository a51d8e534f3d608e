//! What a database says, in sentences.

use incrowd_run::{Error, ErrorKind};
use postgres::error::SqlState;

/// An error of the database, with what was being done.
pub(crate) fn failed(doing: &str, error: &postgres::Error) -> Error {
    let Some(db) = error.as_db_error() else {
        let cause =
            std::error::Error::source(error).map_or_else(|| error.to_string(), |it| it.to_string());
        let message = match error.is_closed() {
            true => "the connection to the database was lost".to_owned(),
            false => format!("cannot {doing}: {cause}"),
        };
        return Error::new(message).help(
            "nothing was made; check that the database can be reached, and run the command again",
        )
        .of_kind(if is_cut_off(error) { ErrorKind::TryAgain } else { ErrorKind::Database });
    };
    let code = db.code();
    let mut message = format!("cannot {doing}: {}", db.message());
    if let Some(detail) = db.detail().filter(|_| is_plain(code)) {
        message.push_str(&format!(" ({detail})"));
    }
    let error = Error::new(message);
    if *code == SqlState::QUERY_CANCELED && db.message().contains("user request") {
        return Error::interrupted();
    }
    let help = match code.code() {
        "28P01" | "28000" => {
            "give it in a password file (~/.pgpass or PGPASSFILE), a service file, or PGPASSWORD"
        }
        "3D000" => "check the name of the database behind the host: postgres://host/name",
        "42501" => {
            "ask the owner to grant it to this role: `databases` in the documentation lists \
             what is needed"
        }
        "57014" => "nothing was made; raise statement_timeout of the database",
        "40001" | "40P01" => {
            "nothing was made; other sessions changed the same tables: run the command again"
        }
        "25P03" | "25P04" => "nothing was made; raise transaction_timeout of the database",
        "53100" | "53200" => "nothing was made; the database has no disk space left",
        "55P03" => {
            "nothing was made; another session holds a lock on the table: run the \
                    command again"
        }
        "57P01" | "57P02" | "57P03" | "53300" => {
            "nothing was made; try again when the database is up"
        }
        "42601" | "42703" | "42883" => {
            "check the condition of --where: it must be an SQL condition over the table's columns"
        }
        _ => "nothing was made",
    };
    let help = db
        .hint()
        .map_or_else(|| help.to_owned(), |hint| format!("{help}; the database says: {hint}"));
    let kind = if is_transient(code) { ErrorKind::TryAgain } else { ErrorKind::Database };
    error.help(help).of_kind(kind)
}

/// Whether the connection is gone, however that was noticed.
fn is_cut_off(error: &postgres::Error) -> bool {
    error.is_closed()
        || std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>())
}

/// What went wrong while rows were handed over.
pub(crate) fn write_failed(doing: &str, error: std::io::Error) -> Error {
    match error.downcast::<postgres::Error>() {
        Ok(fault) => failed(doing, &fault),
        Err(other) => Error::new(format!("cannot {doing}: {other}")).of_kind(ErrorKind::Database),
    }
}

/// Whether the same statement may succeed later: a lost connection, a conflict with another session, a lock, a server that
/// goes down or has no session left.
fn is_transient(code: &SqlState) -> bool {
    let code = code.code();
    ["08", "57P"].iter().any(|class| code.starts_with(class))
        || ["40001", "40P01", "55P03", "53300", "25P03", "25P04"].contains(&code)
}

/// Whether details of such an error hold no values of rows.
fn is_plain(code: &SqlState) -> bool {
    code.code().starts_with("42") || code.code().starts_with("28")
}
