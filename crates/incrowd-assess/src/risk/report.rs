//! All risks of a table in one report.

use crate::attack::OutsideCrowds;
use incrowd_engine::search::RunPhase;
use incrowd_engine::value::MISSING_TOKENS;
use incrowd_engine::words::thousands;
use incrowd_engine::{Control, Error, Event, FrequencyCounts, Result, Table};
use serde::Serialize;

use super::subjects::SubjectCounts;
use super::superpopulation::{FittedSuperpopulation, SuperpopulationModel};
use super::{
    AttackerRisk, ClassSizes, Estimator, PopulationUniqueness, SizeGroup, SubjectFacts,
    SurveyWeights, TableClasses, UniqueCombinations, WeightFacts,
};

/// What is known of the population that a table is a sample of, beside the population itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum PopulationSize {
    /// Nothing.
    #[default]
    Unknown,
    /// The share of the population that is in the table: above 0 and at most 1.
    Fraction(f64),
    /// How many people the population has.
    People(u64),
}

/// What is looked for in a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RiskOptions {
    /// A row is at risk if the chance to find it is above this.
    pub threshold: f64,
    /// The most columns of a combination that singles people out; 0 looks for none.
    pub size: usize,
    /// The texts that mean "missing": one value.
    pub missing: Vec<String>,
    /// What is known of the population. Where it is given itself, it says more, and this is not asked.
    pub sampling: PopulationSize,
    /// The column that says for how many people of the population each row stands. Whoever counts the rows counts
    /// it beside the quasi-identifiers: see [`AssessedTable::weighted`].
    pub weight_column: Option<String>,
    /// The column that tells people apart who have several rows: then people are counted in place of rows. Whoever counts
    /// the rows counts it beside the quasi-identifiers: see [`AssessedTable::of_people`].
    pub unit_column: Option<String>,
}

impl Default for RiskOptions {
    fn default() -> Self {
        RiskOptions {
            threshold: 0.2,
            size: 3,
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            sampling: PopulationSize::Unknown,
            weight_column: None,
            unit_column: None,
        }
    }
}

impl RiskOptions {
    /// A threshold of 0.2, combinations of up to 3 columns, nothing known of the population.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the chance above which a row is at risk.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        RiskOptions { threshold, ..self }
    }

    /// Sets the most columns of a combination to look for; 0 looks for none.
    #[must_use]
    pub fn with_size(self, size: usize) -> Self {
        RiskOptions { size, ..self }
    }

    /// Sets the texts that mean "missing".
    #[must_use]
    pub fn with_missing(self, missing: Vec<String>) -> Self {
        RiskOptions { missing, ..self }
    }

    /// Sets what is known of the population.
    #[must_use]
    pub fn with_sampling(self, sampling: PopulationSize) -> Self {
        RiskOptions { sampling, ..self }
    }

    /// Sets the column of weights.
    #[must_use]
    pub fn with_weight_column(self, column: impl Into<String>) -> Self {
        RiskOptions { weight_column: Some(column.into()), ..self }
    }

    /// Sets the column that tells people apart.
    #[must_use]
    pub fn with_unit_column(self, column: impl Into<String>) -> Self {
        RiskOptions { unit_column: Some(column.into()), ..self }
    }

    fn check(&self) -> Result<()> {
        let share = |share: f64| share > 0.0 && share <= 1.0;
        if !share(self.threshold) {
            return Err(Error::new(format!(
                "the threshold {} is not a probability",
                self.threshold
            ))
            .help("it must be above 0 and at most 1"));
        }
        match self.sampling {
            PopulationSize::Fraction(fraction) if !share(fraction) => {
                Err(Error::new(format!("the sampling fraction {fraction} is not possible"))
                    .help("it must be above 0 and at most 1"))
            }
            _ => Ok(()),
        }
    }
}

/// A table whose rows were counted by the quasi-identifiers.
#[derive(Debug, Clone)]
pub struct AssessedTable {
    /// What it is called in the report: its file, without its folder.
    pub name: String,
    /// Its rows, counted.
    pub counts: FrequencyCounts,
    /// For how many people they stand, if that is known.
    pub weights: Option<SurveyWeights>,
    /// People who have several rows, where these are counted.
    subjects: Option<SubjectCounts>,
}

