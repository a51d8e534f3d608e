//! Values and the codes that a problem knows them by.

use std::borrow::Cow;

use super::dictionary::Dictionary;

/// The values of a counted column, each with its code in the column's domain ([`UNSEEN`](super::UNSEEN) where it has
/// none).
///
/// Every pass over a table numbers its values anew, in the order in which its threads happen to meet them. So the number
/// of a value in one dictionary says nothing about another dictionary, and a code is found by the value alone.
///
/// ```
/// use incrowd_engine::{FrequencyCounts, Problem, ProblemSpec};
/// let counts = FrequencyCounts::from_groups(["age"], [(["40"], 2), (["7"], 1)])?;
/// let problem = Problem::build(&ProblemSpec::new(1).quasi("age"), &counts)?;
/// let codebook = &problem.codebooks[0];
/// assert_eq!((codebook.code("7"), codebook.code("40"), codebook.code("8")), (Some(0), Some(1), None));
/// // Another pass met the values in another order.
/// let other = ["7", "40"].into_iter().collect();
/// assert_eq!(codebook.codes_for(&other).unwrap()[..], [0, 1]);
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Codebook {
    values: Dictionary,
    /// The code of each of these values.
    codes: Vec<u32>,
}

impl Codebook {
    /// The codes of all values of a dictionary.
    pub(crate) fn new(values: &Dictionary, codes: Vec<u32>) -> Self {
        debug_assert_eq!(values.len(), codes.len());
        Codebook { values: values.clone(), codes }
    }

    /// The code of a value; none if the value was not counted.
    #[inline]
    pub fn code(&self, value: &str) -> Option<u32> {
        self.values.get(value).and_then(|at| self.codes.get(at as usize).copied())
    }

    /// The codes of all values of a dictionary, in its order; `Err` is a value that was not counted.
    pub fn codes_for<'d>(&self, values: &'d Dictionary) -> Result<Cow<'_, [u32]>, &'d str> {
        if self.values.is_same(values) {
            return Ok(Cow::Borrowed(&self.codes));
        }
        values.iter().map(|value| self.code(value).ok_or(value)).collect()
    }

    /// The values with their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.values.iter().zip(self.codes.iter().copied())
    }
}
