//! Whether rows are people, and whether a released column tells which rows belong together.
//!
//! Rows that share a value of a column are compared two by two, each with the one before it. If they agree on several
//! quasi-identifiers far more often than rows of different values do, they are rows of one person, and counting rows would
//! take a crowd of one for a crowd of many. First names repeat as well, and agree on the sex; but on little else. A town
//! agrees on the ZIP code and the state; but the one follows from the other, and counts once.
//!
//! Every column is looked at, released or not, and as it is before any treatment: a pseudonym groups rows as its value does.

use std::collections::{BTreeMap, HashMap};

use incrowd::Control;
use incrowd::value::is_missing;
use incrowd::words::thousands;
use incrowd_assess::expose::value_hash;
use incrowd_assess::inspect::Naming;
use incrowd_assess::thresholds::NEARLY_ALL;
use incrowd_assess::thresholds::people::{
    AGREE, ALIKE, BY_CHANCE, CODE_BY_CHANCE, CODES_ALIKE, FEWEST_PAIRS, FOLLOWS, LINKED, LINKS,
    LOOKED_AT, ROWS_EACH,
};

use crate::checks::subject_refusals::{
    Link, Repeated, groups_rows, is_released, links_rows, repeated_subjects, unit,
};
use crate::plan::job::Job;
use crate::plan::warning::Warning;
use crate::spec::{Role, Treat};
use crate::{Chunk, ErrorKind, Result, Source};

/// Columns that rows are compared by: as many as a word has bits.
pub(crate) const COMPARED: usize = 64;
/// Rows of other values that a row is compared with are taken from so many kept ones.
const KEPT: usize = 1 << 10;
/// So many of them for each row.
const LOOKS: u64 = 4;
/// Values that are remembered, of all columns together.
const REMEMBERED: u64 = 2_000_000;

/// How alike the rows are that share a value of a column.
#[derive(Debug, Default)]
pub struct SubjectEvidence {
    /// For each value met, the hashes of the compared columns in its last row.
    last: HashMap<u64, Vec<u32>>,
    /// On which compared columns pairs of rows agree that share a value, and how many pairs do.
    same: HashMap<u64, u64>,
    /// The same for pairs that do not.
    other: HashMap<u64, u64>,
    /// Rows of any value, to compare with.
    kept: Vec<(u64, Vec<u32>)>,
    rows: u64,
    /// Rows whose value is a code.
    codes: u64,
}

/// Whether a value may be a code that numbers somebody: it has a digit and is no decimal fraction.
pub fn is_code(value: &str) -> bool {
    let number = value.strip_prefix(['-', '+']).unwrap_or(value);
    let fraction = number.split_once(['.', ',']).filter(|(whole, part)| {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(part) && part.bytes().any(|digit| digit != b'0')
    });
    fraction.is_none() && value.bytes().any(|byte| byte.is_ascii_digit())
}

