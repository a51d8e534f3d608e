//! `evaluate metrics`, `evaluate statistics` and `evaluate all`: what a written release lost, from the files alone.

use incrowd_assess::usefulness::UsefulnessOptions;
use incrowd_engine::Control;
use incrowd_report::{
    GateCheck, GateReport, PageProvenance, evaluation_lines, evaluation_page, statistics_lines,
};
use incrowd_run::assess::{EvaluateOptions, Evaluation, evaluate};
use incrowd_run::{
    Result,
    data::{OutputFile, refuse_overwrite},
    hierarchy_files,
};

use crate::CommandOutcome;
use crate::args::{MetricsArgs, StatisticsArgs};
use crate::command::report::command;
use crate::command::{on_threads, one_from_stdin, open, open_input, spec_of};
use crate::gate::{GateFiles, limit};

pub(super) fn metrics(args: &MetricsArgs) -> Result<CommandOutcome> {
    measure(args, EvaluateOptions::new(), evaluation_lines)
}

pub(super) fn statistics(args: &StatisticsArgs) -> Result<CommandOutcome> {
    let options = EvaluateOptions::new().with_statistics(Some(asked(args)));
    measure(&args.metrics, options, statistics_lines)
}

pub(super) fn all(args: &StatisticsArgs) -> Result<CommandOutcome> {
    let options = EvaluateOptions::all().with_statistics(Some(asked(args)));
    measure(&args.metrics, options, evaluation_lines)
}

fn asked(args: &StatisticsArgs) -> UsefulnessOptions {
    UsefulnessOptions::new()
        .with_outcomes(args.outcomes.clone())
        .with_subgroups(args.subgroups.clone())
        .with_same_order(args.same_order)
}

/// Measures a release and prints what `lines` tells of it.
fn measure(
    args: &MetricsArgs,
    options: EvaluateOptions,
    lines: fn(&Evaluation) -> Vec<(String, String)>,
) -> Result<CommandOutcome> {
    one_from_stdin(("the release", &args.release), ("the original", Some(&args.original)))?;
    let file = spec_of(&args.original, 1, &args.quasi, [args.about.keywords()])?;
    let threads = file.spec.algorithm.threads;
    let original = open_input(&file)?;
    let release = open(&args.release, args.release_delimiter.as_deref(), threads)?;
    let page = match &args.report {
        None => None,
        Some(path) => {
            let hierarchies = hierarchy_files(&file);
            let mut taken =
                vec![("the original", original.path()), ("the release", release.path())];
            taken.extend(hierarchies.iter().map(|(what, path)| (what.as_str(), path.as_path())));
            refuse_overwrite("the page", path, &taken)?;
            Some(OutputFile::create(path)?)
        }
    };
    let most = args.max_loss.as_deref().map(|text| limit("--max-loss", text)).transpose()?;
    let gate = GateFiles::create(
        &args.gate,
        &[("the original", original.path()), ("the release", release.path())],
    )?;
    let options = options.with_k(args.k).with_blank_suppressed(args.blank_suppressed);
    let found =
        on_threads(threads, || evaluate(&file, &original, &release, &options, &Control::new()))??;
    if let Some(page) = page {
        page.fill(evaluation_page(
            &found,
            &PageProvenance::new().with_command(command(crate::command_line::typed().into_iter())),
        ))?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("result", &found)?);
    } else {
        for (name, value) in lines(&found) {
            sayln!("{name:<14}{value}");
        }
    }
    let mut checks = Vec::new();
    if let Some(most) = most {
        let what = "the loss of detail";
        checks.push(match found.metrics.gcp {
            Some(loss) => GateCheck::at_most("max-loss", what, loss, most),
            None => {
                let why = format!("{what} cannot be told");
                GateCheck::new("max-loss", format!("{what} is at most {most}"), Some(why))
            }
        });
    }
    gate.write(&GateReport { command: "evaluate", table: release.name(), checks })
}
