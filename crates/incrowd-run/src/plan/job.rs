//! From a spec as written to a run that can start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use incrowd_engine::auto::{ProofEffort, ReleaseKind};
use incrowd_engine::privacy::PopulationRequirement;
use incrowd_engine::release::{LabelDraw, OutsideCrowd};
use incrowd_engine::value::{DomainKind, DomainRule, RangeRounding};
use incrowd_engine::words;
use incrowd_engine::{AttributeSpec, Limit, MethodChoice, Model, ProblemSpec, SuppressionMode};

use crate::plan::declaration::Declaration;
use crate::plan::finishing::FinishingPlan;
use crate::plan::from_spec::{
    attribute, calibrated, columns, decided, matching, method, models, names_rows, one_class,
    placed, unit, write_failing,
};
use crate::plan::guessed_roles::{GuessedRole, guess_roles, told};
use crate::plan::interface::Interface;
use crate::plan::opening::distinct_files;
use crate::plan::warning::{NAMED, Warning};
use crate::spec::{
    self, KeywordChoice, LabelSource, Origin, OtherColumns, Role, RowOrder, SpecFile, suggest,
};
use crate::{Error, Order, Result, SecretKey, Source};

/// A run that can start: everything in the spec resolved against the data's columns.
#[derive(Debug, Clone)]
pub struct Job {
    /// The question.
    pub problem: ProblemSpec,
    /// The algorithm, or who chooses it.
    pub method: MethodChoice,
    /// Its time limit.
    pub time_limit: Option<Duration>,
    /// How much may be done to prove how little a release can cost.
    pub prove: ProofEffort,
    /// The columns of the release, in input order, by their place in the input.
    pub columns: Vec<(usize, Role)>,
    /// Those of them that the spec does not name.
    pub unnamed: Vec<usize>,
    /// Columns that nobody has named and that are left out for it.
    pub left_out: Vec<String>,
    /// The roles that were guessed.
    pub guesses: Vec<GuessedRole>,
    /// Columns that somebody accepts although they look as if they named people.
    pub accepted: Vec<String>,
    /// Names of columns that must not be released.
    pub identifying: Vec<String>,
    /// The fields that mean "no value".
    pub missing: Vec<String>,
    /// Where the release goes, if anywhere.
    pub output: Option<PathBuf>,
    /// Its delimiter.
    pub delimiter: Option<u8>,
    /// Whether texts that a spreadsheet would take for formulas are made harmless in it.
    pub csv_safe: bool,
    /// Whether text files begin with a byte order mark.
    pub byte_order_mark: bool,
    /// How the ends of ranges are told, where somebody has said so.
    pub ranges: Option<RangeRounding>,
    /// How labels from fixed lists are drawn, where they are not fitted to classes.
    pub labels: Option<LabelDraw>,
    /// How many people outside must fit each box, if any.
    pub outside: Option<OutsideCrowd>,
    /// The order of its rows.
    pub order: Order,
    /// What becomes of suppressed rows.
    pub suppressed: SuppressionMode,
    /// Whether a release that fails is written all the same, to be compared.
    pub write_failing: bool,
    /// Where the recoding goes, if anywhere.
    pub recoding: Option<PathBuf>,
    /// Where the report goes, if anywhere.
    pub report: Option<PathBuf>,
    /// Where the report for the owner of the table goes, if anywhere.
    pub internal_report: Option<PathBuf>,
    /// Where the proof of the bound goes, if anywhere.
    pub certificate: Option<PathBuf>,
    /// Whether it is checked, and only what is confirmed is claimed.
    pub certified: bool,
    /// Earlier releases, from which nobody may be told apart.
    pub earlier: Vec<PathBuf>,
    /// The population that the table is a part of, if it is known.
    pub population: Option<PathBuf>,
    /// Its column that tells how many people a row stands for.
    pub population_weight: Option<String>,
    /// What every class must satisfy in it, if anything.
    pub matching: Option<PopulationRequirement>,
    /// The most share of the released rows that only one person of it may fit.
    pub max_unique: Option<f64>,
    /// Whether k is one of people of the population, estimated.
    pub estimated: bool,
    /// The files that the run reads, each with what it is: nothing may be written over them.
    pub needed: Vec<(String, PathBuf)>,
    /// Whether somebody has said who is protected: rows, or the values of a column.
    pub unit_is_said: bool,
    /// Which shares the verifier compares classes with.
    pub reference: incrowd_verify::ReferenceDistribution,
    /// How the question was put.
    pub voice: Interface,
    /// What is asked for beyond classes.
    pub finishing: FinishingPlan,
    /// What the release is for, where somebody has said so.
    pub context: Option<spec::ContextSection>,
}

