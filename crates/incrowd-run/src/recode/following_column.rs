//! Columns that follow a quasi-identifier: they are released as what belongs to its groups.
//!
//! **Guarantee.** A column follows only what determines it, and lists only values that at least k subjects have: what it
//! lists is known to whoever knows which value belongs to which, and names nobody.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_engine::value::{Attribute, BLANK, Scale};
use incrowd_engine::{Control, FrequencyCounts};
use incrowd_verify::{ColumnReader, DateForm, LabelHierarchy, MissingTokens};

use crate::count::cells::count_cells;
use crate::plan::job::Job;
use crate::recode::release_plan::ReleasePlan;
use crate::spec::Role;
use crate::verify::requirements::style_of;
use crate::{Chunk, Error, ErrorKind, Result, Source};

/// The most values that a column that follows another lists; more are any.
const LISTED: usize = 20;
/// A column follows another if so many of the rows that share a value of that one have one value of it.
const FOLLOWED: f64 = 0.95;

/// What a column shows that follows another, by the label of that one.
pub(crate) struct FollowingColumn {
    /// The columns in which the followed one is released.
    pub(crate) names: Vec<String>,
    labels: BTreeMap<Vec<String>, String>,
}

impl FollowingColumn {
    pub(crate) fn new(
        planned: &ReleasePlan<'_>,
        column: &str,
        followed: &str,
        released: &BTreeSet<u64>,
        control: &Control,
    ) -> Result<Self> {
        let ReleasePlan { job, source, problem, release, .. } = *planned;
        let at = problem.attributes.iter().position(|it| it.name == followed).ok_or_else(|| {
            Error::new(format!("`{column}` follows `{followed}`, which is no quasi-identifier"))
        })?;
        let names = release.names(at).to_vec();
        let unit = job.problem.unit.as_ref().map(|unit| source.place_of(&unit.name)).transpose()?;
        let places: Vec<usize> = [source.place_of(followed)?, source.place_of(column)?]
            .into_iter()
            .chain(unit)
            .collect();
        let all = count_cells(source, &places, control)?;
        refuse_unfollowing(&all, column, followed, job)?;
        // What only those have who are left out is not listed: it would tell of them.
        let counts = count_rows(source, &places, released, control)?;
        let values: Vec<&str> = counts.columns[0].1.iter().collect();
        let others: Vec<&str> = counts.columns[1].1.iter().collect();
        let common = common(&counts, problem.privacy.least_crowd());
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
                pairs[from..to].iter().map(|pair| pair.1)
            });
            let codes: BTreeSet<u32> = inside.collect();
            // A value that few have would tell of them.
            let is_common = codes.iter().all(|&code| common[code as usize]);
            let inside: BTreeSet<&str> = codes.iter().map(|&code| others[code as usize]).collect();
            let is_every = inside.len() == others.len() && others.len() > 1;
            let text = match is_every || !is_common {
                true => BLANK.to_owned(),
                false => listed(&inside, &job.missing),
            };
            labels.insert(label, text);
        }
        Ok(FollowingColumn { names, labels })
    }

    pub(crate) fn label(&self, shown: &[&str]) -> Result<String> {
        let key: Vec<String> = shown.iter().map(|&text| text.to_owned()).collect();
        // A text that a spreadsheet would compute may have got an apostrophe before it.
        let bare = || {
            shown.iter().map(|text| text.trim_start_matches('\'').to_owned()).collect::<Vec<_>>()
        };
        self.labels.get(&key).or_else(|| self.labels.get(&bare())).cloned().ok_or_else(|| {
            Error::new("an unexpected label was released: no column can follow it")
                .help("please report this as a fault of incrowd")
        })
    }
}

/// Counts the combinations of some columns in the rows with these numbers.
fn count_rows(
    source: &Source,
    places: &[usize],
    rows: &BTreeSet<u64>,
    control: &Control,
) -> Result<FrequencyCounts> {
    let mut counts = FrequencyCounts::new(places.iter().map(|&at| source.columns()[at].clone()));
    let work = |chunk: &Chunk| {
        let chosen =
            (0..chunk.rows()).filter(|&row| rows.contains(&(chunk.first_row() + row as u64)));
        let fields = |row: usize| -> Vec<String> {
            (0..places.len()).map(|at| chunk.field(row, at).to_owned()).collect()
        };
        Ok(chosen.map(fields).collect::<Vec<_>>())
    };
    let collect = |rows: Vec<Vec<String>>| {
        for row in &rows {
            counts.add(row.iter().map(String::as_str), 1)?;
        }
        Ok(())
    };
    source.map_in_order(places, work, collect, control)?;
    Ok(counts)
}

/// Which values of the second column at least k different subjects have: units, if they are counted, or rows.
fn common(counts: &FrequencyCounts, k: u64) -> Vec<bool> {
    let mut rows = vec![0; counts.columns[1].1.len()];
    let mut units: BTreeSet<(u32, u32)> = BTreeSet::new();
    counts.cells.for_each(|codes, count| match codes.get(2) {
        None => rows[codes[1] as usize] += count,
        Some(&unit) => rows[codes[1] as usize] += u64::from(units.insert((codes[1], unit))),
    });
    rows.into_iter().map(|rows| rows >= k).collect()
}

/// Refuses a column that is not determined by the one that it is to follow: what it lists would disclose more.
fn refuse_unfollowing(
    counts: &FrequencyCounts,
    column: &str,
    followed: &str,
    job: &Job,
) -> Result<()> {
    // For each value of the followed column, how many rows have it, and how many the most frequent other value.
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    counts.cells.for_each(|codes, count| *pairs.entry((codes[0], codes[1])).or_default() += count);
    let mut values: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (&(value, _), &count) in &pairs {
        let (rows, most) = values.entry(value).or_default();
        (*rows, *most) = (*rows + count, (*most).max(count));
    }
    // A value that occurs once is no evidence.
    let repeated = values.values().filter(|(rows, _)| *rows > 1);
    let (rows, most) = repeated.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    if rows > 0 && most as f64 >= FOLLOWED * rows as f64 {
        return Ok(());
    }
    let why = match rows {
        0 => format!("no two rows share a value of `{followed}`"),
        rows => {
            let share = 100.0 * most as f64 / rows as f64;
            format!("rows that share `{followed}` agree on it in only {share:.1} % of the cases")
        }
    };
    let drop = job.voice.role(column, Role::Identifying);
    Err(Error::new(format!("`{column}` does not follow `{followed}`: {why}"))
        .help(format!("leave it out ({drop}), or make it a quasi-identifier"))
        .of_kind(ErrorKind::Exposed))
}

/// How the labels of an attribute are read.
fn reads(attribute: &Attribute, missing: &[String]) -> Result<ColumnReader> {
    let ladder = attribute.hierarchy.as_ref().map(|tree| LabelHierarchy::from_rows(tree.to_rows()));
    let scale = attribute.domain.scale();
    Ok(ColumnReader {
        missing: MissingTokens::new(missing.iter().cloned()),
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
    let is_missing = |value: &&&str| incrowd_engine::value::is_missing(value, missing);
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
