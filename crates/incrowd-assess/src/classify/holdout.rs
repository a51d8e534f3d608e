//! A tree of a release, judged on original rows that it was not made of.
//!
//! Cross-validation inside a release predicts released rows: it is told how each of them was generalized, and rows of
//! one class are in all folds. Whoever uses a release wants to predict people who were never in it and whose values
//! are exact. Here the tree is grown from the release alone and judged on such rows.
//!
//! A row is placed where it would be in the release: into the released rows whose labels hold its values, in every
//! column. It is predicted as the tree predicts most of these. Where labels of several rows hold it all of them have
//! their say, by their number; where none does the row goes down the tree by what each column says of it alone. A number
//! beyond all ranges is taken to be in the nearest; what no label holds goes where most rows go.

use std::collections::BTreeMap;

use incrowd_engine::table::Column;
use incrowd_engine::value::parse_number;
use incrowd_engine::{Result, Table};
use serde::{Deserialize, Serialize};

use super::features::{TrainingExamples, column_of, found};
use super::label::ParsedLabel;
use super::tree::DecisionTree;
use super::{ClassificationOptions, PRICES_FOLD};

/// For columns with a hierarchy: what each value may be released as, level by level.
pub type ColumnHierarchies = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// How often a tree was wrong about rows that it was not grown from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HoldoutErrors {
    /// The rows.
    pub rows: u64,
    /// How many of them were predicted wrongly.
    pub wrong: u64,
    /// The same as a share.
    pub error: f64,
    /// The standard error of that share.
    pub standard_error: f64,
    /// The number of leaves of the tree.
    pub leaves: u64,
    /// Rows that no row of the table that the tree was grown from holds in every column.
    pub unplaced: u64,
    /// Columns with labels that hold no value of these rows, and one of these labels: they cannot be read without
    /// the hierarchy they come from.
    pub unread: Vec<(String, String)>,
}

impl ClassificationOptions {
    /// Grows a tree from a release, or from any table, and judges it on other rows.
    pub fn held_out<S: AsRef<str>>(
        &self,
        training: &Table,
        test: &Table,
        columns: &[S],
        class: &str,
        ladders: &ColumnHierarchies,
    ) -> Result<HoldoutErrors> {
        let names: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
        self.check(training, &names, class)?;
        let examples = TrainingExamples::new(training, &names, class)?;
        let truth = column_of(test, class)?;
        let tree = DecisionTree::grow(&examples, &examples.counts, self.rules());
        let price = self.price(&examples, &examples.counts, PRICES_FOLD);
        let pruned = tree.pruned(price);
        let said = |row: usize| tree.predict(&pruned, &examples, examples.of_row(row));
        let boxes = ReleaseBoxes::new(training, &names, said)?;
        let classes: Vec<Option<usize>> = truth
            .dictionary
            .iter()
            .map(|name| examples.classes.iter().position(|class| class == name))
            .collect();
        let mut held = vec![boxes.everywhere(); test.rows()];
        let mut matched: Vec<ValueMatches<'_>> = Vec::new();
        let mut unread = Vec::new();
        for name in &names {
            let column = column_of(test, name)?;
            let matching = ValueMatches::new(&boxes, name, column, ladders.get(*name));
            unread.extend(matching.unread.clone().map(|label| ((*name).to_owned(), label)));
            for (held, &code) in held.iter_mut().zip(&column.codes) {
                matching.narrow(held, code);
            }
            matched.push(matching);
        }
        let (mut wrong, mut unplaced) = (0, 0);
        for (row, held) in held.iter().enumerate() {
            let placed = held.iter().any(|&word| word != 0);
            unplaced += u64::from(!placed);
            let said = if placed {
                let votes = boxes.votes(held, examples.classes.len());
                (0..votes.len()).rev().max_by_key(|&class| votes[class])
            } else {
                Some(tree.walk(&pruned, |feature| {
                    let column = &matched[examples.column_of(feature)];
                    column
                        .holding(row)
                        .map(|(row, rows)| (examples.code(examples.of_row(row), feature), rows))
                        .collect()
                }))
            };
            wrong += u64::from(said != classes[truth.codes[row] as usize]);
        }
        let rows = test.rows() as u64;
        let error = wrong as f64 / rows.max(1) as f64;
        Ok(HoldoutErrors {
            rows,
            wrong,
            error,
            standard_error: (error * (1.0 - error) / rows.max(1) as f64).sqrt(),
            leaves: tree.leaves(&pruned) as u64,
            unplaced,
            unread,
        })
    }
}

/// The distinct rows of a release.
struct ReleaseBoxes<'a> {
    /// For each column to predict from, the released columns that show it: one, or its minimum and maximum.
    shown: Vec<Vec<&'a Column>>,
    /// A row of each box.
    rows: Vec<usize>,
    /// How many rows each box has, and how they are predicted.
    counts: Vec<u64>,
    said: Vec<usize>,
}

impl<'a> ReleaseBoxes<'a> {
    fn new(table: &'a Table, names: &[&str], said: impl Fn(usize) -> usize) -> Result<Self> {
        let shown: Vec<Vec<&Column>> =
            names.iter().map(|name| found(table, name)).collect::<Result<_>>()?;
        let mut known: BTreeMap<Vec<u32>, (usize, u64)> = BTreeMap::new();
        for row in 0..table.rows() {
            let key = shown.iter().flatten().map(|column| column.codes[row]).collect();
            known.entry(key).or_insert((row, 0)).1 += 1;
        }
        let (rows, counts): (Vec<usize>, Vec<u64>) = known.into_values().unzip();
        let said = rows.iter().map(|&row| said(row)).collect();
        Ok(ReleaseBoxes { shown, rows, counts, said })
    }

