//! What is done to a release when all of its rows are there: columns that follow others are added, and rows are left out
//! that links between rows would lay bare.
//!
//! **Guarantee.** The rows of a unit are left out together, so that the collections of other units stay what they are.
//! Whoever remains is in classes and collections of at least k.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_assess::expose::{Exposure, ExposureCollector, value_hash};
use incrowd_engine::privacy::RiskTally;
use incrowd_engine::release::RowDisposition;
use incrowd_engine::{Control, Problem, Release};
use incrowd_verify::{MissingTokens, Requirements, Verdict};

use crate::plan::finishing::{FinishingPlan, FinishingResult};
use crate::recode::exposure_observer::watched;
use crate::recode::following_column::FollowingColumn;
use crate::recode::release_plan::ReleasePlan;
use crate::recode::row_assignment::RowAssignment;
use crate::{ColumnType, CsvEncoder, Error, ErrorKind, Result, Source, TableLayout};

/// The rows of a release, encoded, before they are written.
pub(crate) struct EncodedRows {
    pub(crate) rows: Vec<Vec<u8>>,
    /// Who each row is of, where that is not released.
    pub(crate) units: Option<Vec<u64>>,
    /// Which row of the input each was.
    pub(crate) numbers: Vec<u64>,
}

/// A release when all of its rows are there.
pub(crate) struct FinishedRows {
    pub(crate) rows: EncodedRows,
    pub(crate) finished: FinishingResult,
    /// The classes, measures and labels of these rows.
    pub(crate) release: Release,
    /// What they give away in the columns that stay as they are.
    pub(crate) exposure: Exposure,
}

/// Adds columns that follow others, and leaves out what would be laid bare. The layout gets the new columns. `fates` says
/// what became of each row of the input.
pub(crate) fn finish(
    planned: &ReleasePlan<'_>,
    layout: &mut TableLayout,
    rows: EncodedRows,
    fates: &[RowAssignment],
    requirements: &Requirements,
    control: &Control,
) -> Result<FinishedRows> {
    let ReleasePlan { job, source, problem, release, .. } = *planned;
    let finishing = &job.finishing;
    let encoder = layout.encoder()?;
    let place = |name: &str| layout.names.iter().position(|column| column == name);
    let attributes = 0..problem.attributes.len();
    let quasi: Vec<usize> =
        attributes.flat_map(|at| release.names(at)).filter_map(|name| place(name)).collect();
    let narrowing: Vec<usize> = finishing.narrowing.iter().filter_map(|name| place(name)).collect();
    let unit = problem.privacy.unit().map(|at| &problem.targets.columns[at].name);
    let unit = unit.and_then(|name| place(name));
    let mut table = TextTable::decode(&encoder, rows, layout.names.len())?;

    let k = problem.privacy.k;
    let mut finished = FinishingResult::default();
    let keys: Vec<usize> = quasi.iter().chain(&narrowing).copied().collect();
    // What goes takes something from the classes and collections of others, until nothing is to go any more.
    let mut judged = table.sizes(&quasi);
    while finishing.linked.is_some() {
        let before = table.rows.len();
        let (keep, units) = table.shared(&keys, unit, k);
        finished.unlinked.0 += units;
        finished.unlinked.1 += table.keep(&keep);
        if table.rows.len() == before {
            break;
        }
        let keep = table.passing(&quasi, &mut judged, requirements, &layout.names)?;
        finished.failing += table.keep(&keep);
    }
    if table.rows.is_empty() {
        return Err(Error::new(
            "no rows are left: the links between rows would identify every unit",
        )
        .of_check("rows-left")
        .help("release fewer columns, generalize more (a greater k, hierarchies, date-unit), or do not link rows"));
    }
    // Labels of the columns that are followed do not change any more.
    let mut added: Vec<Vec<String>> = Vec::new();
    let numbers: BTreeSet<u64> = table.numbers.iter().copied().collect();
    for (column, followed) in &finishing.follows {
        let follower = FollowingColumn::new(planned, column, followed, &numbers, control)
            .map_err(|error| refusal(error, "followers"))?;
        let at: Vec<usize> = follower.names.iter().filter_map(|name| place(name)).collect();
        let labels = table.rows.iter().map(|row| {
            let shown: Vec<&str> = at.iter().map(|&at| row[at].as_str()).collect();
            follower.label(&shown)
        });
        added.push(labels.collect::<Result<_>>()?);
    }

    table.refuse_risks(planned, &keys, unit)?;

    let fate = |number: &u64| {
        let fate = usize::try_from(*number).ok().and_then(|at| fates.get(at));
        fate.copied().ok_or_else(crate::recode::pass::changed)
    };
    let fates: Vec<RowAssignment> = table.numbers.iter().map(fate).collect::<Result<_>>()?;
    let release = release.remaining(problem, fates.iter().copied());
    let watched: Vec<(String, usize)> = watched(job, source)
        .into_iter()
        .map(|at| source.columns()[at].clone())
        .filter_map(|name| place(&name).map(|at| (name, at)))
        .collect();
    let exposure = table.exposure(&watched, unit, &fates, problem, &release);

    for ((column, _), labels) in finishing.follows.iter().zip(added) {
        layout.names.push(column.clone());
        if !layout.types.is_empty() {
            layout.types.push(ColumnType::Text);
        }
        for (row, label) in table.rows.iter_mut().zip(labels) {
            row.push(label);
        }
    }
    let encoder = layout.encoder()?;
    Ok(FinishedRows { rows: table.encode(&encoder), finished, release, exposure })
}

