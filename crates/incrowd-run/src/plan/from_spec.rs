//! The parts of a run that a spec describes, each checked against the columns of the data, and refused where the spec says it.

use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::method::{RecodingModel, SameBox};
use incrowd_engine::privacy::PopulationRequirement;
use incrowd_engine::value::{Bins, DomainKind, DomainRule};
use incrowd_engine::{Algorithm, AttributeSpec, Method, MethodChoice, Model};

use crate::plan::hierarchies::load_hierarchy;
use crate::spec::{
    self, ColumnSection, KeywordChoice, OptionValue, Origin, OtherColumns, Role, SpecFile,
    models::{BetaKind, LKind},
    suggest,
};
use crate::{ColumnFix, Error, ErrorKind, Result, Source};

/// A run needs to know what every column is.
pub(crate) fn decided(file: &SpecFile) -> Result<()> {
    let mends: Vec<ColumnFix> = file
        .spec
        .columns_with(Role::Undecided)
        .map(|column| ColumnFix {
            column: column.name.clone(),
            role: Role::Identifying.name(),
            why: "its role is not decided yet".to_owned(),
        })
        .collect();
    let names: Vec<String> = mends.iter().map(|mend| format!("`{}`", mend.column)).collect();
    let (message, help) = match &names[..] {
        [] => return Ok(()),
        [one] => (format!("column {one} is undecided"), "give it a role"),
        several => {
            (format!("columns {} are undecided", several.join(", ")), "give each one a role")
        }
    };
    let first = mends.first().map_or("", |mend| mend.column.as_str());
    let help = format!(
        "{help}: \"identifying\" leaves it out, \"quasi\" generalizes it,\n\"sensitive\" \
         releases it for models to protect, \"plain\" releases it unchanged"
    );
    Err(Error {
        mends: mends.clone(),
        ..file
            .error_at(&["columns", first, "role"], message)
            .help(help)
            .of_check("unnamed-columns")
            .of_kind(ErrorKind::Undecided)
    })
}

/// Puts an engine's complaint where the spec says the thing complained about.
pub(crate) fn placed(file: &SpecFile, keys: &[&str], error: incrowd_engine::Error) -> Error {
    Error { help: error.help, ..file.error_at(keys, error.message) }
}

/// What every class must satisfy in the population, which must be named then.
pub(crate) fn matching(file: &SpecFile) -> Result<Option<PopulationRequirement>> {
    let (privacy, data) = (&file.spec.privacy, &file.spec.data);
    let matching = privacy.matching();
    let is_named = data.population.is_some() || file.origin == Origin::Keywords;
    if let (Some(weight), false) = (&privacy.risks.population_weight, is_named) {
        return Err(file
            .error_at(
                &["privacy", "population-weight"],
                format!("`{weight}` holds weights of a population, but no population is named"),
            )
            .help("name the population; survey weights make the table itself one"));
    }
    if matching.is_none() || data.population.is_some() || file.origin == Origin::Keywords {
        return Ok(matching);
    }
    let risks = &privacy.risks;
    let (key, what) = match (risks.k_map, risks.delta_presence) {
        (true, _) => ("k-map", "k-map counts people of the population"),
        (_, Some(_)) => ("delta-presence", "delta-presence compares with the population"),
        _ => ("max-population-unique", "uniqueness is counted in the population"),
    };
    Err(file
        .error_at(&["privacy", key], format!("{what}, but no population is named"))
        .help("name it with population in [data], a table with the same quasi-identifiers"))
}

/// The quasi-identifiers whose categories keep their weighted totals.
pub(crate) fn calibrated(file: &SpecFile) -> Result<Vec<String>> {
    let asked = &file.spec.data.calibrate;
    let is_quasi = |name: &String| {
        file.spec.column(name).is_some_and(|column| column.role == Role::Quasi)
            && file.spec.data.survey_weight.as_ref() != Some(name)
    };
    let refused = match (&file.spec.data.survey_weight, asked.iter().find(|it| !is_quasi(it))) {
        _ if asked.is_empty() => return Ok(Vec::new()),
        (None, _) => (
            "weighted totals are to be kept, but there are no survey weights".to_owned(),
            "name the column of survey weights",
        ),
        (_, Some(name)) => (
            format!("the weighted totals of `{name}` cannot be kept: it is no quasi-identifier"),
            "weights of a class are one number: other columns vary within classes",
        ),
        (Some(_), None) => return Ok(asked.clone()),
    };
    Err(file.error_at(&["data", "calibrate"], refused.0).help(refused.1))
}

/// The column that tells apart who is protected, where that is not the rows.
pub(crate) fn unit<'a>(file: &'a SpecFile, source: &Source) -> Result<Option<&'a str>> {
    let Some(name) = file.spec.privacy.unit_column() else { return Ok(None) };
    source.place_of(name).map_err(|error| Error {
        help: error.help,
        ..file.error_at(&["privacy", "unit"], error.message)
    })?;
    match file.spec.column(name).map(|column| column.role) {
        None | Some(Role::Identifying | Role::Plain) => Ok(Some(name)),
        Some(role) => Err(file
            .error_at(&["privacy", "unit"], format!("the unit `{name}` cannot also be {role}"))
            .help("the unit is identifying, or plain if its column is released on purpose")),
    }
}

