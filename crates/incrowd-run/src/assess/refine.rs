//! The finer table that fitted labels imply: what minimality gives away of a release.
//!
//! A range that was fitted to a class ends at values of it, and a fitted set has no value that does not occur. So in each
//! class one row surely has each of these values, and the finer table says so. Column by column it is certain; which row of
//! a class has the values of two columns at once is not, as rows of a class read the same.
//!
//! Reference: A. Cohen, *Attacks on Deidentification's Defenses*, USENIX Security 2022 (downcoding); *combinatorial
//! refinement* of local recodings, arXiv 2509.03350.

use std::collections::{BTreeMap, HashMap};

use incrowd_assess::attack::{AttackTables, mixed};
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::{Control, Table};
use incrowd_verify::{ImpliedValues, LabelHierarchy, MissingTokens, NumberStyle, sure_values};
use rayon::prelude::*;
use serde::Serialize;

use super::attack::{AttackInputs, AttackSettings, ReleasedAttribute, ladder};
use super::reading::go_on;
use crate::{Error, Result, Source, read_table};

/// How much finer a release becomes by what its labels imply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefineReport {
    /// Rows of the release.
    pub released: u64,
    /// Combinations of labels.
    pub classes: u64,
    /// The columns whose labels were looked at.
    pub columns: Vec<String>,
    /// Fields that became a single value.
    pub fields: u64,
    /// Rows that surely have one: in each class those of the column that tells most.
    pub rows: u64,
    /// How right that is, where the original is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<RefineScore>,
}

/// The finer table held against the original.
///
/// A class is compared with the rows of the original that its labels contain; each stands for one guess in a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RefineScore {
    /// Fields that are right.
    pub right_fields: u64,
    /// The same for guesses that know nothing of minimality: any value of the label.
    pub guessed_fields: u64,
    /// Of the rows that surely have a value, those of whom it is right.
    pub right_rows: u64,
    /// The same for guesses.
    pub guessed_rows: u64,
    /// The rows that are right as a share of the release.
    pub right_share: f64,
    /// The same for guesses.
    pub guessed_share: f64,
}

/// What minimality implies of a release: the finer table, and how right it is where there is an original.
pub fn refine_release(
    release: &Source,
    original: Option<&Source>,
    settings: &AttackSettings,
    control: &Control,
) -> Result<(RefineReport, Table)> {
    let released = read_table(release, None, control)?;
    go_on(control)?;
    let original = original.map(|source| read_table(source, None, control)).transpose()?;
    go_on(control)?;
    let finer = FinerTable::new(&released, original.as_ref(), settings)?;
    let score = match &original {
        None => None,
        Some(original) => Some(finer.score(&released, original, settings)?),
    };
    go_on(control)?;
    let (fields, rows) = finer.told();
    let report = RefineReport {
        released: released.rows() as u64,
        classes: finer.classes.len() as u64,
        columns: finer.columns.iter().map(|column| column.name.clone()).collect(),
        fields,
        rows,
        score,
    };
    Ok((report, finer.into_table(&released)?))
}

/// A finer table as CSV.
pub fn refined_csv(table: &Table) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::new(format!("the finer table has no CSV: {e}"));
    writer.write_record(table.names()).map_err(|e| failed(&e))?;
    for row in 0..table.rows() {
        let fields = table.columns().iter().map(|column| column.value(row));
        writer.write_record(fields).map_err(|e| failed(&e))?;
    }
    writer.into_inner().map_err(|e| failed(&e))
}

/// A column whose labels may tell more, with what each class is surely told to have.
struct FinerColumn {
    name: String,
    /// By class.
    sure: Vec<ImpliedValues>,
}

struct FinerTable {
    columns: Vec<FinerColumn>,
    /// The rows of each class.
    classes: Vec<Vec<usize>>,
}

