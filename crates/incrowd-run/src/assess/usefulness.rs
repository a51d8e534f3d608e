//! A release in a file, and its original, as analysts see them.

use incrowd_assess::suppression::limits::SHOWN;
use incrowd_assess::usefulness::{
    AnalysisColumn, AnalysisTable, LearningFeatures, UsefulnessOptions, UsefulnessReport,
};
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::value::{Domain, DomainKind, DomainRule};
use incrowd_engine::{Control, Problem, Table};

use super::reading::{evaluation_spec, go_on, read_columns};
use crate::spec::{Role, SpecFile};
use crate::{Error, Job, Result, Source, read_attribute, read_table};

/// A class column of more values is one of measurements, if they are numbers.
const CLASSES: usize = 20;

/// What a learner sees of a release, of its original, and of rows that are in neither, and the class of each row.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LearningTables {
    /// The quasi-identifiers as columns of a model.
    pub features: LearningFeatures,
    /// The class of each row of the release.
    pub release: Vec<String>,
    /// Of the original.
    pub original: Vec<String>,
    /// Of the rows that are in neither.
    pub test: Vec<String>,
}

/// The quasi-identifiers of a release, of its original and of test rows as learners take them, beside the class column, which the
/// spec names.
pub fn learning_tables(
    spec: &SpecFile,
    original: &Source,
    release: &Source,
    test: &Source,
    control: &Control,
) -> Result<LearningTables> {
    let job = Job::new(&evaluation_spec(spec), original)?;
    let Some(class) = job.problem.class.clone() else {
        return Err(Error::new("no class column is named").help("name the column to predict"));
    };
    let mut question = job.problem.clone();
    question.models.clear();
    question.targets.clear();
    question.class = None;
    let names: Vec<String> = question.quasi.iter().map(|column| column.name.clone()).collect();
    let known = read_columns(original, names.iter().chain([&class]), control)?;
    let problem = Problem::of_table(&question, &known)?;
    let released = read_table(release, None, control)?;
    let tested = read_columns(test, names.iter().chain([&class]), control)?;
    go_on(control)?;
    let lacking = |name: &str| Error::new(format!("there is no column `{name}`"));
    let (mut columns, mut codes) = (Vec::new(), Vec::new());
    for attribute in &problem.attributes {
        let name = &attribute.name;
        let [before, further] = [&known, &tested].map(|table| table.column(name));
        let before = coded(before.ok_or_else(|| lacking(name))?, &attribute.domain, &job.missing);
        codes.push(coded(further.ok_or_else(|| lacking(name))?, &attribute.domain, &job.missing));
        let (shown, after) = read_attribute(attribute, &released)?;
        columns.push(AnalysisColumn::of_attribute(attribute, before, &shown, after));
    }
    let classes = |table: &Table| -> Result<Vec<String>> {
        let column = table.column(&class).ok_or_else(|| lacking(&class))?;
        Ok((0..table.rows()).map(|row| column.value(row).to_owned()).collect())
    };
    Ok(LearningTables {
        features: AnalysisTable::new(columns, None)?.features(SHOWN, &codes),
        release: classes(&released)?,
        original: classes(&known)?,
        test: classes(&tested)?,
    })
}

/// What analysts would find in a release in memory, beside what they would have found in its original. The released table has
/// the columns by the names that a release has.
pub fn statistics_of_table(
    job: &Job,
    problem: &Problem,
    source: &Source,
    original: &Table,
    released: &Table,
    options: &UsefulnessOptions,
    control: &Control,
) -> Result<UsefulnessReport> {
    AnalysisInputs { job, problem, source, released }.compare_with(original, options, control)
}

/// The columns that have a role, released or not, of both tables.
pub(super) struct AnalysisInputs<'a> {
    pub(super) job: &'a Job,
    pub(super) problem: &'a Problem,
    pub(super) source: &'a Source,
    pub(super) released: &'a Table,
}

impl AnalysisInputs<'_> {
    /// Reads the original and compares them.
    pub(super) fn compare(
        &self,
        options: &UsefulnessOptions,
        control: &Control,
    ) -> Result<UsefulnessReport> {
        let quasi = self.problem.attributes.iter().map(|it| &it.name);
        let others = self.others();
        let names = quasi.chain(others.iter().map(|(name, _)| name));
        let original = read_columns(self.source, names, control)?;
        go_on(control)?;
        self.compare_with(&original, options, control)
    }

    /// Compares them. Of values that fewer than k rows have nothing is told.
    fn compare_with(
        &self,
        original: &Table,
        options: &UsefulnessOptions,
        control: &Control,
    ) -> Result<UsefulnessReport> {
        let weight = self.job.problem.survey_weight.as_deref();
        let table = AnalysisTable::new(self.columns(original)?, weight)?;
        let class = self.problem.class.map(|at| self.problem.targets.columns[at].name.as_str());
        let least = self.problem.privacy.k.max(SHOWN);
        let found = UsefulnessReport::new(&table, options, class, least, control);
        go_on(control)?;
        Ok(found?)
    }

    /// The columns that are released as they are.
    fn others(&self) -> Vec<(String, Role)> {
        let AnalysisInputs { job, problem, source, released } = *self;
        let is_quasi = |name: &str| problem.attributes.iter().any(|it| it.name == name);
        let columns = job.columns.iter().map(|&(at, role)| (source.columns()[at].clone(), role));
        columns.filter(|(name, _)| !is_quasi(name) && released.column(name).is_some()).collect()
    }

    fn columns(&self, table: &Table) -> Result<Vec<AnalysisColumn>> {
        let AnalysisInputs { job, problem, released, .. } = *self;
        let lacking = |name: &str| Error::new(format!("there is no column `{name}`"));
        let mut columns = Vec::new();
        for attribute in &problem.attributes {
            let before = table.column(&attribute.name).ok_or_else(|| lacking(&attribute.name))?;
            let codes = coded(before, &attribute.domain, &job.missing);
            let (shown, after) = read_attribute(attribute, released)?;
            columns.push(AnalysisColumn::of_attribute(attribute, codes, &shown, after));
        }
        for (name, role) in &self.others() {
            let before = table.column(name).ok_or_else(|| lacking(name))?;
            let after = released.column(name).ok_or_else(|| lacking(name))?;
            let values: Dictionary =
                before.dictionary.iter().chain(after.dictionary.iter()).collect();
            let domain = self.domain(name, &values)?;
            let measured = *role != Role::Class || domain.len() > CLASSES;
            let [before, after] = [before, after].map(|it| coded(it, &domain, &job.missing));
            columns.push(AnalysisColumn::of_values(name, &domain, measured, before, after));
        }
        Ok(columns)
    }

    /// The values of a column that is released as it is; text where numbers can be read in two ways.
    fn domain(&self, name: &str, values: &Dictionary) -> Result<Domain> {
        let rule = DomainRule { missing: self.job.missing.clone(), ..DomainRule::automatic() };
        let text = DomainRule { kind: Some(DomainKind::Text), ..rule.clone() };
        let built = Domain::build(name, values, &rule);
        Ok(built.or_else(|_| Domain::build(name, values, &text))?.domain)
    }
}

/// The code of every row of a column.
fn coded(column: &Column, domain: &Domain, missing: &[String]) -> Vec<u32> {
    let codes = domain.codes_of(&column.dictionary, missing);
    column.codes.iter().map(|&code| codes[code as usize]).collect()
}
