//! `evaluate classification`: how well a decision tree predicts a column from a release.

use incrowd_assess::classify::{
    ClassificationErrors, ClassificationOptions, ClassificationReport, HoldoutErrors,
};
use incrowd_engine::Control;
use incrowd_engine::words::thousands;
use incrowd_run::Result;
use incrowd_run::assess::{ClassifyOptions, classification_with_test};
use incrowd_run::spec::{hierarchies::Hierarchy, parsing::parse_assignment};

use crate::command::{on_threads, one_from_stdin, open};
use crate::{CommandOutcome, args};

pub(super) fn classification(args: &args::ClassificationArgs) -> Result<CommandOutcome> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let original = match &args.original {
        None => None,
        Some(path) => Some(open(path, args.original_delimiter.as_deref(), None)?),
    };
    let release = args.reading.open(&args.release)?;
    let test = args.test.as_deref().map(|path| open(path, None, None)).transpose()?;
    let mut options =
        ClassifyOptions::new(&args.quasi, &args.class).with_settings(ClassificationOptions {
            folds: args.folds,
            seed: args.seed,
            least_leaf: args.least_leaf,
            depth: args.depth,
        });
    for text in &args.hierarchy {
        let (column, word) = parse_assignment(text)?;
        options = options.with_hierarchy(column, Hierarchy::from_word(&word)?);
    }
    let found = on_threads(args.threads, || {
        classification_with_test(
            &release,
            original.as_ref(),
            test.as_ref(),
            &options,
            &Control::new(),
        )
    })??;
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("result", &found)?);
    } else {
        show(&args.class, &found);
    }
    Ok(CommandOutcome::Done)
}

fn show(class: &str, evaluation: &ClassificationReport) {
    let ClassificationReport { settings, release, original, with_suppressed, test, .. } =
        evaluation;
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
    let Some(test) = test else { return };
    let held_out = |found: &HoldoutErrors| {
        let unplaced = match found.unplaced {
            0 => String::new(),
            rows => format!(", {} of them in no released row", thousands(rows)),
        };
        format!(
            "error {}, give or take {}; {} rows{unplaced}, a tree of {} leaves",
            percent(found.error),
            percent(found.standard_error),
            thousands(found.rows),
            found.leaves
        )
    };
    sayln!("");
    line(
        "untouched",
        format!("error {}, always saying what is most frequent", percent(test.baseline)),
    );
    if let Some(original) = &test.original {
        // Exact rows need not be alike to be predicted.
        let mut original = original.clone();
        original.unplaced = 0;
        line("of original", held_out(&original));
    }
    line("of release", held_out(&test.release));
    for (column, label) in &test.release.unread {
        line(
            "note",
            format!("it is unknown what {label:?} in {column} stands for: name its --hierarchy"),
        );
    }
}
