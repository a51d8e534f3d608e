//! Balanced structures: tables in which blanks are spread evenly over rows and columns.
//!
//! **What it does**: searches for a table B(k, m) over columns of given sizes, each of whose rows has the
//! same number of blanks, each of whose columns has the same number of blanks, and in which every row
//! reads like at least k - 1 others. A row has as few blanks as k distinct rows can do with: one where a
//! column has k values, else more ([`StructureSpec::least_blanks`]), so that no release of the table has
//! fewer blanks in all.
//! **Guarantee**: the search is exhaustive up to symmetry. A structure is returned, or there is none, or the
//! search came to its limit and says that the question is open.
//! **Cost**: exponential in the number of combinations; those up to about a hundred are within reach.
//! **Example**: over two columns of two values no four distinct rows are balanced for k = 2, for a row and
//! a column of the square always meet; over three columns six rows are.
//! **Reference**: S. S. Al-Fedaghi, *Balanced k-Anonymization* (2005). Its theorem, that a structure has
//! i * k * m rows, holds for one blank in each row and classes of just k rows.

mod nearest;
mod search;
mod survey;
mod symmetry;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use nearest::{NearestStructure, nearest_structure};
pub use survey::{StructureExistence, StructureSurvey, SurveyEntry, survey_structures};

use crate::kit::{Error, Result, words};
use crate::search::{Control, StopReason};
use search::{SearchEnding, StructureSearch};
use symmetry::PointSymmetries;

/// Most combinations of values, and most rows, that a search takes on: it goes one row deeper for each.
const MOST_POINTS: u64 = 1_024;
/// Most columns.
const MOST_COLUMNS: usize = 12;

/// What a balanced structure is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureSpec {
    /// The least size of a class.
    pub k: u32,
    /// How many values each column has.
    pub domains: Vec<u32>,
    /// How many rows there are.
    pub rows: u32,
    /// How often a row may occur; 1 if rows are distinct.
    pub repeats: u32,
    /// How many blanks each row has; as few as possible if none is given.
    pub blanks: Option<u32>,
}

/// A balanced table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalancedStructure {
    /// The least size of a class.
    pub k: u32,
    /// The rows, those that read alike beside each other.
    pub rows: Vec<StructureRow>,
}

/// A row of a balanced table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StructureRow {
    /// What is released: a value of each column, none where it is blank.
    pub released: Vec<Option<u32>>,
    /// The row itself.
    pub values: Vec<u32>,
}

/// How a search for a structure ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StructureOutcome {
    /// A structure was found.
    Found(BalancedStructure),
    /// There is none: all possibilities were examined, or a simple reason rules them out.
    Absent {
        /// The simple reason, as a sentence.
        why: Option<String>,
    },
    /// The search came to its limit.
    Undecided {
        /// Why it was stopped; none if it examined as many states as it may.
        reason: Option<StopReason>,
    },
}

/// What a search for a structure found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureAnswer {
    /// How it ended.
    pub outcome: StructureOutcome,
    /// How many states it examined: sets of rows still free, with the blanks still to be placed.
    pub states: u64,
}

impl StructureSpec {
    /// B(k, m) over domains, with as many distinct rows as fit: the largest i * k * m.
    pub fn largest(k: u32, domains: Vec<u32>) -> Self {
        let spec = StructureSpec { k, domains, rows: 0, repeats: 1, blanks: None };
        let step = spec.step();
        let rows = u64::from(step) * (spec.points() / u64::from(step.max(1))).max(1);
        StructureSpec { rows: u32::try_from(rows).unwrap_or(u32::MAX), ..spec }
    }

    /// k * m: a structure has a multiple of so many rows.
    pub fn step(&self) -> u32 {
        self.k.saturating_mul(self.domains.len() as u32)
    }

    /// How many rows there can be without repeats.
    pub fn points(&self) -> u64 {
        self.domains.iter().fold(1u64, |points, &size| points.saturating_mul(size.into()))
    }

    /// The fewest blanks that a row can have if k rows, none of them more often than allowed, read alike.
    /// More than there are columns if they never can.
    pub fn least_blanks(&self) -> u32 {
        let mut sizes = self.domains.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let mut alike = u64::from(self.repeats);
        let mut blanks = 0;
        // Even where equal rows could go without a blank, a structure has one.
        while blanks == 0 || alike < u64::from(self.k) {
            let Some(&size) = sizes.get(blanks) else { return sizes.len() as u32 + 1 };
            alike = alike.saturating_mul(size.into());
            blanks += 1;
        }
        blanks as u32
    }

    /// How many blanks each row has.
    pub fn blanks(&self) -> u32 {
        self.blanks.unwrap_or_else(|| self.least_blanks())
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: &str, help: &str| Err(Error::new(what).help(help));
        if self.k == 0 {
            return wrong("k is 0", "k is a whole number of at least 1, such as 2");
        }
        if self.rows == 0 {
            return wrong("a structure of no rows is nothing", "ask for k * m rows or a multiple");
        }
        if self.domains.is_empty() || self.domains.contains(&0) {
            return wrong(
                "every column of a structure needs a value, and a structure a column",
                "name how many values each column has, such as 2,2,3",
            );
        }
        if self.domains.len() > MOST_COLUMNS {
            return wrong(
                &format!("a structure can have at most {MOST_COLUMNS} columns"),
                "leave some columns out",
            );
        }
        if self.repeats == 0 || self.repeats > 255 {
            return wrong("a row may occur from 1 to 255 times", "1 asks for distinct rows");
        }
        if self.blanks.is_some_and(|blanks| blanks == 0 || blanks as usize > self.domains.len()) {
            return wrong(
                "a row has at least one blank and at most as many as there are columns",
                "leave the number of blanks out for as few as possible",
            );
        }
        if self.points() > MOST_POINTS {
            let points = words::thousands(self.points());
            let most = words::thousands(MOST_POINTS);
            return wrong(
                &format!("the columns have {points} combinations of values, more than {most}"),
                "ask for fewer columns or values",
            );
        }
        if u64::from(self.rows) > MOST_POINTS {
            return wrong(
                &format!("a structure can have at most {} rows", words::thousands(MOST_POINTS)),
                "ask for fewer rows",
            );
        }
        Ok(())
    }