    /// A bit for each box.
    fn everywhere(&self) -> Vec<u64> {
        let mut bits = vec![u64::MAX; self.rows.len().div_ceil(64)];
        if let (Some(last), rest @ 1..) = (bits.last_mut(), self.rows.len() % 64) {
            *last = (1 << rest) - 1;
        }
        bits
    }

    /// How many rows of some boxes are predicted as each class.
    fn votes(&self, held: &[u64], classes: usize) -> Vec<u64> {
        let mut votes = vec![0; classes];
        for (word, &bits) in held.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                votes[self.said[at]] += self.counts[at];
            }
        }
        votes
    }
}

/// Which boxes hold each value of a column.
struct ValueMatches<'a> {
    column: &'a Column,
    /// For each value a bit per box.
    bits: Vec<Vec<u64>>,
    /// For each value the labels that hold it.
    labels: Vec<Vec<u32>>,
    /// A row of the release with each label, and how many rows have it.
    rows: Vec<(usize, u64)>,
    /// A label that holds no value.
    unread: Option<String>,
}

impl<'a> ValueMatches<'a> {
    fn new(
        boxes: &ReleaseBoxes<'_>,
        name: &str,
        column: &'a Column,
        ladder: Option<&BTreeMap<String, Vec<String>>>,
    ) -> Self {
        let at = boxes.shown.iter().position(|shown| {
            shown
                .iter()
                .any(|column| column.name == name || column.name.strip_suffix("_min") == Some(name))
        });
        let shown = at.map_or(&[][..], |at| &boxes.shown[at]);
        // What each box shows: its own number among the distinct texts of the column or of the pair.
        let mut texts: BTreeMap<Vec<&str>, u32> = BTreeMap::new();
        for &row in &boxes.rows {
            texts.entry(shown.iter().map(|column| column.value(row)).collect()).or_insert(0);
        }
        let labels: Vec<ParsedLabel> = texts
            .iter_mut()
            .enumerate()
            .map(|(number, (texts, place))| {
                *place = number as u32;
                ParsedLabel::read(texts)
            })
            .collect();
        let of_box: Vec<u32> = boxes
            .rows
            .iter()
            .map(|&row| texts[&shown.iter().map(|column| column.value(row)).collect::<Vec<_>>()])
            .collect();
        let mut rows = vec![(0, 0); labels.len()];
        for ((&row, &count), &label) in boxes.rows.iter().zip(&boxes.counts).zip(&of_box) {
            let known = &mut rows[label as usize];
            *known = (row, known.1 + count);
        }
        let mut read = vec![false; labels.len()];
        let mut holders = Vec::new();
        let words = boxes.rows.len().div_ceil(64);
        let bits = column
            .dictionary
            .iter()
            .map(|value| {
                let groups =
                    ladder.and_then(|ladder| ladder.get(value)).map_or(&[][..], Vec::as_slice);
                let holding = holding(&labels, value, groups);
                read.iter_mut().zip(&holding).for_each(|(read, holds)| *read |= holds);
                holders.push(
                    (0..).zip(&holding).filter(|(_, holds)| **holds).map(|(at, _)| at).collect(),
                );
                let mut bits = vec![0; words];
                for (at, &label) in of_box.iter().enumerate() {
                    bits[at / 64] |= u64::from(holding[label as usize]) << (at % 64);
                }
                bits
            })
            .collect();
        let opaque = |label: &ParsedLabel| matches!(label, ParsedLabel::Text(_));
        let unread = labels
            .iter()
            .zip(&read)
            .zip(texts.keys())
            .find(|((label, read), _)| !**read && opaque(label))
            .map(|(_, texts)| texts.join(" to "));
        // Labels of values that these rows happen not to have are no riddle where others were read.
        let unread = unread.filter(|_| {
            let texts = labels.iter().zip(&read).filter(|(label, _)| opaque(label));
            let (all, unread) =
                texts.fold((0, 0), |sum, (_, read)| (sum.0 + 1, sum.1 + usize::from(!read)));
            2 * unread > all
        });
        ValueMatches { column, bits, labels: holders, rows, unread }
    }

    fn narrow(&self, held: &mut [u64], code: u32) {
        for (held, bits) in held.iter_mut().zip(&self.bits[code as usize]) {
            *held &= bits;
        }
    }

    /// For each label that holds the value of a row: a row of the release with it, and how many there are.
    fn holding(&self, row: usize) -> impl Iterator<Item = (usize, u64)> {
        let labels = &self.labels[self.column.codes[row] as usize];
        labels.iter().map(|&label| self.rows[label as usize])
    }
}

/// Which labels hold a value; for a number that none holds, the nearest ranges.
fn holding(labels: &[ParsedLabel], value: &str, groups: &[String]) -> Vec<bool> {
    let holding: Vec<bool> = labels.iter().map(|label| label.holds(value, groups)).collect();
    let (Some(number), false) = (parse_number(value), holding.contains(&true)) else {
        return holding;
    };
    let distances: Vec<Option<f64>> = labels.iter().map(|label| label.distance(number)).collect();
    let nearest = distances.iter().flatten().copied().min_by(f64::total_cmp);
    distances.iter().map(|distance| distance.is_some() && *distance == nearest).collect()
}
