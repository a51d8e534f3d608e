//! What is done to a release when all of its rows are there: columns that follow others are added, and rows are left out
//! that other columns or links between rows would lay bare.
//!
//! **Guarantee.** Leaving out is done by whole groups. A narrowed class of fewer than k is left out whole, so that all
//! others keep their rows; and the rows of a unit are left out together, so that the collections of other units stay
//! what they are. Whoever remains is in classes and collections of at least k.

use std::collections::{BTreeMap, BTreeSet};

use incrowd::Control;
use incrowd::value::{Attribute, BLANK, Scale};
use incrowd_verify::{DateForm, Ladder, Missing, Reads, Requirements, Verdict, ViolationKind};

use super::check::style_of;
use super::finishing::{Finished, Finishing};
use super::planned::Planned;
use crate::{ColumnType, CsvEncoder, Error, Layout, Result, Source, count_cells};

/// The most values that a column that follows another lists; more are any.
const LISTED: usize = 20;

impl super::Job {
    /// Refuses what needs all rows in one place, where they are not.
    pub fn refuse_finishing(&self, place: &str) -> Result<()> {
        let Finishing { follows, narrowing, linked, treated, .. } = &self.finishing;
        let what = match (treated.first(), follows.first(), narrowing.first(), linked) {
            (Some((column, treat)), ..) => format!("`{column}` cannot be treated as {treat}"),
            (_, Some((column, other)), ..) => format!("`{column}` cannot follow `{other}`"),
            (_, _, Some(column), _) => format!("classes cannot be narrowed by `{column}`"),
            (_, _, _, Some(unit)) => format!("rows cannot be linked by `{unit}`"),
            _ => return Ok(()),
        };
        Err(Error::new(format!("{what} {place}"))
            .help("do it where the rows can be read, into a file; or leave it out"))
    }
}

/// The rows of a release, encoded, before they are written.
pub(super) struct Rows {
    pub(super) rows: Vec<Vec<u8>>,
    /// Who each row is of, where that is not released.
    pub(super) units: Option<Vec<u64>>,
}

/// Adds columns that follow others, and leaves out what would be laid bare. The layout gets the new columns.
pub(super) fn finish(
    planned: &Planned<'_>,
    layout: &mut Layout,
    rows: Rows,
    requirements: &Requirements,
    control: &Control,
) -> Result<(Rows, Finished)> {
    let finishing = &planned.job.finishing;
    let encoder = layout.encoder()?;
    let place = |name: &str| layout.names.iter().position(|column| column == name);
    let quasi: Vec<usize> = planned
        .problem
        .attributes
        .iter()
        .enumerate()
        .flat_map(|(at, _)| planned.release.names(at))
        .filter_map(|name| place(name))
        .collect();
    let narrowing: Vec<usize> = finishing.narrowing.iter().filter_map(|name| place(name)).collect();
    let unit = planned.problem.privacy.unit().map(|at| &planned.problem.targets.columns[at].name);
    let unit = unit.and_then(|name| place(name));
    let mut table = Table::decode(&encoder, rows, layout.names.len())?;

    // Labels of the columns that are followed do not change any more.
    let mut added: Vec<Vec<String>> = Vec::new();
    for (column, followed) in &finishing.follows {
        let follower = Follower::new(planned, column, followed, control)?;
        let at: Vec<usize> = follower.names.iter().filter_map(|name| place(name)).collect();
        let labels = table.rows.iter().map(|row| {
            let shown: Vec<&str> = at.iter().map(|&at| row[at].as_str()).collect();
            follower.label(&shown)
        });
        added.push(labels.collect::<Result<_>>()?);
    }

    let k = planned.problem.privacy.k;
    let mut finished = Finished::default();
    let keys: Vec<usize> = quasi.iter().chain(&narrowing).copied().collect();
    let linked = finishing.linked.as_deref().and_then(place);
    // What goes takes something from the classes and collections of others, until nothing is to go any more.
    let mut judged = table.sizes(&quasi);
    loop {
        let before = table.rows.len();
        if !narrowing.is_empty() {
            let counted = table.counted(&keys, unit);
            let keep: Vec<bool> = counted.iter().map(|&count| count >= k).collect();
            finished.narrowed += table.keep(&keep, &mut added);
        }
        if let Some(linked) = linked {
            let (keep, units) = table.shared(&keys, linked, k);
            finished.unlinked.0 += units;
            finished.unlinked.1 += table.keep(&keep, &mut added);
        }
        if table.rows.len() == before {
            break;
        }
        let keep = table.passing(&quasi, &mut judged, requirements, &layout.names)?;
        finished.failing += table.keep(&keep, &mut added);
    }
    if table.rows.is_empty() {
        return Err(Error::new(
            "nothing is left: every row would be laid bare by its links or by columns that narrow its class",
        )
        .help("release fewer columns, generalize more (a greater k, hierarchies, date-unit), or do not link rows"));
    }

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
    Ok((table.encode(&encoder), finished))
}

