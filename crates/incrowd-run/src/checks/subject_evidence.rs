//! How alike the rows are that share a value of a column, and whether they are rows of one person.

use std::collections::HashMap;

use incrowd_assess::thresholds::people::{
    AGREE, ALIKE, BARELY, BY_CHANCE, CODE_BY_CHANCE, CODES_ALIKE, FEWEST_PAIRS, FOLLOWS, LINKS,
    ROWS_EACH, STRATUM_ROWS, UNNAMED_ALIKE, UNNAMED_PAIRS,
};
use incrowd_assess::thresholds::{CODES, NEARLY_ALL};
use serde::{Deserialize, Serialize};

/// Columns that rows are compared by: as many as a word has bits.
pub(crate) const COMPARED: usize = 64;
/// Rows of other values that a row is compared with are taken from so many kept ones.
const KEPT: usize = 1 << 10;
/// So many of them for each row.
const LOOKS: u64 = 4;

/// How alike the rows are that share a value of a column.
#[derive(Debug, Default)]
pub struct SubjectEvidence {
    /// For each value met, how many rows have it, and the hashes of the compared columns in one of them.
    one_of: HashMap<u64, (u64, Vec<u32>)>,
    /// On which compared columns pairs of rows agree that share a value, and how many pairs do.
    same: HashMap<u64, u64>,
    /// The same for pairs that do not.
    other: HashMap<u64, u64>,
    /// Rows of any value, to compare with.
    kept: Vec<(u64, Vec<u32>)>,
    pub(super) rows: u64,
    /// Rows whose value is a code.
    codes: u64,
    /// Rows whose value is a number with a fraction.
    fractions: u64,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueForm {
    /// It has a digit and may be a code that numbers somebody.
    Code,
    /// It is a decimal fraction: somebody measured it.
    Fraction,
    /// It has no digit.
    Word,
}

impl ValueForm {
    /// What a value looks like.
    pub fn of(value: &str) -> Self {
        let number = value.strip_prefix(['-', '+']).unwrap_or(value);
        let fraction = number.split_once(['.', ',']).filter(|(whole, part)| {
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            digits(whole) && digits(part) && part.bytes().any(|digit| digit != b'0')
        });
        match value.bytes().any(|byte| byte.is_ascii_digit()) {
            _ if fraction.is_some() => ValueForm::Fraction,
            true => ValueForm::Code,
            false => ValueForm::Word,
        }
    }
}

impl SubjectEvidence {
    /// Takes a row: the look of its value, its hash, and the hashes of what rows are compared by.
    pub fn add(&mut self, form: ValueForm, hash: u64, compared: &[u32]) {
        let agree = |other: &[u32]| {
            let places = compared.iter().zip(other).enumerate();
            places.fold(0_u64, |mask, (at, (a, b))| mask | u64::from(a == b) << at)
        };
        self.rows += 1;
        self.codes += u64::from(form == ValueForm::Code);
        self.fractions += u64::from(form == ValueForm::Fraction);
        // The order of rows may say who belongs together: whom a row is compared with must not depend on it.
        let chance = self.chance(LOOKS) as u64;
        match self.one_of.get_mut(&hash) {
            Some((rows, one)) => {
                *self.same.entry(agree(one)).or_insert(0) += 1;
                *rows += 1;
                if chance.is_multiple_of(*rows) {
                    one.copy_from_slice(compared);
                }
            }
            None => {
                self.one_of.insert(hash, (1, compared.to_vec()));
            }
        }
        for look in 0..LOOKS.min(self.kept.len() as u64) {
            let (other, row) = &self.kept[self.chance(look) % self.kept.len()];
            if *other != hash {
                *self.other.entry(agree(row)).or_insert(0) += 1;
            }
        }
        if self.kept.len() < KEPT {
            self.kept.push((hash, compared.to_vec()));
        } else {
            let slot = self.chance(LOOKS) % KEPT;
            self.kept[slot] = (hash, compared.to_vec());
        }
    }

