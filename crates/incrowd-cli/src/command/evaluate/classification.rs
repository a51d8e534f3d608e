//! `evaluate classification`: how well a decision tree predicts a column from a release.

use incrowd::Control;
use incrowd::words::thousands;
use incrowd_assess::classify::{Classification, ClassificationErrors, ClassificationReport};
use incrowd_io::Result;
use incrowd_io::assess::{ClassifyOptions, classification_of};

use crate::command::{on_threads, one_from_stdin, open};
use crate::{End, args};

pub(super) fn classification(args: &args::Classification) -> Result<End> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let original = match &args.original {
        None => None,
        Some(path) => Some(open(path, args.original_delimiter.as_deref(), None)?),
    };
    let release = args.reading.open(&args.release)?;
    let options = ClassifyOptions::new(&args.quasi, &args.class).with_settings(Classification {
        folds: args.folds,
        seed: args.seed,
        least_leaf: args.least_leaf,
        depth: args.depth,
    });
    let found = on_threads(args.threads, || {
        classification_of(&release, original.as_ref(), &options, &Control::new())
    })??;
    if args.printing.json {
        sayln!("{}", crate::show::json_text("result", &found)?);
    } else {
        show(&args.class, &found);
    }
    Ok(End::Done)
}

fn show(class: &str, evaluation: &ClassificationReport) {
    let ClassificationReport { settings, release, original, with_suppressed, .. } = evaluation;
    let line = |name: &str, text: String| sayln!("{name:<14}{text}");
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let told = |errors: &ClassificationErrors| {
        format!(
            "error {}, give or take {}; {} rows, trees of {:.0} leaves",
            percent(errors.error),
            percent(errors.standard_error),
            thousands(errors.rows),
            errors.leaves
        )
    };
    let whole = original.as_ref().unwrap_or(release);
    line(
        "predicted",
        format!("{class}, by decision trees ({} folds, seed {})", settings.folds, settings.seed),
    );
    if let Some((name, _)) = whole.classes.first() {
        line("baseline", format!("error {}, always saying {name}", percent(whole.baseline)));
    }
    if let Some(original) = original {
        line("original", told(original));
    }
    line("release", told(release));
    if let Some(all) = with_suppressed.filter(|all| all.suppressed > 0) {
        let most = release.classes.first().map_or("", |class| class.0.as_str());
        line(
            "all rows",
            format!(
                "error {}, if the {} rows that the release lacks are taken as {most}",
                percent(all.error),
                thousands(all.suppressed)
            ),
        );
    }
}