/// An error that is no fault on the way as the refusal of a check.
fn refusal(error: Error, check: &'static str) -> Error {
    match error.kind {
        ErrorKind::Interrupted | ErrorKind::File => error,
        _ => error.of_check(check),
    }
}

/// The rows of a unit, each by what others may know of it, in their order.
type UnitRows = Vec<Vec<String>>;

/// Rows as texts.
struct TextTable {
    rows: Vec<Vec<String>>,
    units: Option<Vec<u64>>,
    numbers: Vec<u64>,
}

impl TextTable {
    fn decode(encoder: &CsvEncoder, rows: EncodedRows, width: usize) -> Result<Self> {
        let mut scratch = String::new();
        let decoded = rows.rows.iter().map(|row| {
            let mut fields = Vec::with_capacity(width);
            encoder.decode(row, &mut scratch, |_, field| {
                fields.push(field.to_owned());
                Ok(())
            })?;
            Ok(fields)
        });
        let decoded: Result<_> = decoded.collect();
        let EncodedRows { units, numbers, .. } = rows;
        Ok(TextTable { rows: decoded?, units, numbers })
    }

    fn encode(self, encoder: &CsvEncoder) -> EncodedRows {
        let encode = |row: &Vec<String>| {
            let mut bytes = Vec::new();
            for (at, field) in row.iter().enumerate() {
                if at > 0 {
                    bytes.push(encoder.delimiter());
                }
                encoder.field(field, &mut bytes);
            }
            bytes
        };
        let rows = self.rows.iter().map(encode).collect();
        EncodedRows { rows, units: self.units, numbers: self.numbers }
    }