impl AssessedTable {
    /// Rows that were counted.
    pub fn new(name: impl Into<String>, counts: FrequencyCounts) -> Self {
        AssessedTable { name: name.into(), counts, weights: None, subjects: None }
    }

    /// Rows that were counted by the quasi-identifiers and, as the last column, by their survey weight: for how many
    /// people of the population each row stands. `missing` are the texts that mean "missing".
    ///
    /// Refuses rows without a weight, and weights that are no number or below 1.
    pub fn weighted(
        name: impl Into<String>,
        counts: FrequencyCounts,
        missing: &[String],
    ) -> Result<Self> {
        let weights = SurveyWeights::read(counts, missing)?;
        let counts = weights.without();
        Ok(AssessedTable { weights: Some(weights), ..AssessedTable::new(name, counts) })
    }

    /// People in place of rows: rows that were counted by the quasi-identifiers and, as the last column, by what tells people
    /// apart. Whoever has several rows that look alike counts once among them. Rows that do not say whose they are are
    /// taken to be of one person, so that the risk is rather too high than too low.
    pub fn of_people(
        name: impl Into<String>,
        counts: &FrequencyCounts,
        missing: &[String],
    ) -> Self {
        let subjects = SubjectCounts::read(counts, missing);
        AssessedTable {
            subjects: Some(subjects.clone()),
            ..AssessedTable::new(name, subjects.counts(counts))
        }
    }

    /// Counts a table by some of its columns.
    pub fn of_table(name: impl Into<String>, table: &Table, quasi: &[String]) -> Result<Self> {
        let missing = |name: String| Error::new(format!("there is no column {name:?}"));
        Ok(AssessedTable::new(name, FrequencyCounts::of_table(table, quasi).map_err(missing)?))
    }
}

/// All that is found about a table. It names columns and counts rows, and shows no value of anybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RiskReport {
    /// The table's name.
    pub table: String,
    /// The columns that it was looked at by.
    pub quasi: Vec<String>,
    /// Its rows.
    pub rows: u64,
    /// Whom it is about, where people who have several rows are counted: all other figures then count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects: Option<SubjectFacts>,
    /// Its classes: groups of rows that look alike.
    pub classes: u64,
    /// The rows of the smallest class.
    pub smallest_class: u64,
    /// Rows that look like no other.
    pub unique_rows: u64,
    /// The same as a share of all rows.
    pub unique_share: f64,
    /// The risk from somebody who knows that a person is in the table.
    pub prosecutor: AttackerRisk,
    /// The risk from somebody who knows that a person is in the population; none if nothing is known of it.
    pub journalist: Option<JournalistAttack>,
    /// The risk from somebody who tries everybody.
    pub marketer: MarketerRisk,
    /// Classes by size.
    pub class_sizes: Vec<SizeGroup>,
    /// The weights of the rows, if they have any.
    pub weights: Option<WeightFacts>,
    /// The population itself, if it was given.
    pub population: Option<PopulationFacts>,
    /// Estimates for the population, if its size is known.
    pub population_uniqueness: Option<PopulationUniqueness>,
    /// What singles people out; none if it was not looked for.
    pub unique_combinations: Option<UniqueCombinations>,
    /// What the labels of a release tell beyond the values that they contain; none where no label stands for several values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelFigures>,
    /// How people who are not in the data fit the boxes of a release, where such people were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideCrowds>,
    /// Whether everything that was asked for has been looked at.
    pub complete: bool,
    /// What to know to read the figures.
    pub notes: Vec<String>,
}

/// What labels tell beyond the values that they contain, as the verifier has measured it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelFigures {
    /// Fields whose label stands for several values.
    pub fields: u64,
    /// The share of them that have a value which surely occurs in the class.
    pub sure_share: f64,
    /// The share of labels of classes that tell every value of their class.
    pub determined_share: f64,
    /// The share of labels that list their class: as many values as rows, each of which occurs.
    pub listed_share: f64,
}

