//! From a spec as written to a run that can start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use incrowd::auto::{Kind as AutoKind, Prove};
use incrowd::privacy::Matching;
use incrowd::value::{Bins, DomainRule, Kind, Ranges};
use incrowd::{Algorithm, Approach, AttributeSpec, Limit, Method, Model, ProblemSpec, Suppressed};

use super::finishing::Finishing;
use super::hierarchies::load_hierarchy;
use super::opening::{ROW, distinct_files};
use super::said::Said;
use super::{Voice, Warning};
use crate::spec::{
    self, BetaKind, Column, LKind, Named, OptionValue, Origin, OtherColumns, Role, RowOrder,
    SpecFile, suggest,
};
use crate::{Error, ErrorKind, Mend, Order, Result, Source, fresh_seed};

/// A run that can start: everything in the spec resolved against the data's columns.
#[derive(Debug, Clone)]
pub struct Job {
    /// The question.
    pub problem: ProblemSpec,
    /// The algorithm, or who chooses it.
    pub method: Approach,
    /// Its time limit.
    pub time_limit: Option<Duration>,
    /// How much may be done to prove how little a release can cost.
    pub prove: Prove,
    /// The columns of the release, in input order, by their place in the input.
    pub columns: Vec<(usize, Role)>,
    /// Those of them that the spec does not name.
    pub unnamed: Vec<usize>,
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
    /// How the ends of ranges are told, where somebody has said so.
    pub ranges: Option<Ranges>,
    /// The order of its rows.
    pub order: Order,
    /// What becomes of suppressed rows.
    pub suppressed: Suppressed,
    /// Whether a release that fails is written all the same, to be compared.
    pub write_failing: bool,
    /// Where the recoding goes, if anywhere.
    pub recoding: Option<PathBuf>,
    /// Where the report goes, if anywhere.
    pub report: Option<PathBuf>,
    /// Where the report for the owner of the table goes, if anywhere.
    pub internal_report: Option<PathBuf>,
    /// Earlier releases, from which nobody may be told apart.
    pub earlier: Vec<PathBuf>,
    /// The population that the table is a part of, if it is known.
    pub population: Option<PathBuf>,
    /// Its column that tells how many people a row stands for.
    pub population_weight: Option<String>,
    /// What every class must satisfy in it, if anything.
    pub matching: Option<Matching>,
    /// The most share of the released rows that only one person of it may fit.
    pub max_unique: Option<f64>,
    /// Whether k is one of people of the population, estimated.
    pub estimated: bool,
    /// The files that the run reads, each with what it is: nothing may be written over them.
    pub needed: Vec<(String, PathBuf)>,
    /// Whether somebody has said who is protected: rows, or the values of a column.
    pub unit_is_said: bool,
    /// Which shares the verifier compares classes with.
    pub reference: incrowd_verify::Reference,
    /// How the question was put.
    pub voice: Voice,
    /// What is asked for beyond classes.
    pub finishing: Finishing,
    /// What the release is for, where somebody has said so.
    pub context: Option<spec::Context>,
}

/// A run needs to know what every column is.
fn decided(file: &SpecFile) -> Result<()> {
    let mends: Vec<Mend> = file
        .spec
        .columns_with(Role::Undecided)
        .map(|column| Mend {
            column: column.name.clone(),
            role: Role::Identifying.name(),
            why: "nobody has decided yet what it is".to_owned(),
        })
        .collect();
    let names: Vec<String> = mends.iter().map(|mend| format!("`{}`", mend.column)).collect();
    let (message, help) = match &names[..] {
        [] => return Ok(()),
        [one] => (format!("column {one} is undecided"), "decide on it"),
        several => (format!("columns {} are undecided", several.join(", ")), "decide on each"),
    };
    let first = mends.first().map_or("", |mend| mend.column.as_str());
    let help = format!(
        "{help}: role = \"identifying\" leaves it out, \"quasi\" generalizes it, \"sensitive\" releases it as it \
         is and lets models protect it, \"plain\" releases it as it is on purpose"
    );
    Err(Error {
        mends: mends.clone(),
        ..file
            .error_at(&["columns", first, "role"], message)
            .help(help)
            .of_kind(ErrorKind::Undecided)
    })
}

