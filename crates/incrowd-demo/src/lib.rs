//! A synthetic census: correlated rows of people who do not exist.
//!
//! **What it does.** Draws one column after the other, each from a table of weights chosen by the
//! columns before it: age leads to sex and marital status; race to country; age and country to
//! education; education, sex and age to occupation; occupation and age to work class; all of them
//! to income. So the rows have the skew and the correlations that make anonymization hard, and a
//! tail of rare combinations that makes it interesting.
//!
//! **Guarantee.** A seed gives the same bytes on every machine (integers only), and the first
//! rows of a long census are the rows of a short one.
//!
//! **Cost.** Some ten million rows a second on one core; nothing is kept in memory.
//!
//! **How hard it is.** Distinct combinations of the eight quasi-identifiers: 19,387 in 30,162 rows
//! (the Adult data has 18,109), 253,218 in a million, 1,146,815 in ten million (seed 1).

mod alias;
mod hierarchy;
mod model;
mod tables;
mod wide;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

use model::CensusModel;
pub use wide::MORE;
use wide::WideModel;

/// How many columns a census has.
pub const COLUMNS: usize = 9;

/// The columns that outsiders may know about a person: all but the income.
pub const QUASI: [&str; COLUMNS - 1] = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
];

/// The column that nobody should learn about a person.
pub const SENSITIVE: &str = "income";

/// One person: the values in the order of [`Census::header`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    /// The age as a number; it is also the first of the values.
    pub age: u8,
    /// The values as text.
    pub values: [&'static str; COLUMNS],
}

/// A census of so many rows, drawn from a seed.
#[derive(Debug)]
pub struct Census {
    rows: u64,
    seed: u64,
    model: CensusModel,
    wide: Option<WideModel>,
}

impl Census {
    /// The census of `rows` people that `seed` stands for.
    pub fn new(rows: u64, seed: u64) -> Self {
        Census { rows, seed, model: CensusModel::new(), wide: None }
    }

    /// The same people with two further columns, [`MORE`], before the income.
    pub fn widened(self) -> Self {
        Census { wide: Some(WideModel::new()), ..self }
    }

    /// The names of the columns: the quasi-identifiers, then the income.
    pub fn header() -> [&'static str; COLUMNS] {
        let mut names = [SENSITIVE; COLUMNS];
        names[..QUASI.len()].copy_from_slice(&QUASI);
        names
    }

    /// The people, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Person> {
        let mut random = Pcg64::seed_from_u64(self.seed);
        (0..self.rows).map(move |_| self.model.draw(|| random.next_u64()))
    }

    /// The quasi-identifiers: [`QUASI`], and [`MORE`] if it is a wide census.
    pub fn quasi(&self) -> Vec<&'static str> {
        let more: &[&str] = if self.wide.is_some() { &MORE } else { &[] };
        QUASI.iter().chain(more).copied().collect()
    }

    /// Writes the census as comma-separated values with a header. No value needs quotes.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        const CHUNK: usize = 1 << 16;
        // Words of their own keep the other columns as they are.
        let mut more = Pcg64::seed_from_u64(!self.seed);
        let mut text = Vec::with_capacity(CHUNK + 1024);
        let [quasi @ .., income] = &Self::header();
        push_line(&mut text, quasi, if self.wide.is_some() { &MORE } else { &[] }, income);
        for person in self.iter() {
            let [quasi @ .., income] = &person.values;
            match &self.wide {
                Some(wide) => {
                    let more = wide.draw(&person, || more.next_u64());
                    push_line(&mut text, quasi, &more, income);
                }
                None => push_line(&mut text, quasi, &[], income),
            }
            if text.len() >= CHUNK {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)
    }

    /// The same into a file.
    pub fn write_file(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        self.write_csv(&mut out)?;
        out.flush()
    }
}

fn push_line(text: &mut Vec<u8>, quasi: &[&str], more: &[&str], income: &str) {
    for value in quasi.iter().chain(more) {
        text.extend_from_slice(value.as_bytes());
        text.push(b',');
    }
    text.extend_from_slice(income.as_bytes());
    text.push(b'\n');
}

#[cfg(test)]
mod tests;
