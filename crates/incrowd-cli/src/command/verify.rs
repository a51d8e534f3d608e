//! `verify`: the independent checker on a release.

use incrowd::{Control, Distance, HierarchySource, Model};
use incrowd_io::spec::{Hierarchy, Role, Spec, parse_assignment};
use incrowd_io::{Error, Job, Result, Source, load_hierarchy, translated, verify_sources};
use incrowd_verify::{Ladder, Missing, Requirements, SensitiveModel};

use super::anonymize::Columns;
use super::{column_of, one_from_stdin, open, spec_of_options};
use crate::args::Verify;
use crate::{End, models};

pub(crate) fn verify(args: &Verify) -> Result<End> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let release = args.reading.open(&args.release)?;
    let original = match &args.original {
        None => None,
        Some(path) => Some(open(path, args.original_delimiter.as_deref(), None)?),
    };
    for column in args.quasi.iter().chain(&args.sensitive).chain(&args.unchecked) {
        let has = |end: &str| release.columns().contains(&format!("{column}{end}"));
        // A quasi-identifier may have become two columns.
        if !(has("_min") && has("_max")) {
            column_of(&release, column)?;
        }
    }
    for (source, column) in
        original.iter().flat_map(|source| args.quasi.iter().map(move |name| (source, name)))
    {
        column_of(source, column)?;
    }
    let mut requirements = Requirements::new(args.k, args.quasi.iter().cloned());
    requirements.identifying = args.identifying.clone();
    requirements.wildcards = args.wildcards;
    requirements.missing = Missing::new(args.reading.missing());
    requirements.unchecked = args.unchecked.clone();
    for (column, model) in sensitive_models(args)? {
        let order = match model {
            Model::TCloseness { distance: Distance::Ordered, .. } => {
                order_of(args, &column, original.as_ref().unwrap_or(&release))?
            }
            _ => None,
        };
        requirements
            .models
            .push(SensitiveModel { order, ..SensitiveModel::new(column, translated(model)) });
    }
    for text in &args.hierarchy {
        let (column, file) = parse_assignment(text)?;
        if !args.quasi.contains(&column) {
            column_of(&release, &column)?;
        }
        let rows = ladder_rows(
            &column,
            &Hierarchy::File(file.into()),
            original.as_ref(),
            &args.reading.missing(),
        )?;
        let ladder = Ladder::from_rows(rows).map_err(|e| Error::new(e.to_string()))?;
        requirements.ladders.insert(column, ladder);
    }
    let verdict = verify_sources(&release, original.as_ref(), &requirements, &Control::new())?;
    if args.printing.json {
        sayln!("{}", crate::show::json_text("verdict", &verdict)?);
    } else {
        sayln!("{verdict}");
    }
    Ok(if verdict.holds { End::Done } else { End::Unmet })
}

/// The models asked for, read by the same rules as those of a run.
fn sensitive_models(args: &Verify) -> Result<Vec<(String, Model)>> {
    let mut columns = Columns::default();
    let quasi = args.quasi.iter().map(|name| (name, Role::Quasi));
    for (name, role) in quasi.chain(args.sensitive.iter().map(|name| (name, Role::Sensitive))) {
        columns.add(name, role)?;
    }
    let mut spec = Spec::new(&args.release, columns.0, args.k);
    spec.privacy = models::read(&args.models, args.k)?;
    for column in &mut spec.columns {
        // The hierarchies are given to the verifier itself; here they only have to be known.
        let named = args.hierarchy.iter().filter_map(|text| parse_assignment(text).ok());
        column.hierarchy = named
            .into_iter()
            .find(|(name, _)| *name == column.name)
            .map(|(_, file)| Hierarchy::File(file.into()));
    }
    Job::models(&spec_of_options(spec)?)
}

/// The order that a run gives the values of a sensitive column; none for numbers, which order
/// themselves.
fn order_of(args: &Verify, column: &str, source: &Source) -> Result<Option<Vec<String>>> {
    for text in &args.order {
        let (name, values) = parse_assignment(text)?;
        if name == column {
            return Ok(Some(values.split(',').map(str::to_owned).collect()));
        }
    }
    let domain = super::hierarchy::domain_of(source, column, &args.reading.missing())?;
    let labels = (0..domain.len() as u32).map(|code| domain.label(code).to_owned());
    Ok((!domain.is_numeric()).then(|| labels.collect()))
}

/// A hierarchy as rows; one built by rule needs the original's values.
fn ladder_rows(
    column: &str,
    hierarchy: &Hierarchy,
    original: Option<&Source>,
    missing: &[String],
) -> Result<Vec<Vec<String>>> {
    match load_hierarchy(hierarchy)? {
        HierarchySource::Given(tree) => Ok(tree.to_rows()),
        HierarchySource::Rule(rule) => {
            let original = original.ok_or_else(|| {
                Error::new(format!("the hierarchy of `{column}` is a rule: its values must come from the original"))
                    .help("name the original with --original, or build a file with `incrowd hierarchy build`")
            })?;
            let values = super::hierarchy::values_of(original, column, missing)?;
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            Ok(rule.rows(column, &values)?)
        }
    }
}
