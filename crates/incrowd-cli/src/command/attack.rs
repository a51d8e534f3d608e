//! `attack`: people looked for in a release of any tool.

use std::path::Path;

use incrowd_assess::attack::{AttackOptions, AttackOutcome, AttackReport};
use incrowd_engine::words::thousands;
use incrowd_report::{
    GateCheck, GateReport, PRECISION_HEAD, PageProvenance, attack_headline, attack_page,
    attacks_of, baseline_words, outside_words, percent, precision_rows,
};
use incrowd_run::assess::{
    AttackSettings, RefineReport, attack_release, refine_release, refined_csv,
};
use incrowd_run::spec::{
    hierarchies::Hierarchy,
    parsing::{parse_assignment, parse_share},
};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
};

use super::report::command;
use super::{on_threads, one_from_stdin, open};
use crate::gate::GateFiles;
use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, args};

pub(crate) fn attack(args: &args::AttackArgs) -> Result<CommandOutcome> {
    let settings = settings(args)?;
    let Some(original) = args.original.as_deref().filter(|_| args.refine.is_none()) else {
        return refine(args, &settings);
    };
    let limit = args.max_risk.as_deref().map(share).transpose()?;
    one_from_stdin(("the release", &args.release), ("the original", Some(original)))?;
    one_from_stdin(("the release", &args.release), ("the control group", args.control.as_deref()))?;
    one_from_stdin(("the original", original), ("the control group", args.control.as_deref()))?;
    crate::show::one_on_stdout(args.printing.json, [args.report.as_deref()])?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let release = args.reading.open(&args.release)?;
    let other = |path: &Path| open(path, args.original_delimiter.as_deref(), args.threads);
    let original = other(original)?;
    let control = args.control.as_deref().map(other).transpose()?;
    let page = match &args.report {
        None => None,
        Some(target) => {
            let read = [
                Some(("the release", release.path())),
                Some(("the original", original.path())),
                control.as_ref().map(|control| ("the control group", control.path())),
            ];
            let read: Vec<(&str, &Path)> = read.into_iter().flatten().collect();
            refuse_overwrite("the report", target, &read)?;
            Some(OutputFile::create(target)?)
        }
    };
    let gate = GateFiles::create(
        &args.gate,
        &[("the release", release.path()), ("the original", original.path())],
    )?;
    let found = on_threads(args.threads, || {
        attack_release(&release, &original, control.as_ref(), &settings, &bars.control)
    })??;
    drop(bars);
    if let Some(page) = page {
        let made =
            PageProvenance::new().with_command(command(crate::command_line::typed().into_iter()));
        page.fill(attack_page(&found, &made))?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("result", &found)?);
    } else if args.report.as_deref() != Some(Path::new("-")) {
        sayln!("{}", text(&found));
    }
    let attacks = attacks_of(&found).into_iter().filter_map(|it| {
        let what = format!("the risk of {}", it.name);
        Some(GateCheck::at_most("max-risk", &what, it.outcome.risk, limit?))
    });
    let checks = attacks.collect();
    gate.write(&GateReport { command: "attack", table: release.name(), checks })
}

/// Writes the finer table that labels imply. It tells values of people, so only its owner may read it.
fn refine(args: &args::AttackArgs, settings: &AttackSettings) -> Result<CommandOutcome> {
    let Some(target) = &args.refine else {
        return Err(Error::new("there is no original").help("name it with --original"));
    };
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    crate::show::one_on_stdout(args.printing.json, [Some(target.as_path())])?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let release = args.reading.open(&args.release)?;
    let other = |path: &Path| open(path, args.original_delimiter.as_deref(), args.threads);
    let original = args.original.as_deref().map(other).transpose()?;
    let read = [Some(&release), original.as_ref()].into_iter().flatten();
    let read: Vec<(&str, &Path)> =
        ["the release", "the original"].into_iter().zip(read.map(|it| it.path())).collect();
    refuse_overwrite("the finer table", target, &read)?;
    let file = OutputFile::create_private(target)?;
    let (found, table) = on_threads(args.threads, || {
        refine_release(&release, original.as_ref(), settings, &bars.control)
    })??;
    drop(bars);
    file.fill(refined_csv(&table)?)?;
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("result", &found)?);
    } else if target != Path::new("-") {
        sayln!("{}", refined_text(&found, target));
    }
    Ok(CommandOutcome::Done)
}

