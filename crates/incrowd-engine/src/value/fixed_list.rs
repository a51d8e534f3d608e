//! Groups that are there before the data are seen.
//!
//! Where labels must not be fitted to the data, every column takes them from a tree that does not depend on who is in the
//! table: the hierarchy that somebody gives, round bins for numbers, units of the calendar for dates. Text that has no
//! hierarchy is released as it is or blank.

use super::domain::Domain;
use super::group::BLANK;
use super::hierarchy::Hierarchy;
use super::rule::HierarchyRule;
use super::scale::{Scale, ValueBounds};

/// At least so many of the bins that are not halved any more cover a column.
const LEAST_BINS: f64 = 10.0;
/// No more levels lie below them, and no more above.
const MOST_LEVELS: usize = 20;

impl Domain {
    /// The tree over the values of a column without a hierarchy.
    ///
    /// Bins of numbers begin at multiples of their width. The widths are 5 times a power of ten, of which ten cover the range
    /// of the values; twice, four times as much and so on above, and a fifth, a tenth, a fiftieth and so on below.
    pub(crate) fn fixed_list(&self, column: &str) -> Option<Hierarchy> {
        let first = usize::from(self.missing_code().is_some());
        if self.len() <= first {
            return None;
        }
        let rule = match self.scale() {
            Some(Scale::Numbers(_)) if self.is_numeric() => {
                Some(HierarchyRule::Intervals { widths: self.round_widths(), start: 0.0 })
            }
            Some(Scale::Dates(dates)) => Some(HierarchyRule::Date(dates.usual_units())),
            _ => None,
        };
        // Numbers with more digits than can be reckoned with are blanked as text is.
        let rows = rule.and_then(|rule| rule.rows(column, self).ok());
        rows.and_then(|rows| Hierarchy::from_rows(&rows).ok()).or_else(|| self.values_or_blank())
    }

    /// The same over all values, missing ones included.
    pub(crate) fn fixed_tree(&self, column: &str) -> Option<Hierarchy> {
        let tree = self.fixed_list(column)?;
        Some(match self.missing_code() {
            Some(code) => tree.with_missing(self.label(code)),
            None => tree,
        })
    }

    fn round_widths(&self) -> Vec<f64> {
        let ends = (0..self.len() as u32).filter_map(|code| self.bounds(code));
        let ends = ends.flat_map(|ValueBounds { low, high }| [*low, *high]).flatten();
        let finest = -(ends.map(|end| end.places() as i32).max().unwrap_or(0));
        let power = |exponent: i32| format!("1e{exponent}").parse::<f64>().unwrap_or(1.0);
        let most = self.range() / LEAST_BINS;
        let exponent = match most > 0.0 && most.is_finite() {
            true => ((most / 5.0).log10().floor() as i32).max(finest),
            false => finest,
        };
        let mut widths = Vec::new();
        for below in (finest..=exponent).rev().take(MOST_LEVELS / 2) {
            widths.extend([5.0 * power(below), power(below)]);
        }
        // The finest unit is that of the values themselves.
        widths.retain(|width| *width > power(finest));
        widths.reverse();
        let mut width = 10.0 * power(exponent);
        for _ in 0..MOST_LEVELS {
            widths.push(width);
            if width > self.range() {
                break;
            }
            width *= 2.0;
        }
        widths
    }

    fn values_or_blank(&self) -> Option<Hierarchy> {
        let codes = usize::from(self.missing_code().is_some()) as u32..self.len() as u32;
        let rows: Vec<[&str; 2]> = codes.map(|code| [self.label(code), BLANK]).collect();
        Hierarchy::from_rows(&rows).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::coding::DomainRule;
    use super::*;
    use crate::table::Dictionary;

    fn rows(values: &[&str]) -> Vec<Vec<String>> {
        let values: Dictionary = values.iter().copied().collect();
        let coding = Domain::build("c", &values, &DomainRule::automatic()).unwrap();
        coding.domain.fixed_list("c").unwrap().to_rows()
    }

    #[test]
    fn numbers_have_round_bins() {
        let found = rows(&["17", "39", "90"]);
        assert_eq!(found[1], ["39", "[35-39]", "[30-39]", "[20-39]", "[0-39]", "[0-79]", "*"]);
        let found = rows(&["0.5", "1.2", "9.7"]);
        assert_eq!(found[0][..4], ["0.5", "[0.5-1]", "[0-1]", "[0-2]"]);
        let found = rows(&["0", "120034", "990000"]);
        assert_eq!(
            found[1][1..5],
            ["[120030-120034]", "[120030-120039]", "[120000-120049]", "[120000-120099]"]
        );
    }

    #[test]
    fn dates_have_units_and_text_is_blanked() {
        let found = rows(&["2018-04-03", "2018-05-20"]);
        assert_eq!(found[0], ["2018-04-03", "2018-04", "2018-Q2", "2018", "2010s", "*"]);
        assert_eq!(rows(&["a", "b"]), [["a", "*"], ["b", "*"]]);
    }
}