impl Job {
    /// A question that nothing else is said about: no column is released yet, and nothing is written.
    pub(crate) fn of_problem(problem: ProblemSpec) -> Self {
        Job {
            problem,
            method: MethodChoice::default(),
            time_limit: None,
            prove: ProofEffort::default(),
            columns: Vec::new(),
            unnamed: Vec::new(),
            left_out: Vec::new(),
            guesses: Vec::new(),
            accepted: Vec::new(),
            identifying: Vec::new(),
            missing: Vec::new(),
            output: None,
            delimiter: None,
            csv_safe: false,
            byte_order_mark: false,
            ranges: None,
            labels: None,
            outside: None,
            order: Order::Sorted,
            suppressed: SuppressionMode::Drop,
            write_failing: false,
            recoding: None,
            report: None,
            internal_report: None,
            certificate: None,
            certified: false,
            earlier: Vec::new(),
            population: None,
            population_weight: None,
            matching: None,
            max_unique: None,
            estimated: false,
            needed: Vec::new(),
            unit_is_said: false,
            reference: incrowd_verify::ReferenceDistribution::default(),
            voice: Interface::Spec,
            finishing: FinishingPlan::default(),
            context: None,
        }
    }

    /// Resolves a spec against the columns of its data.
    pub fn new(file: &SpecFile, source: &Source) -> Result<Self> {
        if file.spec.other() == OtherColumns::Guess {
            let (file, guesses) = guess_roles(file, source)?;
            return Ok(Job { guesses, ..Job::of_roles(&file, source)? });
        }
        Job::of_roles(file, source)
    }

