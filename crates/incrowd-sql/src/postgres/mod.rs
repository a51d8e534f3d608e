//! Tables in PostgreSQL: anonymized, verified and checked where they are.
//!
//! Rows are streamed by COPY, or counted, recoded and checked [in the database](Database). Either way the released table is
//! made in one transaction, verified inside it, and committed or rolled back: there is never half a table. Passwords come
//! from the environment and from files, [never from an address](Address).

mod address;
mod appended;
mod appending;
mod connection;
mod database;
mod error;
mod in_place;
mod release;
mod replacement;
mod rows;
mod source;
mod streamed;
mod table;
mod tls;
mod types;

pub use address::Address;
pub use connection::{Connection, TransferCounts};
pub use database::{Database, DatabaseRequest};
pub use source::{is_address, open, open_counted};
pub use table::Placement;
