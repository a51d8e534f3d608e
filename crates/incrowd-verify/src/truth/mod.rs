//! Whether a release is true to its original.

mod boxes;
mod domain;
mod explain;
mod forest;
mod matching;

use crate::error::{Error, Place, Result, Source};
use crate::intern::Values;
use crate::tuples::Tuples;
use crate::value::Missing;
use crate::verdict::{Comparison, Violation, ViolationKind};
use crate::verifier::{Use, ValueColumn, Verifier, next_row};
use boxes::Boxes;
use domain::Domain;
use forest::{Forest, Points};
use matching::unmatched;

/// How many rows are remembered of each distinct released row.
const KEEP: usize = 4;

/// The original and released rows as they come in.
///
/// Columns that must be equal share their codes between both tables; rows that agree in all of
/// them form a group. A distinct original row is its group and its quasi-identifiers, a distinct
/// released one its group and its class.
pub(crate) struct Truth {
    header: Vec<String>,
    uses: Vec<Use>,
    /// The quasi-identifiers that are compared, by their places in the requirements.
    contained: Vec<usize>,
    /// Their original values.
    originals_of: Vec<Values>,
    /// The places of the columns that must be equal.
    equal: Vec<usize>,
    unknown: Vec<String>,
    unchecked: Vec<String>,
    groups: Tuples,
    originals: Tuples,
    released: Tuples,
    /// How often each value of each value column occurs in the original, if it has that column.
    overall: Vec<Option<Vec<u64>>>,
    rows: u32,
    key: Vec<u32>,
    codes: Vec<u32>,
    value_codes: Vec<u32>,
}

impl Truth {
    pub(crate) fn new(
        verifier: &Verifier,
        original: &[String],
        contained: Vec<usize>,
        equal: Vec<usize>,
        unknown: Vec<String>,
        unchecked: Vec<String>,
    ) -> Self {
        let mut uses = vec![Use::default(); original.len()];
        let mut overall = vec![None; verifier.values.len()];
        for (used, name) in uses.iter_mut().zip(original) {
            let quasi = contained.iter().position(|&at| verifier.quasi[at].name == *name);
            used.label = quasi.map(|at| at as u32);
            let value = verifier.values.iter().position(|column| column.name == *name);
            used.value = value.map(|at| at as u32);
            if let Some(at) = value {
                overall[at] = verifier.values[at].histograms.is_some().then(Vec::new);
            }
        }
        Truth {
            header: original.to_vec(),
            uses,
            originals_of: contained.iter().map(|_| Values::default()).collect(),
            groups: Tuples::new(equal.len(), 0),
            originals: Tuples::new(1 + contained.len(), 1),
            released: Tuples::new(2, KEEP),
            overall,
            rows: 0,
            key: Vec::new(),
            codes: vec![0; contained.len()],
            value_codes: vec![0; verifier.values.len()],
            contained,
            equal,
            unknown,
            unchecked,
        }
    }

