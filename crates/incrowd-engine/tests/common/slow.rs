//! What a release costs, worked out from its strings with plain loops.

use std::collections::BTreeMap;

use incrowd_engine::value::{BLANK, ClassSummary, MISSING_TOKENS};
use incrowd_verify::Label;

use super::case::{Case, QuasiColumn, Shape};

/// The metrics of a release.
#[derive(Debug)]
pub struct Costs {
    pub dm: u64,
    pub cm: Option<u64>,
    pub average: f64,
    pub ncp: f64,
    pub gcp: f64,
    pub loss: f64,
    /// None where no column has a hierarchy, or where the strings do not tell the level.
    pub precision: Option<f64>,
    pub entropy: f64,
    pub blanks: f64,
    pub released_gcp: f64,
}

/// A value of a column, however it is spelled.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Missing,
    /// Least and greatest number; the same unless it is a bin.
    Number(f64, f64),
    Text(String),
}

/// A column with its original values.
struct Facts<'a> {
    column: &'a QuasiColumn,
    /// The value of every original row.
    rows: Vec<Value>,
    /// The distinct values and how many rows carry each.
    values: Vec<(Value, u64)>,
    /// The spelling that stands for missing: the least of those that occur.
    missing: Option<String>,
}

impl<'a> Facts<'a> {
    fn new(column: &'a QuasiColumn, fields: &[&str]) -> Self {
        let number = |field: &&str| field.trim().parse::<f64>().expect("a number");
        let is_missing = |field: &str| MISSING_TOKENS.contains(&field);
        let whole = fields
            .iter()
            .filter(|field| !is_missing(field))
            .all(|field| column.shape == Shape::Text || number(field).fract() == 0.0);
        let rows: Vec<Value> = fields
            .iter()
            .map(|field| match column.shape {
                _ if is_missing(field) => Value::Missing,
                Shape::Text => Value::Text((*field).to_owned()),
                Shape::Number => Value::Number(number(field), number(field)),
                Shape::Bins(bins) => {
                    let low = bins.start
                        + ((number(field) - bins.start) / bins.width).floor() * bins.width;
                    let touching = !whole || bins.width.fract() != 0.0;
                    Value::Number(low, low + bins.width - if touching { 0.0 } else { 1.0 })
                }
            })
            .collect();
        let mut values: Vec<(Value, u64)> = Vec::new();
        for value in &rows {
            match values.iter_mut().find(|(known, _)| known == value) {
                Some((_, count)) => *count += 1,
                None => values.push((value.clone(), 1)),
            }
        }
        let missing =
            fields.iter().filter(|field| is_missing(field)).min().map(|field| (*field).to_owned());
        Facts { column, rows, values, missing }
    }

    /// The value that a label is written like.
    fn literal(&self, label: &str) -> Option<usize> {
        self.values.iter().position(|(value, _)| match value {
            Value::Missing => MISSING_TOKENS.contains(&label),
            Value::Number(low, high) => low == high && label.parse() == Ok(*low),
            Value::Text(text) => text == label,
        })
    }

    /// The place of a label in the hierarchy: its level and the rows of the file below it.
    fn node(&self, label: &str) -> Option<(usize, Vec<&Vec<String>>)> {
        let ladder = self.column.ladder.as_ref()?;
        let level = (1..ladder.first()?.len())
            .find(|&level| ladder.iter().any(|row| row[level] == label))?;
        Some((level, ladder.iter().filter(|row| row[level] == label).collect()))
    }

    /// The original values that a label contains.
    fn members(&self, label: &str) -> Vec<usize> {
        if label == BLANK {
            return (0..self.values.len()).collect();
        }
        if let Some(value) = self.literal(label) {
            return vec![value];
        }
        if let Some((_, below)) = self.node(label) {
            let known =
                |value: &usize| self.values[*value].0 != Value::Missing || !self.is_missing_apart();
            let leaves = below.iter().filter_map(|row| self.literal(&row[0]));
            let mut members: Vec<usize> = leaves.filter(known).collect();
            members.sort_unstable();
            members.dedup();
            return members;
        }
        match Label::parse(label) {
            Label::Interval(least, most) => {
                let (least, most) = (least.to_f64(), most.to_f64());
                (0..self.values.len())
                    .filter(|&at| matches!(self.values[at].0, Value::Number(low, high) if least <= low && high <= most))
                    .collect()
            }
            Label::Set(elements) => {
                elements.iter().flat_map(|element| self.members(element)).collect()
            }
            other => panic!("{label:?} is {other:?}, which the column does not have"),
        }
    }

