//! `frontier`: the least cost for several k and limits.

use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::words::thousands;
use incrowd_run::spec::parsing::{SuppressionLimit, parse_duration, parse_limit};
use incrowd_run::{
    Result,
    data::{OutputFile, refuse_overwrite},
    explore::{FrontierRequest, SweepAnswer},
    report::{cost_text, gap_text},
};
use incrowd_term::tell;

use super::anonymize::method_options;
use super::{open_input, spec_of, spec_of_options};
use crate::args::FrontierArgs;
use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, show};

pub(crate) fn frontier(args: &FrontierArgs) -> Result<CommandOutcome> {
    let taken = show::one_on_stdout(args.printing.json, [args.output.as_deref()])?;
    let limits: Vec<SuppressionLimit> =
        args.max_suppressed.iter().map(|text| parse_limit(text)).collect::<Result<_>>()?;
    // A table that is large enough for the largest k is large enough for all.
    let largest = args.k.iter().copied().max().unwrap_or(1);
    let question = &args.question;
    let given = [question.about.keywords()];
    let mut spec = spec_of(&question.input, largest, &question.quasi, given)?.spec;
    spec.algorithm.method = "optimal".to_owned();
    spec.algorithm.time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    spec.algorithm.options = method_options(&args.option, &[("gap", args.gap.as_deref())])?;
    spec.algorithm.prove = args.prove.then_some(true);
    let kinds = args.kinds.iter().filter_map(|name| ReleaseKind::from_name(name));
    let file = spec_of_options(spec)?;
    let source = open_input(&file)?;
    if let Some(output) = &args.output {
        refuse_overwrite("the frontier", output, &[("the input", source.path())])?;
    }
    let output = args.output.as_deref().map(OutputFile::create).transpose()?;

    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let asked = FrontierRequest::new(args.k.iter().copied()).with_limits(limits).with_kinds(kinds);
    let found = asked.run(&file, &source, &bars.control)?;
    drop(bars);
    if let Some(file) = output {
        file.fill(found.to_csv())?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("frontier", &found.answers)?);
    } else if !taken {
        show_answers(&found.answers, args.kinds.len() > 1);
    }
    for note in found.notes {
        tell(&format!("note: {note}"));
    }
    Ok(if found.interrupted { CommandOutcome::Interrupted } else { CommandOutcome::Done })
}

fn show_answers(answers: &[SweepAnswer], kinds: bool) {
    let first = |text: &str| kinds.then(|| text.to_owned());
    let rows = answers.iter().map(|answer| {
        let rest = [
            thousands(answer.k),
            answer.limit.to_string(),
            show::maybe(answer.cost, cost_text),
            show::maybe(answer.bound, cost_text),
            show::maybe(answer.gap, gap_text),
            show::maybe(answer.suppressed, thousands),
            show::maybe(answer.classes, |classes| thousands(classes as u64)),
            thousands(answer.nodes),
            show::seconds(answer.wall_seconds),
            match answer.carried_from {
                _ if answer.derived => format!("{}, derived", answer.outcome),
                Some((k, limit)) => format!("{}, as for k {k}, {limit}", answer.outcome),
                None => answer.outcome.to_string(),
            },
        ];
        first(answer.kind).into_iter().chain(rest).collect()
    });
    let header =
        ["k", "limit", "cost", "bound", "gap", "suppressed", "classes", "nodes", "time", "outcome"];
    let header: Vec<&str> = kinds.then_some("kind").into_iter().chain(header).collect();
    sayln!("{}", show::table(&header, rows));
}
