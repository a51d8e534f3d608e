//! Classification accuracy: how well a decision tree predicts a column from a release.
//!
//! **What it does**: cross-validates a decision tree (see `tree`) that predicts the class column from other
//! columns, whatever is released of them: numbers and ranges `[25-28]` by their two ends, all other labels as
//! categories, the blank `*` as a value of its own. The rows are dealt into folds at random, each class evenly; each
//! fold is predicted by a tree that was grown from the others and pruned to the size that predicts best inside
//! them.
//! Rows that are in no table but one of their own are judged by a tree of the whole release: see
//! [`ClassificationOptions::held_out`].
//! **Guarantee**: the same seed gives the same folds, trees and errors on every machine and any number of threads.
//! **Cost**: as many trees as folds, and as many again for each of the inner folds that choose their size.
//! **Example**: where the class is just another column's value, the error is 0.
//! **Reference**: Breiman et al., *Classification and Regression Trees* (1984); Iyengar, *Transforming Data to Satisfy
//! Privacy Constraints* (2002) measures releases so.

mod features;
mod holdout;
mod label;
mod tree;

use incrowd_engine::{Error, Result, Table, words};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use features::TrainingExamples;
pub use holdout::{ColumnHierarchies, HoldoutErrors};
use tree::{DecisionTree, StoppingRules};

/// How the accuracy of a decision tree is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassificationOptions {
    /// Into how many parts the rows are dealt.
    pub folds: u32,
    /// What the dealing comes from.
    pub seed: u64,
    /// The fewest rows in a leaf of the tree.
    pub least_leaf: u32,
    /// The deepest leaf of the tree.
    pub depth: u32,
}

impl Default for ClassificationOptions {
    fn default() -> Self {
        ClassificationOptions { folds: 10, seed: 1, least_leaf: 5, depth: 30 }
    }
}

/// How often a decision tree was wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassificationErrors {
    /// Rows, each predicted once by a tree that did not see it.
    pub rows: u64,
    /// How many of them were predicted wrongly.
    pub wrong: u64,
    /// The same as a share.
    pub error: f64,
    /// The standard error of that share, from the differences between folds.
    pub standard_error: f64,
    /// The mean number of leaves of a tree.
    pub leaves: f64,
    /// The share of rows that are not of the most frequent class: the error of always saying that.
    pub baseline: f64,
    /// The classes and how many rows have each, most frequent first.
    pub classes: Vec<(String, u64)>,
}

/// The error over all rows of an original, where a release lacks some of them: these are predicted with the
/// release's most frequent class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FullTableError {
    /// Rows that the release lacks.
    pub suppressed: u64,
    /// Those of them that are not of the release's most frequent class.
    pub wrong: u64,
    /// The share of wrong predictions over all rows.
    pub error: f64,
}

impl FullTableError {
    /// Predicts suppressed rows with the most frequent class of the release. None if the release has rows of a
    /// class that the original lacks: then they do not belong together.
    pub fn new(release: &ClassificationErrors, original: &ClassificationErrors) -> Option<Self> {
        let suppressed = original.rows.checked_sub(release.rows)?;
        let rows = |errors: &ClassificationErrors, name: &str| {
            errors.classes.iter().find(|(class, _)| class == name).map_or(0, |class| class.1)
        };
        let (most, released) = release.classes.first()?;
        let right = rows(original, most).checked_sub(*released)?;
        let wrong = suppressed.checked_sub(right)?;
        let error = (release.wrong + wrong) as f64 / original.rows.max(1) as f64;
        Some(FullTableError { suppressed, wrong, error })
    }
}

/// How well a column is predicted from a release, and from its original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassificationReport {
    /// How it was measured.
    pub settings: ClassificationOptions,
    /// The errors on the release.
    pub release: ClassificationErrors,
    /// The errors on the original, if it was given.
    pub original: Option<ClassificationErrors>,
    /// What becomes of the error if the rows that the release lacks are predicted with its most frequent class.
    pub with_suppressed: Option<FullTableError>,
    /// The errors on untouched rows, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestReport>,
}

/// How well untouched rows are predicted, by a tree of the release and by one of the original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TestReport {
    /// The errors of the tree that was grown from the release.
    pub release: HoldoutErrors,
    /// The errors of the tree that was grown from the original, if it was given.
    pub original: Option<HoldoutErrors>,
    /// The share of rows that are not of the most frequent class of the release: the error of always saying that.
    pub baseline: f64,
}