    pub(crate) fn add_original<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
        values: &mut [ValueColumn],
        missing: &Missing,
    ) -> Result<()> {
        let table = Source::Original;
        let row = next_row(self.rows, table)?;
        let place = Place::Row(u64::from(row));
        let not_utf8 = |header: &[String], at: usize| {
            let column = header[at].clone();
            Error::NotUtf8 { table, place, column }
        };
        let mut found = 0;
        for (field, at) in fields.into_iter().zip(0..) {
            found = at + 1;
            let Some(&used) = self.uses.get(at) else { continue };
            if let Some(quasi) = used.label {
                let code = self.originals_of[quasi as usize].intern(field, missing);
                self.codes[quasi as usize] = code.map_err(|_| not_utf8(&self.header, at))?;
            }
            if let Some(value) = used.value {
                let code = values[value as usize].values.intern(field, missing);
                self.value_codes[value as usize] = code.map_err(|_| not_utf8(&self.header, at))?;
            }
        }
        if found != self.header.len() {
            return Err(Error::Ragged { table, place, expected: self.header.len(), found });
        }
        self.rows = row;
        for (counts, &value) in self.overall.iter_mut().zip(&self.value_codes) {
            if let Some(counts) = counts {
                if counts.len() <= value as usize {
                    counts.resize(value as usize + 1, 0);
                }
                counts[value as usize] += 1;
            }
        }
        let group = group_of(&mut self.groups, &self.equal, &self.value_codes, &mut self.key);
        self.key.clear();
        self.key.push(group);
        self.key.extend_from_slice(&self.codes);
        self.originals.add(&self.key, row);
        Ok(())
    }

    pub(crate) fn add_released(&mut self, class: u32, value_codes: &[u32], row: u32) {
        let group = group_of(&mut self.groups, &self.equal, value_codes, &mut self.key);
        self.released.add(&[group, class], row);
    }

    /// The distribution of a value column over the original, if the original has that column and
    /// any rows.
    pub(crate) fn overall(&self, column: usize) -> Option<&[u64]> {
        self.overall.get(column)?.as_deref().filter(|counts| !counts.is_empty())
    }

    /// Matches released to original rows.
    pub(crate) fn judge(mut self, verifier: &Verifier) -> (Comparison, Vec<Violation>) {
        self.groups.close();
        self.originals.close();
        self.released.close();
        let requirements = &verifier.requirements;
        let domains: Vec<Domain<'_>> = self
            .contained
            .iter()
            .zip(&self.originals_of)
            .map(|(&at, values)| {
                let ladder = requirements.ladders.get(&verifier.quasi[at].name);
                Domain::new(values, &requirements.missing, ladder)
            })
            .collect();
        let boxes = Boxes::new(&self.released, verifier, &self.contained, &domains);
        let mut forest = self.forest(&domains, &boxes);
        let without = unmatched(&boxes, &mut forest);

        let lacking: u64 = without.iter().map(|&rows| u64::from(rows)).sum();
        let matched = u64::from(verifier.rows) - lacking;
        let mut violations = self.unknown_columns(verifier);
        violations.extend(explain::violations(
            &explain::Case { truth: &self, verifier, forest: &forest, boxes: &boxes },
            &without,
        ));
        let comparison = Comparison {
            rows: u64::from(self.rows),
            matched,
            unmatched: lacking,
            suppressed: u64::from(self.rows) - matched,
            blank: blank_rows(verifier),
            contained: self.contained.iter().map(|&at| verifier.quasi[at].name.clone()).collect(),
            equal: self.equal.iter().map(|&at| verifier.values[at].name.clone()).collect(),
            unchecked: self.unchecked,
        };
        (comparison, violations)
    }

    fn forest(&self, domains: &[Domain<'_>], boxes: &Boxes<'_>) -> Forest {
        let count = self.originals.len();
        let mut points = Points {
            groups: Vec::with_capacity(count),
            coords: Vec::with_capacity(count * domains.len()),
            counts: self.originals.counts().to_vec(),
        };
        for tuple in 0..count {
            let key = self.originals.key(tuple);
            points.groups.push(key[0]);
            let ranks = key[1..].iter().zip(domains);
            points.coords.extend(ranks.map(|(&code, domain)| domain.rank[code as usize]));
        }
        let dimensions = domains.iter().enumerate();
        let dimensions: Vec<(usize, f64)> =
            dimensions.map(|(dim, domain)| (domain.len(), boxes.typical_side(dim))).collect();
        Forest::new(&points, &dimensions, self.groups.len())
    }

    fn unknown_columns(&self, verifier: &Verifier) -> Vec<Violation> {
        let unknown = self.unknown.iter().map(|name| Violation {
            kind: ViolationKind::UnknownColumn,
            message: format!(
                "the original has no column `{name}` to compare with; if that is as it should be, \
                 list it as unchecked"
            ),
            column: Some(name.clone()),
            classes: verifier.classes.len() as u64,
            rows: u64::from(verifier.rows),
            examples: Vec::new(),
        });
        unknown.collect()
    }
}

fn group_of(groups: &mut Tuples, equal: &[usize], codes: &[u32], key: &mut Vec<u32>) -> u32 {
    key.clear();
    key.extend(equal.iter().map(|&at| codes[at]));
    groups.add(key, 0)
}

fn blank_rows(verifier: &Verifier) -> u64 {
    let star: Option<Vec<u32>> = verifier.labels.iter().map(|labels| labels.find("*")).collect();
    let Some(star) = star else { return 0 };
    let blank = (0..verifier.classes.len()).filter(|&class| verifier.classes.key(class) == star);
    blank.map(|class| u64::from(verifier.classes.count(class))).sum()
}
