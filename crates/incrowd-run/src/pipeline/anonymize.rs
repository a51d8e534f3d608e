//! A table in memory, anonymized in one go.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray, UInt32Array};
use arrow_schema::ArrowError;
use incrowd_assess::expose::Exposure;
use incrowd_engine::auto::ProofEffort;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::MISSING_TOKENS;
use incrowd_engine::{
    AttributeSpec, Control, Limit, MethodChoice, Metric, Model, ProblemSpec, ShuffleKey,
    SuppressionMode, Table,
};

use crate::pipeline::anonymization_result::AnonymizationResult;
use crate::plan::hierarchies::load_hierarchy;
use crate::plan::interface::Interface;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::report::run_report::RunReport;
use crate::spec::{
    PrivacySection, ROW, Role,
    hierarchies::Hierarchy,
    models::{MaxAtRisk, RiskLimits},
};
use crate::{
    Error, Input, MemoryTable, Order, ReadOptions, Result, Source, fresh_seed, read_table,
    refuse_overwrite,
};

/// Reads a whole table into memory: CSV (plain, gzip, zstd) or Parquet.
pub fn table_from(path: impl AsRef<Path>) -> Result<Table> {
    let source = Source::open(&Input::from(path.as_ref()), &ReadOptions::default())?;
    read_table(&source, None, &Control::new())
}

/// Reads a hierarchy: a CSV file in ARX's form, or a rule in TOML.
pub fn hierarchy_from(path: impl AsRef<Path>) -> Result<HierarchySource> {
    load_hierarchy(&Hierarchy::File(path.as_ref().to_owned()))
}

/// Where the rows are.
#[derive(Debug, Clone)]
enum AnonymizeInput<'a> {
    Memory(&'a Table),
    Read(&'a Source),
}

/// A table on its way to a release that is safe to use: only columns that were named are in it, its rows
/// are in an order that says nothing of the table's, and the independent verifier has found every requirement met.
///
/// ```
/// use incrowd_engine::{Model, Table};
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
    input: AnonymizeInput<'a>,
    question: ProblemSpec,
    privacy: PrivacySection,
    population: Option<&'a Table>,
    identifying: Vec<String>,
    keep: Vec<String>,
    plain: Vec<String>,
    accepted: Vec<String>,
    unit_is_said: bool,
    method: MethodChoice,
    time_limit: Option<Duration>,
    prove: ProofEffort,
    suppressed: SuppressionMode,
    order_key: Option<ShuffleKey>,
    control: Control,
}

impl<'a> Anonymize<'a> {
    /// 5-anonymity of a table in memory by a method that suits; the quasi-identifiers have yet to be named.
    pub fn new(table: &'a Table) -> Self {
        Anonymize::of_input(AnonymizeInput::Memory(table))
    }

    /// The same of a table that is read: a file of any size ([`Source::open`]) or Arrow batches ([`Source::from_batches`]).
    pub fn of_source(source: &'a Source) -> Self {
        Anonymize::of_input(AnonymizeInput::Read(source))
    }