    /// Whether missing occurs and the hierarchy does not know it: then it is a leaf of its own.
    fn is_missing_apart(&self) -> bool {
        let unknown =
            |token: &String| self.column.ladder.iter().flatten().all(|row| row[0] != *token);
        self.column.ladder.is_some() && self.missing.as_ref().is_some_and(unknown)
    }

    /// How many leaves the hierarchy has, and its height.
    fn tree_size(&self) -> Option<(usize, usize)> {
        let ladder = self.column.ladder.as_ref()?;
        let height = ladder.first().map_or(1, |row| row.len() - 1);
        Some((ladder.len() + usize::from(self.is_missing_apart()), height))
    }

    /// The level of the lowest node above all that a label contains, and the leaves below that node.
    fn lowest(&self, label: &str) -> (usize, usize) {
        let (leaves, height) = self.tree_size().expect("a hierarchy");
        let ladder = self.column.ladder.as_ref().expect("a hierarchy");
        if label == BLANK {
            return (height, leaves);
        }
        if self.literal(label).is_some() {
            return (0, 1);
        }
        if let Some((level, below)) = self.node(label) {
            return (level, below.len());
        }
        let members = self.members(label);
        let is_member = |row: &&Vec<String>| {
            self.literal(&row[0]).is_some_and(|value| members.contains(&value))
        };
        let rows: Vec<&Vec<String>> = ladder.iter().filter(is_member).collect();
        for level in 1..=height {
            if rows.iter().all(|row| row[level] == rows[0][level]) {
                let below = ladder.iter().filter(|row| row[level] == rows[0][level]).count();
                return (level, if level == height { leaves } else { below });
            }
        }
        panic!("{label:?} has no common label in the hierarchy")
    }

    /// How wide a label is, relative to the column, for columns of numbers.
    fn width(&self, label: &str) -> f64 {
        let ends = |members: &[usize]| {
            members.iter().fold((f64::MAX, f64::MIN), |(least, most), &at| {
                match self.values[at].0 {
                    Value::Number(low, high) => (least.min(low), most.max(high)),
                    _ => (least, most),
                }
            })
        };
        let (least, most) = ends(&self.members(label));
        let (low, high) = ends(&(0..self.values.len()).collect::<Vec<_>>());
        if least > most || low == high { 0.0 } else { (most - least) / (high - low) }
    }

    fn is_measured_by_width(&self) -> bool {
        self.column.ladder.is_none() && self.column.shape != Shape::Text
    }

    /// Blank outside of a hierarchy: nothing is told, and nothing is looked up.
    fn is_lost(&self, label: &str) -> bool {
        // A root may be called what a blank is; then it costs what roots cost.
        let root = self.column.ladder.as_ref().and_then(|ladder| ladder.first()?.last());
        label == BLANK && (root.is_none_or(|root| root != BLANK) || self.is_missing_apart())
    }

    fn ncp(&self, label: &str) -> f64 {
        if self.is_lost(label) {
            return 1.0;
        }
        if self.is_measured_by_width() {
            return self.width(label);
        }
        let members = self.members(label);
        let held = match &self.column.ladder {
            Some(ladder) if members.len() > 1 && !self.shows_nodes() => {
                let (level, _) = self.lowest(label);
                match ladder.iter().find(|row| self.literal(&row[0]) == Some(members[0])) {
                    // The values that occur below the lowest node above them; all are below the root.
                    Some(home) if level + 1 < home.len() => self.members(&home[level]).len(),
                    _ => self.values.len(),
                }
            }
            _ => members.len(),
        };
        if held <= 1 { 0.0 } else { held as f64 / self.values.len() as f64 }
    }