    fn key(row: &[String], columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&at| row[at].clone()).collect()
    }

    /// Who a row is of: its unit, or itself.
    fn who(&self, row: usize, unit: Option<usize>) -> String {
        match (unit, &self.units) {
            (Some(at), _) => self.rows[row][at].clone(),
            (None, Some(units)) => format!("{:x}", units[row]),
            (None, None) => row.to_string(),
        }
    }

    /// The collection of rows of each unit, by some columns.
    fn linked(&self, columns: &[usize], unit: Option<usize>) -> BTreeMap<String, UnitRows> {
        let mut units: BTreeMap<String, UnitRows> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            units.entry(self.who(at, unit)).or_default().push(Self::key(row, columns));
        }
        units.values_mut().for_each(|rows| rows.sort_unstable());
        units
    }

    /// How many units share each collection of rows.
    fn collections(&self, columns: &[usize], unit: Option<usize>) -> BTreeMap<UnitRows, u64> {
        let mut shared = BTreeMap::new();
        for rows in self.linked(columns, unit).into_values() {
            *shared.entry(rows).or_default() += 1;
        }
        shared
    }

    /// Which rows stay where at least k units must share the whole collection of their rows, and how many units go.
    fn shared(&self, columns: &[usize], unit: Option<usize>, k: u64) -> (Vec<bool>, u64) {
        let shared = self.collections(columns, unit);
        let units = self.linked(columns, unit).into_iter();
        let stays: BTreeMap<String, bool> =
            units.map(|(unit, rows)| (unit, shared[&rows] >= k)).collect();
        let gone = stays.values().filter(|stays| !**stays).count() as u64;
        ((0..self.rows.len()).map(|at| stays[&self.who(at, unit)]).collect(), gone)
    }

    /// Refuses what is asked of risks beyond k if linked collections do not meet it.
    fn refuse_risks(
        &self,
        planned: &ReleasePlan<'_>,
        columns: &[usize],
        unit: Option<usize>,
    ) -> Result<()> {
        let asked = &planned.problem.privacy.overall;
        if asked.is_nothing() || planned.job.finishing.linked.is_none() {
            return Ok(());
        }
        let mut tally = RiskTally::default();
        let crowds = self.collections(columns, unit).into_values();
        crowds.for_each(|crowd| tally.add(asked, crowd));
        if asked.holds(&tally) {
            return Ok(());
        }
        Err(Error::new("the release exceeds a risk limit, because linked rows are seen together")
            .of_check("risk-limits")
            .help("raise k, or do not link rows"))
    }

    /// What the columns give away that stay as they are.
    fn exposure(
        &self,
        columns: &[(String, usize)],
        unit: Option<usize>,
        fates: &[RowAssignment],
        problem: &Problem,
        release: &Release,
    ) -> Exposure {
        let names = columns.iter().map(|(name, _)| name.clone()).collect();
        let mut gathering = ExposureCollector::new(names, problem.rows);
        let chosen = gathering.chosen();
        let has_units = unit.is_some() || self.units.is_some();
        let rows = self.rows.iter().zip(fates).zip(&self.numbers);
        for (at, ((row, &(cell, _, disposition)), &number)) in rows.enumerate() {
            let class = match disposition {
                RowDisposition::Class(class) => Some(class),
                _ => None,
            };
            let texts = || columns.iter().map(|&(_, at)| row[at].as_str());
            gathering.add(class, &texts().map(value_hash).collect::<Vec<_>>());
            if chosen.has(number) {
                let who = has_units.then(|| value_hash(&self.who(at, unit)));
                gathering.look(class, cell, who, texts());
            }
        }
        gathering.finish(problem, release)
    }

    /// How many rows each class has.
    fn sizes(&self, columns: &[usize]) -> BTreeMap<Vec<String>, usize> {
        let mut sizes = BTreeMap::new();
        for row in &self.rows {
            *sizes.entry(Self::key(row, columns)).or_default() += 1;
        }
        sizes
    }

    /// Which rows are in classes that still meet everything: those that lost rows since they were judged are judged anew,
    /// each by itself.
    fn passing(
        &self,
        columns: &[usize],
        judged: &mut BTreeMap<Vec<String>, usize>,
        requirements: &Requirements,
        names: &[String],
    ) -> Result<Vec<bool>> {
        let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
        let mut rows_of: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            rows_of.entry(Self::key(row, columns)).or_default().push(at);
        }
        let mut requirements = requirements.clone();
        // What follows others is added later.
        requirements.narrowing.retain(|name| names.contains(name));
        let mut header = names.to_vec();
        let hidden = requirements.unit.clone().filter(|_| self.units.is_some());
        if let Some(unit) = hidden {
            requirements.identifying.retain(|name| *name != unit);
            header.push(unit);
        }
        let mut keep = vec![true; self.rows.len()];
        for (key, rows) in rows_of {
            if judged.get(&key) == Some(&rows.len()) {
                continue;
            }
            let mut verifier =
                incrowd_verify::Verifier::new(&header, &requirements).map_err(unfit)?;
            for &at in &rows {
                let unit = self.units.as_ref().map(|units| format!("unit {:x}", units[at]));
                let fields = self.rows[at].iter().map(String::as_str).chain(unit.as_deref());
                verifier.push(fields).map_err(unfit)?;
            }
            let holds = verifier.finish().map_err(unfit)?.holds;
            rows.iter().for_each(|&at| keep[at] = holds);
            judged.insert(key, rows.len());
        }
        Ok(keep)
    }

    /// Keeps some rows, and tells how many went.
    fn keep(&mut self, keep: &[bool]) -> u64 {
        let before = self.rows.len();
        fn kept<T>(list: &mut Vec<T>, keep: &[bool]) {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                keep[at - 1]
            });
        }
        kept(&mut self.rows, keep);
        kept(&mut self.numbers, keep);
        if let Some(units) = &mut self.units {
            kept(units, keep);
        }
        (before - self.rows.len()) as u64
    }
}

