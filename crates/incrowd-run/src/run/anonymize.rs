//! A table in memory, anonymized in one go.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use incrowd::auto::Prove;
use incrowd::value::MISSING_TOKENS;
use incrowd::{
    Algorithm, Approach, AttributeSpec, Control, Limit, Metric, Model, Problem, ProblemSpec,
    Release, Suppressed, Table,
};
use incrowd_assess::expose::Exposure;
use incrowd_assess::suppression::ColumnLoss;
use incrowd_verify::{Verdict, Verifier};

use super::exposure;
use super::report::Proof;
use super::said::Said;
use super::voice::Refused;
use super::{Status, Timed, Voice, Warning, check, losses, population, roles, told};
use crate::spec::{MaxAtRisk, Privacy, RiskLimits};
use crate::{
    Error, ErrorKind, Input, Layout, OutputFile, OutputFormat, ReadOptions, Result, Source,
    TableWriter, fresh_seed, read_table,
};

/// Reads a whole table into memory: CSV (plain, gzip, zstd) or Parquet.
pub fn table_from(path: impl AsRef<Path>) -> Result<Table> {
    let source = Source::open(&Input::from(path.as_ref()), &ReadOptions::default())?;
    read_table(&source, None, &Control::new())
}

/// A table in memory on its way to a release that is safe to use: only columns that were named are in it, its rows
/// are in an order that says nothing of the table's, and the independent verifier has found every requirement met.
///
/// ```
/// use incrowd::{Model, Table};
/// use incrowd_run::Anonymize;
///
/// let rows = [
///     ["Ann", "25", "53711", "flu"],
///     ["Bob", "26", "53711", "cold"],
///     ["Cid", "27", "53710", "flu"],
///     ["Dot", "28", "53711", "gout"],
/// ];
/// let table = Table::from_rows(&["name", "age", "zip", "disease"], &rows)?;
/// let done = Anonymize::new(&table)
///     .k(2)
///     .quasi(["age", "zip"])
///     .identifying(["name"])
///     .sensitive("disease", Model::DistinctL { l: 2 })
///     .run()?;
/// let released = done.table()?;
/// assert_eq!(released.names(), ["age", "zip", "disease"]);
/// assert_eq!((released.rows(), done.status().name()), (4, "feasible"));
/// # Ok::<(), incrowd_run::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing happens before it is run"]
pub struct Anonymize<'a> {
    table: &'a Table,
    question: ProblemSpec,
    privacy: Privacy,
    population: Option<&'a Table>,
    identifying: Vec<String>,
    keep: Vec<String>,
    plain: Vec<String>,
    method: Approach,
    time_limit: Option<Duration>,
    prove: Prove,
    suppressed: Suppressed,
    seed: Option<u64>,
    control: Control,
}

impl<'a> Anonymize<'a> {
    /// 5-anonymity by a method that suits; the quasi-identifiers have yet to be named.
    pub fn new(table: &'a Table) -> Self {
        Anonymize {
            table,
            question: ProblemSpec::new(5),
            privacy: Privacy::k(5),
            population: None,
            identifying: Vec::new(),
            keep: Vec::new(),
            plain: Vec::new(),
            method: Approach::default(),
            time_limit: None,
            prove: Prove::default(),
            suppressed: Suppressed::Drop,
            seed: None,
            control: Control::new(),
        }
    }

    /// How many rows must look alike; with a k-map, how many people of the population.
    pub fn k(mut self, k: u64) -> Self {
        self.privacy.k = k;
        self
    }

    /// The highest average risk: released classes divided by released rows.
    pub fn max_average_risk(mut self, risk: f64) -> Self {
        self.privacy.risks.max_average_risk = Some(risk);
        self
    }

    /// The largest share of the released rows that may have a risk above a threshold.
    pub fn max_at_risk(mut self, share: f64, threshold: f64) -> Self {
        self.privacy.risks.max_at_risk = Some(MaxAtRisk { share, threshold });
        self
    }

    /// All that is asked of risks beyond k: the highest risk, k in the population, presence, uniqueness, few known columns.
    pub fn risks(mut self, risks: RiskLimits) -> Self {
        self.privacy.risks = risks;
        self
    }

    /// The population that the table is a part of, with the same quasi-identifiers.
    pub fn population(mut self, people: &'a Table) -> Self {
        self.population = Some(people);
        self
    }