    fn loss(&self, label: &str) -> f64 {
        if self.is_lost(label) {
            return 1.0;
        }
        if self.is_measured_by_width() {
            return self.width(label);
        }
        let (held, all) = match self.tree_size() {
            Some((leaves, _)) if self.shows_nodes() => (self.told_leaves(label), leaves),
            Some((leaves, _)) => (self.lowest(label).1, leaves),
            None => (self.members(label).len(), self.values.len()),
        };
        if all <= 1 { 0.0 } else { (held - 1) as f64 / (all - 1) as f64 }
    }

    /// Whether labels are sets of nodes.
    fn shows_nodes(&self) -> bool {
        self.column.summary == ClassSummary::Nodes
    }

    /// How many leaves of the hierarchy a label speaks of.
    fn told_leaves(&self, label: &str) -> usize {
        if label == BLANK {
            return self.tree_size().expect("a hierarchy").0;
        }
        if self.literal(label).is_some() {
            return 1;
        }
        if let Some((_, below)) = self.node(label) {
            return below.len();
        }
        match Label::parse(label) {
            Label::Set(elements) => elements.iter().map(|element| self.told_leaves(element)).sum(),
            other => panic!("{label:?} is {other:?}, which is no set of nodes"),
        }
    }

    /// Whether labels are ranges of numbers: with a hierarchy if it keeps numbers in their order.
    fn is_shown_as_range(&self) -> bool {
        let Some(ladder) = self.column.ladder.as_ref().filter(|_| self.column.shape != Shape::Text)
        else {
            return false;
        };
        let occurs = |row: &&Vec<String>| self.literal(&row[0]).is_some();
        let mut rows: Vec<&Vec<String>> = ladder.iter().filter(occurs).collect();
        // The order of the leaves: nodes in the order in which they first appear.
        let width = ladder.first().map_or(0, Vec::len);
        let first =
            |row: &Vec<String>, level: usize| ladder.iter().position(|r| r[level] == row[level]);
        rows.sort_by_key(|row| (0..width).rev().map(|level| first(row, level)).collect::<Vec<_>>());
        let numbers: Option<Vec<f64>> = rows.iter().map(|row| row[0].trim().parse().ok()).collect();
        self.column.summary == ClassSummary::Range
            && numbers.is_some_and(|numbers| numbers.is_sorted_by(|a, b| a < b))
    }

    /// What a label leaves open, as it is printed.
    fn released(&self, label: &str) -> f64 {
        if label == BLANK {
            return 1.0;
        }
        if self.literal(label).is_some() {
            return 0.0;
        }
        if self.is_shown_as_range() {
            return self.width(label);
        }
        if self.shows_nodes() {
            let (told, (all, _)) =
                (self.told_leaves(label), self.tree_size().expect("a hierarchy"));
            return if told > 1 { told as f64 / all as f64 } else { 0.0 };
        }
        if let Some((_, below)) = self.node(label) {
            let (leaves, _) = self.tree_size().expect("a hierarchy");
            return if below.len() > 1 { below.len() as f64 / leaves as f64 } else { 0.0 };
        }
        if matches!(Label::parse(label), Label::Interval(..)) {
            return self.width(label);
        }
        match self.members(label).len() {
            0 | 1 => 0.0,
            several => several as f64 / self.values.len() as f64,
        }
    }

    fn level(&self, label: &str) -> f64 {
        match self.tree_size() {
            Some((_, height)) => self.lowest(label).0 as f64 / height as f64,
            None => f64::from(u8::from(self.members(label).len() > 1 || label == BLANK)),
        }
    }

    /// The bits needed to restore a value.
    fn bits(&self, original: &Value, label: &str) -> f64 {
        let count = |at: usize| self.values[at].1;
        let covered: u64 = self.members(label).into_iter().map(count).sum();
        let own =
            self.values.iter().position(|(value, _)| value == original).expect("an original value");
        (covered as f64 / count(own) as f64).log2()
    }
}