/// Has the independent verifier look at what classes alone do not show, and adds what it finds to a verdict.
pub(crate) fn judge_beyond(
    release: &Source,
    units: Option<&[u64]>,
    requirements: &Requirements,
    finishing: &FinishingPlan,
    verdict: &mut Verdict,
    control: &Control,
) -> Result<()> {
    if let Some(unit) = &finishing.linked {
        let quasi: Vec<&String> =
            requirements.quasi.iter().chain(&requirements.narrowing).collect();
        let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
        let hidden = units.filter(|_| !release.columns().contains(unit));
        let mut header = release.columns().to_vec();
        header.extend(hidden.map(|_| unit.clone()));
        let mut linked = incrowd_verify::LinkedVerifier::new(&header, requirements.k, &quasi, unit)
            .map_err(unfit)?;
        let mut hidden = hidden.map(|units| units.iter());
        crate::verify::requirements::feed(release, control, |row| {
            let unit = hidden.as_mut().and_then(Iterator::next);
            let unit = unit.map(|unit| format!("unit {unit:x}"));
            let fields: Vec<&str> = row.iter().map(String::as_str).chain(unit.as_deref()).collect();
            linked.push(&fields)
        })?;
        let found = linked.finish();
        verdict.k = found.k;
        verdict.risk = found.risk;
        verdict.violations.extend(found.violation);
        verdict.notes.push(format!(
            "rows are linked by `{unit}`: k and risk are those of whole collections of rows"
        ));
    }
    verdict.holds = verdict.violations.is_empty();
    Ok(())
}

/// Has the verifier look for original values in columns that hold pseudonyms.
pub(crate) fn judge_replaced(
    release: &Source,
    original: &Source,
    finishing: &FinishingPlan,
    missing: &[String],
    verdict: &mut Verdict,
    control: &Control,
) -> Result<()> {
    let missing = MissingTokens::new(missing.iter().cloned());
    for (column, treat) in &finishing.treated {
        if !treat.is_pseudonym() {
            continue;
        }
        let released = crate::read_table(release, Some(&[release.place_of(column)?]), control)?;
        let values = original.undisguised_values(original.place_of(column)?, control)?;
        let shown = &released.columns()[0];
        let shown = (0..released.rows()).map(|row| shown.value(row));
        let found =
            incrowd_verify::remaining(column, values.iter().map(String::as_str), shown, &missing);
        verdict.violations.extend(found);
        verdict.notes.push(format!("no value of the original's `{column}` may be in the release"));
    }
    verdict.holds = verdict.violations.is_empty();
    Ok(())
}
