//! Which values of a column the labels of a release contain, for those who want to know no more than that.

use super::domain::{Cover, Domain};
use crate::date::DateForm;
use crate::hierarchy::LabelHierarchy;
use crate::intern::ValueDictionary;
use crate::number::NumberStyle;
use crate::value::MissingTokens;

/// How a column is to be read.
#[derive(Debug, Clone, Default)]
pub struct ColumnReader {
    /// The texts that mean "no value".
    pub missing: MissingTokens,
    /// How numbers are written.
    pub style: NumberStyle,
    /// How dates are written, where the values are dates.
    pub dates: Option<DateForm>,
    /// The hierarchy that labels may come from.
    pub ladder: Option<LabelHierarchy>,
}

/// A released label: the values that it contains.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelCover {
    /// The ranks of the values, as closed ranges in order and apart from each other.
    pub ranges: Vec<(u32, u32)>,
    /// Whether the label could be read.
    pub known: bool,
    /// The number that is written there, if it is one.
    pub number: Option<f64>,
}

/// The values of a column and what labels contain of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnContainment {
    /// The rank of each value; values that mean the same have the same.
    pub ranks: Vec<u32>,
    /// Where each rank lies among numbers or moments, if it is one.
    pub numbers: Vec<Option<f64>>,
    /// What each label contains.
    pub labels: Vec<LabelCover>,
}

impl ColumnReader {
    /// Reads labels as the verifier does when it compares a release with its original: those of this project and
    /// those of other tools. A label is one text, or a least and a most value that stand in two columns.
    ///
    /// ```
    /// use incrowd_verify::ColumnReader;
    ///
    /// let found = ColumnReader::default().contained(&["20", "25", "31"], &[("[20-29]", None), ("25", Some("31"))]);
    /// assert_eq!(found.labels[0].ranges, [(0, 1)]);
    /// assert_eq!(found.labels[1].ranges, [(1, 2)]);
    /// ```
    pub fn contained(&self, values: &[&str], labels: &[(&str, Option<&str>)]) -> ColumnContainment {
        let mut known = ValueDictionary::new(self.style);
        let codes: Vec<u32> = values
            .iter()
            .zip(0..)
            // A text is UTF-8, so that this cannot fail.
            .map(|(value, place)| {
                known.intern(value.as_bytes(), place, &self.missing).unwrap_or_default()
            })
            .collect();
        let domain =
            Domain::new(&known, &self.missing, self.ladder.as_ref(), self.dates.as_ref(), None);
        let ranks = codes.iter().map(|&code| domain.rank[code as usize]).collect();
        let mut numbers = vec![None; domain.len()];
        for (extent, rank) in
            domain.numbers.iter().zip(domain.ranks(0, domain.numbers.len() as u32))
        {
            let ends = [&extent.low, &extent.high].map(|end| end.as_ref().map(|end| end.to_f64()));
            numbers[rank as usize] = match ends {
                [Some(low), Some(high)] => Some(low / 2.0 + high / 2.0),
                [one, other] => one.or(other),
            };
        }
        let single = labels.iter().filter(|label| label.1.is_none()).map(|label| label.0);
        let pairs = domain.pairs_are_ranges(single);
        let labels = labels
            .iter()
            .map(|&(least, most)| match most {
                None => (domain.cover(least, pairs), Some(least)),
                Some(most) => (domain.cover_of_bounds(least, most), None),
            })
            .map(|(Cover { ranges, known, .. }, text)| {
                let number = text.filter(|_| domain.dates.is_none());
                let number =
                    number.and_then(|text| self.style.read(text)).map(|number| number.to_f64());
                LabelCover { ranges, known, number }
            })
            .collect();
        ColumnContainment { ranks, numbers, labels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_several_tools_contain_the_same() {
        let values = ["20", "25", "29", "30", "?"];
        let labels = ["[20-29]", "20-29", "[20, 30)", "20 to 29", "<30"].map(|text| (text, None));
        let found = ColumnReader::default().contained(&values, &labels);
        for label in &found.labels {
            assert_eq!(label.ranges, [(1, 3)], "missing comes first");
        }
        assert_eq!(found.numbers[1], Some(20.0));
        assert_eq!(found.ranks, [1, 2, 3, 4, 0]);
    }

    #[test]
    fn what_is_not_there_contains_nothing() {
        let labels = [("27.5", None), ("grün", None), ("*", None)];
        let found = ColumnReader::default().contained(&["20", "30"], &labels);
        assert_eq!((found.labels[0].ranges.len(), found.labels[0].number), (0, Some(27.5)));
        assert!(found.labels[1].ranges.is_empty() && !found.labels[1].known);
        assert_eq!(found.labels[2].ranges, [(0, 1)]);
        assert_eq!(ColumnReader::default().contained(&[], &[]).labels, []);
    }
}
