//! Whether the rows of a table are people, or several rows can be of one: looked at where nobody has said it.
//!
//! Rows that share a value of an identifying column are compared two by two, each with the one before it. If they agree on
//! quasi-identifiers far more often than rows of different values do, they are rows of one person, and counting rows
//! would take a crowd of one for a crowd of many. First names repeat as well, and agree on the sex; but on little else.

use std::collections::HashMap;

use incrowd::Control;
use incrowd::value::is_missing;
use incrowd::words::{count, thousands};
use incrowd_assess::expose::value_hash;
use incrowd_assess::thresholds::people::{
    AGREE, ALIKE, BY_CHANCE, CODE_BY_CHANCE, CODES_ALIKE, FEWEST_PAIRS, LOOKED_AT,
};

use super::voice::{Voice, quoted};
use super::{Job, Warning};
use crate::{Error, ErrorKind, Mend, Result, Source};

/// Quasi-identifiers that are compared: as many as a word has bits.
pub(super) const COMPARED: usize = 64;
/// Rows of other values that a row is compared with are taken from so many kept ones.
const KEPT: usize = 1 << 10;
/// So many of them for each row.
const LOOKS: u64 = 4;

/// One column that may tell people apart, and how alike the rows are that share a value of it.
#[derive(Default)]
pub(super) struct Looked {
    /// For each value met, the hashes of the quasi-identifiers in its last row.
    last: HashMap<u64, Vec<u32>>,
    /// On which quasi-identifiers pairs of rows agree that share a value, and how many pairs do.
    same: HashMap<u64, u64>,
    /// The same for pairs that do not.
    other: HashMap<u64, u64>,
    /// Rows of any value, to compare with.
    kept: Vec<(u64, Vec<u32>)>,
    rows: u64,
    /// Values with a digit in them.
    coded: u64,
}

impl Looked {
    pub(super) fn add(&mut self, coded: bool, hash: u64, quasi: &[u32]) {
        let agree = |other: &[u32]| {
            let places = quasi.iter().zip(other).enumerate();
            places.fold(0_u64, |mask, (at, (a, b))| mask | u64::from(a == b) << at)
        };
        self.rows += 1;
        self.coded += u64::from(coded);
        match self.last.get_mut(&hash) {
            Some(last) => {
                *self.same.entry(agree(last)).or_insert(0) += 1;
                last.copy_from_slice(quasi);
            }
            None => {
                self.last.insert(hash, quasi.to_vec());
            }
        }
        // The order of rows may say who belongs together: whom a row is compared with must not depend on it.
        for look in 0..LOOKS.min(self.kept.len() as u64) {
            let (other, row) = &self.kept[self.chance(look) % self.kept.len()];
            if *other != hash {
                *self.other.entry(agree(row)).or_insert(0) += 1;
            }
        }
        if self.kept.len() < KEPT {
            self.kept.push((hash, quasi.to_vec()));
        } else {
            let slot = self.chance(LOOKS) % KEPT;
            self.kept[slot] = (hash, quasi.to_vec());
        }
    }

    /// A number that looks random, from the number of the row.
    fn chance(&self, look: u64) -> usize {
        let mixed = (self.rows * (LOOKS + 1) + look).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
    }

    /// What is found: rows of one person, or merely a value that repeats.
    fn found(&self, quasi: usize) -> Found {
        let pairs: u64 = self.same.values().sum();
        if pairs == 0 {
            return Found::Nothing;
        }
        // In a small table few rows are kept, and all may be of one value: then nothing is alike by chance.
        let others: u64 = self.other.values().sum();
        let share = |masks: &HashMap<u64, u64>, all: u64, mask: u64| {
            let alike = masks.iter().filter(|(it, _)| *it & mask == mask).map(|(_, n)| n);
            alike.sum::<u64>() as f64 / all.max(1) as f64
        };
        let (mut strong, mut every) = (0_u64, 0_u64);
        for at in 0..quasi.min(COMPARED) {
            let bit = 1 << at;
            every |= bit;
            let (same, chance) = (share(&self.same, pairs, bit), share(&self.other, others, bit));
            if chance < 1.0 && (same - chance) / (1.0 - chance) >= AGREE {
                strong |= bit;
            }
        }
        let alike = |mask: u64| (share(&self.same, pairs, mask), share(&self.other, others, mask));
        let (by_strong, strong_chance) = alike(strong);
        let (by_all, all_chance) = alike(every);
        let coded = self.coded * 10 >= self.rows * 9;
        // A town tells the ZIP code, and is nobody: a person agrees on more than one.
        let people = strong.count_ones() > 1 && by_strong >= ALIKE && strong_chance <= BY_CHANCE
            || coded && quasi > 1 && by_all >= CODES_ALIKE && all_chance <= CODE_BY_CHANCE;
        if people && pairs >= FEWEST_PAIRS {
            let agreeing = (0..quasi.min(COMPARED)).filter(|at| strong & (1 << at) != 0).collect();
            return Found::People { values: self.last.len() as u64, agreeing };
        }
        Found::Repeats { pairs, rows: self.rows }
    }
}

enum Found {
    Nothing,
    /// A value repeats, but the rows are no more alike than others.
    Repeats {
        pairs: u64,
        rows: u64,
    },
    /// Rows of one person, who are alike in these quasi-identifiers.
    People {
        values: u64,
        agreeing: Vec<usize>,
    },
}

