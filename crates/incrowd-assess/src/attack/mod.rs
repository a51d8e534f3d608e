//! A release attacked: what can be guessed of people who are in it, and how much more than of people who are not.
//!
//! **What it does.** The three questions of the opinion WP216 are tried on people of the original, one by one, with
//! nothing but the release and what an attacker may know of them:
//!
//! - *Singling out*: exactly one released row fits what is known of the person, who is claimed to be it.
//! - *Linkability*: two sources that each know half of it, chosen by chance, find the same row.
//! - *Inference*: a column of the person is what most of the nearest rows have; each column by itself.
//!
//! A guess can be right by chance, or because it is true of everybody: that is no fault of the release. So the same is
//! tried on a **control group** of people who are not in the data, and only what goes beyond it counts. Where there is no
//! such group, the release is [rebuilt](Baseline::LeftOut) from the original with the person's own row left out.
//!
//! **Guarantee.** The intervals of all attacks hold together in at least the asked share of cases (Bonferroni). An
//! attack that finds nothing proves nothing: others may know more, or guess better.
//!
//! **Reference.** Article 29 Data Protection Working Party, *Opinion 05/2014 on anonymisation techniques* (WP216); M. Giomi,
//! F. Boenisch, C. Wehmeyer and B. Tasnádi, *A unified framework for quantifying privacy risk in synthetic data*,
//! PoPETs 2023.

mod guess;
mod interval;
mod outside;
mod precision;
mod rows;
#[cfg(test)]
mod tests;

use incrowd_engine::{Control, Error, Result};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::Serialize;

use guess::{AttackQuestions, AttackTarget, GuessHits};
pub use interval::{AttackOutcome, SuccessRate};
pub use outside::{OutsideCrowds, outside_crowds};
use precision::RatedGuess;
pub use precision::{AttackPrecision, BestGuesses, anonymity_loss};
use rows::{NONE, RowPool, rebuilt};

/// A released label of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasedLabel {
    /// The values that it contains, as closed ranges of their codes, in order and apart from each other.
    pub ranges: Vec<(u32, u32)>,
    /// The number that it is, for labels that contain no value but lie near some.
    pub number: Option<f64>,
}

/// A column that both original and release have.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedColumn {
    /// The name.
    pub name: String,
    /// For each value of the original and the control group, where it lies among numbers, if it is one.
    pub numbers: Vec<Option<f64>>,
    /// The labels of the release.
    pub labels: Vec<ReleasedLabel>,
}

impl SharedColumn {
    /// Whether labels contain values: those that contain nothing, such as pseudonyms, cannot tell which row may be which.
    fn says_something(&self) -> bool {
        self.labels.iter().any(|label| !label.ranges.is_empty())
    }
}

/// A release, its original, and perhaps people who are in neither.
#[derive(Debug, Clone, PartialEq)]
pub struct AttackTables {
    /// The columns that all have.
    pub columns: Vec<SharedColumn>,
    /// By column, the label of each released row.
    pub release: Vec<Vec<u32>>,
    /// By column, the value of each original row.
    pub original: Vec<Vec<u32>>,
    /// By column, the value of each row of the control group.
    pub control: Option<Vec<Vec<u32>>>,
}

impl AttackTables {
    /// The same with all rows in an order that follows from their codes and the seed: whom chance draws must not depend on
    /// the order of a file, nor on what the rows hold.
    fn in_own_order(&self, seed: u64) -> Self {
        // Each table by a draw of its own: places must not tell which rows belong together.
        let in_own_order =
            |columns: &[Vec<u32>], table: u64| in_own_order(columns, mixed(seed, u64::MAX - table));
        AttackTables {
            columns: self.columns.clone(),
            release: in_own_order(&self.release, 2),
            original: in_own_order(&self.original, 3),
            control: self.control.as_deref().map(|control| in_own_order(control, 4)),
        }
    }
}