impl FinerTable {
    fn new(released: &Table, original: Option<&Table>, settings: &AttackSettings) -> Result<Self> {
        let style = NumberStyle { point: settings.decimal.unwrap_or('.'), groups: None };
        let missing = MissingTokens::new(settings.missing.iter().cloned());
        let read: Vec<(String, Vec<String>, Vec<u32>)> = names(released, original, settings)?
            .into_iter()
            .filter_map(|name| {
                let (labels, codes) = ReleasedAttribute::find(released, &name)?.labels();
                Some((name, labels.into_iter().map(one_text).collect(), codes))
            })
            .collect();
        let told = |at: usize, classes: &[(usize, u64)]| -> Result<Vec<ImpliedValues>> {
            let (name, labels, _) = &read[at];
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let ladder = hierarchy_of(name, settings)?;
            Ok(sure_values(&labels, classes, &style, ladder.as_ref(), &missing))
        };
        // Columns that tell nothing even of all rows with a label are not what makes classes, unless they are named.
        let mut used = Vec::new();
        for (at, (_, labels, codes)) in read.iter().enumerate() {
            let mut rows = vec![0; labels.len()];
            codes.iter().for_each(|&code| rows[code as usize] += 1);
            let by_label: Vec<(usize, u64)> = rows.into_iter().enumerate().collect();
            let is_named = !settings.options.known.is_empty();
            if is_named || told(at, &by_label)?.iter().any(|sure| !sure.values.is_empty()) {
                used.push(at);
            }
        }
        let mut places: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for row in 0..released.rows() {
            let key = used.iter().map(|&at| read[at].2[row]).collect();
            places.entry(key).or_default().push(row);
        }
        let classes: Vec<Vec<usize>> = places.into_values().collect();
        let mut columns = Vec::new();
        for &at in &used {
            let labelled: Vec<(usize, u64)> = classes
                .iter()
                .map(|rows| (read[at].2[rows[0]] as usize, rows.len() as u64))
                .collect();
            columns.push(FinerColumn { name: read[at].0.clone(), sure: told(at, &labelled)? });
        }
        Ok(FinerTable { columns, classes })
    }

    /// The fields that become a value, and the rows of the column that tells most, class by class.
    fn told(&self) -> (u64, u64) {
        let sure = self.columns.iter().flat_map(|column| &column.sure);
        let fields = sure.map(|sure| sure.values.len()).sum::<usize>();
        let rows = (0..self.classes.len()).map(|class| self.best(class).1).sum::<usize>();
        (fields as u64, rows as u64)
    }

    /// The column that tells most of a class, and of how many rows.
    fn best(&self, class: usize) -> (usize, usize) {
        let told = self.columns.iter().map(|column| column.sure[class].values.len()).enumerate();
        told.max_by_key(|&(at, told)| (told, std::cmp::Reverse(at))).unwrap_or((0, 0))
    }

    /// The release with the values in it. Those of the next column go to the next rows: nothing is known of which rows they
    /// are, and none should seem to be told whole.
    fn into_table(self, released: &Table) -> Result<Table> {
        let mut columns: Vec<Column> = released.columns().to_vec();
        let mut first: Vec<usize> = vec![0; self.classes.len()];
        for finer in &self.columns {
            let ends =
                [finer.name.clone(), format!("{}_min", finer.name), format!("{}_max", finer.name)];
            for (class, rows) in self.classes.iter().enumerate() {
                let sure = &finer.sure[class].values;
                for (at, value) in sure.iter().enumerate() {
                    let row = rows[(first[class] + at) % rows.len()];
                    for column in columns.iter_mut().filter(|column| ends.contains(&column.name)) {
                        column.codes[row] = column.dictionary.intern(value);
                    }
                }
                first[class] += sure.len();
            }
        }
        // Labels that no row has any more are not values of the table.
        let used = columns.into_iter().map(|column| {
            let mut dictionary = Dictionary::new();
            let codes = column
                .codes
                .iter()
                .map(|&code| dictionary.intern(column.dictionary.value(code)))
                .collect();
            Column { name: column.name, dictionary, codes }
        });
        Ok(Table::new(used.collect())?)
    }