impl ClassificationReport {
    /// Cross-validates trees on a release and, if it is given, on its original.
    pub fn new<S: AsRef<str>>(
        settings: &ClassificationOptions,
        release: &Table,
        original: Option<&Table>,
        columns: &[S],
        class: &str,
    ) -> Result<Self> {
        let errors = |table: &Table| settings.errors(table, columns, class);
        let original = original.map(errors).transpose()?;
        let release = errors(release)?;
        Ok(ClassificationReport {
            settings: settings.clone(),
            with_suppressed: original.as_ref().and_then(|all| FullTableError::new(&release, all)),
            release,
            original,
            test: None,
        })
    }

    /// Judges trees on untouched rows as well. `ladders` say what values may be released as, where a release shows
    /// nodes of hierarchies.
    pub fn with_test<S: AsRef<str>>(
        mut self,
        release: &Table,
        original: Option<&Table>,
        test: &Table,
        columns: &[S],
        class: &str,
        ladders: &ColumnHierarchies,
    ) -> Result<Self> {
        if test.rows() == 0 {
            return Err(Error::new("there are no rows to test on").help("name a table with rows"));
        }
        let held_out = |table: &Table| self.settings.held_out(table, test, columns, class, ladders);
        let most = self.release.classes.first().map_or("", |(name, _)| name.as_str());
        let truth = features::column_of(test, class)?;
        let right = (0..test.rows()).filter(|&row| truth.value(row) == most).count();
        self.test = Some(TestReport {
            release: held_out(release)?,
            original: original.map(held_out).transpose()?,
            baseline: 1.0 - right as f64 / test.rows() as f64,
        });
        Ok(self)
    }
}

/// The inner folds that choose how far a tree is pruned.
const INNER: u32 = 5;

/// The number of the fold that all rows are in: their price is chosen by other inner folds than those of any fold.
const PRICES_FOLD: usize = usize::MAX >> 1;

/// What a leaf may cost, in rows predicted wrongly, of which the inner folds choose.
const PRICES: [f64; 16] =
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0, 1e12];

impl ClassificationOptions {
    /// Cross-validates a tree that predicts `class` from `columns` of a table, original or released. A column that a
    /// release shows as minimum and maximum is found too.
    ///
    /// ```
    /// use incrowd_engine::Table;
    /// use incrowd_assess::classify::ClassificationOptions;
    ///
    /// let row = |age: u32| [format!("[{age}-{}]", age + 4), (age < 40).to_string()];
    /// let rows: Vec<[String; 2]> = (0..200).map(|at| row(20 + at % 10 * 5)).collect();
    /// let table = Table::from_rows(&["age", "young"], &rows)?;
    /// let errors = ClassificationOptions::default().errors(&table, &["age"], "young")?;
    /// assert_eq!((errors.baseline, errors.error), (0.4, 0.0));
    /// # Ok::<(), incrowd_engine::Error>(())
    /// ```
    pub fn errors<S: AsRef<str>>(
        &self,
        table: &Table,
        columns: &[S],
        class: &str,
    ) -> Result<ClassificationErrors> {
        let names: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
        self.check(table, &names, class)?;
        let examples = TrainingExamples::new(table, &names, class)?;
        let dealt = deal(&examples, self.folds, self.seed);
        let folds: Vec<FoldErrors> = (0..self.folds as usize)
            .into_par_iter()
            .map(|fold| self.fold(&examples, &dealt, fold))
            .collect();
        Ok(summarize(&examples, &folds))
    }

    fn check(&self, table: &Table, columns: &[&str], class: &str) -> Result<()> {
        if columns.is_empty() {
            return Err(Error::new("there is no column to predict from")
                .help("name the quasi-identifiers, or other columns"));
        }
        if columns.contains(&class) {
            return Err(Error::new(format!("column {class:?} cannot predict itself"))
                .help("leave it out of the columns to predict from"));
        }
        if self.folds < 2 {
            return Err(Error::new(format!("{} folds are too few", self.folds))
                .help("cross-validation needs at least 2, and 10 are usual"));
        }
        if (table.rows() as u64) < u64::from(self.folds) {
            let rows = words::count(table.rows() as u64, "row", "rows");
            return Err(Error::new(format!("{rows} cannot be divided into {} folds", self.folds))
                .help("ask for fewer folds"));
        }
        Ok(())
    }

    fn rules(&self) -> StoppingRules {
        StoppingRules { least_leaf: self.least_leaf.max(1).into(), depth: self.depth }
    }