/// Columns of rows, sorted by row and then shuffled.
fn in_own_order(columns: &[Vec<u32>], seed: u64) -> Vec<Vec<u32>> {
    let mut order: Vec<usize> = (0..columns.first().map_or(0, Vec::len)).collect();
    order.sort_by(|&one, &other| {
        let key = |row: usize| columns.iter().map(move |column| column[row]);
        key(one).cmp(key(other))
    });
    order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    columns.iter().map(|column| order.iter().map(|&row| column[row]).collect()).collect()
}

/// How a release is attacked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AttackOptions {
    /// The columns that an attacker knows; all if there is none.
    pub known: Vec<String>,
    /// The columns that an attacker wants to know; all if there is none.
    pub secret: Vec<String>,
    /// How many people are attacked at most.
    pub attempts: u64,
    /// In which share of cases all intervals hold.
    pub confidence: f64,
    /// What chance comes from: the same seed makes the same guesses.
    pub seed: u64,
}

impl Default for AttackOptions {
    fn default() -> Self {
        AttackOptions {
            known: Vec::new(),
            secret: Vec::new(),
            attempts: 1_000,
            confidence: 0.99,
            seed: 1,
        }
    }
}

impl AttackOptions {
    /// A thousand people, everything known and everything wanted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the columns that an attacker knows.
    #[must_use]
    pub fn with_known(self, known: Vec<String>) -> Self {
        AttackOptions { known, ..self }
    }

    /// Sets the columns that an attacker wants to know.
    #[must_use]
    pub fn with_secret(self, secret: Vec<String>) -> Self {
        AttackOptions { secret, ..self }
    }

    /// Sets how many people are attacked at most.
    #[must_use]
    pub fn with_attempts(self, attempts: u64) -> Self {
        AttackOptions { attempts, ..self }
    }

    /// Sets in which share of cases all intervals hold.
    #[must_use]
    pub fn with_confidence(self, confidence: f64) -> Self {
        AttackOptions { confidence, ..self }
    }

    /// Sets what chance comes from.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        AttackOptions { seed, ..self }
    }
}

/// What attacks are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// The same guesses about people who are not in the data.
    Control,
    /// The same guesses about the same people from a release without them: every row of the original becomes a
    /// released row that may be it (or stays as it is, where none may), and the person's own is left out.
    LeftOut,
}

/// An attack on one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnOutcome {
    /// The column that was guessed.
    pub column: String,
    /// How well.
    #[serde(flatten)]
    pub outcome: AttackOutcome,
}

/// What came of the attacks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttackReport {
    /// Rows of the release.
    pub released: u64,
    /// Rows of the original.
    pub original: u64,
    /// Rows of the control group, if there is one.
    pub control: Option<u64>,
    /// What attacks are compared with.
    pub baseline: Baseline,
    /// The columns that the attacker knows.
    pub known: Vec<String>,
    /// The columns that the attacker wants to know.
    pub secret: Vec<String>,
    /// In which share of cases all intervals hold together.
    pub confidence: f64,
    /// What chance comes from.
    pub seed: u64,
    /// Whether any attack found people, beyond what chance explains.
    pub found: bool,
    /// Exactly one released row fits.
    pub singling_out: AttackOutcome,
    /// Two halves of what is known lead to the same row; none with fewer than two known columns.
    pub linkability: Option<AttackOutcome>,
    /// Columns that were guessed.
    pub inference: Vec<ColumnOutcome>,
    /// How precise the surest guesses are, attack by attack.
    pub precision: Vec<AttackPrecision>,
    /// How the control group fits the boxes of the release, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideCrowds>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Attacks a release.
