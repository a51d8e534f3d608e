//! What a tree sees of a table: ordered and categorical features, and the distinct rows with their classes.

use std::collections::BTreeMap;

use incrowd_engine::table::Column;
use incrowd_engine::value::{BLANK, Decimal, DetectedNumbers, MISSING_TOKENS, Scale, detect};
use incrowd_engine::{Error, Result, Table, words};

/// A feature: what a column, or an end of its ranges, says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Feature {
    /// How many different values it has; codes are below.
    pub(super) values: usize,
    /// Whether values are ordered by their codes.
    pub(super) ordered: bool,
    /// The value that is outside of the order: the blank, or missing.
    pub(super) apart: Option<u32>,
}

/// The distinct rows.
pub(super) struct TrainingExamples {
    pub(super) features: Vec<Feature>,
    /// The names of the classes.
    pub(super) classes: Vec<String>,
    /// Feature codes, example by example.
    codes: Vec<u32>,
    /// How many rows of each class an example has, example by example.
    pub(super) counts: Vec<u32>,
    /// The example of each row.
    of_row: Vec<u32>,
    /// The column of each feature, by its number among those to predict from.
    column_of: Vec<usize>,
}

impl TrainingExamples {
    pub(super) fn new(table: &Table, columns: &[&str], class: &str) -> Result<Self> {
        let mut features = Vec::new();
        // For each feature the code of every row.
        let mut coded: Vec<Vec<u32>> = Vec::new();
        let mut column_of = Vec::new();
        for (number, name) in columns.iter().enumerate() {
            for column in found(table, name)? {
                for (feature, code_of) in read(column) {
                    let codes: Vec<u32> =
                        column.codes.iter().map(|&code| code_of[code as usize]).collect();
                    // The two ends of ranges that do not overlap say the same.
                    if !coded.contains(&codes) {
                        features.push(feature);
                        coded.push(codes);
                        column_of.push(number);
                    }
                }
            }
        }
        let labels = self::column_of(table, class)?;
        let mut classes: Vec<&str> = Vec::new();
        let mut class_of = vec![u32::MAX; labels.dictionary.len()];
        let mut names: Vec<(&str, u32)> =
            labels.codes.iter().map(|&code| (labels.dictionary.value(code), code)).collect();
        names.sort_unstable();
        names.dedup();
        for (name, code) in names {
            class_of[code as usize] = classes.len() as u32;
            classes.push(name);
        }
        let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for row in 0..table.rows() {
            known.entry(coded.iter().map(|codes| codes[row]).collect()).or_insert(0);
        }
        // In the order of their codes, so that the order of rows does not matter.
        let mut codes = Vec::with_capacity(known.len() * features.len());
        for (at, (example, place)) in known.iter_mut().enumerate() {
            codes.extend_from_slice(example);
            *place = at;
        }
        let mut counts = vec![0; known.len() * classes.len()];
        let mut of_row = Vec::with_capacity(table.rows());
        for row in 0..table.rows() {
            let example: Vec<u32> = coded.iter().map(|codes| codes[row]).collect();
            let class = class_of[labels.codes[row] as usize] as usize;
            counts[known[&example] * classes.len() + class] += 1;
            of_row.push(known[&example] as u32);
        }
        let classes = classes.into_iter().map(str::to_owned).collect();
        Ok(TrainingExamples { features, classes, codes, counts, of_row, column_of })
    }

    /// How many examples there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len() / self.classes.len().max(1)
    }

    /// What an example has for a feature.
    pub(super) fn code(&self, example: usize, feature: usize) -> u32 {
        self.codes[example * self.features.len() + feature]
    }

    /// The example of a row.
    pub(super) fn of_row(&self, row: usize) -> usize {
        self.of_row[row] as usize
    }

    /// The column of a feature, by its number among those to predict from.
    pub(super) fn column_of(&self, feature: usize) -> usize {
        self.column_of[feature]
    }

    /// The classes and how many rows have each.
    pub(super) fn class_rows(&self) -> Vec<(String, u64)> {
        let rows = |class: usize| {
            let of_class = self.counts.iter().skip(class).step_by(self.classes.len());
            of_class.map(|&count| u64::from(count)).sum()
        };
        self.classes.iter().cloned().enumerate().map(|(at, name)| (name, rows(at))).collect()
    }
}

