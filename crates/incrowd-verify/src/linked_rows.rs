//! Rows that a pseudonym links, and values that must not remain: what classes do not show.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, InputPosition, InputTable, Result};
use crate::number::NumberStyle;
use crate::value::{MissingTokens, canonical};
use crate::verdict::{ColumnValue, Risk, Violation, ViolationExample, ViolationKind};

/// The rows of a unit: how each looks, and its number.
type UnitRows = Vec<(u32, u64)>;

/// Looks at a release whose rows carry a pseudonym of whom they are of: at least k units must share the whole collection
/// of their rows, by the columns that others may know. Otherwise several ordinary rows together single a person out.
///
/// ```
/// use incrowd_verify::LinkedVerifier;
///
/// let mut linked = LinkedVerifier::new(&["who", "age"], 2, &["age"], "who").unwrap();
/// for row in [["a", "30-39"], ["a", "40-49"], ["b", "30-39"], ["b", "40-49"], ["c", "30-39"]] {
///     linked.push(&row).unwrap();
/// }
/// // `c` alone has one row.
/// let found = linked.finish();
/// assert_eq!((found.k, found.violation.unwrap().rows), (Some(1), 1));
/// ```
#[derive(Debug)]
pub struct LinkedVerifier {
    k: u64,
    width: usize,
    unit: usize,
    columns: Vec<(String, usize)>,
    looks: BTreeMap<Vec<String>, u32>,
    units: BTreeMap<String, UnitRows>,
    rows: u64,
}

/// What the collections of linked rows reach.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedVerdict {
    /// The fewest units that share a collection; nothing for a release without rows.
    pub k: Option<u64>,
    /// How easily a collection can be tied to a person.
    pub risk: Option<Risk>,
    /// Collections that fewer than k units share.
    pub violation: Option<Violation>,
}

impl LinkedVerifier {
    /// For a release with these columns. A column that was released as two is there as `NAME_min` and `NAME_max`.
    pub fn new<H: AsRef<str>, Q: AsRef<str>>(
        header: &[H],
        k: u64,
        quasi: &[Q],
        unit: &str,
    ) -> Result<Self> {
        let place = |name: &str| header.iter().position(|column| column.as_ref() == name);
        let lacking = |name: &str| Error::MissingColumn {
            table: InputTable::Release,
            column: name.to_owned(),
            columns: header.iter().map(|column| column.as_ref().to_owned()).collect(),
        };
        let mut columns = Vec::new();
        for name in quasi.iter().map(AsRef::as_ref) {
            let ends = [format!("{name}_min"), format!("{name}_max")];
            match (place(name), place(&ends[0]), place(&ends[1])) {
                (Some(at), ..) => columns.push((name.to_owned(), at)),
                (None, Some(low), Some(high)) => {
                    let [least, most] = ends;
                    columns.extend([(least, low), (most, high)]);
                }
                _ => return Err(lacking(name)),
            }
        }
        Ok(LinkedVerifier {
            k,
            width: header.len(),
            unit: place(unit).ok_or_else(|| lacking(unit))?,
            columns,
            looks: BTreeMap::new(),
            units: BTreeMap::new(),
            rows: 0,
        })
    }

    /// Takes a row.
    pub fn push<S: AsRef<str>>(&mut self, row: &[S]) -> Result<()> {
        self.rows += 1;
        if row.len() != self.width {
            return Err(Error::Ragged {
                table: InputTable::Release,
                place: InputPosition::Row(self.rows),
                expected: self.width,
                found: row.len(),
            });
        }
        let look = self.columns.iter().map(|(_, at)| row[*at].as_ref().trim().to_owned()).collect();
        let next = self.looks.len() as u32;
        let look = *self.looks.entry(look).or_insert(next);
        let unit = row[self.unit].as_ref().trim().to_owned();
        self.units.entry(unit).or_default().push((look, self.rows));
        Ok(())
    }

