//! `verify`: the independent checker on a release.

use incrowd_engine::{Control, Model};
use incrowd_run::assess::{VerifyOptions, verify_release};
use incrowd_run::forms::check_record;
use incrowd_run::spec::{Hierarchy, Role, Spec, parse_assignment};
use incrowd_run::{Job, Result};

use super::anonymize::NamedColumns;
use super::{one_from_stdin, open, spec_of_options};
use crate::args::VerifyArgs;
use crate::{CommandOutcome, models};

pub(crate) fn verify(args: &VerifyArgs) -> Result<CommandOutcome> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let options = options(args)?;
    let wanted = |column: &str| options.wanted(column);
    let release = args.reading.open_or_count(&args.release, args.counting, wanted)?;
    let original = match &args.original {
        None => None,
        Some(path) => Some(open(path, args.original_delimiter.as_deref(), None)?),
    };
    let mut verdict = verify_release(&release, original.as_ref(), &options, &Control::new())?;
    if let Some(path) = &args.record {
        check_record(path, &release, original.as_ref())?.add_to(&mut verdict);
    }
    let verdict = match incrowd_engine::words::values_are_hidden() {
        true => verdict.without_values(),
        false => verdict,
    };
    if args.printing.json {
        sayln!("{}", crate::show::json_text("verdict", &verdict)?);
    } else {
        sayln!("{verdict}");
    }
    Ok(if verdict.holds { CommandOutcome::Done } else { CommandOutcome::Unmet })
}

fn options(args: &VerifyArgs) -> Result<VerifyOptions> {
    let privacy = models::read(&args.models, args.least.k)?;
    let reference = privacy.reference.map_or_else(Default::default, Into::into);
    let population = args.models.risks.k_map.as_ref().or(args.population.as_ref());
    let mut options = VerifyOptions::new(args.least.k, &args.quasi)
        .with_risks(&privacy, population.cloned())
        .with_identifying(args.identifying.clone())
        .with_sensitive(args.sensitive.clone())
        .with_unit(args.unit.clone())
        .with_reference(reference)
        .with_count_missing(args.models.count_missing)
        .with_wildcards(args.wildcards)
        .with_missing(args.reading.missing())
        .with_dates(args.reading.dates()?)
        .with_unchecked(args.unchecked.clone())
        .with_decimal(args.reading.decimal()?)
        .with_finishing(args.beyond.finishing(args.unit.as_deref())?)
        .with_known(args.known.clone())
        .with_links(args.links.clone())
        .with_treatments(args.treating.columns(args.reading.decimal()?, &args.reading.dates()?)?);
    for (column, model) in sensitive_models(args)? {
        options = options.with_model(column, model);
    }
    for text in &args.order {
        let (column, values) = parse_assignment(text)?;
        options = options.with_order(column, values.split(',').map(str::to_owned).collect());
    }
    for text in &args.hierarchy {
        let (column, file) = parse_assignment(text)?;
        options = options.with_hierarchy(column, Hierarchy::from_word(&file)?);
    }
    Ok(options)
}

/// The models asked for, read by the same rules as those of a run.
fn sensitive_models(args: &VerifyArgs) -> Result<Vec<(String, Model)>> {
    let mut columns = NamedColumns::default();
    let quasi = args.quasi.iter().map(|name| (name, Role::Quasi));
    for (name, role) in quasi.chain(args.sensitive.iter().map(|name| (name, Role::Sensitive))) {
        columns.add(name, role)?;
    }
    let mut spec = Spec::new(&args.release, columns.0, args.least.k);
    spec.data.table.clone_from(&args.reading.table);
    spec.privacy = models::read(&args.models, args.least.k)?;
    for column in &mut spec.columns {
        // The hierarchies are given to the verifier itself; here they only have to be known.
        let named = args.hierarchy.iter().filter_map(|text| parse_assignment(text).ok());
        column.hierarchy = named
            .into_iter()
            .find(|(name, _)| *name == column.name)
            .and_then(|(_, file)| Hierarchy::from_word(&file).ok());
    }
    Job::models(&spec_of_options(spec)?)
}