/// Whether a column that nobody has named holds the names of the rows: the first one, which has no name in the table.
pub(crate) fn names_rows(at: usize, name: &str) -> bool {
    at == 0 && incrowd_data::ROW_NAMES.contains(&name)
}

/// The columns of the release.
pub(crate) fn columns(file: &SpecFile, names: &[String]) -> Result<Vec<(usize, Role)>> {
    let mut columns = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let role = match (file.spec.column(name), file.spec.other()) {
            (Some(column), _) => column.released_role(),
            (None, _) if file.spec.privacy.unit_column() == Some(name.as_str()) => continue,
            (None, _) if names_rows(at, name) => continue,
            (None, OtherColumns::Plain) => Role::Plain,
            // Guessed roles are in the spec by now.
            (None, OtherColumns::Drop | OtherColumns::Guess) => continue,
            (None, OtherColumns::Error) => {
                let message = format!("no role is given for column `{name}`");
                return Err(file
                    .error_at(&["data", "other"], message)
                    .help(if file.is_of_options() {
                        "give it a role".to_owned()
                    } else {
                        format!("add a table [columns.{name}] with its role")
                    })
                    .of_kind(ErrorKind::NoRole)
                    .of_check("unnamed-columns"));
            }
        };
        if role != Role::Identifying {
            columns.push((at, role));
        }
    }
    Ok(columns)
}

pub(crate) fn one_class(file: &SpecFile) -> Result<Option<String>> {
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

pub(crate) fn attribute(
    file: &SpecFile,
    column: &ColumnSection,
    missing: &[String],
) -> Result<AttributeSpec> {
    let hierarchy = match &column.hierarchy {
        None => None,
        Some(spec::hierarchies::Hierarchy::File(path)) => {
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
            Some(load_hierarchy(&spec::hierarchies::Hierarchy::File(path))?)
        }
        Some(rule) => Some(load_hierarchy(rule)?),
    };
    Ok(AttributeSpec {
        name: column.name.clone(),
        rule: DomainRule {
            // The first characters of a code are a code.
            kind: column
                .r#type
                .map(DomainKind::from)
                .or(column.keep_prefix.map(|_| DomainKind::Text)),
            // What became of treated dates is written in one form only.
            date_format: column.date_format.clone().filter(|_| !column.treatment().needs_dates()),
            usual_dates: file.spec.data.date_format.clone(),
            date_unit: column.date_unit.map(Into::into),
            as_written: false,
            by_bytes: false,
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

pub(crate) fn method(file: &SpecFile) -> Result<MethodChoice> {
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
    if let Err(error) = MethodChoice::new(&algorithm.method, &[]) {
        return Err(Error {
            help: Some(suggest(&algorithm.method, MethodChoice::names())),
            ..placed(file, &["algorithm", "method"], error)
        });
    }
    // One by one, so that the faulty one is shown.
    for (name, value) in &options {
        MethodChoice::new(&algorithm.method, &[(name, value)])
            .map_err(|error| placed(file, &["algorithm", name], error))?;
    }
    let seed = algorithm.seed_option().map(|(name, seed)| (name, seed.to_string()));
    let options = options.iter().chain(&seed);
    let options: Vec<(&str, &str)> = options.map(|(name, value)| (*name, value.as_str())).collect();
    let method = MethodChoice::new(&algorithm.method, &options)?;
    if !file.spec.privacy.same_box {
        return Ok(method);
    }
    match may_share_boxes(&method) {
        true => Ok(MethodChoice::Named(SameBox::default().into())),
        false => Err(file
            .error_at(
                &["privacy", "same-box"],
                "rows of a unit can share a box only in local recoding",
            )
            .help("choose the kind local, and leave the method out")),
    }
}

/// Whether classes have boxes of their own, so that the rows of a unit can share one.
pub(crate) fn may_share_boxes(method: &MethodChoice) -> bool {
    match method {
        MethodChoice::Auto(auto) => auto.kind == ReleaseKind::Local,
        MethodChoice::Named(method) => method.family() == RecodingModel::Multidimensional,
    }
}

/// Whether the user wants to see what fails: only of a method that leaves it so on purpose.
pub(crate) fn write_failing(file: &SpecFile, method: &MethodChoice) -> Result<bool> {
    if file.spec.release.failing == spec::FailingRows::Suppress {
        return Ok(false);
    }
    if matches!(method, MethodChoice::Named(Method::MuArgus(argus)) if !argus.repair) {
        return Ok(true);
    }
    let name = method.info().name;
    Err(file
        .error_at(
            &["release", "failing"],
            format!(
                "{name} produces no failing rows that \
                                                    could be written"
            ),
        )
        .help("only mu-argus with the option repair=off does; leave `failing` out"))
}

/// The models beyond k, each with its column.
pub(crate) fn models(file: &SpecFile) -> Result<Vec<(String, Model)>> {
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
                let message = format!(
                    "`{key}` protects column `{column}`, which does not \
                                       have the role sensitive"
                );
                return Err(file
                    .error_at(&keys, message)
                    .help(format!("give it the role: [columns.{column}] role = \"sensitive\"")));
            }
            model.validate().map_err(|error| placed(file, &keys[..3], error))?;
            Ok((column.to_owned(), model))
        })
        .collect()
}
