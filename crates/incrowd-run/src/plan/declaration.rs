//! What a user said of a column that stays as it is.

/// How a column that is released as it is came to be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declaration {
    /// Nothing was said about it.
    Nothing,
    /// It is plain.
    Plain,
    /// It is released on purpose, whatever it tells.
    Accepted,
    /// It is sensitive or to be predicted.
    Target,
    /// Its values are replaced, so that it says nothing by itself.
    Masked,
    /// What it tells is judged elsewhere: rows that it links are judged together, or k is counted among those who share its
    /// value.
    Judged,
}
