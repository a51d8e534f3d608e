//! `risk`: who could be found in a table, and what gives them away.

mod show;

use std::path::Path;

use incrowd_assess::risk::{PopulationSize, RiskOptions};
use incrowd_report::{GateCheck, GateReport, PageProvenance, risk_page};
use incrowd_run::assess::{LabelQuestions, risk_of, wanted_for_risk, with_labels};
use incrowd_run::spec::{
    ROW, SpecFile,
    hierarchies::Hierarchy,
    parsing::{parse_assignment, parse_share},
};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
    treated,
};

use super::report::command;
use super::{on_threads, one_from_stdin, open, open_or_count, spec_of};
use crate::gate::{GateFiles, limit};
use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, args};

pub(crate) fn risk(args: &args::RiskArgs) -> Result<CommandOutcome> {
    let given = [args.reading.keywords(), args.treating.keywords()];
    let file = spec_of(&args.input, 1, &[], given)?;
    let options = options(args, &file)?;
    named_once(&args.quasi)?;
    one_from_stdin(("the table", &args.input), ("the population", args.population.as_deref()))?;
    crate::show::one_on_stdout(args.printing.json, [args.report.as_deref()])?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let wanted = |column: &str| wanted_for_risk(column, &args.quasi, &options);
    let source = treated(&file, open_or_count(&file, &args.counting, wanted)?)?;
    let population = match &args.population {
        None => None,
        Some(path) => Some(open(path, args.population_delimiter.as_deref(), args.threads)?),
    };
    one_from_stdin(("the table", &args.input), ("the control group", args.control.as_deref()))?;
    let control = match &args.control {
        None => None,
        Some(path) => Some(open(path, args.population_delimiter.as_deref(), args.threads)?),
    };
    let hierarchy = |text: &String| -> Result<(String, Hierarchy)> {
        let (column, file) = parse_assignment(text)?;
        Ok((column, Hierarchy::from_word(&file)?))
    };
    let asked = LabelQuestions {
        control: control.as_ref(),
        hierarchies: args.hierarchy.iter().map(hierarchy).collect::<Result<_>>()?,
    };
    let page = match &args.report {
        None => None,
        Some(target) => {
            let read = [
                Some(("the table", source.path())),
                population.as_ref().map(|p| ("the population", p.path())),
            ];
            let read: Vec<(&str, &Path)> = read.into_iter().flatten().collect();
            refuse_overwrite("the report", target, &read)?;
            Some(OutputFile::create(target)?)
        }
    };
    let limits = limits(args)?;
    let gate = GateFiles::create(&args.gate, &[("the table", source.path())])?;
    let found = on_threads(args.threads, || {
        let found = risk_of(&source, &args.quasi, population.as_ref(), &options, &bars.control)?;
        with_labels(found, &source, &args.quasi, &asked, &options, &bars.control)
    })??;
    drop(bars);
    if let Some(page) = page {
        page.fill(risk_page(
            &found,
            &PageProvenance::new().with_command(command(crate::command_line::typed().into_iter())),
        ))?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("result", &found)?);
    } else if args.report.as_deref() != Some(Path::new("-")) {
        sayln!("{}", show::text(&found, args.report.as_deref()));
    }
    let figures = [found.prosecutor.highest, found.prosecutor.average, found.unique_share];
    let checks =
        LIMITS.into_iter().zip(limits).zip(figures).filter_map(|((rule, limit), figure)| {
            let (option, what) = rule;
            Some(GateCheck::at_most(&option[2..], what, figure, limit?))
        });
    let report = GateReport { command: "risk", table: source.name(), checks: checks.collect() };
    let ended = gate.write(&report)?;
    Ok(if found.complete { ended } else { CommandOutcome::Interrupted })
}

/// What may be limited, and what it is.
const LIMITS: [(&str, &str); 3] = [
    ("--max-risk", "the highest risk"),
    ("--max-average-risk", "the average risk"),
    ("--max-unique", "the share of rows that look like no other"),
];

fn limits(args: &args::RiskArgs) -> Result<[Option<f64>; 3]> {
    let given = [&args.max_risk, &args.max_average_risk, &args.max_unique];
    let mut limits = [None; 3];
    for (at, text) in given.into_iter().enumerate() {
        limits[at] = text.as_deref().map(|text| limit(LIMITS[at].0, text)).transpose()?;
    }
    Ok(limits)
}

fn options(args: &args::RiskArgs, file: &SpecFile) -> Result<RiskOptions> {
    let threshold = chance(&args.threshold)?;
    let sampling = match (&args.sampling_fraction, args.population_size) {
        (Some(text), _) => PopulationSize::Fraction(fraction(text)?),
        (None, Some(people)) => PopulationSize::People(people),
        (None, None) => PopulationSize::Unknown,
    };
    let options = RiskOptions::new()
        .with_threshold(threshold)
        .with_size(args.size.into())
        .with_missing(file.spec.data.missing_tokens())
        .with_sampling(sampling);
    let options = match &args.weight_column {
        Some(column) => options.with_weight_column(column),
        None => options,
    };
    Ok(match args.unit.as_deref() {
        Some(column) if column != ROW => options.with_unit_column(column),
        _ => options,
    })
}

/// The chance above which a row is at risk.
fn chance(text: &str) -> Result<f64> {
    parse_share(text).map_err(|_| {
        Error::new(format!("the threshold `{text}` is not a probability"))
            .help("write a number above 0 and at most 1, such as --threshold 0.2 or 20%")
    })
}

fn fraction(text: &str) -> Result<f64> {
    parse_share(text).map_err(|_| {
        Error::new(format!("the sampling fraction `{text}` is not possible")).help(
            "write the share of the population that is in the table: above 0 and at most 1, \
             such as 0.01 or 1%",
        )
    })
}

/// Refuses names that are empty or given twice.
fn named_once(names: &[String]) -> Result<()> {
    if names.iter().any(String::is_empty) {
        return Err(Error::new("a name in --quasi is empty")
            .help("separate names by single commas, without spaces"));
    }
    match (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        None => Ok(()),
        Some(at) => Err(Error::new(format!("--quasi names `{}` twice", names[at]))
            .help("name every column once")),
    }
}