fn missing_column(table: &Table, name: &str) -> Error {
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    Error::new(format!("there is no column {name:?}"))
        .help(format!("the columns are {}", words::list(&names)))
}

/// The column of that name.
pub(super) fn column_of<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table.column(name).ok_or_else(|| missing_column(table, name))
}

/// The column of that name, or the two that show its minimum and maximum.
pub(super) fn found<'a>(table: &'a Table, name: &str) -> Result<Vec<&'a Column>> {
    if let Some(column) = table.column(name) {
        return Ok(vec![column]);
    }
    let ends = ["_min", "_max"].map(|end| table.column(&format!("{name}{end}")));
    match ends {
        [Some(low), Some(high)] => Ok(vec![low, high]),
        _ => Err(missing_column(table, name)),
    }
}

/// The ends of a number or a range `[25-28]`; an open one, `90+`, has no end on one side.
pub(super) fn interval(label: &str) -> Option<(f64, f64)> {
    let bounds = Scale::default().read_label(label)?;
    let low = bounds.low.map_or(f64::NEG_INFINITY, Decimal::to_f64);
    let high = bounds.high.map_or(f64::INFINITY, Decimal::to_f64);
    Some((low, high))
}

/// A column as features, each with the code of every dictionary code: numbers and ranges by their low and by
/// their high ends, other labels as categories.
fn read(column: &Column) -> Vec<(Feature, Vec<u32>)> {
    let mut used = vec![false; column.dictionary.len()];
    for &code in &column.codes {
        used[code as usize] = true;
    }
    let labels: Vec<(usize, &str)> =
        column.dictionary.iter().enumerate().filter(|(code, _)| used[*code]).collect();
    let is_apart = |label: &str| label == BLANK || MISSING_TOKENS.contains(&label);
    // How the column writes its numbers, be they ends of ranges such as `[33,9-34,2]`.
    let ranges = labels.iter().map(|(_, label)| *label).filter(|label| !is_apart(label));
    let scale = match detect(ranges, None) {
        DetectedNumbers::Numbers(format) => Scale::Numbers(format),
        _ => return vec![categories(column.dictionary.len(), labels)],
    };
    let ends: Option<Vec<(usize, (f64, f64))>> = labels
        .iter()
        .filter(|(_, label)| !is_apart(label))
        .map(|(code, label)| Some((*code, scale.read_label(label)?.to_f64())))
        .collect();
    let Some(ends) = ends.filter(|ends| !ends.is_empty()) else {
        return vec![categories(column.dictionary.len(), labels)];
    };
    let blank = labels.iter().any(|(_, label)| is_apart(label));
    [|ends: (f64, f64)| ends.0, |ends: (f64, f64)| ends.1]
        .into_iter()
        .map(|end| {
            let mut values: Vec<f64> = ends.iter().map(|(_, ends)| end(*ends)).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let mut code_of = vec![values.len() as u32; column.dictionary.len()];
            for (code, ends) in &ends {
                code_of[*code] = values.partition_point(|value| *value < end(*ends)) as u32;
            }
            let apart = blank.then_some(values.len() as u32);
            let feature =
                Feature { values: values.len() + usize::from(blank), ordered: true, apart };
            (feature, code_of)
        })
        .collect()
}

/// Targets as categories, numbered by their text.
fn categories(codes: usize, mut labels: Vec<(usize, &str)>) -> (Feature, Vec<u32>) {
    labels.sort_by_key(|(_, label)| *label);
    let mut code_of = vec![0; codes];
    for (at, (code, _)) in labels.iter().enumerate() {
        code_of[*code] = at as u32;
    }
    (Feature { values: labels.len(), ordered: false, apart: None }, code_of)
}