///
/// Stopped before all is tried, it is an error that nothing was found out.
pub fn attack(
    tables: &AttackTables,
    options: &AttackOptions,
    control: &Control,
) -> Result<AttackReport> {
    let count = |rows: &[Vec<u32>]| rows.first().map_or(0, Vec::len);
    let (released, original) = (count(&tables.release), count(&tables.original));
    let others = tables.control.as_ref().map(|rows| count(rows));
    if tables.columns.is_empty() {
        return Err(Error::new("the release has no column of the original")
            .help("an attack uses columns that the release shares with its original"));
    }
    for (rows, what) in
        [(released, "release"), (original, "original"), (others.unwrap_or(1), "control group")]
    {
        if rows == 0 {
            return Err(Error::new(format!("the {what} has no rows")));
        }
    }
    if options.attempts == 0 {
        return Err(Error::new("there are no attempts").help("1000 attempts are a good number"));
    }
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(Error::new("the confidence must be between 0 and 1").help("0.95 is usual"));
    }
    let tables = &tables.in_own_order(options.seed);
    let known = places(tables, &options.known)?;
    let secret = places(tables, &options.secret)?;
    let mut asked: Vec<usize> = known.iter().chain(&secret).copied().collect();
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|&at| tables.columns[at].says_something());
    let questions = AttackQuestions { tables, known: &known, secret: &secret, asked: &asked };
    let pool = RowPool::of_release(tables);

    let targets = draw(original, options.attempts, options.seed);
    let people = |rows: &[Vec<u32>], targets: &[usize], own: Option<&RowPool<'_>>, salt: u64| {
        let person = |&row: &usize| AttackTarget {
            values: rows.iter().map(|column| column[row]).collect(),
            own: own.map(|pool| pool.look_of[row]).filter(|&look| look != NONE),
            seed: mixed(options.seed ^ salt, row as u64),
        };
        targets.iter().map(person).collect::<Vec<AttackTarget>>()
    };
    let ask = |pool: &RowPool<'_>, people: &[AttackTarget]| -> Result<HitCounts> {
        let hits: Vec<Option<GuessHits>> = people
            .par_iter()
            .map(|person| (!control.is_cancelled()).then(|| questions.ask(pool, person)))
            .collect();
        let hits: Option<Vec<GuessHits>> = hits.into_iter().collect();
        let hits = hits.ok_or_else(|| Error::new("interrupted before all attempts were made"))?;
        Ok(HitCounts::new(hits, secret.len()))
    };
    let found = ask(&pool, &people(&tables.original, &targets, None, 1))?;
    let (baseline, base) = match &tables.control {
        Some(rows) => {
            let others = draw(count(rows), options.attempts, options.seed);
            (Baseline::Control, ask(&pool, &people(rows, &others, None, 2))?)
        }
        None => {
            let rebuilt = rebuilt(tables, &pool, &asked, options.seed);
            let without = people(&tables.original, &targets, Some(&rebuilt), 3);
            (Baseline::LeftOut, ask(&rebuilt, &without)?)
        }
    };

    let linked = known.len() >= 2;
    // Whether people are there at all is asked in two ways, for singling out.
    let attacks = 3 + usize::from(linked) + secret.len();
    let z = interval::deviations(1.0 - (1.0 - options.confidence) / attacks as f64);
    let outcome = |hits: u64, control: u64| {
        AttackOutcome::new(
            SuccessRate::new(hits, found.tries, z),
            SuccessRate::new(control, base.tries, z),
        )
    };
    let present = [0, 1].map(|way| outcome(found.fits[way], base.fits[way]));
    let present = if present[1].low > present[0].low { &present[1] } else { &present[0] };
    let rate = |hits: u64, tries: u64| SuccessRate::new(hits, tries, z);
    let singling_out = AttackOutcome::of_claims(
        rate(found.singled_out, found.tries),
        rate(base.singled_out, base.tries),
        present,
    );
    let linkability = linked.then(|| outcome(found.linked, base.linked));
    let names = |places: &[usize]| -> Vec<String> {
        places.iter().map(|&at| tables.columns[at].name.clone()).collect()
    };
    let inference: Vec<ColumnOutcome> = names(&secret)
        .into_iter()
        .zip(found.inferred.iter().zip(&base.inferred))
        .map(|(column, (&hits, &control))| ColumnOutcome {
            column,
            outcome: outcome(hits, control),
        })
        .collect();
    let precise = |attack, guesses: &dyn Fn(&GuessHits) -> RatedGuess| {
        let [of_found, of_base] = [&found, &base].map(|it| it.hits.iter().map(guesses));
        AttackPrecision::new(attack, of_found, of_base, z)
    };
    let mut precision = Vec::new();
    if linked {
        precision.push(precise(("linkability", None), &|hits| hits.linked));
    }
    for (at, it) in inference.iter().enumerate() {
        precision.push(precise(("inference", Some(&it.column)), &|hits| hits.inferred[at]));
    }
    let all =
        linkability.iter().chain([&singling_out]).chain(inference.iter().map(|it| &it.outcome));
    let is_found = all.into_iter().any(AttackOutcome::is_found);
    let outside = tables.control.is_some().then(|| outside_crowds(tables, &known, control));
    let mut notes = Vec::new();
    if released > original {
        notes.push(
            "the release has more rows than the original: it holds other people, or people \
             more than once"
                .to_owned(),
        );
    }
    Ok(AttackReport {
        released: released as u64,
        original: original as u64,
        control: others.map(|rows| rows as u64),
        baseline,
        known: names(&known),
        secret: names(&secret),
        confidence: options.confidence,
        seed: options.seed,
        found: is_found,
        singling_out,
        linkability,
        inference,
        precision,
        outside: outside.transpose()?,
        notes,
    })
}