/// The costs of a release whose rows are given in input order, the first column being the row's name;
/// none where the released strings do not tell which rows are suppressed.
///
/// Every released value is also checked to contain the original one.
pub fn costs(case: &Case, released: &[BTreeMap<String, String>], suppressed: u64) -> Option<Costs> {
    let original = case.rows();
    let facts: Vec<Facts<'_>> = case
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            Facts::new(column, &original.iter().map(|row| row[at + 1].as_str()).collect::<Vec<_>>())
        })
        .collect();
    let all = original.len() as f64;
    // Per released row: its name, and the label of each column.
    let mut rows: Vec<(&str, Vec<String>)> = released
        .iter()
        .map(|row| {
            (row["id"].as_str(), case.columns.iter().map(|column| label(column, row)).collect())
        })
        .collect();
    let is_blank = |row: &(&str, Vec<String>)| row.1.iter().all(|label| label == BLANK);
    if (rows.len() as u64) + suppressed > original.len() as u64 {
        // Suppressed rows stand among the others as blank ones.
        if rows.iter().filter(|row| is_blank(row)).count() as u64 != suppressed {
            return None;
        }
        rows.retain(|row| !is_blank(row));
    }
    assert_eq!(rows.len() as u64 + suppressed, original.len() as u64);

    let mut classes: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
    for (id, labels) in &rows {
        classes.entry(labels).or_default().push(id);
    }
    let squares: u64 = classes.values().map(|ids| (ids.len() as u64).pow(2)).sum();
    let weight: f64 = case.columns.iter().map(|column| column.weight).sum();
    let (mut ncp, mut loss, mut levels, mut entropy, mut blanks) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut printed = 0.0;
    let mut levels_are_told = case.columns.iter().any(|column| column.ladder.is_some());
    for (at, facts) in facts.iter().enumerate() {
        let weight = case.columns[at].weight;
        let mut lost: Vec<bool> = vec![true; original.len()];
        for (id, labels) in &rows {
            let row: usize = id[1..].parse().expect("the number of a row");
            lost[row] = false;
            let (label, value) = (&labels[at], &facts.rows[row]);
            let contained =
                facts.members(label).iter().any(|&member| facts.values[member].0 == *value);
            assert!(contained, "{label:?} does not contain {value:?} of row {row}");
            ncp += weight * facts.ncp(label);
            loss += weight * facts.loss(label);
            printed += weight * facts.released(label);
            levels += facts.level(label);
            entropy += facts.bits(value, label);
            blanks += if label == BLANK { weight } else { 0.0 };
        }
        for (row, _) in lost.iter().enumerate().filter(|(_, lost)| **lost) {
            ncp += weight;
            loss += weight;
            printed += weight;
            levels += 1.0;
            entropy += facts.bits(&facts.rows[row], BLANK);
            blanks += weight;
        }
        // A missing value is spelled alike on all levels below the root.
        levels_are_told &= !(facts.is_missing_apart() && case.method == "datafly");
    }
    Some(Costs {
        dm: squares + suppressed * original.len() as u64,
        cm: case.spec.class.as_ref().map(|_| {
            let minorities = classes.values().map(|ids| minority(ids, &original));
            minorities.sum::<u64>() + suppressed
        }),
        average: rows.len() as f64 / classes.len().max(1) as f64,
        ncp,
        gcp: ncp / (all * weight),
        loss: loss / (all * weight),
        precision: levels_are_told.then(|| 1.0 - levels / (all * facts.len() as f64)),
        entropy,
        blanks,
        released_gcp: printed / (all * weight),
    })
}

/// The released label of a column; two columns are read as the range that they are.
fn label(column: &QuasiColumn, row: &BTreeMap<String, String>) -> String {
    if column.summary != ClassSummary::Columns {
        return row[&column.name].clone();
    }
    let (least, most) =
        (&row[&format!("{}_min", column.name)], &row[&format!("{}_max", column.name)]);
    if least == most { least.clone() } else { format!("[{least}-{most}]") }
}

/// How many of some rows are not of the most frequent class among them; the class stands last.
fn minority(ids: &[&str], original: &[Vec<String>]) -> u64 {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for id in ids {
        let row: usize = id[1..].parse().expect("the number of a row");
        *counts.entry(original[row].last().expect("a class")).or_default() += 1;
    }
    ids.len() as u64 - counts.values().max().copied().unwrap_or(0)
}