/// Puts an engine's complaint where the spec says the thing complained about.
fn placed(file: &SpecFile, keys: &[&str], error: incrowd::Error) -> Error {
    Error { help: error.help, ..file.error_at(keys, error.message) }
}

impl Job {
    /// Resolves a spec against the columns of its data.
    pub fn new(file: &SpecFile, source: &Source) -> Result<Self> {
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
        problem.survey_weight.clone_from(&spec.data.survey_weight);
        problem.quasi = attributes(Role::Quasi)?;
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
                kind: Some(Kind::Text),
                missing: missing.clone(),
                ..DomainRule::automatic()
            };
            column
        });
        problem.metric = spec.goal.metric.into();
        problem.wildcards = spec.privacy.wildcards;
        problem.limit = spec.goal.max_suppressed.map_or(Limit::Default, Limit::from);
        if problem.quasi.is_empty() {
            return Err(file.error_at(&["columns"], "no column is a quasi-identifier").help(
                "name the columns that could be matched with other data, such as age, sex and ZIP code",
            ));
        }
        let method = method(file)?;
        for column in problem.quasi.iter().filter(|column| !column.cuts.is_empty()) {
            let key = if column.cuts[0].1 { "cut-at" } else { "never-cut-at" };
            method
                .check_cuts([column.name.as_str()])
                .map_err(|error| placed(file, &["columns", &column.name, key], error))?;
        }
        method
            .check_wildcards(problem.wildcards)
            .map_err(|error| placed(file, &["privacy", "wildcards"], error))?;
        let delimiter = spec.release.delimiter.or(spec.data.delimiter).map(|c| c as u8);
        let resolve = |path: &Option<PathBuf>| path.as_ref().map(|path| file.resolve(path));
        Ok(Job {
            time_limit: spec.algorithm.time_limit,
            prove: match spec.algorithm.prove {
                Some(true) => Prove::Fully,
                Some(false) => Prove::Never,
                None => Prove::default(),
            },
            columns: columns(file, names)?,
            unnamed: (0..names.len())
                .filter(|&at| {
                    spec.data.other == OtherColumns::Plain
                        && spec.column(&names[at]).is_none()
                        && unit != Some(names[at].as_str())
                })
                .collect(),
            identifying: spec
                .columns_with(Role::Identifying)
                // What follows another column is put into the release afterwards.
                .filter(|column| column.follows.is_none())
                .map(|column| column.name.clone())
                .chain(unit.filter(|name| spec.column(name).is_none()).map(str::to_owned))
                .collect(),
            missing,
            output: resolve(&spec.release.output),
            delimiter: delimiter.or(source.delimiter()),
            csv_safe: spec.release.csv_safe,
            ranges: spec.release.ranges.map(Into::into),
            order: match spec.release.order {
                RowOrder::Shuffle => Order::Shuffled {
                    seed: spec.algorithm.seed.map_or_else(fresh_seed, Into::into),
                },
                RowOrder::Sort => Order::Sorted,
                RowOrder::Keep => Order::Kept,
            },
            suppressed: spec.release.suppressed.into(),
            write_failing: write_failing(file, &method)?,
            recoding: resolve(&spec.release.recoding),
            report: resolve(&spec.release.report),
            internal_report: resolve(&spec.release.internal_report),
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
                Origin::Options => Voice::Options,
                Origin::Keywords => Voice::Keywords,
                Origin::File(_) => Voice::Spec,
            },
            finishing: Finishing::of_spec(file),
            context: spec.context,
            method,
            problem,
        })
    }

    /// What the user should think about before publishing the release.
    pub fn warnings(&self, source: &Source) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.write_failing {
            warnings.push(Warning::new(
                "failing-rows",
                "rows that fail are kept, for comparison only: do not publish this",
            ));
        }
        if self.order == Order::Kept {
            warnings.push(Warning::new(
                "kept-order",
                "the released rows keep the order of the input, which can help to recognize people",
            ));
        }
        if self.estimated && matches!(self.method.kind(), AutoKind::Local | AutoKind::Cells) {
            warnings.push(Warning::new(
                "estimated",
                "people of the population are estimated as if everybody had one class whatever the sample, which the kinds \
                 global and levels give; here fewer of them may fit a class",
            ));
        }
        if let Some(name) = &self.problem.survey_weight
            && self.problem.quasi.iter().all(|column| column.name != *name)
            && self.columns.iter().any(|(at, _)| source.columns()[*at] == *name)
        {
            warnings.push(Warning::new(
                "survey-weight",
                format!(
                    "the survey weights in `{name}` are released as they are: they can tell which stratum a row is of, and \
                     those of suppressed rows are missing from their total"
                ),
            ));
        }
        if self.problem.wildcards {
            warnings.push(Warning::new(
                "wildcards",
                "k holds only where a blank is taken to match anything, the weaker reading: rows without \
                 blanks may be as recognizable as they were",
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
                        "nothing protects the sensitive column `{name}` yet: a class may hold a single value of \
                         it; consider l-diversity or t-closeness"
                    ),
                ));
            }
        }
        let forgotten: Vec<&str> =
            self.unnamed.iter().map(|&at| source.columns()[at].as_str()).collect();
        if let Some(proposal) = self.context.map(|context| context.proposal())
            && self.problem.k < proposal.k
        {
            warnings.push(Warning::new(
                "context",
                format!(
                    "k = {} is less than the context asks for, which is {}: {}",
                    self.problem.k,
                    proposal.k,
                    proposal.why.first().map_or("", |why| why.trim_end_matches('.'))
                ),
            ));
        }
        if !forgotten.is_empty() {
            warnings.push(Warning::new(
                "unnamed",
                format!(
                    "released as they are, because nothing was said about them: {}; make sure that they do not \
                     name people",
                    forgotten.join(", ")
                ),
            ));
        }
        warnings
    }

    /// Refuses risks beyond k where answers for several k are compared or follow from each other.
    pub(super) fn refuse_risks(&self) -> Result<()> {
        if self.problem.overall.is_nothing()
            && self.matching.is_none()
            && self.problem.known.is_none()
        {
            return Ok(());
        }
        Err(Error::new("several k cannot be compared where more is asked of risks than k")
            .help("leave out what is asked of risks, or anonymize for one k"))
    }

    /// The columns that are released as they are.
    pub fn plain_columns(&self, source: &Source) -> Vec<String> {
        let plain = self.columns.iter().filter(|(_, role)| *role != Role::Quasi);
        plain.map(|&(at, _)| source.columns()[at].clone()).collect()
    }

    /// What was said of columns that are released as they are, by their names.
    pub(super) fn sayings<'a>(&self, source: &'a Source) -> impl Fn(&str) -> Said + use<'a> {
        let names = source.columns();
        let unnamed: BTreeSet<usize> = self.unnamed.iter().copied().collect();
        let said = self.columns.iter().map(|(at, role)| {
            let said = match role {
                _ if unnamed.contains(at) => Said::Nothing,
                Role::Sensitive | Role::Class => Said::Target,
                _ => Said::Plain,
            };
            (names[*at].as_str(), said)
        });
        let said: BTreeMap<&str, Said> = said.collect();
        move |name| said.get(name).copied().unwrap_or(Said::Plain)
    }

    /// The models beyond k that a spec demands, each with its column.
    pub fn models(file: &SpecFile) -> Result<Vec<(String, Model)>> {
        models(file)
    }
}