/// Where a journalist's risk comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalistBasis {
    /// It was counted in the population.
    Population,
    /// It was estimated from the sampling fraction.
    Estimate,
    /// It was estimated from the weights of the rows.
    Weights,
}

/// The journalist's risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct JournalistAttack {
    /// Where it comes from.
    pub by: JournalistBasis,
    /// The model of an estimate: how classes of the table go on in the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<SuperpopulationModel>,
    /// The risk.
    #[serde(flatten)]
    pub risk: AttackerRisk,
}

/// The marketer's risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MarketerRisk {
    /// The share of people found who are known to be in the table.
    pub in_table: f64,
    /// The share of people found who are known to be in the population.
    pub in_population: Option<f64>,
}

/// What a population that was given says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationFacts {
    /// Its name.
    pub table: String,
    /// How many people it has.
    pub people: u64,
    /// People who are unique.
    pub uniques: u64,
    /// The same as a share of all people.
    pub share: f64,
    /// Rows of the table whose person is unique in the population.
    pub rows_of_uniques: u64,
    /// Rows of the table that the population has too few of.
    pub lacking: u64,
}

/// Looks for all risks of a table; a population that is given was counted by the same columns in the same order.
///
/// Stopped early, it tells what it has found so far, and the report is not `complete`.
///
/// ```
/// use incrowd_engine::{Control, Table};
/// use incrowd_assess::risk::{AssessedTable, RiskOptions, PopulationSize, assess};
///
/// let rows = [["25", "F"], ["25", "F"], ["25", "M"], ["61", "M"]];
/// let table = Table::from_rows(&["age", "sex"], &rows)?;
/// let quasi = ["age".to_owned(), "sex".to_owned()];
/// let counted = AssessedTable::of_table("patients", &table, &quasi)?;
/// let options = RiskOptions::new().with_sampling(PopulationSize::People(400));
/// let report = assess(counted, None, &options, &Control::new())?;
/// assert_eq!((report.rows, report.unique_rows, report.prosecutor.records_at_risk), (4, 2, 4));
/// assert!(report.journalist.unwrap().risk.average < report.prosecutor.average);
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
pub fn assess(
    table: AssessedTable,
    population: Option<AssessedTable>,
    options: &RiskOptions,
    control: &Control,
) -> Result<RiskReport> {
    options.check()?;
    let width = table.counts.columns.len();
    if population.as_ref().is_some_and(|counted| counted.counts.columns.len() != width) {
        return Err(Error::new("the population was counted by other columns than the table")
            .help("count both by the same columns in the same order"));
    }
    let empty = [Some(&table), population.as_ref()].into_iter().flatten();
    if let Some(empty) = empty.into_iter().find(|counted| counted.counts.cells.is_empty()) {
        return Err(Error::new(format!("{} has no rows", empty.name)));
    }
    let weighted = table.weights;
    if let Some(column) = options.weight_column.as_ref().filter(|_| weighted.is_none()) {
        return Err(Error::new(format!("the rows were not counted by their weight {column:?}")));
    }
    if weighted.is_some() && (population.is_some() || options.sampling != PopulationSize::Unknown) {
        return Err(Error::new("the weights give the size of the population, and so does \
                               another option")
            .help("give either the weights of the rows or the population, its size or the sampling fraction"));
    }
    let quasi = table.counts.columns.iter().map(|(name, _)| name.clone()).collect();
    let crowd = TableClasses::new(table.counts, &options.missing);
    let sizes = crowd.sizes();
    let attacked =
        AttackedTable { classes: &crowd, sizes: &sizes, subjects: table.subjects.as_ref() };
    let mut notes = Vec::new();
    if let Some(unit) = &options.unit_column {
        notes.push(format!(
            "people are counted instead of rows, by {unit}; a person with rows in several classes \
             is at the risk of the smallest"
        ));
    }
    let met = population.map(|population| meet(&attacked, population, options));
    let (mut journalist, counted) = met.unzip();
    if let Some(facts) = counted.as_ref().filter(|facts| facts.lacking > 0) {
        notes.push(format!(
            "{} rows of the table have no counterpart in the population, although the table \
             should be part of it",
            thousands(facts.lacking)
        ));
    }
    let fraction = sampling_fraction(attacked.members(), counted.as_ref(), options.sampling)?;
    let mut estimates =
        fraction.map(|fraction| PopulationUniqueness::estimate(&sizes, fraction)).transpose()?;
    let growth = FittedSuperpopulation::fit(&sizes);
    let model = growth.model;
    if let Some(fraction) = fraction.filter(|_| journalist.is_none()) {
        let inverse = |size| growth.inverse(size, 1.0 / fraction);
        let risk = attacked.risk(inverse, options.threshold).unwrap_or_else(|| {
            AttackerRisk::journalist_estimated(&sizes, fraction, options.threshold)
        });
        let (by, model) = (JournalistBasis::Estimate, Some(model));
        journalist = Some(JournalistAttack { by, model, risk });
    }
    let mut weights = None;
    if let Some(weighted) = weighted {
        let people = crowd.people(&weighted.counts, &weighted.values);
        let mut classes: Vec<(u64, f64)> =
            crowd.cells.counts().iter().copied().zip(people).collect();
        // Sums of decimals must not depend on the order of the classes.
        classes.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let risk = AttackerRisk::journalist_weighted(&classes, options.threshold);
        let (by, model) = (JournalistBasis::Weights, Some(model));
        journalist = Some(JournalistAttack { by, model, risk });
        estimates = Some(PopulationUniqueness::weighted(&classes)?);
        weights = Some(weighted.facts(classes.iter().map(|class| class.1).sum()));
    }
    let estimated = journalist.is_some_and(|known| known.model.is_some());
    notes.extend(failed_fit(model, estimates.as_ref()).filter(|_| estimated));
    if estimates.is_some() && counted.is_none() && sizes.rows() < 100 {
        notes.push(format!(
            "{} rows are few for an estimate of the population",
            thousands(sizes.rows())
        ));
    }
    let prosecutor = attacked
        .risk(|size| 1.0 / size as f64, options.threshold)
        .unwrap_or_else(|| AttackerRisk::prosecutor(&sizes, options.threshold));
    let subjects = attacked.facts(options.unit_column.as_deref());
    let unique = match options.size {
        0 => None,
        size => {
            control.tell(Event::Phase(RunPhase::Solve));
            Some(UniqueCombinations::search(&crowd, size, control)?)
        }
    };
    let cut_short = unique.as_ref().filter(|unique| unique.stopped.is_some());
    if let Some(unique) = cut_short {
        notes.push(format!(
            "interrupted: {} of {} combinations of columns were examined, small ones first; \
             the others are missing",
            thousands(unique.looked_at),
            thousands(unique.all)
        ));
    }
    Ok(RiskReport {
        table: table.name,
        quasi,
        rows: table.subjects.as_ref().map_or(sizes.rows(), SubjectCounts::rows),
        classes: sizes.classes(),
        smallest_class: sizes.smallest(),
        unique_rows: subjects.as_ref().map_or(sizes.unique(), |it| it.unique),
        unique_share: subjects.as_ref().map_or(sizes.unique(), |it| it.unique) as f64
            / attacked.members() as f64,
        subjects,
        prosecutor,
        marketer: MarketerRisk {
            in_table: prosecutor.average,
            in_population: journalist.map(|journalist| journalist.risk.average),
        },
        journalist,
        class_sizes: sizes.grouped(),
        weights,
        population: counted,
        population_uniqueness: estimates,
        labels: None,
        outside: None,
        complete: cut_short.is_none(),
        unique_combinations: unique,
        notes,
    })
}