    /// The same where nothing is left to be guessed.
    fn of_roles(file: &SpecFile, source: &Source) -> Result<Self> {
        let spec = &file.spec;
        let names = source.columns();
        for column in &spec.columns {
            if !names.contains(&column.name) {
                let message = format!("{} has no column `{}`", source.name(), column.name);
                let help = match names {
                    [only] => format!("it has one column, `{only}`: is the delimiter another one?"),
                    _ => suggest(&column.name, names.iter().map(String::as_str)),
                };
                return Err(file.error_at(&["columns", &column.name], message).help(help));
            }
        }
        let needed = distinct_files(file, source)?;
        decided(file)?;
        let standard = Some(Path::new("-"));
        if spec.data.population.as_deref() == standard && spec.data.input == Path::new("-") {
            let message = "the table and the population cannot both come from standard input";
            return Err(file
                .error_at(&["data", "population"], message)
                .help("name a file for one of them"));
        }
        let missing = spec.data.missing_tokens();
        let attributes = |role| -> Result<Vec<AttributeSpec>> {
            spec.columns_with(role).map(|column| attribute(file, column, &missing)).collect()
        };
        let class = one_class(file)?;
        let mut problem = ProblemSpec::new(spec.privacy.least_rows());
        problem.overall = spec.privacy.risks.overall();
        problem.known = spec.privacy.known();
        problem.max_bias = spec.privacy.risks.max_bias;
        problem.survey_weight.clone_from(&spec.data.survey_weight);
        problem.quasi = attributes(Role::Quasi)?;
        problem.calibrated = calibrated(file)?;
        // A class column may be the sensitive one too, but then it has one role in the spec.
        problem.targets = attributes(Role::Sensitive)?;
        problem.targets.extend(attributes(Role::Class)?);
        problem.class = class;
        problem.models = Self::models(file)?;
        problem.count_missing = spec.privacy.count_missing;
        let unit = unit(file, source)?;
        problem.unit = unit.map(|name| {
            let mut column = AttributeSpec::new(name);
            column.rule = DomainRule {
                kind: Some(DomainKind::Text),
                missing: missing.clone(),
                ..DomainRule::automatic()
            };
            column
        });
        problem.metric = spec.goal.metric.into();
        problem.wildcards = spec.privacy.wildcards;
        problem.fixed_labels = spec.release.labels == LabelSource::Safe;
        problem.limit = spec.goal.max_suppressed.map_or(Limit::Default, Limit::from);
        if problem.quasi.is_empty() {
            return Err(file.error_at(&["columns"], "no column is a quasi-identifier").help(
                "name the columns that could be matched with other data, such as age, sex and ZIP code",
            ));
        }
        problem.narrowing = spec
            .columns
            .iter()
            .filter(|column| column.narrowing)
            .map(|column| column.name.clone())
            .collect();
        let method = method(file)?;
        let outside = spec.privacy.risks.min_outside.map(|it| OutsideCrowd::new(it.into()));
        if let Some(outside) = outside {
            check_outside(file, &problem)?;
            // Groups that hold everywhere are fitted to the table and not to a class.
            if method.kind() != ReleaseKind::Local {
                problem.k = problem.k.max(outside.least());
            }
        }
        for column in problem.quasi.iter().filter(|column| !column.cuts.is_empty()) {
            let key = if column.cuts[0].1 { "cut-at" } else { "never-cut-at" };
            method
                .check_cuts([column.name.as_str()])
                .map_err(|error| placed(file, &["columns", &column.name, key], error))?;
        }
        method
            .check_wildcards(problem.wildcards)
            .map_err(|error| placed(file, &["privacy", "wildcards"], error))?;
        let row_names = names.first().filter(|name| {
            names_rows(0, name) && spec.column(name).is_none() && unit != Some(name.as_str())
        });
        let is_unnamed = |&at: &usize| {
            spec.column(&names[at]).is_none()
                && unit != Some(names[at].as_str())
                && !names_rows(at, &names[at])
        };
        let delimiter = spec.release.delimiter.or(spec.data.delimiter).map(|c| c as u8);
        let resolve = |path: &Option<PathBuf>| path.as_ref().map(|path| file.resolve(path));
        Ok(Job {
            time_limit: spec.algorithm.time_limit,
            prove: match spec.algorithm.prove {
                Some(true) => ProofEffort::Fully,
                Some(false) => ProofEffort::Never,
                None => ProofEffort::default(),
            },
            columns: columns(file, names)?,
            unnamed: match spec.other() {
                OtherColumns::Plain => (0..names.len()).filter(is_unnamed).collect(),
                _ => Vec::new(),
            },
            left_out: match spec.other() {
                OtherColumns::Drop => {
                    (0..names.len()).filter(is_unnamed).map(|at| names[at].clone()).collect()
                }
                _ => Vec::new(),
            },
            guesses: Vec::new(),
            accepted: spec
                .columns
                .iter()
                .filter(|column| column.accept)
                .map(|column| column.name.clone())
                .collect(),
            identifying: spec
                .columns_with(Role::Identifying)
                // What follows another column is put into the release afterwards.
                .filter(|column| column.follows.is_none())
                .map(|column| column.name.clone())
                .chain(unit.filter(|name| spec.column(name).is_none()).map(str::to_owned))
                .chain(row_names.cloned())
                .collect(),
            missing,
            output: resolve(&spec.release.output),
            delimiter: delimiter.or(source.delimiter()),
            csv_safe: spec.release.csv_safe,
            byte_order_mark: spec.release.byte_order_mark,
            ranges: spec.release.ranges.map(Into::into),
            outside,
            labels: label_draw(&spec.release, resolve(&spec.release.seed_file).as_deref())?,
            order: match spec.release.order {
                RowOrder::Shuffle => Order::shuffled(resolve(&spec.release.seed_file).as_deref())?,
                RowOrder::Sort => Order::Sorted,
                RowOrder::Keep => Order::Kept,
            },
            suppressed: spec.release.suppressed.into(),
            write_failing: write_failing(file, &method)?,
            recoding: resolve(&spec.release.recoding),
            report: resolve(&spec.release.report),
            internal_report: resolve(&spec.release.internal_report),
            certificate: resolve(&spec.release.certificate),
            certified: spec.release.certified,
            earlier: spec.data.earlier.iter().map(|path| file.resolve(path)).collect(),
            population: resolve(&spec.data.population),
            population_weight: spec.privacy.risks.population_weight.clone(),
            matching: matching(file)?,
            max_unique: spec.privacy.risks.counted_unique(),
            estimated: spec.privacy.risks.sampling_fraction.is_some(),
            needed,
            unit_is_said: spec.privacy.unit.is_some(),
            reference: spec.privacy.reference.map_or_else(Default::default, Into::into),
            voice: match file.origin {
                Origin::Options => Interface::Options,
                Origin::Keywords => Interface::Keywords,
                Origin::File(_) => Interface::Spec,
            },
            finishing: FinishingPlan::of_spec(file),
            context: spec.context,
            method,
            problem,
        })
    }

    /// The same where classes are narrowed by further columns.
    pub fn narrowed_by(&self, columns: &[String]) -> Self {
        let mut job = self.clone();
        job.problem.narrowing.extend_from_slice(columns);
        job.finishing.narrowing.extend_from_slice(columns);
        job
    }