impl SubjectEvidence {
    /// Takes a row: whether its value may be a code, the hash of the value, and the hashes of what rows are compared by.
    pub fn add(&mut self, code: bool, hash: u64, compared: &[u32]) {
        let agree = |other: &[u32]| {
            let places = compared.iter().zip(other).enumerate();
            places.fold(0_u64, |mask, (at, (a, b))| mask | u64::from(a == b) << at)
        };
        self.rows += 1;
        self.codes += u64::from(code);
        match self.last.get_mut(&hash) {
            Some(last) => {
                *self.same.entry(agree(last)).or_insert(0) += 1;
                last.copy_from_slice(compared);
            }
            None => {
                self.last.insert(hash, compared.to_vec());
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

    /// Pairs of rows that share a value.
    fn pairs(&self) -> u64 {
        self.same.values().sum()
    }

    fn is_code(&self) -> bool {
        self.codes * 10 >= self.rows * 9
    }

    /// Whether nearly every row has a value of its own, and the values are words: then they name people.
    fn names_each_row(&self) -> bool {
        self.rows > 1
            && self.codes * 10 < self.rows
            && self.last.len() as f64 >= NEARLY_ALL * self.rows as f64
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
    fn finding(&self, compared: usize, own: Option<usize>, names_people: bool) -> Finding {
        let pairs = self.pairs();
        if pairs == 0 {
            return Finding::NoRepeats;
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
        if people && pairs >= FEWEST_PAIRS {
            let agreeing = (0..compared).filter(|at| strong & (1 << at) != 0).collect();
            return Finding::Subjects { agreeing };
        }
        Finding::Repeats { pairs, rows: self.rows }
    }

    /// Whether rows that share a value are of one subject, where they were compared by the subject alone, and how many pairs
    /// are.
    fn links(&self) -> Option<u64> {
        let pairs = self.pairs();
        let (same, chance) = self.alike(1);
        let links = pairs >= FEWEST_PAIRS && same >= LINKS && chance <= ALIKE;
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

enum Finding {
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

/// What was found of whom rows are of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subjects {
    /// Released columns that link the rows of a unit, where rows are linked: their collections are judged.
    pub(crate) linking: Vec<String>,
}

/// What is compared where somebody may have several rows, and in which columns.
#[derive(Debug)]
pub struct SubjectComparison {
    /// The columns whose values may tell people apart.
    pub columns: Vec<usize>,
    /// The columns that rows are compared by: quasi-identifiers, or the subject if it is known.
    pub compared: Vec<usize>,
    /// Whether values count as they are before any treatment: who has several rows does not depend on what is released.
    /// What links rows is what is released.
    pub(crate) untreated: bool,
}

impl SubjectComparison {
    /// What a job asks for. `distinct` tells how many different values a column has, where it is known, of how many rows.
    pub(crate) fn new(
        job: &Job,
        source: &Source,
        rows: u64,
        distinct: impl Fn(usize) -> Option<u64>,
    ) -> Result<Self> {
        let roles: BTreeMap<usize, Role> = job.columns.iter().copied().collect();
        let repeats = |at: usize| distinct(at).is_none_or(|values| values < rows);
        if let Some(unit) = &job.problem.unit {
            let unit = source.place_of(&unit.name)?;
            // How many rows could be linked is seen from the unit itself.
            let unchanged = roles.iter().filter(|(_, role)| **role != Role::Quasi);
            let is_fixed = |at: usize| {
                matches!(job.finishing.treatment(&source.columns()[at]), Some(Treat::Fixed(_)))
            };
            let unchanged = unchanged.map(|(at, _)| *at);
            let unchanged = unchanged.filter(|&at| at != unit && repeats(at) && !is_fixed(at));
            let columns = unchanged.chain([unit]).collect();
            return Ok(SubjectComparison { columns, compared: vec![unit], untreated: false });
        }
        let quasi = crate::count::pose::places(source, &job.problem.columns())?;
        let compared = quasi[..job.problem.quasi.len().min(COMPARED)].to_vec();
        let is_attribute = |at: usize| Naming::of(&source.columns()[at]) == Naming::Attribute;
        let enough = |at: usize| distinct(at).is_none_or(|values| values >= fewest_subjects(job));
        let may_be = |at: usize| match roles.get(&at) {
            None => true,
            // What others may know of people names none of them.
            Some(_) if is_attribute(at) => false,
            // Generalized, it is one column among others; what nearly numbers the rows still groups them.
            Some(Role::Quasi) => {
                enough(at)
                    && repeats(at)
                    && distinct(at).is_some_and(|values| values.saturating_mul(ROWS_EACH) >= rows)
            }
            Some(_) => enough(at) && repeats(at),
        };
        // Where somebody has said that rows are people, what is released may still tell which belong together.
        let is_shown = |at: usize| roles.get(&at).is_some_and(|role| *role != Role::Quasi);
        let asked = |at: &usize| may_be(*at) && (!job.unit_is_said || is_shown(*at));
        let columns = (0..source.columns().len()).filter(asked).collect();
        Ok(SubjectComparison { columns, compared, untreated: true })
    }

    /// All columns that a job may ask for, where nobody has counted yet.
    pub(crate) fn widest(job: &Job, source: &Source) -> Result<Self> {
        // Every value occurs twice, whatever is asked.
        SubjectComparison::new(job, source, u64::MAX, |_| Some(u64::MAX - 1))
    }

    /// Looks at the rows of a source, as they are before any treatment.
    pub(crate) fn look(
        &self,
        source: &Source,
        rows: u64,
        missing: &[String],
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let look = |columns: &[usize]| self.evidence(source, columns, rows, missing, control);
        match look(&self.columns) {
            Ok(found) => Ok(self.columns.iter().copied().zip(found).collect()),
            Err(error) if error.kind == ErrorKind::Interrupted => Err(error),
            // A column that is left out may hold what cannot be read, lists for one: that tells nobody apart.
            Err(_) => {
                let alone = |at| look(&[at]).ok().and_then(|mut found| found.pop());
                let columns = self.columns.iter();
                Ok(columns.map(|&at| (at, alone(at).unwrap_or_default())).collect())
            }
        }
    }

    fn evidence(
        &self,
        source: &Source,
        columns: &[usize],
        rows: u64,
        missing: &[String],
        control: &Control,
    ) -> Result<Vec<SubjectEvidence>> {
        // Of a large table some values are looked at, with all their rows.
        let most = LOOKED_AT.min(REMEMBERED / columns.len().max(1) as u64).max(1);
        let one_of = (rows / most).max(1);
        let mut found: Vec<SubjectEvidence> =
            columns.iter().map(|_| SubjectEvidence::default()).collect();
        let read = [columns, &self.compared].concat();
        let gather = |chunk: &Chunk| {
            let mut found: Vec<(usize, bool, u64, Vec<u32>)> = Vec::new();
            let mut compared: Vec<u32> = Vec::new();
            for row in 0..chunk.rows() {
                compared.clear();
                for at in 0..columns.len() {
                    let value = chunk.field(row, at).trim();
                    let hash = value_hash(value);
                    if !(hash >> 7).is_multiple_of(one_of) || is_missing(value, missing) {
                        continue;
                    }
                    if compared.is_empty() {
                        let hash = |at| value_hash(chunk.field(row, at).trim()) as u32;
                        compared.extend((columns.len()..read.len()).map(hash));
                    }
                    found.push((at, is_code(value), hash, compared.clone()));
                }
            }
            Ok(found)
        };
        let add = |rows: Vec<(usize, bool, u64, Vec<u32>)>| {
            for (at, code, hash, compared) in &rows {
                found[*at].add(*code, *hash, compared);
            }
            Ok(())
        };
        match self.untreated {
            true => source.map_untreated(&read, gather, add, control)?,
            false => source.map_in_order(&read, gather, add, control)?,
        }
        Ok(found)
    }

    /// Whether something is told of every column.
    pub(crate) fn is_answered_by(&self, evidence: &[(usize, SubjectEvidence)]) -> bool {
        self.columns.iter().all(|column| evidence.iter().any(|(at, _)| at == column))
    }

    /// Refuses a run whose released columns link rows that nobody has said to be linked.
    pub(crate) fn refuse_links(
        &self,
        job: &Job,
        source: &Source,
        evidence: &[(usize, SubjectEvidence)],
    ) -> Result<()> {
        if job.finishing.linked.is_some() {
            return Ok(());
        }
        let unit = self.compared.first().copied();
        let fixed = |at: usize| {
            matches!(job.finishing.treatment(&source.columns()[at]), Some(Treat::Fixed(_)))
        };
        let shown =
            |&(at, role): &(usize, Role)| Some(at) == unit && role != Role::Quasi && !fixed(at);
        let own = job.columns.iter().find(|column| shown(column)).map(|&(column, _)| {
            let all = evidence.iter().find(|(at, _)| *at == column);
            let all = all.map_or(0, |(_, rows)| rows.pairs());
            Link { column, pairs: all, all }
        });
        match own.as_ref().or(self.links(evidence).first()) {
            Some(link) => Err(links_rows(job, source, link)),
            None => Ok(()),
        }
    }

    /// Refuses released columns that group rows as people do, where somebody has said that rows are people.
    pub(crate) fn refuse_groups(
        &self,
        job: &Job,
        source: &Source,
        evidence: &[(usize, SubjectEvidence)],
    ) -> Result<()> {
        let groups = evidence.iter().filter(|(at, column)| {
            let name = &source.columns()[*at];
            let known_to_name = Naming::of(name) == Naming::Subject;
            let found = column.finding(self.compared.len(), None, known_to_name);
            let enough = column.last.len() as u64 >= fewest_subjects(job);
            matches!(found, Finding::Subjects { .. }) && enough && !job.accepted.contains(name)
        });
        let groups: Vec<(&String, u64)> =
            groups.map(|(at, column)| (&source.columns()[*at], column.last.len() as u64)).collect();
        groups_rows(job, &groups)
    }

    /// The released columns that link the rows of a unit.
    pub(crate) fn linking(
        &self,
        job: &Job,
        source: &Source,
        evidence: &[(usize, SubjectEvidence)],
    ) -> Subjects {
        let links = if job.problem.unit.is_some() { self.links(evidence) } else { Vec::new() };
        let linking = links.iter().map(|link| source.columns()[link.column].clone());
        Subjects { linking: linking.collect() }
    }

    /// Refuses a run whose rows are taken for people and are not; warns of names that repeat.
    pub(crate) fn refuse_repeated_subjects(
        &self,
        job: &Job,
        source: &Source,
        evidence: &[(usize, SubjectEvidence)],
    ) -> Result<Vec<Warning>> {
        let is_identifying = |at: usize| job.identifying.contains(&source.columns()[at]);
        let rows_are_named =
            evidence.iter().any(|(at, column)| is_identifying(*at) && column.names_each_row());
        let mut warnings = Vec::new();
        let mut found: Vec<(usize, &SubjectEvidence, Vec<usize>)> = Vec::new();
        for (at, column) in evidence {
            let own = self.compared.iter().position(|it| it == at);
            let naming = Naming::of(&source.columns()[*at]);
            let known_to_name = is_identifying(*at) || naming == Naming::Subject;
            match column.finding(self.compared.len(), own, known_to_name) {
                Finding::NoRepeats => {}
                Finding::Subjects { agreeing } => {
                    let enough = column.last.len() as u64 >= fewest_subjects(job);
                    if is_identifying(*at) || enough && !rows_are_named {
                        found.push((*at, column, agreeing));
                    }
                }
                Finding::Repeats { pairs, rows } if is_identifying(*at) => {
                    let name = &source.columns()[*at];
                    let message = format!(
                        "`{name}` repeats ({} of {} rows): if several rows can be of one person, say {}",
                        thousands(pairs),
                        thousands(rows),
                        unit(job.voice, name)
                    );
                    warnings.push(Warning::new("repeated-identity", message));
                }
                Finding::Repeats { .. } => {}
            }
        }
        // What names people goes before what merely has one value for each of them.
        let rank = |(at, column, agreeing): &(usize, &SubjectEvidence, Vec<usize>)| {
            (is_identifying(*at), column.is_code(), !is_released(job, *at), agreeing.len())
        };
        let best = found.iter().rev().max_by_key(|it| rank(it));
        let Some((at, column, agreeing)) = best else { return Ok(warnings) };
        let agreeing = agreeing.iter().map(|&at| &source.columns()[self.compared[at]]);
        let agreeing: Vec<String> = agreeing.map(|name| format!("`{name}`")).collect();
        let others = found.iter().map(|(other, ..)| *other);
        let repeated = Repeated {
            column: *at,
            others: others.filter(|other| other != at).collect(),
            rows: column.rows,
            values: column.last.len() as u64,
            is_code: column.is_code(),
            agreeing,
        };
        Err(repeated_subjects(job, source, &repeated))
    }

    /// The released columns that tell which rows are of one unit.
    fn links(&self, evidence: &[(usize, SubjectEvidence)]) -> Vec<Link> {
        let unit = self.compared.first().copied();
        let all = evidence.iter().find(|(at, _)| Some(*at) == unit);
        let all = all.map_or(0, |(_, column)| column.pairs());
        let others = evidence.iter().filter(|(at, _)| Some(*at) != unit);
        let links = others.filter_map(|(at, column)| {
            let pairs = column.links().filter(|&pairs| pairs as f64 >= LINKED * all as f64)?;
            Some(Link { column: *at, pairs, all })
        });
        links.collect()
    }
}

/// Fewer values than these are not proposed as people: nobody could be hidden among them.
fn fewest_subjects(job: &Job) -> u64 {
    job.problem.k.saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(value: impl ToString) -> u32 {
        value_hash(&value.to_string()) as u32
    }

    /// Evidence of rows: the column's value, and what is compared.
    fn evidence<const W: usize>(rows: impl Iterator<Item = (String, [u32; W])>) -> SubjectEvidence {
        let mut found = SubjectEvidence::default();
        for (value, compared) in rows {
            let compared: Vec<u32> = compared.iter().map(hash).collect();
            found.add(is_code(&value), value_hash(&value), &compared);
        }
        found
    }

    #[test]
    fn codes_are_no_fractions() {
        for (value, expected) in [
            ("P17", true),
            ("1001", true),
            ("1001.0", true),
            ("-0.25", false),
            ("3,5", false),
            ("Ann", false),
            ("12.3.4", true),
        ] {
            assert_eq!(is_code(value), expected, "{value}");
        }
    }

    /// Age, sex and ZIP code of a person; the person's number.
    fn person(number: u32) -> [u32; 3] {
        [number * 7 % 61, number % 2, number * 13 % 47]
    }

    #[test]
    fn rows_of_a_person_agree_on_what_does_not_follow() {
        let visits = (0..600).map(|row| (format!("p{}", row / 3), person(row / 3)));
        assert!(matches!(evidence(visits).finding(3, None, false), Finding::Subjects { .. }));
        // People of a town share its ZIP code and its state, and nothing else.
        let towns = (0..600u32).map(|row| {
            let zip = row % 40;
            (format!("town {zip}"), [zip, zip / 10, row * 7 % 61])
        });
        let towns = evidence(towns);
        assert!(towns.alike(1).0 > 0.99 && towns.alike(2).0 > 0.99);
        assert!(matches!(towns.finding(3, None, false), Finding::Repeats { .. }));
        // Area codes that stand for the same places, and towns that follow from them.
        let areas = (0..600u32).map(|row| {
            let zip = row % 40;
            (format!("area {zip}"), [zip, zip / 10, row * 7 % 61])
        });
        let areas = evidence(areas);
        assert!(areas.is_alias(1) && !areas.is_alias(2));
        assert!(matches!(areas.finding(3, None, false), Finding::Repeats { .. }));
        // A column does not agree with itself.
        let ages = (0..600u32).map(|row| ((row % 60).to_string(), [row % 60, row % 2, row / 60]));
        assert!(matches!(evidence(ages).finding(3, Some(0), false), Finding::Repeats { .. }));
    }

    #[test]
    fn a_second_number_links_rows_and_a_shared_value_does_not() {
        let card = evidence((0..300u32).map(|row| (format!("c{}", row / 3), [row / 3])));
        assert_eq!(card.links(), Some(200));
        let ward = evidence((0..300u32).map(|row| (format!("w{}", row % 10), [row / 3])));
        assert_eq!(ward.links(), None);
    }
}