/// Whom an attacker looks for: rows, or people who may have several of them.
struct AttackedTable<'a> {
    classes: &'a TableClasses,
    sizes: &'a ClassSizes,
    subjects: Option<&'a SubjectCounts>,
}

impl AttackedTable<'_> {
    /// How many there are to be found.
    fn members(&self) -> u64 {
        self.subjects.map_or(self.sizes.rows(), SubjectCounts::subjects)
    }

    /// The risk of people with several rows, each by the worst of their classes; none where rows are looked for. `of_size`
    /// is the risk in a class of so many.
    fn risk(&self, of_size: impl Fn(u64) -> f64, threshold: f64) -> Option<AttackerRisk> {
        let risks: Vec<f64> =
            self.classes.cells.counts().iter().map(|&size| of_size(size)).collect();
        self.risk_by_class(&risks, threshold)
    }

    /// The same from the risk in each class.
    fn risk_by_class(&self, risks: &[f64], threshold: f64) -> Option<AttackerRisk> {
        let mut risks = self.subjects?.greatest(self.classes, risks);
        // Sums of decimals must not depend on who was counted first.
        risks.sort_by(f64::total_cmp);
        Some(AttackerRisk::over(risks.into_iter().map(|risk| (1, risk)), threshold))
    }

    fn facts(&self, column: Option<&str>) -> Option<SubjectFacts> {
        let (subjects, column) = (self.subjects?, column?);
        let alone = self.risk(|size| if size == 1 { 1.0 } else { 0.0 }, 0.5)?;
        let column = column.to_owned();
        Some(SubjectFacts { column, subjects: subjects.subjects(), unique: alone.records_at_risk })
    }
}