    /// Why there is no structure, where that takes no search.
    fn ruled_out(&self) -> Option<String> {
        let (m, blanks) = (self.domains.len() as u64, u64::from(self.blanks()));
        let most = self.points().saturating_mul(self.repeats.into());
        let rows = u64::from(self.rows);
        if rows > most {
            return Some(format!(
                "{} do not fit: the columns have {}, each at most {}",
                words::count(rows, "row", "rows"),
                words::count(self.points(), "combination of values", "combinations of values"),
                if self.repeats == 1 {
                    "once".to_owned()
                } else {
                    format!("{} times", self.repeats)
                },
            ));
        }
        if u64::from(self.k) > rows {
            return Some(format!("k = {} is more than {rows} rows", self.k));
        }
        if blanks > m {
            return Some(format!("even blank all over, fewer than k = {} rows read alike", self.k));
        }
        if !(rows * blanks).is_multiple_of(m) {
            let total = words::count(rows * blanks, "blank", "blanks");
            return Some(format!("{total} cannot be spread evenly over {m} columns"));
        }
        None
    }

    /// Searches for a structure, examining at most so many states.
    ///
    /// ```
    /// use incrowd_engine::Control;
    /// use incrowd_engine::structure::{StructureOutcome, StructureSpec};
    /// let six = StructureSpec::largest(2, vec![2, 2, 2]);
    /// assert_eq!(six.rows, 6);
    /// let answer = six.search(1_000_000, &Control::default())?;
    /// let StructureOutcome::Found(structure) = answer.outcome else { panic!("there is one") };
    /// assert_eq!(structure.check(&six), Ok(()));
    /// # Ok::<(), incrowd_engine::Error>(())
    /// ```
    pub fn search(&self, most_states: u64, control: &Control) -> Result<StructureAnswer> {
        self.check()?;
        if let why @ Some(_) = self.ruled_out() {
            return Ok(StructureAnswer { outcome: StructureOutcome::Absent { why }, states: 0 });
        }
        let points = combinations(&self.domains);
        let free = vec![self.repeats as u8; points.len()];
        let symmetries = PointSymmetries::new(&self.domains, &points);
        let search =
            StructureSearch::new(&points, free, self.k, self.blanks(), self.rows, symmetries);
        Ok(search.run(most_states, control))
    }
}

/// All combinations of values, the last column running fastest.
fn combinations(domains: &[u32]) -> Vec<Vec<u32>> {
    domains.iter().fold(vec![Vec::new()], |points, &size| {
        points
            .iter()
            .flat_map(|point| (0..size).map(|value| [point.as_slice(), &[value]].concat()))
            .collect()
    })
}

impl StructureAnswer {
    fn new(ended: SearchEnding, states: u64) -> Self {
        let outcome = match ended {
            SearchEnding::Found(structure) => StructureOutcome::Found(structure),
            SearchEnding::Exhausted => StructureOutcome::Absent { why: None },
            SearchEnding::Stopped(reason) => StructureOutcome::Undecided { reason },
        };
        StructureAnswer { outcome, states }
    }
}

impl BalancedStructure {
    /// How many blanks each column has.
    pub fn column_blanks(&self) -> Vec<u32> {
        let width = self.rows.first().map_or(0, |row| row.released.len());
        let blank = |column: usize| {
            self.rows.iter().filter(|row| row.released[column].is_none()).count() as u32
        };
        (0..width).map(blank).collect()
    }

    /// Checks every demand on a structure anew, from its rows alone. What fails is told in a sentence.
    pub fn check(&self, spec: &StructureSpec) -> std::result::Result<(), String> {
        if self.rows.len() != spec.rows as usize {
            return Err(format!("there are {} rows instead of {}", self.rows.len(), spec.rows));
        }
        let mut classes: BTreeMap<&[Option<u32>], u32> = BTreeMap::new();
        let mut occur: BTreeMap<&[u32], u32> = BTreeMap::new();
        for StructureRow { released, values } in &self.rows {
            if values.len() != spec.domains.len() || released.len() != values.len() {
                return Err(format!("the row {values:?} has the wrong number of columns"));
            }
            if values.iter().zip(&spec.domains).any(|(value, size)| value >= size) {
                return Err(format!("the row {values:?} holds a value that its column has not"));
            }
            if released.iter().zip(values).any(|(shown, value)| shown.is_some_and(|s| s != *value))
            {
                return Err(format!("the row {values:?} is released untruthfully as {released:?}"));
            }
            let blanks = released.iter().filter(|shown| shown.is_none()).count();
            if blanks != spec.blanks() as usize {
                return Err(format!("the row {values:?} has {blanks} blanks"));
            }
            *classes.entry(released).or_default() += 1;
            *occur.entry(values).or_default() += 1;
        }
        if let Some((row, times)) = occur.iter().find(|(_, times)| **times > spec.repeats) {
            return Err(format!("the row {row:?} occurs {times} times"));
        }
        if let Some((row, size)) = classes.iter().find(|(_, size)| **size < spec.k) {
            return Err(format!("only {size} rows read {row:?}"));
        }
        let blanks = self.column_blanks();
        if blanks.iter().any(|column| Some(column) != blanks.first()) {
            return Err(format!("the columns have {blanks:?} blanks"));
        }
        Ok(())
    }
}