    /// Grows a tree from all folds but one and predicts that one.
    fn fold(&self, examples: &TrainingExamples, dealt: &FoldCounts, fold: usize) -> FoldErrors {
        let training = dealt.without(fold);
        let tree = DecisionTree::grow(examples, &training, self.rules());
        let price = self.price(examples, &training, fold);
        let pruned = tree.pruned(price);
        let test = &dealt.counts[fold];
        FoldErrors {
            rows: test.iter().map(|&count| u64::from(count)).sum(),
            wrong: tree.wrong(&pruned, examples, test),
            leaves: tree.leaves(&pruned),
        }
    }

    /// The price of a leaf with which trees from parts of the training rows predict the other parts best; the
    /// highest of equals, for the smallest tree.
    fn price(&self, examples: &TrainingExamples, training: &[u32], fold: usize) -> f64 {
        let seed = self.seed.wrapping_add(1 + fold as u64);
        let inner = deal_counts(examples, training, INNER, seed);
        let wrong: Vec<[u64; PRICES.len()]> = (0..INNER as usize)
            .into_par_iter()
            .map(|part| {
                let tree = DecisionTree::grow(examples, &inner.without(part), self.rules());
                // A tree of fewer rows has fewer errors to weigh against.
                let share = f64::from(INNER - 1) / f64::from(INNER);
                PRICES.map(|price| {
                    tree.wrong(&tree.pruned(price * share), examples, &inner.counts[part])
                })
            })
            .collect();
        let total = |at: usize| wrong.iter().map(|wrong| wrong[at]).sum::<u64>();
        let best = (0..PRICES.len()).rev().min_by_key(|&at| total(at)).unwrap_or(0);
        PRICES[best]
    }
}

/// What came of one fold.
struct FoldErrors {
    rows: u64,
    wrong: u64,
    leaves: usize,
}

fn summarize(examples: &TrainingExamples, folds: &[FoldErrors]) -> ClassificationErrors {
    let rows: u64 = folds.iter().map(|fold| fold.rows).sum();
    let wrong: u64 = folds.iter().map(|fold| fold.wrong).sum();
    let number = folds.len() as f64;
    let shares: Vec<f64> = folds
        .iter()
        .filter(|fold| fold.rows > 0)
        .map(|fold| fold.wrong as f64 / fold.rows as f64)
        .collect();
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let squares: f64 = shares.iter().map(|share| (share - mean) * (share - mean)).sum();
    let mut classes: Vec<(String, u64)> = examples.class_rows();
    classes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let most = classes.first().map_or(0, |class| class.1);
    ClassificationErrors {
        rows,
        wrong,
        error: wrong as f64 / rows.max(1) as f64,
        standard_error: (squares / (number - 1.0).max(1.0) / number).sqrt(),
        leaves: folds.iter().map(|fold| fold.leaves as f64).sum::<f64>() / number,
        baseline: 1.0 - most as f64 / rows.max(1) as f64,
        classes,
    }
}

/// Rows dealt into folds: for each fold, how many rows of each example and class it has.
struct FoldCounts {
    counts: Vec<Vec<u32>>,
}

impl FoldCounts {
    /// All rows but those of one fold.
    fn without(&self, fold: usize) -> Vec<u32> {
        let mut rest = vec![0; self.counts.first().map_or(0, Vec::len)];
        for (_, counts) in self.counts.iter().enumerate().filter(|(at, _)| *at != fold) {
            for (rest, count) in rest.iter_mut().zip(counts) {
                *rest += count;
            }
        }
        rest
    }
}

fn deal(examples: &TrainingExamples, folds: u32, seed: u64) -> FoldCounts {
    deal_counts(examples, &examples.counts, folds, seed)
}

/// Deals rows out at random, the rows of each class evenly.
fn deal_counts(examples: &TrainingExamples, counts: &[u32], folds: u32, seed: u64) -> FoldCounts {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let classes = examples.classes.len();
    let mut dealt = vec![vec![0; counts.len()]; folds as usize];
    let mut next = 0;
    for class in 0..classes {
        let of_class = (class..counts.len()).step_by(classes);
        let mut rows: Vec<usize> =
            of_class.flat_map(|at| std::iter::repeat_n(at, counts[at] as usize)).collect();
        rows.shuffle(&mut random);
        for at in rows {
            dealt[next][at] += 1;
            // Going on where the class before ended keeps the folds equally large.
            next = (next + 1) % folds as usize;
        }
    }
    FoldCounts { counts: dealt }
}