/// Rows as texts.
struct Table {
    rows: Vec<Vec<String>>,
    units: Option<Vec<u64>>,
}

impl Table {
    fn decode(encoder: &CsvEncoder, rows: Rows, width: usize) -> Result<Self> {
        let mut scratch = String::new();
        let decoded = rows.rows.iter().map(|row| {
            let mut fields = Vec::with_capacity(width);
            encoder.decode(row, &mut scratch, |_, field| {
                fields.push(field.to_owned());
                Ok(())
            })?;
            Ok(fields)
        });
        Ok(Table { rows: decoded.collect::<Result<_>>()?, units: rows.units })
    }

    fn encode(self, encoder: &CsvEncoder) -> Rows {
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
        Rows { rows: self.rows.iter().map(encode).collect(), units: self.units }
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

    /// For each row, how many units look like it by some columns.
    fn counted(&self, columns: &[usize], unit: Option<usize>) -> Vec<u64> {
        let mut classes: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            let who = self.who(at, unit);
            classes.entry(Self::key(row, columns)).or_default().insert(who);
        }
        let sizes = self.rows.iter().map(|row| classes[&Self::key(row, columns)].len() as u64);
        sizes.collect()
    }

    /// Which rows stay where at least k units must share the whole collection of their rows, and how many units go.
    fn shared(&self, columns: &[usize], unit: usize, k: u64) -> (Vec<bool>, u64) {
        let mut units: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        for row in &self.rows {
            units.entry(row[unit].as_str()).or_default().push(Self::key(row, columns));
        }
        let mut shared: BTreeMap<Vec<Vec<String>>, u64> = BTreeMap::new();
        for rows in units.values_mut() {
            rows.sort_unstable();
            *shared.entry(rows.clone()).or_default() += 1;
        }
        let stays: BTreeMap<&str, bool> =
            units.iter().map(|(unit, rows)| (*unit, shared[rows] >= k)).collect();
        let gone = stays.values().filter(|stays| !**stays).count() as u64;
        (self.rows.iter().map(|row| stays[row[unit].as_str()]).collect(), gone)
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
    fn keep(&mut self, keep: &[bool], added: &mut [Vec<String>]) -> u64 {
        let before = self.rows.len();
        fn kept<T>(list: &mut Vec<T>, keep: &[bool]) {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                keep[at - 1]
            });
        }
        kept(&mut self.rows, keep);
        if let Some(units) = &mut self.units {
            kept(units, keep);
        }
        added.iter_mut().for_each(|labels| kept(labels, keep));
        (before - self.rows.len()) as u64
    }
}

/// What a column shows that follows another, by the label of that one.
struct Follower {
    /// The columns in which the followed one is released.
    names: Vec<String>,
    labels: BTreeMap<Vec<String>, String>,
}

impl Follower {
    fn new(planned: &Planned<'_>, column: &str, followed: &str, control: &Control) -> Result<Self> {
        let Planned { job, source, problem, release, .. } = *planned;
        let at = problem.attributes.iter().position(|it| it.name == followed).ok_or_else(|| {
            Error::new(format!("`{column}` follows `{followed}`, which is no quasi-identifier"))
        })?;
        let names = release.names(at).to_vec();
        let places = [source.place_of(followed)?, source.place_of(column)?];
        let counts = count_cells(source, &places, control)?;
        let values: Vec<&str> = counts.columns[0].1.iter().collect();
        let others: Vec<&str> = counts.columns[1].1.iter().collect();
        // All labels that the release shows of the followed column.
        let mut shown: BTreeSet<Vec<String>> = release.labels(at).iter().cloned().collect();
        shown.insert(vec![BLANK.to_owned(); names.len()]);
        let shown: Vec<Vec<String>> = shown.into_iter().collect();
        let texts: Vec<(&str, Option<&str>)> = shown
            .iter()
            .map(|label| (label[0].as_str(), label.get(1).map(String::as_str)))
            .collect();
        let reads = reads(&problem.attributes[at], &job.missing)?;
        let held = reads.contained(&values, &texts);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        counts.cells.for_each(|codes, _| pairs.push((held.ranks[codes[0] as usize], codes[1])));
        pairs.sort_unstable();
        pairs.dedup();
        let mut labels = BTreeMap::new();
        for (label, held) in shown.into_iter().zip(&held.labels) {
            let inside = held.ranges.iter().flat_map(|&(low, high)| {
                let from = pairs.partition_point(|pair| pair.0 < low);
                let to = pairs.partition_point(|pair| pair.0 <= high);
                pairs[from..to].iter().map(|pair| others[pair.1 as usize])
            });
            let inside: BTreeSet<&str> = inside.collect();
            let text = match inside.len() == others.len() && others.len() > 1 {
                true => BLANK.to_owned(),
                false => listed(&inside, &job.missing),
            };
            labels.insert(label, text);
        }
        Ok(Follower { names, labels })
    }