    /// The column that tells apart who is protected, where people have several rows: k counts them. It is not released.
    pub fn unit(mut self, column: &str) -> Self {
        self.question.unit = Some(AttributeSpec::new(column));
        self
    }

    /// Columns that others may know: they are released as generalized as need be.
    pub fn quasi<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.question.quasi.extend(names.into_iter().map(AttributeSpec::new));
        self
    }

    /// A column that others may know, with its hierarchy, bins, weight and so on.
    pub fn quasi_column(mut self, column: AttributeSpec) -> Self {
        self.question.quasi.push(column);
        self
    }

    /// Columns that name people. They are never released, and a release that has one is refused.
    pub fn identifying<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.identifying.extend(names.into_iter().map(Into::into));
        self
    }

    /// A column that people keep to themselves, released as it is, and what protects it.
    pub fn sensitive(mut self, name: &str, model: Model) -> Self {
        self.question = self.question.sensitive(name, model);
        self
    }

    /// The column that others want to predict, released as it is.
    pub fn class(mut self, name: &str) -> Self {
        self.question = self.question.class(name);
        self
    }

    /// Further columns that are released as they are. All that are not named anywhere are left out. A column that
    /// singles people out, or tells what the release hides of others, is refused.
    pub fn keep<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.keep.extend(names.into_iter().map(Into::into));
        self
    }

    /// Columns that are released unchanged on purpose, even if they single people out.
    pub fn plain<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.plain.extend(names.into_iter().map(Into::into));
        self
    }

    /// What is minimized.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.question.metric = metric;
        self
    }

    /// Most rows that may be suppressed.
    pub fn limit(mut self, limit: Limit) -> Self {
        self.question.limit = limit;
        self
    }

    /// The method, such as `Optimal::default().gap(0.01)`, or how it is chosen, such as
    /// `Auto::default().kind(Kind::Global)`.
    pub fn method(mut self, method: impl Into<Approach>) -> Self {
        self.method = method.into();
        self
    }

    /// How long the search may take.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time_limit = Some(time);
        self
    }

    /// How much may be done to prove how little a release of the kind local can cost.
    pub fn prove(mut self, prove: Prove) -> Self {
        self.prove = prove;
        self
    }

    /// What becomes of suppressed rows.
    pub fn suppressed(mut self, suppressed: Suppressed) -> Self {
        self.suppressed = suppressed;
        self
    }

    /// The order of the rows from this seed instead of a fresh one. Keep it secret: with it the order can be undone.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Who hears of the run and may end it.
    pub fn control(mut self, control: &Control) -> Self {
        self.control = control.clone();
        self
    }

    /// Searches, recodes, shuffles and verifies. That there is no release is a [status](Anonymized::status), not
    /// an error.
    pub fn run(self) -> Result<Anonymized> {
        let targets: Vec<String> =
            self.question.targets.iter().map(|column| column.name.clone()).collect();
        let keep: Vec<&str> =
            targets.iter().chain(&self.keep).chain(&self.plain).map(String::as_str).collect();
        let quasi = self.question.quasi.iter().map(|column| column.name.as_str());
        if let Some(name) = self
            .identifying
            .iter()
            .find(|name| keep.iter().copied().chain(quasi.clone()).any(|it| it == *name))
        {
            return Err(Error::new(format!(
                "column `{name}` names people and is to be released: it cannot be both"
            )));
        }
        self.refuse_exposed()?;
        self.refuse_identifiers()?;
        let problem = self.method.ready(self.pose()?);
        let search = |control: &Control| self.method.solve(&problem, control);
        let solution = Timed::run(self.time_limit, &self.control, search).solution?;
        let solution = self.method.proven(&problem, solution, self.prove, &self.control);
        let (status, notes) = (Status::from(&solution.outcome), solution.notes.clone());
        let release = Release::of_solution(&problem, &solution, self.suppressed);
        let cost = release.as_ref().and_then(|release| release.measures.cost(problem.metric));
        let Proof { bound, gap, in_words } = Proof::new(&solution.outcome, cost);
        let made = match release {
            None => None,
            Some(release) => {
                let exposure = exposure::of_table(self.table, &keep, &problem, &release)?;
                let said = |column: &str| {
                    let is_in = |list: &[String]| list.iter().any(|name| name == column);
                    match (is_in(&self.plain), is_in(&targets)) {
                        (true, _) => Said::Plain,
                        (_, true) => Said::Target,
                        _ => Said::Nothing,
                    }
                };
                let warnings = exposure::judge(&exposure, release.rows(), said, Voice::Program)?;
                let seed = self.seed.map_or_else(fresh_seed, Into::into);
                let table = release.table(&problem, self.table, &keep, seed)?;
                let verdict = match &self.question.unit {
                    None => self.verify(&problem, &table)?,
                    Some(unit) => {
                        // People are counted in the same rows with what tells them apart, which is not released.
                        let named: Vec<&str> =
                            keep.iter().copied().chain([unit.name.as_str()]).collect();
                        self.verify(&problem, &release.table(&problem, self.table, &named, seed)?)?
                    }
                };
                let losses = losses::of_tables(self.table, &table, &problem, &release);
                Some(Made { table, verdict, release, losses, exposure, warnings })
            }
        };
        Ok(Anonymized { status, in_words, cost, bound, gap, notes, made })
    }

    /// The question, with what is asked of risks and in the population.
    fn pose(&self) -> Result<Problem> {
        self.privacy.risks.check()?;
        let mut question = self.question.clone();
        question.k = self.privacy.least_rows();
        question.overall = self.privacy.risks.overall();
        question.known = self.privacy.known();
        let problem = Problem::of_table(&question, self.table)?;
        let Some(rule) = self.privacy.matching() else { return Ok(problem) };
        let Some(people) = self.population else {
            return Err(Error::new("what is asked is counted in a population, but none is given")
                .help("give a table with the same quasi-identifiers: population(&people)"));
        };
        let quasi: Vec<String> = question.quasi.iter().map(|it| it.name.clone()).collect();
        let missing = MISSING_TOKENS.map(str::to_owned);
        let counts = population::count_table(people, &quasi, &self.privacy.risks)?;
        let mut problem = problem.with_population(&Arc::new(counts), &missing, rule)?;
        if let Some(population) = &mut problem.population {
            population.max_unique = self.privacy.risks.counted_unique();
        }
        Ok(problem)
    }

    /// Refuses columns that would single people out, unless they are released so on purpose.
    fn refuse_exposed(&self) -> Result<()> {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let refused: Vec<Refused> = self
            .keep
            .iter()
            .filter(|name| !self.plain.contains(name))
            .filter_map(|name| self.table.column(name))
            .filter_map(|column| {
                let rows = self.table.rows() as u64;
                roles::refused(&column.name, &values_of(column), 1, &missing, rows, Voice::Program)
            })
            .collect();
        if refused.is_empty() { Ok(()) } else { Err(roles::exposed_error(&refused)) }
    }

    /// Refuses identifiers that are called sensitive, or what is to be predicted.
    fn refuse_identifiers(&self) -> Result<()> {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let names = self.question.targets.iter().map(|column| &column.name);
        let refused: Vec<Refused> = names
            .filter_map(|name| self.table.column(name))
            .filter_map(|column| {
                let rows = self.table.rows() as u64;
                roles::identifier(&column.name, &values_of(column), &missing, rows, Voice::Program)
            })
            .collect();
        roles::identifiers_error(&refused)
    }

    /// Has the released table judged by what everybody can see of it.
    fn verify(&self, problem: &Problem, table: &Table) -> Result<Verdict> {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let unit = self.question.unit.as_ref().map(|unit| &unit.name);
        let identifying: Vec<String> =
            self.identifying.iter().filter(|name| Some(*name) != unit).cloned().collect();
        let requirements = check::requirements(problem, &identifying, &missing)?;
        let unfit = |e: incrowd_verify::Error| Error::new(e.to_string());
        let mut verifier = Verifier::new(&table.names(), &requirements).map_err(unfit)?;
        for row in 0..table.rows() {
            let fields = table.columns().iter().map(|column| column.value(row));
            verifier.push(fields).map_err(unfit)?;
        }
        let verdict = verifier.finish().map_err(unfit)?;
        if !verdict.holds {
            let what: Vec<String> = verdict.violations.iter().map(told).collect();
            let message = format!("the release failed verification: {}", what.join("; "));
            return Err(Error { kind: ErrorKind::Refused, ..Error::new(message) }
                .help("please report this as a fault of incrowd"));
        }
        Ok(verdict)
    }
}

