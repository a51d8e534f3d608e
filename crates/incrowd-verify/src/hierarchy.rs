//! Generalization hierarchies as strings.

use std::io::Read;

use hashbrown::HashMap;

use crate::error::{Error, InputPosition, InputTable, Result};
use crate::records::{CsvOptions, CsvRecords};
use crate::value::looks;

/// A generalization hierarchy in ARX's form: one row per value, the value first, then its label on
/// each level up to the top.
///
/// A label stands for the values of all rows that carry it, on whatever level.
///
/// ```
/// use incrowd_verify::LabelHierarchy;
///
/// let hierarchy = LabelHierarchy::read_csv("Cuba;America;*\nIndia;Asia;*\nPeru;America;*".as_bytes(), b';')?;
/// assert_eq!(hierarchy.values_under("America").collect::<Vec<_>>(), ["Cuba", "Peru"]);
/// # Ok::<(), incrowd_verify::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelHierarchy {
    rows: Vec<Vec<String>>,
    under: HashMap<String, Vec<u32>>,
}

impl LabelHierarchy {
    /// A hierarchy from its rows `value, level 1, ..., top`. All rows need the same number of
    /// labels; a value may be repeated with the same labels only.
    pub fn from_rows<R, S>(rows: impl IntoIterator<Item = R>) -> Result<Self>
    where
        R: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let mut ladder = LabelHierarchy::default();
        let mut row_of = HashMap::new();
        for (row, number) in rows.into_iter().zip(1..) {
            let row = row.into_iter().map(Into::into).collect();
            ladder.add(row, InputPosition::Row(number), &mut row_of)?;
        }
        Ok(ladder)
    }

    /// Reads a hierarchy from a CSV file without a header line.
    pub fn read_csv(reader: impl Read, delimiter: u8) -> Result<Self> {
        let options = CsvOptions { delimiter, ..CsvOptions::default() };
        let mut records = CsvRecords::new(reader, &options, InputTable::Hierarchy);
        let mut ladder = LabelHierarchy::default();
        let mut row_of = HashMap::new();
        while let Some(block) = records.next(1)? {
            let fields = block.record(0).iter().map(|&span| block.field(span).into_owned());
            let row: Result<Vec<String>, _> = fields.map(String::from_utf8).collect();
            let place = InputPosition::Line(block.line(0));
            let Ok(row) = row else {
                let problem = "the bytes are not UTF-8; convert the file first".to_owned();
                return Err(Error::Ladder { place, problem });
            };
            ladder.add(row, place, &mut row_of)?;
        }
        if ladder.rows.is_empty() {
            return Err(Error::Ladder {
                place: InputPosition::Line(1),
                problem: "no values".to_owned(),
            });
        }
        Ok(ladder)
    }

    fn add(
        &mut self,
        row: Vec<String>,
        place: InputPosition,
        row_of: &mut HashMap<String, usize>,
    ) -> Result<()> {
        let wrong = |problem| Err(Error::Ladder { place, problem });
        let row: Vec<String> = row.iter().map(|label| looks(label).into_owned()).collect();
        let Some(value) = row.first() else {
            return wrong("an empty row".to_owned());
        };
        if let Some(first) = self.rows.first()
            && first.len() != row.len()
        {
            return wrong(format!(
                "{} fields where the first row has {}: every value needs a label on each level",
                row.len(),
                first.len()
            ));
        }
        if let Some(&earlier) = row_of.get(value) {
            if self.rows[earlier] == row {
                return Ok(());
            }
            return wrong(format!("`{value}` is listed twice with different labels: keep one"));
        }
        let leaf = self.rows.len();
        row_of.insert(value.clone(), leaf);
        for label in &row[1..] {
            let leaves = self.under.entry_ref(label.as_str()).or_default();
            // A label that repeats on several levels of one row is still one mention of the value.
            if leaves.last() != Some(&(leaf as u32)) {
                leaves.push(leaf as u32);
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// The values that a label stands for, in the order of the rows; none if it is not a label.
    pub fn values_under(&self, label: &str) -> impl Iterator<Item = &str> {
        let leaves = self.under.get(label).or_else(|| self.under.get(label.trim()));
        leaves.into_iter().flatten().map(|&leaf| self.rows[leaf as usize][0].as_str())
    }

    /// Whether a string is one of the labels above the values.
    pub fn has_label(&self, label: &str) -> bool {
        self.under.contains_key(label) || self.under.contains_key(label.trim())
    }

    /// The rows `value, level 1, ..., top`.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn a_label_on_two_levels_is_the_union() {
        let ladder = LabelHierarchy::from_rows([
            ["a", "x", "z"],
            ["b", "y", "x"],
            ["c", "x", "x"],
            ["d", "y", "z"],
        ])
        .unwrap();
        assert_eq!(ladder.values_under("x").collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(ladder.values_under("z").collect::<Vec<_>>(), ["a", "d"]);
        assert_eq!(ladder.values_under("a").count(), 0);
        assert!(ladder.has_label("y") && !ladder.has_label("b"));
    }

    #[test]
    fn bad_hierarchies_say_where() {
        let error =
            |text: &str| LabelHierarchy::read_csv(text.as_bytes(), b';').unwrap_err().to_string();
        assert!(error("a;x;*\nb;*").contains("line 2: 2 fields where the first row has 3"));
        assert!(error("a;x\na;y").contains("line 2: `a` is listed twice"));
        assert!(error("").contains("no values"));
        assert!(
            LabelHierarchy::read_csv(&b"a;\xff"[..], b';')
                .unwrap_err()
                .to_string()
                .contains("UTF-8")
        );
        let twice = LabelHierarchy::read_csv("\u{feff}a;x\na;x".as_bytes(), b';').unwrap();
        assert_eq!(twice.rows(), [["a", "x"]]);
    }
}