    /// The same without the columns that were refused, if the roles of all of them were guessed.
    pub(crate) fn without_refused(&self, error: &Error, source: &Source) -> Option<Self> {
        let mut job = self.clone();
        if error.mends.is_empty() {
            return None;
        }
        for mend in &error.mends {
            let released = |it: &&mut GuessedRole| it.column == mend.column && it.is_unchanged();
            let guess = job.guesses.iter_mut().find(released)?;
            (guess.role, guess.why) = (Role::Identifying.name(), mend.why.clone());
            job.columns.retain(|&(at, _)| source.columns()[at] != mend.column);
            job.problem.targets.retain(|column| column.name != mend.column);
            job.left_out.push(mend.column.clone());
        }
        Some(job)
    }

    /// Refuses a question that protects nobody.
    pub(crate) fn refuse_no_protection(&self) -> Result<()> {
        let ProblemSpec { k, models, overall, known, .. } = &self.problem;
        if known.is_some() && self.suppressed == SuppressionMode::Blank {
            return Err(Error::new(
                "fewer than k rows may be released blank, and they would share no known \
                 column with others",
            )
            .help("leave suppressed rows out, or drop known-columns"));
        }
        let asks_for_more = !models.is_empty()
            || !overall.is_nothing()
            || known.is_some()
            || self.matching.is_some();
        if *k > 1 || asks_for_more {
            return Ok(());
        }
        Err(Error::new("k = 1 hides nobody: every row may be one person's own")
            .help("choose k of at least 2; 5 is a common choice")
            .of_check("k-anonymity"))
    }

    /// What the user should think about before publishing the release.
    pub fn warnings(&self, source: &Source) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.write_failing {
            warnings.push(Warning::new(
                "failing-rows",
                "rows that fail the requirements are written, for comparison only: do not \
                 publish this release",
            ));
        }
        if self.order == Order::Kept {
            warnings.push(Warning::new(
                "kept-order",
                "the released rows keep the order of the input, which can help to identify people",
            ));
        }
        let differs_by_row = matches!(
            self.method.kind(),
            ReleaseKind::Local | ReleaseKind::Cells | ReleaseKind::Mixed
        );
        if self.estimated && differs_by_row {
            warnings.push(Warning::new(
                "estimated",
                "population counts are estimated as for global recoding; in this kind of \
                 release fewer people may fit a class",
            ));
        }
        if let Some(name) = &self.problem.survey_weight
            && self.problem.quasi.iter().all(|column| column.name != *name)
            && self.columns.iter().any(|(at, _)| source.columns()[*at] == *name)
        {
            warnings.push(Warning::new(
                "survey-weight",
                format!(
                    "the survey weights in `{name}` are released: they may reveal the \
                     stratum of a row, and suppressed rows are missing from their total"
                ),
            ));
        }
        if self.problem.wildcards {
            warnings.push(Warning::new(
                "wildcards",
                "k holds only if a blank matches any value (the weaker reading): rows \
                 without blanks may be as identifiable as before",
            ));
        }
        for (at, role) in &self.columns {
            let name = &source.columns()[*at];
            if *role == Role::Sensitive
                && self.problem.models.iter().all(|(column, _)| column != name)
            {
                warnings.push(Warning::new(
                    "unprotected",
                    format!(
                        "no model protects the sensitive column `{name}`: a class may hold a \
                         single value of it; consider l-diversity or t-closeness"
                    ),
                ));
            }
        }
        let forgotten: Vec<&str> =
            self.unnamed.iter().take(NAMED).map(|&at| source.columns()[at].as_str()).collect();
        if let Some(proposal) = self.context.map(|context| context.proposal())
            && self.problem.k < proposal.k
        {
            warnings.push(Warning::new(
                "context",
                format!(
                    "k = {} is less than the context requires, which is {}: {}",
                    self.problem.k,
                    proposal.k,
                    proposal.why.first().map_or("", |why| why.trim_end_matches('.'))
                ),
            ));
        }
        if !self.left_out.is_empty() && self.guesses.is_empty() {
            let named: Vec<&str> = self.left_out.iter().take(NAMED).map(String::as_str).collect();
            let more = if self.left_out.len() > named.len() { ", ..." } else { "" };
            let keep = match self.voice {
                Interface::Options => {
                    "--roles guess keeps harmless columns, --plain COLUMN a single one"
                }
                Interface::Spec => "other = \"guess\" in [data] keeps harmless columns",
                Interface::Program => ".plain([...]) keeps them",
                Interface::Keywords => {
                    "roles=\"guess\" keeps harmless columns, plain=[...] single ones"
                }
            };
            let count = self.left_out.len() as u64;
            warnings.push(Warning::new(
                "left-out",
                format!(
                    "{} left out because no role is given: {}{more}; {keep}",
                    words::count(count, "column is", "columns are"),
                    named.join(", ")
                ),
            ));
        }
        if !self.guesses.is_empty() {
            warnings.push(Warning::new("guessed", told(&self.guesses)));
        }
        let leave = match self.voice {
            Interface::Options => "--other drop",
            _ => "other = \"drop\"",
        };
        if !forgotten.is_empty() {
            warnings.push(Warning::new(
                "unnamed",
                format!(
                    "released unchanged because no role is given: {}{}; {leave} leaves them out",
                    forgotten.join(", "),
                    match self.unnamed.len().saturating_sub(NAMED) as u64 {
                        0 => String::new(),
                        more => format!(" and {} more", words::thousands(more)),
                    }
                ),
            ));
        }
        warnings
    }

    /// Refuses risks beyond k where answers for several k are compared or follow from each other.
    pub(crate) fn refuse_risks(&self) -> Result<()> {
        if self.problem.overall.is_nothing()
            && self.matching.is_none()
            && self.problem.known.is_none()
            && self.problem.max_bias.is_none()
            && self.outside.is_none()
        {
            return Ok(());
        }
        Err(Error::new("several k cannot be compared under risk limits")
            .help("leave out the risk limits, or anonymize for one k"))
    }

    /// The columns that are released as they are and whose values are looked at: those that no model looks at and nothing
    /// replaces.
    pub fn watched(&self, source: &Source) -> Vec<usize> {
        let plain = self.columns.iter().filter(|(_, role)| *role == Role::Plain);
        let is_treated = |at: usize| self.finishing.treatment(&source.columns()[at]).is_some();
        plain.map(|&(at, _)| at).filter(|&at| !is_treated(at)).collect()
    }

    /// The columns that are released as they are.
    pub fn plain_columns(&self, source: &Source) -> Vec<String> {
        let plain = self.columns.iter().filter(|(_, role)| *role != Role::Quasi);
        plain.map(|&(at, _)| source.columns()[at].clone()).collect()
    }

    /// What was said of columns that are released as they are, by their names.
    pub(crate) fn sayings<'a>(&self, source: &'a Source) -> impl Fn(&str) -> Declaration + use<'a> {
        let names = source.columns();
        let unnamed: BTreeSet<usize> = self.unnamed.iter().copied().collect();
        let said = self.columns.iter().map(|(at, role)| {
            let name = &names[*at];
            let said = match role {
                _ if self.problem.narrowing.contains(name) => Declaration::Judged,
                _ if self.accepted.contains(name) => Declaration::Accepted,
                _ if unnamed.contains(at) => Declaration::Nothing,
                Role::Sensitive | Role::Class => Declaration::Target,
                _ if self.finishing.is_masked(&names[*at]) => Declaration::Masked,
                _ => Declaration::Plain,
            };
            (names[*at].as_str(), said)
        });
        let said: BTreeMap<&str, Declaration> = said.collect();
        move |name| said.get(name).copied().unwrap_or(Declaration::Plain)
    }

    /// The models beyond k that a spec demands, each with its column.
    pub fn models(file: &SpecFile) -> Result<Vec<(String, Model)>> {
        models(file)
    }
}