    /// A number that looks random, from the number of the row.
    fn chance(&self, look: u64) -> usize {
        let mixed = (self.rows * (LOOKS + 1) + look).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
    }

    /// How many values there are.
    pub(super) fn values(&self) -> u64 {
        self.one_of.len() as u64
    }

    /// Pairs of rows that share a value.
    pub(super) fn pairs(&self) -> u64 {
        self.same.values().sum()
    }

    pub(super) fn is_code(&self) -> bool {
        self.codes * 10 >= self.rows * 9
    }

    /// Whether the values are measurements, of which one in ten has a fraction.
    fn is_measured(&self) -> bool {
        self.fractions * 10 >= self.rows
    }

    /// Whether nearly every row has a value of its own, and the values are words: then they name people.
    pub(super) fn names_each_row(&self) -> bool {
        self.rows > 1
            && self.codes * 10 < self.rows
            && self.one_of.len() as f64 >= NEARLY_ALL * self.rows as f64
    }

    /// The share of pairs that agree on all columns of a mask, among rows that share a value and among those that do not.
    fn alike(&self, mask: u64) -> (f64, f64) {
        // In a small table few rows are kept, and all may be of one value: then nothing is alike by chance.
        (share(&self.same, mask), share(&self.other, mask))
    }

    /// Those of some columns that do not follow from another of them: rows of different values that agree on a ZIP code
    /// agree on its state.
    fn independent(&self, mask: u64) -> u64 {
        let mut columns: Vec<(u64, u64)> =
            bits(mask).map(|bit| (agreeing(&self.other, bit), bit)).collect();
        // What agrees seldom tells what agrees often.
        columns.sort_unstable();
        let mut kept = 0_u64;
        for (_, bit) in columns {
            let follows = bits(kept).any(|of| {
                let pairs = agreeing(&self.other, of);
                pairs >= FEWEST_PAIRS
                    && agreeing(&self.other, of | bit) as f64 >= FOLLOWS * pairs as f64
            });
            if !follows {
                kept |= bit;
            }
        }
        kept
    }

    /// Whether a compared column is another name of this one: rows that share a value agree on it, and no others do.
    fn is_alias(&self, bit: u64) -> bool {
        agreeing(&self.other, bit) < FEWEST_PAIRS && self.alike(bit).0 >= LINKS
    }

    /// What is found by so many compared columns, one of which may be the column itself. Other names of it say nothing of
    /// people unless it is known to name them: a ZIP code has an area code, as a person has a birthday.
    pub(super) fn finding(
        &self,
        compared: usize,
        own: Option<usize>,
        names_people: bool,
        is_released: bool,
    ) -> SubjectFinding {
        let pairs = self.pairs();
        if pairs == 0 {
            return SubjectFinding::NoRepeats;
        }
        let own = own.map_or(0, |at| 1_u64 << at);
        let counts = |bit: &u64| bit & own == 0 && (names_people || !self.is_alias(*bit));
        let every = bits(low_bits(compared)).filter(counts).fold(0, |a, b| a | b);
        let strong = bits(every).filter(|&bit| {
            let (same, chance) = self.alike(bit);
            chance < 1.0 && (same - chance) / (1.0 - chance) >= AGREE
        });
        let strong = strong.fold(0, |a, b| a | b);
        // A person agrees on more than one thing, of which none follows from another: a town tells the ZIP code and the state.
        let several = |mask: u64| match names_people {
            true => mask.count_ones() > 1,
            false => self.independent(mask).count_ones() > 1,
        };
        let (by_strong, strong_chance) = self.alike(strong);
        let (by_all, all_chance) = self.alike(every);
        let people = by_strong >= ALIKE && strong_chance <= BY_CHANCE && several(strong)
            || self.is_code()
                && by_all >= CODES_ALIKE
                && all_chance <= CODE_BY_CHANCE
                && several(every);
        let believed = match names_people {
            // It is called a number of somebody: then one thing that they keep is enough, unless it is but another name.
            true => {
                let kept = bits(strong).any(|bit| !self.is_alias(bit) && !self.follows_from(bit));
                people || kept && by_strong >= ALIKE && self.rows_share_values()
            }
            // Towns, plans and measurements group rows as well.
            false => {
                people
                    && (self.rows_share_values() || self.values() >= CODES)
                    && by_strong.max(by_all) >= UNNAMED_ALIKE
                    && pairs as f64 >= UNNAMED_PAIRS * self.rows as f64
                    && (is_released || !self.is_measured())
                    && self.is_more_than_function(every, strong)
            }
        };
        if believed && pairs >= FEWEST_PAIRS {
            let agreeing = (0..compared).filter(|at| strong & (1 << at) != 0).collect();
            return SubjectFinding::Subjects { agreeing };
        }
        SubjectFinding::Repeats { pairs, rows: self.rows }
    }

