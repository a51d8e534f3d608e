//! What a user said of a column that stays as it is.

/// How a column that is released as it is came to be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing was said about it.
    Nothing,
    /// It is released unchanged on purpose.
    Plain,
    /// It is sensitive or to be predicted.
    Target,
    /// Its values are replaced, so that it says nothing by itself.
    Masked,
    /// It links rows that are judged together.
    Linking,
}
