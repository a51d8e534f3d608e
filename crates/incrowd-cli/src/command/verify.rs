//! `verify`: the independent checker on a release.

use incrowd_engine::Control;
use incrowd_report::GateReport;
use incrowd_run::assess::{VerifyOptions, verify_release};
use incrowd_run::forms::check_record;
use incrowd_run::spec::{KeywordValue, SpecFile, parsing::parse_assignment};
use incrowd_run::{Result, verdict_for_messages};

use super::{list, one_from_stdin, open, open_or_count, spec_of};
use crate::CommandOutcome;
use crate::args::{Keywords, VerifyArgs};
use crate::gate::{GateFiles, checks_of};

pub(crate) fn verify(args: &VerifyArgs) -> Result<CommandOutcome> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let file = spec(args)?;
    let options = VerifyOptions::of_spec(&file)?
        .with_unchecked(args.unchecked.clone())
        .with_known(args.known.clone())
        .with_links(args.links.clone());
    let release = open_or_count(&file, &args.counting, |column| options.wanted(column))?;
    let original = match &args.original {
        None => None,
        Some(path) => Some(open(path, args.original_delimiter.as_deref(), None)?),
    };
    let read = [
        Some(("the release", release.path())),
        original.as_ref().map(|original| ("the original", original.path())),
    ];
    let gate = GateFiles::create(&args.gate, &read.into_iter().flatten().collect::<Vec<_>>())?;
    let mut verdict = verify_release(&release, original.as_ref(), &options, &Control::new())?;
    if let Some(path) = &args.record {
        check_record(path, &release, original.as_ref())?.add_to(&mut verdict);
    }
    // Files of pipelines are shared where tables are not, whatever the terminal may show.
    let report = GateReport {
        command: "verify",
        table: release.name(),
        checks: checks_of(&verdict.clone().without_values()),
    };
    let verdict = verdict_for_messages(verdict);
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("verdict", &verdict)?);
    } else {
        sayln!("{verdict}");
    }
    gate.write(&report)
}

/// The spec that the release should be one of, checked by the same rules as that of a run.
fn spec(args: &VerifyArgs) -> Result<SpecFile> {
    let mut own = Keywords::new();
    for (name, columns) in [("sensitive", &args.sensitive), ("identifying", &args.identifying)] {
        if !columns.is_empty() {
            own.push((name.to_owned(), list(columns)));
        }
    }
    let texts = [
        ("unit", args.unit.clone()),
        ("population", args.population.as_ref().map(|path| path.to_string_lossy().into_owned())),
    ];
    let texts = texts.into_iter();
    own.extend(texts.filter_map(|(name, text)| Some((name.to_owned(), KeywordValue::Text(text?)))));
    if args.wildcards {
        own.push(("wildcards".to_owned(), KeywordValue::Bool(true)));
    }
    let table = |texts: &[String], read: fn(String) -> KeywordValue| -> Result<KeywordValue> {
        let entries = texts.iter().map(|text| {
            let (column, value) = parse_assignment(text)?;
            Ok((column, read(value)))
        });
        Ok(KeywordValue::Table(entries.collect::<Result<_>>()?))
    };
    own.push(("hierarchy".to_owned(), table(&args.hierarchy, KeywordValue::Text)?));
    let values =
        |text: String| KeywordValue::List(text.split(',').map(KeywordValue::from).collect());
    own.push(("order".to_owned(), table(&args.order, values)?));
    let given = [
        Ok(own),
        args.models.keywords(),
        args.reading.keywords(),
        args.beyond.keywords(),
        args.treating.keywords(),
    ];
    spec_of(&args.release, args.least.k, &args.quasi, given)
}