/// What every class must satisfy in the population, which must be named then.
fn matching(file: &SpecFile) -> Result<Option<Matching>> {
    let (privacy, data) = (&file.spec.privacy, &file.spec.data);
    let matching = privacy.matching();
    let is_named = data.population.is_some() || file.origin == Origin::Keywords;
    if let (Some(weight), false) = (&privacy.risks.population_weight, is_named) {
        return Err(file
            .error_at(
                &["privacy", "population-weight"],
                format!("`{weight}` is to tell how many people a row of the population stands for, but none is named"),
            )
            .help("name the population, too; the weights of a survey make the table itself one"));
    }
    if matching.is_none() || data.population.is_some() || file.origin == Origin::Keywords {
        return Ok(matching);
    }
    let risks = &privacy.risks;
    let (key, what) = match (risks.k_map, risks.delta_presence) {
        (true, _) => ("k-map", "a k-map counts people of the population"),
        (_, Some(_)) => ("delta-presence", "delta-presence compares with the population"),
        _ => ("max-population-unique", "who is unique in the population is counted there"),
    };
    Err(file
        .error_at(&["privacy", key], format!("{what}, but none is named"))
        .help("name it with population in [data], a table with the same quasi-identifiers"))
}

/// The column that tells apart who is protected, where that is not the rows.
fn unit<'a>(file: &'a SpecFile, source: &Source) -> Result<Option<&'a str>> {
    let Some(name) = file.spec.privacy.unit.as_deref() else { return Ok(None) };
    if name == ROW {
        return Ok(None);
    }
    source.place_of(name).map_err(|error| Error {
        help: error.help,
        ..file.error_at(&["privacy", "unit"], error.message)
    })?;
    match file.spec.column(name).map(|column| column.role) {
        None | Some(Role::Identifying | Role::Plain) => Ok(Some(name)),
        Some(role) => Err(file
            .error_at(&["privacy", "unit"], format!("the unit `{name}` cannot be {role}, too"))
            .help(
                "what tells people apart is identifying, or plain where it is released on purpose",
            )),
    }
}