/// What the journalist's risk rests on where Pitman's formula has no answer, in words.
fn failed_fit(
    model: SuperpopulationModel,
    estimates: Option<&PopulationUniqueness>,
) -> Option<String> {
    let estimates = estimates?;
    // Of the whole population nothing is estimated.
    if estimates.sampling_fraction >= 1.0 {
        return None;
    }
    let pitman = estimates.estimates.iter().find(|one| one.estimator == Estimator::Pitman);
    let why = pitman.filter(|pitman| !pitman.converged).map(|pitman| pitman.about.as_str());
    match model {
        SuperpopulationModel::Pitman => None,
        SuperpopulationModel::Ewens => Some(match why {
            Some(why) => format!(
                "Pitman's formula has no answer ({why}); the journalist's risk is by Ewens' model instead"
            ),
            None => {
                "Pitman's formula does not fit; the journalist's risk is by Ewens' model instead"
                    .to_owned()
            }
        }),
        SuperpopulationModel::AllUnique => Some(
            "all rows are unique, so no model can be fitted: the journalist risk counts \
             everybody as unique in the population"
                .to_owned(),
        ),
    }
}

/// Looks the table's classes up in the population.
fn meet(
    attacked: &AttackedTable<'_>,
    population: AssessedTable,
    options: &RiskOptions,
) -> (JournalistAttack, PopulationFacts) {
    let matched = attacked.classes.within(&population.counts);
    let sizes = TableClasses::new(population.counts, &options.missing).sizes();
    let people = sizes.rows();
    let facts = PopulationFacts {
        table: population.name,
        people,
        uniques: sizes.unique(),
        share: sizes.unique() as f64 / people as f64,
        rows_of_uniques: matched.classes.iter().filter(|class| **class == (1, 1)).count() as u64,
        lacking: matched.lacking,
    };
    let risks: Vec<f64> =
        matched.classes.iter().map(|&(here, there)| 1.0 / there.max(here) as f64).collect();
    let risk = attacked
        .risk_by_class(&risks, options.threshold)
        .unwrap_or_else(|| AttackerRisk::journalist(matched.classes, options.threshold));
    (JournalistAttack { by: JournalistBasis::Population, model: None, risk }, facts)
}

/// The share of the population that is in the table, if it is known.
fn sampling_fraction(
    rows: u64,
    population: Option<&PopulationFacts>,
    sampling: PopulationSize,
) -> Result<Option<f64>> {
    let share = |people: u64| (people >= rows).then(|| rows as f64 / people as f64);
    if let Some(population) = population {
        // Of one that is too small, the lacking rows have been told of.
        return Ok(share(population.people));
    }
    match sampling {
        PopulationSize::Unknown => Ok(None),
        PopulationSize::Fraction(fraction) => Ok(Some(fraction)),
        PopulationSize::People(people) => share(people).map(Some).ok_or_else(|| {
            Error::new(format!(
                "a population of {} cannot hold the table's {} rows",
                thousands(people),
                thousands(rows)
            ))
            .help("--population-size counts everybody from whom the table could have been drawn")
        }),
    }
}
