//! Whether rows are people, and whether a released column tells which rows belong together.
//!
//! Rows that share a value of a column are compared two by two, each with one of those before it. If they agree on several
//! quasi-identifiers far more often than rows of different values do, they are rows of one person, and counting rows would
//! take a crowd of one for a crowd of many. First names repeat as well, and agree on the sex; but on little else. A town
//! agrees on the ZIP code and the state; but the one follows from the other, and counts once.
//!
//! Every column is looked at, released or not, and as it is before any treatment: a pseudonym groups rows as its value does.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use incrowd_assess::expose::value_hash;
use incrowd_assess::inspect::NameHint;
use incrowd_assess::thresholds::people::{
    FEWEST_PAIRS, INITIALS, LINKED, LOOKED_AT, ROWS_EACH, SLIPS,
};
use incrowd_engine::Control;
use incrowd_engine::value::is_missing;
use incrowd_engine::words::thousands;

use crate::checks::subject_evidence::{COMPARED, SubjectEvidence, SubjectFinding, ValueForm};
use crate::checks::subject_refusals::{
    LinkingColumn, SubjectColumn, divides_units, groups_rows, is_released, linked_by_treatment,
    links_rows, repeated_subjects, unit,
};
use crate::plan::job::Job;
use crate::plan::warning::Warning;
use crate::spec::{MaskMethod, Role};
use crate::{Chunk, ErrorKind, Result, Source};

/// Values that are remembered, of all columns together.
const REMEMBERED: u64 = 2_000_000;