/// The values of a column with how often each occurs.
fn values_of(column: &incrowd::table::Column) -> Vec<(&str, u64)> {
    let mut counts = vec![0; column.dictionary.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    column.dictionary.iter().zip(counts).filter(|&(_, count)| count > 0).collect()
}

/// What became of a table.
#[derive(Debug, Clone)]
pub struct Anonymized {
    status: Status,
    in_words: String,
    cost: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    notes: Vec<String>,
    made: Option<Made>,
}

#[derive(Debug, Clone)]
struct Made {
    table: Table,
    verdict: Verdict,
    release: Release,
    losses: Vec<ColumnLoss>,
    exposure: Exposure,
    warnings: Vec<Warning>,
}

impl Anonymized {
    /// How the search ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The outcome in words, with what is proven of the cost.
    pub fn in_words(&self) -> &str {
        &self.in_words
    }

    /// What the release costs under the metric.
    pub fn cost(&self) -> Option<f64> {
        self.cost
    }

    /// What no release of this kind can cost less than, where it is proven.
    pub fn bound(&self) -> Option<f64> {
        self.bound
    }

    /// The share of the cost that could be saved at most, where it is proven.
    pub fn gap(&self) -> Option<f64> {
        self.gap
    }

    /// What to know of how the table was taken, a sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The released table, or why there is none.
    pub fn table(&self) -> Result<&Table> {
        self.made().map(|made| &made.table)
    }

    /// What the verifier found.
    pub fn verdict(&self) -> Result<&Verdict> {
        self.made().map(|made| &made.verdict)
    }

    /// What the columns give away that are released as they are.
    pub fn exposure(&self) -> Result<&Exposure> {
        self.made().map(|made| &made.exposure)
    }

    /// What to think about before publishing the release.
    pub fn warnings(&self) -> &[Warning] {
        self.made.as_ref().map_or(&[], |made| &made.warnings)
    }

    /// The classes, measures and labels of the release.
    pub fn release(&self) -> Result<&Release> {
        self.made().map(|made| &made.release)
    }

    /// Values that disappear with the suppressed rows, and groups that lose far more than their share.
    pub fn losses(&self) -> &[ColumnLoss] {
        self.made.as_ref().map_or(&[], |made| &made.losses)
    }

    fn made(&self) -> Result<&Made> {
        self.made.as_ref().ok_or_else(|| {
            let message = format!("there is no release: {}", self.in_words);
            Error { kind: ErrorKind::Refused, ..Error::new(message) }
        })
    }

    /// Writes the released table: CSV (plain, gzip, zstd) or Parquet, by the name's ending. The file appears whole
    /// or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, table) = (path.as_ref(), self.table()?);
        let layout = Layout::text(table.names());
        let encoder = layout.encoder()?;
        let output = OutputFile::create(path)?;
        let mut writer = TableWriter::new(output, OutputFormat::from_path(path)?, &layout)?;
        let mut text = Vec::new();
        for row in 0..table.rows() {
            text.clear();
            let fields: Vec<&str> =
                table.columns().iter().map(|column| column.value(row)).collect();
            encoder.row(&fields, &mut text);
            writer.row(&text)?;
        }
        writer.finish()?.commit()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd::method::Optimal;

    use super::*;

    fn people() -> Table {
        let rows: Vec<[String; 4]> = (0..60u32)
            .map(|at| {
                let place = ["north", "south", "west"][at as usize % 3];
                [
                    format!("person {at}"),
                    (20 + at * 7 % 50).to_string(),
                    place.to_owned(),
                    (at % 4).to_string(),
                ]
            })
            .collect();
        Table::from_rows(&["name", "age", "place", "ill"], &rows).unwrap()
    }

    #[test]
    fn only_named_columns_come_out_in_an_order_of_their_own() {
        let table = people();
        let ask = || Anonymize::new(&table).k(4).quasi(["age"]).identifying(["name"]);
        let done = ask().sensitive("ill", Model::DistinctL { l: 2 }).seed(7).run().unwrap();
        let released = done.table().unwrap();
        assert_eq!(released.names(), ["age", "ill"]);
        assert!(done.verdict().unwrap().holds && done.cost().unwrap() > 0.0);
        let column = |table: &Table, name: &str| -> Vec<String> {
            (0..table.rows()).map(|row| table.column(name).unwrap().value(row).to_owned()).collect()
        };
        let (before, after) = (column(&table, "ill"), column(released, "ill"));
        assert_ne!(before, after, "the order is another one");
        let sorted = |mut values: Vec<String>| {
            values.sort();
            values
        };
        assert_eq!(sorted(before), sorted(after));
        let again = ask().sensitive("ill", Model::DistinctL { l: 2 }).seed(7).run().unwrap();
        assert_eq!(column(again.table().unwrap(), "ill"), column(released, "ill"));
        let kept = ask().keep(["place"]).run().unwrap();
        assert_eq!(kept.table().unwrap().names(), ["age", "place"]);
        assert!(ask().keep(["name"]).run().is_err());
        assert!(ask().quasi(["name"]).run().is_err());
    }

    #[test]
    fn risks_are_asked_of_releases_and_populations() {
        let table = people();
        let asked = |risks: RiskLimits| {
            Anonymize::new(&table).k(2).quasi(["age", "place"]).identifying(["name"]).risks(risks)
        };
        let limits = RiskLimits::default;
        let classes = |done: &Anonymized| {
            let verdict = done.verdict().unwrap();
            (verdict.classes, verdict.rows)
        };
        // A risk of a quarter is k = 4 in other words.
        let done = asked(RiskLimits { max_risk: Some(0.25), ..limits() }).run().unwrap();
        assert!(done.verdict().unwrap().k.is_some_and(|k| k >= 4));
        let done = asked(RiskLimits { max_average_risk: Some(0.25), ..limits() }).run().unwrap();
        let (count, rows) = classes(&done);
        assert!(count as f64 <= 0.25 * rows as f64, "{count} of {rows}");
        // In a population that is the table ten times, everybody has company already.
        let map = RiskLimits { k_map: true, ..limits() };
        let rows: Vec<Vec<&str>> = (0..10)
            .flat_map(|_| {
                let row = |at| table.columns().iter().map(move |column| column.value(at)).collect();
                (0..table.rows()).map(row)
            })
            .collect();
        let population = Table::from_rows(&table.names(), &rows).unwrap();
        let done = asked(map.clone()).k(10).population(&population).run().unwrap();
        assert_eq!(done.cost(), Some(0.0), "nothing is lost");
        let refused = asked(map).run().map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("population"), "{refused}");
        let refused = asked(RiskLimits { max_risk: Some(0.0), ..limits() }).run();
        assert!(refused.is_err());
        // Whoever knows one column finds two rows; all columns together tell more.
        let done = asked(RiskLimits { known_columns: Some(1), ..limits() }).run().unwrap();
        assert!(done.verdict().unwrap().holds);
        // Whoever is protected may have several rows.
        let done = asked(limits()).unit("ill").k(3).run().unwrap();
        let verdict = done.verdict().unwrap();
        assert_eq!((verdict.unit.as_deref(), verdict.units), (Some("ill"), Some(4)));
        assert!(verdict.k.is_some_and(|k| k >= 3));
        assert_eq!(done.table().unwrap().names(), ["age", "place"]);
    }

    #[test]
    fn a_proof_is_told_and_nothing_found_is_no_error() {
        let table = people();
        let done = Anonymize::new(&table)
            .quasi(["age", "place"])
            .metric(Metric::Dm)
            .method(Optimal::default().gap(0.5))
            .run()
            .unwrap();
        assert!(done.bound().unwrap() <= done.cost().unwrap());
        assert!(done.gap().unwrap() <= 0.5);
        let none = Anonymize::new(&table)
            .quasi(["age"])
            .sensitive("ill", Model::DistinctL { l: 5 })
            .limit(Limit::Rows(0))
            .run()
            .unwrap();
        assert_eq!(none.status(), Status::Infeasible);
        let error = none.table().unwrap_err();
        assert!(
            error.kind == ErrorKind::Refused && error.message.contains("no release"),
            "{error}"
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(none.write(folder.path().join("none.csv")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        done.write(folder.path().join("some.csv")).unwrap();
        let read = table_from(folder.path().join("some.csv")).unwrap();
        assert_eq!((read.rows(), read.names()), (60, vec!["age", "place"]));
    }
}