/// For each row of the original, whether one of the released rows may be it: its labels contain all values of the row.
/// `released` says which released rows count.
pub fn with_released_row(tables: &AttackTables, released: &[bool]) -> Vec<bool> {
    let columns: Vec<usize> =
        (0..tables.columns.len()).filter(|&at| tables.columns[at].says_something()).collect();
    rows::with_candidates(tables, released, &columns)
}

/// How many guesses were right.
struct HitCounts {
    tries: u64,
    singled_out: u64,
    fits: [u64; 2],
    linked: u64,
    inferred: Vec<u64>,
    hits: Vec<GuessHits>,
}

impl HitCounts {
    fn new(hits: Vec<GuessHits>, secret: usize) -> Self {
        let count =
            |is: &dyn Fn(&GuessHits) -> bool| hits.iter().filter(|hits| is(hits)).count() as u64;
        HitCounts {
            tries: hits.len() as u64,
            singled_out: count(&|hits| hits.singled_out),
            fits: [0, 1].map(|way| count(&|hits| hits.fits[way])),
            linked: count(&|hits| hits.linked.right),
            inferred: (0..secret).map(|at| count(&|hits| hits.inferred[at].right)).collect(),
            hits,
        }
    }
}

/// The places of columns; all of them if none is named.
fn places(tables: &AttackTables, names: &[String]) -> Result<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..tables.columns.len()).collect());
    }
    let mut places = Vec::new();
    for name in names {
        let at =
            tables.columns.iter().position(|column| column.name == *name).ok_or_else(|| {
                Error::new(format!("`{name}` is not in both release and original"))
                    .help("name columns that both have")
            })?;
        if !places.contains(&at) {
            places.push(at);
        }
    }
    Ok(places)
}

/// Some rows, each at most once.
fn draw(rows: usize, most: u64, seed: u64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..rows).collect();
    let take = (most as usize).min(rows);
    let mut random = Pcg64Mcg::seed_from_u64(mixed(seed, 0));
    for at in 0..take {
        let other = random.random_range(at..rows);
        all.swap(at, other);
    }
    all.truncate(take);
    all.sort_unstable();
    all
}

/// A number that looks random: one for each seed and part.
pub fn mixed(seed: u64, part: u64) -> u64 {
    let mut mixed = seed ^ part.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 27)
}