/// The columns of the release.
fn columns(file: &SpecFile, names: &[String]) -> Result<Vec<(usize, Role)>> {
    let mut columns = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let role = match (file.spec.column(name), file.spec.data.other) {
            (Some(column), _) => column.released_role(),
            (None, _) if file.spec.privacy.unit.as_ref() == Some(name) && name != ROW => continue,
            (None, OtherColumns::Plain) => Role::Plain,
            (None, OtherColumns::Drop) => continue,
            (None, OtherColumns::Error) => {
                let message = format!("nothing says what column `{name}` is");
                return Err(file
                    .error_at(&["data", "other"], message)
                    .help(if file.is_of_options() {
                        "give it a role".to_owned()
                    } else {
                        format!("add a table [columns.{name}] with its role")
                    })
                    .of_kind(ErrorKind::NoRole));
            }
        };
        if role != Role::Identifying {
            columns.push((at, role));
        }
    }
    Ok(columns)
}

fn one_class(file: &SpecFile) -> Result<Option<String>> {
    let mut all = file.spec.columns_with(Role::Class);
    let first = all.next();
    if let (Some(first), Some(second)) = (first, all.next()) {
        let message = format!("`{}` and `{}` are both class columns", first.name, second.name);
        return Err(file
            .error_at(&["columns", &second.name, "role"], message)
            .help("keep one of them"));
    }
    Ok(first.map(|column| column.name.clone()))
}

fn attribute(file: &SpecFile, column: &Column, missing: &[String]) -> Result<AttributeSpec> {
    let hierarchy = match &column.hierarchy {
        None => None,
        Some(spec::Hierarchy::File(path)) => {
            let path = file.resolve(path);
            if !path.exists() {
                let message = format!("there is no hierarchy file {}", path.display());
                return Err(file.error_at(&["columns", &column.name, "hierarchy"], message).help(
                    if file.is_of_options() {
                        "check the name and the folder"
                    } else {
                        "paths are relative to the spec file"
                    },
                ));
            }
            Some(load_hierarchy(&spec::Hierarchy::File(path))?)
        }
        Some(rule) => Some(load_hierarchy(rule)?),
    };
    Ok(AttributeSpec {
        name: column.name.clone(),
        rule: DomainRule {
            // The first characters of a code are a code.
            kind: column.r#type.map(Kind::from).or(column.keep_prefix.map(|_| Kind::Text)),
            // What became of treated dates is written in one form only.
            date_format: column.date_format.clone().filter(|_| !column.treatment().needs_dates()),
            usual_dates: file.spec.data.date_format.clone(),
            date_unit: column.date_unit.map(Into::into),
            as_written: false,
            bins: column.bins.map(|bins| Bins { width: bins.width, start: bins.start }),
            order: column.order.clone(),
            missing: missing.to_vec(),
            missing_as: column.missing.clone(),
            decimal: column.decimal.or(file.spec.data.decimal),
        },
        hierarchy,
        weight: column.weight.unwrap_or(1.0),
        summary: column.summary.map(Into::into),
        cuts: column
            .cut_at
            .iter()
            .map(|value| (value.clone(), true))
            .chain(column.never_cut_at.iter().map(|value| (value.clone(), false)))
            .collect(),
        least_level: column.min_level.unwrap_or(0),
        most_level: column.max_level,
        argus: column.argus.map(Into::into),
    })
}

