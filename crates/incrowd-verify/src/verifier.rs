//! Rows in, verdict out.

use crate::collected::Collected;
use crate::error::Result;
use crate::judge;
use crate::requirements::Requirements;
use crate::verdict::Verdict;

/// Takes the rows of a release one by one, in any order, and judges them at the end.
///
/// Memory grows with the distinct combinations of released values, not with the rows.
pub struct Verifier {
    collected: Collected,
}

impl Verifier {
    /// A verifier of releases with that header.
    pub fn new<S: AsRef<str>>(header: &[S], requirements: &Requirements) -> Result<Self> {
        Ok(Verifier { collected: Collected::new(header, requirements)? })
    }

    /// Also compare the release with the table it was made from, whose rows are to be handed over
    /// with [`push_original`](Self::push_original), before, between or after those of the release.
    ///
    /// Each released row must stand for an original row of its own: one whose quasi-identifiers
    /// lie in the released ones and whose values in all other columns are equal. To be called
    /// before the first row.
    pub fn compare_with<S: AsRef<str>>(&mut self, original_header: &[S]) -> Result<()> {
        self.collected.compare_with(original_header)
    }

    /// Takes one row of the release.
    pub fn push<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_fields(row.into_iter().map(str::as_bytes))
    }

    /// Takes one row of the original.
    pub fn push_original<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_original_fields(row.into_iter().map(str::as_bytes))
    }

    pub(crate) fn push_fields<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        self.collected.push(fields)
    }

    pub(crate) fn push_original_fields<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        self.collected.push_original(fields)
    }

    /// Judges the rows taken so far.
    ///
    /// Fails only where a model cannot be measured: a sensitive value that is neither in the order
    /// nor in the hierarchy given for its column.
    pub fn finish(self) -> Result<Verdict> {
        judge::verdict(self.collected)
    }
}
