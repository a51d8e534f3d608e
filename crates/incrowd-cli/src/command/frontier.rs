//! `frontier`: the least cost for several k and limits.

use incrowd::thousands;
use incrowd_io::spec::{SuppressionLimit, parse_duration, parse_limit};
use incrowd_io::{
    Answer, Error, Job, OutputFile, Result, Series, cost_text, gap_text, refuse_overwrite,
};

use super::anonymize::{method_options, question};
use super::{on_threads, open_input, spec_of_options};
use crate::args::Frontier;
use crate::progress::Bars;
use crate::{End, show};

/// The columns of the CSV form.
const HEADER: [&str; 12] = [
    "k",
    "limit",
    "outcome",
    "cost",
    "bound",
    "gap",
    "suppressed",
    "classes",
    "nodes",
    "cpu_seconds",
    "wall_seconds",
    "derived",
];

pub(crate) fn frontier(args: &Frontier) -> Result<End> {
    let taken = show::one_on_stdout(args.printing.json, [args.output.as_deref()])?;
    let limits: Vec<SuppressionLimit> =
        args.max_suppressed.iter().map(|text| parse_limit(text)).collect::<Result<_>>()?;
    // A table that is large enough for the largest k is large enough for all.
    let largest = args.k.iter().copied().max().unwrap_or(1);
    let mut spec = question(&args.question, largest)?;
    spec.algorithm.method = "optimal".to_owned();
    spec.algorithm.time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    spec.algorithm.options = method_options(&args.option, &[("gap", args.gap.as_deref())])?;
    let file = spec_of_options(spec)?;
    let source = open_input(&file)?;
    let job = Job::new(&file, &source)?;
    if let Some(output) = &args.output {
        refuse_overwrite("the frontier", output, &[("the input", source.path())])?;
    }
    let output = args.output.as_deref().map(OutputFile::create).transpose()?;

    let bars = Bars::new(args.printing.quiet || args.printing.json);
    let (notes, mut answers, interrupted) = on_threads(file.spec.algorithm.threads, || {
        let mut series = Series::new(&job, &source, true, &bars.control)?;
        let notes = series.notes()?;
        let (answers, interrupted) = all(&mut series, &args.k, &limits, &bars)?;
        Ok::<_, Error>((notes, answers, interrupted))
    })??;
    drop(bars);
    // Found in the order that helps most, told in the order asked for.
    answers.sort_by_key(|answer| {
        let k = args.k.iter().position(|&k| k == answer.k);
        (k, limits.iter().position(|&limit| limit == answer.limit))
    });
    if let Some(file) = output {
        let lines: String = std::iter::once(HEADER.join(",") + "\n")
            .chain(answers.iter().map(|answer| csv(answer).join(",") + "\n"))
            .collect();
        file.fill(lines)?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_text("frontier", &answers)?);
    } else if !taken {
        show_answers(&answers);
    }
    for note in notes {
        eprintln!("note: {note}");
    }
    Ok(if interrupted { End::Interrupted } else { End::Done })
}

/// Every answer until the user ends it, and whether that happened.
fn all(
    series: &mut Series,
    ks: &[u64],
    limits: &[SuppressionLimit],
    bars: &Bars,
) -> Result<(Vec<Answer>, bool)> {
    let instances = series.order(ks, limits);
    let mut answers: Vec<Answer> = Vec::new();
    for (at, &(k, limit)) in instances.iter().enumerate() {
        if bars.cancelled() {
            return Ok((answers, true));
        }
        let name = format!("k {k}, limit {limit}");
        bars.part(&format!("{name} ({} of {})", at + 1, instances.len()));
        let answer = series.solve(k, limit, &bars.control)?;
        bars.announce(&format!("{name}: {}", answer.in_short()));
        answers.push(answer);
    }
    let interrupted = answers.last().is_some_and(|answer| answer.interrupted);
    Ok((answers, interrupted))
}

/// An answer as fields of CSV.
fn csv(answer: &Answer) -> Vec<String> {
    vec![
        answer.k.to_string(),
        answer.limit.to_string(),
        answer.outcome.to_owned(),
        show::field(answer.cost),
        show::field(answer.bound),
        show::field(answer.gap),
        show::field(answer.suppressed),
        show::field(answer.classes),
        answer.nodes.to_string(),
        format!("{:.3}", answer.cpu_seconds),
        format!("{:.3}", answer.wall_seconds),
        answer.derived.to_string(),
    ]
}

fn show_answers(answers: &[Answer]) {
    let rows = answers.iter().map(|answer| {
        vec![
            thousands(answer.k),
            answer.limit.to_string(),
            show::maybe(answer.cost, cost_text),
            show::maybe(answer.bound, cost_text),
            show::maybe(answer.gap, gap_text),
            show::maybe(answer.suppressed, thousands),
            show::maybe(answer.classes, |classes| thousands(classes as u64)),
            thousands(answer.nodes),
            show::seconds(answer.wall_seconds),
            if answer.derived {
                format!("{}, derived", answer.outcome)
            } else {
                answer.outcome.to_owned()
            },
        ]
    });
    let header =
        ["k", "limit", "cost", "bound", "gap", "suppressed", "classes", "nodes", "time", "outcome"];
    sayln!("{}", show::table(&header, rows));
}