    fn label(&self, shown: &[&str]) -> Result<String> {
        let key: Vec<String> = shown.iter().map(|&text| text.to_owned()).collect();
        // A text that a spreadsheet would compute may have got an apostrophe before it.
        let bare = || {
            shown.iter().map(|text| text.trim_start_matches('\'').to_owned()).collect::<Vec<_>>()
        };
        self.labels.get(&key).or_else(|| self.labels.get(&bare())).cloned().ok_or_else(|| {
            Error::new("a released label was not expected: a column cannot follow it")
                .help("please report this as a fault of incrowd")
        })
    }
}

/// How the labels of an attribute are read.
fn reads(attribute: &Attribute, missing: &[String]) -> Result<Reads> {
    let ladder = attribute.hierarchy.as_ref().map(|tree| Ladder::from_rows(tree.to_rows()));
    let scale = attribute.domain.scale();
    Ok(Reads {
        missing: Missing::new(missing.iter().cloned()),
        style: style_of(scale),
        dates: match scale {
            Some(Scale::Dates(dates)) => DateForm::new(&dates.format.to_string()),
            _ => None,
        },
        ladder: ladder.transpose().map_err(|e| Error::new(e.to_string()))?,
    })
}

/// Some values as one label: a range of numbers, a set, or any.
fn listed(values: &BTreeSet<&str>, missing: &[String]) -> String {
    let whole: Option<BTreeSet<i64>> =
        values.iter().map(|value| value.trim().parse::<i64>().ok()).collect();
    let is_missing = |value: &&&str| incrowd::value::is_missing(value, missing);
    match (values.len(), whole) {
        (0, _) => BLANK.to_owned(),
        (1, _) => values.iter().next().map_or_else(String::new, |value| (*value).to_owned()),
        (_, Some(numbers)) => {
            let ends = numbers.first().zip(numbers.last());
            ends.map_or_else(String::new, |(low, high)| match *low < 0 {
                true => format!("[{low} to {high}]"),
                false => format!("[{low}-{high}]"),
            })
        }
        (count, None) if count > LISTED || values.iter().any(|value| is_missing(&value)) => {
            BLANK.to_owned()
        }
        _ => {
            let quoted: Vec<String> = values
                .iter()
                .map(|value| match value.contains([',', '{', '}', '"']) || value.trim() != *value {
                    true => format!("\"{}\"", value.replace('"', "\"\"")),
                    false => (*value).to_owned(),
                })
                .collect();
            format!("{{{}}}", quoted.join(", "))
        }
    }
}

/// Has the independent verifier look at what classes alone do not show, and adds what it finds to a verdict.
pub(crate) fn judge_beyond(
    release: &Source,
    units: Option<&[u64]>,
    requirements: &Requirements,
    finishing: &Finishing,
    verdict: &mut Verdict,
    control: &Control,
) -> Result<()> {
    let narrowing = finishing.narrowing();
    if !narrowing.is_empty() {
        let quasi = requirements.quasi.iter().cloned().chain(narrowing.iter().cloned());
        let mut narrowed = Requirements::new(requirements.k, quasi);
        narrowed.missing = requirements.missing.clone();
        narrowed.unit.clone_from(&requirements.unit);
        let found = match units {
            None => super::verify_source(release, &narrowed, control)?,
            Some(units) => super::check::judge_units(release, units, &narrowed, control)?,
        };
        for mut violation in found.violations {
            violation.kind = ViolationKind::NarrowedClass;
            violation.message =
                format!("narrowed by {}: {}", narrowing.join(", "), violation.message);
            verdict.violations.push(violation);
        }
        verdict
            .notes
            .push(format!("k was checked on classes narrowed by {}, too", narrowing.join(", ")));
    }
    if let Some(unit) = &finishing.linked {
        let quasi: Vec<&String> = requirements.quasi.iter().chain(&narrowing).collect();
        let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
        let mut linked =
            incrowd_verify::Linked::new(release.columns(), requirements.k, &quasi, unit)
                .map_err(unfit)?;
        super::check::feed(release, control, |row| linked.push(row))?;
        verdict.violations.extend(linked.finish());
        verdict.notes.push(format!(
            "rows are linked by `{unit}`: whether {} units share each collection of rows was checked, too",
            requirements.k
        ));
    }
    verdict.holds = verdict.violations.is_empty();
    Ok(())
}

/// Has the verifier look for original values in columns that hold pseudonyms.
pub(crate) fn judge_replaced(
    release: &Source,
    original: &Source,
    finishing: &Finishing,
    missing: &[String],
    verdict: &mut Verdict,
    control: &Control,
) -> Result<()> {
    let missing = Missing::new(missing.iter().cloned());
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