/// Refuses a run that would count rows where people have several, and warns of names that repeat.
pub(super) fn refuse_rows_for_people(
    job: &Job,
    source: &Source,
    rows: u64,
    control: &Control,
) -> Result<Vec<Warning>> {
    if job.unit_is_said {
        return Ok(Vec::new());
    }
    let columns = left_out(job, source);
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let quasi = super::places(source, &job.problem.columns())?;
    let quasi = &quasi[..job.problem.quasi.len().min(COMPARED)];
    let look = |columns: &[usize]| look(source, columns, quasi, rows, &job.missing, control);
    let looked: Vec<(usize, Looked)> = match look(&columns) {
        Ok(looked) => columns.into_iter().zip(looked).collect(),
        Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
        // A column that is left out may hold what cannot be read, lists for one: that tells nobody apart.
        Err(_) => {
            let each = columns.iter().filter_map(|&at| Some((at, look(&[at]).ok()?.pop()?)));
            each.collect()
        }
    };
    judge(job, source, quasi, &looked)
}

/// Columns that are not released: one of them may be what tells people apart.
pub(super) fn left_out(job: &Job, source: &Source) -> Vec<usize> {
    let released: Vec<usize> = job.columns.iter().map(|&(at, _)| at).collect();
    (0..source.columns().len()).filter(|at| !released.contains(at)).collect()
}

/// Refuses a run if the rows that share a value of one of these columns are rows of one person.
pub(super) fn judge(
    job: &Job,
    source: &Source,
    quasi: &[usize],
    looked: &[(usize, Looked)],
) -> Result<Vec<Warning>> {
    let mut warnings = Vec::new();
    for (at, looked) in looked {
        let at = *at;
        let name = &source.columns()[at];
        match looked.found(quasi.len()) {
            Found::Nothing => {}
            Found::People { values, agreeing } => {
                let agreeing =
                    agreeing.iter().map(|&q| format!("`{}`", source.columns()[quasi[q]]));
                let agreeing: Vec<String> = agreeing.collect();
                return Err(refused(job.voice, name, values, looked.rows, &agreeing));
            }
            Found::Repeats { pairs, rows } if job.identifying.contains(name) => {
                let message = format!(
                    "`{name}` repeats ({} of {} rows): if several rows can be of one person, say {}",
                    thousands(pairs),
                    thousands(rows),
                    unit(job.voice, name)
                );
                warnings.push(Warning::new("repeated-identity", message));
            }
            Found::Repeats { .. } => {}
        }
    }
    Ok(warnings)
}

fn look(
    source: &Source,
    columns: &[usize],
    quasi: &[usize],
    rows: u64,
    missing: &[String],
    control: &Control,
) -> Result<Vec<Looked>> {
    // Of a large table some values are looked at, with all their rows.
    let one_of = (rows / LOOKED_AT).max(1);
    let mut looked: Vec<Looked> = columns.iter().map(|_| Looked::default()).collect();
    let read = [columns, quasi].concat();
    source.map_in_order(
        &read,
        |chunk| {
            let mut found: Vec<(usize, bool, u64, Vec<u32>)> = Vec::new();
            for row in 0..chunk.rows() {
                for at in 0..columns.len() {
                    let value = chunk.field(row, at).trim();
                    let hash = value_hash(value);
                    if is_missing(value, missing) || !(hash >> 7).is_multiple_of(one_of) {
                        continue;
                    }
                    let quasi = (columns.len()..read.len())
                        .map(|place| value_hash(chunk.field(row, place).trim()) as u32);
                    let coded = value.bytes().any(|byte| byte.is_ascii_digit());
                    found.push((at, coded, hash, quasi.collect()));
                }
            }
            Ok(found)
        },
        |found| {
            for (at, coded, hash, quasi) in &found {
                looked[*at].add(*coded, *hash, quasi);
            }
            Ok(())
        },
        control,
    )?;
    Ok(looked)
}

/// What to write so that a column is the unit of protection.
fn unit(voice: Voice, column: &str) -> String {
    match voice {
        Voice::Options => format!("--unit {}", quoted(column)),
        Voice::Spec => format!("unit = {column:?} under [privacy]"),
        Voice::Program => format!(".unit({column:?})"),
        Voice::Keywords => format!("unit={column:?}"),
    }
}

fn refused(voice: Voice, name: &str, values: u64, rows: u64, agreeing: &[String]) -> Error {
    let alike = match agreeing {
        [] => "the quasi-identifiers".to_owned(),
        some => some.join(", "),
    };
    let message = format!(
        "rows are not people: {} share {} of `{name}` and agree on {alike}, so that a class of k rows can be one \
         person\n      {}  protects each value of `{name}`: every class holds k of them\n      {}  takes every row \
         for somebody of their own, on purpose",
        count(rows, "row", "rows"),
        count(values, "value", "values"),
        unit(voice, name),
        unit(voice, "row"),
    );
    let why = format!("rows that share a value agree on {alike}");
    let mend = Mend { column: name.to_owned(), role: "unit", why };
    let error = Error::new(message).help("say whom to protect").of_kind(ErrorKind::People);
    Error { mends: vec![mend], ..error }
}