    fn of_input(input: AnonymizeInput<'a>) -> Self {
        Anonymize {
            input,
            question: ProblemSpec::new(5),
            privacy: PrivacySection::k(5),
            population: None,
            identifying: Vec::new(),
            keep: Vec::new(),
            plain: Vec::new(),
            accepted: Vec::new(),
            unit_is_said: false,
            method: MethodChoice::default(),
            time_limit: None,
            prove: ProofEffort::default(),
            suppressed: SuppressionMode::Drop,
            order_key: None,
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
    /// `row` says that every row is somebody of their own.
    pub fn unit(mut self, column: &str) -> Self {
        self.unit_is_said = true;
        self.question.unit = (column != ROW).then(|| {
            let mut unit = AttributeSpec::new(column);
            unit.rule.kind = Some(incrowd_engine::value::DomainKind::Text);
            unit.rule.missing = MISSING_TOKENS.map(str::to_owned).to_vec();
            unit
        });
        self
    }

    /// Columns that others may know: they are released as generalized as need be.
    pub fn quasi<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        for name in names {
            self.quasi_mut(name.into());
        }
        self
    }

    /// The hierarchy of a column that others may know: a [`Hierarchy`](incrowd_engine::Hierarchy), or what
    /// [`hierarchy_from`] reads from a file.
    pub fn hierarchy(mut self, name: &str, hierarchy: impl Into<HierarchySource>) -> Self {
        self.quasi_mut(name.to_owned()).hierarchy = Some(hierarchy.into());
        self
    }

    /// A quasi-identifier, named now if it was not before.
    fn quasi_mut(&mut self, name: String) -> &mut AttributeSpec {
        let quasi = &mut self.question.quasi;
        let at = quasi.iter().position(|column| column.name == name).unwrap_or_else(|| {
            quasi.push(AttributeSpec::new(name));
            quasi.len() - 1
        });
        &mut quasi[at]
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

    /// Columns that are released although they look as if they named people: a refusal asks for it.
    pub fn accept<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.accepted.extend(names.into_iter().map(Into::into));
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
    /// `AutoMethod::default().kind(ReleaseKind::Global)`.
    pub fn method(mut self, method: impl Into<MethodChoice>) -> Self {
        self.method = method.into();
        self
    }

    /// How long the search may take.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time_limit = Some(time);
        self
    }

    /// How much may be done to prove how little a release of the kind local can cost.
    pub fn prove(mut self, prove: ProofEffort) -> Self {
        self.prove = prove;
        self
    }

    /// What becomes of suppressed rows.
    pub fn suppressed(mut self, suppressed: SuppressionMode) -> Self {
        self.suppressed = suppressed;
        self
    }

    /// The order of the rows from this key instead of a fresh one. Keep it secret: with it the order can be undone.
    pub fn order_key(mut self, key: ShuffleKey) -> Self {
        self.order_key = Some(key);
        self
    }

    /// Who hears of the run and may end it.
    pub fn control(mut self, control: &Control) -> Self {
        self.control = control.clone();
        self
    }

    /// Runs the question through the same [stages and checks](crate::RunPlan) as every other front end. That there is no
    /// release is a [status](AnonymizationResult::status), not an error.
    pub fn run(self) -> Result<AnonymizationResult> {
        let done = self.with_plan(None, |plan| plan.run_in_memory(&self.control))?;
        let table = match &done.table {
            None => None,
            Some(released) => {
                let MemoryTable { schema, batches } = released.table().clone();
                let rows = Source::from_batches("the release", schema, batches, None)?;
                Some(read_table(&rows, None, &self.control)?)
            }
        };
        let exposure = Exposure {
            unchanged: done.report.unchanged.clone(),
            together: done.report.unchanged_together.clone(),
            tells: done.report.tells.clone(),
            sampled: None,
        };
        Ok(AnonymizationResult::new(done, table, exposure))
    }

    /// Runs the question and writes the release, which need not fit in memory: CSV (plain, gzip, zstd), Parquet or Excel, by the
    /// name's ending. The file is read back and verified, and appears whole or not at all. If there is no release, the report says
    /// so, and nothing is written.
    pub fn run_to(self, path: impl AsRef<Path>) -> Result<RunReport> {
        let path = path.as_ref();
        self.with_plan(Some(path), |plan| {
            refuse_overwrite("the release", path, &[("the input", plan.source.path())])?;
            plan.run_to_file(&self.control)
        })
    }

    fn with_plan<T>(
        &self,
        output: Option<&Path>,
        run: impl FnOnce(RunPlan<'_>) -> Result<T>,
    ) -> Result<T> {
        let made;
        let source = match self.input {
            AnonymizeInput::Read(source) => source,
            AnonymizeInput::Memory(table) => {
                made = source_of(table, "the table")?;
                &made
            }
        };
        let population = self.population.map(|people| source_of(people, "the population"));
        let population = population.transpose()?;
        let job = Job { output: output.map(Path::to_owned), ..self.job(source)? };
        run(RunPlan::new(&job, source).with_population(population.as_ref()))
    }

    /// The question, resolved against the columns of the table.
    fn job(&self, source: &Source) -> Result<Job> {
        self.privacy.risks.check()?;
        let matching = self.privacy.matching();
        if matching.is_some() && self.population.is_none() {
            return Err(Error::new(
                "a requirement counts people of a population, but no \
                                   population is given",
            )
            .help("give a table with the same quasi-identifiers: population(&people)"));
        }
        let mut problem = self.question.clone();
        problem.k = self.privacy.least_rows();
        problem.overall = self.privacy.risks.overall();
        problem.known = self.privacy.known();
        problem.max_bias = self.privacy.risks.max_bias;
        let has = |list: &[AttributeSpec], name: &str| list.iter().any(|it| it.name == name);
        let is_class = |name: &str| problem.class.as_deref() == Some(name);
        let role = |name: &String| match name {
            name if has(&problem.quasi, name) => Some(Role::Quasi),
            name if has(&problem.targets, name) && is_class(name) => Some(Role::Class),
            name if has(&problem.targets, name) => Some(Role::Sensitive),
            name => (self.keep.contains(name) || self.plain.contains(name)).then_some(Role::Plain),
        };
        for name in self.keep.iter().chain(&self.plain).chain(&self.identifying) {
            source.place_of(name)?;
        }
        if let Some(name) = self.identifying.iter().find(|name| role(name).is_some()) {
            return Err(Error::new(format!(
                "column `{name}` cannot be both identifying and released"
            )));
        }
        let released = source.columns().iter().enumerate();
        let columns: Vec<(usize, Role)> =
            released.filter_map(|(at, name)| Some((at, role(name)?))).collect();
        let is_unnamed = |&(at, role): &(usize, Role)| {
            role == Role::Plain && !self.plain.contains(&source.columns()[at])
        };
        let unnamed = columns.iter().copied().filter(is_unnamed).map(|(at, _)| at).collect();
        let is_left = |name: &&String| {
            role(name).is_none()
                && !self.identifying.contains(name)
                && self.question.unit.as_ref().is_none_or(|unit| unit.name != **name)
        };
        let left_out = source.columns().iter().filter(is_left).cloned().collect();
        let hidden = problem.unit.iter().map(|unit| &unit.name);
        let hidden = hidden.filter(|name| role(name).is_none() && !self.identifying.contains(name));
        let identifying = self.identifying.iter().chain(hidden).cloned().collect();
        let seed = self.order_key.unwrap_or_else(fresh_seed);
        Ok(Job {
            method: self.method,
            time_limit: self.time_limit,
            prove: self.prove,
            columns,
            unnamed,
            left_out,
            accepted: self.accepted.clone(),
            identifying,
            missing: MISSING_TOKENS.map(str::to_owned).to_vec(),
            order: Order::Shuffled { seed },
            suppressed: self.suppressed,
            population_weight: self.privacy.risks.population_weight.clone(),
            matching,
            max_unique: self.privacy.risks.counted_unique(),
            estimated: self.privacy.risks.sampling_fraction.is_some(),
            unit_is_said: self.unit_is_said,
            voice: Interface::Program,
            ..Job::of_problem(problem)
        })
    }
}

/// A table in memory as one that can be read.
fn source_of(table: &Table, name: &str) -> Result<Source> {
    let failed = |e: ArrowError| Error::new(format!("{name} cannot be read: {e}"));
    let columns = table.columns().iter().map(|column| {
        let values = StringArray::from_iter_values(column.dictionary.iter());
        let codes = UInt32Array::from(column.codes.clone());
        let values = DictionaryArray::<UInt32Type>::try_new(codes, Arc::new(values));
        Ok((column.name.clone(), Arc::new(values.map_err(failed)?) as ArrayRef))
    });
    let batch = RecordBatch::try_from_iter(columns.collect::<Result<Vec<_>>>()?).map_err(failed)?;
    Source::from_batches(name, batch.schema(), vec![batch], None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::method::Optimal;

    use super::*;
    use crate::checks::{CHECKS, CheckStatus};
    use crate::{ErrorKind, SearchStatus};

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
        let done =
            ask().sensitive("ill", Model::DistinctL { l: 2 }).order_key(7.into()).run().unwrap();
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
        let again =
            ask().sensitive("ill", Model::DistinctL { l: 2 }).order_key(7.into()).run().unwrap();
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
        let classes = |done: &AnonymizationResult| {
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
        assert_eq!(none.status(), SearchStatus::Infeasible);
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

    /// Patients with three visits each.
    fn visits() -> Table {
        let rows: Vec<[String; 4]> = (0..600u32)
            .map(|row| {
                let patient = row / 3;
                let (age, sex) = (20 + patient * 7 % 61, ["f", "m"][patient as usize % 2]);
                let zip = 53_700 + patient * 13 % 47;
                [format!("P{patient}"), age.to_string(), sex.to_owned(), zip.to_string()]
            })
            .collect();
        Table::from_rows(&["patient", "age", "sex", "zip"], &rows).unwrap()
    }

    #[test]
    fn rows_of_one_person_are_not_taken_for_people() {
        let table = visits();
        let ask = || Anonymize::new(&table).k(5).quasi(["age", "sex", "zip"]);
        let refused = ask().identifying(["patient"]).run().map(|_| ()).unwrap_err();
        assert_eq!(refused.check, Some("repeated-subjects"), "{refused}");
        assert!(refused.message.contains(".unit(\"patient\")"), "{refused}");
        let done = ask().unit("patient").run().unwrap();
        let verdict = done.verdict().unwrap();
        assert!(verdict.unit.as_deref() == Some("patient") && verdict.k.is_some_and(|k| k >= 5));
        // On purpose, every row is somebody of their own.
        assert!(ask().identifying(["patient"]).unit("row").run().is_ok());
        let passed = done.report().checks.iter().filter(|it| it.status == CheckStatus::Passed);
        assert!(passed.count() > 5 && done.report().checks.len() == CHECKS.len());
    }

    #[test]
    #[cfg(all(debug_assertions, unix))]
    fn a_file_that_changes_before_it_is_read_back_is_not_released() {
        let table = people();
        let asked = Anonymize::new(&table).k(4).quasi(["age"]).identifying(["name"]);
        let done = asked.sensitive("ill", Model::DistinctL { l: 2 }).run().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for name in ["out.csv", "out.csv.gz", "out.parquet", "out.xlsx"] {
            let path = folder.path().join(name);
            let refused = crate::tampering(|| done.write(&path)).unwrap_err();
            assert!(refused.check.is_some() || !name.ends_with(".csv"), "{name}: {refused}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
            done.write(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
        }
    }
}