fn method(file: &SpecFile) -> Result<Approach> {
    let algorithm = &file.spec.algorithm;
    let options: Vec<(&str, String)> = algorithm
        .options
        .iter()
        .map(|(name, value)| {
            let text = match value {
                OptionValue::Text(text) => text.clone(),
                OptionValue::Integer(number) => number.to_string(),
                OptionValue::Number(number) => number.to_string(),
                OptionValue::Bool(yes) => yes.to_string(),
            };
            (name.as_str(), text)
        })
        .collect();
    if let Err(error) = Approach::new(&algorithm.method, &[]) {
        return Err(Error {
            help: Some(suggest(&algorithm.method, Approach::names())),
            ..placed(file, &["algorithm", "method"], error)
        });
    }
    // One by one, so that the faulty one is shown.
    for (name, value) in &options {
        Approach::new(&algorithm.method, &[(name, value)])
            .map_err(|error| placed(file, &["algorithm", name], error))?;
    }
    let options: Vec<(&str, &str)> =
        options.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(Approach::new(&algorithm.method, &options)?)
}

/// Whether the user wants to see what fails: only of a method that leaves it so on purpose.
fn write_failing(file: &SpecFile, method: &Approach) -> Result<bool> {
    if file.spec.release.failing == spec::Failing::Suppress {
        return Ok(false);
    }
    if matches!(method, Approach::Named(Method::MuArgus(argus)) if !argus.repair) {
        return Ok(true);
    }
    let name = method.info().name;
    Err(file
        .error_at(&["release", "failing"], format!("{name} leaves no rows that fail to be written"))
        .help("only mu-argus with the option repair=off does; leave `failing` out"))
}

/// The models beyond k, each with its column.
fn models(file: &SpecFile) -> Result<Vec<(String, Model)>> {
    let privacy = &file.spec.privacy;
    let mut models: Vec<(&str, usize, &Option<String>, Model)> = Vec::new();
    for (at, given) in privacy.l_diversity.iter().enumerate() {
        let model = match given.kind {
            LKind::Distinct => Model::DistinctL { l: given.l as u32 },
            LKind::Entropy => Model::EntropyL { l: given.l },
            LKind::Recursive => Model::RecursiveL { c: given.c.unwrap_or(1.0), l: given.l as u32 },
        };
        models.push(("l-diversity", at, &given.column, model));
    }
    for (at, given) in privacy.t_closeness.iter().enumerate() {
        let distance = given.distance.into();
        models.push(("t-closeness", at, &given.column, Model::TCloseness { t: given.t, distance }));
    }
    for (at, given) in privacy.alpha.iter().enumerate() {
        models.push(("alpha", at, &given.column, Model::Alpha { alpha: given.alpha }));
    }
    for (at, given) in privacy.beta_likeness.iter().enumerate() {
        let model = match given.kind {
            BetaKind::Basic => Model::BasicBeta { beta: given.beta },
            BetaKind::Enhanced => Model::EnhancedBeta { beta: given.beta },
        };
        models.push(("beta-likeness", at, &given.column, model));
    }
    for (at, given) in privacy.delta_disclosure.iter().enumerate() {
        models.push((
            "delta-disclosure",
            at,
            &given.column,
            Model::DeltaDisclosure { delta: given.delta },
        ));
    }
    models
        .into_iter()
        .map(|(key, at, column, model)| {
            let keys = ["privacy", key, &at.to_string(), "column"];
            let Some(column) = file.spec.sensitive(column.as_deref()) else {
                let message = format!("`{key}` does not say which sensitive column it protects");
                return Err(file.error_at(&keys[..3], message).help(
                    "name one with `column`, or give exactly one column the role \"sensitive\"",
                ));
            };
            let protected = file
                .spec
                .column(column)
                .is_some_and(|c| matches!(c.role, Role::Sensitive | Role::Class));
            if !protected {
                let message = format!("`{key}` protects column `{column}`, which is not sensitive");
                return Err(file
                    .error_at(&keys, message)
                    .help(format!("give it the role: [columns.{column}] role = \"sensitive\"")));
            }
            model.validate().map_err(|error| placed(file, &keys[..3], error))?;
            Ok((column.to_owned(), model))
        })
        .collect()
}