/// What was found of whom rows are of.
#[derive(Debug, Clone, Default)]
pub(crate) struct SubjectLinkage {
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
    pub untreated: bool,
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
                matches!(job.finishing.treatment(&source.columns()[at]), Some(MaskMethod::Fixed(_)))
            };
            let unchanged = unchanged.map(|(at, _)| *at);
            let unchanged = unchanged.filter(|&at| at != unit && repeats(at) && !is_fixed(at));
            let columns = unchanged.chain([unit]).collect();
            return Ok(SubjectComparison { columns, compared: vec![unit], untreated: false });
        }
        let quasi = crate::count::build_problem::places(source, &job.problem.columns())?;
        let compared = quasi[..job.problem.quasi.len().min(COMPARED)].to_vec();
        let is_attribute = |at: usize| NameHint::of(&source.columns()[at]) == NameHint::Attribute;
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
    pub fn widest(job: &Job, source: &Source) -> Result<Self> {
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
            let mut found: Vec<(usize, ValueForm, u64, Vec<u32>)> = Vec::new();
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
                    found.push((at, ValueForm::of(value), hash, compared.clone()));
                }
            }
            Ok(found)
        };
        let add = |rows: Vec<(usize, ValueForm, u64, Vec<u32>)>| {
            for (at, form, hash, compared) in &rows {
                found[*at].add(*form, *hash, compared);
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
        let unit = self.compared.first().copied();
        if job.finishing.linked.is_some() {
            let values = |at: usize| {
                let found = evidence.iter().find(|(column, _)| *column == at);
                found.map_or(0, |(_, column)| column.values())
            };
            let units = unit.map_or(0, values);
            // A second number for everybody tells nothing new; the people of a household divide its rows.
            let divides =
                |link: &&LinkingColumn| values(link.column) as f64 > (1.0 + SLIPS) * units as f64;
            return match self.links(evidence).iter().find(divides) {
                Some(link) => Err(divides_units(job, source, link)),
                None => Ok(()),
            };
        }
        let fixed = |at: usize| {
            matches!(job.finishing.treatment(&source.columns()[at]), Some(MaskMethod::Fixed(_)))
        };
        let shown =
            |&(at, role): &(usize, Role)| Some(at) == unit && role != Role::Quasi && !fixed(at);
        let own = job.columns.iter().find(|column| shown(column)).map(|&(column, _)| {
            let all = evidence.iter().find(|(at, _)| *at == column);
            let all = all.map_or(0, |(_, rows)| rows.pairs());
            LinkingColumn { column, pairs: all, all }
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
            let known_to_name = NameHint::of(name) == NameHint::Subject;
            let found = column.finding(self.compared.len(), None, known_to_name, true);
            let enough = column.values() >= fewest_subjects(job);
            matches!(found, SubjectFinding::Subjects { .. })
                && enough
                && !job.accepted.contains(name)
        });
        for (at, column) in evidence {
            let name = &source.columns()[*at];
            if is_linking(job, name, column) {
                return Err(linked_by_treatment(job, name, column.pairs(), column.rows));
            }
        }
        let groups: Vec<(&String, u64)> =
            groups.map(|(at, column)| (&source.columns()[*at], column.values())).collect();
        groups_rows(job, &groups)
    }

    /// The released columns that link the rows of a unit.
    pub(crate) fn linking(
        &self,
        job: &Job,
        source: &Source,
        evidence: &[(usize, SubjectEvidence)],
    ) -> SubjectLinkage {
        let links = if job.problem.unit.is_some() { self.links(evidence) } else { Vec::new() };
        let linking = links.iter().map(|link| source.columns()[link.column].clone());
        SubjectLinkage { linking: linking.collect() }
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
            let naming = NameHint::of(&source.columns()[*at]);
            // What is left out is not always a name: incomes and strata are left out as well.
            let is_name = is_identifying(*at) && column.rows_share_values() && !column.is_code();
            let known_to_name = is_name || naming == NameHint::Subject;
            match column.finding(self.compared.len(), own, known_to_name, is_released(job, *at)) {
                SubjectFinding::NoRepeats => {}
                SubjectFinding::Subjects { agreeing } => {
                    let enough = column.values() >= fewest_subjects(job);
                    if is_identifying(*at) || enough && !rows_are_named {
                        found.push((*at, column, agreeing));
                    }
                }
                SubjectFinding::Repeats { pairs, rows }
                    if is_linking(job, &source.columns()[*at], column) =>
                {
                    return Err(linked_by_treatment(job, &source.columns()[*at], pairs, rows));
                }
                // What is called a number of people, and repeats in most rows, is believed without further evidence.
                SubjectFinding::Repeats { .. }
                    if NameHint::numbers_people(&source.columns()[*at])
                        && column.mostly_repeats()
                        && column.values() >= fewest_subjects(job) =>
                {
                    found.push((*at, column, Vec::new()));
                }
                SubjectFinding::Repeats { pairs, rows } if is_identifying(*at) => {
                    let name = &source.columns()[*at];
                    let message = format!(
                        "`{name}` repeats ({} of {} rows): if a person can have several \
                         rows, add {}",
                        thousands(pairs),
                        thousands(rows),
                        unit(job.voice, name)
                    );
                    warnings.push(Warning::new("repeated-identity", message));
                }
                SubjectFinding::Repeats { .. } => {}
            }
        }
        // What names people goes before what merely has one value for each of them.
        let rank = |(at, column, agreeing): &(usize, &SubjectEvidence, Vec<usize>)| {
            let named = NameHint::of(&source.columns()[*at]) == NameHint::Subject;
            let several = agreeing.len();
            // Of a claim and its member the member is somebody: fewer have more rows each.
            let fewer = Reverse(column.values());
            let left_out = !is_released(job, *at);
            (is_identifying(*at), named, column.is_code(), left_out, several, fewer)
        };
        let best = found.iter().rev().max_by_key(|it| rank(it));
        let Some((at, column, agreeing)) = best else { return Ok(warnings) };
        let agreeing = agreeing.iter().map(|&at| &source.columns()[self.compared[at]]);
        let agreeing: Vec<String> = agreeing.map(|name| format!("`{name}`")).collect();
        // Quasi-identifiers are generalized, whomever they group.
        let is_quasi = |at: &usize| job.columns.contains(&(*at, Role::Quasi));
        let others = found.iter().map(|(other, ..)| *other).filter(|other| !is_quasi(other));
        let repeated = SubjectColumn {
            column: *at,
            others: others.filter(|other| other != at).collect(),
            rows: column.rows,
            values: column.values(),
            is_code: column.is_code(),
            agreeing,
        };
        Err(repeated_subjects(job, source, &repeated))
    }

    /// The released columns that tell which rows are of one unit.
    fn links(&self, evidence: &[(usize, SubjectEvidence)]) -> Vec<LinkingColumn> {
        let unit = self.compared.first().copied();
        let all = evidence.iter().find(|(at, _)| Some(*at) == unit);
        let all = all.map_or(0, |(_, column)| column.pairs());
        let others = evidence.iter().filter(|(at, _)| Some(*at) != unit);
        let links = others.filter_map(|(at, column)| {
            let pairs = column.links().filter(|&pairs| pairs as f64 >= LINKED * all as f64)?;
            Some(LinkingColumn { column: *at, pairs, all })
        });
        links.collect()
    }
}

/// Whether a column that numbers people is released with other values, which are equal where those were, and some are.
fn is_linking(job: &Job, name: &String, column: &SubjectEvidence) -> bool {
    let (pairs, rows) = (column.pairs(), column.rows);
    let names_people = job.identifying.contains(name) || NameHint::of(name) == NameHint::Subject;
    let treatment = job.finishing.treatment(name);
    names_people
        && treatment.is_some_and(|treat| keeps_values_apart(treat, column.values()))
        && !job.accepted.contains(name)
        && pairs >= FEWEST_PAIRS
        && pairs as f64 >= SLIPS * rows as f64
}

/// Whether so many different values stay different, nearly.
fn keeps_values_apart(treat: &MaskMethod, values: u64) -> bool {
    match treat {
        MaskMethod::Last(_) => true,
        MaskMethod::Initials => values <= INITIALS,
        treat => treat.is_pseudonym(),
    }
}

/// Fewer values than these are not proposed as people: nobody could be hidden among them.
fn fewest_subjects(job: &Job) -> u64 {
    job.problem.k.saturating_mul(2)
}