    fn score(
        &self,
        released: &Table,
        original: &Table,
        settings: &AttackSettings,
    ) -> Result<RefineScore> {
        let inputs = AttackInputs { settings, released, original, others: None };
        let (tables, _) = inputs.tables()?;
        let place = |column: &FinerColumn| {
            let found = tables.columns.iter().position(|it| it.name == column.name);
            found.ok_or_else(|| Error::new(format!("the original has no column `{}`", column.name)))
        };
        let places: Vec<usize> = self.columns.iter().map(place).collect::<Result<_>>()?;
        let ranks: Vec<HashMap<&str, u32>> = places
            .iter()
            .map(|&at| {
                let column = original.column(&tables.columns[at].name);
                let rows = column.into_iter().flat_map(|column| {
                    column.codes.iter().map(|&code| column.dictionary.value(code))
                });
                rows.zip(tables.original[at].iter().copied()).collect()
            })
            .collect();
        let judged: Vec<RefineScore> = (0..self.classes.len())
            .into_par_iter()
            .map(|class| {
                let inside = contained(&tables, &places, self.classes[class][0]);
                let mut drawn = 0;
                let mut below = |end: usize| {
                    drawn += 1;
                    (mixed(mixed(settings.options.seed, class as u64), drawn) % end as u64) as usize
                };
                let mut score = RefineScore::default();
                let best = self.best(class).0;
                for (column, (&at, ranks)) in places.iter().zip(&ranks).enumerate() {
                    let sure = &self.columns[column].sure[class];
                    let mut there: HashMap<u32, u64> = HashMap::new();
                    for &row in &inside {
                        *there.entry(tables.original[at][row]).or_default() += 1;
                    }
                    let known =
                        sure.values.iter().filter_map(|value| ranks.get(value.as_str()).copied());
                    let right = met(known, there.clone());
                    let label = &tables.columns[at].labels
                        [tables.release[at][self.classes[class][0]] as usize];
                    let values: Vec<u32> =
                        label.ranges.iter().flat_map(|&(low, high)| low..=high).collect();
                    // Values that nobody has are guessed, too.
                    let among = values.len().max(sure.among as usize);
                    let guesses = sure.values.iter().map(|_| values.get(below(among)));
                    let guessed = met(guesses.flatten().copied(), there);
                    score.right_fields += right;
                    score.guessed_fields += guessed;
                    if column == best {
                        score.right_rows += right;
                        score.guessed_rows += guessed;
                    }
                }
                score
            })
            .collect();
        let mut all = RefineScore::default();
        for one in judged {
            all.right_fields += one.right_fields;
            all.guessed_fields += one.guessed_fields;
            all.right_rows += one.right_rows;
            all.guessed_rows += one.guessed_rows;
        }
        let share = |rows: u64| rows as f64 / released.rows().max(1) as f64;
        (all.right_share, all.guessed_share) = (share(all.right_rows), share(all.guessed_rows));
        Ok(all)
    }
}

/// The columns to look at: those that are known, or all that the original has, or all.
fn names(
    released: &Table,
    original: Option<&Table>,
    settings: &AttackSettings,
) -> Result<Vec<String>> {
    let known = &settings.options.known;
    if let Some(name) = known.iter().find(|name| ReleasedAttribute::find(released, name).is_none())
    {
        return Err(Error::new(format!("the release has no column `{name}`"))
            .help("name columns of the release with --known"));
    }
    let all = || original.unwrap_or(released).columns().iter().map(|column| column.name.clone());
    Ok(if known.is_empty() { all().collect() } else { known.clone() })
}

fn hierarchy_of(name: &str, settings: &AttackSettings) -> Result<Option<LabelHierarchy>> {
    let found = settings.hierarchies.iter().find(|(column, _)| column == name);
    found.map(|(_, hierarchy)| ladder(name, hierarchy, None)).transpose()
}

/// A label in one column or two as one text.
fn one_text((low, high): (&str, Option<&str>)) -> String {
    match high {
        None => low.to_owned(),
        Some(high) if high == low => low.to_owned(),
        Some(high) => format!("[{low}-{high}]"),
    }
}

/// The rows of the original that the labels of a released row contain.
fn contained(tables: &AttackTables, places: &[usize], released: usize) -> Vec<usize> {
    let labels: Vec<_> = places
        .iter()
        .map(|&at| (&tables.columns[at].labels[tables.release[at][released] as usize], at))
        .collect();
    let rows = tables.original.first().map_or(0, Vec::len);
    let fits = |row: &usize| {
        labels.iter().all(|(label, at)| {
            let value = tables.original[*at][*row];
            label.holds(value)
        })
    };
    (0..rows).filter(fits).collect()
}

/// How many guesses meet a value that is there, each value as often as it is.
fn met(guesses: impl Iterator<Item = u32>, mut there: HashMap<u32, u64>) -> u64 {
    guesses
        .filter(|guess| match there.get_mut(guess) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        })
        .count() as u64
}