    /// Whether rows that share a value agree on something besides the columns that the value follows from, if it follows from
    /// any: of few people nearly each has an age alone, and keeps the sex as well.
    fn is_more_than_function(&self, every: u64, strong: u64) -> bool {
        let followed = bits(every).filter(|&bit| self.follows_from(bit)).fold(0, |a, b| a | b);
        if followed != 0 && self.independent(strong) & !followed == 0 {
            return false;
        }
        // A stratum is a region and a sex, and its people differ in all else.
        let by_chance = |bit: u64| {
            let (same, chance) = self.alike(bit);
            same - chance < BARELY * (1.0 - chance)
        };
        let many_rows = self.rows > STRATUM_ROWS * self.values();
        !(many_rows && self.follows_from(strong) && bits(every & !strong).any(by_chance))
    }

    /// Whether most rows share their value, with few others each: then they are not one for each person.
    pub(super) fn mostly_repeats(&self) -> bool {
        self.is_code() && self.rows_share_values() && 2 * self.pairs() >= self.rows
    }

    /// Whether so few rows share a value that it may be somebody's.
    pub(super) fn rows_share_values(&self) -> bool {
        (self.one_of.len() as u64).saturating_mul(ROWS_EACH) >= self.rows
    }

    /// Whether the column follows from compared ones together, as a year of birth follows from an age: among the kept rows,
    /// those that agree on them agree on it.
    fn follows_from(&self, mask: u64) -> bool {
        let key = |compared: &[u32]| -> u64 {
            bits(mask).fold(0, |key: u64, bit| {
                let value = compared[bit.trailing_zeros() as usize];
                (key.rotate_left(23) ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            })
        };
        let mut rows: Vec<(u64, u64)> =
            self.kept.iter().map(|(hash, compared)| (key(compared), *hash)).collect();
        rows.sort_unstable();
        let pairs = rows.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let (all, same) = pairs.fold((0_u64, 0_u64), |(all, same), pair| {
            (all + 1, same + u64::from(pair[0].1 == pair[1].1))
        });
        // Sorted, different values of a group meet once each.
        let values = {
            let mut values: Vec<u64> = rows.iter().map(|row| row.1).collect();
            values.sort_unstable();
            values.dedup();
            values.len() as u64
        };
        all >= values.max(FEWEST_PAIRS) && same as f64 >= FOLLOWS * all as f64
    }

    /// Whether rows that share a value are of one subject, where they were compared by the subject alone, and how many pairs
    /// are.
    pub(super) fn links(&self) -> Option<u64> {
        let pairs = self.pairs();
        let (same, chance) = self.alike(1);
        let links = pairs >= FEWEST_PAIRS && same >= LINKS && chance < LINKS;
        links.then(|| agreeing(&self.same, 1))
    }
}

fn low_bits(count: usize) -> u64 {
    if count >= COMPARED { u64::MAX } else { (1 << count) - 1 }
}

fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..u64::BITS).map(|at| 1 << at).filter(move |bit| mask & bit != 0)
}