/// A label is one level coarser than needed as often as not, unless somebody says otherwise.
const LABEL_CHANCE: f64 = 0.5;

/// How safe labels are drawn: by the key of the order, or by one that nobody keeps.
fn label_draw(release: &spec::ReleaseSection, key: Option<&Path>) -> Result<Option<LabelDraw>> {
    if release.labels == LabelSource::Tight {
        return Ok(None);
    }
    let key = match key {
        Some(path) => SecretKey::open(path)?.0,
        None => SecretKey::fresh()?,
    };
    let chance = release.label_chance.unwrap_or(LABEL_CHANCE);
    Ok(Some(LabelDraw { chance, key: key.of_labels() }))
}

/// The crowd outside is one of rows, and of boxes that hold for all rows inside.
fn check_outside(file: &SpecFile, problem: &ProblemSpec) -> Result<()> {
    let (what, help) = match () {
        () if problem.unit.is_some() => ("a unit", "leave out the unit, or min-outside"),
        () if !problem.narrowing.is_empty() => {
            ("columns that narrow classes", "make them quasi-identifiers, or leave out min-outside")
        }
        () if problem.wildcards => ("wildcards", "leave out wildcards, or min-outside"),
        () if problem.known.is_some() => {
            ("known-columns", "leave out known-columns, or min-outside")
        }
        () => return Ok(()),
    };
    Err(file
        .error_at(
            &["privacy", "min-outside"],
            format!("people outside are counted for whole boxes, which {what} would divide"),
        )
        .help(help))
}