    /// How many units share the collections of rows, and what is wrong, if anything is.
    pub fn finish(self) -> LinkedVerdict {
        let mut shared: BTreeMap<Vec<u32>, Vec<&UnitRows>> = BTreeMap::new();
        for rows in self.units.values() {
            let mut looks: Vec<u32> = rows.iter().map(|row| row.0).collect();
            looks.sort_unstable();
            shared.entry(looks).or_default().push(rows);
        }
        let sizes = || shared.values().map(|units| units.len() as u64);
        let all: u64 = sizes().sum();
        let k = sizes().min();
        let risk = k.map(|k| Risk {
            highest: 1.0 / k as f64,
            average: shared.len() as f64 / all as f64,
            unique: sizes().filter(|&units| units == 1).count() as f64 / all as f64,
        });
        LinkedVerdict { k, risk, violation: self.violation(&shared) }
    }

    fn violation(&self, shared: &BTreeMap<Vec<u32>, Vec<&UnitRows>>) -> Option<Violation> {
        let mut small: Vec<(&Vec<u32>, &Vec<&UnitRows>)> =
            shared.iter().filter(|(_, units)| (units.len() as u64) < self.k).collect();
        small.sort_by_key(|(_, units)| units.len());
        let (units, rows) = small.iter().fold((0, 0), |(count, rows), (looks, units)| {
            (count + units.len() as u64, rows + (units.len() * looks.len()) as u64)
        });
        let worst = small.first()?.1.len();
        let texts: BTreeMap<u32, &Vec<String>> =
            self.looks.iter().map(|(look, &id)| (id, look)).collect();
        let example = |(looks, units): &(&Vec<u32>, &Vec<&UnitRows>)| {
            let first = looks.first().and_then(|look| texts.get(look)).copied();
            let values = self.columns.iter().zip(first.into_iter().flatten());
            let bare =
                format!("a collection of {} linked rows, shared by {}", looks.len(), units.len());
            ViolationExample {
                values: values
                    .map(|((column, _), value)| ColumnValue {
                        column: column.clone(),
                        value: value.clone(),
                    })
                    .collect(),
                size: units.len() as u64,
                measured: Some(units.len() as f64),
                rows: units.iter().flat_map(|rows| rows.iter().map(|row| row.1)).take(10).collect(),
                message: bare.clone(),
                bare,
            }
        };
        Some(Violation {
            kind: ViolationKind::LinkedRows,
            message: format!(
                "the linked rows of {units} units are shared by fewer than {} of them, the worst by {worst}",
                self.k
            ),
            column: None,
            classes: small.len() as u64,
            rows,
            examples: small.iter().take(10).map(example).collect(),
        })
    }
}

/// Whether a column that was to hold nothing of its original values still does.
///
/// ```
/// use incrowd_verify::{MissingTokens, remaining};
///
/// let missing = MissingTokens::default();
/// assert!(remaining("name", ["Ann", "Bob", "NA"], ["x1", "x2", "NA"], &missing).is_none());
/// assert_eq!(remaining("name", ["Ann", "Bob"], ["x1", "Bob "], &missing).unwrap().rows, 1);
/// ```
pub fn remaining<'v>(
    column: &str,
    originals: impl IntoIterator<Item = &'v str>,
    released: impl IntoIterator<Item = &'v str>,
    missing: &MissingTokens,
) -> Option<Violation> {
    let form = |text: &str| canonical(text, missing, &NumberStyle::default());
    let known: BTreeSet<String> =
        originals.into_iter().filter(|text| !missing.contains(text)).map(form).collect();
    let mut rows = Vec::new();
    for (value, row) in released.into_iter().zip(1..) {
        if !missing.contains(value) && known.contains(&form(value)) {
            rows.push(row);
        }
    }
    (!rows.is_empty()).then(|| Violation {
        kind: ViolationKind::OriginalValue,
        message: format!(
            "{} rows of `{column}` hold a value of the original, which was to be replaced",
            rows.len()
        ),
        column: Some(column.to_owned()),
        classes: 0,
        rows: rows.len() as u64,
        examples: Vec::new(),
    })
}