fn refined_text(report: &RefineReport, target: &Path) -> String {
    let mut lines = String::new();
    let mut line = |name: &str, value: &str| lines.push_str(&format!("{name:<14}{value}\n"));
    line(
        "release",
        &format!(
            "{} rows in {} classes, by {}",
            thousands(report.released),
            thousands(report.classes),
            report.columns.join(", ")
        ),
    );
    let share = |rows: u64| percent(rows as f64 / report.released.max(1) as f64);
    line(
        "implied",
        &format!(
            "{} fields are a single value after all; {} of rows surely have one",
            thousands(report.fields),
            share(report.rows)
        ),
    );
    if let Some(score) = &report.score {
        line(
            "right",
            &format!(
                "{} of the fields, of {} of rows; guesses from the labels alone: {}, of {}",
                thousands(score.right_fields),
                percent(score.right_share),
                thousands(score.guessed_fields),
                percent(score.guessed_share)
            ),
        );
    }
    line("written", &target.display().to_string());
    lines.push_str(match report.fields {
        0 => "\nNo label implies more than it says.",
        _ => {
            "\nThe labels tell more than they say. `--labels safe` prevents it. Values of two columns \
             in one row need not belong together."
        }
    });
    lines
}

fn settings(args: &args::AttackArgs) -> Result<AttackSettings> {
    let options = AttackOptions::new()
        .with_known(args.known.clone())
        .with_secret(args.secret.clone())
        .with_attempts(args.attempts)
        .with_confidence(share(&args.confidence)?)
        .with_seed(args.seed);
    let read = args.reading.spec(&args.release)?.spec;
    let mut settings = AttackSettings::new(options)
        .with_missing(read.data.missing_tokens())
        .with_dates(read.date_formats())
        .with_decimal(read.data.decimal);
    for text in &args.hierarchy {
        let (column, file) = parse_assignment(text)?;
        settings = settings.with_hierarchy(column, Hierarchy::from_word(&file)?);
    }
    Ok(settings)
}

fn share(text: &str) -> Result<f64> {
    parse_share(text).map_err(|_| {
        Error::new(format!("`{text}` is not a share"))
            .help("write a share above 0 and at most 1, such as 0.05 or 5%")
    })
}

fn text(report: &AttackReport) -> String {
    let mut lines = String::new();
    let mut line = |name: &str, value: &str| lines.push_str(&format!("{name:<14}{value}\n"));
    line(
        "release",
        &format!("{} rows of {}", thousands(report.released), thousands(report.original)),
    );
    line("known", &report.known.join(", "));
    line("compared with", &baseline_words(report));
    if let Some(outside) = &report.outside {
        line("outside", &outside_words(outside));
    }
    for note in &report.notes {
        line("note", note);
    }
    let rows = attacks_of(report).into_iter().map(|attack| {
        let AttackOutcome { attack: hits, control, risk, low, high } = attack.outcome;
        vec![
            attack.name,
            percent(hits.share),
            percent(control.share),
            percent(*risk),
            format!("{} to {}", percent(*low), percent(*high)),
        ]
    });
    let header = ["attack", "right", "control", "risk", "interval"];
    let precise = match report.precision.is_empty() {
        true => String::new(),
        false => format!(
            "{}\n(in brackets: about the control)\n\n",
            crate::show::table(&PRECISION_HEAD, precision_rows(report).into_iter())
        ),
    };
    format!(
        "{lines}\n{}\n\n{precise}{}",
        crate::show::table(&header, rows),
        attack_headline(report)
    )
}
