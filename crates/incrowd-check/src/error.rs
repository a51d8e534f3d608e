//! Why nothing could be confirmed.

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why nothing could be confirmed. A bound lower than the claim is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The certificate cannot be read.
    #[error("the certificate cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file is something else.
    #[error("the file is no certificate of incrowd")]
    NoCertificate,
    /// The certificate was written by a later version.
    #[error("the certificate has version {0}, but this program reads version 1")]
    Version(u64),
    /// The certificate contradicts itself.
    #[error("the certificate is damaged: {0}")]
    Damaged(&'static str),
    /// The question does not make sense, or is not one that can be checked.
    #[error("the certificate's question cannot be checked: {0}")]
    Question(String),
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] incrowd_verify::Error),
    /// The table has a value that the question does not name.
    #[error("column `{0}` of the table has a value that the certificate does not name")]
    UnknownValue(String),
    /// The certificate is about another table.
    #[error("the certificate is about another table: profiles or their counts differ")]
    OtherTable,
}
