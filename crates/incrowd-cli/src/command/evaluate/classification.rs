//! `evaluate classification`: how well a decision tree predicts a column from a release.

use incrowd::{Classification, ClassificationErrors, Control, Table, thousands};
use incrowd_io::{Error, Result, read_table};
use serde::Serialize;

use crate::End;
use crate::args;
use crate::command::{column_of, on_threads, one_from_stdin, open};

pub(super) fn classification(args: &args::Classification) -> Result<End> {
    one_from_stdin(("the release", &args.release), ("the original", args.original.as_deref()))?;
    let settings = Classification {
        folds: args.folds,
        seed: args.seed,
        least_leaf: args.least_leaf,
        depth: args.depth,
    };
    let original = match &args.original {
        None => None,
        Some(path) => {
            let source = open(path, args.original_delimiter.as_deref(), None)?;
            let names = args.quasi.iter().chain([&args.class]);
            let places: Vec<usize> =
                names.map(|name| column_of(&source, name)).collect::<Result<_>>()?;
            Some(read_table(&source, Some(&places), &Control::new())?)
        }
    };
    let release = args.reading.open(&args.release)?;
    column_of(&release, &args.class)?;
    let released = read_table(&release, None, &Control::new())?;
    let evaluation = on_threads(args.threads, || {
        let errors = |table: &Table| settings.errors(table, &args.quasi, &args.class);
        let original = original.as_ref().map(errors).transpose()?;
        Ok::<_, Error>(Evaluation::new(settings.clone(), errors(&released)?, original))
    })??;
    if args.printing.json {
        sayln!("{}", crate::show::json_text("result", &evaluation)?);
    } else {
        show(&args.class, &evaluation);
    }
    Ok(End::Done)
}

/// How well the class is predicted from the release, and from the original.
#[derive(Serialize)]
pub(super) struct Evaluation {
    pub(super) settings: Classification,
    pub(super) release: ClassificationErrors,
    pub(super) original: Option<ClassificationErrors>,
    /// What becomes of the error if the rows that the release lacks are predicted with its most frequent class.
    pub(super) with_suppressed: Option<WithSuppressed>,
}

/// The error over all rows of the original.
#[derive(Serialize, Clone, Copy)]
pub(in crate::command) struct WithSuppressed {
    /// Rows that the release lacks.
    pub(in crate::command) suppressed: u64,
    /// Those of them that are not of the release's most frequent class.
    pub(in crate::command) wrong: u64,
    /// The share of wrong predictions over all rows.
    pub(in crate::command) error: f64,
}

impl WithSuppressed {
    /// Predicts suppressed rows with the most frequent class of the release. None if the release has rows of a
    /// class that the original lacks: then they do not belong together.
    pub(in crate::command) fn new(
        release: &ClassificationErrors,
        original: &ClassificationErrors,
    ) -> Option<Self> {
        let suppressed = original.rows.checked_sub(release.rows)?;
        let rows = |errors: &ClassificationErrors, name: &str| {
            errors.classes.iter().find(|(class, _)| class == name).map_or(0, |class| class.1)
        };
        let (most, released) = release.classes.first()?;
        let right = rows(original, most).checked_sub(*released)?;
        let wrong = suppressed.checked_sub(right)?;
        let error = (release.wrong + wrong) as f64 / original.rows.max(1) as f64;
        Some(WithSuppressed { suppressed, wrong, error })
    }
}

impl Evaluation {
    pub(super) fn new(
        settings: Classification,
        release: ClassificationErrors,
        original: Option<ClassificationErrors>,
    ) -> Self {
        let with_suppressed =
            original.as_ref().and_then(|original| WithSuppressed::new(&release, original));
        Evaluation { settings, release, original, with_suppressed }
    }
}

fn show(class: &str, evaluation: &Evaluation) {
    let Evaluation { settings, release, original, with_suppressed } = evaluation;
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