/// How many pairs agree on all columns of a mask.
fn agreeing(pairs: &HashMap<u64, u64>, mask: u64) -> u64 {
    pairs.iter().filter(|(it, _)| *it & mask == mask).map(|(_, n)| n).sum()
}

fn share(pairs: &HashMap<u64, u64>, mask: u64) -> f64 {
    agreeing(pairs, mask) as f64 / pairs.values().sum::<u64>().max(1) as f64
}

/// What the rows of a column tell.
pub(super) enum SubjectFinding {
    NoRepeats,
    /// A value repeats, but the rows are no more alike than others.
    Repeats {
        pairs: u64,
        rows: u64,
    },
    /// Rows that share a value are of one person, who agrees on these quasi-identifiers.
    Subjects {
        agreeing: Vec<usize>,
    },
}

#[cfg(test)]
mod tests {
    use incrowd_assess::expose::value_hash;

    use super::*;

    fn hash(value: impl ToString) -> u32 {
        value_hash(&value.to_string()) as u32
    }

    /// Evidence of rows: the column's value, and what is compared.
    fn evidence<const W: usize>(rows: impl Iterator<Item = (String, [u32; W])>) -> SubjectEvidence {
        let mut found = SubjectEvidence::default();
        for (value, compared) in rows {
            let compared: Vec<u32> = compared.iter().map(hash).collect();
            found.add(ValueForm::of(&value), value_hash(&value), &compared);
        }
        found
    }

    #[test]
    fn codes_are_no_fractions() {
        for (value, expected) in [
            ("P17", ValueForm::Code),
            ("1001", ValueForm::Code),
            ("1001.0", ValueForm::Code),
            ("-0.25", ValueForm::Fraction),
            ("3,5", ValueForm::Fraction),
            ("Ann", ValueForm::Word),
            ("12.3.4", ValueForm::Code),
        ] {
            assert_eq!(ValueForm::of(value), expected, "{value}");
        }
    }

    /// Age, sex and ZIP code of a person; the person's number.
    fn person(number: u32) -> [u32; 3] {
        [number * 7 % 61, number % 2, number * 13 % 47]
    }

    #[test]
    fn rows_of_a_person_agree_on_what_does_not_follow() {
        let visits = (0..600).map(|row| (format!("p{}", row / 3), person(row / 3)));
        assert!(matches!(
            evidence(visits).finding(3, None, false, false),
            SubjectFinding::Subjects { .. }
        ));
        // People of a town share its ZIP code and its state, and nothing else.
        let towns = (0..600u32).map(|row| {
            let zip = row % 40;
            (format!("town {zip}"), [zip, zip / 10, row * 7 % 61])
        });
        let towns = evidence(towns);
        assert!(towns.alike(1).0 > 0.99 && towns.alike(2).0 > 0.99);
        assert!(matches!(towns.finding(3, None, false, false), SubjectFinding::Repeats { .. }));
        // Area codes that stand for the same places, and towns that follow from them.
        let areas = (0..600u32).map(|row| {
            let zip = row % 40;
            (format!("area {zip}"), [zip, zip / 10, row * 7 % 61])
        });
        let areas = evidence(areas);
        assert!(areas.is_alias(1) && !areas.is_alias(2));
        assert!(matches!(areas.finding(3, None, false, false), SubjectFinding::Repeats { .. }));
        // A column does not agree with itself.
        let ages = (0..600u32).map(|row| ((row % 60).to_string(), [row % 60, row % 2, row / 60]));
        assert!(matches!(
            evidence(ages).finding(3, Some(0), false, false),
            SubjectFinding::Repeats { .. }
        ));
    }

    #[test]
    fn a_second_number_links_rows_and_a_shared_value_does_not() {
        let card = evidence((0..300u32).map(|row| (format!("c{}", row / 3), [row / 3])));
        assert_eq!(card.links(), Some(200));
        let ward = evidence((0..300u32).map(|row| (format!("w{}", row % 10), [row / 3])));
        assert_eq!(ward.links(), None);
    }
}
