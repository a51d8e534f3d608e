//! Rows in, verdict out.

use crate::collected_tables::CollectedTables;
use crate::error::{Error, Result};
use crate::judge;
use crate::merge::merge;
use crate::narrowed_classes;
use crate::requirements::Requirements;
use crate::verdict::Verdict;
use crate::verifier_state::VerifierState;

/// Takes the rows of a release one by one, in any order, and judges them at the end.
///
/// Memory grows with the distinct combinations of released values, not with the rows.
pub struct Verifier {
    collected: CollectedTables,
    /// The same by narrowed classes, where columns narrow them.
    narrowed: Option<CollectedTables>,
}

impl Verifier {
    /// A verifier of releases with that header.
    pub fn new<S: AsRef<str>>(header: &[S], requirements: &Requirements) -> Result<Self> {
        let narrowed = narrowed_classes::requirements(requirements);
        Ok(Verifier {
            collected: CollectedTables::new(header, requirements)?,
            narrowed: narrowed.map(|it| CollectedTables::new(header, &it)).transpose()?,
        })
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

    /// The rows to come are a part of larger tables. When parts are [merged](Self::merge), their rows
    /// count as following each other in the order of the parts' numbers, whatever the order of
    /// merging: so the numbers of rows in the verdict are those of the whole tables. Without a
    /// number a part has number 0, and parts with one number follow each other as they are merged.
    /// To be called before the first row.
    pub fn set_part(&mut self, number: u64) -> Result<()> {
        self.narrowed.as_mut().map_or(Ok(()), |narrowed| narrowed.set_part(number))?;
        self.collected.set_part(number)
    }

    /// Takes one row of the release.
    pub fn push<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_counted(row, 1)
    }

    /// Takes `n` equal rows of the release: the same as pushing one of them `n` times, at the cost
    /// of one.
    pub fn push_counted<'a>(
        &mut self,
        row: impl IntoIterator<Item = &'a str>,
        n: u64,
    ) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let Some(narrowed) = &mut self.narrowed else {
            return self.collected.push(row.into_iter().map(str::as_bytes), n);
        };
        let row: Vec<&[u8]> = row.into_iter().map(str::as_bytes).collect();
        narrowed.push(row.iter().copied(), n)?;
        self.collected.push(row, n)
    }

    /// Takes one row of the original.
    pub fn push_original<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_original_counted(row, 1)
    }

    /// Takes `n` equal rows of the original: the same as pushing one of them `n` times, at the cost
    /// of one.
    pub fn push_original_counted<'a>(
        &mut self,
        row: impl IntoIterator<Item = &'a str>,
        n: u64,
    ) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        self.collected.push_original(row.into_iter().map(str::as_bytes), n)
    }

    /// Takes up the rows of another verifier with the same requirements and headers. The verdict is
    /// that of all rows pushed in one go: see [`set_part`](Self::set_part) for their numbers.
    ///
    /// The cost is that of the other's distinct combinations, so the smaller one should be the
    /// other.
    ///
    /// ```
    /// use incrowd_verify::{Requirements, Verifier};
    ///
    /// let requirements = Requirements::new(3, ["age", "sex"]);
    /// let part = |number, counted: &[([&str; 2], u64)]| {
    ///     let mut verifier = Verifier::new(&["age", "sex"], &requirements)?;
    ///     verifier.set_part(number)?;
    ///     for &(row, n) in counted {
    ///         verifier.push_counted(row, n)?;
    ///     }
    ///     Ok::<_, incrowd_verify::Error>(verifier)
    /// };
    /// let first = part(1, &[(["[20-29]", "f"], 2), (["*", "m"], 4_000_000_000)])?;
    /// let second = part(2, &[(["*", "m"], 4_000_000_000), (["[20-29]", "f"], 1)])?;
    /// let verdict = second.merge(first)?.finish()?;
    /// assert!(verdict.holds);
    /// assert_eq!((verdict.k, verdict.rows), (Some(3), 8_000_000_003));
    /// # Ok::<(), incrowd_verify::Error>(())
    /// ```
    pub fn merge(mut self, other: Self) -> Result<Self> {
        merge(&mut self.collected, &other.collected)?;
        if let (Some(narrowed), Some(other)) = (&mut self.narrowed, &other.narrowed) {
            merge(narrowed, other)?;
        }
        Ok(self)
    }

    /// What was collected so far, to be sent elsewhere.
    pub fn to_collection(&self) -> VerifierState {
        VerifierState::new(&self.collected, self.narrowed.as_ref())
    }

    /// Takes up what was collected elsewhere, for requirements that ask for the same columns, k,
    /// missing values and columns to leave unchecked. More rows can be pushed. What could not have
    /// been collected is an error.
    pub fn from_collection(
        collection: &VerifierState,
        requirements: &Requirements,
    ) -> Result<Self> {
        let narrowed = match (narrowed_classes::requirements(requirements), collection.narrowed()) {
            (Some(requirements), Some(narrowed)) => Some(narrowed.restore(&requirements)?),
            (None, None) => None,
            _ => {
                let what = "the narrowing columns are not the requested ones";
                return Err(Error::Collection(what.to_owned()));
            }
        };
        Ok(Verifier { collected: collection.restore(requirements)?, narrowed })
    }

    /// Judges the rows taken so far.
    ///
    /// Fails only where a model cannot be measured: a sensitive value that is neither in the order
    /// nor in the hierarchy given for its column.
    pub fn finish(self) -> Result<Verdict> {
        let columns = self.collected.requirements.narrowing.clone();
        let mut verdict = judge::verdict(self.collected)?;
        if let Some(narrowed) = self.narrowed {
            narrowed_classes::add(&mut verdict, judge::verdict(narrowed)?, &columns);
        }
        Ok(verdict)
    }
}
